"""Texts to words as a tagger wants them: in their own capitals, with punctuation and the places where sentences end.

A word is a longest run of letters, marks and digits; an abbreviation keeps its inner points (U.S), a number its points
and commas (1,000.5). What follows an apostrophe is a word of its own (dog 's, do n't). Marks of punctuation are words
of one character; `SENTENCE`, an empty one, ends a sentence. A hyphen inside a compound is `HYPHEN`, one outside `DASH`.
Addresses of the net and of mail give `ADDRESS`. All other signs only separate.
"""

from __future__ import annotations

import numba as nb
import numpy as np
import polars as pl

from consilience.language.characters import IGNORED, SEPARATOR, characters
from consilience.language.vocabulary import BITS, PRIME, SEED, Numbered, decode, number, number_terms, put

SENTENCE, HYPHEN, DASH, ADDRESS = "", "-", "--", "@"
_SHOWN = np.array([chr(code) in '.,:;?!()"`$%&' for code in range(128)])
_POINT, _COMMA, _APOSTROPHE, _TYPOGRAPHIC, _MINUS, _AT, _COLON, _SLASH = map(ord, ".,'’-@:/")


def words_of(texts: pl.Series, *, n_jobs: int = -1) -> Numbered:
    """The words of the texts by the rule above."""
    _, kind, _ = characters()
    return number_terms(texts, _scan, (kind,), per_byte=2.0, spelled=_spelled, n_jobs=n_jobs)


def _spelled(words: pl.Series) -> pl.Series:
    plain = words.str.len_bytes().sum() == words.str.len_chars().sum()
    return words if plain else words.str.normalize("NFKC")


@nb.njit(cache=True, nogil=True)
def _scan(data, starts, document, kind, slots, ends, letters, size, out, out_ends):  # type: ignore[no-untyped-def]
    """As `number_terms` has it. data: bytes of all documents; kind: of each code point."""
    room = len(letters) - 16
    while document < len(starts) - 1:
        at = starts[document]
        stop = starts[document + 1]
        n_out = out_ends[document]
        p = base = ends[size[0]]  # a word is written where the next new term would stand
        dotted = False
        fresh = True  # behind white space, or at the beginning
        lines = 0
        while at < stop:
            if p >= room or size[0] + 4 > len(ends):
                return document
            if fresh and data[at] > 32:
                fresh = False
                after = _address(data, at, stop)
                if after > at:
                    p = base = ends[size[0]]
                    out[n_out] = _single(slots, ends, letters, size, _AT, 1)
                    n_out += 1
                    p = base = ends[size[0]]
                    at = after
                    continue
            here = at
            code, at = decode(data, at)
            what = kind[code]
            if what == IGNORED:
                continue
            if what != SEPARATOR:
                p = put(letters, p, code)
                lines = 0
                continue
            inside = p > base
            following = kind[decode(data, at)[0]] if at < stop else SEPARATOR
            if inside and following != SEPARATOR:
                if code == _POINT and (p - base == 1 or dotted) and not _letter(kind, data, at + 1, stop):
                    dotted = True
                    p = put(letters, p, code)
                    continue
                if (code == _POINT or code == _COMMA) and _digit(letters[p - 1]) and _digit(data[at]):
                    p = put(letters, p, code)
                    continue
            apostrophe = code == _APOSTROPHE or code == _TYPOGRAPHIC
            negation = apostrophe and p - base > 1 and _not(letters, p, data, at, stop, kind)
            if inside:
                n = int(letters[p - 1])
                if negation:  # the n goes with the word behind it
                    p -= 1
                out[n_out] = _word(slots, ends, letters, size, base, p)
                n_out += 1
                p = base = ends[size[0]]
                if negation:
                    p = put(letters, p, n)
            if apostrophe:
                if negation or (inside and following != SEPARATOR):
                    p = put(letters, p, _APOSTROPHE)
                else:
                    out[n_out] = _single(slots, ends, letters, size, _APOSTROPHE, 1)
                    n_out += 1
                    p = base = ends[size[0]]
            elif code == _MINUS:
                compound = inside and following != SEPARATOR
                out[n_out] = _single(slots, ends, letters, size, _MINUS, 1 if compound else 2)
                n_out += 1
                p = base = ends[size[0]]
            elif code < 128 and _SHOWN[code]:
                out[n_out] = _single(slots, ends, letters, size, code, 1)
                n_out += 1
                p = base = ends[size[0]]
                if (code == 46 and not dotted) or code == 33 or code == 63:
                    out[n_out] = _single(slots, ends, letters, size, 0, 0)
                    n_out += 1
                    p = base = ends[size[0]]
            elif code == 10:
                lines += 1
                if lines == 2:
                    out[n_out] = _single(slots, ends, letters, size, 0, 0)
                    n_out += 1
                    p = base = ends[size[0]]
            dotted = False
            fresh = data[here] <= 32
        if p > base:
            if size[0] + 4 > len(ends):
                return document
            out[n_out] = _word(slots, ends, letters, size, base, p)
            n_out += 1
        document += 1
        out_ends[document] = n_out
    return document


@nb.njit(cache=True, nogil=True)
def _word(slots, ends, letters, size, base, stop):  # type: ignore[no-untyped-def]
    """The number of the word that stands from `base` to `stop`, behind the last term."""
    h = SEED
    for i in range(base, stop):
        h = (h ^ int(letters[i])) * PRIME & BITS
    return number(slots, ends, letters, size, stop, h)


@nb.njit(cache=True, nogil=True)
def _single(slots, ends, letters, size, code, times):  # type: ignore[no-untyped-def]
    """The number of the word that is one character, `times` over."""
    base = p = ends[size[0]]
    for _ in range(times):
        p = put(letters, p, code)
    return _word(slots, ends, letters, size, base, p)


@nb.njit(cache=True, nogil=True)
def _digit(byte):  # type: ignore[no-untyped-def]
    return 48 <= byte <= 57


@nb.njit(cache=True, nogil=True)
def _letter(kind, data, at, stop):  # type: ignore[no-untyped-def]
    """Does a letter, mark or digit stand here?"""
    return at < stop and kind[decode(data, at)[0]] != SEPARATOR


@nb.njit(cache=True, nogil=True)
def _not(letters, p, data, at, stop, kind):  # type: ignore[no-untyped-def]
    """n before the apostrophe, t and no more behind it."""
    n, t = letters[p - 1] | 32, data[at] | 32 if at < stop else 0
    return n == 110 and t == 116 and not _letter(kind, data, at + 1, stop)


@nb.njit(cache=True, nogil=True)
def _address(data, at, stop):  # type: ignore[no-untyped-def]
    """Where the address that begins here ends: one with @ inside, or ://; `at` itself if there is none."""
    i = at
    found = False
    while i < stop and data[i] > 32:
        if data[i] == _AT and i > at and i + 1 < stop and data[i + 1] > 32:
            found = True
        if data[i] == _COLON and i + 2 < stop and data[i + 1] == _SLASH and data[i + 2] == _SLASH:
            found = True
        i += 1
    return i if found else at
