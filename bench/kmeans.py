"""K-means beside scikit-learn's, in one run: seconds, and both objectives of both partitions.

    CONSILIENCE_DATA=folder python bench/kmeans.py [--seeds 10]

The matrix is scikit-learn's own tf-idf (float32, unit rows, words in two documents or more; what stands above the
first blank line of a post is left out, as are documents without a word). Both get the same matrix and seed, take
turns, and may use all cores. Seconds are medians of whole fits after one that warms up.

    Q   Σ_r ||S_r||, the sum of cosines to the own centre: the larger the better (what metric="cosine" maximises)
    E   within-cluster squared error on the unit rows: the smaller the better (what metric="euclidean" minimises)
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn.cluster
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from consilience.clusterings.kmeans import KMeans

CORPORA = {"20newsgroups_bydate": 20, "banking77": 77}


class Result(NamedTuple):
    """One fit."""

    seconds: float
    Q: float
    E: float


def matrix(corpus: str) -> sparse.csr_matrix:
    path = Path(os.environ["CONSILIENCE_DATA"]) / f"{corpus}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"].split("\n\n", 1)[-1] for line in file]
    X = TfidfVectorizer(min_df=2, dtype=np.float32).fit_transform(texts)
    return X[np.diff(X.indptr) > 0]


def measured(X: sparse.csr_matrix, labels: Any, seconds: float) -> Result:
    members = sparse.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    lengths = np.asarray((members @ X.astype(np.float64)).power(2).sum(axis=1)).ravel()
    total = float(X.astype(np.float64).power(2).sum())
    return Result(seconds, float(np.sqrt(lengths).sum()), total - float((lengths / np.bincount(labels)).sum()))


def compare(X: sparse.csr_matrix, k: int, seeds: int) -> dict[str, list[Result]]:
    programs: dict[str, Callable[[int], Any]] = {
        "scikit-learn": lambda seed: sklearn.cluster.KMeans(n_clusters=k, random_state=seed),
        "ours, cosine": lambda seed: KMeans(k, random_state=seed),
        "ours, euclidean": lambda seed: KMeans(k, metric="euclidean", random_state=seed),
    }
    results: dict[str, list[Result]] = {name: [] for name in programs}
    for make in programs.values():
        make(seeds).fit(X)
    for seed in range(seeds):
        for name, make in programs.items():
            start = time.perf_counter()
            fitted = make(seed).fit(X)
            results[name].append(measured(X, fitted.labels_, time.perf_counter() - start))
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="k-means beside scikit-learn's")
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    for corpus, k in CORPORA.items():
        X = matrix(corpus)
        results = compare(X, k, seeds)
        slowest = np.median([result.seconds for result in results["scikit-learn"]])
        print(f"\n{corpus}: {X.shape[0]} x {X.shape[1]}, {X.nnz} non-zeros, k = {k}, {seeds} seeds, means ± deviation")
        print(f"{'':16}{'seconds (median)':>17}{'fastest':>9}{'times faster':>14}{'Q':>16}{'E':>18}")
        for name, runs in results.items():
            seconds, Q, E = (np.array(column) for column in zip(*runs, strict=True))
            print(
                f"{name:16}{np.median(seconds):17.3f}{seconds.min():9.3f}{slowest / np.median(seconds):14.1f}"
                f"{Q.mean():10.1f} ±{Q.std():4.0f}{E.mean():12.1f} ±{E.std():4.0f}"
            )


if __name__ == "__main__":
    main()
