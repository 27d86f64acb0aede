"""What every method holds to: clusters are counted, numbered and predicted in one way."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.errors import SettingError


class Prediction(NamedTuple):
    """For each item its cluster and the next best one; -1 is none."""

    labels: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]


def check_count(name: str, value: Any) -> int:
    """The value itself if it is a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise SettingError(f"{name} must be a whole number from 1 on, it is {value!r}")
    return int(value)


def check_seed(value: Any) -> int:
    """The value itself if it is a whole number from 0 on: what a recipe can keep."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise SettingError(f"random_state must be a whole number from 0 on, it is {value!r}")
    return int(value)


def by_size(labels: npt.NDArray[np.int32], k: int) -> npt.NDArray[np.intp]:
    """The clusters in use among 0..k-1 by falling size; of equal ones, that of the earlier item first."""
    assigned = np.flatnonzero(labels >= 0)
    sizes = np.bincount(labels[assigned], minlength=k)
    first = np.full(k, len(labels))
    first[labels[assigned[::-1]]] = assigned[::-1]
    order: npt.NDArray[np.intp] = np.lexsort((first, -sizes))
    return order[: int((sizes > 0).sum())]
