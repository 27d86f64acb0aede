"""Which members stand behind a clustering: for each item how many agree with its cluster, for each cluster which views.

The clusters of a member and of the clustering are matched one to one so that they share the most items (Kuhn 1955). A
member agrees on an item if it puts the item into the cluster that is matched with the item's own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.measures.contingency import contingency
from consilience.measures.mappings import optimal
from consilience.verdicts.members import Labels, Members

_BLOCK = 1 << 22  # votes counted at a time: a table of items x clusters would not be linear in the items


class Support(NamedTuple):
    """`agreement`: the share of members that agree, per item (NaN: it has no cluster). `second`: the other cluster that
    most members vote for (-1: none do). `by_view`: for each view and cluster the mean share of the view's members."""

    agreement: npt.NDArray[np.float32]
    second: Labels
    by_view: dict[str, list[float]]


def support(members: Members, labels: Labels) -> Support:
    """How far the members stand behind the clusters `labels`; an item that a member leaves out has no vote there."""
    k, T = int(labels.max(initial=-1)) + 1, members.labels.shape[1]
    votes = np.stack([_votes(labels, members.labels[:, t]) for t in range(T)], axis=1)
    agree = votes == labels[:, None]
    some = labels >= 0
    agreement = np.full(len(labels), np.nan, np.float32)
    agreement[some] = agree[some].mean(axis=1)
    by_view = {}
    for view in dict.fromkeys(members.views):
        own = [t for t, name in enumerate(members.views) if name == view]
        share = agree[:, own].mean(axis=1)
        by_view[view] = (np.bincount(labels[some], share[some], k) / np.bincount(labels[some], minlength=k)).tolist()
    second = np.full(len(labels), -1, np.int32)
    rows = max(1, _BLOCK // max(k, 1))
    for low in range(0, len(labels), rows):
        block = slice(low, low + rows)
        second[block] = _most_votes(np.where(agree[block], -1, votes[block]), k)
    second[~some] = -1
    return Support(agreement, second, by_view)


def _votes(labels: Labels, member: Labels) -> Labels:
    """The member's labels in the numbers of the clustering's; -1 where its cluster is matched with none."""
    both = (labels >= 0) & (member >= 0)
    if not both.any():
        return np.full(len(labels), -1, np.int32)
    matched = np.full(int(member.max()) + 2, -1, np.int32)  # the last is for -1
    h = optimal(contingency(labels[both], member[both]))
    matched[: len(h)] = h
    return matched[member]


def _most_votes(votes: Labels, k: int) -> Labels:
    """The cluster with the most votes in each row, the larger one of equals; -1 where there are none."""
    if not k:
        return np.full(len(votes), -1, np.int32)
    cast = votes >= 0
    cells = (np.arange(len(votes))[:, None] * k + votes)[cast]
    counts = np.bincount(cells, minlength=len(votes) * k).reshape(len(votes), k)
    return np.where(cast.any(axis=1), counts.argmax(axis=1), -1).astype(np.int32)
