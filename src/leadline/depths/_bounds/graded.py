r"""Q with several gains: an interval for every list, narrowed by a search where lists are short.

For j new hits, the lower end lets them count their smallest gain in the numerators and their largest in the ideal,
and a known document count no more than the smallest gain in the term of a new one: then a hit moved down past a known
one loses at least what it gains, so that the lowest j are worst, as for AP.

For the upper end, look at one term with c new hits above it. Raising a gain by Δ there adds βΔ to the numerator, and
at most that to the denominator of a fraction that is at most 1, so that it rises; raising one below can only add to
the denominator. So the term is at most the one with the largest gain above and the smallest below. The c-th new hit
stands at the c-th unjudged rank or deeper, best at one just after a known gain.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadline.depths._bounds.graded_search import GradedSearch
from leadline.depths._bounds.pairs import Divisor
from leadline.depths._bounds.pools import Pool
from leadline.depths._bounds.problem import Block, Flags
from leadline.rankings.entries import Floats, Ints

__all__ = ["several_gains"]

_SHORT = 64  # ranks of a list that is worth a search


def several_gains(x: Block, norm: Pool, ideal: Pool, least_of: Callable[[], Floats]) -> tuple[Floats, Floats, Flags]:
    """Lowest and highest, and whether both are scores of completions.

    ``least_of`` gives the lower end described above.
    """
    if x.width <= _SHORT:
        (lower, least), (upper, most) = (GradedSearch(x, norm, ideal, top).run() for top in (False, True))
        if (least & most).all():
            return lower, upper, least & most
    else:
        lower, upper = np.full(len(x.index), -np.inf), np.full(len(x.index), np.inf)
        least = most = np.zeros(len(x.index), bool)
    quick = _Ceiling(x, norm, ideal)
    lower = np.where(least, lower, np.fmax(lower, least_of()))
    if not norm.applies and not ideal.applies:  # else a term may be above 1, as the pool may hold less than the list
        upper = np.where(most, upper, np.fmin(upper, quick.upper()))
    else:
        upper = np.where(most, upper, np.fmin(upper, quick.crude()))
    return lower, upper, least & most


class _Ceiling:
    """The upper end for a block of lists."""

    def __init__(self, x: Block, norm: Pool, ideal: Pool) -> None:
        p = x.p
        gains = p.options.gain[p.options.hit]
        self.x, self.norm, self.ideal = x, norm, ideal
        self.beta = float(p.m.beta)
        self.least, self.most = float(gains.min()), float(gains.max())
        self.large = 1 + self.beta * self.most
        self.known = np.cumsum(x.hit + self.beta * x.gain, axis=1)
        judged, member = p.labels.gain, ideal.members()
        tops = np.unique(np.concatenate([[self.least, self.most], judged[judged > 0]]))
        heights = np.diff(np.concatenate([[0.0], tops]))
        self.layers = [
            (float(h), float(t), p.labels.judgments.count((judged >= t) & member)[x.topic].astype(np.float64))
            for h, t in zip(heights, tops, strict=True)
        ]

    def _denominator(self, rank: Floats, most: Floats | float, least: Floats | float = 0.0) -> Floats:
        """D with ``most`` new documents of the largest gain in the ideal and ``least`` of the smallest."""
        ideal = np.zeros(())
        for height, top, known in self.layers:
            count = known[:, None] + (most if top <= self.most else 0.0) + (least if top <= self.least else 0.0)
            ideal = ideal + height * np.minimum(rank, count)
        return np.asarray(rank + self.beta * ideal, np.float64)

    def upper(self) -> Floats:
        """The most over the number of new hits, with none relevant that is out of sight."""
        x = self.x
        j = np.arange(int(x.inside.max(initial=0)) + 1, dtype=np.float64)[None, :]
        total = np.zeros((len(x.index), j.shape[1]))
        rank_of, known_of, open_of = _packed(x.hit > 0, x.rank, self.known, x.open[:, 1:])
        for h in range(rank_of.shape[1]):
            rank, known, opened = rank_of[:, h, None], known_of[:, h, None], open_of[:, h, None]
            c = np.minimum(j, opened)
            D = self._denominator(rank, c, j - c)
            total += np.where(rank > 0, np.minimum((known + self.large * c) / np.maximum(D, 1), 1.0), 0.0)
        total[:, 1:] += np.cumsum(self._best_places(j[:, 1:]), axis=1)
        by = Divisor(x, self.norm, x.p.m.norm, top=True)
        value = by.score(total, np.broadcast_to(j, total.shape))
        possible = (j <= x.inside[:, None]) & ~np.isnan(value)
        highest = np.where(possible, np.minimum(value, 1.0), -np.inf).max(axis=1)
        return np.where(np.isinf(highest), np.nan, highest)

    def _best_places(self, q: Floats) -> Floats:
        """The most that the q-th new hit can add: at the q-th unjudged rank, or at the first one after a known gain."""
        x = self.x
        place, known = _packed(x.unjudged, x.rank, self.known)
        place, known = place[:, : q.shape[1]], known[:, : q.shape[1]]
        best = (known + self.large * q) / np.maximum(self._denominator(place, q), 1)
        last = np.zeros(x.unjudged.shape)  # what was known at the unjudged rank before
        np.maximum.accumulate(np.where(x.unjudged, self.known, 0.0)[:, :-1], axis=1, out=last[:, 1:])
        rank_of, known_of = _packed(x.unjudged & (self.known > last), x.rank, self.known)
        for h in range(rank_of.shape[1]):
            rank = rank_of[:, h, None]
            value = (known_of[:, h, None] + self.large * q) / np.maximum(self._denominator(rank, q), 1)
            best = np.maximum(best, np.where(rank >= place, value, 0.0))
        return np.minimum(np.where(place > 0, best, 0.0), 1.0)

    def crude(self) -> Floats:
        """Every term at its highest at once, and the smallest divisor."""
        x = self.x
        terms = (x.hit + x.unjudged) * (self.known + self.large * x.open[:, 1:])
        most = np.sum(terms / self._denominator(x.rank, 0.0), axis=1)
        return np.where(x.R + x.inside > 0, most, np.nan)


def _packed(where: Flags, rank: Floats, *values: Floats) -> tuple[Floats, ...]:
    """The marked cells of each row moved to the left, with their ranks; 0 fills up."""
    row, column = np.nonzero(where)
    counts = np.bincount(row, minlength=len(where))
    place: Ints = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (len(where), int(counts.max(initial=0)))
    out = []
    for cells in (rank[column], *(v[row, column] for v in values)):
        packed = np.zeros(shape)
        packed[row, place] = cells
        out.append(packed)
    return tuple(out)
