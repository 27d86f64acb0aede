"""The nearest neighbours of items by cosine, exact, without a table of all pairs.

Sparse rows go through an inverted index: an item's products with all others are added up over the items that share
its terms. Dense rows are multiplied in blocks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from threadpoolctl import threadpool_limits

from consilience.kernels.counting import unit_rows
from consilience.kernels.rows import Floats32, Labels
from consilience.kernels.threads import Threads, thread_count

_CELLS = 4_000_000  # of a block of products
_ROUNDING = 1e-7  # a cosine up to this is 0


class Neighbours(NamedTuple):
    """Row i: the items nearest to item i, nearest first (-1: none), and their cosines (0 there)."""

    items: Labels
    cosines: Floats32


def nearest_neighbours(
    among: Any, count: int, *, of: Any = "all", itself: Any = "same", n_jobs: int | None = -1
) -> Neighbours:
    """The `count` rows of `among` nearest to each row of `of`, a matrix, or "all" for the rows of `among` themselves.

    `itself[i]` is the row of `among` that is the same item as row i, and so no neighbour of it (-1: none). What has no
    cosine above 0 with an item is no neighbour of it. Of equals the lower row is nearer.
    """
    queries = among if isinstance(of, str) else of
    if isinstance(itself, str):
        itself = np.arange(queries.shape[0])
    found = Neighbours(
        np.full((queries.shape[0], count), -1, dtype=np.int32), np.zeros((queries.shape[0], count), dtype=np.float32)
    )
    itself = np.asarray(itself, np.int64)
    with Threads(thread_count(n_jobs)) as threads:
        if sparse.issparse(among):
            rows = _unit(queries)
            columns = sparse.csr_array((rows if queries is among else _unit(among)).T)
            parts = (rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data)
            threads.over(len(itself), _by_index, *parts, columns.shape[1], itself, *found)
        else:
            _by_blocks(_dense_unit(queries), _dense_unit(among), itself, found, threads)
    return found


def _by_blocks(queries: Any, among: Any, itself: Any, found: Neighbours, threads: Threads) -> None:
    size = max(1, _CELLS // max(1, len(among)))
    with threadpool_limits(limits=1, user_api="blas"):  # its sums differ with the number of threads
        for low in range(0, len(queries), size):
            products = queries[low : low + size] @ among.T
            block = slice(low, low + len(products))
            threads.over(len(products), _of_products, products, itself[block], found.items[block], found.cosines[block])


def _unit(matrix: Any) -> sparse.csr_array:
    rows = sparse.csr_array(matrix, dtype=np.float32, copy=True)
    rows.sum_duplicates()
    return unit_rows(rows)


def _dense_unit(matrix: Any) -> npt.NDArray[np.float64]:
    rows = np.asarray(matrix, np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


@njit(nogil=True, cache=True)
def _by_index(starts, terms, values, item_starts, items, weights, count, itself, found, cosines, low, high):  # type: ignore[no-untyped-def]
    """starts, terms, values: rows by term; item_starts, items, weights: the index; found, cosines: rows x neighbours"""
    products = np.zeros(count)
    for i in range(low, high):
        for p in range(starts[i], starts[i + 1]):
            term = terms[p]
            for q in range(item_starts[term], item_starts[term + 1]):
                products[items[q]] += values[p] * weights[q]
        _keep_best(products, itself[i], found[i], cosines[i])
        products[:] = 0


@njit(nogil=True, cache=True)
def _of_products(products, itself, found, cosines, low, high):  # type: ignore[no-untyped-def]
    for i in range(low, high):
        _keep_best(products[i], itself[i], found[i], cosines[i])


@njit(nogil=True, cache=True)
def _keep_best(products, itself, found, cosines):  # type: ignore[no-untyped-def]
    """Inserts what is larger than the last one kept; of equals the first stays."""
    most, kept = len(found), 0
    least = np.float32(_ROUNDING)
    for j in range(len(products)):
        product = np.float32(products[j])
        if product <= least or j == itself:
            continue
        place = kept if kept < most else most - 1
        while place > 0 and product > cosines[place - 1]:
            found[place], cosines[place] = found[place - 1], cosines[place - 1]
            place -= 1
        found[place], cosines[place] = j, product
        kept = min(kept + 1, most)
        if kept == most:
            least = cosines[most - 1]
