"""Documents are anybody's text. What leaves here is data in the place it is put: JSON in a script block, HTML, XML."""

from __future__ import annotations

import json
import re
from typing import Any

# What ends a script block or starts a tag, what old JavaScript took for line ends, and halves of surrogate pairs,
# which have no form in UTF-8.
_IN_SCRIPT = re.compile("[<>&\u2028\u2029\x7f-\x9f\ud800-\udfff]")
# Characters that HTML or XML 1.0 has no place for.
_NOWHERE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Marks that turn the direction of all that follows; HTML confines them to their element, SVG does not.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def as_script_data(value: Any) -> str:
    """JSON that can stand inside `<script type="application/json">`: the parser gives back the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def clean(text: str) -> str:
    """Characters without a form in HTML and XML become U+FFFD, the mark for a character that is none."""
    return _NOWHERE.sub("\ufffd", text)


def escaped(text: str) -> str:
    """Text for the content and the attributes of SVG."""
    text = _TURNING.sub("", clean(text)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&#39;")


def cut(text: str, characters: int) -> str:
    """At most so many characters, ended at a word where one ends in the last third."""
    text = " ".join(text.split())
    if len(text) <= characters:
        return text
    head = text[: characters - 1]
    end = head.rfind(" ")
    return (head[:end] if end > 2 * characters // 3 else head).rstrip(" ,;:") + "…"
