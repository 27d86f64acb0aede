"""What stands in a folder stands in the documentation."""

import importlib
import inspect
import pkgutil
import re
import shutil
from pathlib import Path

import pytest

import consilience
from consilience import catalogue
from consilience.measures import MEASURES, SET_MEASURES

PAGES = {"vectors": "views.rst", "clusterings": "methods.rst", "measures": "measures.rst"}
MEMBERS = [(family, name) for family in PAGES for name in catalogue.names(family)]
ESTIMATORS = [(family, name) for family, name in MEMBERS if family != "measures"]


def section(page, label):
    """The text from a label to the next one."""
    found = re.search(rf"^\.\. _{re.escape(label)}:\n(.*?)(?=^\.\. _|\Z)", page, re.M | re.S)
    assert found, f"no section {label}"
    return found[1]


def plain(rst):
    """The text without escapes and marks, in one line."""
    return " ".join(rst.replace("\\ ", "").replace("\\", "").replace("``", "`").split())


@pytest.mark.parametrize(("family", "name"), MEMBERS)
def test_every_member_of_a_catalogue_has_its_section_with_its_summary(pages, family, name):
    told = section(pages[PAGES[family]], f"{family}-{name}")
    title = name.replace("-", " ") if family == "measures" else name  # a file, where the others are members by name
    assert f"\n{title}\n---" in told
    assert plain(catalogue.summary(family, name)) in plain(told)


@pytest.mark.parametrize(("family", "name"), ESTIMATORS)
def test_settings_stand_with_their_defaults_and_the_text_of_the_class_letter_by_letter(pages, family, name):
    told, kind = section(pages[PAGES[family]], f"{family}-{name}"), catalogue.get(family, name)
    for setting, value in kind().get_params(deep=False).items():
        assert f"* - ``{setting}``\n        - ``{value!r}``" in told
    wanted = getattr(kind, "default_view", None)
    assert wanted is None or f":View: :ref:`{wanted} <" in told
    if "__doc__" in vars(kind):
        drawn = [line.strip() for line in inspect.getdoc(kind).split("\n") if re.match(r" {4}.* = ", line)]
        listed = re.search(r"^(Settings|Fitted)$", inspect.getdoc(kind), re.M)
        before = drawn if not listed else [line for line in drawn if inspect.getdoc(kind).index(line) < listed.start()]
        assert all(line in told for line in before)


def test_every_measure_is_described_with_its_formula_and_what_it_says_of_itself(pages):
    told = pages["measures.rst"]
    for key, measure in (*MEASURES.items(), *SET_MEASURES.items()):
        path = f"{measure.function.__module__}.{key}"
        assert f"* - :py:func:`{key} <{path}>`\n     - " in told
        assert f".. py:function:: {path}(" in told
        assert plain(measure.formula) in plain(told)
        for _, value in measure.told():
            assert plain(value) in plain(told)
    assert "V = 2 h c / (h + c)" in told


def test_every_file_of_every_folder_has_its_section(written, pages):
    everything = "\n".join(pages.values())
    packages = [found.name for found in pkgutil.iter_modules(consilience.__path__) if found.ispkg]
    files = [(package, module) for package in packages for module in written.members(package)]
    assert {package for package, _ in files} > set(PAGES)
    for package, module in files:
        if package not in ("cli", "kernels"):
            section(everything, written.anchor(package, module))


def test_what_a_folder_hands_on_is_described(pages):
    everything = "\n".join(pages.values())
    for package in ("corpus", "language", "verdicts", "runs"):
        home = importlib.import_module(f"consilience.{package}")
        for name in home.__all__:
            if callable(getattr(home, name)):
                assert re.search(
                    rf"^\.\. py:(class|function):: consilience\.{package}\.[\w.]*\b{name}\b", everything, re.M
                )


def test_every_verb_with_all_its_options(written, pages):
    page, group = pages["commands.rst"], written.program()
    assert len(group.commands) > 5
    for name, verb in group.commands.items():
        told = section(page, f"verb-{name}")
        for parameter in verb.params:
            for flag in parameter.opts if parameter.param_type_name == "option" else [parameter.metavar]:
                assert f"``{flag}``" in told
            assert plain(parameter.help) in plain(told)


NEW = '''"""A new method: found by existing.

Takes O(N) memory and asks for nothing else.
"""


class NewMethod:
    """Does |x| as *it* does, for `any` a_i.

    With c_r the centre of r:

        J = Σ_i min_r ||x_i - c_r||²   (Nobody 1999)

    Settings
        n_clusters: how many
            there may be
        metric: "cosine" or __other__

    Fitted
        labels_, more_: what came out
    """

    default_view = "lsi"
    order_free = True
    predicts_by = "nearest centroid"

    def __init__(self, n_clusters=3, *, metric="cosine", random_state=0):
        pass

    def fit(self, X, y=None):
        pass
'''


def test_a_file_put_into_the_folder_is_documented_by_existing(written, tmp_path, monkeypatch):
    folder = tmp_path / "clusterings"
    for family in PAGES:
        shutil.copytree(Path(catalogue.__file__).with_name(family), tmp_path / family)
    (folder / "new_method.py").write_text(NEW, encoding="utf-8")
    package = importlib.import_module("consilience.clusterings")
    monkeypatch.setattr(catalogue, "__file__", str(tmp_path / "catalogue.py"))
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    page = written.pages()["methods.rst"]
    assert ":ref:`new-method <clusterings-new-method>`" in page
    told = section(page, "clusterings-new-method")
    assert "A new method: found by existing." in told
    assert "Does \\|x\\| as *it* does, for ``any`` a\\_i." in told
    assert "J = Σ_i min_r ||x_i - c_r||²   (Nobody 1999)" in told
    assert ":View: :ref:`lsi <vectors-lsi>`, which this method asks for" in told
    assert ":Order of the items: does not matter" in told
    assert ":Other documents: go by nearest centroid," in told
    assert ":Cost: Takes O(N) memory and asks for nothing else." in told
    assert "* - ``n_clusters``\n        - ``3``\n        - how many there may be" in told
    assert '- "cosine" or \\_\\_other\\_\\_' in told
    assert "* - ``more_``\n        - what came out" in told


def test_a_cost_is_told_only_where_the_text_tells_one(pages):
    assert ":Cost:" in section(pages["methods.rst"], "clusterings-kmeans-course")
    assert ":Cost:" not in section(pages["views.rst"], "vectors-boolean")
