"""Interpolated precision."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.rankings.view import Floats, Rankings


@measure
class IPrec(BinaryMeasure):
    r"""Interpolated precision: the best precision at or after the rank that reaches a recall level.

    $$\mathrm{IPrec}@r = \max \{ P@i : \textstyle\sum_{j \le i} b_j \ge \lfloor rR + 0.9 \rfloor \}$$

    The rounding is trec_eval's. 0 if the level is never reached; undefined without relevant documents.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005.

    >>> IPrec(1.0).score("1 0 1"), IPrec(0.0).score("1 0 1")
    (0.6666666666666666, 1.0)
    """

    cutoff = "recall"
    cites = ("buckley2005",)

    def value(self, r: Rankings) -> Floats:
        """Precision falls between hits, so only hits can hold the maximum."""
        assert self.k is not None
        found = r.running(r.hit)
        needed = np.floor(self.k * r.of_topic(r.lists.labels.R) + 0.9)
        precision = np.where(found >= needed, found / r.rank, 0.0)
        best = r.lists.entries.running_max(precision)[r.places]
        return np.where(r.R > 0, best, np.nan)
