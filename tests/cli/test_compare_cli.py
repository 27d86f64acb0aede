"""consilience compare as a user meets it."""

import io
import json
import sys
import time

import numpy as np
import polars as pl
import pytest

from consilience.cli import run

KEYS = {"items", "kappa", "mantel", "coverage", "links", "measures", "moved"}
CATS, SHIPS = "the cat purrs and the kitten meows", "a ship sails on the open sea"


@pytest.fixture
def consilience(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def ran(*arguments, code=0):
        assert run([str(argument) for argument in arguments]) == code
        said = capsys.readouterr()
        if code == 2:
            assert said.err.splitlines()[-1].startswith("consilience: error: ")
        return said

    return ran


@pytest.fixture
def as_json(consilience):
    def answer(*arguments):
        out = consilience("compare", *arguments, "--json").out
        assert out.count("\n") == 1
        return json.loads(out)

    return answer


def table(path, labels, first=0):
    ids = [f"d{first + i}" for i in range(len(labels))]
    pl.DataFrame({"id": ids, "label": [str(x) for x in labels]}).write_csv(path)
    return path


def test_identical_files(as_json, tmp_path):
    a = table(tmp_path / "a.csv", np.random.default_rng(0).integers(0, 5, 200))
    told = as_json(a, a, "--permutations", "99")
    assert set(told) >= KEYS
    assert (told["kappa"]["optimal"], told["kappa"]["greedy"], told["agreed"]) == (1, 1, 1)
    assert told["mantel"]["z"] == told["mantel"]["z_self_a"] == told["mantel"]["z_self_b"]
    assert (told["mantel"]["p"], told["mantel"]["permutations"]) == (0.01, 99)
    assert {row["coverage"]: row["a"] for row in told["coverage"]["table"]}["100 %"] == 5
    assert told["moved"]["items"] == 0
    assert told["links"] == {
        "similarity": None,
        "entropy": None,
        "reason": "the words are not known; name the documents with --texts CORPUS",
    }


def test_different_document_sets_and_documents_without_a_class(as_json, consilience, tmp_path):
    a = table(tmp_path / "a.csv", [0, 0, 1, 1, -1, 2])
    b = table(tmp_path / "b.csv", [5, 5, 6, 5, -1, 7, 7], first=1)
    told = as_json(a, b)
    assert told["items"] == {
        "both": 5, "only_a": 1, "only_b": 2, "assigned_a": 4, "assigned_b": 4, "assigned_both": 3,
    }  # fmt: skip
    assert (told["moved"]["without_a"], told["moved"]["without_b"]) == (1, 1)
    said = consilience("compare", a, b)
    assert (
        "5 documents stand in both, 62% of all; 1 only in a.csv and 2 only in b.csv, of which nothing is said here"
        in said.err
    )
    assert "Of these, 1 has no class in a.csv and 1 has no class in b.csv." in said.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.csv", "far.csv"), "share no document: the ids of the one are like 'd0', those of the other like 'd1000'"),
        (("a.csv", "none.csv"), "none has a class in both"),
        (("a.csv", "empty.csv"), "empty.csv labels no document"),
        (("a.csv", "nowhere.csv"), "nowhere.csv"),
        (("a.csv", "b.csv", "--texts", "other.csv"), "--texts holds none of the 3 documents"),
        (("a.csv", "b.csv", "--permutations", "-1"), "--permutations"),
        (("-", "-"), "which can be read once"),
        (("a.csv", "b.csv", "--label", "theme"), "a.csv has no column 'theme'; it has: id, label"),
        (("a.csv", "b.csv", "--out", "full"), "full holds other things and no compare.json"),
        (("a.csv", "b.csv", "--out", "a.csv"), "a.csv is a file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(consilience, tmp_path, arguments, said):
    table(tmp_path / "a.csv", [0, 0, 1])
    table(tmp_path / "b.csv", [0, 0, 1])
    table(tmp_path / "far.csv", [0, 1], first=1000)
    table(tmp_path / "none.csv", [-1, -1, -1])
    (tmp_path / "empty.csv").write_text("id,label\n")
    (tmp_path / "other.csv").write_text("id,text\nx,a cat\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("mine")
    assert said in consilience("compare", *arguments, code=2).err
    assert (tmp_path / "full" / "precious.txt").exists()


def test_a_folder_with_page_numbers_and_all_who_moved(consilience, tmp_path):
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 2, 60)
    pl.DataFrame({"id": [f"d{i}" for i in range(60)], "text": [(CATS, SHIPS)[x] for x in labels]}).write_csv("c.csv")
    a = table(tmp_path / "a.csv", labels)
    b = table(tmp_path / "b.csv", np.where(np.arange(60) < 6, 1 - labels, labels))
    out = consilience("compare", a, b, "--texts", "c.csv", "--out", "ab", "--with-texts").out
    assert out.splitlines()[0] == "They agree on 90% of 60 documents."
    assert out.splitlines()[-1] == "ab/compare.html"
    assert sorted(path.name for path in (tmp_path / "ab").iterdir()) == ["compare.html", "compare.json", "moved.csv"]
    moved = pl.read_csv(tmp_path / "ab" / "moved.csv")
    assert moved.columns == ["id", "a", "b", "matched", "text"]
    assert moved["id"].to_list() == [f"d{i}" for i in range(6)]
    assert (moved["a"] == moved["matched"]).all()
    assert (moved["a"] != moved["b"]).all()
    told = json.loads((tmp_path / "ab" / "compare.json").read_text())
    assert told == json.loads(consilience("compare", a, b, "--texts", "c.csv", "--json").out)
    assert told["links"]["similarity"]["table"] == {"none": 0, "1-1": 2}
    assert told["links"]["entropy"]["table"] == {"none": 0, "1-1": 2}
    assert CATS in (tmp_path / "ab" / "compare.html").read_text()
    consilience("compare", a, b, "--out", "ab", code=2)
    consilience("compare", a, b, "--texts", "c.csv", "--no-texts", "--out", "ab", "--force")
    assert CATS not in (tmp_path / "ab" / "compare.html").read_text()


def test_two_runs_by_their_words_and_trees(consilience, as_json, tmp_path):
    texts = [f"{(CATS, SHIPS, 'bread and butter for breakfast')[i % 3]} {'abcdefghij'[i % 10]}x" for i in range(45)]
    pl.DataFrame({"id": [f"d{i}" for i in range(45)], "text": texts, "label": [i % 3 for i in range(45)]}).write_csv(
        "c.csv"
    )
    for name, k in (("one", 3), ("two", 2)):
        consilience("cluster", "c.csv", "--method", "agglomerative", "--k", k, "--out", name)
    told = as_json("one", "two")
    assert told["classes"] == {"a": 3, "b": 2}  # the clusters, not the labels that the corpus came with
    assert told["links"]["reason"] is None
    assert told["links"]["entropy"]["table"]["none"] == 0
    assert told["mantel"]["trees"]["r"] == pytest.approx(1)  # one tree, cut twice
    assert [len(union["parts"]) for union in told["moved"]["merges"]] == [2]
    (tmp_path / "c.csv").unlink()
    assert "not there any more" in as_json("one", "two")["links"]["reason"]
    assert as_json("one", "two")["kappa"] == told["kappa"]


def test_the_same_bytes_for_any_number_of_threads_and_order_of_rows(consilience, tmp_path):
    chance = np.random.default_rng(1)
    a, b = (table(tmp_path / name, chance.integers(0, 6, 500)) for name in ("a.csv", "b.csv"))
    pages = []
    for jobs in (1, 3):
        consilience("compare", a, b, "--out", "ab", "--force", "--jobs", jobs)
        pages.append({path.name: path.read_bytes() for path in (tmp_path / "ab").iterdir()})
        for file in (a, b):
            pl.read_csv(file).sample(fraction=1, shuffle=True, seed=3).write_csv(file)
    assert pages[0] == pages[1]


def test_lists_of_classes_and_degrees_against_hard_ones(as_json, tmp_path):
    (tmp_path / "sets.jsonl").write_text('{"id": "d0", "label": ["x", "y"]}\n{"id": "d1", "label": ["y"]}\n')
    hard = table(tmp_path / "hard.csv", ["x", "y"])
    told = as_json(tmp_path / "sets.jsonl", hard)
    assert told["kappa"]["optimal"] == 1
    assert "In sets.jsonl some documents have several classes" in " ".join(told["notes"])


def test_a_class_in_a_thousand_parts_is_told_in_a_line(consilience, tmp_path):
    out = consilience(
        "compare", table(tmp_path / "a.csv", [0] * 1000), table(tmp_path / "b.csv", range(1000)), "--out", "ab"
    ).out
    assert "0 is split into 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 988 more (100%)" in out
    assert "<bdi>11</bdi> and 988 more" in (tmp_path / "ab" / "compare.html").read_text()


def test_one_side_may_be_standard_input(as_json, tmp_path, monkeypatch):
    a = table(tmp_path / "a.csv", [0, 0, 1, 1])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(a.read_bytes())))
    told = as_json("-", a)
    assert (told["a"], told["b"], told["agreed"]) == ("standard input", "a.csv", 1)


def test_columns_of_the_tables_may_be_named(as_json, consilience, tmp_path):
    for name, labels in (("a.csv", [0, 0, 1, 1]), ("b.csv", [0, 1, 1, 1])):
        frame = pl.DataFrame({"key": ["007", "08", "09", "10"], "id": [1, 1, 2, 2], "theme": labels})
        frame.with_columns(label=pl.lit(7)).write_csv(tmp_path / name)
    told = as_json("a.csv", "b.csv", "--id", "key", "--label", "theme")
    assert (told["items"]["both"], told["classes"], told["agreed"]) == (4, {"a": 2, "b": 2}, 0.75)


@pytest.mark.slow
@pytest.mark.compiled
def test_a_million_documents(as_json, tmp_path):
    chance = np.random.default_rng(0)
    a = chance.integers(0, 50, 1_000_000)
    b = np.where(chance.random(len(a)) < 0.8, a, chance.integers(0, 50, len(a)))
    for name, labels in (("a.parquet", a), ("b.parquet", b)):
        pl.DataFrame({"id": np.arange(len(a)), "label": labels}).write_parquet(tmp_path / name)
    began = time.perf_counter()
    told = as_json("a.parquet", "b.parquet")
    assert time.perf_counter() - began < 60
    assert told["agreed"] == pytest.approx(0.804, abs=0.002)
    assert told["moved"]["items"] + round(told["agreed"] * 1_000_000) == pytest.approx(1_000_000, abs=1)
