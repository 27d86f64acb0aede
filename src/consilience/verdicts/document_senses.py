"""What a document is about, inside: the senses of its nouns, those of a kind together.

    d(a, b) = max_{p in a, q in b} 1 - σ(p, q),   σ Wu-Palmer          (complete link; Fodeh, Punch, Tan 2009, 4.1)

The two nearest clusters merge while d <= 1 - `alike`, so any two senses of a cluster are at least so alike; where the
text cuts its trees it does not say. The few σ that depend on the order of p and q count as their mean. Senses go in by
name, so equal distances are always met in the same order. Time and memory grow with the square of a document's senses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from consilience.errors import InputError, SettingError
from consilience.language import noun_tokens, refine, sense_tokens
from consilience.language.wordnet import WordNet, load_wordnet, wu_palmer
from consilience.nouns import Corpus, Tokens

ALIKE = 0.6  # corn and oats are 0.92 alike, a farmer and an aide 0.60
_MOST = 20_000  # senses of a document: 1.6 GB of distances
_ROUNDING = 1e-9


class Sense(NamedTuple):
    """A sense by its name (corn.n.01), as people would call it, and the nouns that stand for it in the document."""

    sense: str
    name: str
    nouns: list[str]


class SenseCluster(NamedTuple):
    """Senses of a kind; `least` is how alike the least alike two are (1 for one alone)."""

    senses: list[Sense]
    least: float


def document_senses(
    corpus: Corpus,
    *,
    language: str = "en",
    stop: bool = True,
    own_stop_words: Sequence[str] = (),
    wordnet: str = "",
    alike: float = ALIKE,
    n_jobs: int = -1,
) -> list[list[SenseCluster]]:
    """For each document its senses in clusters, the largest first; none where it has no noun that WordNet knows."""
    if not 0 <= alike <= 1:
        raise SettingError(f"alike is {alike!r}; it is how alike senses of a cluster are at least, from 0 to 1")
    found = noun_tokens(corpus, language=language, wordnet=wordnet, n_jobs=n_jobs)
    nouns = refine(found, stop=stop, own_stop_words=own_stop_words, min_df=1)
    senses = sense_tokens(nouns, wordnet=wordnet, n_jobs=n_jobs)
    known = load_wordnet(wordnet)
    return [_of_document(nouns, senses, d, known, alike) for d in range(len(senses))]


def complete_link(distances: npt.NDArray[np.float64], most: float) -> npt.NDArray[np.int64]:
    """The cluster of each row of a symmetric matrix of distances; no two rows of a cluster are farther apart."""
    if len(distances) < 2:
        return np.zeros(len(distances), np.int64)
    tree = linkage(squareform(distances, checks=False), method="complete")
    return np.asarray(fcluster(tree, most + _ROUNDING, criterion="distance"), np.int64)


def _of_document(nouns: Tokens, senses: Tokens, document: int, known: WordNet, alike: float) -> list[SenseCluster]:
    own = slice(senses.starts[document], senses.starts[document + 1])
    numbers = np.unique(senses.terms[own])
    if len(numbers) > _MOST:
        raise InputError(f"document {nouns.items[document]!r} has {len(numbers)} senses, more than {_MOST}; cut it up")
    pairs = pl.DataFrame({"sense": senses.terms[own], "noun": nouns.terms[own]}).unique().sort("sense", "noun")
    by = pairs.group_by("sense", maintain_order=True).agg("noun")["noun"].to_list()
    listed = [
        Sense(senses.vocabulary[s], senses.surface[s], nouns.surface.gather(own_nouns).to_list())
        for s, own_nouns in zip(numbers.tolist(), by, strict=True)
    ]
    similar = _similarities(known, [sense.sense for sense in listed])
    labels = complete_link(1 - similar, 1 - alike)
    clusters = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        clusters.append(SenseCluster([listed[i] for i in rows], float(similar[np.ix_(rows, rows)].min())))
    return sorted(clusters, key=lambda cluster: (-len(cluster.senses), cluster.senses[0].sense))


def _similarities(known: WordNet, names: list[str]) -> npt.NDArray[np.float64]:
    """σ between all, the mean of both orders; 1 with itself."""
    numbered = pl.DataFrame({"name": known.synsets}).with_row_index("synset")
    synsets = pl.DataFrame({"name": names}, schema={"name": pl.String}).join(
        numbered, on="name", how="left", maintain_order="left"
    )["synset"]
    s = synsets.to_numpy().astype(np.int64)
    one_way = wu_palmer(known.tree, s[:, None], s[None, :])
    both = (one_way + one_way.T) / 2
    np.fill_diagonal(both, 1.0)
    return both
