"""tf-idf with the logarithm of the frequency: the tenth mention of a word says less than the first. The default."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from consilience.vectors.tfidf import Tfidf


class TfidfLog(Tfidf):
    """x[d, t] = (1 + ln O[d, t]) (1 + ln((1 + N) / (1 + df_t))), rows divided by their length

    scikit-learn calls it `sublinear_tf`. Long documents no longer outshout short ones.
    """

    def _weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        counts.data[:] = 1 + np.log(counts.data)
        return super()._weigh(counts)
