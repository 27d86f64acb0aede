"""Fitted estimators as safetensors and JSON: arrays and plain values, nothing that executes when it is loaded.

An estimator is its settings (`get_params`) and its fitted attributes, those whose names end with an underscore:
arrays, numbers, strings, and estimators in their turn. Which classes exist is for the catalogue to say.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save
from scipy import sparse

from consilience import catalogue
from consilience.errors import RunError, UnknownName

_FAMILIES = ("vectors", "clusterings")
_OF_FEATURES = {"cluster_centers_", "means_", "variances_", "log_probabilities_"}
_OF_ITEMS = ("labels_", "second_", "memberships_", "probabilities_")  # they stand in the run folder as tables


class Apart(NamedTuple):
    """Estimators as JSON values, and their arrays by path."""

    described: dict[str, Any]
    arrays: dict[str, np.ndarray[Any, Any]]


def save_model(folder: Path, parts: dict[str, Any]) -> None:
    """Writes the named estimators into `folder`; a part may be None."""
    described, arrays = taken_apart(parts)
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps(described, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(save(arrays))


def taken_apart(parts: dict[str, Any]) -> Apart:
    """The named estimators as JSON values and arrays: what is saved of them, and all that `predict` needs."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    return Apart({name: _describe(part, name, arrays) for name, part in parts.items()}, arrays)


def load_model(folder: Path) -> dict[str, Any]:
    """The estimators that `save_model` wrote."""
    try:
        described = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        arrays = load_file(folder / "model.safetensors")
        for name, array in arrays.items():
            if array.dtype.kind == "f" and np.isnan(array).any():
                raise ValueError(f"{name} holds numbers that are none (NaN)")
        return {name: _build(described[name], name, arrays) for name in ("view", "method")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError, UnknownName) as problem:
        raise RunError(f"{folder} is damaged or of another version: {problem}; make the run again") from problem


def try_out(folder: Path, view: Any, method: Any) -> None:
    """Sends a document that holds every term through the model: do its parts fit together?"""
    try:
        row = view.transform(sparse.csr_array(np.ones((1, view.n_features_in_), np.float32)))
        width = row.shape[1]
        reduction = getattr(method, "components_", np.empty((0, 0)))
        if reduction.size:
            if reduction.shape[0] != width:
                raise ValueError(f"components_ is {reduction.shape}, the view has {width} features")
            width = reduction.shape[1]
        for name in _OF_FEATURES & vars(method).keys():
            # compiled loops trust this shape; beyond it they would read whatever stands in memory
            if getattr(method, name).ndim != 2 or getattr(method, name).shape[1] != width:
                raise ValueError(f"{name} is {getattr(method, name).shape}, there are {width} features")
        method.predict(row)
    except Exception as problem:  # whatever an estimator does with parts that are not its own
        reason = " ".join(str(problem).split())
        raise RunError(f"{folder} does not fit together: {reason}; make the run again") from problem


def _describe(part: Any, path: str, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    if part is None:
        return None
    _, family, name = type(part).__module__.split(".")
    values = {}
    for title, value in sorted(vars(part).items()):
        if not _fitted(title) or title in _OF_ITEMS:
            continue
        if isinstance(value, np.ndarray):
            arrays[f"{path}.{title}"] = np.ascontiguousarray(value)
        elif hasattr(value, "get_params"):
            values[title] = _describe(value, f"{path}.{title}", arrays)
        else:
            values[title] = value.item() if isinstance(value, np.generic) else value
    settings = {
        name: value for name, value in part.get_params(deep=False).items() if name != "n_jobs"
    }  # no result's business
    return {"family": family, "name": name.replace("_", "-"), "settings": settings, "fitted": values}


def _build(described: Any, path: str, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    if described is None:
        return None
    if described["family"] not in _FAMILIES:
        raise ValueError(f"no family is called {described['family']!r}")
    part = catalogue.get(described["family"], described["name"])(**described["settings"])
    for title, value in described["fitted"].items():
        if not _fitted(title):
            raise ValueError(f"{title!r} is not a fitted attribute")
        setattr(part, title, _build(value, f"{path}.{title}", arrays) if isinstance(value, dict) else value)
    for key, array in arrays.items():
        owner, _, title = key.rpartition(".")
        if owner == path and _fitted(title):
            setattr(part, title, array)
    return part


def _fitted(title: str) -> bool:
    return title.isidentifier() and title.endswith("_") and not title.startswith("_")
