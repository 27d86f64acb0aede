"""From texts to terms: the token rule, languages, stop words, stems, phrases and frequency limits; nouns and senses.

tokeniser.py    the token rule, compiled           characters.py   what each Unicode character is to it
vocabulary.py   terms get their numbers            limits.py       document frequencies
detection.py    which language this is             stopwords.py    the lists of 57 languages
stems.py        Porter, Snowball, lemmas           phrases.py      pairs of words that belong together
words.py        words as a tagger wants them       tagging.py      English parts of speech
nouns.py        those that WordNet knows           senses.py       which of its senses a noun has in a document
wordnet/        lemmas, senses, Wu-Palmer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.errors import SettingError
from consilience.kernels.counting import term_counts, without_gaps
from consilience.language.detection import Detection, detect, language_name
from consilience.language.limits import document_frequencies, document_table, lower_limit, upper_limit
from consilience.language.phrases import find_phrases, join_phrases
from consilience.language.stems import STEMS, choose, reduce
from consilience.language.stopwords import cut, stop_lists, stop_words
from consilience.language.tokeniser import raw_tokens
from consilience.nouns import Corpus, Recipe, Tokens

__all__ = [
    "STEMS",
    "Detection",
    "detect",
    "document_frequencies",
    "document_table",
    "language_name",
    "noun_tokens",
    "raw_tokens",
    "refine",
    "sense_tokens",
    "stop_words",
    "tokenise",
    "units",
]

KINDS = ("words", "nouns", "senses")


def tokenise(
    corpus: Corpus,
    *,
    of: str = "words",
    numbers: bool = False,
    min_length: int = 2,
    wordnet: str = "",
    n_jobs: int = -1,
    **settings: Any,
) -> Tokens:
    """Texts to terms: cut by the token rule, then `refine` with the settings.

    `of` is what becomes a term: "words", or the "nouns" or "senses" of WordNet (or of the one at the path `wordnet`).
    """
    if of == "words" or settings.get("language", "auto") == "auto":
        raw = raw_tokens(corpus, numbers=numbers, min_length=min_length, n_jobs=n_jobs)
        settings["language"] = _language(settings.get("language", "auto"), raw)
    if of != "words":
        raw = units(corpus, of, wordnet=wordnet, n_jobs=n_jobs, **_chosen(settings))
    return refine(raw, **settings)


def units(
    corpus: Corpus,
    of: str,
    *,
    language: str,
    stop: bool = True,
    own_stop_words: Sequence[str] = (),
    wordnet: str = "",
    n_jobs: int = -1,
) -> Tokens:
    """The nouns or senses of the texts, before `refine`. Stop words are no company: senses are found without them."""
    if of not in KINDS[1:]:
        raise SettingError(f"tokens can be of: {', '.join(KINDS)}; not of {of!r}")
    from consilience.language.nouns import noun_tokens
    from consilience.language.senses import sense_tokens

    nouns = noun_tokens(corpus, language=language, wordnet=wordnet, n_jobs=n_jobs)
    if of == "nouns":
        return nouns
    nouns = refine(nouns, stop=stop, own_stop_words=own_stop_words, min_df=1)
    return sense_tokens(nouns, wordnet=wordnet, n_jobs=n_jobs)


def _chosen(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in ("language", "stop", "own_stop_words") if name in settings}


def __getattr__(name: str) -> Any:
    if name in ("noun_tokens", "sense_tokens"):  # the tagger and WordNet are loaded by those who use them
        return getattr(import_module(f"consilience.language.{name.removesuffix('_tokens')}s"), name)
    raise AttributeError(f"module 'consilience.language' has no attribute {name!r}")


def refine(
    raw: Tokens,
    *,
    language: str = "auto",
    stop: bool = True,
    own_stop_words: Sequence[str] = (),
    stem: str = "auto",
    phrases: bool | Sequence[str] = False,
    min_df: int | str = "auto",
    max_df: float = 1.0,
) -> Tokens:
    """All tokens to the terms that count: recognise the language, leave out stop words, stem, join phrases, limit.

    `language` is an ISO 639-1 code, "auto" or "unknown"; `stop` leaves out that language's stop words;
    `stem` is one of `STEMS`; `phrases` joins frequent pairs of words, or just the given ones ("new york"). Nouns and
    senses are what they are: they have no stems and no phrases, and senses were found without stop words.
    """
    if raw.of == "words":
        language = _language(language, raw)
        stem = choose(stem, language)
    else:
        language, stem = raw.language, _no_stem(raw.of, stem, phrases)
    dropped = set().union(*cut(["\n".join(own_stop_words)])) | (stop_words(language) if stop else set())
    if raw.of == "senses":
        dropped = set()
    terms, vocabulary, surface = _reduce(raw, dropped, stem, language)
    joined: list[str] = []
    if phrases:
        terms, vocabulary, surface, joined = _join(raw.starts, terms, vocabulary, surface, phrases)
    settings = {
        "language": language,
        "stop": stop,
        "own_stop_words": list(own_stop_words),
        "stem": stem,
        "phrases": joined,
        "min_df": lower_limit(min_df, len(raw)),
        "max_df": max_df,
    }
    recipe = Recipe("refine", settings, raw.recipe)
    return replace(_limit(raw.items, terms, raw.starts, vocabulary, surface, language, recipe), of=raw.of)


def _no_stem(of: str, stem: str, phrases: bool | Sequence[str]) -> str:
    if stem not in ("auto", "none", "lemma"):
        raise SettingError(f"stem is {stem!r}, but {of} are lemmas already; leave it at 'auto'")
    if phrases:
        raise SettingError(f"{of} come with WordNet's own lemmas of several words; leave phrases out")
    return "none"


def _language(language: str, raw: Tokens) -> str:
    if language == "auto":
        return detect(raw).language
    if language != "unknown" and language not in stop_lists():
        raise SettingError(f"language is {language!r}; it can be 'auto', 'unknown' or: {', '.join(stop_lists())}")
    return language


_Renamed = tuple[npt.NDArray[np.int32], pl.Series, pl.Series]


def _reduce(raw: Tokens, dropped: set[str], stem: str, language: str) -> _Renamed:
    """Numbers of reduced terms (-1: left out), the sorted vocabulary of these, and each one's most frequent word."""
    counts = term_counts(raw.terms, len(raw.vocabulary))
    words = pl.DataFrame({"word": raw.vocabulary, "count": counts}).with_row_index("old")
    words = words.filter(~pl.col("word").is_in(pl.Series(sorted(dropped), dtype=pl.String).implode()))
    words = words.with_columns(term=reduce(words["word"], stem=stem, language=language))
    if raw.of != "words":
        words = words.with_columns(word=raw.surface.gather(words["old"]))
    groups = (
        words.sort("count", "word", descending=[True, False]).group_by("term").agg(pl.col("word").first()).sort("term")
    )
    renamed = words.join(groups.select("term").with_row_index("new"), on="term")
    number = np.full(len(raw.vocabulary), -1, np.int32)
    number[renamed["old"].to_numpy()] = renamed["new"].to_numpy()
    return number[raw.terms], groups["term"], groups["word"].rename("surface")


def _join(
    starts: npt.NDArray[np.int64],
    terms: npt.NDArray[np.int32],
    vocabulary: pl.Series,
    surface: pl.Series,
    phrases: bool | Sequence[str],
) -> tuple[npt.NDArray[np.int32], pl.Series, pl.Series, list[str]]:
    size = len(vocabulary)
    if isinstance(phrases, bool):
        pairs = find_phrases(terms, starts, size).select("first", "second")
    else:
        numbered = (
            pl.DataFrame({"term": vocabulary}).with_row_index("number").with_columns(pl.col("number").cast(pl.Int32))
        )
        parts = (
            pl.DataFrame({"phrase": pl.Series(phrases, dtype=pl.String)})
            .select(pl.col("phrase").str.splitn(" ", 2).struct.rename_fields(["a", "b"]))
            .unnest("phrase")
        )
        pairs = (
            parts.join(numbered.rename({"number": "first"}), left_on="a", right_on="term")
            .join(numbered.rename({"number": "second"}), left_on="b", right_on="term")
            .select("first", "second")
        )
    first, second = (pairs[name].to_numpy() for name in ("first", "second"))
    terms = join_phrases(terms, starts, first, second, size)
    names = vocabulary.gather(first) + " " + vocabulary.gather(second)
    shown = surface.gather(first) + " " + surface.gather(second)
    return terms, pl.concat([vocabulary, names]), pl.concat([surface, shown]), names.to_list()


def _limit(
    items: pl.Series,
    terms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    vocabulary: pl.Series,
    surface: pl.Series,
    language: str,
    recipe: Recipe,
) -> Tokens:
    """Closes the gaps, leaves out terms by document frequency, and sorts the vocabulary."""
    df = document_frequencies(Tokens(items, terms, starts, vocabulary, surface, language, recipe))
    settings: Any = recipe.settings
    kept = np.flatnonzero((df >= settings["min_df"]) & (df <= upper_limit(settings["max_df"], len(items))))
    kept = kept[vocabulary.gather(kept).arg_sort().to_numpy()]
    number = np.full(len(vocabulary) + 1, -1, np.int32)  # the last one is for gaps: number[-1]
    number[kept] = np.arange(len(kept), dtype=np.int32)
    terms, starts = without_gaps(number[terms], starts)
    return Tokens(items, terms, starts, vocabulary.gather(kept), surface.gather(kept), language, recipe)
