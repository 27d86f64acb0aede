"""Raw texts to a tf-idf matrix: ours against scikit-learn's TfidfVectorizer, same tokens, equal matrix.

CONSILIENCE_DATA=... python bench/tfidf.py
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import TfidfVectorizer

from consilience.language import raw_tokens
from consilience.nouns import Corpus
from consilience.vectors import represent

TOKEN = r"(?u)[^\W_]{2,}"  # our rule as a regular expression, for texts in scripts with spaces
REPEATS = 5


def newsgroups() -> Corpus:
    """20 Newsgroups, headers cut at the first blank line, NFKC, no combining marks: both token rules agree."""
    posts = pl.read_ndjson(Path(os.environ["CONSILIENCE_DATA"]) / "20newsgroups_bydate.jsonl.gz")
    return Corpus(
        posts["id"], posts["text"].str.replace(r"(?s)^.*?\n\n", "").str.normalize("NFKC").str.replace_all(r"\p{M}", "")
    )


def main() -> None:
    corpus = newsgroups()
    texts = corpus.texts.to_list()
    represent(raw_tokens(corpus, numbers=True), "tfidf")  # kernels loaded
    ours, theirs = [], []
    for _ in range(REPEATS):
        began = time.perf_counter()
        made = represent(raw_tokens(corpus, numbers=True), "tfidf")
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        peer = TfidfVectorizer(token_pattern=TOKEN, dtype=np.float32)
        matrix = peer.fit_transform(texts)
        theirs.append(time.perf_counter() - began)
    matrix.sort_indices()
    print(f"20 Newsgroups, headers cut: {len(texts)} documents, {sum(map(len, texts)) / 1e6:.1f} M characters")
    print(
        f"matrix: ours {made.matrix.shape}, {made.matrix.nnz} values; scikit-learn {matrix.shape}, {matrix.nnz} values"
    )
    same = made.features.to_list() == peer.get_feature_names_out().tolist()
    largest = abs(made.matrix - matrix).max() if same else float("nan")
    print(f"same columns: {same}; largest difference of a value: {largest:.1e}")
    print(f"ours {min(ours):.3f} s, scikit-learn {min(theirs):.3f} s (best of {REPEATS})")
    print(f"ratio: {min(theirs) / min(ours):.1f}x faster (medians: {np.median(theirs) / np.median(ours):.1f}x)")


if __name__ == "__main__":
    main()
