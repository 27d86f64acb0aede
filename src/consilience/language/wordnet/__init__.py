"""WordNet's nouns: lemmas, the order of their senses, what is a kind of what. No glosses.

compiling.py    a `dict/` folder -> arrays     morphology.py   forms -> lemmas
taxonomy.py     Wu-Palmer                      nouns.npz       WordNet 3.0, compiled; its licence is LICENSE

A noun is a lemma's number, a sense a synset's number; `senses[sense_starts[l]:sense_starts[l + 1]]` are the senses of
lemma l, the most frequent first.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from consilience.errors import InputError
from consilience.language.wordnet.morphology import base_forms
from consilience.language.wordnet.taxonomy import Taxonomy, taxonomy, wu_palmer

__all__ = ["FIRST_SENSES", "WordNet", "load_wordnet", "wu_palmer"]

FIRST_SENSES = 3  # of each noun, the text says: WordNet lists senses by falling frequency
_OWN = Path(__file__).with_name("nouns.npz")


@dataclass(frozen=True, eq=False)
class WordNet:
    """The nouns of one WordNet: `lemmas` in small letters with _ for a space, `written` the same in their capitals.

    `names` are the first words of the synsets, `parents` their hypernyms.
    """

    version: str
    digest: str
    lemmas: pl.Series
    written: pl.Series
    sense_starts: npt.NDArray[np.int64]
    senses: npt.NDArray[np.int32]
    names: pl.Series
    parent_starts: npt.NDArray[np.int64]
    parents: npt.NDArray[np.int32]
    exceptions: pl.DataFrame

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> WordNet:
        """From the arrays of `compile_folder`."""
        digest = hashlib.sha256()
        for name in sorted(arrays):
            digest.update(name.encode() + arrays[name].tobytes())
        written = pl.Series("lemma", _lines(arrays["lemmas"]), dtype=pl.String)
        listed = [line.split() for line in _lines(arrays["exceptions"])]
        exceptions = pl.DataFrame(
            [(form, order, base) for form, *bases in listed for order, base in enumerate(bases, 1)],
            schema={"inflected": pl.String, "order": pl.Int32, "listed": pl.String},
            orient="row",
        )
        return cls(
            version=arrays["version"].tobytes().decode(),
            digest=digest.hexdigest(),
            lemmas=written.str.to_lowercase(),
            written=written,
            sense_starts=_starts(arrays["sense_counts"]),
            senses=arrays["senses"],
            names=pl.Series("name", _lines(arrays["names"]), dtype=pl.String),
            parent_starts=_starts(arrays["parent_counts"]),
            parents=arrays["parents"],
            exceptions=exceptions,
        )

    @cached_property
    def tree(self) -> Taxonomy:
        """The hypernyms, ready for Wu-Palmer."""
        return taxonomy(self.parent_starts, self.parents, self.synsets.arg_sort().to_numpy())

    @cached_property
    def _first(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Of each synset: the lemma of its first word, and which of that lemma's senses it is, from 1."""
        number = pl.DataFrame({"lemma": self.lemmas}).with_row_index("number")
        lower = pl.DataFrame({"lemma": self.names.str.to_lowercase()})
        found = lower.join(number, on="lemma", how="left", maintain_order="left")["number"]
        if found.null_count():
            raise InputError(f"{found.null_count()} words of WordNet's synsets are not in its index of nouns")
        first = found.to_numpy().astype(np.int64)
        owner = np.repeat(np.arange(len(self.lemmas)), np.diff(self.sense_starts))
        place = np.arange(len(self.senses)) - self.sense_starts[owner] + 1
        own = first[self.senses] == owner
        order = np.zeros(len(self.names), np.int64)
        order[self.senses[own]] = place[own]
        return first, order

    @cached_property
    def synsets(self) -> pl.Series:
        """The names of all synsets as NLTK writes them: cat.n.01 is the first sense of cat."""
        first, order = self._first
        table = pl.DataFrame({"lemma": self.lemmas.gather(first), "order": order})
        return table.select(synset=pl.col("lemma") + ".n." + pl.col("order").cast(pl.String).str.zfill(2)).to_series()

    def shown(self, synsets: npt.NDArray[np.integer]) -> pl.Series:
        """Names for people: the first word; where it has several senses, what this one is a kind of: cat (feline).

        Senses of one word that are kinds of the same, too, get their number: window 2 (opening).
        """
        first, order = self._first
        several = np.diff(self.sense_starts)[first] > 1
        above = np.where(np.diff(self.parent_starts) > 0, np.append(self.parents, 0)[self.parent_starts[:-1]], -1)
        kind = pl.Series(self.names.gather(np.maximum(above, 0))).set(pl.Series(above < 0), "")
        table = pl.DataFrame({"name": self.names, "kind": kind, "several": several, "order": order}).with_columns(
            pl.col("name", "kind").str.replace_all("_", " ")
        )
        same = pl.len().over("name", "kind") > 1
        numbered = pl.when(same & pl.col("several")).then(pl.format("{} {}", "name", "order")).otherwise("name")
        hint = (
            pl.when(pl.col("several") & (pl.col("kind") != "")).then(pl.format(" ({})", "kind")).otherwise(pl.lit(""))
        )
        table = table.select(shown=numbered + hint)
        return table["shown"].gather(np.asarray(synsets))

    def analyses(self, forms: pl.Series) -> pl.DataFrame:
        """The lemmas that each form may stand for: columns form, lemma (numbers both), best first."""
        number = pl.DataFrame({"base": self.lemmas}).with_row_index("lemma")
        found = base_forms(forms, self.exceptions).join(number, on="base", how="inner")
        return found.sort("form", "order").unique(["form", "lemma"], keep="first", maintain_order=True)[
            ["form", "lemma"]
        ]

    def first_senses(
        self, nouns: pl.Series, count: int = FIRST_SENSES
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """S_i, ragged: the first senses of each noun, those of all its analyses (glasses: spectacles, then glass)."""
        found = self.analyses(nouns)
        lemma = found["lemma"].to_numpy()
        counts = np.diff(self.sense_starts)[lemma]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        every = pl.DataFrame(
            {
                "noun": np.repeat(found["form"].to_numpy(), counts),
                "sense": self.senses[np.repeat(self.sense_starts[lemma], counts) + within],
            }
        ).unique(["noun", "sense"], keep="first", maintain_order=True)
        few = every.filter(pl.int_range(pl.len()).over("noun") < count)
        starts = _starts(np.bincount(few["noun"].to_numpy(), minlength=len(nouns)))
        return starts, few["sense"].to_numpy()


def load_wordnet(path: str = "") -> WordNet:
    """The nouns that come with the package (WordNet 3.0), or those of a `dict/` folder or a compiled file."""
    return _load(str(Path(path).resolve()) if path else "")


@cache
def _load(path: str) -> WordNet:
    if path and Path(path).is_dir():
        from consilience.language.wordnet.compiling import compile_folder

        return WordNet.of(compile_folder(Path(path)))
    try:
        with np.load(path or _OWN, allow_pickle=False) as arrays:
            return WordNet.of({name: arrays[name] for name in arrays.files})
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
        raise InputError(
            f"{path} is neither a WordNet folder (index.noun, data.noun, noun.exc) nor a compiled file: {problem}"
        ) from problem


def _lines(text: npt.NDArray[np.uint8]) -> list[str]:
    return text.tobytes().decode().split("\n")


def _starts(counts: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
