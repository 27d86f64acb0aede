import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.kernels.counting import count_matrix
from consilience.language import tokenise
from consilience.nouns import Clustering, Recipe
from consilience.vectors import represent
from consilience.verdicts import describe
from making import corpus_of


def described(texts, labels, **settings):
    tokens = tokenise(corpus_of([" ".join(text) for text in texts]), language="unknown", stem="none", min_df=1)
    counts = count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary))
    clustering = Clustering(tokens.items, np.array(labels, np.int32), Recipe("given"))
    return describe(clustering, represent(tokens), counts, tokens.surface, **settings)


@given(
    st.lists(st.lists(st.sampled_from("aa bb cc dd ee ff".split()), min_size=1, max_size=6), min_size=2, max_size=10)
)
def test_terms_are_those_of_the_largest_f_measure(texts):
    half = (len(texts) + 1) // 2
    labels = [0] * half + [1] * (len(texts) - half)
    for found in described(texts, labels):
        values = [naive.telling(texts, labels, term, found.id) for term in found.terms]
        everything = [
            naive.telling(texts, labels, term, found.id) for term in sorted({t for text in texts for t in text})
        ]
        assert values == pytest.approx(sorted(everything, reverse=True)[: len(values)])
        assert 0 <= found.retrieval <= 1


def test_terms_that_stand_everywhere_do_not_label_anything():
    texts = [["the", "cat"], ["the", "cat"], ["the", "cat"], ["the", "dog"], ["the", "dog"]]
    cats, dogs = described(texts, [0, 0, 0, 1, 1])
    assert (cats.terms[0], dogs.terms[0]) == ("cat", "dog")
    assert cats.retrieval == dogs.retrieval == 1


def test_central_documents_come_first_and_repetitions_once():
    texts = [["aa", "bb"], ["aa", "bb"], ["aa", "bb"], ["aa", "cc", "dd", "ee"], ["zz"]]
    first, second = described(texts, [0, 0, 0, 0, 1])
    assert first.examples.tolist() == [0, 3]
    assert second.examples.tolist() == [4]


def test_nothing_assigned():
    assert described([["aa"], ["bb"]], [-1, -1]) == []


def test_labels_find_their_own_newsgroups(data):
    """With the gold classes as clusters the check must come out far above the share of a class (5 %)."""
    posts = pl.read_ndjson(data("20newsgroups_bydate.jsonl.gz"))
    labels = (posts["label"].rank("dense").cast(pl.Int32) - 1).to_numpy()
    by_size = np.argsort(-np.bincount(labels), kind="stable")
    labels = np.argsort(by_size)[labels].astype(np.int32)
    tokens = tokenise(corpus_of(posts["text"].to_list()))
    counts = count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary))
    clusters = describe(Clustering(tokens.items, labels, Recipe("given")), represent(tokens), counts, tokens.surface)
    checks = [found.retrieval for found in clusters]
    assert len(clusters) == 20
    assert np.mean(checks) > 0.4
    assert any("space" in found.terms for found in clusters)
