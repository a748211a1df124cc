"""Reciprocal rank of a later relevant document."""

from __future__ import annotations

from leadline.measures.base import BinaryMeasure, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class RRi(BinaryMeasure):
    r"""Reciprocal rank of the i-th relevant document; 0 if it was not found.

    $$\mathrm{RR}_i = 1 / \min \{ j : \textstyle\sum_{l \le j} b_l = i \}$$

    With i = 1 it is RR. One level of the comparison that rrLP makes: where two lists tie at the first relevant
    document, the second decides. 0 on all topics with fewer than i relevant documents, which says nothing about the
    list.

    References: Diaz. Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic
    precision. 2023. arXiv:2306.07908

    >>> RRi().score("0 1 0 1"), RRi(i=2).score("0 1 0 1"), RRi(i=3).score("0 1 0 1")
    (0.5, 0.25, 0.0)
    """

    i: int = param(1, within="[1, inf)", doc="which relevant document")
    rises_only_at_hits = True
    cites = ("diaz2023",)

    def value(self, r: Rankings) -> Floats:
        """The one term of that hit."""
        return r.upto(r.hit * (r.running(r.hit) == self.i) / r.rank)
