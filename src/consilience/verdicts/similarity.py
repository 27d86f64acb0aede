"""Similar words: those that stand in the same documents (Cavar 2010: "which words are similar?")."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from consilience.errors import InputError
from consilience.language.stems import reduce
from consilience.nouns import Tokens, Vectors


def nearest_words(vectors: Vectors, tokens: Tokens, word: str, *, count: int = 20) -> pl.DataFrame:
    """cos(x_v, x_w) = x_v · x_w / (||x_v|| ||x_w||) over the columns of the documents' vectors, largest first.

    The word may be given as it stands in a text or as a term; ties go to the more frequent word, then by name.
    """
    if len(vectors.features) != len(tokens.vocabulary):
        raise InputError("words have no columns of their own in this view; take one of terms, such as tfidf-log")
    column = _column(tokens, word)
    matrix = sparse.csc_array(vectors.matrix, dtype=np.float64)
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=0)).ravel())
    own = matrix[:, [column]].toarray().ravel()
    cosine = np.divide(matrix.T @ own, lengths * lengths[column], out=np.zeros(len(lengths)), where=lengths > 0)
    documents = np.diff(matrix.indptr)
    order = np.lexsort((np.arange(len(cosine)), -documents, -cosine.round(9)))
    order = order[(order != column) & (cosine[order] > 0)][:count]
    return pl.DataFrame(
        {"word": tokens.surface.gather(order), "similarity": cosine[order].round(6), "documents": documents[order]}
    )


def _column(tokens: Tokens, word: str) -> int:
    lower = word.strip().lower()
    stem = str(tokens.recipe.settings.get("stem", "none"))
    term = reduce(pl.Series("word", [lower]), stem=stem, language=tokens.language)[0]
    for names, wanted in ((tokens.vocabulary, lower), (tokens.surface, lower), (tokens.vocabulary, term)):
        found = names.index_of(wanted)
        if found is not None:
            return int(found)
    raise InputError(
        f"no document holds {word!r} as a term; it may be a stop word, or too rare (--min-df), or not there at all"
    )
