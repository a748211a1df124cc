"""Can this evaluation be trusted? One page of checks with named thresholds and plain sentences.

Each check says what was found, what it means and what to do about it; the advice follows the guidelines of Lu, Moffat
and Culpepper: depths fixed beforehand and not beyond the pool, a utility-based measure beside a recall-based one, the
tie rule stated, care with runs that did not feed the pool.

References: Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016,
section 5. doi:10.1007/s10791-016-9282-6
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scoring import wanted_measures
from leadline.meta import judgment_checks, order_checks, topic_checks
from leadline.meta.situation import SEVERITIES, Check, Limits, Situation
from leadline.rankings.track import Track

__all__ = ["CHECKS", "MEASURES", "THRESHOLDS", "Diagnosis", "diagnose"]

MEASURES = ("AP", "nDCG@10", "P@10", "RBP(p=0.8)")

# Beyond the first value a check warns; beyond the second it is serious. One value: it only ever warns.
THRESHOLDS: dict[str, tuple[float, ...]] = {
    "unjudged": (0.1, 0.3),  # share of unjudged documents in the worst run's first k
    "outside-pool": (0,),  # runs not judged to the depth of the pool
    "beyond-pool": (1, 5),  # evaluation depth over pool depth
    "pool-rate": (0.1, 0.25),  # share of relevant documents among the last ones judged
    "leave-one-out": (5, 20),  # per cent by which runs change without their own judgments
    "residual": (0.25, 0.5),  # share of pairs of runs that differ by less than unjudged documents could move them
    "ties": (0.1,),  # lower median over runs of the share of topics with ties
    "tie-order": (0, 0.1),  # share of neighbouring runs that another order of ties could exchange
    "missing-topics": (0, 0.1),  # share of topics that the worst run does not answer
    "nil-topics": (0.05,),  # share of topics without a relevant document
    "unused-grades": (0,),  # grades below the top one that no judgment has
    "few-topics": (50, 25),  # topics (fewer are worse)
    "unstable-depth": (0.9, 0.8),  # τ between the orders at half, full and double depth (less is worse)
    "no-utility-measure": (1,),  # utility-based measures beside recall-based ones (fewer are worse)
    "families-disagree": (0.9, 0.7),  # τ between recall-based and utility-based orders (less is worse)
    "oie-full-lists": (0.5, 0.5),  # share of lists that nobody truncated
}


CHECKS: dict[str, Callable[[Situation, Limits], Check]] = {
    "unjudged": judgment_checks.unjudged,
    "outside-pool": judgment_checks.outside_pool,
    "beyond-pool": judgment_checks.beyond_pool,
    "pool-rate": judgment_checks.pool_rate,
    "leave-one-out": judgment_checks.left_out,
    "residual": judgment_checks.residual,
    "ties": order_checks.tied,
    "tie-order": order_checks.tie_order,
    "missing-topics": topic_checks.missing_topics,
    "nil-topics": topic_checks.nil_topics,
    "unused-grades": topic_checks.unused_grades,
    "few-topics": topic_checks.few_topics,
    "unstable-depth": order_checks.unstable_depth,
    "no-utility-measure": order_checks.no_utility,
    "families-disagree": order_checks.families_disagree,
    "oie-full-lists": order_checks.oie_full_lists,
}


class Diagnosis:
    """All checks, the gravest first; what :func:`diagnose` returns."""

    def __init__(self, checks: Iterable[Check], findings: Findings) -> None:
        found = list(checks)
        self.checks = tuple(sorted(found, key=lambda c: -SEVERITIES.index(c.severity)))
        self.findings = findings

    @property
    def severity(self) -> str:
        """The gravest severity found."""
        return self.checks[0].severity if self.checks else "ok"

    def __getitem__(self, check: str) -> Check:
        for c in self.checks:
            if c.check == check:
                return c
        raise UnknownName("check", check, [c.check for c in self.checks])

    def columns(self) -> dict[str, Any]:
        """Columns check, severity, value, threshold, text: the records of ``leadline diagnose``."""
        return {
            name: [getattr(c, name) for c in self.checks]
            for name in ("check", "severity", "value", "threshold", "text")
        }

    def page(self, width: int = 80) -> str:
        """The checks as a page of text, no wider than ``width``; what is in order comes last, a line each."""
        counts = [(s, sum(c.severity == s for c in self.checks)) for s in reversed(SEVERITIES)]
        many = {"warning": "warnings", "note": "notes"}
        out = [", ".join(f"{n} {many.get(s, s) if n > 1 else s}" for s, n in counts if n), ""]
        for c in self.checks:
            mark = c.severity if c.severity == "ok" else c.severity.upper()
            out += wrap(f"{mark:<8} {c.check}: {c.figure}", width, subsequent_indent=" " * 9)
            if c.severity == "ok":
                continue
            whole = c.text.replace(" %", "\u00a0%")  # a number and its sign stay on one line
            lines = wrap(whole, width, initial_indent=" " * 9, subsequent_indent=" " * 9)
            out += [line.replace("\u00a0", " ") for line in lines]
            out.append("")
        return "\n".join(out).rstrip() + "\n"


def diagnose(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure = MEASURES,
    *,
    depth: int = 10,
    thresholds: Mapping[str, float | Sequence[float]] | None = None,
    rel: int | None = None,
) -> Diagnosis:
    """Check whether an evaluation of these runs with these measures can be trusted.

    ``depth`` is where unjudged documents are counted; ``thresholds`` replaces some of :data:`THRESHOLDS`. Ties are
    looked at if the Track was read with ``keep_scores=True`` (the command line does so).

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"y": 3.0, "u": 2.0}}}
    >>> found = diagnose(leadline.read({"q": {"x": 1, "y": 0}}, runs), "AP", depth=2)
    >>> found.severity, found["unjudged"].value, found["unjudged"].severity
    ('serious', 0.5, 'serious')
    """
    if depth < 1:
        raise UsageError(f"depth must be a whole number ≥ 1. Got {depth} instead.")
    limits = {**THRESHOLDS, **_given(thresholds or {})}
    wanted = [m for m in wanted_measures(measures, rel=rel) if m.per_topic]
    if not wanted:
        raise UsageError("diagnose needs a measure that has a score for every topic; c@1 exists for whole runs only.")
    situation = Situation(track, wanted, depth)
    checks = [check(situation, limits[name]) for name, check in CHECKS.items()]
    return Diagnosis(checks, situation.findings)


def _given(thresholds: Mapping[str, float | Sequence[float]]) -> dict[str, tuple[float, ...]]:
    out = {}
    for name, value in thresholds.items():
        if name not in THRESHOLDS:
            raise UnknownName("check", name, THRESHOLDS)
        values = tuple(float(v) for v in value) if isinstance(value, Sequence) else (float(value),)
        out[name] = (*values, *THRESHOLDS[name][len(values) :])
    return out
