"""K-means against its slow transcription, against scikit-learn, and against its own definition of an end."""

from __future__ import annotations

import gzip
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

import naive
from consilience.clusterings import kmeans
from consilience.clusterings.kmeans import KMeans
from consilience.errors import InputError, SettingError
from consilience.kernels.rows import Threads

both_metrics = pytest.mark.parametrize("metric", ["cosine", "euclidean"])


def blobs(seed: int, items: int, features: int = 5) -> Any:
    """Non-negative rows of very different lengths around three directions; no two distances tie."""
    generator = np.random.default_rng(seed)
    directions = generator.random((3, features)) ** 2
    X = directions[generator.integers(3, size=items)] + 0.4 * generator.random((items, features))
    return (X * generator.uniform(0.5, 2, (items, 1))).astype(np.float32)


def climb(X: Any, metric: str, starts: list[int]) -> Any:
    """The end reached from given items as starting centres."""
    with Threads(1) as threads:
        items = kmeans._items(sparse.csr_array(X), metric == "cosine", threads)
        centres = np.ascontiguousarray((X * items.weights[:, None])[starts].T)
        return kmeans._climb(items, centres, 300, threads)


@both_metrics
@given(seed=st.integers(0, 10_000), items=st.integers(4, 14), k=st.integers(2, 4))
def test_steps_equal_the_slow_transcription(metric: str, seed: int, items: int, k: int) -> None:
    # charged in full, drift skips nothing that could move: then every step is the transcription's
    X = blobs(seed, items)
    rows = X.astype(float).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kmeans, "_DRIFT", 1.0)
        found = climb(X, metric, list(range(k))).labels.tolist()
    points = [naive.unit(row) for row in rows] if metric == "cosine" else rows
    first = [
        min(range(k), key=lambda r, p=p: sum((a - b) ** 2 for a, b in zip(p, points[r], strict=True))) for p in points
    ]
    assert found == naive.exchange(metric, rows, first)


@both_metrics
@given(seed=st.integers(0, 10_000), items=st.integers(4, 40), k=st.integers(2, 5))
def test_at_the_end_no_single_move_helps(metric: str, seed: int, items: int, k: int) -> None:
    X = blobs(seed, items)
    estimator = KMeans(k, metric=metric, random_state=seed, n_jobs=1).fit(X)
    rows, labels = X.astype(float).tolist(), estimator.labels_.tolist()
    scale = 1.0 if metric == "cosine" else float((X**2).sum(axis=1).max())
    assert max(naive.best_move(metric, rows, labels, i)[0] for i in range(items)) < 3e-5 * scale
    sign = 1 if metric == "cosine" else -1
    assert estimator.objective_ == pytest.approx(sign * naive.quality(metric, rows, labels), rel=1e-5, abs=1e-5)


@both_metrics
def test_bounds_hold_after_every_step(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(2).random((200, 6), dtype=np.float32) ** 3  # no groups: centres wander far
    apply, checked = kmeans._apply, []

    def checking(items: Any, state: Any, turned: Any) -> int:
        units = X.astype(float) * items.weights[:, None]
        own = np.eye(len(state.sizes), dtype=bool)[state.labels]
        products, n, priced = units @ state.sums.astype(float), state.sizes, state.priced == 1
        if metric == "cosine":
            norms = np.sqrt(state.lengths)
            brings = np.sqrt(state.lengths + 2 * products + 1) - norms
            costs = norms - np.sqrt(np.maximum(state.lengths - 2 * products + 1, 0))
            assert (state.near <= costs[own] + 1e-4)[priced].all()
            assert (state.far >= np.where(own, -np.inf, brings).max(axis=1) - 1e-4)[priced].all()
        else:
            squared = items.squares[:, None] - 2 * products / n + state.lengths / n**2
            assert (state.near >= np.sqrt(np.maximum(squared, 0))[own] - 1e-3)[priced].all()
            joining = np.sqrt(np.maximum(squared, 0) * n / (n + 1))
            assert (state.far <= np.where(own, np.inf, joining).min(axis=1) + 1e-3)[priced].all()
        checked.append(int(priced.sum()))
        return apply(items, state, turned)

    monkeypatch.setattr(kmeans, "_DRIFT", 1.0)
    monkeypatch.setattr(kmeans, "_apply", checking)
    KMeans(6, metric=metric, n_jobs=1, random_state=1).fit(X)
    assert len(checked) > 3


@pytest.mark.compiled
@both_metrics
def test_passing_items_over_changes_nothing(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # larger than the transcription can go: with the full drift charged, the same end as with every item priced
    X = sparse.random_array((3000, 200), density=0.05, rng=np.random.default_rng(0), dtype=np.float32, format="csr")
    monkeypatch.setattr(kmeans, "_DRIFT", 1.0)
    cautious = KMeans(12, metric=metric).fit(X)
    monkeypatch.setattr(kmeans, "_DRIFT", np.inf)
    priced = KMeans(12, metric=metric).fit(X)
    assert np.array_equal(cautious.labels_, priced.labels_)
    assert cautious.n_iter_ == priced.n_iter_


@pytest.mark.compiled
def test_the_end_is_proved_however_little_drift_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    X = sparse.random_array((3000, 200), density=0.05, rng=np.random.default_rng(0), dtype=np.float32, format="csr")
    monkeypatch.setattr(kmeans, "_DRIFT", 0.0)
    labels = KMeans(12).fit(X).labels_
    some = labels >= 0  # a random row may be empty
    units = X.toarray().astype(float)[some]
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    own = np.eye(12)[labels[some]]
    sums = own.T @ units
    norms, products = np.linalg.norm(sums, axis=1), units @ sums.T
    joining = np.sqrt(norms**2 + 2 * products + 1) - norms - 1e9 * own
    leaving = (own * (norms - np.sqrt(np.maximum(norms**2 - 2 * products + 1, 0)))).sum(axis=1)
    assert (joining.max(axis=1) - leaving).max() < 3e-5


def test_the_end_is_a_fixed_point_of_scikit_learns_iteration() -> None:
    X = blobs(3, 300)
    ours = KMeans(4, metric="euclidean").fit(X)
    theirs = sklearn.cluster.KMeans(4, init=ours.cluster_centers_, n_init=1, tol=0).fit(X)
    assert np.array_equal(theirs.labels_, ours.labels_)
    assert theirs.cluster_centers_ == pytest.approx(ours.cluster_centers_, rel=1e-5)
    assert theirs.inertia_ == pytest.approx(ours.inertia_, rel=1e-5)
    assert ours.objective_ == pytest.approx(ours.inertia_, rel=1e-5)


def test_cosine_centres_are_unit_vectors_along_the_sums() -> None:
    X = blobs(5, 100)
    found = KMeans(3).fit(X)
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    for r in range(3):
        total = units[found.labels_ == r].sum(axis=0)
        assert found.cluster_centers_[r] == pytest.approx(total / np.linalg.norm(total), rel=1e-5)
    assert (units @ found.cluster_centers_.T).max(axis=1).sum() == pytest.approx(found.objective_, rel=1e-5)


def test_length_does_not_matter_to_the_cosine() -> None:
    X = blobs(1, 80)
    assert np.array_equal(KMeans(3).fit(X).labels_, KMeans(3).fit(X * 4).labels_)


def test_a_row_of_zeros_has_no_direction() -> None:
    X = np.vstack([blobs(1, 30), np.zeros((2, 5), dtype=np.float32)])
    found = KMeans(3).fit(X)
    assert list(found.labels_[-2:]) == list(found.second_[-2:]) == [-1, -1]
    assert found.labels_[:-2].min() == 0
    assert list(found.predict(np.zeros((1, 5)))) == [-1]
    nowhere = KMeans(3).fit(np.zeros((4, 5)))
    assert list(nowhere.labels_) == [-1] * 4
    assert nowhere.cluster_centers_.shape == (0, 5)
    assert list(nowhere.predict(X[:1])) == [-1]


def test_lengths_beyond_single_precision() -> None:
    tiny = np.vstack([blobs(1, 10), np.full((1, 5), 1e-42, dtype=np.float32)])
    assert KMeans(2).fit(tiny).labels_[-1] == -1  # no direction that float32 could hold
    huge = blobs(1, 10) * np.float32(1e18)
    assert np.array_equal(KMeans(2).fit(huge).labels_, KMeans(2).fit(blobs(1, 10)).labels_)
    with pytest.raises(InputError, match="too large"):
        KMeans(2, metric="euclidean").fit(huge)


def test_opposite_rows_cancel_out() -> None:
    X = np.array([[1.0, 0], [-1, 0], [1, 0], [-1, 0]])
    assert list(KMeans(1).fit(X).labels_) == [0, 0, 0, 0]
    assert KMeans(1).fit(X).objective_ == pytest.approx(0)
    assert list(KMeans(2).fit(X).labels_) == [0, 1, 0, 1]


def test_an_emptied_cluster_starts_anew_from_the_item_worst_served() -> None:
    X = np.array([[1, 0, 0], [1, 0.1, 0], [1, 0, 0.1], [0, 0.2, 1]], dtype=np.float32)
    with Threads(1) as threads:
        items = kmeans._items(X, True, threads)
        centres = np.array([[1, 0, 0], [0, -1, 0]], dtype=np.float32).T.copy()  # nothing is nearest to the second
        centres, found = kmeans._settle(items, centres, threads)
    assert list(found.labels) == [0, 0, 0, 1]
    assert centres[:, 1] == pytest.approx(np.array([0, 0.2, 1]) / np.sqrt(1.04))


@pytest.mark.compiled
def test_the_best_of_several_starts_is_kept() -> None:
    X = blobs(2, 200, features=20)
    several = KMeans(12, n_init=6).fit(X)
    assert several.objective_ >= KMeans(12).fit(X).objective_  # the first of the six is the one alone


def test_generators_are_taken_as_chance() -> None:
    X = blobs(2, 50)
    for chance in (None, np.random.RandomState(3), np.random.default_rng(3)):
        assert KMeans(3, random_state=chance).fit(X).labels_.max() == 2


@pytest.mark.compiled
@both_metrics
def test_large_inputs_start_from_a_sample(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kmeans, "_SAMPLE", 1000)
    generator = np.random.default_rng(0)
    X = generator.random((5000, 30), dtype=np.float32) ** 4
    X[np.arange(5000), np.arange(5000) % 6] += 2
    found = KMeans(6, metric=metric).fit(sparse.csr_array(X))
    assert len(set(zip(found.labels_.tolist(), (np.arange(5000) % 6).tolist(), strict=True))) == 6
    rare = np.tile(X[:1], (5000, 1))
    rare[17], rare[4000] = X[1], X[2]  # a sample hardly holds both
    assert sorted(np.bincount(KMeans(3, metric=metric).fit(rare).labels_)) == [1, 1, 4998]


@pytest.mark.parametrize(
    "settings", [{"n_clusters": 0}, {"n_clusters": 2.0}, {"metric": "manhattan"}, {"n_init": 0}, {"max_iter": -1}]
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"{next(iter(settings))} must be"):
        KMeans(**settings).fit(blobs(0, 10))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("corpus", "every", "k"), [("20newsgroups_bydate", 5, 20), ("banking77", 1, 77)])
def test_objectives_are_no_worse_than_scikit_learns(
    data: Callable[[str], Path], corpus: str, every: int, k: int
) -> None:
    # every fifth post: on all of them, with ten seeds, bench/kmeans.py
    with gzip.open(data(f"{corpus}.jsonl.gz"), "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"].split("\n\n", 1)[-1] for line in itertools.islice(file, 0, None, every)]
    X = TfidfVectorizer(min_df=2, dtype=np.float32).fit_transform(texts)
    X = X[np.diff(X.indptr) > 0]
    theirs = [sklearn.cluster.KMeans(k, random_state=seed).fit(X) for seed in range(3)]
    ours = [KMeans(k, metric="euclidean", random_state=seed).fit(X) for seed in range(3)]
    assert np.mean([one.inertia_ for one in ours]) < np.mean([one.inertia_ for one in theirs])
    spherical = [KMeans(k, random_state=seed).fit(X) for seed in range(3)]
    for one in (*ours, *spherical):
        assert np.array_equal(one.predict(X), one.labels_)
    lengths = [sum(np.linalg.norm(X[one.labels_ == r].sum(axis=0)) for r in range(k)) for one in theirs]
    assert np.mean([one.objective_ for one in spherical]) > np.mean(lengths)
