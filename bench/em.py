"""EM over counts: seconds per iteration against dense and sparse NumPy, and how near to gold classes soft methods come.

    CONSILIENCE_DATA=... python bench/em.py [--all-words]

Both sides of the race make the same steps from the same start on 20 Newsgroups, headers cut, k = 20, on the 10,000
words that stand in most documents (a dense matrix of all 50,000 takes 3.8 GB in single precision: --all-words).
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score
from sklearn.mixture import GaussianMixture

from consilience.clusterings import em_multinomial
from consilience.clusterings.em_gaussian import EmGaussian
from consilience.clusterings.em_multinomial import EmMultinomial
from consilience.clusterings.fuzzy import Fuzzy
from consilience.clusterings.kmeans import KMeans
from consilience.kernels.memberships import Team, nobody
from consilience.language import tokenise
from consilience.nouns import Corpus, Tokens
from consilience.vectors import represent

CORPORA = {"20newsgroups_bydate": 20, "classic3": 3, "search_snippets_12k": 8}
WORDS, ALPHA, STEPS, SEEDS = 10_000, 0.1, 6, 3


def read(name: str) -> tuple[Tokens, np.ndarray]:
    """Terms and gold classes; the headers of posts name their group, so they are cut at the first blank line."""
    table = pl.read_ndjson(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.jsonl.gz")
    texts = table["text"].fill_null("")
    if name.startswith("20newsgroups"):
        texts = texts.str.replace(r"(?s)^.*?\n\n", "")
    corpus = Corpus(table["id"].cast(pl.String), texts)
    return tokenise(corpus), table["label"].cast(pl.String).rank("dense").to_numpy()


def transcription(X: Any, u: np.ndarray, steps: int) -> tuple[float, np.ndarray]:
    """The formulas in NumPy, one line each: seconds per step and the last memberships."""
    N, V, K = X.shape[0], X.shape[1], u.shape[1]
    began = time.perf_counter()
    for _ in range(steps):
        counts = X.T @ u + ALPHA
        theta = counts / counts.sum(axis=0)
        pi = (1 + u.sum(axis=0)) / (K + N)
        scores = X @ np.log(theta) + np.log(pi)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        u = (scores / scores.sum(axis=1, keepdims=True)).astype(X.dtype)
    assert theta.shape == (V, K)
    return (time.perf_counter() - began) / steps, u


def ours(counts: sparse.csr_array, u: np.ndarray, steps: int, threads: int) -> tuple[float, np.ndarray]:
    with Team(threads) as team:
        items = em_multinomial._items(counts)
        room = nobody(*u.shape)._replace(memberships=u.copy())
        began = time.perf_counter()
        for _ in range(steps):
            mixture = em_multinomial._maximise(items, room.memberships, ALPHA, team)
            room = em_multinomial._expect(items, mixture, np.inf, room, team)
        return (time.perf_counter() - began) / steps, room.memberships


def race(tokens: Tokens, *, all_words: bool) -> None:
    counts = represent(tokens, "counts").matrix
    if not all_words:
        frequent = np.sort(np.argsort(-np.diff(counts.tocsc().indptr), kind="stable")[:WORDS])
        counts = counts[:, frequent]
    counts = counts[np.diff(counts.indptr) > 0]
    u = np.random.default_rng(0).dirichlet(np.ones(20), counts.shape[0]).astype(np.float32)
    ours(counts[:100], u[:100], 1, 2)  # compiled
    dense = counts.toarray()
    print(f"20 Newsgroups: {counts.shape[0]} documents, {counts.shape[1]} words, {counts.nnz} counts, k = 20")
    print(f"seconds per iteration, mean of {STEPS}, best of 3 rounds in turns:")
    rivals: dict[str, Callable[[], tuple[float, np.ndarray]]] = {
        "ours, 1 thread": lambda: ours(counts, u, STEPS, 1),
        "ours, 2 threads": lambda: ours(counts, u, STEPS, 2),
        "dense NumPy, float32, BLAS on all threads": lambda: transcription(dense, u, STEPS),
        "sparse SciPy, float32": lambda: transcription(counts, u, STEPS),
    }
    best = dict.fromkeys(rivals, np.inf)
    last: dict[str, np.ndarray] = {}
    for _ in range(3):
        for name, run in rivals.items():
            seconds, last[name] = run()
            best[name] = min(best[name], seconds)
    for name, seconds in best.items():
        print(f"  {name:42s} {seconds:.4f} s   {seconds / best['ours, 2 threads']:6.1f}x")
    same = last["ours, 1 thread"].tobytes() == last["ours, 2 threads"].tobytes()
    agree = (last["ours, 1 thread"].argmax(axis=1) == last["sparse SciPy, float32"].argmax(axis=1)).mean()
    print(f"  one and two threads give the same bytes: {same}; same labels as the transcription: {agree:.2%}")


class FromRandom(EmMultinomial):
    """EM from random memberships, for comparison: how the start matters."""

    def _start(self, counts: sparse.csr_array, chance: np.random.Generator, team: Team) -> np.ndarray:
        return chance.dirichlet(np.ones(self.n_clusters), counts.shape[0]).astype(np.float32)


class Peer:
    """scikit-learn's mixture, started by its own k-means."""

    def __init__(self, k: int, seed: int) -> None:
        self.mixture = GaussianMixture(k, covariance_type="diag", random_state=seed)

    def fit(self, X: np.ndarray) -> Peer:
        self.labels_ = self.mixture.fit_predict(X)
        return self


def fuzzy(m: float, k: int, seed: int) -> Fuzzy:
    return Fuzzy(k, m=m, random_state=seed)


METHODS: dict[str, tuple[str, Callable[[int, int], Any]]] = {
    "kmeans": ("tfidf-log", lambda k, seed: KMeans(k, random_state=seed)),
    "em-multinomial": ("counts", lambda k, seed: EmMultinomial(k, random_state=seed)),
    "em-multinomial, not annealed": ("counts", lambda k, seed: EmMultinomial(k, annealing=False, random_state=seed)),
    "em-multinomial, neither, random start": (
        "counts",
        lambda k, seed: FromRandom(k, annealing=False, random_state=seed),
    ),
    "em-multinomial on tf-idf": ("tfidf", lambda k, seed: EmMultinomial(k, random_state=seed)),
    "kmeans on lsi": ("lsi", lambda k, seed: KMeans(k, random_state=seed)),
    "em-gaussian": ("lsi", lambda k, seed: EmGaussian(k, random_state=seed)),
    "em-gaussian, spherical": ("lsi", lambda k, seed: EmGaussian(k, covariance="spherical", random_state=seed)),
    "scikit-learn's GaussianMixture, diagonal": ("lsi", Peer),
    **{f"fuzzy, m = {m}": ("tfidf-log", partial(fuzzy, m)) for m in (1.01, 1.02, 1.03, 1.05, 1.1, 2.0)},
    **{f"fuzzy on lsi, m = {m}": ("lsi", partial(fuzzy, m)) for m in (1.02, 1.05, 1.1, 1.25, 2.0)},
}


def quality(name: str, tokens: Tokens, truth: np.ndarray, k: int) -> None:
    views = {view: represent(tokens, view).matrix for view in ("counts", "tfidf", "tfidf-log", "lsi")}
    print(f"\n{name}, k = {k}, means of {SEEDS} starts (top: mean of each item's largest membership; k found)")
    print(f"  {'':42s}   ARI    AMI    top     k  seconds")
    for method, (view, make) in METHODS.items():
        began = time.perf_counter()
        fitted = [make(k, seed).fit(views[view]) for seed in range(SEEDS)]
        seconds = (time.perf_counter() - began) / SEEDS
        ari = np.mean([adjusted_rand_score(truth, one.labels_) for one in fitted])
        ami = np.mean([adjusted_mutual_info_score(truth, one.labels_) for one in fitted])
        shares = [one.memberships_.max(axis=1).mean() for one in fitted if hasattr(one, "memberships_")]
        top = f"{np.mean(shares):.2f}" if shares else "   -"
        found = np.mean([one.labels_.max() + 1 for one in fitted])
        print(f"  {method:42s} {ari:5.3f}  {ami:5.3f}  {top}  {found:5.1f}  {seconds:6.2f}", flush=True)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name, k in CORPORA.items():
        tokens, truth = read(name)
        if name == "20newsgroups_bydate":
            race(tokens, all_words="--all-words" in sys.argv[1:])
        quality(name, tokens, truth, k)


if __name__ == "__main__":
    main()
