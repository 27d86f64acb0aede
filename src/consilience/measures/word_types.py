"""From tagged tokens to words and their sets of classes: what the measures of type level judge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from consilience.errors import InputError, SettingError
from consilience.nouns import Labelling


class WordTypes(NamedTuple):
    """Gold and induced sets of the same words, sorted, and how many tokens each word has."""

    gold: Labelling
    induced: Labelling
    tokens: pl.Series


def word_types(words: pl.Series, gold: pl.Series, induced: pl.Series, *, weak_above: float = 1.0) -> WordTypes:
    """A word's set holds every class that one of its tokens has; null is no class.

    A word of which more than `weak_above` of the tokens with a class carry the same one is only weakly polysemous
    (Reichart, Abend, Rappoport 2010 draw the line at .95) and keeps that one alone; 1.0 keeps all. This is done on
    both sides.
    """
    if not len(words) == len(gold) == len(induced):
        raise InputError(
            f"every token needs a word and two classes: {len(words)} words, {len(gold)} gold, {len(induced)} induced"
        )
    if not 0 <= weak_above <= 1:
        raise SettingError(f"weak_above is {weak_above}; it is a share of a word's tokens, from 0 to 1")
    tagged = pl.DataFrame({"word": words.cast(pl.String), "gold": gold, "induced": induced}).drop_nulls("word")
    types = tagged.group_by("word").len("tokens").sort("word")
    found, made = (_sets(tagged, types["word"], side, weak_above) for side in ("gold", "induced"))
    return WordTypes(found, made, types["tokens"])


def _sets(tagged: pl.DataFrame, items: pl.Series, side: str, weak_above: float) -> Labelling:
    counts = (
        tagged.select("word", pl.col(side).cast(pl.String).alias("class"))
        .drop_nulls()
        .group_by("word", "class")
        .len("n")
        .with_columns(share=pl.col("n") / pl.col("n").sum().over("word"))
    )
    strong = pl.col("share").max().over("word") > weak_above
    kept = counts.filter(~strong | (pl.col("share") == pl.col("share").max().over("word"))).sort("word", "class")
    classes = kept["class"].unique().sort()
    row, column = items.search_sorted(kept["word"]).to_numpy(), classes.search_sorted(kept["class"]).to_numpy()
    sets = sparse.csr_array((np.ones(len(kept)), (row, column)), shape=(len(items), len(classes)))
    return Labelling(items.rename("word"), classes, sets)
