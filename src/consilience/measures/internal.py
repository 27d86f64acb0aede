"""Measures within the space: how a clustering sits among the vectors, without any truth.

They judge the vectors as much as the clusters. A method that looked for its clusters in the same space has made them
large by design, so each value names its space and carries a warning where that is so. Items that are not assigned
are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consilience.criteria.entropy import d_kl
from consilience.criteria.representatives import connections, mu1, mu3, mu4, unit_sums
from consilience.kernels.neighbours import nearest_neighbours
from consilience.measures.dispersion import calinski_harabasz, davies_bouldin
from consilience.measures.silhouette import silhouette
from consilience.nouns import Integers, Vectors

_WARNING = "{} looked for these clusters in this very space: the value is good by design, and no evidence"
_NEIGHBOURS = 10  # L of mu2
_ASKED = 3000  # of more items, so many are asked for their neighbours
_WORK = 10_000_000_000  # non-zeros times clusters from which the silhouette is that of a sample: seconds


class About(NamedTuple):
    """Which values are better, the distance it reads, and what it says."""

    better: str
    distance: str
    says: str


ABOUT = {
    "mu1": About("higher", "cosine", "Compactness: how near documents are to their cluster's centre, at most 1 each."),
    "mu2": About("higher", "cosine", "Connectedness: are a document's 10 nearest in its cluster? At most 0.293."),
    "mu3": About("lower", "cosine", "Separability: how near the clusters' centres are to the middle of all."),
    "mu4": About("lower", "cosine", "Separability: how near each cluster's centre is to the nearest other."),
    "silhouette": About("higher", "cosine", "How much nearer documents are to their own cluster than to the next."),
    "davies_bouldin": About("lower", "Euclidean", "How wide clusters are for their distance from the nearest other."),
    "calinski_harabasz": About("higher", "Euclidean", "Spread between clusters by spread within; grows with N."),
    "d_kl": About("lower", "entropy", "How much is lost, in nats a word, if a document has the words of its cluster."),
}
_COUNTS = "counts"  # the space of d_kl, whatever that of the others is


class Internal(NamedTuple):
    """A measure within a space. `value` is None where it is undefined, as for one cluster; `error` is the standard
    error where not all items were looked at, else 0; `better` is higher or lower."""

    value: float | None
    error: float
    better: str
    space: str
    warning: str | None
    says: str


class _Value(NamedTuple):
    value: float
    error: float = 0.0


def internal(
    vectors: Vectors,
    labels: Integers,
    *,
    space: str,
    counts: Any = None,
    looked_in: str | None = None,
    method: str | None = None,
    random_state: int = 0,
    n_jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
) -> dict[str, Internal]:
    """Every measure of the assigned items that have any feature.

    `space` is what the vectors are, in a word; `counts` how often each item holds each word, for D_KL, which is not
    known without. `method` looked for these clusters in the space `looked_in`, None where that is not known.
    """
    some = np.flatnonzero((labels >= 0) & ~vectors.empty)
    values = dict.fromkeys(ABOUT, _Value(float("nan")))
    if len(some):
        stage(f"measuring clusters within {space}")
        own = np.unique(labels[some], return_inverse=True)[1].astype(np.int32)
        values |= _values(vectors.matrix[some], own, random_state, n_jobs)
        if counts is not None:
            values["d_kl"] = _Value(d_kl(counts[some], own))

    def told(name: str, found: _Value) -> Internal:
        here = _COUNTS if name == "d_kl" else space
        return Internal(
            value=found.value if np.isfinite(found.value) else None,
            error=found.error,
            better=ABOUT[name].better,
            space=f"{here}, {ABOUT[name].distance}",
            warning=_WARNING.format(method) if method and here == looked_in else None,
            says=ABOUT[name].says,
        )

    return {name: told(name, found) for name, found in values.items()}


def _values(matrix: Any, own: Integers, random_state: int, n_jobs: int) -> dict[str, _Value]:
    """`own` numbers clusters without gaps, and every item has one."""
    sums, sizes = unit_sums(matrix, own), np.bincount(own)
    asked, error = np.arange(len(own)), 0.0
    if len(own) > _ASKED:
        asked = np.sort(np.random.default_rng(random_state).choice(len(own), _ASKED, replace=False))
    near = nearest_neighbours(matrix, _NEIGHBOURS, of=matrix[asked], itself=asked, n_jobs=n_jobs).items
    connected = connections(own[asked], own, near)
    if len(asked) < len(own):
        error = float(np.sqrt(connected.var(ddof=1) / len(asked) * (1 - len(asked) / len(own))))
    work = (matrix.nnz if sparse.issparse(matrix) else matrix.size) * len(sizes)
    sample = max(_ASKED, int(len(own) * _WORK / work)) if work > _WORK else "all"
    inner = silhouette(matrix, own, sample=sample, random_state=random_state, n_jobs=n_jobs)
    return {
        "mu1": _Value(mu1(sums, sums)),
        "mu2": _Value(float(connected.mean()), error),
        "mu3": _Value(mu3(sizes, sums, sums.sum(axis=0))),
        "mu4": _Value(mu4(sums)),
        "silhouette": _Value(inner.value, inner.error),
        "davies_bouldin": _Value(davies_bouldin(matrix, own)),
        "calinski_harabasz": _Value(calinski_harabasz(matrix, own)),
    }
