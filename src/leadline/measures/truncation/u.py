"""Flat utility."""

from __future__ import annotations

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.rankings.view import Floats, Rankings


@measure
class U(GainMeasure):
    r"""Flat utility: the gain of the list less the effort of reading all of it.

    $$U = \sum_{i \le n} (G(i) - e)$$

    Each document costs the same effort e, wherever it stands; the empty list scores 0, so a list of too many useless
    documents is worse than none. Blind to order, and topics with much to find dominate the mean.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> round(U(e=0.1).score("1 0 1 0"), 4)
    1.6
    """

    e: float = param(0.05, within="[0, 1)", doc="effort of one document, in gain units")
    gain: str = gain_param("linear")
    ties = frozenset({"share", "mean-gain"})
    rises_only_at_hits = True
    cites = ("amigo2022",)

    def value(self, r: Rankings) -> Floats:
        """Gains less effort."""
        return r.upto(r.gain) - self.e * r.cut
