r"""Q with several gains: a search over how many new hits have each gain.

Let $t_l$ new hits have at least the l-th gain, a document of that gain being worth $x_l = 1 + \beta v_l$. The ideal
and so the denominators D are then fixed. With new hits of worth $y_1, y_2, \dots$ at ranks $b_1 < b_2 < \dots$ the
sum is

$$\sum_{\text{known hits } a} \frac{K(a)}{D(a)} + \sum_q \varphi_{y_q}(b_q)
+ \sum_q \frac{y_1 + \dots + y_q}{D(b_q)}, \qquad
\varphi_y(v) = \frac{K(v)}{D(v)} + y \sum_{\text{known hits } a > v} \frac1{D(a)}$$

with K the worth of all known documents down to a rank. The last part is largest for the topmost places and falling
gains. Of the other, $M_y(q) = \max_{v \ge u_q} \varphi_y(v)$ is an upper bound, $u_q$ being the q-th unjudged rank,
as $b_q \ge u_q$; since a larger y gains more from a higher place, $M_{y'}(q) - M_y(q)$ falls with q for y' > y, so
that falling gains are best here, too. The bound is the score itself where $\varphi$ falls along the unjudged ranks.
It need not: a document of small gain moved above known ones of large gain counts in their terms instead of they in
its own, and may lose by that. For the lowest score all this holds with the signs turned round, from the end of the
list upwards.

Over a box of numbers the denominators are taken at the corner that makes the bound hold, the numbers of larger gains
too; the number of all new hits is worked out one by one.
"""

from __future__ import annotations

import numpy as np

from leadline.depths._bounds.pairs import Divisor, after
from leadline.depths._bounds.pools import Pool
from leadline.depths._bounds.problem import Block
from leadline.depths._bounds.search import Search
from leadline.rankings.entries import Floats, Ints

__all__ = ["GradedSearch"]


class GradedSearch(Search):
    """The highest (lowest) Q of each list of a block."""

    effort = 200_000.0

    def __init__(self, x: Block, norm: Pool, ideal: Pool, top: bool) -> None:
        p = x.p
        self.x, self.p = x, p
        self.beta = float(p.m.beta)
        self.gains = np.unique(p.options.gain[p.options.hit])
        super().__init__(len(x.index), x.inside.astype(np.int64), len(self.gains), 3 * x.width, top)
        self.by = Divisor(x, norm, p.m.norm, top)
        self.joins = ideal.joins(x, best_case=top)
        self.others = np.zeros(len(x.index)) if top else ideal.others(x)
        self.known = np.cumsum(x.hit + self.beta * x.gain, axis=1)
        judged, member = p.labels.gain, ideal.members()
        self.tops = np.unique(np.concatenate([self.gains, judged[judged > 0]]))
        self.heights = np.diff(np.concatenate([[0.0], self.tops]))
        self.reach = [p.labels.judgments.count((judged >= t) & member)[x.topic].astype(np.float64) for t in self.tops]
        self.step_of = np.searchsorted(self.gains, self.tops)  # the first gain that reaches each layer
        self.slots = self._slots()
        none = (self.by.R == 0) & (self.open > 0)
        self.least[none, 0] = 1  # without a relevant document there is no score

    def _slots(self) -> Ints:
        """Columns of the unjudged ranks, from the top or from the end; the last one is repeated."""
        x = self.x
        row, column = np.nonzero(x.unjudged)
        number = x.open[row, column + 1].astype(np.int64) - 1
        if not self.top:
            number = x.inside[row] - 1 - number
        out = np.zeros((len(x.index), int(x.inside.max(initial=0))), np.int64)
        out[row, number] = column
        return out

    def sides(self, low: Ints, high: Ints) -> Floats:
        """The numbers of larger gains matter most: all new hits are worked out one by one anyhow."""
        weight = np.ones(low.shape[1])
        weight[0] = 1 / 16
        return (high - low) * weight

    def bound(self, rows: Ints, low: Ints, high: Ints) -> tuple[Floats, Ints]:
        """The denominators from one corner, the numerators from the other."""
        near, far = (low, high) if self.top else (high, low)
        values = self.sign * self._values(rows, near, far, loose=True)
        count = np.arange(values.shape[1])
        inside = (count >= low[:, :1]) & (count <= high[:, :1])
        values = np.where(inside & ~np.isnan(values), values, -np.inf)
        best = np.argmax(values, axis=1)
        t = np.minimum(far, best[:, None])
        t[:, 0] = best
        return values[np.arange(len(rows)), best], np.clip(t, low, high)

    def score(self, rows: Ints, t: Ints) -> Floats:
        """Q of the list with falling (rising) gains at its topmost (lowest) unjudged ranks."""
        values = self.sign * self._values(rows, t, t, loose=False)[np.arange(len(rows)), t[:, 0]]
        return np.where(np.isnan(values), -np.inf, values)

    def _values(self, rows: Ints, ideal: Ints, t: Ints, loose: bool) -> Floats:
        """Scores for every number of new hits; ``t`` of larger gains, D with ``ideal``. ``loose``: a bound of them."""
        x = self.x
        inverse = 1 / self._denominator(rows, ideal)
        known = self.known[rows]
        hits = x.hit[rows] * inverse
        slots = self.slots[rows]
        own = _columns(known * inverse, slots)
        tail = _columns(after(hits)[:, 1:], slots)
        place = _columns(inverse, slots)
        there = np.arange(slots.shape[1]) < x.inside[rows, None]
        count = np.arange(slots.shape[1] + 1)
        worth = 1 + self.beta * self.gains
        numbers = [np.broadcast_to(count, (len(rows), len(count)))]
        numbers += [np.minimum(count, t[:, number, None]) for number in range(1, len(worth))]
        total = np.sum(known * hits, axis=1)[:, None] + self._pairs(worth, numbers, np.where(there, place, 0.0))
        for number, y in enumerate(worth):
            each = own + y * tail
            if loose:
                each = self._best_below(np.where(there, each, -self.sign * np.inf))
            sums = _running(np.where(there, each, 0.0))
            total = total + _columns(sums, numbers[number])
            if number + 1 < len(worth):
                total = total - _columns(sums, numbers[number + 1])
        return self.by.score(total, numbers[0].astype(np.float64), rows)

    def _best_below(self, each: Floats) -> Floats:
        """The best over this place and all that come after it in the order of filling."""
        pick = np.maximum if self.top else np.minimum
        return np.asarray(pick.accumulate(each[:, ::-1], axis=1)[:, ::-1], np.float64)

    def _pairs(self, worth: Floats, numbers: list[Ints], place: Floats) -> Floats:
        """Σ_q (y_1 + … + y_q)/D over the new hits, from the top down or from the end up."""
        steps = np.diff(np.concatenate([[0.0], worth]))
        sums = _running(place)
        if not self.top:  # a document counts at itself and at all new ones below it, which were filled before
            twice = _running(sums[:, 1:])
            return sum((d * _columns(twice, n) for d, n in zip(steps, numbers, strict=True)), np.zeros(()))
        weighted = _running(place * np.arange(1.0, place.shape[1] + 1))
        last = _columns(sums, numbers[0])
        total = np.zeros(())
        for d, n in zip(steps, numbers, strict=True):
            total = total + d * (_columns(weighted, n) + n * (last - _columns(sums, n)))
        return np.asarray(total, np.float64)

    def _denominator(self, rows: Ints, new: Ints) -> Floats:
        """D at each rank, with ``new`` documents of the list at each gain in the ideal."""
        rank = self.x.rank
        ideal = np.zeros((len(rows), len(rank)))
        for height, known, step in zip(self.heights, self.reach, self.step_of, strict=True):
            count = known[rows]
            if step < len(self.gains):
                count = count + np.where(self.joins[rows], new[:, step], 0) + self.others[rows]
            ideal += height * np.minimum(rank, count[:, None])
        return rank + self.beta * ideal


def _columns(values: Floats, which: Ints) -> Floats:
    return np.take_along_axis(values, which, axis=1)


def _running(x: Floats) -> Floats:
    """Sums of the first 0, 1, … of each row."""
    out = np.zeros((x.shape[0], x.shape[1] + 1))
    np.cumsum(x, axis=1, out=out[:, 1:])
    return out
