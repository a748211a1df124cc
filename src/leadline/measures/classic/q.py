"""Q-measure."""

from __future__ import annotations

import numpy as np

from leadline import _core
from leadline.findings import Finding
from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.measures.classic._pooled import over_relevant, pool_doubts
from leadline.rankings.entries import Entries
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Rankings


@measure
class Q(GainMeasure):
    r"""Q-measure: average precision in which relevant documents bring their gain along.

    $$Q@k = \frac{1}{N} \sum_{i=1}^{k} b_i \frac{\sum_{j \le i} b_j + \beta \sum_{j \le i} G(j)}
    {i + \beta \sum_{j \le i} G^*(j)}$$

    where $G^*$ is the ideal list and N as in AP. With $\beta = 0$ it is AP; a large $\beta$ forgives late relevant
    documents. Undefined without relevant ones. With grades it can prefer a worse order (0 0 0 2 1 beats 0 0 1 2 0).

    References: Sakai. Alternatives to Bpref. SIGIR 2007. doi:10.1145/1277741.1277756

    >>> round(Q().score("1 0 1", rels="2 1 1"), 4)
    0.4127
    """

    beta: float = param(1.0, within="[0, inf)", doc="weight of the cumulative gain against the count")
    gain: str = gain_param("raw")
    norm: str = param("R", choices=("R", "min", "pool"), doc="the divisor: R, min(R, k), or R of the depth-k pool")
    ideal: str = param("d", choices=("d", "k"), doc="ideal list from the judged pool, or from that of depth k")
    cites = ("sakai2007", "lu2016")
    rises_only_at_hits = True

    def value(self, r: Rankings) -> Floats:
        """Blended precision at the hits over the chosen divisor."""
        if self.ideal == "d":
            total = r.upto(self._terms(r, r.lists.labels.ideal))
        elif np.ndim(r.pool_k) == 0:
            total = r.upto(self._terms(r, _ideal_of_pool(r, float(r.pool_k))))
        else:  # the ideal itself changes with the depth: one pass for each column
            columns = np.broadcast_to(r.pool_k, (1, r.points.shape[1]))[0]
            total = np.stack(
                [r.upto(self._terms(r, _ideal_of_pool(r, float(c))))[:, i] for i, c in enumerate(columns)], axis=1
            )
        return over_relevant(r, total, self.norm)

    def _terms(self, r: Rankings, ideal: Entries) -> Floats:
        topic = np.ascontiguousarray(r.of_topic(np.arange(ideal.lists)), np.int64)
        at = _core.positions(ideal.rank, ideal.offsets, topic, r.rank)
        best = ideal.running_sum(r.lists.labels.gain[ideal.row])[at]
        blended = r.running(r.hit) + self.beta * r.running(r.gain)
        return np.divide(r.hit * blended, r.rank + self.beta * best)

    def doubts(self, track: Track) -> list[Finding]:
        """Says when the pool's depth is only assumed."""
        return pool_doubts(self, track, self.norm == "pool" or self.ideal == "k")


def _ideal_of_pool(r: Rankings, depth: float) -> Entries:
    """The ideal list over the judgments that a pool of ``depth`` brings in."""
    ideal, best_rank = r.lists.labels.ideal, r.lists.best_rank
    assert best_rank is not None
    if np.isinf(depth):
        return ideal
    kept = ideal.where(best_rank()[ideal.row] <= depth)
    rank = np.arange(1, len(kept) + 1) - np.repeat(kept.offsets[:-1], kept.counts)
    return Entries(rank.astype(np.int32), kept.row, kept.offsets)
