"""K-means, spherical (cosine) or classical (Euclidean): fast on sparse text, and the default.

One loop serves both metrics. A step has two halves:

1. *propose*: every item that could gain is priced against all K clusters as they stand, in blocks on threads;
2. *apply*: the proposals are gone through in the items' order; one that still gains, priced against the sums as
   they have become, moves, and the two sums follow at once.

The price of a move is the change of the objective itself with the item counted in (Hartigan's exchange; the "first
variation" of Dhillon, Guan and Kogan 2002), not the distance to a centre as in Lloyd's iteration. Every move raises
the objective, so the loop ends; no cluster can lose its last item; and where it ends no single move helps, which few
of Lloyd's fixed points can say. Measured on 20 Newsgroups it ends 0.4 % above Lloyd's iteration from equal starts.

Most items need no pricing: an item whose own cluster was ahead by more than the centres have drifted since is passed
over (Hamerly 2010; for cosines Schubert, Lang and Feher 2021). The full drift is a worst case: on the way only a
share of it is charged, and before the end every item is priced once more against sums made from scratch.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._conventions import Prediction, by_size, check_count
from consilience.clusterings._numbers import generator_of
from consilience.errors import InputError, SettingError
from consilience.kernels.rows import (
    Floats32,
    Floats64,
    Labels,
    Nearest,
    Rows,
    add_up,
    column_squares,
    dots,
    nearest,
    rows_of,
    squares,
)
from consilience.kernels.starts import CANDIDATES, SAME, distances_to, write_rows
from consilience.kernels.threads import Threads, thread_count

_DRIFT = 0.15  # share of the worst-case drift charged on the way: on 20 Newsgroups an item is priced 27 times, else 40
_SEEDBED = 5_000  # rows (or 50 per cluster) from which seeds are drawn where there are twice as many: no worse
_SAMPLE = 10_000  # rows (or 100 per cluster) on which a start is worked out where there are four times as many
_LEAST = 1e-6  # a gain under this share of its terms is rounding


class KMeans(ClusterMixin, BaseEstimator):
    """K-means.

    With C_r the items of cluster r and S_r = Σ_{i in C_r} u_i:

        metric="cosine"      u_i = x_i / ||x_i||,  maximise  Q = Σ_r ||S_r|| = Σ_r Σ_{i in C_r} cos(x_i, S_r)
                             (spherical k-means: Dhillon and Modha 2001; mu1 of Zaharie et al. 2007, eq. 3)
        metric="euclidean"   u_i = x_i,  minimise  E = Σ_r Σ_{i in C_r} ||x_i - S_r / n_r||²   (MacQueen 1967)

    Starts are drawn by k-means++ (Arthur and Vassilvitskii 2007), the best of eight candidates each time. Clusters
    are numbered by falling size. Fewer distinct rows than `n_clusters` give fewer clusters. For the cosine a row of
    zeros has no direction: its label is -1. Arithmetic is in single precision, which suits text; take the mean off
    dense data that lie far from the origin.

    Settings
        n_clusters: how many clusters
        metric: "cosine" or "euclidean"
        n_init: how many starts, of which the best result is kept
        max_iter: steps at most; a run that stops there warns
        random_state: seed or generator, the one source of chance
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: cluster of each item; equal to `predict` of the same items
        second_: its next best cluster, -1 if there is none
        cluster_centers_: float32, K x features; unit rows for the cosine, means for Euclid
        objective_: Q or E of `labels_`
        inertia_: E about `cluster_centers_`, for metric="euclidean" only
        n_iter_: steps taken
    """

    labels_: Labels
    second_: Labels
    cluster_centers_: Floats32
    objective_: float
    inertia_: float
    n_iter_: int
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "cosine",
        n_init: int = 1,
        max_iter: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense."""
        for setting in ("n_clusters", "n_init", "max_iter"):
            check_count(setting, getattr(self, setting))
        if self.metric not in ("cosine", "euclidean"):
            raise SettingError(f"metric must be 'cosine' or 'euclidean', it is {self.metric!r}")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32)
        generator = generator_of(self.random_state)

        with Threads(thread_count(self.n_jobs)) as threads:
            items = _items(X, self.metric == "cosine", threads)
            runs = (
                _run(X, items, self.n_clusters, chance, self.max_iter, threads)
                for chance in generator.spawn(self.n_init)
            )
            best = max(runs, key=lambda run: run.quality)
        if not best.converged:
            message = f"k-means was stopped by max_iter={self.max_iter} while moves still helped"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)

        self.labels_, self.second_ = best.labels, best.second
        self.cluster_centers_ = best.centres.T
        self.n_iter_ = best.steps
        self.objective_ = best.quality if items.cosine else -best.quality
        if not items.cosine:
            self.inertia_ = best.inertia
        return self

    def predict(self, X: Any) -> Labels:
        """The nearest cluster of each row of X (-1 for a row of zeros under the cosine)."""
        return self.predict_two(X).labels

    def predict_two(self, X: Any) -> Prediction:
        """The nearest cluster of each row of X, and the next."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        with Threads(thread_count(self.n_jobs)) as threads:
            items = _items(X, self.metric == "cosine", threads)
            found = _nearest(items, np.ascontiguousarray(self.cluster_centers_.T), threads)
        return Prediction(found.labels, found.second)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Items(NamedTuple):
    """The rows, with u_i = weights[i] x_i and squares[i] = ||u_i||²; a row of weight 0 takes no part."""

    rows: Rows
    weights: Floats32
    squares: Floats64
    features: int
    cosine: bool


class _State(NamedTuple):
    """A partition on its way, and what is known of each item and each cluster."""

    labels: Labels
    wanted: Labels  # the cluster an item proposes to move to; its own where it proposes nothing
    near: Floats32  # at least what leaving costs an item (Euclid: at most its distance from its own centre)
    far: Floats32  # at most what joining another cluster brings (Euclid: at least the root of what it costs)
    priced: npt.NDArray[np.uint8]  # 0 where near and far are void
    into: Floats32  # u·S of the wanted cluster when it was proposed
    out_of: Floats32  # u·S of the own cluster then
    sums: Floats32  # S, features x K
    lengths: Floats64  # ||S_r||²
    sizes: npt.NDArray[np.int64]  # n_r


class _Prices(NamedTuple):
    """Per cluster. Cosine: u·S_r scale is the cosine with the centre, and an exchange differs from cosines by at most
    `bias`. Euclid: ||u||² - 2 (u·S_r scale + bias) is d², the squared distance from the centre; joining costs
    `joining` d², leaving saves `leaving` d²."""

    scale: Floats32
    bias: Floats32
    joining: Floats32
    leaving: Floats32
    own_drift: Floats32
    other_drift: Floats32
    shrink: float  # by how much the least cost of joining may have shrunk because clusters became smaller


class _Drift(NamedTuple):
    way: Floats64
    shrink: float


class _Climbed(NamedTuple):
    labels: Labels
    clusters: int
    steps: int
    converged: bool


class _Run(NamedTuple):
    labels: Labels
    second: Labels
    centres: Floats32  # features x K
    quality: float  # Q or -E
    inertia: float
    steps: int
    converged: bool


class _Settled(NamedTuple):
    centres: Floats32
    found: Nearest


def _items(X: Any, cosine: bool, threads: Threads) -> _Items:
    rows = rows_of(X)
    lengths = np.empty(len(rows.starts) - 1)
    threads.over(len(lengths), squares, rows, lengths)
    weights = np.ones(len(lengths), dtype=np.float32)
    if cosine:
        some = lengths > 1e-60  # below, 1 / ||x|| is beyond float32
        weights[:] = 0
        weights[some] = 1 / np.sqrt(lengths[some])
        lengths = some.astype(np.float64)
    elif lengths.max(initial=0) > 1e30:
        raise InputError("values are too large for squared distances in single precision; divide them by a constant")
    return _Items(rows, weights, lengths, X.shape[1], cosine)


def _run(X: Any, items: _Items, k: int, chance: np.random.Generator, max_iter: int, threads: Threads) -> _Run:
    """One start, followed to its end."""
    climbed = _climb(items, _start(X, items, k, chance, threads), max_iter, threads)
    centres, found = _settle(items, _centres(items, climbed.labels, climbed.clusters), threads)
    sums = _sums(items, found.labels, centres.shape[1])
    lengths, sizes = column_squares(sums), np.bincount(found.labels[found.labels >= 0], minlength=centres.shape[1])
    total, across = float(items.squares.sum()), float(np.einsum("jr,jr->", sums, centres))
    quality = float(np.sqrt(lengths).sum()) if items.cosine else float((lengths / sizes).sum()) - total
    inertia = total - 2 * across + float((sizes * column_squares(centres)).sum())
    return _Run(found.labels, found.second, centres, quality, max(inertia, 0.0), climbed.steps, climbed.converged)


def _start(X: Any, items: _Items, k: int, chance: np.random.Generator, threads: Threads) -> Floats32:
    """Centres to begin with: seeds or, where rows are plenty, what a run over a sample of them ends with."""
    rows = np.flatnonzero(items.weights)
    few = max(_SAMPLE, 100 * k)
    if len(rows) >= 4 * few:
        part = _items(X[np.sort(chance.choice(rows, few, replace=False))], items.cosine, threads)
        seeds = _seeds(part, np.arange(few), k, chance, threads)
        if seeds.shape[1] == k:
            climbed = _climb(part, seeds, 100, threads)
            return _centres(part, climbed.labels, climbed.clusters)
    few = max(_SEEDBED, 50 * k)
    if len(rows) >= 2 * few:
        seeds = _seeds(items, np.sort(chance.choice(rows, few, replace=False)), k, chance, threads)
        if seeds.shape[1] == k:
            return seeds
    return _seeds(items, rows, k, chance, threads)  # a sample may hold fewer distinct rows than there are


def _seeds(
    items: _Items, rows: npt.NDArray[np.int64], k: int, chance: np.random.Generator, threads: Threads
) -> Floats32:
    """Greedy k-means++: among rows drawn by their squared distance from the seeds so far, the one that lowers the sum
    of these the most. Ends early where no row is left at a distance."""
    seeds = np.zeros((items.features, k), dtype=np.float32)
    tried = np.zeros((items.features, CANDIDATES), dtype=np.float32)
    after = np.empty((len(rows), CANDIDATES), dtype=np.float32)
    distances = np.full(len(rows), np.inf, dtype=np.float32)
    nothing = np.zeros_like(items.weights)
    for r in range(min(k, len(rows))):
        if r == 0:
            drawn = chance.integers(len(rows), size=CANDIDATES)
            drawn[1:] = drawn[0]  # without a distance yet, the first is drawn blindly: best of several is an outlier
        else:
            cumulated = np.cumsum(distances, dtype=np.float64)
            if cumulated[-1] == 0:
                return seeds[:, :r].copy()
            drawn = np.searchsorted(cumulated, chance.random(CANDIDATES) * cumulated[-1], side="right")
            drawn = np.minimum(drawn, np.flatnonzero(distances)[-1])  # a product may round up to the total
        chosen = rows[drawn]
        write_rows(items.rows, items.weights, chosen, tried)
        threads.over(len(rows), distances_to, items, rows, tried, items.squares[chosen], distances, after)
        best = int(after.sum(axis=0, dtype=np.float64).argmin())
        seeds[:, r] = tried[:, best]
        distances = after[:, best].copy()
        write_rows(items.rows, nothing, chosen, tried)
    return seeds[:, : len(rows)]


def _climb(items: _Items, centres: Floats32, max_iter: int, threads: Threads) -> _Climbed:
    """From centres to a partition that no single move improves, or to the last step allowed."""
    labels = _close_gaps(_nearest(items, centres, threads).labels)
    k = int(labels.max(initial=-1)) + 1
    if k < 2:
        return _Climbed(labels, k, 1, True)
    state, drift, proof = _state(items, labels, k), _Drift(np.zeros(k), 1.0), True
    for step in range(1, max_iter + 1):
        lengths, sizes = state.lengths.copy(), state.sizes.copy()
        threads.over(len(labels), _propose, items, state, _prices(items.cosine, state, drift))
        turned = np.zeros(k)
        if _apply(items, state, turned):
            drift = _drift(items.cosine, lengths, sizes, state, turned)
            proof = False
        elif proof:
            return _Climbed(labels, k, step, True)
        else:  # nothing moves: prove it, every item priced against sums made from scratch
            state, drift, proof = _state(items, labels, k), _Drift(np.zeros(k), 1.0), True
    return _Climbed(labels, k, max_iter, False)


def _state(items: _Items, labels: Labels, k: int) -> _State:
    count = len(labels)
    sums = _sums(items, labels, k)
    floats = [np.zeros(count, dtype=np.float32) for _ in range(4)]
    return _State(
        labels,
        labels.copy(),
        floats[0],
        floats[1],
        np.zeros(count, dtype=np.uint8),
        floats[2],
        floats[3],
        sums.astype(np.float32),
        column_squares(sums),
        np.bincount(labels[labels >= 0], minlength=k),
    )


def _prices(cosine: bool, state: _State, drift: _Drift) -> _Prices:
    order = np.argsort(drift.way)
    other = np.full(len(order), drift.way[order[-1]])
    other[order[-1]] = drift.way[order[-2]]
    n = state.sizes.astype(np.float64)
    if cosine:
        norms = np.sqrt(state.lengths)
        scale = np.where(norms > 1e-6, 1 / np.maximum(norms, 1e-6), 0)  # opposite rows may cancel out
        bias = _share(state.lengths)
    else:
        scale, bias = 1 / n, -state.lengths / (2 * n * n)
    leaving = np.where(n > 1, n / np.maximum(n - 1, 1), np.inf)
    arrays = (scale, bias, n / (n + 1), leaving, drift.way, other)
    single = [array.astype(np.float32) for array in arrays]
    return _Prices(single[0], single[1], single[2], single[3], single[4], single[5], drift.shrink)


def _share(lengths: Floats64) -> Floats64:
    """The exchange's own part of a gain: with N = ||S||, s = u·S/N and h = N - sqrt(N² - 1), joining brings at most
    s + h and leaving costs at least s - h, whatever s."""
    norms = np.sqrt(lengths)
    return np.where(lengths > 1, norms - np.sqrt(np.maximum(lengths - 1, 0)), 1 + norms)


def _drift(cosine: bool, lengths: Floats64, sizes: Any, state: _State, turned: Floats64) -> _Drift:
    """How far each centre has gone, from ||S||² before and after and turned = S_before·(S_after - S_before)."""
    inner = lengths + turned
    if cosine:
        both = np.sqrt(lengths * state.lengths)
        squared = np.where(both > 0, np.maximum(2 - 2 * inner / np.maximum(both, 1e-12), 0), 4)
        way = np.sqrt(squared + 1e-7) + np.abs(_share(state.lengths) - _share(lengths))
        return _Drift(_DRIFT * way, 1.0)
    old, new = sizes.astype(np.float64), state.sizes.astype(np.float64)
    length = state.lengths / new**2
    squared = np.maximum(lengths / old**2 + length - 2 * inner / (old * new), 0)
    way = np.sqrt(squared + 1e-6 * length)  # rounding: what float32 leaves of ||S/n||²
    return _Drift(_DRIFT * way, float(np.sqrt((new / (new + 1)) / (old / (old + 1))).min(initial=1.0)))


def _settle(items: _Items, centres: Floats32, threads: Threads) -> _Settled:
    """The final centres, by falling size of what is nearest to them, and who that is.

    A cluster left empty starts anew from the item worst served, once; with no item to start from it is dropped.
    Ends: ties go to the lower number, so a new numbering only ever lets the larger of two tied clusters grow.
    """
    chances = centres.shape[1]
    while True:
        found = _nearest(items, centres, threads)
        order = by_size(found.labels, centres.shape[1])
        empty = np.setdiff1d(np.arange(centres.shape[1]), order)
        worst = int(found.distances.argmax()) if len(found.distances) else 0
        if len(empty) and chances and found.distances[worst] > 2 * SAME * items.squares[worst]:
            chances -= 1
            centres[:, empty[0]] = 0
            write_rows(items.rows, items.weights, np.array([worst]), centres[:, empty[0] : empty[0] + 1])
        elif np.array_equal(order, np.arange(centres.shape[1])):
            return _Settled(centres, found)
        else:
            centres = np.ascontiguousarray(centres[:, order])


def _nearest(items: _Items, centres: Floats32, threads: Threads) -> Nearest:
    half = np.full(centres.shape[1], 0.5) if items.cosine else column_squares(centres) / 2
    return nearest(items.rows, items.weights, items.squares, centres, half.astype(np.float32), threads)


def _sums(items: _Items, labels: Labels, k: int) -> Floats64:
    sums = np.zeros((items.features, k))
    add_up(items.rows, items.weights, labels, sums)
    return sums


def _centres(items: _Items, labels: Labels, k: int) -> Floats32:
    """Unit vectors along S_r, or the means S_r / n_r; float32, features x K."""
    sums = _sums(items, labels, k)
    lengths = column_squares(sums)
    by = np.sqrt(lengths) if items.cosine else np.bincount(labels[labels >= 0], minlength=k).astype(np.float64)
    sums /= np.where(by > 0, by, 1)  # opposite rows may cancel out: then the centre is zero, at a cosine of 0 to all
    return sums.astype(np.float32)


def _close_gaps(labels: Labels) -> Labels:
    """The same partition with clusters numbered 0, 1, ... without gaps."""
    used = np.bincount(labels[labels >= 0]) > 0
    return np.where(labels >= 0, (np.cumsum(used) - 1)[labels] if len(used) else 0, -1).astype(np.int32)


@njit(nogil=True, cache=True, fastmath={"contract"})
def _propose(items: _Items, state: _State, prices: _Prices, low: int, high: int) -> None:
    """Where would each item gain the most? Priced against sums that stand still."""
    K = state.sums.shape[1]
    products = np.empty(K, dtype=np.float32)
    brings = np.empty(K, dtype=np.float32)
    norms = np.sqrt(state.lengths)
    for i in range(low, high):
        a = state.labels[i]
        state.wanted[i] = a
        if a < 0 or state.sizes[a] < 2:
            continue
        if state.priced[i]:
            if items.cosine:
                state.near[i] -= prices.own_drift[a]
                state.far[i] += prices.other_drift[a]
            else:
                state.near[i] += prices.own_drift[a]
                state.far[i] = state.far[i] * prices.shrink - prices.other_drift[a]
            if _secure(items.cosine, state.near[i], state.far[i], prices.leaving[a]):
                continue
        dots(items.rows, i, state.sums, products)
        w, square = items.weights[i], np.float32(items.squares[i])
        most = np.float32(-np.inf)  # bound of what joining another cluster brings
        for k in range(K):
            score = w * products[k] * prices.scale[k] + prices.bias[k]
            brings[k] = score if items.cosine else (2 * score - square) * prices.joining[k]
            most = max(most, brings[k] if k != a else np.float32(-np.inf))
        own = w * products[a] * prices.scale[a]
        if items.cosine:
            state.near[i], state.far[i] = own - prices.bias[a], most
        else:
            state.near[i] = np.sqrt(max(np.float32(0), square - 2 * (own + prices.bias[a])))
            state.far[i] = np.sqrt(max(np.float32(0), -most))
        state.priced[i] = 1
        if _secure(items.cosine, state.near[i], state.far[i], prices.leaving[a]):
            continue
        least = state.near[i] if items.cosine else most
        best, b = -np.inf, a
        for k in range(K):
            # only a cluster whose bound reaches the least needed can be the best: most square roots are spared
            if k != a and brings[k] >= least:
                gain = _joining(items.cosine, w * products[k], square, state.lengths[k], norms[k], state.sizes[k])
                if gain > best:
                    best, b = gain, k
        loss = _leaving(items.cosine, w * products[a], square, state.lengths[a], norms[a], state.sizes[a])
        if best - loss > _LEAST * _terms(items.cosine, square, state.lengths[a], state.sizes[a]):
            state.wanted[i] = b
            state.into[i], state.out_of[i] = w * products[b], w * products[a]


@njit(nogil=True, cache=True)
def _apply(items: _Items, state: _State, turned: Floats64) -> int:
    """Carries out the proposals that still gain; returns how many. turned[r] = S_r before · change of S_r"""
    rows, sums = items.rows, state.sums
    moved = 0
    for i in range(len(state.labels)):
        a, b = state.labels[i], state.wanted[i]
        if a == b:
            continue
        state.priced[i] = 0
        if state.sizes[a] < 2:
            continue
        w, square, shift = items.weights[i], items.squares[i], i * rows.width
        into, out_of = 0.0, 0.0
        for p in range(rows.starts[i], rows.starts[i + 1]):
            j, value = rows.columns[p - shift], w * rows.values[p]
            into += value * sums[j, b]
            out_of += value * sums[j, a]
        gain = _joining(items.cosine, into, square, state.lengths[b], np.sqrt(state.lengths[b]), state.sizes[b])
        loss = _leaving(items.cosine, out_of, square, state.lengths[a], np.sqrt(state.lengths[a]), state.sizes[a])
        if gain - loss <= _LEAST * _terms(items.cosine, square, state.lengths[a], state.sizes[a]):
            continue
        for p in range(rows.starts[i], rows.starts[i + 1]):
            j, value = rows.columns[p - shift], w * rows.values[p]
            sums[j, b] += value
            sums[j, a] -= value
        state.lengths[b] += 2 * into + square
        state.lengths[a] = max(0.0, state.lengths[a] - 2 * out_of + square)
        state.sizes[b] += 1
        state.sizes[a] -= 1
        turned[b] += state.into[i]
        turned[a] -= state.out_of[i]
        state.labels[i] = b
        moved += 1
    return moved


@njit(nogil=True, cache=True)
def _secure(cosine: bool, near: float, far: float, leaving: float) -> bool:
    """Is an item so close to its own cluster that no exchange can help?"""
    if cosine:
        return near - far > 1e-5
    return far > 0 and far * far > near * near * leaving


@njit(nogil=True, cache=True)
def _joining(cosine: bool, product: float, square: float, length: float, norm: float, size: int) -> float:
    """||S + u|| - ||S||, or -||u - S/n||² n / (n + 1)"""
    if cosine:
        return np.sqrt(max(0.0, length + 2 * product + square)) - norm
    return -(square - 2 * product / size + length / (size * size)) * size / (size + 1)


@njit(nogil=True, cache=True)
def _leaving(cosine: bool, product: float, square: float, length: float, norm: float, size: int) -> float:
    """||S|| - ||S - u||, or -||u - S/n||² n / (n - 1)"""
    if cosine:
        return norm - np.sqrt(max(0.0, length - 2 * product + square))
    return -(square - 2 * product / size + length / (size * size)) * size / (size - 1)


@njit(nogil=True, cache=True)
def _terms(cosine: bool, square: float, length: float, size: int) -> float:
    """What a gain is small against: ||u||² + ||S/n||²; for the cosine 10, as float32 leaves 1e-5 of it."""
    if cosine:
        return 10.0
    return square + length / (size * size)
