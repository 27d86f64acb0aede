"""Kappa, coverage, flows, splits and merges, all read from the contingency table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import naive
from consilience.comparisons.coverage import coverage, coverage_back
from consilience.comparisons.kappa import kappa, kappa_of, random_kappa
from consilience.comparisons.movers import Union, flows, merges, moved, splits
from consilience.errors import SettingError
from consilience.measures.contingency import contingency

PARTITIONS = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n), st.lists(st.integers(0, 3), min_size=n, max_size=n)
    )
)


def table_of(a, b):
    return contingency(np.asarray(a, int), np.asarray(b, int))


@given(PARTITIONS, st.permutations(range(5)))
def test_kappa_under_any_mapping(partitions, names):
    a, b = partitions
    table = table_of(a, b)
    h = np.array(names)[: len(table.columns)]
    h[h >= len(table.rows)] = -1
    expected = naive.kappa(a, b, {j: int(i) for j, i in enumerate(h) if i >= 0})
    assert kappa_of(table, h) == pytest.approx(expected)


def test_kappa_is_cohens_where_the_classes_have_the_same_names():
    a, b = np.random.default_rng(0).integers(0, 5, (2, 300))
    assert kappa_of(table_of(a, b), np.arange(5)) == pytest.approx(cohen_kappa_score(a, b))


@given(PARTITIONS)
def test_the_optimal_mapping_agrees_most(partitions):
    a, b = partitions
    best: dict[int, set[float]] = {}
    for h in itertools.permutations(range(5)):
        shared = sum(h[j] == i for i, j in zip(a, b, strict=True))
        mapping = {j: i for j, i in enumerate(h) if (i, j) in set(zip(a, b, strict=True))}
        best.setdefault(shared, set()).add(round(naive.kappa(a, b, mapping), 9))
    found = kappa(table_of(a, b))
    assert round(found.optimal, 9) in best[max(best)]
    assert -1 <= found.random <= 1


def test_random_mappings_agree_by_chance_alone():
    chance = np.random.default_rng(0)
    a = chance.integers(0, 10, 2000)
    table = table_of(a, a)
    assert kappa(table)[:2] == (1, 1)
    assert random_kappa(table) == pytest.approx(0, abs=0.03)
    assert random_kappa(table) == random_kappa(table)
    assert random_kappa(table, 1) != random_kappa(table)


def test_kappa_where_one_side_has_more_classes():
    a = [0, 0, 1, 1, 2, 2]
    table = table_of(a, [0, 0, 0, 0, 0, 0])
    assert kappa(table).optimal == pytest.approx(naive.kappa(a, [0] * 6, {0: 0})) == 0
    assert kappa(table_of([0, 0], [0, 0])) == (1, 1, 1)
    assert kappa(table_of([], [])).optimal == 1


@given(PARTITIONS)
def test_coverage_looks_at_every_class(partitions):
    a, b = partitions
    for own, other, found in (
        (a, b, coverage(table_of(a, b))),
        (b, a, coverage_back(table_of(a, b))),
    ):
        for i in set(own):
            held = [sum(p == i and q == j for p, q in zip(own, other, strict=True)) for j in range(max(other) + 1)]
            assert (found.sizes[i], found.shared[i], found.into[i]) == (sum(held), max(held), held.index(max(held)))
        assert sum(found.table().values()) == len(set(own))


def test_coverage_is_counted_at_the_edges_exactly():
    table = table_of(
        np.repeat(np.arange(6), 5),
        [0] * 5 + [0, 0, 0, 0, 1] + [0, 0, 0, 1, 2] + [0, 0, 1, 2, 3] + list(range(5)) + [6] * 5,
    )
    assert list(coverage(table).table().items()) == [
        ("100 %", 2),
        (">= 80 %", 1),
        (">= 60 %", 1),
        (">= 40 %", 1),
        (">= 20 %", 1),
        ("< 20 %", 0),
    ]


def test_flows_are_what_lies_outside_the_matched_classes():
    a = np.array([0, 0, 0, 0, 1, 1, 1, -1, 0])
    b = np.array([1, 1, 1, 0, 0, 0, 1, 0, -1])
    both = (a >= 0) & (b >= 0)
    h = np.array([1, 0])
    assert flows(table_of(a[both], b[both]), h) == [(0, 0, 1), (1, 1, 1)]
    assert moved(h, a, b).tolist() == [3, 6]
    assert moved(np.array([-1, 0]), a, b).tolist() == [3, 4, 5, 6]  # a cluster without a class: all in it have moved


def test_splits_and_merges():
    a = np.repeat([0, 1, 2], [10, 6, 4])
    b = np.repeat([0, 1, 2, 3], [4, 6, 6, 4])
    assert splits(table_of(a, b)) == [Union(0, (0, 1), 1.0)]
    assert merges(table_of(a, b)) == []
    assert merges(table_of(b, a)) == [Union(0, (0, 1), 1.0)]
    b[4], b[-1] = 2, 1  # one stray in, one out
    assert splits(table_of(a, b)) == [Union(0, (0, 1), 0.9)]
    assert splits(table_of(a, b), share=0.95) == []
    with pytest.raises(SettingError, match=r"above 0\.5"):
        splits(table_of(a, b), share=0.5)


def test_a_class_that_its_parts_hold_by_less_than_four_fifths_is_not_split():
    a = np.repeat([0, 1], [10, 6])
    b = np.repeat([0, 1, 2], [3, 3, 10])  # the rest of class 0 lies with class 1
    assert splits(table_of(a, b)) == []
    assert splits(table_of(a, b), share=0.6) == [Union(0, (0, 1), 0.6)]
