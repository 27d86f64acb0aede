"""Latent semantic indexing: the strongest components of tf-idf, dense, rows of unit length."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from consilience.vectors.tfidf import Tfidf


class Lsi(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """X ≈ U S V';   a document is x V / ||x V||

    X is tf-idf; `n_components` of V are kept, at most as many as X has rows and columns. BLAS is held to one thread:
    its sums, and so the last bits, would differ with more.
    """

    def __init__(self, *, n_components: int = 100, random_state: int = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        self.weighting_ = Tfidf().fit(X)
        self.n_features_in_ = self.weighting_.n_features_in_
        weighted = self.weighting_.transform(X)
        n_components = min(self.n_components, *weighted.shape)
        with threadpool_limits(limits=1, user_api="blas"):
            _, strengths, components = randomized_svd(weighted, n_components, n_iter=7, random_state=self.random_state)
        self.components_ = np.ascontiguousarray(components.T, np.float32)
        self.singular_values_ = strengths
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float32]:
        """Dense rows of unit length; a row of zeros stays."""
        check_is_fitted(self)
        projected = np.asarray(self.weighting_.transform(X) @ self.components_, np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", projected, projected, dtype=np.float64))[:, None]
        return np.divide(projected, lengths, out=projected, where=lengths > 0, casting="unsafe")

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags
