"""English parts of speech by Brill's rules, compiled   (Brill 1992, "A simple rule-based part of speech tagger")

    1. a word of the lexicon has its most frequent tag
    2. another is guessed by its form: capitals, digits, and the lexical rules on its ending, beginning, and relatives
    3. contextual rules, in their order, correct each word's tag by its neighbours', from left to right

Lexicon and rules are facts that TextBlob brings along (Brill's own, trained on Brown and the Wall Street Journal); its
files are read, its program is not used. What is ours: several words in capitals (headlines, shouting) are looked up in
small letters. Adjectives inside names stay adjectives (Great Wall), as treebanks have them today. And a form is guessed
once, without its neighbours, so the few lexical rules that ask for a certain word beside it are left out.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from numba import njit

from consilience.errors import InputError

Integers32 = npt.NDArray[np.int32]
Tags = npt.NDArray[np.int16]

_OUTSIDE = "STAART"  # what Brill's rules call the place before the first and after the last word of a sentence
_UNKNOWN = -1
NOUNS = ("NN", "NNS", "NNP", "NNPS")

_SHAPES = (  # how a contextual rule looks around; x and y of it are tags, but in _WORDS_X and _WORDS_Y words
    "prevtag", "nexttag", "prev2tag", "next2tag", "prev1or2tag", "next1or2tag", "prev1or2or3tag", "next1or2or3tag",
    "surroundtag", "prevbigram", "nextbigram", "curwd", "prevwd", "nextwd", "prev1or2wd", "next1or2wd", "prevwdtag",
    "nextwdtag", "wdprevtag", "wdnexttag", "wdand2aft", "wdand2tagbfr", "wdand2tagaft", "lbigram", "rbigram",
)  # fmt: skip
(
    PREVTAG, NEXTTAG, PREV2TAG, NEXT2TAG, PREV1OR2TAG, NEXT1OR2TAG, PREV1OR2OR3TAG, NEXT1OR2OR3TAG,
    SURROUNDTAG, PREVBIGRAM, NEXTBIGRAM, CURWD, PREVWD, NEXTWD, PREV1OR2WD, NEXT1OR2WD, PREVWDTAG,
    NEXTWDTAG, WDPREVTAG, WDNEXTTAG, WDAND2AFT, WDAND2TAGBFR, WDAND2TAGAFT, LBIGRAM, RBIGRAM,
) = range(25)  # fmt: skip
_WORDS_X = {
    "curwd", "prevwd", "nextwd", "prev1or2wd", "next1or2wd", "prevwdtag", "nextwdtag", "wdnexttag", "wdand2aft",
    "wdand2tagaft", "lbigram", "rbigram",
}  # fmt: skip
_WORDS_Y = {"wdprevtag", "wdand2aft", "wdand2tagbfr", "lbigram", "rbigram"}
OUTSIDE_WORD, _NO_WORD = -1, -2


class Knowledge(NamedTuple):
    """What the tagger knows: words with their tags, and both kinds of rules as they stand in the files."""

    lexicon: pl.DataFrame
    lexical: list[list[str]]
    contextual: list[list[str]]
    tags: list[str]


class Guesses(NamedTuple):
    """Tags of forms: of the form as it stands, in small letters (both -1 if not in the lexicon), and guessed."""

    exact: Tags
    lower: Tags
    guessed: Tags
    shouted: npt.NDArray[np.bool_]


class Rules(NamedTuple):
    """Contextual rules in their order: `source` (-1: any tag) becomes `to` where the neighbours fit.

    `asks` is a tag that must stand in the sentence for the rule to fit anywhere, -1 if it asks for none.
    """

    source: Tags
    to: Tags
    shape: Integers32
    x: Integers32
    y: Integers32
    asks: Tags


@cache
def knowledge() -> Knowledge:
    """The lexicon and the rules, read once per process."""
    found = importlib.util.find_spec("textblob")  # found, not imported: that takes seconds
    if found is None or not found.submodule_search_locations:
        raise InputError("English nouns need the lexicon that TextBlob brings along; install it: pip install textblob")
    folder = Path(found.submodule_search_locations[0]) / "en"
    pairs = [line.split()[:2] for line in _lines(folder / "en-lexicon.txt")]
    lexicon = pl.DataFrame(
        [pair for pair in pairs if len(pair) == 2], schema={"form": pl.String, "tag": pl.String}, orient="row"
    ).unique("form", keep="last", maintain_order=True)
    lexical = [line.split() for line in _lines(folder / "en-morphology.txt")]
    contextual = [line.split() for line in _lines(folder / "en-context.txt")]
    contextual = [rule for rule in contextual if rule[:2] != ["JJ", "NNP"]]
    made = {rule[-2] for rule in lexical} | {rule[1] for rule in contextual} | {*NOUNS, "CD"}
    return Knowledge(lexicon, lexical, contextual, sorted(made | set(lexicon["tag"]) | {_OUTSIDE}))


def guesses(forms: pl.Series) -> Guesses:
    """The tags that each form has by itself."""
    known = knowledge()
    number = {tag: i for i, tag in enumerate(known.tags)}
    tag_of = known.lexicon.with_columns(pl.col("tag").replace_strict(number, return_dtype=pl.Int16))
    lower_forms = forms.str.to_lowercase()
    exact, lower = (_looked_up(words, tag_of) for words in (forms, lower_forms))
    capital = (forms != lower_forms).to_numpy()
    shouted = capital & (forms == forms.str.to_uppercase()).to_numpy() & (forms.str.len_chars() > 1).to_numpy()
    guessed = np.full(len(forms), number["NN"], np.int16)
    guessed[shouted | (capital & (forms == forms.str.to_titlecase()).to_numpy())] = number["NNP"]
    guessed[forms.str.contains(r"^[0-9\-,.:/%$]+$").to_numpy()] = number["CD"]
    plain = np.flatnonzero((exact == _UNKNOWN) & (guessed == number["NN"]))
    guessed[plain] = _by_form(forms.gather(plain), known, number)
    return Guesses(exact, lower, guessed, shouted)


def contextual_rules(forms: pl.Series) -> Rules:
    """The contextual rules with words as numbers of forms; a word that is no form here never matches."""
    known = knowledge()
    number = {tag: i for i, tag in enumerate(known.tags)}
    words = {rule[i] for rule in known.contextual for i in (3, 4) if len(rule) > i}
    places = pl.DataFrame({"form": forms}).with_row_index("number").filter(pl.col("form").is_in(sorted(words)))
    places = places.select("form", "number")
    place = {_OUTSIDE: OUTSIDE_WORD, **dict(places.iter_rows())}
    rows: list[tuple[int, ...]] = []
    for source, target, shape, x, *rest in known.contextual:
        kind = shape.lower()
        if kind in _SHAPES and (source == "*" or source in number):
            x_number = place.get(x, _NO_WORD) if kind in _WORDS_X else number.get(x, _NO_WORD)
            y = rest[0] if rest else ""
            y_number = place.get(y, _NO_WORD) if kind in _WORDS_Y else number.get(y, _NO_WORD)
            asked = x_number if kind not in _WORDS_X else y_number if y and kind not in _WORDS_Y else -1
            rows.append((number.get(source, -1), number[target], _SHAPES.index(kind), x_number, y_number, asked))
    source_tags, targets, shapes, xs, ys, asks = np.array(rows, np.int32).reshape(-1, 6).T
    return Rules(
        source_tags.astype(np.int16),
        targets.astype(np.int16),
        shapes.copy(),
        xs.copy(),
        ys.copy(),
        asks.astype(np.int16),
    )


def is_tag(names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """For each tag's number, whether it is one of these."""
    return np.array([tag in names for tag in knowledge().tags])


def outside() -> int:
    """The number of the tag that stands around a sentence."""
    return knowledge().tags.index(_OUTSIDE)


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path}, a part of TextBlob, cannot be read: {problem}; install it again") from problem
    return [line for line in lines if line.strip() and not line.startswith(";;;")]


def _looked_up(forms: pl.Series, tag_of: pl.DataFrame) -> Tags:
    found = pl.DataFrame({"form": forms}).join(tag_of, on="form", how="left", maintain_order="left")["tag"]
    return found.fill_null(_UNKNOWN).to_numpy().astype(np.int16)


def _by_form(forms: pl.Series, known: Knowledge, number: dict[str, int]) -> Tags:
    """The lexical rules in their order: `ly hassuf 2 RB x`, or `NN s fhassuf 1 NNS x` for forms that are NN so far."""
    tags = np.full(len(forms), number["NN"], np.int16)
    lexicon = known.lexicon["form"].implode()
    for rule in known.lexical:
        bound = len(rule) > 2 and rule[2].startswith("f") and not rule[1].removeprefix("f").startswith(("has", "add"))
        x, command = (rule[1], rule[2][1:]) if bound else (rule[0], rule[1])
        some = np.flatnonzero(tags == number.get(rule[0], -2)) if bound else np.arange(len(forms))
        words = forms.gather(some)
        if command == "char":
            match = words.str.contains(x, literal=True)
        elif command == "haspref":
            match = words.str.starts_with(x)
        elif command == "hassuf":
            match = words.str.ends_with(x)
        elif command == "addpref":
            match = (x + words).is_in(lexicon)
        elif command == "addsuf":
            match = (words + x).is_in(lexicon)
        elif command == "deletepref":
            match = words.str.starts_with(x) & words.str.slice(len(x)).is_in(lexicon)
        elif command == "deletesuf":
            match = words.str.ends_with(x) & words.str.head(-len(x)).is_in(lexicon)
        else:
            continue  # goodleft, goodright: a neighbour, which a form has not
        tags[some[match.to_numpy()]] = number[rule[-2]]
    return tags


@njit(cache=True, nogil=True)
def tag_sentence(words, low, high, guesses, rules, outside, tags):  # type: ignore[no-untyped-def]
    """words: forms' numbers; tags: theirs, written for the sentence from `low` to `high`."""
    for i in range(low, high):
        word = words[i]
        tag = guesses.exact[word]
        if guesses.shouted[word]:  # one among words in small letters is a name or an acronym: US
            if (i > low and guesses.shouted[words[i - 1]]) or (i + 1 < high and guesses.shouted[words[i + 1]]):
                tag = tag if tag >= 0 else guesses.lower[word]
        elif tag < 0 and i == low:
            tag = guesses.lower[word]
        tags[i] = tag if tag >= 0 else guesses.guessed[word]
    there = np.zeros(len(rules.source) + outside + 256, np.bool_)
    there[outside] = True
    for i in range(low, high):
        there[tags[i]] = True
    for rule in range(len(rules.source)):
        source, asks = rules.source[rule], rules.asks[rule]
        if (source >= 0 and not there[source]) or (asks != -1 and (asks < 0 or not there[asks])):
            continue
        for i in range(low, high):
            if (tags[i] == source or source < 0) and _fits(rules, rule, words, tags, i, low, high, outside):
                tags[i] = rules.to[rule]
                there[rules.to[rule]] = True


@njit(cache=True, nogil=True)
def _fits(rules, rule, words, tags, i, low, high, outside):  # type: ignore[no-untyped-def]
    """Whether the neighbours of word i are what the rule asks for."""
    shape = rules.shape[rule]
    x = rules.x[rule]
    y = rules.y[rule]
    p1 = tags[i - 1] if i - 1 >= low else outside
    p2 = tags[i - 2] if i - 2 >= low else outside
    p3 = tags[i - 3] if i - 3 >= low else outside
    n1 = tags[i + 1] if i + 1 < high else outside
    n2 = tags[i + 2] if i + 2 < high else outside
    n3 = tags[i + 3] if i + 3 < high else outside
    if shape == PREVTAG:
        return x == p1
    if shape == NEXTTAG:
        return x == n1
    if shape == PREV2TAG:
        return x == p2
    if shape == NEXT2TAG:
        return x == n2
    if shape == PREV1OR2TAG:
        return x == p1 or x == p2
    if shape == NEXT1OR2TAG:
        return x == n1 or x == n2
    if shape == PREV1OR2OR3TAG:
        return x == p1 or x == p2 or x == p3
    if shape == NEXT1OR2OR3TAG:
        return x == n1 or x == n2 or x == n3
    if shape == SURROUNDTAG:
        return x == p1 and y == n1
    if shape == PREVBIGRAM:
        return x == p2 and y == p1
    if shape == NEXTBIGRAM:
        return x == n1 and y == n2
    own = words[i]
    w1 = words[i - 1] if i - 1 >= low else OUTSIDE_WORD
    w2 = words[i - 2] if i - 2 >= low else OUTSIDE_WORD
    v1 = words[i + 1] if i + 1 < high else OUTSIDE_WORD
    v2 = words[i + 2] if i + 2 < high else OUTSIDE_WORD
    if shape == CURWD:
        return x == own
    if shape == PREVWD:
        return x == w1
    if shape == NEXTWD:
        return x == v1
    if shape == PREV1OR2WD:
        return x == w1 or x == w2
    if shape == NEXT1OR2WD:
        return x == v1 or x == v2
    if shape == PREVWDTAG:
        return x == w1 and y == p1
    if shape == NEXTWDTAG:
        return x == v1 and y == n1
    if shape == WDPREVTAG:
        return x == p1 and y == own
    if shape == WDNEXTTAG:
        return x == own and y == n1
    if shape == WDAND2AFT:
        return x == own and y == v2
    if shape == WDAND2TAGBFR:
        return x == p2 and y == own
    if shape == WDAND2TAGAFT:
        return x == own and y == n2
    if shape == LBIGRAM:
        return x == w1 and y == own
    return x == own and y == v1  # RBIGRAM
