"""The command line: one file a verb, one line an error.

Exit 0 done; 2 the input or the options are wrong; 130 interrupted; 1 a defect of ours.
"""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import consilience
from consilience.cli import (
    classify,
    cluster,
    compare,
    demo,
    judge,
    measures,
    methods,
    predict,
    report,
    reproduce,
    senses,
    vectors,
    verify,
)
from consilience.cli.options import flat
from consilience.errors import ConsilienceError

_INTERRUPTED = 130

app = typer.Typer(
    name="consilience",
    help="Clusters text in several independent ways and says how far the result may be believed.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _file in (
    cluster,
    judge,
    compare,
    predict,
    classify,
    vectors,
    senses,
    methods,
    measures,
    report,
    verify,
    reproduce,
    demo,
):
    app.command()(flat(getattr(_file, _file.__name__.rpartition(".")[2])))  # a verb has the name of its file


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"consilience {consilience.__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    pass


def run(arguments: list[str]) -> int:
    """Runs a verb; gives the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal or pipe that has no form for a word gets its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments or ["--help"], standalone_mode=False)
    except typer.Abort:  # what the option parser makes of Ctrl-C, and the exit code what newer ones make of it
        code = _INTERRUPTED
    except Exception as problem:
        if "--debug" in arguments:
            raise
        return _complain(problem)
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _complain(problem: Exception) -> int:
    """One line, and the exit code."""
    if isinstance(problem, ConsilienceError):
        code, message = 2, str(problem)
    elif hasattr(problem, "format_message"):  # the option parser's own errors
        code, message = 2, f"{problem.format_message().rstrip('.')}; see: consilience --help"
    elif isinstance(problem, OSError):
        code, message = 2, f"{problem.strerror or problem}: {problem.filename}" if problem.filename else str(problem)
    else:
        code, message = 1, f"a defect: {type(problem).__name__}: {problem}. Run again with --debug and report it"
    print("consilience: error:", " ".join(message.split()), file=sys.stderr)
    return code
