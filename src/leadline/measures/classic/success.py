"""Success at a depth."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class Success(BinaryMeasure):
    r"""Success: 1 if there is a relevant document among the first k, else 0.

    $$\mathrm{Success}@k = [\, \textstyle\sum_{i \le k} b_i > 0 \,]$$

    One bit for each topic: averages over few topics are coarse.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> Success(1).score("0 1"), Success(2).score("0 1")
    (0.0, 1.0)
    """

    cutoff = "required"
    rises_only_at_hits = True
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """Whether anything relevant was seen."""
        return (r.upto(r.hit) > 0).astype(np.float64)
