"""Nouns and their senses in one ensemble (Fodeh, Punch and Tan 2009): Tables 2 and 3, Figures 1, 2 and 3.

Corpora. Reuters: the 20 most frequent topics of all splits, a document belongs to the first of its topics among them,
the first 200 documents of each: 2655, as theirs. 20 Newsgroups: the training part in the six groups that its home page
gives, 6000 articles of it. Which 6000, and which lines of an article, the text does not say: ours are drawn at random,
and of an article's head only the subject is kept. What other choices give stands in the last table.

Method. tf-idf is f ln(N / df), rows of unit length, for senses of the binary matrix; k-means is the spherical one.
Half of the members look at nouns, half at senses, alpha is 0.8; weights and the co-association's k-means are exact.
The text takes k to be "the number of categories in the original data": of newsgroups that may be 6 or 20, so both are
given, scored against the 6 groups (more clusters always look better there). Entropy is H(class|cluster) in nats, and in
bits beside it, for the base of the logarithm is not said either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse, stats
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from consilience.clusterings.kmeans import KMeans
from consilience.corpus import read
from consilience.kernels.counting import count_matrix, unit_rows
from consilience.kernels.threads import thread_count
from consilience.language import tokenise
from consilience.measures.contingency import contingency
from consilience.measures.information import entropy
from consilience.measures.matching import purity
from consilience.nouns import Corpus, Recipe, Tokens, Vectors
from consilience.studies._results import Figure, Point, Row, Table, mean_row
from consilience.vectors.tfidf import Tfidf
from consilience.vectors.tfidf_raw import TfidfRaw
from consilience.verdicts.ensemble import consensus, shares
from consilience.verdicts.members import Labels, Members, grow
from consilience.verdicts.weights import Cosines, cosines, weight

NEEDS = ("reuters21578.jsonl.gz", "20newsgroups_bydate.jsonl.gz")
RUNS = 50
TOPICS, OF_EACH, ARTICLES = 20, 200, 6000
MEMBERS = (10, 20, 30)
COMPONENTS = (5, 10, 20, 40, 60, 80, 100)
ALPHA = 0.8
KINDS = ("nouns", "senses", "combined")
TRIED_RUNS = 5  # of each choice in the last table

_VIEWS = ("nouns", "senses", "words")
_BITS = 1 / np.log(2)
_RELIGION = ("alt.atheism", "soc.religion.christian", "talk.religion.misc")
_PAPER_FEATURES = {"Reuters": (5922, 6559, 18238), "20 Newsgroups": (13801, 14589, 34757)}
_PAPER_SINGLE = {"Reuters": (0.97, 1.19), "20 Newsgroups": (0.86, 0.88)}
_PAPER_LSI = {"Reuters": 1.01, "20 Newsgroups": 1.13}
_PAPER_ENTROPY: dict[str, dict[tuple[str, float], float]] = {
    "Reuters": {("combined", 10): 0.947},
    "20 Newsgroups": {("nouns", 20): 0.636, ("senses", 20): 0.787, ("combined", 20): 0.559},
}
_PAPER_PURITY: dict[str, dict[tuple[str, float], float]] = {"Reuters": {}, "20 Newsgroups": {("combined", 20): 0.802}}
_TOLD = {"Reuters": 10, "20 Newsgroups": 20}  # the number of members of which the text gives figures


class Labelled(NamedTuple):
    """Documents with a class each."""

    corpus: Corpus
    classes: npt.NDArray[np.int64]


class Score(NamedTuple):
    """Of one clustering."""

    entropy: float
    purity: float


class EnsembleRun(NamedTuple):
    """One of the runs: scores by kind and number of members, and the mean weight of each view's members."""

    scores: dict[tuple[str, int], Score]
    weights: dict[str, float]


def tables(
    find: Callable[[str], Path], *, runs: int, seed: int, jobs: int, stage: Callable[[str], None]
) -> Iterator[Table | Figure]:
    """The tables and figures, in the order of the text."""
    stage("reading the corpora, finding nouns and senses")
    articles = newsgroups(find(NEEDS[1]))
    drawn = at_random(articles, ARTICLES, seed)
    corpora = {"Reuters": reuters(find(NEEDS[0])), "20 Newsgroups": titled(drawn)}
    tokens = {name: _tokens(given.corpus, jobs) for name, given in corpora.items()}
    yield _features(tokens)
    weighted = {name: {of: _tfidf(own[of]) for of in _VIEWS} for name, own in tokens.items()}
    yield from _single(corpora, weighted, runs, seed, jobs, stage)
    for name, given in corpora.items():
        yield _after_svd(name, given, weighted[name], runs, seed, jobs, stage)
    for name, given in corpora.items():
        for k in (_classes(given), TOPICS)[: 2 if name != "Reuters" else 1]:
            yield from _ensembles(name, given, weighted[name], k, runs, seed, jobs, stage)
    yield from _tried(drawn, articles, tokens["20 Newsgroups"], min(runs, TRIED_RUNS), seed, jobs, stage)


# --- corpora


def reuters(path: Path) -> Labelled:
    """At most 200 documents of each of the 20 most frequent topics, all splits; the first of several topics counts."""
    corpus = read(path, label="topics")
    own = corpus.truth
    if own is None:
        raise AssertionError("read finds the label it is told, or refuses")
    counts = (
        own.explode().drop_nulls().rename("topic").value_counts().sort(["count", "topic"], descending=[True, False])
    )
    number = {topic: i for i, topic in enumerate(counts["topic"].head(TOPICS).to_list())}
    classes = np.array([next((number[t] for t in topics if t in number), -1) for topics in own.to_list()])
    rows = np.sort(np.concatenate([np.flatnonzero(classes == c)[:OF_EACH] for c in range(len(number))]))
    return Labelled(corpus.take(rows), classes[rows])


def newsgroups(path: Path) -> Labelled:
    """The training part in six groups: comp, rec, sci, misc.forsale, politics, religion."""
    corpus = read(path, label="label")
    corpus = corpus.take(np.flatnonzero((corpus.columns["split"] == "train").to_numpy()))
    groups = ["religion" if name in _RELIGION else name.partition(".")[0] for name in corpus.columns["label"]]
    return Labelled(corpus, np.unique(groups, return_inverse=True)[1])


def at_random(given: Labelled, articles: int, seed: int) -> Labelled:
    """So many documents, or all where there are fewer, in their own order."""
    size = min(articles, len(given.classes))
    return _some(given, np.random.default_rng(seed).choice(len(given.classes), size, replace=False))


def evenly(given: Labelled, articles: int, seed: int) -> Labelled:
    """As many of each class, as far as they go: small classes are there whole."""
    order = np.random.default_rng(seed).permutation(len(given.classes))
    rank = np.empty(len(order), np.int64)
    for c in np.unique(given.classes):
        own = order[given.classes[order] == c]
        rank[own] = np.arange(len(own))
    return _some(given, order[np.argsort(rank[order], kind="stable")][:articles])


def titled(given: Labelled) -> Labelled:
    """Each text's subject and body, without the other lines of its head."""
    return _with_texts(given, [_subject(text) for text in given.corpus.texts])


def bare(given: Labelled) -> Labelled:
    """Each text's body alone."""
    return _with_texts(given, [_body(text) for text in given.corpus.texts])


def _subject(text: str) -> str:
    head = text.partition("\n\n")[0]
    found = re.search(r"^Subject:\s*(?:Re:\s*)*(.*)$", head, re.MULTILINE | re.IGNORECASE)
    return f"{found[1]}\n\n{_body(text)}" if found else text


def _body(text: str) -> str:
    head, _, body = text.partition("\n\n")
    return body if re.match(r"[\w-]+:", head) else text


def _with_texts(given: Labelled, texts: list[str]) -> Labelled:
    made = given.corpus
    return given._replace(corpus=Corpus(made.ids, pl.Series("text", texts, dtype=pl.String), recipe=made.recipe))


def _some(given: Labelled, rows: npt.NDArray[np.int64]) -> Labelled:
    rows = np.sort(rows)
    return Labelled(given.corpus.take(rows), given.classes[rows])


def _classes(given: Labelled) -> int:
    return len(np.unique(given.classes))


# --- views


def _tokens(corpus: Corpus, jobs: int) -> dict[str, Tokens]:
    return {of: tokenise(corpus, of=of, language="en", min_df=1, n_jobs=jobs) for of in _VIEWS}


def _tfidf(tokens: Tokens, *, smooth: bool = False) -> Vectors:
    """f ln(N / df), rows of unit length; senses are there or not."""
    counts = _counts(tokens)
    matrix = (Tfidf() if smooth else TfidfRaw()).fit_transform(counts.matrix)
    return Vectors(counts.items, unit_rows(sparse.csr_array(matrix)), counts.features, counts.recipe)


def _counts(tokens: Tokens) -> Vectors:
    counts = count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary), 1)
    if tokens.of == "senses":
        counts.data[:] = 1
    return Vectors(tokens.items, counts, tokens.vocabulary, Recipe("counts", {}, tokens.recipe))


# --- single k-means


def _features(tokens: Mapping[str, Mapping[str, Tokens]]) -> Table:
    titles = ("nouns", "senses", "LSI (all words)")
    rows = [
        Row(f"{name}, {title}", paper, len(own[of].vocabulary))
        for name, own in tokens.items()
        for title, of, paper in zip(titles, _VIEWS, _PAPER_FEATURES[name], strict=True)
    ]
    about = "Lemmas known to WordNet 3.0, their senses, and stems; stop words left out, no limit of frequency."
    return Table("Table 2: number of features", rows, about)


def _single(
    corpora: Mapping[str, Labelled],
    weighted: Mapping[str, Mapping[str, Vectors]],
    runs: int,
    seed: int,
    jobs: int,
    stage: Callable[[str], None],
) -> Iterator[Table]:
    rows, bits = list[Row](), list[Row]()
    for name, given in corpora.items():
        for metric, called in (("cosine", "spherical"), ("euclidean", "Euclidean")):
            for of, paper in zip(_VIEWS[:2], _PAPER_SINGLE[name], strict=True):
                stage(f"{name}: {called} k-means on {of}, {runs} runs")
                found = _k_means(weighted[name][of].matrix, given, runs, seed, jobs, metric=metric)
                entropies = [score.entropy for score in found]
                rows.append(mean_row(f"{name}, {of}, {called} k-means", paper, entropies))
                bits.append(mean_row(rows[-1].row, paper, [_BITS * value for value in entropies]))
    yield Table("Table 3: entropy of k-means (nats)", rows, f"Means of {runs} runs on tf-idf, k the number of classes.")
    yield Table("Table 3: entropy of k-means (bits)", bits, "The same clusterings.")


def _after_svd(
    name: str,
    given: Labelled,
    weighted: Mapping[str, Vectors],
    runs: int,
    seed: int,
    jobs: int,
    stage: Callable[[str], None],
) -> Figure:
    curves = {}
    for of, called in zip(_VIEWS, ("nouns", "senses", "LSI"), strict=True):
        stage(f"{name}: k-means on {COMPONENTS[0]} to {COMPONENTS[-1]} components of {called}, {runs} runs each")
        strongest = _strongest(weighted[of].matrix, seed)
        curves[called] = [
            _point(c, [score.entropy for score in _k_means(strongest[:, :c], given, runs, seed, jobs)])
            for c in COMPONENTS
        ]
    paper = {("LSI", float(COMPONENTS[-1])): _PAPER_LSI[name]}
    about = f"Spherical k-means on the strongest components of tf-idf, means and deviations of {runs} runs."
    return Figure(f"Figure 1, {name}: k-means after SVD", "components", "entropy (nats)", curves, paper, about)


def _strongest(matrix: Any, seed: int) -> npt.NDArray[np.float32]:
    """U S of X ≈ U S V', as many columns as the most components asked for."""
    size = min(COMPONENTS[-1], *(side - 1 for side in matrix.shape))
    with threadpool_limits(limits=1, user_api="blas"):
        U, S, _ = randomized_svd(matrix, size, n_iter=7, random_state=seed)
    return np.ascontiguousarray(U * S, np.float32)


def _k_means(matrix: Any, given: Labelled, runs: int, seed: int, jobs: int, *, metric: str = "cosine") -> list[Score]:
    some = np.flatnonzero(_filled(matrix))
    rows, k = matrix[some], _classes(given)

    def one(run: int) -> Score:
        labels = np.full(len(given.classes), -1, np.int32)
        labels[some] = KMeans(k, metric=metric, random_state=_seed(seed, run), n_jobs=1).fit(rows).labels_
        return _score(given, labels)

    return _each(one, runs, jobs)


def _filled(matrix: Any) -> npt.NDArray[np.bool_]:
    return np.any(matrix, axis=1) if isinstance(matrix, np.ndarray) else np.diff(matrix.indptr) > 0


# --- ensembles


def _ensembles(
    name: str,
    given: Labelled,
    weighted: Mapping[str, Vectors],
    k: int,
    runs: int,
    seed: int,
    jobs: int,
    stage: Callable[[str], None],
) -> Iterator[Table | Figure]:
    views = {of: weighted[of] for of in _VIEWS[:2]}
    called = name if name == "Reuters" else f"{name}, k = {k}"
    stage(f"{called}: {runs} runs of {2 * MEMBERS[-1]} members, united {len(KINDS) * len(MEMBERS)} times each")
    known = {of: cosines(vectors.matrix, jobs=jobs) for of, vectors in views.items()}
    found = _each(lambda run: _run(given, views, known, k, _seed(seed, run)), runs, jobs, stage, called)
    for up, measured, paper in (
        ("entropy (nats)", [{key: s.entropy for key, s in run.scores.items()} for run in found], _PAPER_ENTROPY[name]),
        ("purity", [{key: s.purity for key, s in run.scores.items()} for run in found], _PAPER_PURITY[name]),
    ):
        curves = {kind: [_point(T, [run[kind, T] for run in measured]) for T in MEMBERS] for kind in KINDS}
        number = 2 if up.startswith("entropy") else 3
        about = f"Means and deviations of {runs} runs; half of the combined members are on nouns, alpha = {ALPHA}."
        yield Figure(f"Figure {number}, {called}: ensembles", "members", up, curves, paper, about)
    yield _in_bits(name, called, found)
    yield _paired(called, found, _TOLD[name])
    yield _weights(name, called, found)


def _run(given: Labelled, views: Mapping[str, Vectors], known: Mapping[str, Cosines], k: int, seed: int) -> EnsembleRun:
    """As many members on each view as the largest ensemble has; smaller ones take the first of them."""
    members = grow(views, count=2 * MEMBERS[-1], k=k, random_state=seed, jobs=1)
    weights = np.array([weight(known[view], members.labels[:, t]) for t, view in enumerate(members.views)])
    of = {name: np.flatnonzero([view == name for view in members.views]) for name in views}
    scores = {}
    for T in MEMBERS:
        half = T // 2
        own = {"nouns": of["nouns"][:T], "senses": of["senses"][:T]}
        own["combined"] = np.concatenate([of["nouns"][: T - half], of["senses"][:half]])
        for kind, some in own.items():
            scores[kind, T] = _score(given, _united(members.take(some), weights[some], k, seed))
    return EnsembleRun(scores, {name: float(weights[some].mean()) for name, some in of.items()})


def _united(members: Members, weights: npt.NDArray[np.float64], k: int, seed: int, rule: str = "weighted") -> Labels:
    return consensus(members, weights * shares(members.views, ALPHA), rule=rule, k=k, random_state=seed, jobs=1)


def _in_bits(name: str, called: str, found: Sequence[EnsembleRun]) -> Table:
    T = _TOLD[name]
    rows = [
        mean_row(
            f"{kind}, {T} members",
            _PAPER_ENTROPY[name].get((kind, T)),
            [_BITS * run.scores[kind, T].entropy for run in found],
        )
        for kind in KINDS
    ]
    return Table(f"{called}: entropy of ensembles in bits", rows, "The same clusterings as in Figure 2.")


def _paired(called: str, found: Sequence[EnsembleRun], T: int) -> Table:
    """Combined less one view's, run by run; p of Wilcoxon's signed-rank test, two-sided."""
    rows = list[Row]()
    for kind in KINDS[:2]:
        for field in Score._fields:
            gaps = np.array(
                [getattr(run.scores["combined", T], field) - getattr(run.scores[kind, T], field) for run in found]
            )
            rows.append(mean_row(f"combined - {kind}: {field}", None, gaps.tolist()))
            p = float(stats.wilcoxon(gaps).pvalue) if gaps.any() else 1.0  # all equal: nothing tells them apart
            rows.append(Row(f"combined - {kind}: {field}, p", None, p))
    about = (
        f"{T} members, {len(found)} runs paired by their seed; p is that of Wilcoxon's signed-rank test, two-sided. "
        "It is about chance in clustering, on this one sample of documents."
    )
    return Table(f"{called}: combined against one view alone", rows, about)


def _weights(name: str, called: str, found: Sequence[EnsembleRun]) -> Table:
    paper = {"nouns": 0.5, "senses": 0.3} if name == "Reuters" else {}
    rows = [mean_row(of, paper.get(of), [run.weights[of] for run in found]) for of in _VIEWS[:2]]
    return Table(f"{called}: mean weight of members", rows, "Correlation of cosine and being put together, over pairs.")


# --- what else was tried


def _tried(
    drawn: Labelled,
    articles: Labelled,
    tokens: Mapping[str, Tokens],
    runs: int,
    seed: int,
    jobs: int,
    stage: Callable[[str], None],
) -> Iterator[Table]:
    entropies, purities = list[Row](), list[Row]()

    def add(
        said: str, given: Labelled, views: Mapping[str, Vectors], k: int, rule: str = "weighted", **more: Any
    ) -> None:
        stage(f"20 Newsgroups, combined ensemble: {said}, k = {k}")
        known = {of: cosines(vectors.matrix, jobs=jobs) for of, vectors in views.items()}

        def one(run: int) -> Score:
            own = _seed(seed, run)
            members = grow(views, count=_TOLD["20 Newsgroups"], k=k, random_state=own, jobs=1, **more)
            weights = np.array([weight(known[view], members.labels[:, t]) for t, view in enumerate(members.views)])
            return _score(given, _united(members, weights, k, own, rule))

        found = _each(one, runs, jobs)
        entropies.append(mean_row(f"{said}, k = {k}", 0.559, [score.entropy for score in found]))
        purities.append(mean_row(f"{said}, k = {k}", 0.802, [score.purity for score in found]))

    def two(given: Mapping[str, Tokens], make: Callable[[Tokens], Vectors]) -> dict[str, Vectors]:
        return {of: make(given[of]) for of in _VIEWS[:2]}

    plain, views = titled(drawn), two(tokens, _tfidf)
    for k in (_classes(drawn), TOPICS):
        add("as above", plain, views, k)
        add("consensus that agrees best", plain, views, k, rule="agreement")
        add("best of 10 starts", plain, views, k, n_init=10)
        add("Euclidean k-means", plain, views, k, metric="euclidean")
        add("smoothed idf", plain, two(tokens, lambda own: _tfidf(own, smooth=True)), k)
        add("EM of multinomials instead of k-means", plain, two(tokens, _counts), k, method="em-multinomial")
        add("entropy clustering instead of k-means", plain, two(tokens, _counts), k, method="entropy", n_init=1)
        add("consensus by entropy clustering", plain, views, k, rule="entropy")
    for said, given in (
        ("the body alone", bare(drawn)),
        ("all lines of the head", drawn),
        ("as many of each group", titled(evenly(articles, ARTICLES, seed))),
    ):
        stage(f"20 Newsgroups, {said}: finding nouns and senses")
        own = {of: tokenise(given.corpus, of=of, language="en", min_df=1, n_jobs=jobs) for of in _VIEWS[:2]}
        for k in (_classes(drawn), TOPICS):
            add(said, given, two(own, _tfidf), k)
    about = f"Combined ensembles of {_TOLD['20 Newsgroups']} members on 20 Newsgroups, means of {runs} runs."
    yield Table("Other choices: entropy (nats)", entropies, about)
    yield Table("Other choices: purity", purities, about)


# --- small things


def _score(given: Labelled, labels: Labels) -> Score:
    """On all documents; each that is not assigned counts as a cluster of its own."""
    labels = labels.astype(np.int64)
    apart = np.flatnonzero(labels < 0)
    labels[apart] = labels.max(initial=-1) + 1 + np.arange(len(apart))
    table = contingency(given.classes, labels)
    return Score(float(entropy(table)), float(purity(table)))


def _point(x: float, values: Sequence[float]) -> Point:
    return Point(float(x), float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0)


def _seed(seed: int, run: int) -> int:
    return int(np.random.SeedSequence([seed, run]).generate_state(1)[0] >> 1)


def _each(
    one: Callable[[int], Any], runs: int, jobs: int, stage: Callable[[str], None] = lambda _: None, called: str = ""
) -> list[Any]:
    """The runs on threads, in their order."""
    found = []
    blas = threadpool_limits(limits=1, user_api="blas")  # the runs have the threads
    with blas, ThreadPoolExecutor(thread_count(jobs)) as pool:
        for run, made in enumerate(pool.map(one, range(runs)), 1):
            found.append(made)
            if called and run % 10 == 0 and run < runs:
                stage(f"{called}: {run} of {runs} runs")
    return found
