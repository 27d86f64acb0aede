import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import naive
from consilience.errors import InputError, SettingError
from consilience.measures import scores_of, set_scores_of
from consilience.measures.bootstrap import set_differences, set_intervals
from consilience.measures.contingency import contingency, from_cells
from consilience.measures.sets import Sets, sets_of
from consilience.measures.type_level import held, one_to_one, type_level

NAMES = [f"{name}_{mapping}" for name in ("macro_i", "micro_i", "micro_c") for mapping in ("1_1", "m_1")]
SETS = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.lists(st.sets(st.integers(0, 2), min_size=1), min_size=n, max_size=n),
        st.lists(st.sets(st.integers(0, 3)), min_size=n, max_size=n),
    )
)


def csr(sets, width):
    rows = [i for i, each in enumerate(sets) for _ in each]
    return sparse.csr_array(
        (np.ones(len(rows)), (rows, [c for each in sets for c in sorted(each)])), shape=(len(sets), width)
    )


def random_sets(seed, items=60, classes=5, clusters=6):
    generator = np.random.default_rng(seed)
    A = [set(generator.choice(classes, generator.integers(1, 3), replace=False).tolist()) for _ in range(items)]
    B = [{c for c in a if generator.random() < 0.7} | set(generator.choice(clusters, 1).tolist()) for a in A]
    return A, B


@given(SETS)
@settings(max_examples=40, deadline=None)
def test_each_is_its_formula_under_its_mapping_and_no_one_to_one_mapping_is_better(sets):
    A, B = sets
    found = type_level(csr(A, 3), csr(B, 4))
    assert list(found) == NAMES
    for name, score in found.items():
        assert score.value == pytest.approx(naive.type_level(name, A, B, score.mapping.tolist())), name
        if name.endswith("_1_1"):
            assert score.value == pytest.approx(naive.best_type_level(name, A, B, 3, 4)), name


@pytest.mark.parametrize("seed", range(6))
def test_climbing_ends_at_or_near_the_best_of_all_mappings(seed):
    A, B = random_sets(seed, items=12, classes=3, clusters=5)
    found = type_level(csr(A, 3), csr(B, 5), restarts=10)
    for name in ("macro_i_m_1", "micro_i_m_1", "micro_c_m_1"):
        best = naive.best_type_level(name, A, B, 3, 5)
        assert best - 0.01 <= found[name].value <= best + 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_no_single_cluster_wants_to_move_where_a_climb_ends(seed):
    A, B = random_sets(seed, items=8 + 4 * seed)
    generator = np.random.default_rng(seed)
    B = [
        b | set(generator.choice(6, seed % 4).tolist()) for b in B
    ]  # the price of a move depends on the other clusters
    for name, score in type_level(csr(A, 5), csr(B, 6), restarts=1).items():
        if name.endswith("_m_1"):
            h = score.mapping.tolist()
            for j in range(6):
                for c in range(5):
                    assert naive.type_level(name, A, B, [*h[:j], c, *h[j + 1 :]]) <= score.value + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_by_clusters_macro_is_what_it_is_by_items(seed):
    A, B = random_sets(seed, clusters=7)
    found = type_level(csr(A, 5), csr(B, 7))
    for name in ("macro_i_1_1", "macro_i_m_1"):
        assert found[name].value == pytest.approx(naive.macro_c(A, B, found[name].mapping.tolist()))


def test_one_class_and_one_cluster_each_is_accuracy_and_purity():
    generator = np.random.default_rng(0)
    C, K = generator.integers(0, 6, 200), generator.integers(0, 9, 200)
    K[:80] = C[:80]
    plain = scores_of(contingency(C, K))
    found = type_level(csr([{c} for c in C.tolist()], 6), csr([{k} for k in K.tolist()], 9))
    for name in ("macro_i", "micro_i"):
        assert found[f"{name}_1_1"].value == pytest.approx(plain["accuracy"])
        assert found[f"{name}_m_1"].value == pytest.approx(plain["purity"])


def in_all_clusters(r, classes=4):
    """The text's thought experiment: r gold classes each, classes of one size, every item in every cluster."""
    A = [{(i + step) % classes for step in range(r)} for i in range(classes)] * 3
    return A, [set(range(classes))] * len(A)


@pytest.mark.parametrize("r", [1, 2, 3, 4])
def test_every_item_in_all_clusters_has_recall_1_and_precision_r_of_n(r):
    A, B = in_all_clusters(r)
    found = type_level(csr(A, 4), csr(B, 4))
    for name in NAMES:
        assert found[name].recall == pytest.approx(1)
        assert found[name].precision == pytest.approx(r / 4)
        assert found[name].value == pytest.approx(2 * r / (r + 4))
    together = csr(A, 4).T @ csr(B, 4)  # what measures of information would see
    seen = sparse.coo_array(together)
    plain = scores_of(from_cells(seen.data.astype(int), *seen.coords, seen.shape))
    assert plain["v"] == pytest.approx(0)
    assert plain["nvi"] == pytest.approx(1 + math.log(4) / math.log(4))  # the largest, 1 + ln |K| / H(C), whatever r


def test_two_clusters_of_one_class_count_once_for_an_item():
    A, B = [{0}, {0}, {1}], [{0, 1}, {0}, {2}]
    found = type_level(csr(A, 2), csr(B, 3))
    assert found["macro_i_m_1"].mapping.tolist() == [0, 0, 1]
    assert [found[name].value for name in NAMES if name.endswith("_m_1")] == [1, 1, 1]
    assert found["macro_i_1_1"].value == pytest.approx(2 * 3 / (3 + 4))  # the cluster left over still counts
    assert found["micro_i_1_1"].value == pytest.approx((2 / 3 + 1 + 1) / 3)
    assert found["micro_c_1_1"].value == pytest.approx(2 / 4 * 1 + 1 / 4 * 0 + 1 / 4 * 1)


def test_a_class_cut_in_two_costs_nothing_many_to_one():
    A, B = [{0}] * 6 + [{1}] * 3, [{0}] * 3 + [{1}] * 3 + [{2}] * 3
    found = type_level(csr(A, 2), csr(B, 3))
    assert [found[name].value for name in NAMES if name.endswith("_m_1")] == [1, 1, 1]
    assert found["macro_i_1_1"].value == pytest.approx(6 / 9)


def test_items_without_a_gold_class_are_not_judged_those_without_a_cluster_are_missed():
    A, B = [{0}, {1}, set()], [{0}, set(), {1}]
    found = type_level(csr(A, 2), csr(B, 2))
    assert found["macro_i_m_1"][:3] == (pytest.approx(2 / 3), 0.5, 1)
    assert found["micro_i_m_1"].value == 0.5


@pytest.mark.parametrize("shape", [(0, 3, 2), (4, 0, 2), (4, 3, 0)], ids=["items", "classes", "clusters"])
def test_nothing(shape):
    items, classes, clusters = shape
    gold, induced = sparse.csr_array(np.ones((items, classes))), sparse.csr_array(np.ones((items, clusters)))
    found = type_level(gold, induced)
    expected = 0 if clusters == 0 else 1
    assert [score.value for score in found.values()] == [expected] * 6
    inside = set_intervals(sets_of(gold, induced), resamples=3)
    assert {inside[name] for name in NAMES} == {(expected, expected)}


def test_the_same_seed_gives_the_same_and_values_of_cells_do_not_matter():
    A, B = (csr(sets, 6) for sets in random_sets(1))
    first, again, weighted = type_level(A, B), type_level(A, B), type_level(A * 0.5, B * 3)
    for name in NAMES:
        assert first[name][:3] == again[name][:3] == weighted[name][:3]
        assert first[name].mapping.tolist() == again[name].mapping.tolist()


@pytest.mark.slow
@pytest.mark.compiled
def test_intervals_hold_the_mapping_and_lie_around_the_value():
    sets = random_sets(2, items=200)
    A, B = (csr(side, 6) for side in sets)
    found = type_level(A, B)
    wide = set_intervals(sets_of(A, B), resamples=200)
    for name, score in found.items():
        assert 0 <= wide[name].low < score.value < wide[name].high <= 1
    generator = np.random.default_rng(0)
    h, values = found["micro_i_m_1"].mapping, []
    for _ in range(300):
        drawn = generator.integers(0, 200, 200)
        values.append(naive.micro_i(*([side[i] for i in drawn] for side in sets), h.tolist(), one=False))
    width = np.quantile(values, 0.975) - np.quantile(values, 0.025)
    assert wide["micro_i_m_1"].high - wide["micro_i_m_1"].low == pytest.approx(width, rel=0.25)


@pytest.mark.parametrize("seed", range(3))
def test_held_is_each_measure_under_its_mapping_of_items_drawn_again(seed):
    A, B = random_sets(seed)
    found = type_level(csr(A, 5), csr(B, 6))
    w = np.random.default_rng(seed).integers(0, 3, len(A))
    drawn = [[side[i] for i in np.repeat(np.arange(len(A)), w)] for side in (A, B)]
    expected = [naive.type_level(name, *drawn, score.mapping.tolist()) for name, score in found.items()]
    assert held(csr(A, 5), csr(B, 6), found)(w) == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.compiled
def test_which_of_two_sets_is_better_is_told_on_the_same_items():
    A, B = random_sets(3, items=300)
    worse = [b if i % 3 else {(min(b) + 1) % 6} for i, b in enumerate(B)]
    first, second = (sets_of(csr(A, 5), csr(side, 6)) for side in (B, worse))
    found = set_differences(first, second)
    ours, theirs = set_scores_of(first), set_scores_of(second)
    assert list(found) == list(ours)
    for name, less in found.items():
        assert less.value == pytest.approx(ours[name] - theirs[name])
        assert less.low <= less.value <= less.high
    assert found["micro_i_1_1"].low > 0
    single = set_intervals(first)["micro_i_1_1"]
    assert found["micro_i_1_1"].high - found["micro_i_1_1"].low < 2 * (single.high - single.low)
    assert all(less == (0, 0, 0) for less in set_differences(first, first).values())


@pytest.mark.slow
def test_of_sets_that_all_differ_pairs_have_no_interval(monkeypatch):
    A, B = random_sets(4)
    sets = sets_of(csr(A, 5), csr(B, 6))
    known = set_intervals(sets)
    monkeypatch.setattr("consilience.measures.bootstrap._PROFILES", 3)
    found = set_intervals(sets)
    assert {name: found[name] for name in NAMES} == {name: known[name] for name in NAMES}
    assert all(math.isnan(found[name].low) and math.isnan(found[name].high) for name in found if name not in NAMES)
    value = set_differences(sets, Sets(sets.gold, sets.induced[::-1]))["omega"]
    assert math.isfinite(value.value)
    assert math.isnan(value.low)


def test_what_cannot_be_judged_is_refused():
    with pytest.raises(InputError, match="they have 2 and 3 rows"):
        type_level(csr([{0}] * 2, 1), csr([{0}] * 3, 1))
    with pytest.raises(SettingError, match="restarts is -1"):
        type_level(csr([{0}], 1), csr([{0}], 1), restarts=-1)


def test_edges_of_the_matching_are_those_of_the_text():
    """A heavy cluster that matches worse may win by clusters, for its F is weighed by its size."""
    A = csr([{0}] * 10, 1)
    B = csr([{0}] * 4 + [{1}] * 6, 2)
    assert one_to_one(A, B, "micro_c").tolist() == [-1, 0]
