"""The contingency table: how many items each class shares with each cluster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consilience.nouns import Integers


class Contingency(NamedTuple):
    """The cells that are not 0: `n[i]` items of class `row[i]` in cluster `column[i]`; the sums of rows and columns."""

    n: Integers
    row: Integers
    column: Integers
    rows: Integers
    columns: Integers
    total: int


def contingency(classes: Integers, clusters: Integers) -> Contingency:
    """n_ij = |class i and cluster j|; both are numbers from 0 on, one per item."""
    width = int(clusters.max(initial=-1)) + 1
    cells, n = np.unique(classes.astype(np.int64) * max(width, 1) + clusters, return_counts=True)
    row, column = np.divmod(cells, max(width, 1))
    return Contingency(n, row, column, np.bincount(classes), np.bincount(clusters), len(classes))
