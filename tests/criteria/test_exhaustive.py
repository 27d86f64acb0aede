"""The best of all partitions: it is the best, and they are all."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive
from consilience import catalogue
from consilience.criteria import best_partition
from consilience.errors import InputError, SettingError

NAIVE = {
    "cliques": naive.cliques,
    "squared-error": lambda rows, labels: -naive.squared_error(rows, labels),
    "cosine": naive.spherical_quality,
}


def stirling(items: int, k: int) -> int:
    """1/k! Σ_j (-1)^(k-j) C(k, j) j^n"""
    return sum((-1) ** (k - j) * math.comb(k, j) * j**items for j in range(k + 1)) // math.factorial(k)


def random_rows(seed: int, items: int, features: int = 3) -> Any:
    return np.random.default_rng(seed).random((items, features)) + 0.01


@pytest.mark.parametrize("items", range(1, 8))
def test_all_partitions_are_looked_at_once(items: int) -> None:
    X = random_rows(0, items)
    assert (
        best_partition(X).partitions
        == sum(stirling(items, k) for k in range(items + 1))
        == len(naive.partitions(items))
    )
    for k in range(1, items + 1):
        found = best_partition(X, k=k, criterion="cosine")
        assert found.partitions == stirling(items, k)
        assert found.labels.max() + 1 == k


@pytest.mark.compiled
def test_twelve_items_have_four_million_partitions() -> None:
    assert best_partition(random_rows(1, 12)).partitions == 4_213_597  # Bell(12)
    assert best_partition(random_rows(1, 12), k=5, criterion="squared-error").partitions == stirling(12, 5)


@pytest.mark.parametrize("criterion", NAIVE)
@given(seed=st.integers(0, 10_000), items=st.integers(1, 6))
def test_it_equals_the_slow_transcription(criterion: str, seed: int, items: int) -> None:
    X = random_rows(seed, items)
    for k in range(1, items + 1):
        slow = {
            tuple(labels): NAIVE[criterion](X.tolist(), labels)
            for labels in naive.partitions(items)
            if max(labels) + 1 == k
        }
        found = best_partition(X, k=k, criterion=criterion)
        value = -found.value if criterion == "squared-error" else found.value
        assert value == pytest.approx(max(slow.values()), abs=1e-9)
        assert slow[tuple(found.labels.tolist())] == pytest.approx(value, abs=1e-9)
    if criterion == "cliques":
        slow = {tuple(labels): naive.cliques(X.tolist(), labels) for labels in naive.partitions(items)}
        assert best_partition(X).value == pytest.approx(max(slow.values()), abs=1e-9)


def fitted_labels(name: str, metric: str, X: Any, k: int) -> list[int]:
    """What a method of the catalogue makes of the rows; items that are noise count as clusters of one."""
    kind = catalogue.get("clusterings", name)
    wanted = {"n_clusters": k, "metric": metric, "n_jobs": 1, "min_cluster_size": 2}
    estimator = kind(**{key: value for key, value in wanted.items() if key in kind().get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of runs that were stopped: any labels will do
        labels = estimator.fit(X).labels_.tolist()
    return [label if label >= 0 else k + len(X) + i for i, label in enumerate(labels)]


@pytest.mark.parametrize("name", catalogue.names("clusterings"))
@pytest.mark.parametrize(("metric", "criterion"), [("cosine", "cosine"), ("euclidean", "squared-error")])
def test_no_method_of_the_catalogue_beats_the_best(name: str, metric: str, criterion: str) -> None:
    for seed in range(6):
        X = random_rows(seed, 7)
        for k in (2, 3):
            labels = fitted_labels(name, metric, X, k)
            for wanted in (criterion, "cliques"):
                best = best_partition(X, k=len(set(labels)), criterion=wanted).value
                best = -best if wanted == "squared-error" else best
                assert NAIVE[wanted](X.tolist(), labels) <= best + 1e-9


def test_the_course_data_end_as_in_the_course() -> None:
    points = [[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]]
    found = best_partition(points, k=2, criterion="squared-error")
    assert list(found.labels) == [0, 0, 1, 1, 1, 1, 1]
    assert found.value == pytest.approx(79 / 10 + 5 / 8)  # printed there as 7.9 + 0.63


def test_groups_without_a_word_in_common_are_found_with_their_number() -> None:
    X = np.kron(np.eye(3), np.ones((3, 2))) * np.arange(1, 7)
    assert list(best_partition(X).labels) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert list(best_partition(sparse.csr_array(X)).labels) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_of_equals_the_first_stays() -> None:
    assert list(best_partition(np.ones((4, 2)), k=2, criterion="squared-error").labels) == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"criterion": "silhouette"}, "criterion must be one of cliques, squared-error, cosine"),
        ({"criterion": "cosine"}, "'cosine' is best with every item alone; say k"),
        ({"k": 6}, "k must be 'auto' or a whole number from 1 to the 5 items, it is 6"),
        ({"k": 0}, "it is 0"),
        ({"k": True}, "it is True"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        best_partition(random_rows(0, 5), **settings)


@pytest.mark.parametrize("matrix", [np.ones((13, 2)), np.ones((0, 2)), np.ones(3)])
def test_matrices_of_another_shape(matrix: Any) -> None:
    with pytest.raises(InputError, match="1 to 12 items"):
        best_partition(matrix)


def test_values_that_are_no_numbers() -> None:
    with pytest.raises(InputError, match="NaN or infinity"):
        best_partition([[1.0, np.nan]])
