import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

from consilience.measures.dispersion import calinski_harabasz, davies_bouldin


@pytest.mark.parametrize("thin", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_equal_to_scikit_learn(seed: int, thin: bool) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.poisson(0.4, (80, 12)).astype(np.float32)
    labels = np.unique(chance.integers(0, 2 + 3 * seed, 80), return_inverse=True)[1]
    matrix = sparse.csr_array(rows) if thin else rows
    assert davies_bouldin(matrix, labels) == pytest.approx(davies_bouldin_score(rows.astype(float), labels))
    assert calinski_harabasz(matrix, labels) == pytest.approx(calinski_harabasz_score(rows.astype(float), labels))


def test_unassigned_items_and_numbers_without_items_do_not_count() -> None:
    chance = np.random.default_rng(0)
    rows = sparse.csr_array(chance.random((60, 5)).astype(np.float32))
    labels = chance.integers(-1, 3, 60)
    some = labels >= 0
    for measure in (davies_bouldin, calinski_harabasz):
        plain = measure(rows[some], labels[some])
        assert measure(rows, labels) == plain
        assert measure(rows, np.where(some, labels * 2 + 1, -1)) == pytest.approx(plain)  # clusters 0, 2, 4 are empty


def test_degenerate_clusterings() -> None:
    rows = sparse.csr_array(np.random.default_rng(0).random((6, 3)).astype(np.float32))
    for measure in (davies_bouldin, calinski_harabasz):
        assert np.isnan(measure(rows, np.zeros(6, int)))
        assert np.isnan(measure(rows, np.full(6, -1)))
    assert np.isnan(calinski_harabasz(rows, np.arange(6)))
    assert davies_bouldin(rows, np.arange(6)) == 0  # nobody is off the centre
    same = sparse.csr_array(np.ones((6, 3), np.float32))
    assert davies_bouldin(same, np.arange(6) % 2) == 0
    assert calinski_harabasz(same, np.arange(6) % 2) == 1


def test_many_clusters_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(5)
    rows = sparse.csr_array(chance.poisson(0.4, (90, 12)).astype(np.float32))
    labels = np.arange(90) % 20
    whole = davies_bouldin(rows, labels)
    monkeypatch.setattr("consilience.measures.dispersion._BLOCK", 7)
    monkeypatch.setattr("consilience.measures.dispersion._CELLS", 36)
    assert davies_bouldin(rows, labels) == pytest.approx(whole, abs=1e-12)
