"""Labels from elsewhere: a column of the corpus, a table of ids and labels, or a run folder.

What says that an item has no class: an empty cell, null, NaN, an empty list, or -1, as most programs write it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from consilience.corpus.columns import USUAL
from consilience.corpus.reading import read_table
from consilience.errors import DuplicateIds, InputError, MissingColumn
from consilience.nouns import Corpus, Labelling

_LABELS = (*USUAL["label"], "cluster", "truth", "gold")
_NO_CLASS = ("", "-1", "-1.0", "NaN")


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


class Common(NamedTuple):
    """Two labellings of the items they share, in one order, and how many only one of them has."""

    a: Labelling
    b: Labelling
    only_a: int
    only_b: int


def in_common(a: Labelling, b: Labelling) -> Common:
    """Both on the items of both, in the order of a."""
    place = pl.DataFrame({"id": b.items, "at": np.arange(len(b))})
    at = pl.DataFrame({"id": a.items}).join(place, on="id", how="left", maintain_order="left")["at"]
    some = at.is_not_null()
    rows = np.flatnonzero(some.to_numpy())
    both = at.filter(some).to_numpy()
    return Common(a.take(rows), b.take(both), len(a) - len(rows), len(b) - len(rows))


def read_labelling(path: str | os.PathLike[str]) -> Labelling:
    """A table of ids and labels, or the clusters of a run folder, with their degrees where it knows them."""
    degrees = Path(path) / "memberships.parquet"
    if not degrees.is_file():
        frame = read_labels(path)
        return labelling(frame["id"], frame["label"])
    table = pl.read_parquet(degrees)
    sets = sparse.csr_array(table.drop("id").to_numpy())
    sets.eliminate_zeros()
    return Labelling(table["id"], pl.Series("class", table.columns[1:], dtype=pl.String), sets)


def labelling(items: pl.Series, labels: pl.Series) -> Labelling:
    """The labels as a noun. Classes are in the order of their numbers if all are numbers, else of their names."""
    if isinstance(labels.dtype, pl.Array):
        labels = labels.arr.to_list()
    lists = labels.cast(pl.List(pl.String)) if isinstance(labels.dtype, pl.List) else labels.cast(pl.String)
    long = pl.DataFrame({"row": np.arange(len(items), dtype=np.int64), "class": lists})
    if isinstance(lists.dtype, pl.List):
        long = long.explode("class")
    long = long.filter(pl.col("class").is_not_null() & ~pl.col("class").is_in(_NO_CLASS)).unique()
    classes = _ordered(long["class"].unique())
    numbers = pl.DataFrame({"class": classes, "number": np.arange(len(classes), dtype=np.int32)})
    long = long.join(numbers, on="class").sort("row", "number")
    starts = np.concatenate([[0], np.cumsum(np.bincount(long["row"].to_numpy(), minlength=len(items)))])
    parts = (np.ones(len(long), np.float32), long["number"].to_numpy(), starts.astype(np.int64))
    return Labelling(items, classes, sparse.csr_array(parts, shape=(len(items), len(classes))))


def _ordered(names: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"class": names, "number": names.cast(pl.Float64, strict=False)})
    by = ["class"] if frame["number"].null_count() else ["number", "class"]
    return frame.sort(by)["class"]


def read_labels(path: str | os.PathLike[str]) -> pl.DataFrame:
    """A table of two columns, id and label; a label may be a list of classes. Of a run folder: ids and clusters."""
    frame = read_table(_table_of(path))
    lower = {column.strip().lower(): column for column in reversed(frame.columns)}
    found = [lower[name] for names in (USUAL["id"], _LABELS) for name in names if name in lower][:2]
    if len(found) < 2 or found[0] != lower.get("id"):
        raise MissingColumn(f"{path} needs a column 'id' and one of: {', '.join(_LABELS)}; it has: {', '.join(lower)}")
    labels = frame.select(pl.col(found[0]).cast(pl.String).alias("id"), pl.col(found[1]).alias("label"))
    if labels["id"].n_unique() != len(labels):
        twice = labels["id"].filter(labels["id"].is_duplicated())[0]
        raise DuplicateIds(f"{path} gives labels twice, first for id {twice!r}; each id may stand in one row")
    return labels


def _table_of(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The assignments of a run folder; any other path is itself the table."""
    assignments = Path(path) / "assignments.parquet"
    return assignments if assignments.is_file() else path
