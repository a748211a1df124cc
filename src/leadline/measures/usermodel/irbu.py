"""Intent-wise rank-biased utility."""

from __future__ import annotations

from typing import ClassVar

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class iRBU(GainMeasure):
    r"""Intent-wise rank-biased utility: RBP's patience with ERR's satisfied reader.

    $$\mathrm{iRBU} = (1-p) \sum_i p^{\,i-1}\, G(i) \prod_{j<i} (1 - G(j))$$

    The gain is the chance that a document satisfies; what comes after a good document counts little. A patience of p <
    0.84 cannot value many relevant documents deep in the list over one at the top. Scores are small, since the weights
    do not sum to 1: compare them, or use niRBU.

    References: Sakai, Zeng. Which diversity evaluation measures are "good"? SIGIR 2019. doi:10.1145/3331184.3331215.
    Amigó, Spina, Carrillo-de-Albornoz. An axiomatic analysis of diversity evaluation metrics. SIGIR 2018.
    doi:10.1145/3209978.3210024

    >>> round(iRBU(p=0.5).score("1 0 1"), 4)
    0.2812
    """

    p: float = param(0.98, within="(0, 1)", doc="persistence: chance of reading on")
    gain: str = gain_param("exp")
    rises_only_at_hits = True
    cites: ClassVar[tuple[str, ...]] = ("sakai2019", "amigo2018")

    def value(self, r: Rankings) -> Floats:
        """Geometric weights times the chance to be satisfied there."""
        return (1 - self.p) * r.upto(self.p ** (r.rank - 1) * r.gain * r.survival(1 - r.gain))
