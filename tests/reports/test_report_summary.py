"""Nouns -> record."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from consilience.nouns import Clustering, Corpus, Integers, Recipe, Vectors
from consilience.reports.summary import merges_of_clusters, record, sampled, snippets


class Described(NamedTuple):
    id: int
    size: int
    label: str
    terms: list[str]
    examples: Integers
    retrieval: float


def nouns(texts: list[str], labels: list[int]) -> tuple[Corpus, Vectors, Clustering, list[Described]]:
    chance = np.random.default_rng(0)
    found = np.array(labels, np.int32)
    matrix = chance.random((len(texts), 5)).astype(np.float32) + np.eye(5, dtype=np.float32)[found % 5]
    matrix[found < 0] = 0
    ids = pl.Series("id", [f"d{row}" for row in range(len(texts))], dtype=pl.String)
    clustering = Clustering(ids, found, Recipe("cluster", {"k": 2}))
    clusters = [
        Described(c, int(size), f"label {c}", ["a", "b"], np.flatnonzero(found == c)[:5], 0.25)
        for c, size in enumerate(clustering.sizes)
    ]
    vectors = Vectors(ids, sparse.csr_array(matrix), pl.Series("f", list("abcde")), Recipe("given"))
    return Corpus(ids, pl.Series("text", texts, dtype=pl.String)), vectors, clustering, clusters


def test_a_record_says_what_the_nouns_hold_and_is_plain_json() -> None:
    made = record(*nouns([f"text {i}" for i in range(9)], [0] * 5 + [1] * 3 + [-1]), title="t", seed=3)  # type: ignore[arg-type]
    assert json.loads(json.dumps(made)) == made
    assert (made["documents"], made["k"], made["assigned"], made["seed"]) == (9, 2, 8 / 9, 3)
    assert [c["size"] for c in made["clusters"]] == [5, 3]
    assert [e["id"] for e in made["clusters"][1]["examples"]] == ["d5", "d6", "d7"]
    assert made["clusters"][0]["confidence"] is None
    assert made["points"] is not None
    assert sorted(made["points"]["id"]) == [f"d{i}" for i in range(9)]
    assert dict(zip(made["points"]["id"], made["points"]["snippet"] or [], strict=True))["d4"] == "text 4"
    assert all(0 <= value <= 9999 for axis in (made["points"]["x"], made["points"]["y"]) for value in axis)


def test_without_texts_no_text_is_in_the_record() -> None:
    made = record(*nouns(["secret"] * 6, [0, 0, 0, 0, 1, 1]), title="t", texts=False)  # type: ignore[arg-type]
    assert "secret" not in json.dumps(made)


@pytest.mark.parametrize("labels", [[], [0], [-1], [0, 0], [-1, -1, -1], [0, 0, 0, 1]])
def test_the_smallest_corpora_have_a_record(labels: list[int]) -> None:
    made = record(*nouns(["x"] * len(labels), labels), title="t")  # type: ignore[arg-type]
    assert made["documents"] == len(labels)
    assert (made["points"] is None) == (not labels)


def test_the_order_of_the_input_does_not_show_on_the_map() -> None:
    corpus, vectors, clustering, _ = nouns([f"t{i}" for i in range(40)], [0] * 25 + [1] * 15)
    turned = np.random.default_rng(1).permutation(40)
    again = Vectors(vectors.items[turned], vectors.matrix[turned], vectors.features, vectors.recipe)
    relabelled = Clustering(clustering.items[turned], clustering.labels[turned], clustering.recipe)
    first = record(corpus, vectors, clustering, [], title="t")["points"]
    second = record(corpus.take(turned), again, relabelled, [], title="t")["points"]
    assert first == second


@given(st.lists(st.integers(-1, 6), min_size=1, max_size=300), st.integers(20, 100))
def test_a_sample_keeps_to_its_limit_and_leaves_no_cluster_out(labels: list[int], limit: int) -> None:
    found = np.array(labels)
    rows = sampled(found, limit)
    assert len(rows) == len(set(rows.tolist())) <= max(limit, 0)
    assert (np.diff(rows) > 0).all()
    assert set(found[rows]) == set(labels)
    assert len(rows) >= min(limit, len(labels)) - 8  # each of eight groups may be rounded down by one
    assert np.array_equal(rows, sampled(found, limit))


def test_a_sample_is_in_proportion_but_shows_a_few_of_each() -> None:
    labels = np.repeat([0, 1, 2], [90_000, 9_990, 10])
    drawn = np.bincount(labels[sampled(labels, 10_000)])
    assert drawn[2] == 10
    assert drawn[0] / drawn[1] == pytest.approx(9, rel=0.02)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("  one\n\t two\x00three \u2028 ", "one two three"),
        ("word " * 10, "word word word word…"),
        ("words " * 10, "words words words…"),
        ("x" * 50, "x" * 20 + "…"),
        ("字" * 50, "字" * 20 + "…"),
        ("exactly twenty chars", "exactly twenty chars"),
        (" " * 150 + "late", "late"),
        ("Title\n=====\nand ------ text", "Title — and — text"),
    ],
)
def test_snippets(text: str, said: str) -> None:
    assert snippets(pl.Series([text]), 20).to_list() == [said]


@given(st.text(max_size=400), st.integers(5, 60))
def test_a_snippet_is_short_and_of_one_line(text: str, characters: int) -> None:
    (shown,) = snippets(pl.Series([text]), characters)
    assert len(shown) <= characters + 1
    assert "\n" not in shown


def test_merges_of_items_become_merges_of_clusters() -> None:
    # items 0 1 2 are cluster 0, 3 4 cluster 1, 5 cluster 2, 6 is not assigned
    merges = [(0, 1, 0.1), (3, 4, 0.2), (7, 2, 0.3), (9, 6, 0.4), (10, 8, 0.5), (11, 5, 0.9)]
    assert merges_of_clusters(merges, np.array([0, 0, 0, 1, 1, 2, -1])) == [(0, 1, 0.5), (3, 2, 0.9)]
