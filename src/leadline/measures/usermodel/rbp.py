"""Rank-biased precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from leadline.measures.base import gain_param, measure, param
from leadline.measures.usermodel._cwl import UserModel
from leadline.rankings.view import Floats, Rankings


@measure
class RBP(UserModel):
    r"""Rank-biased precision: the gain of a reader who goes on to the next document with probability p.

    $$\mathrm{RBP}@k = (1-p) \sum_{i=1}^{k} G(i)\, p^{\,i-1}$$

    The reader sees $1/(1-p)$ documents on average. What unjudged documents and the ranks past the list could still add
    is known exactly (see ``leadline ranges``). Knows nothing of relevant documents that were not retrieved.

    References: Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM TOIS 2008.
    doi:10.1145/1416950.1416952

    >>> RBP(p=0.5).score("1 0 1")
    0.625
    """

    p: float = param(0.8, within="(0, 1)", doc="persistence: chance of reading on")
    gain: str = gain_param("binary")
    ties = frozenset({"share", "mean-gain"})
    cites: ClassVar[tuple[str, ...]] = ("moffat2008",)

    def value(self, r: Rankings) -> Floats:
        """Gains under geometric weights."""
        return (1 - self.p) * r.upto(r.gain * self.p ** (r.rank - 1))

    def continuation(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """Always p."""
        return np.full(rank.shape, self.p)

    def beyond(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        """A geometric sum."""
        passed = self.p ** (last - rank + 1)
        return (1 - passed) / (1 - self.p), passed
