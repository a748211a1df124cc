"""Inverse squares."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import gain_param, measure, param
from leadline.measures.usermodel._cwl import ContinuationMeasure, trigamma
from leadline.rankings.view import Floats, Rankings

_SUMMED = 1 << 20  # so many weights are added one by one, where a difference of trigammas would lose digits


@measure
class INSQ(ContinuationMeasure):
    r"""Inverse squares: the gain of a reader who grows more patient the further down the list.

    $$C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2, \qquad
    \mathrm{INSQ} = \sum_i \frac{G(i)}{(i + 2T - 1)^2} \Big/ \psi_1(2T)$$

    where T is the gain the reader hopes for; the reader of T = 1 sees 2.6 documents on average. The weights have a long
    tail: ranks past the list hold a noticeable share of them, so short lists can never reach 1.

    References: Moffat, Scholer, Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012.
    doi:10.1145/2407085.2407092

    >>> round(INSQ(T=1).score("1 0 1"), 4)
    0.4845
    """

    T: float = param(1.0, within="(0, inf)", doc="gain the reader hopes for")
    gain: str = gain_param("binary")
    ties = frozenset({"share"})
    cites = ("moffat2012", "azzopardi2019")

    def value(self, r: Rankings) -> Floats:
        """Gains under weights that depend on the rank alone."""
        r = self.bounded(r)
        return r.upto(r.gain / (r.rank + (2 * self.T - 1)) ** 2) / self._weights()

    def _weights(self) -> float:
        """Sum of all weights that count."""
        double = 2 * self.T
        if self.pad is not None and self.pad <= _SUMMED:
            return float(np.sum((np.arange(self.pad) + double) ** -2.0))
        return float(trigamma(np.array(double)) - trigamma(np.array(np.inf if self.pad is None else double + self.pad)))

    def continuation(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """A ratio of squares that approaches 1."""
        return ((rank + 2 * self.T - 1) / (rank + 2 * self.T)) ** 2

    def beyond(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        """The product telescopes, its sum is a difference of trigammas."""
        return inverse_squares(rank + 2 * self.T - 1, last + 2 * self.T)


def inverse_squares(start: Floats, end: Floats) -> tuple[Floats, Floats]:
    r"""$\sum_{x=a}^{b-1} (a/x)^2$ in steps of 1, and $(a/b)^2$; ``end`` may be infinite."""
    return start**2 * (trigamma(start) - trigamma(end)), (start / end) ** 2
