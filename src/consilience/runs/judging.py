"""Labels from anywhere judged: the tables are read, the truth is found, the documents become vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from consilience.clusterings import cluster
from consilience.corpus import LabelTable, in_common, labelling, read_label_table, there
from consilience.corpus.columns import AUTO, NONE, USUAL
from consilience.errors import InputError, MissingColumn, SettingError
from consilience.language import tokenise
from consilience.measures.internal import Internal, internal
from consilience.measures.word_types import word_types
from consilience.nouns import Corpus, Integers, Labelling, Vectors
from consilience.vectors import represent
from consilience.verdicts.in_words import count, sentence_again, sentence_against, sentences, sentences_within
from consilience.verdicts.judgement import Against, Judgement, against, judge
from consilience.verdicts.stability import Stability, stability

_WORDING = ("language", "stop", "own_stop_words", "stem", "phrases", "numbers", "min_df", "max_df")
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
    stability: Stability | None
    verdict: list[str]


def judge_labels(
    path: str,
    *,
    truth: str | None = None,
    corpus: Corpus | None = None,
    other: str | None = None,
    words: str | None = None,
    weak_above: float = 1.0,
    id: str = "auto",
    column: str = "auto",
    view: str = "auto",
    separator: str = "auto",
    samples: int = 0,
    seed: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
    **wording: Any,
) -> Judged:
    """Judges a table of labels or a run folder against a truth, within the space of its documents, or both.

    `truth` names a column of the table or of the corpus, or a file; without it a column with a usual name is taken.
    `words` names the column of words where the rows are tagged tokens: then words are judged, `weak_above` as in
    `word_types`. Of a run folder the documents are cut into words as the run did; `samples` parts of them are clustered
    again.
    """
    made = _recipe(Path(path))
    if samples:
        _refuse_samples(path, corpus, made)
    if truth and truth == column:
        raise SettingError(f"--clusters and --truth both name {truth!r}; labels are judged against others")
    if words and (corpus is not None or other is not None):
        raise InputError("--words judges tagged tokens against a truth; leave --texts, --against and --stability out")
    id = NONE if words else id
    stage(f"reading {path}")
    not_these = [name for name in (truth, words) if name]
    table = read_label_table(path, id=id, label=column, not_these=not_these, flag="--clusters")
    found = labelling(table.ids, table.labels)
    if not (found.counts > 0).any():
        raise InputError(f"{path}: none of the {len(found)} rows has a cluster; every label is empty or -1")
    gold, source = _gold(path, table, corpus, truth, id)
    if gold is None and corpus is None:
        raise InputError(
            f"{path} can be judged against labels (--truth COL_OR_FILE) or by its documents (--texts CORPUS); "
            f"name one. Its columns are: {', '.join(table.frame.columns)}"
        )
    if words and gold is not None:
        found, gold = _by_word(path, table, words, found, gold, weak_above)
    judgement = None if gold is None else judge(found, gold, separator=separator, random_state=seed, stage=stage)
    placed, inner, again = None, None, None
    if corpus is not None:
        placed = _placed(path, found, corpus, made, view, seed, jobs, stage, wording)
        inner = internal(
            placed.vectors,
            placed.labels,
            space=placed.space,
            counts=placed.counts,
            looked_in=made.view,
            method=made.method,
            random_state=seed,
            n_jobs=jobs,
            stage=stage,
        )
    if samples and placed is not None:
        again = _again(placed, made, samples, seed, jobs, stage)
    beside = None if other is None else _beside(found, other, gold, truth, id, seed, stage)
    names = _names(path, found)
    return Judged(
        found=found,
        names=names,
        truth=source,
        judgement=judgement,
        inner=inner,
        vectors=placed.vectors if placed else None,
        corpus=corpus,
        against=beside,
        stability=again,
        verdict=[
            *(sentences(judgement) if judgement else [_plain(path, found)]),
            *(sentences_within(inner) if inner else []),
            *([sentence_again(again, list(names.values()))] if again else []),
            *([sentence_against(beside, *_apart(path, str(other)))] if beside else []),
        ],
    )


def _beside(
    found: Labelling, other: str, gold: Labelling | None, truth: str | None, id: str, seed: int, stage: Any
) -> Against:
    if gold is None:
        raise InputError(f"--against {other} needs a truth to tell which is better; name it with --truth")
    stage(f"reading {other}")
    second = _second_table(other, id, not_these=[truth] if truth else [])
    return against(found, labelling(second.ids, second.labels), gold, random_state=seed)


def _second_table(path: str, id: str, **more: Any) -> LabelTable:
    """Of the truth or of other labels: their ids may stand in a column of the name that was given, or the usual one."""
    return read_label_table(path, id=NONE if id == NONE else AUTO, usual_id=(id.strip().lower(), *USUAL["id"]), **more)


class _Gold(NamedTuple):
    labels: Labelling | None
    source: str | None


def _gold(path: str, table: LabelTable, corpus: Corpus | None, truth: str | None, id: str) -> _Gold:
    """The truth, and where it was found."""
    columns = corpus.columns.columns if corpus is not None else []
    if truth is None:
        return _unasked(path, table, corpus)
    if truth in table.frame.columns:
        return _Gold(labelling(table.ids, table.frame[truth]), f"the column {truth!r} of {Path(path).name}")
    if corpus is not None and truth in columns:
        return _Gold(labelling(corpus.ids, corpus.columns[truth]), f"the column {truth!r} of the documents")
    if not there(truth):
        of_texts = f"; those of the documents: {', '.join(columns)}" if columns else ""
        raise MissingColumn(
            f"--truth {truth!r} is neither a file nor a column of {path}, whose columns are: "
            f"{', '.join(table.frame.columns)}{of_texts}"
        )
    gold = _second_table(truth, id, usual=(*_GOLD, "cluster"))
    return _Gold(labelling(gold.ids, gold.labels), Path(truth).name)


class _Pair(NamedTuple):
    found: Labelling
    gold: Labelling


def _by_word(path: str, table: LabelTable, words: str, found: Labelling, gold: Labelling, weak_above: float) -> _Pair:
    """The sets of classes and of clusters of each word that stands in the rows."""
    if words not in table.frame.columns:
        raise MissingColumn(f"{path} has no column {words!r}; it has: {', '.join(table.frame.columns)}")
    both = in_common(found, gold)
    rows = both.a.items.cast(pl.Int64) - 1
    types = word_types(table.frame[words].gather(rows), _classes(both.b), _classes(both.a), weak_above=weak_above)
    return _Pair(types.induced, types.gold)


def _classes(tokens: Labelling) -> pl.Series:
    """The class of each row by name, null where it has none."""
    labels = pl.Series(tokens.labels)
    return tokens.classes.gather(labels.set(labels < 0, None))


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
    labels: Integers
    vectors: Vectors
    space: str
    counts: Any


def _placed(
    path: str,
    found: Labelling,
    corpus: Corpus,
    made: _Recipe,
    view: str,
    seed: int,
    jobs: int,
    stage: Callable[[str], None],
    wording: dict[str, Any],
) -> _Placed:
    """The documents as vectors in the order of their texts, with their labels and counts of words."""
    rows = pl.DataFrame({"id": corpus.ids}).with_row_index("row")
    joined = rows.join(pl.DataFrame({"id": found.items}).with_row_index("at"), on="id", maintain_order="left")
    if not len(joined):
        raise InputError(
            f"--texts holds none of the {len(found)} items of {path}: its ids are like {corpus.ids[0]!r}, "
            f"theirs like {found.items[0]!r}"
        )
    some = corpus.take(joined["row"].to_numpy())
    order = pl.DataFrame({"t": some.texts, "id": some.ids}).select(pl.arg_sort_by("t", "id")).to_series().to_numpy()
    chosen = (made.view or "tfidf-log") if view == "auto" else view
    stage(f"making vectors ({chosen})")
    tokens = tokenise(some.take(order), n_jobs=jobs, **(made.wording or wording))
    vectors = represent(tokens, chosen, random_state=seed, n_jobs=jobs)
    labels = found.labels[joined["at"].to_numpy()][order]
    return _Placed(labels, vectors, chosen, represent(tokens, "counts", n_jobs=jobs).matrix)


class _Recipe(NamedTuple):
    """How a run looked for its clusters; all empty of a table, and of a run of several views."""

    view: str | None = None
    method: str | None = None
    k: int = 1
    settings: Mapping[str, Any] = MappingProxyType({})
    wording: Mapping[str, Any] = MappingProxyType({})


def _recipe(folder: Path) -> _Recipe:
    try:
        made = json.loads((folder / "manifest.json").read_text("utf-8"))
        steps = {step["step"]: step for step in made["recipe"]}
        found = dict(steps["cluster"])
        named = [found.pop(name, None) for name in ("step", "method", "k", "random_state")]
        wording = {name: made["settings"][name] for name in _WORDING}
        return _Recipe(str(steps["represent"]["view"]), str(named[1]), int(named[2] or 1), found, wording)
    except (OSError, ValueError, LookupError, TypeError):
        return _Recipe()


def _refuse_samples(path: str, corpus: Corpus | None, made: _Recipe) -> None:
    if corpus is None:
        raise InputError("--stability clusters the documents again; name them with --texts")
    if made.method is None:
        raise InputError(
            f"--stability clusters again, and only a run folder of one view says how; {path} does not. "
            "Make one with: consilience cluster CORPUS"
        )


def _again(placed: _Placed, made: _Recipe, samples: int, seed: int, jobs: int, stage: Any) -> Stability:
    """The run's own method on parts of the documents, in its own view."""
    whole = placed.vectors

    def anew(rows: Integers, random_state: int) -> Integers:
        part = Vectors(whole.items.gather(rows), whole.matrix[rows], whole.features, whole.recipe, whole.terms)
        found = cluster(part, method=str(made.method), k=made.k, random_state=random_state, jobs=jobs, **made.settings)
        return found.labels

    return stability(placed.labels, anew, samples=samples, random_state=seed, stage=stage)


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
        f"{count(len(found), 'document')} in {count(len(found.classes), 'cluster')}, {assigned:,} of them assigned; "
        f"{Path(path).name} was compared with no truth."
    )
