import numpy as np
import pytest
from scipy import sparse

from consilience.kernels.neighbours import nearest_neighbours
from consilience.kernels.rows import Floats64


def cosines(a: Floats64, b: Floats64) -> Floats64:
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    return np.divide(a @ b.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def rows(seed: int, items: int, width: int = 12) -> Floats64:
    chance = np.random.default_rng(seed)
    return chance.integers(1, 9, (items, width)) * (chance.random((items, width)) < 0.3).astype(float)


@pytest.mark.parametrize("thin", [True, False])
def test_equal_to_sorting_all_cosines(thin: bool) -> None:
    among = rows(0, 50)
    expected = cosines(among, among)
    np.fill_diagonal(expected, 0)
    found = nearest_neighbours(sparse.csr_array(among) if thin else among, 5, n_jobs=1)
    for i in range(50):
        order = np.argsort(-expected[i].astype(np.float32), kind="stable")[:5]
        assert found.cosines[i] == pytest.approx(expected[i, order], abs=1e-6)
        assert set(found.items[i][found.items[i] >= 0]) <= set(np.flatnonzero(expected[i] > 0))
        assert expected[i, found.items[i]] == pytest.approx(found.cosines[i], abs=1e-6) or -1 in found.items[i]


@pytest.mark.parametrize("thin", [True, False])
def test_other_rows_than_those_among_which_they_look(thin: bool) -> None:
    among, of = rows(0, 40), rows(1, 7)
    form = sparse.csr_array if thin else np.asarray
    found = nearest_neighbours(form(among), 3, of=form(of), itself=np.full(7, -1))
    assert found.cosines[:, 0] == pytest.approx(cosines(of, among).max(axis=1), abs=1e-6)


def test_of_equals_the_lower_row_is_nearer_and_what_shares_nothing_is_no_neighbour() -> None:
    same = sparse.csr_array(np.array([[1.0, 0], [0, 1], [2, 0], [3, 0], [0, 0]]))
    found = nearest_neighbours(same, 2)
    assert found.items.tolist() == [[2, 3], [-1, -1], [0, 3], [0, 2], [-1, -1]]
    assert np.array_equal(nearest_neighbours(same.toarray(), 2).items, found.items)


@pytest.mark.compiled
def test_threads_do_not_show() -> None:
    among = sparse.csr_array(rows(5, 3000, 60))
    one, two = nearest_neighbours(among, 4, n_jobs=1), nearest_neighbours(among, 4, n_jobs=2)
    assert np.array_equal(one.items, two.items)
    assert np.array_equal(one.cosines, two.cosines)
