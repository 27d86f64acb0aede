"""Documents that say nearly the same as an earlier one: MinHash finds candidates, the Jaccard index decides.

    J(a, b) = |a ∩ b| / |a ∪ b|   over the sets of terms        (Broder 1997)

Five bands of four hashes: a pair with J = 0.9 becomes a candidate with probability 1 - (1 - 0.9^4)^5 = 0.995.
Within a band's bucket each document is compared with the earliest one only, so the count is a lower bound.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numba as nb
import numpy as np
import numpy.typing as npt
from scipy import sparse

from consilience.kernels.threads import thread_count

THRESHOLD = 0.9
_BANDS, _ROWS = 5, 4
_BLOCK = 4096


def near_duplicates(counts: sparse.csr_array, n_jobs: int = -1) -> npt.NDArray[np.int64]:
    """For each row the earlier row it nearly repeats, or -1. Rows without terms repeat nothing."""
    rows = counts.shape[0]
    generator = np.random.default_rng(20010)  # fixed: the hashes are part of the definition, not of chance
    factors = generator.integers(1, 1 << 31, _BANDS * _ROWS)
    shifts = generator.integers(0, 1 << 31, _BANDS * _ROWS)
    keys = np.empty((_BANDS, rows), np.int64)

    def hash_rows(first: int) -> None:
        _hash_rows(
            counts.indices, counts.indptr[first : first + _BLOCK + 1], factors, shifts, keys[:, first : first + _BLOCK]
        )

    with ThreadPoolExecutor(thread_count(n_jobs)) as pool:
        list(pool.map(hash_rows, range(0, rows, _BLOCK)))
    original = np.full(rows, -1, np.int64)
    for band in keys:
        _compare(counts.indices, counts.indptr, band, np.argsort(band, kind="stable"), original)
    return original


@nb.njit(cache=True, nogil=True)
def _hash_rows(indices, indptr, factors, shifts, keys):  # type: ignore[no-untyped-def]
    """indices, indptr of a CSR matrix; factors, shifts: bands * rows; keys: bands x documents, -1 where empty."""
    smallest = np.empty(len(factors), np.int64)
    for row in range(len(indptr) - 1):
        if indptr[row] == indptr[row + 1]:
            keys[:, row] = -1
            continue
        smallest[:] = 1 << 31
        for at in range(indptr[row], indptr[row + 1]):
            term = int(indices[at])
            for i in range(len(factors)):
                h = (factors[i] * term + shifts[i]) % 2147483647
                if h < smallest[i]:
                    smallest[i] = h
        for band in range(keys.shape[0]):
            key = 0
            for i in range(band * _ROWS, (band + 1) * _ROWS):
                key = ((key ^ smallest[i]) * 16777619) & 0x7FFFFFFFFF
            keys[band, row] = key


@nb.njit(cache=True, nogil=True)
def _compare(indices, indptr, keys, order, original):  # type: ignore[no-untyped-def]
    """order: rows by key, then by number; original: rows, -1 where no earlier row is known yet."""
    first = -1
    for row in order:
        if first < 0 or keys[first] != keys[row]:
            first = row
        elif original[row] < 0 and keys[row] >= 0:
            a, b = indptr[first], indptr[row]
            both = 0
            while a < indptr[first + 1] and b < indptr[row + 1]:
                if indices[a] == indices[b]:
                    both += 1
                    a += 1
                    b += 1
                elif indices[a] < indices[b]:
                    a += 1
                else:
                    b += 1
            either = indptr[first + 1] - indptr[first] + indptr[row + 1] - indptr[row] - both
            if both >= THRESHOLD * either:
                original[row] = first
