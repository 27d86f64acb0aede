"""Ensembles: 20 members with k = 20 on 20 Newsgroups, and a million documents: time and memory, consensus included.

    CONSILIENCE_DATA=folder python bench/ensemble.py [documents]

20 Newsgroups: all 18,846 posts without their heads, members on tf-idf with and without the logarithm in turn. The
million are drawn: each has ten of 20,000 terms, most of them from the part of the vocabulary that its topic likes. Each
is measured in a process of its own, from the vectors on; memory is the most that the process held, the vectors in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

from consilience import read, represent, tokenise
from consilience.kernels.counting import unit_rows
from consilience.nouns import Recipe, Vectors
from consilience.runs.road import peak_mb
from consilience.verdicts import ensemble

MEMBERS, K = 20, 20
WANTED_SECONDS, WANTED_MB = 30, 6 * 2**30 / 1e6
TERMS, WORDS, TOPICS, OWN = 20_000, 10, 50, 0.7


def newsgroups() -> dict[str, Vectors]:
    corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / "20newsgroups_bydate.jsonl.gz", strip=("headers",))
    tokens = tokenise(corpus)
    return {view: represent(tokens, view) for view in ("tfidf-log", "tfidf")}


def drawn(documents: int) -> dict[str, Vectors]:
    chance = np.random.default_rng(0)
    topic = chance.integers(TOPICS, size=(documents, 1), dtype=np.int32)
    part = TERMS // TOPICS
    own = topic * part + (part * chance.random((documents, WORDS), np.float32) ** 2).astype(np.int32)
    columns = np.where(chance.random((documents, WORDS)) < OWN, own, chance.integers(TERMS, size=own.shape))
    columns = np.sort(columns.astype(np.int32), axis=1)
    indptr = np.arange(documents + 1, dtype=np.int64) * WORDS
    matrix = sparse.csr_array((np.ones(columns.size, np.float32), columns.ravel(), indptr), shape=(documents, TERMS))
    matrix.sum_duplicates()
    items = pl.select(pl.int_range(documents).cast(pl.String)).to_series()
    terms = pl.Series("term", [f"t{t}" for t in range(TERMS)])
    return {"counts": Vectors(items, unit_rows(matrix), terms, Recipe("drawn"))}


def measure(documents: int) -> None:
    views = drawn(documents) if documents else newsgroups()
    count = len(next(iter(views.values())))
    small = {name: Vectors(v.items[:500], v.matrix[:500], v.features, v.recipe) for name, v in views.items()}
    ensemble(small, k=3, members=2)  # compiles where nothing is compiled yet
    before = peak_mb()
    began = time.perf_counter()
    stages: list[tuple[float, str]] = []
    found = ensemble(views, k=K, members=MEMBERS, stage=lambda text: stages.append((time.perf_counter(), text)))
    ended = time.perf_counter()
    print(f"{count} documents, {MEMBERS} members, k = {K}: {ended - began:.1f} s")
    for (start, text), end in zip(stages, [*(at for at, _ in stages[1:]), ended], strict=True):
        print(f"  {end - start:5.1f} s {text}")
    print(f"  {found.agreement:.0%} of the members agree; peak {peak_mb():.0f} MB, {before:.0f} MB before the members")


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        measure(int(sys.argv[2]))
        return
    documents = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for size, wanted in ((0, f"{WANTED_SECONDS} s"), (documents, f"{WANTED_MB:.0f} MB for a million")):
        subprocess.run([sys.executable, __file__, "--measure", str(size)], check=True)
        print(f"  (wanted: under {wanted})")


if __name__ == "__main__":
    main()
