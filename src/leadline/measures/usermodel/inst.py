"""INST."""

from __future__ import annotations

import numpy as np

from leadline.errors import UsageError
from leadline.measures.base import gain_param, measure, param
from leadline.measures.usermodel._cwl import ContinuationMeasure, trigamma
from leadline.measures.usermodel.insq import inverse_squares
from leadline.rankings.labeller import Labeller
from leadline.rankings.view import Floats, Labelled, Rankings


@measure
class INST(ContinuationMeasure):
    r"""INST: the gain of a reader who hopes for a gain of T and loses interest as it comes in.

    $$C(i) = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \qquad T_i = T - \sum_{j \le i} G(j), \qquad
    \mathrm{INST} = \frac{\sum_i V(i)\, G(i)}{\sum_i V(i)}, \quad V(i) = \prod_{j<i} C(j)$$

    Unlike INSQ it adapts: a good list is left early, a poor one is read on. A rate, gain for each document seen, and no
    amount (see ETU): few documents can score as high as many. Below T = ½, or with gains outside [0, 1], the chance to
    go on would not be one; both are refused.

    References: Moffat, Bailey, Scholer, Thomas. INST: an adaptive metric for information retrieval evaluation. ADCS
    2015. doi:10.1145/2838931.2838938. Moffat, Bailey, Scholer, Thomas. Incorporating user expectations and behavior
    into the measurement of search effectiveness. ACM TOIS 2017. doi:10.1145/3052768

    >>> round(INST(T=1).score("1 0 1"), 4)
    0.7231
    """

    T: float = param(1.0, within="[0.5, inf)", doc="gain the reader hopes for")
    gain: str = gain_param("binary")
    cites = ("moffat2015", "moffat2017", "azzopardi2019")

    def label(self, labeller: Labeller) -> Labelled:
        """The lists, if their gains keep the model sound."""
        lists = super().label(labeller)
        gains = lists.labels.gain
        if gains.min(initial=0) < 0 or gains.max(initial=0) > 1:
            raise UsageError(
                f"{self} needs gains in [0, 1]; these go from {gains.min(initial=0):g} to {gains.max(initial=0):g}. "
                "Use gain='binary', 'linear' or 'exp', or such a table."
            )
        return lists

    def value(self, r: Rankings) -> Floats:
        r"""From one gain to the next, $V(i) = q / (i - 1 + a)^2$ with $a = 2T - \sum G$, and q fixed by the former."""
        r = self.bounded(r)
        entries = r.lists.entries
        double = 2 * self.T
        a_before, a_after = double - r.before(r.gain), double - r.running(r.gain)
        arrived = r.rank - 1 + a_before
        scale = entries.running_product(((r.rank - 1 + a_after) / arrived) ** 2) * double**2
        q_before = scale[entries.after - 1]
        here = np.full(len(scale), double)  # where the sum goes on after each gain: i + a, and 2T at the start
        here[entries.after] = r.rank + a_after
        left = trigamma(here)  # of each running cell
        seen = entries.running_sum(q_before * (left[entries.after - 1] - trigamma(r.rank + a_before)))
        if self.pad is not None:
            a = np.full(len(scale), double)
            a[entries.after] = a_after
            left = left - trigamma(self.pad + a)
        gained = entries.running_sum(q_before / arrived**2 * r.gain)
        return (gained / (seen + scale * left))[r.places]

    def continuation(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """The closer the goal, the smaller the chance to go on."""
        left = rank + 2 * self.T - total
        return ((left - 1) / left) ** 2

    def beyond(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        """With nothing gained it reads on like INSQ."""
        a = 2 * self.T - total
        return inverse_squares(rank + a - 1, last + a)
