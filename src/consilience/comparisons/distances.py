"""Mantel's test of any two distances between the same items: cosines of documents, trees, classes, matrices.

    Z = Σ_ij x_ij y_ij,   r = the correlation of x and y over pairs,   chance: y with its items permuted   (Mantel 1967)

Distances come a few rows at a time and are forgotten again, so that memory grows with N and not with N²; time is what
(permutations + 1) N² distances cost, most of them y's: let y be the one that is sooner worked out. For classes alone,
`mantel` needs only their table.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from consilience.comparisons.mantel import Sums, null_moments
from consilience.errors import InputError
from consilience.kernels.rows import Rows, rows_of
from consilience.kernels.threads import Threads, thread_count
from consilience.nouns import Floats, Integers

_ROWS = 16  # rows of both distances at a time
_BATCH = 1 << 24  # entries of permutations held at a time: 64 MB
_CONSTANT = 1e-12  # a spread under this share of the squares is rounding

Floats64 = npt.NDArray[np.float64]


class Distance(Protocol):
    """Distances between `items` items: symmetric, with zeros on the diagonal."""

    items: int

    def rows(self, which: Integers) -> Floats64:
        """A row for each item of `which`: its distance to every item."""
        ...


class GeneralMantel(NamedTuple):
    """Mantel's test of two distances; r is None where one of them is the same for all pairs."""

    z: float
    r: float | None
    null_mean: float | None
    null_sd: float | None
    permutations: int
    p: float | None
    p_two_sided: float | None


def mantel_of(
    x: Distance, y: Distance, *, permutations: int = 99, random_state: int = 0, n_jobs: int | None = None
) -> GeneralMantel:
    """The test; the null mean and deviation are exact, over all N! permutations. The same for any number of threads."""
    if x.items != y.items:
        raise InputError(f"Mantel's test needs distances between the same items; there are {x.items} and {y.items}")
    N = x.items
    if N < 2:
        return GeneralMantel(0.0, None, None, None, 0, None, None)
    chance = np.random.default_rng(random_state)
    with Threads(thread_count(n_jobs)) as threads:
        (A, own), (B, other) = _sums(x, threads), _sums(y, threads)
        drawn = np.concatenate([_crossed(x, y, part, threads) for part in _permutations(N, permutations, chance)])
    z, mean = float(drawn[0]), A * B / (N * (N - 1))
    sd = sqrt(null_moments(N, own, other)[1] or 0)
    spread = own.squares * other.squares
    r = None if spread == 0 else max(-1.0, min(1.0, (z - mean) / sqrt(spread)))
    if not permutations:
        return GeneralMantel(z, r, mean, sd, 0, None, None)
    slack = 1e-12 * max(abs(z), abs(mean))  # permutations that change nothing are as large, whatever rounding says
    larger = int((drawn[1:] >= z - slack).sum())
    farther = int((np.abs(drawn[1:] - mean) >= abs(z - mean) - slack).sum())
    p, p_two_sided = ((1 + count) / (permutations + 1) for count in (larger, farther))
    return GeneralMantel(z, r, mean, sd, permutations, p, p_two_sided)


class ClassDistance:
    """0 in the same class and 1 apart; an item that is not assigned (-1) is apart from all."""

    def __init__(self, labels: Integers) -> None:
        self.items = len(labels)
        self._labels = np.asarray(labels)

    def rows(self, which: Integers) -> Floats64:
        """Where labels differ."""
        own = self._labels[which, None]
        apart = ((own != self._labels) | (own < 0)).astype(np.float64)
        apart[np.arange(len(which)), which] = 0.0
        return apart


class MatrixDistance:
    """A square matrix that is there already."""

    def __init__(self, matrix: Floats) -> None:
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T):
            raise InputError(f"distances are a square, symmetric matrix; this one has the shape {matrix.shape}")
        if not np.isfinite(matrix).all() or np.any(np.diag(matrix)):
            raise InputError("distances are finite, and 0 from an item to itself")
        self.items = len(matrix)
        self._matrix = matrix

    def rows(self, which: Integers) -> Floats64:
        """Rows of the matrix."""
        return np.asarray(self._matrix[which], np.float64)


class CosineDistance:
    """1 - cos of the rows of a matrix, sparse or dense; a row of zeros is 1 from all others."""

    def __init__(self, matrix: Any) -> None:
        X = sparse.csr_array(matrix, dtype=np.float64)
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        if not np.isfinite(lengths).all():
            raise InputError("vectors hold NaN or infinity; every value must be finite")
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        X.data *= np.repeat(scale, np.diff(X.indptr))
        self.items = X.shape[0]
        self._rows, self._columns = rows_of(X), rows_of(sparse.csr_array(X.T))

    def rows(self, which: Integers) -> Floats64:
        """Each feature of a row is looked up in the items that share it."""
        found = np.ones((len(which), self.items))
        _cosines(self._rows, self._columns, which, found)
        return found


class CopheneticDistance:
    """The height at which two leaves of a tree come together.

    `merges` as scipy.cluster.hierarchy writes them; `leaves`, where the items are some of the leaves or in another
    order, says which.
    """

    def __init__(self, merges: Floats, leaves: Integers | None = None) -> None:
        n = len(merges) + 1
        self._leaves = np.arange(n) if leaves is None else np.asarray(leaves)
        self.items = len(self._leaves)
        self._tree = _hung(np.asarray(merges, np.float64))

    def rows(self, which: Integers) -> Floats64:
        """From each leaf to the root; what hangs off the way there comes together at that height."""
        found = np.zeros((len(which), len(self._tree[-1])))
        _climbed(*self._tree, self._leaves[which], found)
        return found if self.items == found.shape[1] and (np.diff(self._leaves) == 1).all() else found[:, self._leaves]


def _permutations(N: int, permutations: int, chance: np.random.Generator) -> Any:
    """The items as they are, and shuffled, some at a time."""
    some = max(1, _BATCH // N)
    for first in range(0, permutations + 1, some):
        wanted = range(first, min(first + some, permutations + 1))
        yield np.array([chance.permutation(N) if number else np.arange(N) for number in wanted], dtype=np.int32)


def _sums(x: Distance, threads: Threads) -> tuple[float, Sums]:
    """Σ x_ij, and the three sums of x less its mean, of which the first is 0."""
    N = x.items
    rows, squares = np.zeros(N), np.zeros(N)

    def add(low: int, high: int) -> None:
        for first in range(low, high, _ROWS):
            which = np.arange(first, min(first + _ROWS, high))
            values = x.rows(which)
            rows[which], squares[which] = values.sum(axis=1), (values * values).sum(axis=1)

    threads.over(N, add, least=_ROWS)
    total, square = float(rows.sum()), float(squares.sum())
    spread = square - total * total / (N * (N - 1))
    if spread <= _CONSTANT * square:
        return total, Sums(0.0, 0.0, 0.0)
    return total, Sums(0.0, spread, float(((rows - total / N) ** 2).sum()))


def _crossed(x: Distance, y: Distance, permutations: npt.NDArray[np.int32], threads: Threads) -> Floats64:
    """Σ_ij x_ij y_π(i)π(j) for each permutation; sums of fixed blocks, added up in their order."""
    starts = range(0, x.items, _ROWS)
    found = np.zeros((len(starts), len(permutations)))

    def cross(low: int, high: int) -> None:
        for block in range(low, high):
            which = np.arange(starts[block], min(starts[block] + _ROWS, x.items))
            ours = x.rows(which)
            for number, permutation in enumerate(permutations):
                found[block, number] = _product(ours, y.rows(permutation[which]), permutation)

    threads.over(len(starts), cross, least=1)
    return found.sum(axis=0)


@njit(nogil=True, cache=True)
def _product(x: Floats64, y: Floats64, permutation: Any) -> float:
    # x, y: rows x N; permutation: N
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j] * y[i, permutation[j]]
    return total


@njit(nogil=True, cache=True)
def _cosines(rows: Rows, columns: Rows, which: Any, found: Floats64) -> None:
    # rows: N; columns: features; which: rows wanted; found: wanted x N, ones
    for i in range(len(which)):
        for p in range(rows.starts[which[i]], rows.starts[which[i] + 1]):
            j = rows.columns[p]
            v = rows.values[p]
            for q in range(columns.starts[j], columns.starts[j + 1]):
                found[i, columns.columns[q]] -= v * columns.values[q]
        found[i, which[i]] = 0.0


@njit(nogil=True, cache=True)
def _climbed(parent: Any, height: Any, first: Any, last: Any, order: Any, which: Any, found: Floats64) -> None:
    # parent, height, first, last: nodes; order: leaves as the tree has them side by side; found: wanted x N
    for i in range(len(which)):
        node = which[i]
        while parent[node] >= 0:
            above = parent[node]
            for at in range(first[above], first[node]):
                found[i, order[at]] = height[above]
            for at in range(last[node], last[above]):
                found[i, order[at]] = height[above]
            node = above


def _hung(merges: Floats64) -> tuple[Any, ...]:
    """Of every node its parent (-1: the root), its height, and where its leaves begin and end side by side."""
    n = len(merges) + 1
    children = merges[:, :2].astype(np.int64)
    size = np.concatenate([np.ones(n, np.int64), np.zeros(n - 1, np.int64)])
    parent, first = np.full(2 * n - 1, -1, np.int64), np.zeros(2 * n - 1, np.int64)
    _hang(children, size, parent, first)
    height = np.concatenate([np.zeros(n), merges[:, 2]])
    return parent, height, first, first + size, np.argsort(first[:n], kind="stable")


@njit(nogil=True, cache=True)
def _hang(children: Any, size: Any, parent: Any, first: Any) -> None:
    # children: merges x 2; size, parent, first: nodes
    n = len(children) + 1
    for m in range(n - 1):
        size[n + m] = size[children[m, 0]] + size[children[m, 1]]
    for m in range(n - 2, -1, -1):
        left, right = children[m, 0], children[m, 1]
        parent[left] = parent[right] = n + m
        first[left] = first[n + m]
        first[right] = first[n + m] + size[left]
