r"""Measures that can only rise with every gain: the worst case is the lowest label everywhere, the best the highest.

- *Sums of gains under fixed weights* (P, DCG, RBP, SDCG, INSQ, U, DCGU, RBPU, SetP, NumRelRet) rise with each gain,
  since no weight is negative; effort is the same for all labels. RR, RRi, Success and c@1 look for the first hits:
  one more hit can only bring them forward.
- *A reader who stops when satisfied* (ERR, iRBU, RBU, ERRU) stops by rank i with chance $1 - \prod_{j \le i}(1 -
  G_j)$, which rises with every gain in [0, 1]; the reward 1/i or $p^{i-1}$ falls with the stopping rank, so its
  expectation rises.
- *INST*: let z be the documents that a reader at rank i expects to see below it. A gain higher by δ adds Vδ to what
  is gained and lowers all later chances to go on, so that z falls; it falls by at most δ, hence by no more than is
  gained, and gain per document rises. For: with y = i + a − 1 and $C = (y/(y+1))^2$, $z_i = C\,(1 + z_{i+1})$; if
  $z_{i+1}' \le 1$ then, a not rising along the list, $z_{i+1} \le (y+1)^2 \psi_1(y+2) \le y + \tfrac12 +
  \tfrac1{6(y+1)}$, and $z_i' \le \frac{2y(1 + z_{i+1})}{(y+1)^3} + \frac{y^2}{(y+1)^2} \le 1 - \frac{1 -
  y/(3y+3)}{(y+1)^3} < 1$.
- *The end of the list as a document* (RRT, RBPT, ERRT): its gain (A + x)/(R + x) rises with new gains x, as A ≤ R;
  missing relevant documents lower it, so all of them belong to the worst case. (Without any gain it is 1, as it is
  with x alone.)
- *BPM* stops at a total gain T: with gains of one size the total at the stop is the same wherever it is reached, so
  that reaching it earlier is better.
- *Expectations of a reader*: EU is that reader's measure, ETU a sum under fixed weights if the reader does not adapt;
  ED and ETC fall with every gain, since no reader goes on more readily for having gained.
- *Counts* that no label changes (NumRet, Judged, EC), and NumRel.
"""

from __future__ import annotations

import numpy as np

from leadline.depths._bounds.completed import Lists, ragged, score
from leadline.depths._bounds.options import sound
from leadline.depths._bounds.problem import Bounds, Problem, nothing_known
from leadline.rankings.entries import Floats

__all__ = ["constant", "ending", "expected", "known_relevant", "rising", "search_length", "stopping", "with_goal"]

_FIXED = ("RBP", "INSQ", "SDCG")  # readers whose chance to go on does not depend on what they found


def rising(p: Problem) -> Bounds:
    """Lowest labels everywhere (and all missing documents), highest labels everywhere."""
    low, high = p.options.low, p.options.high
    if p.measure.depth == 0:  # all documents are out of sight: what they gain can only be missed
        low, high = high, low
    return _exactly(completed_score(p, low, p.absent), completed_score(p, high, 0))


def ending(p: Problem) -> Bounds:
    """As :func:`rising`, for the end as a document, whose gain is a share if no gain is negative."""
    negative = p.options.gains[0] < 0 or p.labels.gain.min(initial=0.0) < 0
    return nothing_known(p) if negative else rising(p)


def stopping(p: Problem) -> Bounds:
    """As :func:`rising`, where gains are chances."""
    return rising(p) if p.options.sound and sound(p.labels.gain) else nothing_known(p)


def with_goal(p: Problem) -> Bounds:
    """BPM: exact if all gains are of one size; else gain per document lies between 0 and the largest gain."""
    sizes = np.unique(np.concatenate([p.options.gains, p.labels.gain]))
    if len(sizes[sizes != 0]) <= 1 and (sizes >= 0).all():
        return rising(p)
    if sizes[0] < 0:
        return nothing_known(p)
    n = len(p.lists)
    return Bounds(np.zeros(n), np.full(n, float(sizes[-1])), np.zeros(n, bool), np.zeros(n, bool))


def expected(p: Problem) -> Bounds:
    """EU, ETU, ED and ETC of another measure's reader."""
    name, inner = p.m.name, p.m.inner
    if name == "EU":
        return {"INST": stopping, "BPM": with_goal}.get(inner.name, rising)(p)
    if name == "ETU":
        return rising(p) if inner.name in _FIXED else nothing_known(p)
    if inner.name not in (*_FIXED, "INST", "BPM") or (name == "ETC" and getattr(inner, "pad", None) is not None):
        return nothing_known(p)
    found = rising(p)
    return Bounds(found.upper, found.lower, found.exact, found.undefined)


def constant(p: Problem) -> Bounds:
    """What no label changes."""
    value = completed_score(p, p.options.low, 0)
    return _exactly(value, value)


def known_relevant(p: Problem) -> Bounds:
    """NumRel counts every new relevant document, missing ones too."""
    return _exactly(completed_score(p, p.options.low, 0), completed_score(p, p.options.high, p.absent, deep=True))


def search_length(p: Problem) -> Bounds:
    """ESL falls with every hit; where the known hits are too few, the largest rank takes the missing ones from the end.

    That rank is the last one of any document that can be relevant, so nothing is worse; fewer hits leave it undefined.
    """
    seen = p.lists.take(np.arange(len(p.lists)), p.measure.depth)
    lower = completed_score(p, p.options.high, 0)
    hits = np.bincount(seen.entries.list, p.labels.hit[seen.entries.row], minlength=len(seen)).astype(np.int64)
    needed = np.maximum(p.m.i - hits, 0)
    from_end = seen.unjudged[seen.slot_list] - ragged(seen.unjudged)[0]
    labels = np.where(from_end <= needed[seen.slot_list], p.options.high, p.options.low)
    upper = score(p.measure, seen.completed(labels))
    return Bounds(lower, upper, np.ones(len(seen), bool), hits < p.m.i)


def completed_score(p: Problem, label: int, missing: int, *, deep: bool = False) -> Floats:
    """The measure with one label for all unjudged documents; those below the evaluation depth do not count."""
    shared = p.lists.track.ties in ("share", "mean-gain")  # then a block of ties may reach below the depth
    depth = np.inf if deep or shared or p.measure.depth == 0 else p.measure.depth
    lists = Lists(p.lists.track, p.lists.lists, depth) if depth < np.inf else p.lists
    added = None
    if missing:
        assert p.options.missed is not None
        added = np.full((len(lists), missing), p.options.missed)
    return score(p.measure, lists.completed(label, added))


def _exactly(lower: Floats, upper: Floats) -> Bounds:
    return Bounds(lower, upper, np.ones(len(lower), bool), np.isnan(lower))
