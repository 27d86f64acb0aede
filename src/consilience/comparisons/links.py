"""Links between the classes of two clusterings by their words: which class of a does each class of b continue?

By similarity, the measure with which classes were learnt (Ferret, Grau, Jardino 2001, eq. 6 and 7): candidates are
picked by activ, and a class is linked to the most similar one if sim exceeds 0.25. By entropy (their eq. 8): it is
linked to the one whose interpolated words predict its own best. Both read the words alone, not who is in a class.

    O[c, w]   how often the word w occurs in the class c
    W[c, w]   its weight: the share of the class's items that contain it, and nothing where that is under 0.1.
              The text does not say how a weight follows from the occurrences; this is our reading of its table 3,
              in which 42 occurrences go with weights of .397, .382 and .381. Words without a weight are noise: by
              similarity they are not compared.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from consilience.nouns import Floats, Integers

THRESHOLD = 0.25
_NOISE = 0.1


class ClassWords(NamedTuple):
    """The words of classes, both classes x words: occurrences (O) and weights (W)."""

    counts: sparse.csr_array
    weights: sparse.csr_array


class Links(NamedTuple):
    """For each class of b the class of a to which it is linked (-1: none), and its sim, or its divergence in nats."""

    to: Integers
    value: Floats
    classes: int

    def table(self) -> dict[str, int]:
        """Their table 4: how many classes of a have one, two, ... linked classes of b; classes of b without a link."""
        counts = np.bincount(self.to[self.to >= 0], minlength=self.classes)
        often = Counter(counts[counts > 0].tolist())
        return {"none": int((self.to < 0).sum()), **{f"1-{n}": often[n] for n in sorted(often)}}


def class_words(members: sparse.csr_array, counts: sparse.csr_array) -> ClassWords:
    """The words of classes from `members` (items x classes, how far an item belongs) and `counts` (items x words)."""
    across = sparse.csr_array(members.T, dtype=np.float64)
    contains = sparse.csr_array(counts, dtype=np.float64, copy=True)
    occurrences = sparse.csr_array(across @ contains)
    contains.data[:] = contains.data > 0
    weights = _scaled(sparse.csr_array(across @ contains), _inverse(across.sum(axis=1)))
    weights.data[weights.data * (1 + 1e-12) < _NOISE] = 0.0  # one in ten is enough, whatever rounding says
    for matrix in (occurrences, weights):
        matrix.eliminate_zeros()
        matrix.sort_indices()
    return ClassWords(occurrences, weights)


def activ(a: ClassWords, b: ClassWords) -> Floats:
    """activ(d, c) = Σ_i W[d, i] W[c, i] for every class d of a and c of b   (6)"""
    return np.asarray((a.weights @ b.weights.T).todense())


def similarity(a: ClassWords, b: ClassWords) -> Floats:
    """sim(d, c), the fourth root of the product of four shares: of weight and of occurrences, in d and in c   (7)

        Σ_{w in both} W[d, w] / Σ_t W[d, t]  ×  Σ_{w in both} O[d, w] / Σ_t O[d, t]  ×  the same two of c

    Words of a class are those with a weight. A class without words is similar to none.
    """
    O_a, O_b = (_where(words.counts, words.weights) for words in (a, b))
    in_a, in_b = (_pattern(words.weights) for words in (a, b))
    product = _shares(a.weights, in_b) * _shares(O_a, in_b) * _shares(b.weights, in_a).T * _shares(O_b, in_a).T
    return np.maximum(product, 0.0) ** 0.25


def divergence(a: ClassWords, b: ClassWords) -> Floats:
    """D(c || d) = Σ_w p(w|c) ln (p(w|c) / p'(w|d)) in nats for every class d of a and c of b, where   (8)

        p(w|c) = O[c, w] / O[c]
        p'(w|d) = (O[d, w] + nsw(d) / V) / (O[d] + nsw(d)),   nsw(d) = number of distinct words seen in d

    is Witten and Bell's interpolation over the V words of all; infinite where a class has no words.
    """
    V = a.counts.shape[1]
    nsw = np.diff(a.counts.indptr).astype(np.float64)
    total = a.counts.sum(axis=1)
    some = np.flatnonzero(nsw)
    found = np.full((a.counts.shape[0], b.counts.shape[0]), np.inf)
    if not len(some) or not b.counts.nnz:
        return found
    known = sparse.csr_array(a.counts[some])
    floor = nsw[some] / V
    # ln p' is ln(floor) for a word not seen, and so much more for one seen
    known.data = np.log1p(known.data / np.repeat(floor, np.diff(known.indptr)))
    p = _scaled(b.counts, _inverse(b.counts.sum(axis=1)))
    entropy = np.zeros(b.counts.shape[0])
    np.add.at(entropy, np.repeat(np.arange(p.shape[0]), np.diff(p.indptr)), p.data * np.log(p.data))
    predicted = np.asarray((known @ p.T).todense()) + np.log(floor / (total[some] + nsw[some]))[:, None]
    found[some] = np.maximum(entropy - predicted, 0.0)
    found[:, np.diff(b.counts.indptr) == 0] = np.inf
    return found


def by_similarity(a: ClassWords, b: ClassWords, *, threshold: float = THRESHOLD) -> Links:
    """The most similar class of a among those that activ picks (any weight in common), if sim exceeds the threshold."""
    sim = np.where(activ(a, b) > 0, similarity(a, b), 0.0)
    to, value = _best(sim)
    return Links(np.where(value > threshold, to, -1), value, a.counts.shape[0])


def by_entropy(a: ClassWords, b: ClassWords) -> Links:
    """The class of a with the smallest divergence; none for a class without words."""
    to, value = _best(-divergence(a, b))
    return Links(np.where(np.isfinite(value), to, -1), -value, a.counts.shape[0])


def _best(values: Floats) -> tuple[Integers, Floats]:
    """The largest of each column, of equals the first."""
    if not values.size:
        return np.full(values.shape[1], -1), np.full(values.shape[1], -np.inf)
    to = values.argmax(axis=0)
    return to, values[to, np.arange(values.shape[1])]


def _shares(values: sparse.csr_array, words: sparse.csr_array) -> Floats:
    """How much of each row's sum lies on the words of each of the others; 0 for a row without a sum."""
    return np.asarray((values @ words.T).todense()) * _inverse(values.sum(axis=1))[:, None]


def _inverse(sums: Any) -> Floats:
    sums = np.asarray(sums, dtype=np.float64)
    return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)


def _scaled(matrix: sparse.csr_array, by: Floats) -> sparse.csr_array:
    """Each row times a number."""
    scaled = matrix.copy()
    scaled.data *= np.repeat(by, np.diff(matrix.indptr))
    return scaled


def _pattern(matrix: sparse.csr_array) -> sparse.csr_array:
    ones: npt.NDArray[np.float64] = np.ones_like(matrix.data)
    return sparse.csr_array((ones, matrix.indices, matrix.indptr), shape=matrix.shape)


def _where(values: sparse.csr_array, words: sparse.csr_array) -> sparse.csr_array:
    """The values of words that have a weight."""
    return sparse.csr_array(values * _pattern(words))
