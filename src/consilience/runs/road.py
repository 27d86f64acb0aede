"""The road of one run: corpus -> tokens -> vectors -> clustering -> description, from settings alone."""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.exceptions import ConvergenceWarning

from consilience.clusterings import cluster, default_view
from consilience.corpus import survey
from consilience.errors import SettingError
from consilience.kernels.counting import count_matrix, take_rows
from consilience.kernels.near_duplicates import near_duplicates
from consilience.language import detect, document_table, language_name, raw_tokens, refine, units
from consilience.measures import Score, scores
from consilience.nouns import Clustering, Corpus, Integers, Tokens, Vectors
from consilience.vectors import reads, represent, transposed
from consilience.verdicts import ClusterDescription, describe, describe_words, outliers
from consilience.verdicts.ensemble import Ensemble, check_rule, ensemble

ITEMS = ("documents", "words")
_K = 20  # clusters where nobody says how many; there is no evidence for a number yet
_MEMBERS = 20  # what Fodeh, Punch and Tan (2009) call best on newsgroups


@dataclass(frozen=True)
class Settings:
    """All that decides a result, apart from the corpus. Every value is plain JSON.

    Several `views` instead of one, or a number of `members`, make an ensemble, which `consensus` unites.
    """

    items: str = "documents"
    method: str = "kmeans"
    k: int | str = "auto"
    view: str = "auto"
    views: tuple[str, ...] = ()
    members: int | str = "auto"
    consensus: str = "weighted"
    alpha: float | str = "auto"
    seed: int = 0
    language: str = "auto"
    stop: bool = True
    own_stop_words: tuple[str, ...] = ()
    stem: str = "auto"
    phrases: bool = False
    numbers: bool = False
    min_df: int | str = "auto"
    max_df: float = 1.0
    wordnet: str = ""

    def __post_init__(self) -> None:
        if self.k != "auto" and (not isinstance(self.k, int) or self.k < 1):
            raise SettingError(f"k is {self.k!r}; it is a number of clusters, 1 or more, or 'auto'")
        if self.items not in ITEMS:
            raise SettingError(f"items is {self.items!r}; it can be: {', '.join(ITEMS)}")
        check_rule(self.consensus, self.alpha)
        if self.members != "auto" and (not isinstance(self.members, int) or self.members < 1):
            raise SettingError(f"members is {self.members!r}; it is a number of members, 1 or more, or 'auto'")
        if len(set(self.views)) < len(self.views):
            raise SettingError(f"a view is named twice: {', '.join(self.views)}; an ensemble takes each view once")
        if self.ensemble and self.items == "words":
            raise SettingError("an ensemble clusters documents; take one view and no members for words")

    @property
    def ensemble(self) -> bool:
        """Whether many clusterings are united into one."""
        return len(self.views) > 1 or self.members != "auto"

    @property
    def named_views(self) -> tuple[str, ...]:
        """The views of the documents, or the one that the method works on."""
        if self.views:
            return self.views
        if self.view != "auto":
            return (self.view,)
        return ("tfidf-log" if self.items == "words" else default_view(self.method),)

    def as_json(self) -> dict[str, Any]:
        """The settings as a JSON object."""
        return {**asdict(self), "own_stop_words": list(self.own_stop_words), "views": list(self.views)}


@dataclass(frozen=True, eq=False)
class Run:
    """A walked road, all nouns in the corpus' own order. Where words are clustered, they are its `corpus`.

    `words` shows each of `vectors.terms` as a whole word; `outlier` is how badly each document fits its cluster.
    """

    corpus: Corpus
    settings: Settings
    vectors: Vectors
    words: pl.Series
    clustering: Clustering
    outlier: npt.NDArray[np.float32]
    clusters: list[ClusterDescription]
    measures: dict[str, Score] | None
    ensemble: Ensemble | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_mb: float = 0.0


def walk(corpus: Corpus, settings: Settings, *, jobs: int = -1, stage: Callable[[str], None] = lambda _: None) -> Run:
    """Clusters the documents of a corpus, or its words by the documents they stand in.

    Documents are taken in the order of their texts (equal ones by id), so that the order of rows or files in the
    input cannot change the result, and are put back into their own order at the end.
    """
    began = time.perf_counter()
    order = text_order(corpus)
    stage("cutting texts into words")
    raw = _in_order(raw_tokens(corpus, numbers=settings.numbers, n_jobs=jobs), order)
    stage("looking for near-duplicates")
    repeated = near_duplicates(count_matrix(raw.terms, raw.starts, len(raw.vocabulary), jobs), jobs)
    views: dict[str, Vectors] = {}
    read: dict[str, Tokens] = {}
    for view in settings.named_views:
        of = reads(view)
        if of not in read:
            stage("choosing terms" if of == "words" else f"finding {of}")
            read[of] = _tokens(corpus, of, raw, order, settings, jobs)
        stage(f"making vectors ({view})")
        views[view] = represent(read[of], view, random_state=settings.seed, n_jobs=jobs)
    del raw
    vectors, tokens = next(iter(views.values())), next(iter(read.values()))
    if settings.items == "words":
        vectors = transposed(vectors)
    k = _how_many(settings, len(vectors))
    united = None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ConvergenceWarning)
        if settings.ensemble:
            united = _united(views, settings, k, jobs, stage)
            clustering = united.clustering
        else:
            stage(f"clustering {len(vectors)} {settings.items} ({settings.method}, k = {k})")
            clustering = cluster(vectors, method=settings.method, k=k, random_state=settings.seed, jobs=jobs)
    notes = _notes(corpus, settings, tokens, clustering, k, repeated, int(vectors.empty.sum()))
    stage("describing clusters")
    outlier = outliers(vectors.matrix, clustering.labels).score
    if settings.items == "words":
        clusters = describe_words(clustering, vectors, tokens.surface)
        items = _words(tokens, corpus)
    else:
        counts = count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary), jobs)
        clusters = describe(clustering, vectors, counts, tokens.surface)
        clusters = [found._replace(examples=order[found.examples]) for found in clusters]
        back = np.argsort(order)
        clustering, vectors, outlier = clustering.take(back), _rows(vectors, corpus, back), outlier[back]
        united = united and united.take(back)
        items = corpus
    return Run(
        corpus=items,
        settings=settings,
        vectors=vectors,
        words=tokens.surface,
        clustering=clustering,
        outlier=outlier,
        clusters=clusters,
        measures=_against_truth(items, clustering),
        ensemble=united,
        notes=notes + _of_ensemble(united) + list(dict.fromkeys(f"{w.message}." for w in warned)),
        seconds=time.perf_counter() - began,
        peak_mb=peak_mb(),
    )


def _united(views: dict[str, Vectors], settings: Settings, k: int, jobs: int, stage: Callable[[str], None]) -> Ensemble:
    return ensemble(
        views,
        k=k,
        members=_MEMBERS if isinstance(settings.members, str) else settings.members,
        method=settings.method,
        rule=settings.consensus,
        alpha=settings.alpha,
        random_state=settings.seed,
        jobs=jobs,
        stage=stage,
    )


def _of_ensemble(united: Ensemble | None) -> list[str]:
    if united is None:
        return []
    made = united.clustering.recipe.settings
    views = " and ".join(made["views"])
    said = [f"{made['members']} members ({made['method']}) on {views} were united ({made['rule']})."]
    if united.agreement is not None:
        said.append(f"On average {united.agreement:.0%} of them agree with a document's cluster.")
    return [*said, f"Other documents are assigned by the nearest centre in the view {made['views'][0]}."]


def _tokens(corpus: Corpus, of: str, raw: Tokens, order: Integers, settings: Settings, jobs: int) -> Tokens:
    """What the views are made from: words, nouns or senses; where words are there too, stems and phrases are theirs."""
    wanted: dict[str, Any] = {"stop": settings.stop, "own_stop_words": settings.own_stop_words}
    language = settings.language
    if of != "words":
        language = detect(raw).language if language == "auto" else language
        raw = _in_order(units(corpus, of, language=language, wordnet=settings.wordnet, n_jobs=jobs, **wanted), order)
    mixed = of != "words" and any(reads(view) == "words" for view in settings.named_views)
    stem, phrases = ("auto", False) if mixed else (settings.stem, settings.phrases)
    limits: dict[str, Any] = {"min_df": settings.min_df, "max_df": settings.max_df}
    return refine(raw, language=language, stem=stem, phrases=phrases, **wanted, **limits)


def _words(tokens: Tokens, corpus: Corpus) -> Corpus:
    """The terms as items of their own: the id is the term, the text the whole word."""
    columns = document_table(tokens).select("term", "df", "count")
    columns = pl.DataFrame({"term": tokens.vocabulary}).join(columns, on="term", how="left", maintain_order="left")
    return Corpus(
        tokens.vocabulary.rename("id"), tokens.surface.rename("text"), columns.drop("term"), recipe=corpus.recipe
    )


def text_order(corpus: Corpus) -> Integers:
    """The rows by text, equal ones by id: the same documents in whatever order they come."""
    documents = pl.DataFrame({"text": corpus.texts, "id": corpus.ids})
    return documents.select(pl.arg_sort_by("text", "id")).to_series().to_numpy()


def peak_mb() -> float:
    """The most memory this process has held so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def _how_many(settings: Settings, documents: int) -> int:
    if isinstance(settings.k, int):
        return settings.k
    return max(1, min(_K, round((documents / 2) ** 0.5)))


def _in_order(tokens: Tokens, order: Integers) -> Tokens:
    terms, starts = take_rows(tokens.terms, tokens.starts, order)
    return replace(tokens, items=tokens.items.gather(order), terms=terms, starts=starts)


def _rows(vectors: Vectors, corpus: Corpus, back: Integers) -> Vectors:
    return Vectors(corpus.ids, vectors.matrix[back], vectors.features, vectors.recipe, vectors.terms, vectors.estimator)


def _against_truth(corpus: Corpus, clustering: Clustering) -> dict[str, Score] | None:
    """Scores on the documents that have exactly one class; None where there are none."""
    truth = corpus.truth
    if truth is None:
        return None
    single = (truth.list.len() == 1).to_numpy()
    if not single.any():
        return None
    classes = truth.filter(pl.Series(single)).list.first().rank("dense").cast(pl.Int64).to_numpy() - 1
    return scores(classes, clustering.labels[single])


def _notes(
    corpus: Corpus, settings: Settings, tokens: Tokens, clustering: Clustering, k: int, repeated: Integers, bare: int
) -> list[str]:
    counted = survey(corpus)
    near = max(0, int((repeated >= 0).sum()) - counted.duplicates)
    outside = int((clustering.labels < 0).sum()) - bare
    item = settings.items.removesuffix("s")
    unknown = "Language not recognised: no stop words, no stems."
    said = [unknown if tokens.language == "unknown" else f"Language: {language_name(tokens.language)}."]
    if hasattr(clustering.estimator, "note_"):
        said.append(clustering.estimator.note_)
    if "k" not in clustering.recipe.settings:
        said.append(f"{settings.method} finds the number of clusters by itself: {clustering.k}.")
    elif settings.k == "auto":
        looked = "cluster was" if k == 1 else "clusters were"
        said.append(f"{k} {looked} looked for by default; there is no evidence for this number yet.")
    if clustering.k < clustering.recipe.settings.get("k", 0):
        said.append(f"{k} clusters were asked for; {clustering.k} {'was' if clustering.k == 1 else 'were'} found.")
    for number, one, many in (
        (corpus.skipped, "broken line was left out.", "broken lines were left out."),
        (counted.empty, "document is empty.", "documents are empty."),
        (
            counted.duplicates,
            "document repeats an earlier one word for word.",
            "documents repeat an earlier one word for word.",
        ),
        (near, "more nearly repeats an earlier one.", "more nearly repeat an earlier one."),
        (
            bare,
            f"{item} has nothing to go by and is not assigned.",
            f"{item}s have nothing to go by and are not assigned.",
        ),
        (outside, f"{item} fits no cluster and is not assigned.", f"{item}s fit no cluster and are not assigned."),
    ):
        if number:
            said.append(f"{number} {one if number == 1 else many}")
    return said
