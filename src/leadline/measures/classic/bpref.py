"""Binary preference."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class Bpref(BinaryMeasure):
    r"""Binary preference: how rarely documents judged not relevant stand above the relevant ones.

    $$\mathrm{Bpref} = \frac{1}{R} \sum_{r} \left( 1 - \frac{\min(n_r, R)}{\min(R, N)} \right)$$

    over the retrieved relevant documents r, $n_r$ being the documents judged not relevant above r (term 1 if there is
    none) and N those in the qrels. Unjudged documents do not count, which makes it sturdy when judgments are
    incomplete, but not when they are biased towards some systems.

    References: Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
    doi:10.1145/1008992.1009000

    >>> Bpref().score("1 0 - 1")
    0.5
    """

    cites = ("buckley2004",)

    def value(self, r: Rankings) -> Floats:
        """The terms of the hits over R."""
        R = r.of_topic(r.lists.labels.R).astype(np.float64)
        N = r.of_topic(r.lists.labels.nonrelevant)
        above = r.assessed_above - r.before(r.hit)
        lost = np.where(above > 0, np.minimum(above, R) / np.maximum(np.minimum(R, N), 1), 0.0)
        return ratio(r.upto(r.hit * (1 - lost)), r.R)
