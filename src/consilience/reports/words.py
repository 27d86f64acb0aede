"""Numbers and steps as a person would say them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from consilience.language.detection import language_name

MEASURES = {
    "purity": (
        "Purity",
        "Share of documents whose class is the largest one in their cluster. Grows with the number of clusters.",
    ),
    "v": (
        "V-measure",
        "Balance of homogeneity (clusters hold one class) and completeness (a class stays in one cluster).",
    ),
    "adjusted_rand": (
        "Adjusted Rand index",
        "Pairs put together rightly, corrected for chance: 0 is chance, 1 the same grouping.",
    ),
}
_METHODS = {
    "agglomerative": "agglomerative clustering",
    "density": "density (HDBSCAN)",
    "em-gaussian": "EM for a mixture of Gaussians",
    "em-multinomial": "EM for a mixture of multinomials",
    "entropy": "entropy clustering",
    "fuzzy": "fuzzy c-means",
    "kmeans": "k-means",
    "kmeans-course": "the k-means of the course",
}
_VIEWS = {
    "tfidf": "tf-idf weights (how often it uses each term, rare terms counting more)",
    "tfidf-log": "tf-idf weights (the logarithm of how often it uses each term, rare terms counting more)",
    "tfidf-raw": "raw tf-idf weights (how often it uses each term, rare terms counting more)",
    "tfidf-relative": "relative tf-idf weights (how often it uses each term for its length, rare terms counting more)",
    "counts": "how often it uses each term",
    "boolean": "which terms it uses",
    "lsi": "its strongest hidden dimensions (LSI)",
    "nouns": "how often it uses each noun",
    "nouns-tfidf": "tf-idf weights of its nouns (how often it uses each, rare ones counting more)",
    "senses": "which senses its nouns have",
    "senses-tfidf": "which senses its nouns have (rare ones counting more)",
}
_RULES = {
    "weighted": "k-means on how often two documents are put together, better members counting more",
    "agreement": "the clusters that agree with most members on most pairs of documents",
    "entropy": "entropy clustering of the members' clusters",
}
_STEMS = {"porter": "the Porter stemmer", "snowball": "Snowball", "lemma": "lemmas", "lemmas": "lemmas"}


def number(value: int) -> str:
    """1234567 -> 1,234,567"""
    return f"{value:,}"


def count(value: int, noun: str) -> str:
    """1 document, 2 documents"""
    return f"{number(value)} {noun}{'' if value == 1 else 's'}"


def percent(share: float) -> str:
    """0.1234 -> 12%. Never 0% of something nor 100% of not quite all."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.995 <= share < 1:
        return f"{min(share, 0.999):.1%}"
    return f"{share:.1%}" if 0 < share < 0.01 else f"{share:.0%}"


def duration(seconds: float) -> str:
    """Seconds below two minutes, then minutes."""
    return f"{seconds:.1f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def amount(size: int) -> str:
    """Bytes as kB, MB or GB."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"


def listed(parts: Sequence[str]) -> str:
    """a, b and c"""
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def measure(name: str) -> tuple[str, str]:
    """How a measure is shown, and what it means (empty for one that is not known here)."""
    return MEASURES.get(name, (name, ""))


def sentences(recipe: Sequence[Mapping[str, Any]]) -> list[str]:
    """What was done, a sentence a step."""
    return [_SENTENCES.get(str(step.get("step")), _anything)(step) for step in recipe]


def _read(step: Mapping[str, Any]) -> str:
    # the name without its folders: a report is handed on, the paths of a machine are nobody's business
    name = posixpath.basename(str(step.get("path", "")).replace("\\", "/").rstrip("/"))
    size = step.get("bytes")
    said = f"Read {'standard input' if name in ('-', '') else name}"
    said += f" ({step.get('format', 'file')}, {amount(int(size))})" if isinstance(size, int) else ""
    stripped = [str(part) for part in step.get("strip") or []]
    return said + (f" and took {listed(stripped)} off its texts." if stripped else ".")


def _tokenise(step: Mapping[str, Any]) -> str:
    said = f"Cut the texts into words of at least {step.get('min_length', 2)} characters, "
    return said + ("numbers included." if step.get("numbers") else "numbers left out.") + _choice_of_terms(step)


def _refine(step: Mapping[str, Any]) -> str:
    return _choice_of_terms(step).strip() or _anything(step)


def _choice_of_terms(step: Mapping[str, Any]) -> str:
    """The parts of a sentence that the settings at hand give."""
    said = []
    if "language" in step:
        code = str(step["language"])
        known = f"took the language to be {language_name(code)}"
        said.append("did not recognise the language" if code == "unknown" else known)
    if step.get("stop"):
        said.append("left out its stop words")
    if step.get("own_stop_words"):
        said.append(f"left out {count(len(step['own_stop_words']), 'word')} of your own")
    if "stem" in step and step["stem"] not in ("none", None, False):
        said.append(f"reduced words to their stems ({_STEMS.get(str(step['stem']), step['stem'])})")
    if step.get("phrases"):
        joined = step["phrases"]
        said.append(f"joined {count(len(joined), 'phrase')}" if isinstance(joined, list) else "joined frequent phrases")
    if isinstance(step.get("min_df"), int):
        said.append(f"kept terms that stand in at least {count(step['min_df'], 'document')}")
    if isinstance(step.get("max_df"), float) and step["max_df"] < 1:
        said.append(f"dropped terms that stand in more than {percent(step['max_df'])} of all")
    return f" {listed(said)[:1].upper()}{listed(said)[1:]}." if said else ""


def _nouns(step: Mapping[str, Any]) -> str:
    found = "by their tags" if step.get("tagged") else "by the lexicon alone"
    return f"Found the nouns of the texts {found}; those that WordNet {step.get('wordnet', '')} knows."


def _senses(step: Mapping[str, Any]) -> str:
    return (
        f"Gave every noun one of its first {step.get('first', 3)} senses: the one most alike, by Wu-Palmer, "
        "to the other nouns of its document."
    )


def _represent(step: Mapping[str, Any]) -> str:
    view = str(step.get("view", ""))
    said = f"Described every document by {_VIEWS.get(view, view)}"
    return said + _rest(step, {"step", "view", "random_state"}) + "."


def _cluster(step: Mapping[str, Any]) -> str:
    method = str(step.get("method", "a method"))
    k = step.get("k", step.get("n_clusters"))
    said = f"Grouped the documents by {_METHODS.get(method, method.replace('-', ' '))}"
    said += f" into {count(k, 'cluster')}" if isinstance(k, int) else ""
    return said + _rest(step, {"step", "method", "k", "n_clusters", "random_state", "n_jobs"}) + "."


def _ensemble(step: Mapping[str, Any]) -> str:
    method = str(step.get("method", "a method"))
    views = listed([str(view) for view in step.get("views", [])])
    said = f"Grouped the documents {step.get('members')} times by {_METHODS.get(method, method.replace('-', ' '))}"
    said += f" on parts of {views}, and united the results into {count(int(step.get('k', 0)), 'cluster')}: "
    rule = _RULES.get(str(step.get("rule")), str(step.get("rule")))
    return said + rule + ("." if step.get("alpha") == "auto" else f", the first view's share {step.get('alpha')}.")


def _rest(step: Mapping[str, Any], said: set[str]) -> str:
    rest = [f"{name.replace('_', ' ')} {value}" for name, value in step.items() if name not in said]
    return f" ({', '.join(rest)})" if rest else ""


def _anything(step: Mapping[str, Any]) -> str:
    name = str(step.get("step", "a step")).replace("_", " ")
    return f"{name[:1].upper()}{name[1:]}{_rest(step, {'step'})}."


_SENTENCES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "read": _read,
    "given": lambda step: "Took the documents as they were given.",
    "from_frame": lambda step: "Took the documents from a data frame.",
    "tokenise": _tokenise,
    "refine": _refine,
    "nouns": _nouns,
    "senses": _senses,
    "represent": _represent,
    "cluster": _cluster,
    "ensemble": _ensemble,
}
