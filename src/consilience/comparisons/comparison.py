"""compare(a, b) -> Comparison: everything that two labellings of the same items say about each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from consilience.comparisons.coverage import Coverage, coverage, coverage_back
from consilience.comparisons.intervals import Interval, intervals
from consilience.comparisons.kappa import Kappa, kappa_of, random_kappa
from consilience.comparisons.links import ClassWords, Links, by_entropy, by_similarity, class_words
from consilience.comparisons.mantel import PERMUTATIONS, Mantel, mantel, phi
from consilience.comparisons.movers import Flow, Union, flows, merges, moved, splits
from consilience.errors import InputError
from consilience.measures import Score, alone, scores_of
from consilience.measures.contingency import Contingency, contingency, from_cells
from consilience.measures.mappings import greedy, optimal
from consilience.measures.type_level import type_level
from consilience.nouns import Integers, Labelling

_LINKED = 1 << 24  # pairs of classes whose words are compared
_CLIMBS = 2  # random starts of a many-to-one mapping


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two: the classes that have items, by falling size, and each item's class (-1: not assigned).

    Of several classes of an item the one it belongs to most counts, of equals the first; `overlapping` says that an
    item had several, `soft` that it had them by degrees. `places` are the classes' numbers in the labelling.
    """

    classes: pl.Series
    labels: npt.NDArray[np.int32]
    sizes: Integers
    overlapping: bool
    soft: bool
    places: Integers

    @property
    def assigned(self) -> float:
        """Share of items with a class."""
        return float((self.labels >= 0).mean()) if len(self.labels) else 1.0


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two labellings of the same `items`. Rows of `table` are classes of a, columns those of b.

    The table, kappa, Mantel's test, the mappings and the flows are about the items that have a class on both sides;
    `kappa_on_all` and `r_on_all` count all: an item without a class agrees with nothing, and lies apart from all.
    `mapping[j]` is the class of a to which b's j corresponds best (-1: none), one to one, and `agreed` the share of
    items in classes that correspond. `intervals` hold 95 % for kappa "greedy" and "optimal", for "r" where there is
    one, and for the main measures on the assigned. `overlapping` are measures of sets of classes, where an item has
    several on one side. Links are None where no words were given; they lead from classes of
    b to classes of a.
    """

    items: pl.Series
    a: Side
    b: Side
    table: Contingency
    mapping: Integers
    agreed: float
    kappa: Kappa
    kappa_on_all: Kappa
    mantel: Mantel
    r_on_all: float | None
    intervals: dict[str, Interval]
    coverage: tuple[Coverage, Coverage]
    similarity: Links | None
    entropy: Links | None
    measures: dict[str, Score]
    overlapping: dict[str, float] | None
    moved: Integers
    flows: list[Flow]
    splits: list[Union]
    merges: list[Union]


def compare(
    a: Labelling,
    b: Labelling,
    *,
    counts: sparse.csr_array | None = None,
    permutations: int = PERMUTATIONS,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Comparison:
    """Compares labellings that name the same items in the same order (see `in_common`).

    `counts`, items x words, are read for the links between classes. No result depends on the number of threads.
    """
    if len(a) != len(b) or not a.items.equals(b.items):
        raise InputError(f"a comparison needs the same items in the same order; there are {len(a)} and {len(b)}")
    ours, theirs = _side(a), _side(b)
    both = (ours.labels >= 0) & (theirs.labels >= 0)
    table = _table(ours, theirs, both)
    everything = table if both.all() else contingency(alone(ours.labels), alone(theirs.labels))
    on_all = replace(table, rows=ours.sizes, columns=theirs.sizes, total=len(a))
    mappings = greedy(table), optimal(table)
    chance: dict[str, Any] = {"random_state": random_state, "n_jobs": n_jobs}
    away = moved(mappings[1], ours.labels, theirs.labels)
    matched = _kappa(table, mappings, random_state)
    words = None if counts is None else _words(a, b, ours, theirs, counts)
    return Comparison(
        items=a.items,
        a=ours,
        b=theirs,
        table=table,
        mapping=mappings[1],
        agreed=1 - len(away) / max(table.total, 1),
        kappa=matched,
        kappa_on_all=matched if both.all() else _kappa(on_all, mappings, random_state),
        mantel=mantel(table, permutations=permutations, **chance),
        r_on_all=phi(everything),
        intervals=intervals(table, dict(zip(("greedy", "optimal"), mappings, strict=True)), random_state=random_state),
        coverage=(coverage(on_all), coverage_back(on_all)),
        similarity=None if words is None else by_similarity(*words),
        entropy=None if words is None else by_entropy(*words),
        measures=_scores(everything, table),
        overlapping=_overlapping(a, b, ours, theirs, random_state),
        moved=away,
        flows=flows(table, mappings[1]),
        splits=splits(table),
        merges=merges(table),
    )


def _side(labelling: Labelling) -> Side:
    labels = labelling.labels
    sizes = np.bincount(labels[labels >= 0], minlength=len(labelling.classes))
    places = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    number = np.full(len(sizes) + 1, -1, np.int32)  # the last is for -1
    number[places] = np.arange(len(places), dtype=np.int32)
    return Side(
        classes=labelling.classes[places],
        labels=number[labels],
        sizes=sizes[places],
        overlapping=labelling.overlapping,
        soft=bool((labelling.sets.data != 1).any()),
        places=places,
    )


def _table(a: Side, b: Side, both: npt.NDArray[np.bool_]) -> Contingency:
    """The table of the items assigned on both sides, with a row and a column for every class."""
    met = contingency(a.labels[both], b.labels[both])
    return from_cells(met.n, met.row, met.column, (len(a.classes), len(b.classes)))


def _kappa(table: Contingency, mappings: tuple[Integers, Integers], random_state: int) -> Kappa:
    return Kappa(kappa_of(table, mappings[0]), kappa_of(table, mappings[1]), random_kappa(table, random_state))


def _scores(everything: Contingency, assigned: Contingency) -> dict[str, Score]:
    """Every measure with the classes of a as the classes and those of b as the clusters."""
    on_all = scores_of(everything)
    part = on_all if everything is assigned else scores_of(assigned)
    return {name: Score(value, part[name]) for name, value in on_all.items()}


def _overlapping(a: Labelling, b: Labelling, ours: Side, theirs: Side, random_state: int) -> dict[str, float] | None:
    """The measures of items with sets of classes; None where each has one, or has all of them by degrees."""
    if ours.soft or theirs.soft or not (ours.overlapping or theirs.overlapping):
        return None
    found = type_level(a.sets, b.sets, restarts=_CLIMBS, random_state=random_state)
    return {name: score.value for name, score in found.items()}


def _words(
    a: Labelling, b: Labelling, ours: Side, theirs: Side, counts: sparse.csr_array
) -> tuple[ClassWords, ClassWords] | None:
    """The words of both sides' classes; None where there are so many classes that their pairs cannot be looked at."""
    if len(ours.classes) * len(theirs.classes) > _LINKED:
        return None
    return class_words(_members(a, ours), counts), class_words(_members(b, theirs), counts)


def _members(labelling: Labelling, side: Side) -> sparse.csr_array:
    """Items x classes: all classes of an item; of degrees the one it belongs to most, for all have a little of each."""
    if side.overlapping and not side.soft:
        return sparse.csr_array(labelling.sets[:, side.places])
    some = np.flatnonzero(side.labels >= 0)
    shape = (len(side.labels), len(side.classes))
    return sparse.csr_array((np.ones(len(some)), (some, side.labels[some])), shape=shape)
