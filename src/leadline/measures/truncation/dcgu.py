"""Discounted cumulative utility."""

from __future__ import annotations

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.measures.discounts import discount
from leadline.rankings.view import Floats, Rankings


@measure
class DCGU(GainMeasure):
    r"""Discounted cumulative utility: DCG less the effort of reading each document.

    $$\mathrm{DCGU} = \sum_{i \le n} \frac{G(i) - e}{\log_2(1+i)}$$

    Gain and effort are discounted alike, so a document pays exactly if its gain is above e, wherever it stands. Not
    normalised: topics with much to find dominate the mean.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> round(DCGU(e=0.5).score("1 0 1"), 4)
    0.4345
    """

    e: float = param(0.05, within="[0, 1)", doc="effort of one document, in gain units")
    gain: str = gain_param("linear")
    ties = frozenset({"share", "mean-gain"})
    rises_only_at_hits = True
    cites = ("amigo2022", "jarvelin2002")

    def value(self, r: Rankings) -> Floats:
        """Discounted gains less discounted effort."""
        return r.upto(r.gain * discount("log2", r.rank)) - self.e * r.through(lambda i: discount("log2", i))
