"""Checks of topics and grades: missing answers, topics without relevant documents, unused grades, too few topics."""

from __future__ import annotations

import numpy as np

from leadline import stats
from leadline.meta.situation import Check, Limits, Situation, listed, percent, verdict

__all__ = ["few_topics", "missing_topics", "nil_topics", "unused_grades"]

_PAIRS = 5000  # of which the spread of differences is taken


def missing_topics(s: Situation, limits: Limits) -> Check:
    """Topics that runs do not answer."""
    by_run = 1 - s.track.answered.reshape(s.track.shape).mean(axis=1)
    worst = int(by_run.argmax())
    some = [r for r, share in zip(s.track.runs, by_run.tolist(), strict=True) if share > 0]
    text = "Every run answers every topic."
    if some:
        text = (
            f"{len(some)} of {len(s.track.runs)} runs leave topics unanswered: {listed(some)}; {s.track.runs[worst]} "
            f"leaves out {percent(by_run[worst])}. They count as empty lists, so the mean falls. If that is not meant, "
            "check the files, or compare on the topics that all runs answer (--topics common)."
        )
    figure = f"{percent(by_run[worst])} in the worst run"
    return Check("missing-topics", verdict(by_run[worst], limits), by_run[worst], limits[0], figure, text)


def nil_topics(s: Situation, limits: Limits) -> Check:
    """Topics without a relevant document."""
    R = s.track.judgments.count(s.track.judgments.grade >= 1)
    none = [t for t, r in zip(s.track.topics, R.tolist(), strict=True) if r == 0]
    value = len(none) / len(s.track.topics)
    text = "Every topic has a relevant document."
    if none:
        text = (
            f"{len(none)} of {len(s.track.topics)} topics have no relevant document: {listed(none)}. Recall-based "
            "measures are undefined there and count as 0 for every run, which lowers all means. Leave them out "
            "(--undefined nan), or reward runs that return nothing there with a terminal-document measure (RRT, RBPT)."
        )
    severity = "warning" if value > limits[0] else "note" if none else "ok"
    return Check("nil-topics", severity, value, limits[0], f"{len(none)} of {len(s.track.topics)} topics", text)


def unused_grades(s: Situation, limits: Limits) -> Check:
    """Grades of the scale that no judgment has."""
    used = np.unique(s.track.judgments.grade).tolist()
    unused = [g for g in range(1, s.track.gmax + 1) if g not in used]
    text = "Every grade of the scale is used."
    if unused:
        text = (
            f"No judgment has grade {listed(unused)}, of a scale up to {s.track.gmax}. Gains that are scaled by the "
            "top grade (linear, exp) then mean something else than they seem to. Check the scale, or give a table of "
            "gains or gmax=."
        )
    severity = "note" if len(unused) > limits[0] else "ok"
    return Check("unused-grades", severity, len(unused), limits[0], f"{len(unused)}, used are {listed(used, 6)}", text)


def few_topics(s: Situation, limits: Limits) -> Check:
    """Whether there are enough topics to tell systems apart."""
    n = len(s.track.topics)
    text = f"There are {n} topics."
    if len(s.track.runs) > 1 and n > 1:
        m = s.measures[0]
        values = s.scores.array(m)
        values = values[:, ~np.isnan(values).any(axis=0)]
        first, second = (x[:_PAIRS] for x in np.triu_indices(len(s.track.runs), 1))
        if values.shape[1] > 1:
            sd = float(np.median((values[first] - values[second]).std(axis=1, ddof=1)))
            least = float(stats.detectable_effect(values.shape[1])) * sd
            text += f" Differences in {m} below about {least:.2g} are found less than four times in five."
    severity = verdict(n, limits, less_is_worse=True)
    if severity != "ok":
        text += (
            " Report intervals and effect sizes (leadline compare), and do not take a missing significance for "
            "equality; more topics help more than deeper judgments."
        )
    return Check("few-topics", severity, n, limits[0], f"{n} topics", text)
