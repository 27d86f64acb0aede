"""consilience cluster CORPUS: what is in here?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from consilience import catalogue
from consilience.cli.options import (
    Common,
    CorpusPath,
    Force,
    Out,
    Reading,
    Truth,
    Uniting,
    Views,
    Wording,
    whole_or_word,
)
from consilience.cli.screen import clean, counted, give_json, give_table, say, stages

if TYPE_CHECKING:
    from consilience.runs import Run

_ENDINGS = (".gz", ".zst", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".txt")


def cluster(
    corpus: CorpusPath,
    reading: Reading,
    wording: Wording,
    common: Common,
    uniting: Uniting,
    k: Annotated[str, typer.Option("--k", help="How many clusters: a number or auto.")] = "auto",
    method: Annotated[
        str, typer.Option("--method", help=f"One of: {', '.join(catalogue.names('clusterings'))}.")
    ] = "kmeans",
    view: Views = None,
    items: Annotated[
        str, typer.Option("--items", help="What to cluster: documents, or words by their documents.")
    ] = "documents",
    truth: Truth = None,
    out: Out = None,
    force: Force = False,
    no_texts: Annotated[bool, typer.Option("--no-texts", help="Keep the documents' text out of the report.")] = False,
    with_texts: Annotated[bool, typer.Option("--with-texts", help="Put the documents' text into the table.")] = False,
) -> None:
    """Cluster a corpus: a table, a run folder, a report. Several views, or --members, make an ensemble."""
    from consilience.runs import Settings

    catalogue.check("clusterings", method)
    settings = Settings(
        items=items,
        method=method,
        k=whole_or_word(k, "k"),
        seed=common.seed,
        **uniting.settings(view or []),
        **wording.settings(),
    )
    folder = out or Path(f"{corpus_name(corpus)}-run")  # in the current folder
    cluster_into(
        folder, corpus, reading, settings, common, truth=truth, force=force, no_texts=no_texts, with_texts=with_texts
    )


def cluster_into(
    folder: Path,
    path: str,
    reading: Reading,
    settings: Any,
    common: Common,
    *,
    truth: str | None = None,
    force: bool = False,
    no_texts: bool = False,
    with_texts: bool = False,
) -> None:
    """Reads, walks the road, writes the folder with its report, and shows what was found."""
    from consilience.reports import pages
    from consilience.runs import walk, write_run
    from consilience.runs.atomic import refuse_existing

    refuse_existing(folder, force=force)
    with stages() as stage:
        stage(f"reading {path}")
        run = walk(reading.read(path, truth=truth), settings, jobs=common.jobs, stage=stage)
        stage(f"writing {folder}")
        drawn = pages(run, corpus_name(path), texts=not no_texts)
        write_run(run, folder, pages=drawn, with_texts=with_texts, force=force)
    if common.json:
        give_json(_as_json(run, folder))
    else:
        _show(run, folder)


def corpus_name(corpus: str) -> str:
    """The file's or folder's name without its endings."""
    name = "stdin" if corpus == "-" else Path(os.path.abspath(corpus)).name  # what a link points to has other names
    while name.endswith(_ENDINGS):
        name = name.rpartition(".")[0]
    return name or "corpus"


def _as_json(run: Run, folder: Path) -> dict[str, Any]:
    from consilience.runs.folder import clusters, metrics

    return {
        **metrics(run),
        "clusters": clusters(run),
        "seconds": round(run.seconds, 3),
        "peak_mb": round(run.peak_mb, 1),
        "run": str(folder),
    }


def _show(run: Run, folder: Path) -> None:
    from consilience.measures import headlines

    documents = len(run.corpus)
    rows = [
        [
            str(found.id),
            str(found.size),
            f"{found.size / documents:.1%}",
            "–" if found.retrieval is None else f"{found.retrieval:.2f}",
            ", ".join(found.terms),
        ]
        for found in run.clusters
    ]
    if rows:
        give_table(["cluster", run.settings.items, "share", "check", "terms"], rows, right=(0, 1, 2, 3))
        if run.settings.items == "documents":
            print("\ncheck: the share of a cluster's documents that its terms find again")
    for name, score in headlines(run.measures or {}).items():
        print(f"{name} against the gold labels: {score.value:.3f} ({score.on_assigned:.3f} on assigned)")
    for note in run.notes:
        say(clean(note))
    print(
        f"{counted(documents, run.settings.items)}, {counted(run.clustering.k, 'clusters')}, "
        f"{run.clustering.assigned:.1%} assigned, "
        f"{run.seconds:.1f} s, {run.peak_mb:.0f} MB"
    )
    print(f"{folder / 'report.html'}")
