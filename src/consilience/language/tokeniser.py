"""Texts to ragged rows of term numbers: a compiled pass over UTF-8 bytes.

The token rule: a token is a longest run of letters, combining marks and digits (Unicode), lower-cased. Scripts that
put no spaces between words (Han, kana, Thai, Lao, Khmer, Burmese) give the overlapping pairs of characters of each
run instead, and a lone character by itself. Everything else separates; soft hyphens and zero-width joiners are
skipped. Tokens of one character, and tokens without a letter unless `numbers` is set, are left out.

The vocabulary (not the text) is brought to Unicode form NFKC, so that composed and decomposed spellings meet, and is
sorted by code point: term numbers do not depend on the order of the documents or on the number of threads.
"""

from __future__ import annotations

import itertools
import queue
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.kernels.threads import thread_count
from consilience.language.characters import IGNORED, LETTER, MARK, SEPARATOR, UNSPACED, characters
from consilience.nouns import Corpus, Recipe, Tokens

_BLOCK_BYTES = 4 << 20


def raw_tokens(corpus: Corpus, *, numbers: bool = False, min_length: int = 2, n_jobs: int = -1) -> Tokens:
    """All tokens of the texts, by the rule above."""
    ascii_letter, kind, lower = characters()
    blocks = _blocks(corpus.texts)
    workers = max(1, min(thread_count(n_jobs), len(blocks)))
    idle: queue.SimpleQueue[int] = queue.SimpleQueue()
    vocabularies = [_Vocabulary.empty() for _ in range(workers)]
    for worker in range(workers):
        idle.put(worker)

    def scan(block: tuple[int, int]) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        worker = idle.get()
        texts = corpus.texts[block[0] : block[1]]
        data = np.frombuffer(b"".join(texts.cast(pl.Binary).to_list()), np.uint8)
        starts = _starts(texts.str.len_bytes().to_numpy())
        terms = np.empty(len(data) // 2 + len(texts), np.int32)  # no rule gives more than a token every two bytes
        ends = np.zeros(len(texts) + 1, np.int64)
        document = 0
        while True:
            document = _scan(
                data,
                starts,
                document,
                ascii_letter,
                kind,
                lower,
                min_length,
                numbers,
                *vocabularies[worker],
                terms,
                ends,
            )
            if document == len(texts):
                break
            vocabularies[worker] = vocabularies[worker].larger()  # it was full: go on with that document
        idle.put(worker)
        return worker, terms[: ends[-1]].copy(), ends[1:]

    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(scan, blocks))
        vocabulary, number_of = _merge([words.strings() for words in vocabularies])
        starts = np.zeros(len(corpus) + 1, np.int64)
        places = _starts(np.array([len(terms) for _, terms, _ in found], np.int64))
        terms = np.empty(places[-1], np.int32)

        def renumber(i: int) -> None:
            worker, local, ends = found[i]
            np.take(number_of[worker], local, out=terms[places[i] : places[i + 1]])
            starts[blocks[i][0] + 1 : blocks[i][1] + 1] = ends + places[i]

        list(pool.map(renumber, range(len(blocks))))
    recipe = Recipe("tokenise", {"numbers": numbers, "min_length": min_length}, corpus.recipe)
    return Tokens(corpus.ids, terms, starts, vocabulary, vocabulary, "unknown", recipe)


def _blocks(texts: pl.Series) -> list[tuple[int, int]]:
    """Ranges of documents of about `_BLOCK_BYTES` each."""
    ends = texts.str.len_bytes().cast(pl.Int64).cum_sum().to_numpy()
    cuts = np.searchsorted(ends, np.arange(_BLOCK_BYTES, ends[-1] if len(ends) else 0, _BLOCK_BYTES)) + 1
    edges = np.unique(np.concatenate([[0], cuts, [len(texts)]]))
    return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]


def _starts(lengths: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def _merge(vocabularies: list[pl.Series]) -> tuple[pl.Series, list[npt.NDArray[np.int32]]]:
    """One sorted vocabulary, and for each of the given ones the new number of each of its terms."""
    every = pl.concat(vocabularies)
    if every.str.len_bytes().sum() != every.str.len_chars().sum():
        every = every.str.normalize("NFKC").str.to_lowercase()
    order = every.arg_sort()
    ordered = every.gather(order)
    first = (ordered != ordered.shift(1)).fill_null(True)
    numbers = np.empty(len(every), np.int32)
    numbers[order.to_numpy()] = np.cumsum(first.to_numpy()) - 1
    cuts = np.cumsum([len(words) for words in vocabularies])[:-1]
    return ordered.filter(first), np.split(numbers, cuts)


class _Vocabulary(NamedTuple):
    """An open-addressing table of terms, kept one a line in `letters`.

    A slot holds hash << 32 | term number, or -1 where it is free; term t ends before `ends[t + 1]`; `size[0]` terms.
    """

    slots: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    letters: npt.NDArray[np.uint8]
    size: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, terms: int = 1 << 14) -> _Vocabulary:
        return cls(
            np.full(2 * terms, -1, np.int64),
            np.zeros(terms + 1, np.int64),
            np.empty(16 * terms, np.uint8),
            np.zeros(1, np.int64),
        )

    def larger(self) -> _Vocabulary:
        new = self.empty(len(self.slots))
        new.ends[: len(self.ends)] = self.ends
        new.letters[: len(self.letters)] = self.letters
        new.size[:] = self.size
        _rehash(self.slots, new.slots)
        return new

    def strings(self) -> pl.Series:
        used = self.letters[: self.ends[self.size[0]]].tobytes()
        return pl.Series("term", used.decode().split("\n")[:-1], dtype=pl.String)


_SEED, _PRIME, _BITS = 2166136261, 16777619, 0x7FFFFFFF  # FNV-1a over code points, 31 bits in an int64: no overflow


@nb.njit(cache=True, nogil=True)
def _scan(  # type: ignore[no-untyped-def]
    data, starts, document, ascii_letter, kind, lower, min_length, numbers, slots, ends, letters, size, out, out_ends
):
    """data: bytes of all documents; starts: documents + 1; ascii_letter: by byte, its lower case or 0;
    slots .. size: a `_Vocabulary`; out: term numbers; out_ends: documents + 1.

    Begins with the document given; returns the document at which the vocabulary was full, or how many there are.
    """
    room = len(letters) - 16
    while document < len(starts) - 1:
        at = starts[document]
        stop = starts[document + 1]
        n_out = out_ends[document]
        p = base = ends[size[0]]  # a token is written where the next new term would stand
        h = _SEED
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
                    h = (h ^ int(letter)) * _PRIME & _BITS
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
                code, at = _decode(data, at)
                what = int(kind[code])
                code = int(lower[code])
            if what == IGNORED:
                continue
            if previous >= 0 and what != UNSPACED:
                if not paired:
                    p = _put(letters, base, previous)
                    out[n_out] = _number(slots, ends, letters, size, p, (_SEED ^ previous) * _PRIME & _BITS)
                    n_out += 1
                    p = base = ends[size[0]]
                previous = -1
            if what == LETTER or what == MARK:
                p = _put(letters, p, code)
                h = (h ^ code) * _PRIME & _BITS
                length += 1
                has_letter |= what == LETTER
                continue
            if length >= min_length and (has_letter or numbers):
                out[n_out] = _number(slots, ends, letters, size, p, h)
                n_out += 1
                base = ends[size[0]]
            p = base
            h = _SEED
            length = 0
            has_letter = False
            if what == UNSPACED:
                paired = previous >= 0
                if paired:
                    p = _put(letters, _put(letters, base, previous), code)
                    pair = (((_SEED ^ previous) * _PRIME & _BITS) ^ code) * _PRIME & _BITS
                    out[n_out] = _number(slots, ends, letters, size, p, pair)
                    n_out += 1
                    p = base = ends[size[0]]
                previous = code
        document += 1
        out_ends[document] = n_out
    return document


@nb.njit(cache=True, nogil=True)
def _decode(data, at):  # type: ignore[no-untyped-def]
    """The code point that begins at `at` in valid UTF-8, and where the next begins."""
    c = int(data[at])
    if c < 0x80:
        return c, at + 1
    if c < 0xE0:
        return (c & 0x1F) << 6 | (int(data[at + 1]) & 0x3F), at + 2
    low = (int(data[at + 1]) & 0x3F) << 6 | (int(data[at + 2]) & 0x3F)
    if c < 0xF0:
        return (c & 0x0F) << 12 | low, at + 3
    return (c & 0x07) << 18 | low << 6 | (int(data[at + 3]) & 0x3F), at + 4


@nb.njit(cache=True, nogil=True)
def _put(letters, p, code):  # type: ignore[no-untyped-def]
    """Writes a code point as UTF-8; returns where the next goes."""
    if code < 0x80:
        letters[p] = code
        return p + 1
    if code < 0x800:
        letters[p] = 0xC0 | code >> 6
        letters[p + 1] = 0x80 | code & 0x3F
        return p + 2
    if code < 0x10000:
        letters[p] = 0xE0 | code >> 12
        letters[p + 1] = 0x80 | code >> 6 & 0x3F
        letters[p + 2] = 0x80 | code & 0x3F
        return p + 3
    letters[p] = 0xF0 | code >> 18
    letters[p + 1] = 0x80 | code >> 12 & 0x3F
    letters[p + 2] = 0x80 | code >> 6 & 0x3F
    letters[p + 3] = 0x80 | code & 0x3F
    return p + 4


@nb.njit(cache=True, nogil=True)
def _number(slots, ends, letters, size, stop, h):  # type: ignore[no-untyped-def]
    """The number of the token of hash h that stands behind the last term and ends before `stop`; a new one is kept."""
    new = size[0]
    base = ends[new]
    slot = h & (len(slots) - 1)
    while slots[slot] >= 0:
        if slots[slot] >> 32 == h:
            term = slots[slot] & 0xFFFFFFFF
            begin = ends[term]
            same = ends[term + 1] - begin == stop + 1 - base
            i = 0
            while same and i < stop - base:
                same = letters[begin + i] == letters[base + i]
                i += 1
            if same:
                return term
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = int(h) << 32 | int(new)
    letters[stop] = 10
    ends[new + 1] = stop + 1
    size[0] = new + 1
    return new


@nb.njit(cache=True, nogil=True)
def _rehash(old, new):  # type: ignore[no-untyped-def]
    """Fills the free slots of a larger table."""
    for key in old:
        if key >= 0:
            slot = (key >> 32) & (len(new) - 1)
            while new[slot] >= 0:
                slot = (slot + 1) & (len(new) - 1)
            new[slot] = key
