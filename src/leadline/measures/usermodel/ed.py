"""Expected depth."""

from __future__ import annotations

from leadline.measures.base import measure
from leadline.measures.usermodel._cwl import Expectation
from leadline.measures.usermodel._expected import ExpectedMeasure
from leadline.rankings.view import Floats, Rankings


@measure
class ED(ExpectedMeasure):
    r"""Expected depth: how many documents a reader sees.

    $$\mathrm{ED} = \sum_i V(i) = 1 / W(1)$$

    Counts ranks past the end of the list, too: it describes the reader more than the list. Readers who adapt (INST,
    BPM) see fewer documents of a good list, hence less is better.

    References: Azzopardi, Thomas, Moffat. cwl_eval: an evaluation tool for information retrieval. SIGIR 2019.
    doi:10.1145/3331184.3331398

    >>> round(ED(of="RBP(p=0.8)").score("1 0 1"), 6), ED(of="BPM(T=1)@10").score("0 1 1")
    (5.0, 2.0)
    """

    higher_is_better = False
    cites = ("azzopardi2019",)

    def expected(self, x: Expectation, r: Rankings) -> Floats:
        """Documents seen."""
        return x.seen
