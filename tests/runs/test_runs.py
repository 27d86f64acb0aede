import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import load_file, save_file

from consilience import catalogue
from consilience.corpus import read
from consilience.errors import RunError, SettingError
from consilience.runs import Settings, load_run, predict_corpus, verify, walk, write_run
from consilience.runs.atomic import whole_file, whole_folder
from consilience.runs.folder import clusters
from consilience.vectors import reads
from making import corpus_of


@pytest.fixture(scope="session")
def classic(data):
    return read(data("classic3.jsonl.gz"))


@pytest.fixture(scope="session")
def saved(classic, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "classic"
    run = walk(classic, Settings(k=6))
    write_run(run, folder, pages={"report.html": "<p>page</p>", "figures/map.svg": "<svg/>"})
    return run, folder


def content(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name != "manifest.json"
    }


def test_the_folder_holds_what_it_says(saved, classic):
    run, folder = saved
    loaded = load_run(folder)
    table = loaded.assignments
    assert table.columns[:5] == ["id", "cluster", "confidence", "agreement", "second"]
    assert table["id"].to_list() == classic.ids.to_list()
    assert set(classic.columns.columns) <= set(table.columns)
    assert "text" not in table.columns
    assert table["cluster"].to_numpy().tolist() == run.clustering.labels.tolist()
    assert [c["size"] for c in loaded.clusters] == run.clustering.sizes.tolist()
    assert (table.filter(pl.col("cluster") >= 0)["second"] >= 0).all()
    assert (folder / "figures" / "map.svg").exists()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [step["step"] for step in manifest["recipe"]] == ["read", "tokenise", "refine", "represent", "cluster"]


def test_same_seed_same_bytes_whatever_the_threads_and_the_order_of_rows(saved, classic, tmp_path):
    _, folder = saved
    write_run(walk(classic, Settings(k=6), jobs=1), tmp_path / "one")
    pages = {"report.html", "figures/map.svg"}
    assert content(tmp_path / "one") == {k: v for k, v in content(folder).items() if k not in pages}
    order = np.random.default_rng(3).permutation(len(classic))
    turned = walk(classic.take(order), Settings(k=6))
    before = dict(zip(classic.ids, saved[0].clustering.labels.tolist(), strict=True))
    assert dict(zip(turned.corpus.ids, turned.clustering.labels.tolist(), strict=True)) == before


def test_which_of_two_equal_documents_is_shown_does_not_depend_on_the_order_of_rows():
    texts = ["router cable", "router wifi", "invoice payment", "invoice refund", "stray zebra"] * 8
    corpus = corpus_of(texts)
    order = np.random.default_rng(1).permutation(len(texts))
    run, turned = walk(corpus, Settings(k=3)), walk(corpus.take(order), Settings(k=3))
    assert clusters(run) == clusters(turned)


def test_another_seed_is_another_run(saved, classic):
    assert walk(classic, Settings(k=6, seed=1)).clustering.labels.tolist() != saved[0].clustering.labels.tolist()


@pytest.mark.parametrize("view", catalogue.names("vectors"))
def test_prediction_from_disk_gives_the_run_s_own_labels(classic, tmp_path, view):
    some = classic.take(np.arange(0, len(classic), 5))
    run = walk(some, Settings(k=4, view=view, phrases=reads(view) == "words"))
    write_run(run, tmp_path / "run")
    loaded = load_run(tmp_path / "run")
    table = predict_corpus(some, loaded)
    assert table["cluster"].to_numpy().tolist() == run.clustering.labels.tolist()
    one_by_one = [predict_corpus(some.take(np.array([i])), loaded)["cluster"][0] for i in range(20)]
    assert one_by_one == run.clustering.labels[:20].tolist()
    strange = predict_corpus(corpus_of(["qqqq zzzz", "", "wing pressure"]), loaded)
    assert strange["cluster"].to_list()[:2] == [-1, -1]
    assert strange["cluster"][2] >= 0


def test_verify_finds_nothing_and_then_what_was_changed(saved, tmp_path):
    _, folder = saved
    loaded = load_run(folder)
    assert verify(loaded) == []
    moved = loaded.assignments.with_columns(
        pl.when(pl.col("id") == "MED-1").then(5).otherwise("cluster").alias("cluster")
    )
    moved = moved.with_columns(pl.col("cluster").cast(pl.Int32))
    forged = type(loaded)(folder, loaded.manifest, loaded.clusters, moved, loaded.terms, loaded.view, loaded.method)
    assert verify(forged) == [
        "1 of 3893 documents are in another cluster",
        "assignments.csv is not what assignments.parquet says",
    ]


@pytest.mark.parametrize(
    ("texts", "k", "assigned"),
    [
        (["one document only"], 1, 1),
        (["", ""], 0, 0),
        (["...", "123 456"], 0, 0),
        (["green apple pie"] * 30, 1, 1),
        (["red apple", "", "green pear", "red apple"], 1, 0.75),
    ],
)
def test_degenerate_corpora_have_an_answer(texts, k, assigned, tmp_path):
    run = walk(corpus_of(texts), Settings())
    assert (run.clustering.k, run.clustering.assigned) == (k, assigned)
    write_run(run, tmp_path / "run")
    loaded = load_run(tmp_path / "run")
    assert predict_corpus(corpus_of(texts), loaded)["cluster"].to_list() == run.clustering.labels.tolist()


@pytest.mark.parametrize("method", catalogue.names("clusterings"))
def test_every_method_goes_the_whole_road(classic, tmp_path, method):
    some = classic.take(np.arange(0, len(classic), 8))
    run = walk(some, Settings(method=method, k=4))
    write_run(run, tmp_path / "run")
    loaded = load_run(tmp_path / "run")
    predicted = predict_corpus(some, loaded)["cluster"].to_numpy()
    again = predict_corpus(some.take(np.arange(3)), loaded)["cluster"].to_numpy()
    assert predicted[:3].tolist() == again.tolist()
    if getattr(catalogue.get("clusterings", method), "predicts_by", None) is None:
        assert predicted.tolist() == run.clustering.labels.tolist()
    turned = walk(some.take(np.arange(len(some))[::-1]), Settings(method=method, k=4), jobs=1)
    assert turned.clustering.labels[::-1].tolist() == run.clustering.labels.tolist()


def test_words_are_clustered_by_their_documents(classic, tmp_path):
    run = walk(classic, Settings(items="words", k=8, min_df=10))
    assert run.corpus.ids.to_list() == run.vectors.items.to_list()
    where = dict(zip(run.corpus.texts, run.clustering.labels.tolist(), strict=True))
    assert where["library"] == where["librarians"] != where["laminar"] == where["boundary"]
    write_run(run, tmp_path / "words")
    loaded = load_run(tmp_path / "words")
    assert {"id", "cluster", "df", "count"} <= set(loaded.assignments.columns)
    assert verify(loaded) == []
    with pytest.raises(RunError, match="clusters of words"):
        predict_corpus(classic, loaded)
    with pytest.raises(SettingError, match="view"):
        walk(classic, Settings(items="words", view="lsi"))


def test_a_view_without_a_value_leaves_no_cluster(tmp_path):
    texts = ["green apple pie"] * 3  # terms that stand everywhere: idf 0
    write_run(walk(corpus_of(texts), Settings(view="tfidf-raw")), tmp_path / "run")
    assert predict_corpus(corpus_of(texts), load_run(tmp_path / "run"))["cluster"].to_list() == [-1, -1, -1]


def test_more_clusters_than_documents(tmp_path):
    run = walk(corpus_of(["red apple", "green pear", "blue sky"]), Settings(k=50))
    assert run.clustering.k == 3
    assert any("3 were found" in note for note in run.notes)


def test_settings_are_checked():
    for wrong in ({"k": 0}, {"k": "many"}, {"k": -3}):
        with pytest.raises(SettingError, match="k is"):
            Settings(**wrong)


def test_a_column_of_our_name_is_kept_under_another(tmp_path):
    (tmp_path / "c.csv").write_text("id,text,cluster,second\n1,red apple,x,y\n2,blue sky,z,w\n")
    run = walk(read(tmp_path / "c.csv"), Settings())
    write_run(run, tmp_path / "run", with_texts=True)
    table = load_run(tmp_path / "run").assignments
    assert table.columns == [
        "id",
        "cluster",
        "confidence",
        "agreement",
        "second",
        "outlier",
        "text",
        "input_cluster",
        "input_second",
    ]


def test_formulas_are_harmless_in_csv_and_whole_in_parquet(tmp_path):
    (tmp_path / "c.csv").write_text('id,text,link\n1,red apple,"=HYPERLINK(""http://x"")"\n2,blue sky,-3.5\n')
    write_run(walk(read(tmp_path / "c.csv"), Settings()), tmp_path / "run")
    assert pl.read_parquet(tmp_path / "run" / "assignments.parquet")["link"][0].startswith("=HYPERLINK")
    cells = pl.read_csv(tmp_path / "run" / "assignments.csv")["link"].to_list()
    assert cells == ['\'=HYPERLINK("http://x")', "-3.5"]


# --- folders on disk ----------------------------------------------------------------------------------------------


def test_nothing_of_a_failed_folder_stays(tmp_path):
    def fail() -> None:
        with whole_folder(tmp_path / "out") as part:
            (part / "half").write_text("x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_only_runs_are_replaced_and_only_by_force(tmp_path):
    out = tmp_path / "out"
    with whole_folder(out) as part:
        (part / "manifest.json").write_text("1")
        (part / "assignments.parquet").touch()
    for force, wanted in ((False, "--force"), (True, None)):
        if wanted:
            with pytest.raises(RunError, match=wanted), whole_folder(out, force=force):
                pass
        else:
            with whole_folder(out, force=True) as part:
                (part / "manifest.json").write_text("2")
                (part / "assignments.parquet").touch()
    assert (out / "manifest.json").read_text() == "2"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.doc").write_text("years of work")
    (tmp_path / "mine" / "manifest.json").write_text("{}")  # a name that many folders have
    with pytest.raises(RunError, match="other things"), whole_folder(tmp_path / "mine", force=True):
        pass
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match="is a file"), whole_folder(tmp_path / "file", force=True):
        pass
    with pytest.raises(RunError, match="there already"), whole_file(tmp_path / "file"):
        pass
    for place in (tmp_path / "mine", Path("/dev/null")):
        with pytest.raises(RunError, match="folder or a device"), whole_file(place, force=True):
            pass
    with pytest.raises(RunError, match="is a file"), whole_folder(tmp_path / "file" / "deep" / "run"):
        pass


def test_the_faster_of_two_writers_keeps_its_folder(tmp_path):
    def slower() -> None:
        with whole_folder(tmp_path / "out"):
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "manifest.json").write_text("the faster one's")

    with pytest.raises(RunError):
        slower()
    assert (tmp_path / "out" / "manifest.json").read_text() == "the faster one's"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_writer_of_a_file_left_is_cleared_away(tmp_path):
    (tmp_path / ".out.csv.999999999.part").write_text("half")
    with whole_file(tmp_path / "out.csv") as part:
        part.write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.slow
def test_a_killed_writer_leaves_the_old_folder_or_the_new_one(tmp_path):
    """kill -9 at any moment: the target is whole, and the next writer clears away what was left."""
    write = (
        "import sys, time, itertools; from pathlib import Path; from consilience.runs.atomic import whole_folder\n"
        "for n in itertools.count():\n"
        "    with whole_folder(Path(sys.argv[1]), force=True) as part:\n"
        "        (part / 'manifest.json').write_text(str(n)); (part / 'assignments.parquet').write_text(str(n))\n"
    )
    out = tmp_path / "out"
    for wait in np.linspace(0.4, 0.6, 8):
        writer = subprocess.Popen([sys.executable, "-c", write, str(out)])
        time.sleep(wait)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        with whole_folder(tmp_path / "out", force=True) as part:  # the next writer: sweeps, then replaces
            left = [p.name for p in tmp_path.iterdir() if p != part and p.name != "out"]
            assert left == []
            if out.exists():
                assert (out / "manifest.json").read_text() == (out / "assignments.parquet").read_text()
            (part / "manifest.json").write_text("next")
            (part / "assignments.parquet").write_text("next")


@pytest.mark.parametrize(
    "file",
    ["clusters.json", "assignments.parquet", "model/model.json", "model/model.safetensors", "model/terms.parquet"],
)
def test_damaged_runs_are_refused(saved, tmp_path, file):
    import shutil

    _, folder = saved
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / file).write_bytes(b"\x00garbage{")
    with pytest.raises(RunError, match="damaged"):
        load_run(tmp_path / "run")


@pytest.mark.parametrize(
    "forged",
    [
        {"family": "os", "name": "system", "settings": {}, "fitted": {}},
        {"family": "clusterings", "name": "../../etc", "settings": {}, "fitted": {}},
        {"family": "clusterings", "name": "kmeans", "settings": {"evil": 1}, "fitted": {}},
        {"family": "clusterings", "name": "kmeans", "settings": {}, "fitted": {"predict": 1}},
        {"family": "clusterings", "name": "kmeans", "settings": {}, "fitted": {"__class__": 1}},
        ["not", "an", "object"],
        7,
    ],
)
def test_forged_models_are_refused(saved, tmp_path, forged):
    import shutil

    _, folder = saved
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / "model" / "model.json").write_text(json.dumps({"view": None, "method": forged}))
    with pytest.raises(RunError):
        load_run(tmp_path / "run")


@pytest.fixture
def small(tmp_path):
    (tmp_path / "c.csv").write_text("id,text\n1,red apple pie\n2,green apple\n3,blue sky\n4,grey sky\n")
    write_run(walk(read(tmp_path / "c.csv"), Settings(k=2)), tmp_path / "run")
    return tmp_path / "run"


def edit_json(file, change):
    value = json.loads(file.read_text())
    change(value)
    file.write_text(json.dumps(value))


def edit_arrays(file, change):
    arrays = load_file(file)
    change(arrays)
    save_file(arrays, file)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("manifest.json", lambda made: made.update(recipe=3)),
        ("manifest.json", lambda made: made.update(recipe=[])),
        ("manifest.json", lambda made: made.update(settings=None)),
        ("manifest.json", lambda made: made.update(versions=[])),
        ("manifest.json", lambda made: made["recipe"][0].update(path=5)),
        ("manifest.json", lambda made: made["settings"].update(evil=1)),
        ("clusters.json", lambda found: found.append({"id": 0})),
        ("clusters.json", lambda found: found[0].update(label=5)),
        ("clusters.json", lambda found: found[0].update(id=10**30)),
        ("model/model.json", lambda model: model.pop("method")),
        ("model/model.json", lambda model: model.update(view=model["method"], method=model["view"])),
        ("model/model.json", lambda model: model["view"].update(name="lsi")),
        ("model/model.json", lambda model: model["view"]["fitted"].update(n_documents_="x")),
        ("model/model.safetensors", lambda arrays: arrays.pop("method.cluster_centers_")),
        (
            "model/model.safetensors",
            lambda arrays: arrays.update({"method.cluster_centers_": np.ones((2, 1), np.float32)}),
        ),
        ("model/model.safetensors", lambda arrays: arrays.update({"method.cluster_centers_": np.ones(7, np.float32)})),
        ("model/model.safetensors", lambda arrays: arrays.update({"view.df_": np.ones(2, np.int64)})),
        ("model/model.safetensors", lambda arrays: arrays["method.cluster_centers_"].fill(np.nan)),
    ],
)
def test_runs_edited_by_hand_are_refused_where_they_do_not_fit_together(small, file, change):
    (edit_json if file.endswith(".json") else edit_arrays)(small / file, change)
    with pytest.raises(RunError):
        verify(load_run(small))


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("assignments.csv", lambda file: file.write_text(file.read_text().replace("1,0", "1,1")), "assignments.csv is not"),
        ("clusters.json", lambda file: edit_json(file, lambda found: found[0].update(size=9)), "descriptions"),
        ("model/model.json", lambda file: edit_json(file, lambda model: model["view"]["fitted"].update(n_documents_=9)), "view's"),
        ("model/model.safetensors", lambda file: edit_arrays(file, lambda arrays: arrays["view.df_"].fill(3)), "view.df_"),
        (
            "assignments.parquet",
            lambda file: pl.read_parquet(file).with_columns(second=pl.lit(0, pl.Int32)).write_parquet(file),
            "'second'",
        ),
    ],
)  # fmt: skip
def test_verify_sees_what_was_edited_by_hand(small, file, change, said):
    assert verify(load_run(small)) == []
    change(small / file)
    assert said in "\n".join(verify(load_run(small)))


def test_not_a_run():
    with pytest.raises(RunError, match=r"no manifest\.json"):
        load_run(Path("/"))
