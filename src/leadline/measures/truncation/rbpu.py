"""Rank-biased precision with effort."""

from __future__ import annotations

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class RBPU(GainMeasure):
    r"""Rank-biased precision less the effort of reading each document.

    $$\mathrm{RBPU}_n = (1-p) \sum_{i=1}^{n} p^{\,i-1} (G(i) - e)$$

    With ``e=0`` it is RBP; with ``e>0`` a useless tail costs, so stopping can win. Gain and effort are discounted
    alike, so a tail deep in the list costs little and gains little. Blind to relevant documents that were never
    retrieved.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> RBPU(p=0.8, e=0.1).length_curve("1 0 1").round(3)   # lengths 0, 1, 2, 3
    array([0.   , 0.18 , 0.164, 0.279])
    """

    p: float = param(0.98, within="(0, 1)", doc="persistence: chance of reading on")
    e: float = param(0.05, within="[0, 1)", doc="effort of one document, in gain units")
    gain: str = gain_param("linear")
    ties = frozenset({"share", "mean-gain"})
    rises_only_at_hits = True
    cites = ("amigo2022", "moffat2008")

    def value(self, r: Rankings) -> Floats:
        """RBP less the effort, whose weights sum to 1 over an endless list."""
        return (1 - self.p) * r.upto(self.p ** (r.rank - 1) * r.gain) - self.e * (1 - self.p**r.cut)
