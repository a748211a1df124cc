"""Set recall."""

from __future__ import annotations

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class SetR(BinaryMeasure):
    r"""Set recall: the share of the relevant documents that is anywhere in the list.

    $$\mathrm{SetR} = \frac{1}{R} \sum_{i=1}^{n} b_i$$

    Undefined without relevant documents; never falls when a list grows.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> SetR().score("1 0 1", rels="1 1 1 1")
    0.5
    """

    rises_only_at_hits = True
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """Relevant documents found over relevant documents known."""
        return ratio(r.upto(r.hit), r.R)
