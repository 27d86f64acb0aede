"""Which language a corpus is written in, by its share of each language's stop words."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from consilience.kernels.counting import term_counts
from consilience.language.stopwords import stop_lists
from consilience.nouns import Tokens

_ENOUGH = 0.02  # under this share no language is recognised: lists of names, codes, a language without a list


class Detection(NamedTuple):
    """The language (ISO 639-1, or "unknown") and its score, with the runner-up's."""

    language: str
    score: float
    runner_up: str
    runner_up_score: float


def detect(tokens: Tokens) -> Detection:
    """score(l) = Σ_{w in stop list of l} count(w) / lists(w) / tokens

    A stop word counts for less the more languages share it: without the division, French scores .29 as Spanish.
    """
    words = tokens.vocabulary
    counts = dict(zip(words.to_list(), term_counts(tokens.terms, len(words)).tolist(), strict=True))
    lists = stop_lists()
    shared = Counter(word for words_of in lists.values() for word in words_of)
    total = max(len(tokens.terms), 1)
    scores = sorted(
        (
            (sum(counts.get(word, 0) / shared[word] for word in sorted(words_of)) / total, code)
            for code, words_of in lists.items()
        ),
        reverse=True,
    )
    (best, language), (second, runner_up) = scores[:2]
    return Detection(language if best >= _ENOUGH else "unknown", best, runner_up, second)
