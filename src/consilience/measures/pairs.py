"""Measures of pairs of items: together or apart, in the classes and in the clusters.

                          same cluster    other cluster
    same class                 a                b            a = Σ C(n_ij, 2)     a + b = Σ C(n_i+, 2)
    other class                c                d                                 a + c = Σ C(n_+j, 2)

All pairs together are M = a + b + c + d = C(N, 2). Two partitions of fewer than two items, or of which both keep all
items together or all apart, are the same partition, and score as such.
"""

from __future__ import annotations

from typing import NamedTuple

from consilience.measures.contingency import Contingency
from consilience.nouns import Integers


class Pairs(NamedTuple):
    """How many pairs there are of each kind."""

    a: float
    b: float
    c: float
    d: float


def pairs(table: Contingency) -> Pairs:
    """a, b, c and d from the sums of the table, without looking at a pair."""
    a, same_class, same_cluster = _pairs(table.n), _pairs(table.rows), _pairs(table.columns)
    M = table.total * (table.total - 1) / 2
    return Pairs(a, same_class - a, same_cluster - a, M - same_class - same_cluster + a)


def rand(table: Contingency) -> float:
    """(a + d) / M   (Rand 1971)

    The error ratio is 1 - rand, Mirkin's metric N (N - 1) (1 - rand), and the share of pairs on which two 0/1
    matrices agree is rand itself.
    """
    a, b, c, d = table.once(pairs)
    return (a + d) / (a + b + c + d) if table.total > 1 else 1.0


def adjusted_rand(table: Contingency) -> float:
    """(a - e) / (m - e),   e = (a + b) (a + c) / M by chance,   m = (a + b + a + c) / 2   (Hubert, Arabie 1985)"""
    a, b, c, d = table.once(pairs)
    if b == c == 0:  # the same partition; where all is together or apart, m = e
        return 1.0
    e, m = (a + b) * (a + c) / (a + b + c + d), a + (b + c) / 2
    return (a - e) / (m - e)


def jaccard(table: Contingency) -> float:
    """a / (a + b + c)   (Milligan, Soon, Sokol 1983)"""
    a, b, c, _ = table.once(pairs)
    return a / (a + b + c) if a + b + c else 1.0  # all apart in both: the same partition


def fowlkes_mallows(table: Contingency) -> float:
    """a / √((a + b) (a + c))   (Fowlkes, Mallows 1983)"""
    a, b, c, _ = table.once(pairs)
    if b == c == 0:
        return 1.0  # the same partition, also where all items are apart (scikit-learn says 0 there)
    return a / ((a + b) ** 0.5 * (a + c) ** 0.5) if a else 0.0


def gamma(table: Contingency) -> float:
    """(M a - (a + b) (a + c)) / √((a + b) (a + c) (M - a - b) (M - a - c))   (Hubert, Schultz 1976, normalised)

    The correlation of "same class" with "same cluster" over pairs: phi, and the r of a Mantel test on 0/1 distances.
    """
    a, b, c, d = table.once(pairs)
    if b == c == 0:
        return 1.0  # the same partition
    spread = ((a + b) * (c + d)) ** 0.5 * ((a + c) * (b + d)) ** 0.5
    return (a * d - b * c) / spread if spread else 0.0  # one side has no pairs of one kind: it says nothing


def _pairs(counts: Integers) -> float:
    """Σ C(n, 2), exact as long as it is below 2^53."""
    counts = counts.astype(float)
    return float((counts * (counts - 1) / 2).sum())
