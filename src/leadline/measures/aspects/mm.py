"""MM: the weighted harmonic mean of a measure over aspects."""

from __future__ import annotations

from leadline.measures.aspects._per_aspect import PerAspectMeasure
from leadline.measures.base import measure


@measure
class MM(PerAspectMeasure):
    r"""The weighted harmonic mean over aspects of another measure (multidimensional measure).

    $$\mathrm{MM}(r) = \frac{\sum_a p_a}{\sum_a p_a / \mu(r_a)}$$

    where $r_a$ is the list labelled by aspect a alone and $p_a$ the aspect's importance. The weakest aspect decides:
    one good aspect cannot make up for a bad one. It has no value where an aspect scores 0, and counts as 0 there, so
    that many lists tie at 0 where good documents are rare in some aspect (told as a finding, as is the greatest score
    within reach, which differs from topic to topic). Some published figures of MM are divided by the number of aspects;
    these are not.

    References: Palotti, Zuccon, Hanbury. MM: a new framework for multidimensional evaluation of search engines. CIKM
    2018. doi:10.1145/3269206.3269261. Maistro, Chaves Lima, Simonsen, Lioma. Principled multi-aspect evaluation
    measures of rankings. CIKM 2021. doi:10.1145/3459637.3482287

    >>> import leadline
    >>> qrels = {"q": {"d1": ("mr", "c"), "d2": ("hr", "pc"), "d3": ("hr", "nc")}}
    >>> aspects = "relevance=nr:0,mr:5,fr:10,hr:15 correctness=nc:0,pc:5,c:10"
    >>> track = leadline.read(qrels, {"123": {"q": {"d1": 3, "d2": 2, "d3": 1}}}, aspects=aspects)
    >>> leadline.evaluate(track, "MM(measure='nDCG')").mean().round(4)
    array([[0.8978]])
    """

    inverse = True
    cites = ("palotti2018", "maistro2021")
