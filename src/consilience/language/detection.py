"""Which language a corpus is written in, by its share of each language's stop words."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from consilience.kernels.counting import term_counts
from consilience.language.stopwords import stop_lists
from consilience.nouns import Tokens

_ENOUGH = 0.02  # under this share no language is recognised: lists of names, codes, a language without a list
_WORDS = 2  # different stop words at least: "sea" alone, which is a verb in Spanish, makes no text Spanish


_NAMES = dict(
    pair.split(":")
    for line in (
        "af:Afrikaans ar:Arabic bg:Bulgarian bn:Bengali br:Breton ca:Catalan cs:Czech da:Danish de:German el:Greek",
        "en:English eo:Esperanto es:Spanish et:Estonian eu:Basque fa:Persian fi:Finnish fr:French ga:Irish gl:Galician",
        "gu:Gujarati ha:Hausa he:Hebrew hi:Hindi hr:Croatian hu:Hungarian hy:Armenian id:Indonesian it:Italian",
        "ja:Japanese ko:Korean ku:Kurdish la:Latin lt:Lithuanian lv:Latvian mr:Marathi ms:Malay nl:Dutch no:Norwegian",
        "pl:Polish pt:Portuguese ro:Romanian ru:Russian sk:Slovak sl:Slovenian so:Somali st:Sotho sv:Swedish",
        "sw:Swahili th:Thai tl:Tagalog tr:Turkish uk:Ukrainian ur:Urdu vi:Vietnamese yo:Yoruba zh:Chinese zu:Zulu",
    )
    for pair in line.split()
)


def language_name(code: str) -> str:
    """en -> English; a code that is not known stays."""
    return _NAMES.get(code, code)


class Detection(NamedTuple):
    """The language (ISO 639-1, or "unknown") and its score, with the runner-up's."""

    language: str
    score: float
    runner_up: str
    runner_up_score: float


def detect(tokens: Tokens) -> Detection:
    """score(l) = Σ_{w in stop list of l} count(w) / lists(w) / tokens

    A stop word counts for less the more languages share it: without the division, French scores .29 as Spanish.
    A language of which fewer than two different stop words occur scores 0.
    """
    words = tokens.vocabulary
    counts = dict(zip(words.to_list(), term_counts(tokens.terms, len(words)).tolist(), strict=True))
    lists = stop_lists()
    shared = Counter(word for words_of in lists.values() for word in words_of)
    total = max(len(tokens.terms), 1)
    scores = []
    for code, words_of in lists.items():
        said = [word for word in sorted(words_of) if word in counts]
        hits = sum(counts[word] / shared[word] for word in said)
        scores.append((hits / total if len(said) >= _WORDS else 0.0, code))
    (best, language), (second, runner_up) = sorted(scores, reverse=True)[:2]
    return Detection(language if best >= _ENOUGH else "unknown", best, runner_up, second)
