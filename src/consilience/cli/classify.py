"""consilience classify CORPUS --truth COL: which of given classes does each document belong to?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from consilience.cli.options import Common, CorpusPath, Force, Out, Reading, Truth, View, Wording, chosen_view
from consilience.cli.screen import clean, give_rows, give_table, say, stages


def classify(
    corpus: CorpusPath,
    reading: Reading,
    wording: Wording,
    common: Common,
    truth: Truth = None,
    split: Annotated[
        str | None, typer.Option("--split", help="A column that says train or test.", show_default="five-fold")
    ] = None,
    view: View = "auto",
    out: Out = None,
    force: Force = False,
) -> None:
    """Put documents into the classes of labelled ones. How often that is right on held-out ones; outliers."""
    from consilience.runs.atomic import refuse_existing_file
    from consilience.runs.classes import classify_corpus

    view = chosen_view(view)
    if out is not None:
        refuse_existing_file(out, force=force)
    with stages() as stage:
        stage(f"reading {corpus}")
        read = reading.read(corpus, truth=truth)
        found = classify_corpus(
            read, split=split, view=view, seed=common.seed, jobs=common.jobs, stage=stage, **wording.settings()
        )
    if common.json or out is not None:
        give_rows(found.table, "assignments", _about(found), as_json=common.json, out=out, force=force)
    if common.json:
        return
    accuracy = found.accuracy
    rows = [[name, str(found.sizes[name]), f"{share:.3f}"] for name, share in accuracy.by_class.items()]
    give_table(["class", "documents", "accuracy"], [[clean(cell) for cell in row] for row in rows], right=(1, 2))
    print(
        f"\naccuracy {accuracy.value:.4f} (95 %: {accuracy.low:.4f} to {accuracy.high:.4f}) "
        f"on {accuracy.held_out} held-out documents ({found.held_out_by})"
    )
    say(f"{found.unlabelled} documents without a single label were classified")


def _about(found: Any) -> dict[str, Any]:
    return {
        "documents": len(found.table),
        "classes": len(found.sizes),
        "unlabelled": found.unlabelled,
        "held_out_by": found.held_out_by,
        "accuracy": found.accuracy._asdict(),
    }
