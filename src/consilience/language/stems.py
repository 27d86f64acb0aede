"""Terms for words: stems (Porter, Snowball) or lemmas. The vocabulary is reduced, never the text."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from consilience.errors import SettingError

STEMS = ("auto", "none", "porter", "snowball", "lemma")

_SNOWBALL = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "no": "norwegian", "fa": "persian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "st": "sesotho", "es": "spanish", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_SIMPLEMMA = {"no": "nb"}


def choose(stem: str, language: str) -> str:
    """What "auto" means for a language: Snowball where it has the language, else none."""
    if stem not in STEMS:
        raise SettingError(f"stem is {stem!r}; it can be: {', '.join(STEMS)}")
    if stem != "auto":
        return stem
    import Stemmer

    return "snowball" if _SNOWBALL.get(language) in Stemmer.algorithms() else "none"


def reduce(words: pl.Series, *, stem: str, language: str) -> pl.Series:
    """The term of each word."""
    if stem == "none":
        return words
    reduce_all = _lemmatiser(language) if stem == "lemma" else _stemmer(stem, language)
    return pl.Series(words.name, reduce_all(words.to_list()), dtype=pl.String)


def _stemmer(stem: str, language: str) -> Callable[[list[str]], list[str]]:
    import Stemmer

    algorithm = "porter" if stem == "porter" else _SNOWBALL.get(language)
    if algorithm not in Stemmer.algorithms():
        raise SettingError(f"there is no Snowball stemmer for language {language!r}; take stem 'none' or 'lemma'")
    return Stemmer.Stemmer(algorithm).stemWords


def _lemmatiser(language: str) -> Callable[[list[str]], list[str]]:
    import simplemma

    language = _SIMPLEMMA.get(language, language)
    try:
        simplemma.lemmatize("word", lang=language)
    except ValueError:
        raise SettingError(f"there are no lemmas for language {language!r}; take stem 'snowball' or 'none'") from None
    return lambda words: [simplemma.lemmatize(word, lang=language).lower() for word in words]
