"""Number of relevant documents in the qrels."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class NumRel(BinaryMeasure):
    r"""Number of relevant documents in the qrels.

    $$\mathrm{NumRel} = R$$

    A count, so that topic ``all`` is the sum and not the mean. It says how much was known to be relevant, not how well.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> NumRel().score("1 0 1")
    2.0
    """

    total = "sum"
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """The count."""
        return np.asarray(r.R, np.float64)
