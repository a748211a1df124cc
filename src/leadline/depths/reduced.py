"""Scores after judgments are taken away, computed only where something changes.

Leaving one run out of a pool removes few judgments, and those that different groups alone brought in are different
ones. So every pair (group, topic) that loses something becomes a topic of its own in an enlarged Track, and one pass
over that scores all runs under all reductions; every other score is the old one.

How much has to be recomputed depends on what a measure looks at, and that is not declared but observed while the
unreduced lists are scored: most measures see documents with a gain only, so that removing others cannot change them;
Bpref counts all judged documents above the hits, condensed runs move up over unjudged ones; a measure that looks at
the judged documents themselves is scored again from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline import _core
from leadline.measures.base import Measure
from leadline.measures.scoring import Labellers, check_ties
from leadline.rankings.entries import Entries, Floats, Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.labels import NEVER, Judgments, Labels
from leadline.rankings.track import Track
from leadline.rankings.view import Labelled
from leadline.stats._arrays import thread_map

__all__ = ["Look", "Observed", "Owners", "Rescored", "owners", "rescored"]

Bools = NDArray[np.bool_]
Ranks = NDArray[np.int32]
_CELLS = 1 << 18  # entries scored at once: a few arrays of two megabytes


class Look(IntEnum):
    """How much of the judgments a measure looks at."""

    GAINS = 0  # documents with a gain, and what topics offer of them
    COUNTS = 1  # also how many judged documents stand above, or how many a topic has
    JUDGED = 2  # also the judged documents themselves


class Owners:
    """Who brings each judgment into the pool: the best rank, the group that has it, the best rank of other groups."""

    def __init__(self, best: Ranks, first: Ints, second: Ranks, depth: int) -> None:
        self.best, self.first, self.second = best, first, second
        self.owner = np.where(second > depth, first, -1)  # the group without which the judgment is lost, −1 if none

    def without(self, rows: Ints, group: Ints) -> Ranks:
        """Best rank of the given rows over all groups but ``group``."""
        return np.where(self.first[rows] == group, self.second[rows], self.best[rows])


def owners(track: Track, group: Ints, depth: int) -> Owners:
    """Ownership of the judgments of ``track`` in its pool of ``depth``; ``group`` is −1 for runs outside the pool."""
    rows = len(track.judgments)
    best, second = (np.full(rows, NEVER, np.int32) for _ in range(2))
    first = np.full(rows, -1)
    topics = len(track.topics)
    for g in np.unique(group[group >= 0]):
        own = np.full(rows, NEVER, np.int32)
        for run in np.flatnonzero(group == g).tolist():
            lists = track.entries.block(run * topics, (run + 1) * topics)
            near = lists.rank <= depth
            row = lists.row[near]  # each at most once in a run
            own[row] = np.minimum(own[row], lists.rank[near])
        wins = own < best
        second = np.where(wins, best, np.minimum(second, own))
        first[wins] = g
        best = np.minimum(best, own)
    return Owners(best, first, second, depth)


# what a measure looks at ----------------------------------------------------------------------------------------------
class _WatchedLabels(Labels):
    """Labels that tell when somebody looks at the judgments behind them."""

    def __init__(self, plain: Labels, note: Callable[[Look], None]) -> None:
        self.__dict__.update(vars(plain))
        for name in ("seen", "R", "available", "ideal", "ideal_gain"):  # known before anybody watches
            self.__dict__[name] = getattr(plain, name)
        self._plain, self._note = plain, note

    def __getattribute__(self, name: str) -> Any:
        if name == "judgments":
            self._note(Look.COUNTS)
        return super().__getattribute__(name)

    def pool(self, best_rank: Ranks) -> Entries:
        """As the plain ones have it."""
        return self._plain.pool(best_rank)


class _Watched(Labelled):
    """Labelled lists that remember how much of them was looked at."""

    def __init__(self, lists: Labelled) -> None:
        self.__dict__.update(vars(lists))
        self.look = Look.COUNTS if lists.condensed else Look.GAINS
        self.ranks = False  # whether the best ranks of judgments were asked for
        self.labels = _WatchedLabels(lists.labels, self.note)

    def note(self, look: Look) -> None:
        """Remember the most that was looked at."""
        self.look = max(self.look, look)

    def __getattribute__(self, name: str) -> Any:
        if name == "_above":
            self.note(Look.COUNTS)
        elif name == "judged":
            self.note(Look.JUDGED)
        elif name == "best_rank":
            self.ranks = True
        return super().__getattribute__(name)


class Observed:
    """Scores of all lists, and what a measure looked at to find them."""

    def __init__(self, part: Measure, labeller: Labeller) -> None:
        check_ties(part, labeller.track)
        watched = _Watched(part.label(labeller))
        self.values = part.at(watched.whole(part.depth))
        whole = part.all_judged or labeller.track.ties in ("share", "mean-gain")
        self.look = Look.JUDGED if whole else watched.look
        self.ranks = watched.ranks  # whether a shallower pool matters
        self.seen: Bools = watched.labels.seen


# scoring where something changes --------------------------------------------------------------------------------------
class Rescored:
    """New scores of all runs (runs × pairs) on each pair of a group and a topic that its absence changes."""

    def __init__(self, topic: Ints, group: Ints, values: Floats) -> None:
        self.topic, self.group, self.values = topic, group, values

    def without(self, group: int, base: Floats) -> Floats:
        """All scores (runs × topics) in the absence of ``group``."""
        mine = self.group == group
        out = base.copy()
        out[:, self.topic[mine]] = self.values[:, mine]
        return out


def rescored(m: Measure, track: Track, owned: Owners, threads: int | None = None) -> tuple[Floats, Rescored]:
    """Scores of ``m`` on ``track`` (runs × topics), and the scores that change when a group is left out.

    A compound measure is split into its parts on the unreduced Track, so that its scale of labels stays the same.
    """
    labellers = Labellers()
    parts = m.parts(track)
    found = [Observed(part, labellers(t)) for part, t in parts]
    base = m.combine([f.values for f in found]).reshape(track.shape)
    look = max(f.look for f in found)
    changed = owned.second > owned.best if any(f.ranks for f in found) else owned.owner >= 0
    if look == Look.GAINS:
        changed &= np.logical_or.reduce([f.seen for f in found])
    groups = int(owned.first.max(initial=0)) + 1
    pair = np.unique(track.judgments.topic[changed] * groups + owned.first[changed])
    topic, group = pair // groups, pair % groups
    values: Floats = np.empty((len(track.runs), len(pair)))
    if look == Look.JUDGED:
        for g in np.unique(group).tolist():
            mine = group == g
            values[:, mine] = _from_the_start(m, track, owned, g, topic[mine])
        return base, Rescored(topic, group, values)
    sights = [_Sight(part, t, owned, f.seen, groups, look) for (part, t), f in zip(parts, found, strict=True)]
    cost = max(sights, key=lambda s: len(s.seen)).seen.counts.reshape(track.shape).sum(axis=0)

    def one(block: slice) -> None:
        scored = [sight.score(topic[block], group[block]) for sight in sights]
        values[:, block] = m.combine(scored).reshape(len(track.runs), -1)

    thread_map(one, _blocks(topic, cost), threads)
    return base, Rescored(topic, group, values)


def _from_the_start(m: Measure, track: Track, owned: Owners, group: int, topics: Ints) -> Floats:
    """Scores of all runs on ``topics`` without the judgments of ``group``, by masking the Track."""
    kept = np.flatnonzero(owned.owner != group)
    labellers = Labellers()
    scored = []
    for part, whole in m.parts(track):
        reduced = whole.masked(owned.owner != group)
        reduced.__dict__["best_rank"] = owned.without(kept, np.full(len(kept), group))
        scored.append(part.at(part.label(labellers(reduced)).whole(part.depth)))
    return m.combine(scored).reshape(track.shape)[:, topics]


def _blocks(topic: Ints, cost: Ints) -> Iterator[slice]:
    """Consecutive pairs (sorted by topic), whole topics at a time, of about ``_CELLS`` entries."""
    ends = (np.flatnonzero(np.diff(topic, append=-1)) + 1).tolist()
    spent = np.concatenate([[0], np.cumsum(cost[topic])])
    start = 0
    for i, end in enumerate(ends):
        if i + 1 == len(ends) or spent[ends[i + 1]] - spent[start] > _CELLS:
            yield slice(start, end)
            start = end


class _Sight:
    """What one part of a measure sees of a Track, ready to be reduced."""

    def __init__(self, part: Measure, track: Track, owned: Owners, seen: Bools, groups: int, look: Look) -> None:
        self.part, self.track, self.owned, self.groups = part, track, owned, groups
        self.counted = look == Look.COUNTS
        judged = track.entries
        grade = track.judgments.grade
        rank, row, offsets, *self.above = _core.select(judged.rank, judged.row, judged.offsets, seen, grade >= 0)
        self.seen = Entries(rank, row, offsets)
        self.rows = np.ones(len(seen), bool) if self.counted else seen
        if self.counted:
            self.gone = judged.where(owned.owner[judged.row] >= 0)

    def score(self, topic: Ints, group: Ints) -> Floats:
        """Scores of all runs on each pair, run by run."""
        runs, topics = self.track.shape
        own, place = np.unique(topic, return_inverse=True)
        lists = (np.arange(runs)[:, None] * topics + own).ravel()  # the lists concerned, run by run …
        virtual = (np.arange(runs)[:, None] * len(own) + place).ravel()  # … and that of each run and pair
        pair_of_list = np.tile(np.arange(len(topic)), runs)
        source, local_offsets = _places(self.seen.offsets, lists)
        at, offsets = _places(local_offsets, virtual)
        pair = np.repeat(pair_of_list, np.diff(offsets))
        row = self.seen.row[source][at]
        kept = np.flatnonzero(self.owned.owner[row] != group[pair])
        at, pair, row = at[kept], pair[kept], row[kept]
        remaining = _Remaining(self.track.judgments, self.rows, self.owned.owner, topic, group)
        rank = self.seen.rank[source][at]
        entries = Entries(rank, remaining.number(row, pair), np.searchsorted(kept, offsets))
        track = self._track(topic, lists[virtual], remaining.judgments(self.track.gmax), entries)
        track.__dict__["best_rank"] = self.owned.without(remaining.rows, group[remaining.pair])
        above: tuple[Ranks, ...] = _NOTHING
        judged = entries.counts
        if self.counted:
            local = Entries(self.seen.rank[source], self.seen.row[source], local_offsets)
            lost = self._lost(lists, local)
            above = tuple(a[source][at] - table[at, group[pair]] for a, table in zip(self.above, lost[:2], strict=True))
            judged = self.track.entries.counts[lists][virtual] - lost[2][virtual, group[pair_of_list]]
        labeller = _Settled(track, entries, above, judged)
        return self.part.at(self.part.label(labeller).whole(self.part.depth))

    def _track(self, topic: Ints, lists: Ints, judgments: Judgments, entries: Entries) -> Track:
        track = self.track
        return track._with(
            topics=[track.topics[t] for t in topic],
            judgments=judgments,
            entries=entries,
            lengths=track.lengths[lists],
            answered=track.answered[lists],
            scores=None,
            terminal=None if track.terminal is None else track.terminal[lists],
            nil_rank=None,
            list_id=None,
            row_id=None,
        )

    def _lost(self, lists: Ints, local: Entries) -> tuple[Ranks, Ranks, Ints]:
        """How many documents each group alone brought in: above each entry (all, and those assessed), and by list."""
        gone = self.gone.take(lists)
        owner = self.owned.owner[gone.row]
        next_ = _core.positions(local.rank, local.offsets, gone.list, gone.rank.astype(np.float64)) - gone.list
        inside = next_ < local.offsets[1:][gone.list]  # some entry stands below it
        assessed = self.track.judgments.grade[gone.row] >= 0
        above = self._table(local, next_[inside], owner[inside])
        if not assessed.all():
            chosen = inside & assessed
            assessed_above = self._table(local, next_[chosen], owner[chosen])
        else:
            assessed_above = above
        per_list = np.bincount(gone.list * self.groups + owner, minlength=len(lists) * self.groups)
        return above, assessed_above, per_list.reshape(-1, self.groups)

    def _table(self, local: Entries, next_: Ints, owner: Ints) -> Ranks:
        """Entries × groups: documents of each group above each entry, given the entry below each document."""
        shape = (len(local), self.groups)
        table = np.bincount(next_ * self.groups + owner, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int32)
        starts = local.offsets[:-1][local.counts > 0]
        if len(starts) > 1:  # what the list before has in all is taken off where the next one begins
            table[starts[1:]] -= np.add.reduceat(table, starts, axis=0)[:-1]
        return np.cumsum(table, axis=0, dtype=np.int32)


def _places(offsets: Ints, lists: Ints) -> tuple[Ints, Ints]:
    """Places of the entries of ``lists``, one list after the other, and where each begins."""
    counts = np.diff(offsets)[lists]
    starts = np.concatenate([[0], np.cumsum(counts)])
    return np.arange(starts[-1]) + np.repeat(offsets[lists] - starts[:-1], counts), starts


class _Remaining:
    """The judgments that remain of the topic of each pair: ``rows`` are their old numbers, ``pair`` their pairs."""

    def __init__(self, old: Judgments, visible: Bools, owner: Ints, topic: Ints, group: Ints) -> None:
        at, starts = _places(old.offsets, topic)
        pair = np.repeat(np.arange(len(topic)), np.diff(starts))
        keep = visible[at] & (owner[at] != group[pair])
        self.rows, self.pair = at[keep], pair[keep]
        self._old = old
        self._before = np.concatenate([[0], np.cumsum(keep)])
        self._starts = starts
        self._shift = starts[:-1] - old.offsets[topic]

    def number(self, row: Ranks, pair: Ints) -> Ranks:
        """New numbers of old rows that remain."""
        return np.asarray(self._before[self._shift[pair] + row], np.int32)

    def judgments(self, gmax: int) -> Judgments:
        """Them as judgments of the pairs."""
        return Judgments(self._before[self._starts], self._old.labels[self.rows], gmax)


class _Settled(Labeller):
    """A labeller whose entries are settled already."""

    def __init__(self, track: Track, entries: Entries, above: tuple[Ranks, ...], judged: Ints) -> None:
        super().__init__(track)
        self._settled, self._judged = entries, judged
        self._above = (above[0], above[1])

    def _entries(self, keep: Bools | None, judged_only: bool) -> tuple[Entries, Ints, tuple[Ranks, Ranks]]:
        entries, lengths = self._settled, self.track.lengths
        if judged_only:  # judged documents move up over the unjudged ones
            entries = Entries(self._above[0] + np.int32(1), entries.row, entries.offsets)
            lengths = self._judged
        return entries, lengths, self._above


_NOTHING = (np.zeros(0, np.int32), np.zeros(0, np.int32))
