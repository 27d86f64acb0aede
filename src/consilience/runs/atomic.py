"""Folders and files that appear whole or not at all, also when the process is killed.

What is being written stands beside its target under a hidden name that carries the writer's process id, and takes
the target's name by one rename at the end. What a killed writer left behind is removed by the next one. What is
replaced must be of the same kind: a folder that only looks like a run, or a device, is never removed.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from consilience.errors import RunError

RUN = ("manifest.json", "assignments.parquet")  # what a folder holds if it is a run; many others hold the first
VECTORS = ("vectors.json", "vectors.safetensors")
STUDY = ("study.json", "tables.md")
COMPARISON = ("compare.json", "compare.html")
JUDGEMENT = ("judge.json", "judge.html")


@contextmanager
def whole_folder(target: Path, *, force: bool = False, marks: tuple[str, ...] = RUN) -> Iterator[Path]:
    """Gives an empty folder to fill; it becomes `target` when the block ends well, and vanishes when it does not."""
    refuse_existing(target, force=force, marks=marks)
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    part.mkdir()
    try:
        yield part
        for file in part.rglob("*"):
            if file.is_file():
                _flush(file)
        refuse_existing(target, force=force, marks=marks)  # another writer may have been faster
        if target.exists():
            target.rename(old)
        part.rename(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if old.exists() and not target.exists():
            old.rename(target)
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def whole_file(target: Path, *, force: bool = False) -> Iterator[Path]:
    """Gives a path to write; the file becomes `target` when the block ends well."""
    refuse_existing_file(target, force=force)
    target.parent.mkdir(parents=True, exist_ok=True)
    _sweep(target)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield part
        _flush(part)
        refuse_existing_file(target, force=force)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def refuse_existing(target: Path, *, force: bool, marks: tuple[str, ...] = RUN) -> None:
    """Raises `RunError` where the folder `target` cannot be written, or would lose what nobody asked to lose."""
    if not target.exists():
        _refuse_unwritable(target)
        return
    if not target.is_dir():
        raise RunError(f"{target} is a file; --out names a folder")
    missing = [mark for mark in marks if not (target / mark).exists()]
    if any(target.iterdir()) and missing:
        raise RunError(
            f"{target} holds other things and no {missing[0]}; take another --out (--force replaces runs only)"
        )
    if not force:
        raise RunError(f"{target} is there already; take another --out, or replace it with --force")


def refuse_existing_file(target: Path, *, force: bool) -> None:
    """The same for a file."""
    if not target.exists():
        _refuse_unwritable(target)
    elif not target.is_file():
        raise RunError(f"{target} is a folder or a device; --out names a file")
    elif not force:
        raise RunError(f"{target} is there already; take another --out, or replace it with --force")


def _refuse_unwritable(target: Path) -> None:
    """Said before the work is done, not after."""
    nearest = next(folder for folder in target.absolute().parents if folder.exists())
    if not nearest.is_dir():
        raise RunError(f"{target} cannot be made: {nearest} is a file; take another --out")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise RunError(f"{target} cannot be made: nobody may write into {nearest} here; take another --out")


def _sweep(target: Path) -> None:
    """Removes what killed writers of `target` left, and gives back the folder that one had just moved aside."""
    name = re.compile(rf"\.{re.escape(target.name)}\.(\d+)\.(part|old)")
    for path in target.parent.iterdir():
        found = name.fullmatch(path.name)
        if not found or _alive(int(found[1])):
            continue
        if found[2] == "old" and not target.exists():
            path.rename(target)
        elif path.is_file():
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()


def _flush(file: Path) -> None:
    with file.open("rb") as handle:
        os.fsync(handle.fileno())
