"""Mappings of clusters to classes: h[j] is the class to which cluster j maps, -1 where it maps to none.

A cluster never maps to a class with which it shares no item. Equal shares are settled by the numbers of class and
cluster, so that the same table always gives the same mapping.
"""

from __future__ import annotations

from collections.abc import Iterator

import numba as nb
import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from consilience.measures.contingency import Contingency
from consilience.nouns import Floats, Integers

_DENSE = 1 << 22  # cells of a full table of weights; a larger one is matched by its edges


def many_to_one(table: Contingency) -> Integers:
    """h(j) = argmax_i n_ij; of equal ones the class with the lowest number."""
    return _largest(table.n, table.row, table.column, len(table.columns))


def greedy(table: Contingency) -> Integers:
    """One to one: the largest n_ij of all is matched, then the largest of the classes and clusters left, and so on.

    Of equal ones, the one whose class and cluster are smaller together comes first (n_ij is more of them).
    """
    kept = _worth(table.n, table.row, table.column, (len(table.rows), len(table.columns)))
    n, row, column = table.n[kept], table.row[kept], table.column[kept]
    order = np.lexsort((column, row, table.rows[row] + table.columns[column], -n))
    return _first_come(row[order], column[order], len(table.rows), len(table.columns))


def optimal(table: Contingency) -> Integers:
    """One to one: the mapping with the largest Σ_j n_h(j)j (Kuhn 1955, Munkres 1957)."""
    return matching(table.n, table.row, table.column, (len(table.rows), len(table.columns)))


def matching(weights: Integers | Floats, row: Integers, column: Integers, shape: tuple[int, int]) -> Integers:
    """The one-to-one mapping of columns to rows with the largest sum of weights, all above 0, one per cell.

    A column that meets a single row can only be matched to it, so that of all such columns of a row the heaviest
    alone is kept: a million items, each alone in a cluster, need no table of a million columns.
    """
    h = np.full(shape[1], -1, np.int64)
    kept = _worth(weights, row, column, shape)
    kept = kept[_worth(weights[kept], column[kept], row[kept], shape[::-1])]
    if not len(kept):
        return h
    weights, row, column = weights[kept], row[kept], column[kept]
    for part in _components(row, column, shape):
        rows, columns = _matched(weights[part], row[part], column[part])
        h[columns] = rows
    return h


def _components(row: Integers, column: Integers, shape: tuple[int, int]) -> Iterator[Integers]:
    """The cells of each part of a large table that shares no row and no column with the rest."""
    if shape[0] * shape[1] <= _DENSE:
        yield np.arange(len(row))
        return
    graph = sparse.csr_array((np.ones(len(row), np.int8), (row, shape[0] + column)), shape=(sum(shape), sum(shape)))
    part = connected_components(graph, directed=False)[1][row]
    order = np.argsort(part, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(part[order])) + 1)


def _matched(weights: Integers | Floats, row: Integers, column: Integers) -> tuple[Integers, Integers]:
    """The rows that are matched, and their columns."""
    if len(weights) == 1:
        return row, column
    used_rows, r = np.unique(row, return_inverse=True)
    used_columns, c = np.unique(column, return_inverse=True)
    small = (len(used_rows), len(used_columns))
    if small[0] * small[1] <= _DENSE:
        full = np.zeros(small)
        full[r, c] = weights
        rows, columns = linear_sum_assignment(full, maximize=True)
        met = full[rows, columns] > 0
        rows, columns = rows[met], columns[met]
    else:
        rows, columns = _by_edges(weights.astype(np.float64), r, c, small)
    return used_rows[rows], used_columns[columns]


def _by_edges(weights: Floats, r: Integers, c: Integers, shape: tuple[int, int]) -> tuple[Integers, Integers]:
    """Every row gets a column of its own that weighs nothing; all weights are raised, for 0 would be no edge."""
    own = np.arange(shape[0])
    edges = sparse.csr_array(
        (
            np.concatenate([weights, np.zeros(shape[0])]) + weights.max(),
            (np.concatenate([r, own]), np.concatenate([c, shape[1] + own])),
        ),
        shape=(shape[0], shape[1] + shape[0]),
    )
    rows, columns = min_weight_full_bipartite_matching(edges, maximize=True)
    met = columns < shape[1]
    return rows[met], columns[met]


@nb.njit(cache=True, nogil=True)
def _worth(weights, row, column, shape):  # type: ignore[no-untyped-def]
    """The cells that a matching may need: of columns with one cell, each row's heaviest, the first of equal ones."""
    # weights, row, column: cells
    met, best = np.zeros(shape[1], np.int64), np.full(shape[0], -1, np.int64)
    for cell in range(len(weights)):
        met[column[cell]] += 1
    for cell in range(len(weights)):
        if met[column[cell]] == 1:
            held = best[row[cell]]
            heavier = held < 0 or weights[cell] > weights[held]
            if heavier or (weights[cell] == weights[held] and column[cell] < column[held]):
                best[row[cell]] = cell
    needed = np.empty(len(weights), np.bool_)
    for cell in range(len(weights)):
        needed[cell] = met[column[cell]] > 1 or best[row[cell]] == cell
    return np.flatnonzero(needed)


@nb.njit(cache=True, nogil=True)
def _largest(n, row, column, columns):  # type: ignore[no-untyped-def]
    # n, row, column: cells in the order of rows
    h, largest = np.full(columns, -1, np.int64), np.zeros(columns, np.int64)
    for cell in range(len(n)):
        if n[cell] > largest[column[cell]]:
            largest[column[cell]] = n[cell]
            h[column[cell]] = row[cell]
    return h


@nb.njit(cache=True, nogil=True)
def _first_come(row, column, rows, columns):  # type: ignore[no-untyped-def]
    # row, column: cells, the largest first
    h, taken = np.full(columns, -1, np.int64), np.zeros(rows, np.bool_)
    for cell in range(len(row)):
        if h[column[cell]] < 0 and not taken[row[cell]]:
            h[column[cell]] = row[cell]
            taken[row[cell]] = True
    return h
