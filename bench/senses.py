"""Nouns and their senses in 6000 posts: seconds, and similarities per second beside a loop over NLTK's.

    CONSILIENCE_DATA=folder python bench/senses.py

The first 6000 posts of 20 Newsgroups without their heads, from text to senses, tagging included, after a first call
that loads lexicon and WordNet. NLTK computes the same Wu-Palmer similarities, one by one as formula (2) asks for them,
for 20 of the documents; it reads WordNet's own files, from the same folder. Both give the same senses, or this fails.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consilience import read
from consilience.language import noun_tokens, refine, sense_tokens
from consilience.language.senses import disambiguate, similarities
from consilience.language.wordnet import WordNet, load_wordnet
from consilience.nouns import Corpus, Tokens

DOCUMENTS, BY_LOOP = 6000, 20
WANTED_SECONDS, WANTED_RATIO = 15, 1000
PARTS = ("adj", "adv", "verb")


class Looped(NamedTuple):
    """What NLTK's loop did."""

    similarities: int
    seconds: float
    senses: list[dict[str, str]]


def nltk_wordnet(folder: Path) -> Any:
    """NLTK's reader of the noun files; it wants to open those of the other parts of speech too."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Nouns(WordNetCorpusReader):
        def map_wn(self, version: str = "wordnet") -> None:
            return None

    with tarfile.open(Path(os.environ["CONSILIENCE_DATA"]) / "wordnet30_noun.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    for part in PARTS:
        for name in (f"index.{part}", f"data.{part}", f"{part}.exc"):
            (folder / "wordnet30" / name).touch()
    nltk.data.path.append(str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Nouns(str(folder / "wordnet30"), None)


def looped(nouns: Tokens, documents: list[int], known: WordNet, peer: Any) -> Looped:
    """Formula (2) with NLTK's similarity, as one would write it; its synsets are looked up beforehand."""
    starts, senses = known.first_senses(nouns.vocabulary.str.replace_all(" ", "_"))
    asked, found, seconds = 0, [], 0.0
    for document in documents:
        own = np.unique(nouns.terms[nouns.starts[document] : nouns.starts[document + 1]])
        sets = [[peer.synset(name) for name in known.synsets.gather(senses[starts[t] : starts[t + 1]])] for t in own]
        began = time.perf_counter()
        chosen = []
        for i, candidates in enumerate(sets):
            sums = []
            for s in candidates:
                sums.append(sum(max(s.wup_similarity(o) for o in others) for j, others in enumerate(sets) if j != i))
                asked += sum(len(others) for j, others in enumerate(sets) if j != i)
            chosen.append(candidates[next(n for n, total in enumerate(sums) if total > max(sums) - 1e-9)].name())
        seconds += time.perf_counter() - began
        found.append(dict(zip(nouns.vocabulary.gather(own).to_list(), chosen, strict=True)))
    return Looped(asked, seconds, found)


def check(nouns: Tokens, senses: Tokens, documents: list[int], theirs: list[dict[str, str]]) -> None:
    for document, wanted in zip(documents, theirs, strict=True):
        own = slice(nouns.starts[document], nouns.starts[document + 1])
        pairs = zip(nouns.vocabulary.gather(nouns.terms[own]), senses.vocabulary.gather(senses.terms[own]), strict=True)
        if dict(pairs) != wanted:
            raise SystemExit(f"document {document}: other senses than by NLTK's similarities")


def posts() -> Corpus:
    corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / "20newsgroups_bydate.jsonl.gz", strip=("headers",))
    return corpus.take(np.arange(DOCUMENTS))


def main() -> None:
    corpus, known = posts(), load_wordnet()
    sense_tokens(noun_tokens(corpus.take(np.arange(50))))  # loads, and compiles where nothing is compiled yet
    began = time.perf_counter()
    found = noun_tokens(corpus)
    tagged = time.perf_counter()
    nouns = refine(found, min_df=1)
    refined = time.perf_counter()
    senses = sense_tokens(nouns)
    ended = time.perf_counter()
    print(f"{DOCUMENTS} posts, {len(found.terms)} nouns: {tagged - began:.1f} s to find them")
    print(
        f"{len(nouns.terms)} without stop words, {len(senses.vocabulary)} senses: {ended - refined:.1f} s to tell them"
    )
    print(f"together {ended - began:.1f} s (wanted: under {WANTED_SECONDS})")

    began = time.perf_counter()
    disambiguate(nouns, known)
    rate = similarities(nouns, known) / (time.perf_counter() - began)
    documents = np.linspace(0, DOCUMENTS - 1, BY_LOOP).astype(int).tolist()
    with tempfile.TemporaryDirectory() as folder:
        loop = looped(nouns, documents, known, nltk_wordnet(Path(folder)))
    check(nouns, senses, documents, loop.senses)
    theirs = loop.similarities / loop.seconds
    print(f"similarities per second: {rate:,.0f}; NLTK's loop over {BY_LOOP} documents {theirs:,.0f}")
    print(f"{rate / theirs:,.0f} times as many (wanted: {WANTED_RATIO}), the same senses")


if __name__ == "__main__":
    main()
