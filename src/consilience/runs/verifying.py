"""Is it the same again? The road of a saved run walked once more, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from consilience.corpus import harmless, read
from consilience.errors import RunError
from consilience.runs import folder
from consilience.runs.folder import SavedRun
from consilience.runs.model import taken_apart
from consilience.runs.road import Run, Settings, walk

_READING = ("text", "id", "label", "time", "encoding", "skip_bad", "strip")


def verify(
    saved: SavedRun, *, corpus: str | None = None, jobs: int = -1, stage: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Reads the corpus again (from where it was, or from `corpus`), walks the road, and tells the differences."""
    made = saved.manifest["recipe"][0]
    _settings(saved)
    path = corpus or made.get("path")
    if made["step"] != "read" or path in (None, "-"):
        raise RunError(f"{saved.folder} was made from a stream; name a file with the same documents: --corpus FILE")
    if corpus is None and not Path(path).exists():
        raise RunError(f"{path}, which the run was made from, is not there any more; name it with --corpus")
    stage(f"reading {path}")
    again = read(path, **{name: made[name] for name in _READING})
    return differences(saved, walk(again, _settings(saved), jobs=jobs, stage=stage))


def _settings(saved: SavedRun) -> Settings:
    try:
        settings = dict(saved.manifest["settings"])
        lists = {name: tuple(settings[name]) for name in ("own_stop_words", "views")}
        return Settings(**settings | lists)
    except (KeyError, TypeError) as problem:
        raise RunError(f"{saved.folder} has settings of another version: {problem}; make the run again") from problem


def differences(saved: SavedRun, run: Run) -> list[str]:
    """What differs between a saved run and a fresh one, as sentences; none if it is the same again."""
    said: list[str] = []
    fresh = folder.manifest(run)
    for name, then in saved.manifest["versions"].items():
        now = fresh["versions"].get(name)
        if now != then:
            said.append(f"{name} was {then} and is {now} now")
    before, after = saved.manifest["recipe"][0], fresh["recipe"][0]
    if before.get("sha256") != after.get("sha256"):
        said.append(
            f"the input has changed: sha256 {str(before.get('sha256'))[:12]} then, {str(after.get('sha256'))[:12]} now"
        )
    said += _documents(saved.assignments, folder.assignments(run))
    if not said and saved.clusters != folder.clusters(run):
        said.append("the descriptions of the clusters differ")
    if not said and saved.terms.rows() != folder.terms(run).rows():
        said.append("the terms differ")
    said += _model({"view": saved.view, "method": saved.method}, folder.model(run))
    return said + _members(saved, run) + _edited(saved)


def _documents(then: pl.DataFrame, now: pl.DataFrame) -> list[str]:
    if then["id"].to_list() != now["id"].to_list():
        return [f"the documents differ: {len(then)} then, {len(now)} now"]
    moved = int((then["cluster"] != now["cluster"]).sum())
    said = [f"{moved} of {len(then)} documents are in another cluster"] if moved else []
    for name in ("confidence", "agreement", "second", "outlier"):
        if name not in then.columns or not then[name].equals(now[name], check_dtypes=True, null_equal=True):
            said.append(f"the column {name!r} of the assignments differs")
    return said


def _model(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    if (then["method"] is None) != (now["method"] is None):
        return ["one run has clusters and the other has none"]
    before, after = taken_apart(then), taken_apart(now)
    said = [
        f"the {name}'s settings or numbers differ" for name in now if before.described[name] != after.described[name]
    ]
    return said + [
        f"the model's {name} differ"
        for name in sorted(before.arrays.keys() | after.arrays.keys())
        if not np.array_equal(before.arrays.get(name, ()), after.arrays.get(name, ()))
    ]


def _members(saved: SavedRun, run: Run) -> list[str]:
    try:
        then = pl.read_parquet(saved.folder / "members.parquet")
    except (OSError, pl.exceptions.PolarsError) as problem:
        return [f"members.parquet cannot be read: {' '.join(str(problem).split())}"]
    return [] if then.equals(folder.members(run)) else ["the members' labels differ"]


def _edited(saved: SavedRun) -> list[str]:
    """The table for spreadsheets says what the one for programs says."""
    try:
        table = (saved.folder / "assignments.csv").read_bytes()
    except OSError as problem:
        return [f"assignments.csv cannot be read: {problem.strerror}"]
    same = table == harmless(saved.assignments).write_csv().encode()
    return [] if same else ["assignments.csv is not what assignments.parquet says"]
