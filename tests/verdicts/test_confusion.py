import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.measures.contingency import from_cells
from consilience.verdicts.confusion import fates, grid, mixed

LABELS = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n), st.lists(st.integers(-1, 4), min_size=n, max_size=n)
    )
)


def tabled(classes: list[int], clusters: list[int]):  # type: ignore[no-untyped-def]
    pairs = [(c, k) for c, k in zip(classes, clusters, strict=True) if k >= 0]
    cells = sorted(set(pairs))
    n = np.array([pairs.count(cell) for cell in cells], np.int64)
    row, column = (np.array([cell[axis] for cell in cells], np.int64) for axis in (0, 1))
    outside = [c for c, k in zip(classes, clusters, strict=True) if k < 0]
    return from_cells(n, row, column, (4, 5)), np.bincount(np.array(outside, int), minlength=4)


@given(LABELS)
def test_company_is_what_a_walk_over_the_items_gives(labels: tuple[list[int], list[int]]) -> None:
    classes, clusters = labels
    items = range(len(classes))
    for found in mixed(*tabled(classes, clusters)):
        of_a = [i for i in items if classes[i] == found.a]
        share = 0.0
        for i in of_a:
            beside = [j for j in items if clusters[j] == clusters[i] >= 0]
            share += sum(classes[j] == found.b for j in beside) / len(beside) if beside else 0.0
        assert found.share_of_a == pytest.approx(share / len(of_a))
        assert found.documents == pytest.approx(share)
        assert found.documents >= 1
        assert {found.a, found.b} <= {classes[i] for i in items if clusters[i] == found.cluster}


@given(LABELS)
def test_the_fate_of_a_class_is_its_best_cluster(labels: tuple[list[int], list[int]]) -> None:
    classes, clusters = labels
    for fate in fates(*tabled(classes, clusters)):
        own = [k for c, k in zip(classes, clusters, strict=True) if c == fate.number]
        inside = [k for k in own if k >= 0]
        assert (fate.items, fate.assigned) == (len(own), len(inside))
        if inside:
            most = max(inside.count(k) for k in set(inside))
            assert fate.held == pytest.approx(most / len(own))
            assert inside.count(fate.cluster) == most
            assert fate.share == pytest.approx(most / clusters.count(fate.cluster))
        else:
            assert (fate.held, fate.share, fate.f) == (0, 0, 0)


@given(LABELS, st.integers(1, 6))
def test_the_picture_holds_every_item_once(labels: tuple[list[int], list[int]], most: int) -> None:
    drawn = grid(*tabled(*labels), most)
    assert drawn.cells.sum() == len(labels[0])
    assert drawn.cells[:, -1].sum() == labels[1].count(-1)
    for i, c in enumerate(drawn.classes):
        for j, k in enumerate(drawn.clusters):
            pairs = list(zip(*labels, strict=True))
            assert drawn.cells[i, j] == pairs.count((c, k))


def test_what_is_right_lies_on_the_diagonal() -> None:
    drawn = grid(*tabled([0] * 5 + [1] * 4 + [2] * 3, [3] * 5 + [0] * 4 + [1] * 3))
    assert drawn.classes.tolist()[:3] == [0, 1, 2]
    assert drawn.clusters.tolist() == [3, 0, 1]
    assert np.diag(drawn.cells)[:3].tolist() == [5, 4, 3]
