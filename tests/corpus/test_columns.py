"""Columns find their role by name; frames of every make become the same corpus."""

from __future__ import annotations

import datetime
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from consilience.corpus import from_frame
from consilience.errors import DuplicateIds, InputError, MissingColumn, SettingError


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (["id", "Body", "TITLE"], "Body"),
        (["content", "text"], "text"),
        (["abstract", "message"], "message"),
        ([" Text ", "other"], " Text "),
        (["question"], "question"),
        (["id", "question", "label", "date"], "question"),
    ],
)
def test_text_by_its_name(columns: list[str], text: str) -> None:
    frame = pl.DataFrame({name: [f"{name} 1", f"{name} 2"] for name in columns})
    assert from_frame(frame).texts.to_list() == [f"{text} 1", f"{text} 2"]


def test_roles_by_their_names() -> None:
    frame = pl.DataFrame({"ID": ["x"], "Text": ["a"], "Category": ["c"], "Timestamp": ["t"], "more": [1]})
    corpus = from_frame(frame)
    assert corpus.ids.to_list() == ["x"]
    assert (corpus.label, corpus.time) == ("Category", "Timestamp")
    assert corpus.columns.columns == ["Category", "Timestamp", "more"]


def test_named_columns_win() -> None:
    frame = pl.DataFrame(
        {"id": ["a"], "key": [5], "text": ["t"], "words": ["w"], "label": ["l"], "class": ["c"], "date": ["d"]}
    )
    corpus = from_frame(frame, id="key", text="words", label="class", time="none")
    assert (corpus.ids.to_list(), corpus.texts.to_list(), corpus.label, corpus.time) == (["5"], ["w"], "class", None)
    assert corpus.columns.columns == ["id", "text", "label", "class", "date"]
    assert from_frame(frame, id="none").ids.to_list() == ["1"]
    assert from_frame(frame, label="none").label is None


def test_two_unnamed_string_columns_are_not_guessed() -> None:
    with pytest.raises(MissingColumn, match="it has: a, b") as caught:
        from_frame(pl.DataFrame({"a": ["x"], "b": ["y"]}))
    assert str(caught.value).endswith('Name it with text="COLUMN"')


def test_labels_that_are_objects_are_no_labels() -> None:
    frame = pl.DataFrame({"text": ["t"], "label": [{"a": 1}], "topic": ["x"]})
    assert from_frame(frame).label == "topic"


FRAMES: dict[str, Any] = {
    "polars": pl.DataFrame({"id": [1, 2], "text": ["a", None], "when": [datetime.date(2024, 1, 2)] * 2}),
    "lazy": pl.LazyFrame({"id": [1, 2], "text": ["a", None], "when": [datetime.date(2024, 1, 2)] * 2}),
    "pandas": pd.DataFrame({"id": [1, 2], "text": ["a", None], "when": [datetime.date(2024, 1, 2)] * 2}, index=[8, 9]),
    "arrow": pa.table({"id": [1, 2], "text": ["a", None], "when": [datetime.date(2024, 1, 2)] * 2}),
    "arrow dictionary": pa.table(
        {"id": [1, 2], "text": pa.array(["a", None]).dictionary_encode(), "when": [datetime.date(2024, 1, 2)] * 2}
    ),
}


class Stream:
    """Anything that speaks Arrow's C stream."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


FRAMES["stream"] = Stream(FRAMES["arrow"])


@pytest.mark.parametrize("make", FRAMES)
def test_frames_of_every_make(make: str) -> None:
    corpus = from_frame(FRAMES[make])
    assert corpus.ids.to_list() == ["1", "2"]
    assert corpus.texts.to_list() == ["a", ""]
    assert corpus.columns["when"].to_list() == [datetime.date(2024, 1, 2)] * 2
    assert corpus.recipe.step == "from_frame"


def test_frames_that_are_refused() -> None:
    for thing in ("text", 5, [{"text": "a"}], None):
        with pytest.raises(InputError, match="is no table"):
            from_frame(thing)
    with pytest.raises(InputError, match="no documents"):
        from_frame(pl.DataFrame({"text": []}, schema={"text": pl.String}))
    with pytest.raises(InputError, match="must hold strings"):
        from_frame(pl.DataFrame({"words": [["a"]], "text": ["x"]}), text="words")
    with pytest.raises(InputError, match="must hold strings"):
        from_frame(pl.DataFrame({"id": [{"a": 1}], "text": ["x"]}), id="id")
    with pytest.raises(DuplicateIds, match="the id '1' is on row 1 and again on row 3"):
        from_frame(pl.DataFrame({"id": [1, 2, 1], "text": ["x", "y", "z"]}))
    with pytest.raises(InputError, match="cannot be taken over"):
        from_frame(pd.DataFrame({"text": ["a", object()]}))
    with pytest.raises(SettingError):
        from_frame(pl.DataFrame({"text": ["a"]}), strip="nothing")


def test_stripped_frames() -> None:
    corpus = from_frame(pl.DataFrame({"text": ["Subject: x\n\nbody", None]}), strip="headers")
    assert corpus.texts.to_list() == ["body", ""]
    assert corpus.recipe.settings["strip"] == ["headers"]


def test_one_column_as_id_and_text() -> None:
    corpus = from_frame(pl.DataFrame({"text": ["a", "b"]}), id="text")
    assert corpus.ids.to_list() == corpus.texts.to_list() == ["a", "b"]


def test_labels_of_a_fixed_number_and_labels_that_are_not_a_number():
    pairs = pl.Series([["a", "b"], None], dtype=pl.Array(pl.String, 2))
    frame = pl.DataFrame({"text": ["x", "y"], "label": pairs, "class": [1.0, float("nan")]})
    assert from_frame(frame).truth.to_list() == [["a", "b"], []]
    assert from_frame(frame, label="class").truth.to_list() == [["1.0"], []]


def test_a_text_column_of_lists_is_told_as_such():
    with pytest.raises(InputError, match="'text' holds lists"):
        from_frame(pl.DataFrame({"id": ["1"], "text": [["a"]]}))


def test_bytes_play_no_role_unasked():
    frame = pl.DataFrame({"text": [b"\xff"], "body": ["x"], "label": [b"\xff"]})
    corpus = from_frame(frame)
    assert corpus.texts.to_list() == ["x"]
    assert corpus.truth is None
