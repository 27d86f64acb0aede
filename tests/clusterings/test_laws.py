"""Laws that every clustering method obeys; a new file in the catalogue is tested by existing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from consilience import catalogue
from consilience.clusterings import cluster, predict
from consilience.errors import ConsilienceError, InputError, SettingError, UnknownName
from consilience.nouns import Clustering, Recipe, Vectors

NAMES = catalogue.names("clusterings")
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "agglomerative": [
        {},
        {"metric": "euclidean"},
        {"linkage": "single"},
        {"linkage": "complete", "metric": "euclidean"},
        {"linkage": "ward"},
    ],
    "density": [{}, {"metric": "euclidean"}],
    "em-gaussian": [{}, {"covariance": "spherical"}],
    "em-multinomial": [{}, {"annealing": False}],
    "entropy": [
        {},
        {"weights": "counts"},
        {"weights": "counts", "search": "random"},
        {"search": "systematic", "init": "random"},
    ],
    "fuzzy": [{}, {"metric": "euclidean"}],
    "kmeans": [{}, {"metric": "euclidean"}, {"n_init": 3}],
}
CASES = [(name, settings) for name in NAMES for settings in VARIANTS.get(name, [{}])]
EXPECTED_FAILURES: dict[str, dict[str, str]] = {  # class -> check -> why it cannot be met
    name: {"check_clustering": "its data have negative values, which are no counts, whatever the tag says"}
    for name in ("EmMultinomial", "Entropy")
}

every_method = pytest.mark.parametrize(("name", "settings"), CASES, ids=lambda case: str(case) if case else "")


def make(name: str, settings: dict[str, Any], k: int = 3, **more: Any) -> Any:
    kind = catalogue.get("clusterings", name)
    door = {"n_clusters": k, "n_jobs": 1, **more}
    return kind(**{key: value for key, value in door.items() if key in kind().get_params()}, **settings)


def documents(seed: int = 0, items: int = 60, features: int = 40, groups: int = 3) -> sparse.csr_array:
    """Counts: each group has words of its own, all share some."""
    generator = np.random.default_rng(seed)
    own = features // (groups + 1)
    X = generator.poisson(0.3, (items, features)).astype(np.float32)
    for i in range(items):
        X[i, own * (i % groups) : own * (i % groups + 1)] += generator.poisson(2, own)
    X[:, -1] += 1  # nobody is empty
    return sparse.csr_array(X)


def apart(seed: int = 0) -> sparse.csr_array:
    """Four groups without a word in common: no method can miss them."""
    generator = np.random.default_rng(seed)
    X = np.zeros((40, 24), dtype=np.float32)
    for i in range(40):
        X[i, 6 * (i % 4) : 6 * (i % 4 + 1)] = 5 + generator.random(6)
    return sparse.csr_array(X)


def suiting(name: str, X: sparse.csr_array) -> Any:
    """X as it is, or dense for a method that takes nothing else."""
    return X if get_tags(make(name, {})).input_tags.sparse else X.toarray()


def sparse_only(name: str, X: sparse.csr_array) -> sparse.csr_array:
    if not get_tags(make(name, {})).input_tags.sparse:
        pytest.skip(f"{name} takes dense vectors only")
    return X


def vectors(matrix: Any) -> Vectors:
    count, width = matrix.shape
    items = pl.Series([f"d{i}" for i in range(count)], dtype=pl.String)
    return Vectors(items, matrix, pl.Series([f"w{j}" for j in range(width)], dtype=pl.String), Recipe("given"))


def state(estimator: Any) -> dict[str, bytes]:
    fitted = {key: value for key, value in vars(estimator).items() if key.endswith("_")}
    return {key: np.asarray(value).tobytes() for key, value in fitted.items()}


def same_partition(a: Any, b: Any) -> bool:
    return np.array_equal(np.equal.outer(a, a), np.equal.outer(b, b)) and np.array_equal(a < 0, b < 0)


def takes_k(estimator: Any) -> bool:
    """A method that finds the number of clusters by itself takes none."""
    return "n_clusters" in estimator.get_params()


def is_its_prediction(estimator: Any, X: Any, found: Any) -> bool:
    """Is `found` what the method must predict for the items X it was fitted to?

    Its labels; or, where a method has no rule of its own and says `predicts_by = "nearest centroid"`, of each item
    the cluster whose centroid is nearest (of equals any, as rounding decides), and -1 where there is none.
    """
    if getattr(estimator, "predicts_by", "its own rule") == "its own rule":
        return np.array_equal(found, estimator.labels_)
    rows = (X.toarray() if sparse.issparse(X) else np.asarray(X)).astype(np.float64)
    rows = placed(estimator, rows)
    nowhere = (rows == 0).all(axis=1) if estimator.metric == "cosine" else np.zeros(len(rows), dtype=bool)
    centres = [rows[estimator.labels_ == r].mean(axis=0) for r in range(estimator.labels_.max(initial=-1) + 1)]
    if not centres:
        return bool((found == -1).all())
    if estimator.metric == "cosine":
        distances = -rows @ units(np.array(centres)).T
    else:
        distances = ((rows[:, None, :] - np.array(centres)) ** 2).sum(axis=2)
    best = distances[np.arange(len(rows)), found] <= distances.min(axis=1) + 1e-6 * (1 + (rows**2).sum(axis=1))
    return bool(np.where(nowhere, found == -1, (found >= 0) & best).all())


def placed(estimator: Any, rows: Any) -> Any:
    """Where the rows lie when a method measures distances: by the cosine at unit length, by components projected."""
    if estimator.metric == "cosine":
        rows = units(rows)
    if getattr(estimator, "components_", np.empty((0, 0))).size:
        rows = rows @ estimator.components_
        rows = units(rows) if estimator.metric == "cosine" else rows
    return rows


def units(rows: Any) -> Any:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-12)


@parametrize_with_checks(
    [make(name, settings) for name, settings in CASES],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES.get(type(estimator).__name__, {}),
)
def test_scikit_learns_own_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@every_method
def test_input_is_left_as_it_was(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents())
    kept = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    before = [array.copy() for array in kept]
    for array in kept:
        array.flags.writeable = False
    make(name, settings).fit(X).predict(X)
    assert all(np.array_equal(a, b) for a, b in zip(before, kept, strict=True))


@every_method
def test_the_same_seed_gives_the_same_bytes(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents())
    assert state(make(name, settings).fit(X)) == state(make(name, settings).fit(X))


@every_method
def test_threads_do_not_show(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents(items=90))
    one, two = make(name, settings).fit(X), make(name, settings, n_jobs=2).fit(X)
    assert state(one) == state(two)
    assert np.array_equal(one.predict(X), two.predict(X))


@pytest.mark.slow
@pytest.mark.compiled
@every_method
def test_threads_do_not_show_on_many_blocks(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents(items=5000, features=300, groups=9))
    assert state(make(name, settings, k=9).fit(X)) == state(make(name, settings, k=9, n_jobs=2).fit(X))


@every_method
def test_groups_apart_are_found_in_any_order(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, apart())
    order = np.random.default_rng(1).permutation(X.shape[0])
    assert same_partition(make(name, settings, k=4).fit(X).labels_, np.arange(40) % 4)
    assert same_partition(make(name, settings, k=4).fit(X[order]).labels_, order % 4)


@every_method
def test_order_does_not_matter_where_a_method_says_so(name: str, settings: dict[str, Any]) -> None:
    estimator = make(name, settings)
    if not getattr(estimator, "order_free", False):
        pytest.skip(f"{name} starts from the order of the items")
    X = suiting(name, documents())
    order = np.random.default_rng(1).permutation(X.shape[0])
    assert same_partition(make(name, settings).fit(X).labels_[order], estimator.fit(X[order]).labels_)


@every_method
@pytest.mark.parametrize("seed", range(5))
def test_prediction_of_the_training_items_is_what_the_method_says(
    name: str, settings: dict[str, Any], seed: int
) -> None:
    X = suiting(name, documents(seed))
    for k in (2, 5, 20):
        estimator = make(name, settings, k=k).fit(X)
        assert is_its_prediction(estimator, X, estimator.predict(X))


@every_method
def test_also_where_max_iter_stops_it(name: str, settings: dict[str, Any]) -> None:
    estimator = make(name, settings, k=8)
    if "max_iter" not in estimator.get_params():
        pytest.skip(f"{name} has no max_iter")
    X = suiting(name, sparse.csr_array(np.random.default_rng(0).random((200, 12), dtype=np.float32)))
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        estimator.set_params(max_iter=1).fit(X)
    assert is_its_prediction(estimator, X, estimator.predict(X))
    assert (np.diff(np.bincount(estimator.labels_)) <= 0).all()
    assert np.bincount(estimator.labels_).min() > 0


@every_method
def test_one_by_one_equals_all_at_once(name: str, settings: dict[str, Any]) -> None:
    X, new = suiting(name, documents(0)), suiting(name, documents(9))
    estimator = make(name, settings, k=4).fit(X)
    assert np.array_equal(estimator.predict(new), np.concatenate([estimator.predict(new[[i]]) for i in range(60)]))
    if hasattr(estimator, "predict_two"):
        ones = [estimator.predict_two(new[[i]]).second for i in range(60)]
        assert np.array_equal(estimator.predict_two(new).second, np.concatenate(ones))


@every_method
def test_the_next_best_is_another_cluster(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents())
    estimator = make(name, settings, k=4).fit(X)
    if not hasattr(estimator, "second_"):
        pytest.skip(f"{name} knows no next best")
    assert np.array_equal(estimator.predict_two(X).second, estimator.second_)
    assert (estimator.second_ != estimator.labels_).all()
    assert estimator.second_.min() >= 0
    assert (make(name, settings, k=1).fit(X).second_ == -1).all()


@every_method
def test_fitted_state_is_plain(name: str, settings: dict[str, Any]) -> None:
    estimator = make(name, settings).fit(suiting(name, documents()))
    kept = {key: value for key, value in vars(estimator).items() if key.endswith("_")}
    for key, value in kept.items():
        assert isinstance(value, (np.ndarray, int, float, str)), key
        assert not isinstance(value, np.ndarray) or value.dtype != object, key
    again = make(name, settings)
    for key, value in kept.items():  # as if loaded: copies, in C order
        setattr(again, key, np.array(value, order="C") if isinstance(value, np.ndarray) else value)
    assert np.array_equal(again.predict(suiting(name, documents(5))), estimator.predict(suiting(name, documents(5))))
    assert set(vars(again)) - set(kept) == set(again.get_params())


@every_method
def test_clusters_are_numbered_by_falling_size(name: str, settings: dict[str, Any]) -> None:
    labels = make(name, settings, k=6).fit(suiting(name, documents())).labels_
    sizes = np.bincount(labels[labels >= 0])
    first = [int(np.flatnonzero(labels == r)[0]) for r in range(len(sizes))]
    assert sizes.min() > 0
    assert list(zip(-sizes, first, strict=True)) == sorted(zip(-sizes, first, strict=True))


@every_method
def test_one_item(name: str, settings: dict[str, Any]) -> None:
    estimator = make(name, settings, k=1).fit(suiting(name, documents()[[0]]))
    assert list(estimator.labels_) == [0]


@every_method
def test_identical_items_are_one_cluster(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, sparse.csr_array(np.tile(documents()[[7]].toarray(), (20, 1))))
    estimator = make(name, settings, k=5).fit(X)
    assert list(estimator.labels_) == list(estimator.predict(X)) == [0] * 20


@every_method
def test_fewer_distinct_items_than_clusters_give_fewer_clusters(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents()[np.tile(np.arange(4), 10)])
    estimator = make(name, settings, k=9).fit(X)
    assert same_partition(estimator.labels_, np.tile(np.arange(4), 10))
    assert np.array_equal(estimator.predict(X), estimator.labels_)  # at its own centroid every item is nearest to it


@every_method
def test_one_cluster(name: str, settings: dict[str, Any]) -> None:
    if not takes_k(make(name, settings)):
        pytest.skip(f"{name} finds the number of clusters by itself")
    assert list(make(name, settings, k=1).fit(suiting(name, documents())).labels_) == [0] * 60


@every_method
def test_as_many_clusters_as_items(name: str, settings: dict[str, Any]) -> None:
    X = suiting(name, documents(items=12))
    labels = make(name, settings, k=12).fit(X).labels_
    assert labels.max() + 1 <= 12
    assert (np.bincount(labels[labels >= 0]) > 0).all()


@every_method
def test_indices_may_be_wide_and_in_any_order(name: str, settings: dict[str, Any]) -> None:
    X = sparse_only(name, documents())
    expected = make(name, settings).fit(X)
    wide = sparse.csr_matrix((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)  # the constructor narrows them
    assert wide.indices.dtype == np.int64
    assert state(make(name, settings).fit(wide)) == state(expected)
    turned = X.copy()
    for low, high in zip(X.indptr, X.indptr[1:], strict=False):
        turned.indices[low:high], turned.data[low:high] = X.indices[low:high][::-1], X.data[low:high][::-1]
    turned.has_sorted_indices = False
    assert same_partition(make(name, settings).fit(turned).labels_, expected.labels_)


@every_method
def test_entries_stored_twice_count_once_as_their_sum(name: str, settings: dict[str, Any]) -> None:
    X = sparse_only(name, documents())
    halves = sparse.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape, dtype=np.float32
    )
    assert state(make(name, settings).fit(halves)) == state(make(name, settings).fit(X))
    assert halves.nnz == 2 * X.nnz


@every_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32])
def test_the_type_of_the_numbers_does_not_matter(name: str, settings: dict[str, Any], dtype: Any) -> None:
    X = suiting(name, documents())
    assert state(make(name, settings).fit(X.astype(dtype))) == state(make(name, settings).fit(X))


@every_method
def test_sparse_equals_dense(name: str, settings: dict[str, Any]) -> None:
    X = sparse_only(name, documents())
    thin, thick = make(name, settings).fit(X), make(name, settings).fit(X.toarray())
    assert state(thin) == state(thick)
    assert np.array_equal(thin.predict(X.toarray()), thick.predict(X))


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(name: str, settings: dict[str, Any], value: float) -> None:
    X = suiting(name, documents())
    (X.data if sparse.issparse(X) else X[0])[3] = value
    with pytest.raises(ValueError, match=r"NaN|inf"):
        make(name, settings).fit(X)
    with pytest.raises(ValueError, match=r"NaN|inf"):
        make(name, settings).fit(suiting(name, documents())).predict(X)


@every_method
@given(
    X=arrays(np.float32, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(0, 3).map(float)),
    k=st.integers(1, 6),
)
def test_small_and_awkward_items(name: str, settings: dict[str, Any], X: Any, k: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        estimator = make(name, settings, k=k).fit(X)
    labels = estimator.labels_
    sizes = np.bincount(labels[labels >= 0])
    assert len(sizes) <= k or not takes_k(estimator)
    assert (sizes > 0).all()
    assert (np.diff(sizes) <= 0).all()
    assert is_its_prediction(estimator, X, estimator.predict(X))
    assert all(labels[i] == labels[j] for i in range(len(X)) for j in range(i) if np.array_equal(X[i], X[j]))


# --- the door ---------------------------------------------------------------------------------------------------


@every_method
def test_the_door_leaves_empty_items_out(name: str, settings: dict[str, Any]) -> None:
    X = documents().toarray()
    X[[0, 5, 59]] = 0
    for matrix in (suiting(name, sparse.csr_array(X)), X):
        found = cluster(vectors(matrix), method=name, k=3, **settings)
        assert {0, 5, 59} <= set(np.flatnonzero(found.labels < 0))
        assert not takes_k(found.estimator) or (found.labels < 0).sum() == 3
        again = predict(found, vectors(matrix))
        assert np.array_equal(again.second, found.second)
        some = X.any(axis=1)
        assert list(np.flatnonzero(again.labels < 0)) == [0, 5, 59]
        assert is_its_prediction(found.estimator, X[some], again.labels[some])


@every_method
def test_the_door_keeps_the_recipe(name: str, settings: dict[str, Any]) -> None:
    found = cluster(vectors(suiting(name, documents())), method=name, k=3, **settings)
    step = found.recipe.as_json()[-1]
    asked = {"k": 3} if takes_k(make(name, settings)) else {}
    assert {"step": "cluster", "method": name, **asked, **settings}.items() <= step.items()
    assert ("k" in step) == bool(asked)
    assert found.recipe.source == Recipe("given")


@every_method
def test_the_door_takes_what_comes(name: str, settings: dict[str, Any]) -> None:
    nothing = cluster(vectors(suiting(name, sparse.csr_array((4, 3), dtype=np.float32))), method=name, **settings)
    assert list(nothing.labels) == [-1] * 4
    assert nothing.k == 0
    few = cluster(vectors(suiting(name, documents(items=3))), method=name, k=20, **settings)
    assert (1 if takes_k(few.estimator) else 0) <= few.k <= 3


@every_method
def test_the_view_it_was_made_for_exists(name: str, settings: dict[str, Any]) -> None:
    view = getattr(make(name, settings), "default_view", None)
    assert view is None or view in catalogue.names("vectors")


@every_method
def test_the_door_names_the_settings(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"{name} takes no setting colour; it takes: "):
        cluster(vectors(suiting(name, documents())), method=name, colour="red")


@every_method
def test_memberships_are_shares_of_an_item(name: str, settings: dict[str, Any]) -> None:
    X = documents().toarray()
    X[[0, 5, 59]] = 0
    found = cluster(vectors(suiting(name, sparse.csr_array(X))), method=name, k=3, **settings)
    if not hasattr(found.estimator, "memberships_"):
        pytest.skip(f"{name} knows no degrees of membership")
    shares, some = found.memberships, found.labels >= 0
    assert shares.dtype == np.float32
    assert shares.shape == (60, found.k)
    assert shares.min() >= 0
    assert shares[some].sum(axis=1) == pytest.approx(1)
    assert not shares[~some].any()
    assert np.array_equal(shares[some].argmax(axis=1), found.labels[some])
    new = suiting(name, documents(9))
    assert np.array_equal(found.estimator.predict_memberships(new).argmax(axis=1), found.estimator.predict(new))
    known = suiting(name, sparse.csr_array(X[some]))
    assert np.array_equal(found.estimator.predict_memberships(known), found.estimator.memberships_)
    for threshold in (0.2, 0.5, 1.0):
        assert np.array_equal(found.sets(threshold).toarray(), shares >= np.float32(threshold))


def test_sets_need_memberships_and_a_threshold() -> None:
    with pytest.raises(InputError, match="no memberships; use em-multinomial"):
        cluster(vectors(documents()), method="kmeans").sets(0.5)
    soft = cluster(vectors(documents()), method="fuzzy", k=3)
    assert soft.sets(0.3).dtype == bool
    for threshold in (0, 1.1):
        with pytest.raises(SettingError, match="threshold must be above 0"):
            soft.sets(threshold)
    with pytest.raises(InputError, match="memberships of 60 items x 3 clusters; they are 60 x 2"):
        Clustering(soft.items, soft.labels, soft.recipe, memberships=soft.memberships[:, :2])


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", True])
def test_k_is_a_count(k: Any) -> None:
    with pytest.raises(SettingError, match="k must be a whole number from 1 on"):
        cluster(vectors(documents()), k=k)


def test_errors_are_of_the_family() -> None:
    with pytest.raises(UnknownName, match="kmeans"):
        cluster(vectors(documents()), method="kmean")
    with pytest.raises(SettingError, match="random_state"):
        cluster(vectors(documents()), random_state=-1)
    with pytest.raises(InputError, match="these vectors have 39"):
        predict(cluster(vectors(documents())), vectors(documents()[:, :39]))
    with pytest.raises(InputError, match="no fitted method"):
        predict(cluster(vectors(sparse.csr_array((2, 3), dtype=np.float32))), vectors(documents()))
    with pytest.raises(ConsilienceError, match="metric"):
        cluster(vectors(documents()), metric="cosines")
