"""Number of documents in the list."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class NumRet(BinaryMeasure):
    r"""Number of documents in the list.

    $$\mathrm{NumRet} = n$$

    A count, so that topic ``all`` is the sum and not the mean. It says how much was retrieved, not how well.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> NumRet().score("1 0 1")
    3.0
    """

    total = "sum"
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """The count."""
        return np.asarray(r.cut, np.float64)
