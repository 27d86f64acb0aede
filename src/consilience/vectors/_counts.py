"""What every weighting of counts shares: checks, document frequencies, names of columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from consilience.kernels.counting import term_counts


class CountWeighting(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """A view of a matrix of counts that keeps its columns: learns N and df_t, then weighs."""

    def fit(self, X: Any, y: Any = None) -> Self:
        counts = self._counts(X, reset=True)
        self.n_documents_ = counts.shape[0]
        self.df_ = term_counts(counts.indices, counts.shape[1])
        return self

    def transform(self, X: Any) -> sparse.csr_array:
        """The weighted matrix, CSR float32."""
        check_is_fitted(self)
        return self._weigh(self._counts(X, reset=False))

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Weighs in place: `counts` is a copy."""
        return counts

    def _counts(self, X: Any, *, reset: bool) -> sparse.csr_array:
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        check_non_negative(X, type(self).__name__)
        counts = sparse.csr_array(X, dtype=np.float32, copy=True)
        counts.sum_duplicates()
        counts.eliminate_zeros()
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def idf(n_documents: int, df: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """idf_t = ln(N / df_t); a term that occurs nowhere gets 0."""
    return np.where(df > 0, np.log(n_documents / np.maximum(df, 1)), 0.0)
