"""How far a measure may lie off because these items were drawn and not others: bootstrap intervals.

How they are drawn and laid around the value: `resampling.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse

from consilience.measures.catalogue import MEASURES, SET_MEASURES
from consilience.measures.contingency import Contingency, from_cells
from consilience.measures.resampling import FEWEST, LEVEL, Cells, Interval, around
from consilience.measures.sets import Profiles, Sets, profiles_of
from consilience.measures.type_level import TypeScore, held, scored
from consilience.nouns import Floats, Integers

__all__ = [
    "LEVEL",
    "Cells",
    "Difference",
    "Interval",
    "around",
    "combined",
    "differences",
    "intervals",
    "set_differences",
    "set_intervals",
    "tabulated",
]

_PROFILES = 3000  # different combinations of classes and clusters, up to which overlapping sets are resampled


class Difference(NamedTuple):
    """How much larger a measure is for the first of two clusterings; 0 within the interval: they may be equal."""

    value: float
    low: float
    high: float


def intervals(
    classes: Integers,
    clusters: Integers,
    *,
    resamples: int | Literal["auto"] = "auto",
    level: float = LEVEL,
    random_state: int = 0,
) -> dict[str, Interval]:
    """Of every measure, on all items, each one that is not assigned (-1) alone."""
    cells = combined(classes, clusters)
    table = tabulated(*cells.labels)
    low, high = around(lambda n: _measured(table(n)), cells, resamples, level, random_state)[1:]
    ends = [(measure.low, measure.high) for measure in MEASURES.values()]
    low, high = (np.clip(end, *np.array(ends).T) for end in (low, high))
    return {name: Interval(float(a), float(b)) for name, a, b in zip(MEASURES, low, high, strict=True)}


def differences(
    classes: Integers,
    first: Integers,
    second: Integers,
    *,
    resamples: int | Literal["auto"] = "auto",
    level: float = LEVEL,
    random_state: int = 0,
) -> dict[str, Difference]:
    """Of every measure, the first clustering's less the second's, on the same items in every resample."""
    cells = combined(classes, first, second)
    c, a, b = cells.labels
    ours, theirs = tabulated(c, a), tabulated(c, b)
    less = around(lambda n: _measured(ours(n)) - _measured(theirs(n)), cells, resamples, level, random_state)
    numbers = zip(MEASURES, *less, strict=True)
    return {name: Difference(float(v), float(x), float(y)) for name, v, x, y in numbers}


def set_intervals(
    sets: Sets, *, resamples: int | Literal["auto"] = "auto", level: float = LEVEL, random_state: int = 0
) -> dict[str, Interval]:
    """Of every measure of sets, those of type level with the mapping that was found for all items.

    NaN where items differ so much that resampling would take minutes.
    """
    cells = sets.once(profiles_of)
    sides = [(cells.B, sets.once(scored))]
    low, high = _sets_around(cells, sides, resamples, level, random_state)[1:]
    ends = [(measure.low, measure.high) for measure in SET_MEASURES.values()]
    low, high = (np.clip(end, *np.array(ends).T) for end in (low, high))
    return {name: Interval(float(a), float(b)) for name, a, b in zip(SET_MEASURES, low, high, strict=True)}


def set_differences(
    first: Sets,
    second: Sets,
    *,
    resamples: int | Literal["auto"] = "auto",
    level: float = LEVEL,
    random_state: int = 0,
) -> dict[str, Difference]:
    """Of every measure of sets, the first clustering's less the second's, both with the same gold sets."""
    width = first.induced.shape[1]
    cells = profiles_of(Sets(first.gold, sparse.csr_array(sparse.hstack([first.induced, second.induced]))))
    sides = [(cells.B[:, :width], first.once(scored)), (cells.B[:, width:], second.once(scored))]
    less = _sets_around(cells, sides, resamples, level, random_state)
    numbers = zip(SET_MEASURES, *less, strict=True)
    return {name: Difference(float(v), float(x), float(y)) for name, v, x, y in numbers}


def combined(*labellings: Integers) -> Cells:
    """The combinations of labels that there are, each once; -1 is kept."""
    codes = np.zeros(len(labellings[0]), np.int64)
    for labels in labellings:
        width = int(labels.max(initial=-1)) + 2
        codes = np.unique(codes * width + labels + 1, return_inverse=True)[1]
    first = np.unique(codes, return_index=True)[1]
    return Cells(np.bincount(codes), tuple(labels[first].astype(np.int64) for labels in labellings))


def tabulated(classes: Integers, clusters: Integers) -> Callable[[Integers], Contingency]:
    """A function that gives the table of n items of each pair of labels; those of cluster -1 are alone."""
    apart = clusters < 0
    height, width = int(classes.max(initial=-1)) + 1, int(clusters.max(initial=-1)) + 1
    cell, where = np.unique(classes[~apart] * max(width, 1) + clusters[~apart], return_inverse=True)
    row, column = np.divmod(cell, max(width, 1))

    def table(n: Integers) -> Contingency:
        singles = np.repeat(classes[apart], n[apart])
        return from_cells(
            np.concatenate(
                [np.bincount(where, n[~apart], len(cell)).astype(np.int64), np.ones(len(singles), np.int64)]
            ),
            np.concatenate([row, singles]),
            np.concatenate([column, width + np.arange(len(singles))]),
            (height, width + len(singles)),
        )

    return table


def _measured(table: Contingency) -> Floats:
    return np.array([measure.function(table) for measure in MEASURES.values()])


def _sets_around(
    cells: Profiles,
    sides: list[tuple[sparse.csr_array, dict[str, TypeScore]]],
    resamples: int | Literal["auto"],
    level: float,
    random_state: int,
) -> list[Floats]:
    """Values and ends in the catalogue's order; of two sides, of how much higher the first is."""

    def less(functions: list[Callable[[Integers], Floats]]) -> Callable[[Integers], Floats]:
        return functions[0] if len(functions) == 1 else lambda n: functions[0](n) - functions[1](n)

    by_type = less([held(cells.A, B, found) for B, found in sides])
    by_pairs = less([_overlapping(cells.A, B, list(SET_MEASURES)[len(found) :]) for B, found in sides])
    drawn = Cells(cells.items, ())
    types = around(by_type, drawn, resamples, level, random_state)
    if len(cells.items) <= _PROFILES:
        times = FEWEST if resamples == "auto" else resamples
        pairs = around(by_pairs, drawn, times, level, random_state)
    else:
        value = by_pairs(cells.items)
        pairs = (value, np.full_like(value, np.nan), np.full_like(value, np.nan))
    return [np.concatenate(parts) for parts in zip(types, pairs, strict=True)]


def _overlapping(A: sparse.csr_array, B: sparse.csr_array, names: list[str]) -> Callable[[Integers], Floats]:
    """The measures of overlapping sets where row i stands n_i times."""

    def measured(n: Integers) -> Floats:
        some = np.flatnonzero(n)
        drawn = Sets(A, B, {profiles_of: Profiles(A[some], B[some], n[some])})
        return np.array([SET_MEASURES[name].function(drawn) for name in names])

    return measured
