"""judge.html: what it says, that nothing in it runs, and how it stands on a screen and a phone."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from chromium import Chromium

from consilience.corpus import read
from consilience.reports.judgement import record
from consilience.reports.judgement_page import judgement_page
from consilience.runs.judging import judge_labels

HOSTILE = "<script>document.title='ran'</script><img src=x onerror=alert(1)>"


@pytest.fixture
def told(tmp_path: Path) -> dict[str, Any]:
    """A judgement of labels, classes and texts that want to be code."""
    rows = [
        (f"{HOSTILE}{i}", f"{HOSTILE}k{i % 4}" if i % 5 else "-1", f"top{i % 3}/{HOSTILE.replace('/', '')}{i % 6}")
        for i in range(60)
    ]
    table = pl.DataFrame(rows, schema=["id", "cluster", "label"], orient="row")
    table.write_csv(tmp_path / "l.csv")
    words = ("purr meow cat", "sail sea ship", "vote law state", "ball team goal")
    table.select("id", pl.Series("text", [f"{HOSTILE} {words[i % 4]} {words[i % 3]}" for i in range(60)])).write_csv(
        tmp_path / "t.csv"
    )
    corpus = read(tmp_path / "t.csv")
    judged = judge_labels(str(tmp_path / "l.csv"), truth="label", corpus=corpus, language="unknown")
    return record(judged, str(tmp_path / "l.csv"))


def test_the_verdict_comes_first_and_everything_is_there(told: dict[str, Any]) -> None:
    page = judgement_page(told)
    for heading in ("Against the truth", "At each depth", "Which class went where", "Most mixed up", "Class by class"):
        assert heading in page
    assert page.index(told["verdict"][0]) < page.index("Against the truth")
    assert page.count('<tr><th scope="row"') == len(told["measures"]) + len(told["depths"]) + 1 + 6 + len(
        told["internal"]
    )
    assert str(Path(told["labels"]).parent) == "."  # no folders of this machine


def test_texts_may_be_left_out(told: dict[str, Any]) -> None:
    assert any(example["text"] for pair in told["mixed"] for example in pair["examples"])
    for pair in told["mixed"]:
        for example in pair["examples"]:
            example["text"] = None
    assert "purr" not in judgement_page(told)


@pytest.mark.parametrize("how", [{}, {"dark": True}, {"phone": True, "width": 390, "height": 844}])
def test_in_a_browser(told: dict[str, Any], browser: Chromium, tmp_path: Path, how: dict[str, Any]) -> None:
    file = tmp_path / "judge.html"
    file.write_text(judgement_page(told), encoding="utf-8")
    browser.open(file, **how)
    assert browser.complaints == []
    assert browser.requests == [file.resolve().as_uri()]
    assert browser.run("document.title") == "l.csv · Consilience"
    assert browser.run("document.images.length") == 0
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.run("document.querySelector('h1').textContent").endswith(".")


def test_which_of_two_is_better(told: dict[str, Any], tmp_path: Path) -> None:
    assert "Which of the two is better?" not in judgement_page(told)
    pl.DataFrame(
        {"id": range(40), "cluster": [i // 10 for i in range(40)], "gold": [i // 10 for i in range(40)]}
    ).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"id": range(40), "cluster": [i % 4 for i in range(40)]}).write_csv(tmp_path / "b.csv")
    judged = judge_labels(str(tmp_path / "a.csv"), truth="gold", other=str(tmp_path / "b.csv"))
    page = judgement_page(record(judged, "a.csv"))
    shown = page[page.index('id="against"') :]
    assert '<th scope="row">Adjusted Rand index</th><td class="number">1.0' in shown
    assert "on 40 documents that both have" in shown


def test_without_a_truth(tmp_path: Path, browser: Chromium) -> None:
    (tmp_path / "l.csv").write_text("id,cluster\n1,0\n2,1\n3,0\n")
    (tmp_path / "t.csv").write_text("id,text\n1,one two\n2,three four\n3,two one\n")
    judged = judge_labels(str(tmp_path / "l.csv"), corpus=read(tmp_path / "t.csv"), language="unknown")
    file = tmp_path / "judge.html"
    file.write_text(judgement_page(record(judged, "l.csv")), encoding="utf-8")
    browser.open(file)
    assert browser.complaints == []
    assert "Against the truth" not in file.read_text()
    assert "Among the documents" in file.read_text()
