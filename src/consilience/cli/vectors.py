"""consilience vectors [CORPUS]: which views there are, what a corpus looks like in one, and its df table."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from consilience import catalogue
from consilience.cli.methods import give_catalogue
from consilience.cli.options import Common, Force, Out, Reading, View, Wording
from consilience.cli.screen import give_json, stages


def vectors(
    reading: Reading,
    wording: Wording,
    common: Common,
    corpus: Annotated[str | None, typer.Argument(metavar="[CORPUS]", help="Without it: the list of views.")] = None,
    view: View = "tfidf-log",
    df: Annotated[bool, typer.Option("--df", help="The table of document frequencies, as CSV.")] = False,
    out: Out = None,
    force: Force = False,
) -> None:
    """List the views; or represent a corpus: --df gives its table of document frequencies, --out keeps the vectors."""
    if corpus is None:
        give_catalogue("vectors", as_json=common.json)
        return
    from consilience.corpus import harmless
    from consilience.language import document_table, tokenise
    from consilience.runs.atomic import VECTORS, refuse_existing, refuse_existing_file, whole_file
    from consilience.vectors import represent

    catalogue.check("vectors", view)
    if out is not None and df:
        refuse_existing_file(out, force=force)
    elif out is not None:
        refuse_existing(out, force=force, marks=VECTORS)
    with stages() as stage:
        stage(f"reading {corpus}")
        read = reading.read(corpus)
        stage("cutting texts into terms")
        tokens = tokenise(read, n_jobs=common.jobs, **wording.settings())
        if not df:
            stage(f"making vectors ({view})")
            made = represent(tokens, view, random_state=common.seed, n_jobs=common.jobs)
    if df:
        table = document_table(tokens)
        if out is not None:
            with whole_file(out, force=force) as part:
                harmless(table).write_csv(part)
        if common.json:
            give_json({"documents": len(tokens), "language": tokens.language, "terms": table.to_dicts()})
        elif out is None:
            sys.stdout.write(harmless(table).write_csv())
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


def _keep(made: Any, out: Any, *, force: bool) -> None:
    """A folder with the matrix (safetensors; CSR arrays where it is sparse), its rows and its columns."""
    import json

    import numpy as np
    import polars as pl
    from safetensors.numpy import save_file
    from scipy import sparse

    from consilience.runs.atomic import VECTORS, whole_folder

    matrix = made.matrix
    arrays = (
        {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
        if sparse.issparse(matrix)
        else {"dense": np.ascontiguousarray(matrix)}
    )
    with whole_folder(out, force=force, marks=VECTORS) as part:
        save_file(arrays, part / "vectors.safetensors")
        pl.DataFrame({"id": made.items}).write_parquet(part / "items.parquet")
        pl.DataFrame({"feature": made.features}).write_parquet(part / "features.parquet")
        about = {"shape": list(matrix.shape), "recipe": made.recipe.as_json()}
        (part / "vectors.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
