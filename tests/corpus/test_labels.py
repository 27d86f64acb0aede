from pathlib import Path

import polars as pl
import pytest

from consilience.corpus import (
    in_common,
    labelling,
    read,
    read_label_table,
    read_labelling,
    read_labels,
    with_truth,
)
from consilience.errors import DuplicateIds, InputError, MissingColumn


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "c.csv").write_text("id,text,kind\n1,one,x\n2,two,y\n3,three,x\n")
    return read(tmp_path / "c.csv")


def test_a_column_of_the_corpus(corpus):
    assert with_truth(corpus, "kind").truth.to_list() == [["x"], ["y"], ["x"]]


def test_a_table_of_ids_and_labels_in_any_order_and_with_gaps(corpus, tmp_path):
    (tmp_path / "gold.tsv").write_text("label\tid\na\t3\nb\t1\nc\t99\n")
    judged = with_truth(corpus, str(tmp_path / "gold.tsv"))
    assert judged.truth.to_list() == [["b"], [], ["a"]]
    assert judged.columns.columns == ["kind", "truth"]


def test_lists_of_classes(corpus, tmp_path):
    pl.DataFrame({"id": ["1", "2"], "topics": [["a", "b"], []]}).write_parquet(tmp_path / "gold.parquet")
    assert with_truth(corpus, str(tmp_path / "gold.parquet")).truth.to_list() == [["a", "b"], [], []]


def test_refusals(corpus, tmp_path):
    with pytest.raises(MissingColumn, match="neither a file nor a column"):
        with_truth(corpus, "kindd")
    (tmp_path / "other.csv").write_text("id,label\n77,a\n")
    with pytest.raises(InputError, match="'77'"):
        with_truth(corpus, str(tmp_path / "other.csv"))
    (tmp_path / "twice.csv").write_text("id,label\n1,a\n1,b\n")
    with pytest.raises(DuplicateIds):
        read_labels(tmp_path / "twice.csv")
    (tmp_path / "none.csv").write_text("id,colour\n1,a\n")
    with pytest.raises(MissingColumn, match="colour"):
        read_labels(tmp_path / "none.csv")


def ids(*names):
    return pl.Series("id", list(names), dtype=pl.String)


def test_a_labelling_keeps_names_and_knows_who_has_none():
    made = labelling(ids("a", "b", "c", "d", "e"), pl.Series(["10", "9", "-1", "nan", ""]))
    assert made.classes.to_list() == ["9", "10"]
    assert made.labels.tolist() == [1, 0, -1, -1, -1]
    assert not made.overlapping
    assert labelling(ids("a", "b"), pl.Series([2.0, float("nan")])).labels.tolist() == [0, -1]


def test_a_labelling_with_several_classes_per_item():
    made = labelling(ids("a", "b", "c"), pl.Series([["y", "x", "y"], [], ["z"]]))
    assert made.sets.toarray().tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert made.labels.tolist() == [0, -1, 2]
    assert made.overlapping


def test_two_labellings_on_what_they_share():
    a = labelling(ids("a", "b", "c"), pl.Series(["x", "y", "z"]))
    b = labelling(ids("c", "q", "a"), pl.Series(["1", "2", "3"]))
    both = in_common(a, b)
    assert both.a.items.to_list() == both.b.items.to_list() == ["a", "c"]
    assert (both.a.labels.tolist(), both.b.labels.tolist()) == ([0, 2], [2, 0])
    assert (both.only_a, both.only_b) == (1, 1)


def test_a_run_folder_is_a_labelling_with_its_degrees(tmp_path):
    pl.DataFrame({"id": ["1", "2"], "cluster": [0, -1]}).write_parquet(tmp_path / "assignments.parquet")
    assert read_labelling(tmp_path).labels.tolist() == [0, -1]
    pl.DataFrame({"id": ["1", "2"], "0": [0.75, 0.0], "1": [0.25, 0.0]}).write_parquet(tmp_path / "memberships.parquet")
    assert read_labelling(tmp_path).sets.toarray().tolist() == [[0.75, 0.25], [0, 0]]


def test_an_item_labelled_twice_is_refused():
    with pytest.raises(DuplicateIds, match="'a'"):
        labelling(ids("a", "a"), pl.Series(["x", "y"]))


def test_of_a_run_the_clusters_are_taken_and_not_the_gold_labels_that_it_keeps(tmp_path: Path) -> None:
    pl.DataFrame({"id": ["a", "b"], "cluster": [1, -1], "label": ["x", "y"]}).write_parquet(
        tmp_path / "assignments.parquet"
    )
    assert read_labelling(tmp_path).labels.tolist() == [0, -1]
    assert read_labels(tmp_path)["label"].to_list() == [1, -1]


def test_columns_may_be_named_and_rows_numbered(tmp_path: Path) -> None:
    file = tmp_path / "topics.csv"
    file.write_text("Document,Topic,mine,label\na text,3,p,g\nanother,-1,q,g\n")
    with pytest.raises(MissingColumn, match=r"has no column 'id'; it has: Document, Topic, mine, label$"):
        read_label_table(file)
    with pytest.raises(MissingColumn, match="or number the rows with --id none"):
        read_label_table(file, flag="--clusters")
    with pytest.raises(MissingColumn, match=r"no column called one of: gold, truth; .* Name it with --clusters COLUMN"):
        read_label_table(file, id="none", usual=("gold", "truth"), flag="--clusters")
    found = read_label_table(file, id="none")
    assert found.ids.to_list() == ["1", "2"]
    assert found.labels.to_list() == ["3", "-1"]
    assert found.frame.columns == ["Document", "Topic", "mine", "label"]
    assert read_label_table(file, id="Document", label="mine").labels.to_list() == ["p", "q"]
    assert read_label_table(file, id="none", not_these=["Topic"]).labels.to_list() == ["g", "g"]
    with pytest.raises(MissingColumn, match="has no column 'theirs'; it has: Document"):
        read_label_table(file, id="none", label="theirs")


def test_what_is_no_label_and_no_table_is_refused(tmp_path: Path) -> None:
    for cells in ([{"a": 1}], [[["x"]]], [b"x"]):
        with pytest.raises(InputError, match=r"the column 'mine' holds .*; labels are names, or lists of names"):
            labelling(ids("a"), pl.Series("mine", cells))
    with pytest.raises(InputError, match=r"is a folder and no run: it has no assignments\.parquet"):
        read_label_table(tmp_path)
    (tmp_path / "empty.csv").touch()
    with pytest.raises(MissingColumn, match="has no column 'id'; it is empty"):
        read_label_table(tmp_path / "empty.csv")


def test_lists_written_as_json_in_a_cell_are_lists(tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    file.write_text('id,label\na,"[""x"", ""y""]"\nb,x\n')
    assert labelling(*read_label_table(file)[:2]).sets.toarray().tolist() == [[1, 1], [1, 0]]
