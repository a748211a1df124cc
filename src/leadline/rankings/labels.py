"""Judgments as arrays, and one reading of them: which are relevant, what each gains, what a topic offers in all."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline import _core
from leadline.rankings.entries import Entries, Floats, Ints
from leadline.rankings.gains import gain_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Judgments", "Labels"]

NEVER = np.iinfo(np.int32).max  # best rank of a judgment that no contributor retrieved


class Judgments:
    """The qrels: rows grouped by topic, a grade and perhaps further label columns in each."""

    def __init__(self, offsets: Ints, labels: NDArray[np.int32], gmax: int | None = None) -> None:
        self.offsets = offsets
        self.labels = labels
        self._gmax = gmax

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return len(self.offsets) - 1

    @property
    def grade(self) -> NDArray[np.int32]:
        """The first label column."""
        return self.labels[:, 0]

    @cached_property
    def topic(self) -> Ints:
        """The topic of each row."""
        return np.repeat(np.arange(self.topics), np.diff(self.offsets))

    @cached_property
    def gmax(self) -> int:
        """Top grade of the whole, unrestricted qrels, at least 1 (DEFINITIONS §1)."""
        if self._gmax is not None:
            return self._gmax
        return max(int(self.grade.max(initial=1)), 1)

    def count(self, mask: NDArray[np.bool_]) -> Ints:
        """How many rows of each topic satisfy ``mask``."""
        before = np.concatenate([[0], np.cumsum(mask)])
        return np.diff(before[self.offsets])

    def regrade(self, grade: NDArray[np.int32], gmax: int | None = None) -> Judgments:
        """The same rows under other grades; ``gmax`` is that of the new grades unless given."""
        return Judgments(self.offsets, np.ascontiguousarray(grade, np.int32)[:, None], gmax)


class Labels:
    """Judgments read with one threshold and one gain map."""

    def __init__(self, judgments: Judgments, rel: int, gain: str | Mapping[int, float], gmax: int | None) -> None:
        self.judgments = judgments
        self.hit = judgments.grade >= rel
        self.gain = gain_of(judgments.grade, gain, gmax=gmax or judgments.gmax, rel=rel)
        self._grids: dict[tuple[int, bytes], Ints] = {}

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Rows that a measure of gains and hits can tell from an unjudged document."""
        return np.asarray(self.hit | (self.gain != 0))

    @cached_property
    def R(self) -> Ints:
        """Relevant documents of each topic."""
        return self.judgments.count(self.hit)

    @cached_property
    def nonrelevant(self) -> Ints:
        """Documents of each topic judged not relevant (a negative grade is no such judgment, as in trec_eval)."""
        return self.judgments.count(~self.hit & (self.judgments.grade >= 0))

    @cached_property
    def available(self) -> Floats:
        """Total gain that each topic offers."""
        sums = self.ideal.running_sum(self.ideal_gain)
        return np.asarray(sums[self.ideal.offsets[1:] + np.arange(self.judgments.topics)])

    @cached_property
    def ideal(self) -> Entries:
        """The best list of each topic: its positive gains, largest first."""
        rows = np.flatnonzero(self.gain > 0)
        topic = self.judgments.topic[rows]
        order = np.lexsort((-self.gain[rows], topic))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=self.judgments.topics))])
        rank = np.arange(1, len(rows) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
        return Entries(rank.astype(np.int32), rows[order].astype(np.int32), offsets)

    @cached_property
    def ideal_gain(self) -> Floats:
        """Gains along :attr:`ideal`."""
        return self.gain[self.ideal.row]

    def topic_grid(self, entries: Entries, columns: Floats) -> Ints:
        """Cells of a running array over the topics' ``entries`` at each of the cuts ``columns`` (topics × cuts).

        Kept, since a curve asks for the same grid once for every block of lists.
        """
        key = (id(entries), columns.tobytes())
        grid = self._grids.get(key)
        if grid is None:
            order = np.argsort(columns, kind="stable")
            grid = np.empty((entries.lists, len(columns)), np.int64)
            limit = np.full(entries.lists, np.inf)
            grid[:, order] = _core.positions_grid(entries.rank, entries.offsets, columns[order], limit)
            self._grids = {key: grid}  # replaced as a whole: several threads may ask at once
        return grid

    def pool(self, best_rank: NDArray[np.int32]) -> Entries:
        """What a pool shows of each topic: rows with something to see, ordered by the depth that brings them in."""
        rows = np.flatnonzero(self.seen)
        topic = self.judgments.topic[rows]
        order = np.lexsort((best_rank[rows], topic))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=self.judgments.topics))])
        return Entries(best_rank[rows[order]], rows[order].astype(np.int32), offsets)
