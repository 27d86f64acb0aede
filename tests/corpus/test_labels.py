import polars as pl
import pytest

from consilience.corpus import read, read_labels, with_truth
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
