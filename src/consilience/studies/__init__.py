"""Studies: a paper's experiment made again, its figures beside ours. One file a study.

A study's file says in `NEEDS` which corpora it reads, in `RUNS` how often it repeats what depends on chance, and gives
its results one by one:

    tables(find, *, runs, seed, jobs, stage) -> Iterator[Table | Figure]

`find` turns a corpus' name into its path, `stage` tells the person at the terminal what comes next. To add a study,
add a file; `consilience reproduce` offers it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from consilience import catalogue
from consilience.errors import InputError, SettingError
from consilience.studies._results import Figure, Point, Row, Table

__all__ = ["Figure", "Point", "Result", "Row", "Table", "reproduce"]


class Result(NamedTuple):
    """A study made again: its tables, its figures, and how long it took."""

    study: str
    tables: list[Table]
    figures: list[Figure]
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """As `consilience reproduce --json` prints it; figures are tables, too."""
        tables = [*self.tables, *(figure.table() for figure in self.figures)]
        return {"study": self.study, "tables": [table.as_json() for table in tables], "seconds": round(self.seconds, 1)}


def reproduce(
    study: str,
    data: Path,
    *,
    runs: int | str = "auto",
    seed: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
) -> Result:
    """Makes a study again with the corpora in the folder `data`. `runs` is how often, where chance plays a part."""
    began = time.perf_counter()
    if runs != "auto" and int(runs) < 1:
        raise SettingError(f"runs is {runs}; it is how often to repeat what depends on chance, 1 or more, or 'auto'")
    module = catalogue.load("studies", study)
    missing = [name for name in module.NEEDS if not (data / name).exists()]
    if missing:
        raise InputError(
            f"{study} needs {', '.join(missing)} in {data}; name the corpora's folder with --data or CONSILIENCE_DATA"
        )
    found: Iterator[Table | Figure] = module.tables(
        lambda name: data / name, runs=module.RUNS if runs == "auto" else int(runs), seed=seed, jobs=jobs, stage=stage
    )
    tables, figures = list[Table](), list[Figure]()
    for part in found:
        if isinstance(part, Table):
            tables.append(part)
        else:
            figures.append(part)
    return Result(study, tables, figures, time.perf_counter() - began)
