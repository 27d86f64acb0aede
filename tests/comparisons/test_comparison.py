from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from consilience.comparisons import compare
from consilience.comparisons.intervals import intervals
from consilience.comparisons.kappa import kappa_of
from consilience.comparisons.mantel import phi
from consilience.corpus import labelling
from consilience.errors import InputError
from consilience.measures import scores
from consilience.measures.contingency import contingency
from consilience.measures.mappings import optimal
from consilience.nouns import Labelling


def labelled(labels, prefix=""):
    ids = pl.Series("id", [f"d{i}" for i in range(len(labels))], dtype=pl.String)
    return labelling(ids, pl.Series("label", [str(x) if x < 0 else f"{prefix}{x}" for x in labels], dtype=pl.String))


def test_identical_files():
    a = labelled(np.random.default_rng(0).integers(0, 6, 300))
    found = compare(a, a, permutations=99)
    assert found.kappa[:2] == (1, 1)
    assert found.mantel.z == found.mantel.z_self_a == found.mantel.z_self_b
    assert (found.mantel.r, found.mantel.p, found.agreed) == (1, 0.01, 1)
    assert all((i.low, i.high) == (1, 1) for i in found.intervals.values())
    assert found.flows == found.splits == found.merges == [] == found.moved.tolist()
    assert found.coverage[0].table()["100 %"] == found.coverage[1].table()["100 %"] == 6


def test_the_names_of_classes_and_the_order_of_items_do_not_matter():
    chance = np.random.default_rng(1)
    a = chance.integers(0, 5, 200)
    b = np.where(chance.random(200) < 0.7, a, chance.integers(0, 5, 200))
    first = compare(labelled(a, "x"), labelled(b, "y"), permutations=0)
    second = compare(labelled(9 - a, "n"), labelled((b * 7) % 11, "m"), permutations=0)
    order = chance.permutation(200)
    third = compare(labelled(a, "x").take(order), labelled(b, "y").take(order), permutations=0)
    for other in (second, third):
        assert other.kappa.optimal == pytest.approx(first.kappa.optimal)
        assert other.mantel == first.mantel
        assert sorted(f.items for f in other.flows) == sorted(f.items for f in first.flows)


def test_items_without_a_class():
    a, b = np.array([0, 0, 0, 1, 1, 1, -1, -1]), np.array([0, 0, 1, 1, 1, -1, -1, 2])
    found = compare(labelled(a), labelled(b), permutations=0)
    assert found.table.total == 5
    assert (found.a.assigned, found.b.assigned) == (6 / 8, 6 / 8)
    assert found.agreed == 4 / 5
    assert found.moved.tolist() == [2]
    apart = compare(labelled([0, 0, 0, 1, 1, 1, 2, 3]), labelled([0, 0, 1, 1, 1, 3, 4, 2]), permutations=0)
    assert found.r_on_all == pytest.approx(apart.mantel.r)
    assert found.measures["v"].value == pytest.approx(apart.measures["v"].value)
    assert found.measures["v"].on_assigned == scores(a[:5], b[:5])["v"].value
    whole = compare(labelled(a), labelled([9, 9, 9, 9, 9, 9, 9, 9]), permutations=0)
    assert whole.coverage[0].table()["100 %"] == 2
    assert found.coverage[0].shares[found.a.classes.to_list().index("1")] == pytest.approx(2 / 3)  # one item has none
    T1, T2 = 4 / 8, (3 * 2 + 3 * 3) / 8**2  # the sizes of classes 0 and 1 on both sides, among all eight
    assert found.kappa_on_all.optimal == pytest.approx((T1 - T2) / (1 - T2))


def test_nothing_assigned_one_item_and_no_item():
    for a, b in (([-1, -1], [0, 1]), ([-1, -1], [-1, -1]), ([], []), ([3], [4])):
        found = compare(labelled(a), labelled(b), counts=sparse.csr_array((len(a), 3)))
        assert found.kappa.optimal == found.agreed == 1
        assert found.mantel.r is None
        assert found.moved.tolist() == []


def test_overlapping_sets_and_degrees_count_by_their_strongest_class():
    ids = pl.Series("id", ["p", "q", "r"])
    sets = Labelling(ids, pl.Series("c", ["x", "y"]), sparse.csr_array(np.array([[1.0, 1], [0, 1], [1, 0]])))
    soft = Labelling(ids, pl.Series("c", ["x", "y"]), sparse.csr_array(np.array([[0.6, 0.4], [0.1, 0.9], [0.7, 0.3]])))
    hard = labelling(ids, pl.Series("label", ["x", "y", "x"]))
    counts = sparse.csr_array(np.array([[1.0, 0], [0, 1], [1, 0]]))
    found = [compare(given, hard, counts=counts, permutations=0) for given in (sets, soft, hard)]
    assert [comparison.kappa.optimal for comparison in found] == [1, 1, 1]
    assert [(c.a.overlapping, c.a.soft) for c in found] == [(True, False), (True, True), (False, False)]
    assert found[0].overlapping["micro_i_1_1"] == pytest.approx((2 / 3 + 1 + 1) / 3)  # p has one class too many
    assert found[1].overlapping is found[2].overlapping is None
    assert found[1].similarity.value.tolist() == found[2].similarity.value.tolist() == [1, 1]
    assert found[0].similarity.value.tolist() != [1, 1]  # the words of p are words of both its classes


@pytest.mark.compiled
def test_the_same_for_any_number_of_threads():
    chance = np.random.default_rng(2)
    a, b = (labelled(chance.integers(-1, 9, 3000)) for _ in range(2))
    alone, many = (compare(a, b, permutations=50, n_jobs=jobs) for jobs in (1, 4))
    assert (alone.mantel, alone.intervals, alone.kappa) == (many.mantel, many.intervals, many.kappa)


def test_intervals_hold_what_drawing_items_anew_gives():
    chance = np.random.default_rng(0)
    a = chance.integers(0, 4, 300)
    b = np.where(chance.random(300) < 0.6, a, chance.integers(0, 4, 300))
    table = contingency(a, b)
    h = optimal(table)
    found = intervals(table, {"optimal": h})
    drawn = [chance.integers(0, 300, 300) for _ in range(1000)]
    kappas = [kappa_of(contingency(a[rows], b[rows]), h) for rows in drawn]
    rs = np.array([phi(contingency(a[rows], b[rows])) for rows in drawn])
    assert found["optimal"] == pytest.approx((kappa_of(table, h), *np.quantile(kappas, [0.025, 0.975])), abs=0.02)
    assert found["r"] == pytest.approx(
        (phi(table), *np.quantile(rs - np.median(rs) + phi(table), [0.025, 0.975])), abs=0.02
    )


@pytest.mark.slow
def test_intervals_cover_the_truth_about_as_often_as_they_say():
    chance = np.random.default_rng(3)
    p = np.array([[0.3, 0.05], [0.1, 0.55]])
    truth = phi(
        contingency(*np.repeat(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), (p * 10**5).astype(int).ravel(), axis=1))
    )
    hits = 0
    for _ in range(40):
        a, b = np.divmod(chance.choice(4, 250, p=p.ravel()), 2)
        found = intervals(contingency(a, b), {})["r"]
        hits += found.low <= truth <= found.high
    assert hits / 40 >= 0.85


def test_other_items_are_refused():
    with pytest.raises(InputError, match="the same items"):
        compare(labelled([0, 1]), labelled([0, 1, 1]))
