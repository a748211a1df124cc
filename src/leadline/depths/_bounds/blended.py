r"""Q: blended precision at the hits, $\frac1R \sum_{i : b_i = 1} \frac{\sum_{j \le i} (b_j + \beta G_j)}{i + \beta
\sum_{j \le i} G^*_j}$.

*One gain v.* For a fixed number of new hits the ideal and so the denominators D are fixed, and they grow with the
rank. The sum then runs over pairs of hits, (1 + βv)/D at the later rank, so that the topmost j are best and the
lowest j worst, as for AP. D depends on j, so there are no running sums for all j at once; instead a bound for every j
comes from running sums, and the j are worked out in the order of their bounds until no other can win.

*Several gains.* The order argument fails: a new document of small gain moved above ones of large gain can lower Q, as
it now counts in their terms instead of they in its own. See :mod:`graded` for what is done then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.depths._bounds.graded import several_gains
from leadline.depths._bounds.pairs import Divisor, after, at, out_of_sight
from leadline.depths._bounds.pools import Pool, pool_of
from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, before, by_blocks, nothing_known
from leadline.rankings.entries import Floats, Ints

__all__ = ["best_first", "blended_precision"]


@dataclass(frozen=True, eq=False)
class _Gains:
    """The gains of hits.

    ``clean`` if new documents have a gain just if they are hits, ``single`` if all the same one.
    """

    least: float
    most: float
    clean: bool
    single: bool


def blended_precision(p: Problem) -> Bounds:
    """Exact with one gain; a proven interval with several."""
    if p.options.gains[0] < 0 or p.labels.gain.min(initial=0.0) < 0:
        return nothing_known(p)
    gains = _gains(p)
    pools = pool_of(p, p.m.norm == "pool"), pool_of(p, p.m.ideal == "k")

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        q = _Blended(x, gains, *pools)
        exact = pools[0].exact(x) & pools[1].exact(x) & gains.single
        if gains.single:
            lower, upper = q.optimum(False), q.optimum(True)
        elif gains.clean:
            lower, upper, touched = several_gains(x, *pools, lambda: q.optimum(False))
            exact = pools[0].exact(x) & pools[1].exact(x) & touched
        else:
            lower, upper = q.crude(False), q.crude(True)
        lower = np.where(pools[0].empty(x), np.minimum(lower, 0.0), lower)
        return out_of_sight(x, lower), out_of_sight(x, upper), exact

    return by_blocks(p, solve, p.R == 0)


def _gains(p: Problem) -> _Gains:
    own, hit = p.options.gain, p.options.hit
    if not hit.any():
        return _Gains(float(own.max()), float(own.max()), False, False)
    least, most = float(own[hit].min()), float(own[hit].max())
    clean = bool((own[~hit] == 0).all() and least > 0)
    judged, judged_hit = p.labels.gain, p.labels.hit
    plain = bool((judged[~judged_hit] == 0).all() and (judged[judged_hit] == most).all())
    return _Gains(least, most, clean and not hit.all(), clean and plain and least == most and not hit.all())


class _Blended:
    """Q of a block of lists with the unjudged documents down to (below) a rank relevant."""

    def __init__(self, x: Block, gains: _Gains, norm: Pool, ideal: Pool) -> None:
        p = x.p
        self.x, self.gains, self.norm, self.ideal = x, gains, norm, ideal
        self.beta = float(p.m.beta)
        self.worth, self.least = 1 + self.beta * gains.most, 1 + self.beta * gains.least
        worth = x.hit + self.beta * x.gain
        self.known = np.cumsum(worth, axis=1)
        self.capped = np.cumsum(np.where(x.hit > 0, np.minimum(worth, self.least), 0.0), axis=1)
        judged, member = p.labels.gain, ideal.members()
        tops = np.unique(np.concatenate([[gains.most], judged[judged > 0]]))
        heights = np.diff(np.concatenate([[0.0], tops]))
        self.layers = [
            (float(h), float(t), p.labels.judgments.count((judged >= t) & member)[x.topic].astype(np.float64))
            for h, t in zip(heights, tops, strict=True)
        ]

    def denominator(self, rows: Ints, rank: Floats, new: Floats) -> Floats:
        """D at each rank with ``new`` documents of the largest gain in the ideal."""
        ideal = np.zeros(())
        for height, top, known in self.layers:
            count = known[rows][:, None]
            if top <= self.gains.most:
                count = count + new
            ideal = ideal + height * np.minimum(rank, count)
        return rank + self.beta * ideal

    def _new(self, j: Floats, top: bool, rows: Ints | slice = slice(None)) -> Floats:
        """New documents in the ideal, with j of them seen."""
        if top:
            return np.where(self.ideal.joins(self.x, True)[rows, None], j, 0.0)
        return j + self.ideal.others(self.x)[rows, None]

    def optimum(self, top: bool) -> Floats:
        """Best (worst) over the number of new hits. With several gains the worst is a bound: see :mod:`graded`."""
        x = self.x
        by = Divisor(x, self.norm, x.p.m.norm, top)
        j = x.open if top else x.total_open - x.open
        bound = by.score(self._most(j) if top else self._least(j), j)
        one = np.ones((len(x.index), 1), bool)  # a column for each number of hits
        own = np.concatenate([one, x.unjudged] if top else [x.unjudged, one], axis=1)
        bound[~own | np.isnan(bound)] = -np.inf if top else np.inf

        def score(rows: Ints, column: Ints) -> Floats:
            count = at(j[rows], column)[:, None]
            return by.score(self._sum(rows, count, top)[:, None], count, rows)[:, 0]

        return best_first(bound, score, top)

    def _sum(self, rows: Ints, j: Floats, top: bool) -> Floats:
        """S with the topmost (lowest) j unjudged documents relevant."""
        x = self.x
        hit, known, opened = x.hit[rows], self.known[rows], x.open[rows, 1:]
        if top:
            new, count = x.unjudged[rows] & (opened <= j), np.minimum(opened, j)
        else:
            count = np.maximum(opened - (x.total_open[rows] - j), 0.0)
            new = x.unjudged[rows] & (count > 0)
            known = np.where(new, self.capped[rows], known)
        terms = known + (self.worth if top else self.least) * count
        terms *= hit + new
        terms /= self.denominator(rows, x.rank, self._new(j, top, rows))
        return np.asarray(np.sum(terms, axis=1), np.float64)

    def _least(self, j: Floats) -> Floats:
        """No more than S for every j. Below the first new hit Σ z/(i + y) ≥ (Σz)²/(Σzi + yΣz) (Cauchy), y bounding what
        the ideal adds; above it the ideal gains at most its top level at every rank."""
        x = self.x
        filled = x.hit + x.unjudged
        z = filled * (np.where(x.unjudged, self.capped, self.known) + self.least * x.open[:, 1:])
        first = after(z) - self.least * x.open * after(filled)
        second = after(z * x.rank) - self.least * x.open * after(filled * x.rank)
        new = self._new(j, False)
        y = np.zeros(())
        for height, top, known in self.layers:
            y = y + self.beta * height * (known[:, None] + (new if top <= self.gains.most else 0.0))
        below = np.divide(first**2, second + y * first, out=np.zeros_like(first), where=first > 0)
        highest = self.layers[-1][1]
        above = before(x.hit * self.known / (x.rank * (1 + self.beta * highest)))
        return (above + below) * (1 - 1e-12)

    def _most(self, j: Floats) -> Floats:
        """No less than S for every j, with one gain v: D is i (1 + βv) down to the rank e where the ideal ends; below
        it D is at least e (1 + βv), and at least what it is without a new hit."""
        x = self.x
        rows = np.arange(len(x.index))
        filled = (x.hit + x.unjudged) * (self.known + self.worth * x.open[:, 1:])
        u = np.broadcast_to(np.arange(x.width + 1), j.shape)

        def between(weight: Floats, start: Ints, stop: Ints) -> Floats:
            """Terms at ranks start < i ≤ stop: all filled in down to u, below it the known hits alone."""
            every = before(filled * weight)
            hits, plain = before(x.hit * self.known * weight), before(x.hit * weight)
            total = columns(every, np.minimum(stop, u)) - columns(every, np.minimum(start, u))
            low, high = np.maximum(start, u), np.maximum(stop, u)
            total += columns(hits, high) - columns(hits, low)
            return total + self.worth * x.open * (columns(plain, high) - columns(plain, low))

        end = self.layers[0][2][:, None] + self._new(j, True)
        turn = np.minimum(end, x.width).astype(np.int64)
        none, last = np.zeros_like(turn), np.full_like(turn, x.width)
        without = 1 / self.denominator(rows, x.rank, np.zeros((len(rows), 1)))
        flat = between(np.ones_like(x.rank), turn, last) / np.maximum(end * self.worth, 1)
        below = np.minimum(between(without, turn, last), flat)
        return (between(1 / (x.rank * self.worth), none, turn) + below) * (1 + 1e-12)

    def crude(self, top: bool) -> Floats:
        """Everything at its best (worst) at once; Q itself is at most 1 unless a pool holds less than the list."""
        x, p = self.x, self.x.p
        rows = np.arange(len(x.index))
        everyone = (x.inside + x.outside + p.absent).astype(np.float64)[:, None]
        can_hit = float(p.options.hit.any())
        if not top:
            least = np.sum(x.hit * self.known / self.denominator(rows, x.rank, everyone), axis=1)
            R = x.R + can_hit * everyone[:, 0]
            return np.where(R > 0, least / np.maximum(R, 1), np.nan)
        filled = x.hit + can_hit * x.unjudged
        D = self.denominator(rows, x.rank, np.zeros((len(rows), 1)))
        most = np.sum(filled * (self.known + self.worth * x.open[:, 1:]) / D, axis=1)
        pooled = self.norm.applies or self.ideal.applies
        return np.where(x.R + can_hit * x.inside > 0, most if pooled else np.minimum(most, 1.0), np.nan)


def columns(values: Floats, which: Ints) -> Floats:
    """Several columns of each row."""
    return np.take_along_axis(values, which, axis=1)


def best_first(bound: Floats, score: Callable[[Ints, Ints], Floats], top: bool) -> Floats:
    """The best (worst) score over columns, worked out in the order of their bounds until no other can win."""
    sign = 1.0 if top else -1.0
    left = sign * bound
    best = np.full(len(bound), -np.inf)
    going = np.arange(len(bound))
    while len(going):
        column = np.argmax(left[going], axis=1)
        promise = left[going, column]
        going, column = going[promise > best[going]], column[promise > best[going]]
        if not len(going):
            break
        value = sign * score(going, column)
        best[going] = np.maximum(best[going], value)
        left[going, column] = -np.inf
    return np.where(np.isinf(best), np.nan, sign * best)
