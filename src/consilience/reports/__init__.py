"""Reports: what a run found, for a person to read.

summary.py   nouns -> Record, plain JSON values        page.py      Record -> report.html, one file
layout.py    where documents stand on the map          figures.py   Record -> SVG
colours.py   themes, and which cluster has which       words.py     numbers and steps as sentences
escaping.py  documents as data, in JSON, HTML and SVG  frame.py     what all pages share: policy, style, theme
judgement.py what was judged -> record                 judgement_page.py   record -> judge.html
templates/   the pages' HTML, CSS and JavaScript
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from consilience.reports.figures import figures
from consilience.reports.page import page
from consilience.reports.summary import Record, summarise

if TYPE_CHECKING:
    from consilience.runs import Run

__all__ = ["Record", "figures", "page", "pages", "summarise"]


def pages(run: Run, title: str, *, texts: bool = True) -> dict[str, str]:
    """All files of a run's report by their path in its folder; `report.json` is what the others are made from."""
    return drawn(summarise(run, title, texts=texts))


def drawn(record: Record) -> dict[str, str]:
    """The files made from a record, the record itself among them."""
    whole = {"report.html": page(record), "report.json": json.dumps(record, separators=(",", ":")) + "\n"}
    return whole | {f"figures/{name}": svg for name, svg in figures(record).items()}
