"""What was judged, as one record of JSON values: what `judge --json` prints and the page is made from."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from consilience.kernels.counting import unit_rows
from consilience.nouns import Integers, Vectors
from consilience.reports.escaping import cut
from consilience.runs.judging import Judged
from consilience.verdicts.confusion import Mixed
from consilience.verdicts.in_words import noun
from consilience.verdicts.judgement import Judgement, Measured

_CLASSES = 1000  # the largest, in the record
_LOOKED = 300  # documents of a class in which the nearest pair is looked for
_LETTERS = 300


def record(judged: Judged, labels: str, *, texts: bool = True) -> dict[str, Any]:
    """The record; a number that is undefined is None."""
    found = judged.judgement
    told: dict[str, Any] = {
        "labels": labels if labels == "-" else Path(labels).name,
        "truth": judged.truth,
        "of": noun(found) if found else "document",
        "items": found.items if found else len(judged.found),
        "coverage": found.coverage if found else float((judged.found.counts > 0).mean()),
        "k": len(judged.found.classes),
        "overlapping": found.overlapping if found else judged.found.overlapping,
        "measures": _measures(found.measures) if found else {},
        "internal": None,
        "verdict": judged.verdict,
        "depths": [],
        "classes": [],
        "mixed": [],
        "confusion": None,
        "against": None,
        "stability": _stability(judged) if judged.stability else None,
    }
    if judged.inner is not None:
        told["internal"] = {
            name: {**one._asdict(), "value": _plain(one.value), "error": _plain(one.error)}
            for name, one in judged.inner.items()
        }
    if found:
        told |= {
            "depths": [{**depth._asdict(), "measures": _measures(depth.measures)} for depth in found.depths],
            "classes": _classes(judged, found),
            "mixed": [_mixed(judged, found, one, texts) for one in found.mixed],
            "confusion": _confusion(judged, found),
        }
    if judged.against:
        less = {name: d._asdict() for name, d in judged.against.differences.items()}
        told["against"] = {
            "items": judged.against.items,
            "overlapping": judged.against.overlapping,
            "differences": _finite(less),
        }
    return told


def _stability(judged: Judged) -> dict[str, Any]:
    found = judged.stability
    if found is None:
        return {}
    numbers = zip(judged.names.values(), found.jaccard, found.again, found.by_chance, strict=True)
    clusters = [
        {"cluster": name, "jaccard": _plain(j), "again": _plain(a), "by_chance": _plain(c)} for name, j, a, c in numbers
    ]
    return {"value": _plain(found.value), "samples": found.samples, "share": found.share, "clusters": clusters}


def _measures(measures: dict[str, Measured]) -> dict[str, Any]:
    return _finite({name: found._asdict() for name, found in measures.items()})


def _finite(told: dict[str, dict[str, float]]) -> dict[str, Any]:
    return {name: {key: _plain(value) for key, value in numbers.items()} for name, numbers in told.items()}


def _plain(value: float | None) -> float | None:
    return round(float(value), 6) if value is not None and math.isfinite(value) else None


def _cluster(judged: Judged, found: Judgement, number: int) -> str | None:
    return judged.names[found.clusters[number]] if number >= 0 else None


def _classes(judged: Judged, found: Judgement) -> list[dict[str, Any]]:
    """The largest classes first."""
    order = sorted(found.fates, key=lambda fate: (-fate.items, fate.number))[:_CLASSES]
    return [
        {
            "class": found.classes[fate.number],
            "items": fate.items,
            "assigned": fate.assigned,
            "cluster": _cluster(judged, found, fate.cluster if fate.assigned else -1),
            "held": round(fate.held, 6),
            "share": round(fate.share, 6),
            "f": round(fate.f, 6),
        }
        for fate in order
    ]


def _confusion(judged: Judged, found: Judgement) -> dict[str, Any]:
    """Rows are classes, columns clusters; the last row, and the last column but one, are all others."""
    grid = found.grid
    return {
        "classes": [found.classes[c] for c in grid.classes],
        "clusters": [judged.names[found.clusters[k]] for k in grid.clusters],
        "other_classes": len(found.classes) - len(grid.classes),
        "other_clusters": len(found.clusters) - len(grid.clusters),
        "cells": grid.cells.tolist(),
    }


def _mixed(judged: Judged, found: Judgement, one: Mixed, texts: bool) -> dict[str, Any]:
    """The pair, with a document of each: where the documents are known, the two that are most alike."""
    members = [_members(found, number, one.cluster) for number in (one.a, one.b)]
    ids = _nearest(judged.vectors, *members) if judged.vectors is not None else [part[0] for part in members]
    return {
        "a": found.classes[one.a],
        "b": found.classes[one.b],
        "documents": round(one.documents, 1),
        "share_of_a": round(one.share_of_a, 6),
        "share_of_b": round(one.share_of_b, 6),
        "cluster": _cluster(judged, found, one.cluster),
        "examples": [{"id": id, "text": _text(judged, id) if texts else None} for id in ids],
    }


def _members(found: Judgement, number: int, cluster: int) -> list[str]:
    """Ids of a class' items in a cluster, in their order; those of both classes' own first."""
    own = (found.gold.sets[:, [number]].toarray().ravel() > 0) & (found.found.sets[:, [cluster]].toarray().ravel() > 0)
    alone = own & (found.gold.counts == 1)
    chosen = alone if alone.any() else own
    return sorted(found.gold.items.filter(pl.Series(chosen)).to_list())


def _nearest(vectors: Vectors, first: list[str], second: list[str]) -> list[str]:
    """The two most alike of the first documents of each; the first ones where nothing is known of them."""
    rows = [_rows(vectors, part[:_LOOKED]) for part in (first, second)]
    if not all(len(part) for part in rows):
        return [first[0], second[0]]
    a, b = (unit_rows(sparse.csr_array(vectors.matrix[part], dtype=np.float64)) for part in rows)
    cosines = (a @ b.T).toarray()
    cosines[rows[0][:, None] == rows[1]] = -1  # an item of both classes is no example of their being mixed up
    x, y = np.unravel_index(int(cosines.argmax()), cosines.shape)
    return [vectors.items[int(rows[0][x])], vectors.items[int(rows[1][y])]]


def _rows(vectors: Vectors, ids: list[str]) -> Integers:
    place = pl.DataFrame({"id": vectors.items}).with_row_index("row")
    wanted = pl.DataFrame({"id": pl.Series(ids, dtype=pl.String)})
    return wanted.join(place, on="id", maintain_order="left")["row"].to_numpy().astype(np.int64)


def _text(judged: Judged, id: str) -> str | None:
    if judged.corpus is None:
        return None
    at = judged.corpus.ids.index_of(id)
    return cut(judged.corpus.texts[at], _LETTERS) if at is not None else None
