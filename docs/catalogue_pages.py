"""The pages of the stages, written from the package itself: what stands in a folder stands on its page.

    pages() -> {"methods.rst": text, ...}     setup(app) writes them below docs/generated before Sphinx reads

Nothing here knows a method, a view, a measure or an option by name.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import typer
from docstrings import cost, inline, settings, to_rst

from consilience import catalogue

HERE = Path(__file__).parent
GENERATED = HERE / "generated"


class Stage(NamedTuple):
    """A page: its file's name, title, what it is about, and the package (or the modules) it is made from."""

    page: str
    title: str
    about: str
    packages: tuple[str, ...]


STAGES = (
    Stage(
        "reading",
        "Reading",
        "Files, folders, streams and frames become a `Corpus`: ids, texts, and every other column they came with. "
        "Ids come back as they stand in the file. What cannot be read is refused with file and line, or left out and "
        "counted where you say so.",
        ("corpus",),
    ),
    Stage(
        "language",
        "Language",
        "Texts become `Tokens`: cut by one rule, the language recognised, its stop words left out, words reduced to "
        "stems or lemmas, rare terms left out. Every one of these steps can be set; the recipe keeps what was done.",
        ("language",),
    ),
    Stage(
        "views",
        "Views (vectors)",
        "A view says how much a term weighs in a document. Each is a scikit-learn transformer of a matrix of counts. "
        "With N the number of documents, df_t in how many of them the term t stands, and O[d, t] how often it stands "
        "in document d.",
        ("vectors",),
    ),
    Stage(
        "methods",
        "Methods (clusterings)",
        "A method says which items belong together. Each is a scikit-learn clusterer. On the command line "
        "`n_clusters` is `--k`, `random_state` is `--seed` and `n_jobs` is `--jobs`; from Python all settings are "
        "given to `consilience.cluster` by name.",
        ("clusterings",),
    ),
    Stage(
        "measures",
        "Measures",
        "How well a clustering agrees with gold labels. All of them read one table: how many items each class shares "
        "with each cluster. Gold labels are measured against, never used.",
        ("measures",),
    ),
    Stage(
        "verdicts",
        "Verdicts",
        "What may be said about clusters, classes and words: terms that tell a cluster from the rest, documents that "
        "fit badly, how often classification is right, which words are alike.",
        ("verdicts",),
    ),
    Stage(
        "runs",
        "Runs (the run folder)",
        "The whole road in one call, the folder that keeps everything it found, prediction from it, and the proof "
        "that it comes out again. What each number in the folder means: :doc:`/numbers`.",
        ("runs",),
    ),
    Stage("reports", "Reports", "What a run found, as one page that needs no network, and as figures.", ("reports",)),
    Stage("nouns", "Nouns and errors", "What the stages hand to each other, and all that can be wrong.", ()),
)
_UNSEEN = {"cli", "kernels"}  # the command line has a page of its own kind; kernels are arithmetic behind the stages


def pages() -> dict[str, str]:
    """All generated pages by their file's name."""
    stages = [*STAGES, *_others()]
    made = {f"{stage.page}.rst": _stage(stage) for stage in stages}
    made["commands.rst"] = _commands()
    made["stages.rst"] = _overview(stages)
    return made


def members(package: str) -> list[str]:
    """A folder's modules in the order in which the folder's own text names them, the others after them."""
    home = importlib.import_module(f"consilience.{package}")
    named = re.findall(r"(\w+)\.py", home.__doc__ or "")
    there = sorted(module.name for module in pkgutil.iter_modules(home.__path__) if not module.name.startswith("_"))
    return sorted(there, key=lambda name: (named.index(name) if name in named else len(named), name))


def anchor(*names: str) -> str:
    """The label of a section."""
    return "-".join(names).replace("_", "-").replace(".", "-")


def _others() -> Iterator[Stage]:
    """Folders that no page above is made from."""
    known = {package for stage in STAGES for package in stage.packages} | _UNSEEN
    root = importlib.import_module("consilience")
    for found in pkgutil.iter_modules(root.__path__):
        if found.ispkg and found.name not in known:
            text = importlib.import_module(f"consilience.{found.name}").__doc__ or ""
            yield Stage(found.name, found.name.capitalize(), text.strip().split("\n")[0], (found.name,))


# --- a stage -----------------------------------------------------------------------------------------------------


def _stage(stage: Stage) -> str:
    lines = [*_heading(stage.title, "=", f"stage-{stage.page}"), _prose(stage.about), ""]
    if not stage.packages:
        for name in ("nouns", "errors"):
            lines += _module(importlib.import_module(f"consilience.{name}"), name, None)
    for package in stage.packages:
        home = importlib.import_module(f"consilience.{package}")
        lines += _ahead(package)
        doors = _public(home, home)
        if doors:
            lines += _heading("The door", "-", f"door-{package}")
            for name, thing in doors:
                lines += _described(f"{home.__name__}.{name}", thing)
        for name in members(package):
            lines += _member(package, name) if _is_catalogue(package) else _plain(package, name)
        lines += _behind(package)
        lines += [*_heading("How the folder is laid out", "-", f"layout-{package}"), *to_rst(home.__doc__)]
    return "\n".join(lines).rstrip() + "\n"


def _is_catalogue(package: str) -> bool:
    """Whether every module of the folder holds one estimator."""
    return package in ("vectors", "clusterings")


def _member(package: str, module_name: str) -> list[str]:
    """A view or a method: summary, facts, the class with formula and settings, and what its file says of it."""
    name = module_name.replace("_", "-")
    kind = catalogue.get(package, name)
    module = inspect.getmodule(kind)
    text, rest = inspect.getdoc(kind) if "__doc__" in vars(kind) else None, module.__doc__ if module else None
    lines = [*_heading(name, "-", anchor(package, name)), inline(catalogue.summary(package, name)), ""]
    lines += [f":{title}: {value}" for title, value in _facts(package, kind, text, rest)] + [""]
    lines += [f".. py:class:: {kind.__module__}.{kind.__qualname__}{_signature(kind)}", ""]
    lines += to_rst(text, indent=3)
    said = settings(text)
    rows = [(f"``{p.name}``", _literal(p.default), inline(said.get(p.name, ""))) for p in _parameters(kind)]
    if rows:
        lines += ["   **Settings**", "", *_table(("setting", "default", "what it is"), rows, (22, 18, 60), indent=3)]
    fitted = [(f"``{name}``", inline(meaning)) for name, meaning in settings(text, "Fitted").items()]
    if fitted:
        lines += ["   **Fitted**", "", *_table(("attribute", "what it is"), fitted, (28, 72), indent=3)]
    more = to_rst(rest, skip_first=True)
    if more:
        lines += [".. rubric:: How it works", "", *more]
    return lines


def _facts(package: str, kind: type, text: str | None, rest: str | None) -> Iterator[tuple[str, str]]:
    parameters = {p.name for p in _parameters(kind)}
    if package == "clusterings":
        wanted = getattr(kind, "default_view", None)
        view = wanted or _default("consilience.vectors", "represent", "view")
        reference = f":ref:`{view} <{anchor('vectors', view)}>`"
        yield (
            "View",
            f"{reference}, which this method asks for"
            if wanted
            else f"{reference}, as for every method that asks for no other",
        )
    yield "Chance", "from the seed (``random_state``) alone" if "random_state" in parameters else "none"
    if package == "clusterings" and getattr(kind, "order_free", False):
        yield "Order of the items", "does not matter"
    by = getattr(kind, "predicts_by", None)
    if by:
        yield "Other documents", f"go by {inline(by)}, which is not the rule that made the clusters"
    said = cost(text, rest)
    if said:
        yield "Cost", inline(said)


def _plain(package: str, name: str) -> list[str]:
    module = importlib.import_module(f"consilience.{package}.{name}")
    home = importlib.import_module(f"consilience.{package}")
    return _module(module, name, home if package != "measures" else None, label=anchor(package, name))


def _module(module: ModuleType, name: str, home: ModuleType | None, *, label: str | None = None) -> list[str]:
    """A module's text and its public things: those that `home` hands on, or all of them."""
    lines = [*_heading(name.replace("_", " "), "-", label or anchor("module", name)), *to_rst(module.__doc__)]
    fixed = [f"``{title} = {value!r}``" for title, value in vars(module).items() if _is_constant(title, value)]
    if fixed:
        lines += [f"Fixed: {', '.join(fixed)}.", ""]
    for title, thing in _public(module, home):
        lines += _described(f"{module.__name__}.{title}", thing)
    return lines


def _is_constant(title: str, value: Any) -> bool:
    """Whether the module fixes a number or a choice of words under a public name."""
    words = isinstance(value, tuple) and all(isinstance(word, str) for word in value)
    return title.isupper() and not title.startswith("_") and (words or isinstance(value, int | float | str))


def _public(module: ModuleType, home: ModuleType | None) -> list[tuple[str, Any]]:
    """Functions and classes that the module defines; of those, the ones that `home` exports, if it says which."""
    exported = getattr(home, "__all__", None) if home is not None else None
    return [
        (name, thing)
        for name, thing in vars(module).items()
        if (inspect.isclass(thing) or inspect.isfunction(getattr(thing, "__wrapped__", thing)))
        and thing.__module__ == module.__name__
        and not name.startswith("_")
        and (exported is None or name in exported)
    ]


def _described(path: str, thing: Any) -> list[str]:
    kind = "class" if inspect.isclass(thing) else "function"
    text = thing.__doc__ if "__doc__" in vars(thing) or kind == "function" else None
    lines = [f".. py:{kind}:: {path}{_signature(thing)}", "", *to_rst(text, indent=3)]
    said = settings(text)
    if said:
        rows = [(f"``{name}``", inline(meaning)) for name, meaning in said.items()]
        lines += _table(("setting", "what it is"), rows, (22, 78), indent=3)
    if kind == "class":
        for name, member in vars(thing).items():
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                lines += _inside(name, member)
    return [*lines, ""]


def _inside(name: str, member: Any) -> list[str]:
    """A method or a property of a class, if it has a text."""
    if not inspect.getdoc(member):
        return []
    head = f".. py:property:: {name}" if isinstance(member, property) else f".. py:method:: {name}{_signature(member)}"
    return [f"   {head}", "", *to_rst(member.__doc__, indent=6), ""]


# --- what some pages say before their members ---------------------------------------------------------------------


def _ahead(package: str) -> list[str]:
    tables: dict[str, Callable[[], list[str]]] = {
        "corpus": _formats,
        "measures": _keys,
        "vectors": lambda: _list_of("vectors"),
        "clusterings": lambda: _list_of("clusterings"),
    }
    return tables[package]() if package in tables else []


def _behind(package: str) -> list[str]:
    return _languages() if package == "language" else []


def _list_of(package: str) -> list[str]:
    """Name and summary of every member, with a link."""
    rows = [
        (f":ref:`{name} <{anchor(package, name)}>`", inline(catalogue.summary(package, name)))
        for name in (module.replace("_", "-") for module in members(package))
    ]
    return _table(("name", "what it is"), rows, (24, 76))


def _formats() -> list[str]:
    from consilience.corpus import PARTS
    from consilience.corpus.columns import USUAL
    from consilience.corpus.sources import KINDS, PACKED

    roles = [(f"``--{role}``", ", ".join(f"``{name}``" for name in names)) for role, names in USUAL.items()]
    return [
        f"A folder of ``.txt``, or a file ending with {_either(KINDS)}; packed ones end with {_either(PACKED)}.",
        "",
        "Where no column is named, the first of these names that is there is taken, in any case of letters:",
        "",
        *_table(("role", "usual names"), roles, (20, 80)),
        f"From mails and posts can be cut (``--strip``): {', '.join(f'``{part}``' for part in PARTS)}.",
        "",
    ]


def _languages() -> list[str]:
    from consilience.language.detection import language_name
    from consilience.language.stems import choose
    from consilience.language.stopwords import stop_lists

    rows = [(f"``{code}``", language_name(code), choose("auto", code)) for code in sorted(stop_lists())]
    return [
        *_heading("Languages that are recognised", "-", "languages"),
        "Each has a list of stop words; the last column is what ``--stem auto`` takes.",
        "",
        *_table(("code", "language", "stems"), rows, (15, 50, 35)),
    ]


def _keys() -> list[str]:
    from consilience.measures import MEASURES, SET_MEASURES

    return [
        "In a run folder and in ``--json`` they stand under these keys, each as ``value`` (all items, each one that "
        "is not assigned alone in a cluster) and as ``on_assigned`` (assigned items only). *By chance* is the mean "
        "over labels shuffled at random; where that is no fixed number, it says what more clusters do to it.",
        "",
        *_told(MEASURES),
        "Where items have several classes, or clusters overlap, these are taken. Of partitions, those with a name "
        "from above are the same numbers:",
        "",
        *_told(SET_MEASURES),
    ]


def _told(measures: dict[str, Any]) -> list[str]:
    """What measures say of themselves, as two tables."""
    told = {key: (m, dict(m.told())) for key, m in measures.items()}
    numbers = [
        (
            f":py:func:`{key} <{m.function.__module__}.{key}>`",
            *(said[title] for title in ("Range", "Best", "Symmetric", "By chance")),
            inline(said.get("Also called", "")),
        )
        for key, (m, said) in told.items()
    ]
    words = [(f"``{key}``", inline(said["Rewards"]), inline(said["Weakness"])) for key, (_, said) in told.items()]
    return [
        *_table(("key", "range", "best", "symmetric", "by chance", "also called"), numbers, (22, 14, 8, 10, 20, 26)),
        "What each rewards, and where it misleads:",
        "",
        *_table(("key", "rewards", "weakness"), words, (22, 39, 39)),
    ]


def _either(names: Any) -> str:
    listed = [f"``{name}``" for name in names]
    return f"{', '.join(listed[:-1])} or {listed[-1]}"


# --- the command line ---------------------------------------------------------------------------------------------


def program() -> Any:
    """The command line as its parser has it: a group of verbs."""
    from consilience.cli import app

    return typer.main.get_command(app)


def _commands() -> str:
    home, group = importlib.import_module("consilience.cli"), program()
    lines = [*_heading("The command line", "=", "stage-commands"), *to_rst(home.__doc__)]
    lines += ["Data go to standard output, progress and messages to standard error.", ""]
    lines += _options([p for p in group.params if p.opts])
    for name, verb in group.commands.items():
        module = importlib.import_module(f"consilience.cli.{name.replace('-', '_')}")
        question = (module.__doc__ or "").strip().split("\n")[0].partition(": ")[2]
        arguments = [p for p in verb.params if p.param_type_name == "argument"]
        usage = " ".join([f"consilience {name}", *(str(p.metavar or p.name.upper()) for p in arguments), "[OPTIONS]"])
        lines += [*_heading(name, "-", anchor("verb", name)), f"*{inline(question)}*" if question else "", ""]
        lines += [inline(verb.help or ""), "", ".. code-block:: text", "", f"   {usage}", ""]
        given = [(f"``{p.metavar or p.name.upper()}``", inline(getattr(p, "help", None) or "")) for p in arguments]
        if given:
            lines += _table(("argument", "what it is"), given, (24, 76))
        rest = [p for p in verb.params if p.param_type_name == "option"]
        groups = {kind: [p for p in rest if p.name in fields] for kind, fields in _groups().items()}
        shared = {p.name for options in groups.values() for p in options}
        lines += _options([p for p in rest if p.name not in shared])
        for kind, options in groups.items():
            if options:
                lines += [inline(inspect.getdoc(kind) or ""), "", *_options(options)]
    return "\n".join(lines).rstrip() + "\n"


def _groups() -> dict[type, set[str]]:
    """The groups of options that verbs share, each with the names of its options."""
    home = importlib.import_module("consilience.cli.options")
    kinds = [k for k in vars(home).values() if dataclasses.is_dataclass(k) and k.__module__ == home.__name__]
    return {kind: {field.name for field in dataclasses.fields(kind)} for kind in kinds}


def _options(options: list[Any]) -> list[str]:
    rows = [
        (", ".join(f"``{flag}``" for flag in [*p.opts, *p.secondary_opts]), _preset(p), inline(p.help or ""))
        for p in options
        if not getattr(p, "hidden", False)
    ]
    return _table(("option", "default", "what it does"), rows, (24, 20, 56)) if rows else []


def _preset(option: Any) -> str:
    if option.required:
        return "required"
    if isinstance(option.show_default, str):
        return inline(option.show_default)
    if getattr(option, "is_flag", False):
        return "on" if option.default else "off"
    return "–" if option.default in (None, "") else f"``{option.default}``"


# --- the overview, and what all pages are written with ----------------------------------------------------------------


def _overview(stages: list[Stage]) -> str:
    import consilience

    lines = [*_heading("The stages", "=", "stages"), *to_rst(consilience.__doc__, skip_first=True)]
    lines += ["These pages are made from the program's own text when the documentation is built.", ""]
    lines += [".. toctree::", "   :maxdepth: 2", "", *(f"   {stage.page}" for stage in stages), "   commands", ""]
    return "\n".join(lines)


def _heading(title: str, mark: str, label: str) -> list[str]:
    return [f".. _{label}:", "", inline(title), mark * max(4, len(inline(title))), ""]


def _prose(text: str) -> str:
    """Prose of this file, in which :doc: and the like are meant."""
    return re.sub(r"(?<![`:])`([^`]+)`(?!`)", r"``\1``", text).replace("df_t", r"df\_t")


def _table(titles: tuple[str, ...], rows: list[Any], widths: tuple[int, ...], *, indent: int = 0) -> list[str]:
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {' '.join(map(str, widths))}", ""]
    for row in (titles, *rows):
        lines += [f"   {'*' if place == 0 else ' '} - {cell}".rstrip() for place, cell in enumerate(row)]
    return [f"{' ' * indent}{line}".rstrip() for line in [*lines, ""]]


def _parameters(thing: Any) -> list[inspect.Parameter]:
    """The settings of a class (none if it leaves `__init__` to its bases' base) or a function."""
    if inspect.isclass(thing) and thing.__init__ is object.__init__ and not issubclass(thing, tuple):
        return []
    return [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]


def _signature(thing: Any) -> str:
    """(a, b=1, *, c='x') without annotations: those stand in the code, and their types have no page here."""
    try:
        parameters = _parameters(thing)
    except (TypeError, ValueError):
        return ""
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return ""
    plain = [
        p.replace(annotation=p.empty, default=p.default if p.default is p.empty else _Shown(p.default))
        for p in parameters
    ]
    return str(inspect.Signature(plain))


class _Shown:
    """A default that shows itself as one reads it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        text = repr(self.value)
        return "..." if "<" in text or len(text) > 60 or callable(self.value) else text


def _literal(value: Any) -> str:
    return "required" if value is inspect.Parameter.empty else f"``{value!r}``"


def _default(module: str, function: str, parameter: str) -> Any:
    return inspect.signature(getattr(importlib.import_module(module), function)).parameters[parameter].default


# --- Sphinx ---------------------------------------------------------------------------------------------------------


def write(folder: Path = GENERATED) -> None:
    """Writes the pages, and removes those of folders that are no more."""
    folder.mkdir(exist_ok=True)
    made = pages()
    for old in folder.glob("*.rst"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        _write_if_new(folder / name, text)


def tour_output(folder: Path) -> str:
    """What the tour prints, run in a folder of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE.parent / "examples" / "tour.py")], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"examples/tour.py failed:\n{done.stderr}")
    return done.stdout


def _write_if_new(file: Path, text: str) -> None:
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def _build(app: Any) -> None:
    write()
    with tempfile.TemporaryDirectory() as folder:
        _write_if_new(GENERATED / "tour-output.txt", tour_output(Path(folder)))


def setup(app: Any) -> dict[str, Any]:
    """What Sphinx calls."""
    app.connect("builder-inited", _build)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
