from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

import naive
from consilience.comparisons.distances import (
    ClassDistance,
    CopheneticDistance,
    CosineDistance,
    MatrixDistance,
    mantel_of,
)
from consilience.errors import InputError

N = 40


@pytest.fixture(scope="module")
def points():
    X = np.maximum(np.random.default_rng(0).normal(size=(N, 6)), 0)
    X[:, 0] += 0.1
    return X


@pytest.fixture(scope="module")
def distances(points):
    trees = linkage(points, "average"), linkage(points[:, ::-1] ** 2, "single")
    labels = np.random.default_rng(1).integers(-1, 4, N)
    return {
        "cosine": (CosineDistance(points), squareform(pdist(points, "cosine"))),
        "tree": (CopheneticDistance(trees[0]), squareform(cophenet(trees[0]))),
        "other": (CopheneticDistance(trees[1]), squareform(cophenet(trees[1]))),
        "matrix": (MatrixDistance(squareform(pdist(points))), squareform(pdist(points))),
        "classes": (
            ClassDistance(labels),
            np.array([[i != j and (p < 0 or p != q) for j, q in enumerate(labels)] for i, p in enumerate(labels)]),
        ),
    }


PAIRS = [("cosine", "matrix"), ("tree", "other"), ("classes", "cosine"), ("classes", "tree")]


def test_rows_are_those_of_the_matrix(distances):
    which = np.array([3, 0, 39, 3])
    for distance, matrix in distances.values():
        assert distance.rows(which) == pytest.approx(matrix[which].astype(float), abs=1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_equal_to_the_sum_over_all_pairs_and_to_scikit_bio(distances, pair):
    scikit_bio = pytest.importorskip("skbio.stats.distance")
    (x, X), (y, Y) = (distances[name] for name in pair)
    found = mantel_of(x, y, permutations=499, random_state=1)
    assert found.z == pytest.approx(naive.mantel_z(X.tolist(), Y.tolist()))
    assert found.r == pytest.approx(naive.correlation(X.tolist(), Y.tolist()))
    for alternative, ours in (("greater", found.p), ("two-sided", found.p_two_sided)):
        r, p, _ = scikit_bio.mantel(X.astype(float), Y.astype(float), permutations=499, alternative=alternative, seed=2)
        assert found.r == pytest.approx(r)
        assert ours == pytest.approx(p, abs=0.08)


@pytest.mark.parametrize("pair", PAIRS)
def test_null_moments_against_true_permutations(distances, pair):
    (x, X), (y, Y) = (distances[name] for name in pair)
    found, chance = mantel_of(x, y, permutations=0), np.random.default_rng(0)
    z = [(X * Y[np.ix_(order, order)]).sum() for order in (chance.permutation(N) for _ in range(20_000))]
    assert found.null_mean == pytest.approx(np.mean(z), abs=4 * found.null_sd / 20_000**0.5)
    assert found.null_sd == pytest.approx(np.std(z), rel=0.03)


def test_the_same_for_any_number_of_threads_and_in_parts(distances, monkeypatch):
    x, y = distances["cosine"][0], distances["tree"][0]
    alone = mantel_of(x, y, permutations=30)
    assert mantel_of(x, y, permutations=30, n_jobs=3) == alone
    monkeypatch.setattr("consilience.comparisons.distances._BATCH", 3 * N)
    assert mantel_of(x, y, permutations=30) == alone


def test_some_leaves_of_a_tree(points):
    tree, which = linkage(points, "complete"), np.array([7, 2, 30])
    some = CopheneticDistance(tree, which).rows(np.arange(3))
    assert some == pytest.approx(squareform(cophenet(tree))[np.ix_(which, which)])


def test_a_row_of_zeros_is_far_from_all_and_constants_have_no_correlation():
    rows = CosineDistance(np.array([[0.0, 0], [1, 0], [0, 0], [2, 0]])).rows(np.arange(4))
    assert rows.tolist() == [[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1], [1, 0, 1, 0]]
    alike = CosineDistance(np.ones((5, 2)))
    found = mantel_of(ClassDistance(np.array([0, 0, 1, 1, 1])), alike, permutations=9)
    assert (found.r, found.p) == (None, 1)
    assert mantel_of(ClassDistance(np.array([0])), ClassDistance(np.array([0]))).r is None


def test_refusals(points):
    with pytest.raises(InputError, match="there are 3 and 2"):
        mantel_of(ClassDistance(np.arange(3)), ClassDistance(np.arange(2)))
    with pytest.raises(InputError, match="square"):
        MatrixDistance(np.arange(6.0).reshape(2, 3))
    with pytest.raises(InputError, match="NaN"):
        CosineDistance(points * np.nan)
