"""What density clustering finds on labelled corpora, and how long it takes: the defaults beside others.

    CONSILIENCE_DATA=folder python bench/density.py

The matrix is tf-idf-log; headers of posts and documents without a term are left out. ARI on the assigned documents, and
of the nearest centroid for all of them; then the numbers of clusters in five random parts of nine tenths.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from consilience.clusterings.density import Density
from consilience.corpus import read
from consilience.language import raw_tokens, refine
from consilience.vectors import represent

CORPORA = (
    "20newsgroups_bydate",
    "classic3",
    "banking77",
    "search_snippets_12k",
    "brown_docs",
    "fr_debian_descriptions",
)
SETTINGS: tuple[dict[str, Any], ...] = ({}, {"selection": "leaf"}, {"n_components": 100}, {"min_samples": 1})


def labelled(name: str) -> tuple[sparse.csr_array, Any]:
    path = Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.jsonl.gz"
    corpus = read(path, label="label", strip=["headers"] if name.startswith("20news") else [])
    vectors = represent(refine(raw_tokens(corpus)), "tfidf-log")
    some = np.flatnonzero(~vectors.empty)
    assert corpus.truth is not None
    return vectors.matrix[some], corpus.truth.list.first().fill_null("").to_numpy()[some]


def parts(X: sparse.csr_array, settings: dict[str, Any]) -> str:
    """How many clusters are found in random parts."""
    generator, count = np.random.default_rng(0), X.shape[0]
    chosen = [np.sort(generator.choice(count, 9 * count // 10, replace=False)) for _ in range(5)]
    return " ".join(str(Density(**settings).fit(X[some]).labels_.max() + 1) for some in chosen)


def main() -> None:
    for name in CORPORA:
        X, truth = labelled(name)
        print(f"{name}: {X.shape[0]} documents, {len(set(truth))} classes")
        for settings in SETTINGS:
            began = time.perf_counter()
            found = Density(**settings).fit(X)
            seconds = time.perf_counter() - began
            assigned = found.labels_ >= 0
            sizes = np.bincount(found.labels_[assigned], minlength=1)
            score = adjusted_rand_score(truth[assigned], found.labels_[assigned])
            print(
                f"  {settings or 'defaults'!s:24} {len(sizes):3} clusters, the largest {sizes[0] / len(truth):4.0%}, "
                f"noise {1 - assigned.mean():4.0%}, ARI {score:.2f}, "
                f"of nearest centroids {adjusted_rand_score(truth, found.predict(X)):.2f}, {seconds:.1f} s, "
                f"in parts {parts(X, settings)}"
            )


if __name__ == "__main__":
    main()
