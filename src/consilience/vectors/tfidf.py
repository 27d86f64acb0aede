"""tf-idf as scikit-learn has it: smoothed idf, rows of unit length."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consilience.kernels.counting import unit_rows
from consilience.vectors._counts import CountWeighting


class Tfidf(CountWeighting):
    """x[d, t] = O[d, t] (1 + ln((1 + N) / (1 + df_t))), rows divided by their length

    The smoothing (as if one more document held every term) never gives 0, so that documents made only of words that
    stand everywhere still have a direction.
    """

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        smooth = 1 + np.log((1 + self.n_documents_) / (1 + self.df_))
        counts.data *= smooth.astype(np.float32)[counts.indices]
        return unit_rows(counts)
