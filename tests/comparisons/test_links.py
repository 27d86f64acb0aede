from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

import naive
from consilience.comparisons.links import (
    Links,
    activ,
    by_entropy,
    by_similarity,
    class_words,
    divergence,
    similarity,
)

VOCABULARY = [f"w{i}" for i in range(30)]


def documents_of(seed: int, documents: int = 40, classes: int = 4):
    """Texts in which each class prefers words of its own; their labels, one class left without words."""
    chance = np.random.default_rng(seed)
    labels = chance.integers(0, classes, documents)
    texts = []
    for label in labels:
        preferred = (chance.normal(7 * label, 4, chance.integers(1, 14)).astype(int)) % len(VOCABULARY)
        texts.append([] if label == classes - 1 else [VOCABULARY[w] for w in preferred])
    return texts, labels


def words_of(texts, labels, classes):
    counts = np.array([[text.count(word) for word in VOCABULARY] for text in texts])
    members = sparse.csr_array(np.eye(classes)[labels])
    return class_words(members, sparse.csr_array(counts.astype(np.float32)))


def grouped(texts, labels, classes):
    return [[text for text, label in zip(texts, labels, strict=True) if label == k] for k in range(classes)]


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_the_formulas(seed):
    (texts, a), (_, b) = documents_of(seed), documents_of(seed + 50)
    ours, others = words_of(texts, a, 4), words_of(texts, b, 4)
    sim, far, picked = similarity(ours, others), divergence(ours, others), activ(ours, others)
    for d, mine in enumerate(grouped(texts, a, 4)):
        for c, theirs in enumerate(grouped(texts, b, 4)):
            assert sim[d, c] == pytest.approx(naive.class_similarity(mine, theirs))
            weights = [naive.weight(mine, word) * naive.weight(theirs, word) for word in VOCABULARY]
            assert picked[d, c] == pytest.approx(sum(weights))
            if any(mine) and any(theirs):
                assert far[d, c] == pytest.approx(naive.class_divergence(mine, theirs, len(VOCABULARY)))
            else:
                assert math.isinf(far[d, c])


def test_interpolated_words_are_a_distribution():
    texts, labels = documents_of(1)
    d = grouped(texts, labels, 4)[0]
    assert sum(naive.witten_bell(d, word, len(VOCABULARY)) for word in VOCABULARY) == pytest.approx(1)


def test_a_clustering_is_linked_to_itself_class_by_class():
    texts, labels = documents_of(2)
    words = words_of(texts, labels, 4)
    for links in (by_similarity(words, words), by_entropy(words, words)):
        assert links.to.tolist() == [0, 1, 2, -1]  # the last class has no words
        assert links.table() == {"none": 1, "1-1": 3}
    assert by_similarity(words, words).value[:3] == pytest.approx(1)
    assert by_similarity(words, words, threshold=1.0).table() == {"none": 4}  # it must exceed the threshold


def test_table_4_counts_how_many_are_linked_to_one():
    links = Links(np.array([0, 0, 1, -1, 3, 3, 3, 2]), np.zeros(8), 5)
    assert links.table() == {"none": 1, "1-1": 2, "1-2": 1, "1-3": 1}


def test_rare_words_of_a_class_are_noise_and_degrees_count_as_shares():
    counts = sparse.csr_array(np.array([[1, 0]] * 10 + [[1, 5]], dtype=np.float32))
    words = class_words(sparse.csr_array(np.ones((11, 1))), counts)
    assert words.weights.toarray().tolist() == [[1, 0]]
    assert words.counts.toarray().tolist() == [[11, 5]]
    ten = class_words(sparse.csr_array(np.ones((10, 1))), counts[1:])
    assert ten.weights.toarray()[0] == pytest.approx([1, 0.1])
    half = class_words(sparse.csr_array(np.array([[1.0], [0.5]])), sparse.csr_array(np.array([[1.0, 0], [0, 4]])))
    assert half.weights.toarray()[0] == pytest.approx([2 / 3, 1 / 3])
    assert half.counts.toarray()[0] == pytest.approx([1, 2])


def test_no_classes_and_no_words():
    empty = class_words(sparse.csr_array((3, 0)), sparse.csr_array((3, 2)))
    bare = class_words(sparse.csr_array(np.ones((3, 1))), sparse.csr_array((3, 2)))
    for a, b in ((empty, bare), (bare, bare), (bare, empty), (empty, empty)):
        for links in (by_similarity(a, b), by_entropy(a, b)):
            assert (links.to == -1).all()
