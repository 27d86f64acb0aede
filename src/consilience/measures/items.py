"""Measures of items: each item's cluster is compared with its class, and the mean over the items is taken.

An item of class i in cluster j shares both with n_ij items, itself among them. No items: nothing is wrong.
"""

from __future__ import annotations

import numpy as np

from consilience.measures.contingency import Contingency


def bcubed_precision(table: Contingency) -> float:
    """1/N Σ_ij n_ij n_ij / n_+j: how much of an item's cluster is of its class   (Bagga, Baldwin 1998)"""
    return float((table.n * (table.n / table.columns[table.column])).sum() / table.total) if table.total else 1.0


def bcubed_recall(table: Contingency) -> float:
    """1/N Σ_ij n_ij n_ij / n_i+: how much of an item's class is in its cluster   (Bagga, Baldwin 1998)"""
    return float((table.n * (table.n / table.rows[table.row])).sum() / table.total) if table.total else 1.0


def bcubed(table: Contingency) -> float:
    """F = 2 P R / (P + R), P and R of B-cubed   (Amigó, Gonzalo, Artiles, Verdejo 2009)"""
    P, R = table.once(bcubed_precision), table.once(bcubed_recall)
    return 2 * P * R / (P + R)


def element_centric(table: Contingency) -> float:
    """S = 1/N Σ_ij n_ij n_ij / max(n_i+, n_+j)   (Gates, Wood, Hetrick, Ahn 2019)

    For partitions this is what their S_i = 1 - 1/2α Σ_j |p_ij - q_ij| of personalised PageRank comes to, whatever α:
    an item's walk is spread evenly over its cluster.
    """
    larger = np.maximum(table.rows[table.row], table.columns[table.column])
    return float((table.n * (table.n / larger)).sum() / table.total) if table.total else 1.0
