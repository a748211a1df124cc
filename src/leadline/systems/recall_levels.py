"""Where the relevant documents stand: for each list the ranks of its first, second, … relevant one, as whole numbers.

Recall level i of a list is the rank of its i-th relevant document. Ties are decided on these integers, never on floats.
To compare all pairs of lists of a topic, its lists are sorted as rows of ranks: the first level on which two of them
differ is then the smallest one on which any neighbours between them do, so that no pair of rows is ever looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadline.errors import NothingToEvaluate, UsageError
from leadline.findings import Finding
from leadline.rankings.entries import Entries
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.stats._arrays import Floats, Ints, blocks

__all__ = ["UNRANKED", "RecallLevels", "first_differences", "reciprocal"]

UNRANKED = np.iinfo(np.int32).max
"""Rank of a relevant document that was not retrieved: behind all others, and RR = 0."""

_CELLS = 1 << 21  # ranks, or pairs × topics, in a block

Ranks = NDArray[np.int32]


class RecallLevels:
    """The ranks of relevant documents of every run, on the topics that have a relevant document.

    ``relevant`` (topics) is m, ``found`` (runs × topics) how many of them each list holds.
    """

    def __init__(
        self, runs: tuple[str, ...], topics: tuple[str, ...], entries: Entries, relevant: Ints, left_out: list[str]
    ) -> None:
        self.runs, self.topics = runs, topics
        self.entries = entries  # list = run * topics + topic
        self.relevant = relevant
        self.left_out = left_out

    @classmethod
    def of(cls, track: Track, rel: int = 1) -> RecallLevels:
        """Recall levels of a Track; topics without a relevant document are left out."""
        if track.ties in ("share", "mean-gain"):
            raise UsageError(f"Preferences need one rank for each document; ties={track.ties!r} has none. Use 'trec'.")
        labelled = Labeller(track)(rel=rel)
        R = labelled.labels.R
        kept = np.flatnonzero(R)
        if not len(kept):
            raise NothingToEvaluate(f"No topic has a relevant document (grade ≥ {rel}).")
        entries = labelled.entries
        if len(kept) < len(R):
            entries = entries.take((np.arange(len(track.runs))[:, None] * len(R) + kept).ravel())
        topics = tuple(track.topics[t] for t in kept)
        return cls(track.runs, topics, entries, R[kept], [t for t, r in zip(track.topics, R, strict=True) if not r])

    @property
    def shape(self) -> tuple[int, int]:
        """Runs, topics."""
        return len(self.runs), len(self.topics)

    @property
    def finding(self) -> list[Finding]:
        """Which topics were left out."""
        text = "left out: no relevant document, so nothing to prefer"
        return [Finding("topics-without-relevant", len(self.left_out), self.left_out, text)] if self.left_out else []

    @cached_property
    def found(self) -> Ints:
        """Relevant documents retrieved, runs × topics."""
        return self.entries.counts.reshape(self.shape)

    def ranks(self, topics: Ints, levels: int) -> Ranks:
        """Rank of the i-th relevant document, runs × topics × levels; :data:`UNRANKED` where there is none."""
        runs = len(self.runs)
        lists = np.arange(runs)[:, None] * len(self.topics) + topics
        level = np.arange(levels)
        at = self.entries.offsets[lists][..., None] + level
        there = level < self.entries.counts[lists][..., None]
        out = np.full((runs, len(topics), levels), UNRANKED, np.int32)
        out[there] = self.entries.rank[at[there]]
        return out

    def first(self, level: int = 1) -> Ranks:
        """Rank of the ``level``-th relevant document, runs × topics."""
        return self.ranks(np.arange(len(self.topics)), level)[:, :, level - 1]

    def blocks(self, *, least: int = 1) -> Iterator[tuple[Ints, Ranks]]:
        """Topics and their ranks, as many levels as any run has (``least`` at least); equally rich topics together."""
        runs = len(self.runs)
        wide = np.maximum(self.found.max(axis=0), least)
        order = np.argsort(wide, kind="stable")
        start = 0
        while start < len(order):
            size = max(1, _CELLS // max(runs * runs, runs * int(wide[order[start]])))
            while size > 1 and runs * size * int(wide[order[min(start + size, len(order)) - 1]]) > 2 * _CELLS:
                size //= 2
            topics = order[start : start + size]
            yield topics, self.ranks(topics, int(wide[topics[-1]]))
            start += size

    def masked(self, keep: NDArray[np.bool_]) -> RecallLevels:
        """As if only the judgments in ``keep`` were relevant; every topic stays, m included."""
        kept = self.entries.where(keep[self.entries.row])
        return RecallLevels(self.runs, self.topics, kept, self.relevant, self.left_out)


def reciprocal(ranks: Ranks) -> Floats:
    """RR = 1/rank; 0 for what was not retrieved.

    >>> reciprocal(np.array([1, 4, UNRANKED], np.int32)).tolist()
    [1.0, 0.25, 0.0]
    """
    return np.where(ranks == UNRANKED, 0.0, 1.0 / ranks)


def first_differences(ranks: Ranks, first: Ints, second: Ints) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
    """For each pair of runs and each topic the first place where their rows differ, and who has the smaller entry.

    ``ranks`` is runs × topics × places. The place counts from 1, 0 means that the rows are equal; the sign is 1 where
    ``first`` has the smaller entry. Both results are pairs × topics.

    >>> rows = np.array([[[2, 5, 9]], [[2, 4, 11]], [[2, 5, 9]]], np.int32)
    >>> place, sign = first_differences(rows, np.array([0, 0, 1]), np.array([1, 2, 2]))
    >>> place.ravel().tolist(), sign.ravel().tolist()
    ([2, 0, 2], [-1, 0, 1])
    """
    runs, topics, places = ranks.shape
    order = _sorted_rows(ranks)
    position = np.empty((topics, runs), np.int64)
    np.put_along_axis(position, order, np.arange(runs)[None], axis=1)
    rows = np.take_along_axis(ranks.swapaxes(0, 1), order[:, :, None], axis=1)
    differs = rows[:, 1:] != rows[:, :-1]
    common = np.where(differs.any(axis=2), differs.argmax(axis=2), places).astype(np.int32)
    shared = np.full((topics, runs, runs), places, np.int32)  # [t, i, j]: places that sorted rows i … j have in common
    for i in range(runs - 1):
        np.minimum.accumulate(common[:, i:], axis=1, out=shared[:, i, i + 1 :])
    a, b = position[:, first], position[:, second]
    low, high = np.minimum(a, b), np.maximum(a, b)
    equal = shared[np.arange(topics)[:, None], low, high]
    tied = equal == places
    place = np.where(tied, 0, equal + 1).astype(np.int32)
    sign = np.where(tied, 0, np.where(a < b, 1, -1)).astype(np.int8)
    return place.T, sign.T


def _sorted_rows(ranks: Ranks) -> Ints:
    """Order of the runs by their rows, topics × runs: one sort of all rows as big-endian bytes, topic first."""
    runs, topics, places = ranks.shape
    keys = np.empty((topics, runs, places + 1), ">u4")
    keys[:, :, 0] = np.arange(topics)[:, None]
    keys[:, :, 1:] = ranks.swapaxes(0, 1)
    order = np.argsort(keys.reshape(-1, places + 1).view(f"S{4 * (places + 1)}").ravel(), kind="stable")
    return np.asarray(order.reshape(topics, runs) % runs)


def smaller_counts(ranks: Ranks) -> NDArray[np.int32]:
    """On how many levels run a has the smaller rank than run b: runs × runs × topics."""
    runs, topics, levels = ranks.shape
    out = np.empty((runs, runs, topics), np.int32)
    for b in blocks(topics, _CELLS // max(1, runs * runs * levels)):
        part = np.ascontiguousarray(ranks[:, b])
        out[:, :, b] = np.count_nonzero(part[:, None] < part[None], axis=3)
    return out
