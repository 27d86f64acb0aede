from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Chromium, program

from consilience.reports import page
from consilience.reports.summary import Record


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    if program() is None:
        pytest.skip("needs a Chromium to open pages in; none is installed")
    with Chromium() as running:
        yield running


@pytest.fixture
def opened(browser: Chromium, tmp_path: Path) -> Callable[..., Chromium]:
    """`opened(record, dark=True)` is the browser with the record's page."""

    def open_page(record: Record, **how: object) -> Chromium:
        file = tmp_path / "report.html"
        file.write_text(page(record), encoding="utf-8")
        browser.open(file, **how)  # type: ignore[arg-type]
        return browser

    return open_page
