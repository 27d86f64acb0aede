"""Options that several verbs share, told once. A verb takes a group as one parameter; `flat` unfolds it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from consilience import catalogue

CorpusPath = Annotated[
    str,
    typer.Argument(metavar="CORPUS", help="A folder of .txt; .csv .tsv .jsonl (also .gz .zst); .parquet; - for stdin."),
]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
Out = Annotated[Path | None, typer.Option("--out", help="Where the result goes.", show_default=False)]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
View = Annotated[
    str,
    typer.Option(
        "--view", help=f"auto (what the method works on), or one of: {', '.join(catalogue.names('vectors'))}."
    ),
]
Views = Annotated[
    list[str] | None,
    typer.Option(
        "--view",
        help=f"auto (what the method works on), or one or several of: {', '.join(catalogue.names('vectors'))}.",
        show_default="auto",
    ),
]
Truth = Annotated[
    str | None, typer.Option("--truth", help="Gold labels: a column, or a table of ids and labels.", show_default=False)
]


@dataclass(frozen=True)
class Reading:
    """How a corpus is read."""

    text: Annotated[str, typer.Option("--text", help="The column with the text.")] = "auto"
    id: Annotated[str, typer.Option("--id", help="The column with the ids.")] = "auto"
    label: Annotated[
        str, typer.Option("--label", help="The column with gold labels; `cluster` only measures against them.")
    ] = "auto"
    time: Annotated[str, typer.Option("--time", help="The column with dates.")] = "auto"
    encoding: Annotated[str, typer.Option("--encoding", help="How the bytes are to be read.")] = "utf-8"
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave broken lines out instead of refusing the file.")
    ] = False
    strip: Annotated[str, typer.Option("--strip", help="Cut from mails and posts: headers,quotes,signatures.")] = ""

    def read(self, path: str, *, truth: str | None = None) -> Any:
        """The corpus, with the gold labels that `truth` names."""
        from consilience.corpus import read, with_truth

        settings = dataclasses.asdict(self) | {"strip": tuple(part for part in self.strip.split(",") if part)}
        return with_truth(read(path, **settings), truth) if truth else read(path, **settings)


@dataclass(frozen=True)
class Wording:
    """How texts become terms."""

    language: Annotated[str, typer.Option("--language", help="ISO 639-1 code, auto or unknown.")] = "auto"
    no_stop: Annotated[bool, typer.Option("--no-stop", help="Keep the language's stop words.")] = False
    stop_words: Annotated[
        Path | None, typer.Option("--stop-words", help="A file of own stop words, one a line.", show_default=False)
    ] = None
    stem: Annotated[str, typer.Option("--stem", help="auto, none, porter, snowball or lemma.")] = "auto"
    phrases: Annotated[bool, typer.Option("--phrases", help="Join frequent pairs of words.")] = False
    numbers: Annotated[bool, typer.Option("--numbers", help="Keep tokens without a letter.")] = False
    min_df: Annotated[str, typer.Option("--min-df", help="Leave out terms of fewer documents: a number or auto.")] = (
        "auto"
    )
    max_df: Annotated[float, typer.Option("--max-df", help="Leave out terms of a larger share of the documents.")] = 1.0
    wordnet: Annotated[
        str,
        typer.Option("--wordnet", help="Another WordNet for nouns and senses: its dict folder.", show_default="3.0"),
    ] = ""

    def settings(self) -> dict[str, Any]:
        """As `Settings` and `refine` name them."""
        return {
            "language": self.language,
            "stop": not self.no_stop,
            "own_stop_words": self._own_stop_words(),
            "stem": self.stem,
            "phrases": self.phrases,
            "numbers": self.numbers,
            "min_df": whole_or_word(self.min_df, "min-df"),
            "max_df": self.max_df,
            "wordnet": self.wordnet,
        }

    def _own_stop_words(self) -> tuple[str, ...]:
        from consilience.errors import InputError

        if self.stop_words is None:
            return ()
        try:
            return tuple(line.strip() for line in self.stop_words.read_text("utf-8-sig").splitlines() if line.strip())
        except (OSError, UnicodeDecodeError) as problem:
            raise InputError(f"--stop-words {self.stop_words} cannot be read as UTF-8 text: {problem}") from problem


@dataclass(frozen=True)
class Uniting:
    """How several clusterings become one."""

    members: Annotated[
        str, typer.Option("--members", help="Clusterings of an ensemble: a number, or auto (20 for several views).")
    ] = "auto"
    consensus: Annotated[
        str, typer.Option("--consensus", help="How an ensemble agrees: weighted, agreement or entropy.")
    ] = "weighted"
    alpha: Annotated[
        str, typer.Option("--alpha", help="The first view's share of a weighted ensemble, 0 to 1; auto: equal shares.")
    ] = "auto"

    def settings(self, views: list[str]) -> dict[str, Any]:
        """As `Settings` names them; one view is no list."""
        several = len(views) > 1
        for view in views:
            if several or view != "auto":
                catalogue.check("vectors", view)
        return {
            "view": views[0] if len(views) == 1 else "auto",
            "views": tuple(views) if several else (),
            "members": whole_or_word(self.members, "members"),
            "consensus": self.consensus,
            "alpha": _share_or_word(self.alpha, "alpha"),
        }


@dataclass(frozen=True)
class Common:
    """What every verb takes."""

    seed: Annotated[int, typer.Option("--seed", help="The one source of chance.", min=0, max=2**31 - 1)] = 0
    jobs: Annotated[int, typer.Option("--jobs", help="Threads; -1 is all cores. No result depends on it.")] = -1
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout and nothing else.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False


def chosen_view(view: str) -> str:
    """A view of the catalogue; "auto", where no method has a say in it, is tf-idf."""
    return "tfidf-log" if view == "auto" else catalogue.check("vectors", view)


def whole_or_word(value: str, name: str, word: str = "auto") -> int | str:
    """An option that is a whole number or a word."""
    from consilience.errors import SettingError

    if value == word:
        return value
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise SettingError(f"--{name} is {value!r}; it is a whole number or {word!r}")
    return int(value)


def _share_or_word(value: str, name: str) -> float | str:
    from consilience.errors import SettingError

    if value == "auto":
        return value
    try:
        return float(value)
    except ValueError:
        raise SettingError(f"--{name} is {value!r}; it is a number from 0 to 1 or 'auto'") from None


def flat(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb with each parameter that is a group of options replaced by the options."""
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if dataclasses.is_dataclass(kind)}
    parameters = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            fields = get_type_hints(groups[name], include_extras=True)
            parameters += [
                inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=fields[f.name])
                for f in dataclasses.fields(groups[name])
            ]
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(verb)
    def unfolded(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in dataclasses.fields(group)})
        try:
            verb(**given)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read our output has stopped reading; what is left goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    unfolded.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    unfolded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return unfolded
