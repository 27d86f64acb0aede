"""Curves -> SVG: how a number moves with another, with its spread as a band."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

from consilience.reports.escaping import escaped
from consilience.reports.figures import Drawing

_WIDE, _HIGH = 760, 460
_LEFT, _RIGHT, _TOP, _LOW = 78, 190, 44, 58  # room for the numbers, the names, the title, the axis
_STEPS = (1, 2, 2.5, 5, 10)

Place = Sequence[float]  # x, y, spread


def curves(title: str, across: str, up: str, drawn: Mapping[str, Sequence[Place]]) -> str:
    """A chart of named curves, each a sequence of (x, y, spread), as an SVG file."""
    places = [place for curve in drawn.values() for place in curve]
    if not places:
        return Drawing(title, _WIDE, 60, f'<text x="20" y="30">{escaped(title)}: no points</text>').alone()
    xs = _ticks(min(x for x, *_ in places), max(x for x, *_ in places))
    ys = _ticks(min(y - s for _, y, s in places), max(y + s for _, y, s in places))
    frame = _Frame(xs, ys)
    content = [*_axes(frame, title, across, up)]
    names = _apart([frame.y(curve[-1][1]) for curve in drawn.values()])
    for number, (name, curve) in enumerate(drawn.items()):
        content += _curve(frame, number, name, sorted(curve, key=lambda place: place[0]), names[number])
    return Drawing(title, _WIDE, _HIGH, "".join(content)).alone()


class _Frame:
    """Where values lie on the paper."""

    def __init__(self, xs: list[float], ys: list[float]) -> None:
        self.xs, self.ys = xs, ys

    def x(self, value: float) -> float:
        share = (value - self.xs[0]) / (self.xs[-1] - self.xs[0])
        return _LEFT + share * (_WIDE - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.ys[0]) / (self.ys[-1] - self.ys[0])
        return _HIGH - _LOW - share * (_HIGH - _LOW - _TOP)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers that enclose the range, about six of them."""
    if high - low < 1e-12 * max(abs(low), abs(high), 1e-12):
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * s for s in _STEPS if power * s >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def _axes(frame: _Frame, title: str, across: str, up: str) -> Iterator[str]:
    right, low = _WIDE - _RIGHT, _HIGH - _LOW
    yield f'<text x="{_LEFT}" y="24" font-weight="600">{escaped(title)}</text>'
    for value in frame.ys:
        y = frame.y(value)
        yield f'<path class="tick" d="M{_LEFT} {y:.1f}H{right}"/>'
        yield f'<text class="soft end" x="{_LEFT - 8}" y="{y + 4:.1f}">{value:g}</text>'
    for value in frame.xs:
        yield f'<text class="soft mid" x="{frame.x(value):.1f}" y="{low + 20}">{value:g}</text>'
    yield f'<text class="soft mid" x="{(_LEFT + right) / 2:.0f}" y="{low + 44}">{escaped(across)}</text>'
    yield (f'<text class="soft mid" transform="translate(18 {(_TOP + low) / 2:.0f}) rotate(-90)">{escaped(up)}</text>')


def _curve(frame: _Frame, number: int, name: str, curve: Sequence[Place], beside: float) -> Iterator[str]:
    upper = [f"{frame.x(x):.1f} {frame.y(y + s):.1f}" for x, y, s in curve]
    lower = [f"{frame.x(x):.1f} {frame.y(y - s):.1f}" for x, y, s in reversed(curve)]
    line = [f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y, _ in curve]
    if any(s for *_, s in curve):
        yield f'<path class="f{number}" fill-opacity=".15" d="M{"L".join(upper + lower)}Z"/>'
    yield f'<path class="s{number}" fill="none" stroke-width="2" d="M{"L".join(line)}"/>'
    for x, y, _ in curve:
        yield f'<circle class="f{number}" cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="3"/>'
    end = frame.x(curve[-1][0])
    yield f'<text class="f{number}" x="{end + 12:.1f}" y="{beside + 4:.1f}" font-weight="600">{escaped(name)}</text>'


def _apart(heights: Sequence[float], least: float = 17.0) -> list[float]:
    """The heights, moved so that no two are closer than a line of text, in the same order."""
    order = sorted(range(len(heights)), key=heights.__getitem__)
    placed = list(heights)
    for before, now in itertools.pairwise(order):
        placed[now] = max(placed[now], placed[before] + least)
    return placed
