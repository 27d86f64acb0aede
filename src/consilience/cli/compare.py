"""consilience compare A B: do these two agree, where do they not, and which documents moved?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from consilience.cli.options import Common, Force, Out, Reading
from consilience.cli.screen import clean, give_json, give_table, say, stages

if TYPE_CHECKING:
    from consilience.runs.comparing import Compared

Labels = "A table of ids and labels (--id and --label name its columns), or a run folder."
_FLOWS, _UNIONS, _PARTS = 12, 10, 12


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=Labels)],
    b: Annotated[str, typer.Argument(metavar="B", help=Labels)],
    reading: Reading,
    common: Common,
    texts: Annotated[
        str | None,
        typer.Option("--texts", metavar="CORPUS", help="The documents, for links by words.", show_default="the runs'"),
    ] = None,
    permutations: Annotated[
        int, typer.Option("--permutations", help="Permutations of Mantel's test.", min=0, max=1_000_000)
    ] = 999,
    out: Out = None,
    force: Force = False,
    no_texts: Annotated[bool, typer.Option("--no-texts", help="Keep the documents' text out of the page.")] = False,
    with_texts: Annotated[bool, typer.Option("--with-texts", help="Put the documents' text into moved.csv.")] = False,
) -> None:
    """Say how far two clusterings agree. How classes correspond, and who moved; --out writes the page and tables."""
    from consilience.reports.comparison import record
    from consilience.runs.atomic import COMPARISON, refuse_existing
    from consilience.runs.comparing import compare_files

    if out is not None:
        refuse_existing(out, force=force, marks=COMPARISON)
    with stages() as stage:
        read = None
        if texts is not None:
            stage(f"reading {texts}")
            read = reading.read(texts)
        compared = compare_files(
            a,
            b,
            id=reading.id,
            label=reading.label,
            texts=read,
            permutations=permutations,
            seed=common.seed,
            jobs=common.jobs,
            stage=stage,
        )
        told = record(compared, _titles(a, b))
        if out is not None:
            stage(f"writing {out}")
            _write(out, compared, told, force=force, texts=not no_texts, with_texts=with_texts)
    if common.json:
        give_json(told)
    else:
        _show(told, out)


def _titles(a: str, b: str) -> tuple[str, str]:
    """What the two are called: their names, with as many folders as it takes to tell them apart."""
    parts = [("standard input",) if path == "-" else Path(os.path.abspath(path)).parts for path in (a, b)]
    for deep in range(1, max(map(len, parts)) + 1):
        names = [os.path.join(*own[-deep:]) for own in parts]
        if names[0] != names[1]:
            return names[0], names[1]
    return f"{parts[0][-1]} (first)", f"{parts[1][-1]} (second)"


def _write(out: Path, compared: Compared, told: dict[str, Any], *, force: bool, texts: bool, with_texts: bool) -> None:
    import json

    from consilience.corpus import harmless
    from consilience.reports.comparison import moved_table
    from consilience.reports.comparison_page import comparison_page
    from consilience.runs.atomic import COMPARISON, whole_folder

    with whole_folder(out, force=force, marks=COMPARISON) as part:
        page = comparison_page(compared, told, texts=texts)
        (part / "compare.html").write_text(page, encoding="utf-8")
        (part / "compare.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        harmless(moved_table(compared, with_texts=with_texts)).write_csv(part / "moved.csv")


def _show(told: dict[str, Any], out: Path | None) -> None:
    from consilience.reports.comparison import about_mantel, effect, headline

    print(clean(headline(told)))
    print(clean(effect(told)))
    kappa, moved = told["kappa"], told["moved"]
    print(f"kappa: {kappa['optimal']:.3f} best, {kappa['greedy']:.3f} greedy, {kappa['random']:.3f} random matching")
    print(clean(about_mantel(told)))
    if moved["flows"]:
        print(f"\n{moved['items']} documents moved; the most:")
        rows = [[flow["from"], flow["to"], str(flow["items"])] for flow in moved["flows"][:_FLOWS]]
        give_table([f"in {told['a']}", f"in {told['b']}", "documents"], rows, right=(2,))
    for union in moved["splits"][:_UNIONS]:
        print(clean(f"{union['class']} is split into {_some(union['parts'])} ({union['share']:.0%})"))
    for union in moved["merges"][:_UNIONS]:
        print(clean(f"{union['class']} brings together {_some(union['parts'])} ({union['share']:.0%})"))
    for note in told["notes"]:
        say(clean(note))
    if out is None:
        say("--out DIR writes the page, all numbers, and every document that moved")
    else:
        print(f"\n{out / 'compare.html'}")


def _some(names: list[str]) -> str:
    more = len(names) - _PARTS
    return ", ".join(names[:_PARTS]) + (f" and {more:,} more" if more > 0 else "")
