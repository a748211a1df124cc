"""Compatibility: similarity to the nearest ideal ranking, as an alternative to gains."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import Measure, measure, param
from leadline.measures.collection import CollectionMeasure
from leadline.rankings.labeller import Labeller
from leadline.rankings.view import Floats, Labelled, Rankings, ratio


@measure
class Compatibility(Measure):
    r"""Rank-biased overlap with the nearest ideal ranking, over that of the ideal ranking with itself.

    $$\mathrm{Comp}@k = \frac{\sum_{d \in r@k} T(\max(i_d, j_d))}{\sum_{i=1}^{\min(N, k)} T(i)}, \qquad
    T(m) = \sum_{h=m}^{\infty} (1-p)\, p^{h-1} / h$$

    where $i_d$ is the rank of a good document in the list and $j_d$ its rank in the ideal ranking: better grades first
    and, within a grade, in the order in which the list itself has them. Grades are only compared, so nothing depends on
    the gain of a grade: useful with TOMA, whose many classes need not be equally far apart
    (``TOMA(measure='Compatibility')``). The first k documents of the ideal ranking score 1.

    Undefined where no document is above grade 0. Misleads on shallow pools, as all measures against an ideal do.

    References: Clarke, Vtyurina, Smucker. Offline evaluation without gain. ICTIR 2020. doi:10.1145/3409256.3409816

    >>> Compatibility().score("2 1 1", rels="2 1 1"), round(Compatibility().score("1 2 0", rels="2 1"), 4)
    (1.0, 0.8116)
    """

    p: float = param(0.95, within="(0, 1)", doc="persistence: how far down agreement counts")
    rises_only_at_hits = True
    cites = ("clarke2020",)

    def label(self, labeller: Labeller) -> Labelled:
        """The lists with their grades as gains, which are only compared."""
        return labeller(rel=1, gain="raw", judged_only=self.judged_only)

    def value(self, r: Rankings) -> Floats:
        """Each good document counts from the lower of its two ranks on."""
        place = self._ideal_place(r)
        tail = self._tail(int(max(r.rank.max(initial=0), r.ideal_rank.max(initial=0), 1)))
        seen = r.upto(tail[np.maximum(r.rank, place).astype(np.int64)])
        return ratio(seen, r.ideal_upto(tail[r.ideal_rank.astype(np.int64)]))

    def _tail(self, last: int) -> Floats:
        """T(m) for m = 0 … last, from below so that small tails keep their digits."""
        h = np.arange(1, last + 1, dtype=np.float64)
        beyond = np.arange(last + 1, last + 1 + int(np.ceil(40 / -np.log(self.p))), dtype=np.float64)
        rest = float(((1 - self.p) * self.p ** (beyond - 1) / beyond).sum())
        sums = np.cumsum(((1 - self.p) * self.p ** (h - 1) / h)[::-1])[::-1] + rest
        return np.concatenate([[0.0], sums])

    @staticmethod
    def _ideal_place(r: Rankings) -> Floats:
        """Rank of each entry in the ideal ranking that agrees best with its own list."""
        first = np.zeros(len(r.lists.labels.gain))
        first[r.lists.labels.ideal.row] = CollectionMeasure.levels(r)[0]
        same = np.zeros(len(r.gain))
        for level in np.unique(r.gain):
            own = r.gain == level
            same[own] = r.before(own.astype(np.float64))[own]
        return first[r.lists.entries.row] + same
