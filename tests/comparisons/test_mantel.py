from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.comparisons.mantel import mantel, phi
from consilience.kernels.random_tables import sums_of_squares
from consilience.kernels.threads import Threads
from consilience.measures.contingency import contingency
from consilience.measures.pairs import adjusted_rand

PARTITIONS = st.integers(2, 25).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


def table_of(a, b):
    return contingency(np.asarray(a, int), np.asarray(b, int))


@given(PARTITIONS)
def test_the_table_says_what_the_matrices_say(partitions):
    a, b = partitions
    x, y = naive.apart(a), naive.apart(b)
    found = mantel(table_of(a, b), permutations=0)
    assert (found.z, found.z_self_a, found.z_self_b) == tuple(naive.mantel_z(*p) for p in ((x, y), (x, x), (y, y)))
    if found.r is None:
        assert any(len({value for row, i in zip(m, range(99), strict=False) for value in row[:i]}) < 2 for m in (x, y))
    else:
        assert found.r == pytest.approx(naive.correlation(x, y), abs=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 6, 7])
def test_null_moments_over_all_permutations(n):
    chance = np.random.default_rng(n)
    for _ in range(3):
        a, b = chance.integers(0, 3, (2, n)).tolist()
        x, y = naive.apart(a), naive.apart(b)
        z = [naive.mantel_z(x, y, list(order)) for order in itertools.permutations(range(n))]
        found = mantel(table_of(a, b), permutations=0)
        assert (found.null_mean, found.null_sd) == (pytest.approx(np.mean(z)), pytest.approx(np.std(z)))


@pytest.mark.compiled
@pytest.mark.parametrize(("n", "classes"), [(40, 6), (400, 3)])  # one by shuffling, one cell by cell
def test_null_moments_against_a_hundred_thousand_true_permutations(n, classes):
    chance = np.random.default_rng(3)
    a, b = chance.integers(0, classes, n), (chance.random(n) ** 2 * classes).astype(int)
    sizes = table_of(a, b)
    shuffled = np.empty(100_000)
    for i in range(len(shuffled)):  # counts of a shuffled labelling, whatever our kernels do
        cells = np.bincount(a * classes + chance.permutation(b), minlength=classes**2)
        shuffled[i] = (cells * cells).sum()
    found = mantel(sizes, permutations=0)
    z = n * n - (sizes.rows**2).sum() - (sizes.columns**2).sum() + shuffled
    error = found.null_sd / 100_000**0.5
    assert found.null_mean == pytest.approx(z.mean(), abs=4 * error)
    assert found.null_sd == pytest.approx(z.std(), rel=0.015)
    with Threads(2) as threads:
        seeds = np.random.SeedSequence(5).generate_state(100_000, np.uint64)
        ours = sums_of_squares(sizes.rows, sizes.columns, seeds, threads)
    assert ours.mean() == pytest.approx(shuffled.mean(), abs=6 * error)
    assert ours.std() == pytest.approx(found.null_sd, rel=0.015)
    levels = np.quantile(shuffled, [0.05, 0.25, 0.5, 0.75, 0.95])
    assert [(ours <= level).mean() for level in levels] == pytest.approx(
        [(shuffled <= level).mean() for level in levels], abs=0.01
    )


def test_every_table_has_the_chance_it_should_have():
    """All tables of small margins, each with its exact probability Π r! Π c! / (N! Π n!)."""
    from math import factorial, prod

    rows, columns = (3, 2), (2, 2, 1)
    chances: dict[int, float] = {}
    for first in itertools.product(range(3), repeat=3):
        second = [c - f for c, f in zip(columns, first, strict=True)]
        if sum(first) != rows[0] or min(second) < 0:
            continue
        top = prod(map(factorial, rows)) * prod(map(factorial, columns))
        chance = top / (factorial(5) * prod(map(factorial, (*first, *second))))
        total = sum(n * n for n in (*first, *second))
        chances[total] = chances.get(total, 0) + chance
    assert sum(chances.values()) == pytest.approx(1)
    seeds = np.random.SeedSequence(0).generate_state(3000, np.uint64)
    for least in (0, 1 << 40):  # cell by cell, and by shuffling
        with Threads(1) as threads, pytest.MonkeyPatch.context() as patched:
            patched.setattr("consilience.kernels.random_tables._CELL", least)
            drawn = sums_of_squares(np.array(rows), np.array(columns), seeds, threads)
        assert {int(total) for total in drawn} == set(chances)
        for total, chance in chances.items():
            assert (drawn == total).mean() == pytest.approx(chance, abs=4 * (chance / 3000) ** 0.5)


def test_chance_counts_permutations_itself_among_them():
    chance = np.random.default_rng(1)
    a, b = chance.integers(0, 3, (2, 8)).tolist()
    x, y = naive.apart(a), naive.apart(b)
    z = np.array([naive.mantel_z(x, y, list(order)) for order in itertools.permutations(range(8))])
    found = mantel(table_of(a, b), permutations=4000)
    assert found.p == pytest.approx((z >= found.z).mean(), abs=0.03)
    two_sided = (np.abs(z - z.mean()) >= abs(found.z - z.mean()) - 1e-9).mean()
    assert found.p_two_sided == pytest.approx(two_sided, abs=0.03)
    same = mantel(table_of(np.arange(60) % 4, np.arange(60) % 4), permutations=99)
    assert same.p == same.p_two_sided == 0.01  # no permutation is as good as the clustering itself


def test_identical_clusterings_reach_the_largest_z_whatever_their_names():
    a = np.random.default_rng(0).integers(0, 7, 500)
    found = mantel(table_of(a, (a + 3) % 7), permutations=20)
    assert found.z == found.z_self_a == found.z_self_b
    assert found.r == 1.0


@given(PARTITIONS)
def test_one_witness_phi_and_the_adjusted_rand_index(partitions):
    """Kappa over pairs is the adjusted Rand index; with equal shares of pairs together it is phi too."""
    table = table_of(*partitions)
    r = phi(table)
    if r is None:
        return
    n = table.total * (table.total - 1) / 2
    R, C, a = ((counts * (counts - 1) / 2).sum() / n for counts in (table.rows, table.columns, table.n))
    agreed, by_chance = 1 - R - C + 2 * a, R * C + (1 - R) * (1 - C)
    assert adjusted_rand(table) == pytest.approx((agreed - by_chance) / (1 - by_chance))
    assert (r > 1e-9) == (adjusted_rand(table) > 1e-9)
    assert abs(adjusted_rand(table)) <= abs(r) + 1e-12


@pytest.mark.compiled
def test_the_same_for_any_number_of_threads_and_any_size():
    chance = np.random.default_rng(0)
    for n, k in ((900, 60), (50_000, 8)):
        a, b = chance.integers(0, k, (2, n))
        alone, many = (mantel(table_of(a, b), permutations=50, random_state=4, n_jobs=jobs) for jobs in (1, 5))
        assert alone == many
        assert alone.p != mantel(table_of(a, b), permutations=50, random_state=5).p or alone.p in (1, 1 / 51)


def test_nothing_to_compare():
    none, one = mantel(table_of([], [])), mantel(table_of([0], [0]))
    assert none == one == (0, 0, 0, None, None, None, 0, None, None)
    together = mantel(table_of([0, 0, 0], [0, 1, 1]), permutations=10)
    assert together.r is None
    assert (together.null_sd, together.p) == (0, 1)  # every permutation is as good
    apart = mantel(table_of([0, 1, 2], [2, 1, 0]), permutations=10)
    assert (apart.z, apart.r, apart.null_sd) == (6, None, 0)


@pytest.mark.compiled
def test_a_hundred_thousand_classes_of_one_item():
    n = 100_000
    found = mantel(table_of(np.arange(n), np.arange(n)[::-1] // 2), permutations=5, n_jobs=-1)
    assert found.z == n * n - 2 * n
    assert found.null_sd == 0
