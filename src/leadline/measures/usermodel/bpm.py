"""Bejeweled player model."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import gain_param, measure, param
from leadline.measures.usermodel._cwl import UserModel
from leadline.rankings.view import Floats, Rankings

_NEARLY = 1e-12  # gains are sums of fractions: three thirds are meant to make one


@measure
class BPM(UserModel):
    r"""Bejeweled player model: the gain per document of a reader who stops with a gain of T, or after k documents.

    $$C(i) = 1 \text{ while } \sum_{j \le i} G(j) < T \text{ and } i < k, \text{ then } 0$$

    A goal and a budget, whichever is met first; every document read counts the same. With T = 1 and binary gains it is
    RR where a relevant document is found, with a large T it is P@k. The order after the goal is met plays no part. (The
    static form; the dynamic one of the same paper, with moving limits, is not meant.)

    References: Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating web search with a bejeweled player model. SIGIR 2017.
    doi:10.1145/3077136.3080841

    >>> BPM(10, T=2).score("1 0 1 1"), BPM(10, T=4).score("1 0 1 1")
    (0.6666666666666666, 0.3)
    """

    cutoff = "required"
    T: float = param(1.0, within="(0, inf)", doc="gain at which the reader stops")
    gain: str = gain_param("binary")
    cites = ("zhang2017", "azzopardi2019")

    def value(self, r: Rankings) -> Floats:
        """Gain over documents, at the rank where the goal is met or at the cut-off."""
        met = self._met(r.running(r.gain))
        reading = r.survival(1.0 - met)
        stop = r.upto(r.rank * reading * met)
        return r.upto(r.gain * reading) / np.where(stop > 0, stop, r.k)

    def _met(self, total: Floats) -> Floats:
        return (total >= self.T - _NEARLY * max(self.T, 1.0)).astype(np.float64)

    def continuation(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """Certain until the goal is met."""
        return 1.0 - self._met(total)

    def beyond(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        """Without further gain the reader goes on to the cut-off, or had stopped already."""
        return np.where(self._met(total) > 0, 1.0, last - rank + 1), np.zeros(rank.shape)
