"""Representations: Tokens -> Vectors. One file a view; each is a scikit-learn transformer of a matrix of counts.

To add a view, put a file here with one transformer: `fit` learns from counts, `transform` weighs them.
"""

from __future__ import annotations

from typing import Any

import polars as pl
from scipy import sparse

from consilience import catalogue
from consilience.errors import SettingError
from consilience.kernels.counting import count_matrix, unit_rows, without_gaps
from consilience.nouns import Recipe, Tokens, Vectors


def represent(
    tokens: Tokens, view: str = "tfidf-log", *, random_state: int = 0, n_jobs: int = -1, **settings: Any
) -> Vectors:
    """The documents of `tokens` in a view of the catalogue."""
    Transformer = catalogue.get("vectors", view)
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


def _names(estimator: Any, terms: pl.Series) -> pl.Series:
    if hasattr(estimator, "components_"):
        return pl.Series("feature", estimator.get_feature_names_out().tolist(), dtype=pl.String)
    return terms
