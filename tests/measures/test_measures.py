import math

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

import naive
from consilience.measures import MEASURES, scores, scores_of
from consilience.measures.contingency import contingency
from consilience.measures.information import expected_information

LABELS = st.integers(0, 4)
PARTITIONS = st.integers(0, 14).flatmap(
    lambda n: st.tuples(*(st.lists(LABELS, min_size=n, max_size=n) for _ in range(2)))
)
SCIKIT_LEARN = {
    "adjusted_rand": sklearn.metrics.adjusted_rand_score,
    "rand": sklearn.metrics.rand_score,
    "fowlkes_mallows": sklearn.metrics.fowlkes_mallows_score,
    "v": sklearn.metrics.v_measure_score,
    "homogeneity": sklearn.metrics.homogeneity_score,
    "completeness": sklearn.metrics.completeness_score,
    "mutual_information": sklearn.metrics.mutual_info_score,
    "adjusted_mutual_information": sklearn.metrics.adjusted_mutual_info_score,
    **{
        f"nmi_{ours}": lambda a, b, theirs=theirs: sklearn.metrics.normalized_mutual_info_score(
            a, b, average_method=theirs
        )
        for ours, theirs in (("geometric", "geometric"), ("max", "max"), ("min", "min"))
    },
}
HAND = {  # 0 0 0 1 1 2 | 0 0 1 1 1 1, worked out with a pencil
    "accuracy": 4 / 6,
    "accuracy_greedy": 4 / 6,
    "purity": 4 / 6,
    "inverse_purity": 5 / 6,
    "van_dongen": 3 / 12,
    "larsen": (4 / 5 + 4 / 6 + 2 / 5) / 3,
    "clustering_f": (3 * 4 / 5 + 2 * 4 / 6 + 1 * 2 / 5) / 6,
    "bcubed_precision": (2 * 1 + 1 / 4 + 2 * 2 / 4 + 1 / 4) / 6,
    "bcubed_recall": (2 * 2 / 3 + 1 / 3 + 2 * 1 + 1) / 6,
    "element_centric": (2 * 2 / 3 + 1 / 4 + 2 * 2 / 4 + 1 / 4) / 6,
    "rand": (2 + 6) / 15,
    "jaccard": 2 / 9,
    "fowlkes_mallows": 2 / math.sqrt(4 * 7),
    "adjusted_rand": (2 - 4 * 7 / 15) / (11 / 2 - 4 * 7 / 15),
    "gamma": (15 * 2 - 4 * 7) / math.sqrt(4 * 7 * 11 * 8),
    "entropy": 4 / 6 * 1.5 * math.log(2),
    "entropy_bits": 4 / 6 * 1.5,
    "entropy_normalised": 4 / 6 * 1.5 * math.log(2) / math.log(3),
    "cluster_entropy": 1 / 2 * (math.log(3) - 2 / 3 * math.log(2)),
}


def of(classes, clusters):
    return contingency(np.array(classes, int), np.array(clusters, int))


@given(PARTITIONS)
def test_every_measure_equals_its_words(partitions):
    found = scores_of(of(*partitions))
    for name in MEASURES:
        if partitions[0] or name != "bcubed":
            slow = getattr(naive, {"jaccard": "jaccard_of_pairs"}.get(name, name))
            assert found[name] == pytest.approx(slow(*partitions), abs=1e-9), name


@pytest.mark.parametrize("name", HAND)
def test_by_hand(name):
    assert MEASURES[name].function(of([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1])) == pytest.approx(HAND[name])


@pytest.mark.parametrize("name", SCIKIT_LEARN)
@pytest.mark.parametrize("seed", range(8))
def test_equal_to_scikit_learn(name, seed):
    generator = np.random.default_rng(seed)
    items, classes, clusters = generator.integers(2, 400), generator.integers(1, 40), generator.integers(1, 90)
    C, K = generator.integers(0, classes, items), generator.integers(0, clusters, items)
    K[: items // 2] = C[: items // 2]
    assert MEASURES[name].function(of(C, K)) == pytest.approx(SCIKIT_LEARN[name](C, K), abs=1e-9)


@pytest.mark.parametrize("sizes", [((3, 5), (8,)), ((1, 1, 1), (2, 1)), ((700, 300), (999, 1)), ((1,) * 9, (1,) * 9)])
def test_information_by_chance(sizes):
    C, K = (np.repeat(np.arange(len(side)), side) for side in sizes)
    assert expected_information(of(C, K)) == pytest.approx(
        naive.expected_information(C.tolist(), K.tolist()), abs=1e-12
    )


def test_information_by_chance_where_factorials_are_out_of_reach():
    generator = np.random.default_rng(0)
    C, K = generator.integers(0, 6, 200_000), generator.integers(0, 5, 200_000)
    found = MEASURES["adjusted_mutual_information"].function(of(C, K))
    assert found == pytest.approx(sklearn.metrics.adjusted_mutual_info_score(C, K), abs=1e-9)


def test_unassigned_items_are_alone_in_one_score_and_left_out_of_the_other():
    classes = np.array([0, 0, 1, 1])
    found = scores(classes, np.array([0, 0, -1, -1]))
    apart = scores(classes, np.array([0, 0, 1, 2]))
    assert {name: score.value for name, score in found.items()} == {n: s.value for n, s in apart.items()}
    for name, measure in MEASURES.items():
        assert found[name].on_assigned == (0 if name == "mutual_information" else measure.best)


@pytest.mark.parametrize("clusters", [[], [-1], [-1, -1, -1]], ids=["nothing", "one item", "nothing assigned"])
def test_nothing_is_judged_as_the_same_partition(clusters):
    found = scores(np.arange(len(clusters)), np.array(clusters, int))
    for name, measure in MEASURES.items():
        best = 0 if name == "mutual_information" else measure.best
        assert found[name].on_assigned == best, name
        if name != "mutual_information":
            assert found[name].value == pytest.approx(best), name


def test_one_class_or_one_cluster():
    """What each side says where the other has nothing to tell; decided in the docstrings."""
    one_class = scores_of(of([0] * 4, [0, 0, 1, 1]))
    assert (one_class["homogeneity"], one_class["completeness"], one_class["v"]) == (1, 0, 0)
    assert one_class["nvi"] == pytest.approx(math.log(2))  # H(K), for H(C) = 0
    assert one_class["entropy_normalised"] == 0
    one_cluster = scores_of(of([0, 0, 1, 1], [0] * 4))
    assert (one_cluster["homogeneity"], one_cluster["completeness"], one_cluster["v"]) == (0, 1, 0)
    assert one_cluster["nvi"] == pytest.approx(1)
    for found in (one_class, one_cluster):
        names = ("adjusted_rand", "gamma", "adjusted_mutual_information", "nmi_min", "nmi_max", "nmi_geometric")
        assert [found[name] for name in names] == [0] * 6
