"""read(path) -> Corpus: one door for every format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from consilience.corpus.columns import AUTO, Roles, Wanted, corpus_of, found, with_label_lists
from consilience.corpus.delimited import read_delimited
from consilience.corpus.jsonl import read_jsonl
from consilience.corpus.lines import Broken
from consilience.corpus.plain import read_folder, read_lines
from consilience.corpus.sources import STDIN, Source, checked_encoding, opened
from consilience.corpus.stripping import checked_parts, strip
from consilience.errors import InputError
from consilience.nouns import Corpus, Recipe


def read(
    path: str | os.PathLike[str],
    *,
    text: str = AUTO,
    id: str = AUTO,
    label: str = AUTO,
    time: str = AUTO,
    encoding: str = "utf-8",
    skip_bad: bool = False,
    strip: str | Sequence[str] = (),
) -> Corpus:
    """The documents of a folder, a file or `-` (standard input), in the order they stand there.

    A folder holds .txt files (its sub-folders are labels); a file is .csv, .tsv, .jsonl or .ndjson, .txt (one
    document per line that is not blank), each also .gz or .zst, or .parquet. Standard input, a pipe or a device is
    JSON lines if it begins with a brace, else a table with a header.

    `text`, `id`, `label`, `time` name columns. "auto" finds them by their usual names; "none" goes without (ids are
    then row numbers from "1", as where no column is called id). Ids come back as they stand in the file: 007 stays
    007. Texts that are null become empty documents. Rows are counted without header, blank and broken lines.

    `skip_bad` leaves out lines that cannot be parsed or decoded and counts them in `Corpus.skipped`; otherwise the
    first of them is an error. `strip` removes "headers", "quotes" and "signatures" of mails and posts.
    """
    parts = checked_parts(strip)
    codec = checked_encoding(encoding)
    name = os.fspath(path)
    wanted = Wanted(text, id, label, time)
    settings = {**wanted._asdict(), "encoding": encoding, "skip_bad": skip_bad, "strip": list(parts)}
    if name != STDIN and os.path.isdir(name):
        return _from_folder(name, wanted, codec, settings)
    with opened(name, codec) as source:
        return _from_source(source, name, wanted, settings)


def read_table(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> pl.DataFrame:
    """A file's columns as they stand there; broken lines are refused."""
    with opened(os.fspath(path), checked_encoding(encoding)) as source:
        broken = Broken(source.name)
        frame = _frame(source, broken)
        broken.refuse()
    return frame


def _from_folder(path: str, wanted: Wanted, codec: str, settings: dict[str, Any]) -> Corpus:
    broken = Broken(path, unit="file")
    folder = read_folder(Path(path), codec, broken)
    if not settings["skip_bad"]:
        broken.refuse()
    facts = {"path": path, "format": "folder", "sha256": folder.sha256, "bytes": folder.size, "others": folder.others}
    roles = found(folder.frame, wanted, path)
    return _made(folder.frame, roles, path, Recipe("read", facts | settings), broken.count)


def _from_source(source: Source, path: str, wanted: Wanted, settings: dict[str, Any]) -> Corpus:
    broken = Broken(source.name)
    frame = _frame(source, broken)
    if not settings["skip_bad"]:
        broken.refuse()
    if not frame.width and not frame.height:
        left = f" beside {broken.count} broken lines" if broken.count else ""
        raise InputError(f"{source.name} holds no documents{left}; expected at least one")
    roles = found(frame, wanted, source.name)
    if source.kind == "jsonl":
        if roles.id and frame[roles.id].dtype.is_float():
            # A column of 7 and 7.5 is read as numbers 7.0 and 7.5; as ids they are "7" and "7.5".
            frame = read_jsonl(source, Broken(source.name), as_text=(roles.id,))
        frame = with_label_lists(frame, roles.label)
    facts = {"path": path, "format": source.kind, "sha256": source.sha256, "bytes": source.size}
    return _made(frame, roles, source.name, Recipe("read", facts | settings), broken.count)


def _made(frame: pl.DataFrame, roles: Roles, name: str, recipe: Recipe, skipped: int) -> Corpus:
    parts = recipe.settings["strip"]
    if parts:
        frame = frame.with_columns(strip(frame[roles.text].cast(pl.String).fill_null(""), parts).alias(roles.text))
    return corpus_of(frame, roles, name, recipe, skipped)


def _frame(source: Source, broken: Broken) -> pl.DataFrame:
    match source.kind:
        case "jsonl":
            return read_jsonl(source, broken)
        case "txt":
            return read_lines(source, broken)
        case "parquet":
            return _parquet(source)
        case _:
            return read_delimited(source, broken)


def _parquet(source: Source) -> pl.DataFrame:
    source.digest()
    source.file.seek(0)
    try:
        return pl.read_parquet(source.file)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as problem:
        reason = " ".join(str(problem).split())
        raise InputError(f"{source.name} is no Parquet file, or a damaged one: {reason}") from problem
