"""consilience demo: the main job on text that is on every machine, the docstrings of Python's own library."""

from __future__ import annotations

import ast
import json
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from consilience.cli.cluster import cluster_into
from consilience.cli.options import Common, Force, Out, Reading
from consilience.cli.screen import say

_WORDS = 8  # a docstring shorter than this says too little to be clustered
_SKIPPED = {"test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__", "_vendor"}


def demo(common: Common, out: Out = None, force: Force = False) -> None:
    """Cluster the docstrings of Python's standard library."""
    from consilience.runs import Settings
    from consilience.runs.atomic import refuse_existing, whole_file

    folder = out or Path("demo-run")
    refuse_existing(folder, force=force)
    corpus = folder.with_name(f"{folder.name}-docstrings.jsonl")
    say(f"collecting docstrings into {corpus}")
    with whole_file(corpus, force=True) as part, part.open("w", encoding="utf-8") as lines:
        for document in docstrings(Path(sysconfig.get_path("stdlib"))):
            lines.write(json.dumps(document, ensure_ascii=False) + "\n")
    cluster_into(folder, str(corpus), Reading(), Settings(seed=common.seed), common, force=force)


def docstrings(library: Path) -> Iterator[dict[str, str]]:
    """Every docstring of some length below a folder: id `module:name`, text, and the module it stands in."""
    for file in sorted(library.rglob("*.py")):
        place = file.relative_to(library).with_suffix("")
        if _SKIPPED & set(place.parts):
            continue
        module = ".".join(part for part in place.parts if part != "__init__")
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError, OSError):
            continue  # some of the library's files are templates, not Python
        yield from _of_tree(tree, module)


def _of_tree(tree: ast.Module, module: str) -> Iterator[dict[str, str]]:
    seen: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node) or ""
        name = f"{module}:{getattr(node, 'name', '')}:{getattr(node, 'lineno', 0)}"
        if len(text.split()) >= _WORDS and name not in seen:
            seen.add(name)
            yield {"id": name, "text": text.encode("utf-8", "replace").decode("utf-8"), "module": module}
