"""EM for a mixture of multinomials: soft clusters of counts, each a distribution over words.

The model of naive Bayes without the classes: a document draws its cluster, then each of its words from the words of
that cluster. EM climbs to the next summit from where it starts, so two things come before it:

1. *start*: seeds and five steps of spherical k-means on ln(1 + O) idf. From random memberships it came out worse on
   each of three corpora (bench/em.py; 20 Newsgroups: AMI .47 against .61, k-means .59);
2. *annealing*: a hundred words leave hardly a document in doubt, so that plain EM does little more than hard
   assignment. Here no document speaks with more than two words at first, and with a fifth more each step (Ueda and
   Nakano 1998 temper all alike; limiting words treats snippets and articles alike). It ends at a higher likelihood,
   and nearer to gold classes where these are many (AMI .65; snippets .54 against .49; of three classes .946, not .955).

The E-step is one pass over the entries with K lanes abreast, the M-step the same over the transposed matrix.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._conventions import Prediction, by_size, check_count
from consilience.clusterings._numbers import check_above, check_tolerance, generator_of
from consilience.errors import InputError
from consilience.kernels.memberships import Soft, Team, by_feature, nobody, one_hot, share_out, weighted_sums
from consilience.kernels.rows import Floats32, Floats64, Labels, Rows, dots, rows_of
from consilience.kernels.starts import start_labels
from consilience.kernels.threads import thread_count

_WORDS = (2.0, 1.2, 200.0)  # annealing: words a document speaks with at first, growth per step, where the limit falls


class EmMultinomial(ClusterMixin, BaseEstimator):
    """A mixture of multinomials, fitted by EM (Nigam, McCallum, Thrun and Mitchell 2000, without labelled documents).

    With O_dw the counts and u_dk the memberships, maximises

        L = Σ_d ln Σ_k π_k Π_w θ_kw^O_dw  +  α Σ_kw ln θ_kw  +  Σ_k ln π_k

        E:  u_dk = π_k Π_w θ_kw^O_dw / Σ_j π_j Π_w θ_jw^O_dw
        M:  θ_kw = (α + Σ_d u_dk O_dw) / (α V + Σ_dw u_dk O_dw),   π_k = (1 + Σ_d u_dk) / (K + N)

    The last two terms of L are Dirichlet priors; no step at full length lowers L. Any weights from 0 on are taken as
    if they were counts, tf-idf too, though it has no such reading; there choose an α as small as the weights. Clusters
    are numbered by falling number of items whose largest membership is there, and those that have none are dropped.
    A row without counts has no word to go by: label -1, memberships 0.

    Settings
        n_clusters: how many clusters
        alpha: what is added to each count of a word in a cluster (Laplace: 1)
        annealing: limit the words of a document at first
        n_init: how many starts, of which the one that reaches the largest L is kept
        tol: the climb ends when a step raises L by less than this per item
        max_iter: steps at most, annealing included; a run that stops there warns
        random_state: seed or generator, the one source of chance
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: the cluster of each item's largest membership; equal to `predict` of the same items
        second_: its next best cluster, -1 if there is none
        memberships_: u, float32, N x K; each under 2^-26 of the largest is 0
        weights_: π
        log_probabilities_: ln θ, K x V
        objective_: L
        objectives_: L at each step after annealing
        n_iter_: steps taken
    """

    default_view: ClassVar[str] = "counts"

    labels_: Labels
    second_: Labels
    memberships_: Floats32
    weights_: Floats64
    log_probabilities_: Floats64
    objective_: float
    objectives_: Floats64
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 0.1,
        annealing: bool = True,
        n_init: int = 1,
        tol: float = 1e-3,
        max_iter: int = 300,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.annealing = annealing
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense, none of it negative."""
        for setting in ("n_clusters", "n_init", "max_iter"):
            check_count(setting, getattr(self, setting))
        check_above("alpha", self.alpha, 0, hint="; without it a word new to a cluster would rule that out")
        check_tolerance("tol", self.tol)
        counts = self._counts(X, reset=True)

        with Team(thread_count(self.n_jobs)) as team:
            items = _items(counts)
            runs = (
                _climb(items, self._start(counts, chance, team), self._plan(), team)
                for chance in generator_of(self.random_state).spawn(self.n_init)
            )
            best = max(runs, key=lambda run: run.objectives[-1] if len(run.objectives) else -np.inf)
            settled = _settle(items, best.mixture, self.alpha, best.soft, team)
        if not best.converged:
            message = f"EM was stopped by max_iter={self.max_iter} while steps still raised the likelihood"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)

        self.labels_, self.second_ = settled.soft.labels, settled.soft.second
        self.memberships_ = settled.soft.memberships
        self.weights_, self.log_probabilities_ = settled.mixture.weights, settled.mixture.logs.T
        self.objective_ = settled.objective
        self.objectives_ = np.array(best.objectives)
        self.n_iter_ = best.steps
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster of the largest membership of each row of X, -1 for a row without counts."""
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
        items = _items(self._counts(X, reset=False), turn=False)
        mixture = _Mixture(np.ascontiguousarray(self.log_probabilities_.T), self.weights_)
        with Team(thread_count(self.n_jobs)) as team:
            return _expect(items, mixture, np.inf, nobody(len(items.lengths), len(self.weights_)), team)

    def _counts(self, X: Any, *, reset: bool) -> sparse.csr_array:
        """Rows sorted, nothing stored twice, no zeros stored: what sparse and dense, of any type, have in common."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=reset)
        counts = sparse.csr_array(X)
        if counts.nnz and counts.data.min() < 0:
            raise InputError(
                f"Negative values in data, {counts.data.min():g} among them: em-multinomial takes counts or other "
                "weights from 0 on; for vectors with a sign use em-gaussian"
            )
        if not counts.has_canonical_format or not counts.data.all():
            counts = counts.copy()
            counts.sum_duplicates()
            counts.eliminate_zeros()
        return counts

    def _start(self, counts: sparse.csr_array, chance: np.random.Generator, team: Team) -> Floats32:
        """Memberships of 0 and 1 by k-means on ln(1 + O_dw) (1 + ln((1 + N) / (1 + df_w)))"""
        frequencies = np.bincount(counts.indices, minlength=counts.shape[1])
        idf = (1 + np.log((1 + counts.shape[0]) / (1 + frequencies))).astype(np.float32)
        weights = np.log1p(counts.data) * idf[counts.indices]
        weighted = sparse.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        labels = start_labels(weighted, self.n_clusters, cosine=True, chance=chance, threads=team)
        return one_hot(labels, int(labels.max(initial=-1)) + 1)

    def _plan(self) -> _Plan:
        return _Plan(float(self.alpha), bool(self.annealing), float(self.tol), self.max_iter)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class _Items(NamedTuple):
    rows: Rows
    columns: Any  # the same turned, for sums by word
    lengths: Floats64  # Σ_w O_dw
    words: int


class _Mixture(NamedTuple):
    logs: Floats64  # ln θ, words x K
    weights: Floats64  # π


class _Plan(NamedTuple):
    alpha: float
    annealing: bool
    tol: float
    max_iter: int


class _Climbed(NamedTuple):
    mixture: _Mixture
    soft: Soft
    objectives: list[float]
    steps: int
    converged: bool


class _Settled(NamedTuple):
    mixture: _Mixture
    soft: Soft
    objective: float


def _items(counts: sparse.csr_array, *, turn: bool = True) -> _Items:
    lengths = np.bincount(
        np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)), counts.data, minlength=counts.shape[0]
    )
    columns = by_feature(counts) if turn else None
    return _Items(rows_of(counts), columns, lengths.astype(np.float64), counts.shape[1])


def _climb(items: _Items, memberships: Floats32, plan: _Plan, team: Team) -> _Climbed:
    """EM from given memberships. In step s no item counts as longer than 2 * 1.2^s words, until that is 200."""
    soft = nobody(*memberships.shape)._replace(memberships=memberships)
    some, objectives = np.count_nonzero(items.lengths), list[float]()
    limit, growth, last = _WORDS if plan.annealing and memberships.shape[1] > 1 else (np.inf, 1.0, np.inf)
    mixture = _maximise(items, memberships, plan.alpha, team)
    for step in range(1, plan.max_iter + 1):
        if step > 1:
            mixture = _maximise(items, soft.memberships, plan.alpha, team)
        soft = _expect(items, mixture, limit, soft, team)
        if limit < np.inf:
            limit = limit * growth if limit * growth < last else np.inf
            continue
        objectives.append(_objective(mixture, soft, plan.alpha))
        if len(objectives) > 1 and objectives[-1] - objectives[-2] <= plan.tol * some:
            return _Climbed(mixture, soft, objectives, step, True)
    return _Climbed(mixture, soft, objectives, plan.max_iter, False)


def _maximise(items: _Items, memberships: Floats32, alpha: float, team: Team) -> _Mixture:
    """θ_kw = (α + Σ_d u_dk O_dw) / (α V + Σ_dw u_dk O_dw),  π_k = (1 + Σ_d u_dk) / (K + N)"""
    logs = weighted_sums(items.columns, items.words, memberships, team)
    logs += alpha
    totals = logs.sum(axis=0)
    np.log(logs, out=logs)
    logs -= np.log(totals)
    sizes = 1 + memberships.sum(axis=0, dtype=np.float64)
    return _Mixture(logs, sizes / sizes.sum())


def _expect(items: _Items, mixture: _Mixture, limit: float, room: Soft, team: Team) -> Soft:
    """Memberships, written into `room`; an item longer than `limit` counts as if it had that many words."""
    if len(mixture.weights):
        power = np.minimum(1, limit / np.maximum(items.lengths, 1e-300))
        team.over(len(power), _posteriors, items.rows, power, mixture.logs, np.log(mixture.weights), room)
    return room


def _objective(mixture: _Mixture, soft: Soft, alpha: float) -> float:
    return float(soft.values.sum() + alpha * mixture.logs.sum() + np.log(mixture.weights).sum())


def _settle(items: _Items, mixture: _Mixture, alpha: float, room: Soft, team: Team) -> _Settled:
    """Clusters by falling number of items, those without one dropped, and what then belongs where.

    Ends: ties go to the lower number, so a new numbering only ever lets the larger of two tied clusters grow.
    """
    while True:
        k = len(mixture.weights)
        room = room if room.memberships.shape[1] == k else nobody(len(items.lengths), k)
        soft = _expect(items, mixture, np.inf, room, team)
        order = by_size(soft.labels, k)
        if np.array_equal(order, np.arange(k)):
            return _Settled(mixture, soft, _objective(mixture, soft, alpha))
        weights = mixture.weights[order]
        weights = weights / weights.sum() if len(order) < k else weights
        mixture = _Mixture(np.ascontiguousarray(mixture.logs[:, order]), weights)


@njit(nogil=True, cache=True)
def _posteriors(rows: Rows, power: Floats64, logs: Floats64, priors: Floats64, room: Soft, low: int, high: int) -> None:
    """score_k = ln π_k + power Σ_w O_dw ln θ_kw"""
    # rows, power: N; logs: words x K; priors: K
    scores = np.empty(len(priors))
    for i in range(low, high):
        if rows.starts[i] == rows.starts[i + 1]:
            room.memberships[i] = 0
            room.labels[i] = room.second[i] = -1
            room.values[i] = 0
            continue
        dots(rows, i, logs, scores)
        for k in range(len(scores)):
            scores[k] = priors[k] + power[i] * scores[k]
        best = share_out(scores, 1.0, room.memberships[i])
        room.labels[i], room.second[i], room.values[i] = best.label, best.second, best.log_total
