"""Measures of information: how much knowing the cluster tells about the class, and the other way round.

    H(C) = -Σ p_i+ ln p_i+     H(K) = -Σ p_+j ln p_+j     H(C, K) = -Σ p_ij ln p_ij     p = n / N, in nats

    H(C|K) = H(C, K) - H(K)    H(K|C) = H(C, K) - H(C)    I = H(C) + H(K) - H(C, K)

One class leaves nothing to be told (H(C) = 0), and so does one cluster (H(K) = 0); each measure says what it makes of
it. Partitions of no items are equal.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba as nb
import numpy as np

from consilience.measures.contingency import Contingency
from consilience.nouns import Integers

_ROUNDING = 1e-12  # entropies are sums of many logarithms: less than this is 0
_NEGLIGIBLE = 1e-18  # of the probability of the likeliest cell


class Entropies(NamedTuple):
    """In nats. `C` of the classes, `K` of the clusters, the conditional ones, and the mutual information."""

    C: float
    K: float
    C_given_K: float
    K_given_C: float
    mutual: float


def entropies(table: Contingency) -> Entropies:
    """Of the sums and the cells of a table."""
    C, K, both = (_entropy(counts) for counts in (table.rows, table.columns, table.n))
    mutual, C_given_K, K_given_C = (x if x > _ROUNDING else 0.0 for x in (C + K - both, both - K, both - C))
    return Entropies(C, K, C_given_K, K_given_C, mutual)


def entropy(table: Contingency) -> float:
    """H(C|K) = -Σ_j n_+j / N Σ_i n_ij / n_+j ln (n_ij / n_+j)"""
    return table.once(entropies).C_given_K


def entropy_bits(table: Contingency) -> float:
    """H(C|K) / ln 2"""
    return entropy(table) / math.log(2)


def entropy_normalised(table: Contingency) -> float:
    """H(C|K) / ln |C|   (Zhao, Karypis 2001)"""
    classes = np.count_nonzero(table.rows)
    return entropy(table) / math.log(classes) if classes > 1 else 0.0  # one class: every cluster is pure


def cluster_entropy(table: Contingency) -> float:
    """H(K|C) = -Σ_i n_i+ / N Σ_j n_ij / n_i+ ln (n_ij / n_i+)"""
    return table.once(entropies).K_given_C


def homogeneity(table: Contingency) -> float:
    """h = 1 - H(C|K) / H(C)   (Rosenberg, Hirschberg 2007)"""
    H = table.once(entropies)
    return 1 - H.C_given_K / H.C if H.C else 1.0  # one class: every clustering is homogeneous


def completeness(table: Contingency) -> float:
    """c = 1 - H(K|C) / H(K)   (Rosenberg, Hirschberg 2007)"""
    H = table.once(entropies)
    return 1 - H.K_given_C / H.K if H.K else 1.0  # one cluster: every clustering is complete


def v(table: Contingency) -> float:
    """V = 2 h c / (h + c)   (Rosenberg, Hirschberg 2007);   = 2 I / (H(C) + H(K))"""
    h, c = homogeneity(table), completeness(table)
    return 2 * h * c / (h + c) if h + c > _ROUNDING else 0.0


def nvi(table: Contingency) -> float:
    """NVI = (H(C|K) + H(K|C)) / H(C),   H(K) where H(C) = 0   (Reichart, Rappoport 2009)"""
    H = table.once(entropies)
    return (H.C_given_K + H.K_given_C) / H.C if H.C else H.K


def vi(table: Contingency) -> float:
    """VI = H(C|K) + H(K|C)   (Meila 2007)"""
    H = table.once(entropies)
    return H.C_given_K + H.K_given_C


def mutual_information(table: Contingency) -> float:
    """I = Σ p_ij ln (p_ij / (p_i+ p_+j))"""
    return table.once(entropies).mutual


def nmi_geometric(table: Contingency) -> float:
    """I / √(H(C) H(K))   (Strehl, Ghosh 2002)"""
    H = table.once(entropies)
    return _share(H, math.sqrt(H.C * H.K))


def nmi_max(table: Contingency) -> float:
    """I / max(H(C), H(K))"""
    H = table.once(entropies)
    return _share(H, max(H.C, H.K))


def nmi_min(table: Contingency) -> float:
    """I / min(H(C), H(K))"""
    H = table.once(entropies)
    return _share(H, min(H.C, H.K))


def nmi_joint(table: Contingency) -> float:
    """I / H(C, K)"""
    H = table.once(entropies)
    return _share(H, H.mutual + H.C_given_K + H.K_given_C)


def adjusted_mutual_information(table: Contingency) -> float:
    """AMI = (I - E) / ((H(C) + H(K)) / 2 - E),   E = I by chance, all sums held   (Vinh, Epps, Bailey 2010)"""
    H = table.once(entropies)
    if H.C_given_K == H.K_given_C == 0:
        return 1.0  # the same partition, also where all items are together or all apart
    E = expected_information(table)
    return (H.mutual - E) / ((H.C + H.K) / 2 - E)


def expected_information(table: Contingency) -> float:
    """E = Σ_ij Σ_n n/N ln (N n / (a_i b_j)) P(n),   P hypergeometric: a_i items drawn from N, of which b_j are marked

    Equal sums have equal terms, so that each pair of different sums is worked out once. P follows from its largest
    value by ratios to both sides until nothing is left of it, and is divided by its sum: no factorial is needed.
    """
    if not table.total:
        return 0.0
    (a, a_times), (b, b_times) = _different(table.rows), _different(table.columns)
    ln = np.log(np.maximum(np.arange(min(a[-1], b[-1]) + 1), 1))
    return float(_expected(a, a_times, b, b_times, table.total, ln))


def _different(sums: Integers) -> tuple[Integers, Integers]:
    """The sums above 0, each once, and how often each stands there."""
    times = np.bincount(sums)
    times[0] = 0
    different = np.flatnonzero(times)
    return different, times[different]


def _share(H: Entropies, of: float) -> float:
    if not of:
        return 1.0 if H.C == H.K else 0.0  # nothing to tell: the same partition; on one side only: nothing is told
    return H.mutual / of


def _entropy(counts: Integers) -> float:
    """H = -Σ p ln p"""
    p = counts[counts > 0] / max(counts.sum(), 1)
    return max(0.0, float(-(p * np.log(p)).sum()))


@nb.njit(cache=True, nogil=True)
def _expected(a, a_times, b, b_times, N, ln):  # type: ignore[no-untyped-def]
    # a, b: different sums of rows and columns; a_times, b_times: how many have them; ln: logarithms
    total = 0.0
    for i in range(len(a)):
        for j in range(len(b)):
            mode = (a[i] + 1) * (b[j] + 1) // (N + 2)
            shift = np.log(N / a[i]) - np.log(b[j])
            mass, mean = 0.0, 0.0
            p, n = 1.0, mode
            while p > _NEGLIGIBLE:  # upwards; the last p is 0 where n can grow no more
                mass += p
                if n > 0:
                    mean += p * n * (shift + ln[n])
                p *= (a[i] - n) * (b[j] - n) / ((n + 1.0) * (N - a[i] - b[j] + n + 1.0))
                n += 1
            p, n = 1.0, mode
            while True:  # downwards
                p *= n * (N - a[i] - b[j] + n) / ((a[i] - n + 1.0) * (b[j] - n + 1.0))
                n -= 1
                if p <= _NEGLIGIBLE:
                    break
                mass += p
                if n > 0:
                    mean += p * n * (shift + ln[n])
            total += a_times[i] * b_times[j] * mean / mass
    return total / N
