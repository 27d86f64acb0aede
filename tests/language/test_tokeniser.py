import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.language import raw_tokens
from making import corpus_of, terms_of

# Latin with marks, Greek, Cyrillic, Arabic, Devanagari, Thai, Hangul, kana, Han, supplements, emoji, format characters
ALPHABET = st.one_of(
    st.characters(max_codepoint=0x24F),
    st.characters(min_codepoint=0x300, max_codepoint=0x5FF),
    st.characters(min_codepoint=0x600, max_codepoint=0x97F),
    st.characters(min_codepoint=0xE01, max_codepoint=0xEDF),
    st.characters(min_codepoint=0x3041, max_codepoint=0x30FE, categories=("Lo",)),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x4E20),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xAC20),
    st.characters(min_codepoint=0x10400, max_codepoint=0x1044F),
    st.characters(min_codepoint=0x20000, max_codepoint=0x20020),
    st.sampled_from(list(" \n\t.,-_'’\x00\u00ad\u200d\ufe0f\u20e31７é😀❤İΣςßªμ")),
)


@given(texts=st.lists(st.text(ALPHABET, max_size=30), max_size=6), numbers=st.booleans(), min_length=st.integers(1, 3))
def test_equals_the_rule_read_slowly(texts, numbers, min_length):
    tokens = raw_tokens(corpus_of(texts), numbers=numbers, min_length=min_length)
    assert terms_of(tokens) == [naive.tokens(t, numbers=numbers, min_length=min_length) for t in texts]
    assert tokens.vocabulary.to_list() == sorted(set(tokens.vocabulary.to_list()))


def test_scripts_without_spaces_give_pairs_of_characters():
    tokens = raw_tokens(corpus_of(["東京は首都 Tokyo", "水", "สวัสดี"]))
    assert terms_of(tokens) == [["東京", "京は", "は首", "首都", "tokyo"], ["水"], ["สว", "วั", "ัส", "สด", "ดี"]]


def test_composed_and_decomposed_spellings_are_one_term():
    tokens = raw_tokens(corpus_of(["caf\u00e9", "cafe\u0301", "CAFÉ"]))
    assert len(tokens.vocabulary) == 1


def test_number_of_threads_and_order_of_documents_change_nothing():
    generator = np.random.default_rng(0)
    words = np.array([f"wort{i}é" for i in range(3000)])
    texts = [" ".join(generator.choice(words, 40)) for _ in range(400)]
    one, two = (raw_tokens(corpus_of(texts), n_jobs=jobs) for jobs in (1, 2))
    assert one.terms.tobytes() == two.terms.tobytes()
    assert one.vocabulary.equals(two.vocabulary)
    turned = raw_tokens(corpus_of(texts[::-1]))
    assert terms_of(turned) == terms_of(one)[::-1]
    assert turned.vocabulary.equals(one.vocabulary)


@pytest.mark.compiled
def test_a_vocabulary_that_outgrows_its_table_and_a_huge_line():
    words = [f"w{i:x}q" for i in range(100_000)]
    tokens = raw_tokens(corpus_of([" ".join(words), "", " ".join(words[::-1])]))
    assert terms_of(tokens) == [words, [], words[::-1]]
    assert terms_of(raw_tokens(corpus_of(["x" * 5_000_000]))) == [["x" * 5_000_000]]


@pytest.mark.parametrize("texts", [[], [""], ["", "   ", "..."], ["\x00\x00"]])
def test_nothing_to_cut(texts):
    tokens = raw_tokens(corpus_of(texts))
    assert len(tokens) == len(texts)
    assert len(tokens.terms) == len(tokens.vocabulary) == 0


@pytest.mark.slow
@pytest.mark.compiled
def test_newsgroups_equal_python_s_regular_expressions(data):
    import re

    texts = pl.read_ndjson(data("20newsgroups_bydate.jsonl.gz"))["text"].head(4000)
    texts = texts.filter(texts.str.len_bytes() == texts.str.len_chars())  # beyond ASCII the two rules differ
    tokens = raw_tokens(corpus_of(texts.to_list()), numbers=True)
    assert terms_of(tokens) == [re.findall(r"[^\W_]{2,}", text.lower()) for text in texts]


def test_more_threads_than_there_is_work_cost_nothing():
    assert len(raw_tokens(corpus_of(["red apple"]), n_jobs=10**6).vocabulary) == 2
