"""The sense that each noun of a document has there, found by the company it keeps.

    ŝ_i = argmax_{s in S_i} Σ_{t_j in d, j ≠ i} max_{s' in S_j} σ(s, s')        (Fodeh, Punch, Tan 2009, eq. 2)

σ is Wu-Palmer, S_i the first three senses of noun t_i, t_j the distinct nouns of the document. Ties go to the more
frequent sense; sums closer than 1e-9 are ties, for they differ by the order of adding up. A noun without company has
its most frequent sense. What the formula does not look at: how often a noun stands in the document, and how near.

Time grows with the square of a document's distinct nouns (a microsecond for ten pairs); memory with the text.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numba as nb
import numpy as np
import numpy.typing as npt

from consilience.errors import InputError
from consilience.kernels.threads import thread_count
from consilience.language.wordnet import FIRST_SENSES, WordNet, load_wordnet
from consilience.language.wordnet.taxonomy import mark, similarity, unmark
from consilience.nouns import Recipe, Tokens

_EQUAL = 1e-9  # far above rounding, far below the difference of two sums of these fractions
_TASKS = 64


def sense_tokens(nouns: Tokens, *, wordnet: str = "", n_jobs: int = -1) -> Tokens:
    """Each noun's sense in its document, in place of the noun; the vocabulary holds names as cat.n.01, sorted."""
    if nouns.of != "nouns":
        raise InputError(f"senses are those of nouns, these tokens are {nouns.of}; make them with noun_tokens")
    known = load_wordnet(wordnet)
    chosen = disambiguate(nouns, known, n_jobs=n_jobs)
    used, terms = np.unique(chosen, return_inverse=True)
    names = known.synsets.gather(used)
    order = names.arg_sort().to_numpy()
    number = np.argsort(order).astype(np.int32)
    recipe = Recipe("senses", {"first": FIRST_SENSES}, nouns.recipe)
    return Tokens(
        nouns.items,
        number[terms.reshape(-1)],
        nouns.starts,
        names.gather(order).rename("term"),
        known.shown(used[order]).rename("surface"),
        nouns.language,
        recipe,
        of="senses",
    )


def disambiguate(nouns: Tokens, known: WordNet, *, n_jobs: int = -1) -> npt.NDArray[np.int32]:
    """For each noun token the number of its synset, by the formula above."""
    sense_starts, senses = known.first_senses(nouns.vocabulary.str.replace_all(" ", "_"))
    if len(nouns.vocabulary) and np.diff(sense_starts).min() == 0:
        without = nouns.vocabulary[int(np.diff(sense_starts).argmin())]
        raise InputError(f"the noun {without!r} is not in this WordNet; take the one that the nouns were found with")
    chosen = np.empty(len(nouns.terms), np.int32)
    tree = known.tree

    def choose(block: tuple[int, int]) -> None:
        _choose(nouns.terms, nouns.starts, *block, sense_starts, senses, tree, chosen)

    with ThreadPoolExecutor(thread_count(n_jobs)) as pool:
        list(pool.map(choose, _blocks(nouns.starts)))
    return chosen


def similarities(nouns: Tokens, known: WordNet) -> int:
    """How many σ the formula asks for: Σ_d Σ_i Σ_{j ≠ i} |S_i| |S_j|, written out as a loop would."""
    sense_starts, _ = known.first_senses(nouns.vocabulary.str.replace_all(" ", "_"))
    counts = np.diff(sense_starts)
    total = 0
    for low, high in zip(nouns.starts[:-1], nouns.starts[1:], strict=True):
        own = counts[np.unique(nouns.terms[low:high])]
        total += int(own.sum()) ** 2 - int((own**2).sum())
    return total


def _blocks(starts: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of documents of about the same work, which grows with the square of a document's nouns."""
    work = np.cumsum(np.diff(starts).astype(np.float64) ** 2 + 1)
    goals = np.linspace(0, work[-1] if len(work) else 0, _TASKS + 1)[1:-1]
    edges = np.unique(np.concatenate([[0], np.searchsorted(work, goals) + 1, [len(work)]]))
    edges = edges[edges <= len(work)]
    return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]


@nb.njit(cache=True, nogil=True)
def _choose(terms, starts, low, high, sense_starts, senses, tree, chosen):  # type: ignore[no-untyped-def]
    """terms: nouns of all documents (ragged by starts); senses: synsets of all nouns (ragged by sense_starts).

    Writes the synsets of documents low to high - 1 to `chosen`.
    """
    way = np.full(len(tree.rank), -1, np.int16)
    best = np.full(len(sense_starts) - 1, -1, np.int32)
    for document in range(low, high):
        begin, end = starts[document], starts[document + 1]
        nouns = np.unique(terms[begin:end])
        for i in range(len(nouns)):
            best[nouns[i]] = _best_sense(nouns, i, sense_starts, senses, tree, way)
        for at in range(begin, end):
            chosen[at] = best[terms[at]]


@nb.njit(cache=True, nogil=True)
def _best_sense(nouns, i, sense_starts, senses, tree, way):  # type: ignore[no-untyped-def]
    """The synset with the largest sum for noun i of the document's nouns."""
    first, last = sense_starts[nouns[i]], sense_starts[nouns[i] + 1]
    best = senses[first]
    if last - first == 1:
        return best
    largest = -1.0
    for candidate in range(first, last):
        s = senses[candidate]
        mark(tree, s, way)
        total = 0.0
        for j in range(len(nouns)):
            if j != i:
                nearest = 0.0
                for other in range(sense_starts[nouns[j]], sense_starts[nouns[j] + 1]):
                    nearest = max(nearest, similarity(tree, s, senses[other], way))
                total += nearest
        unmark(tree, s, way)
        if total > largest + _EQUAL:
            largest = total
            best = s
    return best
