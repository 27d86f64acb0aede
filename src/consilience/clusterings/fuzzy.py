"""Fuzzy c-means: every item belongs to every cluster, to a degree; overlapping clusters by a threshold on it.

How soft the result is, the exponent m says, and text needs it much nearer to 1 than the customary 2: in thousands of
features the squared distances from two centres differ by a few percent, and (d²/d'²)^(1/(m-1)) makes a choice of that
only for a large power. With m = 2 the largest of 20 memberships of a newsgroup post is .05 on average, as if drawn
blindly; with the default 1.02 it is .76, and the clusters are no worse than those of k-means (20 Newsgroups: AMI .60
against .59; snippets .44 against .39). LSI, with its hundred features, takes m about 1.1; a handful of features 2.
Numbers by bench/em.py.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numba import njit
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._conventions import Prediction, by_size, check_count
from consilience.clusterings._numbers import check_above, check_tolerance, generator_of
from consilience.errors import SettingError
from consilience.kernels.memberships import Soft, Team, by_feature, nobody, one_hot, share_out, weighted_sums
from consilience.kernels.rows import Floats32, Floats64, Labels, Rows, column_squares, dots, rows_of, squares
from consilience.kernels.starts import start_labels
from consilience.kernels.threads import thread_count

_SAME = 1e-13  # an item is at a centre if their squared distance is under this share of their squares: rounding


class Fuzzy(ClusterMixin, BaseEstimator):
    """Fuzzy c-means (Bezdek 1981).

    With u_ik the memberships, Σ_k u_ik = 1, minimises

        J = Σ_i Σ_k u_ik^m d²_ik,   m > 1

        memberships:  u_ik = 1 / Σ_l (d²_ik / d²_il)^(1/(m-1));  at a centre: 1, shared by the centres there

        metric="euclidean"   d²_ik = ||x_i - c_k||²,  c_k = Σ_i u_ik^m x_i / Σ_i u_ik^m
        metric="cosine"      d²_ik = ||x_i/||x_i|| - c_k||² = 2 - 2 cos(x_i, c_k),
                             c_k = S_k / ||S_k||,  S_k = Σ_i u_ik^m x_i/||x_i||

    Each half of a step is the minimum with the other half held, so J never rises. Starts are seeds and five steps of
    k-means. Clusters are numbered by falling number of items whose largest membership is there; those that have
    none are dropped, and memberships computed over the others. For the cosine a row of zeros has no direction: its
    label is -1, its memberships are 0.

    Settings
        n_clusters: how many clusters
        m: the exponent; towards 1 memberships become 0 and 1, with growing m all become equal. 1.02 for tf-idf, 1.1
            for LSI, 2 for a handful of features
        metric: "cosine" or "euclidean"
        n_init: how many starts, of which the one that reaches the least J is kept
        tol: the descent ends when a step lowers J by less than this share of it
        max_iter: steps at most; a run that stops there warns
        random_state: seed or generator, the one source of chance
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: the cluster of each item's largest membership; equal to `predict` of the same items
        second_: its next best cluster, -1 if there is none
        memberships_: u, float32, N x K; each under 2^-26 of the largest is 0
        cluster_centers_: c, K x features
        objective_: J
        objectives_: J at each step
        n_iter_: steps taken
    """

    default_view: ClassVar[str] = "tfidf-log"

    labels_: Labels
    second_: Labels
    memberships_: Floats32
    cluster_centers_: Floats64
    objective_: float
    objectives_: Floats64
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        m: float = 1.02,
        metric: str = "cosine",
        n_init: int = 1,
        tol: float = 1e-5,
        max_iter: int = 300,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.m = m
        self.metric = metric
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense."""
        for setting in ("n_clusters", "n_init", "max_iter"):
            check_count(setting, getattr(self, setting))
        check_above("m", self.m, 1, hint="; at 1 it would be kmeans")
        if self.metric not in ("cosine", "euclidean"):
            raise SettingError(f"metric must be 'cosine' or 'euclidean', it is {self.metric!r}")
        check_tolerance("tol", self.tol)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32)

        with Team(thread_count(self.n_jobs)) as team:
            items = _items(X, self.metric == "cosine", float(self.m), team)
            runs = (
                _descend(items, self._weights(items, chance, team), float(self.tol), self.max_iter, team)
                for chance in generator_of(self.random_state).spawn(self.n_init)
            )
            best = min(runs, key=lambda run: run.objectives[-1])
            settled = _settle(items, best.centres, best.room, team)
        if not best.converged:
            message = f"fuzzy c-means was stopped by max_iter={self.max_iter} while steps still lowered its error"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)

        self.labels_, self.second_ = settled.soft.labels, settled.soft.second
        self.memberships_ = settled.soft.memberships
        self.cluster_centers_ = settled.centres.T
        self.objective_ = float(settled.soft.values.sum())
        self.objectives_ = np.array(best.objectives)
        self.n_iter_ = best.steps
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster of the largest membership of each row of X (-1 for a row of zeros under the cosine)."""
        return self._soft(X).labels

    def predict_two(self, X: Any) -> Prediction:
        """The cluster of the largest membership of each row of X, and the next."""
        soft = self._soft(X)
        return Prediction(soft.labels, soft.second)

    def predict_memberships(self, X: Any) -> Floats32:
        """How far each row of X belongs to each cluster: u, float32, rows x K."""
        return self._soft(X).memberships

    def _soft(self, X: Any) -> Soft:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        with Team(thread_count(self.n_jobs)) as team:
            items = _items(X, self.metric == "cosine", float(self.m), team)
            room = nobody(X.shape[0], len(self.cluster_centers_))
            return _expect(items, np.ascontiguousarray(self.cluster_centers_.T), room, team)

    def _weights(self, items: _Items, chance: np.random.Generator, team: Team) -> Floats32:
        """Weights from memberships of 0 and 1 by k-means."""
        labels = start_labels(items.X, self.n_clusters, cosine=items.cosine, chance=chance, threads=team)
        return one_hot(labels, int(labels.max(initial=-1)) + 1) * items.scale[:, None].astype(np.float32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Items(NamedTuple):
    """The rows, with u_i = scale[i] x_i and lengths[i] = ||u_i||²; under the cosine a row of zeros has scale 0."""

    X: Any
    rows: Rows
    scale: Floats64
    lengths: Floats64
    cosine: bool
    m: float


class _Descended(NamedTuple):
    centres: Floats64  # features x K
    room: Soft
    objectives: list[float]
    steps: int
    converged: bool


class _Settled(NamedTuple):
    centres: Floats64
    soft: Soft


def _items(X: Any, cosine: bool, m: float, team: Team) -> _Items:
    rows, lengths = rows_of(X), np.empty(X.shape[0])
    team.over(len(lengths), squares, rows, lengths)
    if not cosine:
        return _Items(X, rows, np.ones(len(lengths)), lengths, cosine, m)
    some = lengths > 0
    scale = np.where(some, 1 / np.sqrt(np.where(some, lengths, 1)), 0.0)
    return _Items(X, rows, scale, some.astype(np.float64), cosine, m)


def _descend(items: _Items, weights: Floats32, tol: float, max_iter: int, team: Team) -> _Descended:
    """Centres and memberships in turns, from given weights: scale u^m, what the items' rows count in a centre."""
    columns, room = by_feature(items.X), nobody(*weights.shape)._replace(memberships=weights)
    centres, objectives = np.zeros((items.X.shape[1], weights.shape[1])), list[float]()
    for step in range(1, max_iter + 1):
        centres = _centres(items, columns, room.memberships, centres, team)
        room = _expect(items, centres, room, team, weighing=True)
        objectives.append(float(room.values.sum()))
        if step > 1 and objectives[-2] - objectives[-1] <= tol * objectives[-2]:
            return _Descended(centres, room, objectives, step, True)
    return _Descended(centres, room, objectives, max_iter, False)


def _centres(items: _Items, columns: Any, weights: Floats32, before: Floats64, team: Team) -> Floats64:
    """S_k / ||S_k||, or S_k / Σ_i u_ik^m; a centre that nothing weighs for stays"""
    sums = weighted_sums(columns, len(before), weights, team)
    by = np.sqrt(column_squares(sums)) if items.cosine else weights.sum(axis=0, dtype=np.float64)
    return np.where(by > 0, sums / np.where(by > 0, by, 1), before)


def _expect(items: _Items, centres: Floats64, room: Soft, team: Team, *, weighing: bool = False) -> Soft:
    """Memberships, or the weights that centres are made with, and what each item adds to J, written into `room`."""
    if centres.shape[1]:
        scale = items.scale if weighing else np.ones(len(items.scale))
        team.over(
            len(scale),
            _nearness,
            items.rows,
            items.scale,
            items.lengths,
            items.m,
            centres,
            column_squares(centres),
            items.m if weighing else 1.0,
            scale,
            room,
        )
    return room


def _settle(items: _Items, centres: Floats64, room: Soft, team: Team) -> _Settled:
    """Clusters by falling number of items, those without one dropped, and what then belongs where.

    Ends: ties go to the lower number, so a new numbering only ever lets the larger of two tied clusters grow.
    """
    while True:
        k = centres.shape[1]
        room = room if room.memberships.shape[1] == k else nobody(len(items.lengths), k)
        soft = _expect(items, centres, room, team)
        order = by_size(soft.labels, k)
        if np.array_equal(order, np.arange(k)):
            return _Settled(centres, soft)
        centres = np.ascontiguousarray(centres[:, order])


@njit(nogil=True, cache=True)
def _nearness(
    rows: Rows,
    scale: Floats64,
    lengths: Floats64,
    m: float,
    centres: Floats64,
    squares: Floats64,
    power: float,
    factors: Floats64,
    room: Soft,
    low: int,
    high: int,
) -> None:
    """score_k = -ln d²_k / (m - 1), of which the memberships are the shares; J_i = (Σ_k exp score_k)^(1-m)"""
    # rows, scale, lengths: N; centres: features x K; squares: K, theirs; what is written: factors[i] u ** power
    K = len(squares)
    scores = np.empty(K)
    for i in range(low, high):
        if scale[i] == 0:
            room.memberships[i] = 0
            room.labels[i] = room.second[i] = -1
            room.values[i] = 0
            continue
        dots(rows, i, centres, scores)
        at_a_centre = False
        for k in range(K):
            both = lengths[i] + squares[k]
            distance = both - 2 * scale[i] * scores[k]
            if distance <= _SAME * both:
                at_a_centre = True
                distance = 0.0
            scores[k] = distance
        for k in range(K):
            if at_a_centre:
                scores[k] = 0.0 if scores[k] == 0 else -np.inf
            else:
                scores[k] = -np.log(scores[k]) / (m - 1)
        best = share_out(scores, power, room.memberships[i])
        for k in range(K):
            room.memberships[i, k] *= factors[i]
        room.labels[i], room.second[i] = best.label, best.second
        room.values[i] = 0.0 if at_a_centre else np.exp((1 - m) * best.log_total)
