"""Agglomerative (hierarchical) clustering: the two nearest clusters merge until one is left; the whole tree is kept.

How near two clusters are is the linkage: their nearest items (single), their farthest (complete), the mean over all
pairs (average), or how much the squared error grows if they merge (Ward). Between most documents the cosine of tf-idf
is next to nothing, and average and complete linkage then leave one cluster of nearly all; on latent components average
finds topics, so these are the view it works on where nobody names one. Ward finds some on either. Single linkage
strings items together, and is at its best for near-duplicates.

No matrix of all pairs is kept where the linkage allows it: see `kernels/merging.py`, which does the work.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.clusterings._comparable import comparable, nearest_centre, row_squares
from consilience.clusterings._conventions import by_size, check_count
from consilience.errors import SettingError
from consilience.kernels import merging
from consilience.kernels.rows import Floats64, Labels, add_up, column_squares, rows_of
from consilience.kernels.threads import Threads, thread_count

_LINKAGES = ("single", "complete", "average", "ward")
_ROOM = 2**30  # bytes of rows kept, where they can be made again: all of them up to 11,585 items
_MATRIX = 2**31  # bytes of rows at most, where all must be kept: 23,170 items


class Agglomerative(ClusterMixin, BaseEstimator):
    """Agglomerative clustering.

    With δ(i, j) = 1 - cos(x_i, x_j) for metric="cosine", ||x_i - x_j|| for metric="euclidean", and c_a the mean of a:

        linkage="single"     d(a, b) = min_{i in a, j in b} δ(i, j)
        linkage="complete"   d(a, b) = max_{i in a, j in b} δ(i, j)
        linkage="average"    d(a, b) = Σ_{i in a, j in b} δ(i, j) / (n_a n_b)
        linkage="ward"       d(a, b) = sqrt(2 n_a n_b / (n_a + n_b)) ||c_a - c_b||   (Ward 1963; the root of twice the
                             growth of the squared error); it is Euclidean, and metric="cosine" means: on unit rows

    Heights and the order of the columns of `merges_` are those of scipy.cluster.hierarchy.linkage. Ties go to the
    cluster of the lower item; no height lies below that of a part. Two rows that differ by rounding have distance 0,
    and no cut goes between rows at distance 0, so fewer distinct rows than `n_clusters` give fewer clusters.

    A cut has no rule for items it has not seen: `predict` gives the cluster with the nearest centroid, which need not
    be the label even of an item that was clustered. For the cosine a row of zeros has no direction: its label is -1,
    and the tree is one of the other rows, numbered in their order.

    Memory beyond the rows' own, for N items: single O(N). Average by cosine and Ward keep as much as fits into 1 GiB
    of an N x N matrix of float64 and make again what did not: 11,585 items fit whole, and more take longer. Complete,
    and average by Euclidean distance, keep an N x N matrix of float32 and refuse more than 23,170 items, where it is
    2 GiB. Time grows with N² everywhere.

    Settings
        n_clusters: how many clusters the tree is cut into
        linkage: "single", "complete", "average" or "ward"
        metric: "cosine" or "euclidean"
        height: cut here instead: clusters are what has merged at this height or below, and n_clusters is not used
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: cluster of each item
        merges_: the tree, N-1 x 4, float64: the two clusters that merge (the items are 0 to N-1, the m-th merge makes
                 cluster N+m), at which height, and how many items they then are
        cluster_centers_: float64, K x features; unit rows for the cosine, means for Euclid
    """

    labels_: Labels
    merges_: Floats64
    cluster_centers_: Floats64
    n_features_in_: int

    predicts_by = "nearest centroid"
    default_view = "lsi"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        linkage: str = "average",
        metric: str = "cosine",
        height: float | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.metric = metric
        self.height = height
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense."""
        self._check()
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        rows, some = comparable(X, self.metric == "cosine")
        _refuse_too_many(len(some), self.linkage, self.metric)

        with Threads(thread_count(self.n_jobs)) as threads:
            self.merges_ = _merges(rows, self.linkage, self.metric, threads)
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        labels[some] = _cut(self.merges_, len(some), self.n_clusters, self.height)
        order = by_size(labels, int(labels.max(initial=-1)) + 1)
        labels[some] = np.argsort(order)[labels[some]]

        self.labels_ = labels
        self.cluster_centers_ = _centres(rows, labels[some], len(order), self.metric == "cosine")
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster with the nearest centroid for each row of X (-1 for a row of zeros under the cosine)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        cosine = self.metric == "cosine"
        rows, some = comparable(X, cosine)
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        with Threads(thread_count(self.n_jobs)) as threads:
            labels[some] = nearest_centre(rows, self.cluster_centers_, cosine, threads)
        return labels

    def _check(self) -> None:
        check_count("n_clusters", self.n_clusters)
        if self.linkage not in _LINKAGES:
            raise SettingError(f"linkage must be one of {', '.join(_LINKAGES)}, it is {self.linkage!r}")
        if self.metric not in ("cosine", "euclidean"):
            raise SettingError(f"metric must be 'cosine' or 'euclidean', it is {self.metric!r}")
        height: Any = self.height
        if height is not None and not (isinstance(height, (int, float, np.number)) and height >= 0):
            raise SettingError(f"height must be None or a number from 0 on, it is {height!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _refuse_too_many(count: int, linkage: str, metric: str) -> None:
    if linkage == "complete" or (linkage, metric) == ("average", "euclidean"):
        needed = 4 * count**2
        if needed > _MATRIX:
            raise SettingError(
                f"linkage={linkage!r} by metric={metric!r} needs the distances of all pairs: {needed / 2**30:.1f} GiB "
                f"for {count} items, of at most {_MATRIX / 2**30:.0f} (23,170 items); single linkage, Ward, and "
                "average by cosine go without, and kmeans takes any number"
            )


def _merges(rows: sparse.csr_array, linkage: str, metric: str, threads: Threads) -> Floats64:
    """The tree as SciPy writes it."""
    count = rows.shape[0]
    if count < 2:
        return np.empty((0, 4))
    items = _items(rows)
    kind = merging.COSINE if metric == "cosine" else merging.EUCLIDEAN
    if linkage == "single":
        found = merging.spanning_tree(items, kind)
    elif linkage == "ward":
        found = merging.chain(items, merging.WARD, merging.SQUARED, _ROOM, threads)
    else:
        code = merging.AVERAGE if linkage == "average" else merging.COMPLETE
        found = merging.chain(items, code, kind, _ROOM, threads)
    order = np.argsort(found.heights, kind="stable")
    merges = np.empty((count - 1, 4))
    _number(found.pairs[order], found.heights[order], np.arange(2 * count - 1), np.ones(2 * count - 1), merges)
    return merges


def _items(rows: sparse.csr_array) -> merging.Items:
    """The items by row and by column, in one type of integers whatever came."""
    count, features = rows.shape
    columns = rows.tocsc()
    dense = rows.nnz > count * features / 2
    across = np.ascontiguousarray(rows.toarray().T) if dense else np.empty((0, count))
    return merging.Items(
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int32),
        rows.data,
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int32),
        columns.data,
        across,
        row_squares(rows),
    )


def _cut(merges: Floats64, count: int, k: int, height: float | None) -> Labels:
    """The partition after the first merges: all at distance 0, and then down to k clusters or up to the height."""
    low = 0.0 if height is None else height
    done = int(np.searchsorted(merges[:, 2], low, side="right"))
    if height is None:
        done = max(done, count - k)
    labels = np.empty(count, dtype=np.int32)
    _label(merges, done, labels)
    return labels


def _centres(rows: sparse.csr_array, labels: Labels, k: int, cosine: bool) -> Floats64:
    """Means, or unit vectors along the sums (zero where the rows of a cluster cancel out)."""
    sums = np.zeros((rows.shape[1], k))
    add_up(rows_of(rows), np.ones(len(labels)), labels, sums)
    by = np.sqrt(column_squares(sums)) if cosine else np.bincount(labels, minlength=k).astype(np.float64)
    sums /= np.where(by > 0, by, 1)
    centres: Floats64 = np.ascontiguousarray(sums.T)
    return centres


@njit(cache=True)
def _number(pairs: Any, heights: Floats64, above: Any, sizes: Floats64, merges: Floats64) -> None:
    """Pairs of items, by height, become pairs of clusters: union-find with paths halved."""
    # above, sizes: 2N - 1, every cluster its own top, sizes 1
    count = len(pairs) + 1
    for m in range(len(pairs)):
        a, b = pairs[m, 0], pairs[m, 1]
        while above[a] != a:
            above[a] = above[above[a]]
            a = above[a]
        while above[b] != b:
            above[b] = above[above[b]]
            b = above[b]
        above[a] = above[b] = count + m
        sizes[count + m] = sizes[a] + sizes[b]
        merges[m, 0], merges[m, 1], merges[m, 2], merges[m, 3] = min(a, b), max(a, b), heights[m], sizes[count + m]


@njit(cache=True)
def _label(merges: Floats64, done: int, labels: Labels) -> None:
    """Clusters after the first `done` merges, numbered as their first items come."""
    count = len(labels)
    above = np.arange(count + done)
    for m in range(done):
        above[int(merges[m, 0])] = above[int(merges[m, 1])] = count + m
    for c in range(count + done - 1, -1, -1):
        above[c] = above[above[c]]
    names = np.full(count + done, -1, dtype=np.int32)
    clusters = 0
    for i in range(count):
        top = above[i]
        if names[top] < 0:
            names[top] = clusters
            clusters += 1
        labels[i] = names[top]
