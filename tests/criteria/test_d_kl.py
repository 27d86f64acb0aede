from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import naive
from consilience.clusterings.entropy import Entropy
from consilience.criteria.entropy import d_kl


@st.composite
def clusterings(draw: Any) -> Any:
    """Counts, some rows of them empty, and labels of which some are -1."""
    items, width = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(st.integers(0, 3), min_size=width, max_size=width), min_size=items, max_size=items))
    return rows, draw(st.lists(st.integers(-1, 2), min_size=items, max_size=items))


@given(clusterings(), st.booleans())
def test_equal_to_the_divergences_of_items_from_their_clusters(found: Any, thin: bool) -> None:
    rows, labels = found
    counts = np.array(rows, np.float32)
    value = d_kl(sparse.csr_array(counts) if thin else counts, np.array(labels))
    assert value == pytest.approx(naive.d_kl(rows, labels), abs=1e-9)


def test_laws() -> None:
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.6, (200, 30)).astype(np.float32))
    fine, coarse = np.arange(200) % 20, np.arange(200) % 5
    assert d_kl(counts, np.arange(200)) == 0  # every item is its own cluster
    assert 0 < d_kl(counts, fine) < d_kl(counts, coarse) < d_kl(counts, np.zeros(200, int))
    assert d_kl(counts * 7, fine) == pytest.approx(d_kl(counts, fine))
    assert d_kl(sparse.vstack([counts, counts], format="csr"), np.tile(fine, 2)) == pytest.approx(d_kl(counts, fine))
    assert d_kl(counts, np.full(200, -1)) == 0


@pytest.mark.parametrize("weights", ["counts", "units"])
def test_equal_to_what_entropy_clustering_says_of_its_own_clusters(weights: str) -> None:
    counts = np.random.default_rng(1).poisson(0.6, (80, 20)).astype(np.float32) + np.eye(80, 20, dtype=np.float32)
    found = Entropy(n_clusters=4, weights=weights, random_state=0).fit(counts)
    rows = counts if weights == "counts" else counts / counts.sum(axis=1, keepdims=True)
    assert d_kl(rows, found.labels_) == pytest.approx(found.D_KL_, rel=1e-5)
