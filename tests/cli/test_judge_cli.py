"""consilience judge: labels from anywhere, against a truth, among their documents."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from consilience.cli import run

TEXTS = [
    "cats purr and meow",
    "a cat may purr",
    "purr purr meow",
    "ships sail the sea",
    "the sea and a ship",
    "sail away",
]


@pytest.fixture
def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`asked("labels.csv", "--truth", "gold")` is the JSON object of the verb, in a folder of small files."""
    monkeypatch.chdir(tmp_path)
    rows = [(str(i), i // 3, "cats" if i < 3 else "ships") for i in range(6)]
    table = pl.DataFrame(rows, schema=["id", "cluster", "gold"], orient="row")
    table.write_csv("labels.csv")
    table.select("id", pl.Series("label", ["x", "x", "x", "y", "y", "x"])).write_csv("truth.csv")
    table.select("id", pl.Series("cluster", [0, 1, 0, 1, 0, 1])).write_csv("other.csv")
    table.select("id", pl.Series("text", TEXTS), pl.col("gold").alias("kind")).write_csv("texts.csv")

    def ask(*arguments: str) -> Any:
        assert run(["judge", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    return ask


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["judge", *arguments]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    return said[-1]


def test_the_contract(asked: Callable[..., Any]) -> None:
    found = asked("labels.csv", "--truth", "gold")
    assert {"items", "coverage", "measures", "internal", "verdict"} <= set(found)
    assert (found["items"], found["coverage"], found["internal"]) == (6, 1, None)
    assert set(found["measures"]["adjusted_rand"]) == {"value", "low", "high", "on_assigned"}
    assert found["measures"]["adjusted_rand"]["value"] == 1
    assert isinstance(found["verdict"], list)


def test_the_truth_is_a_column_a_file_a_column_of_the_corpus_or_found(asked: Callable[..., Any]) -> None:
    assert asked("labels.csv")["truth"] == "the column 'gold' of labels.csv"
    assert asked("labels.csv", "--truth", "truth.csv")["measures"]["purity"]["value"] == pytest.approx(5 / 6, abs=1e-6)
    assert (
        asked("other.csv", "--texts", "texts.csv", "--truth", "kind")["truth"] == "the column 'kind' of the documents"
    )
    assert asked("other.csv", "--texts", "texts.csv", "--label", "kind")["classes"][0]["items"] == 3
    assert asked("labels.csv", "--clusters", "gold", "--truth", "cluster")["classes"][0]["class"] == "0"


def test_without_a_truth_the_documents_judge(asked: Callable[..., Any]) -> None:
    found = asked("other.csv", "--texts", "texts.csv")
    assert (found["truth"], found["measures"], found["items"]) == (None, {}, 6)
    assert set(found["internal"]) >= {"mu1", "mu2", "mu3", "mu4", "silhouette", "davies_bouldin", "calinski_harabasz"}
    one = found["internal"]["silhouette"]
    assert set(one) == {"value", "error", "better", "space", "warning", "says"}
    assert (one["space"], one["warning"]) == ("tfidf-log, cosine", None)
    better = asked("labels.csv", "--texts", "texts.csv")["internal"]["silhouette"]["value"]
    assert better > one["value"]


def test_half_the_items_unassigned_as_bertopic_writes_it(asked: Callable[..., Any]) -> None:
    Path("topics.csv").write_text(
        "Document,Topic,Name,label\n"
        + "".join(f"text {i},{-1 if i % 2 else i // 20},name,c{i // 20}\n" for i in range(80))
    )
    found = asked("topics.csv", "--id", "none", "--truth", "label")
    assert found["coverage"] == 0.5
    assert found["measures"]["adjusted_rand"]["on_assigned"] == 1
    assert found["measures"]["adjusted_rand"]["value"] < 0.5
    assert found["k"] == 4
    assert any("what was left out would have lowered it" in sentence for sentence in found["verdict"])


def test_which_of_two(asked: Callable[..., Any]) -> None:
    found = asked("labels.csv", "--against", "other.csv", "--truth", "gold")
    assert found["against"]["items"] == 6
    assert found["against"]["differences"]["adjusted_rand"]["value"] > 0.9
    assert "labels.csv" in found["verdict"][-1]


def test_a_run_folder_is_warned_about_in_its_own_space(asked: Callable[..., Any]) -> None:
    assert run(["cluster", "texts.csv", "--k", "2", "--out", "run", "--json", "--truth", "kind"]) == 0
    found = asked("run", "--texts", "texts.csv", "--truth", "kind")
    assert "kmeans looked for these clusters in this very space" in found["internal"]["mu1"]["warning"]
    assert asked("run", "--texts", "texts.csv", "--view", "boolean")["internal"]["mu1"]["warning"] is None
    assert found["confusion"]["clusters"][0].startswith("0 ")


def test_what_comes_again(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    pl.DataFrame(
        {"id": range(24), "text": [t for t in TEXTS for _ in range(4)], "kind": ["c"] * 12 + ["s"] * 12}
    ).write_csv("more.csv")
    assert run(["cluster", "more.csv", "--k", "2", "--out", "run", "--json", "--min-df", "1"]) == 0
    found = asked("run", "--texts", "more.csv", "--truth", "kind", "--stability", "5")["stability"]
    assert (found["samples"], found["share"], len(found["clusters"])) == (5, 0.8, 2)
    assert found["value"] > 0.9
    assert found["clusters"][0]["again"] == 1
    assert "only a run folder of one view says how" in refused(
        ["labels.csv", "--texts", "texts.csv", "--stability", "5"], capsys
    )
    assert "name them with --texts" in refused(["run", "--truth", "truth.csv", "--stability", "5"], capsys)


def test_the_order_of_rows_does_not_show(asked: Callable[..., Any]) -> None:
    first = asked("labels.csv", "--texts", "texts.csv", "--truth", "truth.csv")
    for name in ("labels.csv", "texts.csv", "truth.csv"):
        pl.read_csv(name).reverse().write_csv(name)
    assert asked("labels.csv", "--texts", "texts.csv", "--truth", "truth.csv") == first


def test_the_folder_is_whole_or_not_at_all(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    asked("labels.csv", "--truth", "gold", "--out", "judged")
    assert {file.name for file in Path("judged").iterdir()} == {"judge.html", "judge.json", "classes.csv"}
    kept = json.loads(Path("judged/judge.json").read_text())
    assert kept["measures"]["v"]["value"] == 1
    assert "is there already" in refused(["labels.csv", "--truth", "gold", "--out", "judged"], capsys)
    assert run(["judge", "labels.csv", "--truth", "gold", "--out", "judged", "--force"]) == 0
    shown = capsys.readouterr().out
    assert "nearly the same grouping as the truth" in shown
    assert shown.rstrip().endswith("judged/judge.html")


def test_what_is_wrong_is_said_in_a_line(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    Path("foreign.csv").write_text("id,label\nX-1,a\nX-2,b\n")
    said = refused(["labels.csv", "--truth", "foreign.csv"], capsys)
    assert "ids are like '0', the truth's like 'X-1'" in said
    assert "neither a file nor a column of labels.csv, whose columns are: id, cluster, gold" in refused(
        ["labels.csv", "--truth", "golden"], capsys
    )
    assert "--truth COL_OR_FILE" in refused(["other.csv"], capsys)
    assert "has no column 'c'; it has: id, cluster" in refused(["other.csv", "--clusters", "c"], capsys)
    Path("none.csv").write_text("id,cluster,gold\na,-1,x\nb,,y\n")
    assert "none of the 2 rows has a cluster" in refused(["none.csv", "--truth", "gold"], capsys)
    Path("elsewhere.csv").write_text("id,text\nq,one two\n")
    assert "its ids are like 'q', theirs like '0'" in refused(["labels.csv", "--texts", "elsewhere.csv"], capsys)
    assert "needs a truth" in refused(["other.csv", "--texts", "texts.csv", "--against", "labels.csv"], capsys)

    assert "both name 'gold'" in refused(["labels.csv", "--truth", "gold", "--clusters", "gold"], capsys)


def test_each_table_may_call_its_ids_otherwise(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    table = pl.read_csv("labels.csv")
    table.rename({"id": "Doc"}).drop("gold").write_csv("mine.csv")
    assert "or number the rows with --id none" in refused(["mine.csv", "--truth", "truth.csv"], capsys)
    expected = asked("labels.csv", "--truth", "truth.csv", "--against", "other.csv")
    found = asked("mine.csv", "--id", "Doc", "--truth", "truth.csv", "--against", "other.csv")
    assert (found["measures"], found["against"]) == (expected["measures"], expected["against"])
    pl.read_csv("truth.csv").rename({"id": "DOC"}).write_csv("theirs.csv")
    assert asked("mine.csv", "--id", "Doc", "--truth", "theirs.csv")["measures"] == expected["measures"]


@pytest.mark.slow
def test_words_of_tagged_tokens(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    tokens = [("run", "V", 3), ("the", "D", 7), ("run", "N", 3), ("fast", "A", 5), ("run", "V", 3), ("fast", "R", 5)]
    pl.DataFrame([*tokens, ("mute", None, 5)], schema=["word", "tag", "cluster"], orient="row").write_csv("tokens.csv")
    found = asked("tokens.csv", "--words", "word", "--truth", "tag")
    assert (found["items"], found["of"], found["k"]) == (3, "word", 3)
    assert found["measures"]["macro_i_m_1"]["value"] == pytest.approx(2 * 3 / (5 + 3), abs=1e-6)
    assert found["verdict"][0] == "3 words in 3 clusters were judged against 5 classes, several per word."
    assert found["verdict"][-1] == "Not judged: 1 without a class."
    strong = asked("tokens.csv", "--words", "word", "--truth", "tag", "--weak-above", "0.6")
    assert strong["measures"]["macro_i_m_1"]["value"] == pytest.approx(2 * 3 / (4 + 3), abs=1e-6)
    assert "has no column 'token'; it has: word, tag, cluster" in refused(
        ["tokens.csv", "--words", "token", "--truth", "tag"], capsys
    )
    assert "leave --texts" in refused(
        ["tokens.csv", "--words", "word", "--truth", "tag", "--texts", "texts.csv"], capsys
    )
    assert run(["judge", "tokens.csv", "--words", "word", "--truth", "tag", "--out", "judged"]) == 0
    assert "All words" in Path("judged/judge.html").read_text()


@pytest.mark.parametrize("how", ["labels", "truth"])
def test_standard_input(asked: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    from io import BytesIO, TextIOWrapper

    expected = asked("labels.csv", "--truth", "truth.csv")["measures"]
    name = "labels.csv" if how == "labels" else "truth.csv"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(Path(name).read_bytes())))
    arguments = ("-", "--truth", "truth.csv") if how == "labels" else ("labels.csv", "--truth", "-")
    assert asked(*arguments)["measures"] == expected


def test_every_measure_is_listed_with_what_it_says_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    from consilience.measures import MEASURES, SET_MEASURES
    from consilience.measures.internal import ABOUT

    assert run(["measures", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (set(told["measures"]), set(told["of_sets"]), set(told["within"])) == (
        set(MEASURES),
        set(SET_MEASURES),
        set(ABOUT),
    )
    assert told["measures"]["rand"]["range"] == "0 to 1"
    assert told["within"]["d_kl"]["better"] == "lower"
    assert run(["measures"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in (*MEASURES, *SET_MEASURES, *ABOUT))


@pytest.mark.slow
def test_multi_label_reuters(data: Callable[[str], Path], asked: Callable[..., Any]) -> None:
    from consilience import cluster, read, represent, tokenise

    path = data("reuters21578.jsonl.gz")
    corpus = read(path)
    found = cluster(represent(tokenise(corpus)), k=40)
    pl.DataFrame({"id": found.items, "cluster": found.labels}).write_csv("reuters.csv")
    judged = asked("reuters.csv", "--texts", str(path), "--truth", "topics")
    assert judged["overlapping"]
    assert judged["items"] == 11_367
    assert 0.6 < judged["measures"]["micro_i_m_1"]["value"] < 0.9
