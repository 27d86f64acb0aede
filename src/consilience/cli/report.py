"""consilience report RUN: the page of a run, written anew."""

from __future__ import annotations

import json

from consilience.cli.options import Common, RunFolder
from consilience.cli.screen import give_json


def report(run: RunFolder, common: Common) -> None:
    """Write a run's page and figures anew. They come out as this version draws them."""
    from jinja2 import TemplateError

    from consilience.errors import RunError
    from consilience.reports import drawn
    from consilience.runs import load_run
    from consilience.runs.atomic import whole_file

    load_run(run)  # refuses what is no run
    try:
        files = drawn(json.loads((run / "report.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, TemplateError) as problem:
        raise RunError(f"{run / 'report.json'} is damaged or older: {problem}; make the run again") from problem
    for name, content in files.items():
        with whole_file(run / name, force=True) as part:
            part.write_text(content, encoding="utf-8")
    if common.json:
        give_json({"run": str(run), "files": sorted(files)})
    else:
        print(run / "report.html")
