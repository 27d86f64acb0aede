"""consilience measures: which numbers say how well clusters agree with classes, and how far each may be trusted."""

from __future__ import annotations

from typing import Any

from consilience.cli.options import Common
from consilience.cli.screen import give_json, give_table


def measures(common: Common) -> None:
    """List the measures of agreement with classes: range, value by chance, what each rewards and where it misleads."""
    from consilience.measures.catalogue import MEASURES

    told = {name: dict(measure.told()) for name, measure in MEASURES.items()}
    if common.json:
        give_json({name: _as_json(name, said) for name, said in told.items()})
        return
    titles = ["Range", "Best", "By chance", "Rewards", "Weakness"]
    rows = [[name, *(said[title] for title in titles)] for name, said in told.items()]
    give_table(["measure", *(title.lower() for title in titles)], rows)


def _as_json(name: str, said: dict[str, str]) -> dict[str, Any]:
    from consilience.measures.catalogue import MEASURES

    words = {title.lower().replace(" ", "_"): text for title, text in said.items()}
    return {"formula": MEASURES[name].formula, **words}
