from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from chromium import Chromium
from report_records import HOSTILE, LABELS

from consilience.comparisons import compare
from consilience.corpus import labelling
from consilience.reports.comparison import about_mantel, headline, in_words, record
from consilience.reports.comparison_page import comparison_page
from consilience.reports.matching import heat_map
from consilience.runs.comparing import Compared

STORABLE = [text for text in HOSTILE if "\ud800" not in text]  # a column of strings cannot hold half a pair


def compared(a, b, texts: list[str] | None = None, names: list[str] | None = None) -> Compared:
    ids = pl.Series("id", [f"d{i}" if texts is None else f"{texts[i % len(texts)]}{i}" for i in range(len(a))])
    sides = [labelling(ids, pl.Series("label", [str(x) for x in labels])) for labels in (a, b)]
    found = compare(*sides, permutations=9)
    said = None if texts is None else pl.Series("text", [texts[i % len(texts)] for i in range(len(a))])
    named = [
        [name if names is None else f"{name} {names[int(name) % len(names)]}" for name in side.classes.to_list()]
        for side in (found.a, found.b)
    ]
    return Compared(found, 3, 0, (named[0], named[1]), said, None if texts else "there are none", None)


def opened(browser: Chromium, tmp_path: Path, given: Compared, **how) -> Chromium:
    file = tmp_path / "compare.html"
    file.write_text(comparison_page(given, record(given, ("a.csv", "<b>.csv"))), encoding="utf-8")
    browser.open(file, **how)
    return browser


def some(documents: int, k: int, other: int, seed: int = 0):
    chance = np.random.default_rng(seed)
    a = chance.integers(0, k, documents)
    return a, np.where(chance.random(documents) < 0.7, a % other, chance.integers(0, other, documents))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize(("documents", "k", "other"), [(1, 1, 1), (60, 3, 2), (3000, 71, 71), (2000, 300, 4)])
def test_pages_open_without_a_word_and_fit_the_screen(browser, tmp_path, documents, k, other, width, dark):
    given = compared(*some(documents, k, other))
    opened(browser, tmp_path, given, width=width, height=900, dark=dark, phone=width < 800)
    assert browser.complaints == []
    assert len(browser.requests) == 1
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.run("document.querySelector('h1').textContent") == headline(record(given, ("a", "b")))


def test_seventy_one_classes_have_names_that_do_not_touch(browser, tmp_path):
    opened(browser, tmp_path, compared(*some(3000, 71, 71)), width=1400, height=900)
    boxes = browser.run(
        "[...document.querySelectorAll('svg [class^=\"end r\"]')].map(t => t.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) == 71
    tops = sorted(box["top"] for box in boxes)
    assert min(np.diff(tops)) >= 10
    assert all(box["left"] >= 0 for box in boxes)
    assert browser.run("getComputedStyle(document.querySelector('.small text')).fontSize") == "10px"


def test_hostile_documents_and_classes_are_shown_as_text(browser, tmp_path):
    given = compared(*some(120, 6, 6), texts=STORABLE, names=[label.strip("\x00") for label in LABELS])
    opened(browser, tmp_path, given, width=390, height=844, phone=True)
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('img, iframe, object, embed, base').length") == 0
    browser.run("document.querySelectorAll('[data-flow] button').forEach(b => b.click())")
    listed = browser.run("[...document.querySelectorAll('.listing p')].map(p => p.textContent)")
    assert {STORABLE[0], STORABLE[1]} & set(listed)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.run("typeof window.ran") == "undefined"
    assert browser.complaints == []
    assert len(browser.requests) == 1


def test_the_documents_of_a_move_and_the_cell_under_the_pointer(browser, tmp_path):
    given = compared(*some(200, 3, 3), texts=["a cat purrs"])
    opened(browser, tmp_path, given, width=1200, height=900)
    first = given.comparison.flows[0]
    assert browser.run("document.querySelector('.show').textContent") == str(first.items)
    browser.run("document.querySelector('[data-flow] button').click()")
    assert browser.run("document.querySelectorAll('.listing li').length") == min(first.items, 20)
    box = browser.run("document.querySelector('.cell').getBoundingClientRect().toJSON()")
    browser.mouse("mouseMoved", box["x"] + 5, box["y"] + 5)
    browser.settle()
    assert re.search(r"documents?, \d+% of the first", browser.run("document.getElementById('readout').textContent"))
    assert browser.run("document.querySelectorAll('svg text.on').length") == 2


def test_the_page_is_the_same_again_and_loads_nothing():
    given = compared(*some(300, 5, 4), texts=STORABLE)
    told = record(given, ("a.csv", "b.csv"))
    page = comparison_page(given, told)
    assert page == comparison_page(given, told)
    assert "http" not in page.replace("http-equiv", "")
    assert "default-src &#39;none&#39;" in page
    for text in (STORABLE[0], STORABLE[1]):
        assert text not in page


def test_agreement_stands_on_the_diagonal():
    a = np.repeat(np.arange(4), [40, 30, 20, 10])
    drawn = heat_map(compared(a, (a + 1) % 4).comparison, (list("abcd"), list("wxyz"))).content
    assert re.findall(r'data-r="(\d)" data-k="(\d)"', drawn) == [(str(i), str(i)) for i in range(4)]


def test_more_classes_than_can_be_drawn_share_a_line():
    given = compared(*some(3000, 200, 150))
    drawn = heat_map(given.comparison, given.names).content
    assert "121 others" in drawn
    assert "71 others" in drawn
    assert max(map(int, re.findall(r'data-r="(\d+)"', drawn))) == 79


def test_words_for_numbers():
    assert [in_words(k) for k in (1, 0.95, 0.8, 0.5, 0.2, 0, -0.5)] == [
        "the same clustering",
        "almost the same",
        "much alike",
        "partly alike",
        "a little alike",
        "no more alike than by chance",
        "less alike than by chance",
    ]
    same = record(compared([0, 0, 1], [1, 1, 0]), ("a", "b"))
    assert headline(same) == "The same clustering of 3 documents."
    finer = record(compared([0, 0, 0, 0], [1, 1, 2, 2]), ("a", "b"))
    assert headline(finer) == "They agree on 50% of 4 documents."
    assert finer["mantel"]["r"] is None
    assert about_mantel(finer).startswith("Mantel's r does not exist here")
