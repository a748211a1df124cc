"""Normalised rank-biased precision."""

from __future__ import annotations

from typing import ClassVar

from leadline.measures.base import measure
from leadline.measures.usermodel._ideal import over_ideal
from leadline.measures.usermodel.rbp import RBP
from leadline.rankings.view import Floats, Rankings


@measure
class nRBP(RBP):
    r"""Rank-biased precision over that of the best possible list.

    $$\mathrm{nRBP}@k = \frac{\mathrm{RBP}@k}{\mathrm{RBP}@k(\text{ideal})}$$

    The ideal list holds all judged gains in falling order. Relevant documents that were not retrieved now cost, which
    they do not in RBP; in exchange it inherits what recall suffers from, a divisor that is a guess where judgments are
    few. Undefined where nothing has a gain.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051. Moffat, Zobel.
    Rank-biased precision for measurement of retrieval effectiveness. ACM TOIS 2008. doi:10.1145/1416950.1416952

    >>> round(nRBP(p=0.5).score("1 0 1", rels="1 1 1"), 4)
    0.7143
    """

    ties = frozenset({"share"})
    cites: ClassVar[tuple[str, ...]] = ("moffat2008", "amigo2022")

    def value(self, r: Rankings) -> Floats:
        """RBP over ideal RBP."""
        best = r.ideal_upto(r.ideal_gain * self.p ** (r.ideal_rank - 1))
        return over_ideal(super().value(r), (1 - self.p) * best)
