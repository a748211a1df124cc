"""Rank-biased precision with a terminal document."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.measures.truncation._terminal import terminal_gain, terminal_seen
from leadline.rankings.view import Floats, Rankings


@measure
class RBPT(GainMeasure):
    r"""Rank-biased precision in which the end of the list counts, by how much of the whole was found.

    $$\mathrm{RBPT} = (1-p) \sum_{i \le n} G(i)\, p^{\,i-1} + r_t \, p^n, \qquad
    r_t = \sum_{i \le n} G(i) / \sum_d G(d) \;\;(1 \text{ if nothing is to be found})$$

    With ``tail='infinite'`` the end stands for all ranks that would follow, with 'single' for one document, of weight
    $(1-p)\,p^n$. A list that found everything loses nothing by stopping. The end is worth at most $p^n$, so where lists
    are long it hardly matters.

    References: Liu, Moffat, Baldwin, Zhang. Quit while ahead: evaluating truncated rankings. SIGIR 2016.
    doi:10.1145/2911451.2914737. Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> round(RBPT(p=0.5).score("1 1", rels="1 1 1"), 3), RBPT(p=0.5).score("0 0")
    (0.917, 0.25)
    """

    p: float = param(0.8, within="(0, 1)", doc="persistence: chance of reading on")
    tail: str = param("infinite", choices=("infinite", "single"), doc="ranks the end of the list stands for")
    gain: str = gain_param("binary")
    ties = frozenset({"mean-gain"})
    rises_only_at_hits = True
    cites = ("liu2016", "amigo2022", "moffat2008")

    def value(self, r: Rankings) -> Floats:
        """RBP and the weight of the end."""
        weight = self.p**r.n if self.tail == "infinite" else (1 - self.p) * self.p**r.n
        end = terminal_gain(r.upto(r.gain), r.available) * weight
        return (1 - self.p) * r.upto(r.gain * self.p ** (r.rank - 1)) + np.where(terminal_seen(r), end, 0.0)
