"""Comma- and tab-separated tables -> a frame of strings, as they stand in the file.

Polars fills a record that has too few fields with nulls and says nothing, and it loses count where a quote
stands inside an unquoted field. So the records are measured first (records.py); a table whose quotes are not
clean is read with Python's csv module if it is comma-separated, and with quotes as plain characters if it is
tab-separated.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.corpus.lines import Broken, decoded, is_utf8, line_blocks, undecodable
from consilience.corpus.records import LONGEST, QuotesError, Records, record_blocks
from consilience.corpus.sources import Source
from consilience.errors import InputError

_SEPARATORS = (",", ";", "\t", "|")
_BATCH = 50_000

Mask = npt.NDArray[np.bool_]


def read_delimited(source: Source, broken: Broken) -> pl.DataFrame:
    """All records as one frame. Blank lines are no records; a record with too few or too many fields is broken."""
    head = source.head()
    if not head.strip():
        return pl.DataFrame()
    if b"\0" in head.split(b"\n", 1)[0]:
        raise InputError(f"{source.name} has NUL bytes in its header; is it UTF-16? Then give --encoding utf-16")
    separator = "\t" if source.kind == "tsv" else _separator(head)
    with suppress(QuotesError):
        return _measured(source, separator, True, broken)
    # Only here is what was read so far released: inside an `except` the traceback would still hold it.
    broken.clear()
    if separator == "\t":
        return _measured(source, separator, False, broken)
    return _record_by_record(source, separator, broken)


def _separator(head: bytes) -> str:
    """What the header line has most of, a comma if it has none."""
    header = head.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace")
    outside = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)


def _measured(source: Source, separator: str, quoting: bool, broken: Broken) -> pl.DataFrame:
    names: list[str] = []
    frames = []
    for records in record_blocks(source.chunks(), separator, quoting):
        keep = ~records.blank()
        if not names and keep.any():
            header = int(np.argmax(keep))
            names = _names(source.name, records.record(header), separator, quoting)
            keep[header] = False
        keep &= _right_width(records, separator, len(names), keep, broken)
        keep &= _decodable(records, keep, broken)
        if keep.any():
            frames.append(_frame(records.kept(keep), names, separator, quoting))
            if frames[-1].height != int(keep.sum()):
                raise QuotesError  # polars sees other records than we do: let the csv module decide
    return pl.concat(frames, rechunk=False) if frames else _empty(names)


def _frame(data: bytes, names: list[str], separator: str, quoting: bool) -> pl.DataFrame:
    # Polars takes a byte order mark away at the start of any bytes; here it is a character of the first field.
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        return pl.read_csv(
            mark + data,
            has_header=False,
            schema=dict.fromkeys(names, pl.String()),
            separator=separator,
            quote_char='"' if quoting else None,
        )
    except pl.exceptions.PolarsError as problem:
        raise QuotesError from problem


def _right_width(records: Records, separator: str, width: int, keep: Mask, broken: Broken) -> Mask:
    fields = records.fields(separator)
    wrong = keep & (fields != width)
    if wrong.any():
        first = int(np.argmax(wrong))
        broken.add(int(records.lines()[first]), _miscounted(int(fields[first]), width), count=int(wrong.sum()))
    return ~wrong


def _miscounted(fields: int, width: int) -> str:
    return f"{fields} field{'s' * (fields != 1)} where the header has {width}"


def _decodable(records: Records, keep: Mask, broken: Broken) -> Mask:
    good = np.ones(len(keep), np.bool_)
    if is_utf8(records.data):
        return good
    lines = records.lines()
    for row in np.flatnonzero(keep):
        if why := undecodable(records.record(int(row))):
            broken.add(int(lines[row]), why, undecodable=True)
            good[row] = False
    return good


def _names(file: str, header: bytes, separator: str, quoting: bool) -> list[str]:
    if why := undecodable(header):
        raise InputError(f"{file}, header: {why}; name its encoding with --encoding (latin-1, cp1252, utf-16)")
    text = header.decode("utf-8").rstrip("\r\n")
    if "\r" in text:
        raise InputError(f"{file} ends its lines with a lone carriage return; save it with LF or CRLF line ends")
    lines = text.split("\n")
    if quoting:
        return _distinct(next(csv.reader(lines, delimiter=separator)))
    return _distinct(text.split(separator))


def _distinct(titles: list[str]) -> list[str]:
    """Names for all columns: `column_3` for one without, `name_2` for the second of a name."""
    counts: dict[str, int] = {}  # of every name given, the last number tried behind it
    names = []
    for place, title in enumerate(titles, 1):
        name = plain = title.strip() or f"column_{place}"
        while name in counts:
            counts[plain] += 1
            name = f"{plain}_{counts[plain]}"
        counts[name] = 1
        names.append(name)
    return names


def _empty(names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict.fromkeys(names, pl.String()))


class _Lines:
    """The text's lines with their ends, and the number of the last one given."""

    def __init__(self, source: Source, broken: Broken) -> None:
        self.number = 0
        self._lines = self._all(source, broken)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number += 1
        return line

    @staticmethod
    def _all(source: Source, broken: Broken) -> Iterator[str]:
        for block in line_blocks(source.chunks()):
            text = decoded(block, broken)
            start = 0
            while start < len(text):
                end = text.find("\n", start) + 1 or len(text)
                yield text[start:end]
                start = end


def _record_by_record(source: Source, separator: str, broken: Broken) -> pl.DataFrame:
    """The same through Python's csv module, where a quote inside an unquoted field is a plain character."""
    before = csv.field_size_limit(LONGEST)
    try:
        records = _parsed(_Lines(source, broken), separator, broken)
        _, header = next(records, (0, []))
        names = _distinct(header)
        frames, rows = [], []
        for line, record in records:
            if len(record) != len(names):
                broken.add(line, _miscounted(len(record), len(names)))
                continue
            rows.append(record)
            if len(rows) == _BATCH:
                frames.append(_of_rows(rows, names))
                rows = []
        return pl.concat([*frames, _of_rows(rows, names)], rechunk=False)
    finally:
        csv.field_size_limit(before)


def _parsed(lines: _Lines, separator: str, broken: Broken) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, each with the line it begins on."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        line = lines.number + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            swallowed = lines.number - line + 1
            open_end = "unexpected end" in str(problem) or "field limit" in str(problem)
            why = "a quote that opens here is never closed" if open_end else f"not a CSV record: {problem}"
            broken.add(line, why, count=swallowed)
            continue
        if record:
            yield line, record


def _of_rows(rows: list[list[str]], names: list[str]) -> pl.DataFrame:
    """Polars' reader gives null for an empty field without quotes; here too."""
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()), orient="row")
    return frame.with_columns(pl.all().replace("", None))
