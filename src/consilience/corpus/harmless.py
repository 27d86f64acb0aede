"""harmless(frame): a frame for CSV and XLSX whose cells no spreadsheet runs as a formula."""

from __future__ import annotations

import json

import polars as pl

# After white space and invisible characters, in their full-width forms too; a tab or CR in front is enough by itself
# (OWASP, "CSV injection").
_FORMULA = r"\A(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])"
_NUMBER = r"\A *[+-]?(?:\d+(?:[.,]\d+)*|\.\d+)(?:[eE][+-]?\d+)? *%?\z"


def harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with an apostrophe before each cell and title that reads as a formula; plain numbers stay.

    Lists are joined by "; " first, objects become JSON, bytes hexadecimal digits, durations ISO 8601.
    """
    flat = frame.select(_flat(column) for column in frame.iter_columns())
    safe = flat.select(
        _quoted(pl.col(name)) if flat[name].dtype == pl.String else pl.col(name) for name in flat.columns
    )
    titles = pl.Series(flat.columns, dtype=pl.String).to_frame("").select(_quoted(pl.col(""))).to_series()
    return safe.rename(_renamed(flat.columns, titles.to_list()))


def _renamed(titles: list[str], quoted: list[str]) -> dict[str, str]:
    """Each title's quoted form; where another column is called so already, with more apostrophes."""
    taken = set(titles)
    renamed = {}
    for title, safe in zip(titles, quoted, strict=True):
        while safe != title and safe in taken:
            safe = f"'{safe}"
        taken.add(safe)
        renamed[title] = safe
    return renamed


def _quoted(cell: pl.Expr) -> pl.Expr:
    formula = cell.str.contains(_FORMULA) & ~cell.str.contains(_NUMBER)
    return pl.when(formula).then(pl.concat_str(pl.lit("'"), cell)).otherwise(cell).name.keep()


def _flat(column: pl.Series) -> pl.Series:
    dtype = column.dtype
    if isinstance(dtype, pl.Array):
        column = column.arr.to_list()
        dtype = column.dtype
    inner = pl.Series(dtype=dtype.inner).dtype if isinstance(dtype, pl.List) else None
    if inner is not None and not inner.is_nested():
        return column.list.eval(_shown(pl.element(), inner).cast(pl.String)).list.drop_nulls().list.join("; ")
    if dtype.is_nested():
        cells = [
            None if cell is None else json.dumps(cell, ensure_ascii=False, default=str) for cell in column.to_list()
        ]
        return pl.Series(column.name, cells, dtype=pl.String)
    return column.to_frame().select(_shown(pl.col(column.name), dtype)).to_series()


def _shown(cell: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Values of the types that CSV has no form for as strings."""
    if dtype == pl.Binary:
        return cell.bin.encode("hex")
    if dtype == pl.Duration:
        return cell.dt.to_string("iso")
    return cell.cast(pl.String) if dtype in (pl.Categorical, pl.Enum) else cell
