"""EM over dense vectors against its slow transcription and against scikit-learn from the same start."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import naive
from consilience.clusterings import em_gaussian
from consilience.clusterings.em_gaussian import EmGaussian
from consilience.errors import InputError, SettingError
from consilience.kernels.memberships import Team, nobody

both = pytest.mark.parametrize("covariance", ["diagonal", "spherical"])


def blobs(seed: int, items: int, features: int = 4, groups: int = 3) -> Any:
    generator = np.random.default_rng(seed)
    centres, widths = 2 * generator.normal(size=(groups, features)), generator.uniform(0.5, 2, (groups, features))
    member = generator.integers(groups, size=items)
    return centres[member] + widths[member] * generator.normal(size=(items, features))


def memberships(seed: int, items: int, k: int) -> Any:
    return np.random.default_rng(seed).dirichlet(np.ones(k), items).astype(np.float32)


@both
@given(seed=st.integers(0, 10_000), items=st.integers(2, 12), k=st.integers(1, 3), share=st.sampled_from([1e-4, 0.5]))
def test_a_step_equals_the_slow_transcription(covariance: str, seed: int, items: int, k: int, share: float) -> None:
    X, u = blobs(seed, items), memberships(seed, items, k)
    with Team(1) as team:
        limits = em_gaussian._limits(X, covariance == "spherical", share)
        mixture = em_gaussian._maximise(X, u, limits, team)
        soft = em_gaussian._expect(X, mixture, nobody(items, k), team)
    expected = naive.GaussianStep(
        X.tolist(), u.astype(float).tolist(), limits.floor.tolist(), spherical=limits.spherical
    )
    means, variances = mixture.means.T, mixture.variances.T
    assert means == pytest.approx(np.array(expected.means), rel=1e-6, abs=1e-9)
    assert variances == pytest.approx(np.array(expected.variances), rel=1e-6)
    assert mixture.weights == pytest.approx(expected.pi, rel=1e-6)
    assert soft.memberships == pytest.approx(np.array(expected.memberships), abs=1e-5)
    assert soft.values.sum() == pytest.approx(expected.objective, rel=1e-7, abs=1e-7)


@both
@pytest.mark.parametrize("seed", range(5))
def test_equals_scikit_learn_from_the_same_start(covariance: str, seed: int) -> None:
    X, u = blobs(seed, 300, features=6), memberships(seed, 300, 4)
    u = np.eye(4, dtype=np.float32)[u.argmax(axis=1)]
    with Team(2) as team:
        limits = em_gaussian._limits(X, covariance == "spherical", 1e-12)  # so low that no floor is reached
        start = em_gaussian._maximise(X, u, limits, team)
        found = em_gaussian._climb(X, u, limits, 0.0, 40, team)
    precisions = 1 / (start.variances[0] if limits.spherical else start.variances.T)
    theirs = GaussianMixture(
        4,
        covariance_type={"diagonal": "diag", "spherical": "spherical"}[covariance],
        reg_covar=0,
        tol=0,
        max_iter=found.steps - 1,  # it starts from the parameters, we from memberships: one M-step ahead
        weights_init=start.weights,
        means_init=start.means.T,
        precisions_init=precisions,
    )
    with pytest.warns(match="did not converge"):
        theirs.fit(X)
    means = found.mixture.means.T
    assert means == pytest.approx(theirs.means_, rel=1e-4, abs=1e-5)
    assert found.mixture.weights == pytest.approx(theirs.weights_, rel=1e-4)
    variances = found.mixture.variances[0] if limits.spherical else found.mixture.variances.T
    assert variances == pytest.approx(theirs.covariances_, rel=1e-3)
    assert found.objectives[-1] / 300 == pytest.approx(theirs.score(X), rel=1e-6)
    assert found.soft.memberships == pytest.approx(theirs.predict_proba(X), abs=1e-3)


@both
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), share=st.sampled_from([1e-6, 0.01, 0.3]))
def test_no_step_lowers_the_objective(covariance: str, seed: int, k: int, share: float) -> None:
    X = blobs(seed, 40)
    X[7:12] = X[6]  # where a cluster could close in
    found = EmGaussian(k, covariance=covariance, variance_floor=share, tol=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # with tol=0 rounding may keep it going
        found.fit(X)
    scale = abs(found.objectives_).max()
    assert np.diff(found.objectives_).min(initial=0) > -1e-9 * max(scale, 40)


@both
def test_no_variance_falls_under_its_floor(covariance: str) -> None:
    X = blobs(3, 60)
    X[:20] = X[0]
    found = EmGaussian(5, covariance=covariance, variance_floor=0.05).fit(X)
    floor = 0.05 * (X.var(axis=0) if covariance == "diagonal" else X.var(axis=0).mean())
    assert (found.variances_ >= floor * (1 - 1e-9)).all()
    assert (found.variances_ <= floor * (1 + 1e-9)).any()
    if covariance == "spherical":
        assert (found.variances_ == found.variances_[:, :1]).all()


@both
def test_a_feature_that_never_varies_changes_nothing(covariance: str) -> None:
    X = blobs(4, 80)
    more = np.insert(X, 2, 0.1, axis=1)
    found, plain = EmGaussian(3, covariance=covariance).fit(more), EmGaussian(3, covariance=covariance).fit(X)
    assert np.array_equal(found.labels_, plain.labels_)
    assert found.memberships_ == pytest.approx(plain.memberships_, abs=1e-5)


def test_far_from_the_origin_it_finds_the_same() -> None:
    X = np.round(blobs(6, 200) * 1024) / 1024  # so that the shift is exact
    assert np.array_equal(EmGaussian(3).fit(X).labels_, EmGaussian(3).fit(X + 2.0**20).labels_)


@pytest.mark.compiled
@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_show_whatever_the_type(covariance: str, dtype: Any) -> None:
    X = blobs(9, 3000, features=33).astype(dtype)
    one, three = (EmGaussian(5, covariance=covariance, n_jobs=jobs).fit(X) for jobs in (1, 3))
    for name in ("labels_", "memberships_", "means_", "variances_", "weights_", "objectives_"):
        assert getattr(one, name).tobytes() == getattr(three, name).tobytes()


def test_sparse_input_is_refused_with_advice() -> None:
    X = blobs(0, 10)
    for call in (EmGaussian(2).fit, EmGaussian(2).fit(X).predict):
        with pytest.raises(InputError, match=r"Sparse input is not supported.*--view lsi.*em-multinomial"):
            call(sparse.csr_array(X))
    assert EmGaussian.default_view == "lsi"


@pytest.mark.parametrize(
    "settings",
    [{"n_clusters": 0}, {"covariance": "full"}, {"variance_floor": 0}, {"tol": -0.1}, {"n_init": 0}, {"max_iter": 0}],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(settings))} must be"):
        EmGaussian(**settings).fit(blobs(0, 10))
