"""Fuzzy c-means against its slow transcription, its own objective, and the limits of its exponent."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import naive
from consilience.clusterings import fuzzy
from consilience.clusterings.fuzzy import Fuzzy
from consilience.errors import SettingError
from consilience.kernels.memberships import Team, nobody

both_metrics = pytest.mark.parametrize("metric", ["cosine", "euclidean"])


def blobs(seed: int, items: int, features: int = 5) -> Any:
    generator = np.random.default_rng(seed)
    directions = generator.random((3, features)) ** 2
    X = directions[generator.integers(3, size=items)] + 0.4 * generator.random((items, features))
    return (X * generator.uniform(0.5, 2, (items, 1))).astype(np.float32)


def memberships(seed: int, items: int, k: int) -> Any:
    return np.random.default_rng(seed).dirichlet(np.ones(k), items).astype(np.float32)


@both_metrics
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@given(seed=st.integers(0, 10_000), items=st.integers(1, 12), k=st.integers(1, 4), m=st.sampled_from([1.1, 1.5, 2, 3]))
def test_a_step_equals_the_slow_transcription(metric: str, form: Any, seed: int, items: int, k: int, m: float) -> None:
    X, u = blobs(seed, items), memberships(seed, items, k)
    expected = naive.FuzzyStep(X.astype(float).tolist(), u.astype(float).tolist(), m, metric)
    with Team(1) as team:
        some = fuzzy._items(form(X), metric == "cosine", m, team)
        columns, weights = fuzzy.by_feature(some.X), (some.scale[:, None] * u.astype(float) ** m).astype(np.float32)
        centres = fuzzy._centres(some, columns, weights, np.zeros((5, k)), team)
        soft = fuzzy._expect(some, centres, nobody(items, k), team)
        weighing = fuzzy._expect(some, centres, nobody(items, k), team, weighing=True)
    found = centres.T
    assert found == pytest.approx(np.array(expected.centres), rel=1e-5, abs=1e-6)
    assert soft.memberships == pytest.approx(np.array(expected.memberships), abs=1e-3)
    assert weighing.memberships == pytest.approx(some.scale[:, None] * soft.memberships.astype(float) ** m, rel=1e-5)
    assert soft.values.sum() == pytest.approx(expected.objective, rel=1e-4, abs=1e-5)


@both_metrics
@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), m=st.sampled_from([1.02, 1.1, 1.5, 2, 4]))
def test_no_step_raises_the_objective(metric: str, seed: int, k: int, m: float) -> None:
    found = Fuzzy(k, m=m, metric=metric, tol=0, max_iter=60, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # with tol=0 rounding may keep it going
        found.fit(blobs(seed, 40))
    assert np.diff(found.objectives_).max(initial=0) <= 1e-9 * found.objectives_[0] + 1e-12


@both_metrics
def test_towards_one_it_becomes_k_means_and_far_from_it_all_is_equal(metric: str) -> None:
    X = blobs(3, 200)
    hard = Fuzzy(3, m=1.001, metric=metric).fit(X)
    assert hard.memberships_.max(axis=1).mean() > 0.99
    points = X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else X
    for r in range(3):
        centre = points[hard.labels_ == r].mean(axis=0)
        centre /= np.linalg.norm(centre) if metric == "cosine" else 1
        assert hard.cluster_centers_[r] == pytest.approx(centre, abs=0.01)
    for m in (1.2, 1.5, 2, 8):
        softer = Fuzzy(3, m=m, metric=metric).fit(X).memberships_.max(axis=1).mean()
        assert softer < hard.memberships_.max(axis=1).mean()
    equal = Fuzzy(3, m=50, metric=metric).fit(X).memberships_
    assert equal == pytest.approx(1 / equal.shape[1], abs=0.1)


@pytest.mark.compiled
def test_the_exponent_of_text_is_near_one() -> None:
    # sparse and high-dimensional, nearly all distances are alike: with the customary 2 nobody belongs anywhere
    generator = np.random.default_rng(0)
    X = generator.poisson(0.05, (300, 400)).astype(np.float32)
    for i in range(300):
        X[i, 40 * (i % 3) : 40 * (i % 3 + 1)] += generator.poisson(0.4, 40)
    assert Fuzzy(3, m=2).fit(X).memberships_.max(axis=1).mean() < 0.4
    assert Fuzzy(3).fit(X).memberships_.max(axis=1).mean() > 0.6


@both_metrics
def test_an_item_at_a_centre_belongs_there_alone(metric: str) -> None:
    X = np.eye(3, 5, dtype=np.float32)
    found = Fuzzy(3, metric=metric).fit(X)
    assert np.array_equal(found.memberships_, np.eye(3, dtype=np.float32))
    assert found.objective_ == 0
    with Team(1) as team:  # two centres in one place share what is there
        items = fuzzy._items(X, metric == "cosine", 1.5, team)
        centres = np.array([X[0], X[0], X[1]], dtype=np.float64).T.copy()
        soft = fuzzy._expect(items, centres, nobody(3, 3), team)
    assert soft.memberships[0] == pytest.approx([0.5, 0.5, 0])
    assert soft.memberships[1] == pytest.approx([0, 0, 1])
    assert soft.labels[0] == 0


@both_metrics
def test_new_items_are_judged_by_the_centres(metric: str) -> None:
    X, new = blobs(1, 60), blobs(2, 9)
    found = Fuzzy(3, m=1.5, metric=metric).fit(X)
    points = new / np.linalg.norm(new, axis=1, keepdims=True) if metric == "cosine" else new
    squared = ((points[:, None] - found.cluster_centers_[None]) ** 2).sum(axis=2)
    expected = squared ** (-1 / 0.5)
    expected /= expected.sum(axis=1, keepdims=True)
    assert found.predict_memberships(new) == pytest.approx(expected, abs=1e-4)
    assert np.array_equal(found.predict(new), expected.argmax(axis=1))


def test_a_row_of_zeros_has_no_direction() -> None:
    X = np.vstack([blobs(1, 30), np.zeros((2, 5), dtype=np.float32)])
    for form in (np.asarray, sparse.csr_array):
        found = Fuzzy(3).fit(form(X))
        assert list(found.labels_[-2:]) == list(found.second_[-2:]) == [-1, -1]
        assert not found.memberships_[-2:].any()
        assert list(found.predict(form(np.zeros((1, 5))))) == [-1]
        nowhere = Fuzzy(3).fit(form(np.zeros((4, 5))))
        assert list(nowhere.labels_) == [-1] * 4
        assert nowhere.memberships_.shape == (4, 0)
        assert list(nowhere.predict(form(X[:1]))) == [-1]
    assert Fuzzy(3, metric="euclidean").fit(X).labels_.min() == 0


@pytest.mark.parametrize(
    "settings",
    [{"n_clusters": 0}, {"m": 1}, {"m": np.nan}, {"m": "2"}, {"metric": "l1"}, {"tol": -1}, {"n_init": 0}],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(settings))} must be"):
        Fuzzy(**settings).fit(blobs(0, 10))
