"""The run folder: everything a run found, in formats that any tool reads.

    manifest.json         versions, recipe, seed, hash of the input    assignments.parquet, .csv   a row per document
    clusters.json         what each cluster holds                      members.parquet             each member's labels
    metrics.json          k, share assigned, measures                  model/                      safetensors + JSON
    memberships.parquet   degrees, where there are such                tree.parquet                the merges likewise
    report.html, figures/ handed in by whoever draws them

The same corpus, settings and seed give the same bytes everywhere but in `manifest.json` and the report, which tell
how long it took.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import consilience
from consilience.corpus import harmless
from consilience.errors import RunError
from consilience.nouns import Corpus, Integers
from consilience.runs.atomic import whole_folder
from consilience.runs.model import load_model, save_model, try_out
from consilience.runs.road import Run

FORMAT = 1
_WORST = 5
_CLEARLY = 6.0  # the score is the sum of two z
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "polars", "PyStemmer", "simplemma", "stopwordsiso")


@dataclass(frozen=True)
class SavedRun:
    """A run folder read back: its manifest, its clusters, its terms and the fitted view and method."""

    folder: Path
    manifest: dict[str, Any]
    clusters: list[dict[str, Any]]
    assignments: pl.DataFrame
    terms: pl.DataFrame
    view: Any
    method: Any


def write_run(
    run: Run, folder: Path, *, pages: Mapping[str, str] | None = None, with_texts: bool = False, force: bool = False
) -> None:
    """Writes the folder; `pages` are further files by their path in it. It appears whole or not at all."""
    with whole_folder(folder, force=force) as part:
        _write_json(part / "manifest.json", manifest(run))
        _write_json(part / "clusters.json", clusters(run))
        _write_json(part / "metrics.json", metrics(run))
        table = assignments(run, with_texts=with_texts)
        table.write_parquet(part / "assignments.parquet")
        harmless(table).write_csv(part / "assignments.csv")
        members(run).write_parquet(part / "members.parquet")
        if run.clustering.memberships is not None:
            degrees = {str(k): column for k, column in enumerate(run.clustering.memberships.T)}
            pl.DataFrame({"id": run.corpus.ids, **degrees}).write_parquet(part / "memberships.parquet")
        if run.clustering.merges is not None:
            tree = pl.DataFrame(run.clustering.merges, schema=["left", "right", "height", "items"])
            tree.write_parquet(part / "tree.parquet")
        save_model(part / "model", model(run))
        terms(run).write_parquet(part / "model" / "terms.parquet")
        for name, content in (pages or {}).items():
            (part / name).parent.mkdir(exist_ok=True)
            (part / name).write_text(content, encoding="utf-8")


def load_run(folder: Path) -> SavedRun:
    """Reads a run folder; refuses one that is missing, damaged or of another version."""
    if not (folder / "manifest.json").is_file():
        raise RunError(
            f"{folder} is no run folder (it has no manifest.json); make one with: consilience cluster CORPUS"
        )
    try:
        made = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if made["format"] != FORMAT:
            raise RunError(f"{folder} has format {made['format']}, this version reads {FORMAT}; make the run again")
        found = json.loads((folder / "clusters.json").read_text(encoding="utf-8"))
        table = pl.read_parquet(folder / "assignments.parquet")
        words = pl.read_parquet(folder / "model" / "terms.parquet")
        _check(made, found, table, words)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError) as problem:
        raise RunError(f"{folder} is damaged: {problem}; make the run again with --force") from problem
    parts = load_model(folder / "model")
    if parts["view"] is not None and parts["method"] is not None and made["settings"].get("items") == "documents":
        try_out(folder / "model", **parts)
    known = getattr(parts["view"], "n_features_in_", len(words))
    if known != len(words):
        raise RunError(
            f"{folder} is damaged: {len(words)} terms for a view of {known}; make the run again with --force"
        )
    return SavedRun(folder, made, found, table, words, **parts)


def _check(made: Any, found: Any, table: pl.DataFrame, terms: pl.DataFrame) -> None:
    """Raises ValueError, KeyError or TypeError where the parts are not of the form that `write_run` gives them."""
    steps = {step["step"] for step in made["recipe"]}
    if (
        "refine" not in steps
        or not {"tokenise", "nouns"} & steps
        or not all(isinstance(made[name], dict) for name in ("settings", "versions"))
    ):
        raise ValueError("manifest.json lacks a step, the settings or the versions")
    first = made["recipe"][0]
    if not all(isinstance(name, str) for name in (first.get("path", ""), *first.get("strip", ()))):
        raise ValueError("manifest.json names no path, or no parts to strip, in its first step")
    for k, cluster in enumerate(found):
        if cluster["id"] != k or not isinstance(cluster["label"], str):
            raise ValueError(f"clusters.json has no cluster {k} with a label")
    for frame, name, dtype in (
        (table, "id", pl.String),
        (table, "cluster", pl.Int32),
        (terms, "term", pl.String),
        (terms, "word", pl.String),
    ):
        if frame.schema.get(name) != dtype:
            raise ValueError(f"a column {name!r} of type {dtype} is missing")


def manifest(run: Run) -> dict[str, Any]:
    """What made the run: enough to make it again."""
    return {
        "format": FORMAT,
        "consilience": consilience.__version__,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
        "settings": run.settings.as_json(),
        "recipe": run.clustering.recipe.as_json(),
        "seed": run.settings.seed,
        "documents": len(run.corpus),
        "seconds": round(run.seconds, 3),
        "peak_mb": round(run.peak_mb, 1),
    }


def clusters(run: Run) -> list[dict[str, Any]]:
    """Each cluster as the contract has it; what there is no evidence for yet is null."""
    return [
        {
            "id": found.id,
            "size": found.size,
            "label": found.label,
            "terms": found.terms,
            "confidence": None,
            "stability": None,
            "support": _support(run, found.id),
            "retrieval": None if found.retrieval is None else round(found.retrieval, 6),
            "examples": run.corpus.ids.gather(found.examples).to_list(),
            "outliers": run.corpus.ids.gather(worst(run, found.id)).to_list(),
        }
        for found in run.clusters
    ]


def _support(run: Run, cluster: int) -> dict[str, float] | None:
    """For each view of an ensemble, the mean share of its members that agree on the cluster's documents."""
    if run.ensemble is None:
        return None
    return {view: round(shares[cluster], 6) for view, shares in run.ensemble.support.by_view.items()}


def members(run: Run) -> pl.DataFrame:
    """Each member's labels; a run that is no ensemble has one member, itself."""
    if run.ensemble is None:
        return pl.DataFrame({"id": run.corpus.ids, run.settings.method: run.clustering.labels})
    return run.ensemble.members.table(run.corpus.ids)


def terms(run: Run) -> pl.DataFrame:
    """The columns of the counts, and each as a whole word."""
    return pl.DataFrame({"term": run.vectors.terms, "word": run.words})


def model(run: Run) -> dict[str, Any]:
    """The fitted estimators."""
    return {"view": run.vectors.estimator, "method": run.clustering.estimator}


def worst(run: Run, cluster: int) -> Integers:
    """The documents that fit a cluster worst, worst first; only such as are clearly outside (a mean z over 3)."""
    own = np.flatnonzero((run.clustering.labels == cluster) & (run.outlier > _CLEARLY))
    ids = run.corpus.ids.gather(own).rank("ordinal").to_numpy()
    return own[np.lexsort((ids, -run.outlier[own]))[:_WORST]]


def metrics(run: Run) -> dict[str, Any]:
    """Numbers about the whole."""
    return {
        "documents": len(run.corpus),
        "k": run.clustering.k,
        "k_evidence": None,
        "assigned": run.clustering.assigned,
        "agreement": None if run.ensemble is None else run.ensemble.agreement,
        "members": _members(run),
        "measures": None if run.measures is None else {name: s._asdict() for name, s in run.measures.items()},
        "method": _of_method(run),
        "notes": run.notes,
    }


def _of_method(run: Run) -> dict[str, float]:
    """What the method says in numbers: its objective, how many steps it took, ..."""
    fitted = vars(run.clustering.estimator) if run.clustering.estimator is not None else {}
    numbers = {name: value for name, value in fitted.items() if name.endswith("_") and isinstance(value, (int, float))}
    return {name.removesuffix("_"): value for name, value in numbers.items() if name != "n_features_in_"}


def _members(run: Run) -> list[dict[str, Any]] | None:
    """An ensemble's members in the order of the columns of `members.parquet`."""
    if run.ensemble is None:
        return None
    made = run.ensemble
    return [
        {"view": view, "k": int(k), "weight": round(weight, 6)}
        for view, k, weight in zip(made.members.views, np.diff(made.members.offsets), made.weights, strict=True)
    ]


def assignments(run: Run, *, with_texts: bool = False) -> pl.DataFrame:
    """One row per document: id, cluster, what is known of it there, then the columns it came with."""
    second, documents = run.clustering.second, len(run.corpus)
    agreement = np.full(documents, np.nan) if run.ensemble is None else run.ensemble.support.agreement
    table = pl.DataFrame(
        {
            "id": run.corpus.ids,
            "cluster": run.clustering.labels,
            "confidence": pl.Series([None] * documents, dtype=pl.Float64),
            "agreement": pl.Series(agreement.astype(np.float64).round(4)).fill_nan(None),
            "second": pl.Series(second if second is not None else [None] * documents, dtype=pl.Int32),
            "outlier": pl.Series(run.outlier.round(4)).fill_nan(None),
        }
    )
    if with_texts:
        table = table.with_columns(run.corpus.texts.alias("text"))
    return with_input(table, run.corpus)


def with_input(table: pl.DataFrame, corpus: Corpus) -> pl.DataFrame:
    """The table and the columns its documents came with; one called like a column of ours gets `input_` in front."""
    taken = table.columns
    names = set(taken) | set(corpus.columns.columns)
    renamed = {}
    for name in corpus.columns.columns:
        free = name
        while free in taken or (free != name and free in names):
            free = f"input_{free}"
        renamed[name] = free
    return pl.concat([table, corpus.columns.rename(renamed)], how="horizontal")


def _write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
