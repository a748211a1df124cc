"""Average precision."""

from __future__ import annotations

from leadline.findings import Finding
from leadline.measures.base import BinaryMeasure, measure, param
from leadline.measures.classic._pooled import over_relevant, pool_doubts
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Rankings


@measure
class AP(BinaryMeasure):
    r"""Average precision: the mean of the precision at each relevant document.

    $$\mathrm{AP}@k = \frac{1}{N} \sum_{i=1}^{k} b_i \, P@i, \qquad
    N = R \;(\text{norm 'R'}),\; \min(R, k) \;(\text{'min'}),\; R_k \;(\text{'pool'})$$

    where $R_k$ counts the relevant documents in the pool of depth k, if that is shallower than the pool that was
    judged. Relevant documents never retrieved cost through the divisor. Misleads when many documents are unjudged,
    since R is then a guess; the at-k forms change the order of systems with k more than RBP does. A run outside the
    pool can exceed 1 with 'pool'.

    References: Buckley, Voorhees. Retrieval System Evaluation. In: TREC, MIT Press 2005. Lu, Moffat, Culpepper. The
    effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016. doi:10.1007/s10791-016-9282-6

    >>> round(AP().score("1 0 1", rels="1 1 1"), 4), AP(1, norm="min").score("1 0 1")
    (0.5556, 1.0)
    """

    norm: str = param("R", choices=("R", "min", "pool"), doc="the divisor: R, min(R, k), or R of the depth-k pool")
    aliases = ("MAP",)
    rises_only_at_hits = True
    cites = ("buckley2005", "lu2016")

    def value(self, r: Rankings) -> Floats:
        """Precision at the hits over the chosen divisor."""
        return over_relevant(r, r.upto(r.hit * r.running(r.hit) / r.rank), self.norm)

    def doubts(self, track: Track) -> list[Finding]:
        """Says when the pool's depth is only assumed."""
        return pool_doubts(self, track, self.norm == "pool")
