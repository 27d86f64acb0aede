"""What a verb shows: data on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Gives a function that announces the next stage: a spinner with a clock on a terminal, else a line each."""
    if not sys.stderr.isatty():
        yield lambda text: print(text, file=sys.stderr, flush=True)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        running: list[Any] = []

        def stage(text: str) -> None:
            for task in running:
                progress.remove_task(task)
            running[:] = [progress.add_task(text, total=None)]

        yield stage


def say(text: str) -> None:
    """A message for the person at the terminal."""
    print(text, file=sys.stderr)


def counted(number: int, things: str) -> str:
    """1 document, 2 documents"""
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


def give_json(value: Any) -> None:
    """The one object of `--json`."""
    print(json.dumps(value, ensure_ascii=False, default=str))  # dates, and what else a corpus' own columns hold


def give_rows(
    table: pl.DataFrame, name: str, about: dict[str, Any], *, as_json: bool, out: Path | None, force: bool
) -> None:
    """A table as CSV into `out` or else on stdout; with `as_json` as one object, beside what there is to say of it."""
    from consilience.corpus import harmless
    from consilience.runs.atomic import whole_file

    if out is not None:
        with whole_file(out, force=force) as part:
            harmless(table).write_csv(part)
    if as_json:
        give_json({**about, name: table.to_dicts()})
    elif out is None:
        sys.stdout.write(harmless(table).write_csv())
    else:
        print(out)


def give_table(titles: list[str], rows: list[list[str]], *, right: tuple[int, ...] = ()) -> None:
    """A table for reading."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, title in enumerate(titles):
        table.add_column(title, justify="right" if place in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    with console.capture() as drawn:  # where nobody reads, rich itself would end the program
        console.print(table)
    print(drawn.get(), end="")


def clean(text: str) -> str:
    """Text of a document without the control characters that would steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)
