"""What a measure sees: labelled ranks, what each topic offers, and the points at which it is to be read.

A formula is written once, over the *entries* (documents it can see) and the *points* (where the list is looked at), and
serves a score, a curve over evaluation depths and a curve over truncation lengths alike::

    def value(self, r):
        return (1 - self.p) * r.upto(r.gain * self.p ** (r.rank - 1))

``r.k`` is the evaluation depth, ``r.n`` the length of the list, ``r.cut = min(k, n)`` the last rank seen; all three and
every result of ``upto`` broadcast against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from leadline import _core
from leadline.rankings.entries import Entries, Floats, Ints, Points
from leadline.rankings.labels import Labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Floats", "Labelled", "Rankings", "ratio"]

T = TypeVar("T", bound=np.generic)


def ratio(a: NDArray[np.generic] | float, b: NDArray[np.generic] | float) -> Floats:
    """``a / b``, NaN (undefined) where ``b`` is 0."""
    b = np.asarray(b, np.float64)
    return np.asarray(np.asarray(a, np.float64) / np.where(b == 0, np.nan, b), np.float64)


class Labelled:
    """Many lists under one labelling: the common ground of scores, curves and optima."""

    def __init__(
        self,
        entries: Entries,
        labels: Labels,
        lengths: Ints,
        topic: Ints,
        *,
        gain: Floats | None = None,
        hit: Floats | None = None,
        above: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
        judged: Entries | None = None,
        condensed: bool = False,
        best_rank: Callable[[], NDArray[np.int32]] | None = None,
        pool_depth: float = np.inf,
        terminal: NDArray[np.bool_] | None = None,
        returned: Ints | None = None,
    ) -> None:
        self.entries = entries
        self.labels = labels
        self.lengths = lengths
        self.topic = topic
        self._gain, self._hit = gain, hit  # given when they are not those of the rows (shared ties)
        self._above = above
        self.judged = judged  # all judged documents at their original ranks
        self.condensed = condensed
        self.best_rank = best_rank  # asked for only by measures that look at the pool
        self.pool_depth = pool_depth
        self.terminal = terminal
        self.returned = lengths if returned is None else returned  # lengths before condensing

    @cached_property
    def rank(self) -> Floats:
        """Rank of each entry."""
        return self.entries.rank.astype(np.float64)

    @cached_property
    def gain(self) -> Floats:
        """Gain of each entry."""
        return self.labels.gain[self.entries.row] if self._gain is None else self._gain

    @cached_property
    def hit(self) -> Floats:
        """1 for a relevant entry, else 0 (a share of it where ties are shared)."""
        return self.labels.hit[self.entries.row].astype(np.float64) if self._hit is None else self._hit

    def block(self, start: int, stop: int) -> Labelled:
        """The lists ``start … stop`` alone."""
        a, b = int(self.entries.offsets[start]), int(self.entries.offsets[stop])
        return Labelled(
            self.entries.block(start, stop),
            self.labels,
            self.lengths[start:stop],
            self.topic[start:stop],
            gain=None if self._gain is None else self._gain[a:b],
            hit=None if self._hit is None else self._hit[a:b],
            above=None if self._above is None else (self._above[0][a:b], self._above[1][a:b]),
            judged=None if self.judged is None else self.judged.block(start, stop),
            condensed=self.condensed,
            best_rank=self.best_rank,
            pool_depth=self.pool_depth,
            terminal=None if self.terminal is None else self.terminal[start:stop],
            returned=self.returned[start:stop],
        )

    def whole(self, k: float = np.inf) -> Rankings:
        """Each list once, looked at to depth ``k``; k = 0 is the empty list."""
        n = self.lengths if k > 0 else np.zeros_like(self.lengths)
        return Rankings(self, Points((len(n),), None), n=n, k=k if k > 0 else np.inf)

    def at_depths(self, depths: NDArray[np.generic]) -> Rankings:
        """Each list at ascending evaluation depths; depth 0 is the empty list's score."""
        k = np.asarray(depths, np.float64)
        n = np.where(k == 0, 0, self.lengths[:, None])
        return Rankings(self, Points(n.shape, None), n=n, k=np.where(k == 0, np.inf, k)[None, :], steps=k)

    def at_lengths(self, lengths: NDArray[np.generic], k: float = np.inf) -> Rankings:
        """Each list stopped at ascending lengths (its own length at most), still looked at to depth ``k``."""
        stops = np.asarray(lengths, np.int64)
        ended = None if self.terminal is None else stops[None, :] < self.returned[:, None]
        if k == 0:  # the empty list's score, wherever the list stops
            stops, k = np.zeros_like(stops), np.inf
        if self.condensed:
            assert self.judged is not None
            n = self.judged.count_upto(stops.astype(np.float64))
            return Rankings(self, Points(n.shape, None), n=n, k=k, ended=ended)
        n = np.minimum(stops[None, :], self.lengths[:, None])
        steps = np.minimum(stops, k).astype(np.float64)
        return Rankings(self, Points(n.shape, None), n=n, k=k, steps=steps, ended=ended)

    def at_stops(self, list_: Ints, n: Ints, k: float = np.inf) -> Rankings:
        """List ``list_[m]`` stopped after ``n[m]`` documents, for each point m."""
        ended = None if self.terminal is None else n < self.returned[list_]
        if k == 0:
            n, k = np.zeros_like(n), np.inf
        if self.condensed:
            assert self.judged is not None
            n = self.judged.count_at(list_, n.astype(np.float64))
        return Rankings(self, Points(n.shape, list_), n=n, k=k, ended=ended)


class Rankings:
    """A labelled block of lists together with the points at which they are read."""

    def __init__(
        self, lists: Labelled, points: Points, *, n: Ints, k: float | Floats, steps: Floats | None = None,
        ended: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        self.lists = lists
        self.points = points
        self.n = n
        self.k = k
        self._steps = steps
        self._ended = ended  # where the list is taken to stop before its end, by its system's choice

    def within(self, depth: float) -> Rankings:
        """The same points, looked at to rank ``depth`` at most."""
        steps = None if self._steps is None else np.minimum(self._steps, depth)
        k = np.minimum(self.k, depth)
        return Rankings(self.lists, self.points, n=self.n, k=k, steps=steps, ended=self._ended)

    # entries ---------------------------------------------------------------------------------------------------------
    @property
    def rank(self) -> Floats:
        """Rank of each entry."""
        return self.lists.rank

    @property
    def gain(self) -> Floats:
        """Gain of each entry."""
        return self.lists.gain

    @property
    def hit(self) -> Floats:
        """1 for each relevant entry."""
        return self.lists.hit

    @property
    def grade(self) -> NDArray[np.int32]:
        """Grade of each entry."""
        return self.lists.labels.judgments.grade[self.lists.entries.row]

    @property
    def judged_above(self) -> Floats:
        """How many judged documents stand above each entry."""
        assert self.lists._above is not None
        return self.lists._above[0].astype(np.float64)

    @property
    def assessed_above(self) -> Floats:
        """The same without those of a negative grade, which means pooled but not assessed (trec_eval)."""
        assert self.lists._above is not None
        return self.lists._above[1].astype(np.float64)

    def of_list(self, per_list: NDArray[T]) -> NDArray[T]:
        """A value of each list, given to its entries."""
        return per_list[self.lists.entries.list]

    def of_topic(self, per_topic: NDArray[T]) -> NDArray[T]:
        """A value of each topic, given to the entries of its lists."""
        return per_topic[self.lists.topic][self.lists.entries.list]

    def running(self, x: Floats) -> Floats:
        """Sum of ``x`` over the list's entries up to and including each."""
        return self.lists.entries.running_sum(x)[self.lists.entries.after]

    def before(self, x: Floats) -> Floats:
        """Sum of ``x`` over the list's entries before each."""
        return self.lists.entries.running_sum(x)[self.lists.entries.after - 1]

    def survival(self, x: Floats) -> Floats:
        """Product of ``x`` over the list's entries before each."""
        return self.lists.entries.running_product(x)[self.lists.entries.after - 1]

    # points ----------------------------------------------------------------------------------------------------------
    @cached_property
    def cut(self) -> NDArray[np.float64]:
        """The last rank seen: the end of the list or the evaluation depth."""
        return np.minimum(self.n, self.k)

    @cached_property
    def places(self) -> Ints:
        """Cell of a running array over the entries at each point."""
        entries = self.lists.entries
        if self._steps is not None:
            return _core.positions_grid(entries.rank, entries.offsets, self._steps, np.full(entries.lists, np.inf))
        cut = np.broadcast_to(self.cut, self.points.shape)
        lists = self.points.list
        if lists is None:
            lists = np.broadcast_to(self.points.spread(np.arange(entries.lists)), self.points.shape)
        flat = _core.positions(
            entries.rank, entries.offsets, np.ascontiguousarray(lists).ravel(), np.ascontiguousarray(cut).ravel()
        )
        return flat.reshape(self.points.shape)

    def upto(self, x: Floats) -> Floats:
        """Sum of ``x`` over the entries seen at each point."""
        return self.lists.entries.running_sum(x)[self.places]

    def product_upto(self, x: Floats) -> Floats:
        """Product of ``x`` over the entries seen at each point."""
        return self.lists.entries.running_product(x)[self.places]

    def through(self, weight: Callable[[Floats], Floats]) -> Floats:
        """Sum of ``weight(i)`` over all ranks i seen at each point, relevant or not."""
        last = self.cut.astype(np.int64)
        table = np.concatenate([[0.0], np.cumsum(weight(np.arange(1.0, int(last.max(initial=0)) + 1)))])
        return table[last]

    @cached_property
    def judged(self) -> Floats:
        """How many judged documents are seen at each point."""
        if self.lists.condensed:
            return np.broadcast_to(self.cut, self.points.shape).astype(np.float64)
        entries = self.lists.judged
        assert entries is not None
        if self._steps is not None:
            return entries.count_upto(self._steps).astype(np.float64)
        lists = self.points.list
        if lists is None:
            lists = np.broadcast_to(self.points.spread(np.arange(entries.lists)), self.points.shape).ravel()
        cut = np.broadcast_to(self.cut, self.points.shape).ravel()
        return entries.count_at(lists, cut).reshape(self.points.shape).astype(np.float64)

    def spread(self, per_list: NDArray[T]) -> NDArray[T]:
        """A value of each list, at its points."""
        return self.points.spread(per_list)

    def topicwise(self, per_topic: NDArray[T]) -> NDArray[T]:
        """A value of each topic, at the points of its lists."""
        return self.points.spread(per_topic[self.lists.topic])

    @cached_property
    def R(self) -> NDArray[np.int64]:
        """Relevant documents in the qrels."""
        return self.topicwise(self.lists.labels.R)

    @cached_property
    def nonrelevant(self) -> NDArray[np.int64]:
        """Documents judged not relevant in the qrels."""
        return self.topicwise(self.lists.labels.nonrelevant)

    @cached_property
    def available(self) -> Floats:
        """Total gain in the qrels."""
        return self.topicwise(self.lists.labels.available)

    @cached_property
    def terminal(self) -> NDArray[np.bool_]:
        """Whether the end of the list is an answer of the system ("no more"), and not just where it was cut off."""
        flags = self.lists.terminal
        if flags is None:
            return self.topicwise(np.ones(len(self.lists.labels.R), bool))
        return self.spread(flags) if self._ended is None else self.spread(flags) | self._ended

    # what the topic offers -------------------------------------------------------------------------------------------
    @property
    def ideal_rank(self) -> Floats:
        """Ranks of the topics' ideal lists (entries of topics, not of lists)."""
        return self.lists.labels.ideal.rank.astype(np.float64)

    @property
    def ideal_gain(self) -> Floats:
        """Gains of the topics' ideal lists."""
        return self.lists.labels.ideal_gain

    def ideal_upto(self, x: Floats, cut: Floats | float | None = None) -> Floats:
        """Sum of ``x`` over the ideal list to the evaluation depth (or to ``cut``), at each point.

        An ideal list has an entry at every rank up to its end, so its places need no search; those of a curve over
        depths, the same for all runs, are kept.
        """
        ideal = self.lists.labels.ideal
        if cut is None and np.shape(self.k) == (1, self.points.shape[-1]):
            return np.asarray(ideal.running_sum(x)[self.topic_places(ideal, self.k)])
        start = self.topicwise(ideal.offsets[:-1] + np.arange(ideal.lists))
        seen = np.minimum(self.topicwise(ideal.counts), self.k if cut is None else cut)
        return np.asarray(ideal.running_sum(x)[start + seen.astype(np.int64)])

    def topic_places(self, entries: Entries, cut: Floats | float) -> Ints:
        """Cells of a running array over the *topics'* entries, at the points' ``cut``."""
        topics = np.arange(entries.lists)
        if np.ndim(cut) == 0:
            at = _core.positions(entries.rank, entries.offsets, topics, np.full(len(topics), float(cut)))
            return self.topicwise(at)
        if np.shape(cut)[0] == 1 and len(self.points.shape) == 2:
            columns = np.ascontiguousarray(np.broadcast_to(cut, (1, self.points.shape[1])), np.float64)[0]
            return self.lists.labels.topic_grid(entries, columns)[self.lists.topic]
        where = np.ascontiguousarray(np.broadcast_to(self.topicwise(topics), self.points.shape)).ravel()
        cuts = np.ascontiguousarray(np.broadcast_to(cut, self.points.shape), np.float64).ravel()
        return _core.positions(entries.rank, entries.offsets, where, cuts).reshape(self.points.shape)

    @cached_property
    def pool(self) -> Entries:
        """The topics' rows ordered by the pool depth that brings them in."""
        assert self.lists.best_rank is not None
        return self.lists.labels.pool(self.lists.best_rank())

    @cached_property
    def pool_k(self) -> Floats | float:
        """Depth of the pool that the at-k variants look at: k below the declared pool depth, else the whole."""
        return np.where(np.asarray(self.k) < self.lists.pool_depth, self.k, np.inf)

    def pool_upto(self, x: Floats) -> Floats:
        """Sum of ``x`` over the rows in the topic's depth-k pool (k below the declared depth; else all)."""
        cut = self.pool_k if np.ndim(self.pool_k) else float(self.pool_k)
        return self.pool.running_sum(x)[self.topic_places(self.pool, cut)]
