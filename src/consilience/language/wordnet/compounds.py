"""Lemmas of several words, as they stand in texts: cut by the same rule, found by their longest match.

The words of all lemmas make a tree: from its root, node 0, word by word to the node at which a lemma ends. A hyphen
joins as a space does, so x-ray is found where a text writes "x ray".
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.language.wordnet import WordNet
from consilience.language.words import HYPHEN, SENTENCE, words_of


class Compounds(NamedTuple):
    """The tree: `slots` holds node << 32 | word where `nodes` has the next node, `lemma[node]` ends there or is -1.

    `words` are sorted, a word's number is its place.
    """

    words: pl.Series
    slots: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int32]
    lemma: npt.NDArray[np.int32]


@cache
def compounds(wordnet: WordNet) -> Compounds:
    """All lemmas that the rule for words does not give whole, and irregular plurals of several words."""
    lemmas = (
        pl.DataFrame({"text": wordnet.lemmas}).with_row_index("lemma").select("text", pl.col("lemma").cast(pl.Int32))
    )
    plurals = wordnet.exceptions.join(lemmas, left_on="listed", right_on="text").select(
        pl.col("inflected").alias("text"), "lemma"
    )
    entries = pl.concat([lemmas, plurals]).filter(pl.col("text").str.contains(r"[^\pL\pM\pN]"))
    cut = words_of(entries["text"].str.replace_all("_", " "), n_jobs=1)
    words = cut.vocabulary
    skipped = np.flatnonzero(words.is_in([SENTENCE, HYPHEN]).to_numpy())
    point = words.index_of(".")
    slots = np.full(1 << int(4 * len(cut.terms)).bit_length(), -1, np.int64)
    nodes = np.zeros(len(slots), np.int32)
    lemma = np.full(len(cut.terms) + 1, -1, np.int32)
    left_out = np.zeros(len(words), bool)
    left_out[skipped] = True
    count = _plant(
        cut.terms,
        cut.starts,
        entries["lemma"].to_numpy(),
        left_out,
        -1 if point is None else point,
        slots,
        nodes,
        lemma,
    )
    return Compounds(words, slots, nodes, lemma[:count])


@nb.njit(cache=True, nogil=True)
def _plant(terms, starts, entries, left_out, point, slots, nodes, lemma):  # type: ignore[no-untyped-def]
    """terms: words of the entries (ragged by starts); returns the number of nodes. Of equal entries the first stays."""
    count = 1
    for entry in range(len(entries)):
        stop = starts[entry + 1]
        while stop > starts[entry] and (left_out[terms[stop - 1]] or terms[stop - 1] == point):
            stop -= 1  # the point of an abbreviation: in a text it may as well end the sentence
        node = 0
        for at in range(starts[entry], stop):
            if left_out[terms[at]]:
                continue
            slot = place(slots, node, terms[at])
            if slots[slot] < 0:
                slots[slot] = np.int64(node) << 32 | terms[at]
                nodes[slot] = count
                count += 1
            node = nodes[slot]
        if node > 0 and lemma[node] < 0:
            lemma[node] = entries[entry]
    return count


@nb.njit(cache=True, nogil=True)
def place(slots, node, word):  # type: ignore[no-untyped-def]
    """The slot of this step in the tree, or the free one where it would stand."""
    key = np.int64(node) << 32 | np.int64(word)
    slot = (key * 0x9E3779B97F4A7C1 >> 20) & (len(slots) - 1)
    while slots[slot] >= 0 and slots[slot] != key:
        slot = (slot + 1) & (len(slots) - 1)
    return slot
