"""Every method of the catalogue on every labelled corpus at hand: agreement with the gold labels, and seconds.

    CONSILIENCE_DATA=... python bench/methods.py [method ...]

Each method works on its default view with as many clusters as there are classes; density finds its own number. ARI
and AMI (scikit-learn) are over all documents, each unassigned one alone. The table is kept in bench/methods.md.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from consilience import catalogue
from consilience.clusterings import cluster, default_view
from consilience.corpus import read
from consilience.errors import SettingError
from consilience.language import tokenise
from consilience.vectors import represent

CORPORA: dict[str, dict[str, str]] = {
    "20newsgroups_bydate": {"strip": "headers"},
    "classic3": {},
    "search_snippets_12k": {},
    "banking77": {},
    "brown_docs": {},
    "fr_sequoia_sentences": {},
}
TABLE = Path(__file__).with_name("methods.md")


def main() -> None:
    methods = sys.argv[1:] or catalogue.names("clusterings")
    lines = ["| corpus | method | view | k | assigned | ARI | AMI | seconds |", "|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines))
    for name, settings in CORPORA.items():
        corpus = read(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.jsonl.gz", **settings)  # type: ignore[arg-type]
        truth = corpus.truth
        assert truth is not None
        gold = truth.list.first().to_numpy()
        tokens = tokenise(corpus)
        views = {view: represent(tokens, view) for view in sorted({default_view(method) for method in methods})}
        for method in methods:
            row = measured(method, views[default_view(method)], gold)
            line = f"| {name} | {method} | {default_view(method)} | {row} |"
            lines.append(line)
            print(line, flush=True)
    if not sys.argv[1:]:
        TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(method: str, vectors, gold) -> str:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = cluster(vectors, method=method, k=len(set(gold)))
    except SettingError as refused:
        return f"refused: {str(refused).split(';')[0]} | | | | "
    seconds = time.perf_counter() - began
    labels = found.labels.astype(int)
    alone = labels < 0
    labels[alone] = found.k + np.arange(alone.sum())
    ari, ami = adjusted_rand_score(gold, labels), adjusted_mutual_info_score(gold, labels)
    return f"{found.k} | {found.assigned:.1%} | {ari:.3f} | {ami:.3f} | {seconds:.2f}"


if __name__ == "__main__":
    main()
