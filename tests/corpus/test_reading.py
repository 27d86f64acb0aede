"""What is read is what stands there: against json and csv, and back from what polars writes."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.corpus import jsonl, lines, read, records, sources
from consilience.errors import ConsilienceError, InputError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        '"',
        '""',
        '"a"',
        ',"',
        "\n",
        "\r\n",
        "\r",
        "a\rb",
        "\t",
        "\0",
        " ",
        "a,b;c\td|e",
        "\N{ZERO WIDTH NO-BREAK SPACE}x",
        "''",
    ]
)
SMALL = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture(params=["one block", "many blocks"])
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file in one block, and in blocks of a few lines."""
    if request.param == "many blocks":
        monkeypatch.setattr(sources, "_CHUNK", 7)
        monkeypatch.setattr(sources, "_BITE", 7)
        monkeypatch.setattr(lines, "BLOCK", 30)
        monkeypatch.setattr(records, "BLOCK", 30)


@pytest.mark.usefixtures("blocks")
class TestRoundTrips:
    @SMALL
    @given(st.lists(TEXTS, min_size=1, max_size=8))
    def test_jsonl(self, tmp_path: Path, texts: list[str]) -> None:
        frame = pl.DataFrame({"id": [f"{i:03}" for i in range(len(texts))], "text": texts, "extra": texts[::-1]})
        frame.write_ndjson(tmp_path / "a.jsonl")
        corpus = read(tmp_path / "a.jsonl")
        assert corpus.ids.to_list() == frame["id"].to_list()
        assert corpus.texts.to_list() == texts
        assert corpus.columns.to_dict(as_series=False) == {"extra": texts[::-1]}

    @SMALL
    @given(
        st.lists(TEXTS, min_size=1, max_size=8),
        st.booleans(),
        st.sampled_from([(",", "csv"), (";", "csv"), ("\t", "tsv")]),
    )
    def test_delimited(self, tmp_path: Path, texts: list[str], ascii_only: bool, kind: tuple[str, str]) -> None:
        frame = pl.DataFrame({"id": [f"{i:03}" for i in range(len(texts))], "text": texts, "extra": texts[::-1]})
        file = tmp_path / f"a.{kind[1]}"
        frame.write_csv(file, separator=kind[0], line_terminator="\r\n" if ascii_only else "\n")
        corpus = read(file)
        assert corpus.ids.to_list() == frame["id"].to_list()
        assert corpus.texts.to_list() == texts
        assert corpus.columns["extra"].to_list() == texts[::-1]

    @SMALL
    @given(st.lists(TEXTS, min_size=1, max_size=8))
    def test_one_column(self, tmp_path: Path, texts: list[str]) -> None:
        pl.DataFrame({"text": texts}).write_csv(tmp_path / "a.csv")
        corpus = read(tmp_path / "a.csv")
        assert corpus.texts.to_list() == texts
        assert corpus.ids.to_list() == [str(i + 1) for i in range(len(texts))]

    @SMALL
    @given(st.lists(st.lists(TEXTS.filter(lambda t: "\r" not in t), min_size=2, max_size=2), min_size=1, max_size=8))
    def test_csv_as_python_writes_it(self, tmp_path: Path, rows: list[list[str]]) -> None:
        buffer = io.StringIO(newline="")
        csv.writer(buffer).writerows([["text", "n"], *rows])
        corpus = read(put(tmp_path / "a.csv", buffer.getvalue()))
        assert corpus.texts.to_list() == [text for text, _ in rows]
        assert corpus.columns["n"].fill_null("").to_list() == [n for _, n in rows]

    @SMALL
    @given(
        st.lists(
            st.tuples(st.sampled_from(["a", 'b"c', 'd "e" f', '"g, ""h"""', ""]), st.just("x")), min_size=1, max_size=9
        )
    )
    def test_quotes_inside_fields_as_python_reads_them(self, tmp_path: Path, rows: list[tuple[str, str]]) -> None:
        content = "text,n\n" + "".join(f"{text},{n}\n" for text, n in rows)
        corpus = read(put(tmp_path / "a.csv", content))
        assert corpus.texts.to_list() == [row["text"] for row in csv.DictReader(io.StringIO(content))]

    @SMALL
    @given(
        st.lists(
            st.dictionaries(
                st.sampled_from(["a", "b", "c"]),
                st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=3)
                | st.lists(st.text(max_size=2) | st.integers(0, 9), max_size=2)
                | st.dictionaries(st.sampled_from(["x", "y"]), st.integers(0, 9), max_size=2),
                max_size=3,
            ),
            min_size=1,
            max_size=12,
        )
    )  # fmt: skip
    def test_columns_of_changing_types_are_all_kept(self, tmp_path: Path, rows: list[dict[str, object]]) -> None:
        content = "".join(json.dumps({"text": f"t{i}"} | row) + "\n" for i, row in enumerate(rows))
        corpus = read(put(tmp_path / "a.jsonl", content), label="none")
        assert corpus.texts.to_list() == [f"t{i}" for i in range(len(rows))]
        assert set(corpus.columns.columns) == {name for row in rows for name in row}
        for name in corpus.columns.columns:
            for row, cell in zip(rows, corpus.columns[name].to_list(), strict=True):
                assert same_value(row.get(name), cell)

    def test_the_hash_is_of_the_raw_bytes(self, tmp_path: Path) -> None:
        packed = gzip.compress(b'{"text": "a"}\n{"text": "b"}\n')
        corpus = read(put(tmp_path / "a.jsonl.gz", packed))
        assert corpus.recipe.settings["sha256"] == hashlib.sha256(packed).hexdigest()
        assert corpus.recipe.settings["bytes"] == len(packed)
        assert json.dumps(corpus.recipe.as_json())

    @pytest.mark.parametrize(("squeeze", "ending"), [(gzip.compress, ".gz"), (zstandard.compress, ".zst")])
    def test_packed(self, tmp_path: Path, squeeze: Callable[[bytes], bytes], ending: str) -> None:
        """One member or several, told by the name or by the first bytes alone; gzip may be padded with zeros."""
        content = "".join(json.dumps({"text": f"text {i}"}) + "\n" for i in range(50)).encode()
        packed = [squeeze(content), squeeze(content[:300]) + squeeze(content[300:])]
        if ending == ".gz":
            packed.append(squeeze(content) + bytes(40))
        for name in (f"a.jsonl{ending}", "a.jsonl"):
            for raw in packed:
                assert read(put(tmp_path / name, raw)).texts.to_list() == [f"text {i}" for i in range(50)]

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-32"])
    @pytest.mark.parametrize("kind", ["csv", "jsonl", "txt", "folder"])
    def test_encodings(self, tmp_path: Path, encoding: str, kind: str) -> None:
        content = {
            "csv": "id,text\n1,né\n2,ça\n",
            "jsonl": '{"id": 1, "text": "né"}\n{"id": 2, "text": "ça"}\n',
            "txt": "né\nça\n",
        }
        if kind == "folder":
            put(tmp_path / "1.txt", "né".encode(encoding))
            put(tmp_path / "2.txt", "ça".encode(encoding))
            file = tmp_path
        else:
            file = put(tmp_path / f"a.{kind}", content[kind].encode(encoding))
        corpus = read(file, encoding=encoding)
        assert corpus.texts.to_list() == ["né", "ça"]
        assert corpus.ids.to_list() == ["1", "2"]

    def test_a_mark_at_the_start_needs_no_word(self, tmp_path: Path) -> None:
        assert read(put(tmp_path / "a.csv", b"\xef\xbb\xbftext,n\nx,1\n")).texts.to_list() == ["x"]
        assert read(put(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"text": "x"}')).texts.to_list() == ["x"]

    def test_line_ends_and_blank_lines(self, tmp_path: Path) -> None:
        for end in ("\n", "\r\n"):
            csv_file = put(tmp_path / "a.csv", end.join(["", "text,n", "", "a,1", "", '"b', 'c",2']))
            assert read(csv_file).texts.to_list() == ["a", f"b{end}c"]
            json_file = put(tmp_path / "a.jsonl", end.join(["", '{"text": "a"}', "  ", '{"text": "b"}']))
            assert read(json_file).texts.to_list() == ["a", "b"]
            assert read(put(tmp_path / "a.txt", end.join(["a", "", "b"]))).texts.to_list() == ["a", "b"]
        assert read(tmp_path / "a.txt").ids.to_list() == ["1", "3"]

    def test_lone_surrogates_become_replacement_characters(self, tmp_path: Path) -> None:
        escapes = [
            r"\ud800",
            r"x\udc00y",
            r"\ud83d\ude00",
            r"\ud83d\ud83d\ude00",
            r"\\ud800",
            r"\\\ud800",
            r"\uD83D",
            r"\\\\udc00",
        ]
        file = put(tmp_path / "a.jsonl", "".join(f'{{"text": "{e}"}}\n' for e in escapes))
        expected = [
            "".join("�" if "\ud800" <= c <= "\udfff" else c for c in json.loads(f'"{escape}"')) for escape in escapes
        ]
        assert read(file).texts.to_list() == expected

    def test_a_nul_is_a_character(self, tmp_path: Path) -> None:
        assert read(put(tmp_path / "a.jsonl", r'{"text": "a\u0000b"}')).texts.to_list() == ["a\0b"]
        assert read(put(tmp_path / "a.csv", "text,n\na\0b,1\n")).texts.to_list() == ["a\0b"]

    def test_tsv_with_quotes_as_characters(self, tmp_path: Path) -> None:
        file = put(tmp_path / "a.tsv", 'id\ttext\n1\t"Hello" he said\n2\t5" screen\n3\t"x"\n')
        assert read(file).texts.to_list() == ['"Hello" he said', '5" screen', '"x"']

    def test_broken_lines_are_left_out_and_counted(self, tmp_path: Path) -> None:
        file = put(tmp_path / "a.jsonl", '{"text": "a"}\n{"text": \n[1]\n{"text": "b"}\n{"text": NaN}\n')
        corpus = read(file, skip_bad=True)
        assert (corpus.texts.to_list(), corpus.skipped) == (["a", "b"], 3)
        file = put(tmp_path / "a.csv", b"text,n\na,1\nb\nc,2,3\n\xe9,1\nd,4\n")
        corpus = read(file, skip_bad=True)
        assert (corpus.texts.to_list(), corpus.columns["n"].to_list(), corpus.skipped) == (["a", "d"], ["1", "4"], 3)
        file = put(tmp_path / "b.csv", b'text,n\n5" x,1\nb\n"c"d,2\n\xe9,1\nd,4\n"never,\nclosed,\n')
        corpus = read(file, skip_bad=True)
        assert (corpus.texts.to_list(), corpus.skipped) == (['5" x', "d"], 5)

    def test_no_matter_how_long_a_line_is(self, tmp_path: Path) -> None:
        long = "word " * 300_000
        for name, content in {
            "a.jsonl": json.dumps({"text": long}) + '\n{"text": "b"}\n',
            "a.csv": f'text,n\n"{long}",1\nb,2\n',
            "b.csv": f'text,n\n{long}"x,1\nb,2\n',
        }.items():
            corpus = read(put(tmp_path / name, content))
            assert len(corpus) == 2
            assert corpus.texts[0].removesuffix('"x') == long

    def test_the_border_between_blocks_never_shows_in_types(self, tmp_path: Path) -> None:
        rows = [{"text": "a", "v": 1}] * 9 + [{"text": "b", "v": 2.5}] * 9 + [{"text": "c", "v": "x"}] * 9
        file = put(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        assert read(file).columns["v"].to_list() == ["1"] * 9 + ["2.5"] * 9 + ["x"] * 9

    @pytest.mark.parametrize(
        ("first", "second", "cells"),
        [
            ([1], [[2]], ["[1]", "[[2]]"]),
            ([1], [{"x": 2}], ["[1]", '[{"x": 2}]']),
            ({"x": 1}, [3], ['{"x": 1}', "[3]"]),
            ({"x": 1}, {"y": "z"}, [{"x": 1, "y": None}, {"x": None, "y": "z"}]),
            ([1], ["a"], [["1"], ["a"]]),
            (True, 2, ["true", "2"]),
            (1, 2**80, [1, 2**80]),
            ([], None, [[], None]),
            ({}, None, ["{}", None]),
        ],
    )
    def test_types_that_meet(self, tmp_path: Path, first: object, second: object, cells: list[object]) -> None:
        content = "".join(json.dumps({"text": "t", "v": value}) + "\n" for value in (first, second))
        assert read(put(tmp_path / "a.jsonl", content)).columns["v"].to_list() == cells


def same_value(given: object, cell: object) -> bool:
    """Whether a cell still says what the JSON value said, as itself, as a string or as JSON text."""
    if isinstance(cell, dict):
        return (
            isinstance(given, dict)
            and given.keys() <= cell.keys()
            and all(same_value(given.get(key), part) for key, part in cell.items())
        )
    if isinstance(cell, list):
        return isinstance(given, list) and all(map(same_value, given, cell)) and len(given) == len(cell)
    if given is None or cell is None:
        return given is cell
    if isinstance(cell, str) and not isinstance(given, str):
        value = json.loads(cell, strict=False)  # polars leaves rare control characters as they are
        return same_value(given, value) if isinstance(value, dict | list) else value == given
    return given == cell


@pytest.mark.parametrize("name", ["20newsgroups_bydate", "reuters21578", "fr_debian_descriptions"])
def test_corpora_as_json_reads_them(data, name: str) -> None:
    file = data(f"{name}.jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    corpus = read(file)
    assert corpus.ids.to_list() == [str(row["id"]) for row in rows]
    assert corpus.texts.to_list() == [row["text"] for row in rows]
    for column in corpus.columns.columns:
        assert corpus.columns[column].to_list() == [row.get(column) for row in rows]


def test_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": [7, 8], "text": ["a", None], "topics": [["x", "y"], []]})
    frame.write_parquet(tmp_path / "a.parquet")
    corpus = read(tmp_path / "a.parquet")
    assert corpus.ids.to_list() == ["7", "8"]
    assert corpus.texts.to_list() == ["a", ""]
    assert corpus.label == "topics"
    assert corpus.truth is not None
    assert corpus.truth.to_list() == [["x", "y"], []]
    raw = (tmp_path / "a.parquet").read_bytes()
    assert corpus.recipe.settings["sha256"] == hashlib.sha256(raw).hexdigest()


def test_folder(tmp_path: Path) -> None:
    for name in ("b/c/2.txt", "a/1.txt", "a/0.TXT", "0.txt", ".hidden.txt", ".git/x.txt", "a/notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        put(tmp_path / name, f"text of {name}\r\n")
    corpus = read(tmp_path)
    assert corpus.ids.to_list() == ["0", "a/0", "a/1", "b/c/2"]
    assert corpus.columns["label"].to_list() == [None, "a", "a", "b/c"]
    assert corpus.label == "label"
    assert corpus.texts[3] == "text of b/c/2.txt\r\n"
    assert corpus.recipe.settings["others"] == 1
    before = corpus.recipe.settings["sha256"]
    put(tmp_path / "a/1.txt", "changed")
    assert read(tmp_path).recipe.settings["sha256"] != before


def test_folder_without_subfolders_has_no_labels(tmp_path: Path) -> None:
    put(tmp_path / "a.txt", "")
    corpus = read(tmp_path)
    assert corpus.label is None
    assert corpus.texts.to_list() == [""]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b'\n  {"text": "a", "n": 1}\n', "jsonl"),
        (b"text,n\na,1\n", "csv"),
        (b"text\tn\na\t1\n", "csv"),
        (gzip.compress(b'{"text": "a"}\n', mtime=0), "jsonl"),
        (zstandard.compress(b"text;n\na;1\n"), "csv"),
    ],
)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes, kind: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    corpus = read("-")
    assert corpus.texts.to_list() == ["a"]
    assert corpus.recipe.settings["format"] == kind
    assert corpus.recipe.settings["sha256"] == hashlib.sha256(content).hexdigest()


def test_parquet_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    pl.DataFrame({"text": ["a"]}).write_parquet(buffer)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(buffer.getvalue())))
    assert read("-").texts.to_list() == ["a"]


def test_ids_come_back_as_they_were(tmp_path: Path) -> None:
    assert read(put(tmp_path / "a.csv", "id,text\n007,a\n7,b\n")).ids.to_list() == ["007", "7"]
    assert read(put(tmp_path / "a.jsonl", '{"id":7,"text":"a"}\n{"id":"007","text":"b"}')).ids.to_list() == ["7", "007"]
    assert read(put(tmp_path / "b.jsonl", '{"id":7,"text":"a"}\n{"id":7.5,"text":"b"}')).ids.to_list() == ["7", "7.5"]


def test_labels_that_are_strings_and_lists_become_lists(tmp_path: Path) -> None:
    rows = [{"text": "a", "topics": t} for t in (["x", 'y"z'], "solo", None, [], [1, None], "[not a list")]
    corpus = read(put(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))
    assert corpus.columns["topics"].to_list() == [["x", 'y"z'], ["solo"], None, [], ["1"], ["[not a list"]]
    assert corpus.truth is not None
    assert corpus.truth[5].to_list() == ["[not a list"]


def test_blocks_end_at_line_ends_whatever_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 10)
    content = b'{"a": 1}\n{"b": 2}\n{"c": 3}'
    for step in range(1, len(content)):
        chunks = [content[i : i + step] for i in range(0, len(content), step)]
        blocks = list(lines.line_blocks(chunks))
        assert b"".join(block.data for block in blocks) == content
        assert all(block.data.endswith(b"\n") for block in blocks[:-1])
        starts = [content.index(block.data) for block in blocks]
        assert [block.line for block in blocks] == [1 + content[:start].count(b"\n") for start in starts]


def test_any_bytes_give_a_corpus_or_one_of_our_errors(tmp_path: Path) -> None:
    @SMALL
    @given(st.binary(max_size=60), st.sampled_from(["csv", "tsv", "jsonl", "txt", "parquet", "csv.gz", "jsonl.zst"]))
    def outcome(content: bytes, ending: str) -> None:
        file = put(tmp_path / f"a.{ending}", content)
        try:
            assert len(read(file, skip_bad=True)) > 0
        except ConsilienceError as problem:
            one_line = "\n" not in str(problem)
        else:
            one_line = True
        assert one_line

    outcome()


def test_without_surrogates_nothing_is_copied() -> None:
    data = rb'{"a": "\n \u00e9"}'
    assert jsonl._without_lone_surrogates(data) is data


def test_no_documents_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no documents"):
        read(put(tmp_path / "a.txt", "\n\n"))


def test_titles_that_are_missing_or_come_twice_get_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,a,,a,a_2,a\nx,1,2,3,4,5\n")
    assert read(tmp_path / "t.csv").columns.columns == ["a", "column_3", "a_2", "a_2_2", "a_3"]


def test_fifty_thousand_columns_of_one_title_take_no_time(tmp_path: Path) -> None:
    from consilience.corpus.delimited import _distinct

    assert len(set(_distinct(["c"] * 50_000))) == 50_000
