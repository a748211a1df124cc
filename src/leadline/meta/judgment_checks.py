"""Checks of what was judged: unjudged documents, the pool, and what they leave open."""

from __future__ import annotations

import numpy as np

from leadline.depths.leave_out import leave_out
from leadline.depths.pools import pool
from leadline.meta.situation import Check, Limits, Situation, listed, percent, short, verdict

__all__ = ["beyond_pool", "left_out", "outside_pool", "pool_rate", "residual", "unjudged"]


def unjudged(s: Situation, limits: Limits) -> Check:
    """Unjudged documents among the first k of each run."""
    track, k = s.track, s.depth
    seen = np.minimum(track.lengths, k)
    judged = track.entries.count_upto(np.array([float(k)]))[:, 0]
    share = np.where(seen > 0, 1 - judged / np.maximum(seen, 1), 0.0).reshape(track.shape)
    by_run = share.sum(axis=1) / np.maximum((seen > 0).reshape(track.shape).sum(axis=1), 1)
    order = np.argsort(-by_run, kind="stable").tolist()
    worst, value = track.runs[order[0]], float(by_run[order[0]])
    above = [track.runs[r] for r in order if by_run[r] > limits[0]]
    severity = verdict(value, limits)
    text = f"All of the first {k} documents of every run are judged."
    if value > 0:
        severity = "note" if severity == "ok" else severity
        text = (
            f"Of the first {k} documents of {worst}, {percent(value)} have no judgment (median run: "
            f"{percent(float(np.median(by_run)))}; above {percent(limits[0])}: {listed(above)}). They count as not "
            "relevant, which favours runs that fed the pool. Report ranges (leadline ranges), have documents judged "
            f"(leadline pool --to-judge), and show Judged@{k} with the scores."
        )
    return Check("unjudged", severity, value, limits[0], f"{percent(value)} of {worst}@{k}", text)


def outside_pool(s: Situation, limits: Limits) -> Check:
    """Runs whose lists are not judged to the depth of the pool."""
    d, runs = s.pool_depth, s.track.runs
    if d is None:
        text = (
            "No two runs are judged to one depth: the judgments were sampled, or come from other systems. Every score "
            "rests on what happened to be judged. Report ranges, and declare --pool-depth and --contributors if they "
            "are known."
        )
        return Check("outside-pool", "warning", len(runs), limits[0], "no pool depth found", text)
    out = [run for run, to in zip(runs, s.judged_to.tolist(), strict=True) if to < min(d, s.longest)]
    text = f"All runs are judged to the depth of the pool, {d}."
    if out:
        known = "declared" if s.track.pool_depth is not None else "found in the runs"
        text = (
            f"{len(out)} of {len(runs)} runs have unjudged documents above the pool depth {d} ({known}): "
            f"{listed(out)}. A run that did not feed the pool finds documents that nobody judged, and may look worse "
            "than it is. "
            "See where its unjudged documents stand (leadline pool --per-run) and what leaving a run out would do."
        )
    severity = verdict(len(out), limits)
    return Check("outside-pool", severity, len(out), limits[0], f"{len(out)} of {len(runs)} runs, pool depth {d}", text)


def beyond_pool(s: Situation, limits: Limits) -> Check:
    """Measures that look deeper than the pool."""
    d = s.pool_depth
    if d is None:
        text = (
            "The depth of the pool is unknown, so that no evaluation depth is known to be safe. Declare --pool-depth."
        )
        return Check("beyond-pool", "note", np.nan, limits[0], "pool depth unknown", text)
    deep = {m: min(m.depth, s.longest) / d for m in s.measures}
    beyond = [m for m in s.measures if deep[m] > 1]
    risky = [m for m in beyond if m in s.recall]
    value = max((deep[m] for m in risky or beyond), default=0.0)
    severity = verdict(value, limits) if risky else "note" if beyond else "ok"
    figure = f"{short(value)} × pool depth {d}" if beyond else f"all within pool depth {d}"
    text = "No measure looks below the pool."
    if beyond:
        text = (
            f"{listed(risky or beyond)} {'looks' if len(risky or beyond) == 1 else 'look'} up to {short(value)} times "
            f"as deep as the pool ({d}). Below it most documents are unjudged, and with recall-based measures that can "
            f"change who wins. Fix a depth within the pool before looking at results (@{d}), or show that the deeper "
            "evaluation agrees with it (leadline depth)."
        )
    return Check("beyond-pool", severity, value, limits[0], figure, text)


def pool_rate(s: Situation, limits: Limits) -> Check:
    """Whether the pool was still finding relevant documents where it ended."""
    last = max(s.pool_depth or s.longest, 2)
    rate = float(np.nan_to_num(pool(s.track, depths=[last // 2, last]).new_rate[-1]))
    severity = verdict(rate, limits)
    text = "The pool had nearly stopped finding relevant documents where it ended."
    if severity != "ok":
        text = (
            f"Of the documents that ranks {last // 2 + 1} to {last} brought into the pool, {percent(rate)} are "
            "relevant. The pool ended before the relevant documents did: R is too low, and with it the divisor of "
            "every recall-based measure. Judge deeper (leadline pool --to-judge), or prefer measures that need no R."
        )
    return Check("pool-rate", severity, rate, limits[0], f"{percent(rate)} relevant at the end, depth {last}", text)


def left_out(s: Situation, limits: Limits) -> Check:
    """How much runs lose without the judgments that they alone brought in."""
    found = leave_out(s.track, s.measures, depth=s.pool_depth)
    changes = {m: abs(found.average(m)[0]) for m in s.measures}
    changes = {m: c for m, c in changes.items() if not np.isnan(c)}
    if not changes:
        return Check("leave-one-out", "ok", np.nan, limits[0], "nothing to lose", "No run has a score to lose.")
    worst = max(changes, key=lambda m: changes[m])
    severity = verdict(changes[worst], limits)
    text = "Runs keep their scores without the judgments that they alone brought in."
    if severity != "ok":
        each = listed((f"{m} {short(c)} %" for m, c in changes.items()), 6)
        text = (
            f"Left out of the pool, runs change by {short(changes[worst])} % of their {worst} and by "
            f"{short(found.average(worst)[1])} places on average ({each}). A new system would fare like them: do not "
            "compare it with contributing runs without showing ranges."
        )
    figure = f"{short(changes[worst])} % of {worst}"
    return Check("leave-one-out", severity, changes[worst], limits[0], figure, text)


def residual(s: Situation, limits: Limits) -> Check:
    """Whether unjudged documents could turn round what was observed."""
    if len(s.track.runs) < 2:
        return Check("residual", "ok", np.nan, limits[0], "only one run", "There is only one run.")
    from leadline.depths.ranges import ranges

    found = ranges(s.track, s.measures)
    first, second = np.triu_indices(len(s.track.runs), 1)
    shares = {}
    for m in s.measures:
        wide = m.aggregate(found.residual(m))
        if np.isfinite(wide).all():  # else nothing is known of the measure's range
            gap = np.abs(s.means(m)[first] - s.means(m)[second])
            shares[m] = float((gap < np.maximum(wide[first], wide[second])).mean())
    if not shares:
        return Check("residual", "note", np.nan, limits[0], "not known", "The ranges of these measures are not known.")
    worst = max(shares, key=lambda m: shares[m])
    severity = verdict(shares[worst], limits)
    text = "Most differences are larger than what unjudged documents could change."
    if severity != "ok":
        each = listed((f"{m} {percent(c)}" for m, c in shares.items()), 6)
        text = (
            f"By {worst}, {percent(shares[worst])} of the pairs of runs differ by less than their unjudged documents "
            f"could move them ({each}). Such differences are not established, whatever a test says. Use the measure "
            "with the smallest residual, a lower depth, or more judgments."
        )
    return Check("residual", severity, shares[worst], limits[0], f"{percent(shares[worst])} of pairs by {worst}", text)
