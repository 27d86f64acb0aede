"""survey(corpus): how many documents are empty, and how many only repeat an earlier one."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from consilience.nouns import Corpus


class Survey(NamedTuple):
    """Counts of documents: all, those of white space only, and those that repeat an earlier one."""

    documents: int
    empty: int
    duplicates: int


def survey(corpus: Corpus) -> Survey:
    """Texts are the same here if they differ in white space only; empty ones are no duplicates."""
    plain = pl.col("text").str.replace_all(r"\s+", " ").str.strip_chars()
    texts = pl.LazyFrame({"text": corpus.texts})
    keys = texts.select(plain.hash().alias("key"), (plain == "").alias("empty")).collect(engine="streaming")
    full = ~keys["empty"]
    # Texts whose hashes differ differ: only the rest, usually few, are compared themselves.
    suspects = corpus.texts.filter(full & keys["key"].is_duplicated())
    twins = pl.DataFrame({"text": suspects}).select(plain).to_series()
    return Survey(len(corpus), int(keys["empty"].sum()), len(twins) - twins.n_unique())
