"""Measures that match sets: which class stands for a cluster, and which cluster for a class.

Accuracy is the share of items whose class is the one that their cluster maps to; `mappings.py` has the mappings.
F(i, j) = 2 n_ij / (n_i+ + n_+j) says how alike a class and a cluster are. No items: nothing is wrong.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.measures import mappings
from consilience.measures.contingency import Contingency
from consilience.nouns import Integers


def accuracy(table: Contingency) -> float:
    """1/N max_h Σ_j n_h(j)j over one-to-one mappings h   (1-1 accuracy; Kuhn 1955 finds h)"""
    return _accuracy(table, mappings.optimal(table))


def accuracy_greedy(table: Contingency) -> float:
    """1/N Σ_j n_h(j)j, h one to one, the largest cell first   (Meila, Heckerman 2001)"""
    return _accuracy(table, mappings.greedy(table))


def purity(table: Contingency) -> float:
    """1/N Σ_j max_i n_ij: the share of items in a cluster whose largest class is theirs."""
    return float(table.once(_largest_of_columns).sum() / table.total) if table.total else 1.0


def inverse_purity(table: Contingency) -> float:
    """1/N Σ_i max_j n_ij: the share of items in the largest part of their class."""
    return float(table.once(_largest_of_rows).sum() / table.total) if table.total else 1.0


def van_dongen(table: Contingency) -> float:
    """D / 2N = 1 - (Σ_i max_j n_ij + Σ_j max_i n_ij) / 2N   (Van Dongen 2000)"""
    return 1 - (purity(table) + inverse_purity(table)) / 2


def larsen(table: Contingency) -> float:
    """L = 1/|C| Σ_i max_j F(i, j)   (Larsen, Aone 1999, as Meila 2007 writes it)"""
    sizes = table.rows > 0
    return float(table.once(_best_f)[sizes].mean()) if table.total else 1.0


def clustering_f(table: Contingency) -> float:
    """F = Σ_i n_i+ / N max_j F(i, j)   (Fung, Wang, Ester 2003)"""
    return float((table.rows * table.once(_best_f)).sum() / table.total) if table.total else 1.0


def _accuracy(table: Contingency, h: Integers) -> float:
    right = h[table.column] == table.row
    return float(table.n[right].sum() / table.total) if table.total else 1.0


def _largest_of_columns(table: Contingency) -> npt.NDArray[np.int64]:
    largest = np.zeros(len(table.columns), np.int64)
    np.maximum.at(largest, table.column, table.n)
    return largest


def _largest_of_rows(table: Contingency) -> npt.NDArray[np.int64]:
    largest = np.zeros(len(table.rows), np.int64)
    np.maximum.at(largest, table.row, table.n)
    return largest


def _best_f(table: Contingency) -> npt.NDArray[np.float64]:
    """max_j F(i, j) for each class."""
    best = np.zeros(len(table.rows))
    np.maximum.at(best, table.row, 2 * table.n / (table.rows[table.row] + table.columns[table.column]))
    return best
