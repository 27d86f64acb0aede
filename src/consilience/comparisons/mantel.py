"""Mantel's test of two clusterings: do items that one puts together lie together in the other?

Two items are 0 apart in a clustering if they share a class and 1 if they do not. Over ordered pairs of N items

    Z = Σ_ij x_ij y_ij = N² - Σ_i n_i+² - Σ_j n_+j² + Σ_ij n_ij²      (Mantel 1967; Ferret, Grau, Jardino 2001)

so that the contingency table n_ij is all it takes, and a permutation of the items is a random table with the same
margins. Mantel's r, the correlation of the two distances over pairs, is the phi coefficient of the pairs' 2 x 2 table
(together or apart in the one, in the other); kappa over pairs is the adjusted Rand index. They say the same thing in
three ways and are one witness, not three.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, sqrt
from typing import NamedTuple

import numpy as np

from consilience.kernels.random_tables import sums_of_squares
from consilience.kernels.threads import Threads, thread_count
from consilience.measures.contingency import Contingency
from consilience.nouns import Integers

PERMUTATIONS = 999


class Mantel(NamedTuple):
    """Z, the largest it can be with each clustering (compared with itself), and how it stands to chance.

    `r` is None where all pairs of a clustering are together, or all are apart: there is nothing to correlate.
    `null_mean` and `null_sd` are exact, over all N! permutations, and None where there is no pair; `p` (is Z larger
    than by chance?) and `p_two_sided` come from the permutations drawn, itself among them, and are None without any.
    """

    z: int
    z_self_a: int
    z_self_b: int
    r: float | None
    null_mean: float | None
    null_sd: float | None
    permutations: int
    p: float | None
    p_two_sided: float | None


def mantel(
    table: Contingency, *, permutations: int = PERMUTATIONS, random_state: int = 0, n_jobs: int | None = None
) -> Mantel:
    """The test from a contingency table; no result depends on the number of threads."""
    N, rows, columns, cells = table.total, *(_squares(n) for n in (table.rows, table.columns, table.n))
    z_self_a, z_self_b = N * N - rows, N * N - columns
    z = z_self_a - columns + cells
    mean, variance = null_moments(N, together(table.rows), together(table.columns))
    if mean is None or variance is None:
        return Mantel(z, z_self_a, z_self_b, None, None, None, 0, None, None)
    expected = z - (cells - N) + mean  # of all in Z, chance touches the pairs together in both alone
    p = p_two_sided = None
    if permutations:
        seeds = np.random.SeedSequence(random_state).generate_state(permutations, np.uint64)
        with Threads(thread_count(n_jobs)) as threads:
            drawn = sums_of_squares(table.rows, table.columns, seeds, threads)
        p = (1 + int((drawn >= cells).sum())) / (permutations + 1)
        away = np.abs(drawn - float(mean + N))
        least = abs(float(cells - N - mean)) * (1 - 1e-12)  # equally far is as far, whatever rounding says
        p_two_sided = (1 + int((away >= least).sum())) / (permutations + 1)
    return Mantel(z, z_self_a, z_self_b, phi(table), float(expected), sqrt(variance), permutations, p, p_two_sided)


def phi(table: Contingency) -> float | None:
    """r = (n a - R C) / √(R (n - R) C (n - C)): Mantel's r for classes, the phi coefficient of the pairs' 2 x 2 table

    n is the number of pairs; R, C and a are those together in the rows' classes, the columns' and both.
    """
    n = table.total * (table.total - 1) // 2
    R, C, a = ((_squares(counts) - table.total) // 2 for counts in (table.rows, table.columns, table.n))
    spread = R * (n - R) * C * (n - C)
    if spread <= 0:
        return None
    above = n * a - R * C
    # integers of any length: 1 comes out as 1, and no digit is lost between two products of 24 digits
    return float(Fraction(above, isqrt(spread << 128))) * 2.0**64


class Sums(NamedTuple):
    """Of a symmetric matrix with zeros on its diagonal: Σ x_ij, Σ x_ij² and Σ_i (Σ_j x_ij)², exact or not."""

    total: int | float
    squares: int | float
    by_item: int | float


def together(sizes: Integers) -> Sums:
    """The sums of "together in a class": Σ n (n - 1), the same again, Σ n (n - 1)²."""
    n = [int(size) for size in np.unique(sizes)]
    often = [int(count) for count in np.unique(sizes, return_counts=True)[1]]
    pairs = sum(c * s * (s - 1) for s, c in zip(n, often, strict=True))
    return Sums(pairs, pairs, sum(c * s * (s - 1) ** 2 for s, c in zip(n, often, strict=True)))


def null_moments(N: int, x: Sums, y: Sums) -> tuple[Fraction | None, Fraction | None]:
    """Mean and variance of Γ = Σ_ij x_ij y_π(i)π(j) over all permutations π of N items   (Mantel 1967, eq. 8)

    With A, D, G the three sums of x and of y, pairs of pairs share both items, one, or none:

        E Γ  = A_x A_y / (N)_2
        E Γ² = 2 D_x D_y / (N)_2 + 4 (G_x - D_x)(G_y - D_y) / (N)_3
               + (A_x² + 2 D_x - 4 G_x)(A_y² + 2 D_y - 4 G_y) / (N)_4,    (N)_k = N (N - 1) ... (N - k + 1)

    None for fewer than two items.
    """
    if N < 2:
        return None, None
    (A, D, G), (B, E, H) = ((Fraction(value) for value in sums) for sums in (x, y))
    two, three, four = N * (N - 1), N * (N - 1) * (N - 2), N * (N - 1) * (N - 2) * (N - 3)
    mean = A * B / two
    square = 2 * D * E / two
    if three:
        square += 4 * (G - D) * (H - E) / three
    if four:
        square += (A * A + 2 * D - 4 * G) * (B * B + 2 * E - 4 * H) / four
    return mean, max(square - mean * mean, Fraction(0))


def _squares(counts: Integers) -> int:
    """Σ n², exact: beyond 3 billion items it no longer fits 64 bits."""
    largest = int(counts.max(initial=0))
    if largest * int(counts.sum()) < 1 << 63:
        return int((counts.astype(np.int64) ** 2).sum())
    return sum(int(n) ** 2 for n in counts)
