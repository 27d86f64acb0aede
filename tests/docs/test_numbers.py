"""The page on numbers names every column and key that a run writes, and no other."""

import json
import re
from importlib import import_module

import polars as pl
import pytest

from consilience.corpus import read, with_truth
from consilience.runs import Settings, walk, write_run

MODULES = ("verdicts.description", "verdicts.outliers", "runs.folder", "kernels.near_duplicates")
TEXTS = ["red apple pie", "blue sky rain", "red apple", "", "blue rain"]


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs" / "numbers.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    table = pl.DataFrame({"id": range(5), "body": TEXTS, "kind": list("abaab"), "cluster": list("xyxxy")})
    table.write_csv(folder / "c.csv")
    run = walk(with_truth(read(folder / "c.csv"), "kind"), Settings(k=2))
    write_run(run, folder / "run", with_texts=True, pages={"report.html": "", "report.json": "", "figures/map.svg": ""})
    return folder / "run"


def named(page, heading):
    """The names in the first column of the tables below a heading."""
    text = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |^\(|\Z)", page, re.M | re.S)[1]
    return {name for row in re.findall(r"^\| (`[^|]*) \|", text, re.M) for name in re.findall(r"`([^`]+)`", row)}


def test_columns_of_assignments(page, folder):
    table = pl.read_csv(folder / "assignments.csv")
    ours = table.columns[: -len(("kind", "cluster"))]
    assert named(page, "assignments.csv") == set(ours)
    assert table.columns[-2:] == ["kind", "input_cluster"]
    assert "`input_`" in page


@pytest.mark.parametrize("file", ["clusters.json", "metrics.json", "manifest.json"])
def test_keys(page, folder, file):
    held = json.loads((folder / file).read_text(encoding="utf-8"))
    keys = set(held[0] if isinstance(held, list) else held)
    if file == "metrics.json":
        keys |= set(held["measures"]) | set(held["measures"]["purity"])
    assert named(page, file) == keys


@pytest.mark.parametrize("file", ["clusters.json", "metrics.json"])
def test_what_is_null_is_said_to_be_without_evidence(page, folder, file):
    held = json.loads((folder / file).read_text(encoding="utf-8"))
    for key, value in (held[0] if isinstance(held, list) else held).items():
        if value is None:
            assert re.search(rf"^\| `{key}` \|.*null, for there is no evidence yet \|$", page, re.M)


def test_files_of_the_folder(page, folder, tmp_path):
    there = {f"{path.name}/" if path.is_dir() else path.name for path in folder.iterdir()}
    for method in ("agglomerative", "fuzzy"):
        write_run(walk(read(folder.parent / "c.csv"), Settings(method=method, k=2)), tmp_path / method)
        there |= {path.name for path in (tmp_path / method).glob("*.parquet")}
    table = page[: page.index("\n## ")]
    assert set(re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (.*?) \|", table, re.M)))) == there


def test_the_numbers_it_tells_are_those_of_the_code(page):
    description, outliers, folder, near_duplicates = map(import_module, (f"consilience.{m}" for m in MODULES))
    assert (description._TERMS, description._IN_LABEL) == (10, 3)
    assert "up to ten terms" in page
    assert "its first three terms" in page
    assert (outliers._NEIGHBOURS, outliers._REFERENCES, folder._WORST, folder._CLEARLY) == (5, 1000, 5, 6.0)
    assert "five nearest" in page
    assert "a thousand" in page
    assert "clearly outside above 6" in page
    assert near_duplicates.THRESHOLD == 0.9
    assert "at least 0.9" in page
