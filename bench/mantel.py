"""Mantel's test from the contingency table beside scikit-bio's on two distance matrices, in one run.

    python bench/mantel.py

Two clusterings of 4,935 units into 71 classes, 99 permutations: ours from the labels on; theirs from the labels on
too, that is with the two matrices made first. Then the same units with distances that are not 0 or 1: cosines of texts
of 60 words against the classes, again from vectors and labels on. Then one million documents, 999 permutations.
Seconds are the best of three after one that warms up (scikit-bio: of one).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from skbio.stats.distance import mantel as skbio_mantel
from sklearn.metrics.pairwise import cosine_distances

from consilience.comparisons import ClassDistance, CosineDistance, mantel_of
from consilience.comparisons.distances import GeneralMantel
from consilience.comparisons.mantel import Mantel, mantel
from consilience.measures.contingency import contingency


def labellings(items: int, classes: int) -> Any:
    """Two clusterings that agree on half of the items; classes of unequal size."""
    chance = np.random.default_rng(0)
    a, other = ((chance.random(items) ** 1.5 * classes).astype(np.int32) for _ in range(2))
    return a, np.where(chance.random(items) < 0.5, a, other)


def timed(call: Callable[[], Any], times: int = 1) -> tuple[Any, float]:
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - began)
    return found, min(seconds)


def ours(a: Any, b: Any, permutations: int, jobs: int) -> Mantel:
    return mantel(contingency(a, b), permutations=permutations, n_jobs=jobs)


def theirs(a: Any, b: Any) -> tuple[float, float, float]:
    x, y = ((labels[:, None] != labels).astype(np.float64) for labels in (a, b))
    r, p, _ = skbio_mantel(x, y, permutations=99, alternative="greater", seed=0)
    return float((x * y).sum()), float(r), float(p)


def ours_of_cosines(X: Any, labels: Any) -> GeneralMantel:
    return mantel_of(CosineDistance(X), ClassDistance(labels), n_jobs=1)


def theirs_of_cosines(X: Any, labels: Any) -> tuple[float, float, float]:
    x, y = cosine_distances(X), (labels[:, None] != labels).astype(np.float64)
    x = (x + x.T) / 2  # as symmetric as scikit-bio wants it
    np.fill_diagonal(x, 0.0)
    return skbio_mantel(x, y, permutations=99, alternative="greater", seed=0)


def main() -> None:
    a, b = labellings(4935, 71)
    ours(a, b, 9, -1)
    found, seconds = timed(lambda: ours(a, b, 99, 1), 3)
    (z, r, p), slow = timed(lambda: theirs(a, b))
    print("4935 units, 71 classes, 99 permutations, one thread")
    print(f"  ours        Z {found.z}  r {found.r:.6f}  p {found.p:.3f}  {seconds:.5f} s")
    print(f"  scikit-bio  Z {z:.0f}  r {r:.6f}  p {p:.3f}  {slow:.2f} s")
    print(f"  {slow / seconds:.0f} times faster; Z {'equal' if found.z == z else 'DIFFERS'}")
    print(f"  null over all permutations: {found.null_mean:.0f} +- {found.null_sd:.0f}")

    chance = np.random.default_rng(1)
    texts = (
        np.repeat(np.arange(len(a)), 60),
        (60 * a.repeat(60) + chance.normal(0, 400, 60 * len(a)).astype(int)) % 4380,
    )
    X = sparse.csr_array((np.ones(60 * len(a)), texts), shape=(len(a), 4380))
    ours_of_cosines(X[:50], a[:50])
    general, seconds = timed(lambda: ours_of_cosines(X, a), 3)
    (r, p, _), slow = timed(lambda: theirs_of_cosines(X, a))
    print("4935 units, their cosines against 71 classes, 99 permutations, one thread")
    print(f"  ours        r {general.r:.6f}  p {general.p:.3f}  {seconds:.2f} s, no matrix held")
    print(f"  scikit-bio  r {r:.6f}  p {p:.3f}  {slow:.2f} s, two matrices of {len(a) ** 2 * 8 / 1e6:.0f} MB")

    for items, classes in ((10**6, 20), (10**6, 200)):
        a, b = labellings(items, classes)
        for jobs in (1, -1):
            found, seconds = timed(lambda a=a, b=b, jobs=jobs: ours(a, b, 999, jobs))
            threads = "one thread" if jobs == 1 else "all cores"
            print(
                f"{items} documents, {classes} classes, 999 permutations, {threads}: {seconds:.2f} s, r {found.r:.4f}"
            )


if __name__ == "__main__":
    main()
