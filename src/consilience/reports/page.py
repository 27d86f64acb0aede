"""Record -> report.html: one file that needs no network, no server and no other file.

The page refuses everything it does not bring along: its policy names its own style and script by their hashes, so a
script that came in with a document would not run even if it got past the escaping.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from consilience.reports.colours import COLOURS, variables
from consilience.reports.escaping import as_script_data, clean, cut
from consilience.reports.figures import tree
from consilience.reports.summary import Cluster, Record
from consilience.reports.words import amount, count, duration, listed, measure, number, percent, sentences

_TEMPLATES = Path(__file__).with_name("templates")
_IN_HEADLINE = 5


def page(record: Record) -> str:
    """The report as HTML. The same record gives the same page."""
    style, script = _style(), (_TEMPLATES / "report.js").read_text(encoding="utf-8")
    return _template().render(
        record=record,
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        data=Markup(as_script_data(_for_script(record))),
        largest=record["clusters"][:_IN_HEADLINE],
        strip=_strip(record),
        shown=[_row(cluster) for cluster in record["clusters"]],
        has={name: _known(record, name) for name in ("retrieval", "confidence", "stability")},
        biggest=max((cluster["size"] for cluster in record["clusters"]), default=1),
        unknown=_unknown(record),
        measures=[(*measure(name), score) for name, score in (record["measures"] or {}).items()],
        tree=Markup(tree(record).inline()) if record["tree"] else None,
        steps=sentences(record["recipe"]),
        colours=COLOURS,
    )


@cache
def _template() -> Any:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # every string on its way into the page loses what HTML has no form for
        finalize=lambda value: clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters |= {
        "number": number,
        "percent": percent,
        "duration": duration,
        "amount": amount,
        "count": count,
        "cut": cut,
    }
    return environment.get_template("report.html.jinja")


@cache
def _style() -> str:
    light, dark = variables("light"), variables("dark")
    paints = "".join(
        f".f{i}{{fill:var(--c{i})}}.b{i}{{background:var(--c{i})}}.u{i}{{text-decoration-color:var(--c{i})}}"
        for i in range(COLOURS)
    )
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        f"{(_TEMPLATES / 'report.css').read_text(encoding='utf-8')}\n{paints}"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _for_script(record: Record) -> dict[str, Any]:
    """What the page's own script needs: the documents on the map and the clusters' names."""
    names = ("id", "label", "size", "colour", "at")
    return {
        "documents": record["documents"],
        "item": record["item"],
        "clusters": [{name: cluster[name] for name in names} for cluster in record["clusters"]],  # type: ignore[literal-required]
        "points": record["points"],
    }


class Row(NamedTuple):
    """A row of the table: the terms that its label does not say already."""

    cluster: Cluster
    others: str


def _row(cluster: Cluster) -> Row:
    said = {part.strip().casefold() for part in cluster["label"].split(",")}
    return Row(cluster, ", ".join(term for term in cluster["terms"] if term.casefold() not in said))


def _known(record: Record, name: str) -> bool:
    return any(cluster[name] is not None for cluster in record["clusters"])  # type: ignore[literal-required]


def _strip(record: Record) -> list[tuple[str, float, float, str]]:
    """The whole as one bar of 1000: a part's colour, left, width and title."""
    documents = max(record["documents"], 1)
    parts, left = [], 0.0
    for cluster in record["clusters"]:
        width = 1000 * cluster["size"] / documents
        said = f"{cut(cluster['label'], 60)}: {count(cluster['size'], record['item'])}, {percent(width / 1000)}"
        parts.append((f"f{int(cluster['colour'])}", round(left, 2), round(width, 2), said))
        left += width
    return parts


def _unknown(record: Record) -> str:
    """What nobody has looked at yet, in a sentence; empty if all is known."""
    if record["documents"] < 2:
        return ""
    missing = []
    if record["clusters"] and not _known(record, "stability"):
        missing.append("whether the same clusters come out again with another seed or sample")
    if record["clusters"] and not _known(record, "confidence"):
        missing.append(f"how sure each {record['item']}'s place is")
    if record["measures"] is None:
        missing.append("how well this agrees with labels given by people, for there were none")
    return f"Not known yet: {listed(missing)}." if missing else ""
