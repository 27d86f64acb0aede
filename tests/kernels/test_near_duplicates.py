import numpy as np
import polars as pl

import naive
from consilience.kernels.counting import count_matrix
from consilience.kernels.near_duplicates import THRESHOLD, near_duplicates
from consilience.language import raw_tokens
from making import corpus_of, terms_of


def repeated(texts, jobs=-1):
    tokens = raw_tokens(corpus_of(texts))
    return tokens, near_duplicates(count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary)), jobs)


def test_a_word_in_twenty_changed():
    words = [f"word{i}{c}" for i, c in enumerate("abcdefghijklmnopqrst")]
    other = [*words[:-1], "different"]
    _, found = repeated([" ".join(words), "something else", " ".join(other), " ".join(words[:10]), "", ""])
    assert found.tolist() == [-1, -1, 0, -1, -1, -1]


def test_every_find_is_one_and_nearly_all_are_found():
    generator = np.random.default_rng(0)
    words = np.array([f"w{i}x" for i in range(500)])
    texts = [" ".join(generator.choice(words, 60)) for _ in range(150)]
    for text in texts[:100]:
        cut = text.split()
        cut[generator.integers(60)] = "changed"
        texts.append(" ".join(cut))
    tokens, found = repeated(texts)
    cut = terms_of(tokens)
    for row in np.flatnonzero(found >= 0):
        assert naive.jaccard(cut[row], cut[found[row]]) >= THRESHOLD
    true = [r for r in range(len(cut)) if any(naive.jaccard(cut[r], cut[e]) >= THRESHOLD for e in range(r))]
    assert len(true) == 100
    assert np.count_nonzero(found[true] >= 0) >= 97
    assert np.array_equal(found, repeated(texts, jobs=1)[1])


def test_reuters_repeats_itself(data):
    texts = pl.read_ndjson(data("reuters21578.jsonl.gz"))["text"].fill_null("").to_list()
    _, found = repeated(texts)
    assert 300 < np.count_nonzero(found >= 0) < 4000
