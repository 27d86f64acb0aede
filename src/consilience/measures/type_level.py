"""Measures of words that have several classes and several clusters (Reichart, Abend, Rappoport 2010).

Item i has the gold classes A_i and the clusters B_i; h maps clusters to classes, and h(B_i) is a set. With IM_i the
number of classes in both A_i and h(B_i), and for a class c the items that have it, U_c the items of all clusters that
map to it, united,

    MacroI = 2 Σ_i IM_i / (Σ_i |A_i| + Σ_i |h(B_i)|)            items that have more classes and clusters weigh more
    MicroI = 1/l Σ_i 2 IM_i / (|A_i| + |h(B_i)|)                every item weighs the same
    MicroC = Σ_c |U_c| / N* F_c,   F_c = 2 |c ∩ U_c| / (|c| + |U_c|),   N* = Σ_c |U_c|     every cluster by its size

(MacroC, by clusters, equals MacroI.) One to one (`_1_1`), h is the best matching, and a cluster that is left over keeps
counting: |h(B_i)| is |B_i|, its F is 0. Many to one (`_m_1`), h climbs the measure itself, one cluster at a time, from
several random mappings in random order, and from the class with the best F for each cluster; the best end is kept. No
exact way is known; where all mappings can be tried the climb is held against them.

Items without a gold class are not judged. No items to judge: nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numba as nb
import numpy as np
from scipy import sparse

from consilience.errors import SettingError
from consilience.measures.mappings import matching
from consilience.measures.sets import Sets, binary, sets_of
from consilience.nouns import Floats, Integers

RESTARTS = 10
_MACRO_I, _MICRO_I, _MICRO_C = range(3)
_CODES = {"macro_i": _MACRO_I, "micro_i": _MICRO_I, "micro_c": _MICRO_C}
_ROUNDING = 1e-12  # a move must gain more than that: equal mappings are not exchanged for ever


class TypeScore(NamedTuple):
    """A measure, its recall and precision, and the mapping h under which it was reached (-1: left over)."""

    value: float
    recall: float
    precision: float
    mapping: Integers


def type_level(
    gold: sparse.csr_array, induced: sparse.csr_array, *, restarts: int = RESTARTS, random_state: int = 0
) -> dict[str, TypeScore]:
    """All six: items x classes and items x clusters, both 0 or not 0, rows for the same items."""
    return scored(sets_of(gold, induced), restarts, random_state)


def scored(sets: Sets, restarts: int = RESTARTS, random_state: int = 0) -> dict[str, TypeScore]:
    """The same of sets."""
    A, B = sets.gold, sets.induced
    found = {}
    for name, code in _CODES.items():
        found[f"{name}_1_1"] = _score(A, B, one_to_one(A, B, name), code, one=True)
        found[f"{name}_m_1"] = _score(A, B, climbed(A, B, name, restarts, random_state), code, one=False)
    return found


def held(A: sparse.csr_array, B: sparse.csr_array, found: Mapping[str, TypeScore]) -> Callable[[Integers], Floats]:
    """The measures where item i stands w_i times, each with its mapping held as it was found."""
    parts = [(_parts(A, B, x.mapping, one=name.endswith("_1_1")), _CODES[name[:-4]]) for name, x in found.items()]
    return lambda w: np.array([_measured(part, w, code)[0] for part, code in parts])


def macro_i_1_1(sets: Sets) -> float:
    """2 Σ_i |A_i ∩ h(B_i)| / (Σ_i |A_i| + Σ_i |B_i|), h the best one-to-one mapping   (Reichart and others 2010)"""
    return sets.once(scored)["macro_i_1_1"].value


def macro_i_m_1(sets: Sets) -> float:
    """2 Σ_i |A_i ∩ h(B_i)| / (Σ_i |A_i| + Σ_i |h(B_i)|), h climbed, many to one   (Reichart and others 2010)"""
    return sets.once(scored)["macro_i_m_1"].value


def micro_i_1_1(sets: Sets) -> float:
    """1/l Σ_i 2 |A_i ∩ h(B_i)| / (|A_i| + |B_i|), h the best one-to-one mapping   (Reichart and others 2010)"""
    return sets.once(scored)["micro_i_1_1"].value


def micro_i_m_1(sets: Sets) -> float:
    """1/l Σ_i 2 |A_i ∩ h(B_i)| / (|A_i| + |h(B_i)|), h climbed, many to one   (Reichart and others 2010)"""
    return sets.once(scored)["micro_i_m_1"].value


def micro_c_1_1(sets: Sets) -> float:
    """Σ_j |k_j| / Σ |k| F(h(j), j), h the best one-to-one mapping   (Reichart and others 2010)"""
    return sets.once(scored)["micro_c_1_1"].value


def micro_c_m_1(sets: Sets) -> float:
    """Σ_c |U_c| / Σ |U| F(c, U_c), U_c all clusters that h maps to c, h climbed   (Reichart and others 2010)"""
    return sets.once(scored)["micro_c_m_1"].value


def one_to_one(A: sparse.csr_array, B: sparse.csr_array, name: str) -> Integers:
    """The matching with the largest sum of edges W_cj = Σ_i F, w_i, or |k_j| / N* F_cj; in the measures' order."""
    code = _CODES[name]
    weighted = sparse.diags_array(1.0 / (_row_sizes(A) + _row_sizes(B))) @ B if code == _MICRO_I else B
    edges = sparse.coo_array(A.T @ weighted)
    weights, (row, column) = edges.data, edges.coords
    if code == _MICRO_C:
        sizes = _column_sizes(B)[column]
        weights = sizes * weights / (_column_sizes(A)[row] + sizes)
    return matching(weights, row, column, edges.shape)


def climbed(A: sparse.csr_array, B: sparse.csr_array, name: str, restarts: int, random_state: int) -> Integers:
    """The best of the ends of all climbs, the first of equal ones."""
    if restarts < 0:
        raise SettingError(f"restarts is {restarts}; it is 0 (the best class of each cluster alone) or more")
    classes, clusters = A.shape[1], B.shape[1]
    if not (A.nnz and clusters):
        return np.full(clusters, -1, np.int64)
    arrays = tuple(part.astype(np.int64) for m in (A, B, B.tocsc()) for part in (m.indptr, m.indices))
    starts = [(_best_f(A, B), np.arange(clusters))]
    for child in np.random.SeedSequence(random_state).spawn(restarts):
        generator = np.random.default_rng(child)
        starts.append((generator.integers(0, classes, clusters), generator.permutation(clusters)))
    for h, order in starts:
        _climb(*arrays, _column_sizes(A), h, order, _CODES[name])
    values = [_score(A, B, h, _CODES[name], one=False).value for h, _ in starts]
    return starts[int(np.argmax(values))][0]


class _Parts(NamedTuple):
    """What the measures are made of: items x classes of gold, mapped, both, and how many clusters count per item."""

    gold: sparse.csr_array
    mapped: sparse.csr_array
    both: sparse.csr_array
    counted: Integers


def _parts(A: sparse.csr_array, B: sparse.csr_array, h: Integers, *, one: bool) -> _Parts:
    some = np.flatnonzero(h >= 0)
    onto = sparse.csr_array((np.ones(len(some), np.int64), (some, h[some])), shape=(B.shape[1], A.shape[1]))
    mapped = binary(B @ onto)
    return _Parts(A, mapped, sparse.csr_array(A.multiply(mapped)), _row_sizes(B) if one else _row_sizes(mapped))


def _measured(parts: _Parts, w: Integers, code: int) -> tuple[float, float, float]:
    """Value, recall and precision where item i stands w_i times."""
    if not w.sum():
        return 1.0, 1.0, 1.0
    A, h_B, IM = _row_sizes(parts.gold), parts.counted, _row_sizes(parts.both)
    if code == _MACRO_I:
        both, a, b = (float(w @ each) for each in (IM, A, h_B))
        return 2 * both / (a + b), both / a, both / b if b else 0.0
    if code == _MICRO_I:
        F, R, P = (w * IM * factor / np.maximum(of, 1) for factor, of in ((2, A + h_B), (1, A), (1, h_B)))
        return float(F.sum() / w.sum()), float(R.sum() / w.sum()), float(P.sum() / w.sum())
    c, U, CM = (np.asarray(side.T @ w, float) for side in (parts.gold, parts.mapped, parts.both))
    share = U / max(w @ h_B, 1)
    F, R, P = (share * factor * CM / np.maximum(of, 1) for factor, of in ((2, c + U), (1, c), (1, U)))
    return float(F.sum()), float(R.sum()), float(P.sum())


def _score(A: sparse.csr_array, B: sparse.csr_array, h: Integers, code: int, *, one: bool) -> TypeScore:
    return TypeScore(*_measured(_parts(A, B, h, one=one), np.ones(A.shape[0], np.int64), code), h)


def _best_f(A: sparse.csr_array, B: sparse.csr_array) -> Integers:
    """For each cluster the class with the largest F, the first of equal ones; the first class if it meets none."""
    edges = sparse.coo_array(A.T @ B)
    row, column = edges.coords
    F = edges.data / (_column_sizes(A)[row] + _column_sizes(B)[column])
    order = np.lexsort((row, -F, column))
    first = order[np.diff(column[order], prepend=-1) > 0]
    h = np.zeros(B.shape[1], np.int64)
    h[column[first]] = row[first]
    return h


def _row_sizes(sets: sparse.csr_array) -> Integers:
    return np.diff(sets.indptr).astype(np.int64)


def _column_sizes(sets: sparse.csr_array) -> Integers:
    return np.bincount(sets.indices, minlength=sets.shape[1])


@nb.njit(cache=True, nogil=True)
def _climb(A_starts, A, B_starts, B, K_starts, K, gold, h, order, code):  # type: ignore[no-untyped-def]
    """Moves clusters in turn to the class that is best while all others stay, until none moves.

    Without cluster j, item i still has the classes of its other clusters (its rest). Moving j to c gives c to the
    items of j whose rest lacks it, `len(j) - in_rest[c]` of them, of which `hit[c]` have it in gold: one pass over the
    items of j prices all classes.
    """
    # A, B: rows of items; K: rows of clusters; gold: sizes of classes; h: of clusters, changed in place
    classes = len(gold)
    size, match = np.zeros(classes, np.int64), np.zeros(classes, np.int64)  # |U_c|, |c ∩ U_c|
    seen, stamp = np.zeros(classes, np.int64), 0
    rest = np.empty(classes, np.int64)
    in_rest, hit = np.empty(classes, np.int64), np.empty(classes, np.int64)
    gain = np.empty(classes)
    for i in range(len(A_starts) - 1):
        stamp += 1
        for p in range(B_starts[i], B_starts[i + 1]):
            if seen[h[B[p]]] != stamp:
                seen[h[B[p]]] = stamp
                size[h[B[p]]] += 1
        for p in range(A_starts[i], A_starts[i + 1]):
            match[A[p]] += seen[A[p]] == stamp
    moved = True
    while moved:
        moved = False
        for j in order:
            in_rest[:], hit[:], gain[:] = 0, 0, 0.0
            for q in range(K_starts[j], K_starts[j + 1]):
                i = K[q]
                stamp += 1
                r = 0
                for p in range(B_starts[i], B_starts[i + 1]):
                    c = h[B[p]]
                    if B[p] != j and seen[c] != stamp:
                        seen[c] = stamp
                        in_rest[c] += 1
                        rest[r] = c
                        r += 1
                m, a = 0, A_starts[i + 1] - A_starts[i]
                for p in range(A_starts[i], A_starts[i + 1]):
                    m += seen[A[p]] == stamp
                wrong = 2.0 * m / (a + r + 1)  # F of the item if j goes to a class that it has nowhere
                for p in range(A_starts[i], A_starts[i + 1]):
                    if seen[A[p]] != stamp:
                        hit[A[p]] += 1
                        gain[A[p]] += 2.0 * (m + 1) / (a + r + 1) - wrong
                for p in range(r):
                    gain[rest[p]] += 2.0 * m / (a + r) - wrong
            own, length = h[j], K_starts[j + 1] - K_starts[j]
            size[own] -= length - in_rest[own]
            match[own] -= hit[own]
            if code != _MICRO_I:
                _price(size, match, gold, length - in_rest, hit, code, gain)
            best = own
            for c in range(classes):
                if gain[c] > gain[best] + _ROUNDING:
                    best = c
            moved |= best != own
            h[j] = best
            size[best] += length - in_rest[best]
            match[best] += hit[best]


@nb.njit(cache=True, nogil=True)
def _price(size, match, gold, more, hit, code, value):  # type: ignore[no-untyped-def]
    """The measure if class c alone gets `more[c]` items, `hit[c]` of them rightly."""
    # all: classes
    if code == _MACRO_I:
        for c in range(len(gold)):
            value[c] = 2.0 * (match.sum() + hit[c]) / (gold.sum() + size.sum() + more[c])
        return
    total = 0.0
    for c in range(len(gold)):
        total += 2.0 * size[c] * match[c] / max(gold[c] + size[c], 1)
    for c in range(len(gold)):
        old = 2.0 * size[c] * match[c] / max(gold[c] + size[c], 1)
        new = 2.0 * (size[c] + more[c]) * (match[c] + hit[c]) / max(gold[c] + size[c] + more[c], 1)
        value[c] = (total - old + new) / max(size.sum() + more[c], 1)
