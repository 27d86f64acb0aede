import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

import naive
from consilience.measures.internal import ABOUT, internal
from consilience.nouns import Recipe, Vectors


def vectors(rows: np.ndarray) -> Vectors:
    items = pl.Series("id", [str(i) for i in range(len(rows))])
    features = pl.Series("feature", [f"f{j}" for j in range(rows.shape[1])])
    return Vectors(items, sparse.csr_array(rows.astype(np.float32)), features, Recipe("given"))


def rows(items: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).poisson(0.5, (items, 12))


def test_every_measure_is_that_of_the_assigned_items_with_features() -> None:
    counts = rows()
    counts[[3, 40]] = 0
    labels = np.random.default_rng(1).integers(-1, 3, 60) * 2  # 0, 2, 4 and -2: not assigned
    found = internal(vectors(counts), labels, space="counts", counts=counts)
    some = (labels >= 0) & counts.any(axis=1)
    kept, own = counts[some].astype(float), labels[some] // 2
    sums = [sum(row / np.linalg.norm(row) for row in kept[own == r]) for r in range(3)]
    as_lists, sums_as_lists = kept.tolist(), [list(total) for total in sums]
    assert set(found) == set(ABOUT)
    expected = {
        "mu1": naive.mu1(as_lists, own.tolist(), sums_as_lists),
        "mu2": naive.mu2(as_lists, own.tolist(), 10),
        "mu3": naive.mu3(np.bincount(own).tolist(), sums_as_lists, list(sum(sums))),
        "mu4": naive.mu4(sums_as_lists),
        "silhouette": silhouette_score(kept, own, metric="cosine"),
        "davies_bouldin": davies_bouldin_score(kept, own),
        "calinski_harabasz": calinski_harabasz_score(kept, own),
        "d_kl": naive.d_kl(kept.tolist(), own.tolist()),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value), name
        assert found[name].error == 0
        assert found[name].space == f"counts, {ABOUT[name].distance}"
        assert found[name].warning is None


def test_a_warning_stands_where_the_method_looked_in_this_space() -> None:
    given, labels = vectors(rows()), np.arange(60) % 2
    found = internal(given, labels, space="lsi", counts=given.matrix, looked_in="lsi", method="kmeans")
    assert "kmeans looked for these clusters in this very space" in str(found["mu1"].warning)
    assert (found["d_kl"].warning, found["d_kl"].space) == (None, "counts, entropy")
    found = internal(given, labels, space="lsi", counts=given.matrix, looked_in="counts", method="entropy")
    assert found["mu1"].warning is None
    assert "entropy looked" in str(found["d_kl"].warning)


def test_undefined_is_none() -> None:
    nothing = internal(vectors(rows()), np.full(60, -1), space="counts")
    assert all(one.value is None for one in nothing.values())
    single = internal(vectors(rows()), np.zeros(60, int), space="counts")
    assert {name for name, one in single.items() if one.value is None} == {
        "silhouette",
        "davies_bouldin",
        "calinski_harabasz",
        "d_kl",
    }
    without_others = internal(vectors(rows()), np.zeros(60, int), space="counts", counts=rows())
    assert without_others["d_kl"].value == pytest.approx(naive.d_kl(rows().tolist(), [0] * 60))


def test_of_many_items_some_are_asked_for_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    given, labels = vectors(rows(400)), np.arange(400) % 3
    whole = internal(given, labels, space="counts")["mu2"]
    monkeypatch.setattr("consilience.measures.internal._ASKED", 100)
    part = internal(given, labels, space="counts")["mu2"]
    assert part.error > 0
    assert part.value == pytest.approx(whole.value, abs=4 * part.error)
    assert part.value != whole.value


def test_where_all_would_take_long_the_silhouette_is_that_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    given, labels = vectors(rows(400)), np.arange(400) % 3
    whole = internal(given, labels, space="counts")["silhouette"]
    monkeypatch.setattr("consilience.measures.internal._ASKED", 100)
    monkeypatch.setattr("consilience.measures.internal._WORK", given.matrix.nnz)
    part = internal(given, labels, space="counts")["silhouette"]
    assert whole.error == 0 < part.error
    assert part.value == pytest.approx(whole.value, abs=4 * part.error)
    assert internal(given, labels, space="counts") == internal(given, labels, space="counts", n_jobs=1)
