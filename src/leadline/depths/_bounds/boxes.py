r"""Ratios to an ideal list that cannot be taken apart: nERR, niRBU, nDCGT.

Let $t_l$ of the unjudged documents get at least the l-th gain. For fixed $t_1 \ge t_2 \ge \dots$ the ideal is fixed,
and the list is best with the high gains at the top of its unjudged places and worst with them at the bottom: by the
rearrangement inequality for DCG, and for a reader who stops when satisfied because the chance to have stopped by rank
i, $1 - \prod_{j \le i} (1 - G_j)$, is then as large (small) as it can be for every i, while the reward falls with the
stopping rank. The list's own part rises with every $t_l$, and so does the ideal; in nDCGT the end of the ideal list
moves down as it grows, so that its term alone is taken from the other corner. Hence over a box $a \le t \le b$ the
ratio is at most list(b)/ideal(a) and at least list(a)/ideal(b). Boxes are halved until no other can win; a list for
which they grow too many keeps the bounds of those left, and is not exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leadline.depths._bounds.ends import end_of_ideal, loose, with_bounded_end
from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, by_blocks, nothing_known
from leadline.depths._bounds.search import Search
from leadline.depths._bounds.stops import Reader, few_numbers
from leadline.measures.discounts import discount
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.view import ratio

__all__ = ["over_ideal", "with_end"]


def over_ideal(p: Problem) -> Bounds:
    """nERR and niRBU. Exact where the search comes to an end, as it does unless many completions score almost alike."""
    gains, judged = p.options.gains, p.labels.gain
    if gains[0] < 0 or judged.min(initial=0.0) < 0 or max(gains[-1], judged.max(initial=0.0)) > 1:
        return nothing_known(p)
    known = p.labels.judgments.count(judged > 0)[p.lists.topic] > 0
    undefined = ~known & ((gains[0] == 0) | (p.lists.unjudged == 0))
    if few_numbers(p):
        return by_blocks(p, lambda x: Reader(x).solved(), undefined)
    return by_blocks(p, _searched, undefined)


def with_end(p: Problem) -> Bounds:
    """nDCGT: with the gain of the end at its extremes and then, where that leaves something open, by search."""
    if p.options.gains[0] < 0 or p.labels.gain.min(initial=0.0) < 0:
        return nothing_known(p)
    found = with_bounded_end(p)
    if found.exact.all():
        return found
    left = np.flatnonzero(~found.exact)
    part = replace(p, lists=p.lists.take(left))
    searched = by_blocks(part, _searched, np.zeros(len(left), bool))
    lower, upper, exact = found.lower.copy(), found.upper.copy(), found.exact.copy()
    lower[left], upper[left] = np.maximum(lower[left], searched.lower), np.minimum(upper[left], searched.upper)
    exact[left] = searched.exact & (not loose(p))
    return replace(found, lower=lower, upper=upper, exact=exact)


def _searched(x: Block) -> tuple[Floats, Floats, Flags]:
    (lower, least), (upper, most) = (_OverIdeal(x, top).run() for top in (False, True))
    # with an ideal of missing documents alone nothing is found
    return lower, np.where(np.isnan(upper), lower, upper), least & most


class _OverIdeal(Search):
    """The search for the highest (lowest) ratio of each list of a block."""

    def __init__(self, x: Block, top: bool) -> None:
        p = x.p
        self.x, self.p = x, p
        self.steps = np.diff(p.options.gains)
        judged = p.labels.gain
        self.tops = np.unique(np.concatenate([p.options.gains[p.options.gains > 0], judged[judged > 0]]))
        self.heights = np.diff(np.concatenate([[0.0], self.tops]))
        counts = [p.labels.judgments.count(judged >= t)[x.topic] for t in self.tops]
        self.known = np.stack(counts or [np.zeros(len(x.index), np.int64)], axis=1)
        self.step_of = np.searchsorted(p.options.gains, self.tops)
        open_ = x.inside + x.outside
        longest = int(min(int(self.known.max(initial=0)) + int(open_.max(initial=0)) + p.absent, p.k))
        super().__init__(len(x.index), open_, len(self.steps), x.width + longest, top)
        # number of each unjudged document in the order in which they are filled; those out of sight come last or first
        self.order = x.open[:, 1:] if top else (open_[:, None] - x.open[:, 1:] + 1)
        flags = p.lists.track.terminal
        self.ends = np.ones(len(x.index), bool) if flags is None else flags[p.lists.lists[x.index]]
        self.n = x.lengths if p.measure.depth > 0 else np.zeros_like(x.lengths)
        self.found = np.sum(x.gain, axis=1)
        if p.m.name != "nDCGT" and p.options.gains[0] == 0 and len(self.steps):
            self.least[:, 0] = np.minimum((self.known[:, 0] + (0 if top else p.absent) == 0), open_)

    def bound(self, rows: Ints, low: Ints, high: Ints) -> tuple[Floats, Ints]:
        """The list at one corner over the ideal at the other; an empty ideal bounds nothing."""
        found = self.sign * (self.value(rows, high, low) if self.top else self.value(rows, low, high))
        return np.where(np.isnan(found), np.inf, found), low if self.top else high

    def score(self, rows: Ints, t: Ints) -> Floats:
        """The ratio; without an ideal nDCGT is plain nDCG, and 0."""
        value = self.sign * self.value(rows, t, t)
        return np.where(np.isnan(value), 0.0 if self.p.m.name == "nDCGT" else -np.inf, value)

    def value(self, rows: Ints, fill: Ints, ideal: Ints) -> Floats:
        """The ratio with ``fill`` documents of the list at each step, and ``ideal`` in the ideal list.

        With fill = ideal it is a score; with opposite corners of a box a bound.
        """
        x, p = self.x, self.p
        gain = x.gain[rows] + p.options.gains[0] * x.unjudged[rows]
        for number, step in enumerate(self.steps):
            gain += step * (x.unjudged[rows] & (self.order[rows] <= fill[:, number, None]))
        best = self._ideal(rows, ideal)
        if p.m.name != "nDCGT":
            return ratio(self._satisfied(gain), self._satisfied(best))
        return self._with_end(rows, gain, best, fill, ideal)

    def _ideal(self, rows: Ints, counts: Ints) -> Floats:
        """Gains of the ideal lists, rank by rank."""
        gains, options = self.p.options.gains, self.p.options
        everyone = self.open[rows]
        reach = np.zeros((len(rows), len(self.tops)))
        for r, (top, s) in enumerate(zip(self.tops, self.step_of, strict=True)):
            new = everyone if s == 0 else counts[:, s - 1] if s < len(gains) else 0
            missing = self.p.absent if not self.top and top <= options.gain[options.hit].max(initial=-1.0) else 0
            reach[:, r] = self.known[rows, r] + new + missing
        width = int(min(reach.max(initial=0.0), self.p.k)) + 1
        best = np.zeros((len(rows), width))
        for r, height in enumerate(self.heights):
            best += height * (np.arange(1, width + 1) <= reach[:, r, None])
        return best

    def _satisfied(self, gain: Floats) -> Floats:
        """What a reader who stops when satisfied expects of some lists, down to the evaluation depth."""
        rank = np.arange(1.0, gain.shape[1] + 1)
        left = np.ones(gain.shape)
        np.cumprod(1 - gain[:, :-1], axis=1, out=left[:, 1:])
        weight = 1 / rank if self.p.m.name == "nERR" else self.p.m.p ** (rank - 1)
        return np.asarray(np.sum(np.where(rank <= self.p.k, gain * left * weight, 0.0), axis=1), np.float64)

    def _with_end(self, rows: Ints, gain: Floats, best: Floats, fill: Ints, ideal: Ints) -> Floats:
        """nDCGT: the end of the list gains the share that was found, and stands after all gains in the ideal."""
        m, k, n = self.p.m, self.p.k, self.n[rows]
        rank = np.arange(1.0, max(gain.shape[1], best.shape[1]) + 1)
        weight = discount(m.discount, rank)
        last = np.minimum(n + 1, k) if m.ideal == "cut" else np.full(len(rows), k)
        cut = np.where(self.ends[rows], last, k)
        total = np.where(rank[: best.shape[1]] <= cut[:, None], best, 0.0) @ weight[: best.shape[1]]
        total += np.where(
            self.ends[rows], end_of_ideal(self.p, self._positive(rows, fill).astype(np.float64), cut, self.top), 0.0
        )
        first = self.p.options.gains[0] * self.open[rows]
        own = np.where(n > 0, self.found[rows] + first + fill @ self.steps, 0.0)
        available = self._available(rows) + first + ideal @ self.steps
        share = np.where(available > 0, np.minimum(own / np.where(available > 0, available, 1), 1.0), 1.0)
        end = np.where(self.ends[rows] & (k > n), share * discount(m.discount, (n + 1).astype(np.float64)), 0.0)
        return ratio(gain @ weight[: gain.shape[1]] + end, total)

    def _positive(self, rows: Ints, counts: Ints) -> Ints:
        """Documents with a gain, known and new."""
        gains = self.p.options.gains
        new = self.open[rows] if gains[0] > 0 else counts[:, 0] if counts.shape[1] else 0
        missing = 0 if self.top or loose(self.p) else self.p.absent
        return np.asarray(self.known[rows, 0] * (len(self.tops) > 0) + new + missing, np.int64)

    def _available(self, rows: Ints) -> Floats:
        options = self.p.options
        missing = 0 if self.top else self.p.absent * options.gain[options.hit].max(initial=0.0)
        return self.p.labels.available[self.x.topic[rows]] + missing
