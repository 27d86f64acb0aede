"""Comparing two clusterings of the same items: do they agree, where do they not, and which items moved?

comparison.py   compare(a, b) -> Comparison: all of the below
mantel.py       Z and its null distribution, from the table     distances.py   the same for any two distances
kappa.py        over items, under three mappings                coverage.py    how much of a class lies together
links.py        which class continues which, by its words       movers.py      flows, splits and merges
intervals.py    how far the numbers would swing with other items
"""

from consilience.comparisons.comparison import Comparison, Side, compare
from consilience.comparisons.distances import (
    ClassDistance,
    CopheneticDistance,
    CosineDistance,
    MatrixDistance,
    mantel_of,
)

__all__ = [
    "ClassDistance",
    "Comparison",
    "CopheneticDistance",
    "CosineDistance",
    "MatrixDistance",
    "Side",
    "compare",
    "mantel_of",
]
