"""Comparison -> Record: all that `consilience compare` says, as plain JSON values, and in words.

The page and the terminal read a record and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from consilience.comparisons import Comparison
from consilience.comparisons.coverage import BINS, Coverage
from consilience.comparisons.links import Links
from consilience.comparisons.movers import Flow, Union
from consilience.measures import HEADLINES
from consilience.reports.words import count, listed, number, percent
from consilience.runs.comparing import Compared

_FLOWS = 200  # flows told one by one; the rest are summed


def record(compared: Compared, titles: tuple[str, str]) -> dict[str, Any]:
    """What there is to say; `titles` are what the two sides are called."""
    found = compared.comparison
    both = found.table.total
    return {
        "a": titles[0],
        "b": titles[1],
        "items": {
            "both": len(found.items),
            "only_a": compared.only_a,
            "only_b": compared.only_b,
            "assigned_a": int((found.a.labels >= 0).sum()),
            "assigned_b": int((found.b.labels >= 0).sum()),
            "assigned_both": both,
        },
        "classes": {"a": len(found.a.classes), "b": len(found.b.classes)},
        "agreed": _rounded(found.agreed),
        "kappa": {
            **_numbers(found.kappa._asdict()),
            "on_all": _numbers(found.kappa_on_all._asdict()),
            "intervals": {name: _ends(found, name) for name in ("greedy", "optimal")},
        },
        "mantel": _mantel(compared),
        "coverage": _coverage(compared),
        "links": {
            "similarity": _links(found.similarity, compared.names),
            "entropy": _links(found.entropy, compared.names),
            "reason": compared.without_texts,
        },
        "measures": {
            name: {**_numbers(score._asdict()), **({"assigned_95": _ends(found, name)} if name in HEADLINES else {})}
            for name, score in found.measures.items()
        },
        "overlapping": None if found.overlapping is None else _numbers(found.overlapping),
        "moved": _moved(compared),
        "notes": notes(compared, titles),
    }


def moved_table(compared: Compared, *, with_texts: bool = False) -> pl.DataFrame:
    """A row for each document outside the matched classes, by id, and for each that only one side has a class for."""
    found = compared.comparison
    a, b = found.a.labels, found.b.labels
    names_a, names_b = (pl.Series([*names, None], dtype=pl.String) for names in compared.names)
    expected = dict(zip(found.mapping.tolist(), range(len(found.mapping)), strict=True))
    to = pl.Series([expected.get(i, -1) for i in range(len(names_a) - 1)] + [-1], dtype=pl.Int64).to_numpy()
    table = pl.DataFrame(
        {
            "id": found.items,
            "a": names_a.gather(_last(a, len(names_a))),
            "b": names_b.gather(_last(b, len(names_b))),
            "matched": names_b.gather(_last(to[a], len(names_b))),
        }
    )
    if with_texts and compared.texts is not None:
        table = table.with_columns(compared.texts.alias("text"))
    away = pl.Series(found.moved.tolist() + [int(row) for row in ((a >= 0) != (b >= 0)).nonzero()[0]], dtype=pl.Int64)
    return table[away.to_numpy()].sort("id")


def notes(compared: Compared, titles: tuple[str, str]) -> list[str]:
    """What a reader has to know, as sentences."""
    found, (a, b) = compared.comparison, titles
    stand = "stands" if len(found.items) == 1 else "stand"
    said = [f"{count(len(found.items), 'document')} {stand} in both{_outside(compared, titles)}."]
    without = [
        f"{number(missing)} {'has' if missing == 1 else 'have'} no class in {title}"
        for title, missing in ((a, int((found.a.labels < 0).sum())), (b, int((found.b.labels < 0).sum())))
        if missing
    ]
    if without:
        said.append(
            f"Of these, {listed(without)}. Numbers are about the {number(found.table.total)} with a class in both; "
            f"with the others counted as agreeing with nothing, kappa is {found.kappa_on_all.optimal:.3f}."
        )
    for title, side in ((a, found.a), (b, found.b)):
        if side.soft:
            said.append(f"In {title} documents belong to classes by degrees; each counts in its strongest.")
        elif side.overlapping:
            said.append(
                f"In {title} some documents have several classes; each counts in the first of them, "
                "but its words count in all."
            )
    if found.overlapping is not None:
        both = found.overlapping["micro_i_1_1"]
        said.append(
            f"With all classes of a document counted, its two sets agree with F = {both:.3f} in the mean (MicroI, "
            "classes matched one to one)."
        )
    if compared.without_texts:
        said.append(f"Links between classes by their words were not looked for: {compared.without_texts}.")
    elif compared.texts is not None and found.similarity is None:
        said.append("Links between classes by their words were not looked for: there are too many classes.")
    return said


def in_words(kappa: float) -> str:
    """An amount of agreement beyond chance, in a word; the borders are ours."""
    words = ((1, "the same clustering"), (0.9, "almost the same"), (0.7, "much alike"), (0.4, "partly alike"))
    for least, word in (*words, (0.1, "a little alike")):
        if kappa >= least:
            return word
    return "no more alike than by chance" if kappa > -0.1 else "less alike than by chance"


def headline(record: dict[str, Any]) -> str:
    """The answer in a sentence."""
    both = record["items"]["assigned_both"]
    if record["agreed"] == 1:
        same = record["kappa"]["optimal"] == 1
        return f"{'The same clustering' if same else 'No disagreement'} of {count(both, 'document')}."
    return f"They agree on {percent(record['agreed'])} of {count(both, 'document')}."


def effect(record: dict[str, Any]) -> str:
    """What the first number is worth."""
    kappa, ends = record["kappa"]["optimal"], record["kappa"]["intervals"]["optimal"]
    interval = f" (95 %: {ends[0]:.3f} to {ends[1]:.3f})" if ends else ""
    return (
        f"Each class of {record['b']} was matched with the class of {record['a']} that suits all best. Beyond what "
        f"such a matching would bring by chance, the agreement is a kappa of {kappa:.3f}{interval}: {in_words(kappa)}. "
        "0 is chance, 1 the same clustering."
    )


def about_mantel(record: dict[str, Any]) -> str:
    """Mantel's test, effect first, and what it is not."""
    mantel = record["mantel"]
    if mantel["r"] is None:
        return "Mantel's r does not exist here: on one side all pairs of documents are together, or all apart."
    p = ""
    if mantel["p"] is not None:
        least = " at most" if mantel["p"] <= 1.5 / (mantel["permutations"] + 1) else ""
        p = (
            f" In {number(mantel['permutations'])} permutations p is{least} {mantel['p']:.3g}; with many documents "
            "every p is small, so read r."
        )
    return (
        f"Whether two documents are together in one clustering goes with whether they are in the other by Mantel's "
        f"r = {mantel['r']:.3f}. On classes this r is the phi coefficient of the pairs' table, and kappa over pairs is "
        "the adjusted Rand index: these three are one witness. The kappa above is over documents, after a matching of "
        f"classes; it is another.{p}"
    )


def _outside(compared: Compared, titles: tuple[str, str]) -> str:
    only = [
        f"{number(outside)} only in {title}"
        for title, outside in zip(titles, (compared.only_a, compared.only_b), strict=True)
        if outside
    ]
    both = len(compared.comparison.items)
    share = percent(both / max(both + compared.only_a + compared.only_b, 1))
    return f", {share} of all; {listed(only)}, of which nothing is said here" if only else ""


def _mantel(compared: Compared) -> dict[str, Any]:
    found = compared.comparison
    told = {
        name: value if isinstance(value, int) else _rounded(value) for name, value in found.mantel._asdict().items()
    }
    trees = None if compared.trees is None else _numbers(compared.trees._asdict())
    return {**told, "r_interval": _ends(found, "r"), "r_on_all": _rounded(found.r_on_all), "trees": trees}


def _coverage(compared: Compared) -> dict[str, Any]:
    a, b = compared.comparison.coverage
    tables = a.table(), b.table()
    return {
        "rows": _rows("a", a, *compared.names) + _rows("b", b, *reversed(compared.names)),
        "table": [{"coverage": name, "a": tables[0][name], "b": tables[1][name]} for name, *_ in BINS],
    }


def _rows(side: str, found: Coverage, own: Sequence[str], other: Sequence[str]) -> list[dict[str, Any]]:
    numbers = zip(own, found.sizes.tolist(), found.into.tolist(), found.shared.tolist(), found.shares, strict=True)
    return [
        {
            "side": side,
            "class": name,
            "items": size,
            "into": None if into < 0 else other[into],
            "shared": shared,
            "coverage": _rounded(share),
        }
        for name, size, into, shared, share in numbers
    ]


def _links(links: Links | None, names: tuple[list[str], list[str]]) -> dict[str, Any] | None:
    if links is None:
        return None
    pairs = zip(names[1], links.to.tolist(), links.value.tolist(), strict=True)
    return {
        "table": links.table(),
        "links": [
            {"class": name, "to": None if to < 0 else names[0][to], "value": _rounded(value)}
            for name, to, value in pairs
        ],
    }


def _moved(compared: Compared) -> dict[str, Any]:
    found, (names_a, names_b) = compared.comparison, compared.names
    a, b = found.a.labels >= 0, found.b.labels >= 0
    return {
        "items": len(found.moved),
        "share": _rounded(len(found.moved) / max(found.table.total, 1)),
        "without_a": int((~a & b).sum()),
        "without_b": int((a & ~b).sum()),
        "flows": [_flow(flow, names_a, names_b) for flow in found.flows[:_FLOWS]],
        "other_flows": {"flows": len(found.flows[_FLOWS:]), "items": sum(f.items for f in found.flows[_FLOWS:])},
        "splits": [_union(union, names_a, names_b) for union in found.splits],
        "merges": [_union(union, names_b, names_a) for union in found.merges],
    }


def _flow(flow: Flow, names_a: Sequence[str], names_b: Sequence[str]) -> dict[str, Any]:
    return {"from": names_a[flow.a], "to": names_b[flow.b], "items": flow.items}


def _union(union: Union, whole: Sequence[str], parts: Sequence[str]) -> dict[str, Any]:
    return {"class": whole[union.whole], "parts": [parts[p] for p in union.parts], "share": _rounded(union.share)}


def _ends(found: Comparison, name: str) -> list[float | None] | None:
    interval = found.intervals.get(name)
    return None if interval is None else [_rounded(interval.low), _rounded(interval.high)]


def _last(labels: Any, size: int) -> Any:
    """Labels with -1 as the last of `size` numbers."""
    return pl.Series(labels).cast(pl.Int64).replace(-1, size - 1)


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, int) else _rounded(value) for name, value in values.items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(float(value), 6)
