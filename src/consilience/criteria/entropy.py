"""How much of a corpus' words a clustering leaves unsaid (Ferret, Grau, Jardino 2001, eq. 2 to 5).

    H_K = -Σ_{w,k} p(w,k) ln p(w|k),   p(w|k) = O_wk / O_k,   p(w,k) = O_wk / O

O_wk counts word w in cluster k. H_TU is the same with every item alone, D_KL = H_K - H_TU. In nats a word; long items
weigh more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from consilience.criteria.representatives import weighted_sums
from consilience.nouns import Integers


def d_kl(counts: Any, labels: Integers) -> float:
    """D_KL = H_K - H_TU: what is lost where each item is described by the words of its cluster; 0 for no words.

    `counts`, items x words, hold no negative value; items labelled -1 are left out.
    """
    some = labels >= 0
    clusters, alone = weighted_sums(counts, labels, np.ones(len(labels))), counts[some]
    total = float(alone.sum(dtype=np.float64))
    return max(0.0, _unsaid(clusters) - _unsaid(alone)) / total if total else 0.0


def _unsaid(counts: Any) -> float:
    cells = counts.data if hasattr(counts, "indptr") else counts.reshape(-1)
    return unsaid(cells, np.asarray(counts.sum(axis=1, dtype=np.float64)).reshape(-1))


def unsaid(cells: Any, sums: Any) -> float:
    """O H = Σ_k O_k ln O_k - Σ_wk O_wk ln O_wk; `cells` are all O_wk in any order, `sums` all O_k"""
    return float(_x_ln_x(sums) - _x_ln_x(cells))


@njit(nogil=True, cache=True)
def _x_ln_x(values: Any) -> float:
    """Σ x ln x"""
    total = 0.0
    for value in values:
        x = np.float64(value)
        if x > 0:
            total += x * np.log(x)
    return total
