"""Docstrings as this project writes them -> reStructuredText.

A docstring is paragraphs. Formulas and drawings are kept letter by letter; `names` in backticks become literals;
"Settings" and "Fitted" are lists of `name: what it is`.
"""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

_LISTS = ("Settings", "Fitted")
_COST = re.compile(r"O\(|N²|N x N|\bN\^2|[Mm]emory|GiB|\b[Cc]osts?\b|\bgrows? with N\b")


class Paragraph(NamedTuple):
    """`kind` is prose, drawn (kept letter by letter), steps (a numbered list), or the title of a list of names."""

    kind: str
    lines: list[str]


def paragraphs(docstring: str | None) -> list[Paragraph]:
    """The docstring in pieces."""
    found = []
    for block in re.split(r"\n\s*\n", inspect.cleandoc(docstring or "")):
        lines = block.split("\n")
        if not block.strip():
            continue
        if lines[0].rstrip(":") in _LISTS and len(lines) > 1:
            found.append(Paragraph(lines[0].rstrip(":"), lines[1:]))
        elif lines[0].startswith(" ") or _is_formula(lines[0]) or _is_map(lines[0]):
            found.append(Paragraph("drawn", lines))
        elif re.match(r"\d+\. ", lines[0]):
            found.append(Paragraph("steps", lines))
        else:
            prose = next((i for i, line in enumerate(lines) if line.startswith(" ")), len(lines))
            found.append(Paragraph("prose", lines[:prose]))
            if lines[prose:]:
                found.append(Paragraph("drawn", lines[prose:]))
    return _joined(found)


def settings(docstring: str | None, title: str = "Settings") -> dict[str, str]:
    """What the docstring says of each setting (or fitted attribute). `a_, b_: text` speaks of both."""
    said: dict[str, str] = {}
    for paragraph in paragraphs(docstring):
        if paragraph.kind != title:
            continue
        entry = ""
        for line in inspect.cleandoc("\n".join(["", *paragraph.lines])).split("\n"):
            names = re.match(r"(\w+(?:, \w+)*):\s+(.*)", line)
            if names:
                entry, text = names[1], names[2]
                said[entry] = text
            elif entry:
                said[entry] += f" {line.strip()}"
    return {name: text for names, text in said.items() for name in names.split(", ")}


def cost(*docstrings: str | None) -> str:
    """The sentences that speak of time or memory, as they stand; "" where there are none."""
    prose = [" ".join(p.lines) for text in docstrings for p in paragraphs(text) if p.kind == "prose"]
    sentences = [sentence for text in prose for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z])", text)]
    return " ".join(sentence for sentence in sentences if _COST.search(sentence))


def to_rst(docstring: str | None, *, indent: int = 0, skip_first: bool = False) -> list[str]:
    """The docstring's text without its lists of settings, as lines. `skip_first` leaves out the first paragraph."""
    lines: list[str] = []
    for paragraph in paragraphs(docstring)[int(skip_first) :]:
        if paragraph.kind in _LISTS:
            continue
        if paragraph.kind == "drawn":
            body = inspect.cleandoc("\n".join(["", *paragraph.lines])).split("\n")
            lines += [".. code-block:: text", "   :class: formula", "", *(f"   {line}".rstrip() for line in body), ""]
        elif paragraph.kind == "steps":
            steps = re.split(r"\n(?=\d+\. )", "\n".join(paragraph.lines))
            for step in steps:
                number, _, text = " ".join(step.split()).partition(" ")
                lines.append(f"{number} {inline(text)}")
            lines.append("")
        else:
            lines += [inline(" ".join(paragraph.lines)), ""]
    return [f"{' ' * indent}{line}".rstrip() for line in lines]


def inline(text: str) -> str:
    """One line of prose, with every character but backticks taken as itself."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a lone backtick is one
        return _escaped(text)
    said = ""
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            said += _escaped(piece)
        elif piece.strip():
            after = pieces[place + 1][:1]
            said += ("\\ " if said and not said[-1].isspace() else "") + f"``{piece.strip()}``"
            said += "\\ " if after and not after.isspace() else ""
    return re.sub(r"^([-+•:]|\.\.|\d+\.)", r"\\\1", said)


def _escaped(text: str) -> str:
    """Marks as themselves, but for *emphasis* of whole words."""
    parts = re.split(r"(?<![\w*])(\*\w[\w' -]*\*)(?![\w*])", text)
    marks = re.compile(r"([\\*_|`]|:(?=:))")
    return "".join(part if place % 2 else marks.sub(r"\\\1", part) for place, part in enumerate(parts))


def _is_formula(line: str) -> bool:
    """Whether the line says `x(t) = ...`: up to three words, brackets not counted, before an equals sign."""
    left = re.split(r" [=≈] ", line, maxsplit=1)
    if len(left) == 1:
        return False
    words = re.sub(r"[(\[{][^)\]}]*[)\]}]", "", left[0]).split()
    return len(words) <= 3 and words[:1] not in (["With"], ["Where"])


def _is_map(line: str) -> bool:
    """Whether the line is of a map of files: `road.py       settings + corpus -> Run`."""
    return bool(re.match(r"\w+\.py\s{2,}\S", line))


def _joined(found: list[Paragraph]) -> list[Paragraph]:
    """Drawings that follow one another are one, with the blank line that parted them."""
    joined: list[Paragraph] = []
    for paragraph in found:
        indented = paragraph.kind == "drawn" and paragraph.lines[0].startswith(" ")
        if indented and joined and joined[-1].kind == "drawn" and joined[-1].lines[0].startswith(" "):
            joined[-1] = Paragraph("drawn", [*joined[-1].lines, "", *paragraph.lines])
        else:
            joined.append(paragraph)
    return joined
