"""Nouns by tf-idf: how often, rare ones counting more, rows of unit length."""

from __future__ import annotations

from consilience.vectors.tfidf import Tfidf


class NounsTfidf(Tfidf):
    """x[d, t] = O[d, t] (1 + ln((1 + N) / (1 + df_t))), t a noun as lemma; rows divided by their length"""

    reads = "nouns"
