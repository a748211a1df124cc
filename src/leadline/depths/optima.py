r"""The search for the length at which a list had better stopped.

$$n^* = \min\bigl\{n : M(d_1 \dots d_n) \ge \max_{0 \le m \le \mathrm{len}} M(d_1 \dots d_m) - 10^{-12}\bigr\}$$

A measure that a worthless document never raises has its optimum at n = 0 or at a rank where there is something to see;
only those few ranks are looked at. For all others every length is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from leadline.depths.curves import run_curves
from leadline.errors import UsageError
from leadline.measures.base import Measure
from leadline.measures.scoring import Labellers, check_ties
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track
from leadline.rankings.view import Labelled, Rankings

__all__ = ["TOLERANCE", "Found", "best_of_rows", "optima", "over_runs"]

TOLERANCE = 1e-12  # values this close to the maximum are maxima
_ENTRIES = 1 << 18  # per block of runs: arrays small enough for the cache, blocks few enough for two threads

T = TypeVar("T")
Found: TypeAlias = tuple[Floats, Floats, Floats]  # of every list: best length, value there, value of the whole list
Parts: TypeAlias = list[tuple[Measure, Labelled]]


def optima(measures: Sequence[Measure], track: Track, undefined: str, threads: int | None) -> dict[Measure, Found]:
    """The optimum of every list under every measure; NaN where a measure is undefined at every length.

    The value of the whole list is as the measure gives it, undefined ones not yet settled.
    """
    labellers = Labellers()
    parts = {m: _parts(m, track, labellers) for m in measures}
    sparse = {m: p for m, p in parts.items() if _rises_only_at_hits(m, p)}
    found = _at_hits(sparse, track, undefined, threads) if sparse else {}
    rest = {m: _everywhere(m, track, labellers, undefined, threads) for m in measures if m not in found}
    return {m: (found | rest)[m] for m in measures}


def _parts(m: Measure, track: Track, labellers: Labellers) -> Parts:
    if not m.per_topic:
        raise UsageError(f"{m} exists for whole runs only; it cannot say where a list should stop.")
    parts = m.parts(track)
    for part, part_track in parts:
        check_ties(part, part_track)
    return [(part, part.label(labellers(part_track))) for part, part_track in parts]


def _rises_only_at_hits(m: Measure, parts: Parts) -> bool:
    """Whether only ranks with something to see can be optima; a measure of parts must rise with them to be sure."""
    monotone = m.rises_only_at_hits or m.rises_only_at_hits_or_end or type(m).combine is Measure.combine
    return (
        m.higher_is_better
        and monotone
        and all(part.rises_only_at_hits or part.rises_only_at_hits_or_end for part, _ in parts)
    )


# ranks with something to see ------------------------------------------------------------------------------------------
class _Stops:
    """Candidates of each list, ascending: 0, every rank with an entry, the whole list."""

    def __init__(self, lists: Sequence[Labelled], lengths: Ints) -> None:
        first = lists[0].entries
        if all(other.entries is first for other in lists):
            self._lay_out(first.list, _original_ranks(lists[0]), first.counts, lengths)
            return
        width = int(lengths.max(initial=0)) + 1
        keys = np.unique(np.concatenate([x.entries.list * width + _original_ranks(x) for x in lists]))
        list_, rank = np.divmod(keys, width)
        self._lay_out(list_, rank.astype(np.int32), np.bincount(list_, minlength=len(lengths)), lengths)

    def _lay_out(self, list_: Ints, rank: NDArray[np.int32], counts: Ints, lengths: Ints) -> None:
        self.counts = counts + 2
        ends = np.cumsum(self.counts)
        self.starts, self.last = ends - self.counts, ends - 1
        self.list = np.repeat(np.arange(len(lengths)), self.counts)
        self.n = np.zeros(len(self.list), np.int64)
        self.n[np.arange(len(rank)) + 2 * list_ + 1] = rank
        self.n[self.last] = lengths

    def best(self, values: Floats, m: Measure, zero: bool) -> Found:
        """The smallest best candidate of each list, the value there, the value of the whole list."""
        seek = values if m.higher_is_better else -values
        top = np.maximum.reduceat(seek, self.starts)
        if np.isnan(top).any():  # a gap anywhere shows in the maximum
            seek = _filled(seek, zero)
            top = np.maximum.reduceat(seek, self.starts)
        enough = np.flatnonzero(seek >= np.repeat(top - TOLERANCE, self.counts))
        at = enough[np.searchsorted(enough, self.starts)]
        return (*_told(self.n[at], seek[at], m), values[self.last])


def _original_ranks(lists: Labelled) -> NDArray[np.int32]:
    """Ranks of the entries before the run was condensed, if it was: where the system would have stopped."""
    rank: NDArray[np.int32] = lists.entries.rank
    if lists.condensed:
        assert lists.judged is not None
        rank = lists.judged.rank[lists.judged.offsets[lists.entries.list] + rank - 1]
    return rank


def _at_hits(measures: dict[Measure, Parts], track: Track, undefined: str, threads: int | None) -> dict[Measure, Found]:
    """Optima of measures that rise only at hits: block after block of runs, each with all measures."""
    runs, topics = track.shape
    seen = max(len(lists.entries) for parts in measures.values() for _, lists in parts)
    size = max(1, min(_ENTRIES * runs // max(seen, 1), -(-runs // 2)))

    def block(number: int) -> list[Found]:
        start, stop = number * size * topics, min((number + 1) * size, runs) * topics
        return _block(measures, start, stop, track.lengths[start:stop], undefined)

    blocks = over_runs(block, -(-runs // size), threads)
    return {m: _joined([b[i] for b in blocks]) for i, m in enumerate(measures)}


def _block(measures: dict[Measure, Parts], start: int, stop: int, lengths: Ints, undefined: str) -> list[Found]:
    """All measures on the lists ``start … stop``; what measures have in common is made once."""
    common = _Common(start, stop, lengths)
    out = []
    for m, parts in measures.items():
        points = common.stops([lists for _, lists in parts])
        values = [part.at(common.view(points, lists, part.depth)) for part, lists in parts]
        out.append(points.best(m.combine(values), m, _zero(m, undefined)))
    return out


class _Common:
    """Blocks, candidates and views of one block of lists, shared by the measures that can."""

    def __init__(self, start: int, stop: int, lengths: Ints) -> None:
        self.start, self.stop, self.lengths = start, stop, lengths
        self._blocks: dict[int, Labelled] = {}
        self._stops: dict[tuple[int, ...], _Stops] = {}
        self._views: dict[tuple[int, int, float], Rankings] = {}
        self._places: dict[tuple[int, int, float], Ints] = {}

    def block(self, lists: Labelled) -> Labelled:
        """The block of one labelling."""
        if id(lists) not in self._blocks:
            self._blocks[id(lists)] = lists.block(self.start, self.stop)
        return self._blocks[id(lists)]

    def stops(self, labelled: Sequence[Labelled]) -> _Stops:
        """The candidates under one labelling or several."""
        key = tuple(id(lists.entries) for lists in labelled)
        if key not in self._stops:
            self._stops[key] = _Stops([self.block(lists) for lists in labelled], self.lengths)
        return self._stops[key]

    def view(self, points: _Stops, lists: Labelled, depth: float) -> Rankings:
        """The lists stopped at the candidates; labellings of the same entries share the search for places."""
        key, shared = (id(points), id(lists), depth), (id(points), id(lists.entries), depth)
        if key not in self._views:
            view = self.block(lists).at_stops(points.list, points.n, depth)
            if shared in self._places:
                view.places = self._places[shared]
            self._places[shared] = view.places
            self._views[key] = view
        return self._views[key]


# every length ---------------------------------------------------------------------------------------------------------
def _everywhere(m: Measure, track: Track, labellers: Labellers, undefined: str, threads: int | None) -> Found:
    """Optima of any measure, from its whole curve, run by run."""
    points = np.arange(int(track.lengths.max(initial=0)) + 1)
    one = run_curves(m, track, "length", points, labellers)
    zero = _zero(m, undefined)
    return _joined(over_runs(lambda run: best_of_rows(one(run), m, zero), len(track.runs), threads))


def best_of_rows(curves: Floats, m: Measure, zero: bool) -> Found:
    """Optima of curves (lists × lengths from 0; past the end of a list its last value)."""
    seek = _filled(curves if m.higher_is_better else -curves, zero)
    top = seek.max(axis=1, keepdims=True)
    n = np.argmax(seek >= top - TOLERANCE, axis=1)
    return (*_told(n, seek[np.arange(len(seek)), n], m), curves[:, -1])


# both -----------------------------------------------------------------------------------------------------------------
def _zero(m: Measure, undefined: str) -> bool:
    return undefined == "zero" and m.zero_if_undefined


def _filled(seek: Floats, zero: bool) -> Floats:
    """Undefined values as 0 by rule, or as worse than all others."""
    gaps = np.isnan(seek)
    return np.where(gaps, 0.0 if zero else -np.inf, seek) if gaps.any() else seek


def _told(n: Ints, sought: Floats, m: Measure) -> tuple[Floats, Floats]:
    """Best lengths and their values, NaN where nothing is defined."""
    nowhere = np.isneginf(sought)
    return np.where(nowhere, np.nan, n), np.where(nowhere, np.nan, sought if m.higher_is_better else -sought)


def _joined(parts: Sequence[Found]) -> Found:
    length, value, full = (np.concatenate(column) for column in zip(*parts, strict=True))
    return length, value, full


def over_runs(one: Callable[[int], T], count: int, threads: int | None) -> list[T]:
    """``one`` for 0 … ``count`` − 1 over threads; the result does not depend on their number."""
    if threads is not None and threads < 1:
        raise UsageError(f"threads must be at least 1. Got {threads} instead.")
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else (os.cpu_count() or 1)
    with ThreadPoolExecutor(threads or cores) as pool:
        return list(pool.map(one, range(count)))
