"""WordNet's own morphology: which lemmas a form may stand for   (its manual page morphy(7))

First the form itself, if it is a lemma. Then, if it stands in the list of exceptions, the base forms listed there
(mice -> mouse); if not, what the rules make of its ending (churches -> church). Only lemmas are given, in this order.
"""

from __future__ import annotations

import polars as pl

SUFFIXES = (
    ("s", ""),
    ("ses", "s"),
    ("ves", "f"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


def base_forms(forms: pl.Series, exceptions: pl.DataFrame) -> pl.DataFrame:
    """What each form may be an inflection of, itself first: columns form, order, base; `form` is its number."""
    table = pl.DataFrame({"base": forms}).with_row_index("form")
    listed = table.join(exceptions, left_on="base", right_on="inflected", how="inner", suffix="_form")
    regular = table.join(exceptions, left_on="base", right_on="inflected", how="anti")
    made = [
        regular.filter(pl.col("base").str.ends_with(old)).select(
            "form",
            pl.lit(order, pl.Int32).alias("order"),
            pl.col("base").str.head(-len(old)) + pl.lit(new),
        )
        for order, (old, new) in enumerate(SUFFIXES, 1)
    ]
    itself = table.select("form", pl.lit(0, pl.Int32).alias("order"), "base")
    return pl.concat([itself, listed.select("form", "order", pl.col("listed").alias("base")), *made])
