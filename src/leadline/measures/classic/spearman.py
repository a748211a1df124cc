"""Spearman's rank correlation."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import measure, param
from leadline.measures.collection import CollectionMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class Spearman(CollectionMeasure):
    r"""Spearman's correlation between the ranks of all documents and their grades.

    $$\rho = \frac{\sum_d (x_d - \bar x)(y_d - \bar y)}{\sqrt{\sum_d (x_d - \bar x)^2 \sum_d (y_d - \bar y)^2}}$$

    with $x_d$ the rank of document d in the list and $y_d$ by grade, ties sharing their mean rank; documents not
    retrieved are tied at the bottom. 0 where one side is constant. The bulk of the collection decides, not the top of
    the list.

    References: Spearman. The proof and measurement of association between two things. American J. Psychology 1904.
    doi:10.2307/1412159

    >>> round(Spearman(docs=4).score("2 1 0"), 4), Spearman(docs=4).score("")
    (0.9487, 0.0)
    """

    docs: int = param(kind="int", within="[1, inf)", doc="number of documents in the collection")
    cites = ("spearman1904",)

    def value(self, r: Rankings) -> Floats:
        """Sums over the relevant documents alone, as differences from the common rank of all others."""
        N = float(self.docs)
        ideal, R = r.lists.labels.ideal, r.lists.labels.R.astype(np.float64)
        first, last = self.levels(r)
        ahead = (first + last) / 2 - (R + (N - R + 1) / 2)[ideal.list]  # mid-rank by grade, from that of no grade
        by_row = np.zeros(len(r.lists.labels.gain))
        by_row[ideal.row] = ahead
        own = by_row[r.lists.entries.row]
        bottom = (r.cut + 1 + N) / 2  # mid-rank of all documents not retrieved
        product = r.upto(r.rank * own) - bottom * r.upto(own)
        product = product + (bottom - (N + 1) / 2) * r.topicwise(self.of_topics(r, ahead))
        out = N - r.cut
        squares = r.cut * (N**2 + N * out + out**2 - 1)  # 12 × the sum, factored so that nothing cancels
        root = np.sqrt(squares * r.topicwise(self._grade_squares(r)))
        return np.divide(12 * product, root, out=np.zeros(np.broadcast(product, root).shape), where=root > 0)

    def _grade_squares(self, r: Rankings) -> Floats:
        """12 × the sum of squares by grade in each topic; 0 if all documents have the same."""
        N, R = float(self.docs), r.lists.labels.R.astype(np.float64)
        first, last = self.levels(r)
        size = (last - first + 1).astype(np.float64)
        zero = N - R
        squares = R * (N**2 + N * zero + zero**2 - 1) - self.of_topics(r, size**2 - 1)
        best = self.of_topics(r, (first == 1).astype(np.float64))  # documents of the top grade
        return np.where((R == 0) | (best == N), 0.0, squares)
