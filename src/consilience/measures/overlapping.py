"""Measures of clusters that overlap: an item may have several classes, and be in several clusters.

A(e) and B(e) are the classes and clusters of item e. Pairs of items are told apart by how many classes and how many
clusters they share. Items with the same classes and clusters are worked out once: time grows with the number of
different ones, squared at worst; memory with their number.

An item in no cluster is alone in one of its own. For partitions, each is the measure of the same name; omega is the
adjusted Rand index.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from consilience.measures.sets import Sets, profiles_of
from consilience.nouns import Floats, Integers

ALPHA = 0.9  # the share of steps in which a walk of element-centric similarity goes on (Gates and others' choice)


class Shared(NamedTuple):
    """B-cubed, and for omega the share of pairs that share equally many on both sides, found and expected."""

    precision: float
    recall: float
    equal: float
    expected: float


def bcubed_precision(sets: Sets) -> float:
    """P = Avg_e Avg_e' min(a, b) / b,   over e' with b > 0   (Amigó, Gonzalo, Artiles, Verdejo 2009)

    a = |A(e) ∩ A(e')| and b = |B(e) ∩ B(e')|; e is one of the e'.
    """
    return sets.once(shared).precision


def bcubed_recall(sets: Sets) -> float:
    """R = Avg_e Avg_e' min(a, b) / a,   over e' with a > 0   (Amigó, Gonzalo, Artiles, Verdejo 2009)"""
    return sets.once(shared).recall


def bcubed(sets: Sets) -> float:
    """F = 2 P R / (P + R), P and R of B-cubed for sets"""
    P, R = sets.once(shared)[:2]
    return 2 * P * R / (P + R)


def omega(sets: Sets) -> float:
    """ω = (o - e) / (1 - e),   o = 1/M Σ_t |pairs that share t classes and t clusters|   (Collins, Dent 1988)

    e = 1/M² Σ_t |pairs that share t classes| |pairs that share t clusters|. For partitions this is the adjusted Rand
    index.
    """
    o, e = sets.once(shared)[2:]
    return (o - e) / (1 - e) if e < 1 else 1.0  # all pairs share equally many on each side: o = 1 too, or it is 0


def element_centric(sets: Sets) -> float:
    """S = 1/N Σ_i (1 - 1/2α Σ_j |p_ij - q_ij|), p and q walks over clusters   (Gates, Wood, Hetrick, Ahn 2019)

    A walk goes from an item to one of its clusters and from there to one of its items, each alike, and starts again
    at the item with probability 1 - α (personalised PageRank). With U = rows of sets that sum to 1, V = columns that
    do,  p = (1 - α) Σ_t α^t (U V')^t = (1 - α) (1 + α U (1 - α V'U)^-1 V'):  one inverse for each part of clusters that
    hang together. Both walks sum to 1, so  S_i = Σ_j min(p_ij, q_ij)  without the start and over α:  only items that
    both reach count.
    """
    profiles = sets.once(profiles_of)
    if not len(profiles.items):
        return 1.0
    similar = np.empty(len(profiles.items))
    _compare(_walks(profiles.A, profiles.items), _walks(profiles.B, profiles.items), profiles.items, similar)
    return float((similar * profiles.items).sum() / profiles.items.sum())


def shared(sets: Sets) -> Shared:
    """Every pair of items that shares something, found through the items of each class and cluster."""
    A, B, items = sets.once(profiles_of)
    N = int(items.sum())
    if not N:
        return Shared(1.0, 1.0, 1.0, 1.0)
    arrays = [part.astype(np.int64) for m in (A, A.tocsc(), B, B.tocsc()) for part in (m.indptr, m.indices)]
    most = int(max(np.diff(A.indptr).max(), np.diff(B.indptr).max()))
    in_classes, in_clusters = np.zeros(most + 1), np.zeros(most + 1)
    precision, recall, unequal = _share(*arrays, items, in_classes, in_clusters)
    M = max(N * (N - 1.0), 1.0)  # ordered pairs
    apart = (M - in_classes.sum()) * (M - in_clusters.sum())
    expected = float(apart + (in_classes * in_clusters).sum()) / (M * M)
    return Shared(precision / N, recall / N, 1 - unequal / M, expected)


class _Walks(NamedTuple):
    """Profiles and their clusters, in parts that share no item with each other.

    `part` of each profile (-1: in no cluster), `width` the clusters of each part, `place` of each cluster in its part,
    `row` where its row of `p` begins: from the items of this cluster to an item of each of the part's clusters.
    """

    starts: Integers
    clusters: Integers
    part: Integers
    member_starts: Integers
    members: Integers
    width: Integers
    place: Integers
    row: Integers
    p: Floats


def _walks(sets: sparse.csr_array, items: Integers) -> _Walks:
    count, clusters = sets.shape
    sizes = np.maximum(sets.T @ items, 1).astype(float)
    rows = np.repeat(np.arange(count), np.diff(sets.indptr))
    graph = sparse.csr_array((sets.data, (rows, count + sets.indices)), shape=(count + clusters,) * 2)
    hang = connected_components(graph, directed=False)[1]
    part, width = np.unique(hang[count:], return_inverse=True, return_counts=True)[1:]
    own = np.full(count, -1)
    own[rows] = part[sets.indices]
    order, ends = np.argsort(part, kind="stable"), np.cumsum(width)
    place = np.empty(clusters, np.int64)
    place[order] = np.arange(clusters) - np.repeat(ends - width, width)
    begins = np.cumsum(width**2) - width**2
    p = np.empty(int((width**2).sum()))
    single = width == 1
    p[begins[single]] = 1 / sizes[order[(ends - width)[single]]]  # no walk leaves it
    U = sparse.diags_array(1 / np.maximum(np.diff(sets.indptr), 1)) @ sets
    back = sparse.csr_array(sparse.diags_array(1 / sizes) @ (sets.T @ (sparse.diags_array(items.astype(float)) @ U)))
    with threadpool_limits(limits=1, user_api="blas"):  # sums differ with the number of threads
        for number in np.flatnonzero(~single):
            some = order[ends[number] - width[number] : ends[number]]
            walks = np.linalg.inv(np.eye(len(some)) - ALPHA * back[some][:, some].toarray()) * (1 - ALPHA)
            p[begins[number] : begins[number] + len(some) ** 2] = (walks / sizes[some]).ravel()
    members = np.argsort(own, kind="stable")[(own < 0).sum() :]
    member_starts = np.concatenate([[0], np.cumsum(np.bincount(own[members], minlength=len(width)))])
    rows_of = sets.indptr.astype(np.int64), sets.indices.astype(np.int64)
    return _Walks(
        *rows_of, own, member_starts, members, width, place, (begins[part] + place * width[part]).astype(np.int64), p
    )


@nb.njit(cache=True, nogil=True)
def _share(A_starts, A, C_starts, C, B_starts, B, K_starts, K, items, in_classes, in_clusters):  # type: ignore[no-untyped-def]
    """Sums of precision and recall over items, and of ordered pairs that share unequally many; counts the others.

    Only what shares something is looked at: the profiles of the own classes, C, and of the own clusters, K.
    """
    # A, B: rows of profiles; C, K: their columns; in_classes[t]: pairs that share t classes, 0 for t = 0
    profiles = len(items)
    classes, clusters = np.zeros(profiles, np.int64), np.zeros(profiles, np.int64)
    met = np.empty(profiles, np.int64)
    precision, recall, unequal = 0.0, 0.0, 0.0
    for g in range(profiles):
        count = 0
        for p in range(A_starts[g], A_starts[g + 1]):
            for q in range(C_starts[A[p]], C_starts[A[p] + 1]):
                if classes[C[q]] == 0:
                    met[count] = C[q]
                    count += 1
                classes[C[q]] += 1
        for p in range(B_starts[g], B_starts[g + 1]):
            for q in range(K_starts[B[p]], K_starts[B[p] + 1]):
                if classes[K[q]] == 0 and clusters[K[q]] == 0:
                    met[count] = K[q]
                    count += 1
                clusters[K[q]] += 1
        a, b = A_starts[g + 1] - A_starts[g], max(B_starts[g + 1] - B_starts[g], 1)
        P, near_P, R, near_R = min(a, b) / b, 1.0, min(a, b) / a, 1.0  # the item itself
        for m in range(count):
            h = met[m]
            others = items[h] - (h == g)
            both = min(classes[h], clusters[h])
            if clusters[h]:
                P += others * both / clusters[h]
                near_P += others
                in_clusters[clusters[h]] += items[g] * others
            if classes[h]:
                R += others * both / classes[h]
                near_R += others
                in_classes[classes[h]] += items[g] * others
            if classes[h] != clusters[h]:
                unequal += items[g] * others
            classes[h], clusters[h] = 0, 0
        precision += items[g] * P / near_P
        recall += items[g] * R / near_R
    return precision, recall, unequal


@nb.njit(cache=True, nogil=True)
def _compare(A, B, items, similar):  # type: ignore[no-untyped-def]
    """Looks from every profile at those of its part on that side where they are fewer."""
    # A, B: walks; items, similar: profiles
    for g in range(len(items)):
        a, b = A.part[g], B.part[g]
        p = _from(A, g)
        if b < 0:  # alone: its walk stays where it is
            similar[g] = _at(A, g, p)
            continue
        q = _from(B, g)
        fewer = A.member_starts[a + 1] - A.member_starts[a] < B.member_starts[b + 1] - B.member_starts[b]
        side, number = (A, a) if fewer else (B, b)
        total = 0.0
        for m in range(side.member_starts[number], side.member_starts[number + 1]):
            h = side.members[m]
            if A.part[h] == a and B.part[h] == b:
                total += items[h] * min(_at(A, h, p), _at(B, h, q))
        similar[g] = total


@nb.njit(cache=True, nogil=True)
def _from(side, g):  # type: ignore[no-untyped-def]
    """How likely a walk from the items of a profile is at one item of each cluster, through that cluster."""
    width = side.width[side.part[g]]
    p = np.zeros(width)
    for at in range(side.starts[g], side.starts[g + 1]):
        row = side.row[side.clusters[at]]
        for k in range(width):
            p[k] += side.p[row + k]
    return p / (side.starts[g + 1] - side.starts[g])


@nb.njit(cache=True, nogil=True)
def _at(side, h, p):  # type: ignore[no-untyped-def]
    """How likely it is at an item of another profile of the same part."""
    x = 0.0
    for at in range(side.starts[h], side.starts[h + 1]):
        x += p[side.place[side.clusters[at]]]
    return x
