"""The best of all partitions of a few items.

"Find all possible partitions, calculate the criterion, choose the optimal": so the course (Cavar 2010) tells what
clustering would be if there were time. N items have Bell(N) partitions, 4,213,597
for 12. They are gone through as restricted growth strings, in which an item joins a cluster there is or opens the next
one, so that each partition comes up once. Only inner products of items enter the criteria, and what an item adds to a
cluster is computed once for all partitions that begin the same: 12 items take a tenth of a second.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from consilience.errors import InputError, SettingError
from consilience.kernels.rows import Floats64, Labels

CRITERIA = ("cliques", "squared-error", "cosine")
_CLIQUES, _SQUARED_ERROR, _COSINE = range(3)
_MOST = 12  # items; every further one takes six times as long
_ROUNDING = 1e-12  # a partition is better only by more than this share: of equals the first stays


class Best(NamedTuple):
    """The best partition: its clusters numbered by their first items, its criterion, and how many were looked at."""

    labels: Labels
    value: float
    partitions: int


def best_partition(matrix: Any, *, k: int | str = "auto", criterion: str = "cliques") -> Best:
    """The partition of the rows, dense or sparse, that is best of all; of equals the first.

    With C_r the items of a cluster, u_i = x_i / ||x_i||, and s the mean of all cos(x_i, x_j), i < j:

        criterion="cliques"        maximise  Σ_r Σ_{i < j in C_r} (cos(x_i, x_j) - s)
                                   (clique partitioning: Grötschel and Wakabayashi 1989; it knows its own k)
        criterion="squared-error"  minimise  Σ_r Σ_{i in C_r} ||x_i - c_r||²,  c_r the mean of C_r
        criterion="cosine"         maximise  Σ_r ||Σ_{i in C_r} u_i||

    k: how many clusters, or "auto": partitions into any number are compared. The last two criteria gain with every
    cluster more, and need a number. A row of zeros has the cosine 0 with every other.
    """
    rows = _rows(matrix)
    count = len(rows)
    if criterion not in CRITERIA:
        raise SettingError(f"criterion must be one of {', '.join(CRITERIA)}, it is {criterion!r}")
    if k == "auto" and criterion != "cliques":
        raise SettingError(f"{criterion!r} is best with every item alone; say k, or take criterion='cliques'")
    if k != "auto" and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= count):
        raise SettingError(f"k must be 'auto' or a whole number from 1 to the {count} items, it is {k!r}")

    code = CRITERIA.index(criterion)
    products, base = _products(rows, code)
    labels = np.zeros(count, dtype=np.int32)
    value, partitions = _search(products, code, 0 if k == "auto" else int(k), labels)
    return Best(labels, base - value if code == _SQUARED_ERROR else value, partitions)


def _rows(matrix: Any) -> Floats64:
    rows = np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
    if rows.ndim != 2 or not 1 <= len(rows) <= _MOST:
        raise InputError(
            f"all partitions are looked at for 1 to {_MOST} items, the rows of a matrix; this one has the shape "
            f"{rows.shape}. Take a few of the items, or a method of the catalogue"
        )
    if not np.isfinite(rows).all():
        raise InputError("the matrix holds NaN or infinity; every value must be finite")
    return rows


class _Products(NamedTuple):
    products: Floats64  # what a pair of items brings, N x N
    base: float  # Σ ||x||²


def _products(rows: Floats64, code: int) -> _Products:
    if code == _SQUARED_ERROR:
        rows = rows - rows.mean(axis=0)  # distances stay, and less is lost to rounding
        return _Products(_gram(rows), float((rows**2).sum()))
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    products = _gram(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))
    pairs = np.triu_indices(len(rows), 1)
    if code == _CLIQUES and len(rows) > 1:
        products -= products[pairs].mean()
    return _Products(products, 0.0)


def _gram(rows: Floats64) -> Floats64:
    """Inner products without BLAS: the same on every machine, and rows that are equal have equal ones."""
    gram: npt.NDArray[np.float64] = np.einsum("ij,kj->ik", rows, rows)
    return gram


@njit(cache=True)
def _search(products: Floats64, code: int, k: int, best: Labels) -> tuple[float, int]:
    """The highest value over all partitions (into k clusters; 0: any number), its labels, and how many there were.

    The state at depth i is a partition of the items before i. `squares[i, r]` is ||S_r||² there for the cluster that
    the step to depth i changed, before it; `values[i]` the criterion of the whole.
    """
    # products: N x N; best: N
    count = len(products)
    labels, used = np.full(count, -1, dtype=np.int32), np.zeros(count + 1, dtype=np.int32)
    squares, sizes = np.zeros(count), np.zeros(count)
    before, values = np.zeros(count), np.zeros(count + 1)
    highest, partitions, i = -np.inf, 0, 0
    while i >= 0:
        if i == count:
            partitions += 1
            if values[i] > highest + _ROUNDING * max(1.0, abs(highest)) or partitions == 1:
                highest = values[i]
                best[:] = labels
            i -= 1
            continue
        r = labels[i]
        if r >= 0:  # take the item out of where it was
            squares[r] = before[i]
            sizes[r] -= 1
        r += 1
        last = used[i] if k == 0 or used[i] < k else k - 1  # the next one that may be opened
        if k > 0 and used[i] + count - i <= k and r < used[i]:
            r = used[i]  # every item left must open a cluster, or k are not reached
        if r > last:
            labels[i] = -1
            i -= 1
            continue
        product = 0.0
        for j in range(i):
            if labels[j] == r:
                product += products[i, j]
        before[i] = squares[r]
        squares[r] = before[i] + 2 * product + products[i, i]
        sizes[r] += 1
        labels[i] = r
        used[i + 1] = max(used[i], r + 1)
        if code == _CLIQUES:
            gain = product
        elif code == _SQUARED_ERROR:  # Σ_r ||S_r||² / n_r is Σ ||x||² less the squared error
            gain = squares[r] / sizes[r] - (before[i] / (sizes[r] - 1) if sizes[r] > 1 else 0.0)
        else:
            gain = np.sqrt(max(0.0, squares[r])) - np.sqrt(max(0.0, before[i]))
        values[i + 1] = values[i] + gain
        i += 1
    return highest, partitions
