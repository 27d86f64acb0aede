"""What a study gives: tables of the paper's figures beside ours, and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Row(NamedTuple):
    """A figure of the paper (None: it prints none) beside ours; `spread` is the standard deviation over our runs."""

    row: str
    paper: float | None
    ours: float | None
    spread: float | None = None


class Table(NamedTuple):
    """`about` says how ours came about and what the text leaves open."""

    name: str
    rows: list[Row]
    about: str = ""

    def as_json(self) -> dict[str, Any]:
        """Plain values; numbers in six digits, which is more than any of them means."""
        rows = [
            {
                name: float(f"{value:.6g}") if isinstance(value, float) else value
                for name, value in row._asdict().items()
            }
            for row in self.rows
        ]
        return {"name": self.name, "about": self.about, "rows": rows}


class Point(NamedTuple):
    """A point of a curve, and the standard deviation over the runs."""

    x: float
    y: float
    spread: float = 0.0


class Figure(NamedTuple):
    """Curves by name; `paper` holds what can be read off the paper's own, by (curve, x)."""

    name: str
    across: str
    up: str
    curves: Mapping[str, Sequence[Point]]
    paper: Mapping[tuple[str, float], float] = {}
    about: str = ""

    def table(self) -> Table:
        """The same points as rows."""
        rows = [
            Row(f"{curve}, {self.across} = {point.x:g}", self.paper.get((curve, point.x)), point.y, point.spread)
            for curve, points in self.curves.items()
            for point in points
        ]
        return Table(f"{self.name}: {self.up}", rows, self.about)


def mean_row(row: str, paper: float | None, values: Sequence[float]) -> Row:
    """The mean of several runs and their standard deviation (of the sample; None for one run)."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Row(row, paper, float(np.mean(values)), spread)
