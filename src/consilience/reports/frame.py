"""What every page is set in: one file that needs no network, no server and no other file.

A page refuses everything it does not bring along: its policy names its own style and script by their hashes, so a
script that came in with a document would not run even if it got past the escaping. Pages have their own template,
which extends `frame.html.jinja`, and may have a style sheet and a script of the same name beside the frame's.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from consilience.reports.colours import COLOURS, variables
from consilience.reports.escaping import as_script_data, clean, cut
from consilience.reports.words import amount, count, duration, number, percent

_TEMPLATES = Path(__file__).with_name("templates")


def framed(name: str, title: str, data: Any, **context: Any) -> str:
    """The page `name` as HTML; `data` is what its script reads, `context` what its template does."""
    style, script = _style(name), _joined(name, "js")
    template = _templates().get_template(f"{name}.html.jinja")
    return template.render(
        title=title,
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        data=Markup(as_script_data(data)),
        colours=COLOURS,
        **context,
    )


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # every string on its way into the page loses what HTML has no form for
        finalize=lambda value: clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters |= {
        "number": number,
        "percent": percent,
        "duration": duration,
        "amount": amount,
        "count": count,
        "cut": cut,
    }
    return environment


@cache
def _style(name: str) -> str:
    light, dark = variables("light"), variables("dark")
    paints = "".join(
        f".f{i}{{fill:var(--c{i})}}.b{i}{{background:var(--c{i})}}.u{i}{{text-decoration-color:var(--c{i})}}"
        for i in range(COLOURS)
    )
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
        f"{_joined(name, 'css')}\n{paints}"
    )


def _joined(name: str, kind: str) -> str:
    """The frame's file of a kind and, if there is one, the page's own."""
    files = [_TEMPLATES / f"{part}.{kind}" for part in ("frame", name)]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file())


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
