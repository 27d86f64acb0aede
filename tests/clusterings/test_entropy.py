"""Entropy clustering against its formulas written down slowly, against another program, and on awkward units."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sib import SIB
from sklearn.exceptions import ConvergenceWarning

import naive
from consilience.clusterings import entropy
from consilience.clusterings.entropy import SEARCHES, WEIGHTS, Entropy
from consilience.errors import InputError, SettingError

every_search = pytest.mark.parametrize("search", SEARCHES)
every_weighting = pytest.mark.parametrize("weights", WEIGHTS)


def texts(seed: int, items: int = 20, words: int = 9, groups: int = 3, *, whole: bool = True) -> Any:
    """Counts, or tf-idf-like weights, with a group's own words more frequent; a row may be empty or repeat another."""
    generator = np.random.default_rng(seed)
    rates = generator.gamma(0.4, 1.5, (groups, words))
    X = generator.poisson(rates[generator.integers(groups, size=items)]).astype(np.float32)
    X[-1] = X[0]
    return X if whole else X * generator.gamma(1, 2, words).astype(np.float32)


def as_weighted(X: Any, weights: str) -> list[list[float]]:
    rows = X.astype(float).tolist()
    return naive.shares_of_rows(rows) if weights == "units" else rows


def state_of(X: Any, labels: Any, weights: str, k: int) -> tuple[Any, Any]:
    units = entropy._units(sparse.csr_array(X), weights)
    return units, entropy._clusters(units, entropy._held(units, np.asarray(labels, dtype=np.int32), k))


@every_weighting
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), whole=st.booleans())
def test_entropies_equal_their_formulas(seed: int, k: int, whole: bool, weights: str) -> None:
    X = texts(seed, whole=whole)
    found = Entropy(k, weights=weights, random_state=seed, n_init=1, n_jobs=1).fit(X)
    rows, labels = as_weighted(X, weights), found.labels_.tolist()
    alone = [d if label >= 0 else -1 for d, label in enumerate(labels)]
    assert pytest.approx(naive.words_entropy(rows, labels), rel=1e-9, abs=1e-9) == found.H_K_
    assert pytest.approx(naive.words_entropy(rows, alone), rel=1e-9, abs=1e-9) == found.H_TU_
    assert pytest.approx(found.H_K_ - found.H_TU_, abs=1e-12) == found.D_KL_
    assert found.objectives_ == pytest.approx([found.H_K_], rel=1e-9, abs=1e-9)


@every_weighting
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("table", [4, 1 << 20])
def test_prices_equal_the_growth_of_the_entropy(
    monkeypatch: pytest.MonkeyPatch, weights: str, whole: bool, table: int
) -> None:
    monkeypatch.setattr(entropy, "_TABLE", table)
    for seed in range(20):
        X, k = texts(seed, whole=whole), 4
        labels = np.random.default_rng(seed).integers(k, size=len(X))
        labels[~X.any(axis=1)] = -1
        rows = as_weighted(X, weights)
        units, clusters = state_of(X, labels, weights, k)
        for d in np.flatnonzero(labels >= 0):
            out_of = [*labels[:d].tolist(), -1, *labels[d + 1 :].tolist()]
            expected = [naive.price(rows, [*labels[:d].tolist(), b, *labels[d + 1 :].tolist()], d, b) for b in range(k)]
            found = [entropy._price(units, clusters, d, b, b == labels[d]) for b in range(k)]
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), (seed, d)
            _, without = state_of(X, out_of, weights, k)
            quick = np.empty(k, dtype=np.float32)
            entropy._quick_prices(units, without, d, quick)
            assert abs(quick - expected).max() <= entropy._doubt(units, d)
            one_by_one = [entropy._quick_price(units, clusters, d, b, b == labels[d]) for b in range(k)]
            assert np.abs(np.array(one_by_one) - expected).max() <= entropy._doubt(units, d)


@every_search
@every_weighting
@pytest.mark.parametrize("init", ["one", "random"])
@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), whole=st.booleans())
def test_every_search_ends_where_no_single_move_helps(
    seed: int, k: int, whole: bool, search: str, weights: str, init: str
) -> None:
    X = texts(seed, items=12, whole=whole)
    found = Entropy(k, search=search, weights=weights, init=init, random_state=seed, n_init=1, n_jobs=1).fit(X)
    rows = as_weighted(X, weights)
    assert naive.lowest_by_one_move(rows, found.labels_.tolist(), k) >= found.H_K_ - 1e-9
    assert (found.labels_ >= 0).tolist() == X.any(axis=1).tolist()


@pytest.mark.compiled
@every_weighting
@pytest.mark.parametrize("k", [3, 30])
def test_no_single_move_helps_among_many_units_and_clusters(weights: str, k: int) -> None:
    X = texts(5, items=1500, words=200, groups=12)
    found = Entropy(k, weights=weights, n_init=1).fit(X)
    units, clusters = state_of(X, found.labels_, weights, k)
    for d in np.flatnonzero(found.labels_ >= 0):
        prices = [entropy._price(units, clusters, d, b, b == found.labels_[d]) for b in range(k)]
        assert prices[found.labels_[d]] <= min(prices) + 1e-6


@every_search
@every_weighting
def test_a_search_only_ever_lowers_the_entropy(search: str, weights: str) -> None:
    X = texts(3, items=60)
    given_labels = np.random.default_rng(0).integers(5, size=len(X))
    given_labels[~X.any(axis=1)] = -1
    rows = as_weighted(X, weights)
    last = naive.words_entropy(rows, given_labels.tolist())
    for rounds in range(1, 8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = Entropy(5, search=search, weights=weights, init=given_labels, max_iter=rounds).fit(X)
        assert found.objectives_[0] <= last + 1e-12
        last = found.objectives_[0]


@every_weighting
@given(seed=st.integers(0, 10_000), whole=st.booleans())
def test_prediction_is_the_cheapest_addition(seed: int, whole: bool, weights: str) -> None:
    X, new = texts(seed, whole=whole), texts(seed + 1, items=6, whole=whole)
    found = Entropy(4, weights=weights, random_state=seed, n_init=1, n_jobs=1).fit(X)
    rows, fitted = as_weighted(X, weights), found.labels_.tolist()
    both = found.predict_two(new)
    for row, label, second in zip(as_weighted(new, weights), both.labels, both.second, strict=True):
        if not any(row) or not any(map(any, rows)):
            assert label == second == -1
            continue
        prices = [naive.price([*rows, row], [*fitted, k], len(rows), k) for k in range(max(fitted) + 1)]
        assert prices[label] == pytest.approx(min(prices), rel=1e-7, abs=1e-7)
        if len(prices) > 1:
            assert prices[second] == pytest.approx(sorted(prices)[1], rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
@every_weighting
def test_of_few_units_the_best_of_all_partitions_is_found(seed: int, weights: str) -> None:
    X = texts(seed, items=7)
    X[:, 0] += 1
    rows = as_weighted(X, weights)
    for k in (2, 3):
        lowest = min(naive.words_entropy(rows, list(labels)) for labels in itertools.product(range(k), repeat=7))
        found = Entropy(k, weights=weights, init="random", n_init=30, n_jobs=1).fit(X)
        assert pytest.approx(lowest, abs=1e-12) == found.H_K_


@pytest.mark.compiled
@every_weighting
def test_the_entropy_is_what_another_program_calls_it(weights: str) -> None:
    X = texts(1, items=400, words=80, groups=6)
    X[:, 0] += 1
    peer = SIB(6, n_init=1, random_state=0, tol=0, max_iter=1000, uniform_prior=weights == "units", n_jobs=1)
    peer.fit(sparse.csr_matrix(X.astype(float)))
    rows = np.array(as_weighted(X, weights))
    of_words = rows.sum(axis=0) / rows.sum()
    told = -(of_words[of_words > 0] * np.log(of_words[of_words > 0])).sum() - peer.score_ * np.log(2)  # H(W) - I(W; K)
    units = entropy._units(sparse.csr_array(X), weights)
    assert entropy._entropy(units, peer.partition_.labels.astype(np.int32)) == pytest.approx(told, rel=1e-9)
    ours = Entropy(6, weights=weights, init=peer.partition_.labels, n_jobs=1).fit(X)
    assert told + 1e-9 >= ours.H_K_ >= told - 0.01  # it passes clusters of one unit over, and stops at a share of moves


def test_one_cluster_holds_all_and_as_many_as_units_say_all() -> None:
    X = texts(2, items=10)
    X[:, 0] += 1
    X[-1] = 9
    all_in_one, alone = Entropy(1).fit(X), Entropy(10).fit(X)
    assert pytest.approx(naive.words_entropy(as_weighted(X, "units"), [0] * 10)) == all_in_one.H_K_
    assert pytest.approx(0, abs=1e-12) == alone.D_KL_
    assert sorted(alone.labels_) == list(range(10))


@every_weighting
@pytest.mark.parametrize("init", ["one", "random"])
def test_units_with_the_same_shares_of_words_are_together(weights: str, init: str) -> None:
    X = np.array([[1, 2, 0], [2, 4, 0], [0, 1, 3], [3, 6, 0], [0, 2, 6], [1, 2, 0]], dtype=np.float32)
    found = Entropy(5, weights=weights, init=init, random_state=4).fit(X)
    assert found.labels_.tolist() == [0, 0, 1, 0, 1, 0]
    assert pytest.approx(0, abs=1e-12) == found.D_KL_
    assert found.second_.tolist() == [1, 1, 0, 1, 0, 1]


def test_units_of_equal_length_weigh_the_same_either_way() -> None:
    X = np.random.default_rng(0).multinomial(12, [0.1] * 10, size=50).astype(np.float32)
    a, b = (Entropy(4, weights=weights, random_state=1, n_init=2).fit(X) for weights in WEIGHTS)
    assert a.labels_.tolist() == b.labels_.tolist()
    assert pytest.approx(b.H_K_, rel=1e-12) == a.H_K_


def test_weights_that_are_whole_numbers_or_not_go_the_same_way() -> None:
    X = texts(8, items=80, words=30)
    counts, weights = Entropy(5, weights="counts").fit(X), Entropy(5, weights="counts").fit(X * 0.5)
    assert counts.labels_.tolist() == weights.labels_.tolist()
    assert pytest.approx(weights.H_K_, rel=1e-12) == counts.H_K_
    assert "no counts" in weights.note_
    assert "no counts" not in counts.note_
    assert counts.predict(X * 0.5).tolist() == weights.predict(X * 0.5).tolist()
    assert weights.predict(X).tolist() == counts.predict(X).tolist()  # counts priced against sums that are none


def test_a_small_table_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X = texts(8, items=80, words=12) * 9
    before = Entropy(5, weights="counts").fit(X)
    monkeypatch.setattr(entropy, "_TABLE", 10)
    after = Entropy(5, weights="counts").fit(X)
    assert before.labels_.tolist() == after.labels_.tolist()
    monkeypatch.setattr(entropy, "_COUNTS", 100)  # too many for whole numbers of 32 bits
    assert before.labels_.tolist() == Entropy(5, weights="counts").fit(X).labels_.tolist()


def test_the_best_of_several_starts_is_kept_and_the_spread_told() -> None:
    X = texts(4, items=150, words=40, groups=8)
    found = Entropy(6, n_init=7, init="random", random_state=2, n_jobs=1).fit(X)
    assert len(found.objectives_) == 7
    assert found.objectives_.min() == pytest.approx(found.H_K_, rel=1e-12)
    assert found.objectives_.max() > found.H_K_  # the optimum does depend on the start
    assert "7 starts ended with an H_K from" in found.note_
    threaded = Entropy(6, n_init=7, init="random", random_state=2, n_jobs=2).fit(X)
    assert threaded.objectives_.tobytes() == found.objectives_.tobytes()


def test_a_given_clustering_is_gone_on_from() -> None:
    X = texts(6, items=40)
    X[:, 0] += 1
    found = Entropy(3).fit(X)
    again = Entropy(3, init=found.labels_).fit(X)
    assert again.labels_.tolist() == found.labels_.tolist()
    assert (again.n_iter_, again.n_moves_) == (2, 0)  # one round that moves nothing, and the proof
    assert len(again.objectives_) == 1
    partly = np.where(np.arange(40) < 30, found.labels_, -1)
    assert Entropy(3, init=partly).fit(X).labels_.min() == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": "greedy"}, "search must be one of best, random, systematic, it is 'greedy'"),
        ({"weights": "tfidf"}, "weights must be one of units, counts, it is 'tfidf'"),
        ({"init": "kmeans"}, "init must be 'random', 'one' or a label for each row, it is 'kmeans'"),
        ({"n_init": 0}, "n_init must be a whole number from 1 on"),
    ],
)
def test_settings_that_are_none_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Entropy(3, **settings).fit(texts(0))


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ([0, 1], "init must be 20 whole numbers"),
        ([0.5] * 20, "init must be 20 whole numbers, a label for each row; it is float64 of shape"),
        ([3] * 20, "labels to start from must be 0 to 2, or -1 .* they are 3 to 3"),
        ([-2] * 20, "they are -2 to -2"),
    ],
)
def test_labels_that_cannot_be_started_from_are_refused(init: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Entropy(3, init=init).fit(texts(0))


def test_negative_weights_are_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="Negative values in data, -1 among them: entropy takes counts or other"):
        Entropy(2).fit(np.array([[1.0, -1.0], [2.0, 3.0]]))


def test_nothing_to_go_by() -> None:
    found = Entropy(3).fit(np.zeros((4, 5)))
    assert found.labels_.tolist() == found.second_.tolist() == [-1] * 4
    assert (found.H_K_, found.H_TU_, found.D_KL_) == (0, 0, 0)
    assert found.predict(np.ones((2, 5))).tolist() == [-1, -1]  # there is no cluster to belong to


def test_a_stopped_search_says_so() -> None:
    with pytest.warns(ConvergenceWarning, match="max_iter=1 while moves still lowered H_K"):
        Entropy(5, max_iter=1).fit(texts(1, items=60))


def test_one_document_of_many_words_and_many_of_one() -> None:
    X = sparse.vstack([sparse.csr_array(np.full((1, 3000), 7.0)), sparse.eye_array(60, 3000)]).tocsr()
    for weights in WEIGHTS:
        found = Entropy(4, weights=weights, n_jobs=1).fit(X.astype(np.float32))
        assert found.labels_.min() == 0
        assert found.predict(X.astype(np.float32)).tolist() == found.labels_.tolist()


@pytest.mark.parametrize("across", ["rows", "words", "cells"])
@pytest.mark.parametrize(("low", "high"), [(1e-30, 1e30), (1e-10, 1e10)])
def test_shares_too_small_for_single_precision_spoil_no_price(across: str, low: float, high: float) -> None:
    shape = {"rows": (20, 1), "words": (1, 9), "cells": (20, 9)}[across]
    X = texts(4) * np.where(np.random.default_rng(1).random(shape) < 0.5, low, high)
    found = Entropy(4, n_init=1, n_jobs=1).fit(X)
    rows = as_weighted(X, "units")
    assert (found.labels_ >= 0).tolist() == X.any(axis=1).tolist()
    assert pytest.approx(naive.words_entropy(rows, found.labels_.tolist()), rel=1e-6) == found.H_K_
    assert naive.lowest_by_one_move(rows, found.labels_.tolist(), 4) >= found.H_K_ - 1e-6
    assert found.predict(X).tolist() == found.labels_.tolist()


@pytest.mark.parametrize("scale", [1e-34, 1e30])
def test_weights_too_far_from_one_are_refused(scale: float) -> None:
    X = texts(4) * 1.5
    with pytest.raises(InputError, match=r"a row must add up to 1e-30 or more and all rows to 1e\+30 or less"):
        Entropy(3, weights="counts").fit(X * scale)
    scaled = Entropy(3, n_jobs=1).fit(X * scale)
    assert scaled.labels_.tolist() == Entropy(3, n_jobs=1).fit(X).labels_.tolist()


def test_of_counts_nothing_is_lost_beside_a_huge_one() -> None:
    X = np.array([[1_500_000_000, 0, 0], [1, 3, 0], [0, 2, 1]], dtype=np.float32)
    units, clusters = state_of(X, [0, 0, 1], "counts", 2)
    entropy._move(units, clusters, np.array([0, 0, 1], dtype=np.int32), 0, 1, 0)
    assert clusters.held.tolist() == entropy._held(units, np.array([1, 0, 1], dtype=np.int32), 2).tolist()
    assert clusters.masses.tolist() == [4, 1_500_000_003]


@every_weighting
def test_quick_prices_of_new_units_are_within_their_doubt_however_large_the_clusters(weights: str) -> None:
    generator = np.random.default_rng(0)
    held = np.rint(generator.gamma(0.3, 1e6, (60, 50)))  # K x V

    class Team:
        def over(self, rows: int, kernel: Any, units: Any, clusters: Any, *out: Any) -> None:
            quick = np.empty(60, dtype=np.float32)
            entropy._quick_prices(units, clusters, 0, quick)
            exact = [entropy._price(units, clusters, 0, k, False) for k in range(60)]
            assert abs(quick - exact).max() <= 0.5 * entropy._doubt(units, 0)

    for unit in generator.multinomial(np.arange(200) % 8 + 1, [0.02] * 50).astype(float):
        units = entropy._units(sparse.csr_array(unit[None]), weights)
        entropy._cheapest(units, held, Team())  # type: ignore[arg-type]


@every_weighting
def test_clusters_are_founded_by_units_that_share_no_words_where_there_are_such(weights: str) -> None:
    groups = np.repeat(np.arange(6), 20)
    X = np.repeat(np.eye(6), 4, axis=1)[groups] * (np.arange(120)[:, None] % 3 + 1)
    units = entropy._units(sparse.csr_array(X.astype(np.float32)), weights)
    for seed in range(20):
        order = entropy._order(units, np.arange(120), 6, np.random.default_rng(seed))
        assert sorted(order) == list(range(120))
        assert len(set(groups[order[:5]])) == 5
