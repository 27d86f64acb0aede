"""consilience predict CORPUS --run DIR: where do these documents belong?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from consilience.cli.options import Common, CorpusPath, Force, Out, Reading
from consilience.cli.screen import give_json, stages


def predict(
    corpus: CorpusPath,
    run: Annotated[Path, typer.Option("--run", help="The run folder whose clusters to use.")],
    reading: Reading,
    common: Common,
    out: Out = None,
    force: Force = False,
) -> None:
    """Assign other documents to the clusters of a run: one row per document, CSV on stdout or in --out."""
    from consilience.corpus import harmless
    from consilience.runs import load_run, predict_corpus
    from consilience.runs.atomic import refuse_existing_file, whole_file

    if out is not None:
        refuse_existing_file(out, force=force)
    with stages() as stage:
        stage(f"loading {run}")
        saved = load_run(run)
        stage(f"reading {corpus}")
        read = reading.read(corpus)
        stage("predicting")
        table = predict_corpus(read, saved, jobs=common.jobs)
    if out is not None:
        with whole_file(out, force=force) as part:
            harmless(table).write_csv(part)
    if common.json:
        assigned = float((table["cluster"] >= 0).mean()) if len(table) else 1.0  # type: ignore[arg-type]
        give_json({"documents": len(table), "assigned": assigned, "assignments": table.to_dicts()})
    elif out is None:
        sys.stdout.write(harmless(table).write_csv())
    else:
        print(out)
