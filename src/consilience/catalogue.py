"""A folder's members by name: the folder *is* the list.

A family is a sub-package (`clusterings`, `vectors`, `studies`); a member is a module in it without a leading
underscore. `spherical_kmeans.py` is the member `spherical-kmeans`. Its one-line description is the first line of
the module's docstring, read without importing it, so that listing a family costs no time.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from consilience.errors import UnknownName

_KIND = {"clusterings": "method", "vectors": "view", "studies": "study"}


def names(family: str) -> tuple[str, ...]:
    """The members of a family, sorted."""
    folder = Path(__file__).with_name(family)
    return tuple(sorted(file.stem.replace("_", "-") for file in folder.glob("*.py") if not file.stem.startswith("_")))


def check(family: str, name: str) -> str:
    """The name itself if the family has it; else `UnknownName` with the nearest one."""
    if name not in names(family):
        raise UnknownName(_KIND.get(family, family), name, names(family))
    return name


def summary(family: str, name: str) -> str:
    """The first line of a member's docstring."""
    file = Path(__file__).with_name(family) / f"{check(family, name).replace('-', '_')}.py"
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n")[0]


def load(family: str, name: str) -> ModuleType:
    """The module of a member."""
    return importlib.import_module(f"consilience.{family}.{check(family, name).replace('-', '_')}")


def get(family: str, name: str) -> type[Any]:
    """The estimator of a member: the one public class with a `fit` that its module defines."""
    module = load(family, name)
    found = [
        thing
        for title, thing in vars(module).items()
        if inspect.isclass(thing)
        and thing.__module__ == module.__name__
        and hasattr(thing, "fit")
        and not title.startswith("_")
    ]
    if len(found) != 1:
        raise AssertionError(f"{module.__name__} must define exactly one public estimator, it has {len(found)}")
    return found[0]
