"""judge(found, gold) -> Judgement: labels from anywhere beside the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from consilience.corpus import in_common
from consilience.corpus.taxonomy import at_depth, depth_of, separator_of
from consilience.errors import InputError
from consilience.measures import SET_MEASURES, Score, scores, set_scores
from consilience.measures.bootstrap import Difference, differences, intervals
from consilience.measures.contingency import Contingency, from_cells
from consilience.measures.resampling import FEWEST, LEVEL, Cells, Interval, around
from consilience.measures.sets import Profiles, Sets, profiles_of, sets_of
from consilience.measures.type_level import type_intervals, type_level
from consilience.nouns import Floats, Integers, Labelling
from consilience.verdicts.confusion import Fate, Grid, Mixed, fates, grid, mixed

_RESAMPLES = 200  # at each depth
_PROFILES = 3000  # different combinations of classes and clusters, up to which sets are resampled


class Measured(NamedTuple):
    """A measure on all items with its interval (95 %; NaN: not known), and on the assigned items."""

    value: float
    low: float
    high: float
    on_assigned: float


class Depth(NamedTuple):
    """Classes cut to the first parts of their paths, and the measures against these."""

    depth: int
    classes: int
    measures: dict[str, Measured]


class Judgement(NamedTuple):
    """What was judged and what came out.

    `items` have a class and stand in both tables; `unclassed` stand in both and have none, `only_found` and
    `only_gold` in one table. `classes` and `clusters` are the names of the numbers in `fates`, `mixed` and `grid`.
    """

    items: int
    assigned: int
    unclassed: int
    only_found: int
    only_gold: int
    overlapping: bool
    classes: list[str]
    clusters: list[str]
    measures: dict[str, Measured]
    depths: list[Depth]
    separator: str | None
    fates: list[Fate]
    mixed: list[Mixed]
    grid: Grid
    found: Labelling
    gold: Labelling

    @property
    def coverage(self) -> float:
        """The share of items that are assigned; 1 where there are none."""
        return self.assigned / self.items if self.items else 1.0


class Against(NamedTuple):
    """Two clusterings of the same items before one truth: by how much the first is higher."""

    items: int
    differences: dict[str, Difference]


def judge(
    found: Labelling,
    gold: Labelling,
    *,
    separator: str = "auto",
    random_state: int = 0,
    stage: Callable[[str], None] = lambda _: None,
) -> Judgement:
    """Every measure of agreement, what became of each class, and which are mixed up."""
    both = in_common(found, gold)
    if not len(both.a):
        raise InputError(
            f"no item is in both: the labels' ids are like {_first(found)}, the truth's like {_first(gold)}; "
            "name the column of the ids with --id"
        )
    classed = np.flatnonzero(both.b.counts > 0)
    if not len(classed):
        raise InputError(f"none of the {len(both.a)} items has a class; the truth's labels are empty")
    ours, theirs = _renumbered(both.a.take(classed)), _renumbered(both.b.take(classed))
    overlapping = ours.overlapping or theirs.overlapping
    stage(f"measuring: items {len(classed)}, clusters {len(ours.classes)}, classes {len(theirs.classes)}")
    measures = _of_sets(ours, theirs, random_state) if overlapping else measured(ours, theirs, random_state)
    names = theirs.classes.to_list()
    cut = separator_of(names, separator)
    table, unassigned = _table(ours, theirs)
    return Judgement(
        items=len(classed),
        assigned=int((ours.counts > 0).sum()),
        unclassed=len(both.a) - len(classed),
        only_found=both.only_a,
        only_gold=both.only_b,
        overlapping=overlapping,
        classes=names,
        clusters=ours.classes.to_list(),
        measures=measures,
        depths=_by_depth(ours, theirs, cut, random_state) if cut and not overlapping else [],
        separator=cut,
        fates=fates(table, unassigned),
        mixed=mixed(table, unassigned),
        grid=grid(table, unassigned),
        found=ours,
        gold=theirs,
    )


def measured(found: Labelling, gold: Labelling, random_state: int) -> dict[str, Measured]:
    """The measures of two partitions."""
    classes, clusters = gold.labels.astype(np.int64), found.labels.astype(np.int64)
    inside = intervals(classes, clusters, random_state=random_state)
    return {name: _joined(score, inside[name]) for name, score in scores(classes, clusters).items()}


def against(first: Labelling, second: Labelling, gold: Labelling, *, random_state: int = 0) -> Against:
    """Is the first really better? Differences of every measure on the items of all three, resampled together."""
    ours = in_common(first, gold)
    rest = in_common(second, ours.b)
    ours = in_common(ours.a, rest.b)
    kept = np.flatnonzero(ours.b.counts > 0)
    if not len(kept):
        raise InputError(
            f"no item with a class is in both clusterings: ids are like {_first(first)} and like {_first(second)}"
        )
    other = in_common(ours.a.take(kept), second).b
    parts = [_renumbered(part) for part in (ours.b.take(kept), ours.a.take(kept), other)]
    if any(part.overlapping for part in parts):
        raise InputError("which of two is better can be told for one cluster and one class per item only")
    c, a, b = (part.labels.astype(np.int64) for part in parts)
    return Against(len(kept), differences(c, a, b, random_state=random_state))


def _joined(score: Score, interval: Interval) -> Measured:
    return Measured(score.value, interval.low, interval.high, score.on_assigned)


def _by_depth(found: Labelling, gold: Labelling, separator: str, random_state: int) -> list[Depth]:
    """Every depth at which there are fewer classes than at the last, where they are as they came."""
    names, depths = gold.classes.to_list(), []
    for depth in range(1, depth_of(names, separator)):
        parents, number = np.unique(at_depth(names, separator, depth), return_inverse=True)
        if len(parents) == len(names):
            break
        classes, clusters = number[gold.labels].astype(np.int64), found.labels.astype(np.int64)
        inside = intervals(classes, clusters, resamples=_RESAMPLES, random_state=random_state)
        told = {name: _joined(score, inside[name]) for name, score in scores(classes, clusters).items()}
        depths.append(Depth(depth, len(parents), told))
    return depths


def _of_sets(found: Labelling, gold: Labelling, random_state: int) -> dict[str, Measured]:
    """Where items have several classes or clusters, each measure deciding what an item without a cluster is."""
    inside = _intervals_of_sets(gold, found, random_state)
    everything, some = set_scores(gold.sets, found.sets), np.flatnonzero(found.counts > 0)
    part = everything if len(some) == len(found) else set_scores(gold.sets[some], found.sets[some])
    return {name: _joined(Score(value, part[name]), inside[name]) for name, value in everything.items()}


def _intervals_of_sets(gold: Labelling, found: Labelling, random_state: int) -> dict[str, Interval]:
    """Those of type level hold their mappings; NaN where items differ so much that resampling would take minutes."""
    inside = type_intervals(gold.sets, found.sets, type_level(gold.sets, found.sets), random_state=random_state)
    names = [name for name in SET_MEASURES if name not in inside]
    sets = sets_of(gold.sets, found.sets)
    profiles = profiles_of(sets)
    if len(profiles.items) > _PROFILES:
        return inside | dict.fromkeys(names, Interval(float("nan"), float("nan")))

    def measured(n: Integers) -> Floats:
        some = np.flatnonzero(n)
        met = Profiles(profiles.A[some], profiles.B[some], n[some])
        drawn = Sets(sets.gold, sets.induced, {profiles_of: met})
        return np.array([SET_MEASURES[name].function(drawn) for name in names])

    resampled = around(measured, Cells(profiles.items, ()), FEWEST, LEVEL, random_state)
    ends = [(SET_MEASURES[name].low, SET_MEASURES[name].high) for name in names]
    low, high = (np.clip(end, *np.array(ends).T) for end in resampled[1:])
    return inside | {name: Interval(float(x), float(y)) for name, x, y in zip(names, low, high, strict=True)}


class _Table(NamedTuple):
    table: Contingency
    unassigned: Integers


def _table(found: Labelling, gold: Labelling) -> _Table:
    """Classes by clusters of the assigned items, and how many items of each class are not assigned.

    An item of several classes or clusters counts in each of them.
    """
    unassigned = np.bincount(gold.sets[found.counts == 0].indices, minlength=len(gold.classes))
    counts = ((gold.sets > 0).astype(np.int64).T @ (found.sets > 0).astype(np.int64)).tocoo()
    order = np.lexsort((counts.col, counts.row))
    cells = counts.data[order], counts.row[order].astype(np.int64), counts.col[order].astype(np.int64)
    return _Table(from_cells(*cells, shape=(len(gold.classes), len(found.classes))), unassigned)


def _renumbered(labelling: Labelling) -> Labelling:
    """Without classes that no item has."""
    used = np.unique(labelling.sets.indices)
    if len(used) == len(labelling.classes):
        return labelling
    return Labelling(labelling.items, labelling.classes.gather(used), labelling.sets[:, used])


def _first(labelling: Labelling) -> str:
    return repr(labelling.items[0]) if len(labelling) else "nothing, for there are none"
