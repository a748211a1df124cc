r"""nERR and niRBU: what a reader who stops when satisfied expects of a list, over what the ideal list would give.

Let $t_l$ of the unjudged documents get at least the l-th gain $v_l$. For fixed $t_1 \ge t_2 \ge \dots$ the ideal is
fixed, and the list is best with the high gains at the top of its unjudged places and worst with them at the bottom:
the chance to have stopped by rank i, $1 - \prod_{j \le i} (1 - G_j)$, is then as large (small) as it can be for every
i, and the reward falls with the stopping rank.

With $P_l$ the expectation down to some place if all unjudged documents have gain $v_l$, and $\rho_l =
(1-v_l)/(1-v_{l-1})$, the best list has $P_L(t_L) + \rho_L^{t_L} \big( P_{L-1}(t_{L-1}) - P_{L-1}(t_L) \big) +
\rho_L^{t_L} \rho_{L-1}^{t_{L-1}} ( \dots$, since the known documents change the chance to come to a place by the same
factor whatever the others gain. The ideal has the same form in the numbers of documents of each gain. The worst list
is added up from its end. All $t$ are tried, $t_l$ up to where a reader passes that many documents with a chance of
less than $10^{-17}$: further ones change nothing.

Where there are too many such numbers, :mod:`boxes` searches.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import ceil, log, prod

import numpy as np

from leadline.depths._bounds.problem import Block, Flags, Problem, before
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.view import ratio

__all__ = ["Reader", "few_numbers"]

_DUST = 1e-17
_GRID = 60_000  # numbers of each gain that are tried for one list
_CELLS = 1 << 18


def caps(p: Problem) -> list[int]:
    """For each gain above the least the number of documents after which hardly a reader is left.

    At depth k no more than k of them come into the list or into its ideal.
    """
    most = int(min(p.lists.unjudged.max(initial=0), p.k))
    return [min(most, 1 if v >= 1 else ceil(log(_DUST) / log(1 - v))) for v in p.options.gains[1:]]


def few_numbers(p: Problem) -> bool:
    """Whether the numbers can all be tried, and known gains are among those that new documents can have."""
    fits = np.isin(p.labels.gain, np.append(p.options.gains, 0.0)).all()
    return bool(fits) and prod(c + 1 for c in caps(p)) <= _GRID


class Reader:
    """The highest and lowest ratios of a block of lists."""

    def __init__(self, x: Block) -> None:
        p = x.p
        self.x, self.p = x, p
        self.gains = p.options.gains
        self.caps = caps(p)
        self.weight = self._weights(x.width)
        self.reach = [p.labels.judgments.count(p.labels.gain >= v)[x.topic].astype(np.int64) for v in self.gains]
        new = (x.inside + x.outside).astype(np.int64)
        if self.gains[0] > 0:
            self.reach[0] = self.reach[0] + new
        self.new = new
        self.rho = [(1 - b) / (1 - a) if a < 1 else 0.0 for a, b in pairwise(self.gains)]
        longest = int(max(r.max(initial=0) for r in self.reach) + new.max(initial=0)) + p.absent
        weights = self._weights(int(min(longest, p.k)))
        self.pure = [
            np.concatenate([[0.0], np.cumsum(v * (1 - v) ** np.arange(len(weights)) * weights)]) for v in self.gains
        ]

    def _weights(self, ranks: int) -> Floats:
        rank = np.arange(1.0, ranks + 1)
        return 1 / rank if self.p.m.name == "nERR" else np.asarray(self.p.m.p ** (rank - 1), np.float64)

    def ideal(self, rows: Ints, t: list[Ints], missing: int) -> Floats:
        """What the ideal gives with ``t`` new documents of each gain above the least; missing ones have the largest."""
        hits = self.p.options.gain[self.p.options.hit]
        counts = []
        for level, known in enumerate(self.reach):
            more = missing if missing and self.gains[level] <= hits.max() else 0
            own = known[rows].reshape((-1,) + (1,) * (t[0].ndim - 1 if t else 0))
            counts.append(own + more + (t[level - 1] if level else 0))
        return self._nested([self._pure(level, c) for level, c in enumerate(counts)], counts, self._pure)

    def _pure(self, level: int, count: Ints) -> Floats:
        table = self.pure[level]
        return table[np.minimum(count, len(table) - 1)]

    def _nested(self, own: list[Floats], t: list[Ints], prefix: Callable[[int, Ints], Floats]) -> Floats:
        """Σ_l ρ_L^{t_L} … ρ_{l+1}^{t_{l+1}} (P_l(t_l) − P_l(t_{l+1})), from the largest gain down."""
        top = len(self.gains) - 1
        total, chance = own[top], np.asarray(1.0)
        for level in range(top - 1, -1, -1):
            chance = chance * self.rho[level] ** t[level + 1]
            total = total + chance * (own[level] - prefix(level, t[level + 1]))
        return total

    # the best list
    def highest(self) -> Floats:
        """Over all numbers of new documents of each gain."""
        x = self.x
        best = np.full(len(x.index), np.nan)
        prefixes = self._prefixes()
        shape = [c + 1 for c in reversed(self.caps)]
        size = max(_CELLS // int(np.prod(shape)), 1)
        for start in range(0, len(best), size):
            rows = np.arange(start, min(start + size, len(best)))
            best[rows] = self._highest(rows, prefixes)
        return best

    def _highest(self, rows: Ints, prefixes: list[Floats]) -> Floats:
        L = len(self.caps)
        lead = (slice(None),) + (None,) * L
        # axis 1 for the largest gain, …, axis L for the smallest above the least
        t = [np.arange(c + 1).reshape((1,) * (L - level) + (-1,) + (1,) * level) for level, c in enumerate(self.caps)]
        inside, new = self.x.inside[rows][lead], self.new[rows][lead]
        seen = [np.minimum(n, inside) for n in t]
        table = [q[rows] for q in prefixes]
        row = np.arange(len(rows))[lead]

        def prefix(level: int, count: Ints) -> Floats:
            found: Floats = table[level][row, np.minimum(count, table[level].shape[1] - 1)]
            return found

        whole = [table[0][:, -1][lead], *(prefix(level + 1, n) for level, n in enumerate(seen))]
        value = ratio(self._nested(whole, [seen[0] * 0, *seen], prefix), self.ideal(rows, t, 0))
        possible = np.ones(value.shape, bool)
        for n, higher in pairwise(t):
            possible &= higher <= n
        for n in t:
            possible &= n <= new
        flat = np.where(possible & ~np.isnan(value), value, -np.inf).reshape(len(rows), -1).max(axis=1)
        return np.where(np.isinf(flat), np.nan, flat)

    def _prefixes(self) -> list[Floats]:
        """P of each gain at the places of the unjudged documents, as many as are tried.

        The last column is the whole list.
        """
        x = self.x
        most = self.caps[0] if self.caps else 0
        place = np.zeros((len(x.index), most + 2), np.int64)
        row, column = np.nonzero(x.unjudged & (x.open[:, 1:] <= most))
        place[row, x.open[row, column + 1].astype(np.int64)] = column + 1
        place = np.maximum.accumulate(place, axis=1)
        place[:, -1] = x.width
        out = []
        for v in self.gains:
            value, _ = self._running(v)
            out.append(np.take_along_axis(value, place, axis=1))
        return out

    def _running(self, v: float) -> tuple[Floats, Floats]:
        """Expectation down to each rank and the chance to come past it, all unjudged documents having gain v."""
        gain = self.x.gain + v * self.x.unjudged
        left = np.ones((len(gain), gain.shape[1] + 1))
        np.cumprod(1 - gain, axis=1, out=left[:, 1:])
        return before(gain * left[:, :-1] * self.weight), left

    # the worst list
    def lowest(self) -> Floats:
        """Over all numbers, the smallest gain's number growing from the end of the list upwards."""
        x, missing = self.x, self.p.absent
        shape = [c + 1 for c in self.caps[1:]]
        grid = [g.ravel()[None, :] for g in np.indices(shape)] if shape else []
        chain = np.ones((1, int(np.prod(shape))), bool)
        for n, higher in pairwise(grid):
            chain &= higher <= n
        rows = np.arange(len(x.index))
        value, left = self._running(self.gains[0])
        best = np.full(len(rows), np.inf)
        below = np.zeros(
            (len(rows), chain.shape[1])
        )  # what the list gives from here to its end, to a reader who is here

        def offer(own: Ints, t: Ints, total: Floats) -> None:
            if not self.caps:
                numbers: list[Ints] = []
            else:
                numbers = [np.broadcast_to(t[:, None], total.shape), *(np.broadcast_to(g, total.shape) for g in grid)]
            found = ratio(total, self.ideal(own, numbers, missing))
            fits = chain & (grid[0] <= t[:, None] if grid else True) & ~np.isnan(found)
            best[own] = np.minimum(best[own], np.where(fits, found, np.inf).min(axis=1))

        cap = self.caps[0] if self.caps else 0
        for r in range(int(min(x.outside.max(initial=0), cap)) + 1):
            own = rows[x.outside >= r]
            offer(own, np.full(len(own), r), np.broadcast_to(value[own, -1:], (len(own), chain.shape[1])))
        number = (x.outside[:, None] + x.total_open - x.open[:, 1:] + 1).astype(np.int64)  # from the end
        for i in range(x.width - 1, -1, -1):
            open_, r = x.unjudged[:, i], number[:, i]
            if (number[:, i] > cap).all():
                break
            new = np.full(below.shape, self.gains[min(1, len(self.gains) - 1)])
            for level, g in enumerate(grid, 2):
                new += (self.gains[level] - self.gains[level - 1]) * (g >= r[:, None])
            gain = np.where(open_[:, None], new, x.gain[:, i, None])
            below = gain * self.weight[i] + (1 - gain) * below
            own = np.flatnonzero(open_ & (r <= cap))
            if len(own):
                offer(own, r[own], value[own, i, None] + left[own, i, None] * below[own])
        return np.where(np.isinf(best), np.nan, best)

    def solved(self) -> tuple[Floats, Floats, Flags]:
        """Lowest, highest, and that both are scores of completions."""
        lower, upper = self.lowest(), self.highest()
        return lower, np.where(np.isnan(upper), lower, upper), np.ones(len(lower), bool)
