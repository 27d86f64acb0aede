"""Consilience: clusters text in several independent ways and says how far the result may be believed.

The map, in the order in which the data travels:

    read(path), from_frame(frame)    -> Corpus       `consilience.corpus`
    tokenise(corpus)                 -> Tokens       `consilience.language`
    represent(tokens, view="tfidf-log")  -> Vectors      `consilience.vectors`
    cluster(vectors, k=20)           -> Clustering   `consilience.clusterings`

Names are loaded when they are first used: `import consilience` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from consilience.clusterings import cluster as cluster
    from consilience.corpus import from_frame as from_frame
    from consilience.corpus import read as read
    from consilience.errors import ConsilienceError as ConsilienceError
    from consilience.language import tokenise as tokenise
    from consilience.nouns import Clustering as Clustering
    from consilience.nouns import Corpus as Corpus
    from consilience.nouns import Recipe as Recipe
    from consilience.nouns import Tokens as Tokens
    from consilience.nouns import Vectors as Vectors
    from consilience.vectors import represent as represent

_HOME = {
    "read": "corpus",
    "from_frame": "corpus",
    "tokenise": "language",
    "represent": "vectors",
    "cluster": "clusterings",
    "ConsilienceError": "errors",
    "Corpus": "nouns",
    "Tokens": "nouns",
    "Vectors": "nouns",
    "Clustering": "nouns",
    "Recipe": "nouns",
}
__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"consilience.{_HOME[name]}"), name)
    raise AttributeError(f"module 'consilience' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
