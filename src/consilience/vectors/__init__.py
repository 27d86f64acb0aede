"""Representations: Tokens -> Vectors. One file a view; each is a scikit-learn transformer of a matrix of counts.

To add a view, put a file here with one transformer: `fit` learns from counts, `transform` weighs them. A view of
nouns or senses says so with `reads = "nouns"` or `reads = "senses"`; all others are made from words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse
from threadpoolctl import threadpool_limits

from consilience import catalogue
from consilience.errors import SettingError
from consilience.kernels.counting import count_matrix, unit_rows, without_gaps
from consilience.nouns import Recipe, Tokens, Vectors


def reads(view: str) -> str:
    """What the tokens must be that a view is made from: "words", "nouns" or "senses"."""
    return str(getattr(catalogue.get("vectors", view), "reads", "words"))


def represent(
    tokens: Tokens, view: str = "tfidf-log", *, random_state: int = 0, n_jobs: int = -1, **settings: Any
) -> Vectors:
    """The documents of `tokens` in a view of the catalogue."""
    Transformer = catalogue.get("vectors", view)
    if reads(view) not in ("words", tokens.of):  # the weights of words weigh anything
        raise SettingError(
            f"view {view!r} is made from {reads(view)}, these tokens are {tokens.of}; "
            f"make them with tokenise(corpus, of={reads(view)!r})"
        )
    known = Transformer().get_params()
    for name in settings:
        if name not in known:
            raise SettingError(f"view {view!r} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
    if "random_state" in known:
        settings["random_state"] = random_state
    recipe = Recipe("represent", {"view": view, **settings}, tokens.recipe)
    counts = count_matrix(tokens.terms, tokens.starts, len(tokens.vocabulary), n_jobs)
    if not counts.shape[1] or not counts.shape[0]:  # nothing to learn from: every document is empty
        return Vectors(tokens.items, counts, tokens.vocabulary, recipe, terms=tokens.vocabulary, estimator=None)
    estimator = Transformer(**settings)
    matrix = estimator.fit_transform(counts)
    return Vectors(tokens.items, matrix, _names(estimator, tokens.vocabulary), recipe, tokens.vocabulary, estimator)


def represent_like(known: Vectors, tokens: Tokens, *, n_jobs: int = -1) -> Vectors:
    """Other documents in the same view: terms that it does not know are left out."""
    number = pl.DataFrame({"term": known.terms}).with_row_index("new")
    found = pl.DataFrame({"term": tokens.vocabulary}).join(number, on="term", how="left", maintain_order="left")["new"]
    number_of = found.cast(pl.Int32).fill_null(-1).to_numpy()
    terms, starts = without_gaps(number_of[tokens.terms], tokens.starts)
    counts = count_matrix(terms, starts, len(known.terms), n_jobs)
    matrix = known.estimator.transform(counts) if known.estimator is not None and counts.shape[0] else counts
    return Vectors(tokens.items, matrix, known.features, known.recipe, known.terms, known.estimator)


def transposed(vectors: Vectors) -> Vectors:
    """The terms as items, the documents they stand in as features; rows of unit length."""
    if not isinstance(vectors.matrix, sparse.csr_array):
        raise SettingError("words have no vectors of their own in this view; take one of terms, such as tfidf-log")
    matrix = unit_rows(sparse.csr_array(vectors.matrix.T))
    recipe = Recipe("transpose", {}, vectors.recipe)
    return Vectors(vectors.features, matrix, vectors.items, recipe, vectors.terms)


_BLOCK = 1 << 23  # distances at a time: 64 MB
_ROUNDING = {"cosine": 1e-12, "euclidean": 1e-14}  # a distance, or a squared one's share of its terms, that is none


def distances(
    vectors: Vectors, others: Vectors | None = None, *, metric: str = "cosine"
) -> Iterator[npt.NDArray[np.float64]]:
    """Distances of all rows from all rows of `others` (without: of their own), a block of rows at a time.

        cosine      1 - x · y / (||x|| ||y||)             from a row of zeros, which has no direction, it is 1
        euclidean   sqrt(||x||² + ||y||² - 2 x · y)

    Sparse stays sparse but for the block itself, which is one column per row of `others` and 64 MB at most.
    """
    if metric not in _ROUNDING:
        raise SettingError(f"metric must be 'cosine' or 'euclidean', it is {metric!r}")
    left, right = (_precise(which.matrix) for which in (vectors, others or vectors))
    if left.shape[1] != right.shape[1]:
        raise SettingError(f"both sides must have the same columns; they have {left.shape[1]} and {right.shape[1]}")
    across = right.T.tocsr() if sparse.issparse(right) else right.T
    mine, theirs = _squares(left), _squares(right)
    step = max(1, _BLOCK // max(1, right.shape[0]))
    for start in range(0, left.shape[0], step):
        with threadpool_limits(limits=1, user_api="blas"):  # its sums differ with the number of threads
            product = left[start : start + step] @ across
        products = product.toarray() if sparse.issparse(product) else product
        if metric == "cosine":
            lengths = np.sqrt(np.outer(mine[start : start + step], theirs))
            far = 1 - np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
            yield np.where(far > _ROUNDING[metric], far, 0.0)
        else:
            terms = mine[start : start + step, None] + theirs
            far = terms - 2 * products
            yield np.sqrt(np.where(far > _ROUNDING[metric] * terms, far, 0.0))


def _precise(matrix: Any) -> Any:
    return sparse.csr_array(matrix, dtype=np.float64) if sparse.issparse(matrix) else np.asarray(matrix, np.float64)


def _squares(matrix: Any) -> npt.NDArray[np.float64]:
    squared = matrix.multiply(matrix) if sparse.issparse(matrix) else matrix**2
    return np.asarray(squared.sum(axis=1), np.float64)


def _names(estimator: Any, terms: pl.Series) -> pl.Series:
    if hasattr(estimator, "components_"):
        return pl.Series("feature", estimator.get_feature_names_out().tolist(), dtype=pl.String)
    return terms
