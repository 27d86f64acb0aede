"""K-means as it is taught (Cavar 2010): from the two most distant items, centroids recomputed after each assignment.

No chance in it, so the same items in the same order always give the same clusters; another order may give others.
Looking at every pair for the most distant two takes N² distances, which bounds its use; and where the most distant
items are outliers, as in collections of documents, it ends with one large cluster and many of one item.
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
from consilience.errors import SettingError
from consilience.kernels.rows import (
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
from consilience.kernels.threads import Threads, thread_count

_LARGEST = 20_000  # items; all pairs of 18,846 newsgroup posts took 5.8 s on two cores, and it grows with N²
_ABREAST = 16  # rows whose distances to all others are computed in one pass: two wide registers of float64
_SAME = 1e-14  # two rows are one if their squared distance is under this share of their squares: rounding


class KMeansCourse(ClusterMixin, BaseEstimator):
    """The course's k-means (Cavar 2010, "K-Means Clustering Algorithm").

    Squared error E = Σ_r E_r,  E_r = Σ_{i in C_r} ||x_i - c_r||²,  c_r = 1/n_r Σ_{i in C_r} x_i

    1. The two most distant items start two clusters; for k > 2 the next start is the item farthest from its nearest
       start so far (the course shows k = 2; this is the same idea continued).
    2. Each remaining item in its order joins the closest centroid, which is recomputed at once.
    3. Passes over all items: one that is closer to another centroid moves there, both are recomputed at once; until
       a pass moves nothing or E no longer falls.

    Ties go to the earlier item or start. Clusters are numbered by falling size at the end. Fewer distinct rows than
    `n_clusters` give fewer clusters.

    Settings
        n_clusters: how many clusters
        max_iter: relocation passes at most; a run that stops there warns
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: cluster of each item; equal to `predict` of the same items
        second_: its next best cluster, -1 if there is none
        cluster_centers_: the centroids, float64, K x features
        start_items_: the items that started the clusters, in the order they were chosen
        start_labels_: the partition after step 2, clusters numbered as in start_items_
        start_error_: E after step 2
        cluster_errors_: E_r of labels_ at the end
        objective_, inertia_: E at the end
        n_iter_: relocation passes
    """

    labels_: Labels
    second_: Labels
    cluster_centers_: Floats64
    start_items_: npt.NDArray[np.int64]
    start_labels_: Labels
    start_error_: float
    cluster_errors_: Floats64
    objective_: float
    inertia_: float
    n_iter_: int
    n_features_in_: int

    def __init__(self, n_clusters: int = 2, *, max_iter: int = 300, n_jobs: int | None = -1) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense."""
        for setting in ("n_clusters", "max_iter"):
            check_count(setting, getattr(self, setting))
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        if X.shape[0] > _LARGEST:
            raise SettingError(
                f"kmeans-course looks at every pair for the most distant items, too many for {X.shape[0]} items "
                f"(up to {_LARGEST} are taken); use the method kmeans with metric='euclidean'"
            )

        with Threads(thread_count(self.n_jobs)) as threads:
            items = _items(X, threads)
            starts = _starts(items, self.n_clusters, threads)
            partition = _join_all(items, starts)
            start_labels, start_error = partition.labels.copy(), float(_errors(items, partition).sum())
            passes, converged = _relocate_all(items, partition, start_error, self.max_iter)
            centres, found = _settle(items, partition.sums / partition.sizes, threads)
        if not converged:
            message = f"k-means was stopped by max_iter={self.max_iter} while relocations still helped"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)

        self.labels_, self.second_, self.cluster_centers_ = found.labels, found.second, centres.T
        self.start_items_, self.start_labels_, self.start_error_ = starts, start_labels, start_error
        self.cluster_errors_ = _errors(items, _partition(items, found.labels, centres.shape[1]))
        self.objective_ = self.inertia_ = float(self.cluster_errors_.sum())
        self.n_iter_ = passes
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster with the closest centroid for each row of X."""
        return self.predict_two(X).labels

    def predict_two(self, X: Any) -> Prediction:
        """The closest cluster of each row of X, and the next."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        with Threads(thread_count(self.n_jobs)) as threads:
            found = _nearest(_items(X, threads), np.ascontiguousarray(self.cluster_centers_.T), threads)
        return Prediction(found.labels, found.second)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Items(NamedTuple):
    rows: Rows
    lengths: Floats64  # ||x||²
    features: int


class _Partition(NamedTuple):
    labels: Labels
    sums: Floats64  # S_r, features x K
    lengths: Floats64  # ||S_r||²
    sizes: npt.NDArray[np.int64]


class _Settled(NamedTuple):
    centres: Floats64
    found: Nearest


class _Passes(NamedTuple):
    passes: int
    converged: bool


def _items(X: Any, threads: Threads) -> _Items:
    rows = rows_of(X)
    lengths = np.empty(X.shape[0])
    threads.over(len(lengths), squares, rows, lengths)
    return _Items(rows, lengths, X.shape[1])


def _starts(items: _Items, k: int, threads: Threads) -> npt.NDArray[np.int64]:
    """The most distant pair, then whichever item is farthest from its nearest start; none at a distance of 0."""
    count = len(items.lengths)
    farthest, partner = np.zeros(count), np.zeros(count, dtype=np.int64)
    if k > 1:
        threads.over(count, _farthest, items, farthest, partner)
    chosen = [int(farthest.argmax())]
    if k > 1 and farthest[chosen[0]] > 0:
        chosen.append(int(partner[chosen[0]]))
    closest = np.full(count, np.inf)
    for start in chosen:
        threads.over(count, _closest, items, start, np.zeros(items.features), closest)
    while 1 < len(chosen) < k and closest.max() > 0:
        chosen.append(int(closest.argmax()))
        threads.over(count, _closest, items, chosen[-1], np.zeros(items.features), closest)
    return np.array(chosen, dtype=np.int64)


def _join_all(items: _Items, starts: npt.NDArray[np.int64]) -> _Partition:
    """Step 2: the starts, then every other item in its order."""
    labels = np.full(len(items.lengths), -1, dtype=np.int32)
    labels[starts] = np.arange(len(starts))
    partition = _partition(items, labels, len(starts))
    _join(items, partition, 0, len(labels))
    return partition


def _relocate_all(items: _Items, partition: _Partition, error: float, max_iter: int) -> _Passes:
    """Step 3, passes until one moves nothing or E no longer falls."""
    for passes in range(1, max_iter + 1):
        moved = _relocate(items, partition)
        before, error = error, float(_errors(items, partition).sum())
        if moved == 0 or error >= before:
            return _Passes(passes, True)
    return _Passes(max_iter, False)


def _settle(items: _Items, centres: Floats64, threads: Threads) -> _Settled:
    """Clusters by falling size of what is closest to them; one whose every item is as close to another is dropped.

    Ends: ties go to the lower number, so a new numbering only ever lets the larger of two tied clusters grow.
    """
    while True:
        found = _nearest(items, centres, threads)
        order = by_size(found.labels, centres.shape[1])
        if np.array_equal(order, np.arange(centres.shape[1])):
            return _Settled(centres, found)
        centres = np.ascontiguousarray(centres[:, order])


def _nearest(items: _Items, centres: Floats64, threads: Threads) -> Nearest:
    return nearest(
        items.rows, np.ones(len(items.lengths)), items.lengths, centres, column_squares(centres) / 2, threads
    )


def _partition(items: _Items, labels: Labels, k: int) -> _Partition:
    sums = np.zeros((items.features, k))
    add_up(items.rows, np.ones(len(labels)), labels, sums)
    return _Partition(labels, sums, column_squares(sums), np.bincount(labels[labels >= 0], minlength=k))


def _errors(items: _Items, partition: _Partition) -> Floats64:
    """E_r = Σ_i ||x_i||² - ||S_r||²/n_r, from sums made from scratch"""
    k = len(partition.sizes)
    fresh = _partition(items, partition.labels, k)
    return np.maximum(np.bincount(fresh.labels, items.lengths, k) - fresh.lengths / fresh.sizes, 0)


@njit(nogil=True, cache=True)
def _squared(square: float, product: float, other: float) -> float:
    """||x - y||² from ||x||², x·y and ||y||²"""
    distance = square - 2 * product + other
    return distance if distance > _SAME * (square + other) else 0.0


@njit(nogil=True, cache=True)
def _farthest(items: _Items, farthest: Floats64, partner: npt.NDArray[np.int64], low: int, high: int) -> None:
    """farthest[i] = max_{j > i} ||x_i - x_j||², partner[i] = the first such j"""
    rows = items.rows
    abreast = np.zeros((items.features, _ABREAST))
    products = np.empty(_ABREAST)
    for start in range(low, high, _ABREAST):
        end = min(start + _ABREAST, high)
        for i in range(start, end):
            for p in range(rows.starts[i], rows.starts[i + 1]):
                abreast[rows.columns[p - i * rows.width], i - start] = rows.values[p]
        for j in range(start + 1, len(items.lengths)):
            dots(rows, j, abreast, products)
            for i in range(start, min(end, j)):
                distance = _squared(items.lengths[i], products[i - start], items.lengths[j])
                if distance > farthest[i]:
                    farthest[i], partner[i] = distance, j
        for i in range(start, end):
            for p in range(rows.starts[i], rows.starts[i + 1]):
                abreast[rows.columns[p - i * rows.width], i - start] = 0.0


@njit(nogil=True, cache=True)
def _closest(items: _Items, start: int, dense: Floats64, closest: Floats64, low: int, high: int) -> None:
    """closest[i] = min(closest[i], ||x_i - x_start||²)"""
    # dense: features, room for x_start; every block writes the same there
    rows = items.rows
    for p in range(rows.starts[start], rows.starts[start + 1]):
        dense[rows.columns[p - start * rows.width]] = rows.values[p]
    for i in range(low, high):
        product = 0.0
        for p in range(rows.starts[i], rows.starts[i + 1]):
            product += rows.values[p] * dense[rows.columns[p - i * rows.width]]
        closest[i] = min(closest[i], _squared(items.lengths[i], product, items.lengths[start]))


@njit(nogil=True, cache=True)
def _distance(items: _Items, partition: _Partition, i: int, product: float, r: int) -> float:
    """||x_i - S_r / n_r||²"""
    n = partition.sizes[r]
    return items.lengths[i] - 2 * product / n + partition.lengths[r] / (n * n)


@njit(nogil=True, cache=True)
def _add(items: _Items, partition: _Partition, i: int, product: float, r: int, sign: int) -> None:
    """Item i enters cluster r (sign 1) or leaves it (-1); product = x_i·S_r"""
    rows = items.rows
    for p in range(rows.starts[i], rows.starts[i + 1]):
        partition.sums[rows.columns[p - i * rows.width], r] += sign * rows.values[p]
    partition.lengths[r] += sign * 2 * product + items.lengths[i]
    partition.sizes[r] += sign


@njit(nogil=True, cache=True)
def _join(items: _Items, partition: _Partition, low: int, high: int) -> None:
    """Items low..high-1 without a cluster join the closest one, which is recomputed at once."""
    products = np.empty(len(partition.sizes))
    for i in range(low, high):
        if partition.labels[i] >= 0:
            continue
        dots(items.rows, i, partition.sums, products)
        best, b = np.inf, 0
        for r in range(len(products)):
            distance = _distance(items, partition, i, products[r], r)
            if distance < best:
                best, b = distance, r
        _add(items, partition, i, products[b], b, 1)
        partition.labels[i] = b


@njit(nogil=True, cache=True)
def _relocate(items: _Items, partition: _Partition) -> int:
    """One pass: items closer to another centroid move to the closest, both are recomputed at once. Returns how many.

    Closer means by more than rounding, or equal distances could take turns; alone in its cluster an item is at a
    distance of 0 and stays.
    """
    products = np.empty(len(partition.sizes))
    moved = 0
    for i in range(len(partition.labels)):
        a = partition.labels[i]
        if partition.sizes[a] < 2:
            continue
        dots(items.rows, i, partition.sums, products)
        own = _distance(items, partition, i, products[a], a)
        n = partition.sizes[a]
        best, b = own - 1e-12 * (items.lengths[i] + partition.lengths[a] / (n * n)), a
        for r in range(len(products)):
            distance = _distance(items, partition, i, products[r], r)
            if distance < best:
                best, b = distance, r
        if b != a:
            _add(items, partition, i, products[a], a, -1)
            _add(items, partition, i, products[b], b, 1)
            partition.labels[i] = b
            moved += 1
    return moved
