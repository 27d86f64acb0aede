"""EM for a mixture of Gaussians: soft clusters of dense vectors, each with its own spread along every feature.

Made for vectors of some hundred features, such as LSI: a variance per word would be one more number than most words
have occurrences. Arithmetic is in double precision about the mean of each cluster (Σ u (x - μ)², not Σ u x² - μ²), so
nothing cancels where clusters are narrow and far from the origin.

On LSI expect less than from k-means on the same vectors (bench/em.py; 20 Newsgroups: AMI .49 against .56, and .49 for
scikit-learn's mixture): clusters may differ in width, and a wide one takes in whatever is far from all.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._conventions import Prediction, by_size, check_count
from consilience.clusterings._numbers import check_above, check_tolerance, generator_of
from consilience.errors import InputError, SettingError
from consilience.kernels.memberships import Soft, Team, nobody, one_hot, share_out, weighted_sums
from consilience.kernels.rows import Floats32, Floats64, Labels
from consilience.kernels.starts import start_labels
from consilience.kernels.threads import thread_count

_NOBODY = 10 * np.finfo(np.float64).eps  # what a cluster without members weighs, as in scikit-learn: no division by 0


class EmGaussian(ClusterMixin, BaseEstimator):
    """A mixture of Gaussians, fitted by EM (Dempster, Laird and Rubin 1977).

    With u_ik the memberships, maximises over N items of d features

        L = Σ_i ln Σ_k π_k Π_j N(x_ij; μ_kj, σ²_kj),   σ²_kj >= floor_j

        E:  u_ik = π_k Π_j N(x_ij; μ_kj, σ²_kj) / Σ_l π_l Π_j N(x_ij; μ_lj, σ²_lj)
        M:  n_k = Σ_i u_ik,  π_k = n_k / N,  μ_kj = 1/n_k Σ_i u_ik x_ij,
            σ²_kj = max(floor_j, 1/n_k Σ_i u_ik (x_ij - μ_kj)²)

        covariance="diagonal"    a variance for each cluster and feature
        covariance="spherical"   one for each cluster: the mean of its σ²_kj over j

    floor_j is a share of the variance of feature j over all items, without which a cluster could close in on one item
    and L grow without bound; under such a floor the M-step is still the maximum, so no step lowers L. A feature that
    never varies tells clusters nothing, whatever its variance: it is taken as 1. Starts are seeds and five steps of
    Euclidean k-means. Clusters are numbered by falling number of items whose largest membership is there; those that
    have none are dropped.

    Settings
        n_clusters: how many clusters
        covariance: "diagonal" or "spherical"
        variance_floor: the least variance of a feature in a cluster, as a share of its variance over all items
        n_init: how many starts, of which the one that reaches the largest L is kept
        tol: the climb ends when a step raises L by less than this per item
        max_iter: steps at most; a run that stops there warns
        random_state: seed or generator, the one source of chance
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: the cluster of each item's largest membership; equal to `predict` of the same items
        second_: its next best cluster, -1 if there is none
        memberships_: u, float32, N x K; each under 2^-26 of the largest is 0
        weights_: π
        means_, variances_: μ and σ², K x d
        objective_: L
        objectives_: L at each step
        n_iter_: steps taken
    """

    default_view: ClassVar[str] = "lsi"

    labels_: Labels
    second_: Labels
    memberships_: Floats32
    weights_: Floats64
    means_: Floats64
    variances_: Floats64
    objective_: float
    objectives_: Floats64
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        covariance: str = "diagonal",
        variance_floor: float = 0.01,
        n_init: int = 1,
        tol: float = 1e-3,
        max_iter: int = 300,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.variance_floor = variance_floor
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of a dense X."""
        for setting in ("n_clusters", "n_init", "max_iter"):
            check_count(setting, getattr(self, setting))
        if self.covariance not in ("diagonal", "spherical"):
            raise SettingError(f"covariance must be 'diagonal' or 'spherical', it is {self.covariance!r}")
        check_above("variance_floor", self.variance_floor, 0)
        check_tolerance("tol", self.tol)
        X = self._dense(X, reset=True)

        with Team(thread_count(self.n_jobs)) as team:
            limits = _limits(X, self.covariance == "spherical", float(self.variance_floor))
            runs = (
                _climb(X, self._start(X, chance, team), limits, float(self.tol), self.max_iter, team)
                for chance in generator_of(self.random_state).spawn(self.n_init)
            )
            best = max(runs, key=lambda run: run.objectives[-1])
            settled = _settle(X, best.mixture, best.soft, team)
        if not best.converged:
            message = f"EM was stopped by max_iter={self.max_iter} while steps still raised the likelihood"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)

        self.labels_, self.second_ = settled.soft.labels, settled.soft.second
        self.memberships_ = settled.soft.memberships
        self.weights_ = settled.mixture.weights
        self.means_, self.variances_ = settled.mixture.means.T, settled.mixture.variances.T
        self.objective_ = float(settled.soft.values.sum())
        self.objectives_ = np.array(best.objectives)
        self.n_iter_ = best.steps
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster of the largest membership of each row of X."""
        return self._soft(X).labels

    def predict_two(self, X: Any) -> Prediction:
        """The most likely cluster of each row of X, and the next."""
        soft = self._soft(X)
        return Prediction(soft.labels, soft.second)

    def predict_memberships(self, X: Any) -> Floats32:
        """How far each row of X belongs to each cluster: u, float32, rows x K."""
        return self._soft(X).memberships

    def _soft(self, X: Any) -> Soft:
        check_is_fitted(self)
        X = self._dense(X, reset=False)
        mixture = _Mixture(self.weights_, np.ascontiguousarray(self.means_.T), np.ascontiguousarray(self.variances_.T))
        with Team(thread_count(self.n_jobs)) as team:
            return _expect(X, mixture, nobody(len(X), len(self.weights_)), team)

    def _dense(self, X: Any, *, reset: bool) -> npt.NDArray[Any]:
        if sparse.issparse(X):
            raise InputError(
                "Sparse input is not supported: em-gaussian takes dense vectors, as it needs a variance for each "
                "feature; represent the items by --view lsi, or cluster counts with em-multinomial"
            )
        return np.ascontiguousarray(validate_data(self, X, dtype=[np.float64, np.float32], reset=reset))

    def _start(self, X: npt.NDArray[Any], chance: np.random.Generator, team: Team) -> Floats32:
        """Memberships of 0 and 1 by k-means; about the mean, as k-means computes in single precision."""
        about = (X - X.mean(axis=0, dtype=np.float64)).astype(np.float32)
        labels = start_labels(about, self.n_clusters, cosine=False, chance=chance, threads=team)
        return one_hot(labels, int(labels.max()) + 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


class _Mixture(NamedTuple):
    weights: Floats64  # π
    means: Floats64  # μ, features x K
    variances: Floats64  # σ², features x K


class _Limits(NamedTuple):
    spherical: bool
    floor: Floats64  # the least variance of each feature
    constant: npt.NDArray[np.bool_]  # features that never vary


class _Climbed(NamedTuple):
    mixture: _Mixture
    soft: Soft
    objectives: list[float]
    steps: int
    converged: bool


class _Settled(NamedTuple):
    mixture: _Mixture
    soft: Soft


def _limits(X: npt.NDArray[Any], spherical: bool, share: float) -> _Limits:
    variances = X.var(axis=0, dtype=np.float64)
    constant = X.max(axis=0) == X.min(axis=0)
    varying = variances[~constant]
    if spherical:
        variances = np.full(len(variances), varying.mean() if len(varying) else 1.0)
    floor = np.maximum(share * variances, np.finfo(np.float64).tiny ** 0.5)  # whose inverse is still a number
    return _Limits(spherical, np.where(constant, 1.0, floor), constant)


def _climb(
    X: npt.NDArray[Any], memberships: Floats32, limits: _Limits, tol: float, max_iter: int, team: Team
) -> _Climbed:
    """EM from given memberships."""
    soft, objectives = nobody(*memberships.shape)._replace(memberships=memberships), list[float]()
    for step in range(1, max_iter + 1):
        mixture = _maximise(X, soft.memberships, limits, team)
        soft = _expect(X, mixture, soft, team)
        objectives.append(float(soft.values.sum()))
        if step > 1 and objectives[-1] - objectives[-2] <= tol * len(X):
            return _Climbed(mixture, soft, objectives, step, True)
    return _Climbed(mixture, soft, objectives, max_iter, False)


def _maximise(X: npt.NDArray[Any], memberships: Floats32, limits: _Limits, team: Team) -> _Mixture:
    """π_k = n_k / N,  μ_kj = 1/n_k Σ_i u_ik x_ij,  σ²_kj = max(floor_j, 1/n_k Σ_i u_ik (x_ij - μ_kj)²)"""
    sizes = memberships.sum(axis=0, dtype=np.float64) + _NOBODY
    means = weighted_sums(X, X.shape[1], memberships, team) / sizes
    variances = np.zeros_like(means)
    team.share(X.shape[1], _add_squares, X, memberships, means, variances)
    variances /= sizes
    if limits.spherical and not limits.constant.all():
        variances[:] = variances[~limits.constant].mean(axis=0)
    variances = np.maximum(variances, limits.floor[:, None])
    variances[limits.constant] = 1
    return _Mixture(sizes / sizes.sum(), means, variances)


def _expect(X: npt.NDArray[Any], mixture: _Mixture, room: Soft, team: Team) -> Soft:
    """Memberships, written into `room`."""
    priors = np.log(mixture.weights) - 0.5 * np.log(2 * np.pi * mixture.variances).sum(axis=0)
    team.over(len(X), _posteriors, X, priors, mixture.means, 0.5 / mixture.variances, room)
    return room


def _settle(X: npt.NDArray[Any], mixture: _Mixture, room: Soft, team: Team) -> _Settled:
    """Clusters by falling number of items, those without one dropped, and what then belongs where.

    Ends: ties go to the lower number, so a new numbering only ever lets the larger of two tied clusters grow.
    """
    while True:
        k = len(mixture.weights)
        room = room if room.memberships.shape[1] == k else nobody(len(X), k)
        soft = _expect(X, mixture, room, team)
        order = by_size(soft.labels, k)
        if np.array_equal(order, np.arange(k)):
            return _Settled(mixture, soft)
        weights = mixture.weights[order]
        mixture = _Mixture(
            weights / weights.sum() if len(order) < k else weights,
            np.ascontiguousarray(mixture.means[:, order]),
            np.ascontiguousarray(mixture.variances[:, order]),
        )


@njit(nogil=True, cache=True)
def _posteriors(
    X: npt.NDArray[Any], priors: Floats64, means: Floats64, halves: Floats64, room: Soft, low: int, high: int
) -> None:
    """score_k = ln π_k - Σ_j ½ ln 2πσ²_kj - Σ_j (x_j - μ_kj)² / 2σ²_kj"""
    # X: N x features; priors: K; means, halves = 1 / 2σ²: features x K
    K = len(priors)
    scores = np.empty(K)
    for i in range(low, high):
        scores[:] = priors
        for j in range(X.shape[1]):
            value = np.float64(X[i, j])
            for k in range(K):
                gap = value - means[j, k]
                scores[k] -= gap * gap * halves[j, k]
        best = share_out(scores, 1.0, room.memberships[i])
        room.labels[i], room.second[i], room.values[i] = best.label, best.second, best.log_total


@njit(nogil=True, cache=True)
def _add_squares(
    X: npt.NDArray[Any], memberships: Floats32, means: Floats64, squares: Floats64, low: int, high: int
) -> None:
    """squares[j, k] = Σ_i u_ik (x_ij - μ_kj)²"""
    # X: N x features; memberships: N x K; means, squares: features x K
    for i in range(len(X)):
        for j in range(low, high):
            value = np.float64(X[i, j])
            for k in range(memberships.shape[1]):
                gap = value - means[j, k]
                squares[j, k] += memberships[i, k] * gap * gap
