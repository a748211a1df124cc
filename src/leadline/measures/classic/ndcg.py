"""Normalised discounted cumulative gain."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from leadline.findings import Finding
from leadline.measures.base import measure, param
from leadline.measures.classic._pooled import pool_doubts
from leadline.measures.classic.dcg import DCG
from leadline.measures.discounts import discount
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Rankings, ratio


@measure
class nDCG(DCG):
    r"""Discounted cumulative gain over that of the best possible list.

    $$\mathrm{nDCG}@k = \frac{\mathrm{DCG}@k}{\mathrm{DCG}@k(\text{ideal})}$$

    The ideal list holds all judged gains in falling order; with ``ideal='k'`` only those of the pool of depth k, if
    that is shallower than the judged one. Undefined where the ideal is 0. Misleads on shallow pools: unjudged
    documents count as worthless while the ideal knows only what was judged.

    References: Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 2002.
    doi:10.1145/582415.582418

    >>> round(nDCG(2).score("0 1 2", rels="2 1"), 4)
    0.2398
    """

    ideal: str = param("d", choices=("d", "k"), doc="ideal list from the judged pool, or from that of depth k")
    aliases = ("NDCG",)
    cites: ClassVar[tuple[str, ...]] = ("jarvelin2002", "lu2016")

    def value(self, r: Rankings) -> Floats:
        """DCG over ideal DCG."""
        best = self._pool_ideal(r) if self.ideal == "k" else r.ideal_upto(self._discounted(r.ideal_gain, r.ideal_rank))
        return ratio(super().value(r), best)

    def _discounted(self, gain: Floats, rank: Floats) -> Floats:
        return gain * discount(self.discount, rank)

    def _pool_ideal(self, r: Rankings) -> Floats:
        """Ideal DCG of the depth-k pool, gain level by gain level: level v fills the ranks after all higher ones."""
        gains = r.lists.labels.gain[r.pool.row]
        last = max(int(r.lists.labels.judgments.count(r.lists.labels.gain > 0).max(initial=0)), 1)
        table = np.concatenate([[0.0], np.cumsum(discount(self.discount, np.arange(1.0, last + 1)))])
        filled: Floats = np.zeros(())
        best: Floats = np.zeros(())
        for level in np.unique(gains[gains > 0])[::-1]:
            full = filled + r.pool_upto((gains == level).astype(np.float64))
            upper, lower = (np.minimum(np.minimum(x, r.k), last).astype(np.int64) for x in (full, filled))
            best = best + level * (table[upper] - table[lower])
            filled = full
        return best

    def doubts(self, track: Track) -> list[Finding]:
        """Says when the pool's depth is only assumed."""
        return pool_doubts(self, track, self.ideal == "k")
