"""Record -> SVG: the map, the sizes, the tree. They follow the reader's theme and need nothing beside themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import chain, groupby
from typing import NamedTuple

from consilience.reports.colours import COLOURS, variables
from consilience.reports.escaping import clean, cut, escaped
from consilience.reports.summary import SCALE, Cluster, Points, Record
from consilience.reports.words import count, number, percent

_WIDE = 1000
_BARS = 40  # clusters with a bar of their own; the rest share one
_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"


def figures(record: Record) -> dict[str, str]:
    """Every figure that the record has something for, by file name."""
    drawn = {"sizes.svg": _sizes(record).alone()}
    if record["points"]:
        drawn["map.svg"] = _map(record, record["points"]).alone()
    if record["tree"]:
        drawn["tree.svg"] = tree(record).alone()
    return drawn


class Drawing(NamedTuple):
    """What stands inside an <svg>, in a box from (0, 0)."""

    title: str
    width: int
    height: int
    content: str

    def inline(self) -> str:
        """As part of a page, whose style sheet colours it."""
        return (
            f'<svg class="figure" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" aria-label="{escaped(self.title)}">{self.content}</svg>'
        )

    def alone(self) -> str:
        """As a file: with its own style for both themes, and a ground, for viewers that show neither."""
        colours = "".join(f".f{i}{{fill:var(--c{i})}}.s{i}{{stroke:var(--c{i})}}" for i in range(COLOURS))
        style = (
            f"svg{{{variables('light')}}}@media (prefers-color-scheme:dark){{svg{{{variables('dark')}}}}}"
            f"text{{font:13px {_FONT};fill:var(--ink)}}.soft{{fill:var(--soft)}}.ground{{fill:var(--paper)}}"
            ".halo{stroke:var(--paper);stroke-width:4px;stroke-linejoin:round;paint-order:stroke;font-weight:600}"
            ".end{text-anchor:end}.mid{text-anchor:middle}.fgrey{fill:var(--grey)}.sgrey{stroke:var(--grey)}"
            ".dots{fill:none;stroke-linecap:round;stroke-opacity:.75}"
            f".branch{{fill:none;stroke:var(--soft);stroke-width:1.25}}.tick{{stroke:var(--line)}}{colours}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img"><title>{escaped(self.title)}</title>'
            f'<style>{style}</style><rect class="ground" width="100%" height="100%"/>{self.content}</svg>\n'
        )


def _map(record: Record, points: Points) -> Drawing:
    """A dot a document: a path a cluster, whose every step is a line of no length with round ends."""
    inner = _WIDE - 40
    x, y = ([20 + round(value * inner / SCALE, 1) for value in points[axis]] for axis in ("x", "y"))
    top, low = (min(y) - 20, max(y) + 20) if y else (0, 100)
    size = max(2.0, min(9.0, 2.2 * (inner * (low - top) / max(len(x), 1)) ** 0.5 / 6))
    colour = {cluster["id"]: str(cluster["colour"]) for cluster in record["clusters"]}
    order = sorted(range(len(x)), key=points["cluster"].__getitem__)
    dots = []
    for cluster, rows in groupby(order, key=points["cluster"].__getitem__):
        path = "".join(f"M{x[row]:g} {y[row] - top:.1f}h0" for row in rows)
        dots.append(f'<path class="dots s{colour.get(cluster, "grey")}" stroke-width="{size:.1f}" d="{path}"/>')
    found = [cluster for cluster in record["clusters"] if cluster["at"]]
    names = _placed(found, inner, top, low - top)
    title = f"Map of {count(len(x), record['item'])} in {count(record['k'], 'cluster')}"
    return Drawing(title, _WIDE, max(60, round(low - top)), "".join(dots) + "".join(names))


def _placed(clusters: list[Cluster], inner: int, top: float, height: float) -> Iterator[str]:
    """Labels at their clusters, the largest first; one that would lie on another goes above or below or is left out."""
    taken: list[tuple[float, float, float]] = []
    for cluster in clusters[:60]:
        text = cut(clean(cluster["label"]), 28)
        half = _breadth(text) / 2
        at = cluster["at"] or [0, 0]
        x = min(max(20 + at[0] * inner / SCALE, half + 6), _WIDE - half - 6)
        for shift in (0, -16, 16):
            y = min(max(20 + at[1] * inner / SCALE - top + shift, 14.0), height - 8)
            if all(abs(x - other) > half + wide + 8 or abs(y - line) > 17 for other, line, wide in taken):
                taken.append((x, y, half))
                yield f'<text class="halo mid" x="{x:.0f}" y="{y + 4:.0f}">{escaped(text)}</text>'
                break


def _breadth(text: str) -> float:
    """The width of 13 px text, near enough: wide characters (Chinese, Japanese, Korean) are as broad as high."""
    return sum(13.0 if unicodedata.east_asian_width(letter) in "WF" else 8.0 for letter in text)


def _sizes(record: Record) -> Drawing:
    """A bar a cluster, the largest first."""
    clusters, documents = record["clusters"], max(record["documents"], 1)
    rest = clusters[_BARS:]
    unassigned = record["documents"] - sum(cluster["size"] for cluster in clusters)
    bars = [
        (f"f{c['colour']}", cut(clean(c["label"]), 44) or f"cluster {c['id']}", c["size"]) for c in clusters[:_BARS]
    ]
    if rest:
        bars.append(("fgrey", f"{count(len(rest), 'smaller cluster')} together", sum(c["size"] for c in rest)))
    if unassigned:
        bars.append(("fgrey", "not assigned", unassigned))
    longest = max((size for _, _, size in bars), default=1)
    lines = []
    for row, (paint, label, size) in enumerate(bars):
        y = 20 + 26 * row
        width = 460 * size / longest
        lines.append(
            f'<text class="end" x="370" y="{y + 14}">{escaped(label)}</text>'
            f'<rect class="{paint}" x="384" y="{y + 2}" width="{max(width, 1.5):.1f}" height="16" rx="2"/>'
            f'<text class="soft" x="{392 + width:.1f}" y="{y + 14}">{number(size)} · {percent(size / documents)}</text>'
        )
    title = f"Sizes of {count(record['k'], 'cluster')} of {count(record['documents'], record['item'])}"
    return Drawing(title, _WIDE, 40 + 26 * max(len(bars), 1), "".join(lines))


class _Node(NamedTuple):
    left: int
    right: int
    height: float


def tree(record: Record) -> Drawing:
    """The dendrogram, leaves on the right: how far to the left two branches meet is the height of their merge."""
    k, clusters = record["k"], record["clusters"]
    nodes = [_Node(*merge) for merge in record["tree"] or []]
    highest = max((node.height for node in nodes), default=0.0) or 1.0
    roots = [node for node in range(k + len(nodes)) if node not in {child for n in nodes for child in n[:2]}]
    place = {leaf: 20.0 + 20 * row for row, leaf in enumerate(chain.from_iterable(_leaves(r, k, nodes) for r in roots))}
    across = dict.fromkeys(place, 600.0)
    lines = []
    for number_, node in enumerate(nodes):
        x = 600 - 570 * max(node.height, 0.0) / highest
        (top, start), (low, end) = sorted((place[child], across[child]) for child in node[:2])
        lines.append(f'<path class="branch" d="M{start:.1f} {top:.1f}H{x:.1f}V{low:.1f}H{end:.1f}"/>')
        place[k + number_], across[k + number_] = (top + low) / 2, x
    for leaf in range(k):
        text = escaped(cut(clean(clusters[leaf]["label"]), 40)) or f"cluster {leaf}"
        size = number(clusters[leaf]["size"])
        lines.append(
            f'<circle class="f{clusters[leaf]["colour"]}" cx="612" cy="{place[leaf]:.1f}" r="5"/>'
            f'<text x="626" y="{place[leaf] + 4.5:.1f}">{text} <tspan class="soft">{size}</tspan></text>'
        )
    return Drawing(f"Tree of {count(k, 'cluster')}", _WIDE, 40 + 20 * max(k - 1, 0), "".join(lines))


def _leaves(root: int, k: int, nodes: list[_Node]) -> Iterator[int]:
    """The clusters below a node from top to bottom; a stack, since a tree may be as deep as it has clusters."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node < k:
            yield node
        else:
            waiting += [nodes[node - k].right, nodes[node - k].left]
