"""Expected total cost."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import measure, param
from leadline.measures.usermodel._cwl import Expectation
from leadline.measures.usermodel._expected import ExpectedMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class ETC(ExpectedMeasure):
    r"""Expected total cost: what a reader has paid when leaving the list.

    $$\mathrm{ETC} = \sum_i L(i)\, i\, c$$

    With c = 1 it is the expected depth ED, unless ``pad`` ends the sums while some readers would go on (those are then
    not counted, as in cwl_eval). For readers whose depth does not depend on what they find, it says nothing of the
    list.

    References: Azzopardi, Thomas, Moffat. cwl_eval: an evaluation tool for information retrieval. SIGIR 2019.
    doi:10.1145/3331184.3331398

    >>> round(ETC(of="RBP(p=0.5)").score("1 0 1"), 6), round(ETC(of="INST(T=1)").score("1 1 1"), 4)
    (2.0, 1.3528)
    """

    cost: float = param(1.0, within="[0, inf)", doc="cost of reading one document")
    higher_is_better = False
    cites = ("azzopardi2019",)

    def expected(self, x: Expectation, r: Rankings) -> Floats:
        """Each document costs all who reach it, but for those who pass the last rank that counts."""
        last = np.broadcast_to(self.inner.horizon(self.inner.bounded(r)), x.seen.shape)
        return self.cost * (x.seen - x.passed * np.where(np.isinf(last), 0.0, last))
