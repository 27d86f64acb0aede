import numpy as np
import polars as pl
import pytest

from consilience.errors import InputError, SettingError
from consilience.measures.type_level import type_level
from consilience.measures.word_types import word_types

WORDS = ["run", "the", "run", "fast", "run", "the", "fast", "mute"]
GOLD = ["V", "D", "N", "A", "V", "D", "R", None]
FOUND = [3, 7, 3, 5, 3, 7, 5, 5]


def sets(labelling):
    rows = labelling.sets.toarray() > 0
    names = labelling.classes.to_list()
    return {w: {names[c] for c in np.flatnonzero(row)} for w, row in zip(labelling.items, rows, strict=True)}


def made(**settings):
    return word_types(pl.Series(WORDS), pl.Series(GOLD), pl.Series(FOUND), **settings)


def test_a_word_has_every_class_that_one_of_its_tokens_has():
    found = made()
    assert sets(found.gold) == {"fast": {"A", "R"}, "mute": set(), "run": {"N", "V"}, "the": {"D"}}
    assert sets(found.induced) == {"fast": {"5"}, "mute": {"5"}, "run": {"3"}, "the": {"7"}}
    assert found.tokens.to_list() == [2, 1, 3, 2]
    scores = type_level(found.gold.sets, found.induced.sets)
    assert scores["macro_i_m_1"][:3] == (pytest.approx(6 / 8), pytest.approx(3 / 5), 1)


def test_weak_polysemy_is_left_out_above_the_threshold():
    assert sets(made(weak_above=0.6).gold) == {"fast": {"A", "R"}, "mute": set(), "run": {"V"}, "the": {"D"}}
    assert sets(made(weak_above=2 / 3).gold)["run"] == {"N", "V"}  # more than, not as much as
    assert sets(made(weak_above=0.4).gold)["fast"] == {"A", "R"}  # of two equal ones neither is the one


@pytest.mark.parametrize("seed", range(3))
def test_equal_to_collecting_token_by_token(seed):
    generator = np.random.default_rng(seed)
    tokens = [(f"w{w}", f"g{g}", f"k{k}") for w, g, k in generator.integers(0, (40, 5, 7), (300, 3)).tolist()]
    found = word_types(*(pl.Series(list(column)) for column in zip(*tokens, strict=True)))
    for side, place in ((found.gold, 1), (found.induced, 2)):
        expected = {}
        for token in tokens:
            expected.setdefault(token[0], set()).add(token[place])
        assert sets(side) == expected


def test_no_tokens_and_what_does_not_fit():
    nothing = pl.Series([], dtype=pl.String)
    assert len(word_types(nothing, nothing, nothing).gold) == 0
    with pytest.raises(InputError, match="8 words, 2 gold, 8 induced"):
        word_types(pl.Series(WORDS), pl.Series(["a", "b"]), pl.Series(FOUND))
    with pytest.raises(SettingError, match="weak_above is 95"):
        made(weak_above=95)
