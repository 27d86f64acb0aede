"""K-means, spherical (cosine) or classical (Euclidean): fast on sparse text, and the default.

One loop serves both metrics. A step has two halves:

1. *propose*: every item that could gain is priced against all K clusters as they stand, in blocks on threads;
2. *apply*: the proposals are gone through in the items' order; one that still gains, priced against the sums as
   they have become, moves, and the two sums follow at once.

The price of a move is the change of the objective itself with the item counted in (Hartigan's exchange; the "first
variation" of Dhillon, Guan and Kogan 2002), not the distance to a centre as in Lloyd's iteration. Every move raises
the objective, so the loop ends; no cluster can lose its last item; and where it ends no single move helps, which few
of Lloyd's fixed points can say (on 20 Newsgroups the objective ends 0.4 % above theirs from the same starts).

Most items need no pricing: an item whose own cluster was ahead by more than the centres have drifted since is passed
over (Hamerly 2010; for cosines Schubert, Lang and Feher 2021). The full drift is a worst case: on the way only a
share of it is charged, and before the end every item is priced once more against sums made from scratch.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Self

import joblib  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._conventions import Prediction, by_size, check_count
from consilience.errors import SettingError
from consilience.kernels.rows import (
    Floats32,
    Floats64,
    Labels,
    Nearest,
    Rows,
    Threads,
    add_up,
    column_squares,
    dots,
    nearest,
    rows_of,
    squares,
)

_CANDIDATES = 8  # seeds tried per draw: one vector register of float32; more of them measured better, five no faster
_DRIFT = 0.15  # share of the worst-case drift charged on the way: 41 pricings of 20 Newsgroups instead of 60
_SEEDBED = 5_000  # rows (or 50 per cluster) from which seeds are drawn where there are twice as many: no worse
_SAMPLE = 10_000  # rows (or 100 per cluster) on which a start is worked out where there are four times as many
_SAME = 1e-6  # two rows are one for the seeding if their squared distance is under this share of their squares
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
        max_iter: int = 300,
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
        generator = _generator(self.random_state)

        with Threads(joblib.effective_n_jobs(self.n_jobs)) as threads:
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
        with Threads(joblib.effective_n_jobs(self.n_jobs)) as threads:
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
    near: Floats32  # bound of an item's cosine with its own centre (Euclid: of its distance from it)
    far: Floats32  # the same for the best other centre
    priced: npt.NDArray[np.uint8]  # 0 where near and far are void
    into: Floats32  # x·S of the wanted cluster when it was proposed
    out_of: Floats32  # x·S of the own cluster then
    sums: Floats32  # S, features x K
    lengths: Floats64  # ||S_r||²
    sizes: npt.NDArray[np.int64]  # n_r


class _Prices(NamedTuple):
    """Per cluster: x·S_r scale + bias is the cosine times ||x|| (Euclid: ||x||²/2 - half the squared distance)."""

    scale: Floats32
    bias: Floats32
    margin: Floats32  # a lead over others beyond which no exchange can help
    shrink: float  # Euclid: the least n / (n + 1)
    own_drift: Floats32
    other_drift: Floats32


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


def _generator(random_state: Any) -> np.random.Generator:
    """The one generator; None, a seed, a Generator and the older RandomState will do."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    return np.random.default_rng(random_state)


def _items(X: Any, cosine: bool, threads: Threads) -> _Items:
    rows = rows_of(X)
    lengths = np.empty(len(rows.starts) - 1)
    threads.over(len(lengths), squares, rows, lengths)
    weights = np.ones(len(lengths), dtype=np.float32)
    if cosine:
        some = lengths > 0
        weights[:] = 0
        weights[some] = 1 / np.sqrt(lengths[some])
        lengths = some.astype(np.float64)
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
    tried = np.zeros((items.features, _CANDIDATES), dtype=np.float32)
    after = np.empty((len(rows), _CANDIDATES), dtype=np.float32)
    distances = np.full(len(rows), np.inf, dtype=np.float32)
    for r in range(min(k, len(rows))):
        if r == 0:
            drawn = chance.integers(len(rows), size=_CANDIDATES)
            drawn[1:] = drawn[0]  # without a distance yet, the first is drawn blindly: best of several is an outlier
        else:
            cumulated = np.cumsum(distances, dtype=np.float64)
            if cumulated[-1] == 0:
                return seeds[:, :r].copy()
            drawn = np.searchsorted(cumulated, chance.random(_CANDIDATES) * cumulated[-1], side="right")
            drawn = np.minimum(drawn, np.flatnonzero(distances)[-1])  # a product may round up to the total
        chosen = rows[drawn]
        _write_rows(items.rows, items.weights, chosen, tried)
        threads.over(len(rows), _distances, items, rows, tried, items.squares[chosen], distances, after)
        best = int(after.sum(axis=0, dtype=np.float64).argmin())
        seeds[:, r] = tried[:, best]
        distances = after[:, best].copy()
        _write_rows(items.rows, np.zeros_like(items.weights), chosen, tried)
    return seeds[:, : len(rows)]


def _climb(items: _Items, centres: Floats32, max_iter: int, threads: Threads) -> _Climbed:
    """From centres to a partition that no single move improves, or to the last step allowed."""
    labels = _close_gaps(_nearest(items, centres, threads).labels)
    k = int(labels.max(initial=-1)) + 1
    if k < 2:
        return _Climbed(labels, k, 1, True)
    state, drift, proof = _state(items, labels, k), np.zeros(k), True
    for step in range(1, max_iter + 1):
        lengths, sizes = state.lengths.copy(), state.sizes.copy()
        threads.over(len(labels), _propose, items, state, _prices(items.cosine, state, drift))
        turned = np.zeros(k)
        if _apply(items, state, turned):
            drift = _DRIFT * _drift(items.cosine, lengths, sizes, state, turned)
            proof = False
        elif proof:
            return _Climbed(labels, k, step, True)
        else:  # nothing moves: prove it, every item priced against sums made from scratch
            state, drift, proof = _state(items, labels, k), np.zeros(k), True
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


def _prices(cosine: bool, state: _State, drift: Floats64) -> _Prices:
    """What bounds an exchange for any item.

    Cosine, N = ||S||, s = u·S/N, h = N - sqrt(N² - 1): joining brings at most s + h, leaving costs at least s - h;
    `bias` is h. Euclid: leaving saves d² n/(n - 1), joining costs d² n/(n + 1); `bias` is -||S/n||²/2.
    """
    n, norms = state.sizes.astype(np.float64), np.sqrt(state.lengths)
    if cosine:
        scale = np.where(norms > 1e-6, 1 / np.maximum(norms, 1e-6), 0)  # opposite rows may cancel out
        margin = np.full(len(n), 1e-5)
        bias = np.where(norms > 1, norms - np.sqrt(np.maximum(state.lengths - 1, 0)), 1 + norms)
    else:
        scale, bias = 1 / n, -state.lengths / (2 * n * n)
        margin = np.where(n > 1, n / np.maximum(n - 1, 1), np.inf)
    order = np.argsort(drift)
    other = np.full(len(drift), drift[order[-1]])
    other[order[-1]] = drift[order[-2]]
    least = int(state.sizes.min())
    single = [array.astype(np.float32) for array in (scale, bias, margin, drift, other)]
    return _Prices(single[0], single[1], single[2], least / (least + 1), single[3], single[4])


def _drift(cosine: bool, lengths: Floats64, sizes: Any, state: _State, turned: Floats64) -> Floats64:
    """How far each centre has gone, from ||S||² before and after and turned = S_before·(S_after - S_before)."""
    inner = lengths + turned
    if cosine:
        both = np.sqrt(lengths * state.lengths)
        return np.sqrt(np.where(both > 0, np.maximum(2 - 2 * inner / np.maximum(both, 1e-12), 0), 4) + 1e-7)
    old, new = sizes.astype(np.float64), state.sizes.astype(np.float64)
    length = state.lengths / new**2
    return np.sqrt(np.maximum(lengths / old**2 + length - 2 * inner / (old * new), 0) + 1e-6 * length)


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
        if len(empty) and chances and found.distances[worst] > 2 * _SAME * items.squares[worst]:
            chances -= 1
            centres[:, empty[0]] = 0
            _write_rows(items.rows, items.weights, np.array([worst]), centres[:, empty[0] : empty[0] + 1])
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
def _distances(
    items: _Items,
    chosen: npt.NDArray[np.int64],
    centres: Floats32,
    lengths: Floats64,
    so_far: Floats32,
    out: Floats32,
    low: int,
    high: int,
) -> None:
    """out[n, t] = min(so_far[n], ||u - c_t||²) for the chosen rows"""
    # centres: features x T; lengths: T, their squares; so_far: n; out: n x T
    T = centres.shape[1]
    products = np.empty(T, dtype=np.float32)
    for n in range(low, high):
        i = chosen[n]
        dots(items.rows, i, centres, products)
        for t in range(T):
            both = items.squares[i] + lengths[t]
            distance = both - 2 * items.weights[i] * products[t]
            if distance < _SAME * both:
                distance = 0.0
            out[n, t] = min(distance, so_far[n])


@njit(nogil=True, cache=True)
def _write_rows(rows: Rows, weights: Floats32, chosen: npt.NDArray[np.int64], out: Floats32) -> None:
    """Column t of out becomes the chosen row t, where that has entries."""
    for t in range(len(chosen)):
        i = chosen[t]
        for p in range(rows.starts[i], rows.starts[i + 1]):
            out[rows.columns[p - i * rows.width], t] = weights[i] * rows.values[p]


@njit(nogil=True, cache=True, fastmath={"contract"})
def _propose(items: _Items, state: _State, prices: _Prices, low: int, high: int) -> None:
    """Where would each item gain the most? Prices against sums that stand still."""
    K = state.sums.shape[1]
    products = np.empty(K, dtype=np.float32)
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
                state.far[i] -= prices.other_drift[a]
            if _secure(items.cosine, state.near[i], state.far[i], prices.margin[a], prices.shrink):
                continue
        dots(items.rows, i, state.sums, products)
        w, square = items.weights[i], items.squares[i]
        other = -np.inf
        if items.cosine:
            state.near[i] = w * products[a] * prices.scale[a] - prices.bias[a]
            for k in range(K):
                score = w * products[k] * prices.scale[k] + prices.bias[k]
                other = max(other, score if k != a else -np.inf)
            state.far[i] = other
        else:
            for k in range(K):
                score = products[k] * prices.scale[k] + prices.bias[k]
                other = max(other, score if k != a else -np.inf)
            own = products[a] * prices.scale[a] + prices.bias[a]
            state.near[i], state.far[i] = np.sqrt(max(0.0, square - 2 * own)), np.sqrt(max(0.0, square - 2 * other))
        state.priced[i] = 1
        if _secure(items.cosine, state.near[i], state.far[i], prices.margin[a], prices.shrink):
            continue
        best, b = -np.inf, a
        for k in range(K):
            # the least a cluster can bring is what it must beat; few pass, and most square roots are spared
            if k != a and (not items.cosine or w * products[k] * prices.scale[k] + prices.bias[k] >= state.near[i]):
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
def _secure(cosine: bool, near: float, far: float, margin: float, shrink: float) -> bool:
    """Is an item so close to its own cluster that no exchange can help?"""
    if cosine:
        return near - far > margin
    return far > 0 and far * far * shrink > near * near * margin


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
