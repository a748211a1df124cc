"""CAM: the weighted mean of a measure over aspects."""

from __future__ import annotations

from leadline.measures.aspects._per_aspect import PerAspectMeasure
from leadline.measures.base import measure


@measure
class CAM(PerAspectMeasure):
    r"""The weighted mean over aspects of another measure (convex aggregating measure).

    $$\mathrm{CAM}(r) = \sum_a p_a\, \mu(r_a), \qquad \sum_a p_a = 1$$

    where $r_a$ is the list labelled by aspect a alone, its labels as numbers (``embedding``; the measure's own gain is
    taken of those), and $p_a$ its importance, equal unless declared. A binary measure counts any but the lowest label
    as relevant, or what ``binary`` says.

    Misleads since no list need reach 1: aspects seldom agree on one best order, so the greatest possible score differs
    from topic to topic (told as a finding, estimated by several ideal rankings). A list that is excellent in one aspect
    and worthless in another scores like a mediocre one.

    References: Lioma, Simonsen, Larsen. Evaluation measures for relevance and credibility in ranked lists. ICTIR 2017.
    doi:10.1145/3121050.3121072. Maistro, Chaves Lima, Simonsen, Lioma. Principled multi-aspect evaluation measures of
    rankings. CIKM 2021. doi:10.1145/3459637.3482287

    >>> import leadline
    >>> qrels = {"q": {"d1": ("mr", "c"), "d2": ("hr", "pc"), "d3": ("hr", "nc")}}
    >>> aspects = "relevance=nr:0,mr:5,fr:10,hr:15 correctness=nc:0,pc:5,c:10"
    >>> track = leadline.read(qrels, {"123": {"q": {"d1": 3, "d2": 2, "d3": 1}}}, aspects=aspects)
    >>> leadline.evaluate(track, "CAM(measure='nDCG')").mean().round(4)
    array([[0.9073]])
    """

    cites = ("lioma2017", "maistro2021")
