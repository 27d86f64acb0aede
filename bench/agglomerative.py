"""Agglomerative clustering beside SciPy's, in one run: our whole fit against theirs on distances made beforehand.

    CONSILIENCE_DATA=folder python bench/agglomerative.py [--items 5000] [--repeats 7]

The matrix is tf-idf-log of 20 Newsgroups, posts drawn at random; headers and posts without a term are left out. SciPy's
`linkage` takes the condensed matrix of all distances in float64; the fastest way we know to make it from sparse rows, a
sparse product, is timed beside it. Ours starts from the sparse rows. Both run on one thread and take turns after a fit
that warms up; seconds are the best of the repeats, ratios also those of the medians. The heights of both trees are
compared.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from consilience.clusterings.agglomerative import Agglomerative
from consilience.corpus import read
from consilience.language import raw_tokens, refine
from consilience.vectors import represent


def rows(items: int) -> sparse.csr_array:
    corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / "20newsgroups_bydate.jsonl.gz", strip=["headers"])
    X = represent(refine(raw_tokens(corpus)), "tfidf-log").matrix
    some = np.flatnonzero(np.diff(X.indptr))
    chosen = np.random.default_rng(0).choice(some, min(items, len(some)), replace=False)
    return X[np.sort(chosen)]


def distances(X: sparse.csr_array, linkage: str) -> Any:
    """1 - cos, condensed; for Ward Euclidean between unit rows."""
    X = X.astype(np.float64)
    units = sparse.diags_array(1 / np.sqrt(X.power(2).sum(axis=1))) @ X
    found = np.maximum(1 - (units @ units.T).toarray(), 0)
    np.fill_diagonal(found, 0)
    return squareform(np.sqrt(2 * found) if linkage == "ward" else found, checks=False)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def compare(X: sparse.csr_array, linkage: str, repeats: int) -> None:
    ours, theirs, product = [], [], []
    Agglomerative(20, linkage=linkage, n_jobs=1).fit(X)
    for _ in range(repeats):
        seconds, fitted = timed(lambda: Agglomerative(20, linkage=linkage, n_jobs=1).fit(X))
        ours.append(seconds)
        seconds, condensed = timed(lambda: distances(X, linkage))
        product.append(seconds)
        seconds, tree = timed(lambda made=condensed: scipy_linkage(made, linkage))
        theirs.append(seconds)
    both = np.add(theirs, product)
    apart = np.abs(np.sort(tree[:, 2]) - np.sort(fitted.merges_[:, 2])).max()
    print(
        f"{linkage:9} ours, whole fit {min(ours):5.2f} s"
        f" | SciPy's linkage alone {min(theirs):5.2f} s: {min(theirs) / min(ours):.2f}x"
        f" (medians {np.median(theirs) / np.median(ours):.2f}x)"
        f" | with its distances {min(both):5.2f} s: {min(both) / min(ours):.2f}x | heights differ by {apart:.0e}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="agglomerative clustering beside SciPy's")
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=7)
    wanted = parser.parse_args()
    X = rows(wanted.items)
    print(f"20 Newsgroups: {X.shape[0]} posts, {X.nnz} values; above 1x ours is faster")
    for linkage in ("average", "ward", "complete", "single"):
        compare(X, linkage, wanted.repeats)


if __name__ == "__main__":
    main()
