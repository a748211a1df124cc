"""Lists spelled out rank by rank, for formulas that need every rank; a block of lists at a time, to stay in cache."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from leadline import _core
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.view import Rankings

__all__ = ["Dense", "dense_blocks"]

_CELLS = 1 << 18  # ranks in a block: a few arrays of two megabytes


class Dense:
    """Some lists of a :class:`Rankings` as one cell for each rank, with the points that look at them."""

    def __init__(self, gain: Floats, offsets: Ints, points: Ints, at: Ints) -> None:
        self.gain = gain  # of each rank, 0 where there is nothing to see
        self.offsets = offsets  # list l owns the cells offsets[l] … offsets[l+1]
        self.points = points  # numbers of the points, in the flattened order of all points
        self.at = at  # cell of a running array at each of these points

    @cached_property
    def _after(self) -> Ints:
        lists = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        return np.arange(1, len(self.gain) + 1) + lists

    @cached_property
    def rank(self) -> Floats:
        """Rank of each cell."""
        starts = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return (np.arange(1, len(self.gain) + 1) - starts).astype(np.float64)

    def sums(self, x: Floats) -> Floats:
        """Running sums of ``x``, a cell for the empty prefix of each list first."""
        return _core.running_sum(np.ascontiguousarray(x), self.offsets)

    def products(self, x: Floats) -> Floats:
        """Running products, laid out like :meth:`sums`."""
        return _core.running_product(np.ascontiguousarray(x), self.offsets)

    def through(self, running: Floats) -> Floats:
        """A running array's value at each rank, that rank included."""
        return running[self._after]

    def before(self, running: Floats) -> Floats:
        """A running array's value just before each rank."""
        return running[self._after - 1]


def dense_blocks(r: Rankings) -> Iterator[Dense]:
    """The lists of ``r`` down to the deepest rank seen of each, block after block."""
    entries = r.lists.entries
    lists = np.arange(entries.lists) if r.points.list is None else r.points.list
    cut = np.broadcast_to(r.cut, r.points.shape).astype(np.int64)
    if r.points.list is None and cut.ndim == 2:
        lists = np.repeat(lists, cut.shape[1])
    flat = cut.ravel()
    width = np.zeros(entries.lists, np.int64)
    np.maximum.at(width, lists, flat)
    order = np.argsort(lists, kind="stable")
    first = np.searchsorted(lists[order], np.arange(entries.lists + 1))
    ends = np.concatenate([[0], np.cumsum(width)])
    start = 0
    while start < entries.lists:
        stop = max(int(np.searchsorted(ends, ends[start] + _CELLS, side="right")) - 1, start + 1)
        offsets = ends[start : stop + 1] - ends[start]
        a, b = int(entries.offsets[start]), int(entries.offsets[stop])
        own = entries.list[a:b] - start
        rank = entries.rank[a:b]
        seen = rank <= width[start:stop][own]
        gain = np.zeros(int(offsets[-1]))
        gain[(offsets[own] + rank - 1)[seen]] = r.gain[a:b][seen]
        points = order[first[start] : first[stop]]
        where = lists[points] - start
        yield Dense(gain, offsets, points, offsets[where] + where + flat[points])
        start = stop
