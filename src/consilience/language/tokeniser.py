"""Texts to ragged rows of term numbers: a compiled pass over UTF-8 bytes.

The token rule: a token is a longest run of letters, combining marks and digits (Unicode), lower-cased. Scripts that
put no spaces between words (Han, kana, Thai, Lao, Khmer, Burmese) give the overlapping pairs of characters of each
run instead, and a lone character by itself. Everything else separates; soft hyphens and zero-width joiners are
skipped. Tokens of one character, and tokens without a letter unless `numbers` is set, are left out.

The vocabulary (not the text) is brought to Unicode form NFKC, so that composed and decomposed spellings meet, and is
sorted by code point: term numbers do not depend on the order of the documents or on the number of threads.
"""

from __future__ import annotations

import numba as nb
import polars as pl

from consilience.language.characters import IGNORED, LETTER, MARK, SEPARATOR, UNSPACED, characters
from consilience.language.vocabulary import BITS, PRIME, SEED, decode, number, number_terms, put
from consilience.nouns import Corpus, Recipe, Tokens


def raw_tokens(corpus: Corpus, *, numbers: bool = False, min_length: int = 2, n_jobs: int = -1) -> Tokens:
    """All tokens of the texts, by the rule above."""
    rule = (*characters(), min_length, numbers)
    # no rule gives more than a token every two bytes
    found = number_terms(corpus.texts, _scan, rule, per_byte=0.5, spelled=_spelled, n_jobs=n_jobs)
    recipe = Recipe("tokenise", {"numbers": numbers, "min_length": min_length}, corpus.recipe)
    return Tokens(corpus.ids, found.terms, found.starts, found.vocabulary, found.vocabulary, "unknown", recipe)


def _spelled(terms: pl.Series) -> pl.Series:
    """The terms as they are compared."""
    if terms.str.len_bytes().sum() == terms.str.len_chars().sum():
        return terms
    return terms.str.normalize("NFKC").str.to_lowercase()


@nb.njit(cache=True, nogil=True)
def _scan(  # type: ignore[no-untyped-def]
    data, starts, document, ascii_letter, kind, lower, min_length, numbers, slots, ends, letters, size, out, out_ends
):
    """data: bytes of all documents; starts: documents + 1; ascii_letter: by byte, its lower case or 0;
    slots .. size: a `Vocabulary`; out: term numbers; out_ends: documents + 1.

    Begins with the document given; returns the document at which the vocabulary was full, or how many there are.
    """
    room = len(letters) - 16
    while document < len(starts) - 1:
        at = starts[document]
        stop = starts[document + 1]
        n_out = out_ends[document]
        p = base = ends[size[0]]  # a token is written where the next new term would stand
        h = SEED
        length = 0
        has_letter = False
        previous = -1  # the unspaced character just before, and whether a pair was given for it
        paired = False
        while at <= stop:
            if previous < 0:
                while at < stop and p < room:
                    letter = ascii_letter[data[at]]
                    if letter == 0:
                        break
                    letters[p] = letter
                    h = (h ^ int(letter)) * PRIME & BITS
                    p += 1
                    at += 1
                    length += 1
                    has_letter = True
            if p >= room or size[0] + 2 > len(ends):
                return document
            what = SEPARATOR
            code = 0
            if at == stop:
                at += 1  # one separator behind the last character ends the last token
            else:
                code, at = decode(data, at)
                what = int(kind[code])
                code = int(lower[code])
            if what == IGNORED:
                continue
            if previous >= 0 and what != UNSPACED:
                if not paired:
                    p = put(letters, base, previous)
                    out[n_out] = number(slots, ends, letters, size, p, (SEED ^ previous) * PRIME & BITS)
                    n_out += 1
                    p = base = ends[size[0]]
                previous = -1
            if what == LETTER or what == MARK:
                p = put(letters, p, code)
                h = (h ^ code) * PRIME & BITS
                length += 1
                has_letter |= what == LETTER
                continue
            if length >= min_length and (has_letter or numbers):
                out[n_out] = number(slots, ends, letters, size, p, h)
                n_out += 1
                base = ends[size[0]]
            p = base
            h = SEED
            length = 0
            has_letter = False
            if what == UNSPACED:
                paired = previous >= 0
                if paired:
                    p = put(letters, put(letters, base, previous), code)
                    pair = (((SEED ^ previous) * PRIME & BITS) ^ code) * PRIME & BITS
                    out[n_out] = number(slots, ends, letters, size, p, pair)
                    n_out += 1
                    p = base = ends[size[0]]
                previous = code
        document += 1
        out_ends[document] = n_out
    return document
