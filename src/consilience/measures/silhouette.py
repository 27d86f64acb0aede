"""Silhouette: is an item nearer to its own cluster than to the next one? (Rousseeuw 1987)

    a_i  mean distance of item i to the others of its cluster
    b_i  mean distance to the items of the cluster, other than its own, where this is least
    s_i = (b_i - a_i) / max(a_i, b_i),   0 for an item alone in its cluster;   the silhouette is the mean of all s_i

With the cosine distance 1 - u_i · u_j the mean over a cluster needs no pairs: Σ_{j in C_r} (1 - u_i · u_j) =
n_r - u_i · S_r, S_r the sum of the cluster's unit rows. Exact in non-zeros times K, without a table of all pairs.
Euclidean distances have no such form: there every item that is looked at is compared with all items, block by block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from consilience.criteria.representatives import row_squares
from consilience.errors import InputError, SettingError
from consilience.kernels.rows import Floats64, Rows, add_up, dots, rows_of
from consilience.kernels.threads import Threads, thread_count
from consilience.nouns import Integers

_CELLS = 8_000_000  # of a block of sums or of distances: 64 MB
_SAME = 1e-12  # distances up to this are rounding


class Silhouette(NamedTuple):
    """The mean over `items` items, its standard error (0 where all were looked at), and the mean of each cluster.

    `value` is NaN where there are fewer than two clusters: there is no other to be nearer to. `clusters` is NaN
    where no item of a cluster was looked at.
    """

    value: float
    error: float
    items: int
    clusters: Floats64


def silhouette(
    matrix: Any,
    labels: Integers,
    *,
    metric: str = "cosine",
    sample: int | str = "all",
    random_state: Any = 0,
    n_jobs: int | None = -1,
) -> Silhouette:
    """The silhouette of labelled rows, sparse or dense; items labelled -1 are left out.

    `sample` items are looked at, drawn without replacement, each still compared with all others.
    """
    if metric not in ("cosine", "euclidean"):
        raise SettingError(f"metric must be 'cosine' or 'euclidean', it is {metric!r}")
    if sample != "all" and (isinstance(sample, str) or sample < 1):
        raise SettingError(f"sample must be 'all' or a number of items from 1 on, it is {sample!r}")
    if len(labels) != matrix.shape[0]:
        raise InputError(f"a silhouette needs one label per row: {len(labels)} labels for {matrix.shape[0]} rows")
    some = np.flatnonzero(labels >= 0)
    rows, own = _taken(matrix, some), np.asarray(labels, np.int32)[some]
    sizes = np.bincount(own, minlength=1)
    chosen = np.arange(len(own))
    if sample != "all" and int(sample) < len(own):
        chosen = np.sort(np.random.default_rng(random_state).choice(len(own), int(sample), replace=False))
    if np.count_nonzero(sizes) < 2:
        return Silhouette(np.nan, 0.0, len(chosen), np.full(len(sizes), np.nan))

    by_metric = _by_cosine if metric == "cosine" else _by_euclid
    with Threads(thread_count(n_jobs)) as threads:
        values = by_metric(rows, own, sizes, chosen, threads)

    counted = np.bincount(own[chosen], minlength=len(sizes))
    sums = np.bincount(own[chosen], values, minlength=len(sizes))
    means = np.divide(sums, counted, out=np.full(len(sizes), np.nan), where=counted > 0)
    left = 1 - len(chosen) / len(own)  # what was looked at is certain
    error = float(np.sqrt(values.var(ddof=1) / len(chosen) * left)) if len(chosen) > 1 and left else 0.0
    return Silhouette(float(values.mean()), error, len(chosen), means)


def _taken(rows: Any, chosen: Integers) -> Any:
    """Some of the rows; all of them without a copy."""
    return rows if len(chosen) == rows.shape[0] else rows[chosen]


def _widths(own: Floats64, other: Floats64, alone: Any) -> Floats64:
    """(b - a) / max(a, b)"""
    larger = np.maximum(own, other)
    widths = np.divide(other - own, larger, out=np.zeros_like(own), where=larger > _SAME)
    widths[alone] = 0.0
    return widths


def _by_cosine(rows: Any, labels: Any, sizes: Integers, chosen: Integers, threads: Threads) -> Floats64:
    lengths = np.sqrt(row_squares(rows))
    weights = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    everybody, looked = rows_of(rows), rows_of(_taken(rows, chosen))
    home = labels[chosen]
    own, other = np.zeros(len(chosen)), np.full(len(chosen), np.inf)
    width = max(1, _CELLS // max(1, rows.shape[1]))
    for low in range(0, len(sizes), width):
        columns = np.zeros((rows.shape[1], min(width, len(sizes) - low)))
        inside = (labels >= low) & (labels < low + width)
        add_up(everybody, weights, np.where(inside, labels - low, -1).astype(np.int32), columns)
        threads.over(len(chosen), _distances, looked, weights[chosen], home, columns, sizes, low, own, other)
    return _widths(np.maximum(own, 0), np.maximum(other, 0), sizes[home] == 1)


@njit(nogil=True, cache=True)
def _distances(
    rows: Rows,
    weights: Floats64,
    labels: Any,
    columns: Floats64,
    sizes: Any,
    first: int,
    own: Floats64,
    other: Floats64,
    low: int,
    high: int,
) -> None:
    """a_i into own, the least mean distance so far into other, for the clusters from `first` on."""
    # rows, weights, labels, own, other: items; columns: features x clusters of the block; sizes: all clusters
    products = np.empty(columns.shape[1])
    for i in range(low, high):
        dots(rows, i, columns, products)
        itself = 1.0 if weights[i] > 0 else 0.0  # u·u
        for k in range(len(products)):
            r, product = first + k, weights[i] * products[k]
            if r == labels[i]:
                if sizes[r] > 1:
                    own[i] = 1 - (product - itself) / (sizes[r] - 1)
            elif sizes[r] > 0:
                other[i] = min(other[i], 1 - product / sizes[r])


def _by_euclid(rows: Any, labels: Any, sizes: Integers, chosen: Integers, threads: Threads) -> Floats64:
    rows = rows.astype(np.float64)
    squares, columns = row_squares(rows), rows.T
    members = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), (len(labels), len(sizes)))
    own, other = np.zeros(len(chosen)), np.zeros(len(chosen))
    height = max(1, _CELLS // max(1, len(labels)))
    for low in range(0, len(chosen), height):
        block = chosen[low : low + height]
        products = rows[block] @ columns
        products = products.toarray() if sparse.issparse(products) else products
        distances = np.sqrt(np.maximum(squares[block, None] + squares - 2 * products, 0))
        distances[np.arange(len(block)), block] = 0
        totals = distances @ members
        place, home = slice(low, low + len(block)), labels[block]
        itself = (np.arange(len(block)), home)
        own[place] = totals[itself] / np.maximum(sizes[home] - 1, 1)
        means = np.divide(totals, sizes, out=np.full_like(totals, np.inf), where=sizes > 0)
        means[itself] = np.inf
        other[place] = means.min(axis=1)
    return _widths(own, other, sizes[labels[chosen]] == 1)
