"""Measures that match sets: which class fills a cluster."""

from __future__ import annotations

import numpy as np

from consilience.measures.contingency import Contingency


def purity(table: Contingency) -> float:
    """1/N Σ_j max_i n_ij: the share of items in a cluster whose largest class is theirs. Grows with the clusters."""
    if not table.total:
        return 1.0  # no items: nothing is wrong
    largest = np.zeros(len(table.columns), np.int64)
    np.maximum.at(largest, table.column, table.n)
    return float(largest.sum() / table.total)
