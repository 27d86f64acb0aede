"""Items drawn again: the ends of an interval from what a measure makes of many resamples.

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
from consilience.nouns import Floats, Integers

RESAMPLES = 1000
FEWEST = 100
LEVEL = 0.95
_CELLS = 10_000_000  # of all resamples together: what takes seconds


class Interval(NamedTuple):
    """Where a value may lie."""

    low: float
    high: float


class Cells(NamedTuple):
    """What resampling needs of several labellings of the same items: each combination of labels and its items."""

    n: Integers
    labels: tuple[Integers, ...]


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
