"""How far a measure may lie off because these items were drawn and not others: bootstrap intervals.

How they are drawn and laid around the value: `resampling.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from consilience.measures.catalogue import MEASURES
from consilience.measures.contingency import Contingency, from_cells
from consilience.measures.resampling import LEVEL, Cells, Interval, around
from consilience.nouns import Floats, Integers

__all__ = ["LEVEL", "Cells", "Difference", "Interval", "around", "combined", "differences", "intervals", "tabulated"]


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
