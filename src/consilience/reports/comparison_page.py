"""Record of a comparison -> compare.html."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from consilience.measures import HEADLINES, MEASURES
from consilience.reports.comparison import about_mantel, effect, headline
from consilience.reports.frame import framed
from consilience.reports.matching import bands, heat_map
from consilience.reports.summary import snippets
from consilience.reports.words import measure
from consilience.runs.comparing import Compared

_LISTED = 24  # flows in the table, those that are drawn
_OF_ONE = 200  # documents shown of one flow
_DOCUMENTS = 5_000  # of all
_LETTERS = 300


def comparison_page(compared: Compared, record: dict[str, Any], *, texts: bool = True) -> str:
    """The page as HTML. The same comparison gives the same page."""
    found = compared.comparison
    moved = record["moved"]
    return framed(
        "compare",
        f"{record['a']} and {record['b']}",
        _documents(compared, texts),
        record=record,
        headline=headline(record),
        effect=effect(record),
        mantel=about_mantel(record),
        map=Markup(heat_map(found, compared.names).inline()),
        bands=Markup(bands(found.flows, found, compared.names).inline()) if found.flows else None,
        flows=moved["flows"][:_LISTED],
        more=(
            len(moved["flows"]) - _LISTED + moved["other_flows"]["flows"],
            moved["items"] - sum(flow["items"] for flow in moved["flows"][:_LISTED]),
        ),
        measures=[(*measure(name), record["measures"][name]) for name in HEADLINES],
        others=[(name, MEASURES[name].rewards, score) for name, score in record["measures"].items()],
        links=_link_table(record["links"]),
        has_texts=texts and compared.texts is not None,
    )


def _documents(compared: Compared, texts: bool) -> dict[str, Any]:
    """What the script lists: of each flow in the table some documents, by id."""
    found = compared.comparison
    labels = np.stack([found.a.labels[found.moved], found.b.labels[found.moved]])
    rows: list[int] = []
    lists: list[list[int]] = []
    order = found.items.gather(found.moved).arg_sort().to_numpy()
    for flow in found.flows[:_LISTED]:
        own = order[(labels[0][order] == flow.a) & (labels[1][order] == flow.b)][:_OF_ONE]
        own = own[: max(0, _DOCUMENTS - len(rows))]
        lists.append(list(range(len(rows), len(rows) + len(own))))
        rows += found.moved[own].tolist()
    said = None
    if texts and compared.texts is not None:
        said = snippets(compared.texts.gather(rows), _LETTERS).to_list()
    return {"flows": lists, "id": found.items.gather(rows).to_list(), "text": said}


def _link_table(links: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Their table 4: no link, 1-1, 1-2, ... by similarity and by entropy."""
    if links["similarity"] is None or links["entropy"] is None:
        return []
    tables = links["similarity"]["table"], links["entropy"]["table"]
    most = max(int(key[2:]) for table in tables for key in (*table, "1-1") if key != "none")
    keys = ["none", *(f"1-{n}" for n in range(1, most + 1))]
    return [(key, tables[0].get(key, 0), tables[1].get(key, 0)) for key in keys]
