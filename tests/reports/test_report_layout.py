"""The map: the same for the same rows, and near what is near."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from scipy.spatial import cKDTree
from threadpoolctl import threadpool_limits

from consilience.corpus import read
from consilience.language import tokenise
from consilience.reports.layout import _attract, _repel, lay_out
from consilience.vectors import represent


def heaps(rows: int = 200, k: int = 4, width: int = 12) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    chance = np.random.default_rng(0)
    labels = (np.arange(rows) % k).astype(np.int32)
    return (chance.normal(0, 0.25, (rows, width)) + 2 * np.eye(width)[labels]).astype(np.float32), labels


def kept(matrix: sparse.csr_array, places: npt.NDArray[np.float32], count: int = 10) -> float:
    """The share of the ten nearest rows by cosine that are among the ten nearest on the map, of 500 rows."""
    rows = np.flatnonzero(np.diff(matrix.indptr) > 0)
    asked = rows[np.linspace(0, len(rows) - 1, 500).astype(int)]
    cosine = (matrix[asked] @ matrix.T).toarray()
    cosine[np.arange(500), asked] = -1
    true = np.argpartition(-cosine, count, axis=1)[:, :count]
    near = cKDTree(places).query(places[asked], count + 1)[1]
    return float(np.mean([len(set(a) & (set(b) - {i})) / count for a, b, i in zip(true, near, asked, strict=True)]))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_same_rows_give_the_same_map_with_any_number_of_threads(form: Callable[..., object]) -> None:
    matrix, labels = heaps(120)
    with threadpool_limits(1):
        one = lay_out(form(matrix), labels)
    with threadpool_limits(2):
        two = lay_out(form(matrix), labels)
    assert np.array_equal(one, two)
    assert ((one >= 0) & (one <= 1)).all()


@pytest.mark.compiled
def test_heaps_that_no_plane_separates_are_separate_on_the_map() -> None:
    matrix, heap = heaps(600, 30, 40)
    places = lay_out(matrix, np.zeros(600, np.int32))  # no labels to start from
    near = cKDTree(places).query(places, 6)[1][:, 1:]
    assert (heap[near] == heap[:, None]).mean() > 0.97


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 5, 13])
def test_few_rows(rows: int) -> None:
    matrix, labels = heaps(rows, 2)
    places = lay_out(matrix, labels)
    assert places.shape == (rows, 2)
    assert len(np.unique(places, axis=0)) == rows


@pytest.mark.parametrize("width", [1, 2, 40])
def test_narrow_and_equal_rows_and_rows_of_zeros(width: int) -> None:
    matrix = np.ones((60, width), np.float32)
    matrix[50:] = 0
    for form in (matrix, sparse.csr_array(matrix)):
        places = lay_out(form, np.zeros(60, np.int32))
        assert np.isfinite(places).all()
        assert (places[50:, 0] < 0.25).all()
        assert (places[50:, 1] > 0.75).all()


def test_the_largest_cluster_is_on_the_left_and_above() -> None:
    chance = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], [60, 30, 20]).astype(np.int32)
    matrix = (chance.normal(0, 0.3, (110, 6)) + 2 * np.eye(6)[labels]).astype(np.float32)
    mean = lay_out(matrix, labels)[labels == 0].mean(axis=0)
    assert (mean <= 0.5).all()


def test_forces_equal_their_sums() -> None:
    """The kernels and the grid against the formula, pair by pair."""
    places = np.random.default_rng(0).normal(0, 3, (80, 2)).astype(np.float32)
    difference = places[:, None] - places[None]
    w = 1 / (1 + (difference**2).sum(axis=2))
    push = _repel(places, {})
    assert push[:, 0] == pytest.approx(w.sum(axis=1), rel=0.01)
    force = (w[..., None] ** 2 * difference).sum(axis=1)
    assert np.abs(push[:, 1:] - force).max() < 0.02 * np.abs(force).max()
    p = sparse.random_array((80, 80), density=0.1, rng=0, dtype=np.float32).tocsr()
    pull = np.zeros_like(places)
    _attract(p.indptr, p.indices, p.data, places, pull)
    assert pull == pytest.approx(-((p.toarray() * w)[..., None] * difference).sum(axis=1), abs=1e-5)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "floor"), [("20newsgroups_bydate.jsonl.gz", 0.15), ("classic3.jsonl.gz", 0.3)])
def test_documents_keep_their_neighbours(data: Callable[[str], Path], name: str, floor: float) -> None:
    # measured when written: .20 and .36; centres placed by scaling with documents between them kept .02 on the first
    vectors = represent(tokenise(read(data(name), strip="headers" if name.startswith("20") else ())))
    matrix = sparse.csr_array(vectors.matrix)
    labels = np.zeros(len(vectors), np.int32)
    lay_out(matrix[:300], labels[:300])  # pays for compiling
    began = time.process_time()
    places = lay_out(matrix, labels)
    assert time.process_time() - began < 5
    assert kept(matrix, places) > floor


@pytest.mark.slow
def test_many_copies_of_one_text_are_laid_out_in_time_that_grows_with_their_number() -> None:
    from consilience.reports import layout

    compared = []

    class Counting(np.ndarray):
        def __matmul__(self, other):
            compared.append(self.shape[0] * other.shape[1])
            return np.asarray(self) @ np.asarray(other)

    rows = np.zeros((30_000, 4), np.float32)
    rows[:, 0] = 1
    layout._neighbours(rows.view(Counting))
    assert sum(compared) <= 30_000 * 12_000
