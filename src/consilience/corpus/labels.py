"""Labels from elsewhere: a column of the corpus, a table of ids and labels, or a run folder.

What says that an item has no class: an empty cell, null, NaN, an empty list, or -1, as most programs write it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from consilience.corpus.columns import AUTO, NONE, USUAL, with_label_lists
from consilience.corpus.reading import read_table
from consilience.corpus.sources import STDIN
from consilience.errors import DuplicateIds, InputError, MissingColumn
from consilience.nouns import Corpus, Labelling

_GOLD = (*USUAL["label"], "cluster", "truth", "gold")  # where the labels of a table are looked for as truth
_CLUSTERS = tuple(
    dict.fromkeys(("cluster", "topic", *USUAL["label"], "prediction", "truth", "gold"))
)  # and as clusters
_RUN = ("cluster",)  # a run keeps the input's columns, gold labels among them
_NO_CLASS = ("", "-1", "-1.0", "NaN", "nan")


def with_truth(corpus: Corpus, truth: str) -> Corpus:
    """The corpus with gold labels: `truth` names one of its columns or a file with ids and labels."""
    if truth in corpus.columns.columns:
        return replace(corpus, label=truth)
    if not there(truth):
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


def there(path: str) -> bool:
    """Whether a table may be read from it."""
    return path == STDIN or Path(path).exists()


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


def read_labelling(path: str | os.PathLike[str], *, id: str = AUTO, label: str = AUTO) -> Labelling:
    """A table of ids and labels, or the clusters of a run folder, with their degrees where it knows them.

    `id` and `label` name the columns of a table; those of a run folder are known.
    """
    degrees = Path(path) / "memberships.parquet"
    if not degrees.is_file():
        named = {"id": id, "label": label} if _table_of(path) is path else {}
        found = read_label_table(path, **named)
        return labelling(found.ids, found.labels)
    table = pl.read_parquet(degrees)
    sets = sparse.csr_array(table.drop("id").to_numpy())
    sets.eliminate_zeros()
    return Labelling(table["id"], pl.Series("class", table.columns[1:], dtype=pl.String), sets)


def labelling(items: pl.Series, labels: pl.Series) -> Labelling:
    """The labels as a noun. Classes are in the order of their numbers if all are numbers, else of their names."""
    if isinstance(labels.dtype, pl.Array):
        labels = labels.arr.to_list()
    inner = labels.dtype.inner if isinstance(labels.dtype, pl.List) else labels.dtype
    if inner.is_nested() or inner == pl.Binary:
        raise InputError(f"the column {labels.name!r} holds {labels.dtype}; labels are names, or lists of names")
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


class LabelTable(NamedTuple):
    """A table with labels: an id per row, the labels, and the table as it stands there."""

    ids: pl.Series
    labels: pl.Series
    frame: pl.DataFrame


def read_labels(path: str | os.PathLike[str]) -> pl.DataFrame:
    """A table of two columns, id and label; a label may be a list of classes. Of a run folder: ids and clusters."""
    table = read_label_table(path, usual=_GOLD)
    return pl.DataFrame({"id": table.ids, "label": table.labels})


def read_label_table(
    path: str | os.PathLike[str],
    *,
    id: str = AUTO,
    label: str = AUTO,
    usual: Sequence[str] = _CLUSTERS,
    usual_id: Sequence[str] = USUAL["id"],
    not_these: Sequence[str] = (),
    flag: str = "",
) -> LabelTable:
    """Labels from a table, or the clusters of a run folder.

    "auto" finds the columns by their usual names, but never takes one of `not_these` for the labels; id "none"
    numbers the rows from 1. `flag` is the option that names the column of labels, where --id names that of ids.
    """
    source = _table_of(path)
    frame = read_table(source)
    names = [name for name in frame.columns if name not in not_these]
    numbering = "Name it with --id COLUMN, or number the rows with --id none" if flag else ""
    ids = None if id == NONE else _named(path, frame, frame.columns, id, usual_id, numbering)
    kind = _RUN if source is not path else usual
    labels = _named(path, frame, names, label, kind, f"Name it with {flag} COLUMN" if flag else "")
    frame = with_label_lists(frame, labels)
    column = (
        pl.int_range(1, frame.height + 1, eager=True).cast(pl.String) if ids is None else frame[ids].cast(pl.String)
    )
    table = LabelTable(column.alias("id"), frame[labels], frame)
    if column.n_unique() != len(column):
        twice = column.filter(column.is_duplicated())[0]
        raise DuplicateIds(f"{path} gives labels twice, first for id {twice!r}; each id may stand in one row")
    if column.null_count():
        raise InputError(f"{path}, row {column.is_null().arg_true()[0] + 1}: the id is empty; every row needs one")
    return table


def _named(path: Any, frame: pl.DataFrame, names: Sequence[str], wanted: str, usual: Sequence[str], advice: str) -> str:
    """The column that is named, or the first of the usual names that is there."""
    has = f"it has: {', '.join(frame.columns)}" if frame.width else "it is empty"
    if wanted != AUTO:
        if wanted in frame.columns:
            return wanted
        raise MissingColumn(f"{path} has no column {wanted!r}; {has}")
    lower = {column.strip().lower(): column for column in reversed(names)}
    found = next((lower[name] for name in usual if name in lower), None)
    if found is None:
        called = f"{usual[0]!r}" if len(usual) == 1 else f"called one of: {', '.join(dict.fromkeys(usual))}"
        raise MissingColumn(f"{path} has no column {called}; {has}{'. ' if advice else ''}{advice}")
    return found


def _table_of(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The assignments of a run folder; any other path is itself the table."""
    folder = Path(path)
    if not folder.is_dir():
        return path
    if not (folder / "assignments.parquet").is_file():
        raise InputError(f"{path} is a folder and no run: it has no assignments.parquet; expected a table or a run")
    return folder / "assignments.parquet"
