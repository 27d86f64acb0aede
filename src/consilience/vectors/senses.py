"""Senses: which senses of its nouns a document has, 1 or 0; each noun is read by the company it keeps."""

from __future__ import annotations

from consilience.vectors.boolean import Boolean


class Senses(Boolean):
    """A_s[d, s] = 1 if a noun of d has the sense s there   (Fodeh, Punch, Tan 2009, section 2)"""

    reads = "senses"
