"""Every input that cannot be read is refused in one line that says what came, where, and what to do."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path

import polars as pl
import pytest
import zstandard

from consilience.corpus import read, records
from consilience.errors import BrokenLines, ConsilienceError, DuplicateIds, InputError, MissingColumn, SettingError

_ROWS = "".join(json.dumps({"id": i, "text": f"text {i}"}) + "\n" for i in range(2000)).encode()


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame({"text": [f"text {i}" for i in range(2000)]}).write_parquet(buffer)
    return buffer.getvalue()


def _flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(255 - byte for byte in content[middle : middle + 40]) + content[middle + 40 :]


# name of the file, its content, the error, and what its message must say
CASES: dict[str, tuple[str, bytes, type[ConsilienceError], list[str]]] = {
    "broken JSON": (
        "a.jsonl",
        b'{"text": "a"}\n\n{"text": \n{"text": "b"}\nx\n',
        BrokenLines,
        ["line 3", "not JSON", "2 broken lines", "--skip-bad"],
    ),
    "one broken line": ("a.jsonl", b'{"text": "a"\n', BrokenLines, ["line 1", "1 broken line ", "leave it out"]),
    "two objects on a line": ("a.jsonl", b'{"text": "a"} {"text": "b"}\n', BrokenLines, ["line 1", "Extra data"]),
    "an array": ("a.jsonl", b'{"text": "a"}\n["b"]\n', BrokenLines, ["line 2", "object", "an array"]),
    "only arrays": ("a.jsonl", b'[{"text": "a"}]\n[{"text": "b"}]\n', BrokenLines, ["line 1", "an array", "2 broken"]),
    "a number": ("a.jsonl", b'{"text": "a"}\n5\n', BrokenLines, ["line 2", "a number"]),
    "null": ("a.jsonl", b'null\n{"text": "a"}\n', BrokenLines, ["line 1", "null"]),
    "NaN": ("a.jsonl", b'{"text": "a", "x": NaN}\n', BrokenLines, ["line 1", "NaN"]),
    "raw NUL in JSON": ("a.jsonl", b'{"text": "a\0"}\n', BrokenLines, ["line 1", "control character"]),
    "number out of range": (
        "a.jsonl",
        b'{"text": "a", "x": 1}\n{"text": "a", "x": 1e999}\n',
        BrokenLines,
        ["line 2", "out of range"],
    ),
    "too deep": (
        "a.jsonl",
        b'{"text": "a"}\n{"x": ' + b"[" * 3000 + b"]" * 3000 + b"}\n",
        BrokenLines,
        ["line 2", "1 broken"],
    ),
    "JSON in Latin-1": (
        "a.jsonl",
        '{"text": "a"}\n{"text": "né"}\n'.encode("latin-1"),
        BrokenLines,
        ["line 2", "0xe9", "--encoding (latin-1"],
    ),
    "CSV in Latin-1": ("a.csv", "text,n\na,1\nné,2\n".encode("latin-1"), BrokenLines, ["line 3", "0xe9", "--encoding"]),
    "header in Latin-1": ("a.csv", "text,né\na,1\n".encode("latin-1"), InputError, ["header", "0xe9", "--encoding"]),
    "quoted CSV in Latin-1": (
        "a.csv",
        'text,n\n"a\nb",1\n"n\né",2\n'.encode("latin-1"),
        BrokenLines,
        ["line 4", "0xe9", "--encoding"],
    ),
    "text in Latin-1": ("a.txt", "a\nné\n".encode("latin-1"), BrokenLines, ["line 2", "0xe9", "--encoding"]),
    "UTF-16 unsaid": ("a.csv", "text,n\na,1\n".encode("utf-16"), InputError, ["NUL", "--encoding utf-16"]),
    "UTF-16 without a mark": ("a.csv", "text,n\na,1\n".encode("utf-16-le"), InputError, ["NUL", "utf-16"]),
    "too few fields": ("a.csv", b'text,n\n"a\nb",1\nc\nd,2\ne\n', BrokenLines, ["line 4", "1 field where", "2 broken"]),
    "too many fields": ("a.tsv", b"text\tn\na\t1\nb\t2\t3\n", BrokenLines, ["line 3", "3 fields", "has 2"]),
    "too few fields, stray quotes": ("a.csv", b'text,n\n5" b,1\nc\n', BrokenLines, ["line 3", "1 field where"]),
    "text after a closed quote": ("a.csv", b'text,n\n"a"b,1\nc,2\n', BrokenLines, ["line 2", "1 broken"]),
    "a quote never closed": ("a.csv", b'text,n\na,1\n"b,2\nc,3\n', BrokenLines, ["line 3", "never closed", "2 broken"]),
    "lone carriage returns": ("a.csv", b"text,n\ra,1\rb,2\r", InputError, ["carriage return"]),
    "empty file": ("a.jsonl", b"", InputError, ["no documents"]),
    "empty table": ("a.csv", b"", InputError, ["no documents"]),
    "blank file": ("a.csv", b"\n \n", InputError, ["no documents"]),
    "empty packed file": ("a.csv.gz", gzip.compress(b""), InputError, ["no documents"]),
    "zero bytes named .gz": ("a.csv.gz", b"", InputError, ["no documents"]),
    "header only": ("a.csv", b"id,text\n", InputError, ["no documents"]),
    "wrong ending": ("a.docx", b"x", InputError, [".docx", ".jsonl", "folder"]),
    "JSON file": ("a.json", b"[]", InputError, [".jsonl", "one JSON object a line"]),
    "no ending": ("corpus", b"x", InputError, ["ending"]),
    "no text column": ("a.csv", b"id,a,b\n1,x,y\n", MissingColumn, ["no column 'text'", "id, a, b", "--text COLUMN"]),
    "empty id": ("a.csv", b"id,text\n1,a\n,b\n", InputError, ["row 2", "'id'", "--id none"]),
    "null id": ("a.jsonl", b'{"id": 1, "text": "a"}\n{"text": "b"}\n', InputError, ["row 2", "'id'"]),
    "twice the same id": (
        "a.csv",
        b"id,text\n1,a\n7,b\n2,c\n7,d\n7,e\n",
        DuplicateIds,
        ["'7'", "row 2 ", "row 4;", "2 such rows"],
    ),
    "truncated gzip": ("a.jsonl.gz", gzip.compress(_ROWS)[:-20], InputError, ["breaks off", "gzip"]),
    "gzip without its checksum": ("a.jsonl.gz", gzip.compress(_ROWS)[:-8], InputError, ["breaks off", "gzip"]),
    "damaged gzip": ("a.jsonl.gz", _flipped(gzip.compress(_ROWS)), InputError, ["damaged gzip"]),
    "gzip and something else": ("a.jsonl.gz", gzip.compress(_ROWS) + b"junk", InputError, ["damaged gzip"]),
    "no gzip": ("a.jsonl.gz", _ROWS, InputError, ["named as gzip"]),
    "zstd named .gz": ("a.jsonl.gz", zstandard.compress(_ROWS), InputError, ["named as gzip"]),
    "gzip of a gzip": ("a.jsonl.gz", gzip.compress(gzip.compress(_ROWS)), InputError, ["another packed file"]),
    "gzip of Parquet": ("a.csv.gz", gzip.compress(_parquet()), InputError, ["another packed file"]),
    "packed Parquet": ("a.parquet.gz", gzip.compress(_parquet()), InputError, ["packed Parquet"]),
    "gzip of a picture": ("a.csv.gz", gzip.compress(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), InputError, ["0x89"]),
    "truncated zstd": ("a.jsonl.zst", zstandard.compress(_ROWS)[:-20], InputError, ["breaks off", "zstd"]),
    "damaged zstd": ("a.jsonl.zst", _flipped(zstandard.compress(_ROWS)), InputError, ["damaged zstd"]),
    "no Parquet": ("a.parquet", _ROWS, InputError, ["no Parquet file"]),
    "empty Parquet file": ("a.parquet", b"", InputError, ["no Parquet file"]),
    "truncated Parquet": ("a.parquet", _parquet()[:-200], InputError, ["damaged"]),
    "damaged Parquet": ("a.parquet", _parquet()[:-300] + b"\xff" * 292 + _parquet()[-8:], InputError, ["damaged"]),
    "texts that are lists": ("a.jsonl", b'{"text": ["a", "b"]}\n', InputError, ["'text' holds lists"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_refused(tmp_path: Path, case: str) -> None:
    name, content, error, words = CASES[case]
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(error) as caught:
        read(file)
    message = str(caught.value)
    assert str(file) in message
    assert "\n" not in message
    for word in words:
        assert word in message


def test_named_columns_that_are_missing(tmp_path: Path) -> None:
    file = tmp_path / "tickets.csv"
    file.write_text("id,body,date\n1,a,b\n")
    with pytest.raises(MissingColumn) as caught:
        read(file, text="text")
    assert str(caught.value) == f"{file} has no column 'text'; it has: id, body, date. Name it with --text body"
    with pytest.raises(MissingColumn, match="Name it with --label COLUMN"):
        read(file, label="wing")
    with pytest.raises(MissingColumn, match="Name it with --time date"):
        read(file, time="Date")


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "shift_jis", "cp1252"])
def test_bytes_that_the_encoding_does_not_have(tmp_path: Path, encoding: str) -> None:
    bad = b"\x81\xff" if encoding != "utf-16" else b"\x00\xd8\x41\x00"
    file = tmp_path / "a.txt"
    file.write_bytes("line one\nline two ".encode(encoding) + bad)
    with pytest.raises(BrokenLines, match=rf"a\.txt, line 2: byte 0x.* is not {encoding}.*--encoding"):
        read(file, encoding=encoding)


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "base64", "", "a\0b"])
def test_encodings_that_are_none(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(SettingError, match="latin-1"):
        read(tmp_path, encoding=encoding)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read(tmp_path / "missing.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read("a\0b.csv")
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(InputError, match=r"holds no \.txt files \(and 1 others\)"):
        read(tmp_path)
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"gone\.txt cannot be read"):
        read(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("text\na\n")
    file.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        read(file)


def test_a_broken_file_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"fine")
    (tmp_path / "b.txt").write_bytes(b"one\ntwo \xe9")
    (tmp_path / "c.txt").write_bytes(b"\xe9")
    with pytest.raises(BrokenLines, match=r"b\.txt, line 2: byte 0xe9 is not utf-8; 2 broken files"):
        read(tmp_path)
    corpus = read(tmp_path, skip_bad=True)
    assert (corpus.ids.to_list(), corpus.skipped) == (["a"], 2)


def test_all_lines_broken(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"x\ny\n")
    with pytest.raises(InputError, match="no documents beside 2 broken lines"):
        read(file, skip_bad=True)


def test_standard_input_that_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="standard input holds no documents"):
        read("-")


def test_a_quote_that_swallows_the_rest_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BLOCK", 100)
    monkeypatch.setattr(records, "LONGEST", 1000)
    file = tmp_path / "a.csv"
    file.write_text('text,n\n"a,1\n' + "b,2\n" * 3_000_000)
    with pytest.raises(BrokenLines, match=r"line 2: a quote that opens here is never closed; 3000001 broken lines"):
        read(file)


def test_strip_names(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cannot strip 'footers'; what can be stripped: headers, quotes, signatures"):
        read(tmp_path, strip=("headers", "footers"))
