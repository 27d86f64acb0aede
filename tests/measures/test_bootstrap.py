import numpy as np
import pytest

from consilience.errors import SettingError
from consilience.measures import MEASURES, alone, scores, scores_of
from consilience.measures.bootstrap import Interval, differences, intervals
from consilience.measures.contingency import contingency


def labelled(seed, items=300, right=0.6, unassigned=0.2):
    """Classes of several sizes, and clusters that are right for a share of the items."""
    generator = np.random.default_rng(seed)
    classes = generator.choice(4, items, p=[0.4, 0.3, 0.2, 0.1])
    clusters = np.where(generator.random(items) < right, classes, generator.integers(0, 5, items))
    clusters[generator.random(items) < unassigned] = -1
    return classes, clusters


def resampled_items(classes, clusters, times, seed=0):
    """Every measure of items drawn one by one, each that is not assigned alone however often it is drawn."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(times):
        drawn = generator.integers(0, len(classes), len(classes))
        found.append(list(scores_of(contingency(classes[drawn], alone(clusters[drawn]))).values()))
    return np.array(found)


def test_tables_are_drawn_as_items_are():
    classes, clusters = labelled(0)
    found, by_items = intervals(classes, clusters, resamples=1500), resampled_items(classes, clusters, 1500)
    spread = np.quantile(by_items, 0.975, axis=0) - np.quantile(by_items, 0.025, axis=0)
    for (name, interval), width in zip(found.items(), spread, strict=True):
        assert interval.high - interval.low == pytest.approx(width, rel=0.15), name


def test_nearly_all_samples_cover_what_samples_give_in_the_mean():
    samples = [labelled(seed) for seed in range(60)]
    target = np.mean(
        [list(scores_of(contingency(c, alone(k))).values()) for c, k in map(labelled, range(1000, 1300))], 0
    )
    covered = np.zeros(len(MEASURES))
    for classes, clusters in samples:
        ends = np.array(list(intervals(classes, clusters, resamples=120).values()))
        covered += (ends[:, 0] <= target) & (target <= ends[:, 1])
    assert (covered >= 51).all(), dict(zip(MEASURES, covered, strict=True))


def test_the_value_lies_in_its_interval_and_the_interval_in_the_range():
    for seed, right in enumerate((0.0, 0.5, 1.0)):
        classes, clusters = labelled(seed, items=40, right=right)
        value = scores(classes, clusters)
        for name, (low, high) in intervals(classes, clusters, resamples=50).items():
            assert MEASURES[name].low <= low <= value[name].value + 1e-12
            assert value[name].value - 1e-12 <= high <= MEASURES[name].high


def test_the_same_seed_gives_the_same_and_the_order_of_items_does_not_matter():
    classes, clusters = labelled(1)
    order = np.random.default_rng(0).permutation(len(classes))
    first = intervals(classes, clusters, resamples=20)
    assert first == intervals(classes[order], clusters[order], resamples=20)
    assert first != intervals(classes, clusters, resamples=20, random_state=1)


def test_which_of_two_is_better():
    classes, good = labelled(2, right=0.8)
    bad = np.where(np.random.default_rng(5).random(300) < 0.4, good, np.random.default_rng(6).integers(0, 5, 300))
    found = differences(classes, good, bad, resamples=200)
    assert found["adjusted_rand"].low > 0
    assert found["vi"].high < 0
    a, b = scores(classes, good), scores(classes, bad)
    for name, difference in found.items():
        assert difference.value == pytest.approx(a[name].value - b[name].value)
    turned = differences(classes, bad, good, resamples=200)
    assert turned["v"].low == pytest.approx(-found["v"].high, abs=0.03)


def test_paired_resamples_know_that_the_items_are_the_same():
    """Two clusterings that differ in few items differ by less than either is uncertain."""
    classes, first = labelled(3)
    second = first.copy()
    second[:5] = (second[:5] + 1) % 5
    paired = differences(classes, first, second, resamples=200)["adjusted_rand"]
    single = intervals(classes, first, resamples=200)["adjusted_rand"]
    assert paired.high - paired.low < 0.5 * (single.high - single.low)
    assert all(d == (0, 0, 0) for d in differences(classes, first, first, resamples=10).values())


def test_degenerate_labels():
    nothing = intervals(np.array([], int), np.array([], int), resamples=3)
    assert nothing["purity"] == Interval(1, 1)
    unassigned = intervals(np.array([0, 0, 1]), np.array([-1, -1, -1]), resamples=3)
    assert unassigned["purity"] == Interval(1, 1)
    assert intervals(np.array([0, 0, 1]), np.array([0, 0, 1]), resamples=20)["adjusted_rand"] == Interval(1, 1)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(SettingError, match="resamples is 1"):
        intervals(np.array([0]), np.array([0]), resamples=1)
    with pytest.raises(SettingError, match="level is 95"):
        intervals(np.array([0]), np.array([0]), level=95)
