"""consilience judge LABELS: is this clustering any good? Labels from any program, a model or a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from consilience.cli.options import Common, Force, Out, Reading, View, Wording
from consilience.cli.screen import clean, give_json, give_table, say, stages

if TYPE_CHECKING:
    from consilience.runs.judging import Judged


def judge(
    labels: Annotated[str, typer.Argument(metavar="LABELS", help="A table of ids and labels, or a run folder.")],
    reading: Reading,
    wording: Wording,
    common: Common,
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            help="The right classes: a column of LABELS or of the corpus, or a table of ids and labels.",
            show_default="a column called label, class, ...",
        ),
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option("--texts", metavar="CORPUS", help="The documents, to look at the clusters among them."),
    ] = None,
    clusters: Annotated[str, typer.Option("--clusters", help="The column of LABELS with the clusters.")] = "auto",
    against: Annotated[
        str | None, typer.Option("--against", metavar="LABELS", help="Other labels: which of the two is better?")
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            "--words",
            metavar="COLUMN",
            help="LABELS are tagged tokens, a row each: judge the words in this column, each with all its classes.",
        ),
    ] = None,
    weak_above: Annotated[
        float,
        typer.Option(
            "--weak-above",
            help="With --words: a class of a larger share of a word's tokens is its only one.",
            min=0,
            max=1,
        ),
    ] = 1.0,
    stability: Annotated[
        int, typer.Option("--stability", help="Cluster so many samples of a run's documents again.", min=0, max=1000)
    ] = 0,
    separator: Annotated[
        str, typer.Option("--separator", help="Between the parts of classes that are paths; auto, or none.")
    ] = "auto",
    view: View = "auto",
    out: Out = None,
    force: Force = False,
    no_texts: Annotated[bool, typer.Option("--no-texts", help="Keep the documents' text out of the page.")] = False,
) -> None:
    """Judge labels from anywhere. Against a truth, among their documents, or both; --out writes the page and tables."""
    from consilience import catalogue
    from consilience.reports.judgement import record
    from consilience.runs.atomic import JUDGEMENT, refuse_existing
    from consilience.runs.judging import judge_labels

    if view != "auto":
        catalogue.check("vectors", view)
    if out is not None:
        refuse_existing(out, force=force, marks=JUDGEMENT)
    with stages() as stage:
        corpus = None
        if texts is not None:
            stage(f"reading {texts}")
            corpus = reading.read(texts)
        judged = judge_labels(
            labels,
            truth=truth,
            corpus=corpus,
            other=against,
            words=words,
            weak_above=weak_above,
            id=reading.id,
            column=clusters,
            view=view,
            separator=separator,
            samples=stability,
            seed=common.seed,
            jobs=common.jobs,
            stage=stage,
            **wording.settings(),
        )
        told = record(judged, labels, texts=not no_texts)
        if out is not None:
            stage(f"writing {out}")
            _write(out, told, force=force)
    if common.json:
        give_json(told)
    else:
        _show(judged, told, out)


def _write(out: Path, told: dict[str, Any], *, force: bool) -> None:
    import json

    import polars as pl

    from consilience.corpus import harmless
    from consilience.reports.judgement_page import judgement_page
    from consilience.runs.atomic import JUDGEMENT, whole_folder

    with whole_folder(out, force=force, marks=JUDGEMENT) as part:
        (part / "judge.html").write_text(judgement_page(told), encoding="utf-8")
        (part / "judge.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if told["classes"]:
            harmless(pl.DataFrame(told["classes"])).write_csv(part / "classes.csv")


def _show(judged: Judged, told: dict[str, Any], out: Path | None) -> None:
    for sentence in told["verdict"]:
        print(clean(sentence))
    if told["measures"]:
        rows = [
            [name, *(_number(found[key]) for key in ("value", "low", "high", "on_assigned"))]
            for name, found in told["measures"].items()
        ]
        print(f"\nagainst {clean(judged.truth or '')}; coverage {told['coverage']:.1%}")
        give_table(["measure", "all items", "low", "high", "on assigned"], rows, right=(1, 2, 3, 4))
    if told["internal"]:
        rows = []
        for name, found in told["internal"].items():
            error = _number(found["error"]) if found["error"] else ""
            rows.append([name, _number(found["value"]), error, found["better"], found["space"]])
        print()
        give_table(["within the space", "value", "±", "better", "space"], rows, right=(1, 2))
    if out is None:
        say("--out DIR writes the page, all numbers, and a table of the classes")
    else:
        print(f"\n{out / 'judge.html'}")


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:z.3f}"
