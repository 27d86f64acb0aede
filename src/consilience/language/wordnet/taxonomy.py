"""The taxonomy of synsets, and how alike two of them are: Wu-Palmer, letter by letter as NLTK computes it.

    σ(p, q) = 2 d / (Lp + Lq + 2 d)        (Wu, Palmer 1994; Fodeh, Punch, Tan 2009, eq. 1)

d is the depth of the least common subsumer, counted in nodes (the root has 1), Lp and Lq the paths to it. A synset may
have several hypernyms, so words need care, and these are NLTK's:

    subsumers      the common ancestors (a synset is one of its own) with the largest depth over the *shortest* path to
                   a root; of several p itself if it is among them, else the first by name
    d              1 + the subsumer's depth over the *longest* path to a root
    Lp, Lq         the shortest way in hypernym links; it may climb above the subsumer and come down again

So σ(p, q) and σ(q, p) may differ where subsumers tie. Without a common ancestor (a taxonomy of several roots) σ = 0.

Synsets are ranked once: by falling shortest depth, then by name. Each synset's ancestors are kept as sorted ranks, so
the first common one *is* the subsumer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from consilience.errors import InputError

_DEEPEST = 255  # links from a root; WordNet 3.0 has 19

Integers32 = npt.NDArray[np.int32]


class Taxonomy(NamedTuple):
    """Ancestors of synset s: the ranks `ancestors[starts[s]:starts[s + 1]]`, ascending, and the shortest ways to them.

    `nodes[r]` is d of the synset of rank r; `rank[s]` that of a synset; `tied[s]` whether another ancestor of s is as
    deep as s itself.
    """

    starts: npt.NDArray[np.int64]
    ancestors: Integers32
    ways: npt.NDArray[np.int16]
    nodes: Integers32
    shortest: Integers32
    rank: Integers32
    tied: npt.NDArray[np.bool_]


def taxonomy(parent_starts: npt.NDArray[np.int64], parents: Integers32, by_name: npt.NDArray[np.integer]) -> Taxonomy:
    """The taxonomy of hypernym links; `by_name` are the synsets in the order of their names."""
    longest = _longest_depths(parent_starts, parents)
    if longest.max(initial=0) > _DEEPEST:
        raise InputError(f"the hypernyms go round in a circle, or deeper than {_DEEPEST} links: this is no taxonomy")
    starts, ancestors, links, shortest = _climb(parent_starts, parents)
    order = by_name[np.argsort(-shortest[by_name], kind="stable")]
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    ranked = rank[ancestors]
    _sort_rows(starts, ranked, links)
    ways = _ways(starts, ranked, links, order)
    deepest = shortest[order]
    return Taxonomy(starts, ranked, ways, longest[order] + np.int32(1), deepest, rank, _tied(starts, ranked, deepest))


def wu_palmer(tree: Taxonomy, first: npt.ArrayLike, second: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """σ(first[i], second[i]) for synset numbers."""
    p, q = np.broadcast_arrays(np.asarray(first, np.int64), np.asarray(second, np.int64))
    return _wu_palmer(tree, p.flatten(), q.flatten()).reshape(p.shape)


@njit(cache=True, nogil=True)
def _longest_depths(parent_starts, parents):  # type: ignore[no-untyped-def]
    """Links on the longest path to a root; beyond `_DEEPEST` it stops, for a circle has no end."""
    depth = np.zeros(len(parent_starts) - 1, np.int32)
    changed = True
    sweeps = 0
    while changed and sweeps <= _DEEPEST + 1:
        changed = False
        sweeps += 1
        for s in range(len(depth)):
            for at in range(parent_starts[s], parent_starts[s + 1]):
                if depth[parents[at]] + 1 > depth[s]:
                    depth[s] = depth[parents[at]] + 1
                    changed = True
    return depth


@njit(cache=True, nogil=True)
def _climb(parent_starts, parents):  # type: ignore[no-untyped-def]
    """Each synset's ancestors, itself first, with the links up to each, and the links up to its nearest root."""
    synsets = len(parent_starts) - 1
    starts = np.zeros(synsets + 1, np.int64)
    found = np.empty(16 * synsets + 16, np.int32)
    links = np.empty(len(found), np.int16)
    shortest = np.zeros(synsets, np.int32)
    seen = np.full(synsets, -1, np.int32)
    for s in range(synsets):
        end = starts[s]
        if end + synsets > len(found):  # room for every synset: then no check inside
            found = np.concatenate((found, np.empty(len(found) + synsets, np.int32)))
            links = np.concatenate((links, np.empty(len(links) + synsets, np.int16)))
        found[end] = s
        links[end] = 0
        seen[s] = s
        at = end
        end += 1
        root = -1
        while at < end:  # breadth first: the first way found is a shortest one
            node = found[at]
            if root < 0 and parent_starts[node] == parent_starts[node + 1]:
                root = links[at]
            for up in range(parent_starts[node], parent_starts[node + 1]):
                parent = parents[up]
                if seen[parent] != s:
                    seen[parent] = s
                    found[end] = parent
                    links[end] = links[at] + 1
                    end += 1
            at += 1
        shortest[s] = root
        starts[s + 1] = end
    return starts, found[: starts[-1]].copy(), links[: starts[-1]].copy(), shortest


@njit(cache=True, nogil=True)
def _sort_rows(starts, ranks, links):  # type: ignore[no-untyped-def]
    """Each row of ranks (ragged by starts) ascending, its links with it."""
    for s in range(len(starts) - 1):
        for i in range(starts[s] + 1, starts[s + 1]):
            rank, link = ranks[i], links[i]
            j = i - 1
            while j >= starts[s] and ranks[j] > rank:
                ranks[j + 1], links[j + 1] = ranks[j], links[j]
                j -= 1
            ranks[j + 1], links[j + 1] = rank, link


@njit(cache=True, nogil=True)
def _ways(starts, ranks, links, order):  # type: ignore[no-untyped-def]
    """The shortest way from each synset to each of its ancestors, also over a node above both."""
    ways = links.copy()
    up = np.full(len(order), -1, np.int16)
    for s in range(len(order)):
        for at in range(starts[s], starts[s + 1]):
            up[ranks[at]] = links[at]
        for at in range(starts[s], starts[s + 1]):
            ancestor = order[ranks[at]]
            for above in range(starts[ancestor], starts[ancestor + 1]):
                way = up[ranks[above]] + links[above]
                if way < ways[at]:
                    ways[at] = way
        for at in range(starts[s], starts[s + 1]):
            up[ranks[at]] = -1
    return ways


@njit(cache=True, nogil=True)
def _tied(starts, ranks, deepest):  # type: ignore[no-untyped-def]
    """Whether two of a synset's ancestors, itself among them, are the deepest."""
    tied = np.zeros(len(starts) - 1, np.bool_)
    for s in range(len(tied)):
        first = starts[s]
        tied[s] = first + 1 < starts[s + 1] and deepest[ranks[first]] == deepest[ranks[first + 1]]
    return tied


@njit(cache=True, nogil=True)
def _wu_palmer(tree, first, second):  # type: ignore[no-untyped-def]
    """first, second: synsets."""
    similar = np.zeros(len(first))
    way = np.full(len(tree.rank), -1, np.int16)
    for i in range(len(first)):
        mark(tree, first[i], way)
        similar[i] = similarity(tree, first[i], second[i], way)
        unmark(tree, first[i], way)
    return similar


@njit(cache=True, nogil=True)
def mark(tree, p, way):  # type: ignore[no-untyped-def]
    """Writes the ways from p to its ancestors into `way`, by rank; elsewhere it is -1."""
    for at in range(tree.starts[p], tree.starts[p + 1]):
        way[tree.ancestors[at]] = tree.ways[at]


@njit(cache=True, nogil=True)
def unmark(tree, p, way):  # type: ignore[no-untyped-def]
    """Makes `way` -1 again."""
    for at in range(tree.starts[p], tree.starts[p + 1]):
        way[tree.ancestors[at]] = -1


@njit(cache=True, nogil=True)
def similarity(tree, p, q, way):  # type: ignore[no-untyped-def]
    """σ(p, q), where `way` is marked for p."""
    end = tree.starts[q + 1]
    at = tree.starts[q]
    while at < end and way[tree.ancestors[at]] < 0:
        at += 1
    if at == end:
        return 0.0
    if tree.tied[p]:  # p itself goes before others as deep
        own = tree.rank[p]
        other = at
        while other < end and tree.shortest[tree.ancestors[other]] == tree.shortest[own]:
            if tree.ancestors[other] == own:
                at = other
            other += 1
    subsumer = tree.ancestors[at]
    twice = 2.0 * tree.nodes[subsumer]
    return twice / (twice + way[subsumer] + tree.ways[at])
