"""Is it the same again? The road of a saved run walked once more, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from consilience.corpus import read
from consilience.errors import RunError
from consilience.runs import folder
from consilience.runs.folder import SavedRun
from consilience.runs.road import Run, Settings, walk

_READING = ("text", "id", "label", "time", "encoding", "skip_bad", "strip")


def verify(
    saved: SavedRun, *, corpus: str | None = None, jobs: int = -1, stage: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Reads the corpus again (from where it was, or from `corpus`), walks the road, and tells the differences."""
    made = saved.manifest["recipe"][0]
    path = corpus or made.get("path")
    if made["step"] != "read" or path in (None, "-"):
        raise RunError(f"{saved.folder} was made from a stream; name a file with the same documents: --corpus FILE")
    if corpus is None and not Path(path).exists():
        raise RunError(f"{path}, which the run was made from, is not there any more; name it with --corpus")
    stage(f"reading {path}")
    again = read(path, **{name: made[name] for name in _READING})
    settings = dict(saved.manifest["settings"])
    settings["own_stop_words"] = tuple(settings["own_stop_words"])
    return differences(saved, walk(again, Settings(**settings), jobs=jobs, stage=stage))


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
    said += _arrays("view", saved.view, run.vectors.estimator)
    return said + _arrays("method", saved.method, run.clustering.estimator)


def _documents(then: pl.DataFrame, now: pl.DataFrame) -> list[str]:
    if then["id"].to_list() != now["id"].to_list():
        return [f"the documents differ: {len(then)} then, {len(now)} now"]
    moved = int((then["cluster"] != now["cluster"]).sum())
    if moved:
        return [f"{moved} of {len(then)} documents are in another cluster"]
    shared = [name for name in now.columns if name in then.columns]  # --with-texts adds a column
    return [f"the column {name} of the assignments differs" for name in shared if not then[name].equals(now[name])]


def _arrays(part: str, then: Any, now: Any) -> list[str]:
    if then is None or now is None:
        return [] if then is now else [f"one run has a fitted {part} and the other has none"]
    return [
        f"the {part}'s {name} differ"
        for name, value in sorted(vars(now).items())
        if isinstance(value, np.ndarray) and name in vars(then) and not np.array_equal(value, vars(then)[name])
    ]
