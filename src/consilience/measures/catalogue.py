"""The measures of two partitions and of two sets, and what each says of itself; the tests hold it to that.

Two names of one number are one entry: `aliases` tells the other names, or how they follow from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from consilience.measures import information, items, matching, overlapping, pairs, type_level


class Measure(NamedTuple):
    """A number that says how well clusters agree with classes.

    It lies from `low` to `high` and is `best` where both are the same partition. `chance` is its mean over labels
    shuffled at random, where that is one number for all tables; `growing` says whether, by chance alone, it looks
    better or worse the more clusters there are, or stays level. `symmetric`: classes and clusters may change places.
    """

    function: Callable[[Any], float]
    aliases: tuple[str, ...]
    low: float
    high: float
    best: float
    chance: float | None
    growing: Literal["better", "worse", "level"]
    symmetric: bool
    rewards: str
    weakness: str

    @property
    def name(self) -> str:
        """The key under which it stands."""
        return self.function.__name__

    @property
    def formula(self) -> str:
        """The first line of what its function says."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def told(self) -> list[tuple[str, str]]:
        """What it says of itself, in words."""
        looks = "changes little" if self.growing == "level" else f"looks {self.growing}"
        chance = f"{looks} with more clusters" if self.chance is None else f"{self.chance:g}"
        told = [
            ("Also called", "; ".join(self.aliases)),
            ("Range", f"{_end(self.low)} to {_end(self.high)}"),
            ("Best", "H(C)" if math.isnan(self.best) else f"{self.best:g}"),
            ("By chance", chance),
            ("Symmetric", "yes" if self.symmetric else "no"),
            ("Rewards", self.rewards),
            ("Weakness", self.weakness),
        ]
        return [(title, value) for title, value in told if value]


def _end(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else "no fixed end"


_SHARE = (0.0, 1.0, 1.0)
_DISTANCE = (0.0, math.inf, 0.0)

MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            matching.accuracy, ("1-1 accuracy", "1 - classification error", "1 - misclassification index"), *_SHARE,
            None, "worse", True,
            "one cluster for each class: the share of items that are right if each cluster is given one class",
            "ignores what the clusters hold that were given no class; a class cut in two counts as half lost",
        ),
        Measure(
            matching.accuracy_greedy, ("greedy 1-1 accuracy", "H (Meila, Heckerman)"), *_SHARE,
            None, "worse", True,
            "the same with the largest cell matched first",
            "at most `accuracy`; among equal cells the numbers of the clusters decide",
        ),
        Measure(
            matching.purity, ("M-1 accuracy", "micro-averaged precision and recall"), *_SHARE,
            None, "better", False,
            "clusters of one class each",
            "grows with the number of clusters, to 1 where every item is alone",
        ),
        Measure(
            matching.inverse_purity, (), *_SHARE,
            None, "worse", False,
            "classes that stay whole",
            "1 where all items are in one cluster",
        ),
        Measure(
            matching.van_dongen, ("D (Van Dongen) / 2N", "1 - mean of purity and inverse purity"), 0.0, 1.0, 0.0,
            None, "level", True,
            "few items to move to make one partition a refinement of the other on both sides; 0 is best",
            "not 0 by chance; sees the best match only: how the rest of a class is scattered costs nothing",
        ),
        Measure(
            matching.larsen, ("L (Larsen, Aone)",), *_SHARE,
            None, "worse", False,
            "for each class a cluster with the same items; all classes count the same",
            "sees the best match only; a class of one item weighs as much as one of a thousand",
        ),
        Measure(
            matching.clustering_f, ("clustering F-measure", "overall F (Fung)"), *_SHARE,
            None, "worse", False,
            "for each class a cluster with the same items; classes count by size",
            "sees the best match only: clusters that match no class cost nothing",
        ),
        Measure(
            items.bcubed_precision, ("B-cubed precision",), *_SHARE,
            None, "better", False,
            "clusters whose items share their class",
            "1 where every item is alone",
        ),
        Measure(
            items.bcubed_recall, ("B-cubed recall",), *_SHARE,
            None, "worse", False,
            "classes whose items share their cluster",
            "1 where all items are in one cluster",
        ),
        Measure(
            items.bcubed, ("B-cubed F",), *_SHARE,
            None, "worse", True,
            "both of them, item by item; a small mixed cluster costs less than a large one",
            "not 0 by chance: it depends on the sizes of the classes",
        ),
        Measure(
            items.element_centric, ("element-centric similarity",), *_SHARE,
            None, "worse", True,
            "items that have the same company on both sides; needs no matching of clusters",
            "not 0 by chance: it depends on the sizes of classes and clusters",
        ),
        Measure(
            information.homogeneity, (), *_SHARE,
            None, "better", False,
            "clusters that tell the class",
            "grows with the number of clusters, to 1 where every item is alone",
        ),
        Measure(
            information.completeness, (), *_SHARE,
            None, "better", False,
            "classes that tell the cluster",
            "1 where all items are in one cluster; many clusters raise it a little by chance",
        ),
        Measure(
            information.v, ("V-measure", "NMI, arithmetic mean"), *_SHARE,
            None, "better", True,
            "homogeneity and completeness together",
            "not 0 by chance: grows with the number of clusters, most where there are few items in each",
        ),
        Measure(
            information.nvi, ("normalised VI",), *_DISTANCE,
            None, "worse", False,
            "little left to tell on either side, as a share of what the classes tell; 0 is best, one cluster gives 1",
            "above 1 where the clusters add more than the classes tell; not a share, not symmetric",
        ),
        Measure(
            information.vi, ("variation of information",), *_DISTANCE,
            None, "worse", True,
            "little left to tell on either side, in nats: a metric on partitions; 0 is best",
            "has no fixed upper end (ln N), so values of different corpora do not compare",
        ),
        Measure(
            information.entropy, ("class entropy", "H(C|K)"), *_DISTANCE,
            None, "better", False,
            "clusters that leave little open about the class, in nats; 0 is best",
            "falls with the number of clusters, to 0 where every item is alone",
        ),
        Measure(
            information.entropy_bits, ("class entropy in base 2",), *_DISTANCE,
            None, "better", False,
            "the same in bits",
            "as `entropy`: a text that does not name its base may mean either",
        ),
        Measure(
            information.entropy_normalised, ("entropy (Zhao, Karypis)",), 0.0, 1.0, 0.0,
            None, "better", False,
            "the same as a share of the largest possible, ln |C|; 0 is best",
            "falls with the number of clusters; classes of very different sizes cannot reach 1",
        ),
        Measure(
            information.cluster_entropy, ("H(K|C)",), *_DISTANCE,
            None, "worse", False,
            "classes that leave little open about the cluster, in nats; 0 is best",
            "0 where all items are in one cluster",
        ),
        Measure(
            information.mutual_information, ("I",), 0.0, math.inf, math.nan,
            None, "better", True,
            "clusters and classes that tell each other, in nats; H(C) where they are the same",
            "grows with the number of clusters and has no fixed upper end",
        ),
        Measure(
            information.nmi_geometric, ("NMI, geometric mean",), *_SHARE,
            None, "better", True,
            "mutual information as a share of the geometric mean of the entropies",
            "not 0 by chance: grows with the number of clusters",
        ),
        Measure(
            information.nmi_max, ("NMI, maximum",), *_SHARE,
            None, "better", True,
            "mutual information as a share of the larger entropy; the strictest share, and 1 - it is a metric",
            "not 0 by chance: grows with the number of clusters",
        ),
        Measure(
            information.nmi_min, ("NMI, minimum",), *_SHARE,
            None, "better", True,
            "mutual information as a share of the smaller entropy",
            "1 as soon as one side refines the other, also where every item is alone",
        ),
        Measure(
            information.nmi_joint, ("NMI, joint entropy",), *_SHARE,
            None, "better", True,
            "mutual information as a share of all there is to tell; 1 - it is a metric",
            "not 0 by chance: grows with the number of clusters",
        ),
        Measure(
            information.adjusted_mutual_information, ("AMI",), -math.inf, 1.0, 1.0,
            0.0, "level", True,
            "mutual information beyond what the sizes alone give",
            "the chance it corrects for holds all sizes, which no method does; favours clusters of unequal sizes",
        ),
        Measure(
            pairs.rand, ("1 - error ratio", "1 - Mirkin / (N (N - 1))"), *_SHARE,
            None, "better", True,
            "pairs of items that both sides keep together or both keep apart",
            "with many clusters nearly all pairs are apart on both sides: near 1 whatever they hold (Meila 2007)",
        ),
        Measure(
            pairs.adjusted_rand, ("ARI", "kappa over pairs"), -0.5, 1.0, 1.0,
            0.0, "level", True,
            "pairs kept together on both sides beyond what the sizes alone give",
            "pairs grow with the square of a cluster's size: a few large clusters decide (Meila 2007)",
        ),
        Measure(
            pairs.jaccard, ("Jaccard over pairs",), *_SHARE,
            None, "worse", True,
            "pairs together on both sides among those together on either",
            "not 0 by chance; large clusters decide",
        ),
        Measure(
            pairs.fowlkes_mallows, (), *_SHARE,
            None, "worse", True,
            "the geometric mean of precision and recall of pairs",
            "not 0 by chance: high where there are few clusters; large clusters decide",
        ),
        Measure(
            pairs.gamma, ("Hubert's Gamma, normalised", "phi of pairs", "Mantel's r"), -1.0, 1.0, 1.0,
            0.0, "level", True,
            "the correlation of being in one class with being in one cluster",
            "large clusters decide; 0 where one side has no pairs of one kind",
        ),
    )
}  # fmt: skip

SET_MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            type_level.macro_i_1_1, ("MacroI 1-1", "MacroC 1-1"), *_SHARE,
            None, "worse", True,
            "items whose classes are those of their clusters, if each cluster is given one class",
            "items with many classes weigh more; clusters left over cost precision",
        ),
        Measure(
            type_level.macro_i_m_1, ("MacroI M-1", "MacroC M-1"), *_SHARE,
            None, "better", False,
            "the same if a class may be given to many clusters",
            "grows with the number of clusters; the mapping is climbed, so a better one may exist",
        ),
        Measure(
            type_level.micro_i_1_1, ("MicroI 1-1",), *_SHARE,
            None, "worse", True,
            "the same item by item, if each cluster is given one class: every item weighs the same",
            "clusters left over cost precision",
        ),
        Measure(
            type_level.micro_i_m_1, ("MicroI M-1",), *_SHARE,
            None, "better", False,
            "the same item by item, if a class may be given to many clusters",
            "grows with the number of clusters; the mapping is climbed, so a better one may exist",
        ),
        Measure(
            type_level.micro_c_1_1, ("MicroC 1-1",), *_SHARE,
            None, "worse", False,
            "for each cluster a class with the same items; clusters count by size",
            "classes that no cluster stands for cost nothing",
        ),
        Measure(
            type_level.micro_c_m_1, ("MicroC M-1",), *_SHARE,
            None, "better", False,
            "for each class one or many clusters that together have its items",
            "one cluster for the largest class may be worth more than many for small ones",
        ),
        Measure(
            overlapping.bcubed_precision, ("extended B-cubed precision",), *_SHARE,
            None, "better", False,
            "items that share clusters share as many classes",
            "1 where every item is alone",
        ),
        Measure(
            overlapping.bcubed_recall, ("extended B-cubed recall",), *_SHARE,
            None, "worse", False,
            "items that share classes share as many clusters",
            "1 where all items are together in more clusters than there are classes",
        ),
        Measure(
            overlapping.bcubed, ("extended B-cubed F",), *_SHARE,
            None, "worse", True,
            "both of them, item by item",
            "not 0 by chance; 1 does not always mean that the sets are the same",
        ),
        Measure(
            overlapping.omega, ("omega index (Collins, Dent)",), -math.inf, 1.0, 1.0,
            0.0, "level", True,
            "pairs that share exactly as many clusters as classes, beyond chance; adjusted Rand for partitions",
            "sharing one of two counts for as little as sharing none; large clusters decide",
        ),
        Measure(
            overlapping.element_centric, ("element-centric similarity",), *_SHARE,
            None, "worse", True,
            "items whose walks over shared clusters lead to the same items",
            "not 0 by chance; clusters that overlap much are all alike",
        ),
    )
}  # fmt: skip

HEADLINES = ("purity", "v", "adjusted_rand")
