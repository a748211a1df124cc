"""Normalised expected reciprocal rank."""

from __future__ import annotations

from typing import ClassVar

from leadline.measures.base import measure
from leadline.measures.usermodel._ideal import ideal_satisfaction, over_ideal
from leadline.measures.usermodel.err import ERR
from leadline.rankings.view import Floats, Rankings


@measure
class nERR(ERR):
    r"""Expected reciprocal rank over that of the best possible list.

    $$\mathrm{nERR}@k = \frac{\mathrm{ERR}@k}{\mathrm{ERR}@k(\text{ideal})}$$

    The ideal list holds all judged gains in falling order, so that topics with only weakly relevant documents weigh as
    much as others. The first good document still decides nearly everything. Undefined where nothing has a gain.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051. Chapelle, Metzler,
    Zhang, Grinspan. Expected reciprocal rank for graded relevance. CIKM 2009. doi:10.1145/1645953.1646033

    >>> round(nERR().score("0 1", rels="1 1"), 4)
    0.4
    """

    ties = frozenset()
    cites: ClassVar[tuple[str, ...]] = ("chapelle2009", "amigo2022")

    def value(self, r: Rankings) -> Floats:
        """ERR over ideal ERR."""
        return over_ideal(super().value(r), r.ideal_upto(ideal_satisfaction(r) / r.ideal_rank))
