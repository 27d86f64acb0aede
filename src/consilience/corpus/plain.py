"""Plain text -> a frame: a folder of .txt files, or the lines of one."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import polars as pl

from consilience.corpus.lines import Broken, decoded, line_blocks
from consilience.corpus.sources import Source
from consilience.errors import InputError

_ENDING = ".txt"
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


class Folder(NamedTuple):
    """What a folder holds: its texts with ids and labels, the hash over it all, and how many files were no .txt."""

    frame: pl.DataFrame
    sha256: str
    size: int
    others: int


def read_lines(source: Source, broken: Broken) -> pl.DataFrame:
    """One document per line that is not blank; its id is the line's number."""
    frames = []
    for block in line_blocks(source.chunks()):
        text = pl.Series("text", [decoded(block, broken)]).str.split("\n").explode().str.strip_suffix("\r")
        ids = pl.int_range(block.line, block.line + len(text), eager=True).cast(pl.String).alias("id")
        frames.append(pl.DataFrame([ids, text]).filter(pl.col("text").str.strip_chars() != ""))
    return pl.concat(frames, rechunk=False) if frames else pl.DataFrame()


def read_folder(path: Path, encoding: str, broken: Broken) -> Folder:
    """One document per .txt file, sorted by path; sub-folders are labels. Hidden files and folders are left out.

    The hash is over each file's relative path and content, in order.
    """
    texts, others = _listed(path)
    if not texts:
        raise InputError(f"{path} holds no .txt files (and {others} others); expected one document per .txt file")
    digest, size = hashlib.sha256(), 0
    rows: list[tuple[str, str, str | None]] = []
    for name in texts:
        content = _content(path / name)
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
        size += len(content)
        text = _text(str(path / name), content, encoding, broken)
        if text is not None:
            shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            label, _, _ = shown.rpartition("/")
            rows.append((shown[: -len(_ENDING)], text, label or None))
    frame = pl.DataFrame(rows, schema={"id": pl.String(), "text": pl.String(), "label": pl.String()}, orient="row")
    if frame["label"].null_count() == frame.height:
        frame = frame.drop("label")
    return Folder(frame, digest.hexdigest(), size, others)


def _listed(path: Path) -> tuple[list[str], int]:
    """The .txt files' relative paths, sorted, and the number of other files."""

    def refuse(problem: OSError) -> None:
        raise InputError(f"{problem.filename} cannot be read: {problem.strerror}") from problem

    names = []
    for folder, folders, files in os.walk(path, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        names += [Path(folder, name).relative_to(path).as_posix() for name in files if not name.startswith(".")]
    texts = sorted(name for name in names if name.lower().endswith(_ENDING))
    return texts, len(names) - len(texts)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        raise InputError(f"{file} cannot be read: {problem.strerror}") from problem


def _text(name: str, content: bytes, encoding: str, broken: Broken) -> str | None:
    try:
        text = content.decode(encoding)
        text.encode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        broken.add(line, f"byte 0x{content[problem.start]:02x} is not {encoding}", where=name, undecodable=True)
        return None
    except UnicodeError as problem:
        broken.add(1, f"not {encoding}: {problem}", where=name, undecodable=True)
        return None
    return text.removeprefix(_MARK)
