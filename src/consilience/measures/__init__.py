"""How well a clustering agrees with gold classes. All measures of two partitions read one contingency table.

Measures within the space of the vectors, which need no classes, stand apart from these.

catalogue.py     every measure, its range, what it is by chance, what it rewards
contingency.py   the table            mappings.py      clusters to classes
matching.py      sets                 items.py         items and their company
information.py   entropies            pairs.py         pairs of items
sets.py          several classes and clusters for each item: what the table is to partitions
type_level.py    such items, by mapping (words)         overlapping.py   such items, by pairs and walks
word_types.py    from tagged tokens to words and their sets of classes
bootstrap.py     how far a value may lie off, and which of two clusterings is better
resampling.py    how items are drawn again for that

internal.py      measures within the space, by name, with what to hold against them
silhouette.py    own cluster and next  dispersion.py    spread within and between
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from consilience.measures.catalogue import HEADLINES, MEASURES, SET_MEASURES
from consilience.measures.contingency import Contingency, contingency
from consilience.measures.sets import Sets, sets_of
from consilience.nouns import Integers

__all__ = [
    "HEADLINES",
    "MEASURES",
    "SET_MEASURES",
    "Score",
    "headlines",
    "scores",
    "scores_of",
    "set_scores",
    "set_scores_of",
]

Given = TypeVar("Given")


class Score(NamedTuple):
    """A measure on all items, each unassigned one alone in a cluster, and on the assigned items only."""

    value: float
    on_assigned: float


def scores(classes: Integers, clusters: Integers) -> dict[str, Score]:
    """Every measure, twice. `clusters` of -1 are not assigned."""
    assigned = clusters >= 0
    everything = scores_of(contingency(classes, alone(clusters)))
    part = everything if assigned.all() else scores_of(contingency(classes[assigned], clusters[assigned]))
    return {name: Score(value, part[name]) for name, value in everything.items()}


def scores_of(table: Contingency) -> dict[str, float]:
    """Every measure of one table."""
    return {name: measure.function(table) for name, measure in MEASURES.items()}


def set_scores(gold: sparse.csr_array, induced: sparse.csr_array) -> dict[str, float]:
    """Every measure of sets: items x classes and items x clusters, 0 or not 0; items without a class are not judged."""
    return set_scores_of(sets_of(gold, induced))


def set_scores_of(sets: Sets) -> dict[str, float]:
    """Every measure of the same sets."""
    return {name: measure.function(sets) for name, measure in SET_MEASURES.items()}


def alone(clusters: Integers) -> Integers:
    """Each item that is not assigned (-1) gets a cluster of its own, after the others."""
    unassigned = np.flatnonzero(clusters < 0)
    numbered = clusters.astype(np.int64)
    numbered[unassigned] = clusters.max(initial=-1) + 1 + np.arange(len(unassigned))
    return numbered


def headlines(given: Mapping[str, Given]) -> dict[str, Given]:
    """The few that are shown where there is room for a few."""
    return {name: given[name] for name in HEADLINES if name in given}
