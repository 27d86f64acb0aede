"""strip(texts, parts): mails and posts without their headers, quotes and signatures.

Each part is one regular expression of the Rust engine, which takes time linear in the text, whatever the text.
They are applied in the order headers, quotes, signatures.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from consilience.errors import SettingError

_EOL = r"[ \t\r]*(?:\n|\z)"
_FIELD = r"[!-9;-~]+:(?:[ \t][^\n]*|\r)?(?:\n|\z)(?:[ \t]+\S[^\n]*(?:\n|\z))*"
_KNOWN = (
    r"(?i:from|subject|date|to|cc|newsgroups|path|message-id|return-path|received|organization|reply-to|sender|xref"
    r"|lines|mime-version|content-type|delivered-to|distribution|article-i\.d\.|keywords|summary|nntp-posting-host)"
)

# The text begins with fields `Name: value`, the first or the second of which mails have; then everything up to the
# first blank line belongs to the headers, for posts also hold broken fields. A mailbox line or a lone route `a!b!c`
# may lead them. "Note: ..." alone is text.
_LEAD = r"(?:From [^\n]*\n|[ \t]*\S+!\S+[ \t\r]*\n)?"
_HEADERS = rf"\A{_LEAD}(?:{_FIELD})?{_KNOWN}:[^\n]*(?:\n|\z)(?:[^\n]*\S[^\n]*(?:\n|\z))*(?:{_EOL})?"

# An ASCII word edge: the engine leaves its fast road for a Unicode one.
_SAYS = r"(?-u:\b)(?:writes?|wrote|says?|said|schrieb|a écrit)"
# Who is quoted: on one line, or broken over up to three.
_ATTRIBUTION = (
    rf"(?im)^[ \t]*(?:(?:In|From) (?:article|message|<)[^\n]*(?:\n[^\n>|][^\n]*){{0,2}}?"
    rf"{_SAYS}(?: in [^\n]*)?[ \t]*[:.]+{_EOL}"
    rf"|(?:In|From) article <[^\n]*(?:[>,]|>, by [^\n]*:){_EOL}"
    rf"|On [^\n]*(?:\n[^\n>|][^\n]*)?{_SAYS}[ \t]*:{_EOL}"
    rf"|[^\n]*{_SAYS}[ \t]*(?:\.\.\.)?:{_EOL})"
)
# Initials before the mark (`JS> `) are a habit of mail programs of the time of these posts.
_QUOTED = r"(?m)^[ \t]*(?:[A-Z]{0,4}>|\||:[ \t>]|\}[ \t])[^\n]*(?:\n|\z)"

# RFC 3676: "-- " alone on a line; at most 20 lines after it, or it is something else.
_DASHED_OFF = r"(?:\A|\n)--[ \t\r]*\n(?:[^\n]*\n){0,20}[^\n]*\z"
# A ruled line and one short block without a blank line after it, at the end.
_RULED_OFF = r"\n[ \t]*(?:[-_=*~#+]{2,}|[-_=*~#+]+[ \t][-_=*~#+ \t]+)[ \t\r]*\n(?:[^\n]*\S[^\n]*(?:\n|\z)){0,10}\s*\z"

_PATTERNS = {
    "headers": (_HEADERS,),
    "quotes": (_ATTRIBUTION, _QUOTED),
    "signatures": (_DASHED_OFF, _RULED_OFF),
}
PARTS = tuple(_PATTERNS)


def checked_parts(parts: str | Sequence[str]) -> tuple[str, ...]:
    """The parts in the order they are stripped; `SettingError` for one that is none."""
    given = (parts,) if isinstance(parts, str) else tuple(parts)
    for part in given:
        if part not in PARTS:
            raise SettingError(f"cannot strip {part!r}; what can be stripped: {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in given)


def strip(texts: pl.Series, parts: str | Sequence[str] = PARTS) -> pl.Series:
    """The texts without these parts, and without white space at either end."""
    column = pl.col("text")
    for part in checked_parts(parts):
        for pattern in _PATTERNS[part]:
            column = column.str.replace_all(pattern, "")
    frame = pl.LazyFrame({"text": texts})
    # The streaming engine works on many blocks of rows at once; the plain one on the whole column with one core.
    return frame.select(column.str.strip_chars()).collect(engine="streaming").to_series().alias(texts.name)
