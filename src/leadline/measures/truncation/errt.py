"""Expected reciprocal rank with a terminal document."""

from __future__ import annotations

import numpy as np

from leadline.measures.base import GainMeasure, gain_param, measure
from leadline.measures.truncation._terminal import terminal_gain, terminal_seen
from leadline.rankings.view import Floats, Rankings


@measure
class ERRT(GainMeasure):
    r"""Expected reciprocal rank in which the end of the list counts as one more document.

    $$\mathrm{ERRT} = \mathrm{ERR}(G(1), \dots, G(n), r_t), \qquad
    r_t = \sum_{i \le n} G(i) / \sum_d G(d) \;\;(1 \text{ if nothing is to be found})$$

    A reader whom no document satisfied may still be satisfied to learn that there is no more. Below a good document, or
    at the end of a long list, that is worth next to nothing.

    References: Liu, Moffat, Baldwin, Zhang. Quit while ahead: evaluating truncated rankings. SIGIR 2016.
    doi:10.1145/2911451.2914737. Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> ERRT().score("1", rels="1"), ERRT().score("0 0")
    (0.75, 0.3333333333333333)
    """

    gain: str = gain_param("exp")
    ties = frozenset({"mean-gain"})
    rises_only_at_hits = True
    cites = ("liu2016", "amigo2022", "chapelle2009")

    def value(self, r: Rankings) -> Floats:
        """ERR and the term of the end."""
        left = r.product_upto(1 - r.gain)
        end = terminal_gain(r.upto(r.gain), r.available) * left / (r.n + 1)
        return r.upto(r.gain / r.rank * r.survival(1 - r.gain)) + np.where(terminal_seen(r), end, 0.0)
