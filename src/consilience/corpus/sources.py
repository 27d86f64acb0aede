"""A path or stdin as UTF-8 bytes: decompressed, transcoded and hashed on the way.

    raw bytes ─sha256─▶ gzip or zstd, told by magic bytes ─▶ UTF-8 without a byte order mark

A source can be read twice: a stream that cannot be rewound is first copied to a temporary file.
"""

from __future__ import annotations

import codecs
import hashlib
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from consilience.errors import BrokenLines, InputError, SettingError

KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".txt": "txt",
}
PACKED = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
STDIN = "-"

_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_PARQUET = b"PAR1"
_CHUNK = 1 << 20
# A packed chunk may unfold a thousandfold and more, so packed bytes are fed in small bites.
_BITE = 1 << 14
_HEAD = 1 << 16
_BOM = codecs.BOM_UTF8


class Source:
    """One input: `chunks()` gives its text as UTF-8; `sha256` and `size` describe the raw bytes after that."""

    def __init__(self, file: BinaryIO, name: str, kind: str | None, packing: str | None, encoding: str) -> None:
        self.file = file
        self.name = name
        self.sha256 = ""
        self.size = 0
        self._encoding = encoding
        self.packing = self._packing(packing)
        self.kind = kind or self._sniffed()

    def _packing(self, said: str | None) -> str | None:
        self.file.seek(0)
        head = self.file.read(4)
        found = next((packing for magic, packing in _MAGIC.items() if head.startswith(magic)), None)
        if said and head and found != said:
            raise InputError(
                f"{self.name} is named as {said} but does not begin like {said}: it is damaged, "
                "or its name needs another ending"
            )
        return found

    def _sniffed(self) -> str:
        """JSON lines begin with a brace, Parquet with its magic; anything else is a table with a header."""
        first = b""
        for chunk in self.chunks():
            first = (first + chunk).lstrip()
            if first:
                break
        if first.startswith(_PARQUET):
            return "parquet"
        return "jsonl" if first.startswith(b"{") else "csv"

    def head(self) -> bytes:
        """The first 64 kB of text or a little more; all of it if it is shorter."""
        held = b""
        for chunk in self.chunks():
            held += chunk
            if len(held) >= _HEAD:
                break
        return held

    def chunks(self) -> Iterator[bytes]:
        """The text as UTF-8 bytes from the start, without a byte order mark."""
        raw = self._raw(_BITE if self.packing else _CHUNK)
        plain = self._unpacked(raw) if self.packing else raw
        yield from _without_mark(plain if self._encoding == "utf-8" else self._transcoded(plain))

    def digest(self) -> None:
        """Fill `sha256` and `size` for a file that another reader reads."""
        for _ in self._raw(_CHUNK):
            pass

    def _raw(self, step: int) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        self.file.seek(0)
        try:
            while chunk := self.file.read(step):
                digest.update(chunk)
                size += len(chunk)
                yield chunk
        except OSError as problem:
            raise InputError(f"{self.name} cannot be read: {problem.strerror or problem}") from problem
        self.sha256, self.size = digest.hexdigest(), size

    def _unpacked(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The members of a gzip or the frames of a zstd file, one after the other."""
        fresh: Callable[[], Any] = _gzip_member if self.packing == "gzip" else _zstd_frame
        member, begun, head, padding = fresh(), False, b"", b""
        try:
            for chunk in chunks:
                rest = chunk
                while rest := rest if begun else rest.lstrip(padding):
                    begun = True
                    plain = member.decompress(rest)
                    head = self._no_second_packing(head, plain)
                    if plain:
                        yield plain
                    rest = b""
                    if member.eof:
                        rest, member, begun = member.unused_data, fresh(), False
                        # Zeros after a member are lawful in gzip: tapes are padded with them.
                        padding = b"\0" if self.packing == "gzip" else b""
        except (zlib.error, zstandard.ZstdError) as problem:
            raise InputError(f"{self.name} is damaged {self.packing} data: {problem}") from problem
        if begun:
            raise InputError(f"{self.name} breaks off: its {self.packing} data has no end; fetch or pack it again")

    def _no_second_packing(self, head: bytes, plain: bytes) -> bytes:
        if len(head) < 4:
            head = (head + plain)[:4]
            if any(head.startswith(magic) for magic in (*_MAGIC, _PARQUET)):
                raise InputError(f"{self.name} holds another packed file; unpack it once and give the file inside")
        return head

    def _transcoded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self._encoding)()
        line = 1
        for chunk, last in _with_last(chunks):
            try:
                text = decoder.decode(chunk, last)
                plain = text.encode("utf-8")
            except UnicodeDecodeError as problem:
                # What is decoded before the bad byte may hold line ends of its own.
                line += problem.object[: problem.start].decode(self._encoding, "ignore").count("\n")
                byte = problem.object[problem.start] if problem.object else 0
                raise BrokenLines(
                    f"{self.name}, line {line}: byte 0x{byte:02x} is not {self._encoding}; "
                    "give the encoding it was written in with --encoding"
                ) from problem
            except UnicodeError as problem:
                raise BrokenLines(
                    f"{self.name} cannot be read as {self._encoding}: {problem}; "
                    "give the encoding it was written in with --encoding"
                ) from problem
            line += text.count("\n")
            yield plain


def _gzip_member() -> Any:
    return zlib.decompressobj(wbits=31)


def _zstd_frame() -> Any:
    # 2 GB: the widest window `zstd --ultra --long=31` makes.
    return zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()


def _with_last(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    for chunk in chunks:
        yield chunk, False
    yield b"", True


def _without_mark(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks without a byte order mark at the very start."""
    held: bytes | None = b""
    for chunk in chunks:
        if held is None:
            yield chunk
            continue
        held += chunk
        if len(held) >= len(_BOM):
            yield held.removeprefix(_BOM)
            held = None
    if held:
        yield held


def checked_encoding(encoding: str) -> str:
    """Python's name of a text encoding; the mark of `utf-8-sig` is dropped in any case."""
    try:
        info = codecs.lookup(encoding)
    except (LookupError, ValueError) as problem:
        raise SettingError(
            f"no encoding is called {encoding!r}; usual ones: utf-8, latin-1, cp1252, utf-16"
        ) from problem
    if not getattr(info, "_is_text_encoding", True) or info.incrementaldecoder is None:
        raise SettingError(f"{encoding!r} is not an encoding of text; usual ones: utf-8, latin-1, cp1252, utf-16")
    return "utf-8" if info.name in ("utf-8", "utf-8-sig") else info.name


def kind_of(path: Path) -> tuple[str, str | None]:
    """The format and the packing that a file's name says."""
    packing = PACKED.get(path.suffix.lower())
    inner = Path(path.stem) if packing else path
    kind = KINDS.get(inner.suffix.lower())
    if kind is None:
        hint = "; is it one JSON object a line? Then name it .jsonl" if inner.suffix.lower() == ".json" else ""
        raise InputError(
            f"{path} has the ending {inner.suffix or 'of no format'!r}; expected a folder of .txt, or "
            f".csv, .tsv, .jsonl, .txt (also .gz or .zst) or .parquet{hint}"
        )
    if kind == "parquet" and packing:
        raise InputError(f"{path} is packed Parquet, which is packed inside already; unpack it and give the .parquet")
    return kind, packing


@contextmanager
def opened(path: str, encoding: str) -> Iterator[Source]:
    """The source of a path; `-`, pipes and devices are streams whose format is told from their first bytes."""
    if path == STDIN:
        with _spooled(sys.stdin.buffer, "standard input") as copy:
            yield Source(copy, "standard input", None, None, encoding)
        return
    try:
        regular = stat.S_ISREG(Path(path).stat().st_mode)
        kind, packing = kind_of(Path(path)) if regular else (None, None)
        file = open(path, "rb")  # noqa: SIM115  (closed by the `with` below)
    except (OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise InputError(f"{path} cannot be read: {reason}; expected a file or a folder") from problem
    with file:
        if regular:
            yield Source(file, path, kind, packing, encoding)
        else:
            with _spooled(file, path) as copy:
                yield Source(copy, path, None, None, encoding)


@contextmanager
def _spooled(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    with tempfile.TemporaryFile() as copy:
        try:
            shutil.copyfileobj(stream, copy, _CHUNK)
        except OSError as problem:
            raise InputError(f"{name} cannot be read: {problem.strerror or problem}") from problem
        yield copy
