"""consilience senses: into one document; and the same in a run's report."""

import json
from pathlib import Path

import pytest

from consilience.cli import run

FARM = "Corn, wheat, barley and oats are grain. The bank gave a loan. Farmers and traders met in January."


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    texts = [FARM, "", "and of the", "The cat and the dog were in the house with the kitten."]
    rows = [{"id": f"{i}", "text": text} for i, text in enumerate(texts)]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "t.jsonl"


def test_clusters_of_senses(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["senses", corpus, "--document", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"document", "language", "alike", "nouns", "senses", "clusters"}
    assert (found["document"], found["language"], found["alike"]) == ("0", "en", 0.6)
    assert found["senses"] == sum(len(cluster["senses"]) for cluster in found["clusters"])
    first = found["clusters"][0]
    assert set(first) == {"least", "senses"}
    assert set(first["senses"][0]) == {"sense", "name", "nouns"}
    assert run(["senses", corpus, "--document", "0"]) == 0
    shown = capsys.readouterr().out
    assert all(sense["name"].split()[0] in shown for cluster in found["clusters"] for sense in cluster["senses"])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "no document is named; name one with --document, of t.jsonl for example: '0', '1', '2'"),
        (["--document", "9"], "has no document '9'; its ids are such as: '0', '1', '2'"),
        (["--document", "1"], "document '1' of t.jsonl is empty"),
        (["--document", "2"], "has no noun that WordNet knows"),
        (["--document", "0", "--language", "fr"], "the texts are French; name a WordNet"),
        (["--document", "0", "--alike", "2"], "from 0 to 1"),
        (["--document", "0", "--wordnet", "nowhere"], "neither a WordNet folder"),
    ],
)
def test_errors_are_one_line(corpus: str, more: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["senses", corpus, "--language", "en", *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip().splitlines()[-1].startswith("consilience: error: ")
    assert said in err.strip().splitlines()[-1]


def test_a_report_shows_senses_where_a_view_looked_at_them(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    for view, texts, there in (("senses", [], True), ("nouns", [], False), ("senses", ["--no-texts"], False)):
        folder = f"{view}{len(texts)}"
        settings = ["--language", "en", "--min-df", "1", "--k", "2", "--view", view, *texts]
        assert run(["cluster", corpus, "--out", folder, *settings]) == 0
        assert ("Senses of a kind: " in Path(folder, "report.html").read_text()) is there
    assert run(["report", "senses0"]) == 0
    assert "Senses of a kind: " in Path("senses0", "report.html").read_text()
    capsys.readouterr()
