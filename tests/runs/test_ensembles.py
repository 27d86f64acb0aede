"""A run that unites several views: its folder, the same again, prediction, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest

from consilience.cli import run as consilience
from consilience.errors import SettingError
from consilience.runs import Settings, load_run, predict_corpus, verify, walk, write_run
from consilience.verdicts import RULES
from consilience.verdicts.members import Members
from making import corpus_of

TOPICS = ("router cable wifi signal modem", "invoice payment refund bank tax", "goal team match referee league")
SETTINGS = Settings(k=3, views=("tfidf-log", "counts", "lsi"), members=9)


def texts(count=60):
    chance = np.random.default_rng(0)
    return ["", *(" ".join(chance.choice(TOPICS[i % 3].split(), 6)) + f" {i % 7}th" for i in range(count))]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ensembles")
    (folder / "c.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts()))
    assert consilience(
        ["cluster", f"{folder}/c.jsonl", "--out", f"{folder}/run", "--k", "3", "--members", "9"]
        + [word for view in SETTINGS.views for word in ("--view", view)]
    ) in (0, None)
    return folder


def test_the_folder_says_who_agrees(made):
    table = pl.read_parquet(made / "run" / "assignments.parquet")
    members = pl.read_parquet(made / "run" / "members.parquet")
    metrics = json.loads((made / "run" / "metrics.json").read_text())
    clusters = json.loads((made / "run" / "clusters.json").read_text())
    assert members.columns == ["id", *(f"{t:02d} {SETTINGS.views[t % 3]}" for t in range(9))]
    assert [member["view"] for member in metrics["members"]] == [name[3:] for name in members.columns[1:]]
    assert table["agreement"][0] is None  # the empty document
    assert metrics["agreement"] == pytest.approx(table["agreement"].mean(), abs=1e-3)
    assert 0.7 < metrics["agreement"] <= 1
    assert all(set(cluster["support"]) == set(SETTINGS.views) for cluster in clusters)
    topics = [i % 3 for i in range(60)]
    assert pl.DataFrame({"t": topics, "c": table["cluster"][1:]}).n_unique() == 3


def test_it_is_the_same_again_and_a_changed_member_is_noticed(made):
    saved = load_run(made / "run")
    assert verify(saved) == []
    members = pl.read_parquet(made / "run" / "members.parquet")
    changed = members.with_columns((pl.col("00 tfidf-log") * 0).alias("00 tfidf-log"))
    changed.write_parquet(made / "run" / "members.parquet")
    assert verify(saved) == ["the members' labels differ"]
    members.write_parquet(made / "run" / "members.parquet")


@pytest.mark.parametrize("rule", RULES)
def test_same_bytes_whatever_the_threads_and_the_order_of_rows(rule, tmp_path):
    try:
        settings = Settings(k=3, views=("tfidf-log", "boolean"), members=5, consensus=rule)
        run = walk(corpus_of(texts()), settings)
    except SettingError:
        pytest.skip("entropy clustering is not there")
    order = np.random.default_rng(1).permutation(61)
    turned = walk(corpus_of(texts()).take(order), settings, jobs=1)
    assert turned.clustering.labels.tolist() == run.clustering.labels[order].tolist()
    assert np.array_equal(turned.ensemble.members.labels, run.ensemble.members.labels[order])
    assert np.array_equal(turned.ensemble.support.agreement, run.ensemble.support.agreement[order], equal_nan=True)
    assert isinstance(run.ensemble.members, Members)


def test_other_documents_go_to_the_nearest_centre_of_the_first_view(made):
    table = pl.read_parquet(made / "run" / "assignments.parquet")
    found = predict_corpus(corpus_of(["wifi router", "a refund of the tax", "qqqq"]), load_run(made / "run"))
    own = dict(zip([0, 1], table["cluster"][1:3], strict=True))
    assert found["cluster"].to_list() == [own[0], own[1], -1]
    assert "tfidf-log" in json.loads((made / "run" / "metrics.json").read_text())["notes"][-1]


def test_one_view_may_have_members(tmp_path):
    run = walk(corpus_of(texts()), Settings(k=3, members=4))
    assert run.ensemble.members.views == ["tfidf-log"] * 4
    write_run(run, tmp_path / "run")
    assert load_run(tmp_path / "run").manifest["settings"]["members"] == 4


@pytest.mark.parametrize("given", [[""], ["", ""], ["one document"], ["same text"] * 4])
def test_degenerate_corpora(given, tmp_path):
    run = walk(corpus_of(given), SETTINGS)
    write_run(run, tmp_path / "run")
    assert load_run(tmp_path / "run").assignments.height == len(given)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"views": ("lsi", "lsi")}, "twice"),
        ({"views": ("lsi", "counts"), "items": "words"}, "documents"),
        ({"members": 0}, "members"),
        ({"consensus": "vote"}, "weighted"),
        ({"alpha": 1.5}, "alpha"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, said):
    with pytest.raises(SettingError, match=said):
        Settings(**settings)


def test_the_command_line_names_what_is_wrong(made, capsys):
    for given, said in ((["--alpha", "much"], "alpha"), (["--view", "lsi", "--view", "lzi"], "did you mean 'lsi'")):
        assert consilience(["cluster", f"{made}/c.jsonl", "--out", f"{made}/other", *given]) == 2
        assert said in capsys.readouterr().err
