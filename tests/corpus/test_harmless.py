"""No cell is a formula, numbers stay numbers, and the rest stays as it is."""

from __future__ import annotations

import datetime
import decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.corpus import harmless

DANGEROUS = "=+-@＝＋－＠"


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        '=HYPERLINK("http://x")',
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\rx",
        "  =1",
        "\n=1",
        "＝1",
        "\ufeff=1",
        "\u00a0=1",
        "\u200b=1",
        "\0=1",
        "-",
        "--3",
        "-3.5x",
        "-3,5=1",
        "+1e",
    ],
)
def test_formulas_get_an_apostrophe(cell: str) -> None:
    assert harmless(pl.DataFrame({"a": [cell]}))["a"].to_list() == ["'" + cell]


@pytest.mark.parametrize(
    "cell", ["", None, "text", "a=b", "'=1", "-3.5", "+4", "-1,000", "+.5", "-1e-5", "-5%", " -3", "3-4", "#x", "-3,5"]
)
def test_others_stay(cell: str | None) -> None:
    frame = pl.DataFrame({"a": [cell]}, schema={"a": pl.String})
    assert harmless(frame)["a"].to_list() == [cell]


@given(st.lists(st.text(max_size=6) | st.text("=+-@ \t\r1.5e", max_size=6)))
def test_no_cell_begins_as_a_formula(cells: list[str]) -> None:
    safe = harmless(pl.DataFrame({"a": cells}, schema={"a": pl.String}))["a"].to_list()
    for cell, out in zip(cells, safe, strict=True):
        assert out in (cell, "'" + cell)
        if out.lstrip()[:1] in tuple(DANGEROUS):
            float(out.replace(",", "").replace("%", ""))


def test_other_types() -> None:
    frame = pl.DataFrame(
        {
            "n": [-1, 2],
            "list": [["=a", None, "b"], []],
            "ints": [[1, 2], None],
            "object": [{"x": 1}, None],
            "lists": [[["=a"]], None],
            "kind": pl.Series(["=a", "b"], dtype=pl.Categorical),
            "pair": pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)),
            "=title": ["a", "b"],
        }
    )
    assert harmless(frame).to_dict(as_series=False) == {
        "n": [-1, 2],
        "list": ["'=a; b", ""],
        "ints": ["1; 2", None],
        "object": ['{"x": 1}', None],
        "lists": ['[["=a"]]', None],
        "kind": ["'=a", "b"],
        "pair": ["1; 2", "3; 4"],
        "'=title": ["a", "b"],
    }


def test_a_frame_without_columns() -> None:
    assert harmless(pl.DataFrame()).shape == (0, 0)


def test_titles_that_would_meet_stay_apart() -> None:
    assert harmless(pl.DataFrame({"=a": [1], "'=a": [2]})).columns == ["''=a", "'=a"]


def test_every_type_of_column_can_be_written() -> None:
    second = datetime.timedelta(seconds=3)
    frame = pl.DataFrame(
        {
            "bytes": [b"\xff\x00", None],
            "lists": [[b"x", b"y"], []],
            "span": [second, None],
            "spans": [[second], None],
            "clock": [datetime.time(1, 2), None],
            "exact": [decimal.Decimal("1.25"), None],
            "object": [{"a": [b"x"]}, None],
            "nothing": [None, None],
        }
    )
    rows = harmless(frame).write_csv().splitlines()
    assert rows[1].startswith("ff00,78; 79,PT3S,")
    assert len(rows) == 3
