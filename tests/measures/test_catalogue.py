"""Every measure is held to what it says of itself; a new one is tested by standing in the catalogue."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.measures import MEASURES, scores_of
from consilience.measures.contingency import contingency

PARTITIONS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)))
)
EACH = pytest.mark.parametrize("name", MEASURES)


def of(classes, clusters):
    return contingency(np.asarray(classes), np.asarray(clusters))


@given(PARTITIONS)
def test_no_value_lies_outside_its_range(partitions):
    for name, value in scores_of(of(*partitions)).items():
        assert MEASURES[name].low - 1e-12 <= value <= MEASURES[name].high + 1e-12, name


@given(PARTITIONS)
def test_the_same_partition_is_best_and_no_other_is_better(partitions):
    same, other = scores_of(of(partitions[0], partitions[0])), scores_of(of(*partitions))
    for name, measure in MEASURES.items():
        best = same[name] if math.isnan(measure.best) else measure.best
        assert same[name] == pytest.approx(best, abs=1e-12), name
        worse = best - other[name] if best >= measure.high or math.isnan(measure.best) else other[name] - best
        assert worse >= -1e-12, name


@given(PARTITIONS)
def test_those_that_say_so_are_symmetric(partitions):
    found, turned = scores_of(of(*partitions)), scores_of(of(*partitions[::-1]))
    for name, measure in MEASURES.items():
        if measure.symmetric and name != "accuracy_greedy":
            assert found[name] == pytest.approx(turned[name], abs=1e-12), name


@EACH
def test_those_that_say_so_are_not_symmetric(name):
    classes, clusters = [0, 0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1, 1, 3, 2]
    measure = MEASURES[name].function
    same = measure(of(classes, clusters)) == pytest.approx(measure(of(clusters, classes)))
    assert same == MEASURES[name].symmetric


@given(PARTITIONS, st.permutations(range(7)), st.permutations(range(7)), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(partitions, classes_names, clusters_names, random):
    items = list(zip(*partitions, strict=True))
    random.shuffle(items)
    renamed = scores_of(of([classes_names[c] for c, _ in items], [clusters_names[k] for _, k in items]))
    for name, value in scores_of(of(*partitions)).items():
        if name != "accuracy_greedy":  # which of equal cells comes first is settled by names
            assert renamed[name] == pytest.approx(value, abs=1e-12), name


def test_greedy_accuracy_does_not_depend_on_names_where_no_cells_are_equal():
    generator = np.random.default_rng(0)
    classes, clusters = generator.choice(4, 900, p=[0.1, 0.2, 0.3, 0.4]), generator.choice(3, 900, p=[0.15, 0.25, 0.6])
    assert len(set(of(classes, clusters).n)) == 12
    assert MEASURES["accuracy_greedy"].function(of(classes, clusters)) == pytest.approx(
        MEASURES["accuracy_greedy"].function(of(3 - classes, (clusters + 1) % 3))
    )


def by_chance(name, clusters, times=60):
    """The mean and its standard error over shuffled labels of 5 classes."""
    generator = np.random.default_rng(7)
    classes, labels = np.arange(400) % 5, np.arange(400) % clusters
    values = [MEASURES[name].function(of(classes, generator.permutation(labels))) for _ in range(times)]
    return np.mean(values), np.std(values) / math.sqrt(times)


@EACH
def test_by_chance(name):
    measure = MEASURES[name]
    few, many = by_chance(name, 5), by_chance(name, 80)
    if measure.chance is not None:
        assert measure.growing == "level"
        for mean, error in (few, many):
            assert abs(mean - measure.chance) < 4 * error
        return
    if measure.growing == "level":
        assert abs(many[0] - few[0]) < 0.01
        return
    better = many[0] > few[0] if math.isnan(measure.best) or measure.best == measure.high else many[0] < few[0]
    assert measure.growing == ("better" if better else "worse")
    assert abs(many[0] - few[0]) > 10 * max(few[1], many[1])


@EACH
def test_each_says_what_it_rewards_and_where_it_misleads(name):
    measure = MEASURES[name]
    assert measure.formula
    assert len(measure.rewards) > 10
    assert len(measure.weakness) > 10
    assert len({n for m in MEASURES.values() for n in (m.name, *m.aliases)}) == sum(
        1 + len(m.aliases) for m in MEASURES.values()
    )


def test_no_two_entries_are_one_number():
    """On tables of many shapes, every two measures differ somewhere, also after turning one round."""
    generator = np.random.default_rng(3)
    tables = [of(generator.integers(0, 4, 60) ** 2 // 3, generator.integers(0, 2 + i, 60)) for i in range(12)]
    rows = {name: np.array([m.function(t) for t in tables]) for name, m in MEASURES.items()}
    for name, row in rows.items():
        for other, column in rows.items():
            if name < other:
                assert not np.allclose(row, column), (name, other)
                assert not np.allclose(1 - row, column), (name, other)
