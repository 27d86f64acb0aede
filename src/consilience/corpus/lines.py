"""Bytes in blocks of whole lines, and the tally of the lines that are broken."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from consilience.errors import BrokenLines

# Blocks of 64 MB: large enough for polars to use every core, small beside a file where memory matters.
BLOCK = 1 << 26


class Block(NamedTuple):
    """Whole lines, and the number of the first (from 1)."""

    line: int
    data: bytes


class Broken:
    """How many lines (or whole files) are broken, and the first of them with what is wrong."""

    def __init__(self, name: str, unit: str = "line") -> None:
        self.name = name
        self.count = 0
        self._unit = unit
        self._first: tuple[str, int, str, bool] | None = None

    def add(self, line: int, why: str, *, where: str = "", count: int = 1, undecodable: bool = False) -> None:
        """Count lines that are broken in the same way, the first of them on `line` (of the file `where`)."""
        self.count += count
        where = where or self.name
        if self._first is None or (where == self._first[0] and line < self._first[1]):
            self._first = (where, line, why, undecodable)

    def clear(self) -> None:
        """Forget everything: the file is read again."""
        self.count, self._first = 0, None

    def refuse(self) -> None:
        """Raise `BrokenLines` if there is any."""
        if self._first is None:
            return
        where, line, why, undecodable = self._first
        mend = "name the encoding with --encoding (latin-1, cp1252, utf-16)" if undecodable else "mend"
        total, them = (
            (f"1 broken {self._unit}", "it") if self.count == 1 else (f"{self.count} broken {self._unit}s", "them")
        )
        raise BrokenLines(
            f"{where}, line {line}: {why}; {total} in all: {mend if undecodable else f'mend {them}'}, "
            f"or leave {them} out with --skip-bad"
        )


def line_blocks(chunks: Iterable[bytes]) -> Iterator[Block]:
    """The chunks regrouped into blocks that end where a line ends; the last line may lack its end."""
    held: list[bytes] = []
    size, line = 0, 1
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1 if size + len(chunk) >= BLOCK else 0
        if not cut:
            held.append(chunk)
            size += len(chunk)
            continue
        data = b"".join((*held, chunk[:cut]))
        held, size = [chunk[cut:]], len(chunk) - cut
        yield Block(line, data)
        line += data.count(b"\n")
    if size:
        yield Block(line, b"".join(held))


def is_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8; tried a megabyte at a time, for decoded text may be four times as large."""
    if data.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 1 << 20):
            decoder.decode(data[start : start + (1 << 20)])
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True


def undecodable(line: bytes) -> str | None:
    """What is wrong with a line that is not UTF-8; None for a line that is."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as problem:
        return f"byte 0x{line[problem.start]:02x} at place {problem.start + 1} is not UTF-8"
    return None


def decoded(block: Block, broken: Broken) -> str:
    """A block's text; lines that are not UTF-8 are counted as broken and left empty."""
    try:
        return block.data.decode("utf-8")
    except UnicodeDecodeError:
        kept = []
        for number, line in enumerate(block.data.split(b"\n"), block.line):
            why = undecodable(line)
            if why:
                broken.add(number, why, undecodable=True)
            kept.append(b"" if why else line)
        return b"\n".join(kept).decode("utf-8")
