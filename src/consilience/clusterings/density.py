"""Density clustering (HDBSCAN) in latent semantic space: finds the number of clusters itself, and leaves noise out.

A cluster is a region where items lie closer together than around it, at whatever scale it lasts longest (Campello,
Moulavi and Sander 2013). What lies in no such region is noise and not assigned. In many dimensions all distances are
alike and nothing is dense, so wide vectors are first reduced to a few latent components; `bench/density.py` prints what
the defaults find, what other settings do, and how steady it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import HDBSCAN
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from consilience.clusterings._comparable import comparable, nearest_centre, row_squares
from consilience.clusterings._conventions import by_size, check_count
from consilience.errors import SettingError
from consilience.kernels.rows import Floats64, Labels
from consilience.kernels.threads import Threads, thread_count

_NOWHERE = 1e-20  # a row of unit length whose projection has a square under this shares nothing with the components


class Density(ClusterMixin, BaseEstimator):
    """HDBSCAN, scikit-learn's, on rows of few columns.

    metric="cosine" puts rows to unit length. More columns than `n_components` are reduced by X ≈ U S V' to x V (and put
    to unit length again), others are taken as they are, whether they come sparse or dense. Distances there are
    Euclidean; between unit rows ||u - v||² = 2 (1 - cos).

    Noise has label -1. Equal rows have one label; if all rows are equal they are one cluster, and if no region is
    denser than the rest, everything is noise. A density has no rule for items it has not seen: `predict` gives the
    cluster with the nearest centroid, also for items that were noise. For the cosine a row of zeros has no direction,
    nor has one without any word that the components know: the label is -1.

    Time grows with N²; memory does not.

    Settings
        min_cluster_size: items of the smallest cluster; "auto" is sqrt(N) / 2 and at least 5: 69 of 18,846
        min_samples: how many items, itself included, must lie close to an item that is no outlier (Campello's m_pts);
                     with 1 distances alone decide, as in single linkage: a little less noise, and clusters that come
                     and go with a tenth of the documents
        selection: "eom": of nested regions the one that lasts longest (excess of mass); "leaf": the innermost, which
                   gives more and smaller clusters and more noise, and helps where "eom" ends with one large cluster
        n_components: columns at most; more are reduced to so many
        metric: "cosine" or "euclidean"
        random_state: seed of the reduction
        n_jobs: threads as in scikit-learn (None is 1, -1 is all); no result depends on it

    Fitted
        labels_: cluster of each item, -1 for noise
        probabilities_: how firmly it belongs there, from 0 (noise) to 1
        components_: V, features x components; empty where nothing was reduced
        cluster_centers_: K x components; unit rows for the cosine, means for Euclid
    """

    labels_: Labels
    probabilities_: Floats64
    components_: Floats64
    cluster_centers_: Floats64
    n_features_in_: int

    predicts_by = "nearest centroid"

    def __init__(
        self,
        *,
        min_cluster_size: int | str = "auto",
        min_samples: int = 5,
        selection: str = "eom",
        n_components: int = 20,
        metric: str = "cosine",
        random_state: Any = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.selection = selection
        self.n_components = n_components
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: object = None) -> Self:
        """Cluster the rows of X, sparse or dense."""
        self._check()
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        rows, _ = comparable(X, self.metric == "cosine")
        self.components_ = _components(rows, self.n_components, self.random_state)
        points, some = self._place(X)
        found = _dense_regions(points, self._hdbscan(len(some)))

        order = by_size(found.labels, int(found.labels.max(initial=-1)) + 1)
        renumbered = np.append(np.argsort(order), -1)[found.labels]  # position -1, the last, keeps noise noise
        self.labels_ = np.full(X.shape[0], -1, dtype=np.int32)
        self.labels_[some] = renumbered
        self.probabilities_ = np.zeros(X.shape[0])
        self.probabilities_[some] = found.probabilities
        self.cluster_centers_ = _centres(points, renumbered, len(order), self.metric == "cosine")
        return self

    def predict(self, X: Any) -> Labels:
        """The cluster with the nearest centroid for each row of X (-1: without a direction, or nothing was found)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        points, some = self._place(X)
        labels = np.full(X.shape[0], -1, dtype=np.int32)
        with Threads(thread_count(self.n_jobs)) as threads:
            labels[some] = nearest_centre(points, self.cluster_centers_, self.metric == "cosine", threads)
        return labels

    def _place(self, X: Any) -> _Placed:
        """Rows as points in few dimensions, and which of the rows these are. Each row is computed by itself."""
        cosine = self.metric == "cosine"
        rows, some = comparable(X, cosine)
        if not self.components_.size:
            return _Placed(rows.toarray(), some)
        points = np.asarray(rows @ self.components_)
        if cosine:
            lengths = row_squares(points)
            somewhere = lengths > _NOWHERE
            points, some = points[somewhere] / np.sqrt(lengths[somewhere])[:, None], some[somewhere]
        return _Placed(points, some)

    def _hdbscan(self, count: int) -> HDBSCAN:
        least = max(5, round(count**0.5 / 2)) if self.min_cluster_size == "auto" else int(self.min_cluster_size)
        return HDBSCAN(
            min_cluster_size=least,
            min_samples=self.min_samples,
            cluster_selection_method=self.selection,
            algorithm="kd_tree",  # brute force holds N x N distances: 2.8 GB for 18,846 items
            n_jobs=self.n_jobs,
            copy=False,
        )

    def _check(self) -> None:
        for setting in ("min_samples", "n_components"):
            check_count(setting, getattr(self, setting))
        if self.min_cluster_size != "auto" and check_count("min_cluster_size", self.min_cluster_size) < 2:
            raise SettingError("min_cluster_size must be 'auto' or a whole number from 2 on, it is 1")
        if self.selection not in ("eom", "leaf"):
            raise SettingError(f"selection must be 'eom' or 'leaf', it is {self.selection!r}")
        if self.metric not in ("cosine", "euclidean"):
            raise SettingError(f"metric must be 'cosine' or 'euclidean', it is {self.metric!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Placed(NamedTuple):
    points: Floats64
    some: npt.NDArray[np.intp]


class _Regions(NamedTuple):
    labels: Labels
    probabilities: Floats64


def _components(rows: sparse.csr_array, most: int, random_state: Any) -> Floats64:
    """V of the strongest components, features x at most `most`; empty where there are no more columns than that."""
    count = min(most, *rows.shape)
    if rows.shape[1] <= most or count == 0:
        return np.empty((0, 0))
    with threadpool_limits(limits=1, user_api="blas"):  # its sums, and so the last bits, would differ with more
        _, _, components = randomized_svd(rows, count, n_iter=7, random_state=random_state)
    components = np.ascontiguousarray(components.T, dtype=np.float64)
    return components


def _dense_regions(points: Floats64, model: HDBSCAN) -> _Regions:
    """HDBSCAN's clusters and how firmly items belong to them; equal points get what the first of them got."""
    _, first, same = np.unique(points, axis=0, return_index=True, return_inverse=True)
    count = len(points)
    if len(first) == 1:
        return _Regions(np.zeros(count, dtype=np.int32), np.ones(count))
    if count < max(model.min_cluster_size, model.min_samples):
        return _Regions(np.full(count, -1, dtype=np.int32), np.zeros(count))
    model.fit(points)
    chosen = first[same.ravel()]
    return _Regions(model.labels_[chosen].astype(np.int32), model.probabilities_[chosen])


def _centres(points: Floats64, labels: npt.NDArray[np.int64], k: int, cosine: bool) -> Floats64:
    """Means of the clusters; unit vectors along the sums for the cosine (zero where rows cancel out)."""
    sums = np.zeros((k, points.shape[1]))
    assigned = labels >= 0
    np.add.at(sums, labels[assigned], points[assigned])
    by = np.sqrt(row_squares(sums)) if cosine else np.bincount(labels[assigned], minlength=k).astype(np.float64)
    centres: Floats64 = sums / np.where(by > 0, by, 1)[:, None]
    return centres
