"""Other documents by a run's model."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from consilience.clusterings import predict
from consilience.errors import RunError
from consilience.language import tokenise
from consilience.language.wordnet import load_wordnet
from consilience.nouns import Corpus, Recipe, Vectors
from consilience.runs.folder import SavedRun, with_input
from consilience.vectors import represent_like


def predict_corpus(corpus: Corpus, saved: SavedRun, *, jobs: int = -1) -> pl.DataFrame:
    """One row per document: id, cluster, confidence, second choice, the cluster's label, the columns it came with."""
    if saved.manifest["settings"]["items"] != "documents":
        raise RunError(f"{saved.folder} holds clusters of words; documents have no place in them")
    labels = second = np.full(len(corpus), -1, np.int32)
    if saved.method is not None:
        steps = {step["step"]: step for step in saved.manifest["recipe"]}
        tokens = tokenise(corpus, **_cut(steps, saved), **_fixed(steps["refine"]), n_jobs=jobs)
        known = Vectors(
            pl.Series("id", [], dtype=pl.String),
            np.zeros((0, len(_features(saved))), np.float32),
            _features(saved),
            Recipe("saved"),
            saved.terms["term"],
            saved.view,
        )
        labels, second = predict(saved.method, represent_like(known, tokens, n_jobs=jobs))
    names = pl.DataFrame(
        {
            "cluster": pl.Series([c["id"] for c in saved.clusters], dtype=pl.Int32),
            "label": [c["label"] for c in saved.clusters],
        },
        schema_overrides={"label": pl.String},
    )
    table = pl.DataFrame(
        {
            "id": corpus.ids,
            "cluster": pl.Series(labels, dtype=pl.Int32),
            "confidence": pl.Series([None] * len(corpus), dtype=pl.Float64),
            "second": pl.Series(second, dtype=pl.Int32),
        }
    )
    return with_input(table.join(names, on="cluster", how="left", maintain_order="left"), corpus)


def _cut(steps: dict[str, Any], saved: SavedRun) -> dict[str, Any]:
    """What the run's terms are, and how they were found."""
    if "nouns" not in steps:
        return {name: steps["tokenise"][name] for name in ("numbers", "min_length")}
    wordnet = str(saved.manifest["settings"]["wordnet"])
    if load_wordnet(wordnet).digest[:16] != steps["nouns"]["digest"]:
        raise RunError(f"the WordNet in {wordnet or 'this version'} is another than {saved.folder} was made with")
    return {"of": "senses" if "senses" in steps else "nouns", "wordnet": wordnet}


def _fixed(refined: dict[str, Any]) -> dict[str, Any]:
    """The settings of the run with nothing left to find out, and no limits: the run's terms decide."""
    names = ("language", "stop", "own_stop_words", "stem", "phrases")
    return {**{name: refined[name] for name in names}, "min_df": 1, "max_df": 1.0}


def _features(saved: SavedRun) -> pl.Series:
    if hasattr(saved.view, "components_"):
        return pl.Series("feature", saved.view.get_feature_names_out().tolist(), dtype=pl.String)
    return saved.terms["term"]
