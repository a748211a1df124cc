"""Reciprocal rank."""

from __future__ import annotations

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class RR(BinaryMeasure):
    r"""Reciprocal rank of the first relevant document; 0 if none was found.

    $$\mathrm{RR} = 1 / \min \{ i : b_i = 1 \}$$

    For known-item search and single answers. With several relevant documents most pairs of systems tie: see rrLP.

    References: Kantor, Voorhees. The TREC-5 Confusion Track. Inf. Retrieval 2000. doi:10.1023/A:1009902609570

    >>> RR().score("0 1 1")
    0.5
    """

    rises_only_at_hits = True
    cites = ("kantor2000",)

    def value(self, r: Rankings) -> Floats:
        """The one term of the first hit."""
        return r.upto(r.hit * (r.before(r.hit) == 0) / r.rank)
