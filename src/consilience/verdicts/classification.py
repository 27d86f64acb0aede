"""Which of given classes a document belongs to: the class whose centroid is nearest (Cavar 2010)."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from consilience.kernels.counting import unit_rows
from consilience.nouns import Integers


class NearestCentroid(ClassifierMixin, BaseEstimator):
    """class(x) = argmax_c cos(x, C_c),   C_c = Σ_{x of class c} x / ||x||

    A row of zeros has no direction; it goes to the largest class. Ties go to the class that sorts first.
    """

    def fit(self, X: Any, y: Any) -> Self:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float32, np.float64])
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        rows = _unit(X)
        member = sparse.csr_array(
            (np.ones(len(numbers), rows.dtype), (numbers, np.arange(len(numbers)))),
            shape=(len(self.classes_), len(numbers)),
        )
        self.centroids_ = _unit(member @ rows).toarray().T
        self.largest_ = int(np.argmax(np.bincount(numbers)))
        return self

    def cosines(self, X: Any) -> npt.NDArray[np.floating]:
        """cos(x, C_c): a row per item, a column per class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float32, np.float64], reset=False)
        return np.asarray(_unit(X) @ self.centroids_)

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        near = self.cosines(X)
        nearest = near.argmax(axis=1)
        nearest[~near.any(axis=1)] = self.largest_
        return self.classes_[nearest]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Accuracy(NamedTuple):
    """The share of held-out items put into their class, with its 95 % interval (Wilson 1927) and by class."""

    value: float
    low: float
    high: float
    held_out: int
    by_class: dict[str, float]


def accuracy(classes: npt.NDArray[Any], predicted: npt.NDArray[Any]) -> Accuracy:
    """Of items that were not learnt from."""
    right = classes == predicted
    n, p, z = len(right), float(right.mean()), 1.959964
    centre, half = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    by_class = {str(name): float(right[classes == name].mean()) for name in np.unique(classes)}
    return Accuracy(p, float((centre - half) / (1 + z * z / n)), float((centre + half) / (1 + z * z / n)), n, by_class)


def folds(classes: npt.NDArray[Any], k: int, random_state: int) -> Integers:
    """A fold from 0 to k - 1 for each item, every class spread over the folds as evenly as it can be."""
    generator = np.random.default_rng(random_state)
    shuffled = generator.permutation(len(classes))
    order = shuffled[np.argsort(classes[shuffled], kind="stable")]
    fold = np.empty(len(classes), np.int64)
    fold[order] = np.arange(len(classes)) % k
    return fold


def _unit(X: Any) -> sparse.csr_array:
    rows = sparse.csr_array(X, copy=True)
    return unit_rows(rows)
