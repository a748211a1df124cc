"""Recall at a depth."""

from __future__ import annotations

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class R(BinaryMeasure):
    r"""Recall: the share of the relevant documents that is among the first k.

    $$R@k = \frac{1}{R} \sum_{i=1}^{k} b_i$$

    Undefined without relevant documents. Relevant documents that were never judged are missing from R, so recall is too
    high on a shallow pool.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> R(1).score("1 0 1")
    0.5
    """

    cutoff = "required"
    ties = frozenset({"share"})
    rises_only_at_hits = True
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """Relevant documents seen over relevant documents known."""
        return ratio(r.upto(r.hit), r.R)
