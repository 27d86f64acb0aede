"""Which measures move together? Rank correlations over 200 clusterings of one corpus.

    CONSILIENCE_DATA=folder python bench/measures_together.py     # writes bench/measures_together.md

4,000 posts of 20 Newsgroups (drawn with seed 0, headers cut), clustered 200 times: k-means and agglomerative
clustering, from 2 to 200 clusters, on two views; every other one then spoilt, a share of its labels dealt out at
random. All measures are turned so that more is better. Two that rank the 200 alike (rho near 1) are one witness, not
two; what ranks them otherwise rewards something else.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from consilience import cluster, read, represent, tokenise
from consilience.criteria.representatives import mu1, mu2, mu3, mu4, unit_sums
from consilience.kernels.neighbours import nearest_neighbours
from consilience.measures import MEASURES, scores
from consilience.measures.dispersion import calinski_harabasz, davies_bouldin
from consilience.measures.silhouette import silhouette
from consilience.nouns import Vectors

DOCUMENTS, CLUSTERINGS, ALIKE = 4000, 200, 0.95
VIEWS, METHODS = ("tfidf-log", "lsi"), ("kmeans", "kmeans", "kmeans", "agglomerative")
SHOWN = (
    "purity", "inverse_purity", "accuracy", "bcubed", "homogeneity", "completeness", "v", "adjusted_mutual_information",
    "rand", "adjusted_rand", "silhouette", "mu1", "mu2", "mu3", "mu4", "davies_bouldin", "calinski_harabasz",
)  # fmt: skip
WITHIN = ("silhouette", "mu1", "mu2", "mu3", "mu4", "davies_bouldin", "calinski_harabasz")
LOW_IS_BEST = {"mu3", "mu4", "davies_bouldin"}
TARGET = Path(__file__).with_name("measures_together.md")


class Posts(NamedTuple):
    """The documents in the views they are clustered on, their classes, and each one's ten nearest others."""

    views: dict[str, Vectors]
    classes: Any
    near: Any


def posts() -> Posts:
    corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / "20newsgroups_bydate.jsonl.gz", strip=("headers",))
    corpus = corpus.take(np.sort(np.random.default_rng(0).choice(len(corpus), DOCUMENTS, replace=False)))
    tokens = tokenise(corpus)
    views = {view: represent(tokens, view) for view in VIEWS}
    classes = np.unique(corpus.columns["label"].to_numpy().astype(str), return_inverse=True)[1]
    return Posts(views, classes, nearest_neighbours(views[VIEWS[0]].matrix, 10).items)


def clusterings(given: Posts) -> list[Any]:
    """200 labellings, -1 for the few without a word; a half of them spoilt."""
    chance, made = np.random.default_rng(1), []
    for number in range(CLUSTERINGS):
        k = round(2 * 100 ** chance.random())
        view, method = VIEWS[number % 2], METHODS[number // 2 % len(METHODS)]
        labels = cluster(given.views[view], method=method, k=k, random_state=number).labels.copy()
        if number % 4 >= 2:
            spoilt = np.flatnonzero((chance.random(len(labels)) < chance.random()) & (labels >= 0))
            labels[spoilt] = chance.permutation(labels[spoilt])
        made.append(labels)
    return made


def measured(given: Posts, labels: Any) -> dict[str, float]:
    """Every measure on the assigned documents, more is better."""
    some = labels >= 0
    against = {name: score.on_assigned for name, score in scores(given.classes, labels).items()}
    matrix = given.views[VIEWS[0]].matrix
    sums, whole = unit_sums(matrix, labels), unit_sums(matrix, np.where(some, 0, -1)).toarray()
    inner = {
        "silhouette": silhouette(matrix, labels).value,
        "mu1": mu1(sums, sums),
        "mu2": mu2(labels, given.near),
        "mu3": mu3(np.bincount(labels[some]), sums, whole),
        "mu4": mu4(sums),
        "davies_bouldin": davies_bouldin(matrix, labels),
        "calinski_harabasz": calinski_harabasz(matrix, labels),
    }
    low = LOW_IS_BEST | {name for name, measure in MEASURES.items() if measure.best == measure.low}
    return {name: -value if name in low else value for name, value in {**against, **inner}.items()}


def correlations(rows: list[dict[str, float]]) -> tuple[list[str], Any]:
    """Spearman's rho of every two measures; one that is the same for all clusterings is left out."""
    names = [name for name in rows[0] if np.ptp([row[name] for row in rows]) > 0]
    ranks = np.array([rankdata([row[name] for row in rows]) for name in names])
    return names, np.corrcoef(ranks)


def groups(names: list[str], rho: Any) -> list[list[str]]:
    """Measures of which any two rank alike (complete linkage)."""
    apart = squareform(np.clip(1 - rho, 0, None).round(12), checks=False)
    labels = fcluster(linkage(apart, "complete"), 1 - ALIKE, "distance")
    found = [[n for n, own in zip(names, labels, strict=True) if own == label] for label in np.unique(labels)]
    return sorted(found, key=lambda group: (-len(group), group))


def written(names: list[str], rho: Any) -> str:
    at = {name: i for i, name in enumerate(names)}
    shown = [name for name in SHOWN if name in at]
    lines = ["# Which measures move together", "", " ".join((__doc__ or "").split("\n\n")[2].split()), ""]
    lines += [f"Written by `python bench/measures_together.py`. Groups of which any two have rho >= {ALIKE}:", ""]
    lines += [f"- {', '.join(group)}" for group in groups(names, rho)]
    lines += ["", "Against gold labels and within the space (rho x 100):", ""]
    lines += [f"| | {' | '.join(shown)} |", "|---" * (len(shown) + 1) + "|"]
    for name in shown:
        cells = " | ".join(f"{100 * rho[at[name], at[other]]:.0f}" for other in shown)
        lines.append(f"| {name} | {cells} |")
    lines += ["", "How far each measure within the space ranks as the adjusted Rand index does:", ""]
    for name in sorted(WITHIN, key=lambda inner: -rho[at[inner], at["adjusted_rand"]]):
        lines.append(f"- {name}: {rho[at[name], at['adjusted_rand']]:.2f}")
    return "\n".join(lines) + "\n"


def main() -> None:
    given = posts()
    rows = [measured(given, labels) for labels in clusterings(given)]
    text = written(*correlations(rows))
    TARGET.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
