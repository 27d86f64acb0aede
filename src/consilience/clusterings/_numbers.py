"""Settings that are numbers, not counts, and where chance comes from."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from consilience.errors import SettingError


def check_above(name: str, value: Any, limit: float, hint: str = "") -> float:
    """The value as a float if it is a finite number above the limit."""
    if isinstance(value, bool) or not isinstance(value, Real) or not limit < float(value) < np.inf:
        raise SettingError(f"{name} must be a number above {limit:g}, it is {value!r}{hint}")
    return float(value)


def check_tolerance(name: str, value: Any) -> float:
    """The value as a float if it is a number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise SettingError(f"{name} must be a number from 0 on, it is {value!r}")
    return float(value)


def generator_of(random_state: Any) -> np.random.Generator:
    """The one generator; None, a seed, a Generator and the older RandomState will do."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    return np.random.default_rng(random_state)
