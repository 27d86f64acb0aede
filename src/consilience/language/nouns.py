"""The nouns of texts: those that WordNet knows, as lemmas.

In English a tagger says which words are nouns. In other languages the lexicon does it alone: every word that it has is
taken for one, so a WordNet of that language is needed.

Lemmas of several words (New York, metric ton) are found by their longest match. With a tagger the last word must be a
noun and the first one that may stand in a name or a compound, unless hyphens join them; the words inside count no more.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.errors import SettingError
from consilience.kernels.threads import thread_count
from consilience.language import tagging
from consilience.language.detection import language_name
from consilience.language.vocabulary import Numbered
from consilience.language.wordnet import WordNet, load_wordnet
from consilience.language.wordnet.compounds import compounds, place
from consilience.language.wordnet.morphology import base_forms
from consilience.language.words import HYPHEN, SENTENCE, words_of
from consilience.nouns import Corpus, Recipe, Tokens

_MAY_BEGIN = (*tagging.NOUNS, "JJ", "JJR", "JJS", "CD", "VBG", "VBN", "FW", "SYM", "LS", "NN|JJ")
_BLOCK = 256  # documents a task


def noun_tokens(corpus: Corpus, *, language: str = "en", wordnet: str = "", n_jobs: int = -1) -> Tokens:
    """Every noun of the texts that WordNet knows, in their order; the vocabulary holds lemmas, sorted.

    `wordnet` is the path of another WordNet than the one that comes with the package (see `load_wordnet`).
    """
    tagged = language == "en"
    if not tagged and not wordnet and language != "unknown":
        raise SettingError(
            f"the nouns that come along are English, the texts are {language_name(language)}; name a WordNet of their "
            "language with --wordnet, say --language en if they are English, or take another view"
        )
    known = load_wordnet(wordnet)
    found = words_of(corpus.texts, n_jobs=n_jobs)
    lemmas, starts = _lemmas(found, known, tagged=tagged, n_jobs=n_jobs)
    used = np.unique(lemmas)
    number = np.zeros(len(known.lemmas), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    vocabulary, surface = (
        names.gather(used).str.replace_all("_", " ").rename(title)
        for names, title in ((known.lemmas, "term"), (known.written, "surface"))
    )
    settings = {"language": language, "tagged": tagged, "wordnet": known.version, "digest": known.digest[:16]}
    recipe = Recipe("nouns", settings, corpus.recipe)
    return Tokens(corpus.ids, number[lemmas], starts, vocabulary, surface, language, recipe, of="nouns")


class _Forms(NamedTuple):
    """What is known of each distinct word: its lemma, its number in the tree of compounds, those of its base forms.

    -1 is none; the base forms of f are `bases[base_starts[f]:base_starts[f + 1]]`.
    """

    lemma: npt.NDArray[np.int32]
    word: npt.NDArray[np.int32]
    base_starts: npt.NDArray[np.int64]
    bases: npt.NDArray[np.int32]


class _Tagger(NamedTuple):
    """Everything about tags; without a tagger all words are nouns."""

    on: bool
    guesses: tagging.Guesses
    rules: tagging.Rules
    noun: npt.NDArray[np.bool_]
    may_begin: npt.NDArray[np.bool_]
    outside: int


def _lemmas(
    found: Numbered, known: WordNet, *, tagged: bool, n_jobs: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The lemmas of every text, ragged."""
    tree = compounds(known)
    forms = _forms(found.vocabulary, known, tree.words)
    tagger = _tagger(found.vocabulary, on=tagged)
    sentence, hyphen = (_number(found.vocabulary, mark) for mark in (SENTENCE, HYPHEN))
    documents = len(found.starts) - 1
    out = np.empty(len(found.terms), np.int32)
    counts = np.zeros(documents, np.int64)

    def extract(low: int) -> None:
        high = min(low + _BLOCK, documents)
        nodes = (tree.slots, tree.nodes, tree.lemma)
        _extract(found.terms, found.starts, low, high, sentence, hyphen, forms, *nodes, tagger, out, counts)

    with ThreadPoolExecutor(thread_count(n_jobs)) as pool:
        list(pool.map(extract, range(0, documents, _BLOCK)))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    _close(found.starts, starts, out)
    return out[: starts[-1]].copy(), starts


def _forms(vocabulary: pl.Series, known: WordNet, words: pl.Series) -> _Forms:
    lower = vocabulary.str.to_lowercase()
    best = known.analyses(lower).unique("form", keep="first")
    lemma = np.full(len(lower), -1, np.int32)
    lemma[best["form"].to_numpy()] = best["lemma"].to_numpy()
    numbers = pl.DataFrame({"base": words}).with_row_index("word")
    word = pl.DataFrame({"base": lower}).join(numbers, on="base", how="left", maintain_order="left")["word"]
    bases = base_forms(lower, known.exceptions).filter(pl.col("order") > 0).join(numbers, on="base")
    bases = bases.sort("form", "order")
    counts = np.bincount(bases["form"].to_numpy(), minlength=len(lower))
    return _Forms(
        lemma,
        word.cast(pl.Int32).fill_null(-1).to_numpy(),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]),
        bases["word"].cast(pl.Int32).to_numpy(),
    )


def _tagger(vocabulary: pl.Series, *, on: bool) -> _Tagger:
    if on:
        noun, may_begin = tagging.is_tag(tagging.NOUNS), tagging.is_tag(_MAY_BEGIN)
        rules = tagging.contextual_rules(vocabulary)
        return _Tagger(True, tagging.guesses(vocabulary), rules, noun, may_begin, tagging.outside())
    none, no = np.zeros(0, np.int16), np.zeros(0, np.int32)
    never = np.zeros(0, bool)
    return _Tagger(
        False, tagging.Guesses(none, none, none, never), tagging.Rules(none, none, no, no, no, none), never, never, 0
    )


def _number(vocabulary: pl.Series, word: str) -> int:
    place = vocabulary.index_of(word)
    return -1 if place is None else place


@nb.njit(cache=True, nogil=True)
def _extract(  # type: ignore[no-untyped-def]
    terms, starts, low, high, sentence, hyphen, forms, slots, nodes, lemma_at, tagger, out, counts
):
    """terms: words of all documents (ragged by starts). Writes those of documents low to high - 1: lemmas to `out` from
    where the document's words begin, how many to `counts`.
    """
    longest = 0
    for document in range(low, high):
        longest = max(longest, starts[document + 1] - starts[document])
    words = np.empty(longest, np.int32)
    joined = np.zeros(longest, np.bool_)  # by a hyphen with the word before
    tags = np.zeros(longest, np.int16)
    for document in range(low, high):
        count = 0
        begin = 0  # of the sentence
        compound = False
        for at in range(starts[document], starts[document + 1] + 1):
            ends = at == starts[document + 1] or terms[at] == sentence
            if ends:
                if tagger.on and count > begin:
                    tagging.tag_sentence(words, begin, count, tagger.guesses, tagger.rules, tagger.outside, tags)
                begin = count
            elif terms[at] == hyphen:
                compound = True
            else:
                words[count] = terms[at]
                joined[count] = compound
                compound = False
                count += 1
        end = starts[document]
        i = 0
        while i < count:
            lemma, length = _longest(words, joined, tags, i, count, forms, slots, nodes, lemma_at, tagger)
            if lemma < 0 and (not tagger.on or tagger.noun[tags[i]]):
                lemma = forms.lemma[words[i]]
                if lemma < 0 and forms.word[words[i]] >= 0:
                    slot = place(slots, 0, forms.word[words[i]])
                    lemma = lemma_at[nodes[slot]] if slots[slot] >= 0 else -1
            if lemma >= 0:
                out[end] = lemma
                end += 1
            i += length
        counts[document] = end - starts[document]


@nb.njit(cache=True, nogil=True)
def _longest(words, joined, tags, i, count, forms, slots, nodes, lemma_at, tagger):  # type: ignore[no-untyped-def]
    """The longest lemma of several words that begins with word i, and of how many; -1 and 1 if there is none."""
    lemma, length = -1, 1
    begins = not tagger.on or tagger.may_begin[tags[i]]
    hyphens = True
    node = 0
    j = i
    while j < count and (begins or hyphens):
        if j > i:
            hyphens &= joined[j]
            if hyphens or (begins and (not tagger.on or tagger.noun[tags[j]])):
                found = _ending(node, words[j], forms, slots, nodes, lemma_at)
                if found >= 0:
                    lemma, length = found, j - i + 1
        if forms.word[words[j]] < 0:
            break
        slot = place(slots, node, forms.word[words[j]])
        if slots[slot] < 0:
            break
        node = nodes[slot]
        j += 1
    return lemma, length


@nb.njit(cache=True, nogil=True)
def _ending(node, form, forms, slots, nodes, lemma_at):  # type: ignore[no-untyped-def]
    """The lemma that ends with this word, or one of its base forms, behind the node; -1 if none does."""
    if forms.word[form] >= 0:
        slot = place(slots, node, forms.word[form])
        if slots[slot] >= 0 and lemma_at[nodes[slot]] >= 0:
            return lemma_at[nodes[slot]]
    for at in range(forms.base_starts[form], forms.base_starts[form + 1]):
        slot = place(slots, node, forms.bases[at])
        if slots[slot] >= 0 and lemma_at[nodes[slot]] >= 0:
            return lemma_at[nodes[slot]]
    return -1


@nb.njit(cache=True, nogil=True)
def _close(begins, starts, out):  # type: ignore[no-untyped-def]
    """Moves each row of out from begins[d] to starts[d] (never to the right)."""
    for row in range(len(starts) - 1):
        shift = begins[row] - starts[row]
        if shift:
            for at in range(starts[row], starts[row + 1]):
                out[at] = out[at + shift]
