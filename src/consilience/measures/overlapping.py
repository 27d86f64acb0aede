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
    do, and clusters few,  p = (1 - α) Σ_t α^t (U V')^t = (1 - α) (1 + α U (1 - α V'U)^-1 V'):  one small inverse.
    """
    profiles = sets.once(profiles_of)
    if not len(profiles.items):
        return 1.0
    similar = np.empty(len(profiles.items))
    _compare(*_walks(profiles.A, profiles.items), *_walks(profiles.B, profiles.items), profiles.items, similar)
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


def _walks(sets: sparse.csr_array, items: Integers) -> tuple[Floats, Integers, Integers, Floats]:
    """Where walks from the items of a cluster are, by cluster; the clusters of profiles; 1 / size of each cluster."""
    sizes = np.maximum(sets.T @ items, 1).astype(float)
    U = sparse.diags_array(1 / np.maximum(np.diff(sets.indptr), 1)) @ sets
    back = (sparse.diags_array(1 / sizes) @ (sets.T @ (sparse.diags_array(items.astype(float)) @ U))).toarray()
    with threadpool_limits(limits=1, user_api="blas"):  # sums differ with the number of threads
        walks = np.linalg.inv(np.eye(len(back)) - ALPHA * back) * (1 - ALPHA)
    return walks, sets.indptr.astype(np.int64), sets.indices.astype(np.int64), 1 / sizes


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
def _compare(walks, A_starts, A, v, rounds, B_starts, B, w, items, similar):  # type: ignore[no-untyped-def]
    # walks, rounds: clusters x clusters; A, B: rows of profiles; v, w: of clusters; items, similar: of profiles
    for g in range(len(items)):
        p, q = np.zeros(len(v)), np.zeros(len(w))
        for c in A[A_starts[g] : A_starts[g + 1]]:
            p += walks[c] * v / (A_starts[g + 1] - A_starts[g])
        for c in B[B_starts[g] : B_starts[g + 1]]:
            q += rounds[c] * w / (B_starts[g + 1] - B_starts[g])
        total = 0.0
        for h in range(len(items)):
            x, y = 0.0, 0.0
            for c in A[A_starts[h] : A_starts[h + 1]]:
                x += p[c]
            for c in B[B_starts[h] : B_starts[h + 1]]:
                y += q[c]
            total += items[h] * abs(x - y)
            if h == g and B_starts[h] == B_starts[h + 1]:  # alone: its walk stays where it is
                total += abs(x - 1.0) - x
        similar[g] = 1 - total / 2
