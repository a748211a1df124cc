"""What tie-breaking decides: how often scores are tied, what each tie rule makes of it, and what no rule can exceed.

The same run has another order, and so another score, under each rule for documents of equal score. Nobody says which
rule was used, and trec_eval's own (document ids, backwards) has nothing to do with the system.

References: Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016,
Table 6. doi:10.1007/s10791-016-9282-6. Cabanac, Hubert, Boughanem, Chrisment. Tie-breaking bias: effect of an
uncontrolled parameter on information retrieval evaluation. CLEF 2010. doi:10.1007/978-3-642-15998-5_13
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from leadline import stats
from leadline.depths.leave_out import competition_ranks
from leadline.depths.rereading import reread
from leadline.depths.tie_orders import Spread, spread
from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Undefined, score_track, wanted_measures
from leadline.rankings.entries import Floats
from leadline.rankings.track import Track

__all__ = ["RULES", "Ties", "share_tied", "ties"]

RULES = ("trec", "trec32", "run", "file", "share", "mean-gain")  # `rank` needs a column that not every run has
_SHARING = ("share", "mean-gain")
_DIGITS = 10  # means that agree to this many decimals are tied
_TOP = 20


class Ties:
    """Shares of tied topics, scores under each rule, and the spread; what :func:`ties` returns.

    ``share_tied`` (runs) is the share of topics with two equal scores among the first ``top`` documents.
    """

    def __init__(
        self, runs: Sequence[str], share: Floats, means: Mapping[str, Mapping[Measure, Floats]],
        measures: Sequence[Measure], spread: Spread, top: int, findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.measures = tuple(runs), tuple(measures)
        self.share_tied = share
        self.spread = spread
        self.top = top
        self.findings = findings
        self._means = {rule: dict(by) for rule, by in means.items()}

    @property
    def rules(self) -> tuple[str, ...]:
        """The tie rules compared."""
        return tuple(self._means)

    @property
    def median_share(self) -> float:
        """The lower median of the shares over runs."""
        return float(np.sort(self.share_tied)[(len(self.runs) - 1) // 2])

    def mean(self, rule: str, measure: str | Measure) -> Floats:
        """Mean score of each run under a rule; an error if the measure cannot be computed under it."""
        if rule not in self._means:
            raise UnknownName("tie rule in this result", rule, self._means)
        wanted = parse(measure)
        if wanted not in self._means[rule]:
            raise UnknownName(f"measure under ties={rule!r}", str(wanted), map(str, self._means[rule]))
        return self._means[rule][wanted]

    def tau(self, rule_a: str, rule_b: str, measure: str | Measure) -> float:
        """Kendall's τ-b between the systems' mean scores under two rules; NaN if one puts all of them level."""
        return stats.tau_b(self.mean(rule_a, measure), self.mean(rule_b, measure), decimals=_DIGITS)

    def columns(self) -> dict[str, Any]:
        """Columns run, share_tied: the first kind of records of ``leadline ties``; run ``all`` has the lower median."""
        return {"run": [*self.runs, "all"], "share_tied": [*self.share_tied.tolist(), self.median_share]}

    def orders(self) -> dict[str, Any]:
        """Columns rule_a, rule_b, measure, tau: the second kind of records of ``leadline ties``."""
        out: dict[str, list[Any]] = {name: [] for name in ("rule_a", "rule_b", "measure", "tau")}
        for a, b in combinations(self._means, 2):
            for m in self.measures:
                if m in self._means[a] and m in self._means[b]:
                    out["rule_a"].append(a)
                    out["rule_b"].append(b)
                    out["measure"].append(str(m))
                    out["tau"].append(self.tau(a, b, m))
        return out

    def scores(self) -> dict[str, Any]:
        """Columns run, rule, measure, value, rank: the score and place of every run under every rule."""
        out: dict[str, list[Any]] = {name: [] for name in ("run", "rule", "measure", "value", "rank")}
        for rule, by in self._means.items():
            for m, means in by.items():
                out["run"] += self.runs
                out["rule"] += [rule] * len(self.runs)
                out["measure"] += [str(m)] * len(self.runs)
                out["value"] += means.tolist()
                out["rank"] += competition_ranks(means if m.higher_is_better else -means).tolist()
        return out


def ties(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure = ("AP", "nDCG@10", "RBP(p=0.8)"),
    *,
    rules: Iterable[str] = RULES,
    top: int = _TOP,
    runs: Any = None,
    undefined: Undefined = "zero",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    rel: int | None = None,
) -> Ties:
    """How often scores are tied, and what the order of systems owes to the rule that breaks ties.

    Rules other than the Track's own need its files, which are read once more; ``runs`` are needed in their place if it
    was not read from files. A measure that has no meaning under ``share`` or ``mean-gain`` is left out there, with a
    finding.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 1.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "x": 1.0}}}
    >>> found = ties(leadline.read({"q": {"x": 1}}, runs), "RR", rules=["trec", "run"], runs=runs)
    >>> found.share_tied.tolist(), found.mean("trec", "RR").tolist(), found.mean("run", "RR").tolist()
    ([1.0, 0.0], [0.5, 0.5], [1.0, 0.5])
    """
    from leadline.io.read import TIES

    wanted = wanted_measures(measures, unjudged=unjudged, rel=rel)
    asked = list(dict.fromkeys(rules))
    for rule in asked:
        if rule not in TIES:
            raise UnknownName("tie rule", rule, TIES)
    if top < 1:
        raise UsageError(f"top must be a whole number ≥ 1. Got {top} instead.")
    findings = Findings(track.findings)
    readings = _Readings(track, runs)
    means: dict[str, dict[Measure, Floats]] = {}
    for rule in asked:
        fitting = [m for m in wanted if rule not in _SHARING or rule in m.ties]
        unfit = [m for m in wanted if m not in fitting]
        findings.add(f"tie-rule-not-defined {rule}", len(unfit), unfit, "no such score exists")
        scored = score_track(readings(rule), fitting, undefined=undefined) if fitting else None
        means[rule] = {m: scored.mean(m) for m in fitting} if scored is not None else {}
    by_score = readings(track.ties if track.ties not in ("file", "rank") else "trec")
    found = spread(by_score._with(ties="trec"), wanted, undefined=undefined)
    findings.extend(found.findings)
    return Ties(track.runs, share_tied(by_score, top), means, wanted, found, top, findings)


class _Readings:
    """The Track under each tie rule, read once for each native order."""

    def __init__(self, track: Track, runs: Any) -> None:
        self._track, self._runs = track, runs
        self._known: dict[str, Track] = {}
        if track.scores is not None:
            self._known[track.ties if track.ties not in _SHARING else "trec"] = track

    def __call__(self, rule: str) -> Track:
        """The Track with scores, ordered and scored by ``rule``."""
        order = "trec" if rule in _SHARING else rule
        if order not in self._known:
            self._known[order] = reread(self._track, ties=order, runs=self._runs)
        return self._known[order]._with(ties=rule)


def share_tied(track: Track, top: int = _TOP) -> Floats:
    """Share of topics, for each run, on which two of the first ``top`` documents have the same score.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 1.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "x": 1.0}}}
    >>> share_tied(leadline.read({"q": {"x": 1}}, runs, keep_scores=True)).tolist()
    [1.0, 0.0]
    """
    if track.scores is None:
        raise UsageError("The scores of the runs were not kept; read the track with keep_scores=True.")
    count = np.minimum(track.lengths, top)
    starts = np.concatenate([[0], np.cumsum(count)])
    at = np.arange(starts[-1]) + np.repeat(track.score_offsets[:-1] - starts[:-1], count)
    list_ = np.repeat(np.arange(len(count)), count)
    scores = track.scores[at]
    order = np.lexsort((scores, list_))  # a file's own order need not be that of its scores
    same = (list_[order][1:] == list_[order][:-1]) & (scores[order][1:] == scores[order][:-1])
    tied = np.bincount(list_[order][1:][same], minlength=len(count)) > 0
    return np.asarray(tied.reshape(track.shape).mean(axis=1), np.float64)
