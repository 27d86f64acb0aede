"""Every error the product raises on purpose, as one tree.

    ConsilienceError
    ├── InputError          what was read is not what was expected (also a ValueError)
    │   ├── BrokenLines     lines that cannot be parsed or decoded; names file and first line
    │   ├── MissingColumn   a column that was named or is needed is not there
    │   └── DuplicateIds    two items carry the same id
    ├── SettingError        an option or parameter makes no sense here (also a ValueError)
    │   └── UnknownName     a name that the catalogue does not have
    └── RunError            a run folder is missing, damaged, in the way, or of another version

Each message says what came, what was expected and what to do. The command line prints it in one
line and exits with 2; anything outside this tree is a defect and exits with 1.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ConsilienceError(Exception):
    """The root of the tree: catch this to catch everything raised on purpose."""


class InputError(ConsilienceError, ValueError):
    """What was read is not what was expected."""


class BrokenLines(InputError):
    """Lines that cannot be parsed or decoded."""


class MissingColumn(InputError):
    """A column that was named or is needed is not there."""


class DuplicateIds(InputError):
    """Two items carry the same id."""


class SettingError(ConsilienceError, ValueError):
    """An option or parameter makes no sense here."""


class UnknownName(SettingError):
    """A name that the catalogue does not have."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = list(known)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"no {kind} is called {name!r}; there are: {', '.join(known)}{hint}")


class RunError(ConsilienceError):
    """A run folder is missing, damaged, in the way, or of another version."""
