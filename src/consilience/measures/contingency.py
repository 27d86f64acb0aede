"""The contingency table: how many items each class shares with each cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numba as nb
import numpy as np

from consilience.errors import InputError
from consilience.nouns import Integers

_DENSE = 1 << 16  # cells that are counted in a full table however few items there are


Known = TypeVar("Known")


@dataclass(frozen=True, eq=False)
class Contingency:
    """The cells that are not 0: `n[i]` items of class `row[i]` in cluster `column[i]`; the sums of rows and columns.

    Cells come row by row, each row by column; those of one column at least come by row. A number that no item has keeps
    its place: its sum is 0.
    """

    n: Integers
    row: Integers
    column: Integers
    rows: Integers
    columns: Integers
    total: int
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, what: Callable[[Contingency], Known]) -> Known:
        """What a function makes of this table, made once for however many measures ask for it."""
        if what not in self._known:
            self._known[what] = what(self)
        known: Known = self._known[what]
        return known

    @property
    def transposed(self) -> Contingency:
        """Clusters as rows, classes as columns."""
        order = np.lexsort((self.row, self.column))
        return Contingency(self.n[order], self.column[order], self.row[order], self.columns, self.rows, self.total)

    def dense(self) -> Integers:
        """The full table, classes x clusters."""
        table = np.zeros((len(self.rows), len(self.columns)), np.int64)
        table[self.row, self.column] = self.n
        return table


def contingency(classes: Integers, clusters: Integers) -> Contingency:
    """n_ij = |class i and cluster j|; both are numbers from 0 on, one per item."""
    if len(classes) != len(clusters):
        raise InputError(
            f"classes and clusters must name the same items: {len(classes)} classes, {len(clusters)} clusters"
        )
    classes, clusters = np.ascontiguousarray(classes), np.ascontiguousarray(clusters)
    height, width = _numbered(classes, "classes"), _numbered(clusters, "clusters")
    if height * width <= max(_DENSE, 2 * len(classes)):
        table = _count_all(classes, clusters, height, width)
        cells = np.flatnonzero(table)
        row, column = np.divmod(cells, max(width, 1))
        return Contingency(table.ravel()[cells], row, column, table.sum(axis=1), table.sum(axis=0), len(classes))
    n, row, column = _count_met(classes, clusters, height, width)
    return Contingency(
        n, row, column, np.bincount(classes, minlength=height), np.bincount(clusters, minlength=width), len(classes)
    )


def from_cells(n: Integers, row: Integers, column: Integers, shape: tuple[int, int]) -> Contingency:
    """The table of given cells, those of a cluster in the order of their classes; cells of 0 are left out."""
    rows, columns = (np.bincount(at, n, size).astype(np.int64) for at, size in zip((row, column), shape, strict=True))
    some = n > 0
    return Contingency(n[some], row[some], column[some], rows, columns, int(n.sum()))


def _numbered(labels: Integers, name: str) -> int:
    """How many numbers there are."""
    if not np.issubdtype(labels.dtype, np.integer):
        raise InputError(f"{name} must be numbers from 0 on, one per item; they are of the type {labels.dtype}")
    if len(labels) and labels.min() < 0:
        raise InputError(f"{name} must be numbers from 0 on, one per item; one of them is {labels.min()}")
    return int(labels.max(initial=-1)) + 1


@nb.njit(cache=True, nogil=True)
def _count_all(classes, clusters, height, width):  # type: ignore[no-untyped-def]
    # classes, clusters: N
    table = np.zeros((height, width), np.int64)
    for i in range(len(classes)):
        table[classes[i], clusters[i]] += 1
    return table


@nb.njit(cache=True, nogil=True)
def _count_met(classes, clusters, height, width):  # type: ignore[no-untyped-def]
    """Items in the order of their classes, then each class counts the clusters it meets: no full table is needed."""
    # classes, clusters: N
    count = len(classes)
    ends = np.zeros(height + 1, np.int64)
    for i in range(count):
        ends[classes[i] + 1] += 1
    ends = np.cumsum(ends)
    places, ordered = ends[:-1].copy(), np.empty(count, np.int64)
    for i in range(count):
        ordered[places[classes[i]]] = clusters[i]
        places[classes[i]] += 1
    n, row, column = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    met, cells = np.zeros(width, np.int64), 0
    for r in range(height):
        first = cells
        for i in range(ends[r], ends[r + 1]):
            if met[ordered[i]] == 0:
                column[cells] = ordered[i]
                cells += 1
            met[ordered[i]] += 1
        column[first:cells].sort()
        for cell in range(first, cells):
            row[cell] = r
            n[cell] = met[column[cell]]
            met[column[cell]] = 0
    return n[:cells].copy(), row[:cells].copy(), column[:cells].copy()
