"""Average precision with a terminal document."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.measures.truncation._terminal import terminal_gain, terminal_seen
from leadline.rankings.view import Floats, Rankings


@measure
class APT(BinaryMeasure):
    r"""Average precision in which the end of the list counts as one more relevant document.

    $$\mathrm{APT} = \frac{1}{R+1} \sum_{i=1}^{n+1} r_i \frac{\sum_{j \le i} r_j}{i}, \qquad
    r_i = b_i \;(i \le n), \qquad r_{n+1} = \sum_{i \le n} b_i / R \;\;(1 \text{ if } R = 0)$$

    The end is worth most to a list that found everything and stopped at once. With many relevant documents it is one
    among many and a long useless tail costs little.

    References: Liu, Moffat, Baldwin, Zhang. Quit while ahead: evaluating truncated rankings. SIGIR 2016.
    doi:10.1145/2911451.2914737

    >>> round(APT().score("1 1", rels="1 1 1"), 3), APT().score("0 0")
    (0.648, 0.3333333333333333)
    """

    ties = frozenset({"mean-gain"})
    rises_only_at_hits_or_end = True  # the plain measure, which a whole list may get, has a smaller divisor
    cites = ("liu2016",)

    def value(self, r: Rankings) -> Floats:
        """Precision at the hits and at the end; plain AP where the end is no answer."""
        total = r.upto(r.hit * r.running(r.hit) / r.rank)
        found = r.upto(r.hit)
        end = terminal_gain(found, r.R)
        with_end = (total + np.where(terminal_seen(r), end * (found + end) / (r.n + 1), 0.0)) / (r.R + 1)
        if r.terminal.all():
            return with_end
        return np.where(r.terminal, with_end, np.where(r.R > 0, total / np.maximum(r.R, 1), 0.0))
