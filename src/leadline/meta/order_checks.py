"""Checks of what orders the systems: ties, the evaluation depth, the family of the measure, lists nobody truncated."""

from __future__ import annotations

import numpy as np

from leadline import stats
from leadline.depths.curves import curve
from leadline.depths.tie_effects import share_tied
from leadline.depths.tie_orders import spread
from leadline.measures.base import Measure
from leadline.meta.situation import Check, Limits, Situation, listed, percent, verdict

__all__ = ["families_disagree", "no_utility", "oie_full_lists", "tie_order", "tied", "unstable_depth"]

_DIGITS = 10  # means that agree to this many decimals are tied


def tied(s: Situation, limits: Limits) -> Check:
    """How often scores are tied."""
    if s.track.scores is None:
        text = "The scores were not kept, so that ties were not looked for. Read the track with keep_scores=True."
        return Check("ties", "note", np.nan, limits[0], "not looked at", text)
    share = share_tied(s.track)
    value = float(np.sort(share)[(len(share) - 1) // 2])
    worst = int(share.argmax())
    severity = verdict(value, limits)
    text = "No run has equal scores among its first 20 documents."
    if share[worst] > 0:
        severity = "note" if severity == "ok" else severity
        text = (
            f"The median run has equal scores among its first 20 documents on {percent(value)} of the topics, "
            f"{s.track.runs[worst]} on {percent(share[worst])}. The tie rule ({s.track.ties}) orders them, not the "
            "system. Say which rule was used, keep to the order of the run files if you can (--ties run), and compare "
            "the rules (leadline ties)."
        )
    return Check("ties", severity, value, limits[0], f"{percent(value)} of topics in the median run", text)


def tie_order(s: Situation, limits: Limits) -> Check:
    """Whether another order of tied documents could exchange runs that stand next to each other."""
    shares: dict[Measure, float] = {}
    if s.track.scores is not None and s.track.ties in ("trec", "trec32", "run") and len(s.track.runs) > 1:
        found = spread(s.track, s.measures)
        for m in found.measures:
            means = s.means(m)
            order = np.argsort(-means, kind="stable")
            sign = 1.0 if m.higher_is_better else -1.0
            worst, best = (sign * m.aggregate(x(m))[order] for x in (found.worst, found.best))
            apart = means[order][:-1] > means[order][1:]
            shares[m] = float((apart & (best[1:] > worst[:-1])).mean())
    if not shares:
        return Check("tie-order", "ok", np.nan, limits[0], "not looked at", "Orders of ties were not looked at.")
    m = max(shares, key=lambda m: shares[m])
    severity = verdict(shares[m], limits)
    text = "No order of tied documents could exchange two runs."
    if severity != "ok":
        text = (
            f"By {m}, {percent(shares[m])} of the runs that stand next to each other could change places under another "
            "order of their tied documents. Read nothing into such a difference, state the tie rule, and ask for runs "
            "with distinct scores (leadline ties --table spread)."
        )
    return Check("tie-order", severity, shares[m], limits[0], f"{percent(shares[m])} of neighbours by {m}", text)


def unstable_depth(s: Situation, limits: Limits) -> Check:
    """Whether the order of systems holds at half and at double the depth."""
    lowest: dict[Measure, tuple[float, int]] = {}
    for m in s.measures if len(s.track.runs) > 1 else []:
        if m.cutoff in ("none", "recall"):
            continue
        k = max(int(min(m.depth, s.longest)), 1)
        depths = sorted({max(k // 2, 1), k, max(min(2 * k, s.longest), 1)})
        means = curve(s.track, m, by="depth", depths=depths).mean(m).T
        taus = stats.tau_matrix(means, means[depths.index(k)][None], decimals=_DIGITS)[:, 0]
        if not np.isnan(taus).all():
            lowest[m] = (float(np.nanmin(taus)), depths[int(np.nanargmin(taus))])
    if not lowest:
        return Check("unstable-depth", "ok", np.nan, limits[0], "nothing to compare", "There is nothing to compare.")
    m = min(lowest, key=lambda m: lowest[m][0])
    tau, k = lowest[m]
    severity = verdict(tau, limits, less_is_worse=True)
    text = "The order of systems is nearly the same at half and at double the depth."
    if severity != "ok":
        each = listed((f"{m} {t:.2f}" for m, (t, _) in lowest.items()), 6)
        text = (
            f"Looked at to depth {k}, {m} orders the systems differently: τ = {tau:.2f} (lowest τ at half or double "
            f"depth: {each}). The result depends on the depth. Fix it before the experiment, keep to it, and look at "
            "all depths (leadline depth --volatility)."
        )
    return Check("unstable-depth", severity, tau, limits[0], f"τ = {tau:.2f} for {m}", text)


def no_utility(s: Situation, limits: Limits) -> Check:
    """Recall-based measures without a utility-based one beside them."""
    count = len(s.utility)
    short = bool(s.recall) and count < limits[0]
    text = "A utility-based measure stands beside the recall-based ones." if s.recall else "No measure needs R."
    if short:
        text = (
            f"All measures are recall-based ({listed(s.recall)}): they need the number of relevant documents, which "
            "pooling only estimates. Show a utility-based measure beside them, such as RBP(p=0.8) or P@10, whose "
            "uncertainty is known."
        )
    figure = f"{count} utility-based, {len(s.recall)} recall-based"
    return Check("no-utility-measure", "warning" if short else "ok", count, limits[0], figure, text)


def families_disagree(s: Situation, limits: Limits) -> Check:
    """Whether recall-based and utility-based measures order the systems alike."""
    pairs = [(a, b) for a in s.recall for b in s.utility] if len(s.track.runs) > 1 else []
    taus = np.array([stats.tau_b(s.means(a), s.means(b), decimals=_DIGITS) for a, b in pairs])
    if np.isnan(taus).all():
        return Check("families-disagree", "ok", np.nan, limits[0], "nothing to compare", "There is nothing to compare.")
    (a, b), tau = pairs[int(np.nanargmin(taus))], float(np.nanmin(taus))
    severity = verdict(tau, limits, less_is_worse=True)
    text = "Recall-based and utility-based measures order the systems alike."
    if severity != "ok":
        text = (
            f"{a} (recall-based) and {b} (utility-based) order the systems differently: τ = {tau:.2f}. Either they ask "
            "different questions, which a report should say, or the judgments are too thin for the recall-based one. "
            "Give both, and rest no conclusion on one of them."
        )
    return Check("families-disagree", severity, tau, limits[0], f"τ = {tau:.2f}, {a} and {b}", text)


def oie_full_lists(s: Situation, limits: Limits) -> Check:
    """OIE on lists that nobody truncated."""
    used = [m for m in s.measures if m.name == "OIE"]
    if not used:
        return Check("oie-full-lists", "ok", np.nan, limits[0], "OIE not used", "OIE is not among the measures.")
    doubts = [f for m in used for f in m.doubts(s.track) if f.code == "oie-full-lists"]
    share = max((f.count / len(s.track.lengths) for f in doubts), default=0.0)
    severity = verdict(share, limits)
    text = "Lists end at different lengths, as OIE wants it."
    if severity != "ok":
        text = (
            f"{percent(share)} of the lists are as long as the longest: nobody truncated them, and OIE falls with "
            "every further document. Use it for lists that end by the system's choice; otherwise take a measure "
            "without a price for length."
        )
    return Check("oie-full-lists", severity, share, limits[0], f"{percent(share)} of lists", text)
