"""R-precision."""

from __future__ import annotations

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class Rprec(BinaryMeasure):
    r"""R-precision: precision at the rank that equals the number of relevant documents.

    $$\mathrm{Rprec} = P@R$$

    The depth adapts to the topic. Blind to everything below rank R, and it can *rise* when one more relevant document
    is missed (R grows and reaches a rank that holds one).

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> Rprec().score("1 0 1")
    0.5
    """

    cites = ("buckley2005",)
    rises_only_at_hits = True

    def value(self, r: Rankings) -> Floats:
        """Relevant documents among the first R."""
        return ratio(r.upto(r.hit * (r.rank <= r.of_topic(r.lists.labels.R))), r.R)
