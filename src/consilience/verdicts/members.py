"""Members: many clusterings of the same items, each made on a part of the features of one view.

views ─▶ members ─▶ weights ─▶ consensus ─▶ support
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from consilience.clusterings import cluster
from consilience.errors import SettingError
from consilience.kernels.counting import unit_rows
from consilience.kernels.threads import thread_count
from consilience.nouns import Integers, Vectors

Labels = npt.NDArray[np.int32]


class Members(NamedTuple):
    """Labels of N items by T members: `labels[i, t]` is a cluster of member t, or -1; `views[t]` what it looked at."""

    labels: Labels
    views: list[str]

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each member's clusters begin when those of all are numbered through; the last is their number."""
        return np.concatenate(
            [np.zeros(1, np.int64), np.cumsum(self.labels.max(axis=0, initial=-1) + 1, dtype=np.int64)]
        )

    def indicators(self) -> sparse.csr_array:
        """C = [C_1 ... C_T]: a row per item with a 1 for its cluster in each member that assigned it, as float32."""
        assigned = self.labels >= 0
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(assigned.sum(axis=1))])
        columns = (self.labels + self.offsets[:-1].astype(np.int32))[assigned]
        shape = (len(self.labels), int(self.offsets[-1]))
        return sparse.csr_array((np.ones(len(columns), np.float32), columns, indptr), shape=shape)

    def take(self, members: Integers | Sequence[int]) -> Members:
        """Some of the members."""
        return Members(np.ascontiguousarray(self.labels[:, members]), [self.views[t] for t in members])

    def table(self, items: pl.Series) -> pl.DataFrame:
        """A row per item, a column per member, named by its number and view."""
        columns = {f"{t:02d} {view}": self.labels[:, t] for t, view in enumerate(self.views)}
        return pl.DataFrame({items.name or "id": items, **columns})


def grow(
    views: Mapping[str, Vectors],
    *,
    count: int = 20,
    k: int,
    method: str = "kmeans",
    random_state: int = 0,
    jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
    **settings: Any,
) -> Members:
    """`count` members, the views taking turns; with two views, half of the members on each.

    Each draws a whole number of features from m/2 to m - 1, as many of the view's m features, and clusters the rows of
    what is left by a method of the catalogue (Fodeh, Punch and Tan 2009, 3.1 and 3.2, where it is k-means on tf-idf).
    Rows that have unit length in the view have it again: for weights that look at one term at a time, such as tf-idf,
    that is the same as weighing the smaller counts. Items without any feature left are not assigned. Member t takes the
    t-th child of the seed, so that the first members are the same however many follow, and whatever the threads.
    """
    if count < 1:
        raise SettingError(f"an ensemble has 1 member or more, not {count}")
    names = list(views)
    order = [names[t % len(names)] for t in range(count)]
    unit = {name: _of_unit_length(vectors) for name, vectors in views.items()}
    children = np.random.SeedSequence(random_state).spawn(count)

    def member(t: int) -> Labels:
        chance = np.random.default_rng(children[t])
        part = _part(views[order[t]], chance, unit[order[t]])
        seed = int(chance.integers(2**31))
        return cluster(part, method=method, k=k, random_state=seed, jobs=1, **settings).labels

    stage(f"clustering {count} members on {', '.join(names)}")
    with ThreadPoolExecutor(min(thread_count(jobs), count)) as pool:
        labels = list(pool.map(member, range(count)))
    return Members(np.stack(labels, axis=1), order)


def chosen_features(m: int, chance: np.random.Generator) -> npt.NDArray[np.int64]:
    """From m/2 to m - 1 of the numbers below m (both counted in; the only one where m is 1), rising."""
    size = int(chance.integers(-(-m // 2), m)) if m > 1 else m
    return np.sort(chance.choice(m, size, replace=False))


def _part(vectors: Vectors, chance: np.random.Generator, unit: bool) -> Vectors:
    chosen = chosen_features(len(vectors.features), chance)
    matrix = vectors.matrix[:, chosen]
    if isinstance(matrix, np.ndarray):
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))[:, None]
        matrix = np.divide(matrix, lengths, where=lengths > 0, out=matrix, casting="unsafe") if unit else matrix
    elif unit:
        matrix = unit_rows(matrix)
    return Vectors(vectors.items, matrix, vectors.features.gather(chosen), vectors.recipe)


def _of_unit_length(vectors: Vectors) -> bool:
    matrix = vectors.matrix
    squares = (
        np.einsum("ij,ij->i", matrix, matrix)
        if isinstance(matrix, np.ndarray)
        else np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    )
    return bool(np.allclose(squares[squares > 0], 1, atol=1e-3))
