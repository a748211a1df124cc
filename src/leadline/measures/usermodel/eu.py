"""Expected utility."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import measure
from leadline.measures.usermodel._cwl import Expectation
from leadline.measures.usermodel._expected import ExpectedMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class EU(ExpectedMeasure):
    r"""Expected utility: the gain a reader gets for each document seen.

    $$\mathrm{EU} = \sum_i W(i)\, G(i)$$

    This is the score of a C/W/L measure itself, here worked out rank by rank from its continuation function. A rate,
    not an amount: see ETU.

    References: Azzopardi, Thomas, Moffat. cwl_eval: an evaluation tool for information retrieval. SIGIR 2019.
    doi:10.1145/3331184.3331398. Moffat, Thomas, Scholer. Users versus models: what observation tells us about
    effectiveness metrics. CIKM 2013. doi:10.1145/2505515.2507665

    >>> round(EU(of="RBP(p=0.5)").score("1 0 1"), 6)
    0.625
    """

    cites = ("azzopardi2019", "moffat2013")

    def expected(self, x: Expectation, r: Rankings) -> Floats:
        """Gain over documents."""
        return np.divide(x.gained, x.seen, out=np.zeros_like(x.seen), where=x.seen > 0)
