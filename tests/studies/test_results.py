import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from consilience import catalogue
from consilience.errors import InputError, SettingError
from consilience.reports.curves import curves
from consilience.studies import Figure, Point, Row, Table, reproduce
from consilience.studies._results import mean_row


def test_rows_of_several_runs():
    row = mean_row("k", 4.0, [3, 4, 8])
    assert row == Row("k", 4.0, 5.0, pytest.approx(np.std([3, 4, 8], ddof=1)))
    assert mean_row("k", None, [3.0]).spread is None


def test_numbers_are_printed_in_six_digits_and_counts_whole():
    made = Table("t", [Row("a", 0.1, 1 / 3), Row("b", None, 1234567)]).as_json()
    assert [row["ours"] for row in made["rows"]] == [0.333333, 1234567]


def test_a_figure_is_a_table_too():
    figure = Figure("Figure 1", "members", "entropy", {"nouns": [Point(5, 0.5, 0.1)]}, {("nouns", 5): 0.6})
    assert figure.table().rows == [Row("nouns, members = 5", 0.6, 0.5, 0.1)]


def test_a_missing_corpus_is_named(tmp_path):
    for name in catalogue.names("studies"):
        needs = catalogue.load("studies", name).NEEDS
        with pytest.raises(InputError, match=needs[0]):
            reproduce(name, tmp_path)


def test_no_runs_are_refused(tmp_path):
    for name in catalogue.names("studies"):
        with pytest.raises(SettingError, match="1 or more"):
            reproduce(name, tmp_path, runs=0)


@pytest.mark.parametrize(
    "drawn",
    [
        {},
        {"one": [(1, 2, 0)]},
        {"same": [(1, 2, 0), (2, 2, 0)], "<b>": [(1, 2, 0), (2, 2, 0)]},
        {"large": [(1e6, -1e9, 1e8), (2e6, 1e9, 0)]},
    ],
)
def test_curves_are_drawn_inside_their_paper(drawn):
    tree = ET.fromstring(curves("a & b", "x", "y", drawn))
    ns = "{http://www.w3.org/2000/svg}"
    circles = list(tree.iter(f"{ns}circle"))
    assert len(circles) == sum(len(curve) for curve in drawn.values())
    for circle in circles:
        assert 0 <= float(circle.get("cx")) <= 760
        assert 0 <= float(circle.get("cy")) <= 460
    heights = sorted(float(t.get("y")) for t in tree.iter(f"{ns}text") if t.get("class", "").startswith("f"))
    assert all(b - a >= 16.9 for a, b in itertools.pairwise(heights))
