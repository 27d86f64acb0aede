"""Coverage: how much of each class lies together in the other clustering.

For each class the share of its items that lie in the cluster with the largest intersection; classes are counted by
that share as in table 5 of Ferret, Grau and Jardino 2001. Asked in both directions: a class may lie in one cluster
whole and be a tenth of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consilience.measures.contingency import Contingency
from consilience.nouns import Floats, Integers

# Shares as fractions, so that 4 of 5 is 80 % exactly; each bin ends below the one before it.
BINS = (("100 %", 1, 1), (">= 80 %", 4, 5), (">= 60 %", 3, 5), (">= 40 %", 2, 5), (">= 20 %", 1, 5), ("< 20 %", 0, 1))


class Coverage(NamedTuple):
    """For each class: its size, the cluster that holds most of it (of equals the first; -1: none), and how much."""

    sizes: Integers
    into: Integers
    shared: Integers

    @property
    def shares(self) -> Floats:
        """shared / size; NaN for a class without items."""
        with np.errstate(invalid="ignore"):
            return self.shared / self.sizes

    def table(self) -> dict[str, int]:
        """How many classes have which share; one without items is in no bin."""
        left, counted = self.sizes > 0, {}
        for name, above, below in BINS:
            here = left & (self.shared * below >= self.sizes * above)
            counted[name] = int(here.sum())
            left &= ~here
        return counted


def coverage(table: Contingency) -> Coverage:
    """Coverage of the rows' classes by the columns' clusters."""
    return _coverage(table.n, table.row, table.column, table.rows)


def coverage_back(table: Contingency) -> Coverage:
    """Coverage of the columns' clusters by the rows' classes."""
    return _coverage(table.n, table.column, table.row, table.columns)


def _coverage(n: Integers, own: Integers, other: Integers, sizes: Integers) -> Coverage:
    order = np.lexsort((other, -n, own))
    first = order[np.diff(own[order], prepend=-1) > 0]  # the largest cell of each class
    into, shared = np.full(len(sizes), -1, np.int64), np.zeros(len(sizes), np.int64)
    into[own[first]], shared[own[first]] = other[first], n[first]
    return Coverage(np.asarray(sizes), into, shared)
