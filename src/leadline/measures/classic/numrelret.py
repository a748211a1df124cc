"""Number of relevant documents in the list."""

from __future__ import annotations

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class NumRelRet(BinaryMeasure):
    r"""Number of relevant documents in the list.

    $$\mathrm{NumRelRet} = \sum_{i \le n} b_i$$

    A count, so that topic ``all`` is the sum and not the mean. It says how much was relevant and retrieved, not how
    well.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> NumRelRet().score("1 0 1")
    2.0
    """

    total = "sum"
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """The count."""
        return r.upto(r.hit)
