"""Classes that are paths: rec/sport/hockey, comp.os.ms-windows, Science > Physics.

A separator is taken unasked only where nearly all classes are cut by it into parts that mean something: no part is
empty, few parts hold a space next to it or nothing but digits (1.5, and/or stay whole), and some classes share their
first part without sharing all. A name with a point in it is no path because of that alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from consilience.errors import SettingError

SEPARATORS = (" > ", ">", "::", "/", "\\", "|", ".")
_MOST = 0.9  # of the classes are cut, or there is no separator


def separator_of(classes: Sequence[str], wanted: str = "auto") -> str | None:
    """The separator of the classes' paths; None where they are no paths. `wanted` is one, "auto" or "none"."""
    if wanted == "none":
        return None
    if wanted != "auto":
        if not any(wanted in name for name in classes):
            raise SettingError(f"no class holds the separator {wanted!r}; classes are like {_first(classes)!r}")
        return wanted
    return next((separator for separator in SEPARATORS if _cuts(separator, classes)), None)


def depth_of(classes: Sequence[str], separator: str) -> int:
    """How many parts the longest path has."""
    return max((len(name.split(separator)) for name in classes), default=0)


def at_depth(classes: Sequence[str], separator: str, depth: int) -> list[str]:
    """The first `depth` parts of every path; a shorter one stays as it is."""
    return [separator.join(name.split(separator)[:depth]) for name in classes]


def _cuts(separator: str, classes: Sequence[str]) -> bool:
    paths = [name.split(separator) for name in classes]
    cut = [path for path in paths if len(path) > 1]
    if len(cut) < 2 or len(cut) < _MOST * len(classes):
        return False
    for path in cut:
        if any(not part.strip() or re.fullmatch(r"[\d\s]*", part) for part in path):
            return False
        if separator != " > " and any(part != part.strip() for part in path):
            return False
    tops = Counter(path[0] for path in paths)
    return 1 < len(tops) < len(classes)


def _first(classes: Sequence[str]) -> str:
    return classes[0] if classes else ""
