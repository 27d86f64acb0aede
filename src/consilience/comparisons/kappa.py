"""Kappa of two clusterings, over items, once the clusters of one are mapped to the classes of the other.

    kappa = (T1 - T2) / (1 - T2),   T1 = Σ_i n_i,h(i) / N,   T2 = Σ_i (n_i+ / N) (n_+h(i) / N)
    (Ferret, Grau, Jardino 2001, eq. 9-11)

for a one-to-one mapping h: greedy by the largest intersection (theirs), the one with the largest T1 (optimal), or at
random, which shows what a mapping alone brings. Where one side has more classes, those left over map to an empty one
and are neither right nor expected by chance. It is not kappa over *pairs* of items, which is the adjusted Rand index.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consilience.measures.contingency import Contingency
from consilience.measures.mappings import greedy, optimal
from consilience.nouns import Integers

RANDOM = 1000


class Kappa(NamedTuple):
    """Under three mappings; `random` is the mean over 1000 of them."""

    greedy: float
    optimal: float
    random: float


def kappa(table: Contingency, *, random_state: int = 0) -> Kappa:
    """All three."""
    return Kappa(kappa_of(table, greedy(table)), kappa_of(table, optimal(table)), random_kappa(table, random_state))


def kappa_of(table: Contingency, h: Integers) -> float:
    """Kappa under a mapping: h[j] is the class to which cluster j maps, -1 for none."""
    if not table.total:
        return 1.0  # no items: nothing disagrees
    T1 = float(table.n[h[table.column] == table.row].sum() / table.total)
    return _corrected(T1, _by_chance(table, h))


def random_kappa(table: Contingency, random_state: int = 0) -> float:
    """The mean of kappa over random one-to-one mappings, each as likely as any other."""
    chance = np.random.default_rng(random_state)
    sides = len(table.rows), len(table.columns)
    drawn = np.full(max(sides), -1, np.int64)  # numbers beyond the classes are the empty ones
    drawn[: sides[0]] = np.arange(sides[0])
    return float(np.mean([kappa_of(table, chance.permutation(drawn)[: sides[1]]) for _ in range(RANDOM)]))


def _by_chance(table: Contingency, h: Integers) -> float:
    """T2 = Σ_j (n_h(j)+ / N) (n_+j / N)"""
    mapped = np.flatnonzero(h >= 0)
    return int(table.rows[h[mapped]] @ table.columns[mapped]) / table.total**2


def _corrected(T1: float, T2: float) -> float:
    return 1.0 if T2 == 1 else (T1 - T2) / (1 - T2)  # T2 = 1: one class on both sides, mapped to each other
