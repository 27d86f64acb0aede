"""tf-idf with relative frequencies: share of the document times ln(N / F)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consilience.vectors._counts import CountWeighting, idf


class TfidfRelative(CountWeighting):
    """w(t, D) = f(t, D) ln(N / F(t)),   f(t, D) = O[D, t] / Σ_t O[D, t]   (Zaharie et al. 2007, eq. 1)"""

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        lengths = counts.sum(axis=1)
        counts.data /= np.repeat(lengths, np.diff(counts.indptr))
        counts.data *= idf(self.n_documents_, self.df_).astype(np.float32)[counts.indices]
        counts.eliminate_zeros()
        return counts
