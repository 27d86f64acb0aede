import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import ConsilienceError
from consilience.verdicts.stability import _overlaps, stability

LABELS = np.repeat([0, 1, 2], [50, 30, 20])


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 3)), min_size=1, max_size=20))
def test_overlap_is_the_best_jaccard_of_sets(pairs: list[tuple[int, int]]) -> None:
    ours, found = (np.array(side) for side in zip(*pairs, strict=True))
    for r, value in enumerate(_overlaps(ours, found, 3)):
        own = set(np.flatnonzero(ours == r))
        if len(own) < 2:
            assert np.isnan(value)
            continue
        sets = [set(np.flatnonzero(found == q)) for q in range(4)]
        assert value == pytest.approx(max(len(own & other) / len(own | other) for other in sets))


def test_what_comes_again_and_what_does_not() -> None:
    def cluster(rows: np.ndarray, seed: int) -> np.ndarray:
        found = LABELS[rows].copy()  # the first cluster stays; the others are dealt out anew each time
        rest = found > 0
        found[rest] = np.random.default_rng(seed).permutation(found[rest])
        return (found + 1) % 3  # under other numbers

    found = stability(LABELS, cluster, samples=30)
    assert found.jaccard[0] == found.again[0] == 1
    assert (found.jaccard[1:] < 0.6).all()
    assert (found.again[1:] < 0.2).all()
    assert found.stable == 1
    assert found.by_chance[0] < 0.5 < found.jaccard[0]
    assert found.jaccard[2] == pytest.approx(found.by_chance[2], abs=0.2)
    assert found.value == pytest.approx(found.jaccard.mean())


def test_seeds_samples_and_shares() -> None:
    asked: list[np.ndarray] = []

    def cluster(rows: np.ndarray, seed: int) -> np.ndarray:
        asked.append(rows)
        return LABELS[rows]

    once = stability(LABELS, cluster, samples=3, share=0.5, random_state=1)
    assert [len(set(rows)) for rows in asked] == [50] * 3
    again = stability(LABELS, cluster, samples=3, share=0.5, random_state=1)
    assert all(np.array_equal(a, b) for a, b in zip(asked[:3], asked[3:], strict=True))
    assert np.array_equal(once.by_chance, again.by_chance)


def test_degenerate() -> None:
    single = stability(np.zeros(10, int), lambda rows, seed: np.zeros(len(rows), int), samples=4)
    assert single.jaccard.tolist() == single.by_chance.tolist() == [1]
    alone = stability(np.arange(10), lambda rows, seed: np.arange(len(rows)), samples=4)
    assert np.isnan(alone.jaccard).all()
    assert np.isnan(alone.value)
    nothing = stability(LABELS, lambda rows, seed: np.full(len(rows), -1), samples=2)
    assert nothing.jaccard.tolist() == [0, 0, 0]
    for settings in ({"samples": 0}, {"share": 1.0}):
        with pytest.raises(ConsilienceError, match="stability needs samples"):
            stability(LABELS, lambda rows, seed: rows, **settings)
    with pytest.raises(ConsilienceError, match="three or more"):
        stability(np.zeros(1, int), lambda rows, seed: rows)
