"""Empties and repetitions, counted as one would by hand."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from consilience.corpus import Survey, from_frame, read, survey


def test_counts() -> None:
    texts = ["a b", " a\n b ", "", " \t", "a  b", "A b", "c", "\u00a0", "ab"]
    assert survey(from_frame(pl.DataFrame({"text": texts}))) == Survey(documents=9, empty=3, duplicates=2)


@given(st.lists(st.text("ab \n", max_size=4), min_size=1, max_size=20))
def test_as_counted_one_by_one(texts: list[str]) -> None:
    plain = [" ".join(text.split()) for text in texts]
    twins = sum(text != "" and text in plain[:place] for place, text in enumerate(plain))
    assert survey(from_frame(pl.DataFrame({"text": texts}))) == Survey(len(texts), plain.count(""), twins)


def test_known_counts_of_corpora(data) -> None:
    assert survey(read(data("classic3.jsonl.gz"))).empty == 2  # CRAN-471 and CRAN-995
