r"""Measures over the whole collection: AUC, Kendall, Spearman, OIE.

With one grade above 0 (always so for AUC) the numbers of new hits seen, j, and out of sight, x, fix R and all that
depends on it; what is left is $\sum_{hits} i$ (AUC, Kendall, Spearman) or $\sum_{hits} \ln i$ (OIE), which each of
them falls with. So for every (j, x) the topmost j are best and the lowest worst, and all (j, x) are tried.

With several grades Kendall and Spearman still prefer high grades at the top for fixed numbers of each, but there are
too many such numbers: the interval is [−1, 1] unless they can all be listed. OIE does not even do that; its interval
follows from $\max(H(S), H(G)) \le H(S,G)$ and from bounds of each part by the number of relevant documents alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadline.depths._bounds.levels import normalised
from leadline.depths._bounds.pairs import sweep
from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, by_blocks, nothing_known
from leadline.rankings.entries import Floats

__all__ = ["area", "compatibility", "information", "kendall", "spearman"]

# from the sum over the hits, the hits seen, the relevant documents and the ranks seen
Score = Callable[[Floats, Floats, Floats, Floats], Floats]


def area(p: Problem) -> Bounds:
    """AUC."""
    N = float(p.m.docs)

    def score(ranks: Floats, hits: Floats, R: Floats, cut: Floats) -> Floats:
        above = ranks - hits * (hits + 1) / 2
        others = N - R
        won = hits * others - above + (R - hits) * (others - (cut - hits)) / 2
        return np.where(R * others > 0, won / np.maximum(R * others, 1), 0.5)

    return _try_all(p, lambda rank: rank, score)


def kendall(p: Problem) -> Bounds:
    """Kendall's tau."""
    N = float(p.m.docs)

    def score(ranks: Floats, hits: Floats, R: Floats, cut: Floats) -> Floats:
        above = ranks - hits * (hits + 1) / 2
        net = hits * (N - R) - 2 * above - (R - hits) * (cut - hits)
        free = cut * (2 * N - cut - 1) / 2 * R * (N - R)
        return np.where(free > 0, net / np.sqrt(np.maximum(free, 1e-300)), 0.0)

    return _try_all(p, lambda rank: rank, score) if _one_grade(p) else _between(p, -1.0, 1.0)


def spearman(p: Problem) -> Bounds:
    """Spearman's rho: the relevant documents' distance from the middle, over its largest possible size."""
    N = float(p.m.docs)

    def score(ranks: Floats, hits: Floats, R: Floats, cut: Floats) -> Floats:
        ahead = hits * (N + 1) / 2 - ranks - (R - hits) * cut / 2
        out = N - cut
        squares = cut * (N**2 + N * out + out**2 - 1) / 12 * R * (N - R) / N
        return np.where(squares > 0, ahead / np.sqrt(np.maximum(squares, 1e-300)), 0.0)

    return _try_all(p, lambda rank: rank, score) if _one_grade(p) else _between(p, -1.0, 1.0)


def information(p: Problem) -> Bounds:
    """OIE."""
    N, beta = float(p.m.docs), float(p.m.beta)
    longest = int(p.lists.lengths.max(initial=0) + p.R.max(initial=0)) + p.absent + 1
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, longest + 1)))])

    def score(ranks: Floats, hits: Floats, R: Floats, cut: Floats) -> Floats:
        system = cut * np.log(N) - logs[cut.astype(np.int64)]
        each = np.log(N / np.maximum(R, 1))
        joint = system + R * each + ranks - logs[hits.astype(np.int64)] - hits * each
        return np.asarray((system + R * each - beta * joint) / N, np.float64)

    if _one_grade(p):
        return _try_all(p, np.log, score)
    return _information_at_most(p, N, beta, logs)


def compatibility(p: Problem) -> Bounds:
    """Compatibility: with one grade the c-th hit stands c-th in the ideal, so that its own rank counts, as in nDCG."""
    return normalised(p) if _one_grade(p) else nothing_known(p)


def _one_grade(p: Problem) -> bool:
    return bool(p.options.gains[-1] <= 1 and p.labels.gain.max(initial=0.0) <= 1)


def _between(p: Problem, low: float, high: float) -> Bounds:
    n = len(p.lists)
    return Bounds(np.full(n, low), np.full(n, high), np.zeros(n, bool), np.zeros(n, bool))


def _room(p: Problem, x: Block) -> Floats:
    """Relevant documents that may be out of sight: below the cut, or missing, if the collection has room for them."""
    whole = p.lists.take(x.index)
    found = np.bincount(whole.entries.list, p.labels.hit[whole.entries.row], minlength=len(whole))
    room = p.m.docs - whole.lengths - (x.R - found)
    return np.asarray(x.outside + np.clip(room, 0, p.absent), np.float64)


def _try_all(p: Problem, worth: Callable[[Floats], Floats], score: Score) -> Bounds:
    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        spare = _room(p, x)
        cut, A = x.cut[:, None].astype(np.float64), x.hits[:, -1:]
        found = []
        for top in (False, True):
            j = x.open if top else x.total_open - x.open
            sums = -sweep(x, -worth(x.rank), np.zeros_like(x.rank), top)
            pick, best = (np.maximum, -np.inf) if top else (np.minimum, np.inf)
            values = np.full(len(x.index), best)
            for more in range(int(spare.max(initial=0)) + 1):
                tried = score(sums, A + j, x.R[:, None] + j + more, cut)
                own = pick.reduce(tried, axis=1)
                values = np.where(more <= spare, pick(values, own), values)
            found.append(values)
        return found[0], found[1], np.ones(len(x.index), bool)

    return by_blocks(p, solve, np.zeros(len(p.lists), bool))


def _information_at_most(p: Problem, N: float, beta: float, logs: Floats) -> Bounds:
    """Bounds of OIE by the number of relevant documents.

    N·H(G) lies between R ln(N/R), as no grade is reached by more than R documents, and Σ_{m ≤ R} ln(N/m), as the m-th
    best document's grade is reached by m at least. Of a hits in the list with L grades, ln c adds up to ln(n_1! n_2!
    …) at least, which is at least L lnΓ(a/L + 1); the other cut − a documents tell at most what the topmost ones
    would.
    """
    levels = max(len(np.unique(np.concatenate([p.options.gains, p.labels.gain]))) - 1, 1)

    def fewest(R: Floats) -> Floats:
        return R * np.log(N / np.maximum(R, 1))

    def most(R: Floats) -> Floats:
        return np.asarray(R * np.log(N) - logs[R.astype(np.int64)], np.float64)

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        spare = _room(p, x)
        cut = x.cut.astype(np.float64)
        system = most(cut)
        ends = x.R, x.R + x.inside + spare
        low, high = np.minimum(fewest(ends[0]), fewest(ends[1])), most(ends[1])
        gold = np.clip(system, low, high) if beta >= 1 else high
        upper = system + gold - beta * np.maximum(system, gold)
        a = x.hits[:, -1:] + np.arange(int(x.inside.max(initial=0)) + 1)
        hits = np.minimum(a, x.hits[:, -1:] + x.inside[:, None])
        blocks = levels * _log_factorial(hits / levels)
        inside = hits * np.log(N) - blocks + most(np.maximum(cut[:, None] - hits, 0))
        missed = most(x.R - x.hits[:, -1] + spare)
        lower = system + low - beta * (inside.max(axis=1) + missed)
        return lower / N, upper / N, np.zeros(len(cut), bool)

    return by_blocks(p, solve, np.zeros(len(p.lists), bool))


def _log_factorial(x: Floats) -> Floats:
    """A lower bound of ln Γ(x + 1) by Stirling: x ln x − x, 0 up to 1."""
    return np.where(x > 1, x * np.log(np.maximum(x, 1)) - x, 0.0).clip(min=0.0)
