"""Nouns found in texts, and the sense each has there: formula (2) beside its slow transcription."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import naive
from consilience.errors import InputError, SettingError
from consilience.language import noun_tokens, sense_tokens, tokenise
from consilience.language.senses import disambiguate, similarities
from consilience.language.wordnet import load_wordnet, wu_palmer
from consilience.nouns import Recipe, Tokens
from making import corpus_of, terms_of

CAT = (("cat", "kitten", "Persian", "pet"), ("cat", "construction", "builder"))  # the text's own examples


def nouns_of(documents):
    """Documents given as nouns."""
    vocabulary = sorted({noun for nouns in documents for noun in nouns})
    terms = np.array([vocabulary.index(noun) for nouns in documents for noun in nouns], np.int32)
    starts = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    names = pl.Series("term", vocabulary, dtype=pl.String)
    items = pl.Series("id", [f"d{i}" for i in range(len(documents))])
    return Tokens(items, terms, starts, names, names, "en", Recipe("given"), of="nouns")


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(4))
def test_disambiguation_equals_the_formula(seed):
    known, chance = load_wordnet(), np.random.default_rng(seed)
    several = np.flatnonzero(np.diff(known.sense_starts) > 2)
    pool = known.lemmas.gather(chance.choice(several, 40)).str.replace_all("_", " ").to_list()
    documents = [chance.choice(pool, size).tolist() for size in (1, 2, 7, 15, 0)]
    nouns = nouns_of(documents)
    starts, senses = known.first_senses(nouns.vocabulary.str.replace_all(" ", "_"))
    chosen = disambiguate(nouns, known, n_jobs=2)
    asked = 0

    def sigma(p, q):
        nonlocal asked
        asked += 1
        return wu_palmer(known.tree, [p], [q])[0]

    for d in range(len(documents)):
        own = nouns.terms[nouns.starts[d] : nouns.starts[d + 1]]
        distinct = np.unique(own)
        best = naive.disambiguate([senses[starts[t] : starts[t + 1]].tolist() for t in distinct], sigma)
        wanted = dict(zip(distinct.tolist(), best, strict=True))
        assert chosen[nouns.starts[d] : nouns.starts[d + 1]].tolist() == [wanted[t] for t in own.tolist()]
    assert similarities(nouns, known) == asked


def test_what_the_formula_gives_for_the_examples_of_the_text():
    """Not the story told there: 'feline' and 'Caterpillar'. Caterpillar is cat's sixth sense, of which three count, and
    guy and the third sense (a woman) tie, as near to Persian (people) and kitten (young) as each other."""
    senses = sense_tokens(nouns_of([[noun.lower() for noun in nouns] for nouns in CAT]))
    chosen = [dict(zip(nouns, own, strict=True)) for nouns, own in zip(CAT, terms_of(senses), strict=True)]
    shown = dict(zip(senses.vocabulary, senses.surface, strict=True))
    assert [own["cat"] for own in chosen] == ["guy.n.01", "guy.n.01"]
    assert shown["guy.n.01"] == "guy (man)"
    assert chosen[0]["Persian"] == "irani.n.01"


def test_a_noun_without_company_has_its_most_frequent_sense():
    senses = terms_of(sense_tokens(nouns_of([["cat"], ["cat", "cat"]])))
    assert senses == [["cat.n.01"], ["cat.n.01", "cat.n.01"]]


@pytest.mark.compiled
def test_nouns_are_lemmas_and_may_have_several_words():
    texts = ["The mice of New York ate three metric tons of corn.", "They run, and he won the run.", ""]
    found = terms_of(noun_tokens(corpus_of(texts)))
    assert found[0] == ["mouse", "new york", "metric ton", "corn"]
    assert found[1] == ["run"]
    assert found[2] == []


@pytest.mark.compiled
def test_senses_have_names_for_people():
    tokens = tokenise(corpus_of(["The corn and the wheat grow on the farm."] * 2), of="senses", language="en")
    assert tokens.of == "senses"
    assert dict(zip(tokens.vocabulary, tokens.surface, strict=True))["wheat.n.01"].startswith("wheat")


def test_threads_and_order_change_nothing():
    chance = np.random.default_rng(0)
    pool = "corn wheat bank money ship port week trade farm market government cat".split()
    documents = [chance.choice(pool, 8).tolist() for _ in range(300)]
    one, many = (terms_of(sense_tokens(nouns_of(documents), n_jobs=jobs)) for jobs in (1, 3))
    assert one == many
    assert terms_of(sense_tokens(nouns_of(documents[::-1]))) == one[::-1]


def test_wrong_tokens_are_told():
    words = replace(nouns_of([["cat"]]), of="words")
    with pytest.raises(InputError, match="nouns"):
        sense_tokens(words)
    with pytest.raises(InputError, match="qqq"):
        sense_tokens(nouns_of([["qqq"]]))
    with pytest.raises(SettingError, match="--wordnet"):
        noun_tokens(corpus_of(["le chat"]), language="fr")
