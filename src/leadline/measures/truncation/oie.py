"""Observational information effectiveness."""

from __future__ import annotations

import numpy as np

from leadline.findings import Finding
from leadline.measures.base import measure, param
from leadline.measures.collection import CollectionMeasure
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Rankings

_LONG = 20  # at the defaults one relevant document no longer pays for a list of this length


@measure
class OIE(CollectionMeasure):
    r"""Observational information effectiveness: what the list and the judgments tell, less what they tell together.

    $$\mathrm{OIE} = H(S) + H(G) - \beta\, H(S, G)$$

    with, for N documents in the collection and natural logarithms, $N H(S) = \sum_{i \le n} \ln(N/i)$ and $N H(G) =
    \sum_{d : g_d > 0} \ln(N / |\{g \ge g_d\}|)$; $N H(S,G)$ takes $\ln(N/c_i)$ for each document of the list, $c_i$
    being the documents down to rank i with at least its grade, and the term of H(G) for each relevant document that was
    not retrieved. Grades are only compared; ``rel`` plays no part.

    Every document must say something new about relevance to pay for itself, so useless tails and missed documents both
    cost; the empty list scores $(1-\beta) H(G)$. It degenerates on long lists that nobody truncated, and with grades it
    can prefer a worse order.

    References: Amigó, Giner, Mizzaro, Spina. A formal account of effectiveness evaluation and ranking fusion. ICTIR
    2018. doi:10.1145/3234944.3234958. Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022.
    doi:10.1145/3477495.3532051

    >>> (OIE().length_curve("1 0", rels="1") * 20000).round(4)   # lengths 0, 1, 2
    array([-0.4952,  9.4083,  8.9478])
    """

    beta: float = param(1.05, within="[0, inf)", doc="weight of the joint information; above 1, a useless tail costs")
    docs: int = param(20000, within="[1, inf)", doc="number of documents in the collection")
    cites = ("amigo2018formal", "amigo2022")

    def validate(self) -> None:
        """Another useless document changes the score by (1 − β) ln(N/i) / N."""
        object.__setattr__(self, "rises_only_at_hits", self.beta >= 1)

    def value(self, r: Rankings) -> Floats:
        """Documents without a grade tell the same alone and together, so only relevant ones differ from H(S)."""
        N = float(self.docs)
        system = r.through(lambda i: np.log(N / i))
        known = self.known_at_least(r)
        gold = r.topicwise(self.of_topics(r, np.log(N / known[r.lists.labels.ideal.row])))
        alone = np.log(N / known[r.lists.entries.row])
        joint = system + gold + r.upto(np.log(r.rank / self.seen_at_least(r)) - alone)
        return (system + gold - self.beta * joint) / N

    def doubts(self, track: Track) -> list[Finding]:
        """Says when most lists look untruncated."""
        length = np.minimum(track.lengths, self.depth)
        longest = length.max(initial=0)
        full = int((length == longest).sum())
        if longest <= _LONG or 2 * full <= len(length):
            return []
        text = f"lists of {int(longest)} documents that nobody truncated: OIE is not meant for them"
        return [Finding("oie-full-lists", full, (), text)]
