"""Clustering methods: Vectors -> Clustering.

    __init__.py        `cluster` and `predict`, thin doors over the folder
    _conventions.py    what all methods hold to: how clusters are counted, numbered and predicted
    kmeans.py          ◀ each method is one file: the estimator on top, its kernel below
    kmeans_course.py   ...

To add a method, add a file. Its one public class follows scikit-learn (`fit`, `predict`, `labels_`), numbers its
clusters by falling size (`by_size`), and keeps fitted state in plain arrays and numbers named with a trailing
underscore, of which `predict` needs nothing else. The catalogue finds it by its file name, the command line offers it,
and the laws of `tests/clusterings` run over it. What a door passes on, where the class takes it: `n_clusters`,
`random_state`, `n_jobs`, and the settings by name. `predict_two` and `second_` tell the next best cluster, if there
is such a thing, `merges_` the tree, `memberships_` (N x K, float32) how far items belong to each cluster, `note_` what
a reader should know. A class whose result does not depend on the order of the items says `order_free = True`; one
without a rule of its own for items it has not seen `predicts_by = "nearest centroid"`; one made for a certain view
names it in `default_view`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience import catalogue
from consilience.clusterings._conventions import Prediction, check_count, check_seed
from consilience.errors import InputError, SettingError
from consilience.nouns import Clustering, Recipe, Vectors

__all__ = ["Prediction", "cluster", "default_view", "predict"]

_DOOR = ("n_clusters", "random_state", "n_jobs")  # the door's own arguments; the first is called k there


def cluster(
    vectors: Vectors,
    *,
    method: str = "kmeans",
    k: int = 20,
    random_state: int = 0,
    jobs: int = -1,
    **settings: Any,
) -> Clustering:
    """Cluster items with a method of the catalogue.

    Items without any feature are not assigned (-1). Fewer than k distinct items give fewer clusters, never empty
    ones. `settings` are the method's own, such as metric="euclidean" for kmeans. No result depends on `jobs`.
    """
    kind = catalogue.get("clusterings", method)
    taken = kind().get_params(deep=False)
    check_count("k", k)
    check_seed(random_state)
    own = sorted(set(taken) - set(_DOOR))
    unknown = sorted(set(settings) - set(own))
    if unknown:
        raise SettingError(f"{method} takes no setting {', '.join(unknown)}; it takes: {', '.join(own) or 'none'}")

    some = np.flatnonzero(~vectors.empty)
    door = {"n_clusters": min(int(k), max(len(some), 1)), "random_state": int(random_state), "n_jobs": jobs}
    estimator = kind(**{name: value for name, value in door.items() if name in taken}, **settings)
    labels = np.full(len(vectors), -1, dtype=np.int32)
    second = labels.copy()
    memberships = None
    if len(some):
        estimator.fit(_rows(vectors, some))
        labels[some] = estimator.labels_
        second[some] = getattr(estimator, "second_", -1)
        memberships = _memberships(estimator, some, len(vectors))

    recorded = {"method": method, **({"k": int(k)} if "n_clusters" in taken else {}), **settings}
    if "random_state" in taken:
        recorded["random_state"] = int(random_state)
    recipe = Recipe("cluster", recorded, vectors.recipe)
    merges = getattr(estimator, "merges_", None)
    return Clustering(vectors.items, labels, recipe, second, estimator if len(some) else None, merges, memberships)


def default_view(method: str) -> str:
    """The view of documents that a method works on where nobody names one: its `default_view`, or tf-idf."""
    return str(getattr(catalogue.get("clusterings", method), "default_view", "tfidf-log"))


def predict(fitted: Any, vectors: Vectors) -> Prediction:
    """The clusters of other items with the same features, by a Clustering or a fitted method.

    As in `cluster`, items without any feature are not assigned.
    """
    estimator = fitted.estimator if isinstance(fitted, Clustering) else fitted
    if not hasattr(estimator, "predict"):
        raise InputError("this clustering carries no fitted method that predicts; cluster with one from the catalogue")
    expected = getattr(estimator, "n_features_in_", len(vectors.features))
    if len(vectors.features) != expected:
        raise InputError(
            f"the clusters were found on {expected} features, these vectors have {len(vectors.features)}; "
            "represent the new items with the vocabulary of the old ones"
        )

    some = np.flatnonzero(~vectors.empty)
    labels = np.full(len(vectors), -1, dtype=np.int32)
    second = labels.copy()
    if len(some):
        if hasattr(estimator, "predict_two"):
            labels[some], second[some] = estimator.predict_two(_rows(vectors, some))
        else:
            labels[some] = estimator.predict(_rows(vectors, some))
    return Prediction(labels, second)


def _memberships(estimator: Any, some: Any, count: int) -> Any:
    """Memberships of all items, None where the method knows no degrees; N x K is large, so no copy without need."""
    known = getattr(estimator, "memberships_", None)
    if known is None or len(some) == count:
        return known
    memberships = np.zeros((count, known.shape[1]), dtype=np.float32)
    memberships[some] = known
    return memberships


def _rows(vectors: Vectors, some: Any) -> Any:
    return vectors.matrix if len(some) == len(vectors) else vectors.matrix[some]
