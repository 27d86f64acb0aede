"""Four criteria of a clustering by its representatives and by neighbours (Zaharie et al. 2007, eq. 3 to 7).

    mu1   compactness     the larger the better    favours many clusters
    mu2   connectedness   the larger the better    favours few
    mu3   separability    the smaller the better   favours many
    mu4   separability    the smaller the better   favours few

s is the cosine. Documents D count with unit length, so that S_r, the sum of those in C_r, has the direction of their
centre. Representatives R_r need not be centres: a method may hand in any vectors, one row a cluster. An item labelled
-1 is in no cluster. A representative without direction is similar to nothing.

All but mu2 read documents through their sums alone, in non-zeros; mu2 reads them through a table of neighbours, which
is made once for all clusterings of a corpus (`consilience.kernels.neighbours`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from consilience.kernels.counting import unit_rows
from consilience.kernels.rows import Floats64, rows_of, squares
from consilience.nouns import Integers

_BLOCK = 512  # representatives compared with all others at a time


def unit_sums(matrix: Any, labels: Integers) -> sparse.csr_array:
    """S_r = Σ_{D in C_r} D / ||D||, a row a cluster; rows of zeros add nothing."""
    lengths = np.sqrt(row_squares(matrix))
    weights = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return weighted_sums(matrix, labels, weights)


def weighted_sums(matrix: Any, labels: Integers, weights: Floats64) -> sparse.csr_array:
    """Σ_{i in C_r} w_i x_i, a row a cluster."""
    some = np.flatnonzero(labels >= 0)
    shape = (int(labels.max(initial=-1)) + 1, len(labels))
    members = sparse.csr_array((weights[some], (labels[some], some)), shape=shape)
    return sparse.csr_array(members @ matrix)


def row_squares(matrix: Any) -> Floats64:
    """||x_i||² of every row."""
    out = np.empty(matrix.shape[0])
    squares(rows_of(matrix), out, 0, len(out))
    return out


def mu1(sums: Any, representatives: Any) -> float:
    """mu1 = Σ_r Σ_{D in C_r} s(D, R_r) = Σ_r S_r · R_r / ||R_r||   ( = Σ_r ||S_r|| where the R_r are centres)"""
    return float(sparse.csr_array(sums).multiply(_unit(representatives)).sum())


def mu2(labels: Integers, neighbours: Integers) -> float:
    """mu2 = 1/N Σ_i 1/L Σ_{j=1..L} [1/j if the j-th nearest neighbour of D_i is in its cluster, else 0]

    `neighbours[i, j - 1]` is that neighbour, -1 where there is none. Only items with a cluster count in N. Its largest
    value is 1/L Σ_j 1/j, for one cluster of all.
    """
    some = labels >= 0
    return float(connections(labels[some], labels, neighbours[some]).mean()) if some.any() else 0.0


def connections(own: Integers, labels: Integers, neighbours: Integers) -> Floats64:
    """1/L Σ_j [1/j if the j-th neighbour is in the cluster `own[i]`] of each item; `labels` are those of all items."""
    together = (neighbours >= 0) & (labels[neighbours] == own[:, None])
    return (together / np.arange(1, neighbours.shape[1] + 1)).sum(axis=1) / neighbours.shape[1]


def mu3(sizes: Integers, representatives: Any, whole: Any) -> float:
    """mu3 = Σ_r n_r s(R_r, R),   R the sum of all documents"""
    whole = np.asarray(whole, np.float64).ravel()
    length = np.sqrt((whole**2).sum())
    return float(sizes @ (_unit(representatives) @ whole) / length) if length > 0 else 0.0


def mu4(representatives: Any) -> float:
    """mu4 = Σ_r max_{q != r} s(R_q, R_r);   0 for one cluster, which has no other"""
    unit = _unit(representatives)
    count, total = unit.shape[0], 0.0
    if count < 2:
        return 0.0
    columns = sparse.csr_array(unit.T)
    for low in range(0, count, _BLOCK):
        cosines = (unit[low : low + _BLOCK] @ columns).toarray()
        itself = np.arange(len(cosines))
        cosines[itself, low + itself] = -np.inf
        total += float(cosines.max(axis=1).sum())
    return total


def _unit(representatives: Any) -> sparse.csr_array:
    return unit_rows(sparse.csr_array(representatives, dtype=np.float64, copy=True))
