"""Nouns: how often each noun that WordNet knows stands in each document; many words belong to one, some make one."""

from __future__ import annotations

from consilience.vectors.counts import Counts


class Nouns(Counts):
    """A_f[d, t] = O[d, t], t a noun as lemma   (Fodeh, Punch, Tan 2009, section 3.1)"""

    reads = "nouns"
