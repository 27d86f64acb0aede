"""A judgement in sentences, for people who need no measure to have a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from consilience.measures import MEASURES, SET_MEASURES
from consilience.measures.bootstrap import Difference
from consilience.measures.internal import Internal
from consilience.verdicts.judgement import Against, Judgement, Measured
from consilience.verdicts.stability import Stability

_LEVELS = (  # adjusted Rand: what it is called from there on; customary, no law
    (0.9, "nearly the same grouping as the truth"),
    (0.65, "a good match with the truth"),
    (0.4, "a fair match with the truth"),
    (0.15, "a weak match with the truth"),
    (0.03, "barely better than chance"),
)
_LEAN = 0.1  # homogeneity and completeness differ by so much before it is worth a sentence
_EASIER = 0.05


def sentences(judged: Judgement) -> list[str]:
    """What was judged, how good it is, on which side it errs, and where."""
    said = [_what(judged)]
    said += _overlap(judged) if judged.overlapping else _how_good(judged.measures)
    if judged.assigned < judged.items and not judged.overlapping:
        said += _unassigned(judged)
    if not judged.overlapping:
        said += _which_side(judged)
    said += _depths(judged)
    said += _where(judged)
    return said + _left_out(judged)


def sentences_within(inner: Mapping[str, Internal]) -> list[str]:
    """What the measures within the space say."""
    width = inner["silhouette"].value
    if width is None:
        return ["Within the space of the vectors nothing can be measured: there are fewer than two clusters."]
    level = "well apart" if width > 0.25 else "slightly apart" if width > 0.02 else "hardly apart at all"
    said = [
        f"Among the vectors ({inner['silhouette'].space}) the clusters lie {level}: "
        f"the silhouette is {width:z.3f}, of -1 to 1; text seldom exceeds 0.1."
    ]
    warning = inner["silhouette"].warning
    return said + ([f"Beware: {warning}."] if warning else [])


def sentence_again(found: Stability, names: Sequence[str]) -> str:
    """How many clusters come again when parts of the documents are clustered anew."""
    k = len(found.jaccard)
    known = np.flatnonzero(~np.isnan(found.jaccard))
    said = (
        f"On {found.samples} samples of {found.share:.0%} of the documents {found.stable} of {count(k, 'cluster')} "
        f"came again at least every other time (mean overlap {found.value:.2f}"
    )
    if not len(known) or k < 2:
        return f"{said})."
    worst = int(known[np.argmin(found.jaccard[known])])
    return (
        f"{said}; shuffled {np.nanmean(found.by_chance):.2f}); least steady is {quoted(names[worst])} "
        f"({found.jaccard[worst]:.2f})."
    )


def sentence_against(found: Against, first: str, second: str) -> str:
    """Which of two clusterings is better, if it can be told."""
    called, key = _main(found.overlapping)
    less = found.differences[key]
    about = f"{called} {less.value:+z.3f} ({less.low:+z.3f} to {less.high:+z.3f}) on {found.items:,} documents"
    if less.low <= 0 <= less.high:
        return f"Which of {first} and {second} matches the truth better cannot be told from these documents: {about}."
    better, worse = (first, second) if less.low > 0 else (second, first)
    told = [(name, d) for name, d in found.differences.items() if d.low > 0 or d.high < 0]
    same = sum((d.low > 0) == (less.low > 0) for d in (_upward(name, d, found.overlapping) for name, d in told))
    return (
        f"{better} matches the truth better than {worse}: {about}. Of the {len(told)} measures that tell them apart "
        f"{same} say so."
    )


def _main(overlapping: bool) -> tuple[str, str]:
    """The measure that sentences speak of: what it is called, and its key."""
    return ("MicroI", "micro_i_1_1") if overlapping else ("adjusted Rand", "adjusted_rand")


def _upward(name: str, less: Difference, overlapping: bool) -> Difference:
    """With its sign turned where a measure is best at its low end."""
    measure = (SET_MEASURES if overlapping else MEASURES)[name]
    return Difference(-less.value, -less.high, -less.low) if measure.best == measure.low else less


def noun(judged: Judgement) -> str:
    """What an item is called."""
    return "word" if judged.found.items.name == "word" else "document"


def _what(judged: Judgement) -> str:
    items, assigned = count(judged.items, noun(judged)), ""
    if judged.assigned < judged.items:
        assigned = f"; {_share(judged.coverage)} of them are assigned"
    several = f", several per {noun(judged)}" if judged.gold.overlapping else ""
    k, classes = len(judged.clusters), len(judged.classes)
    were = "was" if judged.items == 1 else "were"
    return f"{items} in {count(k, 'cluster')} {were} judged against {count(classes, 'class')}{several}{assigned}."


def _how_good(measures: Mapping[str, Measured]) -> list[str]:
    found = measures["adjusted_rand"]
    level = next((name for least, name in _LEVELS if found.value >= least), "no better than chance")
    about = f"adjusted Rand {found.value:z.3f}, {found.low:z.3f} to {found.high:z.3f}; chance is 0, the truth itself 1"
    return [f"The clusters are {level} ({about})."]


def _overlap(judged: Judgement) -> list[str]:
    one, many = judged.measures["micro_i_1_1"], judged.measures["micro_i_m_1"]
    return [
        f"With one cluster for each class, a {noun(judged)}'s clusters match its classes to {_share(one.value)} "
        f"(MicroI {one.value:z.3f}, {one.low:z.3f} to {one.high:z.3f}; 1 is the truth itself).",
        f"With several clusters for a class it is {_share(many.value)}, which more clusters always raise.",
    ]


def _unassigned(judged: Judgement) -> list[str]:
    found = judged.measures["adjusted_rand"]
    gain = found.on_assigned - found.value
    said = f"On the assigned documents alone it is {found.on_assigned:z.3f}"
    if gain > _EASIER:
        return [f"{said}: what was left out would have lowered it, so compare it with no method that assigns all."]
    return [f"{said}."]


def _which_side(judged: Judgement) -> list[str]:
    pure, whole = judged.measures["homogeneity"].value, judged.measures["completeness"].value
    k, classes = len(judged.clusters), len(judged.classes)
    if pure - whole > _LEAN:
        why = f"{k} clusters are more than {classes} classes" if k > classes else "many documents are on their own"
        return [f"Clusters are purer than classes are whole: classes are cut into pieces ({why})."]
    if whole - pure > _LEAN:
        return ["Classes are more whole than clusters are pure: clusters hold several classes at once."]
    return []


def _depths(judged: Judgement) -> list[str]:
    if not judged.depths:
        return []
    called, key = _main(judged.overlapping)
    told = [f"{depth.measures[key].value:z.3f} at depth {depth.depth}" for depth in judged.depths]
    finest = judged.measures[key].value
    best = max([*judged.depths], key=lambda depth: depth.measures[key].value)
    more = ""
    if best.measures[key].value > finest:
        more = f": the clusters follow the {best.classes} classes of depth {best.depth} better than the finest ones"
    return [f"The classes are paths; {called} is {', '.join([*told, f'{finest:z.3f} for whole paths'])}{more}."]


def _where(judged: Judgement) -> list[str]:
    said = []
    if judged.mixed:
        worst = judged.mixed[0]
        a, b = judged.classes[worst.a], judged.classes[worst.b]
        if max(worst.share_of_a, worst.share_of_b) >= 0.05:
            said.append(
                f"Most mixed up are {quoted(a)} and {quoted(b)}: of what shares a cluster with a {noun(judged)} of the "
                f"one, {_share(worst.share_of_a)} is of the other (the other way round {_share(worst.share_of_b)})."
            )
    large = [fate for fate in judged.fates if fate.items >= 5] or judged.fates
    if len(large) > 1:
        best, worst_fate = max(large, key=lambda fate: fate.f), min(large, key=lambda fate: fate.f)
        if best.f > worst_fate.f:
            said.append(
                f"Found best is {quoted(judged.classes[best.number])} (F {best.f:.2f}), "
                f"worst {quoted(judged.classes[worst_fate.number])} (F {worst_fate.f:.2f})."
            )
    return said


def _left_out(judged: Judgement) -> list[str]:
    parts = [
        f"{number:,} {what}"
        for number, what in (
            (judged.unclassed, "without a class"),
            (judged.only_found, "that the truth does not know"),
            (judged.only_gold, "of the truth that have no row among the labels"),
        )
        if number
    ]
    return [f"Not judged: {' and '.join(parts)}."] if parts else []


def quoted(name: str, most: int = 60) -> str:
    """A name from anywhere, as one of a reasonable length."""
    plain = " ".join(name.split())
    return f"“{plain if len(plain) <= most else plain[: most - 1] + '…'}”"


def count(value: int, noun: str) -> str:
    """1 document, 2 documents"""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{value:,} {noun if value == 1 else plural}"


def _share(share: float) -> str:
    if 0 < share < 0.01 or 0.99 < share < 1:
        return f"{min(share, 0.999):.1%}"
    return f"{share:.0%}"
