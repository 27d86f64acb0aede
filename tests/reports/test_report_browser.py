"""The page in a browser: quiet, alone, and working."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chromium import Chromium
from report_records import HOSTILE, LABELS, hostile, record_of

Opened = Callable[..., Chromium]
SIZES: list[dict[str, Any]] = [{"width": 1400}, {"width": 390, "height": 844, "phone": True}]


def quiet(browser: Chromium) -> None:
    assert browser.complaints == []
    assert [url for url in browser.requests if not url.startswith("file:")] == []
    assert len(browser.requests) == 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
@pytest.mark.parametrize(("documents", "k"), [(0, 0), (1, 1), (60, 0), (60, 2), (400, 77), (600, 200)])
def test_pages_open_without_a_word_and_fit_the_screen(
    opened: Opened, documents: int, k: int, size: dict[str, Any], dark: bool
) -> None:
    browser = opened(record_of(documents, k, **({} if documents else {"points": None})), dark=dark, **size)
    quiet(browser)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["desktop", "phone"])
def test_hostile_documents_are_shown_as_text(opened: Opened, size: dict[str, Any]) -> None:
    record = hostile()
    browser = opened(record, **size)
    title = record["title"].replace("\ud800", "\ufffd") + " · Consilience"
    assert browser.run("document.title") == " ".join(title.split())
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('img, iframe, object, embed, base').length") == 0
    assert browser.run("document.querySelector('#cluster-0 .label').textContent") == LABELS[0]
    shown = browser.run(
        "[...document.querySelectorAll('#cluster-0 .documents p:not(.senses)')].map(p => p.textContent)"
    )
    assert shown[:3] == HOSTILE[:3]
    assert shown[4] == HOSTILE[4].replace("\x00", "\ufffd").replace("\x07", "\ufffd")
    browser.run("document.querySelector('#cluster-0 .name button').click()")
    browser.run("document.querySelector('#cluster-0 .acts button').click()")
    listed = browser.run("[...document.querySelectorAll('#cluster-0 .listing p')].map(p => p.textContent)")
    assert listed[0] == HOSTILE[0]
    browser.type("#query", "<img")
    assert "stands in" in browser.run("document.getElementById('status').textContent")
    assert browser.run("document.title") == " ".join(title.split())
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    quiet(browser)


def test_a_script_that_got_in_would_not_run(opened: Opened) -> None:
    browser = opened(record_of())
    browser.run(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
        "const d = document.createElement('div'); d.innerHTML = '<img src=\"data:,\" onerror=\"window.ran = 1\">';"
        "document.body.append(d); })()"
    )
    browser.settle()
    assert browser.run("window.ran === undefined")
    assert any("Content Security Policy" in said for said in browser.complaints)


def test_a_row_opens_its_documents_and_shows_on_the_map(opened: Opened) -> None:
    browser = opened(record_of(90, 2))
    assert browser.run("[...document.querySelectorAll('.detail')].every(row => row.hidden)")
    browser.run("document.querySelector('#cluster-1 .name button').focus()")
    browser.key("Enter")
    assert browser.run("!document.querySelector('#cluster-1 .detail').hidden")
    assert browser.run("document.querySelector('#cluster-1').classList.contains('chosen')")
    assert "word1, term1" in browser.run("document.getElementById('status').textContent")
    browser.run("document.querySelector('#cluster-1 .acts button').click()")
    assert browser.run("document.querySelectorAll('#cluster-1 .listing li').length") == 20
    browser.run("document.querySelector('#cluster-1 .pager button:last-of-type').click()")
    browser.run("document.querySelector('#cluster-1 .pager button:last-of-type').click()")
    assert browser.run("document.querySelectorAll('#cluster-1 .listing li').length") == 5
    assert browser.run("document.querySelector('#cluster-1 .pager button:last-of-type').disabled")
    quiet(browser)


@pytest.mark.parametrize("phone", [False, True])
def test_a_dot_says_which_document_it_is_and_chooses_its_cluster(opened: Opened, phone: bool) -> None:
    record = record_of(3, 3)
    assert record["points"] is not None
    record["points"]["x"], record["points"]["y"] = [0, 5000, 9999], [0, 5000, 9999]
    browser = opened(record, **SIZES[phone])
    browser.run("document.getElementById('map').scrollIntoView({block: 'center', behavior: 'instant'})")
    left, top, width, height = browser.run(
        "(b => [b.left, b.top, b.width, b.height])(document.getElementById('canvas').getBoundingClientRect())"
    )
    middle = (left + width / 2, top + height / 2)
    if phone:
        browser.touch("touchStart", middle)
        browser.touch("touchEnd")
        browser.settle()
    else:
        browser.mouse("mouseMoved", *middle)
        assert "the text of number 1" in browser.run("document.getElementById('tip').textContent")
        browser.click(*middle)
    assert "the text of number 1" in browser.run("document.getElementById('tip').textContent")
    assert browser.run("document.querySelector('#cluster-1').classList.contains('chosen')")
    browser.run("document.querySelector('#status button').click()")
    assert browser.run("!document.querySelector('#cluster-1 .detail').hidden")
    quiet(browser)


def test_the_wheel_scrolls_the_page_until_the_map_is_chosen(opened: Opened) -> None:
    browser = opened(record_of(60, 3))
    browser.run("document.getElementById('map').scrollIntoView({block: 'center', behavior: 'instant'})")
    x, y = browser.run("(b => [b.left + 5, b.top + 5])(document.getElementById('canvas').getBoundingClientRect())")
    near = "document.getElementById('canvas').classList.contains('near')"
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    browser.settle()
    assert not browser.run(near)
    browser.run("document.getElementById('canvas').focus({preventScroll: true})")
    browser.key("+")
    assert browser.run(near)
    browser.key("0")
    assert not browser.run(near)


def test_search_counts_and_lists_documents(opened: Opened) -> None:
    browser = opened(record_of(60, 3))
    browser.type("#query", "NUMBER 1")
    assert "11 documents" in browser.run("document.getElementById('status').textContent")
    browser.run("document.querySelector('#status button').click()")
    assert browser.run("document.querySelectorAll('#found li').length") == 11
    browser.run("[...document.querySelectorAll('#status button')].at(-1).click()")
    assert browser.run("document.getElementById('query').value") == ""
    assert browser.run("document.getElementById('status').textContent") == ""
    quiet(browser)


def test_the_table_sorts_filters_and_shows_the_rest_on_request(opened: Opened) -> None:
    browser = opened(record_of(600, 200))
    visible = (
        "[...document.querySelectorAll('#table tbody')].filter(body => !body.hidden).map(body => +body.dataset.id)"
    )
    assert browser.run(visible) == list(range(50))
    browser.run("document.querySelector('th[data-key=id] button').click()")
    browser.run("document.querySelector('th[data-key=id] button').click()")
    assert browser.run(visible) == list(range(199, 149, -1))
    assert browser.run("document.querySelector('th[data-key=id]').getAttribute('aria-sort')") == "descending"
    browser.run("document.querySelector('#more button').click()")
    assert len(browser.run(visible)) == 200
    browser.type("#filter", "other17")
    assert browser.run(visible) == [*range(179, 169, -1), 17]
    browser.type("#filter", "nowhere")
    assert browser.run(visible) == []
    assert "No cluster" in browser.run("document.getElementById('more').textContent")
    quiet(browser)


def test_the_theme_follows_the_reader_and_the_button(opened: Opened) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    browser = opened(record_of())
    light = browser.run(ground)
    browser.run("document.getElementById('theme').click()")
    dark = browser.run(ground)
    assert dark != light
    browser = opened(record_of(), dark=True)
    assert browser.run(ground) == dark
    browser.run("document.getElementById('theme').click()")
    assert browser.run(ground) == light
    browser.run("document.getElementById('theme').click(); window.dispatchEvent(new Event('beforeprint'))")
    assert browser.run(ground) == light  # paper is white
    quiet(browser)
