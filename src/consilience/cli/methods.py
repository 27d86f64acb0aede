"""consilience methods: which ways of clustering there are."""

from __future__ import annotations

from consilience import catalogue
from consilience.cli.options import Common
from consilience.cli.screen import give_json, give_table


def methods(common: Common) -> None:
    """List the methods that `cluster --method` takes."""
    give_catalogue("clusterings", as_json=common.json)


def give_catalogue(family: str, *, as_json: bool) -> None:
    """A family's members with a line each."""
    members = {name: catalogue.summary(family, name) for name in catalogue.names(family)}
    if as_json:
        give_json(members)
    else:
        give_table(["name", "what it is"], [[name, line] for name, line in members.items()])
