"""Kendall's rank correlation."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import measure, param
from leadline.measures.collection import CollectionMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class Kendall(CollectionMeasure):
    r"""Kendall's correlation $\tau_b$ between the ranks of all documents and their grades.

    $$\tau_b = \frac{C - D}{\sqrt{P_x P_y}}$$

    where C and D count the pairs of documents that list and grades order alike and against each other, $P_x$ and $P_y$
    the pairs not tied in the list and by grade; documents not retrieved are tied at the bottom. 0 where one side is
    constant. The bulk of the collection decides, not the top of the list.

    References: Kendall. The treatment of ties in ranking problems. Biometrika 1945. doi:10.1093/biomet/33.3.239

    >>> round(Kendall(docs=4).score("2 1 0"), 4), Kendall(docs=4).score("")
    (0.9129, 0.0)
    """

    docs: int = param(kind="int", within="[1, inf)", doc="number of documents in the collection")
    cites = ("kendall1945",)

    def value(self, r: Rankings) -> Floats:
        """Each pair of different grades is counted at its better document."""
        N, labels = float(self.docs), r.lists.labels
        known = self.known_at_least(r)
        worse = N - known[r.lists.entries.row]  # documents of a lower grade; those above it in the list are against it
        net = r.upto(worse - 2 * (r.rank - self.seen_at_least(r)))
        for level in np.unique(labels.ideal_gain):  # those not retrieved lose to every worse document in the list
            missed = r.topicwise(labels.judgments.count(labels.gain == level)) - r.upto(
                (r.gain == level).astype(np.float64)
            )
            net = net - missed * (r.cut - r.upto((r.gain >= level).astype(np.float64)))
        by_rank = r.cut * (2 * N - r.cut - 1) / 2
        by_grade = r.topicwise(self.of_topics(r, N - known[labels.ideal.row]))
        root = np.sqrt(by_rank * by_grade)
        return np.divide(net, root, out=np.zeros(np.broadcast(net, root).shape), where=root > 0)
