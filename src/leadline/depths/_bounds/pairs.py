r"""Measures that add up over relevant documents and over pairs of them.

With hits $h_1 < h_2 < \dots$ write $S = \sum_c a(h_c) + \sum_{c} (c-1)\, b(h_c)$: every hit counts by its rank, and
every pair of hits by the rank of its later one. If a and b fall with the rank, then for a fixed number j of new hits
S is largest with the topmost j unjudged documents and smallest with the lowest j: moving a hit from rank v up to a
free rank u < v lowers the rank of that hit and, in every pair, at most lowers the later rank. What is left is a
search over j, and S for all j follows from running sums, column u standing for "all unjudged documents down to rank
u" (or below rank u).

New hits below the evaluation depth, and missing ones, only enlarge R: none for the best case, all for the worst.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadline.depths._bounds.pools import Pool, pool_of
from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, before, by_blocks
from leadline.rankings.entries import Floats, Ints

__all__ = ["Divisor", "after", "at", "average_precision", "inferred", "optimum", "out_of_sight", "terminal_precision"]

Weights = Floats  # of the ranks, or of lists × ranks


def sweep(x: Block, a: Weights, b: Weights, top: bool) -> Floats:
    """S with all unjudged documents down to rank u relevant (``top``), or all below rank u; u = 0, 1, … the cut."""
    filled = x.hit + x.unjudged
    place = np.cumsum(filled, axis=1) - 1
    judged = x.hit * (a + b * (x.hits[:, 1:] - 1))
    everything = filled * (a + b * place)
    if top:
        above = before(everything)
        below = after(judged) + x.open * after(x.hit * b)
        return above + below
    return before(judged) + after(everything) - x.open * after(filled * b)


def after(x: Floats) -> Floats:
    """Sums over the ranks below each rank, rank 0 first; added up from the end, so that small ones stay exact."""
    out = np.zeros((x.shape[0], x.shape[1] + 1))
    np.cumsum(x[:, ::-1], axis=1, out=out[:, -2::-1])
    return out


def chosen(x: Block, column: Ints, top: bool) -> Flags:
    """The unjudged documents that column ``column`` of a sweep makes relevant."""
    below = np.arange(1, x.width + 1) > column[:, None]
    return x.unjudged & (~below if top else below)


def total(x: Block, column: Ints, a: Weights, b: Weights, top: bool) -> Floats:
    """S at one column of the sweep, added up anew: exact to rounding, where the sweep subtracts large sums."""
    filled = x.hit + chosen(x, column, top)
    return np.asarray(np.sum(filled * (a + b * (np.cumsum(filled, axis=1) - 1)), axis=1), np.float64)


def best_column(values: Floats, top: bool) -> Ints:
    """The column of the highest (lowest) value; undefined ones do not count unless all are."""
    worst = -np.inf if top else np.inf
    open_ = np.where(np.isnan(values), worst, values)
    return np.asarray(np.argmax(open_, axis=1) if top else np.argmin(open_, axis=1), np.int64)


def at(values: Floats, column: Ints) -> Floats:
    """One column of each row."""
    return np.take_along_axis(values, column[:, None], axis=1)[:, 0]


def optimum(x: Block, a: Weights, b: Weights, top: bool, finish: Callable[[Floats, Floats], Floats]) -> Floats:
    """Best (worst) ``finish(S, j)`` over the number j of new hits that are seen."""
    j = x.open if top else x.total_open - x.open
    column = best_column(finish(sweep(x, a, b, top), j), top)
    return finish(total(x, column, a, b, top)[:, None], at(j, column)[:, None])[:, 0]


class Divisor:
    """AP's divisor as a function of the new hits that are seen; of the others none (all) are relevant."""

    def __init__(self, x: Block, pool: Pool, norm: str, top: bool) -> None:
        self.others = np.zeros(len(x.index)) if top else (x.outside + x.p.absent).astype(np.float64)
        self.R = x.R + self.others
        self.fixed, self.k = self.R, np.inf
        self.joins, self.first = np.ones(len(x.index), bool), np.zeros(len(x.index))
        if norm == "min":
            self.k = x.p.k
        elif norm == "pool":
            known = pool.known(x)
            self.fixed = known + (0.0 if top else pool.others(x))
            self.joins = pool.joins(x, best_case=top)
            self.first = np.where(known == 0, 1.0, 0.0)  # an empty pool scores 0: to score, one new hit is in it

    def score(self, S: Floats, j: Floats, rows: Ints | slice = slice(None)) -> Floats:
        """S over the divisor, for lists × choices; 0 if the pool is empty, undefined if nothing is relevant."""
        joined = np.where(self.joins[rows, None], j, np.minimum(j, self.first[rows, None]))
        by = np.minimum(self.fixed[rows, None] + joined, self.k)
        scored = np.divide(S, by, out=np.zeros(np.broadcast(S, by).shape), where=by > 0)
        return np.where(self.R[rows, None] + j > 0, scored, np.nan)


def average_precision(p: Problem) -> Bounds:
    """AP: a = b = 1/i, so that S adds up the precisions at the hits; the divisor is a function of j."""
    pool = pool_of(p, p.m.norm == "pool")

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        weight = 1 / x.rank
        lower, upper = (optimum(x, weight, weight, top, Divisor(x, pool, p.m.norm, top).score) for top in (False, True))
        lower = np.where(pool.empty(x), np.minimum(lower, 0.0), lower)
        return out_of_sight(x, lower), out_of_sight(x, upper), pool.exact(x)

    return by_blocks(p, solve, p.R == 0)


def out_of_sight(x: Block, values: Floats) -> Floats:
    """0 where the only hits there can be are out of sight: defined, and nothing found."""
    possible = (x.outside + x.p.absent > 0) & np.isnan(values) & x.p.options.hit.any()
    return np.where(possible, 0.0, values)


def inferred(p: Problem) -> Bounds:
    """infAP of a completion: every document above a hit is judged, so that precision is known up to ε.

    A hit at rank i with c − 1 hits above counts 1/i + (i−1)/i · (c − 1 + ε)/(i − 1 − s + 2ε), s being the documents
    above with a negative grade. Without those a and b fall with the rank: b(i) = y/((y+1)(y+2ε)), y = i − 1 ≥ 1, has
    the logarithmic derivative 1/y − 1/(y+1) − 1/(y+2ε) < 0, and a(i) = (1 + εy/(y+2ε))/i falls since its first factor
    grows by less than 2ε²/y² a step. Lists with negative grades are solved by adding rank after rank.
    """
    tiny = 1e-5
    pool = pool_of(p, False)

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        skipped = x.of_rows(p.labels.judgments.grade < 0)
        known = x.rank - 1 - before(skipped)[:, :-1] + 2 * tiny
        share = (x.rank - 1) / x.rank
        a, b = 1 / x.rank + share * tiny / known, share / known
        odd = np.asarray(skipped.any(axis=1))
        found = []
        for top in (False, True):
            by = Divisor(x, pool, "R", top)
            values = optimum(x, a, b, top, by.score)
            if odd.any():
                values[odd] = _rank_by_rank(x, a, b, top, by)[odd]
            found.append(out_of_sight(x, values))
        return found[0], found[1], np.ones(len(odd), bool)

    return by_blocks(p, solve, p.R == 0)


def _rank_by_rank(x: Block, a: Floats, b: Floats, top: bool, by: Divisor) -> Floats:
    """Best score for any a and b: best[j] is the best sum so far with j new hits, whatever their ranks."""
    pick = np.maximum if top else np.minimum
    worst = -np.inf if top else np.inf
    j = np.arange(int(x.inside.max(initial=0)) + 1)
    best = np.where(j == 0, np.zeros((len(x.index), 1)), worst)
    for i in range(x.width):
        gained = a[:, i, None] + b[:, i, None] * (x.hits[:, i, None] + j)
        best = np.where(x.hit[:, i, None] > 0, best + gained, best)
        taken = np.full_like(best, worst)
        taken[:, 1:] = (best + gained)[:, :-1]
        best = np.where(x.unjudged[:, i, None], pick(best, taken), best)
    values = by.score(np.where(np.isinf(best), np.nan, best), j[None, :].astype(np.float64))
    return at(values, best_column(values, top))


def terminal_precision(p: Problem) -> Bounds:
    """APT: AP's sum, and where the end is seen the term r_t (A + j + r_t)/(n + 1), a function of j alone.

    More relevant documents out of sight lower r_t and raise the divisor, so they belong to the worst case only.
    """
    flags = p.lists.track.terminal
    terminal = np.ones(len(p.lists), bool) if flags is None else flags[p.lists.lists]

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        weight = 1 / x.rank
        ends = terminal[x.index][:, None]
        n = (x.lengths if p.measure.depth > 0 else np.zeros_like(x.lengths))[:, None]
        seen = ends & (p.k > n)
        A = x.hits[:, -1:]

        def score(top: bool) -> Callable[[Floats, Floats], Floats]:
            others = 0.0 if top else (x.outside + p.absent)[:, None]

            def finish(S: Floats, j: Floats) -> Floats:
                R = x.R[:, None] + j + others
                end = np.where(R > 0, (A + j) / np.maximum(R, 1), 1.0)
                with_end = (S + np.where(seen, end * (A + j + end) / (n + 1), 0.0)) / (R + 1)
                return np.where(ends, with_end, np.where(R > 0, S / np.maximum(R, 1), 0.0))

            return finish

        lower, upper = (optimum(x, weight, weight, top, score(top)) for top in (False, True))
        return lower, upper, np.ones(len(lower), bool)

    return by_blocks(p, solve, np.zeros(len(p.lists), bool))
