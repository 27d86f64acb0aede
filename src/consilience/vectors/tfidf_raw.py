"""tf-idf of the course: frequency times log(N / df)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consilience.vectors._counts import CountWeighting, idf


class TfidfRaw(CountWeighting):
    """tf-idf_{t,d} = tf_{t,d} × idf_t,   idf_t = log(N / df_t)   (Cavar 2010); rows keep their length."""

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        counts.data *= idf(self.n_documents_, self.df_).astype(np.float32)[counts.indices]
        counts.eliminate_zeros()
        return counts
