"""JSON lines -> a frame: block by block through polars, and line by line only where a block gives doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, NoReturn

import polars as pl

from consilience.corpus.lines import Block, Broken, line_blocks, undecodable
from consilience.corpus.schemas import Types, dtype_of, joined, lossless
from consilience.corpus.sources import Source

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATES = re.compile(rb"(?<!\\)((?:\\\\)*)((?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+)")
_PAIR_OR_LONE = re.compile(rb"(\\u[dD][89abAB]..\\u[dD][c-fC-F]..)|\\u....")


def read_jsonl(source: Source, broken: Broken, as_text: Collection[str] = ()) -> pl.DataFrame:
    """All lines as one frame; the columns `as_text` are read as strings whatever they hold.

    A type that changes between blocks without loss is cast; one that does not is read again with the type that
    holds all, so that the blocks' borders never show. Of a name that an object has twice, the first counts.
    """
    frames = [_frame(block, None, broken) for block in line_blocks(source.chunks())]
    types = joined(frame.schema for frame in frames)
    types |= {name: pl.String() for name in as_text if name in types}
    if not all(lossless(dtype, types[name]) for frame in frames for name, dtype in frame.schema.items()):
        frames.clear()
        again = Broken(source.name)
        frames = [_frame(block, types, again) for block in line_blocks(source.chunks())]
    fitted = [_fitted(frame, types) for frame in frames]
    return pl.concat(fitted, rechunk=False) if fitted else pl.DataFrame()


def _fitted(frame: pl.DataFrame, types: Types) -> pl.DataFrame:
    """The frame with exactly these columns, in this order."""
    return pl.DataFrame(
        {
            name: frame[name].cast(dtype)
            if name in frame.columns
            else pl.repeat(None, frame.height, dtype=dtype, eager=True)
            for name, dtype in types.items()
        }
    )


def _frame(block: Block, types: Types | None, broken: Broken) -> pl.DataFrame:
    data = _without_lone_surrogates(block.data)
    try:
        return pl.read_ndjson(data, schema=types, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        return _line_by_line(Block(block.line, data), types, broken)


def _without_lone_surrogates(data: bytes) -> bytes:
    """Half a surrogate pair stands for no character: it becomes U+FFFD (polars would make it a NUL)."""
    if not _SURROGATE.search(data):
        return data

    def mended(run: re.Match[bytes]) -> bytes:
        return run[1] + _PAIR_OR_LONE.sub(lambda code: code[1] or rb"\ufffd", run[2])

    return _SURROGATES.sub(mended, data)


def _line_by_line(block: Block, types: Types | None, broken: Broken) -> pl.DataFrame:
    """The block's good lines; its broken ones are counted.

    Polars refuses a block for a broken line, but also for a column whose types it cannot bring together; then
    the types come from the parsed lines.
    """
    good: list[tuple[int, bytes]] = []
    for number, line in enumerate(block.data.split(b"\n"), block.line):
        why = _fault(line)
        if why:
            broken.add(number, why, undecodable=why.endswith("not UTF-8"))
        elif line.strip():
            good.append((number, line))
    good = _accepted(good, broken)
    data = b"\n".join(line for _, line in good)
    if not data:
        return pl.DataFrame()
    try:
        return pl.read_ndjson(data, schema=types, infer_schema_length=None)
    except pl.exceptions.PolarsError:
        return pl.read_ndjson(data, schema=joined(_types(line) for _, line in good))


def _types(line: bytes) -> Types:
    return {name: dtype_of(value) for name, value in json.loads(line.decode("utf-8")).items()}


def _fault(line: bytes) -> str | None:
    """What is wrong with one line; None for an object and for a blank line."""
    if why := undecodable(line):
        return why
    if not line.strip(b" \t\r"):
        return None
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as problem:
        return f"not JSON: {problem.msg.removesuffix(' at')} at place {problem.pos + 1}"
    except (ValueError, RecursionError) as problem:
        return f"not JSON: {problem}"
    return None if isinstance(value, dict) else f"expected a JSON object, it is {_article(value)}"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _article(value: Any) -> str:
    return {list: "an array", str: "a string", bool: "a truth value", type(None): "null"}.get(type(value), "a number")


def _accepted(lines: list[tuple[int, bytes]], broken: Broken) -> list[tuple[int, bytes]]:
    """The lines polars takes, found by halving: it has limits for numbers and depth that Python has not."""
    if not lines or _takes(b"\n".join(line for _, line in lines)):
        return lines
    if len(lines) == 1:
        broken.add(lines[0][0], "a number is out of range, or objects are nested too deeply")
        return []
    half = len(lines) // 2
    return _accepted(lines[:half], broken) + _accepted(lines[half:], broken)


def _takes(data: bytes) -> bool:
    try:
        # One column that is text needs no common type; the parser still walks every line.
        pl.read_ndjson(data, schema={"": pl.String()})
    except pl.exceptions.PolarsError:
        return False
    return True
