"""Lowest and highest scores over all labels that unjudged documents could have (DEFINITIONS §6), measure by measure.

Each module holds the measures that one argument covers, with the argument. Whatever they leave open is listed
completion by completion where that is possible; what then remains is an interval that holds all completions, and is
marked as such.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leadline.depths._bounds import blended, boxes, collection, corners, counts, levels, listing, pairs
from leadline.depths._bounds.completed import Lists, score
from leadline.depths._bounds.options import labels_of, options_of, sound
from leadline.depths._bounds.pools import pool_of
from leadline.depths._bounds.problem import Bounds, Problem, nothing_known
from leadline.measures.base import Measure
from leadline.rankings.entries import Ints
from leadline.rankings.labels import Labels
from leadline.rankings.track import Track

__all__ = ["Bounds", "bounds", "counting_undefined", "takes_unjudged_as_zero"]

Solver = Callable[[Problem], Bounds]

SOLVERS: dict[str, Solver] = {
    **dict.fromkeys(
        ("P", "DCG", "RBP", "SDCG", "INSQ", "U", "DCGU", "RBPU", "SetP", "NumRelRet", "RR", "RRi", "Success", "c@1"),
        corners.rising,
    ),
    **dict.fromkeys(("RRT", "RBPT"), corners.ending),
    **dict.fromkeys(("ERR", "iRBU", "RBU", "ERRU", "ERRT", "INST"), corners.stopping),
    **dict.fromkeys(("EU", "ETU", "ED", "ETC"), corners.expected),
    **dict.fromkeys(("NumRet", "Judged", "EC"), corners.constant),
    "BPM": corners.with_goal,
    "NumRel": corners.known_relevant,
    "ESL": corners.search_length,
    **dict.fromkeys(("R", "SetR", "SetF"), counts.recall),
    "Rprec": counts.r_precision,
    "IPrec": counts.interpolated,
    "Bpref": counts.bpref,
    "AP": pairs.average_precision,
    "infAP": pairs.inferred,
    "APT": pairs.terminal_precision,
    "Q": blended.blended_precision,
    **dict.fromkeys(("nDCG", "nRBP"), levels.normalised),
    **dict.fromkeys(("nERR", "niRBU"), boxes.over_ideal),
    "nDCGT": boxes.with_end,
    "AUC": collection.area,
    "Kendall": collection.kendall,
    "Spearman": collection.spearman,
    "OIE": collection.information,
    "Compatibility": collection.compatibility,
}
BY_GAIN_ALONE = frozenset(  # measures that see nothing of a label but its gain
    (
        "P",
        "DCG",
        "RBP",
        "SDCG",
        "INSQ",
        "U",
        "DCGU",
        "RBPU",
        "RBPT",
        "ERR",
        "iRBU",
        "RBU",
        "ERRU",
        "ERRT",
        "INST",
        "BPM",
    )
) | {"nDCG", "nRBP", "nERR", "niRBU", "nDCGT", "EU", "ETU", "ED", "ETC"}
SHARING = {"R": levels.normalised, "nDCG": levels.normalised, "nRBP": levels.normalised}  # where ties are shared
ORDERLY = frozenset(("nERR", "niRBU", "nDCGT", "Kendall", "Spearman"))
WITHIN = dict.fromkeys(("APT", "nERR", "niRBU", "Compatibility"), (0.0, 1.0))  # when nothing better is known


def bounds(m: Measure, track: Track, lists: Ints, missing: int, labels: Labels | None = None) -> Bounds:
    """Lowest and highest score of some lists over all completions that have one.

    A completed document is judged, so that a condensed run has nothing left to drop: ``judged_only`` plays no part.
    """
    if "judged_only" in m.params and m.judged_only:
        m = m.but(judged_only=False)
    p = Problem(m, Lists(track, lists), options_of(m, track), labels or labels_of(m, track), missing)
    if not _known(m):
        return listing.listed(p, nothing_known(p), orderly=False)
    shared = track.ties in ("share", "mean-gain")
    if _settled(p):
        found = _one_completion(p)
    elif shared and not _shares(m):
        found = nothing_known(p)
    else:
        solver = SHARING.get(m.name, SOLVERS[m.name]) if shared else SOLVERS[m.name]
        found = solver(p)
    found = _within(p, found)
    if found.exact.all() or pool_of(p, _looks_at_pool(m)).applies:  # what is in a pool cannot be listed
        return found
    return listing.listed(p, found, orderly=m.name in ORDERLY and not shared)


def _looks_at_pool(m: Measure) -> bool:
    return getattr(m, "norm", "") == "pool" or getattr(m, "ideal", "") == "k"


def takes_unjudged_as_zero(m: Measure) -> bool:
    """Whether an unjudged document counts like one of grade 0, and not as if it were not there."""
    return _known(m) and m.name not in ("Bpref", "infAP", "Judged")


def _known(m: Measure) -> bool:
    """One of ours: a measure of that name from elsewhere may be anything."""
    return m.name in SOLVERS and type(m).__module__.startswith("leadline.")


def _settled(p: Problem) -> bool:
    """Whether every label comes to the same for this measure."""
    if p.measure.name in BY_GAIN_ALONE:
        return len(p.options.gains) == 1
    if "gain" not in p.measure.params and "docs" not in p.measure.params:
        return bool(p.options.hit.all() or not p.options.hit.any())
    return p.options.settled


def _one_completion(p: Problem) -> Bounds:
    """The one score that all labels lead to; only the number of missing documents varies."""
    tried = []
    for count in range(p.absent + 1):
        assert count == 0 or p.options.missed is not None
        added = np.full((len(p.lists), count), p.options.missed or 0)
        tried.append(score(p.measure, p.lists.completed(p.options.low, added)))
    values = np.stack(tried, axis=1)
    none = np.isnan(values)
    lower = np.where(none, np.inf, values).min(axis=1)
    upper = np.where(none, -np.inf, values).max(axis=1)
    empty = none.all(axis=1)
    exact = np.ones(len(values), bool)
    if p.measure.name not in BY_GAIN_ALONE and "gain" in p.measure.params and p.absent:
        exact[:] = False
    return Bounds(np.where(empty, np.nan, lower), np.where(empty, np.nan, upper), exact, np.asarray(none.any(axis=1)))


def _shares(m: Measure) -> bool:
    """Whether its bounds are those of tied documents too: measures scored by their own formula, and ratios of sums."""
    return m.name in SHARING or SOLVERS[m.name] in (corners.rising, corners.stopping, corners.ending)


def _within(p: Problem, found: Bounds) -> Bounds:
    """The interval cut down to where the measure's values always lie."""
    odd = "gain" in p.measure.params and not (p.options.sound and sound(p.labels.gain))
    if p.measure.name not in WITHIN or found.exact.all() or odd:
        return found
    low, high = WITHIN[p.measure.name]
    return replace(
        found,
        lower=np.where(found.exact, found.lower, np.maximum(found.lower, low)),
        upper=np.where(found.exact, found.upper, np.minimum(found.upper, high)),
    )


def counting_undefined(found: Bounds) -> Bounds:
    """The same where an undefined score counts as 0."""
    lower, upper = (np.where(np.isnan(x), 0.0, x) for x in (found.lower, found.upper))
    return replace(
        found,
        lower=np.where(found.undefined, np.minimum(lower, 0.0), lower),
        upper=np.where(found.undefined, np.maximum(upper, 0.0), upper),
    )
