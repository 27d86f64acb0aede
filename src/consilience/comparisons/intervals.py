"""How far the numbers of a comparison may lie off because these items were drawn and not others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from consilience.comparisons.kappa import kappa_of
from consilience.comparisons.mantel import phi
from consilience.measures import HEADLINES, MEASURES
from consilience.measures.bootstrap import LEVEL, Cells, around
from consilience.measures.contingency import Contingency, from_cells
from consilience.nouns import Floats, Integers


class Interval(NamedTuple):
    """A value, and where 95 % of the resamples lie."""

    value: float
    low: float
    high: float


def intervals(table: Contingency, mappings: Mapping[str, Integers], *, random_state: int = 0) -> dict[str, Interval]:
    """For kappa under each of the mappings (which are held), Mantel's "r" where there is one, and the main measures.

    Bootstrap over the items that the table holds, as `consilience.measures.bootstrap` has it.
    """
    shape = len(table.rows), len(table.columns)
    names = [*mappings, "r", *HEADLINES]

    def measured(n: Integers) -> Floats:
        found = from_cells(n, table.row, table.column, shape)
        r = phi(found)
        kappas = [kappa_of(found, h) for h in mappings.values()]
        return np.array([*kappas, np.nan if r is None else r, *(MEASURES[name].function(found) for name in HEADLINES)])

    ends = around(measured, Cells(table.n, (table.row, table.column)), "auto", LEVEL, random_state)
    floor = [-1.0] * (len(mappings) + 1) + [MEASURES[name].low for name in HEADLINES]
    roof = [1.0] * (len(mappings) + 1) + [MEASURES[name].high for name in HEADLINES]
    value, low, high = ends[0], np.maximum(ends[1], floor), np.minimum(ends[2], roof)
    found = {name: Interval(*map(float, at)) for name, *at in zip(names, value, low, high, strict=True)}
    return {name: interval for name, interval in found.items() if np.isfinite(interval.low)}
