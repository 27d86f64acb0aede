"""Items that fit their class or cluster badly: far from its centre, or in a thin place of it (Cavar 2010).

    distance   cos(x, C), C the sum of the cluster's other unit rows
    density    the mean cosine to the nearest members of the cluster

Both depend on how long a text is: a short one is far from everything. Each is therefore compared with what the
cluster's texts of its length show (a parabola over the logarithm of the number of features, fitted to the value and
to its spread), and given as z: how many times the usual deviation it falls short. Planted documents are found three
to four times as often as without this comparison.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from threadpoolctl import threadpool_limits

from consilience.kernels.counting import unit_rows
from consilience.nouns import Integers

_NEIGHBOURS = 5
_REFERENCES = 1000  # of a larger cluster so many members, evenly spaced, stand for all: cost grows with N only
_BLOCK = 4096

_Floats = npt.NDArray[np.float64]


class Outliers(NamedTuple):
    """Scores per item, NaN where it has no cluster or no feature; the larger, the worse it fits. `score` is the sum."""

    score: npt.NDArray[np.float32]
    distance: npt.NDArray[np.float32]
    density: npt.NDArray[np.float32]


def outliers(matrix: Any, labels: Integers) -> Outliers:
    """Scores of every item in its class or cluster (-1: in none)."""
    rows = unit_rows(sparse.csr_array(matrix, dtype=np.float32, copy=True))
    features = np.diff(rows.indptr)
    scores = np.full((2, len(labels)), np.nan, np.float32)
    order = np.argsort(labels, kind="stable")
    edges = np.searchsorted(labels[order], np.arange(int(labels.max(initial=-1)) + 2))
    with threadpool_limits(limits=1, user_api="blas"):  # its sums differ with the number of threads
        for start, stop in itertools.pairwise(edges):
            own = order[start:stop]
            own = own[features[own] > 0]
            if len(own):
                length = np.log(features[own])
                scores[0, own] = _short_of_usual(_nearness(rows[own]), length)
                scores[1, own] = _short_of_usual(_closeness(rows[own]), length)
    return Outliers(scores.sum(axis=0), *scores)


def _short_of_usual(value: _Floats, length: _Floats) -> _Floats:
    """How many usual deviations a value is below what the others of its length have."""
    curve = np.stack([np.ones_like(length), length, length**2], axis=1)
    deviation = value - curve @ np.linalg.lstsq(curve, value, rcond=None)[0]
    size = np.abs(deviation)
    if size.max() < 1e-6:
        return np.zeros_like(value)  # all alike
    usual = curve @ np.linalg.lstsq(curve, size, rcond=None)[0]
    return -deviation / np.maximum(usual, 0.3 * size.mean())  # a parabola may dip to 0 where there are few


def _nearness(members: sparse.csr_array) -> _Floats:
    """x · (S - x) / ||S - x||,   S the sum of the members."""
    total = np.asarray(members.sum(axis=0), np.float64).ravel()
    along = members @ total
    others = np.sqrt(np.maximum(total @ total - 2 * along + 1, 0))
    return np.divide(along - 1, others, out=np.zeros(len(along)), where=others > 1e-6)


def _closeness(members: sparse.csr_array) -> _Floats:
    n = members.shape[0]
    references = np.unique(np.linspace(0, n - 1, min(n, _REFERENCES)).round().astype(np.int64))
    k = min(_NEIGHBOURS, len(references) - 1)
    if k < 1:
        return np.zeros(n)  # alone: nothing to be far from
    place = np.full(n, -1)
    place[references] = np.arange(len(references))
    columns = members[references].T.tocsr()
    close = np.empty(n)
    for start in range(0, n, _BLOCK):
        cosines = (members[start : start + _BLOCK] @ columns).toarray()
        itself = place[start : start + _BLOCK]
        cosines[np.flatnonzero(itself >= 0), itself[itself >= 0]] = -2  # nobody is its own neighbour
        close[start : start + _BLOCK] = np.partition(cosines, -k, axis=1)[:, -k:].mean(axis=1)
    return close
