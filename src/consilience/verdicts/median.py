"""The partition that agrees best with the members on average: a median of partitions.

    agreement(π) = mean over members t and pairs i < j of  [π and t both put i and j together, or both apart]

the mean Rand index (Rand 1971), that is 1 less the mean share of pairs on which they disagree (Mirkin's distance). With
a_ij the number of members that have i and j together, only pairs together in π count for

    g(π) = Σ_{i < j together in π} (2 a_ij - T)   =  Σ_r Σ_{i < j in r} (2 c_i' c_j - T)

and agreement(π) = constant + g(π) / (T P). Items move one at a time to the cluster, or to a new one of at most k, where
g gains the most, until a whole pass finds no move that helps. What an item gains in cluster r is 2 c_i' A_r - T n_r
(itself left out), T look-ups in a table of counts. An item that a member leaves out is apart from all others there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from consilience.verdicts.members import Labels, Members

_Codes = npt.NDArray[np.int64]
_Counts = npt.NDArray[np.int64]


class Median(NamedTuple):
    """`agreement` is the mean Rand index of the labels with the members; items without any member are -1."""

    labels: Labels
    agreement: float


def median(members: Members, *, k: int, starts: int = 5) -> Median:
    """The best partition into at most k clusters that moves reach from members: from the best `starts` of them.

    Of a member with more than k clusters, the items beyond its k largest are placed by the first pass.
    """
    assigned = np.any(members.labels >= 0, axis=1)
    some = np.flatnonzero(assigned)
    T, P = members.labels.shape[1], len(assigned) * (len(assigned) - 1) / 2
    if not P or not len(some):
        return Median(np.where(assigned, 0, -1).astype(np.int32), 1.0)  # no pair to disagree on, or none together
    part = members.labels[some]
    codes = np.where(part >= 0, part + members.offsets[:-1], -1)
    state = [_State.of(codes, np.where(column < k, column, -1), int(members.offsets[-1]), k) for column in part.T]
    state = sorted(state, key=lambda start: -start.gain(codes))[:starts]
    for start in state:
        while _pass(codes, *start):
            pass
    best = max(state, key=lambda found: found.gain(codes))
    labels = np.full(len(assigned), -1, np.int32)
    labels[some] = best.labels
    sizes = [np.bincount(column[column >= 0]).astype(np.float64) for column in members.labels.T]
    together = sum(float((n * (n - 1) / 2).sum()) for n in sizes)
    return Median(labels, 1 - (together - best.gain(codes)) / (T * P))


class _State(NamedTuple):
    """A partition, the counts A (members' clusters x k) and the sizes of its clusters."""

    labels: Labels
    A: _Counts
    sizes: _Counts

    @classmethod
    def of(cls, codes: _Codes, labels: Labels, width: int, k: int) -> _State:
        state = cls(labels.astype(np.int32), np.zeros((width, k), np.int64), np.zeros(k, np.int64))
        _count(codes, *state)
        return state

    def gain(self, codes: _Codes) -> float:
        """g = (Σ_r ||A_r||² - Σ_i c_i' c_i) - T Σ_r n_r (n_r - 1) / 2, over the items that have a cluster"""
        placed = int((codes[self.labels >= 0] >= 0).sum())
        pairs = float((self.sizes * (self.sizes - 1) // 2).sum())
        return float((self.A.astype(np.float64) ** 2).sum()) - placed - codes.shape[1] * pairs


@njit(nogil=True, cache=True)
def _count(codes: _Codes, labels: Labels, A: _Counts, sizes: _Counts) -> None:
    """A[j, r] = how many items of cluster r are in cluster j of the members'"""
    for i in range(len(labels)):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            for j in codes[i]:
                if j >= 0:
                    A[j, labels[i]] += 1


@njit(nogil=True, cache=True)
def _pass(codes: _Codes, labels: Labels, A: _Counts, sizes: _Counts) -> int:
    """Every item once, taken out and put where g gains the most; returns how many moved."""
    T, K = codes.shape[1], len(sizes)
    gains = np.empty(K, np.int64)
    moved = 0
    for i in range(len(labels)):
        a = labels[i]
        if a >= 0:
            sizes[a] -= 1
            for j in codes[i]:
                if j >= 0:
                    A[j, a] -= 1
        for r in range(K):
            gains[r] = -T * sizes[r]
        for j in codes[i]:
            if j >= 0:
                for r in range(K):
                    gains[r] += 2 * A[j, r]
        b = np.argmax(gains)
        if a >= 0 and gains[a] == gains[b]:
            b = a
        if a != b:
            labels[i] = b
            moved += 1
        sizes[b] += 1
        for j in codes[i]:
            if j >= 0:
                A[j, b] += 1
    return moved
