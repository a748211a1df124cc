"""Completed judgments: the same lists with a label for every unjudged document, each list a topic of its own.

A completion changes R and the ideal list, and it does so for one list alone: what is unjudged in it may not even
occur in another. So each list becomes a topic with its own copy of the judgments, and the measure's own formula
scores them all.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadline.measures.base import Measure
from leadline.rankings.entries import Entries, Floats, Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.labels import NEVER, Judgments
from leadline.rankings.track import Track

__all__ = ["NOTHING", "Lists", "ragged", "score"]

NOTHING = -(1 << 30)  # no document


class Lists:
    """Some lists of a Track (repeated ones too), down to a depth, with the places of their unjudged documents."""

    def __init__(self, track: Track, lists: Ints, depth: float = np.inf) -> None:
        self.track = track
        self.lists = lists
        self.topic = track.topic_of_list[lists]
        self.lengths = np.minimum(track.lengths[lists], depth).astype(np.int64)
        self.depth = depth

    def __len__(self) -> int:
        return len(self.lists)

    def take(self, which: Ints, depth: float = np.inf) -> Lists:
        """Some of them, or some of them several times."""
        return Lists(self.track, self.lists[which], min(depth, self.depth))

    @cached_property
    def entries(self) -> Entries:
        """Their judged documents."""
        entries = self.track.entries.take(self.lists)
        if np.isinf(self.depth):
            return entries
        return entries.where(entries.rank <= self.depth)

    @cached_property
    def unjudged(self) -> Ints:
        """How many documents of each are unjudged."""
        return self.lengths - self.entries.counts

    @cached_property
    def contributing(self) -> NDArray[np.bool_]:
        """Whether the run of each fed the pool."""
        return self.track.contributors[self.lists // len(self.track.topics)]

    @cached_property
    def _starts(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @cached_property
    def _judged_at(self) -> Ints:
        """Flat position of each judged document."""
        return self._starts[self.entries.list] + self.entries.rank - 1

    @cached_property
    def slots(self) -> Ints:
        """Flat position of each unjudged document."""
        open_ = np.ones(int(self._starts[-1]), bool)
        open_[self._judged_at] = False
        return np.flatnonzero(open_)

    @cached_property
    def slot_list(self) -> Ints:
        """The list of each unjudged document."""
        return np.repeat(np.arange(len(self)), self.unjudged)

    @cached_property
    def slot_rank(self) -> Ints:
        """The rank of each unjudged document."""
        return self.slots - self._starts[self.slot_list] + 1

    def completed(self, labels: Ints | int, missing: Ints | None = None) -> Track:
        """The lists with ``labels`` for their unjudged documents (in list and rank order).

        ``missing`` are labels of documents outside the list, a row for each list; NOTHING fills up.
        """
        old = self.track.judgments
        added = np.full((len(self), 0), NOTHING) if missing is None else missing
        there = added != NOTHING
        judged = np.diff(old.offsets)[self.topic]
        rows = np.concatenate([[0], np.cumsum(judged + self.unjudged + there.sum(axis=1))])
        grade = np.empty(int(rows[-1]), np.int32)
        known, known_list = ragged(judged)
        old_row = old.offsets[self.topic][known_list] + known
        grade[rows[known_list] + known] = old.grade[old_row]
        number, _ = ragged(self.unjudged)
        new_row = (rows[:-1] + judged)[self.slot_list] + number
        grade[new_row] = labels
        place, of_list = ragged(there.sum(axis=1))
        grade[(rows[:-1] + judged + self.unjudged)[of_list] + place] = added[there]
        row = np.empty(int(self._starts[-1]), np.int32)
        row[self._judged_at] = rows[self.entries.list] + self.entries.row - old.offsets[self.topic][self.entries.list]
        row[self.slots] = new_row
        rank = ragged(self.lengths)[0] + 1
        track = self._track(Judgments(rows, grade[:, None], self.track.gmax), rank.astype(np.int32), row)
        self._pool(track, rows[known_list] + known, old_row, new_row)
        return track

    def _track(self, judgments: Judgments, rank: NDArray[np.int32], row: NDArray[np.int32]) -> Track:
        track, scores = self.track, self.track.scores
        if scores is not None:
            scores = scores[np.repeat(track.score_offsets[self.lists], self.lengths) + rank - 1]
        return Track(
            runs=["completed"],
            topics=[str(i) for i in range(len(self))],
            judgments=judgments,
            entries=Entries(rank, row, self._starts),
            lengths=self.lengths,
            answered=track.answered[self.lists],
            scores=scores,
            terminal=None if track.terminal is None else track.terminal[self.lists],
            pool_depth=track.pool_depth,
            ties=track.ties,
        )

    def _pool(self, track: Track, known: Ints, old_row: Ints, new_row: Ints) -> None:
        """Best ranks over the real contributors; a new document is taken to have none better than in its own list."""
        best = np.full(len(track.judgments), NEVER, np.int32)
        best[known] = self.track.best_rank[old_row]
        best[new_row] = np.where(self.contributing[self.slot_list], self.slot_rank, NEVER)
        track.__dict__["best_rank"] = best


def ragged(counts: Ints) -> tuple[Ints, Ints]:
    """0, 1, … within each of several groups of the given sizes, and the group of each."""
    group = np.repeat(np.arange(len(counts)), counts)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return np.arange(int(starts[-1])) - starts[group], group


def score(m: Measure, track: Track) -> Floats:
    """The measure's own value of each list; NaN where undefined."""
    return m.at(m.label(Labeller(track)).whole(m.depth))
