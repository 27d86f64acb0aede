"""Degrees of membership: what the methods share that let an item belong to several clusters at once.

Memberships are N x K in single precision, the one large array of these methods. Each item's are computed by itself;
sums over items are made feature by feature, each over all items in their order. So neither threads nor blocks show in
a result, and as zeros change no sum, sparse and dense rows give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from consilience.kernels.rows import Floats32, Floats64, Labels, Rows, rows_of
from consilience.kernels.threads import Threads

_NOTHING = -26 * np.log(2)  # a share under 2^-26 of the largest would not change their sum in single precision


class Soft(NamedTuple):
    """For every item its memberships, the cluster with the largest one, the next (-1: none), and what it adds."""

    memberships: Floats32  # N x K; a row of zeros where the label is -1
    labels: Labels
    second: Labels
    values: Floats64  # an item's part of the objective


class Best(NamedTuple):
    """The cluster with the largest share, the one with the next score (-1: none), and ln Σ_k exp(score_k)."""

    label: int
    second: int
    log_total: float


class Team(Threads):
    """Threads that also share out a range too short, and too dear, for blocks of a thousand rows."""

    def share(self, count: int, kernel: Callable[..., Any], *arguments: Any) -> None:
        """Calls `kernel(*arguments, low, high)` for one stretch of 0..count-1 per thread."""
        if self._pool is None or count < 2:
            kernel(*arguments, 0, count)
            return
        cuts = np.linspace(0, count, min(self.count, count) + 1).astype(int)
        tasks = zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        for done in [self._pool.submit(kernel, *arguments, low, high) for low, high in tasks]:
            done.result()


def nobody(items: int, k: int) -> Soft:
    """Room for `items` items, none of them assigned."""
    unassigned = np.full(items, -1, dtype=np.int32)
    return Soft(np.zeros((items, k), dtype=np.float32), unassigned, unassigned.copy(), np.zeros(items))


def one_hot(labels: Labels, k: int) -> Floats32:
    """All of an item to its label; a row of zeros for -1."""
    memberships = np.zeros((len(labels), k), dtype=np.float32)
    some = np.flatnonzero(labels >= 0)
    memberships[some, labels[some]] = 1
    return memberships


def by_feature(X: Any) -> Any:
    """X as `weighted_sums` reads it: a dense matrix as it is, a sparse one turned into rows of features."""
    return rows_of(X.T.tocsr()) if sparse.issparse(X) else np.ascontiguousarray(X)


def weighted_sums(columns: Any, features: int, memberships: Floats32, team: Team) -> Floats64:
    """Σ_i x_ij u_ik, features x K, for the columns `by_feature` gives."""
    sums = np.zeros((features, memberships.shape[1]))
    if isinstance(columns, Rows):
        team.over(features, _add_sparse, columns, memberships, sums)
    else:
        team.share(features, _add_dense, columns, memberships, sums)
    return sums


@njit(nogil=True, cache=True)
def share_out(scores: Floats64, power: float, row: Floats32) -> Best:
    """row[k] = (exp(scores[k]) / Σ_j exp(scores[j])) ** power

    A share too small to count is 0. The label is the first of the largest shares as they stand in single precision,
    so that whoever reads them finds the same one.
    """
    # scores, row: K
    K = len(scores)
    largest = scores[0]
    for k in range(1, K):
        largest = max(largest, scores[k])
    total = 0.0
    for k in range(K):
        if scores[k] - largest > _NOTHING:
            total += np.exp(scores[k] - largest)
    rest = np.log(total)
    label = -1
    for k in range(K):
        gap = scores[k] - largest
        row[k] = np.exp(power * (gap - rest)) if gap > _NOTHING else 0.0
        if label < 0 or row[k] > row[label]:
            label = k
    second = -1
    for k in range(K):
        if k != label and (second < 0 or scores[k] > scores[second]):
            second = k
    return Best(label, second, largest + rest)


@njit(nogil=True, cache=True, fastmath={"contract"})
def _add_sparse(turned: Rows, memberships: Floats32, sums: Floats64, low: int, high: int) -> None:
    # turned: features, with items as columns; memberships: N x K; sums: features x K, zeros
    K = memberships.shape[1]
    for j in range(low, high):
        for p in range(turned.starts[j], turned.starts[j + 1]):
            i, value = turned.columns[p], np.float64(turned.values[p])
            for k in range(K):
                sums[j, k] += value * memberships[i, k]


@njit(nogil=True, cache=True, fastmath={"contract"})
def _add_dense(X: npt.NDArray[Any], memberships: Floats32, sums: Floats64, low: int, high: int) -> None:
    # X: N x features; memberships: N x K; sums: features x K, zeros
    K = memberships.shape[1]
    for i in range(len(X)):
        for j in range(low, high):
            value = np.float64(X[i, j])
            for k in range(K):
                sums[j, k] += value * memberships[i, k]
