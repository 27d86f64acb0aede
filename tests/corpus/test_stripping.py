"""Headers, quotes and signatures go; text that only looks a little like them stays."""

from __future__ import annotations

import polars as pl
import pytest

from consilience.corpus import read, strip


def stripped(text: str, *parts: str) -> str:
    return strip(pl.Series("text", [text]), parts)[0]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("From: a@b\nSubject: x\n\nbody\n\nmore", "body\n\nmore"),
        ("Subject: x\r\nTo: y\r\n\r\nbody", "body"),
        ("Subject: x\n\nbody", "body"),
        ("From a@b Mon Jan 1\nReturn-Path: <a@b>\n\nbody", "body"),
        ("X-Odd: 1\nFrom: a@b\n\nbody", "body"),
        ("Received: by x\n\tfrom y\n  with z\nDate: today\n\nbody", "body"),
        ("From: a@b\nReferences: <1>\n<broken over the line>\nLines: 3\n\nbody", "body"),
        (" one!two!three\nSubject: x\n\nbody", "body"),
        ("From: a@b\nSubject: only headers", ""),
        ("Note: this is text\nand so is this\n\nbody", "Note: this is text\nand so is this\n\nbody"),
        ("Hello,\nSubject: x\n\nbody", "Hello,\nSubject: x\n\nbody"),
        ("first\n\nFrom: a@b\nSubject: forwarded\n\nbody", "first\n\nFrom: a@b\nSubject: forwarded\n\nbody"),
        ("", ""),
    ],
)
def test_headers(text: str, rest: str) -> None:
    assert stripped(text, "headers") == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("> quoted\n>> twice\nmine", "mine"),
        ("| quoted\nmine\n  > last", "mine"),
        ("JS> quoted\nmine", "mine"),
        ("In article <1@x> a@b (A B) writes:\n>x\nmine", "mine"),
        ("In article <1@x>,\na@b (A B) writes:\n>x\nmine", "mine"),
        ("In article <1@x>, a@b\n(A B) wrote in alt.test:\n>x\nmine", "mine"),
        ("From article <1@x>, by a@b (A B):\n> x\nmine", "mine"),
        ("A B <a@b> wrote:\r\n> x\r\nmine", "mine"),
        ("On Mon, 1 Jan 2024 at 10:00, A B <a@b> wrote:\n> x\nmine", "mine"),
        ("On Mon, 1 Jan 2024 at 10:00, A B\n<a@b> wrote:\n> x\nmine", "mine"),
        ("Am 1.1.2024 schrieb A B:\nmine", "Am 1.1.2024 schrieb A B:\nmine"),
        ("5 > 3 and x | y", "5 > 3 and x | y"),
        ("He wrote: go on\nand on", "He wrote: go on\nand on"),
        ("In article 5 of the law\nwe read this", "In article 5 of the law\nwe read this"),
    ],
)
def test_quotes(text: str, rest: str) -> None:
    assert stripped(text, "quotes") == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("body\n-- \nA B\na@b", "body"),
        ("body\r\n-- \r\nA B\r\n", "body"),
        ("body\n--\nA B\n\nline\n", "body"),
        ("body\n-- \nkept?\n-- \nA B", "body"),
        ("body\n-------\nA B | a@b\n-------\n", "body"),
        ("body\n\n==\nA B", "body"),
        ("body\n-- \n" + "line\n" * 40, "body\n-- \n" + "line\n" * 39 + "line"),
        ("Title\n=====\n\nbody\n\nmore", "Title\n=====\n\nbody\n\nmore"),
        ("a -- b\n--c\nd", "a -- b\n--c\nd"),
    ],
)
def test_signatures(text: str, rest: str) -> None:
    assert stripped(text, "signatures") == rest


def test_parts_are_stripped_in_their_own_order() -> None:
    text = "From: a\nSubject: b\n\nX wrote:\n> old\nnew\n-- \nme"
    assert stripped(text, "signatures", "quotes", "headers") == "new"
    assert stripped(text, "headers") == "X wrote:\n> old\nnew\n-- \nme"
    assert stripped("  as it was\n") == "as it was"


def test_long_and_hostile_texts_take_linear_time() -> None:
    for text in ("a:" * 500_000, ">" * 1_000_000, "In article <" * 80_000, "-\n" * 500_000, "On \n" * 250_000):
        assert isinstance(stripped(text, "headers", "quotes", "signatures"), str)


def test_posts(data) -> None:
    """Nearly every post has headers, two in three quote, and nobody's own words are all gone."""
    file = data("20newsgroups_bydate.jsonl.gz")
    whole, bare = read(file).texts, read(file, strip=("headers", "quotes", "signatures")).texts
    headless = strip(whole, "headers")
    assert (headless.str.len_bytes() < whole.str.len_bytes()).mean() > 0.999
    fields = r"\A(?:From|Subject|Newsgroups|Lines): .*\n(?:From|Subject|Newsgroups|Lines): "
    assert headless.str.contains(fields).mean() < 0.005  # some bodies are a whole post passed on
    assert bare.str.contains(r"(?m)^>").sum() == 0
    quoting = strip(whole, "quotes").str.len_bytes() < whole.str.strip_chars().str.len_bytes()
    assert 0.55 < quoting.mean() < 0.75
    assert 0.55 < bare.str.len_bytes().sum() / whole.str.len_bytes().sum() < 0.75
    assert (bare == "").mean() < 0.01
