"""Search length."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class ESL(BinaryMeasure):
    r"""Search length: the rank of the i-th relevant document.

    $$\mathrm{ESL}_i = \min \{ j : \textstyle\sum_{l \le j} b_l = i \}$$

    How far to read for i relevant documents; less is better. Undefined where the list holds fewer, and then left out of
    the mean, which flatters systems that give up on hard topics: look at the count, or use RRi.

    References: Cooper. Expected search length: a single measure of retrieval effectiveness based on the weak ordering
    action of retrieval systems. American Documentation 1968. doi:10.1002/asi.5090190108

    >>> ESL().score("0 1 1"), ESL(i=2).score("0 1 1"), ESL(i=3).score("0 1 1")
    (2.0, 3.0, nan)
    """

    i: int = param(1, within="[1, inf)", doc="which relevant document")
    higher_is_better = False
    zero_if_undefined = False
    cites = ("cooper1968",)

    def value(self, r: Rankings) -> Floats:
        """The rank of one hit, if it is seen."""
        rank = r.upto(r.rank * r.hit * (r.running(r.hit) == self.i))
        return np.where(rank > 0, rank, np.nan)
