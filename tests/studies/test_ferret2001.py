from __future__ import annotations

import gzip
import itertools
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from consilience import catalogue
from consilience.errors import InputError
from consilience.studies import reproduce


@pytest.fixture
def study(monkeypatch) -> ModuleType:
    """The study of a small world."""
    module = catalogue.load("studies", "ferret2001")
    for name, size in (("_UNITS", 300), ("_WORDS", 500), ("_CLASSES", 12), ("_SOME", 100)):
        monkeypatch.setattr(module, name, size)
    return module


@pytest.fixture
def folder(study, data, tmp_path):
    """Every fortieth document of the study's corpora."""
    for name in study.NEEDS:
        with gzip.open(data(name), "rb") as whole, gzip.open(tmp_path / name, "wb") as part:
            part.writelines(itertools.islice(whole, 0, None, 40))
    return tmp_path


def test_what_was_copied_from_the_paper_adds_up_to_its_71_classes_and_clusters(study):
    for links in study._LINKS.values():
        assert links["none"] + sum(int(key[2:]) * often for key, often in links.items() if key != "none") == 71
    assert [sum(often for key, often in links.items() if key != "none") for links in study._LINKS.values()] == [47, 44]
    assert sum(study._COVERAGE) == 71


def test_every_table_of_the_paper_stands_beside_ours(study, folder):
    made = reproduce("ferret2001", folder, runs=2, seed=3)
    found = {table.name: {row.row: row for row in table.rows} for table in made.tables}
    assert len(found) == 18
    for corpus in ("20 Newsgroups", "Reuters"):
        for way in ("similarity", "entropy"):
            rows = found[f"Table 4, links by {way}, {corpus}"]
            linked = sum(int(name.split()[3]) * row.ours for name, row in rows.items() if name.startswith("classes l"))
            assert linked + rows["clusters without a link"].ours == 12
        assert sum(row.ours for row in found[f"Table 5, coverage, {corpus}"].values()) == 12
        kappas = found[f"Kappa, {corpus}"]
        assert kappas["kappa, optimal mapping"].ours >= kappas["kappa, greedy mapping"].ours > 0.2
        assert abs(kappas["kappa, random mapping"].ours) < 0.05
        assert kappas["kappa, greedy mapping"].paper == 0.484
        some, everything = (found[f"Mantel's test of {name}, {corpus}"] for name in ("100 units", "all 300 units"))
        for rows in (some, everything):
            assert rows["Z by chance"].ours < rows["Z"].ours
            assert rows["Z"].ours <= min(rows["largest Z, k-means"].ours, rows["largest Z, entropy clusters"].ours)
        assert some["r"].paper == pytest.approx(0.38, abs=0.001)
        assert everything["r"].ours == pytest.approx(some["r"].ours, abs=0.15)
        starts = found[f"Starts of entropy clustering, {corpus}"]
        assert starts["H_TU"].ours < starts["lowest H_K of all"].ours <= starts["highest H_K of all"].ours
        searches = found[f"Searches of entropy clustering, {corpus}"]
        for search in ("best", "random", "systematic"):
            assert searches[f"H_K, {search}"].ours == pytest.approx(starts["lowest H_K of all"].ours, rel=0.1)
            assert searches[f"seconds, {search}"].ours > 0


def test_clusters_are_linked_to_classes_and_classes_covered_by_clusters(study):
    """One class has become two clusters, another is one: not the other way round."""
    pair = study._Pair(np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2]))
    assert {row.row: row.ours for row in study._covered("x", [pair]).rows if row.ours} == {"100 %": 1, ">= 40 %": 1}
    counts = sparse.csr_array(np.repeat([[1.0, 0, 2], [1, 3, 0]], [4, 2], axis=0))
    for table in study._linked("x", [pair], study._Units(counts, counts)):
        assert {row.row: row.ours for row in table.rows if row.ours} == {
            "classes linked to 1 cluster": 1, "classes linked to 2 clusters": 1, "classes with a link": 2,
        }  # fmt: skip
        papers = {row.row: row.paper for row in table.rows}
        assert papers.pop("clusters without a link") + sum(
            int(name.split()[3]) * often for name, often in papers.items() if name.startswith("classes linked")
        ) == 71  # fmt: skip


def test_the_same_again_with_other_threads(study, folder):
    first, second = (
        [
            [row for row in table.rows if "seconds" not in row.row]
            for table in reproduce("ferret2001", folder, runs=1, jobs=jobs).tables
        ]
        for jobs in (1, 2)
    )
    assert first == second


def test_of_two_corpora_the_missing_one_is_named(study, tmp_path):
    (tmp_path / study.NEEDS[0]).touch()
    with pytest.raises(InputError, match=r"ferret2001 needs reuters21578\.jsonl\.gz in "):
        reproduce("ferret2001", tmp_path)
