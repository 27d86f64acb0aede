"""Laws of record -> page and record -> figures, without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_records import HOSTILE, hostile, record_of

from consilience.measures import HEADLINES
from consilience.reports import drawn, figures, page
from consilience.reports.colours import COLOURS, spread
from consilience.reports.escaping import as_script_data, clean, cut, escaped
from consilience.reports.words import MEASURES, listed, measure, percent, sentences


class Elements(HTMLParser):
    """What a parser makes of a page: elements with their attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._in = tag
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in self.raw:
            self.raw[self._in][-1] += data


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.text(), st.sampled_from(HOSTILE), st.characters(codec=None))


@given(texts())
def test_data_comes_back_from_a_script_block_as_it_was(text: str) -> None:
    written = as_script_data({"text": text})
    assert json.loads(written) == {"text": text}
    assert not re.search("[<>&\u2028\u2029]", written)
    written.encode("utf-8")


@given(texts())
def test_svg_with_any_text_is_well_formed_and_says_the_text(text: str) -> None:
    said = ElementTree.fromstring(f'<svg a="{escaped(text)}">{escaped(text)}</svg>')
    plain = re.sub("[\u202a-\u202e\u2066-\u2069]", "", clean(text)).replace("\r\n", "\n").replace("\r", "\n")
    assert (said.text or "") == plain


@given(st.text(), st.integers(2, 40))
def test_a_cut_text_is_no_longer_than_asked_and_begins_alike(text: str, characters: int) -> None:
    shown = cut(text, characters)
    assert len(shown) <= characters
    assert " ".join(text.split()).startswith(shown.removesuffix("…"))


@pytest.mark.parametrize(
    "record",
    [
        record_of(0, 0, points=None, notes=[]),
        record_of(1, 1),
        record_of(60, 0),
        record_of(60, 2),
        record_of(400, 77),
        record_of(600, 200),
        hostile(),
    ],
    ids=["no documents", "one", "no clusters", "2", "77", "200", "hostile"],
)
def test_every_page_is_whole_and_asks_for_nothing(record) -> None:
    files = drawn(record)
    for name, text in files.items():
        text.encode("utf-8")
        if name.endswith(".svg"):
            ElementTree.fromstring(text)
            assert not re.search(r"href|<script|url\(|@import", text.replace(escaped(HOSTILE[0]), ""))
    parsed = Elements(files["report.html"])
    for tag, attributes in parsed.found:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcset")], tag
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))
    assert "http" not in re.sub("http-equiv", "", files["report.html"])
    assert [tag for tag, _ in parsed.found].count("script") == 2
    assert drawn(json.loads(files["report.json"])) == files


def test_the_policy_allows_the_pages_own_style_and_script_only() -> None:
    parsed = Elements(page(hostile()))
    policy = next(a["content"] for tag, a in parsed.found if tag == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for kind, text in (("style", parsed.raw["style"][0]), ("script", parsed.raw["script"][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_what_is_not_known_is_not_a_column() -> None:
    record = record_of()
    assert 'data-key="retrieval"' in page(record)
    assert 'data-key="confidence"' not in page(record)
    assert 'data-key="stability"' not in page(record)
    assert "Against the gold labels" not in page(record)
    assert "How clusters join" not in page(record)
    for cluster in record["clusters"]:
        cluster["stability"], cluster["retrieval"] = 0.75, None
    record["measures"] = {"adjusted_rand": {"value": 0.5, "on_assigned": 0.625}}
    record["tree"] = [(0, 1, 0.5), (3, 2, 1.0)]
    known = page(record)
    assert 'data-key="retrieval"' not in known
    assert 'data-key="stability"' in known
    assert "0.625" in known
    assert "How clusters join" in known


def test_without_texts_only_ids_are_left() -> None:
    record = record_of()
    assert record["points"] is not None
    record["points"]["snippet"] = None
    for cluster in record["clusters"]:
        for example in cluster["examples"]:
            example["text"] = None
    made = page(record)
    assert "doc 7" in made
    assert "the text of" not in made
    assert "example of" not in made


def test_paths_of_the_machine_stay_out_of_the_page() -> None:
    assert "/home/someone" not in page(record_of())
    assert "tickets.csv" in page(record_of())


@pytest.mark.parametrize("k", [2, 3, 200])
def test_a_tree_has_a_line_for_every_cluster_and_merge(k: int) -> None:
    chain = [(node, k + node - 2 if node > 1 else 0, float(node)) for node in range(1, k)]
    drawing = figures(record_of(600, k, tree=chain))["tree.svg"]
    root = ElementTree.fromstring(drawing)
    svg = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{svg}circle")) == k
    assert len(root.findall(f"{svg}path")) == k - 1
    heights = {float(circle.attrib["cy"]) for circle in root.findall(f"{svg}circle")}
    assert len(heights) == k


def test_a_forest_is_drawn_too() -> None:
    assert figures(record_of(60, 4, tree=[(0, 1, 0.5)]))["tree.svg"].count("<circle") == 4


def test_later_clusters_take_the_colour_whose_bearers_are_farthest() -> None:
    places = [[100 * i, 0] for i in range(COLOURS)] + [[0, 0], [1900, 0]]
    chosen = spread(places)
    assert chosen[:COLOURS] == list(range(COLOURS))
    assert chosen[COLOURS:] == [COLOURS - 1, 0]
    assert spread([None] * 45) == [i % COLOURS for i in range(45)]


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0%"), (0.0004, "<0.1%"), (0.004, "0.4%"), (0.12, "12%"), (0.9999, "99.9%"), (1, "100%")]
)
def test_a_share_is_never_said_to_be_nothing_or_all_when_it_is_not(share: float, said: str) -> None:
    assert percent(share) == said


def test_steps_are_sentences() -> None:
    recipe = [
        {"step": "read", "path": "a/b.csv", "format": "csv", "bytes": 2_500_000, "strip": ["headers", "quotes"]},
        {"step": "tokenise", "numbers": False, "min_length": 2},
        {"step": "refine", "language": "en", "stop": True, "stem": "porter", "phrases": [], "min_df": 2, "max_df": 1.0},
        {"step": "represent", "view": "lsi", "n_components": 100, "random_state": 0},
        {"step": "cluster", "method": "kmeans", "k": 20, "random_state": 0},
        {"step": "fold_twice", "width": 3},
    ]
    assert sentences(recipe) == [
        "Read b.csv (csv, 2.5 MB) and took headers and quotes off its texts.",
        "Cut the texts into words of at least 2 characters, numbers left out.",
        "Took the language to be English, left out its stop words, reduced words to their stems (the Porter stemmer) "
        "and kept terms that stand in at least 2 documents.",
        "Described every document by its strongest hidden dimensions (LSI) (n components 100).",
        "Grouped the documents by k-means into 20 clusters.",
        "Fold twice (width 3).",
    ]
    assert sentences([{}]) == ["A step."]
    assert listed(["a"]) == "a"


def test_every_measure_has_a_meaning() -> None:
    for name in HEADLINES:
        assert measure(name) == MEASURES[name]
    assert measure("unheard_of") == ("unheard_of", "")
