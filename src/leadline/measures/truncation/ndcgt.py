"""Normalised discounted cumulative gain with a terminal document."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.measures.discounts import DISCOUNTS, discount
from leadline.measures.truncation._terminal import terminal_gain, terminal_seen
from leadline.rankings.view import Floats, Rankings


@measure
class nDCGT(GainMeasure):
    r"""Normalised discounted cumulative gain in which the end of the list counts as one more document.

    $$\mathrm{nDCGT} = \frac{\mathrm{DCG}(G(1), \dots, G(n), r_t)}{\mathrm{DCG}(\text{ideal})}, \qquad
    r_t = \sum_{i \le n} G(i) / \sum_d G(d) \;\;(1 \text{ if nothing is to be found})$$

    The ideal list holds the gains in falling order and then the end, of gain 1. With ``ideal='cut'`` it is looked at to
    depth n + 1 only, so that a short perfect list loses little by stopping early; with 'full' it is the same for all
    lists. With gains above 1 the end weighs little.

    References: Liu, Moffat, Baldwin, Zhang. Quit while ahead: evaluating truncated rankings. SIGIR 2016.
    doi:10.1145/2911451.2914737. Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> round(nDCGT().score("1 1", rels="1 1 1"), 3), nDCGT().score("0 0")
    (0.922, 0.5)
    """

    ideal: str = param("cut", choices=("cut", "full"), doc="ideal list to depth n + 1, or whole")
    gain: str = gain_param("linear")
    discount: str = param("log2", choices=DISCOUNTS, doc="how fast ranks lose weight")
    ties = frozenset({"mean-gain"})
    rises_only_at_hits_or_end = True  # the plain measure, which a whole list may get, has a smaller divisor
    cites = ("liu2016", "amigo2022", "jarvelin2002")

    def value(self, r: Rankings) -> Floats:
        """DCG with the end over the ideal with its end; plain nDCG where the end is no answer."""
        seen = r.upto(r.gain * discount(self.discount, r.rank))
        end = terminal_gain(r.upto(r.gain), r.available) * discount(self.discount, np.asarray(r.n + 1, np.float64))
        gains = r.ideal_gain * discount(self.discount, r.ideal_rank)
        last = np.minimum(r.n + 1, r.k) if self.ideal == "cut" else r.k
        slot = r.topicwise((r.lists.labels.ideal.counts + 1).astype(np.float64))
        best = r.ideal_upto(gains, last) + np.where(slot <= last, discount(self.discount, slot), 0.0)
        with_end = (seen + np.where(terminal_seen(r), end, 0.0)) / best
        if r.terminal.all():
            return with_end
        plain = r.ideal_upto(gains)
        return np.where(r.terminal, with_end, np.where(plain > 0, seen / plain, 0.0))
