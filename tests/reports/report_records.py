"""Records to draw: one of calm documents, one of documents that mean harm."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.reports.summary import Cluster, Example, Points, Record

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "two\u2028line\u2029ends",
    "a nul \x00 and a bell \x07",
    "half a pair \ud800 alone",
    "\u202edrowkcab\u202e",
    "x" * 100_000,
    "id'\"<b>\n\t&amp;",
    "--><!--<![CDATA[ {{ 7 * 7 }} {% raw %}",
    "日本語のテキスト",
    "مرحبا بالعالم",
]
LABELS = [
    "</script><script>alert(1)</script>, two",
    "a" * 300,
    "日本語のテキスト, 分類, クラスタリング",
    "עברית, שלום, מסמכים",
    "",
    "\u202egnorw yaw, rtl",
]


def record_of(documents: int = 60, k: int = 3, **changes: Any) -> Record:
    """A record with a map of `k` heaps."""
    chance = np.random.default_rng(0)
    labels = np.arange(documents) % k if k else np.full(documents, -1)
    heaps = chance.integers(1500, 8500, (max(k, 1), 2))
    places = np.clip(heaps[labels] + chance.normal(0, 400, (documents, 2)), 0, 9999).astype(int)
    made = Record(
        title="tickets.csv",
        item="document",
        documents=documents,
        assigned=1.0 if k else 0.0,
        k=k,
        k_reason=None,
        seconds=1.5,
        peak_mb=120.0,
        notes=["3 documents are empty."],
        clusters=[
            Cluster(
                id=cluster,
                size=int((labels == cluster).sum()),
                label=f"word{cluster}, term{cluster}",
                terms=[f"word{cluster}", f"term{cluster}", f"other{cluster}"],
                retrieval=0.5,
                confidence=None,
                stability=None,
                outliers=[],
                examples=[Example(id=f"doc {cluster}", text=f"example of {cluster}", senses=None)],
                colour=cluster % 20,
                at=[int(value) for value in heaps[cluster]],
            )
            for cluster in range(k)
        ],
        measures=None,
        points=Points(
            x=places[:, 0].tolist(),
            y=places[:, 1].tolist(),
            cluster=labels.tolist(),
            id=[f"doc {row}" for row in range(documents)],
            snippet=[f"the text of number {row}" for row in range(documents)],
            share=1.0,
        ),
        tree=None,
        recipe=[{"step": "read", "path": "/home/someone/tickets.csv", "format": "csv", "bytes": 1200}],
        versions={"python": "3.12"},
        seed=0,
    )
    made.update(changes)  # type: ignore[typeddict-item]
    return made


def hostile() -> Record:
    """Every text of a record says something that must not be believed."""
    record = record_of(60, len(LABELS))
    for cluster, label in zip(record["clusters"], LABELS, strict=True):
        cluster["label"] = label
        cluster["terms"] = [label, *HOSTILE[:3]]
        cluster["examples"] = [Example(id=text, text=text, senses=[[text, text]]) for text in HOSTILE]
        cluster["stability"] = None if cluster["id"] else 0.25
    points = record["points"]
    assert points is not None
    points["id"] = [f"{HOSTILE[row % len(HOSTILE)]} {row}" for row in range(60)]
    points["snippet"] = [HOSTILE[row % len(HOSTILE)][:300] for row in range(60)]
    record["title"] = "</title><script>document.title = 'taken'</script> \ud800"
    record["notes"] = list(HOSTILE)
    record["measures"] = {HOSTILE[0]: {"value": 0.5, "on_assigned": 0.4}}
    record["tree"] = [(0, 1, 0.1), (2, 3, 0.2), (6, 7, 0.5), (4, 5, 0.3), (8, 9, 0.9)]
    record["recipe"] = [{"step": "read", "path": HOSTILE[0]}, {"step": HOSTILE[1], HOSTILE[2]: HOSTILE[0]}]
    record["versions"] = {HOSTILE[0]: HOSTILE[1]}
    return record
