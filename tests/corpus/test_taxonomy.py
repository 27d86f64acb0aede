import pytest

from consilience.corpus.taxonomy import at_depth, depth_of, separator_of
from consilience.errors import ConsilienceError

GROUPS = ["comp.os.ms-windows.misc", "comp.graphics", "rec.sport.hockey", "rec.autos", "alt.atheism"]


@pytest.mark.parametrize(
    ("classes", "separator"),
    [
        (GROUPS, "."),
        (["rec/sport/hockey", "rec/autos", "sci/space"], "/"),
        (["Science > Physics", "Science > Chemistry", "Arts > Music"], " > "),
        (["a::b", "a::c", "d::e"], "::"),
        (["a\\b", "a\\c", "d\\e"], "\\"),
        (["grain", "trade", "money-fx"], None),
        (["and/or", "yes", "no"], None),  # one of three
        (["1.5", "2.5", "2.0"], None),  # numbers
        (["1/2", "1/4", "3/4"], None),
        (["Mr. Smith", "Mr. Jones", "Ms. Fox"], None),  # a point at a word's end
        (["v1.2", "v1.3", "v2.1"], None),
        (["x/", "y/", "/z"], None),  # empty parts
        (["a/b", "a/c", "a/d"], None),  # one top: nothing to judge there
        (["a/b", "c/d", "e/f"], None),  # every top has one: nothing is brought together
        ([], None),
        (["one"], None),
    ],
)
def test_separators_are_taken_where_classes_are_paths(classes: list[str], separator: str | None) -> None:
    assert separator_of(classes) == separator


def test_paths_are_cut() -> None:
    assert depth_of(GROUPS, ".") == 4
    assert at_depth(GROUPS, ".", 1) == ["comp", "comp", "rec", "rec", "alt"]
    assert at_depth(GROUPS, ".", 3)[0] == "comp.os.ms-windows"
    assert at_depth(GROUPS, ".", 4) == GROUPS


def test_the_separator_may_be_said() -> None:
    assert separator_of(GROUPS, "none") is None
    assert separator_of(["a-b", "c"], "-") == "-"
    with pytest.raises(ConsilienceError, match=r"no class holds the separator '/'; classes are like 'comp"):
        separator_of(GROUPS, "/")
