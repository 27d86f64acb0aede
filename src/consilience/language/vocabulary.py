"""The table in which terms get their numbers while texts are cut, block by block, on several threads.

A rule for cutting is a compiled function; what it writes are numbers of terms. Term numbers in the end are those of the
sorted vocabulary: they do not depend on the order of the documents, on the blocks or on the number of threads.
"""

from __future__ import annotations

import itertools
import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.kernels.threads import thread_count

_BLOCK_BYTES = 4 << 20


class Numbered(NamedTuple):
    """Ragged term numbers: those of text i are `terms[starts[i]:starts[i + 1]]`."""

    terms: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    vocabulary: pl.Series


def number_terms(
    texts: pl.Series,
    scan: Callable[..., int],
    rule: tuple[Any, ...],
    *,
    per_byte: float,
    spelled: Callable[[pl.Series], pl.Series],
    n_jobs: int = -1,
) -> Numbered:
    """The terms that `scan` cuts from the texts.

    `scan(bytes, starts, document, *rule, *vocabulary, terms, ends)` begins with the document given and returns the one
    at which the vocabulary was full, or how many there are. It gives at most `per_byte` terms a byte and two a text;
    `spelled` brings the vocabulary to its last form.
    """
    blocks = _blocks(texts)
    workers = max(1, min(thread_count(n_jobs), len(blocks)))
    idle: queue.SimpleQueue[int] = queue.SimpleQueue()
    vocabularies = [Vocabulary.empty() for _ in range(workers)]
    for worker in range(workers):
        idle.put(worker)

    def cut(block: tuple[int, int]) -> tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        worker = idle.get()
        own = texts[block[0] : block[1]]
        data = np.frombuffer(b"".join(own.cast(pl.Binary).to_list()), np.uint8)
        starts = _starts(own.str.len_bytes().to_numpy())
        terms = np.empty(int(len(data) * per_byte) + 2 * len(own), np.int32)
        ends = np.zeros(len(own) + 1, np.int64)
        document = 0
        while True:
            document = scan(data, starts, document, *rule, *vocabularies[worker], terms, ends)
            if document == len(own):
                break
            vocabularies[worker] = vocabularies[worker].larger()  # it was full: go on with that document
        idle.put(worker)
        return worker, terms[: ends[-1]].copy(), ends[1:]

    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(cut, blocks))
        vocabulary, number_of = _merge([words.strings() for words in vocabularies], spelled)
        starts = np.zeros(len(texts) + 1, np.int64)
        places = _starts(np.array([len(terms) for _, terms, _ in found], np.int64))
        terms = np.empty(places[-1], np.int32)

        def renumber(i: int) -> None:
            worker, local, ends = found[i]
            np.take(number_of[worker], local, out=terms[places[i] : places[i + 1]])
            starts[blocks[i][0] + 1 : blocks[i][1] + 1] = ends + places[i]

        list(pool.map(renumber, range(len(blocks))))
    return Numbered(terms, starts, vocabulary)


def _blocks(texts: pl.Series) -> list[tuple[int, int]]:
    """Ranges of documents of about `_BLOCK_BYTES` each."""
    ends = texts.str.len_bytes().cast(pl.Int64).cum_sum().to_numpy()
    cuts = np.searchsorted(ends, np.arange(_BLOCK_BYTES, ends[-1] if len(ends) else 0, _BLOCK_BYTES)) + 1
    edges = np.unique(np.concatenate([[0], cuts, [len(texts)]]))
    return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]


def _starts(lengths: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def _merge(
    vocabularies: list[pl.Series], spelled: Callable[[pl.Series], pl.Series]
) -> tuple[pl.Series, list[npt.NDArray[np.int32]]]:
    """One sorted vocabulary, and for each of the given ones the new number of each of its terms."""
    every = spelled(pl.concat(vocabularies))
    order = every.arg_sort()
    ordered = every.gather(order)
    first = (ordered != ordered.shift(1)).fill_null(True)
    numbers = np.empty(len(every), np.int32)
    numbers[order.to_numpy()] = np.cumsum(first.to_numpy()) - 1
    cuts = np.cumsum([len(words) for words in vocabularies])[:-1]
    return ordered.filter(first), np.split(numbers, cuts)


class Vocabulary(NamedTuple):
    """An open-addressing table of terms, kept one a line in `letters`.

    A slot holds hash << 32 | term number, or -1 where it is free; term t ends before `ends[t + 1]`; `size[0]` terms.
    """

    slots: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    letters: npt.NDArray[np.uint8]
    size: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, terms: int = 1 << 14) -> Vocabulary:
        return cls(
            np.full(2 * terms, -1, np.int64),
            np.zeros(terms + 1, np.int64),
            np.empty(16 * terms, np.uint8),
            np.zeros(1, np.int64),
        )

    def larger(self) -> Vocabulary:
        new = self.empty(len(self.slots))
        new.ends[: len(self.ends)] = self.ends
        new.letters[: len(self.letters)] = self.letters
        new.size[:] = self.size
        _rehash(self.slots, new.slots)
        return new

    def strings(self) -> pl.Series:
        used = self.letters[: self.ends[self.size[0]]].tobytes()
        return pl.Series("term", used.decode().split("\n")[:-1], dtype=pl.String)


SEED, PRIME, BITS = 2166136261, 16777619, 0x7FFFFFFF  # FNV-1a over code points, 31 bits in an int64: no overflow


@nb.njit(cache=True, nogil=True)
def decode(data, at):  # type: ignore[no-untyped-def]
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
def put(letters, p, code):  # type: ignore[no-untyped-def]
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
def number(slots, ends, letters, size, stop, h):  # type: ignore[no-untyped-def]
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
