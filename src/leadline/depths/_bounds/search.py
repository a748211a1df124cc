"""Branch and bound over numbers of documents: how many of the unjudged ones get at least each gain."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from leadline.depths._bounds.completed import ragged
from leadline.depths._bounds.problem import Flags
from leadline.rankings.entries import Floats, Ints

__all__ = ["CELLS", "Search"]

CELLS = 1 << 18  # ranks worked on at a time
_ROUND = 10_000  # ranks of one list worked out in a round
_SLACK = 1e-13  # scores this close are the same


class Search(ABC):
    """The search for the highest (or lowest) score of each of some lists.

    A box is a range for each of the numbers $t_1 \\ge t_2 \\ge \\dots$; boxes are halved, the most promising ones
    first, until none can hold anything better than what was found. A list that takes too long keeps the bounds of
    what is left.
    """

    effort = 150_000.0  # ranks worked out for one list before it is given up

    def __init__(self, lists: int, open_: Ints, numbers: int, cells: int, top: bool) -> None:
        self.lists, self.numbers, self.top = lists, numbers, top
        self.open = open_  # unjudged documents that the numbers count
        self.cells = max(cells, 1)  # ranks worked out for one score
        self.sign = 1.0 if top else -1.0
        self.least = np.zeros((lists, numbers), np.int64)  # where there is no score below it

    @abstractmethod
    def bound(self, rows: Ints, low: Ints, high: Ints) -> tuple[Floats, Ints]:
        """No less than any signed score in each box, and numbers in it that promise a good one."""

    @abstractmethod
    def score(self, rows: Ints, t: Ints) -> Floats:
        """The signed score with exactly these numbers; −∞ where there is none."""

    def sides(self, low: Ints, high: Ints) -> Floats:
        """How much is to be gained by halving each side."""
        return (high - low).astype(np.float64)

    def run(self) -> tuple[Floats, Flags]:
        """The best score, or a bound of it, and whether it is one; NaN where no numbers have a score."""
        rows = np.arange(self.lists)
        low = self.least
        high = np.repeat(self.open[:, None], self.numbers, axis=1)
        best, limit = np.full(self.lists, -np.inf), np.full(self.lists, -np.inf)
        spent = np.zeros(self.lists)
        for t in (low, high):
            np.maximum.at(best, rows, self.score(rows, t))
        bound = self._bounded(rows, low, high, best, spent)
        while True:
            keep = bound > best[rows] + _SLACK
            done = (spent[rows] > self.effort) | (high == low).all(axis=1)
            np.maximum.at(limit, rows[keep & done], bound[keep & done])
            left = np.flatnonzero(keep & ~done)
            if not len(left):
                break
            left = left[np.lexsort((-bound[left], rows[left]))]  # the most promising ones of each list first
            place = ragged(np.bincount(rows[left], minlength=self.lists))[0]
            at_once = max(_ROUND // self.cells, 4)
            now, later = left[place < at_once], left[place >= at_once]
            new = self._halved(rows[now], low[now], high[now])
            bound = np.concatenate([bound[later], self._bounded(*new, best, spent)])
            rows, low, high = (np.concatenate([x[later], y]) for x, y in zip((rows, low, high), new, strict=True))
        exact = limit <= best + _SLACK
        signed = np.where(exact, best, np.maximum(best, limit))
        return np.where(np.isneginf(signed), np.nan, self.sign * signed), exact

    def _bounded(self, rows: Ints, low: Ints, high: Ints, best: Floats, spent: Floats) -> Floats:
        """Bounds of the boxes; what they promise is tried."""
        found = np.zeros(len(rows))
        size = max(CELLS // self.cells, 1)
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            found[part], t = self.bound(rows[part], low[part], high[part])
            np.maximum.at(best, rows[part], self.score(rows[part], t))
        np.add.at(spent, rows, 2.0 * self.cells)
        return found

    def _halved(self, rows: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints, Ints]:
        """Each box cut in two; numbers of higher gains never exceed those of lower ones."""
        side = np.argmax(np.where(high > low, self.sides(low, high), -1.0), axis=1)
        at = np.arange(len(rows))
        middle = (low[at, side] + high[at, side]) // 2
        lower_high, upper_low = high.copy(), low.copy()
        lower_high[at, side] = middle
        upper_low[at, side] = middle + 1
        lower_high = np.minimum.accumulate(lower_high, axis=1)
        upper_low = np.maximum.accumulate(upper_low[:, ::-1], axis=1)[:, ::-1]
        rows = np.concatenate([rows, rows])
        low, high = np.concatenate([low, upper_low]), np.concatenate([lower_high, high])
        fits = (low <= high).all(axis=1)
        return rows[fits], low[fits], high[fits]
