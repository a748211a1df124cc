"""The residual formulas of RBP, ERR and precision: what unjudged and unseen documents could still add."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from leadline.depths._bounds.options import labels_of, options_of
from leadline.measures.base import Measure
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.rankings.view import Labelled, Rankings

__all__ = ["ShortRun", "has_formula", "judged_lists", "residual_at"]

ShortRun = Literal["unknown", "zero"]


def has_formula(m: Measure, track: Track) -> bool:
    """Whether there is a residual formula; it takes an unjudged document as 1, so that no gain may be larger."""
    if m.name not in ("RBP", "ERR", "P") or not type(m).__module__.startswith("leadline."):
        return False
    top = max(float(options_of(m, track).gains[-1]), float(labels_of(m, track).gain.max(initial=0.0)))
    return top <= 1 and track.ties not in ("share", "mean-gain")


def judged_lists(m: Any, labeller: Labeller) -> Labelled:
    """All judged documents of the lists, as the residual formulas look at them."""
    return labeller(rel=m.rel, gain=m.gain, gmax=m.gmax, judged_only=m.judged_only, all_judged=True)


def residual_at(m: Any, lists: Labelled, depths: Ints | None, short_run: ShortRun) -> Floats:
    r"""The residual of each list at the measure's own depth, or at each of several (lists × depths).

    RBP: $p^{\min(k,n)} + (1-p) \sum p^{i-1}$ over the unjudged ranks i ≤ k. ERR: what an unjudged document that
    satisfies for sure would add, and the tail below. P: the share of unjudged documents among k.
    """
    plain = lists.whole(m.depth) if depths is None else lists.at_depths(depths)
    end = _last_known(plain, short_run, m.depth if depths is None else depths)
    if m.name == "RBP":
        known = plain.upto((1 - m.p) * m.p ** (plain.rank - 1))
        with np.errstate(under="ignore"):
            return np.maximum(np.asarray(m.p**end + 1 - m.p**plain.cut - known, np.float64), 0.0)
    if m.name == "P":
        return np.asarray((plain.cut - plain.upto(np.ones_like(plain.rank))) / plain.k, np.float64)
    return _satisfied(plain, end)


def _last_known(r: Rankings, short_run: ShortRun, depth: float | Ints) -> Floats:
    """The rank after which everything is open: the end of what was seen, or the depth where short runs end in zeros."""
    cut = np.asarray(r.cut, np.float64)
    if short_run == "unknown":
        return cut
    nominal = np.asarray(depth, np.float64)
    return np.broadcast_to(nominal, cut.shape).astype(np.float64)


def _satisfied(r: Rankings, end: Floats) -> Floats:
    """ERR: the first unjudged document (or the first rank after the end) would satisfy every reader who comes there.

    So the optimistic list is the known one down to there, and then nothing.
    """
    entries = r.lists.entries
    place = np.arange(len(r.rank)) - entries.offsets[entries.list] + 1
    leading = np.bincount(entries.list, r.rank == place, minlength=entries.lists)
    chance = r.survival(1 - r.gain)
    value = r.gain / r.rank * chance
    score = r.upto(value)
    first = r.spread(leading)
    inside = first < r.cut
    known = r.upto(value * (r.rank <= r.of_list(leading)))
    left = r.product_upto(np.where(r.rank <= r.of_list(leading), 1 - r.gain, 1.0))
    return np.asarray(known + left / (np.where(inside, first, end) + 1) - score, np.float64)
