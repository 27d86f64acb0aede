"""Record -> report.html: what the run found, in the frame that all pages have."""

from __future__ import annotations

from typing import Any, NamedTuple

from markupsafe import Markup

from consilience.reports.escaping import cut
from consilience.reports.figures import tree
from consilience.reports.frame import framed
from consilience.reports.summary import Cluster, Record
from consilience.reports.words import count, listed, measure, percent, sentences

_IN_HEADLINE = 5


def page(record: Record) -> str:
    """The report as HTML. The same record gives the same page."""
    return framed(
        "report",
        record["title"],
        _for_script(record),
        record=record,
        largest=record["clusters"][:_IN_HEADLINE],
        strip=_strip(record),
        shown=[_row(cluster) for cluster in record["clusters"]],
        has={name: _known(record, name) for name in ("retrieval", "confidence", "stability")},
        biggest=max((cluster["size"] for cluster in record["clusters"]), default=1),
        unknown=_unknown(record),
        measures=[(*measure(name), score) for name, score in (record["measures"] or {}).items()],
        tree=Markup(tree(record).inline()) if record["tree"] else None,
        steps=sentences(record["recipe"]),
    )


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
