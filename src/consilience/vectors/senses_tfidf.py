"""Senses by idf: which senses of its nouns a document has, rare ones counting more, rows of unit length."""

from __future__ import annotations

from scipy import sparse

from consilience.vectors.tfidf import Tfidf


class SensesTfidf(Tfidf):
    """x[d, s] = A_s[d, s] (1 + ln((1 + N) / (1 + df_s))), A_s binary; rows divided by their length

    The tf-idf of the binary vectors (Fodeh, Punch, Tan 2009, section 3.2).
    """

    reads = "senses"

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        counts.data[:] = 1
        return super()._weigh(counts)
