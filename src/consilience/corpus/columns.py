"""Which column is the text, the id, the label and the time; and the frame as a Corpus.

A column that is named wins; otherwise it is found by its name, in any case, in the order of `USUAL`. Whatever is
neither id nor text stays in `Corpus.columns` as it came.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from consilience.errors import DuplicateIds, InputError, MissingColumn
from consilience.nouns import Corpus, Recipe

AUTO = "auto"
NONE = "none"
USUAL: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "body", "content", "message", "document", "description", "abstract"),
    "id": ("id",),
    "label": ("label", "class", "category", "topic", "topics"),
    "time": ("date", "time", "timestamp", "datetime"),
}


class Wanted(NamedTuple):
    """What each role's column is called: a name, "auto" or "none"."""

    text: str = AUTO
    id: str = AUTO
    label: str = AUTO
    time: str = AUTO


class Roles(NamedTuple):
    """The columns found; None where there is none (the text is always there)."""

    text: str
    id: str | None
    label: str | None
    time: str | None


def found(frame: pl.DataFrame, wanted: Wanted, name: str, flag: str = "--{role} {column}") -> Roles:
    """The column of every role. `flag` is how the user names a column, for the message."""
    others = {role: _found(frame, role, getattr(wanted, role), name, flag) for role in ("id", "label", "time")}
    text = _found(frame, "text", wanted.text, name, flag) or _only_text(frame, set(others.values()))
    if text is None:
        if hopeless := [column for column in frame.columns if column.strip().lower() in USUAL["text"]]:
            _as_strings(frame[hopeless[0]], "text", name)  # says what it holds instead
        usual = "', '".join(USUAL["text"][:3])
        raise MissingColumn(f"{name} has no column '{usual}'; {_there(frame)}. {_advice(frame, 'text', '', flag)}")
    return Roles(text, **others)


def corpus_of(frame: pl.DataFrame, roles: Roles, name: str, recipe: Recipe, skipped: int = 0) -> Corpus:
    """The frame as a Corpus: ids and texts become strings, rows without an id column are numbered from 1."""
    if not frame.height:
        raise InputError(f"{name} holds no documents; expected at least one")
    texts = _as_strings(frame[roles.text], "text", name).fill_null("").alias("text")
    if roles.id is None:
        ids = pl.int_range(1, frame.height + 1, eager=True).cast(pl.String).alias("id")
    else:
        ids = _as_strings(frame[roles.id], "id", name).alias("id")
        _refuse_gaps(ids, roles.id, name)
        _refuse_twins(ids, name)
    columns = frame.drop([column for column in (roles.text, roles.id) if column])
    label, time = (column if column in columns.columns else None for column in (roles.label, roles.time))
    return Corpus(ids, texts, columns if columns.width else pl.DataFrame(), label, time, recipe, skipped)


def with_label_lists(frame: pl.DataFrame, label: str | None) -> pl.DataFrame:
    """A label column that mixes strings and JSON lists becomes lists: "a" -> ["a"], '["a", "b"]' -> ["a", "b"]."""
    if label is None or frame[label].dtype != pl.String:
        return frame
    cells = frame[label]
    listed = {cell: _list_of(cell) for cell in cells.filter(cells.str.starts_with("[")).unique().to_list()}
    lists = {cell: labels for cell, labels in listed.items() if labels is not None}
    if not lists:
        return frame
    kinds = pl.DataFrame({label: list(lists), "": list(lists.values())}, schema_overrides={"": pl.List(pl.String)})
    one = pl.when(pl.col(label).is_null()).then(None).otherwise(pl.concat_list(label))
    joined = frame.select(label).join(kinds, on=label, how="left", maintain_order="left")
    return frame.with_columns(joined.select(pl.coalesce("", one)).to_series().alias(label))


def _list_of(cell: str) -> list[str] | None:
    try:
        labels = json.loads(cell, strict=False)  # polars leaves rare control characters in JSON text as they are
    except ValueError:
        return None
    if not isinstance(labels, list) or any(isinstance(label, dict | list) for label in labels):
        return None
    return [label if isinstance(label, str) else json.dumps(label) for label in labels if label is not None]


def _found(frame: pl.DataFrame, role: str, wanted: str, name: str, flag: str) -> str | None:
    if wanted not in (AUTO, NONE):
        if wanted in frame.columns:
            return wanted
        raise MissingColumn(f"{name} has no column {wanted!r}; {_there(frame)}. {_advice(frame, role, wanted, flag)}")
    if wanted == NONE and role != "text":
        return None
    lower: dict[str, str] = {}
    for column in frame.columns:
        if not _hopeless(frame[column].dtype, role):
            lower.setdefault(column.strip().lower(), column)
    return next((lower[usual] for usual in USUAL[role] if usual in lower), None)


def _hopeless(dtype: pl.DataType, role: str) -> bool:
    """Whether a column of this type cannot play the role unasked."""
    if dtype == pl.Binary:
        return True
    return isinstance(dtype, pl.Struct) if role in ("label", "time") else dtype.is_nested()


def _only_text(frame: pl.DataFrame, taken: set[str | None]) -> str | None:
    left = [column for column in frame.columns if frame[column].dtype == pl.String and column not in taken]
    return left[0] if len(left) == 1 else None


def _there(frame: pl.DataFrame) -> str:
    return f"it has: {', '.join(frame.columns)}" if frame.width else "it has no columns"


def _advice(frame: pl.DataFrame, role: str, wanted: str, flag: str) -> str:
    lower = {column.lower(): column for column in frame.columns}
    near = difflib.get_close_matches(wanted.lower(), lower, n=1)
    usual = [lower[title] for title in USUAL[role] if title in lower]
    column = lower[near[0]] if near else usual[0] if usual else "COLUMN"
    return f"Name it with {flag.format(role=role, column=column)}"


def _as_strings(column: pl.Series, role: str, name: str) -> pl.Series:
    dtype = column.dtype
    if dtype == pl.String:
        return column
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise InputError(f"{name}: the column {column.name!r} holds {_holds(dtype)}; a {role} column must hold strings")
    return column.cast(pl.String)


def _holds(dtype: Any) -> str:
    return "bytes" if dtype == pl.Binary else "lists" if isinstance(dtype, pl.List | pl.Array) else "objects"


def _refuse_gaps(ids: pl.Series, column: str, name: str) -> None:
    gaps = (ids.is_null() | (ids == "")).arg_true()
    if len(gaps):
        raise InputError(
            f"{name}, row {gaps[0] + 1}: the id in column {column!r} is empty; {len(gaps)} such rows in all: "
            "fill them, name another column with --id, or number the rows with --id none"
        )


def _refuse_twins(ids: pl.Series, name: str) -> None:
    if ids.n_unique() == len(ids):
        return
    second = ids.is_first_distinct().not_().arg_true()[0]
    twin = ids[second]
    first = (ids == twin).arg_true()[0]
    more = len(ids) - ids.n_unique()
    raise DuplicateIds(
        f"{name}: the id {twin!r} is on row {first + 1} and again on row {second + 1}; {more} such rows in all: "
        "ids must be unique; name another column with --id, or number the rows with --id none"
    )
