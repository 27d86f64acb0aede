"""One million short documents, drawn from the corpora's sentences: JSONL to a run folder, k = 100, time and memory.

CONSILIENCE_DATA=... python bench/million.py [documents]
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

CORPORA = ("20newsgroups_bydate", "reuters21578", "classic3", "classic4_cacm", "brown_docs", "banking77")


def sentences() -> list[str]:
    """Sentences of 4 to 40 words from the English corpora, in the order of the files."""
    found: list[str] = []
    for name in CORPORA:
        texts = pl.read_ndjson(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.jsonl.gz")["text"].fill_null("")
        for text in texts.str.replace(r"(?s)^From: .*?\n\n", "").to_list():
            found += [s for s in re.split(r"(?<=[.!?])\s+", " ".join(text.split())) if 4 <= s.count(" ") < 40]
    return found


def write(path: Path, documents: int) -> None:
    """Each document is one sentence drawn at random, and every fifth has a second one behind it."""
    drawn = np.array(sentences(), dtype=object)
    generator = np.random.default_rng(0)
    first = drawn[generator.integers(len(drawn), size=documents)]
    second = drawn[generator.integers(len(drawn), size=documents)]
    with path.open("w", encoding="utf-8") as lines:
        for i in range(documents):
            text = first[i] if i % 5 else f"{first[i]} {second[i]}"
            lines.write(json.dumps({"id": f"{i:07d}", "text": text}) + "\n")


def main() -> None:
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "short.jsonl"
        write(corpus, documents)
        print(f"{documents} documents, {corpus.stat().st_size / 1e6:.0f} MB")
        command = [sys.executable, "-m", "consilience", "cluster", str(corpus), "--k", "100", "--json"]
        began = time.perf_counter()
        done = subprocess.run([*command, "--out", f"{folder}/run"], check=True, stdout=subprocess.PIPE, text=True)
        seconds = time.perf_counter() - began
        found = json.loads(done.stdout)
        print(f"{seconds:.1f} s (wanted: under 180), peak {found['peak_mb']:.0f} MB (wanted: under 4295)")
        print(f"{found['k']} clusters, {found['assigned']:.2%} assigned")


if __name__ == "__main__":
    main()
