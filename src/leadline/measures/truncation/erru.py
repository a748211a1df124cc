"""Expected reciprocal rank with effort."""

from __future__ import annotations

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class ERRU(GainMeasure):
    r"""Expected reciprocal rank less the effort of reading each document.

    $$\mathrm{ERRU} = \sum_{i \le n} \frac{1}{i} \Big( G(i) \prod_{j<i} (1 - G(j)) - e \Big)$$

    The summed effort grows like the logarithm of the length, without limit, while ERR stays below 1: long lists lose,
    and a first relevant document below the first ranks may never pay for the way to it.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> ERRU(e=0.1).length_curve("1 0 1").round(4)   # lengths 0, 1, 2, 3
    array([0.  , 0.4 , 0.35, 0.4 ])
    """

    e: float = param(0.05, within="[0, 1)", doc="effort of one document, in gain units")
    gain: str = gain_param("exp")
    ties = frozenset({"mean-gain"})
    rises_only_at_hits = True
    cites = ("amigo2022", "chapelle2009")

    def value(self, r: Rankings) -> Floats:
        """ERR less effort over rank."""
        return r.upto(r.gain / r.rank * r.survival(1 - r.gain)) - self.e * r.through(lambda i: 1 / i)
