"""Expected cost."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import measure, param
from leadline.measures.usermodel._cwl import Expectation
from leadline.measures.usermodel._expected import ExpectedMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class EC(ExpectedMeasure):
    r"""Expected cost: what a reader pays for each document seen.

    $$\mathrm{EC} = \sum_i W(i)\, c$$

    Every document costs c, so that this is c for every reader who sees something; it is here to complete what cwl_eval
    reports. The amount that tells readers apart is ETC.

    References: Azzopardi, Thomas, Moffat. cwl_eval: an evaluation tool for information retrieval. SIGIR 2019.
    doi:10.1145/3331184.3331398

    >>> EC(of="RBP(p=0.5)").score("1 0 1"), EC(of="RBP(p=0.5)", cost=3).score("1 0 1")
    (1.0, 3.0)
    """

    cost: float = param(1.0, within="[0, inf)", doc="cost of reading one document")
    higher_is_better = False
    cites = ("azzopardi2019",)

    def expected(self, x: Expectation, r: Rankings) -> Floats:
        """The weights sum to 1."""
        return np.where(x.seen > 0, self.cost, 0.0)
