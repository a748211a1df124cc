"""Inferred average precision."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class infAP(BinaryMeasure):
    r"""Inferred average precision: AP estimated where only part of the pool was judged.

    $$\mathrm{infAP} = \frac{1}{R} \sum_{i : b_i = 1} \left( \frac{1}{i} + \frac{i-1}{i} \cdot
    \frac{p_i}{i-1} \cdot \frac{r_i + \epsilon}{r_i + n_i + 2\epsilon} \right)$$

    with $r_i, n_i$ the relevant and non-relevant documents above rank i, $p_i$ those of them and of the pooled but
    unjudged (negative grade) together, $\epsilon = 10^{-5}$, as in trec_eval. Sound only if the judged documents are
    a random sample of the pool.

    References: Yilmaz, Aslam. Estimating average precision with incomplete and imperfect judgments. CIKM 2006.
    doi:10.1145/1183614.1183633

    >>> round(infAP().score("1 0 - 1"), 6)
    0.75
    """

    cites = ("yilmaz2006",)

    def value(self, r: Rankings) -> Floats:
        """Expected precision at the hits over R."""
        tiny = 1e-5
        relevant = r.before(r.hit)
        above = r.rank - 1
        share_pooled = r.judged_above / np.maximum(above, 1)
        expected = share_pooled * (relevant + tiny) / (r.assessed_above + 2 * tiny)
        return ratio(r.upto(r.hit * (1 / r.rank + above / r.rank * expected)), r.R)
