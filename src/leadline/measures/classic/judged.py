"""Share of judged documents."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import Measure, measure
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class Judged(Measure):
    r"""Judged: the share of the documents looked at that have a judgment.

    $$\mathrm{Judged}@k = \frac{|\{i \le \min(k, n) : \text{judged}\}|}{\min(k, n)}$$

    No measure of quality but of how far the others can be trusted; 0 for an empty list.

    References: MacAvaney, Macdonald, Ounis. Streamlining Evaluation with ir-measures. ECIR 2022.
    doi:10.1007/978-3-030-99739-7_38

    >>> Judged(4).score("1 - 0")
    0.6666666666666666
    """

    cutoff = "required"
    cites = ("macavaney2022",)

    def value(self, r: Rankings) -> Floats:
        """Judged documents over documents seen."""
        return np.nan_to_num(ratio(r.judged, r.cut))
