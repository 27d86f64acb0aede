"""consilience verify RUN: is it the same again?"""

from __future__ import annotations

from typing import Annotated

import typer

from consilience.cli.options import Common, RunFolder
from consilience.cli.screen import clean, give_json, stages


def verify(
    run: RunFolder,
    common: Common,
    corpus: Annotated[
        str | None, typer.Option("--corpus", help="Where the documents are now.", show_default="where they were")
    ] = None,
) -> None:
    """Make a run again from its own manifest and say what differs. Exit 0 if nothing does, else 1."""
    from consilience.runs import load_run
    from consilience.runs import verify as again

    with stages() as stage:
        said = again(load_run(run), corpus=corpus, jobs=common.jobs, stage=stage)
    if common.json:
        give_json({"same": not said, "differences": said})
    else:
        print(
            "\n".join(clean(line) for line in said)
            if said
            else "the same again: every document, every cluster, every number of the model"
        )
    if said:
        raise typer.Exit(1)
