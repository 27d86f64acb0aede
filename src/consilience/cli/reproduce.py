"""consilience reproduce STUDY: a paper's table beside ours."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from consilience import catalogue
from consilience.cli.methods import give_catalogue
from consilience.cli.options import Common, Force, Out, whole_or_word
from consilience.cli.screen import give_json, give_table, stages

if TYPE_CHECKING:
    from consilience.studies import Result, Table


def reproduce(
    common: Common,
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]", help=f"One of: {', '.join(catalogue.names('studies'))}. Without it: the list."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="The folder of the corpora.", show_default="the folder that CONSILIENCE_DATA names"
        ),
    ] = None,
    runs: Annotated[str, typer.Option("--runs", help="How often, where chance plays a part; auto: as the paper.")] = (
        "auto"
    ),
    out: Out = None,
    force: Force = False,
) -> None:
    """Make a paper's experiment again, its figures beside ours. --out keeps tables and figures in a folder."""
    if study is None:
        give_catalogue("studies", as_json=common.json)
        return
    catalogue.check("studies", study)
    from consilience.errors import InputError
    from consilience.studies import reproduce as again

    folder = data or os.environ.get("CONSILIENCE_DATA")
    if folder is None:
        raise InputError(f"{study} needs corpora; name their folder with --data or in CONSILIENCE_DATA")
    with stages() as stage:
        result = again(
            study, Path(folder), runs=whole_or_word(runs, "runs"), seed=common.seed, jobs=common.jobs, stage=stage
        )
    if out is not None:
        _keep(result, out, force=force)
    if common.json:
        give_json(result.as_json())
        return
    for table in [*result.tables, *(figure.table() for figure in result.figures)]:
        print(f"\n{table.name}\n{table.about}".rstrip())
        give_table(["", "paper", "ours", "±"], _cells(table), right=(1, 2, 3))
    print(f"\n{study}: {result.seconds:.0f} s" + (f", kept in {out}" if out else ""))


def _keep(result: Result, out: Path, *, force: bool) -> None:
    import json

    from consilience.reports.curves import curves
    from consilience.runs.atomic import STUDY, whole_folder

    with whole_folder(out, force=force, marks=STUDY) as part:
        about = json.dumps(result.as_json(), indent=1, ensure_ascii=False)
        (part / "study.json").write_text(about + "\n", encoding="utf-8")
        tables = [*result.tables, *(figure.table() for figure in result.figures)]
        (part / "tables.md").write_text("\n".join(_markdown(table) for table in tables), encoding="utf-8")
        for figure in result.figures:
            name = "-".join("".join(c if c.isalnum() else " " for c in figure.name.lower()).split())
            (part / f"{name}.svg").write_text(curves(figure.name, figure.across, figure.up, figure.curves), "utf-8")


def _cells(table: Table) -> list[list[str]]:
    return [[row.row, *(_number(value) for value in row[1:])] for row in table.rows]


def _markdown(table: Table) -> str:
    lines = ["|  | paper | ours | ± |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(cells)} |" for cells in _cells(table)]
    return f"## {table.name}\n\n{table.about}\n\n" + "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) < 0.1 else f"{value:.3f}"
