"""Labels from anywhere judged: the tables are read, the truth is found, the documents become vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from consilience.corpus import LabelTable, labelling, read_label_table
from consilience.corpus.columns import USUAL
from consilience.errors import InputError, MissingColumn
from consilience.language import tokenise
from consilience.measures.internal import Internal, internal
from consilience.nouns import Corpus, Labelling, Vectors
from consilience.vectors import represent
from consilience.verdicts.in_words import sentence_against, sentences, sentences_within
from consilience.verdicts.judgement import Against, Judgement, against, judge

_GOLD = (*USUAL["label"], "truth", "gold")


class Judged(NamedTuple):
    """All that was found out. `judgement` is None without a truth, `inner` and `vectors` without the documents.

    `names` are the clusters', those of a run folder with the words that tell them; `truth` says where the classes
    came from.
    """

    found: Labelling
    names: dict[str, str]
    truth: str | None
    judgement: Judgement | None
    inner: dict[str, Internal] | None
    vectors: Vectors | None
    corpus: Corpus | None
    against: Against | None
    verdict: list[str]


def judge_labels(
    path: str,
    *,
    truth: str | None = None,
    corpus: Corpus | None = None,
    other: str | None = None,
    id: str = "auto",
    column: str = "auto",
    view: str = "auto",
    separator: str = "auto",
    seed: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
    **wording: Any,
) -> Judged:
    """Judges a table of labels or a run folder against a truth, within the space of its documents, or both.

    `truth` names a column of the table or of the corpus, or a file; without it a column with a usual name is taken.
    """
    stage(f"reading {path}")
    table = read_label_table(path, id=id, label=column, not_these=[truth] if truth else [])
    found = labelling(table.ids, table.labels)
    if not (found.counts > 0).any():
        raise InputError(f"{path}: none of the {len(found)} rows has a cluster; every label is empty or -1")
    gold, source = _gold(path, table, corpus, truth, column)
    if gold is None and corpus is None:
        raise InputError(
            f"{path} can be judged against labels (--truth COL_OR_FILE) or by its documents (--texts CORPUS); "
            f"name one. Its columns are: {', '.join(table.frame.columns)}"
        )
    judgement = None if gold is None else judge(found, gold, separator=separator, random_state=seed, stage=stage)
    vectors, inner = None, None
    if corpus is not None:
        labels, vectors, space, method = _placed(path, found, corpus, view, seed, jobs, stage, wording)
        inner = internal(vectors, labels, space=space, optimised_by=method, random_state=seed, n_jobs=jobs, stage=stage)
    beside = None
    if other is not None:
        if gold is None:
            raise InputError(f"--against {other} needs a truth to tell which is better; name it with --truth")
        stage(f"reading {other}")
        second = read_label_table(other, not_these=[truth] if truth else [])
        beside = against(found, labelling(second.ids, second.labels), gold, random_state=seed)
    verdict = sentences(judgement) if judgement else [_plain(path, found)]
    verdict += sentences_within(inner) if inner else []
    verdict += [sentence_against(beside, *_apart(path, str(other)))] if beside else []
    return Judged(found, _names(path, found), source, judgement, inner, vectors, corpus, beside, verdict)


class _Gold(NamedTuple):
    labels: Labelling | None
    source: str | None


def _gold(path: str, table: LabelTable, corpus: Corpus | None, truth: str | None, column: str) -> _Gold:
    """The truth, and where it was found."""
    columns = corpus.columns.columns if corpus is not None else []
    if truth is None:
        return _unasked(path, table, corpus)
    if truth in table.frame.columns:
        return _Gold(labelling(table.ids, table.frame[truth]), f"the column {truth!r} of {Path(path).name}")
    if corpus is not None and truth in columns:
        return _Gold(labelling(corpus.ids, corpus.columns[truth]), f"the column {truth!r} of the documents")
    if not Path(truth).exists():
        of_texts = f"; those of the documents: {', '.join(columns)}" if columns else ""
        raise MissingColumn(
            f"--truth {truth!r} is neither a file nor a column of {path}, whose columns are: "
            f"{', '.join(table.frame.columns)}{of_texts}"
        )
    gold = read_label_table(truth, usual=(*_GOLD, "cluster"))
    return _Gold(labelling(gold.ids, gold.labels), Path(truth).name)


def _unasked(path: str, table: LabelTable, corpus: Corpus | None) -> _Gold:
    """A column that is called like gold labels, where the labels to judge do not stand in it themselves."""
    lower = {name.strip().lower(): name for name in reversed(table.frame.columns)}
    for name in (lower[usual] for usual in _GOLD if usual in lower):
        if not table.frame[name].equals(table.labels, check_names=False):
            return _Gold(labelling(table.ids, table.frame[name]), f"the column {name!r} of {Path(path).name}")
    if corpus is not None and corpus.truth is not None:
        return _Gold(labelling(corpus.ids, corpus.truth), f"the column {corpus.label!r} of the documents")
    return _Gold(None, None)


class _Placed(NamedTuple):
    labels: Any
    vectors: Vectors
    space: str
    method: str | None


def _placed(
    path: str,
    found: Labelling,
    corpus: Corpus,
    view: str,
    seed: int,
    jobs: int,
    stage: Callable[[str], None],
    wording: dict[str, Any],
) -> _Placed:
    """The documents as vectors in the order of their texts, with their labels; who looked for them in that space."""
    rows = pl.DataFrame({"id": corpus.ids}).with_row_index("row")
    joined = rows.join(pl.DataFrame({"id": found.items}).with_row_index("at"), on="id", maintain_order="left")
    if not len(joined):
        raise InputError(
            f"--texts holds none of the {len(found)} items of {path}: its ids are like {corpus.ids[0]!r}, "
            f"theirs like {found.items[0]!r}"
        )
    some = corpus.take(joined["row"].to_numpy())
    order = pl.DataFrame({"t": some.texts, "id": some.ids}).select(pl.arg_sort_by("t", "id")).to_series().to_numpy()
    made_in, method = _recipe(Path(path))
    chosen = (made_in or "tfidf-log") if view == "auto" else view
    stage(f"making vectors ({chosen})")
    tokens = tokenise(some.take(order), n_jobs=jobs, **wording)
    vectors = represent(tokens, chosen, random_state=seed, n_jobs=jobs)
    labels = found.labels[joined["at"].to_numpy()][order]
    return _Placed(labels, vectors, chosen, method if chosen == made_in else None)


class _Recipe(NamedTuple):
    view: str | None
    method: str | None


def _recipe(folder: Path) -> _Recipe:
    """In which view a run looked for its clusters, and how; unknown of a table, and of a run of several views."""
    try:
        steps = {step["step"]: step for step in json.loads((folder / "manifest.json").read_text("utf-8"))["recipe"]}
        return _Recipe(str(steps["represent"]["view"]), str(steps["cluster"]["method"]))
    except (OSError, ValueError, LookupError, TypeError):
        return _Recipe(None, None)


def _names(path: str, found: Labelling) -> dict[str, str]:
    """What to call each cluster; of a run folder by its number and its words."""
    try:
        clusters = json.loads((Path(path) / "clusters.json").read_text(encoding="utf-8"))
        words = {str(cluster["id"]): str(cluster["label"]) for cluster in clusters}
    except (OSError, ValueError, LookupError, TypeError):
        words = {}
    return {name: f"{name} {words[name]}" if words.get(name) else name for name in found.classes.to_list()}


def _apart(first: str, second: str) -> tuple[str, str]:
    """The names of the two, with their folders where they have one name."""
    names = Path(first).name, Path(second).name
    return names if names[0] != names[1] else (first, second)


def _plain(path: str, found: Labelling) -> str:
    assigned = np.count_nonzero(found.counts)
    return (
        f"{len(found):,} documents in {len(found.classes):,} clusters, {assigned:,} of them assigned; "
        f"{Path(path).name} was compared with no truth."
    )
