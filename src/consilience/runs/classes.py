"""Classification into given classes: nearest centroid, judged on documents it did not learn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.errors import InputError, MissingColumn
from consilience.kernels.counting import take_rows
from consilience.language import raw_tokens, refine, units
from consilience.nouns import Corpus, Integers, Tokens
from consilience.runs.folder import with_input
from consilience.runs.road import text_order
from consilience.vectors import reads, represent, represent_like
from consilience.verdicts import Accuracy, NearestCentroid, accuracy, folds, outliers

_FOLDS = 5


class Classified(NamedTuple):
    """A row per document and the held-out accuracy.

    A row holds the id, the class given, the class found, the outlier score in the given class, and what came with it.
    """

    table: pl.DataFrame
    accuracy: Accuracy
    held_out_by: str
    sizes: dict[str, int]
    unlabelled: int


def classify_corpus(
    corpus: Corpus,
    *,
    split: str | None = None,
    view: str = "tfidf-log",
    seed: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
    numbers: bool = False,
    wordnet: str = "",
    **settings: Any,
) -> Classified:
    """Terms and weights, too, are learnt from the training documents alone.

    Held out is what the column `split` calls test, or each fifth of the labelled documents in turn. The class found
    is the held-out one where there is one, else that of all labelled documents' centroids. Documents are taken in
    the order of their texts, as in `walk`.
    """
    order = text_order(corpus)
    corpus = corpus.take(order)
    classes = _classes(corpus)
    labelled = np.flatnonzero(classes != "")
    stage("cutting texts into words")
    raw = raw_tokens(corpus, numbers=numbers, n_jobs=jobs)
    settings["language"] = refine(raw, **settings).language
    if reads(view) != "words":
        wanted = {name: settings[name] for name in ("language", "stop", "own_stop_words") if name in settings}
        raw = units(corpus, reads(view), wordnet=wordnet, n_jobs=jobs, **wanted)

    def predicted(train: Integers, test: Integers) -> npt.NDArray[Any]:
        learnt = refine(_rows(raw, train), **settings)
        known = represent(learnt, view, random_state=seed, n_jobs=jobs)
        if known.estimator is None:
            raise InputError("the documents to learn from hold no term, only stop words, numbers or nothing")
        fixed = {"phrases": learnt.recipe.settings["phrases"], "min_df": 1, "max_df": 1.0}
        rows = represent_like(known, refine(_rows(raw, test), **settings | fixed), n_jobs=jobs)
        found = NearestCentroid().fit(known.matrix, classes[train]).predict(rows.matrix)
        found[rows.empty] = None  # no term that was learnt: no class, which counts as wrong
        return found

    stage("classifying held-out documents")
    found = np.full(len(corpus), None, dtype=object)
    held = np.zeros(len(corpus), bool)
    test_sets, held_out_by = _held_out(corpus, split, classes, labelled, seed)
    for test in test_sets:
        found[test] = predicted(np.setdiff1d(labelled, test), test)
        held[test] = True
    rest = np.flatnonzero(~held)
    if len(rest):
        stage(f"classifying {len(rest)} other documents")
        found[rest] = predicted(labelled, rest)
    stage("looking for outliers")
    names, numbers_of = np.unique(classes[labelled], return_inverse=True)
    labels = np.full(len(corpus), -1)
    labels[labelled] = numbers_of
    matrix = represent(refine(raw, **settings), view, random_state=seed, n_jobs=jobs).matrix
    score = outliers(matrix, labels).score
    table = pl.DataFrame(
        {
            "id": corpus.ids,
            "class": pl.Series(classes.tolist(), dtype=pl.String).replace("", None),
            "found": pl.Series(found.tolist(), dtype=pl.String),
            "outlier": pl.Series(score.round(4)).fill_nan(None),
        }
    )
    sizes = {str(name): int(n) for name, n in zip(names, np.bincount(numbers_of), strict=True)}
    table = with_input(table, corpus)[np.argsort(order)]
    return Classified(table, accuracy(classes[held], found[held]), held_out_by, sizes, len(corpus) - len(labelled))


def _classes(corpus: Corpus) -> npt.NDArray[Any]:
    """The class of each document that has exactly one, "" elsewhere."""
    truth = corpus.truth
    if truth is None:
        raise MissingColumn("classification needs labelled documents; name their column, or a table, with --truth")
    single = pl.DataFrame({"t": truth}).select(
        pl.when(pl.col("t").list.len() == 1).then(pl.col("t").list.first()).fill_null("")
    )
    classes = single.to_series().to_numpy().astype(object)
    names, counts = np.unique(classes[classes != ""].astype(str), return_counts=True)
    if len(names) < 2 or counts.max() < 2:
        raise InputError(
            "classification needs two classes, and two documents in one of them; "
            f"there are {len(names)}, the largest of {counts.max(initial=0)}"
        )
    return classes


def _held_out(
    corpus: Corpus, split: str | None, classes: npt.NDArray[Any], labelled: Integers, seed: int
) -> tuple[list[Integers], str]:
    if split is None:
        _, numbers, counts = np.unique(classes[labelled].astype(str), return_inverse=True, return_counts=True)
        learnable = labelled[counts[numbers] > 1]  # the one document of a class cannot be both learnt and held out
        fold = folds(classes[learnable].astype(str), _FOLDS, seed)
        return [learnable[fold == f] for f in range(_FOLDS) if (fold == f).any()], f"{_FOLDS} folds"
    if split not in corpus.columns.columns:
        raise MissingColumn(f"no column {split!r}; there are: {', '.join(corpus.columns.columns)}")
    test = labelled[corpus.columns[split].cast(pl.String).eq_missing("test").to_numpy()[labelled]]
    if not 0 < len(test) < len(labelled):
        raise InputError(f"column {split!r} must say 'test' for some labelled documents and not for others")
    return [test], f"column {split}"


def _rows(tokens: Tokens, rows: Integers) -> Tokens:
    terms, starts = take_rows(tokens.terms, tokens.starts, rows)
    return replace(tokens, items=tokens.items.gather(rows), terms=terms, starts=starts)
