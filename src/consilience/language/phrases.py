"""Frequent phrases of two words: pairs of neighbours that occur together far more often than by chance.

npmi(a, b) = ln( p(a b) / (p(a) p(b)) ) / -ln p(a b)        (Bouma 2009: 0 by chance, 1 if always together)
"""

from __future__ import annotations

import numba as nb
import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.kernels.counting import term_counts

MINIMUM_COUNT = 10
MINIMUM_NPMI = 0.35


def find_phrases(terms: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], size: int) -> pl.DataFrame:
    """The pairs (first, second) that are phrases, with count and npmi, strongest first; -1 in `terms` is a gap."""
    neighbours = np.ones(max(len(terms) - 1, 0), bool)
    ends = starts[1:-1]
    neighbours[ends[(ends > 0) & (ends < len(terms))] - 1] = False  # never across the end of a document
    neighbours &= (terms[:-1] >= 0) & (terms[1:] >= 0)
    counts = term_counts(terms, size).astype(np.float64)
    total = max(counts.sum(), 1.0)
    pairs = pl.DataFrame({"first": terms[:-1][neighbours], "second": terms[1:][neighbours]}, schema_overrides=_PAIR)
    pairs = pairs.group_by("first", "second").len("count").filter(pl.col("count") >= MINIMUM_COUNT)
    first, second, count = (pairs[name].to_numpy() for name in ("first", "second", "count"))
    association = np.log(count * total / (counts[first] * counts[second])) / np.log(total / count)
    pairs = pairs.with_columns(npmi=pl.Series(association, dtype=pl.Float64))
    return pairs.filter(pl.col("npmi") >= MINIMUM_NPMI).sort("npmi", "first", "second", descending=[True, False, False])


_PAIR = {"first": pl.Int32, "second": pl.Int32}


def join_phrases(
    terms: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
    size: int,
) -> npt.NDArray[np.int32]:
    """The terms with each phrase i, found from left to right, as term size + i with a gap (-1) behind it."""
    order = np.lexsort((second, first))
    groups = np.searchsorted(first[order], np.arange(size + 1))
    return _join(terms.copy(), starts, groups, second[order], order, size)


@nb.njit(cache=True, nogil=True)
def _join(terms, starts, groups, second, number, size):  # type: ignore[no-untyped-def]
    """terms: ragged by starts; phrases that begin with t: second[groups[t]:groups[t + 1]] and their numbers."""
    for document in range(len(starts) - 1):
        at = starts[document]
        while at < starts[document + 1] - 1:
            a, b = terms[at], terms[at + 1]
            if a >= 0 and b >= 0:
                for i in range(groups[a], groups[a + 1]):
                    if second[i] == b:
                        terms[at] = size + number[i]
                        terms[at + 1] = -1
                        at += 1
                        break
            at += 1
    return terms
