"""Reciprocal rank with a terminal document."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import BinaryMeasure, measure
from leadline.measures.truncation._terminal import terminal_seen
from leadline.rankings.view import Floats, Rankings


@measure
class RRT(BinaryMeasure):
    r"""Reciprocal rank that rewards an early end where there is nothing to find.

    $$\mathrm{RRT} = \begin{cases} 1/\min\{i : b_i = 1\} & \text{if something relevant is retrieved} \\
    1/(n+1) & \text{else, if } R = 0 \\ 0 & \text{else} \end{cases}$$

    The end of the list counts as a document that is relevant if the topic has no answer. On other topics it is RR, so
    it says nothing about where such lists should stop.

    References: Liu, Moffat, Baldwin, Zhang. Quit while ahead: evaluating truncated rankings. SIGIR 2016.
    doi:10.1145/2911451.2914737

    >>> RRT().score("0 1 1"), RRT().score("0 0"), RRT().score("")
    (0.5, 0.3333333333333333, 1.0)
    """

    ties = frozenset({"mean-gain"})
    rises_only_at_hits = True
    cites = ("liu2016",)

    def value(self, r: Rankings) -> Floats:
        """The one term of the first hit, or of the end."""
        first = (r.hit > 0) & (r.before(r.hit) == 0)
        return r.upto(first / r.rank) + np.where(terminal_seen(r) & (r.R == 0), 1 / (r.n + 1), 0.0)
