"""Boolean vectors: 1 where a term stands in a document."""

from __future__ import annotations

from scipy import sparse

from consilience.vectors._counts import CountWeighting


class Boolean(CountWeighting):
    """A[d, t] = 1 if O[d, t] > 0   (Cavar 2010)"""

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        counts.data[:] = 1
        return counts
