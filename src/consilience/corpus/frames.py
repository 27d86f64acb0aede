"""from_frame(frame) -> Corpus: a table that is in memory already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from consilience.corpus.columns import AUTO, Wanted, corpus_of, found
from consilience.corpus.stripping import checked_parts, strip
from consilience.errors import InputError
from consilience.nouns import Corpus, Recipe

_NAME = "the frame"


def from_frame(
    frame: Any,
    *,
    text: str = AUTO,
    id: str = AUTO,
    label: str = AUTO,
    time: str = AUTO,
    strip: str | Sequence[str] = (),
) -> Corpus:
    """The rows of a pandas or polars frame, a pyarrow Table or anything with `__arrow_c_stream__` as documents.

    Columns are found as in `read`. Of a pandas frame the columns count, not the index: `frame.reset_index()` first
    if the ids stand there.
    """
    parts = checked_parts(strip)
    table = _table(frame)
    wanted = Wanted(text, id, label, time)
    roles = found(table, wanted, _NAME, flag='{role}="{column}"')
    recipe = Recipe("from_frame", {**wanted._asdict(), "strip": list(parts)})
    corpus = corpus_of(table, roles, _NAME, recipe)
    return _stripped(corpus, parts) if parts else corpus


def _stripped(corpus: Corpus, parts: Sequence[str]) -> Corpus:
    texts = strip(corpus.texts, parts)
    return Corpus(corpus.ids, texts, corpus.columns, corpus.label, corpus.time, corpus.recipe, corpus.skipped)


def _table(frame: Any) -> pl.DataFrame:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if not (isinstance(frame, pl.DataFrame) or hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__dataframe__")):
        raise InputError(
            f"a {type(frame).__name__} is no table; expected a pandas or polars DataFrame, a pyarrow Table, "
            "or anything with __arrow_c_stream__"
        )
    try:
        table = pl.DataFrame(frame)
    except ImportError as problem:
        raise InputError(f"polars needs another package to take this frame over: {problem}") from problem
    except Exception as problem:  # whatever the frame's own library raises while it hands its columns over
        reason = " ".join(str(problem).split())
        raise InputError(f"this {type(frame).__name__} cannot be taken over: {reason}") from problem
    return table
