"""One measure on some lists, the bounds found for it, and the lists spelled out rank by rank in cache-sized blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.depths._bounds.completed import Lists
from leadline.depths._bounds.options import Options
from leadline.measures.base import Measure
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.labels import Labels

__all__ = ["Block", "Bounds", "Flags", "Problem", "before", "by_blocks", "nothing_known", "nothing_known_of"]

Flags = NDArray[np.bool_]
_CELLS = 1 << 17  # ranks in a block: arrays of one megabyte


@dataclass(frozen=True, eq=False)
class Bounds:
    """Lowest and highest score over the completions that have one (NaN if none has), list by list."""

    lower: Floats
    upper: Floats
    exact: Flags  # both are scores of a completion; else the interval only holds them all
    undefined: Flags  # some completion has no score


@dataclass(frozen=True, eq=False)
class Problem:
    """One measure on some lists."""

    m: Any  # a Measure; its parameters are asked for by name
    lists: Lists
    options: Options
    labels: Labels  # judgments of the whole Track, as the measure reads them
    missing: int  # relevant documents that may exist outside the list
    whole: bool = False  # look at whole lists: shared ties reach across the evaluation depth

    @property
    def measure(self) -> Measure:
        """The measure, by its type."""
        assert isinstance(self.m, Measure)
        return self.m

    @property
    def absent(self) -> int:
        """How many relevant documents may be outside: none if no label is relevant."""
        return self.missing if self.options.hit.any() else 0

    @property
    def k(self) -> float:
        """Evaluation depth; depth 0 is the empty list looked at without limit."""
        return self.measure.depth or np.inf

    @cached_property
    def cut(self) -> Ints:
        """Ranks of each list that are seen."""
        depth = np.inf if self.whole and self.measure.depth > 0 else self.measure.depth
        return np.minimum(self.lists.lengths, depth).astype(np.int64)

    @cached_property
    def inside(self) -> Ints:
        """Unjudged documents of each list that are seen."""
        return self.lists.take(np.arange(len(self.lists)), self.measure.depth).unjudged

    @cached_property
    def R(self) -> Ints:
        """Relevant documents known to each list's topic."""
        return self.labels.R[self.lists.topic]


def nothing_known(p: Problem) -> Bounds:
    """The interval that always holds."""
    return nothing_known_of(len(p.lists))


def nothing_known_of(lists: int) -> Bounds:
    """The same by the number of lists."""
    exact = np.zeros(lists, bool)
    return Bounds(np.full(lists, -np.inf), np.full(lists, np.inf), exact, ~exact)


class Block:
    """Some lists of a problem as a matrix, lists × ranks down to the deepest one seen.

    ``row`` is the judgment at each rank, −1 where there is none; ranks past a list's own cut are no documents.
    """

    def __init__(self, p: Problem, index: Ints) -> None:
        self.p = p
        self.index = index  # of its lists, in the problem
        own = p.lists.take(index)
        self.cut = p.cut[index]
        self.topic = own.topic
        self.R = p.R[index].astype(np.float64)
        self.lengths = own.lengths
        self.width = int(self.cut.max(initial=0))
        self.rank = np.arange(1.0, self.width + 1)
        self.row = np.full((len(index), self.width), -1, np.int32)
        entries = own.entries
        seen = entries.rank <= self.cut[entries.list]
        self.row[entries.list[seen], entries.rank[seen] - 1] = entries.row[seen]
        self.judged = self.row >= 0
        self.unjudged = ~self.judged & (np.arange(self.width) < self.cut[:, None])
        self.inside = self.unjudged.sum(axis=1)  # unjudged documents that are seen
        self.outside = own.unjudged - self.inside  # and those below the cut

    def of_rows(self, x: NDArray[Any]) -> Floats:
        """A value of the judgments, at each rank; 0 where there is none."""
        return np.where(self.judged, np.append(x, 0)[self.row], 0).astype(np.float64)

    @cached_property
    def hit(self) -> Floats:
        """1 for each judged relevant document."""
        return self.of_rows(self.p.labels.hit)

    @cached_property
    def gain(self) -> Floats:
        """Gain of each judged document."""
        return self.of_rows(self.p.labels.gain)

    @cached_property
    def hits(self) -> Floats:
        """Judged relevant documents down to each rank, rank 0 first."""
        return before(self.hit)

    @cached_property
    def open(self) -> Floats:
        """Unjudged documents down to each rank, rank 0 first."""
        return before(self.unjudged)

    @cached_property
    def total_open(self) -> Floats:
        """Unjudged documents seen, as a column."""
        return np.asarray(self.inside[:, None], np.float64)


def before(x: NDArray[Any]) -> Floats:
    """Running sums along the ranks, with a column for rank 0."""
    out = np.zeros((x.shape[0], x.shape[1] + 1))
    np.cumsum(x, axis=1, out=out[:, 1:], dtype=np.float64)
    return out


def by_blocks(
    p: Problem, solve: Callable[[Block], tuple[Floats, Floats, Flags]], undefined: Flags, *, spread: int = 1
) -> Bounds:
    """Solve a problem block after block; lists of like length go together. ``spread``: arrays are that much wider."""
    n = len(p.lists)
    lower, upper, exact = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, bool)
    for index in _blocks(p.cut, spread):
        lower[index], upper[index], exact[index] = solve(Block(p, index))
    return Bounds(lower, upper, exact, undefined)


def _blocks(cut: Ints, spread: int) -> Iterator[Ints]:
    order = np.argsort(cut, kind="stable")
    start = 0
    while start < len(order):
        stop = start + 1
        width = int(cut[order[start]]) + 1
        # lists come in rising length, so the last one sets the width
        limit = max(_CELLS // (width * spread), 1)
        stop = min(start + limit, len(order))
        while stop - start > 1 and (stop - start) * (int(cut[order[stop - 1]]) + 1) * spread > _CELLS:
            stop -= max((stop - start) // 8, 1)
        yield order[start:stop]
        start = stop
