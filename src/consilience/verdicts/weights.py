"""How good is a member? The correlation, over pairs of items, of their cosine with being put together.

    w_t = corr over i < j of  s_ij = cos(x_i, x_j)  and  I_ij = 1 if member t has i and j in one cluster, else 0

(Fodeh, Punch and Tan 2009, 3.3; x the full rows of the member's view, not the member's columns.) Neither N x N matrix
is made. With u = x / ||x|| (0 for a row of zeros), S_r = Σ_{i in C_r} u_i, n_r = |C_r|, P = N (N - 1) / 2 pairs,

    Σ s   = (||Σ_i u_i||² - Σ_i ||u_i||²) / 2               Σ I  = Σ_r n_r (n_r - 1) / 2
    Σ s²  = (||U'U||_F² - Σ_i ||u_i||⁴) / 2                 Σ sI = (Σ_r ||S_r||² - Σ_{i assigned} ||u_i||²) / 2

Only Σ s² is more than one pass. ||U'U||_F² = ||UU'||_F², so it is taken from whichever Gram matrix costs less: row by
row of it, through the inverted index, keeping one row at a time. Between features that costs Σ_i nnz_i² / 2 products,
between items Σ_t df_t² / 2; both counts are known beforehand. A million sentences of ten words: 5·10⁷; of a hundred
words 5·10⁹, some seconds. It is done once for a view, not for each member.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from consilience.kernels.rows import Floats64, Labels, Rows, add_up, column_squares, rows_of, squares
from consilience.kernels.threads import Threads, thread_count


class Cosines(NamedTuple):
    """The pairs of a view's items: u_i = weights[i] x_i, and the sums over pairs of s and s²."""

    rows: Rows
    features: int
    weights: Floats64
    total: float
    squared: float


def cosines(matrix: Any, *, jobs: int = -1) -> Cosines:
    """What is needed of the N (N - 1) / 2 cosines between the rows of a matrix, sparse or dense."""
    rows = rows_of(matrix)
    lengths = np.empty(matrix.shape[0])
    with Threads(thread_count(jobs)) as threads:
        threads.over(len(lengths), squares, rows, lengths)
        some = lengths > 0
        weights = np.zeros(len(lengths))
        weights[some] = 1 / np.sqrt(lengths[some])
        everything = np.zeros((matrix.shape[1], 1))
        add_up(rows, weights, np.zeros(len(lengths), np.int32), everything)
        square = _gram_squares(matrix, weights, threads)
    units = int(some.sum())  # Σ ||u_i||² = Σ ||u_i||⁴
    total = float(column_squares(everything)[0])
    return Cosines(rows, matrix.shape[1], weights, (total - units) / 2, (square - units) / 2)


def weight(known: Cosines, labels: Labels) -> float:
    """w_t of one member; 0 where a correlation says nothing: no pair together, or all, or all cosines equal."""
    N = len(labels)
    P = N * (N - 1) / 2
    assigned = labels >= 0
    sizes = np.bincount(labels[assigned]).astype(np.float64)
    sums = np.zeros((known.features, max(len(sizes), 1)))
    add_up(known.rows, known.weights, labels, sums)
    together = float((sizes * (sizes - 1) / 2).sum())
    both = (float(column_squares(sums).sum()) - int((known.weights[assigned] > 0).sum())) / 2
    spread_s = P * known.squared - known.total**2
    spread_I = P * together - together**2
    if spread_I <= 0 or spread_s <= 1e-12 * P * known.squared:
        return 0.0
    return float((P * both - known.total * together) / np.sqrt(spread_s * spread_I))


def _gram_squares(matrix: Any, weights: Floats64, threads: Threads) -> float:
    """||U'U||_F², by the cheaper of the two Gram matrices."""
    if not sparse.issparse(matrix):
        U = np.asarray(matrix, np.float64) * weights[:, None]
        gram = U.T @ U if U.shape[1] <= U.shape[0] else U @ U.T
        return float(np.einsum("ij,ij->", gram, gram))
    items = sparse.csr_array(matrix)
    if not items.has_sorted_indices:
        items = items.sorted_indices()
    features = sparse.csr_array(items.T)  # row t: the items that hold t, in their order
    by_features = float((np.diff(items.indptr).astype(np.float64) ** 2).sum())
    by_items = float((np.diff(features.indptr).astype(np.float64) ** 2).sum())
    ones = np.ones(items.shape[1])
    if by_features <= by_items:
        outer, inner, left, middle = features, items, ones, weights**2
    else:
        outer, inner, left, middle = items, features, weights, ones
    out = np.empty(outer.shape[0])
    threads.over(len(out), _gram_rows, rows_of(outer), rows_of(inner), left, middle, out)
    return float(out.sum())


@njit(nogil=True, cache=True)
def _gram_rows(outer: Rows, inner: Rows, left: Floats64, middle: Floats64, out: Floats64, low: int, high: int) -> None:
    """out[a] = g_aa² + 2 Σ_{b > a} g_ab²,   g_ab = left_a left_b Σ_m middle_m outer_am inner_mb; inner = outer'"""
    # out, left: rows of outer; middle: rows of inner; columns rise in every row
    gram = np.zeros(len(left))
    touched = np.empty(len(left), np.int64)
    last = np.full(len(left), -1, np.int64)  # the row of the Gram matrix in which a column was last touched
    for a in range(low, high):
        count = 0
        for p in range(outer.starts[a], outer.starts[a + 1]):
            m = outer.columns[p]
            value = left[a] * middle[m] * outer.values[p]
            q = inner.starts[m + 1] - 1
            while q >= inner.starts[m] and inner.columns[q] >= a:
                b = inner.columns[q]
                if last[b] != a:
                    last[b] = a
                    gram[b] = 0.0
                    touched[count] = b
                    count += 1
                gram[b] += value * inner.values[q]
                q -= 1
        total = 0.0
        for n in range(count):
            b = touched[n]
            g = gram[b] * left[b]
            total += g * g if b == a else 2 * g * g
        out[a] = total
