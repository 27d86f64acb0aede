"""Does a cluster come again? The clustering is made anew on parts of the items, and each cluster looked for in it.

    J_r = mean over samples of max_q |C_r ∩ D_q| / |C_r ∪ D_q|        (Jaccard; Hennig 2007)

C_r is the cluster, cut to the sample, D_q a cluster that was found there. Samples are drawn without replacement:
a document that is there twice would be its own neighbour, and bring clusters together that nothing else does. A large
cluster overlaps with something whatever happens, so each J_r stands beside what the same sample's labels give when
they are shuffled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from consilience.errors import InputError, SettingError
from consilience.measures.contingency import contingency
from consilience.nouns import Floats, Integers

_AGAIN = 0.75  # a Jaccard from which a cluster has come again (Hennig's "valid, stable")
_LEAST = 2  # items of a cluster in a sample, or nothing can be said of it there


class Stability(NamedTuple):
    """Per cluster: mean Jaccard, the share of samples in which it came again, and the Jaccard of shuffled labels.

    NaN for a cluster of which no sample held two items. `samples` were drawn, each of `share` of the items.
    """

    jaccard: Floats
    again: Floats
    by_chance: Floats
    samples: int
    share: float

    @property
    def value(self) -> float:
        """The mean over clusters."""
        known = self.jaccard[~np.isnan(self.jaccard)]
        return float(known.mean()) if len(known) else float("nan")

    @property
    def stable(self) -> int:
        """How many clusters came again in at least half of the samples."""
        return int((self.again >= 0.5).sum())


def stability(
    labels: Integers,
    cluster: Callable[[Integers, int], Integers],
    *,
    samples: int = 20,
    share: float = 0.8,
    random_state: int = 0,
    stage: Callable[[str], None] = lambda _: None,
) -> Stability:
    """`cluster(rows, seed)` labels some of the items anew, as the whole was labelled; -1 is not assigned."""
    if samples < 1 or not 0 < share < 1:
        raise SettingError(f"stability needs samples from 1 on and a share between 0 and 1, not {samples} and {share}")
    count = round(share * len(labels))
    if count < 2:
        raise InputError(f"of {len(labels)} items no sample can be clustered; stability needs three or more")
    k = int(labels.max(initial=-1)) + 1
    overlaps = np.full((samples, k), np.nan)
    dealt = overlaps.copy()
    for number, seed in enumerate(np.random.SeedSequence(random_state).spawn(samples)):
        chance = np.random.default_rng(seed)
        stage(f"clustering sample {number + 1} of {samples}")
        rows = np.sort(chance.choice(len(labels), count, replace=False))
        found = np.asarray(cluster(rows, int(chance.integers(2**31))), np.int64)
        overlaps[number] = _overlaps(labels[rows], found, k)
        dealt[number] = _overlaps(labels[rows], chance.permutation(found), k)
    known = ~np.isnan(overlaps)
    times = np.maximum(known.sum(axis=0), 1)
    never = np.where(known.any(axis=0), 0.0, np.nan)
    return Stability(
        jaccard=np.nansum(overlaps, axis=0) / times + never,
        again=(np.nan_to_num(overlaps) >= _AGAIN).sum(axis=0) / times + never,
        by_chance=np.nansum(dealt, axis=0) / times + never,
        samples=samples,
        share=share,
    )


def _overlaps(ours: Integers, found: Integers, k: int) -> Floats:
    """The best Jaccard of each of our clusters; items that either side does not assign are in none of its clusters."""
    best = np.full(k, np.nan)
    sizes, widths = np.bincount(ours[ours >= 0], minlength=k), np.bincount(found[found >= 0])
    best[sizes >= _LEAST] = 0.0
    some = (ours >= 0) & (found >= 0)
    table = contingency(ours[some].astype(np.int64), found[some])
    jaccard = table.n / (sizes[table.row] + widths[table.column] - table.n)
    there = sizes[table.row] >= _LEAST
    np.maximum.at(best, table.row[there], jaccard[there])
    return best
