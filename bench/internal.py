"""Measures within the space beside scikit-learn's, in one run: seconds, ratio, and how far the values lie apart.

    CONSILIENCE_DATA=folder python bench/internal.py

20 Newsgroups, scikit-learn's tf-idf (what stands above the first blank line of a post is left out), labels by our
k-means with k = 20. Each is warmed up on 300 documents and then called once. scikit-learn's Davies-Bouldin and
Calinski-Harabasz take dense rows only, so both programs get 1,000 documents there, ours as they are and its own dense.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn import metrics

from consilience.clusterings.kmeans import KMeans
from consilience.kernels.neighbours import nearest_neighbours
from consilience.measures.dispersion import calinski_harabasz, davies_bouldin
from consilience.measures.silhouette import silhouette
from kmeans import matrix


class Timed(NamedTuple):
    """What came, and how long it took."""

    value: float
    seconds: float


def timed(call: Callable[[], Any]) -> Timed:
    began = time.perf_counter()
    value = call()
    return Timed(float(value), time.perf_counter() - began)


def beside(name: str, ours: Callable[[Any], Any], theirs: Callable[[Any], Any], count: int) -> None:
    for call in (ours, theirs):
        call(np.arange(300))
    rows = np.arange(count)
    fast, slow = timed(lambda: ours(rows)), timed(lambda: theirs(rows))
    print(
        f"{name}, {count} documents: {fast.seconds:.3f} s, scikit-learn {slow.seconds:.3f} s, "
        f"{slow.seconds / fast.seconds:.0f} times faster, apart {abs(fast.value - slow.value):.1e} of {slow.value:.4f}"
    )


def main() -> None:
    X = matrix("20newsgroups_bydate")
    labels = KMeans(20, random_state=0).fit(X).labels_
    wide = X.astype(np.float64)
    print(f"20 Newsgroups: {X.shape[0]} x {X.shape[1]}, {X.nnz} non-zeros, k = 20")
    beside(
        "silhouette (cosine)",
        lambda rows: silhouette(X[rows], labels[rows]).value,
        lambda rows: metrics.silhouette_score(wide[rows], labels[rows], metric="cosine"),
        X.shape[0],
    )
    for name, ours, theirs in (
        ("Davies-Bouldin", davies_bouldin, metrics.davies_bouldin_score),
        ("Calinski-Harabasz", calinski_harabasz, metrics.calinski_harabasz_score),
    ):
        thick = wide[np.arange(1000)].toarray()
        beside(
            name,
            lambda rows, f=ours: f(X[rows], labels[rows]),  # type: ignore[misc]
            lambda rows, f=theirs, thick=thick: f(thick[rows], labels[rows]),  # type: ignore[misc]
            1000,
        )
    alone = timed(lambda: nearest_neighbours(X, 10).cosines.mean())
    print(f"10 nearest neighbours of every document, for mu2: {alone.seconds:.1f} s")


if __name__ == "__main__":
    main()
