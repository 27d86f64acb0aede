"""Density clustering against scikit-learn's HDBSCAN, and what is decided around it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import HDBSCAN

from consilience.clusterings import cluster
from consilience.clusterings.density import Density
from consilience.corpus import read
from consilience.errors import SettingError
from consilience.language import raw_tokens, refine
from consilience.measures import scores
from consilience.vectors import represent


def blobs(seed: int = 0, stray: int = 20) -> Any:
    """Three dense groups of 40 in four dimensions, and stray points between."""
    generator = np.random.default_rng(seed)
    centres = np.repeat(10 * np.eye(3, 4), 40, axis=0)
    return np.vstack([centres + generator.normal(size=(120, 4)) * 0.3, generator.uniform(0, 10, (stray, 4))])


def wide(seed: int = 0) -> sparse.csr_array:
    """Counts of 60 words in three groups of documents, the last three words never used."""
    generator = np.random.default_rng(seed)
    X = generator.poisson(0.2, (90, 63))
    for i in range(90):
        X[i, 20 * (i % 3) : 20 * (i % 3 + 1)] += generator.poisson(2, 20)
    X[:, 60:] = 0
    return sparse.csr_array(X, dtype=np.float32)


def same_partition(a: Any, b: Any) -> bool:
    return np.array_equal(np.equal.outer(a, a), np.equal.outer(b, b)) and np.array_equal(a < 0, b < 0)


@pytest.mark.parametrize("selection", ["eom", "leaf"])
@pytest.mark.parametrize("samples", [1, 5])
def test_few_columns_are_clustered_as_they_are(selection: str, samples: int) -> None:
    X = blobs()
    found = Density(min_cluster_size=10, min_samples=samples, selection=selection, metric="euclidean").fit(X)
    theirs = HDBSCAN(min_cluster_size=10, min_samples=samples, cluster_selection_method=selection, copy=True).fit(X)
    assert same_partition(found.labels_, theirs.labels_)
    assert found.probabilities_ == pytest.approx(theirs.probabilities_)
    assert found.components_.size == 0
    for r in range(found.labels_.max() + 1):
        assert found.cluster_centers_[r] == pytest.approx(X[found.labels_ == r].mean(axis=0))


def test_groups_are_found_and_strays_are_noise() -> None:
    strays = 20 + 30 * np.eye(4)
    X = np.vstack([blobs(stray=0), strays])
    found = Density(metric="euclidean").fit(X)
    assert same_partition(found.labels_[:120], np.repeat(np.arange(3), 40))
    assert list(found.labels_[120:]) == [-1] * 4
    assert (found.probabilities_[found.labels_ < 0] == 0).all()
    assert found.predict(strays).min() >= 0  # noise too goes to the nearest centroid


def test_wide_rows_are_reduced_and_predicted_where_they_then_lie() -> None:
    X = wide()
    found = Density(n_components=3).fit(X)
    assert found.components_.shape == (63, 3)
    assert np.array_equal(found.components_.T @ found.components_ > 0.5, np.eye(3, dtype=bool))
    assert same_partition(found.predict(X), np.arange(90) % 3)
    assert found.predict(X.toarray()).tobytes() == found.predict(X).tobytes()


def test_a_row_of_unknown_words_has_no_direction() -> None:
    found = Density(n_components=3).fit(wide())
    unknown = np.zeros((2, 63))
    unknown[0, 61] = 1
    assert list(found.predict(unknown)) == [-1, -1]
    assert found.labels_.max() == 2


def test_equal_rows_have_one_label() -> None:
    X = np.random.default_rng(3).integers(0, 5, (60, 3)) + 1
    _, which = np.unique(X, axis=0, return_inverse=True)
    groups = [np.flatnonzero(which.ravel() == r) for r in range(which.max() + 1)]
    theirs = HDBSCAN(min_cluster_size=4, min_samples=3, algorithm="kd_tree", copy=True).fit(X).labels_
    ours = Density(metric="euclidean", min_cluster_size=4, min_samples=3).fit(X).labels_
    assert max(len(set(theirs[group])) for group in groups) == 2  # ties of its tree part equal points
    assert max(len(set(ours[group])) for group in groups) == 1


def test_where_nothing_is_denser_than_the_rest_all_is_noise() -> None:
    few = Density().fit(np.eye(4))  # fewer items than the smallest cluster has
    assert list(few.labels_) == list(few.predict(np.eye(4))) == [-1] * 4
    assert few.cluster_centers_.shape == (0, 4)
    nowhere = Density().fit(np.zeros((9, 3)))
    assert list(nowhere.labels_) == list(nowhere.predict(np.ones((9, 3)))) == [-1] * 9
    assert list(Density().fit(np.ones((9, 3))).labels_) == [0] * 9


def test_the_smallest_cluster_grows_with_the_items() -> None:
    sizes = [Density()._hdbscan(items).min_cluster_size for items in (10, 100, 400, 18_846)]
    assert sizes == [5, 5, 10, 69]
    assert Density(min_cluster_size=7)._hdbscan(18_846).min_cluster_size == 7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_cluster_size": 1}, "min_cluster_size must be 'auto' or a whole number from 2 on"),
        ({"min_cluster_size": "few"}, "min_cluster_size must be a whole number"),
        ({"min_samples": 0}, "min_samples must be a whole number from 1 on"),
        ({"n_components": 0}, "n_components must be a whole number from 1 on"),
        ({"selection": "root"}, "selection must be 'eom' or 'leaf', it is 'root'"),
        ({"metric": "jaccard"}, "metric must be 'cosine' or 'euclidean'"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Density(**settings).fit(blobs())


@pytest.mark.compiled
def test_the_three_collections_are_found_without_saying_how_many(data: Callable[[str], Path]) -> None:
    corpus = read(data("classic3.jsonl.gz"), label="label")
    found = cluster(represent(refine(raw_tokens(corpus)), "tfidf-log"), method="density")
    assert found.k == 3
    assert found.assigned > 0.85
    assert corpus.truth is not None
    classes = corpus.truth.list.first().rank("dense").to_numpy() - 1
    assert scores(classes.astype(np.int64), found.labels)["adjusted_rand"].on_assigned > 0.95
