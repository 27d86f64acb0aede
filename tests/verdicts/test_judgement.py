import numpy as np
import polars as pl
import pytest

from consilience.corpus import labelling
from consilience.errors import ConsilienceError
from consilience.measures import scores
from consilience.nouns import Labelling
from consilience.verdicts.in_words import sentence_against, sentences
from consilience.verdicts.judgement import against, judge


def labels(values: list[object], first: int = 0) -> Labelling:
    ids = pl.Series("id", [f"d{first + i}" for i in range(len(values))], dtype=pl.String)
    return labelling(ids, pl.Series(values, strict=False))


def noisy(seed: int, items: int, wrong: float) -> tuple[list[str], list[int]]:
    chance = np.random.default_rng(seed)
    gold = chance.integers(0, 4, items)
    found = np.where(chance.random(items) < wrong, chance.integers(0, 4, items), gold)
    return [f"c{g}" for g in gold], found.tolist()


def test_measures_are_those_of_the_items_that_have_a_class_in_both_tables() -> None:
    gold, found = noisy(0, 80, 0.3)
    gold[7] = ""
    found[3] = found[20] = -1
    judged = judge(labels(found), labels(gold[:70] + ["c0"] * 20))
    some = [i for i in range(70) if i != 7]
    classes = np.array([int(gold[i][1]) for i in some])
    expected = scores(classes, np.array([found[i] for i in some]))
    assert (judged.items, judged.assigned, judged.unclassed, judged.only_gold) == (79, 77, 1, 10)
    judged = judge(labels(found[:70]), labels(gold[:70]))
    for name, score in expected.items():
        assert judged.measures[name].value == pytest.approx(score.value), name
        assert judged.measures[name].on_assigned == pytest.approx(score.on_assigned), name
    assert judged.coverage == pytest.approx(67 / 69)
    found_rand = judged.measures["adjusted_rand"]
    assert found_rand.low < found_rand.value < found_rand.high


def test_the_verdict_says_how_good_it_is_and_where_it_errs() -> None:
    gold, found = noisy(1, 400, 0.0)
    said = sentences(judge(labels(found), labels(gold)))
    assert "nearly the same grouping" in said[1]
    assert not any("Found best" in s for s in said)  # all classes are found alike
    chance = np.random.default_rng(2).integers(0, 4, 400).tolist()
    assert "no better than chance" in sentences(judge(labels(chance), labels(gold)))[1]
    split = [2 * k + i % 2 for i, k in enumerate(found)]
    assert any(
        "cut into pieces (8 clusters are more than 4 classes)" in s
        for s in sentences(judge(labels(split), labels(gold)))
    )
    lumped = [k // 2 for k in found]
    said = sentences(judge(labels(lumped), labels(gold)))
    assert any("several classes at once" in s for s in said)
    assert any(s.startswith("Most mixed up are “c0” and “c1”") or "“c2” and “c3”" in s for s in said)
    easy = [k if k < 2 else -1 for k in found]
    said = sentences(judge(labels(easy), labels(gold)))
    assert "are assigned" in said[0]
    assert any("what was left out would have lowered it" in s for s in said)


def test_paths_are_judged_at_each_depth() -> None:
    gold = ["rec.autos", "rec.sport", "sci.space", "sci.med"] * 10
    tops = [0, 0, 1, 1] * 10
    judged = judge(labels(tops), labels(gold))
    assert judged.separator == "."
    assert [(d.depth, d.classes, d.measures["adjusted_rand"].value) for d in judged.depths] == [(1, 2, 1.0)]
    assert judged.measures["adjusted_rand"].value < 0.6
    assert any("the clusters follow the 2 classes of depth 1" in s for s in sentences(judged))
    assert judge(labels(tops), labels(gold), separator="none").depths == []


@pytest.mark.slow
def test_several_classes_per_item() -> None:
    gold = [["a", "b"], ["a"], ["b"], ["c"], []] * 6
    judged = judge(labels([0, 0, 1, 2, 2] * 6), labels(gold))
    assert judged.overlapping
    assert judged.items == 24
    assert judged.measures["micro_i_m_1"].value > 0.8
    assert "several per document" in sentences(judged)[0]
    same = judge(labels(gold), labels(gold))
    assert [found.value for found in same.measures.values()] == pytest.approx([1] * 11)
    partly = judge(labels([0, -1, 1, 2, 2] * 6), labels(gold))
    assert partly.coverage == 0.75
    assert partly.measures["micro_i_1_1"].on_assigned > partly.measures["micro_i_1_1"].value


def test_which_of_two_is_better() -> None:
    gold, good = noisy(3, 500, 0.1)
    _, bad = noisy(3, 500, 0.5)
    less = against(labels(good), labels(bad), labels(gold))
    assert less.items == 500
    found = less.differences["adjusted_rand"]
    expected = [scores(np.array([int(g[1]) for g in gold]), np.array(k))["adjusted_rand"].value for k in (good, bad)]
    assert found.value == pytest.approx(expected[0] - expected[1])
    assert found.low > 0
    assert sentence_against(less, "a.csv", "b.csv").startswith("a.csv matches the truth better than b.csv")
    turned = against(labels(bad), labels(good), labels(gold))
    assert sentence_against(turned, "b.csv", "a.csv").startswith("a.csv matches the truth better than b.csv")
    same = against(labels(good), labels(good), labels(gold))
    assert "cannot be told" in sentence_against(same, "a.csv", "b.csv")


@pytest.mark.slow
def test_which_of_two_is_better_where_documents_have_several_classes() -> None:
    gold = [["a", "b"], ["a"], ["b"], ["c"], []] * 20
    good, bad = [0, 0, 1, 2, 2] * 20, [0, 1, 0, 1, 2] * 20
    less = against(labels(good), labels(bad), labels(gold))
    values = [judge(labels(k), labels(gold)).measures["micro_i_1_1"].value for k in (good, bad)]
    assert (less.items, less.overlapping) == (80, True)
    assert less.differences["micro_i_1_1"].value == pytest.approx(values[0] - values[1])
    assert sentence_against(less, "a.csv", "b.csv").startswith("a.csv matches the truth better than b.csv: MicroI +")


@pytest.mark.slow
def test_paths_of_several_classes_are_judged_at_each_depth() -> None:
    gold = [["rec/autos", "rec/sport"], ["rec/sport"], ["sci/space", "sci/med"], ["sci/med"]] * 10
    judged = judge(labels([0, 0, 1, 1] * 10), labels(gold))
    assert [(d.depth, d.classes, d.measures["micro_i_1_1"].value) for d in judged.depths] == [(1, 2, 1.0)]
    assert judged.measures["micro_i_1_1"].value == pytest.approx((2 / 3 + 1) / 2)
    assert any("MicroI is 1.000 at depth 1" in s for s in sentences(judged))


def test_what_cannot_be_judged_is_said() -> None:
    with pytest.raises(ConsilienceError, match=r"labels' ids are like 'd0', the truth's like 'd50'"):
        judge(labels([0, 1]), labels(["a", "b"], first=50))
    with pytest.raises(ConsilienceError, match="none of the 2 items has a class"):
        judge(labels([0, 1]), labels(["", ""]))
    with pytest.raises(ConsilienceError, match="no item with a class is in both clusterings"):
        against(labels([0, 1]), labels([0, 1], first=9), labels(["a", "b"]))


@pytest.mark.parametrize("found", [[0, 0, 0], [0, 1, 2], [0, -1, -1]])
@pytest.mark.parametrize("gold", [["a", "a", "a"], ["a", "b", "c"]])
def test_degenerate_clusterings_are_judged(found: list[int], gold: list[str]) -> None:
    judged = judge(labels(found), labels(gold))
    assert all(np.isfinite([m.value, m.low, m.high]).all() for m in judged.measures.values())
    assert sentences(judged)
