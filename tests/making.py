"""Small nouns for tests."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from consilience.nouns import Corpus, Tokens


def corpus_of(texts: Sequence[str]) -> Corpus:
    ids = pl.Series("id", [f"d{i}" for i in range(len(texts))], dtype=pl.String)
    return Corpus(ids, pl.Series("text", list(texts), dtype=pl.String))


def terms_of(tokens: Tokens) -> list[list[str]]:
    words = tokens.vocabulary.to_list()
    return [[words[t] for t in tokens.terms[a:b]] for a, b in zip(tokens.starts[:-1], tokens.starts[1:], strict=True)]
