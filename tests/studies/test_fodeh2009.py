"""The study of nouns and senses, on slices of its corpora; the whole is a matter of minutes."""

import gzip
import json

import numpy as np
import pytest

from consilience.cli import run
from consilience.studies import fodeh2009


def test_the_reuters_corpus_has_as_many_documents_as_theirs(data):
    made = fodeh2009.reuters(data("reuters21578.jsonl.gz"))
    assert len(made.corpus) == 2655
    assert np.bincount(made.classes).max() == 200
    assert len(np.unique(made.classes)) == 20


def test_samples(data):
    articles = fodeh2009.newsgroups(data("20newsgroups_bydate.jsonl.gz"))
    assert sorted(np.bincount(articles.classes)) == [585, 1456, 1575, 2373, 2389, 2936]
    drawn = fodeh2009.at_random(articles, 6000, 0)
    assert len(drawn.corpus) == drawn.corpus.ids.n_unique() == 6000
    assert sorted(np.bincount(fodeh2009.evenly(articles, 6000, 0).classes)) == [585, *[1083] * 5]
    assert len(fodeh2009.at_random(articles, 10**6, 0).corpus) == 11314


def test_what_is_kept_of_an_article():
    text = "From: a@b\nSubject: Re: the moon\nOrganization: us\n\nbody\n\nmore"
    assert fodeh2009._subject(text) == "the moon\n\nbody\n\nmore"
    assert fodeh2009._body(text) == "body\n\nmore"
    assert fodeh2009._subject("no head\n\nhere") == fodeh2009._body("no head\n\nhere") == "no head\n\nhere"


@pytest.mark.slow
def test_a_slice_of_it(data, tmp_path, capsys, monkeypatch):
    for name, step in zip(fodeh2009.NEEDS, (60, 100), strict=True):
        with gzip.open(data(name), "rt") as lines, gzip.open(tmp_path / name, "wt") as part:
            part.writelines(line for n, line in enumerate(lines) if n % step == 0)
    monkeypatch.setattr(fodeh2009, "MEMBERS", (2, 4))
    monkeypatch.setattr(fodeh2009, "_TOLD", {"Reuters": 4, "20 Newsgroups": 4})
    monkeypatch.setattr(fodeh2009, "COMPONENTS", (5, 10))
    told = []
    for jobs in ("1", "2"):
        arguments = ["reproduce", "fodeh2009", "--data", str(tmp_path), "--runs", "2", "--json", "--jobs", jobs]
        assert run([*arguments, "--out", str(tmp_path / jobs)]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0]["tables"] == told[1]["tables"]
    rows = {table["name"]: {row["row"]: row for row in table["rows"]} for table in told[0]["tables"]}
    assert [name.split(",")[0].split(":")[0] for name in rows][:3] == ["Table 2", "Table 3", "Table 3"]
    for name, table in rows.items():
        for row in table.values():
            assert row["ours"] is not None
            assert "purity" not in name or 0 < row["ours"] <= 1
            assert "entropy (" not in name or 0 <= row["ours"] < np.log(20)
    nats, bits = (rows[f"Table 3: entropy of k-means ({unit})"] for unit in ("nats", "bits"))
    assert all(bits[row]["ours"] == pytest.approx(nats[row]["ours"] / np.log(2), rel=1e-4) for row in nats)
    assert nats["Reuters, senses, spherical k-means"]["paper"] == 1.19
    assert "Figure 3, 20 Newsgroups, k = 20: ensembles: purity" in rows
    assert len(rows["Other choices: purity"]) == 22
    assert len(list((tmp_path / "1").glob("figure-*.svg"))) == 8
