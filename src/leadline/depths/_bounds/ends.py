r"""nDCGT: nDCG with the end of the list as one more document, of the gain $r_t = (A + x)/(R + x)$, x being all new
gain.

But for $r_t$ it is taken apart like nDCG: the ideal's own end, of gain 1 after all others, depends on the number of
gains alone. With $r_t$ fixed at its largest (smallest) value the ratio is bounded, and exactly so where $r_t$ cannot
vary: where the end is out of sight, or everything known was found.
"""

from __future__ import annotations

import numpy as np

from leadline.depths._bounds.levels import Ratio, levels_of
from leadline.depths._bounds.pools import pool_of
from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, by_blocks
from leadline.measures.discounts import discount
from leadline.rankings.entries import Floats

__all__ = ["end_of_ideal", "loose", "with_bounded_end"]


def loose(p: Problem) -> bool:
    """Whether missing documents could lower the ideal, as they move its end, of gain 1, further down."""
    return p.absent > 0 and bool(p.options.gain[p.options.hit].min() < 1)


def end_of_ideal(p: Problem, count: Floats, cut: Floats, top: bool) -> Floats:
    """What the end adds to an ideal of ``count`` gains; with missing documents before it, the least it can be."""
    least = float(p.options.gain[p.options.hit].min(initial=1.0))
    worst = np.full(count.shape, np.inf)
    added = np.zeros(count.shape)
    for _ in range(p.absent + 1 if top and loose(p) else 1):
        here = np.where(count + 1 <= cut, discount(p.m.discount, count + 1.0), 0.0)
        worst = np.minimum(worst, added + here)
        added, count = added + least * here, count + 1
    return worst


def with_bounded_end(p: Problem) -> Bounds:
    """Exact where the gain of the end is the same for all completions."""
    pool = pool_of(p, False)
    levels = levels_of(p, pool, apart=1)

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        problem = _WithEnd(x, pool, levels)
        upper = np.nan_to_num(problem.solve(top=True))  # plain nDCG without an ideal: 0, where the end is no answer
        lower = np.nan_to_num(problem.solve(top=False, start=upper))
        plain = ~problem.ends & (p.labels.judgments.count(p.labels.gain > 0)[x.topic] == 0) & (p.options.gains[0] == 0)
        fixed = ~problem.seen | (problem.share(True) == problem.share(False)) | (len(levels.steps) == 1)
        return np.where(plain, 0.0, lower), upper, fixed & (not loose(p))

    return by_blocks(p, solve, np.zeros(len(p.lists), bool), spread=2 + len(levels.steps))


class _WithEnd(Ratio):
    """The ratio with an end in the list and in the ideal."""

    def ideal_depth(self) -> Floats:
        """With ``ideal='cut'`` one rank more than the list has."""
        x, p = self.x, self.x.p
        flags = p.lists.track.terminal
        self.ends = np.ones(len(x.index), bool) if flags is None else flags[p.lists.lists[x.index]]
        self.n = x.lengths if p.measure.depth > 0 else np.zeros_like(x.lengths)
        self.seen = self.ends & (p.k > self.n)
        self.end = discount(p.m.discount, (self.n + 1).astype(np.float64))
        cut = self.ends & (p.m.ideal == "cut")
        return np.where(cut, np.minimum(self.n + 1.0, p.k), p.k)

    def share(self, top: bool, new: Floats | None = None) -> Floats:
        """The gain of the end with ``new`` gain in all, the largest (smallest) unless given."""
        x, p = self.x, self.x.p
        gains, listed = p.options.gains, self.n > 0
        if new is None:  # in an empty list all new gain is missed
            new = (x.inside + x.outside) * np.where(listed == top, gains[-1], gains[0])
        known = p.labels.available[x.topic]
        if not top:
            known = known + p.absent * p.options.gain[p.options.hit].max(initial=0.0)
        own = np.sum(x.gain, axis=1)
        if new.ndim == 2:
            known, own, listed = known[:, None], own[:, None], listed[:, None]
        total = known + new
        return np.where(total > 0, np.where(listed, own + new, 0.0) / np.where(total > 0, total, 1), 1.0)

    def _positive(self) -> Floats:
        """Known documents with a gain, and missing ones where they belong to the worst case."""
        x, p = self.x, self.x.p
        known = p.labels.judgments.count(p.labels.gain > 0)[x.topic].astype(np.float64)
        return known + (0 if self.top or loose(p) else p.absent)

    def fixed(self, top: bool) -> tuple[Floats | float, Floats | float]:
        """The end of the list; that of the ideal too if every new document has a gain."""
        self.top = top
        gains = self.x.p.options.gains
        end = np.zeros(len(self.n))
        if len(self.levels.steps) != 1:
            end = np.where(self.seen, self.share(top) * self.end, 0.0)
        if gains[0] == 0 and len(gains) > 1:
            return end, 0.0
        new = self.x.inside + self.x.outside if gains[0] > 0 else 0
        return end, np.where(self.ends, end_of_ideal(self.x.p, self._positive() + new, self.reach, top), 0.0)

    def varying(self, count: Floats, top: bool) -> Floats | float:
        """The end of the list, where the number of new documents decides its gain."""
        gains, everyone = self.x.p.options.gains, (self.x.inside + self.x.outside)[:, None]
        share = self.share(top, gains[0] * everyone + (gains[1] - gains[0]) * count)
        return np.where(self.seen[:, None], share * self.end[:, None], 0.0)

    def depending(self, count: Floats, top: bool) -> Floats | float:
        """The end of the ideal, after all documents with a gain."""
        if self.x.p.options.gains[0] > 0:
            return 0.0
        place = end_of_ideal(self.x.p, self._positive()[:, None] + count, self.reach[:, None], top)
        return np.where(self.ends[:, None], place, 0.0)
