"""consilience vectors [CORPUS]: which views there are, what a corpus looks like in one, its df table, similar words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from consilience.cli.methods import give_catalogue
from consilience.cli.options import Common, Force, Out, Reading, View, Wording, chosen_view
from consilience.cli.screen import give_json, give_rows, stages


def vectors(
    reading: Reading,
    wording: Wording,
    common: Common,
    corpus: Annotated[str | None, typer.Argument(metavar="[CORPUS]", help="Without it: the list of views.")] = None,
    view: View = "auto",
    df: Annotated[bool, typer.Option("--df", help="The table of document frequencies, as CSV.")] = False,
    nearest: Annotated[
        str | None, typer.Option("--nearest", help="The words most like this one, as CSV.", show_default=False)
    ] = None,
    tendency: Annotated[
        bool, typer.Option("--tendency", help="Is there anything to cluster? Beside the same words shuffled.")
    ] = False,
    out: Out = None,
    force: Force = False,
) -> None:
    """List the views, or look at a corpus in one. --df, --nearest, --tendency (worth clustering at all?), --out."""
    if corpus is None:
        give_catalogue("vectors", as_json=common.json)
        return
    from consilience.language import document_table, tokenise
    from consilience.runs.atomic import VECTORS, refuse_existing, refuse_existing_file
    from consilience.runs.road import text_order
    from consilience.vectors import reads, represent

    view = chosen_view(view)
    if out is not None and (df or nearest is not None):
        refuse_existing_file(out, force=force)
    elif out is not None:
        refuse_existing(out, force=force, marks=VECTORS)
    with stages() as stage:
        stage(f"reading {corpus}")
        read = reading.read(corpus)
        if tendency:  # which documents are drawn must not depend on the order of the rows
            read = read.take(text_order(read))
        stage("cutting texts into terms")
        tokens = tokenise(read, of=reads(view), n_jobs=common.jobs, **wording.settings())
        if df:
            table = document_table(tokens)
            about = {"documents": len(tokens), "language": tokens.language}
            give_rows(table, "terms", about, as_json=common.json, out=out, force=force)
            return
        if tendency:
            from consilience.verdicts import tendency as looked_for

            found = looked_for(tokens, view, random_state=common.seed, n_jobs=common.jobs, stage=stage)
            _tell(found, as_json=common.json)
            return
        stage(f"making vectors ({view})")
        made = represent(tokens, view, random_state=common.seed, n_jobs=common.jobs)
    if nearest is not None:
        from consilience.verdicts import nearest_words

        table = nearest_words(made, tokens, nearest)
        give_rows(table, "nearest", {"word": nearest}, as_json=common.json, out=out, force=force)
        return
    if out is not None:
        _keep(made, out, force=force)
    shape = {
        "documents": len(made),
        "features": len(made.features),
        "values": int(getattr(made.matrix, "nnz", made.matrix.size)),
        "empty": int(made.empty.sum()),
        "view": view,
        "language": tokens.language,
        "out": None if out is None else str(out),
    }
    if common.json:
        give_json(shape)
    else:
        print("\n".join(f"{name}: {value}" for name, value in shape.items() if value is not None))


def _tell(found: Any, *, as_json: bool) -> None:
    if as_json:
        give_json({**found._asdict(), "structure": found.structure, "verdict": found.verdict})
        return
    print(found.verdict)
    print(f"Hopkins: {found.hopkins:.3f} (0.5: no structure)")
    print(f"looked at {found.documents} documents, {found.permutations} shuffled corpora, z = {found.z:.1f}")


def _keep(made: Any, out: Path, *, force: bool) -> None:
    """A folder with the matrix (safetensors; CSR arrays where it is sparse), its rows and its columns."""
    import numpy as np
    import polars as pl
    from safetensors.numpy import save
    from scipy import sparse

    from consilience.runs.atomic import VECTORS, whole_folder

    matrix = made.matrix
    arrays = (
        {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
        if sparse.issparse(matrix)
        else {"dense": np.ascontiguousarray(matrix)}
    )
    with whole_folder(out, force=force, marks=VECTORS) as part:
        (part / "vectors.safetensors").write_bytes(save(arrays))
        pl.DataFrame({"id": made.items}).write_parquet(part / "items.parquet")
        pl.DataFrame({"feature": made.features}).write_parquet(part / "features.parquet")
        about = {"shape": list(matrix.shape), "recipe": made.recipe.as_json()}
        (part / "vectors.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
