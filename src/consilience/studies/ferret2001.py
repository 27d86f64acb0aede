"""Ferret, Grau and Jardino 2001: two clusterings of the same units, and how far they agree.

They compare semantic domains, learnt from newswires unit by unit, with entropy clustering of the same 4935 units in as
many clusters, 71. Here posts and newswires stand in for their units, documents as they are, and spherical k-means on
tf-idf for the domains: it looks at the words' geometry, entropy clustering at their frequencies alone. Their numbers
are beside ours to show what kind of agreement they call great, not to be met: corpus and first method are others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consilience.clusterings.entropy import SEARCHES, Entropy
from consilience.clusterings.kmeans import KMeans
from consilience.comparisons.coverage import BINS, coverage
from consilience.comparisons.distances import ClassDistance, CosineDistance, mantel_of
from consilience.comparisons.kappa import kappa, kappa_of
from consilience.comparisons.links import by_entropy, by_similarity, class_words
from consilience.comparisons.mantel import Mantel, mantel
from consilience.corpus import read
from consilience.kernels.counting import count_matrix
from consilience.language import tokenise
from consilience.measures.contingency import Contingency, contingency
from consilience.measures.mappings import optimal
from consilience.nouns import Corpus, Integers
from consilience.studies._results import Row, Table, mean_row
from consilience.vectors.tfidf_log import TfidfLog

NEEDS = ("20newsgroups_bydate.jsonl.gz", "reuters21578.jsonl.gz")
RUNS = 5

_CORPORA = {"20 Newsgroups": (NEEDS[0], ["headers"]), "Reuters": (NEEDS[1], [])}  # what is cut from the texts
_UNITS, _WORDS, _CLASSES = 4935, 4380, 71
_SOME, _PERMUTATIONS = 1000, 99  # units that their Mantel test could hold, and how often they were permuted

# What they print: table 4 (classes without a link, with one, two, ...), table 5, and sections 4.2.2 and 4.2.3.
_LINKS = {
    "similarity": {"none": 3, "1-1": 34, "1-2": 8, "1-3": 3, "1-4": 1, "1-5": 1},
    "entropy": {"none": 0, "1-1": 29, "1-2": 8, "1-3": 4, "1-4": 2, "1-6": 1},
}
_COVERAGE = (8, 16, 19, 19, 8, 1)
_KAPPA = {"greedy": 0.484, "random": -0.013}
_Z, _Z_DOMAINS, _Z_CLUSTERS, _NULL = 940_894, 978_460, 948_608, (937_708, 232)
_PAIRS = 1000 * 999


class _Units(NamedTuple):
    """Units x words: how often, and weighed for k-means."""

    counts: sparse.csr_array
    weighed: sparse.csr_array


class _Pair(NamedTuple):
    """The two clusterings of one run, classes numbered by size."""

    domains: Integers
    clusters: Integers

    def table(self, units: Integers | slice = slice(None)) -> Contingency:
        return contingency(self.domains[units], self.clusters[units])


def tables(
    find: Callable[[str], Path], *, runs: int, seed: int, jobs: int, stage: Callable[[str], None]
) -> Iterator[Table]:
    """Their tables 4 and 5, kappa and Mantel's test; then what they claim of starts and of searches."""
    for title, (name, cut) in _CORPORA.items():
        stage(f"reading {title}")
        units = _units(read(find(name), strip=cut), seed, jobs)
        seeds = np.random.SeedSequence(seed).generate_state(runs).tolist()
        stage(
            f"{title}: {units.counts.shape[0]} units, {_CLASSES} classes, {runs} times both ways and from three starts"
        )
        domains = [_kmeans(units, seed, jobs) for seed in seeds]
        begun = {
            "random clusters": [_entropy(units, seed, jobs, init="random") for seed in seeds],
            "all units in one cluster": [_entropy(units, seed, jobs) for seed in seeds],
            "the clusters of k-means": [
                _entropy(units, seed, jobs, init=labels) for seed, labels in zip(seeds, domains, strict=True)
            ],
        }
        equal = [_entropy(units, seed, jobs, weights="units") for seed in seeds]
        pairs = [_Pair(d, c.labels_) for d, c in zip(domains, begun["all units in one cluster"], strict=True)]
        yield from _linked(title, pairs, units)
        yield _covered(title, pairs)
        yield _agreed(title, pairs, [_Pair(d, c.labels_) for d, c in zip(domains, equal, strict=True)])
        some = np.sort(np.random.default_rng(seed).permutation(units.counts.shape[0])[:_SOME])
        stage(f"{title}: Mantel's test")
        yield _mantel_of_some(title, pairs, some, seeds, jobs)
        yield _mantel_of_all(title, pairs, seeds, jobs)
        yield _mantel_of_cosines(title, pairs[0], units, some, seed, jobs)
        yield _starts(title, begun, domains)
        stage(f"{title}: three searches")
        yield _searches(title, units, seeds)


def _units(corpus: Corpus, seed: int, jobs: int) -> _Units:
    """Documents drawn from those that hold one of the most frequent words (by documents; of equals the first)."""
    tokens = tokenise(corpus, stem="lemma", n_jobs=jobs)
    counts = count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary), jobs)
    frequent = np.sort(np.argsort(-np.bincount(counts.indices, minlength=counts.shape[1]), kind="stable")[:_WORDS])
    counts = sparse.csr_array(counts[:, frequent])
    some = np.random.default_rng(seed).permutation(np.flatnonzero(np.diff(counts.indptr)))[:_UNITS]
    counts = sparse.csr_array(counts[np.sort(some)])
    return _Units(counts, TfidfLog().fit_transform(counts))


def _kmeans(units: _Units, seed: int, jobs: int) -> Integers:
    """What stands where the domains stood. Another method for their place is another function like this one."""
    return np.asarray(KMeans(_CLASSES, random_state=seed, n_jobs=jobs).fit(units.weighed).labels_)


def _entropy(
    units: _Units, seed: int, jobs: int, *, init: Any = "one", search: str = "best", weights: str = "counts"
) -> Entropy:
    """One start, theirs; counts as they are, as equations 2 to 4 stand."""
    made = Entropy(
        _CLASSES, init=init, search=search, weights=weights, n_init=1, max_iter=10_000, random_state=seed, n_jobs=jobs
    )
    return made.fit(units.counts)


def _linked(title: str, pairs: Sequence[_Pair], units: _Units) -> Iterator[Table]:
    found: dict[str, list[dict[str, int]]] = {way: [] for way in _LINKS}
    for pair in pairs:
        domains, clusters = (class_words(_members(labels), units.counts) for labels in pair)
        found["similarity"].append(by_similarity(domains, clusters).table())
        found["entropy"].append(by_entropy(domains, clusters).table())
    for way, tables in found.items():
        paper = _LINKS[way]
        most = max(int(key[2:]) for table in [paper, *tables] for key in table if key != "none")
        rows = [mean_row("clusters without a link", paper["none"], [table["none"] for table in tables])]
        for n in range(1, most + 1):
            name = f"classes linked to {n} cluster{'s' if n > 1 else ''}"
            rows.append(mean_row(name, paper.get(f"1-{n}", 0), [table.get(f"1-{n}", 0) for table in tables]))
        linked = [sum(how_many for key, how_many in table.items() if key != "none") for table in [paper, *tables]]
        rows.append(mean_row("classes with a link", linked[0], linked[1:]))
        yield Table(
            f"Table 4, links by {way}, {title}",
            rows,
            f"{units.counts.shape[0]} documents, posts without headers, and {units.counts.shape[1]} lemmas, "
            "those in most documents. Each entropy cluster is linked to one class of k-means at most. Weights of "
            "words, which the text leaves open, are the share of a class's units that hold the word, from 0.1 on.",
        )


def _members(labels: Integers) -> sparse.csr_array:
    N = len(labels)
    return sparse.csr_array((np.ones(N), (np.arange(N), labels)), shape=(N, int(labels.max()) + 1))


def _covered(title: str, pairs: Sequence[_Pair]) -> Table:
    tables = [coverage(pair.table()).table() for pair in pairs]
    rows = [
        mean_row(name, paper, [table[name] for table in tables])
        for (name, *_), paper in zip(BINS, _COVERAGE, strict=True)
    ]
    return Table(
        f"Table 5, coverage, {title}",
        rows,
        "How many classes have that share of their units in the entropy cluster that holds most of them.",
    )


def _agreed(title: str, pairs: Sequence[_Pair], equal: Sequence[_Pair]) -> Table:
    found = [kappa(pair.table()) for pair in pairs]
    rows = [
        mean_row(f"kappa, {way} mapping", _KAPPA.get(way), [getattr(kappas, way) for kappas in found])
        for way in ("greedy", "random", "optimal")
    ]
    tables = [pair.table() for pair in equal]
    rows.append(
        mean_row("the same, units of equal weight", None, [kappa_of(table, optimal(table)) for table in tables])
    )
    return Table(
        f"Kappa, {title}",
        rows,
        "Over units. Random: the mean of 1000 mappings in place of one. They hope for more from a better mapping than "
        "the greedy one; the optimal is the best there is. Their equations 2 to 4 let long units weigh more, their "
        "equation 1 does not: the last row has counts divided by the unit's length.",
    )


def _mantel_of_some(title: str, pairs: Sequence[_Pair], some: Integers, seeds: Sequence[int], jobs: int) -> Table:
    found = [_mantel(pair.table(some), seed, jobs) for pair, seed in zip(pairs, seeds, strict=True)]
    by_chance = _Z_DOMAINS * _Z_CLUSTERS / _PAIRS
    spread = _Z_DOMAINS * (1 - _Z_DOMAINS / _PAIRS) * _Z_CLUSTERS * (1 - _Z_CLUSTERS / _PAIRS)
    r = (_Z - by_chance) / sqrt(spread)
    paper = {"z": _Z, "z_self_a": _Z_DOMAINS, "z_self_b": _Z_CLUSTERS, "r": r}
    return Table(
        f"Mantel's test of {len(some)} units, {title}",
        _mantel_rows(found, paper | {"null_mean": _NULL[0], "null_sd": _NULL[1], "p": 1 / (_PERMUTATIONS + 1)}),
        f"{_PERMUTATIONS} permutations, of which none reached their Z; our null is exact, over all. Their r follows "
        f"from their Z and its two maxima, and so does a null mean of {by_chance:,.0f}: the one they print cannot come "
        "from these. r is the phi coefficient of the pairs' table, one witness with the adjusted Rand index; kappa is "
        "another.",
    )


def _mantel_of_all(title: str, pairs: Sequence[_Pair], seeds: Sequence[int], jobs: int) -> Table:
    found = [_mantel(pair.table(), seed, jobs) for pair, seed in zip(pairs, seeds, strict=True)]
    about = f"{_PERMUTATIONS} permutations. They could hold {_SOME} units; the table of classes is all it takes."
    return Table(f"Mantel's test of all {len(pairs[0].domains)} units, {title}", _mantel_rows(found, {}), about)


def _mantel(table: Contingency, seed: int, jobs: int) -> Mantel:
    return mantel(table, permutations=_PERMUTATIONS, random_state=seed, n_jobs=jobs)


def _mantel_rows(found: Sequence[Mantel], paper: dict[str, float]) -> list[Row]:
    names = {
        "r": "r",
        "z": "Z",
        "z_self_a": "largest Z, k-means",
        "z_self_b": "largest Z, entropy clusters",
        "null_mean": "Z by chance",
        "null_sd": "its standard deviation",
        "p": "p",
    }
    return [mean_row(told, paper.get(name), [getattr(test, name) for test in found]) for name, told in names.items()]


def _mantel_of_cosines(title: str, pair: _Pair, units: _Units, some: Integers, seed: int, jobs: int) -> Table:
    words = CosineDistance(units.weighed[some])
    rows = []
    for name, labels in zip(("k-means", "entropy clusters"), pair, strict=True):
        test = mantel_of(words, ClassDistance(labels[some]), permutations=_PERMUTATIONS, random_state=seed, n_jobs=jobs)
        rows += [Row(f"r, {name}", None, test.r), Row(f"p, {name}", None, test.p)]
    return Table(
        f"Mantel's test of each clustering against the units' cosines, {len(some)} units, {title}",
        rows,
        "They wish for distances that are not 0 or 1. Cosines are of tf-idf, on which k-means worked.",
    )


def _starts(title: str, begun: dict[str, list[Entropy]], domains: Sequence[Integers]) -> Table:
    all_of_them = [made for several in begun.values() for made in several]
    reached = [made.H_K_ for made in all_of_them]
    rows = [mean_row(f"H_K from {start}", None, [made.H_K_ for made in several]) for start, several in begun.items()]
    rows += [Row("lowest H_K of all", None, min(reached)), Row("highest H_K of all", None, max(reached))]
    labels = [made.labels_ for made in all_of_them]
    for name, paper, several in (("of them", 1.0, labels), ("starts of k-means", None, domains)):
        tables = [contingency(one, other) for one, other in pairwise(several)]
        if tables:
            rows.append(mean_row(f"kappa of two {name}", paper, [kappa_of(table, optimal(table)) for table in tables]))
    rows.append(Row("H_TU", None, all_of_them[0].H_TU_))
    return Table(
        f"Starts of entropy clustering, {title}",
        rows,
        "The text says that the partition is optimal whatever the start, for the measure is convex: all starts would "
        "end in one partition, kappa 1 under the optimal mapping. Read the agreement of two methods beside that of "
        "two starts of one. H in nats a word.",
    )


def _searches(title: str, units: _Units, seeds: Sequence[int]) -> Table:
    rows = []
    for search in SEARCHES:
        made, seconds = [], []
        for seed in seeds:
            began = time.perf_counter()
            made.append(_entropy(units, seed, 1, search=search))
            seconds.append(time.perf_counter() - began)
        rows += [
            mean_row(f"H_K, {search}", None, [one.H_K_ for one in made]),
            mean_row(f"moves, {search}", None, [one.n_moves_ for one in made]),
            mean_row(f"seconds, {search}", 1200.0 if search == "random" else None, seconds),
        ]
    return Table(
        f"Searches of entropy clustering, {title}",
        rows,
        "From all units in one cluster, as theirs, one thread. They find the random search faster than the systematic "
        "one, and took up to twenty minutes; best prices all clusters for a unit at once.",
    )
