"""Stop words of 57 languages (stopwords-iso), cut by the same token rule as the texts."""

from __future__ import annotations

from functools import cache

import polars as pl

from consilience.language.tokeniser import raw_tokens
from consilience.nouns import Corpus


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1); none for a language without a list."""
    return stop_lists().get(language, frozenset())


@cache
def stop_lists() -> dict[str, frozenset[str]]:
    """Every language's list. An entry with an apostrophe gives its pieces, as it would in a text."""
    import stopwordsiso

    languages = sorted(stopwordsiso.langs())
    lines = [
        "\n".join(word for word in sorted(stopwordsiso.stopwords(code)) if " " not in word and "_" not in word)
        for code in languages
    ]
    return dict(zip(languages, cut(lines), strict=True))


def cut(lists: list[str]) -> list[frozenset[str]]:
    """For each text, the set of its tokens (of one character too)."""
    numbered = pl.Series("id", [str(i) for i in range(len(lists))], dtype=pl.String)
    tokens = raw_tokens(
        Corpus(numbered, pl.Series("text", lists, dtype=pl.String)), numbers=True, min_length=1, n_jobs=1
    )
    words = tokens.vocabulary.to_numpy()
    return [
        frozenset(words[tokens.terms[a:b]].tolist()) for a, b in zip(tokens.starts[:-1], tokens.starts[1:], strict=True)
    ]
