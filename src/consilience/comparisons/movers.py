"""Who moved: the items outside the matched classes, as flows from class to class; splits and merges."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consilience.errors import SettingError
from consilience.measures.contingency import Contingency
from consilience.nouns import Integers

_SHARE = 0.8


class Flow(NamedTuple):
    """Items of class `a` that lie in class `b`, which is not the one matched to it."""

    a: int
    b: int
    items: int


class Union(NamedTuple):
    """A class that is the union of several on the other side.

    `share` is how much of the whole its parts hold, and how much of the parts lies in the whole, the lower of both;
    1 for a union without a remainder.
    """

    whole: int
    parts: tuple[int, ...]
    share: float


def moved(h: Integers, a: Integers, b: Integers) -> Integers:
    """Rows of the items that have a class on both sides, and not matched ones; h[j] is the class of a that b's j is."""
    return np.flatnonzero((a >= 0) & (b >= 0) & (np.append(h, -1)[b] != a))


def flows(table: Contingency, h: Integers) -> list[Flow]:
    """What moved between which classes, the largest first."""
    away = np.flatnonzero(h[table.column] != table.row)
    away = away[np.lexsort((table.column[away], table.row[away], -table.n[away]))]
    return [Flow(*cell) for cell in zip(*(x[away].tolist() for x in (table.row, table.column, table.n)), strict=True)]


def splits(table: Contingency, *, share: float = _SHARE) -> list[Union]:
    """Classes of the rows that are unions of two or more of the columns.

    The parts of a class are the columns with at least `share` of their items in it; it is split if together they hold
    at least `share` of it.
    """
    return _unions(table.n, table.row, table.column, table.rows, table.columns, share)


def merges(table: Contingency, *, share: float = _SHARE) -> list[Union]:
    """The same seen from the columns: classes in which two or more of the rows have come together."""
    return _unions(table.n, table.column, table.row, table.columns, table.rows, share)


def _unions(
    n: Integers, whole: Integers, part: Integers, wholes: Integers, parts: Integers, share: float
) -> list[Union]:
    if not 0.5 < share <= 1:
        raise SettingError(f"share is {share!r}; a part lies in one class only above 0.5, and 1 is all of it")
    inside = np.flatnonzero(n >= share * parts[part])
    held = np.bincount(whole[inside], weights=n[inside], minlength=len(wholes))
    size = np.bincount(whole[inside], weights=parts[part[inside]], minlength=len(wholes))
    count = np.bincount(whole[inside], minlength=len(wholes))
    found = np.flatnonzero((count > 1) & (held >= share * wholes))
    found = found[np.argsort(-wholes[found], kind="stable")]
    inside = inside[np.lexsort((part[inside], whole[inside]))]
    members = np.split(part[inside], np.cumsum(count)[:-1])
    return [Union(int(w), tuple(members[w].tolist()), float(held[w] / max(wholes[w], size[w]))) for w in found]
