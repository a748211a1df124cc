"""Area under the ROC curve."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure, param
from leadline.measures.collection import check_docs
from leadline.rankings.labeller import Labeller
from leadline.rankings.view import Floats, Labelled, Rankings


@measure
class AUC(BinaryMeasure):
    r"""Area under the ROC curve: the chance that a relevant document is ranked above another one.

    $$\mathrm{AUC} = P(\text{relevant above irrelevant}) + \tfrac12 P(\text{tie})$$

    over all N documents of the collection; those not retrieved are tied at the bottom. ½ where all or none are
    relevant. Not top-heavy at all: in a large collection a list of a thousand counts for what it finds, not where.

    References: Hanley, McNeil. The meaning and use of the area under a receiver operating characteristic (ROC) curve.
    Radiology 1982. doi:10.1148/radiology.143.1.7063747

    >>> AUC(docs=4).score("1 0", rels="1 1")
    0.625
    """

    docs: int = param(kind="int", within="[1, inf)", doc="number of documents in the collection")
    rises_only_at_hits = True
    cites = ("hanley1982",)

    def label(self, labeller: Labeller) -> Labelled:
        """The lists, if they fit into the collection."""
        return check_docs(self, super().label(labeller), self.docs)

    def value(self, r: Rankings) -> Floats:
        """Pairs won by each relevant document in the list, and half of the ties at the bottom."""
        found = r.upto(r.hit)
        above = r.upto(r.hit * (r.rank - r.running(r.hit)))
        others = self.docs - r.R
        below = others - (r.cut - found)
        won = found * others - above + (r.R - found) * below / 2
        pairs = np.asarray(r.R * others, np.float64)
        return np.where(pairs > 0, won / np.where(pairs > 0, pairs, 1), 0.5)
