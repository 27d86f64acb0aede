"""consilience measures: which numbers say how well clusters agree with classes, and how far each may be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.cli.options import Common
from consilience.cli.screen import give_json, give_table

if TYPE_CHECKING:
    from consilience.measures.catalogue import Measure

_COLUMNS = ("Range", "Best", "By chance", "Rewards", "Weakness")


def measures(common: Common) -> None:
    """List the measures. Range, value by chance, what each rewards and where it misleads."""
    from consilience.measures import MEASURES, SET_MEASURES
    from consilience.measures.internal import ABOUT, About

    kinds = {"measures": MEASURES, "of_sets": SET_MEASURES}
    if common.json:
        told = {kind: {name: _as_json(one) for name, one in these.items()} for kind, these in kinds.items()}
        give_json({**told, "within": {name: about._asdict() for name, about in ABOUT.items()}})
        return
    _show("one class and one cluster per item", MEASURES)
    print()
    _show("several classes or clusters per item", SET_MEASURES)
    print()
    give_table(["within the space", *About._fields], [[name, *about] for name, about in ABOUT.items()])


def _as_json(measure: Measure) -> dict[str, str]:
    words = {title.lower().replace(" ", "_"): text for title, text in measure.told()}
    return {"formula": measure.formula, **words}


def _show(kind: str, measures: dict[str, Measure]) -> None:
    rows = []
    for name, measure in measures.items():
        said = dict(measure.told())
        rows.append([name, *(said[title] for title in _COLUMNS)])
    give_table([kind, *(title.lower() for title in _COLUMNS)], rows)
