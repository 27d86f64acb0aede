"""judge(found, gold) -> Judgement: labels from anywhere beside the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol

import numpy as np
import polars as pl
from scipy import sparse

from consilience.corpus import in_common
from consilience.corpus.taxonomy import at_depth, depth_of, separator_of
from consilience.errors import InputError
from consilience.measures import Score, scores, set_scores, set_scores_of
from consilience.measures.bootstrap import Difference, Interval, differences, intervals, set_differences, set_intervals
from consilience.measures.contingency import Contingency, from_cells
from consilience.measures.sets import binary, sets_of
from consilience.nouns import Integers, Labelling
from consilience.verdicts.confusion import Fate, Grid, Mixed, fates, grid, mixed

_RESAMPLES = 200  # at each depth


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
    overlapping: bool
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
    measured = _of_sets if overlapping else _of_partitions
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
        measures=measured(ours, theirs, random_state),
        depths=_by_depth(ours, theirs, cut, measured, random_state) if cut else [],
        separator=cut,
        fates=fates(table, unassigned),
        mixed=mixed(table, unassigned),
        grid=grid(table, unassigned),
        found=ours,
        gold=theirs,
    )


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
        ours_of, theirs_of = (sets_of(parts[0].sets, part.sets) for part in parts[1:])
        return Against(len(kept), True, set_differences(ours_of, theirs_of, random_state=random_state))
    c, a, b = (part.labels.astype(np.int64) for part in parts)
    return Against(len(kept), False, differences(c, a, b, random_state=random_state))


class _Measure(Protocol):
    def __call__(
        self, found: Labelling, gold: Labelling, random_state: int, resamples: int | Literal["auto"] = "auto"
    ) -> dict[str, Measured]: ...


def _of_partitions(
    found: Labelling, gold: Labelling, random_state: int, resamples: int | Literal["auto"] = "auto"
) -> dict[str, Measured]:
    classes, clusters = gold.labels.astype(np.int64), found.labels.astype(np.int64)
    inside = intervals(classes, clusters, resamples=resamples, random_state=random_state)
    return _joined(scores(classes, clusters), inside)


def _of_sets(
    found: Labelling, gold: Labelling, random_state: int, resamples: int | Literal["auto"] = "auto"
) -> dict[str, Measured]:
    """Where items have several classes or clusters, each measure deciding what an item without a cluster is."""
    sets, some = sets_of(gold.sets, found.sets), np.flatnonzero(found.counts > 0)
    everything = set_scores_of(sets)
    part = everything if len(some) == len(found) else set_scores(gold.sets[some], found.sets[some])
    inside = set_intervals(sets, resamples=resamples, random_state=random_state)
    return _joined({name: Score(value, part[name]) for name, value in everything.items()}, inside)


def _joined(found: Mapping[str, Score], inside: Mapping[str, Interval]) -> dict[str, Measured]:
    return {name: Measured(score.value, *inside[name], score.on_assigned) for name, score in found.items()}


def _by_depth(found: Labelling, gold: Labelling, separator: str, measured: _Measure, random_state: int) -> list[Depth]:
    """Every depth at which there are fewer classes than at the last, where they are as they came."""
    names, depths = gold.classes.to_list(), []
    for depth in range(1, depth_of(names, separator)):
        parents, number = np.unique(at_depth(names, separator, depth), return_inverse=True)
        if len(parents) == len(names):
            break
        onto = sparse.csr_array((np.ones(len(names)), (np.arange(len(names)), number)))
        coarse = Labelling(gold.items, pl.Series("class", parents.tolist()), binary(gold.sets @ onto))
        depths.append(Depth(depth, len(parents), measured(found, coarse, random_state, _RESAMPLES)))
    return depths


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
