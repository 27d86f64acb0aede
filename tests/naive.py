"""Slow and obvious: each function is its formula or rule written down as it is said, for the fast forms to equal."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter

# --- language ---------------------------------------------------------------------------------------------------

_UNSPACED_NAMES = ("CJK UNIFIED", "CJK COMPAT", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "HALFWIDTH KATAKANA")


def kind(character: str) -> str:
    """letter, mark, unspaced, ignored or separator, by Unicode's category and the character's name."""
    category = unicodedata.category(character)
    if category == "Cf" or unicodedata.name(character, "").startswith("VARIATION SELECTOR-"):
        return "ignored"
    if category[0] in "LM" and unicodedata.name(character, "").startswith(_UNSPACED_NAMES):
        return "unspaced"
    if category[0] == "L":
        return "letter"
    return "mark" if category[0] in "MN" else "separator"


def tokens(text: str, *, numbers: bool = False, min_length: int = 2) -> list[str]:
    """The token rule, a character at a time."""
    runs: list[tuple[str, list[str]]] = []
    last = "separator"
    for character in text:
        now = {"letter": "word", "mark": "word"}.get(kind(character), kind(character))
        if now == "ignored":
            continue
        if now != "separator":
            if now != last:
                runs.append((now, []))
            runs[-1][1].append(character)
        last = now
    found = []
    for what, characters in runs:
        lowered = [c.lower()[0] if unicodedata.category(c)[0] == "L" else c for c in characters]
        if what == "unspaced":
            found += [a + b for a, b in zip(lowered, lowered[1:], strict=False)] or lowered
        elif len(characters) >= min_length and (numbers or any(kind(c) == "letter" for c in characters)):
            found.append("".join(lowered))
    return [unicodedata.normalize("NFKC", token).lower() for token in found]


def document_frequency(documents: list[list[str]]) -> Counter[str]:
    """In how many documents each term stands."""
    return Counter(term for document in documents for term in set(document))


# --- vectors ----------------------------------------------------------------------------------------------------


def tfidf_raw(documents: list[list[str]], term: str, d: int) -> float:
    """tf × log(N / df)"""
    return documents[d].count(term) * math.log(len(documents) / document_frequency(documents)[term])


def tfidf_relative(documents: list[list[str]], term: str, d: int) -> float:
    """(tf / length) × ln(N / F)"""
    return tfidf_raw(documents, term, d) / len(documents[d])


def jaccard(a: list[str], b: list[str]) -> float:
    """|a ∩ b| / |a ∪ b|"""
    return len(set(a) & set(b)) / len(set(a) | set(b))


# --- clusters in words --------------------------------------------------------------------------------------------


def telling(documents: list[list[str]], labels: list[int], term: str, cluster: int) -> float:
    """F-measure of the query "documents that hold the term" for the documents of the cluster."""
    found = {d for d, document in enumerate(documents) if term in document}
    wanted = {d for d, label in enumerate(labels) if label == cluster}
    both = len(found & wanted)
    if not both:
        return 0.0
    precision, recall = both / len(found), both / len(wanted)
    return 2 * precision * recall / (precision + recall)


# --- measures ---------------------------------------------------------------------------------------------------


def adjusted_rand(classes: list[int], clusters: list[int]) -> float:
    """(together in both - by chance) / (mean of the two - by chance), by looking at every pair."""
    pairs = [(i, j) for i in range(len(classes)) for j in range(i)]
    a = sum(classes[i] == classes[j] and clusters[i] == clusters[j] for i, j in pairs)
    rows = sum(classes[i] == classes[j] for i, j in pairs)
    columns = sum(clusters[i] == clusters[j] for i, j in pairs)
    chance = rows * columns / max(len(pairs), 1)
    mean = (rows + columns) / 2
    return 1.0 if mean == chance else (a - chance) / (mean - chance)


def purity(classes: list[int], clusters: list[int]) -> float:
    """The share of items whose class is the largest of their cluster."""
    of = {k: [c for c, at in zip(classes, clusters, strict=True) if at == k] for k in set(clusters)}
    return sum(max(Counter(members).values()) for members in of.values()) / len(classes)
