"""Measures of two partitions and of sets of classes: seconds, and beside scikit-learn's in one run.

    python bench/measures.py

One million items, 200 classes and 200 clusters of unequal size that agree on half of the items: all measures of the
catalogue from the labels on, then AMI, V and the adjusted Rand index beside scikit-learn's. Then words: 40,000 of them,
45 classes and 192 clusters, a sixth of them with several, judged by type-level measures with many-to-one mappings
climbed from 10 random ones. Ours are the best of three after one that warms up, scikit-learn's of one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import metrics

from consilience.measures import MEASURES, scores_of
from consilience.measures.contingency import contingency
from consilience.measures.type_level import type_level

ITEMS, CLASSES, CLUSTERS = 1_000_000, 200, 200
WORDS, TAGS, INDUCED, RESTARTS = 40_000, 45, 192, 10
PEERS: dict[str, Callable[[Any, Any], float]] = {
    "adjusted_mutual_information": metrics.adjusted_mutual_info_score,
    "v": metrics.v_measure_score,
    "adjusted_rand": metrics.adjusted_rand_score,
}


def timed(call: Callable[[], Any], times: int = 1) -> tuple[Any, float]:
    """What came, and the least seconds it took."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        found = call()
        seconds.append(time.perf_counter() - began)
    return found, min(seconds)


def skewed(chance: np.random.Generator, items: int, kinds: int) -> Any:
    """Labels of which the first are the most frequent."""
    return (chance.random(items) ** 2 * kinds).astype(np.int64)


def labellings() -> tuple[Any, Any]:
    chance = np.random.default_rng(0)
    classes, other = skewed(chance, ITEMS, CLASSES), skewed(chance, ITEMS, CLUSTERS)
    return classes, np.where(chance.random(ITEMS) < 0.5, classes, other)


def words() -> tuple[sparse.csr_array, sparse.csr_array]:
    """Gold and induced sets: a class has its own clusters, which four words of ten are in."""
    chance = np.random.default_rng(0)
    gold, induced = [], []
    for further in (1.0, 0.16, 0.04):
        some = np.flatnonzero(chance.random(WORDS) < further)
        tags = skewed(chance, len(some), TAGS)
        right = tags + TAGS * chance.integers(0, INDUCED // TAGS, len(some))
        gold.append((some, tags))
        induced.append((some, np.where(chance.random(len(some)) < 0.4, right, skewed(chance, len(some), INDUCED))))
    return _sets(gold, TAGS), _sets(induced, INDUCED)


def _sets(cells: list[tuple[Any, Any]], width: int) -> sparse.csr_array:
    row, column = (np.concatenate(part) for part in zip(*cells, strict=True))
    return sparse.csr_array((np.ones(len(row)), (row, column)), shape=(WORDS, width))


def main() -> None:
    classes, clusters = labellings()

    def everything() -> dict[str, float]:
        return scores_of(contingency(classes, clusters))

    def three() -> dict[str, float]:
        table = contingency(classes, clusters)
        return {name: MEASURES[name].function(table) for name in PEERS}

    everything()
    found, seconds = timed(everything, 3)
    print(f"{ITEMS} items, {CLASSES} classes, {CLUSTERS} clusters")
    print(f"  all {len(found)} measures: {seconds:.3f} s (wanted: under 3)")
    few, fast = timed(three, 3)
    theirs = {name: timed(lambda peer=peer: peer(classes, clusters)) for name, peer in PEERS.items()}
    slow = sum(seconds for _, seconds in theirs.values())
    for name, (value, seconds) in theirs.items():
        apart = abs(few[name] - value)
        print(f"  {name}: {few[name]:.9f}, scikit-learn {value:.9f} in {seconds:.2f} s, {apart:.1e} apart")
    print(f"  the three: {fast:.4f} s, scikit-learn {slow:.2f} s, {slow / fast:.0f} times faster (wanted: 20)")

    gold, induced = words()
    type_level(gold[:100], induced[:100])
    told, seconds = timed(lambda: type_level(gold, induced, restarts=RESTARTS))
    print(f"{WORDS} words, {TAGS} classes ({gold.nnz} in all), {INDUCED} clusters ({induced.nnz} in all)")
    print("  " + ", ".join(f"{name} {score.value:.4f}" for name, score in told.items()))
    print(f"  one to one, and many to one with {RESTARTS} restarts: {seconds:.2f} s (wanted: under 5)")


if __name__ == "__main__":
    main()
