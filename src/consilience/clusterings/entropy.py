"""Entropy clustering: the partition whose clusters tell most about their words. No geometry: no distance, no centre.

What is minimised is the entropy of words once their cluster is known. With f(x) = x ln x and O = Σ O_wk,

    O H_K = Σ_k f(O_k) - Σ_wk f(O_wk),     so that a unit d of n = Σ_w O_dw words adds to cluster k

    price_k(d) = f(O_k + n) - f(O_k) - Σ_w [f(O_wk + O_dw) - f(O_wk)]

A move from a to b lowers H_K if price_b is below price_a with d taken out, and changes only the words of d. An empty
cluster is the cheapest of all (Σ f is convex), so none stays empty where there are as many different units.

Most of the work is pricing one unit against all K clusters, a row of a [word, cluster] table at a time. For counts
the rise of f from x to x + 1 is kept for every word and cluster, in single precision and beside each other: three of
four words of a text occur once, and are priced by one addition a cluster. Others read a table of x ln x; weights that
are no counts need a logarithm, by a series of six terms. Where the cheapest is close to the unit's own, all are worked
out again in double precision, so no rounding makes a move that does not help. On the way, units whose cluster is far
ahead are passed over; the proof passes over none but those whose prices cannot have changed.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._conventions import Prediction, by_size, check_count
from consilience.clusterings._numbers import generator_of
from consilience.criteria.entropy import unsaid
from consilience.errors import InputError, SettingError
from consilience.kernels.counting import take_rows
from consilience.kernels.rows import Floats32, Floats64, Labels
from consilience.kernels.threads import Threads, thread_count

SEARCHES = ("best", "random", "systematic")
WEIGHTS = ("units", "counts")
_TABLE = 1 << 20  # values of x ln x kept at most: 8 MB; beyond, logarithms
_SAME = 1e-9  # prices that differ by less than this share of their terms are one
_FEW = 4  # where fewer than 1/4 of the clusters changed since a unit was priced, only these are priced again
_DRIFT = 2.0  # times what clusters drift is charged to a unit passed over: of 1 to 5 the fastest
_SAMPLE = 5_000  # units (or 2 per cluster) among which those are drawn that found clusters
_COUNTS = 2**31 - 1  # the largest total of counts; more than that are taken as weights
_LEAST, _MOST = 1e-30, 1e30  # what single precision, from 1e-38 to 3e38, holds with room to reckon
_THIRD, _FIFTH, _SEVENTH, _NINTH, _ELEVENTH = (np.float32(1 / d) for d in (3, 5, 7, 9, 11))


class Entropy(ClusterMixin, BaseEstimator):
    """Entropy clustering (Jardino 2000; Ferret, Grau and Jardino 2001, section 3).

        H_K  = -Σ_wk p(w, k) ln p(w|k)     p(w|k) = O_wk / O_k,  p(w, k) = O_wk / O        (eq. 3, 4)
        H_TU = the same with every unit alone                                              (eq. 2)
        D_KL = H_K - H_TU >= 0, the divergence of the units from their clusters            (eq. 5)

    weights="counts" takes O as it is, so that long units weigh more, as eq. 2 to 4 stand; "units" divides each unit's
    counts by their sum (eq. 1), so that all weigh the same. Whole numbers are counts; other weights from 0 on are taken
    as if they were, though information theory speaks of counts only.

        search="random"       a unit and another cluster are drawn, the move is kept if H_K falls (theirs)
        search="systematic"   every unit in turn tries every cluster in turn, each move kept if H_K falls
        search="best"         every unit in turn is priced against all clusters and goes to the cheapest

    Each ends with whole rounds of "best" until one moves nothing: the proof that no single move lowers H_K. That is not
    the only such place: it depends on the start, and `objectives_` shows how much. Clusters are numbered by falling
    size. Fewer different units than `n_clusters` give fewer clusters (units with the same shares of words are not
    different). A row without words has nothing to go by: -1.

    Settings
        n_clusters: how many clusters
        search: "best", "random" or "systematic"
        weights: "units" or "counts"
        init: "one" cluster with all units, the others empty (theirs); "random" clusters; or a label for each row
        n_init: how many starts, of which the one with the lowest H_K is kept; given labels are one start
        max_iter: rounds at most, each as many trials as there are units or more; a run that stops there warns
        random_state: seed or generator, the one source of chance
        n_jobs: threads as in scikit-learn (None is 1, -1 is all), one a start; no result depends on it

    Fitted
        labels_: the cluster to which each unit is the cheapest addition; equal to `predict` of the same units
        second_: the next cheapest, -1 if there is none
        word_weights_: O_wk, K x V
        H_K_, H_TU_, D_KL_: in nats a word
        objectives_: H_K of every start
        n_iter_, n_moves_: rounds of the start that was kept, and how many units it moved in all
        note_: what a reader should know
    """

    default_view: ClassVar[str] = "counts"

    labels_: Labels
    second_: Labels
    word_weights_: Floats64
    H_K_: float
    H_TU_: float
    D_KL_: float
    objectives_: Floats64
    n_iter_: int
    n_moves_: int
    note_: str
    n_features_in_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        search: str = "best",
        weights: str = "units",
        init: Any = "one",
        n_init: int = 4,
        max_iter: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.search = search
        self.weights = weights
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense, none of it negative."""
        for setting in ("n_clusters", "n_init", "max_iter"):
            check_count(setting, getattr(self, setting))
        for setting, choices in (("search", SEARCHES), ("weights", WEIGHTS)):
            if getattr(self, setting) not in choices:
                raise SettingError(f"{setting} must be one of {', '.join(choices)}, it is {getattr(self, setting)!r}")
        matrix = self._matrix(X, reset=True)
        units = _units(matrix, self.weights)
        given = self._given(matrix.shape[0])

        threads = thread_count(self.n_jobs)
        runs = self._runs(units, given, threads)
        best = min(runs, key=lambda run: run.entropy)
        if not best.converged:
            message = f"entropy clustering was stopped by max_iter={self.max_iter} while moves still lowered H_K"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)

        with Threads(threads) as team:
            settled = _settle(units, best.labels, self.n_clusters, team)
        self.labels_, self.second_ = settled.found
        self.word_weights_ = settled.word_weights
        self.H_K_, self.H_TU_ = _entropy(units, self.labels_), _entropy(units, None)
        self.D_KL_ = max(0.0, self.H_K_ - self.H_TU_)
        self.objectives_ = np.array([run.entropy for run in runs])
        self.n_iter_, self.n_moves_ = best.rounds, best.moves
        self.note_ = self._note(counts=_whole(matrix.data))
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster to which each row of X is the cheapest addition, -1 for a row without words."""
        return self.predict_two(X).labels

    def predict_two(self, X: Any) -> Prediction:
        """The cluster to which each row of X is the cheapest addition, and the next."""
        check_is_fitted(self)
        units = _units(self._matrix(X, reset=False), self.weights)
        with Threads(thread_count(self.n_jobs)) as team:
            return _cheapest(units, self.word_weights_, team)

    def _matrix(self, X: Any, *, reset: bool) -> sparse.csr_array:
        """Rows sorted, nothing stored twice, no zeros stored: what sparse and dense, of any type, have in common."""
        matrix = sparse.csr_array(validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=reset))
        if matrix.nnz and matrix.data.min() < 0:
            raise InputError(
                f"Negative values in data, {matrix.data.min():g} among them: entropy takes counts or other weights "
                "from 0 on, a share of something cannot be negative; use the view counts, or kmeans for such vectors"
            )
        if not matrix.has_canonical_format or not matrix.data.all():
            matrix = matrix.copy()
            matrix.sum_duplicates()
            matrix.eliminate_zeros()
        return matrix

    def _given(self, count: int) -> Labels | None:
        """The labels to start from, if there are any."""
        if isinstance(self.init, str):
            if self.init not in ("random", "one"):
                raise SettingError(f"init must be 'random', 'one' or a label for each row, it is {self.init!r}")
            return None
        given = np.asarray(self.init)
        if given.shape != (count,) or given.dtype.kind not in "iu":
            raise InputError(
                f"init must be {count} whole numbers, a label for each row; it is {given.dtype} of shape {given.shape}"
            )
        if given.min() < -1 or given.max() >= self.n_clusters:
            raise InputError(
                f"labels to start from must be 0 to {self.n_clusters - 1}, or -1 for a row that is to begin anywhere; "
                f"they are {given.min()} to {given.max()}"
            )
        return given.astype(np.int32)

    def _runs(self, units: _Units, given: Labels | None, threads: int) -> list[_Run]:
        """All starts, a thread each; Ctrl-C is heard at once and ends those under way with their round."""
        chances = generator_of(self.random_state).spawn(self.n_init if given is None else 1)
        interrupted = Event()

        def run(chance: np.random.Generator) -> _Run:
            return _run(units, self._start(units, given, chance), chance, self, interrupted)

        with ThreadPoolExecutor(min(threads, len(chances))) as pool:
            started = [pool.submit(run, chance) for chance in chances]
            try:
                while wait(started, timeout=0.2).not_done:
                    pass  # a thread that waits without an end hears no signal on some systems
            except BaseException:
                interrupted.set()
                pool.shutdown(cancel_futures=True)
                raise
        return [one.result() for one in started]

    def _start(self, units: _Units, given: Labels | None, chance: np.random.Generator) -> Labels:
        labels = np.zeros(len(units.masses), dtype=np.int32)
        if given is not None or self.init == "random":
            labels = chance.integers(self.n_clusters, size=len(labels), dtype=np.int32)
        if given is not None:
            labels = np.where(given >= 0, given, labels)
        labels[np.diff(units.starts) == 0] = -1
        return labels

    def _note(self, *, counts: bool) -> str:
        said = (
            f"In nats a word: H_K {self.H_K_:.4f} in the clusters, H_TU {self.H_TU_:.4f} with every item alone, "
            f"D_KL {self.D_KL_:.4f} between them."
        )
        if len(self.objectives_) > 1:
            low, high = self.objectives_.min(), self.objectives_.max()
            said += (
                f" {len(self.objectives_)} starts ended with an H_K from {low:.4f} to {high:.4f}; the lowest is kept."
            )
        if not counts:
            said += " The weights were no counts, and counts are what information theory speaks of."
        return said

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


class _Units(NamedTuple):
    """Unit i holds values[p] of word words[p] for p in starts[i]:starts[i + 1]. Counts are int32, weights float64."""

    starts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int32]
    values: npt.NDArray[Any]
    masses: npt.NDArray[Any]  # n of each unit
    vocabulary: int
    table: Floats64  # x ln x for x = 0, 1, ...; empty for weights
    logs: float  # no logarithm that prices are made of is larger, whatever its sign


class _Clusters(NamedTuple):
    """What K clusters hold, and when each last changed."""

    held: npt.NDArray[Any]  # O_wk, V x K, int32 or float64
    near: Floats32  # for counts f(x + 1) - f(x) at x = O_wk, for weights ln x (0 where x = 0)
    rough: Floats32  # for weights O_wk again, for counts empty
    totals: npt.NDArray[Any]  # of each word
    masses: npt.NDArray[Any]  # O_k
    logs: Floats64  # ln O_k (0 where O_k = 0)
    changed: npt.NDArray[np.int64]  # how many moves had been made in all
    drift: Floats64  # the share of O_k that came or went in this round


class _Known(NamedTuple):
    """What was worked out when a unit was last priced; void where `moves` is -1."""

    moves: npt.NDArray[np.int64]  # made in all until then
    own: Floats64  # price of its own cluster without it
    other: Floats32  # no other cluster cost less
    ahead: Floats32  # by how much its own cluster was cheaper, less what the rounds since may have taken of that


class _Run(NamedTuple):
    labels: Labels
    entropy: float
    rounds: int
    moves: int
    converged: bool


class _Settled(NamedTuple):
    found: Prediction
    word_weights: Floats64


def _whole(values: npt.NDArray[Any]) -> bool:
    return bool((values == np.rint(values)).all())


def _units(matrix: sparse.csr_array, weights: str) -> _Units:
    starts, values = matrix.indptr.astype(np.int64), matrix.data.astype(np.float64)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(starts))
    masses = np.bincount(rows, values, minlength=matrix.shape[0])
    if weights == "units":
        values = np.maximum(values / masses[rows], _LEAST)  # a smaller share changes no price
        masses = np.bincount(rows, values, minlength=matrix.shape[0])
    total, table = float(masses.sum()), np.empty(0)
    if len(values) and not _LEAST <= masses[rows].min() <= total <= _MOST:
        raise InputError(
            f"with weights='counts' a row must add up to {_LEAST:g} or more and all rows to {_MOST:g} or less, they "
            f"add up to {masses[rows].min():g} and {total:g}; scale them all, or use weights='units'"
        )
    logs = 2 + abs(np.log(values.min(initial=1))) + abs(np.log(total or 1))
    if weights == "counts" and total <= _COUNTS and _whole(values):
        table = _table(int(np.bincount(matrix.indices, values).max(initial=0)))
        values, masses = values.astype(np.int32), masses.astype(np.int64)
    return _Units(starts, matrix.indices.astype(np.int32, copy=False), values, masses, matrix.shape[1], table, logs)


def _table(largest: int) -> Floats64:
    table = np.arange(min(_TABLE, largest + 1), dtype=np.float64)
    table[1:] *= np.log(table[1:])
    return table


def _run(units: _Units, labels: Labels, chance: np.random.Generator, settings: Entropy, interrupted: Event) -> _Run:
    """One start, searched until nothing moves, and proved."""
    k = settings.n_clusters
    order = _order(units, np.flatnonzero(labels >= 0), k, chance)
    found = _searched(_taken(units, order), labels[order], chance, settings, interrupted)
    labels[order] = found.labels
    return found._replace(labels=labels)


def _searched(
    units: _Units, labels: Labels, chance: np.random.Generator, settings: Entropy, interrupted: Event
) -> _Run:
    """Units are gone through as they lie: in memory, passing a million of them over takes a hundredth of a second."""
    count, k = len(labels), settings.n_clusters
    clusters = _clusters(units, _held(units, labels, k))
    nothing = np.zeros(count, dtype=np.float32)
    known = _Known(np.full(count, -1), np.zeros(count), nothing, nothing.copy())
    search, moves, charge = settings.search, 0, _DRIFT
    everyone = False  # is every unit priced in this round whose price can have changed?
    for rounds in range(1, settings.max_iter + 1):
        if interrupted.is_set():
            break
        before = moves
        if search == "best":
            if everyone and not len(units.table):  # sums of weights keep no rounding
                clusters = _clusters(units, _held(units, labels, k))._replace(changed=clusters.changed)
            drift = clusters.drift.copy()
            clusters.drift[:] = 0
            moves = _best(units, labels, clusters, known, drift, charge, everyone, moves)
            if moves == before and everyone:
                return _Run(labels, _entropy(units, labels), rounds, moves, True)
            charge *= 3 if everyone else 1  # some unit was passed over too easily
            everyone = moves == before
        elif search == "random":
            drawn, others = (chance.integers(max(many, 1), size=count) for many in (count, k - 1))
            moves = _trials(units, drawn, others, labels, clusters, moves)
        else:
            moves = _systematic(units, labels, clusters, moves)
        if moves == before:
            search = "best"
    return _Run(labels, _entropy(units, labels), settings.max_iter, moves, False)


def _taken(units: _Units, order: npt.NDArray[np.int64]) -> _Units:
    words, starts = take_rows(units.words, units.starts, order)
    values, _ = take_rows(units.values, units.starts, order)
    return units._replace(starts=starts, words=words, values=values, masses=units.masses[order])


def _order(units: _Units, some: npt.NDArray[np.int64], k: int, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """At random, but unlike units first: those that come first found clusters where some are empty.

    As in k-means++, each is drawn by how much of its words the most similar one so far leaves unsaid:
    the growth of O H_K if the two were one cluster.
    """
    order = chance.permutation(some)
    few = order[: max(_SAMPLE, 2 * k)]
    unsaid, founders = np.full(len(few), np.inf), list[int]()
    words = np.zeros(units.vocabulary, dtype=units.values.dtype)
    drawn = 0
    while len(founders) < min(k - 1, len(few)):
        founders.append(drawn)
        _unsaid(units, few, few[drawn], words, unsaid)
        cumulated = np.cumsum(unsaid)
        if cumulated[-1] <= 0:
            break
        drawn = min(int(np.searchsorted(cumulated, chance.random() * cumulated[-1], side="right")), len(few) - 1)
    first = list(dict.fromkeys(founders))  # rounding may draw the last one twice
    return np.concatenate([few[first], np.delete(order, first)])


def _held(units: _Units, labels: Labels, k: int) -> npt.NDArray[Any]:
    held = np.zeros((units.vocabulary, k), dtype=units.values.dtype)
    _add_up(units, labels, held)
    return held


def _clusters(units: _Units, held: npt.NDArray[Any]) -> _Clusters:
    near = np.empty(held.shape, dtype=np.float32)
    _draw_near(units.table, held, near)
    rough = np.empty((0, 0), dtype=np.float32) if len(units.table) else held.astype(np.float32)
    masses = held.sum(axis=0, dtype=units.masses.dtype)
    logs = np.log(np.where(masses > 0, masses, 1))
    totals = held.sum(axis=1, dtype=units.masses.dtype)
    changed, drift = np.zeros(held.shape[1], dtype=np.int64), np.zeros(held.shape[1])
    return _Clusters(held, near, rough, totals, masses, logs, changed, drift)


def _settle(units: _Units, labels: Labels, k: int, team: Threads) -> _Settled:
    """Clusters by falling size, those without units dropped, and what then belongs where.

    At a local optimum a unit costs its own cluster, which holds it, no more than any other: O_k H_k is concave in what
    is added. Ties go to the lower number, so a new numbering only ever lets the larger of two tied clusters grow.
    """
    weights = _held(units, labels, k).T.astype(np.float64)
    while True:
        found = _cheapest(units, weights, team)
        order = by_size(found.labels, len(weights))
        if np.array_equal(order, np.arange(len(weights))):
            return _Settled(found, np.ascontiguousarray(weights))
        weights = weights[order]


def _cheapest(units: _Units, word_weights: Floats64, team: Threads) -> Prediction:
    """Units to clusters that need not have been made from them."""
    found = Prediction(np.full(len(units.masses), -1, dtype=np.int32), np.full(len(units.masses), -1, dtype=np.int32))
    if len(word_weights):
        if len(units.table) and not (_whole(word_weights) and word_weights.sum() <= _COUNTS):
            units = units._replace(
                values=units.values.astype(np.float64), masses=units.masses.astype(np.float64), table=np.empty(0)
            )
        held = np.ascontiguousarray(word_weights.T, dtype=units.values.dtype)
        units = units._replace(logs=units.logs + abs(np.log(word_weights.sum() or 1)))
        team.over(len(units.masses), _predict, units, _clusters(units, held), found.labels, found.second)
    return found


def _entropy(units: _Units, labels: Labels | None) -> float:
    """H_K of a partition, H_TU without one."""
    parts, masses = units.values, units.masses
    if labels is not None:
        held = _held(units, labels, int(labels.max(initial=0)) + 1)
        parts, masses = held.reshape(-1), held.sum(axis=0, dtype=units.masses.dtype)
    total = float(masses.sum())
    return max(0.0, unsaid(parts, masses)) / total if total else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _best(
    units: _Units,
    labels: Labels,
    clusters: _Clusters,
    known: _Known,
    drift: Floats64,
    charge: float,
    everyone: bool,
    moves: int,
) -> int:
    """A round of "best"; of equal prices the lower number's is taken. Returns how many moves there were in all.

    A unit is passed over while its own cluster is ahead by more than clusters may have drifted since (the share of them
    that came and went, a guess), unless `everyone` is to be priced; always where no price can have changed.
    """
    K, most = len(clusters.masses), 0.0
    for k in range(K):
        most = max(most, drift[k])
    prices, exact, few = np.empty(K, dtype=np.float32), np.empty(K), np.empty(K, dtype=np.intp)
    for i in range(len(labels)):
        a, doubt = np.intp(labels[i]), _doubt(units, i)
        known.ahead[i] -= charge * units.masses[i] * (drift[a] + most)
        if known.ahead[i] > 0 and not everyone:
            continue
        if known.moves[i] >= 0:
            count = 0
            for k in range(K):
                if clusters.changed[k] > known.moves[i]:
                    few[count] = k
                    count += 1
            if count == 0:
                continue
            if count * _FEW <= K:
                own, other = known.own[i], known.other[i]
                if clusters.changed[a] > known.moves[i]:
                    own = _quick_price(units, clusters, i, a, True)
                for t in range(count):
                    if few[t] != a:
                        other = min(other, np.float32(_quick_price(units, clusters, i, few[t], False)))
                if own + doubt < other:
                    known.moves[i], known.own[i], known.other[i], known.ahead[i] = moves, own, other, other - own
                    continue
        own = _quick_price(units, clusters, i, a, True)
        _quick_prices(units, clusters, i, prices)
        prices[a] = np.inf
        b = _first_of_least(prices, 0.0)
        other = prices[b]
        if abs(other - own) <= doubt:
            for k in range(K):
                exact[k] = _price(units, clusters, i, k, k == a)
            b = _first_of_least(exact, _SAME * units.masses[i] * units.logs)
        elif other > own:
            b = a
        known.moves[i], known.own[i], known.other[i], known.ahead[i] = moves, own, other, other - own
        if b != a:
            moves = _move(units, clusters, labels, i, b, moves)
            known.moves[i], known.ahead[i] = -1, 0
    return moves


@njit(nogil=True, cache=True, error_model="numpy")
def _unsaid(units: _Units, few: Any, founder: int, words: Any, unsaid: Floats64) -> None:
    """unsaid[t] is lowered to f(n + m) - f(n) - f(m) - Σ_w [f(c + x) - f(c) - f(x)], x and m those of the founder"""
    # few, unsaid: n; words: V, zeros
    for p in range(units.starts[founder], units.starts[founder + 1]):
        words[units.words[p]] = units.values[p]
    m = units.masses[founder]
    for t in range(len(few)):
        n = units.masses[few[t]]
        grown = _rise(units.table, m, n) - _rise(units.table, 0 * n, n)
        for p in range(units.starts[few[t]], units.starts[few[t] + 1]):
            x, c = words[units.words[p]], units.values[p]
            if x > 0:
                grown -= _rise(units.table, x, c) - _rise(units.table, 0 * c, c)
        if grown < _SAME * n * units.logs:
            grown = 0.0
        unsaid[t] = min(unsaid[t], grown)
    for p in range(units.starts[founder], units.starts[founder + 1]):
        words[units.words[p]] = 0


@njit(nogil=True, cache=True, error_model="numpy")
def _trials(units: _Units, drawn: Any, others: Any, labels: Labels, clusters: _Clusters, moves: int) -> int:
    """As many moves tried as there are units: a drawn one, to the others[t]-th of the clusters that are not its own"""
    if len(clusters.masses) < 2:
        return moves
    for t in range(len(drawn)):
        i = drawn[t]
        a = np.intp(labels[i])
        b = others[t] + (others[t] >= a)
        gain = _price(units, clusters, i, a, True) - _price(units, clusters, i, b, False)
        if gain > _SAME * units.masses[i] * units.logs:
            moves = _move(units, clusters, labels, i, b, moves)
    return moves


@njit(nogil=True, cache=True, error_model="numpy")
def _systematic(units: _Units, labels: Labels, clusters: _Clusters, moves: int) -> int:
    """Every unit tried in every cluster, in turn"""
    for i in range(len(labels)):
        own = _price(units, clusters, i, np.intp(labels[i]), True)
        for b in range(len(clusters.masses)):
            if b != labels[i]:
                price = _price(units, clusters, i, b, False)
                if own - price > _SAME * units.masses[i] * units.logs:
                    moves = _move(units, clusters, labels, i, b, moves)
                    own = price
    return moves


@njit(nogil=True, cache=True, error_model="numpy")
def _predict(units: _Units, clusters: _Clusters, labels: Labels, second: Labels, low: int, high: int) -> None:
    """The cheapest cluster of each unit and the next, of equal ones the lower number"""
    K = len(clusters.masses)
    quick, exact = np.empty(K, dtype=np.float32), np.empty(K)
    for i in range(low, high):
        if units.starts[i] == units.starts[i + 1]:
            continue
        _quick_prices(units, clusters, i, quick)
        first = _first_of_least(quick, 0.0)
        least, quick[first] = quick[first], np.inf
        next_ = _first_of_least(quick, 0.0)
        more, quick[next_] = quick[next_], np.inf
        gap = min(more - least, quick[_first_of_least(quick, 0.0)] - more) if K > 2 else more - least
        if not gap > 2 * _doubt(units, i):
            for k in range(K):
                exact[k] = _price(units, clusters, i, k, False)
            same = _SAME * units.masses[i] * units.logs
            first = _first_of_least(exact, same)
            exact[first] = np.inf
            next_ = _first_of_least(exact, same)
        labels[i] = first
        if K > 1:
            second[i] = next_


@njit(nogil=True, cache=True, error_model="numpy")
def _move(units: _Units, clusters: _Clusters, labels: Labels, i: int, b: int, moves: int) -> int:
    a, n = labels[i], units.masses[i]
    rounding = 0.0 if len(units.table) else _SAME  # the share that sums of weights may keep of what has left
    for p in range(units.starts[i], units.starts[i + 1]):
        w, c = units.words[p], units.values[p]
        left = clusters.held[w, a] - c
        clusters.held[w, a] = left if left > rounding * c else 0
        clusters.held[w, b] += c
        clusters.near[w, a] = _near(units.table, clusters.held[w, a])
        clusters.near[w, b] = _near(units.table, clusters.held[w, b])
        if len(clusters.rough):
            clusters.rough[w, a], clusters.rough[w, b] = clusters.held[w, a], clusters.held[w, b]
    left = clusters.masses[a] - n
    clusters.masses[a] = left if left > rounding * n else 0
    clusters.masses[b] += n
    clusters.logs[a] = np.log(clusters.masses[a]) if clusters.masses[a] > 0 else 0.0
    clusters.logs[b] = np.log(clusters.masses[b])
    clusters.changed[a] = clusters.changed[b] = moves + 1
    clusters.drift[a] += n / (clusters.masses[a] + n)
    clusters.drift[b] += n / clusters.masses[b]
    labels[i] = b
    return moves + 1


@njit(nogil=True, cache=True, error_model="numpy")
def _price(units: _Units, clusters: _Clusters, i: int, k: int, own: bool) -> float:
    """price_k(i); of its own cluster, without it"""
    n = units.masses[i]
    price = _rise(units.table, clusters.masses[k] - n if own else clusters.masses[k], n)
    for p in range(units.starts[i], units.starts[i + 1]):
        x, c = clusters.held[units.words[p], k], units.values[p]
        price -= _rise(units.table, x - c if own else x, c)
    return price


@njit(nogil=True, cache=True, error_model="numpy")
def _quick_price(units: _Units, clusters: _Clusters, i: int, k: int, own: bool) -> float:
    """price_k(i) within `_doubt`; of its own cluster, without it"""
    if len(units.table):
        return _price(units, clusters, i, k, own)
    n = units.masses[i]
    price = _rise(units.table, clusters.masses[k] - n if own else clusters.masses[k], n)
    for p in range(units.starts[i], units.starts[i + 1]):
        w, c = units.words[p], np.float32(units.values[p])
        x, log_x = clusters.rough[w, k], clusters.near[w, k]
        if not own:
            price -= _quick_rise(x, log_x, c, np.log(c))
        elif x >= 2 * c:  # f(x) - f(x - c) = c ln x + (x - c) ln(x / (x - c))
            price -= c * log_x + (x - c) * _log1p(c, x - c)
        else:
            price -= _rise(units.table, clusters.held[w, k] - units.values[p], units.values[p])
    return price


@njit(nogil=True, cache=True, error_model="numpy")
def _quick_prices(units: _Units, clusters: _Clusters, i: int, prices: Floats32) -> None:
    """All price_k(i) in single precision, the unit being in none of them"""
    K = len(prices)
    prices[:] = 0
    for p in range(units.starts[i], units.starts[i + 1]):
        w, c = np.uintp(units.words[p]), units.values[p]
        if len(units.table) == 0:
            mass, log = np.float32(c), np.float32(np.log(c))
            for k in range(K):
                prices[k] -= _quick_rise(clusters.rough[w, k], clusters.near[w, k], mass, log)
        elif c == 1:
            for k in range(K):
                prices[k] -= clusters.near[w, k]
        elif clusters.totals[w] + c < len(units.table):
            for k in range(K):
                x = np.uintp(clusters.held[w, k])
                prices[k] -= np.float32(units.table[x + np.uintp(c)] - units.table[x])
        else:
            for k in range(K):
                prices[k] -= np.float32(_rise(units.table, clusters.held[w, k], c))
    mass = np.float32(units.masses[i])
    log = np.log(mass)
    for k in range(K):
        prices[k] += _quick_rise(np.float32(clusters.masses[k]), np.float32(clusters.logs[k]), mass, log)


@njit(nogil=True, cache=True, error_model="numpy")
def _doubt(units: _Units, i: int) -> float:
    """How far quick prices of a unit may be off: a sum in single precision of so many terms"""
    return (units.starts[i + 1] - units.starts[i] + 16) * 6e-8 * units.masses[i] * units.logs


@njit(nogil=True, cache=True, error_model="numpy")
def _first_of_least(prices: Any, same: float) -> int:
    least = prices[0]
    for price in prices:
        least = min(least, price)
    for k in range(len(prices)):
        if prices[k] <= least + same:
            return k
    return -1


@njit(nogil=True, cache=True, error_model="numpy")
def _rise(table: Floats64, x: Any, c: Any) -> float:
    """f(x + c) - f(x) for c > 0, f(x) = x ln x"""
    if x + c < len(table):
        return table[np.intp(x + c)] - table[np.intp(x)]
    if x <= 0:
        return c * np.log(c)
    return c * np.log(x + c) + x * np.log1p(c / x)


@njit(nogil=True, cache=True, error_model="numpy")
def _quick_rise(x: Any, log_x: Any, c: Any, log_c: Any) -> Any:
    """f(x + c) - f(x) in single precision, without a branch"""
    more = _log1p(min(x, c), max(x, c))
    log = (log_x if x >= c else log_c) + more  # ln(x + c)
    return c * log + x * (more if x >= c else log - log_x)


@njit(nogil=True, cache=True, error_model="numpy")
def _log1p(small: Any, large: Any) -> Any:
    """ln(1 + small / large) = 2 artanh(small / (2 large + small)) in single precision, small <= large"""
    u = small / (large + large + small)
    z = u * u
    return (u + u) + (u + u) * (z * (_THIRD + z * (_FIFTH + z * (_SEVENTH + z * (_NINTH + z * _ELEVENTH)))))


@njit(nogil=True, cache=True, error_model="numpy")
def _near(table: Floats64, x: Any) -> float:
    if len(table):
        return _rise(table, x, 1)
    return np.log(x) if x > 0 else 0.0


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_near(table: Floats64, held: Any, near: Floats32) -> None:
    # held, near: V x K
    for w in range(held.shape[0]):
        for k in range(held.shape[1]):
            near[w, k] = _near(table, held[w, k])


@njit(nogil=True, cache=True, error_model="numpy")
def _add_up(units: _Units, labels: Labels, held: Any) -> None:
    # held: V x K, zeros
    for i in range(len(labels)):
        if labels[i] >= 0:
            for p in range(units.starts[i], units.starts[i + 1]):
                held[units.words[p], labels[i]] += units.values[p]
