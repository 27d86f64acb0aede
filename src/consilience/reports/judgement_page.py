"""Record of a judgement -> judge.html, and its picture of which class went into which cluster."""

from __future__ import annotations

import posixpath
from typing import Any

from markupsafe import Markup

from consilience.measures import MEASURES, SET_MEASURES
from consilience.reports.escaping import clean, cut, escaped
from consilience.reports.figures import Drawing
from consilience.reports.frame import framed
from consilience.reports.words import measure, number, percent

_CELL = 26
_LETTERS = 28
_LISTED = 100  # classes in the table
_PAIRS = 5
_DEEP = {False: ("adjusted_rand", "v", "purity"), True: ("micro_i_1_1", "micro_i_m_1", "bcubed")}  # at each depth
_FIRST = ("adjusted_rand", "v", "homogeneity", "completeness", "bcubed", "purity", "inverse_purity", "accuracy")


def judgement_page(record: dict[str, Any]) -> str:
    """The page as HTML. The same record gives the same page."""
    return framed(
        "judge",
        posixpath.basename(record["labels"].rstrip("/")) or "labels",
        {},
        record=record,
        headline=_headline(record["verdict"]),
        verdict=_below(record["verdict"]),
        tables=_tables(record["measures"], record["overlapping"]),
        columns=[(name, about(name, sets=record["overlapping"])[0]) for name in _DEEP[record["overlapping"]]],
        differences=_differences(record),
        mixed=record["mixed"][:_PAIRS],
        picture=Markup(picture(record["confusion"]).inline()) if record["confusion"] else None,
        classes=record["classes"][:_LISTED],
        others=max(0, len(record["classes"]) - _LISTED),
    )


def _headline(verdict: list[str]) -> str:
    """The sentence that says how good it is, without its numbers; where there is but one, that."""
    return verdict[min(1, len(verdict) - 1)].partition(" (")[0].rstrip(".") + "."


def _below(verdict: list[str]) -> list[str]:
    """The other sentences, and of the headline its numbers."""
    numbers = verdict[1].partition(" (")[2].removesuffix(").") if len(verdict) > 1 else ""
    return [verdict[0], *([numbers[0].upper() + numbers[1:] + "."] if numbers else []), *verdict[2:]]


def _tables(measures: dict[str, Any], sets: bool) -> list[tuple[bool, list[Any]]]:
    """The measures that most people ask for, and all others."""
    first = list(measures) if sets else [name for name in _FIRST if name in measures]
    rest = [name for name in measures if name not in first]
    return [
        (few, [(*about(name, sets=sets), measures[name]) for name in names])
        for few, names in ((True, first), (False, rest))
        if names
    ]


def _differences(record: dict[str, Any]) -> list[Any]:
    """By how much the first labels are higher than the others, of the measures that most people ask for."""
    if not record["against"]:
        return []
    sets, found = record["against"]["overlapping"], record["against"]["differences"]
    return [(about(name, sets=sets)[0], found[name]) for name in (found if sets else _FIRST)]


def about(name: str, *, sets: bool = False) -> tuple[str, str, str]:
    """What a measure is called, what it rewards, and where it misleads."""
    shown = measure(name)[0]
    found = (SET_MEASURES if sets else MEASURES)[name]
    if shown == name:
        shown = found.aliases[0] if found.aliases else name.replace("_", " ")
    return shown[:1].upper() + shown[1:], found.rewards, found.weakness


def picture(confusion: dict[str, Any]) -> Drawing:
    """Classes by clusters: the darker, the larger the share of the class."""
    columns = [*confusion["clusters"]]
    if confusion["other_clusters"]:
        columns.append(f"{number(confusion['other_clusters'])} others")
    columns.append("not assigned")
    kept = [*range(len(confusion["clusters"]))]
    kept += ([len(confusion["clusters"])] if confusion["other_clusters"] else []) + [len(confusion["clusters"]) + 1]
    rows = [*confusion["classes"]] + (
        [f"{number(confusion['other_classes'])} others"] if confusion["other_classes"] else []
    )
    parts = []
    left = 16 + 8 * max(min(_LETTERS, len(name)) for name in rows)
    top = 24 + 7 * max(min(_LETTERS, len(name)) for name in columns)
    for j, name in enumerate(columns):
        x = left + j * _CELL + _CELL / 2 + 4
        parts.append(f'<text class="soft" transform="translate({x:g} {top - 8}) rotate(-60)">{_short(name)}</text>')
    for i, name in enumerate(rows):
        y, cells = top + i * _CELL, confusion["cells"][i]
        total = max(1, sum(cells))
        parts.append(f'<text class="end" x="{left - 8}" y="{y + _CELL * 0.68:g}">{_short(name)}</text>')
        for j, at in enumerate(kept):
            share = cells[at] / total
            kind = "away" if at == kept[-1] else "cell"
            said = (
                f"{cut(name, 60)}: {number(cells[at])} of {number(total)} ({percent(share)}) in {cut(columns[j], 60)}"
            )
            parts.append(
                f'<g><title>{escaped(said)}</title><rect class="well" x="{left + j * _CELL}" y="{y}" '
                f'width="{_CELL - 2}" height="{_CELL - 2}"/>'
                + (
                    f'<rect class="{kind}" fill-opacity="{max(0.04, share):.3f}" x="{left + j * _CELL}" y="{y}" '
                    f'width="{_CELL - 2}" height="{_CELL - 2}"/>'
                    if cells[at]
                    else ""
                )
                + "</g>"
            )
    wide = left + len(columns) * _CELL + 90
    return Drawing("Which class went into which cluster", wide, top + len(rows) * _CELL + 8, "".join(parts))


def _short(name: str) -> str:
    return escaped(cut(clean(name), _LETTERS))
