"""Nouns -> Record: all that a report says, as plain JSON values. The one place where nouns become a report.

Whatever draws (`page`, `figures`) reads a record and nothing else, so a page can be made anew from the record alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.measures import headlines
from consilience.nouns import Clustering, Corpus, Integers, Vectors
from consilience.reports.colours import spread
from consilience.reports.layout import lay_out
from consilience.vectors import reads

if TYPE_CHECKING:
    from consilience.runs import Run
    from consilience.verdicts import ClusterDescription

DRAWN_AT_MOST = 50_000
SCALE = 9999  # places on the map are whole numbers from 0 to this: a tenth of a pixel on a wide screen
_FEW = 20  # of every cluster so many are drawn, however small its share
_LONG, _SHORT = 200, 80  # characters of a text shown
_ALL_SNIPPETS = 4_500_000  # characters of all together, so that the page stays below 8 MB
_EXAMPLES = 3
_KINDS = 6  # clusters of senses shown of a document
_NOBODY = np.empty(0, np.int64)


class Example(TypedDict):
    """A document near its cluster's centre, or clearly outside; the text is None where texts are kept out.

    `senses` are those of its nouns of which several are of a kind, where a view of the run looked at senses.
    """

    id: str
    text: str | None
    senses: list[list[str]] | None


class Cluster(TypedDict):
    """One cluster. `colour` is one of 20, `at` the densest spot of its documents on the map; None is not known."""

    id: int
    size: int
    label: str
    terms: list[str]
    retrieval: float | None
    confidence: float | None
    stability: float | None
    examples: list[Example]
    outliers: list[Example]
    colour: int
    at: list[int] | None


class Points(TypedDict):
    """Documents on the map, a column each; `share` of all documents is drawn."""

    x: list[int]
    y: list[int]
    cluster: list[int]
    id: list[str]
    snippet: list[str] | None
    share: float


class Measure(TypedDict):
    """Against gold labels: on all documents, each unassigned one alone, and on the assigned ones."""

    value: float
    on_assigned: float


class Record(TypedDict):
    """What a report says. `tree` holds merges [left, right, height]; merge i makes node k + i of nodes before it."""

    title: str
    item: str
    documents: int
    assigned: float
    k: int
    k_reason: str | None
    seconds: float | None
    peak_mb: float | None
    notes: list[str]
    clusters: list[Cluster]
    measures: dict[str, Measure] | None
    points: Points | None
    tree: list[tuple[int, int, float]] | None
    recipe: list[dict[str, Any]]
    versions: dict[str, str]
    seed: int | None


def summarise(run: Run, title: str, *, texts: bool = True) -> Record:
    """The record of a run. Without `texts` no word of a document is in it but the terms."""
    from consilience.runs.folder import manifest, worst

    made = manifest(run)
    measures: Mapping[str, Any] | None = run.measures and headlines(run.measures)
    return record(
        run.corpus,
        run.vectors,
        run.clustering,
        run.clusters,
        title=title,
        item=run.settings.items.removesuffix("s"),
        texts=texts,
        notes=run.notes,
        merges=_tree(run.clustering),
        outliers=[worst(run, found.id) for found in run.clusters],
        measures=measures,
        senses=_senses(run) if texts else None,
        seconds=run.seconds,
        peak_mb=run.peak_mb,
        versions={"consilience": made["consilience"], **made["versions"]},
        seed=made["seed"],
    )


def record(
    corpus: Corpus,
    vectors: Vectors,
    clustering: Clustering,
    clusters: Sequence[ClusterDescription],
    *,
    title: str,
    item: str = "document",
    texts: bool = True,
    k_reason: str | None = None,
    notes: Sequence[str] = (),
    outliers: Sequence[Integers] | None = None,
    measures: Mapping[str, Any] | None = None,
    confidence: Sequence[float | None] | None = None,
    stability: Sequence[float | None] | None = None,
    merges: Sequence[tuple[int, int, float]] | None = None,
    senses: Mapping[int, list[list[str]]] | None = None,
    seconds: float | None = None,
    peak_mb: float | None = None,
    versions: Mapping[str, str] | None = None,
    seed: int | None = None,
    limit: int = DRAWN_AT_MOST,
) -> Record:
    """The record of nouns that name the same items in the same order.

    `confidence` and `stability` hold one number per cluster; `merges` are those of clusters (see `merges_of_clusters`);
    `outliers` are rows for each cluster; `measures` have a `value` and an `on_assigned` each; `senses` are those of
    example documents, by row.
    """
    order = corpus.ids.arg_sort().to_numpy()  # by id: the order of the input does not show on the map
    rows = order[sampled(clustering.labels[order], limit)]
    labels = clustering.labels[rows]
    places = np.rint(lay_out(vectors.matrix[rows], labels) * SCALE).astype(np.int64)
    at = [_densest(places[labels == cluster]) for cluster in range(clustering.k)]
    colours = spread(at)
    numbers = (confidence, stability)
    return Record(
        title=title,
        item=item,
        documents=len(corpus),
        assigned=clustering.assigned,
        k=clustering.k,
        k_reason=k_reason,
        seconds=None if seconds is None else round(seconds, 3),
        peak_mb=None if peak_mb is None else round(peak_mb, 1),
        notes=list(notes),
        clusters=[
            Cluster(
                id=found.id,
                size=found.size,
                label=found.label,
                terms=list(found.terms),
                retrieval=_rounded(found.retrieval),
                confidence=None if numbers[0] is None else _rounded(numbers[0][found.id]),
                stability=None if numbers[1] is None else _rounded(numbers[1][found.id]),
                examples=_examples(corpus, found.examples[:_EXAMPLES], texts, senses),
                outliers=_examples(corpus, outliers[found.id][:_EXAMPLES] if outliers else _NOBODY, texts),
                colour=colours[found.id],
                at=at[found.id],
            )
            for found in clusters
        ],
        measures=None if measures is None else {name: _measure(score) for name, score in measures.items()},
        points=_points(corpus, rows, labels, places, texts) if len(corpus) else None,
        tree=None if merges is None else [(int(a), int(b), float(height)) for a, b, height in merges],
        recipe=clustering.recipe.as_json(),
        versions=dict(versions or {}),
        seed=seed,
    )


def sampled(labels: Integers, limit: int) -> Integers:
    """Rows to draw: all, or `limit` of them in proportion to the clusters but at least a few of each, evenly spaced."""
    if len(labels) <= limit:
        return np.arange(len(labels))
    groups = labels + 1
    sizes = np.bincount(groups)
    few = np.minimum(sizes, min(_FEW, limit // int(np.count_nonzero(sizes))))
    rest = sizes - few
    quota = few + (limit - few.sum()) * rest // max(rest.sum(), 1)
    members = np.split(np.argsort(groups, kind="stable"), np.cumsum(sizes)[:-1])
    picked = [own[np.arange(wanted) * len(own) // wanted] for own, wanted in zip(members, quota, strict=True) if wanted]
    return np.sort(np.concatenate(picked))


def snippets(texts: pl.Series, characters: int) -> pl.Series:
    """The beginning of every text: white space, control characters and drawn lines folded, cut at the end of a word."""
    # of a text of megabytes only the beginning is looked at; white space in front may fill some of it
    head = texts.str.slice(0, 20 * characters).str.replace_all(r"[\s\p{Cc}\p{Zl}\p{Zp}]+", " ").str.strip_chars()
    head = head.str.replace_all(r"[-_=*#~+]{4,}", "—")
    # the word that the cut goes through is dropped; not one of 40 letters, nor a script without spaces
    shorter = head.str.slice(0, characters).str.replace(r"\s\S{0,40}$", "").str.strip_chars_end(" ,;:") + "…"
    return pl.select(pl.when(head.str.len_chars() > characters).then(shorter).otherwise(head)).to_series()


def merges_of_clusters(merges: Sequence[tuple[int, int, float]], labels: Integers) -> list[tuple[int, int, float]]:
    """The merges of items that join whole clusters, as merges of the clusters.

    Item i is node i, merge m makes node N + m; likewise cluster c is node c, the m-th merge kept makes node k + m.
    A node of unassigned items alone is no node.
    """
    stands_for = [int(label) for label in labels]
    k = max(stands_for, default=-1) + 1
    kept: list[tuple[int, int, float]] = []
    for left, right, height in merges:
        a, b = stands_for[int(left)], stands_for[int(right)]
        if a == b or a < 0 or b < 0:
            stands_for.append(max(a, b))
        else:
            stands_for.append(k + len(kept))
            kept.append((a, b, float(height)))
    return kept


def _tree(clustering: Clustering) -> list[tuple[int, int, float]] | None:
    if clustering.merges is None:
        return None
    merges = [(int(left), int(right), float(height)) for left, right, height, _ in clustering.merges]
    return merges_of_clusters(merges, clustering.labels[clustering.labels >= 0])


def _examples(
    corpus: Corpus, rows: Integers, texts: bool, senses: Mapping[int, list[list[str]]] | None = None
) -> list[Example]:
    ids = corpus.ids.gather(rows).to_list()
    shown = snippets(corpus.texts.gather(rows), 2 * _LONG).to_list() if texts else [None] * len(ids)
    own = [(senses or {}).get(int(row)) for row in rows]
    return [Example(id=name, text=text, senses=of) for name, text, of in zip(ids, shown, own, strict=True)]


def _senses(run: Run) -> dict[int, list[list[str]]] | None:
    """The senses of the example documents that have company of their kind, by row; None where no view looked at any."""
    if run.settings.items != "documents" or "senses" not in {reads(view) for view in run.settings.named_views}:
        return None
    rows = np.unique([row for found in run.clusters for row in found.examples[:_EXAMPLES]]).astype(np.int64)
    if not len(rows):
        return None
    from consilience.verdicts.document_senses import document_senses  # it loads the tagger: only where it is needed

    language = next(str(step["language"]) for step in run.clustering.recipe.as_json() if "language" in step)
    found = document_senses(
        run.corpus.take(rows),
        language=language,
        stop=run.settings.stop,
        own_stop_words=run.settings.own_stop_words,
        wordnet=run.settings.wordnet,
    )
    several = [[[sense.name for sense in own.senses] for own in of if len(own.senses) > 1] for of in found]
    return {row: own[:_KINDS] for row, own in zip(rows.tolist(), several, strict=True)}


def _points(corpus: Corpus, rows: Integers, labels: Integers, places: npt.NDArray[np.int64], texts: bool) -> Points:
    characters = max(_SHORT, min(_LONG, _ALL_SNIPPETS // max(len(rows), 1)))
    return Points(
        x=places[:, 0].tolist(),
        y=places[:, 1].tolist(),
        cluster=labels.tolist(),
        id=corpus.ids.gather(rows).to_list(),
        snippet=snippets(corpus.texts.gather(rows), characters).to_list() if texts else None,
        share=len(rows) / len(corpus),
    )


def _densest(places: npt.NDArray[np.int64]) -> list[int] | None:
    """Where most of a cluster's documents are: the mean of those in the fullest 3 x 3 of 24 x 24 squares."""
    if not len(places):
        return None
    square = places * 24 // (SCALE + 1)
    full = np.zeros((26, 26), np.int64)
    np.add.at(full, (square[:, 0] + 1, square[:, 1] + 1), 1)
    around = np.lib.stride_tricks.sliding_window_view(full, (3, 3)).sum(axis=(2, 3))
    best = np.array(np.unravel_index(int(around.argmax()), around.shape))
    near = (np.abs(square - best) <= 1).all(axis=1)
    return [int(value) for value in np.rint(places[near].mean(axis=0))]


def _measure(score: Any) -> Measure:
    return Measure(value=round(float(score.value), 6), on_assigned=round(float(score.on_assigned), 6))


def _rounded(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else round(float(value), 6)
