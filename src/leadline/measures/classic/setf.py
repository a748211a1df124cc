"""Set F."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure, param
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class SetF(BinaryMeasure):
    r"""Set F: the harmonic mean of set precision and set recall.

    $$F_\beta = \frac{(1+\beta^2) P R}{\beta^2 P + R} = \frac{(1+\beta^2)\,\mathrm{TP}}{n + \beta^2 R}$$

    where TP counts the relevant documents in the list. 0 without a hit, undefined without relevant documents.
    trec_eval's ``set_F.x`` means $\beta = \sqrt{x}$.

    References: van Rijsbergen. Information Retrieval. Butterworths 1979.

    >>> SetF().score("1 0 1", rels="1 1 1")
    0.6666666666666666
    """

    beta: float = param(1.0, within="[0, inf)", doc="weight of recall against precision")
    rises_only_at_hits = True
    cites = ("vanrijsbergen1979",)

    def value(self, r: Rankings) -> Floats:
        """The closed form in counts."""
        square = self.beta**2
        found = r.upto(r.hit)
        return np.where(r.R > 0, np.nan_to_num(ratio((1 + square) * found, r.cut + square * r.R)), np.nan)
