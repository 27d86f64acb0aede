"""The course's k-means: its seven points, and its rule written down slowly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive
from consilience.clusterings import kmeans_course
from consilience.clusterings.kmeans_course import KMeansCourse
from consilience.errors import SettingError
from consilience.kernels.rows import Threads

POINTS = [[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]]
# the course's "Initial clustering after initialization": individuals and centroid of both clusters, step by step;
# it writes 1.25 as 1.3, 1.8333 as 1.8, 4.25 as 4.3, 5.375 as 5.4
TABLE = [
    ([1], (2 / 2, 2 / 2), [4], (10 / 2, 14 / 2)),
    ([1, 2], (2.5 / 2, 3 / 2), [4], (5, 7)),
    ([1, 2, 3], (5.5 / 3, 7 / 3), [4], (5, 7)),
    ([1, 2, 3], (5.5 / 3, 7 / 3), [4, 5], (8.5 / 2, 12 / 2)),
    ([1, 2, 3], (5.5 / 3, 7 / 3), [4, 5, 6], (13 / 3, 17 / 3)),
    ([1, 2, 3], (5.5 / 3, 7 / 3), [4, 5, 6, 7], (16.5 / 4, 21.5 / 4)),
]
PRINTED = [
    ((1.0, 1.0), (5.0, 7.0)),
    ((1.3, 1.5), (5.0, 7.0)),
    ((1.8, 2.3), (5.0, 7.0)),
    ((1.8, 2.3), (4.3, 6.0)),
    ((1.8, 2.3), (4.3, 5.7)),
    ((1.8, 2.3), (4.1, 5.4)),
]


def test_the_first_partition_is_the_courses_table_step_by_step() -> None:
    with Threads(1) as threads:
        items = kmeans_course._items(np.array(POINTS), threads)
        starts = kmeans_course._starts(items, 2, threads)
    assert list(starts) == [0, 3]
    labels = np.array([0, -1, -1, 1, -1, -1, -1], dtype=np.int32)
    partition = kmeans_course._partition(items, labels, 2)
    states = []
    for i in (0, 1, 2, 4, 5, 6):  # the first is a start already: the state before anything joins
        kmeans_course._join(items, partition, i, i + 1)
        states.append(
            tuple(
                part
                for r in (0, 1)
                for part in (
                    [j + 1 for j in range(7) if labels[j] == r],
                    tuple(partition.sums[:, r] / partition.sizes[r]),
                )
            )
        )
    for state, expected, printed in zip(states, TABLE, PRINTED, strict=True):
        assert (state[0], state[2]) == (expected[0], expected[2])
        assert (*state[1], *state[3]) == pytest.approx((*expected[1], *expected[3]))
        assert (*state[1], *state[3]) == pytest.approx((*printed[0], *printed[1]), abs=0.051)
    slow = naive.CourseSteps(POINTS, 2).table
    assert [[[j + 1 for j in members] for members, _ in step] for step in slow] == [[s[0], s[2]] for s in states]


def test_the_seven_points_end_as_in_the_course() -> None:
    found = KMeansCourse(2).fit(POINTS)
    assert list(found.labels_) == [1, 1, 0, 0, 0, 0, 0]  # {3..7} is the larger, so it is number 0
    assert list(found.start_labels_) == [0, 0, 0, 1, 1, 1, 1]
    assert found.start_error_ == pytest.approx(41 / 6 + 43 / 8)  # 12.208; printed as 6.84 + 5.38 = 12.22
    assert found.start_error_ == pytest.approx(12.22, abs=0.02)
    assert found.cluster_errors_ == pytest.approx([79 / 10, 5 / 8])  # printed as 7.9 and 0.63
    assert found.objective_ == pytest.approx(8.53, abs=0.006)
    assert found.cluster_centers_ == pytest.approx(np.array([[3.9, 5.1], [1.25, 1.5]]))  # printed as (1.3, 1.5)


@given(seed=st.integers(0, 10_000), items=st.integers(2, 25), features=st.integers(1, 4), k=st.integers(2, 4))
def test_it_equals_the_slow_transcription(seed: int, items: int, features: int, k: int) -> None:
    X = np.random.default_rng(seed).normal(size=(items, features))
    k = min(k, items)
    slow = naive.CourseSteps(X.tolist(), k)
    found = KMeansCourse(k, n_jobs=1).fit(X)
    assert found.start_error_ == pytest.approx(slow.start_error)
    clusters = {frozenset(np.flatnonzero(found.labels_ == r).tolist()) for r in range(k)}
    assert clusters == {frozenset(cluster) for cluster in slow.clusters}
    assert sorted(found.cluster_errors_) == pytest.approx(sorted(slow.errors()), abs=1e-9)


@pytest.mark.compiled
def test_the_most_distant_pair_is_found_among_many() -> None:
    X = sparse.random_array((3000, 50), density=0.2, rng=np.random.default_rng(0), format="csr")
    dense = X.toarray()
    squares = (dense**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * dense @ dense.T
    expected = np.unravel_index(distances.argmax(), distances.shape)
    for jobs in (1, 2):
        assert sorted(KMeansCourse(2, n_jobs=jobs).fit(X).start_items_) == sorted(expected)


def test_too_many_items_are_refused_with_the_way_out() -> None:
    with pytest.raises(SettingError, match=r"20001 items .* use the method kmeans with metric='euclidean'"):
        KMeansCourse(2).fit(sparse.csr_array((20_001, 3)))
