"""Measures of information: how much knowing the cluster tells about the class, and the other way round."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from consilience.measures.contingency import Contingency


def v_measure(table: Contingency) -> float:
    """V = 2 h c / (h + c),   h = 1 - H(C|K) / H(C),   c = 1 - H(K|C) / H(K)   (Rosenberg, Hirschberg 2007)"""
    H_C, H_K, H_CK = _entropy(table.rows), _entropy(table.columns), _entropy(table.n)
    h = 1.0 if H_C == 0 else 1 - (H_CK - H_K) / H_C  # one class: every clustering is homogeneous
    c = 1.0 if H_K == 0 else 1 - (H_CK - H_C) / H_K  # one cluster: every clustering is complete
    return max(0.0, 2 * h * c / (h + c)) if h + c > 1e-12 else 0.0


def _entropy(counts: npt.NDArray[np.integer]) -> float:
    """H = -Σ p ln p"""
    p = counts[counts > 0] / max(counts.sum(), 1)
    return float(-(p * np.log(p)).sum())
