"""Precision at a depth."""

from __future__ import annotations

from leadline.measures.base import GainMeasure, gain_param, measure
from leadline.rankings.view import Floats, Rankings


@measure
class P(GainMeasure):
    r"""Precision: the share of the first k documents that is relevant.

    $$P@k = \frac{1}{k} \sum_{i=1}^{k} b_i$$

    Easy to read and blind to order within the first k; a list shorter than k is padded with nothing. With another
    gain the mean gain of the first k. Misleads when topics have fewer than k relevant documents: even the best list
    stays low.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> P(2).score("1 0 1")
    0.5
    """

    cutoff = "required"
    ties = frozenset({"share", "mean-gain"})
    rises_only_at_hits = True
    cites = ("buckley2005",)
    gain: str = gain_param("binary")

    def value(self, r: Rankings) -> Floats:
        """The mean gain over k ranks."""
        return r.upto(r.gain) / r.k
