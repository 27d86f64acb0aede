"""Measures of pairs of items: together or apart, in the classes and in the clusters.

together in both = Σ C(n_ij, 2)     in the classes = Σ C(n_i+, 2)     in the clusters = Σ C(n_+j, 2)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.measures.contingency import Contingency


def adjusted_rand(table: Contingency) -> float:
    """ARI = (a - e) / (m - e): pairs together in both, less those by chance   (Hubert, Arabie 1985)"""
    a, rows, columns = _pairs(table.n), _pairs(table.rows), _pairs(table.columns)
    e = rows * columns / max(_pairs(np.array([table.total])), 1.0)
    m = (rows + columns) / 2
    return 1.0 if m == e else (a - e) / (m - e)  # both all together or all apart: the same partition


def _pairs(counts: npt.NDArray[np.integer]) -> float:
    counts = counts.astype(np.float64)
    return float((counts * (counts - 1) / 2).sum())
