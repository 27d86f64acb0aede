import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import naive
from consilience.errors import InputError
from consilience.measures import SET_MEASURES, scores_of, set_scores
from consilience.measures import sets as sets_module
from consilience.measures.contingency import contingency
from consilience.measures.information import expected_information
from consilience.measures.sets import profiles_of, sets_of

OVERLAPPING = ("bcubed_precision", "bcubed_recall", "bcubed", "omega", "element_centric")
PUBLISHED = json.loads((Path(__file__).parents[1] / "reference" / "clusim.json").read_text(encoding="utf-8"))
SETS = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=n, max_size=n),
        st.lists(st.sets(st.integers(0, 3)), min_size=n, max_size=n),
    )
)
# Amigó, Gonzalo, Artiles, Verdejo 2009, figures 16 to 21: gray 0, black 1, dashed 2
GOLD = [{0, 1}, {0, 1}, {0}, {1}, {1}, {2}, {2}]


def csr(sets, width):
    rows = [i for i, each in enumerate(sets) for _ in each]
    columns = [c for each in sets for c in sorted(each)]
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(sets), width))


@given(SETS)
@settings(max_examples=25, deadline=None)
def test_equal_to_looking_at_every_pair_and_taking_every_step(sets):
    A, B = sets
    found = set_scores(csr(A, 4), csr(B, 4))
    for name in OVERLAPPING:
        assert found[name] == pytest.approx(getattr(naive, f"{name}_of_sets")(A, B), abs=1e-9), name


@pytest.mark.parametrize("seed", range(3))
def test_many_items_of_the_same_sets(seed):
    generator = np.random.default_rng(seed)
    few = [set(generator.choice(4, generator.integers(1, 4), replace=False).tolist()) for _ in range(5)]
    A, B = ([few[i] for i in generator.integers(0, 5, 40)] for _ in range(2))
    B[3] = B[8] = set()
    found = set_scores(csr(A, 4), csr(B, 4))
    for name in OVERLAPPING[:4]:
        assert found[name] == pytest.approx(getattr(naive, f"{name}_of_sets")(A, B)), name


@pytest.mark.parametrize("seed", range(5))
def test_of_partitions_they_are_the_measures_of_partitions(seed):
    generator = np.random.default_rng(seed)
    C, K = generator.integers(0, 5, 80), generator.integers(0, 7, 80)
    K[:40] = C[:40]
    plain = scores_of(contingency(C, K))
    found = set_scores(csr([{c} for c in C.tolist()], 5), csr([{k} for k in K.tolist()], 7))
    for name in OVERLAPPING:
        assert found[name] == pytest.approx(plain["adjusted_rand" if name == "omega" else name])


@pytest.mark.parametrize("case", PUBLISHED["partitions"], ids=lambda case: case["from"])
def test_values_others_have_published_of_partitions(case):
    table = contingency(np.array(case["classes"]), np.array(case["clusters"]))
    found = scores_of(table)
    found |= {"vi_bits": found["vi"] / math.log(2), "omega": found["adjusted_rand"]}
    found["expected_information_bits"] = expected_information(table) / math.log(2)
    assert {name: found[name] for name in case["values"]} == pytest.approx(case["values"], abs=1e-12)


@pytest.mark.parametrize("case", PUBLISHED["sets"], ids=lambda case: case["from"])
def test_values_others_have_published_of_sets(case):
    found = set_scores(csr(case["classes"], 3), csr(case["clusters"], 3))
    assert {name: found[name] for name in case["values"]} == pytest.approx(case["values"], abs=1e-12)


@pytest.mark.parametrize(
    ("clusters", "precision", "recall"),
    [
        (GOLD, 1, 1),
        ([each | {3} if 0 in each else each for each in GOLD], (2 * 23 / 30 + 1 / 2 + 4) / 7, 1),  # gray found twice
        ([{0}, {0}, {0}, {1}, {1}, {2}, {2}], 1, (2 * 2 / 5 + 1 + 2 * 1 / 2 + 2) / 7),
        ([{0}] * 5 + [{1}] * 2, (2 + 3 / 5 + 2 * 4 / 5 + 2) / 7, (2 * 4 / 5 + 5) / 7),
    ],
    ids=["figure 16", "figure 17", "figure 19", "figure 21"],
)
def test_figures_of_amigo_and_others_with_a_pencil(clusters, precision, recall):
    found = set_scores(csr(GOLD, 3), csr(clusters, 4))
    assert (found["bcubed_precision"], found["bcubed_recall"]) == pytest.approx((precision, recall))


def test_sums_that_meet_by_chance_do_no_harm(monkeypatch):
    A, B = csr([{0}, {1}, {0, 1}, {0}], 2), csr([{0}, {0}, {1}, {0}], 2)
    expected = set_scores(A, B)
    assert profiles_of(sets_of(A, B)).items.tolist() != [1] * 4

    class Same:
        def integers(self, low, high, size, dtype):
            return np.zeros(size, dtype)

    monkeypatch.setattr(sets_module.np.random, "default_rng", lambda seed: Same())
    sets = sets_of(A, B)
    assert profiles_of(sets).items.tolist() == [1] * 4
    for name in OVERLAPPING:
        assert SET_MEASURES[name].function(sets) == pytest.approx(expected[name])


# --- laws: every measure of sets is held to what it says of itself -------------------------------------------------

FULL = st.integers(1, 9).flatmap(
    lambda n: st.tuples(*(st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=n, max_size=n) for _ in range(2)))
)


@pytest.mark.slow
@given(FULL)
@settings(max_examples=25, deadline=None)
def test_range_best_and_symmetry(sets):
    A, B = (csr(side, 4) for side in sets)
    found, turned, same = set_scores(A, B), set_scores(B, A), set_scores(A, A)
    for name, measure in SET_MEASURES.items():
        assert measure.low - 1e-12 <= found[name] <= measure.high + 1e-12, name
        assert same[name] == pytest.approx(measure.best), name
        if measure.symmetric:
            assert found[name] == pytest.approx(turned[name]), name


@given(FULL, st.permutations(range(4)), st.permutations(range(4)), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_names_and_order_do_not_matter(sets, classes, clusters, random):
    items = list(zip(*sets, strict=True))
    random.shuffle(items)
    found = set_scores(*(csr(side, 4) for side in sets))
    renamed = set_scores(
        csr([{classes[c] for c in a} for a, _ in items], 4), csr([{clusters[k] for k in b} for _, b in items], 4)
    )
    for name in SET_MEASURES:
        tolerance = 0.1 if name.endswith("_m_1") else 1e-9  # a climb starts from names
        assert renamed[name] == pytest.approx(found[name], abs=tolerance), name


@pytest.mark.parametrize("name", SET_MEASURES)
def test_those_that_say_so_are_not_symmetric(name):
    A, B = [{0}, {0, 1}, {1}, {2}, {2}, {2, 0}], [{0}, {1}, {1, 2}, {3}, {2}, {2}]
    found = SET_MEASURES[name].function(sets_of(csr(A, 4), csr(B, 4)))
    turned = SET_MEASURES[name].function(sets_of(csr(B, 4), csr(A, 4)))
    assert (found == pytest.approx(turned)) == SET_MEASURES[name].symmetric


@pytest.fixture(scope="module")
def by_chance():
    """Mean and standard error of every measure over shuffled sets: as many clusters as classes, and six times as many."""
    generator, found = np.random.default_rng(2), []
    A = csr([{i % 5, (i // 7) % 5} for i in range(150)], 5)
    for clusters in (5, 30):
        B = csr([{i % clusters, (i // 7) % clusters} for i in range(150)], clusters)
        drawn = [list(set_scores(A, B[generator.permutation(150)]).values()) for _ in range(30)]
        found.append((np.mean(drawn, 0), np.std(drawn, 0) / math.sqrt(30)))
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("name", SET_MEASURES)
def test_by_chance(name, by_chance):
    measure, at = SET_MEASURES[name], list(SET_MEASURES).index(name)
    (few, few_error), (many, many_error) = ((mean[at], error[at]) for mean, error in by_chance)
    if measure.chance is not None:
        assert abs(few - measure.chance) < 4 * few_error
        assert abs(many - measure.chance) < 4 * many_error
    else:
        assert measure.growing == ("better" if many > few else "worse")
        assert abs(many - few) > 4 * max(few_error, many_error)


def test_degenerate_sets():
    nothing = sparse.csr_array((0, 3))
    assert set(set_scores(nothing, nothing).values()) == {1.0}
    unassigned = set_scores(csr([{0}, {0}, {1}], 2), sparse.csr_array((3, 4)))
    alone = set_scores(csr([{0}, {0}, {1}], 2), csr([{0}, {1}, {2}], 4))
    for name in OVERLAPPING:
        assert unassigned[name] == pytest.approx(alone[name])
    unjudged = set_scores(csr([{0}, {1}, set()], 2), csr([{0}, {1}, {1}], 2))
    assert unjudged == set_scores(csr([{0}, {1}], 2), csr([{0}, {1}], 2))
    with pytest.raises(InputError, match="they have 2 and 3 rows"):
        set_scores(sparse.csr_array((2, 1)), sparse.csr_array((3, 1)))


def test_each_says_what_it_rewards_and_where_it_misleads():
    for measure in SET_MEASURES.values():
        assert all(value for _, value in measure.told())
        assert len(measure.formula) > 10
    names = list(itertools.chain.from_iterable((m.name, *m.aliases) for m in SET_MEASURES.values()))
    assert len(names) == len(set(names))
