"""Where the records of a delimited table end, and how many fields each has: arithmetic on byte positions.

In a table whose quotes are clean (RFC 4180) every quote changes inside to outside and back, so

    a newline ends a record  ⟺  the number of quotes before it is even
    fields = 1 + separators in the record with an even number of quotes before them

Quotes are clean if each that opens stands at the start of a field and each that closes at the end of one (or
beside another quote: the doubled quote).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.corpus.lines import BLOCK

Positions = npt.NDArray[np.int64]

# A record beyond 256 MB is a quote that nobody closed.
LONGEST = 1 << 28
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'


class QuotesError(Exception):
    """The quotes do not follow the rules; positions say nothing here."""


@dataclass(frozen=True)
class Records:
    """Whole records: `ends` are the places after each one's newline, `line` is the number of the first line."""

    line: int
    data: bytes
    ends: Positions
    newlines: Positions
    quotes: Positions

    @property
    def starts(self) -> Positions:
        """Where each record begins."""
        return np.concatenate((np.zeros(1, np.int64), self.ends[:-1]))

    def lines(self) -> Positions:
        """The number of the line each record begins on."""
        return self.line + np.searchsorted(self.newlines, self.starts)

    def blank(self) -> npt.NDArray[np.bool_]:
        """Which records are an empty line."""
        buffer = np.frombuffer(self.data, np.uint8)
        starts, sizes = self.starts, np.diff(self.ends, prepend=0)
        first, last = buffer[starts], buffer[self.ends - 1]
        line_end = (last == _NEWLINE) | (last == _RETURN)
        return line_end & ((sizes == 1) | ((sizes == 2) & (first == _RETURN)))

    def starts_at(self, row: int) -> int:
        """Where one record begins."""
        return int(self.ends[row - 1]) if row else 0

    def fields(self, separator: str) -> Positions:
        """The number of fields of each record."""
        places = _outside(_places(self.data, ord(separator)), self.quotes)
        return 1 + np.diff(np.searchsorted(places, self.ends), prepend=0)

    def record(self, row: int) -> bytes:
        """One record's bytes with its line end."""
        return self.data[self.starts_at(row) : self.ends[row]]

    def kept(self, keep: npt.NDArray[np.bool_]) -> bytes:
        """The bytes of the records to keep, joined."""
        if keep.all():
            return self.data
        edges = np.flatnonzero(np.diff(keep, prepend=False, append=False))
        places = np.concatenate((np.zeros(1, np.int64), self.ends))[edges].reshape(-1, 2)
        return b"".join(self.data[start:end] for start, end in places)


def record_blocks(chunks: Iterable[bytes], separator: str, quoting: bool) -> Iterator[Records]:
    """The chunks regrouped into blocks that end where a record ends. `QuotesError` if quotes are not clean."""
    held: list[bytes] = []
    size, wanted, line = 0, BLOCK, 1
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size < wanted:
            continue
        data = b"".join(held)
        records = _records(line, data, separator, quoting, last=False)
        if records is None:
            # No record ends in here: look again only when there is twice as much, or the cost is quadratic.
            held, wanted = [data], 2 * size
            if size > LONGEST:
                raise QuotesError
            continue
        yield records
        rest = data[len(records.data) :]
        held, size, wanted = [rest], len(rest), BLOCK
        line += len(records.newlines)
    if size and (records := _records(line, b"".join(held), separator, quoting, last=True)):
        yield records


def _records(line: int, data: bytes, separator: str, quoting: bool, last: bool) -> Records | None:
    """The whole records at the start of the bytes; None if there is none."""
    newlines = _places(data, _NEWLINE)
    quotes = _places(data, _QUOTE) if quoting else np.zeros(0, np.int64)
    ends = _outside(newlines, quotes) + 1
    if last and not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    if last and len(quotes) % 2:
        raise QuotesError
    if not len(ends):
        return None
    end = int(ends[-1])
    if end < len(data):
        data, newlines, quotes = data[:end], newlines[newlines < end], quotes[quotes < end]
    if not _clean(data, quotes, separator):
        raise QuotesError
    return Records(line, data, ends, newlines, quotes)


def _clean(data: bytes, quotes: Positions, separator: str) -> bool:
    """Whether every quote opens at the start of a field and closes at the end of one."""
    if not len(quotes):
        return True
    buffer = np.frombuffer(data, np.uint8)
    opening, closing = quotes[::2], quotes[1::2]
    before = buffer[opening[opening > 0] - 1]
    after = buffer[closing[closing + 1 < len(buffer)] + 1]
    at_start = np.isin(before, (ord(separator), _NEWLINE, _QUOTE)).all()
    at_end = np.isin(after, (ord(separator), _NEWLINE, _RETURN, _QUOTE)).all()
    return bool(at_start and at_end)


def _places(data: bytes, byte: int) -> Positions:
    return np.flatnonzero(np.frombuffer(data, np.uint8) == byte)


def _outside(places: Positions, quotes: Positions) -> Positions:
    """The places with an even number of quotes before them."""
    return places[np.searchsorted(quotes, places) % 2 == 0] if len(quotes) else places
