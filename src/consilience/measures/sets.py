"""Classes and clusters as sets: an item may have several of each. What the table is to partitions.

Items without a gold class are not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from consilience.errors import InputError
from consilience.nouns import Integers

Known = TypeVar("Known")


@dataclass(frozen=True, eq=False)
class Sets:
    """Gold classes and clusters of the same items as 0 and 1, a row for each item; no row of gold is empty."""

    gold: sparse.csr_array
    induced: sparse.csr_array
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def once(self, what: Callable[[Sets], Known]) -> Known:
        """What a function makes of these sets, made once for however many measures ask for it."""
        if what not in self._known:
            self._known[what] = what(self)
        known: Known = self._known[what]
        return known


def sets_of(gold: sparse.csr_array, induced: sparse.csr_array) -> Sets:
    """Of the items that have a gold class; whatever is not 0 counts as 1."""
    if gold.shape[0] != induced.shape[0]:
        raise InputError(f"both sets must name the same items; they have {gold.shape[0]} and {induced.shape[0]} rows")
    A, B = binary(gold), binary(induced)
    some = np.flatnonzero(np.diff(A.indptr))
    return Sets(A[some], B[some])


def binary(matrix: sparse.csr_array) -> sparse.csr_array:
    """1 where there is a value, rows sorted."""
    sets = sparse.csr_array(matrix != 0, dtype=np.int64)
    sets.sort_indices()
    return sets


class Profiles(NamedTuple):
    """The different pairs of A(e) and B(e), and how many items have each."""

    A: sparse.csr_array
    B: sparse.csr_array
    items: Integers


def profiles_of(sets: Sets) -> Profiles:
    """Found by a random number for each class and cluster, summed over the row; then compared in full."""
    both = sparse.hstack([sets.gold, sets.induced], format="csr")
    numbers = np.random.default_rng(0).integers(1, 2**63, both.shape[1], dtype=np.int64)
    sums = np.zeros(both.shape[0], np.int64)
    np.add.at(sums, np.repeat(np.arange(both.shape[0]), np.diff(both.indptr)), numbers[both.indices])
    _, first, where, items = np.unique(sums, return_index=True, return_inverse=True, return_counts=True)
    again = both[first[where]]
    if not (np.array_equal(again.indptr, both.indptr) and np.array_equal(again.indices, both.indices)):
        first, items = np.arange(both.shape[0]), np.ones(both.shape[0], np.int64)  # two sums met by chance
    return Profiles(sets.gold[first], sets.induced[first], items)
