"""How far a measure may lie off because these items were drawn and not others: bootstrap intervals.

A resample draws N items with replacement. The table is all it takes, n* ~ Multinomial(N, n / N) over its cells; an item
that is not assigned is alone in every resample too, however often it is drawn.

An item that is drawn twice agrees with itself, which moves the resamples as a whole (the more, the fewer items a cell
has) and is no error of sampling. So the quantiles are taken about the resamples' own median and laid around the value,

    low = value + q_2.5 - median        high = value + q_97.5 - median        both within the measure's range

and the interval is about the measure on samples of this size. It knows nothing of another corpus, and nothing of
another seed of the method. There are 1000 resamples; of tables so large that their intervals are narrow anyway fewer,
but never under 100.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from consilience.errors import SettingError
from consilience.measures.catalogue import MEASURES
from consilience.measures.contingency import Contingency, from_cells
from consilience.nouns import Floats, Integers

RESAMPLES = 1000
FEWEST = 100
LEVEL = 0.95
_CELLS = 10_000_000  # of all resamples together: what takes seconds


class Interval(NamedTuple):
    """Where a value may lie."""

    low: float
    high: float


class Difference(NamedTuple):
    """How much larger a measure is for the first of two clusterings; 0 within the interval: they may be equal."""

    value: float
    low: float
    high: float


class Cells(NamedTuple):
    """What resampling needs of several labellings of the same items: each combination of labels and its items."""

    n: Integers
    labels: tuple[Integers, ...]


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


def around(
    measured: Callable[[Integers], Floats],
    cells: Cells,
    resamples: int | Literal["auto"],
    level: float,
    random_state: int,
) -> tuple[Floats, Floats, Floats]:
    """The values of what `measured` makes of the cells' numbers of items, and their low and high ends."""
    total = int(cells.n.sum())
    if resamples == "auto":
        size = len(cells.n) + int(sum(cells.n[labels < 0].sum() for labels in cells.labels))
        times = max(FEWEST, min(RESAMPLES, _CELLS // max(size, 1)))
    else:
        times = resamples
    if times < 2:
        raise SettingError(f"resamples is {resamples}; an interval needs 2 or more, usually {RESAMPLES}")
    if not 0 < level < 1:
        raise SettingError(f"level is {level}; it lies between 0 and 1, usually {LEVEL}")
    generator, value = np.random.default_rng(random_state), measured(cells.n)
    if not total:
        return value, value, value  # no items: there are no others to draw
    drawn = [measured(_draw(cells.n, total, generator)) for _ in range(times)]
    tail = (1 - level) / 2
    low, middle, high = np.quantile(drawn, (tail, 0.5, 1 - tail), axis=0)
    return value, value + low - middle, value + high - middle


def _draw(n: Integers, total: int, generator: np.random.Generator) -> Integers:
    """How many items of each cell are drawn."""
    if len(n) == total:  # an item each: to draw them one by one is faster
        return np.bincount(generator.integers(0, total, total), minlength=total)
    return generator.multinomial(total, n / total)


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
