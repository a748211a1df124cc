"""Measures of counts: recall, R-precision, interpolated precision, Bpref, search length."""

from __future__ import annotations

import numpy as np

from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, before, by_blocks
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.view import ratio

__all__ = ["bpref", "interpolated", "r_precision", "recall"]


def recall(p: Problem) -> Bounds:
    """R@k, SetR and SetF: with j new hits seen and x others, (A + j)/(R + j + x) and its like.

    They rise with j, since A ≤ R, and fall with x: all seen and no other, or none seen and all others.
    """
    weight = float(p.m.beta) ** 2 if p.m.name == "SetF" else None

    def value(x: Block, found: Floats, R: Floats) -> Floats:
        if weight is None:
            return ratio(found, R)
        n = x.cut.astype(np.float64)
        return np.where(R > 0, np.nan_to_num(ratio((1 + weight) * found, n + weight * R)), np.nan)

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        A = x.hits[:, -1]
        others = (x.outside + p.absent).astype(np.float64)
        lower = value(x, A, x.R + others)
        # nothing relevant is known and nothing can be out of sight: one hit is the least that makes it defined
        one = np.minimum(x.inside, 1)
        lower = np.where(x.R + others > 0, lower, value(x, A + one, x.R + one))
        upper = value(x, A + x.inside, x.R + x.inside)
        return lower, np.where(np.isnan(upper) & (others > 0), 0.0, upper), np.ones(len(A), bool)

    return by_blocks(p, solve, p.R == 0)


def r_precision(p: Problem) -> Bounds:
    """Rprec: for R + s relevant documents in all, the count among the first R + s grows with every hit moved up or in.

    So for each s: as many new hits as possible in the topmost places, or as few as possible in the lowest ones. More
    relevant documents can raise it, since R + s looks deeper; hence all s are tried, missing documents included.
    """

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        spare = (x.outside + p.absent)[:, None]
        most = int((x.inside[:, None] + spare).max(initial=0))
        s = np.arange(most + 1)[None, :]
        R = x.R[:, None] + s
        depth = np.minimum(R, x.cut[:, None]).astype(np.int64)
        known, open_ = at_columns(x.hits, depth), at_columns(x.open, depth)
        possible = (s <= x.inside[:, None] + spare) & (R > 0)
        high = np.minimum(np.minimum(s, x.inside[:, None]), open_)
        new = np.maximum(s - spare, 0)
        low = np.maximum(new - (x.total_open - open_), 0)
        scores = [np.where(possible, (known + c) / np.maximum(R, 1), np.nan) for c in (low, high)]
        return _min(scores[0]), _max(scores[1]), np.ones(len(x.index), bool)

    return by_blocks(p, solve, p.R == 0, spread=2)


def at_columns(values: Floats, columns: Ints) -> Floats:
    """Several columns of each row."""
    return np.take_along_axis(values, columns, axis=1)


def _max(values: Floats) -> Floats:
    best = np.where(np.isnan(values), -np.inf, values).max(axis=1)
    return np.where(np.isinf(best), np.nan, best)


def _min(values: Floats) -> Floats:
    return -_max(-values)


def interpolated(p: Problem) -> Bounds:
    """IPrec@r: with R fixed, more hits above every rank make more ranks count and each of them better.

    Best case, rank by rank: with all s unjudged documents down to rank i relevant, and no other, precision there is
    highest, and the rank counts if any choice makes it count, since one more hit raises the number needed, ⌊r R + 0.9⌋,
    by at most one (the step r is at most 1, and rounding is monotone).
    Worst case, for each j: the lowest j; among the j that need the same number of hits the smallest.
    """

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        level = float(p.m.k)
        found = x.hits[:, 1:] + x.open[:, 1:]
        there = x.rank <= x.cut[:, None]
        R = x.R[:, None] + x.open[:, 1:]
        counts = (found >= np.floor(level * R + 0.9)) & there & (R > 0)
        upper = np.where(counts, found / x.rank, 0.0).max(axis=1, initial=0.0)
        upper = np.where(x.R + x.inside + p.absent > 0, upper, np.nan)
        return _lowest_interpolated(x, level), upper, np.ones(len(x.index), bool)

    return by_blocks(p, solve, p.R == 0)


def _lowest_interpolated(x: Block, level: float) -> Floats:
    """Least over j; a list is done when the precision at its end alone is no better than the least so far."""
    absent = x.p.absent
    best = np.full(len(x.index), np.inf)
    j = np.arange(int(x.inside.max(initial=0)) + 1)
    needed = np.floor(level * (x.R[:, None] + j + absent) + 0.9)
    first = np.ones(needed.shape, bool)
    first[:, 1:] = needed[:, 1:] != needed[:, :-1]
    first &= j <= x.inside[:, None]
    if absent == 0:  # without a relevant document there is no score: the least one is worst then
        none = (x.R == 0) & first[:, 0]
        first[none, 0] = False
        first[none, 1:2] = (x.inside >= 1)[none, None]
    ends = np.maximum(x.cut, 1)
    for number in np.flatnonzero(first.any(axis=0)):
        reached = x.hits[:, -1] + number >= needed[:, number]
        at_end = np.where(reached, (x.hits[:, -1] + number) / ends, 0.0)
        going = np.flatnonzero(first[:, number] & (at_end < best))
        if not len(going):
            continue
        new = np.maximum(x.open[going, 1:] - (x.inside[going, None] - number), 0)
        found = x.hits[going, 1:] + new
        there = (found >= needed[going, number, None]) & (x.rank <= x.cut[going, None])
        value = np.where(there, found / x.rank, 0.0).max(axis=1, initial=0.0)
        best[going] = np.minimum(best[going], value)
    return np.where(np.isinf(best), np.nan, best)


def bpref(p: Problem) -> Bounds:
    """Bpref of a completion, in which every document of the list is judged: R + j relevant, N + U − j not.

    With j fixed, making a document at u relevant instead of one at v > u takes a non-relevant document away from
    above all hits between and leaves fewer above the hit itself, so every term rises: topmost j, lowest j. Missing
    relevant documents change R alone; since that may raise or lower the score, every number of them is tried. The
    sums over min(n_r, R) come from running sums, as n_r does not fall along the list.
    """

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        rows = x.of_rows(~p.labels.hit & (p.labels.judgments.grade >= 0))
        sums = _Ahead(x, rows)
        N = p.labels.nonrelevant[x.topic].astype(np.float64)[:, None]
        U = (x.inside + x.outside).astype(np.float64)[:, None]
        ends = np.full((len(x.index), int(x.outside.max(initial=0))), x.width)
        later = np.minimum(np.arange(1, ends.shape[1] + 1), x.outside[:, None])
        columns = np.broadcast_to(np.arange(x.width + 1), (len(x.index), x.width + 1))
        found = []
        for top in (False, True):
            u = np.concatenate([columns, ends], axis=1)
            if top:  # down to rank u, then those below the cut
                j = np.concatenate([x.open, x.total_open + later], axis=1)
            else:  # those below the cut, then up from the end of what is seen
                j = np.concatenate([x.total_open - x.open + x.outside[:, None], np.maximum(later - 1.0, 0)], axis=1)
            values = [sums.score(u, j, top, x.R[:, None] + j + more, N + U - j) for more in range(p.absent + 1)]
            found.append(np.stack([_max(v) if top else _min(v) for v in values], axis=1))
        return _min(found[0]), _max(found[1]), np.ones(len(x.index), bool)

    return by_blocks(p, solve, p.R == 0, spread=3)


class _Ahead:
    """Sums of min(n, R) over hits, n being the non-relevant documents above each."""

    def __init__(self, x: Block, nonrelevant: Floats) -> None:
        self.x = x
        judged = before(nonrelevant)
        either = judged + x.open  # if no unjudged document is relevant
        filled = x.hit + x.unjudged
        self.filled, self.filled_sum = before(filled), before(filled * judged[:, 1:])
        self.hits, self.hits_sum = x.hits, before(x.hit * either[:, 1:])
        self.judged_end = _last_with(nonrelevant)
        self.either_end = _last_with(nonrelevant + x.unjudged)

    def score(self, u: Ints, j: Floats, top: bool, R: Floats, N: Floats) -> Floats:
        """Bpref with the unjudged documents down to (below) rank u relevant."""
        x = self.x
        opened = at_columns(x.open, u)
        last = np.full_like(u, x.width)
        start = np.zeros_like(u)
        if top:
            lost = self._sum(self.filled, self.filled_sum, self.judged_end, start, u, R, np.zeros_like(R))
            lost += self._sum(self.hits, self.hits_sum, self.either_end, u, last, R, -opened)
            hits = at_columns(x.hits, last) + opened
        else:
            lost = self._sum(self.hits, self.hits_sum, self.either_end, start, u, R, np.zeros_like(R))
            lost += self._sum(self.filled, self.filled_sum, self.judged_end, u, last, R, opened)
            hits = at_columns(x.hits, last) + x.total_open - opened
        return ratio(hits - lost / np.maximum(np.minimum(R, N), 1), R)

    @staticmethod
    def _sum(count: Floats, sums: Floats, ends: Ints, start: Ints, stop: Ints, R: Floats, shift: Floats) -> Floats:
        """Σ min(n + shift, R) over the hits after rank ``start`` down to ``stop``; n does not fall."""
        limit = np.clip(R - shift, -1, ends.shape[1] - 1).astype(np.int64)
        turn = np.where(limit < 0, 0, np.take_along_axis(ends, np.maximum(limit, 0), axis=1))
        turn = np.clip(turn, start, stop)  # ranks to here have n + shift ≤ R
        small = at_columns(sums, turn) - at_columns(sums, start)
        small += shift * (at_columns(count, turn) - at_columns(count, start))
        return small + R * (at_columns(count, stop) - at_columns(count, turn))


def _last_with(marks: Floats) -> Ints:
    """For t = 0, 1, …: the last rank with at most t marks down to it."""
    lists, width = marks.shape
    most = int(marks.sum(axis=1).max(initial=0))
    ends = np.full((lists, most + 1), width, np.int64)
    row, column = np.nonzero(marks)
    first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=lists))])
    ends[row, np.arange(len(row)) - first[row]] = column  # the (t + 1)-th mark stands at rank column + 1
    return ends
