"""Expected total utility."""

from __future__ import annotations

from leadline.measures.base import measure
from leadline.measures.usermodel._cwl import Expectation
from leadline.measures.usermodel._expected import ExpectedMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class ETU(ExpectedMeasure):
    r"""Expected total utility: the gain a reader has got when leaving the list.

    $$\mathrm{ETU} = \sum_i L(i) \sum_{j \le i} G(j)$$

    An amount, where EU is a rate: patient readers get more of it for the same list. Not bounded by 1.

    References: Azzopardi, Thomas, Moffat. cwl_eval: an evaluation tool for information retrieval. SIGIR 2019.
    doi:10.1145/3331184.3331398. Moffat, Thomas, Scholer. Users versus models: what observation tells us about
    effectiveness metrics. CIKM 2013. doi:10.1145/2505515.2507665

    >>> round(ETU(of="RBP(p=0.5)").score("1 0 1"), 6)
    1.25
    """

    cites = ("azzopardi2019", "moffat2013")

    def expected(self, x: Expectation, r: Rankings) -> Floats:
        """A gain counts for all who reach it, but for those who pass the last rank that counts."""
        return x.gained - x.passed * x.total
