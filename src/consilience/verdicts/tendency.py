"""Is there anything to cluster? A corpus beside the same corpus with its words dealt out anew.

All tokens are shuffled between the documents: every document keeps its length, every word its frequency, and what is
lost is which words go together. If the documents are no more alike than the shuffled ones, no clustering of them can
mean anything. Two numbers say so:

    p         how often a shuffled corpus holds documents as near to each other as the real one does. The statistic is
              the mean cosine of a document to its ten nearest others. Under "no structure" the real corpus is one
              more shuffle, so p is exact whatever the corpus: p = (1 + #{shuffled >= real}) / (1 + shuffles)
    Hopkins   H = Σ u / (Σ u + Σ w)   (after Hopkins and Skellam 1954): w is how far, by 1 - cos, a document is from
              its nearest other, u the same in the shuffled corpora. 0.5: no structure. Hopkins' points drawn evenly
              from a box are no documents, and shuffled documents among real ones find more of their rare words again
              than real ones do, which would give less than 0.5 where there is nothing

A small p says that words go together, as they do in nearly every real text; how much nearer than by chance the
documents are tells how much there is to find. That words come in bursts, once used used again, counts as structure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from consilience.errors import InputError, SettingError
from consilience.kernels.counting import take_rows
from consilience.kernels.neighbours import nearest_neighbours
from consilience.kernels.rows import Floats32
from consilience.nouns import Tokens, Vectors
from consilience.vectors import represent

_NEAREST = 10
_LEVEL = 0.05


class Tendency(NamedTuple):
    """What the comparison showed, on `documents` documents.

    `near` is the mean cosine of a document to its ten nearest others, `near_by_chance` its mean over the shuffled
    corpora, `z` how many of their standard deviations lie between (0 where they do not differ at all).
    """

    hopkins: float
    near: float
    near_by_chance: float
    z: float
    p: float
    permutations: int
    documents: int

    @property
    def structure(self) -> bool:
        """Whether the documents are more alike than shuffled ones, at the level of 5 %."""
        return self.p <= _LEVEL

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        beside = f"{self.near:.2f} against {self.near_by_chance:.2f} with their words shuffled, p = {self.p:.3f}"
        if self.structure:
            return f"There is something to cluster: documents are nearer to each other than by chance ({beside})."
        return (
            f"No structure was found: documents are no nearer to each other than by chance ({beside}). "
            "Clusters of them would mean nothing."
        )


def tendency(
    tokens: Tokens,
    view: str = "tfidf-log",
    *,
    permutations: int = 99,
    sample: int = 1000,
    random_state: int = 0,
    n_jobs: int = -1,
    stage: Callable[[str], None] = lambda _: None,
) -> Tendency:
    """Compares the documents, at most `sample` of them drawn at random, with `permutations` shuffled corpora.

    Documents without a term are left out.
    """
    if permutations < 19:
        raise SettingError(f"{permutations} permutations cannot give a p of 0.05; take 19 or more")
    chance = np.random.default_rng(random_state)
    some = np.flatnonzero(np.diff(tokens.starts) > 0)
    if len(some) < 3:
        raise InputError(f"a tendency needs three documents with terms; there are {len(some)}")
    if len(some) > sample:
        some = np.sort(chance.choice(some, sample, replace=False))
    terms, starts = take_rows(tokens.terms, tokens.starts, some)
    real = replace(tokens, items=tokens.items.gather(some), terms=terms, starts=starts)

    stage(f"comparing {len(some)} documents with {permutations} shuffled corpora")

    def vectors(of: Tokens) -> Vectors:
        return represent(of, view, random_state=random_state, n_jobs=n_jobs)

    def shuffled() -> Tokens:
        return replace(real, terms=chance.permutation(terms))

    def nearest(matrix: Any) -> Floats32:
        return nearest_neighbours(matrix, min(_NEAREST, len(some) - 1), n_jobs=n_jobs).cosines

    near = nearest(vectors(real).matrix)
    dealt = [nearest(vectors(shuffled()).matrix) for _ in range(permutations)]
    by_chance = np.array([_mean(cosines) for cosines in dealt])

    spread = float(by_chance.std(ddof=1))
    u, w = 1 - np.mean([_mean(cosines[:, 0]) for cosines in dealt]), 1 - _mean(near[:, 0])
    return Tendency(
        hopkins=float(u / (u + w)) if u + w > 1e-6 else 0.5,  # equal documents, and their shuffled twins are equal too
        near=_mean(near),
        near_by_chance=float(by_chance.mean()),
        z=(_mean(near) - float(by_chance.mean())) / spread if spread > 1e-9 else 0.0,
        p=float((1 + np.count_nonzero(by_chance >= _mean(near) - 1e-9)) / (1 + permutations)),
        permutations=permutations,
        documents=len(some),
    )


def _mean(cosines: Floats32) -> float:
    return float(cosines.mean(dtype=np.float64))
