"""Rows that can be compared: one form whatever came, and at unit length where directions are compared."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from consilience.kernels.rows import Floats64, Labels, column_squares, nearest, rows_of, squares
from consilience.kernels.threads import Threads


class Comparable(NamedTuple):
    """The rows that take part, and which of those given they are."""

    rows: sparse.csr_array  # float64, columns rising, none twice, no zeros
    some: npt.NDArray[np.intp]


def comparable(X: Any, cosine: bool) -> Comparable:
    """The rows of a sparse or dense matrix; for the cosine those with a direction, at unit length."""
    if sparse.issparse(X):  # a new matrix from the parts: no flag of the old one is believed
        parts = (X.data.astype(np.float64), X.indices.astype(np.int32), X.indptr.astype(np.int64))
        rows = sparse.csr_array(parts, shape=X.shape)
        rows.sum_duplicates()
        rows.eliminate_zeros()
    else:
        rows = sparse.csr_array(np.asarray(X, dtype=np.float64))
    if not cosine:
        return Comparable(rows, np.arange(X.shape[0]))
    lengths = row_squares(rows)
    some = np.flatnonzero(lengths > 0)
    rows = rows[some]
    rows.data /= np.repeat(np.sqrt(lengths[some]), np.diff(rows.indptr))
    return Comparable(rows, some)


def row_squares(rows: Any) -> Floats64:
    """||x||² of every row."""
    out = np.empty(rows.shape[0])
    squares(rows_of(rows), out, 0, len(out))
    return out


def nearest_centre(rows: Any, centres: Floats64, cosine: bool, threads: Threads) -> Labels:
    """For every row the number of the nearest centre, the lower of equals; -1 where there is none."""
    # centres: K x features, of unit length for the cosine
    across = np.ascontiguousarray(centres.T)
    half = np.zeros(len(centres)) if cosine else column_squares(across) / 2
    return nearest(rows_of(rows), np.ones(rows.shape[0]), row_squares(rows), across, half, threads).labels
