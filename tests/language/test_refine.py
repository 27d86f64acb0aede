import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.errors import SettingError
from consilience.language import detect, document_table, raw_tokens, stop_words, tokenise
from making import corpus_of, terms_of

PLAIN = {"language": "unknown", "stem": "none", "min_df": 1}

SENTENCES = {
    "en": "The dog eats in the house and does not want to go out because it is very cold.",
    "fr": "Le chien mange dans la maison et ne veut pas sortir parce qu'il fait très froid.",
    "de": "Der Hund frisst im Haus und will nicht hinaus, weil es sehr kalt ist.",
    "es": "El perro come en la casa y no quiere salir porque hace mucho frío.",
    "nl": "De hond eet in het huis en wil niet naar buiten omdat het erg koud is.",
    "ru": "Собака ест в доме и не хочет выходить, потому что там очень холодно.",
    "ja": "犬は家の中で食べていて、とても寒いので外に出たくない。これは本という。",
    "th": "สุนัขกินอยู่ในบ้านและไม่อยากออกไปเพราะหนาวมาก",
    "unknown": "qwx zzyt bbrrk",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_languages_are_recognised(language):
    assert detect(raw_tokens(corpus_of([SENTENCES[language]]), min_length=1)).language == language


@pytest.mark.parametrize("text", ["red apple blue sky blue red sea", "hola mundo", "printer jam password lost"])
def test_one_stop_word_is_no_evidence(text):
    assert detect(raw_tokens(corpus_of([text]))).language == "unknown"


def test_corpora_are_recognised(data):
    for name, language in (("banking77", "en"), ("fr_debian_descriptions", "fr"), ("search_snippets_12k", "en")):
        texts = pl.read_ndjson(data(f"{name}.jsonl.gz"))["text"].to_list()
        found = detect(raw_tokens(corpus_of(texts)))
        assert found.language == language
        assert found.score > 3 * found.runner_up_score


def test_stop_words_go_and_apostrophes_are_cut_as_in_texts():
    assert terms_of(tokenise(corpus_of(["L'arbre, c'est aujourd'hui qu'il commence"]), language="fr", stem="none")) == [
        ["arbre", "commence"]
    ]
    assert {"don", "the"} <= stop_words("en")
    kept = tokenise(corpus_of(["the house"]), language="en", stem="none", stop=False)
    assert terms_of(kept) == [["the", "house"]]


def test_own_stop_words():
    tokens = tokenise(corpus_of(["Alpha beta GAMMA"]), own_stop_words=("Gamma", "alpha"), **PLAIN)
    assert terms_of(tokens) == [["beta"]]


def test_the_vocabulary_is_stemmed_and_shown_as_its_most_frequent_word():
    tokens = tokenise(corpus_of(["connected connection", "connections connection"]), language="en", stem="porter")
    assert tokens.vocabulary.to_list() == ["connect"]
    assert tokens.surface.to_list() == ["connection"]
    assert tokens.recipe.settings["stem"] == "porter"


def test_lemmas():
    tokens = tokenise(corpus_of(["mice were running"]), language="en", stem="lemma", stop=False)
    assert terms_of(tokens) == [["mouse", "be", "run"]]


def test_what_does_not_exist_is_refused():
    for settings in (
        {"stem": "krovetz"},
        {"language": "xx"},
        {"language": "ja", "stem": "snowball"},
        {"min_df": 0},
        {"max_df": 2.0},
    ):
        with pytest.raises(SettingError):
            tokenise(corpus_of(["a word"]), **settings)


def test_phrases_are_found_by_association_and_never_across_documents():
    generator = np.random.default_rng(0)
    others = [" ".join(generator.choice([f"word{c}" for c in "abcdefghij"], 8)) for _ in range(40)]
    tokens = tokenise(corpus_of([f"{other} new york {other}" for other in others]), phrases=True, **PLAIN)
    assert tokens.recipe.settings["phrases"] == ["new york"]
    assert terms_of(tokens)[0][8] == "new york"
    given_ones = tokenise(corpus_of(["new york new york"]), phrases=["new york", "never seen"], **PLAIN)
    assert terms_of(given_ones) == [["new york", "new york"]]
    apart = tokenise(
        corpus_of([text for other in others for text in (f"{other} new", f"york {other}")]), phrases=True, **PLAIN
    )
    assert "new york" not in apart.recipe.settings["phrases"]


@given(
    texts=st.lists(st.lists(st.sampled_from("aa bb cc dd ee".split()), max_size=8), min_size=1, max_size=12),
    min_df=st.integers(1, 4),
    max_df=st.sampled_from([0.3, 0.5, 1.0]),
)
def test_limits_and_the_table_of_document_frequencies(texts, min_df, max_df):
    corpus = corpus_of([" ".join(text) for text in texts])
    df = naive.document_frequency(texts)
    kept = {term for term, n in df.items() if min_df <= n <= max_df * len(texts)}
    tokens = tokenise(corpus, language="unknown", stem="none", min_df=min_df, max_df=max_df)
    assert terms_of(tokens) == [[term for term in text if term in kept] for text in texts]
    for row in document_table(tokens).to_dicts():
        assert row["df"] == df[row["term"]]
        assert row["count"] == sum(text.count(row["term"]) for text in texts)
        assert math.isclose(row["idf"], math.log(len(texts) / row["df"]), abs_tol=1e-12)


def test_auto_keeps_single_words_in_small_corpora_only():
    assert len(tokenise(corpus_of(["one two"] * 3 + ["lonely"]), language="unknown").vocabulary) == 3
    many = tokenise(corpus_of(["one two"] * 120 + ["lonely"]), language="unknown")
    assert many.vocabulary.to_list() == ["one", "two"]
    assert np.diff(many.starts)[-1] == 0
