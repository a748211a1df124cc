"""Scaled DCG."""

from __future__ import annotations

import numpy as np

from leadline.errors import UsageError
from leadline.measures.base import gain_param, measure
from leadline.measures.discounts import discount
from leadline.measures.usermodel._cwl import UserModel
from leadline.rankings.view import Floats, Rankings

_DEEPEST = 10_000_000


@measure
class SDCG(UserModel):
    r"""Scaled DCG: discounted cumulative gain as the gain per document of a reader of k documents.

    $$\mathrm{SDCG}@k = \sum_{i=1}^{k} \frac{G(i)}{\log_2(1+i)} \Big/ \sum_{i=1}^{k} \frac{1}{\log_2(1+i)}, \qquad
    C(i) = \frac{\log_2(i+1)}{\log_2(i+2)} \;(i < k)$$

    Unlike nDCG it divides by k documents of gain 1, not by what the topic offers: where fewer exist, even the best list
    stays below 1. The weights have no sum without a cut-off.

    References: Moffat, Thomas, Scholer. Users versus models: what observation tells us about effectiveness metrics.
    CIKM 2013. doi:10.1145/2505515.2507665. Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM
    TOIS 2002. doi:10.1145/582415.582418

    >>> round(SDCG(3).score("1 0 1"), 4)
    0.7039
    """

    cutoff = "required"
    gain: str = gain_param("binary")
    ties = frozenset({"share"})
    cites = ("moffat2013", "jarvelin2002", "azzopardi2019")

    def validate(self) -> None:
        """Refuse a cut-off whose weights nobody could add up."""
        if self.k is not None and self.k > _DEEPEST:
            raise UsageError(f"SDCG@k adds up k weights, for k up to {_DEEPEST:,}. Got {self.k:,} instead.")

    def value(self, r: Rankings) -> Floats:
        """DCG over that of a list full of gain 1."""
        return r.upto(r.gain * discount("log2", r.rank)) / weight_to(np.asarray(r.k, np.float64))

    def continuation(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """The ratio of neighbouring discounts."""
        return np.log2(rank + 1) / np.log2(rank + 2)

    def beyond(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        """Differences of summed discounts; the reader never passes the cut-off."""
        return (weight_to(last) - weight_to(rank - 1)) * np.log2(rank + 1), np.zeros(rank.shape)


def weight_to(rank: Floats) -> Floats:
    """Sum of the log2 discounts through each rank; infinite at infinity."""
    finite = np.isfinite(rank)
    last = np.where(finite, rank, 0).astype(np.int64)
    table = np.concatenate([[0.0], np.cumsum(discount("log2", np.arange(1.0, int(last.max(initial=0)) + 1)))])
    return np.where(finite, table[last], np.inf)
