from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import silhouette_samples, silhouette_score

import naive
from consilience.errors import ConsilienceError
from consilience.measures.silhouette import silhouette


@st.composite
def clusterings(draw: Any) -> Any:
    items, width = draw(st.integers(2, 9)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=items, max_size=items))
    labels = draw(st.lists(st.integers(0, 2), min_size=items, max_size=items))
    return np.array(rows, np.float32), np.unique(labels, return_inverse=True)[1]


def counts(seed: int, items: int, width: int = 30) -> sparse.csr_array:
    return sparse.csr_array(np.random.default_rng(seed).poisson(0.3, (items, width)).astype(np.float32))


@given(clusterings(), st.booleans())
def test_equal_to_looking_at_every_pair(found: Any, thin: bool) -> None:
    rows, labels = found
    matrix = sparse.csr_array(rows) if thin else rows
    for metric, distance in (
        ("cosine", lambda p, q: 1 - naive.cosine(p, q)),
        ("euclidean", naive.CourseSteps.distance),
    ):
        ours = silhouette(matrix, labels, metric=metric, n_jobs=1)
        if labels.max() == 0:
            assert np.isnan(ours.value)
            continue
        widths = naive.silhouette(rows.tolist(), labels.tolist(), distance)
        assert ours.value == pytest.approx(np.mean(widths), abs=1e-6)
        assert ours.clusters == pytest.approx(np.bincount(labels, widths) / np.bincount(labels), abs=1e-6)
        assert ours.error == 0


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("seed", range(5))
def test_equal_to_scikit_learn(metric: str, seed: int) -> None:
    matrix = counts(seed, 200)
    labels = np.random.default_rng(seed).integers(0, 7, 200)
    expected = silhouette_score(matrix.astype(float), labels, metric=metric)
    assert silhouette(matrix, labels, metric=metric).value == pytest.approx(expected, abs=1e-6)
    assert silhouette(matrix.toarray(), labels, metric=metric).value == pytest.approx(expected, abs=1e-6)


def test_unassigned_items_are_left_out() -> None:
    matrix = counts(1, 60)
    labels = np.random.default_rng(1).integers(-1, 3, 60)
    some = labels >= 0
    assert silhouette(matrix, labels).value == silhouette(matrix[some], labels[some]).value


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_a_sample_is_within_its_error(metric: str) -> None:
    matrix = counts(2, 800)
    labels = np.random.default_rng(2).integers(0, 4, 800)
    whole = silhouette(matrix, labels, metric=metric).value
    widths = silhouette_samples(matrix.astype(float), labels, metric=metric)
    inside = 0
    for seed in range(100):
        found = silhouette(matrix, labels, metric=metric, sample=100, random_state=seed)
        assert found.items == 100
        assert found.error == pytest.approx(widths.std() / 10 * np.sqrt(7 / 8), rel=0.5)
        inside += abs(found.value - whole) <= 2 * found.error
    assert inside >= 88  # 95 of 100 by rights
    assert silhouette(matrix, labels, metric=metric, sample=800).error == 0


def test_degenerate_clusterings() -> None:
    matrix = counts(3, 10)
    assert np.isnan(silhouette(matrix, np.zeros(10, int)).value)  # no other cluster
    assert np.isnan(silhouette(matrix, np.full(10, -1)).value)
    assert silhouette(matrix, np.arange(10)).value == 0  # everybody alone
    same = sparse.csr_array(np.ones((6, 3), np.float32))
    assert silhouette(same, np.arange(6) % 2).value == silhouette(same, np.arange(6) % 2, metric="euclidean").value == 0


def test_settings_that_make_no_sense() -> None:
    for settings in ({"metric": "manhattan"}, {"sample": 0}, {"sample": "some"}):
        with pytest.raises(ConsilienceError):
            silhouette(counts(0, 5), np.zeros(5, int), **settings)  # type: ignore[arg-type]
    with pytest.raises(ConsilienceError, match="4 labels for 5 rows"):
        silhouette(counts(0, 5), np.zeros(4, int))


@pytest.mark.compiled
def test_threads_and_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = counts(4, 3000)
    labels = np.random.default_rng(4).integers(0, 9, 3000)
    one = silhouette(matrix, labels, n_jobs=1)
    assert silhouette(matrix, labels, n_jobs=2).value == one.value
    monkeypatch.setattr("consilience.measures.silhouette._CELLS", 60)
    assert silhouette(matrix, labels).value == one.value
    few = silhouette(matrix, labels, metric="euclidean", sample=50)
    monkeypatch.setattr("consilience.measures.silhouette._CELLS", 8_000_000)
    assert silhouette(matrix, labels, metric="euclidean", sample=50).value == pytest.approx(few.value, abs=1e-12)
