import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def written():
    """The module that writes the pages; it needs no Sphinx."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return importlib.import_module("catalogue_pages")
    finally:
        sys.path.remove(str(ROOT / "docs"))


@pytest.fixture(scope="session")
def pages(written):
    return written.pages()
