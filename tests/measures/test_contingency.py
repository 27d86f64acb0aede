import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.errors import InputError
from consilience.measures.contingency import contingency, from_cells

PARTITIONS = st.integers(0, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 6), min_size=n, max_size=n) for _ in range(2)))
)


def same(a, b):
    return all(np.array_equal(getattr(a, f), getattr(b, f)) for f in ("n", "row", "column", "rows", "columns", "total"))


@pytest.fixture(params=["full", "by rows"])
def way(request, monkeypatch):
    if request.param == "by rows":
        monkeypatch.setattr(sys.modules[contingency.__module__], "_DENSE", -1)
    return request.param


def test_both_ways_of_counting_equal_counting_by_hand(way):
    @given(PARTITIONS, st.sampled_from([np.int32, np.int64]))
    def equal(partitions, dtype):
        classes, clusters = partitions
        if way == "by rows":  # few items in large numbers: a full table would not pay
            classes, clusters = [7 * c for c in classes], [9 * k for k in clusters]
        found = contingency(np.array(classes, dtype), np.array(clusters, dtype))
        expected = naive.contingency(classes, clusters)
        assert {(r, c): n for n, r, c in zip(found.n, found.row, found.column, strict=True)} == expected
        assert sorted(expected) == list(zip(found.row, found.column, strict=True))
        assert found.rows.tolist() == [classes.count(c) for c in range(max(classes, default=-1) + 1)]
        assert found.columns.tolist() == [clusters.count(k) for k in range(max(clusters, default=-1) + 1)]
        assert found.total == len(classes) == found.dense().sum()
        again = from_cells(found.n, found.row, found.column, found.dense().shape)
        assert same(found, again)
        turned = contingency(np.array(clusters, dtype), np.array(classes, dtype))
        assert same(found.transposed, turned)

    equal()


def test_cells_of_nothing_are_left_out():
    found = from_cells(np.array([2, 0]), np.array([0, 1]), np.array([0, 1]), (2, 2))
    assert (found.n.tolist(), found.rows.tolist(), found.total) == ([2], [2, 0], 2)


def test_what_is_no_partition_is_refused():
    with pytest.raises(InputError, match="3 classes, 2 clusters"):
        contingency(np.array([0, 1, 1]), np.array([0, 1]))
    with pytest.raises(InputError, match=r"clusters must be numbers from 0 on.*one of them is -1"):
        contingency(np.array([0, 1]), np.array([0, -1]))
    with pytest.raises(InputError, match="of the type float64"):
        contingency(np.array([0.0, 1.0]), np.array([0, 1]))


@pytest.mark.compiled
def test_a_million_items_alone_need_no_table_of_a_million_squared():
    alone = np.arange(1_000_000)
    found = contingency(alone, alone[::-1])
    assert len(found.n) == 1_000_000
    assert found.column[0] == 999_999


def test_what_is_known_of_a_table_is_made_once():
    table, asked = contingency(np.array([0, 1]), np.array([0, 0])), []
    assert [table.once(lambda t: t.total) for _ in range(2)] == [2, 2]

    def ask(t):
        asked.append(t)
        return len(t.n)

    assert [table.once(ask), table.once(ask)] == [2, 2]
    assert asked == [table]
