"""Set precision."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class SetP(BinaryMeasure):
    r"""Set precision: the share of the whole list that is relevant.

    $$\mathrm{SetP} = \frac{1}{n} \sum_{i=1}^{n} b_i$$

    0 for an empty list; order plays no part.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> SetP().score("1 0 1 0")
    0.5
    """

    rises_only_at_hits = True
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """Relevant documents over documents."""
        return np.nan_to_num(ratio(r.upto(r.hit), r.cut))
