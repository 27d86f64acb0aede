"""Two clusterings as pictures: the table of their classes as a heat map, and the largest moves as bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from consilience.comparisons import Comparison
from consilience.comparisons.movers import Flow
from consilience.nouns import Integers
from consilience.reports.colours import COLOURS
from consilience.reports.escaping import clean, cut, escaped
from consilience.reports.figures import Drawing
from consilience.reports.words import count, percent

_MOST = 80  # classes with a line of their own on the heat map; the rest share one
_NAMES, _TOPS = 24, 19  # letters of a name beside the heat map and above it
_LETTER = 8.0  # pixels
_WIDE = 1000
_BANDS = 24
_LINE = 17  # pixels for a name
_REST = 60.0  # pixels at most for all smaller moves together


class Axis(NamedTuple):
    """Classes along an edge of the heat map: which, and what they are called; the last may stand for all others."""

    places: Integers
    names: list[str]


def heat_map(found: Comparison, names: tuple[list[str], list[str]]) -> Drawing:
    """Rows are classes of a, by size; columns those of b, each where the class is that it was matched with."""
    order = _matched_order(found)
    rows = _axis(np.arange(len(names[0])), names[0])
    columns = _axis(order, names[1])
    shape = len(rows.names), len(columns.names)
    cells = np.zeros(shape, np.int64)
    np.add.at(cells, (rows.places[found.table.row], columns.places[found.table.column]), found.table.n)
    sums = cells.sum(axis=1), cells.sum(axis=0)
    left, top = _room(rows.names, _NAMES), _room(columns.names, _TOPS)
    size = max(11.0, min(34.0, (_WIDE - left) / max(shape[1], 1)))
    drawn = [f'<g class="{"small" if size < 16 else "large"}">']
    for i, name in enumerate(rows.names):
        y = top + (i + 0.5) * size
        drawn.append(f'<text class="end r{i}" x="{left - 8}" y="{y + 4:.1f}">{_short(name, _NAMES)}</text>')
    for j, name in enumerate(columns.names):
        x = left + (j + 0.5) * size
        drawn.append(
            f'<text class="k{j}" transform="translate({x + 4:.1f} {top - 8}) rotate(-90)">{_short(name, _TOPS)}</text>'
        )
    drawn.append("</g>")
    ground = f'width="{shape[1] * size:.1f}" height="{shape[0] * size:.1f}"'
    drawn.append(f'<rect class="ground" x="{left}" y="{top}" {ground}/>')
    for i, j in zip(*np.nonzero(cells), strict=True):
        n, share = int(cells[i, j]), float(cells[i, j] / sums[0][i])
        said = (
            f"{cut(rows.names[i], 60)} / {cut(columns.names[j], 60)}: {count(n, 'document')}, {percent(share)} of the "
            f"first, {percent(n / int(sums[1][j]))} of the second"
        )
        drawn.append(
            f'<rect class="cell" data-r="{i}" data-k="{j}" x="{left + j * size:.1f}" y="{top + i * size:.1f}" '
            f'width="{size - 0.6:.1f}" height="{size - 0.6:.1f}" fill-opacity="{0.04 + 0.96 * share**0.8:.2f}">'
            f"<title>{escaped(said)}</title></rect>"
        )
    width, height = round(left + shape[1] * size) + 10, round(top + shape[0] * size) + 10
    return Drawing("Table of the classes of both clusterings", max(width, 420), height, "".join(drawn))


def bands(flows: Sequence[Flow], found: Comparison, names: tuple[list[str], list[str]]) -> Drawing:
    """The largest moves as bands from the classes of a to those of b; all others as one."""
    shown, rest = list(flows[:_BANDS]), flows[_BANDS:]
    place = {int(j): at for at, j in enumerate(_matched_order(found))}
    last = [-1] if rest else []
    left = [*sorted({flow.a for flow in shown}), *last]
    right = [*sorted({flow.b for flow in shown}, key=place.__getitem__), *last]
    others = sum(flow.items for flow in rest)
    scale = max(120.0, min(440.0, 14.0 * max(len(left), len(right)))) / max(sum(flow.items for flow in shown), 1)
    thickest = min(others * scale, _REST)  # what nobody looks at shall not fill the picture
    sums = [{**_sums(shown, side), -1: others} for side in (0, 1)]
    ends = [_heights(stack, sums[side], scale, thickest) for side, stack in enumerate((left, right))]
    low = max(max((y + h for y, h in side.values()), default=0) for side in ends)
    drawn, used = [], [dict.fromkeys(left, 0.0), dict.fromkeys(right, 0.0)]
    for flow in sorted(shown, key=lambda f: (f.a, place[f.b])) + ([Flow(-1, -1, others)] if rest else []):
        thick = flow.items * scale if flow.a >= 0 else thickest
        y0, y1 = ends[0][flow.a][0] + used[0][flow.a], ends[1][flow.b][0] + used[1][flow.b]
        used[0][flow.a] += thick
        used[1][flow.b] += thick
        said = f"{count(len(rest), 'smaller move')}: {count(others, 'document')}"
        if flow.a >= 0:
            said = f"{cut(names[0][flow.a], 60)} to {cut(names[1][flow.b], 60)}: {count(flow.items, 'document')}"
        paint = "fgrey" if flow.a < 0 else f"f{flow.a % COLOURS}"
        drawn.append(_band(y0, y1, max(thick, 1.0), paint, said))
    for side, stack in enumerate((left, right)):
        drawn += _nodes(ends[side], stack, names[side], side, sums[side])
    return Drawing("The largest moves between classes", _WIDE, round(low) + 14, "".join(drawn))


def _matched_order(found: Comparison) -> Integers:
    """The classes of b in the order of the classes of a that they were matched with, then those without, by size."""
    h = found.mapping
    return np.lexsort((np.arange(len(h)), np.where(h < 0, len(found.a.classes), h)))


def _axis(order: Integers, names: list[str]) -> Axis:
    """`places[c]` is where class c stands."""
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    if len(order) <= _MOST:
        return Axis(places, [names[c] for c in order])
    kept = [names[c] for c in order[: _MOST - 1]]
    return Axis(np.minimum(places, _MOST - 1), [*kept, f"{len(order) - _MOST + 1} others"])


def _room(names: list[str], letters: int) -> int:
    """Pixels for the longest name, as it is cut."""
    return 18 + round(_LETTER * min(letters, max(map(len, names), default=0)))


def _sums(flows: Sequence[Flow], side: int) -> dict[int, int]:
    sums: dict[int, int] = {}
    for flow in flows:
        sums[flow[side]] = sums.get(flow[side], 0) + flow.items
    return sums


def _heights(stack: list[int], sums: dict[int, int], scale: float, rest: float) -> dict[int, tuple[float, float]]:
    """Where each class begins, and how high it is; no two names closer than a line."""
    ends, y = {}, 12.0
    for place in stack:
        high = max(sums[place] * scale if place >= 0 else rest, 1.0)
        room = max(high, _LINE)
        ends[place] = (y + (room - high) / 2, high)
        y += room + 6
    return ends


def _band(y0: float, y1: float, thick: float, paint: str, said: str) -> str:
    x0, x1, mid = 332, _WIDE - 332, _WIDE / 2
    path = (
        f"M{x0} {y0:.1f}C{mid:g} {y0:.1f} {mid:g} {y1:.1f} {x1} {y1:.1f}V{y1 + thick:.1f}"
        f"C{mid:g} {y1 + thick:.1f} {mid:g} {y0 + thick:.1f} {x0} {y0 + thick:.1f}Z"
    )
    return f'<path class="band {paint}" d="{path}"><title>{escaped(said)}</title></path>'


def _nodes(
    ends: dict[int, tuple[float, float]], stack: list[int], names: list[str], side: int, sums: dict[int, int]
) -> Iterator[str]:
    x, at, anchor = ((322, 312, "end"), (_WIDE - 332, _WIDE - 312, "begin"))[side]
    for place in stack:
        y, high = ends[place]
        paint = "fgrey" if place < 0 or side else f"f{place % COLOURS}"
        name = "all smaller moves" if place < 0 else names[place]
        yield f'<rect class="{paint}" x="{x}" y="{y:.1f}" width="10" height="{high:.1f}"/>'
        text = f'{_short(name, 34)} <tspan class="soft">{sums[place]:,}</tspan>'
        yield f'<text class="{anchor}" x="{at}" y="{y + high / 2 + 4.5:.1f}">{text}</text>'


def _short(name: str, letters: int) -> str:
    return escaped(cut(clean(name), letters))
