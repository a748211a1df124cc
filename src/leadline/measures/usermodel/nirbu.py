"""Normalised intent-wise rank-biased utility."""

from __future__ import annotations

from typing import ClassVar

from leadline.measures.base import measure
from leadline.measures.usermodel._ideal import ideal_satisfaction, over_ideal
from leadline.measures.usermodel.irbu import iRBU
from leadline.rankings.view import Floats, Rankings


@measure
class niRBU(iRBU):
    r"""Intent-wise rank-biased utility over that of the best possible list.

    $$\mathrm{niRBU}@k = \frac{\mathrm{iRBU}@k}{\mathrm{iRBU}@k(\text{ideal})}$$

    The ideal list holds all judged gains in falling order, so that the best list scores 1 on every topic and missed
    relevant documents cost a little. Since a few good documents already satisfy the reader, the ideal hardly grows with
    more. Undefined where nothing has a gain.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051. Sakai, Zeng. Which
    diversity evaluation measures are "good"? SIGIR 2019. doi:10.1145/3331184.3331215

    >>> round(niRBU(p=0.5).score("0 1", rels="1 1"), 4)
    0.4
    """

    cites: ClassVar[tuple[str, ...]] = ("sakai2019", "amigo2022")

    def value(self, r: Rankings) -> Floats:
        """iRBU over ideal iRBU."""
        best = r.ideal_upto(self.p ** (r.ideal_rank - 1) * ideal_satisfaction(r))
        return over_ideal(super().value(r), (1 - self.p) * best)
