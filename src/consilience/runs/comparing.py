"""Two tables of labels or run folders compared: what they share is found, read, and its words looked up."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from consilience.comparisons import Comparison, compare
from consilience.comparisons.distances import CopheneticDistance, GeneralMantel, mantel_of
from consilience.comparisons.mantel import PERMUTATIONS
from consilience.corpus import in_common, read, read_labelling
from consilience.errors import ConsilienceError, InputError
from consilience.kernels.counting import count_matrix
from consilience.language import tokenise
from consilience.nouns import Corpus, Integers, Labelling

_READING = ("text", "id", "label", "time", "encoding", "skip_bad", "strip")
_WORDING = ("language", "stop", "own_stop_words", "stem", "phrases", "numbers", "min_df", "max_df")
_TREES = 5_000  # leaves of trees that are compared distance by distance: some ten seconds
_TREE_PERMUTATIONS = 99


class Compared(NamedTuple):
    """The comparison, with what it takes to show it.

    `names` are the classes' of a and of b, those of run folders with the words that tell them. `texts` are the items'
    (None: there are none, as `without_texts` explains); `trees` is Mantel's test of two trees.
    """

    comparison: Comparison
    only_a: int
    only_b: int
    names: tuple[list[str], list[str]]
    texts: pl.Series | None
    without_texts: str | None
    trees: GeneralMantel | None


def compare_files(
    a: str,
    b: str,
    *,
    id: str = "auto",
    label: str = "auto",
    texts: Corpus | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
) -> Compared:
    """Compares what two tables of labels or run folders say of the items that both hold.

    `id` and `label` name the columns of the tables. The words come from `texts`, else from a run folder that keeps
    its texts, else from where a run read them.
    """
    if a == b == "-":
        raise InputError("A and B are both standard input, which can be read once; name a file for one of them")
    stage(f"reading {a}")
    ours = read_labelling(a, id=id, label=label)
    stage(f"reading {b}")
    theirs = read_labelling(b, id=id, label=label)
    common = in_common(ours, theirs)
    _refuse(a, b, ours, theirs, common.a, common.b)
    words, wording, reason = _texts_of(texts, (a, b), stage)
    said = None if words is None else _aligned(words, common.a.items)
    if words is not None and said is None:
        if texts is not None:
            raise InputError(
                f"--texts holds none of the {len(common.a)} documents that {a} and {b} share: its ids are like "
                f"{texts.ids[0] if len(texts) else ''!r}, theirs like {common.a.items[0]!r}"
            )
        reason = "the texts that the runs were made from hold none of the documents"
    counts = None
    if said is not None:
        stage("cutting texts into words")
        counts = _counts(Corpus(common.a.items, said), wording, jobs)
    stage(f"comparing {len(common.a)} documents")
    found = compare(common.a, common.b, counts=counts, permutations=permutations, random_state=seed, n_jobs=jobs)
    return Compared(
        found,
        common.only_a,
        common.only_b,
        (_names(a, found.a.classes), _names(b, found.b.classes)),
        said,
        reason if said is None else None,
        _trees(a, b, found, seed, jobs, stage),
    )


def _refuse(a: str, b: str, ours: Labelling, theirs: Labelling, both_a: Labelling, both_b: Labelling) -> None:
    for path, given in ((a, ours), (b, theirs)):
        if not len(given):
            raise InputError(f"{path} labels no document; a comparison needs documents that both label")
    if not len(both_a):
        raise InputError(
            f"{a} and {b} share no document: the ids of the one are like {ours.items[0]!r}, "
            f"those of the other like {theirs.items[0]!r}; they must name the same documents"
        )
    if not ((both_a.counts > 0) & (both_b.counts > 0)).any():
        raise InputError(
            f"{a} and {b} share {len(both_a)} documents, but none has a class in both; there is nothing to compare"
        )


def _texts_of(
    texts: Corpus | None, paths: tuple[str, str], stage: Callable[[str], None]
) -> tuple[Corpus | None, dict[str, Any], str | None]:
    """The texts, how a run cut them into words, and why there are none."""
    runs = [(Path(path), _manifest(Path(path))) for path in paths]
    wording = next((_wording(made) for _, made in runs if made), {})
    if texts is not None:
        return texts, wording, None
    if not any(made for _, made in runs):
        return None, wording, "the words are not known; name the documents with --texts CORPUS"
    for folder, made in runs:
        if made and "text" in pl.read_parquet_schema(folder / "assignments.parquet"):
            kept = pl.read_parquet(folder / "assignments.parquet", columns=["id", "text"])
            return Corpus(kept["id"], kept["text"].cast(pl.String).fill_null("")), wording, None
    for _, made in runs:
        source = made["recipe"][0] if made else {}
        path = source.get("path")
        if path not in (None, "-") and os.path.exists(path):
            stage(f"reading {path}")
            try:
                return read(path, **{name: source[name] for name in _READING if name in source}), wording, None
            except ConsilienceError as problem:
                return None, wording, f"the documents that a run was made from can no longer be read: {problem}"
    return None, wording, "the documents that the runs were made from are not there any more; name them with --texts"


def _manifest(folder: Path) -> dict[str, Any] | None:
    """What made a run of documents; None for what is none, or cannot be read."""
    try:
        made = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        usable = made["settings"]["items"] == "documents" and isinstance(made["recipe"][0], dict)
        return made if usable and (folder / "assignments.parquet").is_file() else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _wording(made: dict[str, Any]) -> dict[str, Any]:
    return {name: made["settings"][name] for name in _WORDING if name in made["settings"]}


def _aligned(corpus: Corpus, items: pl.Series) -> pl.Series | None:
    """The items' texts, empty for one that the corpus does not hold; None where it holds none of them."""
    known = pl.DataFrame({"id": corpus.ids, "text": corpus.texts})
    joined = pl.DataFrame({"id": items}).join(known, on="id", how="left", maintain_order="left")["text"]
    return None if joined.null_count() == len(items) else joined.fill_null("")


def _counts(corpus: Corpus, wording: dict[str, Any], jobs: int) -> sparse.csr_array:
    tokens = tokenise(corpus, n_jobs=jobs, **wording)
    return count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary), jobs)


def _names(path: str, classes: pl.Series) -> list[str]:
    """The classes' names; of a run folder each number with its label."""
    try:
        found = json.loads((Path(path) / "clusters.json").read_text(encoding="utf-8"))
        labels = {str(cluster["id"]): str(cluster["label"]) for cluster in found}
    except (OSError, ValueError, LookupError, TypeError):
        labels = {}
    return [f"{name} {labels[name]}" if labels.get(name) else name for name in classes.to_list()]


def _trees(
    a: str, b: str, found: Comparison, seed: int, jobs: int, stage: Callable[[str], None]
) -> GeneralMantel | None:
    """Mantel's test of the heights at which items come together, where both runs have a tree of not too many leaves."""
    trees = [_tree(Path(path)) for path in (a, b)]
    both = np.flatnonzero((found.a.labels >= 0) & (found.b.labels >= 0))
    if any(tree is None or len(tree[0]) + 1 > _TREES for tree in trees) or len(both) < 2:
        return None
    stage(f"comparing trees of {len(both)} documents")
    items = found.items[both]
    distances = [CopheneticDistance(merges, _places(leaves, items)) for merges, leaves in filter(None, trees)]
    return mantel_of(*distances, permutations=_TREE_PERMUTATIONS, random_state=seed, n_jobs=jobs)


def _tree(folder: Path) -> tuple[Any, pl.Series] | None:
    """A run's merges, and the ids of its leaves: the assigned items in their order."""
    if not (folder / "tree.parquet").is_file():
        return None
    table = pl.read_parquet(folder / "assignments.parquet", columns=["id", "cluster"])
    merges = pl.read_parquet(folder / "tree.parquet").to_numpy().astype(np.float64)
    leaves = table.filter(pl.col("cluster") >= 0)["id"]
    return (merges, leaves) if len(leaves) == len(merges) + 1 else None


def _places(leaves: pl.Series, items: pl.Series) -> Integers:
    place = pl.DataFrame({"id": leaves, "at": np.arange(len(leaves))})
    return pl.DataFrame({"id": items}).join(place, on="id", how="left", maintain_order="left")["at"].to_numpy()
