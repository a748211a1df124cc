"""Flat ragged arrays with per-list scans: the arithmetic under every measure.

List ``l`` owns the entries ``offsets[l] … offsets[l+1]``, in rank order. Only documents that a measure can see are
entries (the relevant ones, or all judged ones); everything between them is implied by their ranks. Sums restart in
every list (see ``src/native/segments.cpp``).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from leadline import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Entries", "Points"]

# numpy.typing.NDArray spelled out: its module is needed by type checkers only
Floats = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
Ints = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
T = TypeVar("T", bound=np.generic)


class Entries:
    """Entries of many lists: their ranks and the row of the judgment each one is."""

    def __init__(self, rank: NDArray[np.int32], row: NDArray[np.int32], offsets: Ints) -> None:
        self.rank = rank
        self.row = row
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return len(self.offsets) - 1

    @cached_property
    def counts(self) -> Ints:
        """Entries in each list."""
        return np.diff(self.offsets)

    @cached_property
    def list(self) -> Ints:
        """The list of each entry."""
        return np.repeat(np.arange(self.lists), self.counts)

    @cached_property
    def after(self) -> Ints:
        """Cell of a running array just after each entry."""
        return np.arange(1, len(self) + 1) + self.list

    def where(self, keep: NDArray[np.bool_]) -> Entries:
        """Only the entries for which ``keep`` holds."""
        kept = np.flatnonzero(keep)
        return Entries(self.rank[kept], self.row[kept], np.searchsorted(kept, self.offsets))

    def block(self, start: int, stop: int) -> Entries:
        """The lists ``start … stop`` alone; the arrays are views."""
        a, b = int(self.offsets[start]), int(self.offsets[stop])
        return Entries(self.rank[a:b], self.row[a:b], self.offsets[start : stop + 1] - a)

    def take(self, lists: Ints) -> Entries:
        """The given lists, in the given order."""
        counts = self.counts[lists]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        at = np.arange(offsets[-1]) + np.repeat(self.offsets[lists] - offsets[:-1], counts)
        return Entries(self.rank[at], self.row[at], offsets)

    def count_upto(self, points: Floats) -> Ints:
        """Entries of each list with a rank up to each of the ascending points (lists × points)."""
        at = _core.positions_grid(self.rank, self.offsets, points, np.full(self.lists, np.inf))
        return np.asarray(at - (self.offsets[:-1] + np.arange(self.lists))[:, None])

    def count_at(self, list_: Ints, cut: Floats) -> Ints:
        """Entries of list ``list_[m]`` with a rank up to ``cut[m]``, for each point m."""
        lists, cuts = np.ascontiguousarray(list_, np.int64), np.ascontiguousarray(cut, np.float64)
        at = _core.positions(self.rank, self.offsets, lists, cuts)
        return np.asarray(at - (self.offsets[:-1] + np.arange(self.lists))[lists])

    def running_sum(self, x: Floats) -> Floats:
        """Running sums, one cell for the empty prefix of each list and one after each entry."""
        return _core.running_sum(np.ascontiguousarray(x, np.float64), self.offsets)

    def running_product(self, x: Floats) -> Floats:
        """Running products, laid out like :meth:`running_sum`."""
        return _core.running_product(np.ascontiguousarray(x, np.float64), self.offsets)

    def running_max(self, x: Floats) -> Floats:
        """Running maxima of non-negative values, laid out like :meth:`running_sum`."""
        return _core.running_max(np.ascontiguousarray(x, np.float64), self.offsets)


class Points:
    """Where lists are read: for each point a list and a cut, the ranks up to the cut being seen.

    A score has one point for each list, a curve a grid of lists × points, the search for an optimum a ragged set;
    formulas are elementwise in the points and need not know which.
    """

    def __init__(self, shape: tuple[int, ...], list_: Ints | None) -> None:
        self.shape = shape
        self.list = list_  # None: the lists in order, along the first axis

    def spread(self, per_list: NDArray[T]) -> NDArray[T]:
        """A value of each list, shaped to broadcast against the points."""
        if self.list is not None:
            return per_list[self.list]
        return per_list[:, None] if len(self.shape) == 2 else per_list
