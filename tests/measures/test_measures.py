import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, v_measure_score

import naive
from consilience.measures import scores

PARTITIONS = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)))
)


@given(PARTITIONS)
def test_equal_to_looking_at_every_pair_and_to_scikit_learn(partitions):
    classes, clusters = map(np.array, partitions)
    found = scores(classes, clusters)
    assert found["adjusted_rand"].value == pytest.approx(naive.adjusted_rand(*partitions))
    assert found["adjusted_rand"].value == pytest.approx(adjusted_rand_score(classes, clusters))
    assert found["v"].value == pytest.approx(v_measure_score(classes, clusters), abs=1e-9)
    assert found["purity"].value == pytest.approx(naive.purity(*partitions))
    assert all(score.value == score.on_assigned for score in found.values())


def test_unassigned_items_are_alone_in_one_score_and_left_out_of_the_other():
    classes = np.array([0, 0, 1, 1])
    found = scores(classes, np.array([0, 0, -1, -1]))
    apart = scores(classes, np.array([0, 0, 1, 2]))
    assert {name: score.value for name, score in found.items()} == {n: s.value for n, s in apart.items()}
    assert all(score.on_assigned == 1 for score in found.values())


def test_nothing_assigned_and_nothing_at_all():
    assert scores(np.array([0, 0]), np.array([-1, -1]))["purity"] == (1, 1)
    assert scores(np.array([], int), np.array([], int))["adjusted_rand"] == (1, 1)
