"""Rows of a matrix, sparse or dense, for compiled loops: one form, no copy, one order of addition.

A row's products with K columns are added up in the row's own order, one column per lane. Zeros change no sum, so a
dense row and its sparse twin give the same bytes, and so do a row alone and the same row among a million.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from consilience.kernels.threads import Threads

Floats32 = npt.NDArray[np.float32]
Floats64 = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]


class Rows(NamedTuple):
    """Row i holds `values[p]` in column `columns[p - i * width]` for p in `starts[i]:starts[i + 1]`.

    A dense matrix has `width` columns, and `columns` is 0, 1, ... once for all its rows; a sparse one has width 0.
    """

    starts: npt.NDArray[np.int64]
    columns: npt.NDArray[Any]
    values: npt.NDArray[np.floating[Any]]
    width: int


class Nearest(NamedTuple):
    """For every row the nearest centre, the next (-1: none), and its squared distance from the nearest."""

    labels: Labels
    second: Labels
    distances: npt.NDArray[np.floating[Any]]


def rows_of(X: Any) -> Rows:
    """The rows of a CSR or dense matrix of floats, values shared with it; entries stored twice are summed in a copy."""
    if not sparse.issparse(X):
        count, width = X.shape
        starts = np.arange(count + 1, dtype=np.int64) * width
        return Rows(starts, np.arange(width, dtype=np.int32), np.ascontiguousarray(X).ravel(), width)
    rows = Rows(X.indptr.astype(np.int64, copy=False), X.indices, X.data, 0)
    if _repeats(rows, np.full(X.shape[1], -1, dtype=np.int64)):
        X = X.copy()
        X.sum_duplicates()
        return rows_of(X)
    return rows


@njit(nogil=True, cache=True)
def _repeats(rows: Rows, last: npt.NDArray[np.int64]) -> bool:
    """Does a row hold a column twice? (Their order does not matter here, and vectorisers leave it open.)"""
    # last: features, -1
    for i in range(len(rows.starts) - 1):
        for p in range(rows.starts[i], rows.starts[i + 1]):
            j = rows.columns[p]
            if last[j] == i:
                return True
            last[j] = i
    return False


@njit(nogil=True, cache=True, fastmath={"contract"})
def dots(rows: Rows, i: int, columns: Any, out: Any) -> None:
    """out[k] = Σ_j x_ij columns[j, k]; four entries a turn, added in their order."""
    # rows: N; columns: features x K; out: K
    K = columns.shape[1]
    for k in range(K):
        out[k] = 0.0
    shift = i * rows.width
    p, end = rows.starts[i], rows.starts[i + 1]
    while p + 4 <= end:
        q = p - shift
        v0, v1, v2, v3 = rows.values[p], rows.values[p + 1], rows.values[p + 2], rows.values[p + 3]
        # unsigned: spares the test for negative positions
        j0, j1 = np.uintp(rows.columns[q]), np.uintp(rows.columns[q + 1])
        j2, j3 = np.uintp(rows.columns[q + 2]), np.uintp(rows.columns[q + 3])
        for k in range(K):
            out[k] = out[k] + v0 * columns[j0, k] + v1 * columns[j1, k] + v2 * columns[j2, k] + v3 * columns[j3, k]
        p += 4
    while p < end:
        v = rows.values[p]
        j = np.uintp(rows.columns[p - shift])
        for k in range(K):
            out[k] += v * columns[j, k]
        p += 1


@njit(nogil=True, cache=True)
def squares(rows: Rows, out: Floats64, low: int, high: int) -> None:
    """out[i] = ||x_i||²"""
    for i in range(low, high):
        total = 0.0
        for p in range(rows.starts[i], rows.starts[i + 1]):
            total += np.float64(rows.values[p]) * np.float64(rows.values[p])
        out[i] = total


@njit(nogil=True, cache=True)
def add_up(rows: Rows, weights: Any, labels: Labels, sums: Floats64) -> None:
    """sums[j, r] = Σ of w_i x_ij over the rows i with label r."""
    # weights, labels: N; sums: features x K, zeros
    for i in range(len(labels)):
        r = labels[i]
        if r < 0:
            continue
        shift = i * rows.width
        w = np.float64(weights[i])
        for p in range(rows.starts[i], rows.starts[i + 1]):
            sums[rows.columns[p - shift], r] += w * rows.values[p]


@njit(nogil=True, cache=True)
def _column_squares(columns: Any, out: Floats64) -> None:
    for j in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            out[k] += np.float64(columns[j, k]) * np.float64(columns[j, k])


def column_squares(columns: npt.NDArray[np.floating[Any]]) -> Floats64:
    """||c_k||² of every column."""
    out = np.zeros(columns.shape[1])
    _column_squares(columns, out)
    return out


def nearest(rows: Rows, weights: Any, lengths: Floats64, centres: Any, half: Any, threads: Threads) -> Nearest:
    """The centre with the largest u·c - half for each row u = weight x with ||u||² = length; ties go to the lower one.

    With half = ||c||²/2 that is the nearest. A row of weight 0 and rows without any centre get label -1.
    """
    count = len(weights)
    found = Nearest(
        np.full(count, -1, dtype=np.int32), np.full(count, -1, dtype=np.int32), np.zeros(count, dtype=centres.dtype)
    )
    threads.over(count, _nearest, rows, weights, lengths, centres, half, *found)
    return found


@njit(nogil=True, cache=True, fastmath={"contract"})
def _nearest(
    rows: Rows,
    weights: Any,
    lengths: Floats64,
    centres: Any,
    half: Any,
    labels: Labels,
    second: Labels,
    distances: Any,
    low: int,
    high: int,
) -> None:
    # weights, lengths, labels, second, distances: N; centres: features x K; half: K
    K = centres.shape[1]
    products = np.empty(K, dtype=centres.dtype)
    for i in range(low, high):
        w = weights[i]
        if w == 0:
            continue
        dots(rows, i, centres, products)
        best, next_best = -np.inf, -np.inf
        label, next_label = -1, -1
        for k in range(K):
            score = w * products[k] - half[k]
            if score > best:
                next_best, next_label = best, label
                best, label = score, k
            elif score > next_best:
                next_best, next_label = score, k
        labels[i], second[i] = label, next_label
        distances[i] = max(0.0, lengths[i] - 2 * best)
