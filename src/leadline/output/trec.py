"""trec_eval's names and order for ``--format trec``."""

from __future__ import annotations

from typing import Any

from leadline.measures.base import Measure
from leadline.measures.scores import Scores

__all__ = ["trec_columns", "trec_name"]

_PLAIN = {
    "AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "Rprec": "Rprec", "Bpref": "bpref", "infAP": "infAP",
    "SetP": "set_P", "SetR": "set_recall", "SetF(beta=1)": "set_F",
    "NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret",
}  # fmt: skip
_CUT = {"P": "P", "R": "recall", "nDCG": "ndcg_cut", "AP": "map_cut", "Success": "success"}


def trec_name(m: Measure) -> str:
    """The name trec_eval prints for a measure, or our own where it has none.

    >>> from leadline.measures import parse
    >>> [trec_name(parse(n)) for n in ("AP", "nDCG@10", "IPrec@0.1", "RBP(p=0.8)", "AP(rel=2)")]
    ['map', 'ndcg_cut_10', 'iprec_at_recall_0.10', 'RBP(p=0.8)', 'AP(rel=2)']
    """
    if m.name == "IPrec" and m == type(m)(m.k):
        return f"iprec_at_recall_{m.k:.2f}"
    if m.k is None:
        return _PLAIN.get(str(m), str(m))
    family = _CUT.get(m.name)
    return f"{family}_{m.k}" if family and m == type(m)(m.k) else str(m)


def trec_columns(scores: Scores, *, per_topic: bool) -> dict[str, Any]:
    """Columns run, topic, measure, value in trec_eval's order: topic by topic (sorted), then ``all``."""
    run, topic, name, value = [], [], [], []
    means = scores.mean()
    order = sorted(range(len(scores.topics)), key=lambda t: scores.topics[t].encode("utf-8", "surrogateescape"))
    own = [m for m in scores.measures if m.per_topic]
    arrays = [scores.array(m) for m in own]
    for r, run_name in enumerate(scores.runs):
        for t in order if per_topic else ():
            run += [run_name] * len(own)
            topic += [scores.topics[t]] * len(own)
            name += [trec_name(m) for m in own]
            value += [float(a[r, t]) for a in arrays]
        run += [run_name] * len(scores.measures)
        topic += ["all"] * len(scores.measures)
        name += [trec_name(m) for m in scores.measures]
        value += means[r].tolist()
    return {"run": run, "topic": topic, "measure": name, "value": value}
