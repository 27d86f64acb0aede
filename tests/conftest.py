"""Where the corpora are, and what every test may use."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

_EXAMPLES = 20 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 100  # kernels at Python's own speed take their time
settings.register_profile(  # the first example pays for compiling
    "steady", deadline=None, derandomize=True, max_examples=_EXAMPLES
)
settings.load_profile("steady")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Corpora and browsers are slow; corpora need compiled kernels too: at Python's own speed they would take minutes."""
    for item in items:
        uses = {"data", "browser"}.intersection(getattr(item, "fixturenames", ()))
        if uses:
            item.add_marker("slow")
        if "data" in uses:
            item.add_marker("compiled")


@pytest.fixture(scope="session")
def data() -> Callable[[str], Path]:
    """`data("classic3.jsonl.gz")` is the path of a corpus; the test is skipped where there is none."""

    def find(name: str) -> Path:
        folder = os.environ.get("CONSILIENCE_DATA")
        path = Path(folder or ".") / name
        if folder is None or not path.exists():
            pytest.skip(f"needs {name}, which is not in CONSILIENCE_DATA")
        return path

    return find
