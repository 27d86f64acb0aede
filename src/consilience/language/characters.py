"""What each Unicode character is to the tokeniser: one byte per code point, and its lower-case partner.

    SEPARATOR   ends a token (spaces, punctuation, symbols, controls)
    LETTER      letters of scripts that put spaces between words
    MARK        combining marks and numbers: part of a token, not enough to make it a word
    UNSPACED    letters and marks of scripts without spaces between words (Han, kana, Thai, Lao, Khmer, Burmese, ...)
    IGNORED     invisible characters inside words (soft hyphen, zero-width joiners, variation selectors)

The tables come from Python's own Unicode database when the tokeniser is first used (0.1 s).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SEPARATOR, LETTER, MARK, UNSPACED, IGNORED = range(5)

_PLANES = (0, 1, 2, 3, 14)  # the planes in which Unicode has assigned characters
_CODE_POINTS = 0x110000
_VARIATION_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x19E0, 0x19FF),  # Khmer symbols
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3007),  # iteration mark, closing mark, zero
    (0x3031, 0x30FF),  # kana
    (0x31F0, 0x31FF),  # small katakana
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FF),  # Burmese extended
    (0xAA60, 0xAADF),  # Burmese extended, Tai Viet
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF66, 0xFF9F),  # half-width katakana
    (0x1B000, 0x1B16F),  # kana supplements
    (0x20000, 0x323AF),  # Han extensions B to H
)


class Characters(NamedTuple):
    """`kind[c]` and `lower[c]` of code point c; `ascii_letter[b]` is byte b in lower case, or 0."""

    ascii_letter: npt.NDArray[np.uint8]
    kind: npt.NDArray[np.uint8]
    lower: npt.NDArray[np.int32]


@cache
def characters() -> Characters:
    """The tables, built once per process."""
    kind_of = {"L": LETTER, "M": MARK, "N": MARK}
    kind = np.zeros(_CODE_POINTS, np.uint8)
    lower = np.arange(_CODE_POINTS, dtype=np.int32)
    for plane in _PLANES:
        start = plane << 16
        points = [chr(code) for code in range(start, start + 0x10000)]
        categories = list(map(unicodedata.category, points))
        kind[start : start + 0x10000] = [
            IGNORED if category == "Cf" else kind_of.get(category[0], SEPARATOR) for category in categories
        ]
        # a character whose lower case is several characters keeps the first: İ becomes i
        lower[start : start + 0x10000] = [
            ord(point.lower()[0]) if category[0] == "L" else ord(point)
            for point, category in zip(points, categories, strict=True)
        ]
    for first, last in _UNSPACED_RANGES:
        kind[first : last + 1] = [
            UNSPACED if unicodedata.category(chr(code))[0] in "LM" else kind[code] for code in range(first, last + 1)
        ]
    for first, last in _VARIATION_SELECTORS:
        kind[first : last + 1] = IGNORED
    ascii_letter = np.zeros(256, np.uint8)
    ascii_letter[:128] = np.where(kind[:128] == LETTER, lower[:128], 0)
    return Characters(ascii_letter, kind, lower)
