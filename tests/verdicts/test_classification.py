import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid as Peer
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from consilience.corpus import from_frame, read
from consilience.errors import InputError, MissingColumn
from consilience.language import tokenise
from consilience.runs.classes import classify_corpus
from consilience.vectors import represent
from consilience.verdicts import NearestCentroid, accuracy, folds, nearest_words
from making import corpus_of


@parametrize_with_checks([NearestCentroid()])
def test_scikit_learn_s_own_checks(estimator, check):
    check(estimator)


def test_equals_scikit_learn_where_all_rows_are_unit_and_centroids_too():
    """On unit rows with classes of equal spread, nearest by cosine is nearest in space to the unit centroids."""
    generator = np.random.default_rng(0)
    X = normalize(generator.random((300, 12)))
    y = generator.integers(0, 4, 300)
    ours = NearestCentroid().fit(X, y)
    peer = Peer().fit(ours.centroids_.T, np.arange(4))
    assert np.array_equal(ours.predict(X), peer.predict(X))


def test_newsgroups_test_part(data):
    """Learnt on the training part alone; the share is what this method reaches, not a hope."""
    corpus = read(data("20newsgroups_bydate.jsonl.gz"), strip="headers")
    found = classify_corpus(corpus, split="split")
    assert found.accuracy.held_out == 7532
    assert found.accuracy.value > 0.76
    assert found.accuracy.low < found.accuracy.value < found.accuracy.high
    assert len(found.accuracy.by_class) == 20
    assert 0 < found.table["found"].null_count() < 100  # posts without a word that was learnt


def test_several_or_no_labels_are_classified_and_not_learnt(data):
    corpus = read(data("reuters21578.jsonl.gz"))
    found = classify_corpus(corpus)
    lengths = corpus.truth.list.len()
    assert found.unlabelled == int((lengths != 1).sum())
    assert found.table.filter(lengths != 1)["class"].null_count() == found.unlabelled
    assert set(found.table["found"].drop_nulls()) <= set(found.sizes)
    assert found.accuracy.value > 0.8


def test_refusals():
    table = {"text": ["red apple", "green pear", "blue sky"], "label": ["a", "a", "a"]}
    import polars as pl

    with pytest.raises(InputError, match="two classes"):
        classify_corpus(from_frame(pl.DataFrame(table)))
    with pytest.raises(MissingColumn, match="--truth"):
        classify_corpus(corpus_of(["red apple"]))
    two = from_frame(pl.DataFrame({**table, "label": ["a", "a", "b"]}))
    with pytest.raises(MissingColumn, match="no column 'part'"):
        classify_corpus(two, split="part")
    with pytest.raises(InputError, match="'test'"):
        classify_corpus(two, split="label")


def test_folds_spread_every_class_evenly():
    classes = np.array(["a"] * 50 + ["b"] * 11 + ["c"] * 2)
    fold = folds(classes, 5, 0)
    counts = np.array([[np.count_nonzero(fold[classes == name] == f) for f in range(5)] for name in "abc"])
    assert (counts.max(axis=1) - counts.min(axis=1) <= 1).all()
    assert np.array_equal(fold, folds(classes, 5, 0))


def test_interval_of_a_share():
    found = accuracy(np.array(["a"] * 100), np.array(["a"] * 90 + ["b"] * 10))
    assert (round(found.value, 3), round(found.low, 4), round(found.high, 4)) == (0.9, 0.8256, 0.9448)


def test_words_of_the_same_documents_are_alike(data):
    tokens = tokenise(read(data("20newsgroups_bydate.jsonl.gz"), strip="headers"))
    vectors = represent(tokens)
    near = {word: nearest_words(vectors, tokens, word)["word"].to_list() for word in ("Hockey", "encryption")}
    assert {"nhl", "team"} <= set(near["Hockey"])
    assert {"key", "clipper"} <= set(near["encryption"])
    dense = vectors.matrix[:, :50].toarray().astype(float)
    part = nearest_words(vectors, tokens, tokens.vocabulary[3], count=10**6)
    cosine = dense[:, 3] @ dense / np.maximum(np.linalg.norm(dense, axis=0) * np.linalg.norm(dense[:, 3]), 1e-12)
    shown = dict(zip(part["word"], part["similarity"], strict=True))
    for t in (t for t in range(50) if t != 3 and cosine[t] > 1e-6):
        assert shown[tokens.surface[t]] == pytest.approx(cosine[t], abs=1e-5)
    with pytest.raises(InputError, match="stop word"):
        nearest_words(vectors, tokens, "the")
