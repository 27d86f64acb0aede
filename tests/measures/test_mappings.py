import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.measures import mappings
from consilience.measures.contingency import contingency
from consilience.measures.mappings import greedy, many_to_one, optimal

PARTITIONS = st.integers(0, 25).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


def total(table, h):
    mapped = h >= 0
    return int(table.dense()[h[mapped], np.flatnonzero(mapped)].sum()) if len(table.n) else 0


def one_to_one(h):
    return len(set(h[h >= 0])) == (h >= 0).sum()


@given(PARTITIONS)
def test_mappings_equal_trying_them_all(partitions):
    table = contingency(*map(np.array, partitions)) if partitions[0] else contingency(*[np.array([], int)] * 2)
    cells, shape = naive.contingency(*partitions), (len(table.rows), len(table.columns))
    assert many_to_one(table).tolist() == naive.many_to_one(cells, shape)
    assert greedy(table).tolist() == naive.greedy(cells, shape)
    best = optimal(table)
    assert total(table, best) == naive.best_matching(cells, shape)
    assert one_to_one(best)
    assert total(table, greedy(table)) <= total(table, best) <= total(table, many_to_one(table))


@pytest.mark.parametrize("seed", range(5))
def test_matching_by_edges_weighs_as_much_as_by_the_full_table(seed, monkeypatch):
    generator = np.random.default_rng(seed)
    classes, clusters = generator.integers(0, 30, 400), generator.integers(0, 45, 400)
    clusters[:100] = 45 + np.arange(100)  # alone
    table = contingency(classes, clusters)
    full = optimal(table)
    monkeypatch.setattr(mappings, "_DENSE", 0)
    edges = optimal(table)
    assert total(table, edges) == total(table, full)
    assert one_to_one(edges)


def test_a_cluster_maps_to_no_class_that_it_does_not_meet():
    table = contingency(np.array([0, 0, 1]), np.array([0, 0, 0]))
    assert many_to_one(table).tolist() == greedy(table).tolist() == optimal(table).tolist() == [0]
    apart = contingency(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 3]))
    assert many_to_one(apart).tolist() == [0, 1, -1, 1]
    assert greedy(apart).tolist() == [0, 1, -1, -1]


def test_of_equal_shares_the_smaller_class_and_cluster_come_first():
    table = contingency(np.array([0, 0, 1]), np.array([0, 1, 0]))  # 1 1 / 1 0
    assert greedy(table).tolist() == [1, 0]
