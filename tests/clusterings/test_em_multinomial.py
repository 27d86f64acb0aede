"""EM over counts against its slow transcription, its own objective, and what it says of awkward items."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import naive
from consilience.clusterings import em_multinomial
from consilience.clusterings.em_multinomial import EmMultinomial
from consilience.errors import InputError, SettingError
from consilience.kernels.memberships import Team, nobody


def texts(seed: int, items: int, words: int = 12, groups: int = 3, length: float = 1.0) -> Any:
    """Counts with a group's own words more frequent; no row is empty."""
    generator = np.random.default_rng(seed)
    rates = generator.gamma(0.5, length, (groups, words)) + 0.05
    X = generator.poisson(rates[generator.integers(groups, size=items)]).astype(np.float32)
    X[:, 0] += 1
    return X


def memberships(seed: int, items: int, k: int) -> Any:
    return np.random.default_rng(seed).dirichlet(np.ones(k), items).astype(np.float32)


@given(
    seed=st.integers(0, 10_000), items=st.integers(1, 12), k=st.integers(1, 4), alpha=st.sampled_from([0.01, 0.1, 1.0])
)
def test_a_step_equals_the_slow_transcription(seed: int, items: int, k: int, alpha: float) -> None:
    X, u = texts(seed, items), memberships(seed, items, k)
    expected = naive.MultinomialStep(X.astype(float).tolist(), u.astype(float).tolist(), alpha)
    with Team(1) as team:
        some = em_multinomial._items(sparse.csr_array(X))
        mixture = em_multinomial._maximise(some, u, alpha, team)
        soft = em_multinomial._expect(some, mixture, np.inf, nobody(items, k), team)
    assert np.exp(mixture.logs.T) == pytest.approx(np.array(expected.theta), rel=1e-9)
    assert mixture.weights == pytest.approx(expected.pi, rel=1e-9)
    assert soft.memberships == pytest.approx(np.array(expected.memberships), abs=1e-6)
    assert em_multinomial._objective(mixture, soft, alpha) == pytest.approx(expected.objective, rel=1e-9)


@given(seed=st.integers(0, 10_000))
def test_a_climb_equals_the_slow_transcription(seed: int) -> None:
    X, u = texts(seed, 15, length=0.4), memberships(seed, 15, 3)
    slow = naive.MultinomialStep(X.astype(float).tolist(), u.astype(float).tolist(), 0.5)
    for _ in range(7):
        slow = naive.MultinomialStep(X.astype(float).tolist(), slow.memberships, 0.5)
    with Team(1) as team:
        plan = em_multinomial._Plan(alpha=0.5, annealing=False, tol=0.0, max_iter=8)
        found = em_multinomial._climb(em_multinomial._items(sparse.csr_array(X)), u, plan, team)
    if found.steps == 8:  # one that came to rest earlier is at the same place
        assert found.objectives[-1] == pytest.approx(slow.objective, rel=1e-8)
    assert found.objectives[-1] == pytest.approx(slow.objective, rel=1e-5)


@given(seed=st.integers(0, 10_000), annealing=st.booleans(), alpha=st.sampled_from([0.01, 0.1, 1.0]))
def test_no_step_lowers_the_objective(seed: int, annealing: bool, alpha: float) -> None:
    X = texts(seed, 40, words=20, groups=5, length=0.5)
    found = EmMultinomial(6, alpha=alpha, annealing=annealing, tol=0, random_state=seed, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # with tol=0 rounding may keep it going
        found.fit(X)
    assert np.diff(found.objectives_).min(initial=0) > -1e-9 * abs(found.objective_)
    if len(found.weights_) == 6:  # the objective of other numbers of clusters is another one
        assert found.objective_ == pytest.approx(found.objectives_[-1], rel=1e-9)


def test_what_is_fitted_is_a_mixture() -> None:
    X = texts(1, 80)
    found = EmMultinomial(3).fit(X)
    assert found.weights_.sum() == pytest.approx(1)
    assert np.exp(found.log_probabilities_).sum(axis=1) == pytest.approx(1)
    assert found.log_probabilities_.shape == (3, 12)
    joint = X @ found.log_probabilities_.T + np.log(found.weights_)
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    assert found.memberships_ == pytest.approx(expected / expected.sum(axis=1, keepdims=True), abs=1e-5)
    assert found.default_view == "counts"


@pytest.mark.parametrize("annealing", [True, False])
def test_the_groups_counts_were_drawn_from_are_found(annealing: bool) -> None:
    # stands in for scikit-learn's check on blobs, whose negative values are no counts
    generator = np.random.default_rng(3)
    rates, truth = generator.gamma(0.3, 4, (4, 60)), np.arange(300) % 4
    X = sparse.csr_array(generator.poisson(rates[truth]).astype(float))
    found = EmMultinomial(4, annealing=annealing).fit(X)
    assert adjusted_rand_score(truth, found.labels_) > 0.95


def test_negative_values_are_refused_with_the_reason() -> None:
    X = texts(0, 10)
    fitted = EmMultinomial(2).fit(X)
    X[3, 4] = -2.5
    for call in (EmMultinomial(2).fit, fitted.predict, fitted.predict_memberships):
        with pytest.raises(InputError, match=r"Negative values in data, -2\.5 among them: .* use em-gaussian"):
            call(X)


def test_any_weights_from_zero_on_are_taken() -> None:
    X = texts(2, 60) * np.random.default_rng(0).random(12, dtype=np.float32)
    found = EmMultinomial(3).fit(X)
    assert found.labels_.max() <= 2
    assert np.array_equal(found.predict(X), found.labels_)


def test_a_row_without_counts_is_not_assigned() -> None:
    X = np.vstack([texts(1, 30), np.zeros((2, 12))])
    found = EmMultinomial(3).fit(X)
    assert list(found.labels_[-2:]) == list(found.second_[-2:]) == [-1, -1]
    assert not found.memberships_[-2:].any()
    assert found.labels_[:-2].min() == 0
    stored = sparse.csr_array(X)
    stored.data[stored.indptr[4] : stored.indptr[5]] = 0  # zeros that are stored are no counts either
    assert EmMultinomial(3).fit(stored).labels_[4] == -1
    nowhere = EmMultinomial(3).fit(np.zeros((4, 12)))
    assert list(nowhere.labels_) == [-1] * 4
    assert nowhere.memberships_.shape == (4, 0)
    assert list(nowhere.predict(X[:1])) == [-1]


def test_shares_too_small_to_count_are_zero() -> None:
    X = texts(5, 200, words=40, length=6)
    found = EmMultinomial(3).fit(X)
    shares = found.memberships_
    assert (shares == 0).mean() > 0.5
    assert shares[shares > 0].min() >= 2**-27  # denormal numbers would slow every sum down
    assert shares.sum(axis=1) == pytest.approx(1)


@pytest.mark.compiled
def test_the_best_of_several_starts_is_kept() -> None:
    X = texts(7, 120, words=30, groups=8, length=0.5)
    alone = EmMultinomial(8).fit(X).objectives_[-1]
    assert EmMultinomial(8, n_init=6).fit(X).objectives_[-1] >= alone  # the first of the six is the one alone


@pytest.mark.compiled
def test_annealing_reaches_further_up() -> None:
    X = texts(11, 400, words=200, groups=10, length=0.3)
    ends = {
        annealing: np.mean(
            [EmMultinomial(10, annealing=annealing, random_state=seed).fit(X).objectives_[-1] for seed in range(5)]
        )
        for annealing in (True, False)
    }
    assert ends[True] > ends[False]


def test_generators_are_taken_as_chance() -> None:
    for chance in (None, np.random.RandomState(3), np.random.default_rng(3)):
        assert EmMultinomial(3, random_state=chance).fit(texts(2, 50)).labels_.max() <= 2


@pytest.mark.parametrize(
    "settings",
    [{"n_clusters": 0}, {"alpha": 0}, {"alpha": np.inf}, {"alpha": "1"}, {"tol": -1}, {"n_init": 0}, {"max_iter": 1.5}],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(settings))} must be"):
        EmMultinomial(**settings).fit(texts(0, 10))
