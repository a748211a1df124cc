"""Rank-biased utility."""

from __future__ import annotations

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class RBU(GainMeasure):
    r"""Rank-biased utility: iRBU less the effort of reading each document.

    $$\mathrm{RBU} = (1-p) \sum_{i \le n} p^{\,i-1} \Big( G(i) \prod_{j<i} (1 - G(j)) - e \Big)$$

    The effort is spent whether or not an earlier document satisfied, so after a few good documents reading on only
    costs and short lists win. (One aspect; with several it is a measure of diversity.)

    References: Amigó, Spina, Carrillo-de-Albornoz. An axiomatic analysis of diversity evaluation metrics: introducing
    the rank-biased utility metric. SIGIR 2018. doi:10.1145/3209978.3210024. Amigó, Mizzaro, Spina. Ranking Interruptus.
    SIGIR 2022. doi:10.1145/3477495.3532051

    >>> RBU(p=0.5, e=0.1).length_curve("1 0 1").round(3)   # lengths 0, 1, 2, 3
    array([0.   , 0.2  , 0.175, 0.194])
    """

    p: float = param(0.98, within="(0, 1)", doc="persistence: chance of reading on")
    e: float = param(0.05, within="[0, 1)", doc="effort of one document, in gain units")
    gain: str = gain_param("exp")
    ties = frozenset({"mean-gain"})
    rises_only_at_hits = True
    cites = ("amigo2018", "amigo2022")

    def value(self, r: Rankings) -> Floats:
        """iRBU less the effort, whose weights sum to 1 over an endless list."""
        satisfied = r.gain * r.survival(1 - r.gain)
        return (1 - self.p) * r.upto(self.p ** (r.rank - 1) * satisfied) - self.e * (1 - self.p**r.cut)
