"""consilience senses FILE --document ID: which senses the nouns of a document have, those of a kind together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from consilience.cli.options import Common, CorpusPath, Reading, Wording
from consilience.cli.screen import clean, give_json, give_table, stages

if TYPE_CHECKING:
    from consilience.verdicts.document_senses import SenseCluster

_SOME = 3  # ids shown where one is missing


def senses(
    corpus: CorpusPath,
    reading: Reading,
    wording: Wording,
    common: Common,
    document: Annotated[
        str | None, typer.Option("--document", metavar="ID", help="The document's id.", show_default=False)
    ] = None,
    alike: Annotated[
        float, typer.Option("--alike", help="How alike two senses of a cluster are at least, by Wu-Palmer: 0 to 1.")
    ] = 0.6,
) -> None:
    """Look into one document: the senses of its nouns by WordNet, in clusters of a kind (English, or --wordnet)."""
    from consilience.errors import InputError
    from consilience.language import detect, raw_tokens
    from consilience.verdicts.document_senses import document_senses

    with stages() as stage:
        stage(f"reading {corpus}")
        read = reading.read(corpus)
        ids = ", ".join(repr(name) for name in read.ids.head(_SOME).to_list()) or "none"
        if document is None:
            raise InputError(f"no document is named; name one with --document, of {corpus} for example: {ids}")
        row = read.ids.index_of(document)
        if row is None:
            raise InputError(f"{corpus} has no document {document!r}; its ids are such as: {ids}")
        one = read.take([row])
        if not one.texts[0].strip():
            raise InputError(f"document {document!r} of {corpus} is empty, so it has no senses; name another one")
        settings = {name: wording.settings()[name] for name in ("language", "stop", "own_stop_words", "wordnet")}
        if settings["language"] == "auto":
            settings["language"] = detect(raw_tokens(read, n_jobs=common.jobs)).language
        stage("finding nouns and their senses")
        clusters = document_senses(one, alike=alike, n_jobs=common.jobs, **settings)[0]
    if not clusters:
        raise InputError(f"document {document!r} of {corpus} has no noun that WordNet knows; name another one")
    told = _told(document, settings["language"], alike, clusters)
    if common.json:
        give_json(told)
        return
    rows = [
        [
            str(number),
            ", ".join(sense.name for sense in cluster.senses),
            f"{cluster.least:.2f}" if len(cluster.senses) > 1 else "–",
        ]
        for number, cluster in enumerate(clusters)
    ]
    give_table(["cluster", "senses", "alike"], rows, right=(0, 2))
    print(clean(f"{document}: {told['senses']} senses of {told['nouns']} nouns in {len(clusters)} clusters"))


def _told(document: str, language: str, alike: float, clusters: list[SenseCluster]) -> dict[str, Any]:
    nouns = {noun for cluster in clusters for sense in cluster.senses for noun in sense.nouns}
    return {
        "document": document,
        "language": language,
        "alike": alike,
        "nouns": len(nouns),
        "senses": sum(len(cluster.senses) for cluster in clusters),
        "clusters": [
            {"least": round(cluster.least, 6), "senses": [sense._asdict() for sense in cluster.senses]}
            for cluster in clusters
        ],
    }
