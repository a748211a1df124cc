"""Discounted cumulative gain."""

from __future__ import annotations

from typing import Any, ClassVar

from leadline.errors import UnknownName
from leadline.measures.base import GainMeasure, gain_param, measure, param
from leadline.measures.discounts import DISCOUNTS, discount
from leadline.rankings.view import Floats, Rankings


@measure
class DCG(GainMeasure):
    r"""Discounted cumulative gain: gains, worth less further down.

    $$\mathrm{DCG}@k = \sum_{i=1}^{k} \frac{G(i)}{\log_2(1+i)}$$

    with 'zipf' the discount $1/i$. Not normalised: topics with much to find dominate the mean.

    References: Järvelin, Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 2002.
    doi:10.1145/582415.582418

    >>> DCG().score("3 0 1")
    3.5
    """

    gain: str = gain_param("raw")
    discount: str = param("log2", choices=DISCOUNTS, doc="how fast ranks lose weight")
    ties = frozenset({"share", "mean-gain"})
    rises_only_at_hits = True
    cites: ClassVar[tuple[str, ...]] = ("jarvelin2002",)

    @classmethod
    def understand(cls, given: dict[str, Any]) -> dict[str, Any]:
        """ir_measures' ``dcg=`` names gain and discount at once."""
        return understand_dcg(super().understand(given))

    def value(self, r: Rankings) -> Floats:
        """Discounted gains seen."""
        return r.upto(r.gain * discount(self.discount, r.rank))


def understand_dcg(given: dict[str, Any]) -> dict[str, Any]:
    """``dcg='log2'`` is the raw gain, ``dcg='exp-log2'`` the raw exponential one, both with the log2 discount."""
    if "dcg" not in given:
        return given
    known = {"log2": "raw", "exp-log2": "raw-exp"}
    given = dict(given)
    name = given.pop("dcg")
    if name not in known:
        raise UnknownName("dcg", str(name), known)
    return {"gain": known[name], "discount": "log2"} | given
