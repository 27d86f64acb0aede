"""Gold labels from elsewhere: a column of the corpus, or a table of ids and labels."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import polars as pl

from consilience.corpus.columns import USUAL
from consilience.corpus.reading import read_table
from consilience.errors import DuplicateIds, InputError, MissingColumn
from consilience.nouns import Corpus

_LABELS = (*USUAL["label"], "cluster", "truth", "gold")


def with_truth(corpus: Corpus, truth: str) -> Corpus:
    """The corpus with gold labels: `truth` names one of its columns or a file with ids and labels."""
    if truth in corpus.columns.columns:
        return replace(corpus, label=truth)
    if not Path(truth).exists():
        raise MissingColumn(
            f"--truth {truth!r} is neither a file nor a column; "
            f"the columns are: {', '.join(corpus.columns.columns) or 'none'}"
        )
    labels = read_labels(truth)
    joined = pl.DataFrame({"id": corpus.ids}).join(labels, on="id", how="left", maintain_order="left")
    if joined["label"].null_count() == len(corpus):
        raise InputError(
            f"{truth} has no label for any of the {len(corpus)} documents: "
            f"its ids are like {labels['id'][0]!r}, the documents' like {corpus.ids[0]!r}"
        )
    name = "truth"
    while name in corpus.columns.columns:
        name += "_"
    column = joined["label"].alias(name)
    columns = corpus.columns.with_columns(column) if corpus.columns.width else column.to_frame()
    return replace(corpus, columns=columns, label=name)


def read_labels(path: str | os.PathLike[str]) -> pl.DataFrame:
    """A table of two columns, id and label; a label may be a list of classes."""
    frame = read_table(path)
    lower = {column.strip().lower(): column for column in reversed(frame.columns)}
    found = [lower[name] for names in (USUAL["id"], _LABELS) for name in names if name in lower][:2]
    if len(found) < 2 or found[0] != lower.get("id"):
        raise MissingColumn(f"{path} needs a column 'id' and one of: {', '.join(_LABELS)}; it has: {', '.join(lower)}")
    labels = frame.select(pl.col(found[0]).cast(pl.String).alias("id"), pl.col(found[1]).alias("label"))
    if labels["id"].n_unique() != len(labels):
        twice = labels["id"].filter(labels["id"].is_duplicated())[0]
        raise DuplicateIds(f"{path} gives labels twice, first for id {twice!r}; each id may stand in one row")
    return labels
