"""Clusters in words: the terms that tell a cluster from the rest, its most central documents, and a check.

    F(t, k) = 2 df(t, k) / (df(t) + n_k)

is the F-measure of the term t as a query for cluster k: df(t, k) of its n_k documents hold t, df(t) of all do. A term
that stands everywhere has poor precision, a rare one poor recall; what is left tells the cluster from the rest.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from consilience.nouns import Clustering, Integers, Vectors

_TERMS = 10
_IN_LABEL = 3


class ClusterDescription(NamedTuple):
    """One cluster: `retrieval` is the share of its documents that its terms find (see `retrieval`); None for words."""

    id: int
    size: int
    label: str
    terms: list[str]
    examples: Integers
    retrieval: float | None


def describe(
    clustering: Clustering, vectors: Vectors, counts: sparse.csr_array, words: pl.Series, *, examples: int = 5
) -> list[ClusterDescription]:
    """Every cluster in words.

    `counts` are the items' terms and `words` how each is shown; `vectors` is the space for "central".
    """
    found = _telling_terms(clustering, counts)
    columns = counts.tocsc()
    central = _central_items(clustering, vectors, examples)
    shown = words.to_numpy()
    return [
        ClusterDescription(
            id=k,
            size=int(size),
            label=", ".join(shown[found[k][:_IN_LABEL]]),
            terms=shown[found[k]].tolist(),
            examples=central[k],
            retrieval=retrieval(columns, found[k], clustering.labels == k),
        )
        for k, size in enumerate(clustering.sizes)
    ]


def describe_words(clustering: Clustering, vectors: Vectors, words: pl.Series) -> list[ClusterDescription]:
    """Clusters of words, in the words that are nearest to the centre and stand in many documents."""
    documents = np.diff(sparse.csr_array(vectors.matrix).indptr)
    ranked = _ranked(clustering, (_nearness(clustering, vectors) * np.log1p(documents)).round(6))
    shown = words.to_numpy()
    return [
        ClusterDescription(
            id=k,
            size=int(size),
            label=", ".join(shown[ranked[k][:_IN_LABEL]]),
            terms=shown[ranked[k][:_TERMS]].tolist(),
            examples=ranked[k][:_TERMS],
            retrieval=None,
        )
        for k, size in enumerate(clustering.sizes)
    ]


def retrieval(columns: sparse.csc_array, terms: Integers, own: npt.NDArray[np.bool_]) -> float:
    """Do a cluster's terms find its documents? R-precision of the terms as a query.

    Documents are ranked by the summed idf of the query terms they hold; of the first n_k, the share that are the
    cluster's own. Documents of equal rank count by their share, documents that hold no term never.
    """
    df = np.diff(columns.indptr)
    score = np.zeros(columns.shape[0])
    for term in terms:
        score[columns.indices[columns.indptr[term] : columns.indptr[term + 1]]] += np.log1p(columns.shape[0] / df[term])
    wanted = int(own.sum())
    last = np.partition(score, len(score) - wanted)[len(score) - wanted]
    above, level = score > last, (score == last) & (score > 0)
    hits = own[above].sum() + (own[level].mean() * (wanted - above.sum()) if level.any() else 0.0)
    return float(hits / wanted)


def _telling_terms(clustering: Clustering, counts: sparse.csr_array) -> list[Integers]:
    """The numbers of the terms with the largest F(t, k), for each cluster."""
    holds = sparse.csr_array((np.ones(counts.nnz, np.float32), counts.indices, counts.indptr), shape=counts.shape)
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    inside = (_membership(clustering) @ holds).tocsr()
    sizes = clustering.sizes
    terms = []
    for cluster in range(clustering.k):
        row = slice(inside.indptr[cluster], inside.indptr[cluster + 1])
        candidates = inside.indices[row]
        f = 2 * inside.data[row].astype(np.float64) / (df[candidates] + sizes[cluster])
        terms.append(candidates[np.lexsort((candidates, -f))[:_TERMS]])
    return terms


def _central_items(clustering: Clustering, vectors: Vectors, examples: int) -> list[Integers]:
    """The items nearest to their cluster's mean direction, nearest first; equal texts of a row are not shown twice."""
    nearness = _nearness(clustering, vectors).round(6)
    return [_unlike(ordered, nearness, examples) for ordered in _ranked(clustering, nearness)]


def _nearness(clustering: Clustering, vectors: Vectors) -> npt.NDArray[np.float64]:
    """x · S / ||x||,   S the sum of the vectors of x's cluster; 0 where x is not assigned."""
    matrix = sparse.csr_array(vectors.matrix)
    centres = sparse.csr_array(_membership(clustering) @ matrix)
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    nearness = np.zeros(len(clustering))
    for cluster in range(clustering.k):
        own = np.flatnonzero(clustering.labels == cluster)
        dots = (matrix[own] @ centres[[cluster]].T).toarray().ravel()
        nearness[own] = np.divide(dots, lengths[own], out=np.zeros(len(own)), where=lengths[own] > 0)
    return nearness


def _membership(clustering: Clustering) -> sparse.csr_array:
    """1 where an item (column) belongs to a cluster (row)."""
    items = np.flatnonzero(clustering.labels >= 0)
    ones = np.ones(len(items), np.float32)
    return sparse.csr_array((ones, (clustering.labels[items], items)), shape=(clustering.k, len(clustering)))


def _ranked(clustering: Clustering, score: npt.NDArray[np.float64]) -> list[Integers]:
    """Each cluster's items, the highest score first."""
    order = np.lexsort((np.arange(len(score)), -score, clustering.labels))
    starts = np.searchsorted(clustering.labels[order], np.arange(clustering.k + 1))
    return [order[a:b] for a, b in itertools.pairwise(starts)]


def _unlike(ordered: Integers, nearness: npt.NDArray[np.float64], examples: int) -> Integers:
    """The first few whose nearness differs: identical documents have identical nearness."""
    _, first = np.unique(nearness[ordered], return_index=True)
    return ordered[np.sort(first)[:examples]]
