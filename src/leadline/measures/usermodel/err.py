"""Expected reciprocal rank."""

from __future__ import annotations

from typing import ClassVar

from leadline.measures.base import GainMeasure, gain_param, measure
from leadline.rankings.view import Floats, Rankings


@measure
class ERR(GainMeasure):
    r"""Expected reciprocal rank of the document that satisfies the reader.

    $$\mathrm{ERR}@k = \sum_{i=1}^{k} \frac{1}{i}\, G(i) \prod_{j<i} (1 - G(j))$$

    The gain is the chance that a document satisfies; a document below a good one counts little. The ranks past k can
    add at most $1/(k+1)$.

    References: Chapelle, Metzler, Zhang, Grinspan. Expected reciprocal rank for graded relevance. CIKM 2009.
    doi:10.1145/1645953.1646033

    >>> round(ERR().score("1 0 1"), 4)
    0.5833
    """

    gain: str = gain_param("exp")
    ties = frozenset({"mean-gain"})
    rises_only_at_hits = True
    cites: ClassVar[tuple[str, ...]] = ("chapelle2009",)

    def value(self, r: Rankings) -> Floats:
        """Reciprocal ranks weighted by the chance to stop there."""
        return r.upto(r.gain / r.rank * r.survival(1 - r.gain))
