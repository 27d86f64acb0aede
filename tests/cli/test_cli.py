"""The command line as a user meets it."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from datetime import date
from typing import NamedTuple

import polars as pl
import pytest

from consilience.cli import run

JAPANESE = [
    "東京駅から新幹線で京都へ行きました。",
    "新幹線は速くて便利な電車です。",
    "京都の駅で電車を待ちました。",
    "朝ごはんに味噌汁とご飯を食べます。",
    "寿司と天ぷらは日本料理です。",
    "母は毎朝味噌汁を作って食べます。",
    "サッカーの試合を見に行きました。",
    "野球の試合は雨で中止になりました。",
    "週末にサッカーの試合があります。",
]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def checked(ran, code):
    """What was printed; no traceback, and where the user was wrong, one line at the end that says so."""
    assert ran.code == code, (ran.code, ran.out[-500:], ran.err[-2000:])
    assert "Traceback" not in ran.err
    if code == 2:
        lines = [line for line in ran.err.splitlines() if line.startswith("consilience: error: ")]
        assert len(lines) == 1
        assert ran.err.splitlines()[-1] == lines[0]
    return ran.out, ran.err


def in_a_process(*arguments, cwd, stdin=None, code=0):
    command = [sys.executable, "-m", "consilience", *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, check=False)
    return checked(Ran(done.returncode, done.stdout.decode(), done.stderr.decode()), code)


@pytest.fixture
def consilience(tmp_path, monkeypatch, capsys):
    """`consilience("cluster", "c.csv", code=2)` in this process, in `tmp_path`: a new one loads for a second."""
    monkeypatch.chdir(tmp_path)

    def ran(*arguments, stdin=b"", code=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        returned = run([str(argument) for argument in arguments])
        return checked(Ran(returned, *capsys.readouterr()), code)

    return ran


@pytest.fixture
def as_json(consilience):
    def answer(*arguments, stdin=b""):
        out, _ = consilience(*arguments, "--json", stdin=stdin)
        assert out.count("\n") == 1
        return json.loads(out)

    return answer


KEYS = {"documents", "k", "k_evidence", "assigned", "clusters", "agreement", "seconds", "peak_mb", "run"}
CLUSTER_KEYS = {"id", "size", "label", "terms", "confidence", "stability", "examples"}


def test_the_road_in_csv_parquet_and_a_folder_gives_the_same_clusters(as_json, data, tmp_path):
    table = pl.read_ndjson(data("classic3.jsonl.gz")).with_columns(pl.col("text").fill_null(""))
    table.write_csv(tmp_path / "classic.csv")
    table.write_parquet(tmp_path / "classic.parquet")
    (tmp_path / "classic").mkdir()
    for row in table.to_dicts():
        (tmp_path / "classic" / f"{row['id']}.txt").write_text(row["text"])
    found = {}
    for corpus in ("classic.csv", "classic.parquet", "classic"):
        answer = as_json("cluster", corpus, "--k", "5", "--out", f"run-{corpus}")
        assert set(answer) >= KEYS
        assert all(set(c) >= CLUSTER_KEYS for c in answer["clusters"])
        assert (answer["documents"], answer["k"]) == (3893, 5)
        assert (answer["measures"] is None) == (corpus == "classic")
        assignments = pl.read_parquet(tmp_path / f"run-{corpus}" / "assignments.parquet")
        found[corpus] = dict(assignments.select("id", "cluster").iter_rows())
    assert found["classic.csv"] == found["classic.parquet"] == found["classic"]
    assert as_json("verify", "run-classic.csv") == {"same": True, "differences": []}
    predicted = as_json("predict", "classic.csv", "--run", "run-classic")["assignments"]
    assert {row["id"]: row["cluster"] for row in predicted} == found["classic"]


def test_newsgroups_with_a_truth_column(as_json, data, tmp_path):
    answer = as_json("cluster", data("20newsgroups_bydate.jsonl.gz"), "--strip", "headers", "--truth", "label")
    assert answer["documents"] == 18846
    assert answer["k"] == 20
    assert answer["measures"]["adjusted_rand"]["value"] > 0.25  # by chance 0
    assert answer["run"] == "20newsgroups_bydate-run"
    page = tmp_path / answer["run"] / "report.html"
    assert 100_000 < page.stat().st_size < 8_000_000


def test_french(as_json, data, tmp_path):
    answer = as_json("cluster", data("fr_debian_descriptions.jsonl.gz"), "--k", "10")
    terms = {term for cluster in answer["clusters"] for term in cluster["terms"]}
    assert "Language: French." in answer["notes"]
    assert not terms & {"le", "les", "des", "une", "pour"}


def test_japanese(as_json, tmp_path):
    lines = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(JAPANESE))
    answer = as_json("cluster", "-", "--k", "3", "--out", "ja", stdin=lines.encode())
    assert answer["assigned"] == 1
    together = pl.read_parquet(tmp_path / "ja" / "assignments.parquet")["cluster"].to_list()
    assert together[0] == together[1] == together[2]
    assert together[6] == together[8] != together[0]


def test_broken_lines_are_named_and_left_out_on_request(as_json, consilience, data, tmp_path):
    with gzip.open(data("banking77.jsonl.gz"), "rt") as lines:
        good = lines.read().splitlines()[:2000]
    bad = [line if i % 20 else line[: len(line) // 2] for i, line in enumerate(good)]
    (tmp_path / "bad.jsonl").write_text("\n".join(bad) + "\n")
    _, err = consilience("cluster", "bad.jsonl", code=2)
    assert "bad.jsonl" in err
    assert "line 1" in err
    assert "100" in err
    assert "--skip-bad" in err
    assert not (tmp_path / "bad-run").exists()
    answer = as_json("cluster", "bad.jsonl", "--skip-bad")
    assert answer["documents"] == 1900
    assert "100 broken lines were left out." in answer["notes"]


def test_one_document_and_none(as_json, consilience, tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "one.csv").write_text("id,text\n007,red apple\n")
    assert "no documents" in consilience("cluster", "empty.csv", code=2)[1]
    answer = as_json("cluster", "one.csv")
    assert (answer["documents"], answer["k"], answer["assigned"]) == (1, 1, 1)
    assert (tmp_path / "one-run" / "assignments.csv").read_text().splitlines()[1].startswith("007,0")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cluster", "nowhere.csv"], "nowhere.csv"),
        (["cluster", "c.csv", "--text", "boddy"], "it has: id, body"),
        (["cluster", "c.csv", "--k", "many"], "--k is 'many'"),
        (["cluster", "c.csv", "--k", "0"], "k is 0"),
        (["cluster", "c.csv", "--k", "9" * 5000], "--k is '9999"),
        (["cluster", "c.csv", "--jobs", "0"], "threads is 0"),
        (["cluster", "c.csv", "--method", "kmean"], "did you mean 'kmeans'"),
        (["cluster", "c.csv", "--view", "x"], "no view is called 'x'"),
        (["cluster", "c.csv", "--stem", "x"], "stem is 'x'"),
        (["cluster", "c.csv", "--language", "xx"], "language is 'xx'"),
        (["cluster", "c.csv", "--max-df", "3"], "max_df is 3"),
        (["cluster", "c.csv", "--strip", "feet"], "feet"),
        (["cluster", "c.csv", "--truth", "nope"], "--truth 'nope'"),
        (["cluster", "c.csv", "--seed", "x"], "--seed"),
        (["cluster", "c.csv", "--encoding", "klingon"], "klingon"),
        (["cluster", "c.csv", "--stop-words", "none.txt"], "none.txt"),
        (["cluster"], "CORPUS"),
        (["clutser", "c.csv"], "cluster"),
        (["cluster", "c.csv", "--nope"], "--nope"),
        (["predict", "c.csv", "--run", "."], "manifest.json"),
        (["verify", "nowhere"], "manifest.json"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(consilience, tmp_path, arguments, said):
    (tmp_path / "c.csv").write_text("id,body\n1,red apple\n2,blue sky\n")
    assert said in consilience(*arguments, code=2)[1].splitlines()[-1]
    assert [p.name for p in tmp_path.iterdir()] == ["c.csv"]


@pytest.mark.slow
def test_in_a_process_of_its_own(tmp_path):
    (tmp_path / "c.csv").write_text("id,body\n1,red apple\n2,blue sky\n")
    out, err = in_a_process("cluster", "-", "--json", cwd=tmp_path, stdin=b"id,body\n1,red apple\n")
    assert json.loads(out)["run"] == "stdin-run"
    assert err.splitlines()[0] == "reading -"
    assert "--nope" in in_a_process("cluster", "c.csv", "--nope", cwd=tmp_path, code=2)[1]


@pytest.mark.slow
def test_an_output_without_a_form_for_a_word_gets_its_number(tmp_path, monkeypatch):
    (tmp_path / "c.csv").write_text("id,body\n1,日本 cable\n2,blue sky\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert r"\u65e5\u672c" in in_a_process("cluster", "c.csv", cwd=tmp_path)[0]


def test_prediction_strips_what_the_run_stripped(consilience, tmp_path):
    mails = [
        {"id": i, "text": f"From: {who}@example.org\nSubject: {who} {who} {who}\n\n{body}"}
        for i, (who, body) in enumerate([("router", "invoice refund"), ("invoice", "router cable")] * 4)
    ]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(mail) + "\n" for mail in mails))
    consilience("cluster", "m.jsonl", "--strip", "headers", "--k", "2")
    out, err = consilience("predict", "m.jsonl", "--run", "m-run")
    rows = [line.split(",")[:2] for line in out.splitlines()]
    assert rows == [line.split(",")[:2] for line in (tmp_path / "m-run" / "assignments.csv").read_text().splitlines()]
    assert "stripping headers, as the run did" in err


def test_predicted_and_classified_documents_keep_their_columns(as_json, consilience, tmp_path):
    pl.DataFrame(
        {
            "id": ["007", "8", "9", "10"],
            "text": ["red apple", "blue sky", "red cherry", "blue sea"],
            "label": ["fruit", "nature"] * 2,
            "when": [date(2024, 1, day) for day in (1, 2, 3, 4)],
        }
    ).write_parquet(tmp_path / "c.parquet")
    consilience("cluster", "c.parquet", "--k", "2")
    first = as_json("predict", "c.parquet", "--run", "c-run")["assignments"][0]
    assert (first["id"], first["input_label"], first["when"]) == ("007", "fruit", "2024-01-01")
    assert first["label"] != "fruit"
    first = as_json("classify", "c.parquet")["assignments"][0]
    assert (first["id"], first["class"], first["when"]) == ("007", "fruit", "2024-01-01")


def test_a_run_is_replaced_by_force_only(consilience, tmp_path):
    (tmp_path / "c.csv").write_text("id,body\n1,red apple\n2,blue sky\n")
    consilience("cluster", "c.csv")
    assert "--force" in consilience("cluster", "c.csv", code=2)[1]
    consilience("cluster", "c.csv", "--force")


def test_tables_and_lists(as_json, consilience, tmp_path):
    (tmp_path / "c.csv").write_text("id,body\n1,red apple\n2,red sky\n")
    out, _ = consilience("vectors", "c.csv", "--df", "--stem", "none")
    assert out.splitlines()[:2] == ["term,word,df,count,idf", "red,red,2,2,0.0"]
    assert as_json("vectors", "c.csv", "--view", "counts", "--out", "v")["features"] == 3
    assert sorted(p.name for p in (tmp_path / "v").iterdir()) == [
        "features.parquet",
        "items.parquet",
        "vectors.json",
        "vectors.safetensors",
    ]
    assert "kmeans" in as_json("methods")
    assert "tfidf" in as_json("vectors")
    assert consilience("--version")[0].startswith("consilience ")
    assert consilience("--help")[0].count("\n") > 5


@pytest.mark.slow
def test_a_reader_that_stops_reading_is_no_error(tmp_path):
    (tmp_path / "c.csv").write_text("id,body\n1,red apple\n2,red sky\n")
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in (["methods"], ["cluster", "c.csv"], ["vectors", "c.csv", "--df"]):
        done = subprocess.run(
            [sys.executable, "-m", "consilience", *arguments],
            cwd=tmp_path,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert (done.returncode, b"error" in done.stderr, b"Traceback" in done.stderr) == (0, False, False)
    os.close(writing)
    assert (tmp_path / "c-run" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
@pytest.mark.parametrize("wait", [0, 0.7, 2.0])
def test_interrupted_anywhere_nothing_half_written_stays(data, tmp_path, sent, code, wait):
    corpus = data("20newsgroups_bydate.jsonl.gz")
    command = [sys.executable, "-m", "consilience", "cluster", str(corpus), "--out", "run"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    assert running.stderr.readline().startswith(b"reading")  # at work; how long that takes is the machine's affair
    time.sleep(wait)
    os.kill(running.pid, sent)
    _, err = running.communicate(timeout=60)
    assert running.returncode == code
    assert b"Traceback" not in err
    assert not (tmp_path / "run").exists()
    if sent == signal.SIGINT:
        assert err.endswith(b"interrupted; nothing was written\n")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_demo(as_json, tmp_path):
    answer = as_json("demo")
    assert answer["documents"] > 3000
    assert answer["k"] == 20
    assert (tmp_path / "demo-run" / "report.html").exists()
    assert as_json("verify", "demo-run")["same"]
