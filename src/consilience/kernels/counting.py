"""Ragged term numbers to a sparse matrix of counts, rows sorted, and rows of a sparse matrix to unit length."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numba as nb
import numpy as np
import numpy.typing as npt
from scipy import sparse

from consilience.errors import SettingError

_ROWS = 4096  # documents per task: the tasks, and so the result, do not depend on the number of threads


def threads(n_jobs: int) -> int:
    """How many threads `n_jobs` asks for, as in scikit-learn: -1 is all cores, -2 all but one."""
    if n_jobs == 0:
        raise SettingError("the number of threads is 0; it is 1 or more, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def count_matrix(
    terms: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], size: int, n_jobs: int = -1
) -> sparse.csr_array:
    """O[d, t] = how often term t stands in document d, as float32 (exact up to 2^24)."""
    documents = len(starts) - 1
    indices = np.empty(len(terms), np.int32)
    counts = np.empty(len(terms), np.float32)
    lengths = np.zeros(documents, np.int64)

    def count(first: int) -> None:
        _count_rows(terms, starts[first : first + _ROWS + 1], size, indices, counts, lengths[first : first + _ROWS])

    with ThreadPoolExecutor(threads(n_jobs)) as pool:
        list(pool.map(count, range(0, documents, _ROWS)))
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    _close_gaps(starts, indptr, indices, counts)
    nnz = int(indptr[-1])
    indices.resize(nnz, refcheck=False)  # in place: a copy would be as large as the tokens
    counts.resize(nnz, refcheck=False)
    if nnz < np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    else:
        indices = indices.astype(np.int64)
    matrix = sparse.csr_array((counts, indices, indptr), shape=(documents, size))
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def term_counts(terms: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.int64]:
    """How often each term stands anywhere; -1 is a gap. (np.bincount would copy the terms to 64 bits first.)"""
    return _term_counts(terms, size)


def without_gaps(
    terms: npt.NDArray[np.int32], starts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The ragged rows without their -1. Takes the memory of `terms` over."""
    closed = _without_gaps(terms, starts)
    return terms[: closed[-1]], closed


def take_rows(
    terms: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], rows: npt.NDArray[np.integer]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The ragged rows in another order, or some of them."""
    lengths = np.diff(starts)[rows]
    taken = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    out = np.empty(taken[-1], terms.dtype)
    _take_rows(terms, starts, rows, taken, out)
    return out, taken


def unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """Divides every row by its Euclidean length, in place; rows of zeros stay."""
    _unit_rows(matrix.data, matrix.indptr)
    return matrix


@nb.njit(cache=True, nogil=True)
def _count_rows(terms, starts, size, indices, counts, lengths):  # type: ignore[no-untyped-def]
    """Writes row d to indices, counts from starts[d] on, and its length; terms is ragged by starts."""
    seen = np.zeros(size, np.int32)
    for row in range(len(starts) - 1):
        end = starts[row]
        for at in range(starts[row], starts[row + 1]):
            term = terms[at]
            if seen[term] == 0:
                indices[end] = term
                end += 1
            seen[term] += 1
        indices[starts[row] : end] = np.sort(indices[starts[row] : end])
        for at in range(starts[row], end):
            counts[at] = seen[indices[at]]
            seen[indices[at]] = 0
        lengths[row] = end - starts[row]


@nb.njit(cache=True, nogil=True)
def _close_gaps(starts, indptr, indices, counts):  # type: ignore[no-untyped-def]
    """Moves row d from starts[d] to indptr[d] (never to the right)."""
    for row in range(len(starts) - 1):
        shift = starts[row] - indptr[row]
        if shift:
            for at in range(indptr[row], indptr[row + 1]):
                indices[at] = indices[at + shift]
                counts[at] = counts[at + shift]


@nb.njit(cache=True, nogil=True)
def _term_counts(terms, size):  # type: ignore[no-untyped-def]
    """terms: numbers below size, or -1."""
    counts = np.zeros(size, np.int64)
    for term in terms:
        if term >= 0:
            counts[term] += 1
    return counts


@nb.njit(cache=True, nogil=True)
def _without_gaps(terms, starts):  # type: ignore[no-untyped-def]
    """Moves the terms that are no gap to the front, in place; returns the new starts."""
    closed = np.zeros_like(starts)
    end = 0
    for row in range(len(starts) - 1):
        for at in range(starts[row], starts[row + 1]):
            if terms[at] >= 0:
                terms[end] = terms[at]
                end += 1
        closed[row + 1] = end
    return closed


@nb.njit(cache=True, nogil=True)
def _take_rows(terms, starts, rows, taken, out):  # type: ignore[no-untyped-def]
    """Row rows[i] of terms (ragged by starts) becomes row i of out (ragged by taken)."""
    for i in range(len(rows)):
        shift = starts[rows[i]] - taken[i]
        for at in range(taken[i], taken[i + 1]):
            out[at] = terms[at + shift]


@nb.njit(cache=True, nogil=True)
def _unit_rows(data, indptr):  # type: ignore[no-untyped-def]
    """data, indptr of a CSR matrix."""
    for row in range(len(indptr) - 1):
        square = 0.0
        for at in range(indptr[row], indptr[row + 1]):
            square += float(data[at]) * float(data[at])
        if square > 0:
            scale = 1 / np.sqrt(square)
            for at in range(indptr[row], indptr[row + 1]):
                data[at] *= scale
