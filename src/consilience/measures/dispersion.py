"""Measures of spread: how tight clusters are for how far they lie apart, in Euclidean distance.

n_r items of C_r have the centre c_r = S_r / n_r; c is the centre of all. Items labelled -1 are left out.

    W = Σ_r Σ_{i in C_r} ||x_i - c_r||²    within        B = Σ_r n_r ||c_r - c||²    between
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from consilience.criteria.representatives import row_squares, weighted_sums
from consilience.kernels.rows import Floats64, Labels, Rows, rows_of
from consilience.nouns import Integers

_CELLS = 8_000_000  # of a block of centres: 64 MB
_BLOCK = 512  # centres compared with all others at a time
_SAME = 1e-12  # of its terms: rounding


def calinski_harabasz(matrix: Any, labels: Integers) -> float:
    """CH = (B / (K - 1)) / (W / (N - K))   (Caliński, Harabasz 1974)

    NaN unless 2 <= K < N: one cluster has no others, and clusters of one item no spread. Where all items lie on their
    centres it is 1, as scikit-learn has it.
    """
    rows, own, sizes = _assigned(matrix, labels)
    N, K = len(own), int(np.count_nonzero(sizes))
    if not 2 <= K < N:
        return float("nan")
    sums = weighted_sums(rows, own, np.ones(N))
    total = float(row_squares(rows).sum())
    centres = float((row_squares(sums)[sizes > 0] / sizes[sizes > 0]).sum())
    everything = np.asarray(sums.sum(axis=0)).ravel()
    W, B = total - centres, centres - float(everything @ everything) / N
    return float(B * (N - K) / (W * (K - 1))) if _SAME * total < W else 1.0


def davies_bouldin(matrix: Any, labels: Integers) -> float:
    """DB = 1/K Σ_r max_{q != r} (d_r + d_q) / ||c_r - c_q||,   d_r the mean distance of C_r's items to c_r

    (Davies, Bouldin 1979.) The smaller the better. NaN for fewer than two clusters; clusters with one centre between
    them are passed over, as in scikit-learn.
    """
    rows, own, sizes = _assigned(matrix, labels)
    there = np.flatnonzero(sizes)
    if len(there) < 2:
        return float("nan")
    own = np.searchsorted(there, own).astype(np.int32)
    sizes = sizes[there]
    sums = weighted_sums(rows, own, np.ones(len(own)))
    centres = sparse.csr_array(sparse.diags_array(1 / sizes) @ sums)
    spread = np.bincount(own, _distances_to_centre(rows, own, centres)) / sizes
    squares, columns, total = row_squares(centres), sparse.csr_array(centres.T), 0.0
    for low in range(0, len(sizes), _BLOCK):
        products = (centres[low : low + _BLOCK] @ columns).toarray()
        scale = squares[low : low + _BLOCK, None] + squares
        apart = scale - 2 * products
        apart = np.sqrt(np.where(apart > _SAME * scale, apart, 0))
        sums_of_spread = spread[low : low + _BLOCK, None] + spread
        ratios = np.divide(sums_of_spread, apart, out=np.zeros_like(apart), where=apart > 0)
        total += float(ratios.max(axis=1).sum())
    return total / len(sizes)


class _Assigned(NamedTuple):
    rows: Any
    own: Labels
    sizes: Integers


def _assigned(matrix: Any, labels: Integers) -> _Assigned:
    some = np.flatnonzero(labels >= 0)
    own = np.asarray(labels, np.int32)[some]
    rows = matrix[some].astype(np.float64)  # differences of squares lose half the digits
    return _Assigned(rows, own, np.bincount(own, minlength=1))


def _distances_to_centre(rows: Any, own: Any, centres: sparse.csr_array) -> Floats64:
    """||x - c||² = ||x||² - 2 x·c + ||c||²"""
    products = np.zeros(len(own))
    width = max(1, _CELLS // max(1, rows.shape[1]))
    items = rows_of(rows)
    for low in range(0, centres.shape[0], width):
        _own_products(items, own, np.ascontiguousarray(centres[low : low + width].toarray().T), low, products)
    scale = row_squares(rows) + row_squares(centres)[own]
    distances = scale - 2 * products
    return np.sqrt(np.where(distances > _SAME * scale, distances, 0))


@njit(nogil=True, cache=True)
def _own_products(rows: Rows, labels: Any, columns: Floats64, first: int, out: Floats64) -> None:
    """out[i] = x_i · c of its own cluster, where that is in this block"""
    # labels, out: items; columns: features x clusters from `first` on
    for i in range(len(labels)):
        k = labels[i] - first
        if k < 0 or k >= columns.shape[1]:
            continue
        shift = i * rows.width
        for p in range(rows.starts[i], rows.starts[i + 1]):
            out[i] += rows.values[p] * columns[rows.columns[p - shift], k]
