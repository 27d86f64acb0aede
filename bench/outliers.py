"""How many of planted strangers are among the documents with the largest outlier scores.

    CONSILIENCE_DATA=... python bench/outliers.py

One document in a hundred is planted, either by another class in place of its own or from another corpus. Precision at
1 %: of the hundredth of documents with the largest scores, the share that was planted; drawn at random it is 0.01.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

from consilience import from_frame, read, represent, tokenise
from consilience.verdicts import outliers

CORPORA: dict[str, dict[str, str]] = {"20newsgroups_bydate": {"strip": "headers"}, "classic3": {}, "banking77": {}}
FROM = {"20newsgroups_bydate": "classic3", "classic3": "20newsgroups_bydate", "banking77": "search_snippets_12k"}
SEEDS = 5


def main() -> None:
    for name in CORPORA:
        own, strangers = labelled(name), labelled(FROM[name])
        for kind in ("another class", FROM[name]):
            found = [precision(own, strangers if kind == FROM[name] else None, seed) for seed in range(SEEDS)]
            print(f"{name}, 1 % from {kind}: precision at 1 % {np.mean(found):.3f} ± {np.std(found):.3f}", flush=True)


def labelled(name: str) -> pl.DataFrame:
    """Texts and their classes."""
    corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.jsonl.gz", **CORPORA.get(name, {}))  # type: ignore[arg-type]
    assert corpus.truth is not None
    frame = pl.DataFrame({"text": corpus.texts, "label": corpus.truth.list.first()})
    return frame.filter(pl.col("text").str.len_chars() > 0)


def precision(own: pl.DataFrame, strangers: pl.DataFrame | None, seed: int) -> float:
    """Of as many documents with the largest scores as were planted, the share of planted ones."""
    generator = np.random.default_rng(seed)
    n = len(own) // 100
    texts, classes = own["text"], own["label"].rank("dense").to_numpy().astype(int) - 1
    k = classes.max() + 1
    if strangers is None:
        planted = generator.choice(len(own), n, replace=False)
        classes[planted] = (classes[planted] + generator.integers(1, k, n)) % k
    else:
        planted = np.arange(len(own), len(own) + n)
        texts = pl.concat([texts, strangers["text"].gather(generator.choice(len(strangers), n, replace=False))])
        classes = np.concatenate([classes, generator.integers(0, k, n)])
    vectors = represent(tokenise(from_frame(pl.DataFrame({"text": texts}))))
    score = np.nan_to_num(outliers(vectors.matrix, classes).score, nan=-np.inf)
    return float(np.isin(np.argsort(-score)[:n], planted).mean())


if __name__ == "__main__":
    main()
