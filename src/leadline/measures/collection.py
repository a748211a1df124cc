"""Measures over the whole collection: every document has a rank, those not retrieved share the last one."""

from __future__ import annotations

import numpy as np

from leadline.errors import UsageError
from leadline.measures.base import Measure
from leadline.rankings.entries import Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.view import Floats, Labelled, Rankings

__all__ = ["CollectionMeasure", "check_docs"]


def check_docs(m: Measure, lists: Labelled, docs: int) -> Labelled:
    """``lists``, unless the collection would be smaller than what is known of it."""
    longest = int(lists.lengths.max(initial=0))
    relevant = lists.labels.R[lists.topic]
    needed = int((lists.lengths + relevant - lists.entries.counts).max(initial=0))
    if needed > docs:
        raise UsageError(
            f"{m}: docs={docs} is less than the {needed} documents that are known: lists have up to {longest}, "
            f"topics up to {int(relevant.max(initial=0))} relevant ones. Give the size of the collection."
        )
    return lists


class CollectionMeasure(Measure):
    """A measure that compares grades, never adds them up; the entries are the documents of a grade above 0."""

    docs: int

    def label(self, labeller: Labeller) -> Labelled:
        """The lists with their grades as gains."""
        return check_docs(self, labeller(rel=1, gain="raw", judged_only=self.judged_only), self.docs)

    @staticmethod
    def seen_at_least(r: Rankings) -> Floats:
        """For each entry, the documents of its list down to it that have at least its grade."""
        counts = np.zeros(len(r.gain))
        for level in np.unique(r.gain):
            own = r.gain == level
            counts[own] = r.running((r.gain >= level).astype(np.float64))[own]
        return counts

    @staticmethod
    def levels(r: Rankings) -> tuple[Ints, Ints]:
        """First and last place, in the topics' ideal lists, of the documents that have each one's grade."""
        ideal, gain = r.lists.labels.ideal, r.lists.labels.ideal_gain
        starts = np.ones(len(gain), bool)
        starts[1:] = (gain[1:] != gain[:-1]) | (ideal.list[1:] != ideal.list[:-1])
        size = np.diff(np.concatenate([np.flatnonzero(starts), [len(gain)]]))
        first = ideal.rank[starts].astype(np.int64)
        return np.repeat(first, size), np.repeat(first + size - 1, size)

    def known_at_least(self, r: Rankings) -> Floats:
        """For each judgment above grade 0, the documents of its topic with at least its grade; 0 for the others."""
        known = np.zeros(len(r.lists.labels.gain))
        known[r.lists.labels.ideal.row] = self.levels(r)[1]
        return known

    @staticmethod
    def of_topics(r: Rankings, x: Floats) -> Floats:
        """Sum of ``x`` over the relevant documents of each topic, ``x`` being given along the ideal lists."""
        ideal = r.lists.labels.ideal
        sums: Floats = ideal.running_sum(x)[ideal.offsets[1:] + np.arange(ideal.lists)]
        return sums
