"""How well a clustering agrees with gold classes. All measures of two partitions read one contingency table.

contingency.py   the table            information.py   entropies
matching.py      sets                 pairs.py         pairs of items
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from consilience.measures.contingency import contingency
from consilience.measures.information import v_measure
from consilience.measures.matching import purity
from consilience.measures.pairs import adjusted_rand
from consilience.nouns import Integers

_MEASURES = {"purity": purity, "v": v_measure, "adjusted_rand": adjusted_rand}


class Score(NamedTuple):
    """A measure on all items, each unassigned one alone in a cluster, and on the assigned items only."""

    value: float
    on_assigned: float


def scores(classes: Integers, clusters: Integers) -> dict[str, Score]:
    """Every measure, twice. `clusters` of -1 are not assigned."""
    assigned = clusters >= 0
    alone = clusters.astype(np.int64)
    alone[~assigned] = clusters.max(initial=-1) + 1 + np.arange(np.count_nonzero(~assigned))
    everything, part = contingency(classes, alone), contingency(classes[assigned], clusters[assigned])
    return {name: Score(measure(everything), measure(part)) for name, measure in _MEASURES.items()}
