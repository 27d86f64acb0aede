"""consilience predict CORPUS --run DIR: where do these documents belong?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.options import Common, CorpusPath, Force, Out, Reading
from consilience.cli.screen import give_rows, say, stages


def predict(
    corpus: CorpusPath,
    run: Annotated[Path, typer.Option("--run", help="The run folder whose clusters to use.")],
    reading: Reading,
    common: Common,
    out: Out = None,
    force: Force = False,
) -> None:
    """Assign other documents to the clusters of a run. One row per document, CSV on stdout or in --out."""
    from consilience.runs import load_run, predict_corpus
    from consilience.runs.atomic import refuse_existing_file

    if out is not None:
        refuse_existing_file(out, force=force)
    with stages() as stage:
        stage(f"loading {run}")
        saved = load_run(run)
        strip = ",".join(saved.manifest["recipe"][0].get("strip", ()))
        if strip and not reading.strip:  # other texts than the run's would have other words
            reading = replace(reading, strip=strip)
            say(f"stripping {strip}, as the run did")
        stage(f"reading {corpus}")
        read = reading.read(corpus)
        stage("predicting")
        table = predict_corpus(read, saved, jobs=common.jobs)
    assigned = float((table["cluster"].to_numpy() >= 0).mean()) if len(table) else 1.0
    about = {"documents": len(table), "assigned": assigned}
    give_rows(table, "assignments", about, as_json=common.json, out=out, force=force)
