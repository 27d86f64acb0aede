from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive
from consilience.criteria.representatives import mu1, mu2, mu3, mu4, unit_sums
from consilience.kernels.neighbours import nearest_neighbours


@st.composite
def clusterings(draw: Any) -> Any:
    """Rows of small counts, some of them empty, and labels of which some are -1."""
    items, width = draw(st.integers(2, 9)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=items, max_size=items))
    labels = draw(st.lists(st.integers(-1, 2), min_size=items, max_size=items))
    return np.array(rows, np.float32), np.array(labels, np.int32)


@given(clusterings(), st.booleans())
def test_equal_to_the_formulas_with_centres_and_with_any_representatives(found: Any, thin: bool) -> None:
    rows, labels = found
    matrix = sparse.csr_array(rows) if thin else rows
    sums = unit_sums(matrix, labels)
    k = int(labels.max()) + 1
    sizes = np.array([(labels == r).sum() for r in range(k)])
    others = np.random.default_rng(0).normal(size=(k, rows.shape[1]))  # any vectors, as evolution makes them
    whole = unit_sums(matrix, np.zeros(len(rows), int))
    for representatives in (sums.toarray(), others):
        as_lists = representatives.tolist()
        for given_as in (representatives, sparse.csr_array(representatives)):
            assert mu1(sums, given_as) == pytest.approx(naive.mu1(rows.tolist(), labels.tolist(), as_lists), abs=1e-9)
            expected = naive.mu3(sizes.tolist(), as_lists, whole.toarray()[0].tolist())
            assert mu3(sizes, given_as, whole.toarray()) == pytest.approx(expected, abs=1e-9)
            assert mu4(given_as) == pytest.approx(naive.mu4(as_lists), abs=1e-9)
    near = nearest_neighbours(matrix, 3, n_jobs=1).items
    assert mu2(labels, near) == pytest.approx(naive.mu2(rows.tolist(), labels.tolist(), 3), abs=1e-9)


def documents(groups: int = 4, items: int = 60) -> sparse.csr_array:
    chance = np.random.default_rng(3)
    rows = chance.poisson(0.15, (items, 40)) + np.where(
        np.arange(40) % groups == np.arange(items)[:, None] % groups, chance.poisson(0.9, (items, 40)), 0
    )
    rows[:, 0] += 1  # no empty ones
    return sparse.csr_array(rows.astype(np.float32))


def values(matrix: sparse.csr_array, labels: np.ndarray) -> tuple[float, float, float, float]:
    sums = unit_sums(matrix, labels)
    whole = unit_sums(matrix, np.zeros(matrix.shape[0], int)).toarray()
    near = nearest_neighbours(matrix, 10).items
    return mu1(sums, sums), mu2(labels, near), mu3(np.bincount(labels), sums, whole), mu4(sums)


def test_with_centres_mu1_is_the_sum_of_lengths() -> None:
    matrix = documents()
    labels = np.arange(60) % 4
    sums = unit_sums(matrix, labels)
    assert mu1(sums, sums) == pytest.approx(np.sqrt((sums.toarray() ** 2).sum(axis=1)).sum())


def test_which_pull_k_up_and_which_down_is_as_in_the_table() -> None:
    """Table 1 of Zaharie et al.: when maximised (mu3, mu4: minimised) mu1 and mu3 favour many, mu2 and mu4 few."""
    matrix = documents()
    few, some, many, alone = (values(matrix, np.arange(60) % k) for k in (1, 4, 20, 60))
    assert few[0] < some[0] < many[0] < alone[0] == pytest.approx(60)
    assert few[1] > some[1] > many[1] > alone[1] == 0
    assert few[1] == pytest.approx(sum(1 / j for j in range(1, 11)) / 10)
    assert few[2] > some[2] > many[2] > alone[2]
    assert 0 == few[3] < some[3] < many[3] < alone[3]


def test_nothing_assigned() -> None:
    matrix, labels = documents(), np.full(60, -1)
    sums = unit_sums(matrix, labels)
    assert sums.shape == (0, 40)
    assert mu1(sums, sums) == mu2(labels, nearest_neighbours(matrix, 3).items) == mu4(sums) == 0
    assert mu3(np.zeros(0, int), sums, np.ones(40)) == 0
