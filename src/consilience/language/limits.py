"""Document frequencies: in how many documents a term occurs, and which terms are kept for it."""

from __future__ import annotations

import numba as nb
import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.errors import SettingError
from consilience.kernels.counting import term_counts
from consilience.nouns import Tokens

_FEW = 100  # documents; from here on a term must occur in two of them, for one document's own word links nothing


def lower_limit(min_df: int | str, documents: int) -> int:
    """`min_df` as a number of documents; "auto" is 1 for fewer than 100 documents and 2 from there on."""
    if min_df == "auto":
        return 1 if documents < _FEW else 2
    if not isinstance(min_df, int) or min_df < 1:
        raise SettingError(f"min_df is {min_df!r}; it is a number of documents, 1 or more, or 'auto'")
    return min_df


def upper_limit(max_df: float, documents: int) -> float:
    """`max_df`, a share of the documents, as their number."""
    if not 0 < max_df <= 1:
        raise SettingError(f"max_df is {max_df!r}; it is a share of the documents, over 0 and at most 1")
    return max_df * documents


def document_frequencies(tokens: Tokens) -> npt.NDArray[np.int64]:
    """df_t = number of documents in which term t occurs."""
    return _document_frequencies(tokens.terms, tokens.starts, len(tokens.vocabulary))


def document_table(tokens: Tokens) -> pl.DataFrame:
    """The df table of the course: df, number of occurrences and idf_t = log(N / df_t) per term   (Cavar 2010)"""
    df = document_frequencies(tokens)
    return pl.DataFrame(
        {
            "term": tokens.vocabulary,
            "word": tokens.surface,
            "df": df,
            "count": term_counts(tokens.terms, len(df)),
            "idf": np.log(len(tokens) / np.maximum(df, 1)),
        }
    ).sort("df", "term", descending=[True, False])


@nb.njit(cache=True, nogil=True)
def _document_frequencies(terms, starts, size):  # type: ignore[no-untyped-def]
    """terms: ragged by starts, -1 is a gap."""
    df = np.zeros(size, np.int64)
    last = np.full(size, -1, np.int64)
    for document in range(len(starts) - 1):
        for at in range(starts[document], starts[document + 1]):
            term = terms[at]
            if term >= 0 and last[term] != document:
                last[term] = document
                df[term] += 1
    return df
