"""The measures that only trec_eval has, over one run as trec_eval sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from leadline import _core
from leadline.errors import UsageError
from leadline.measures.base import Measure
from leadline.measures.names import find
from leadline.rankings.entries import Entries, Floats
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.rankings.view import Rankings, ratio

__all__ = [
    "Lists",
    "at_multiple_of_r",
    "bin_g",
    "dcg",
    "eleven_points",
    "gain_over_cost",
    "ndcg_rel",
    "rbp",
    "rbp_residual",
    "relative_p",
    "rndcg",
    "set_map",
    "set_relative_p",
    "unjudged",
    "utility",
    "yaap",
]

Pairs = Mapping[str, float]


class Lists:
    """One run as trec_eval sees it: lists under a relevance level, with or without unjudged documents."""

    def __init__(self, track: Track, level: int = 1, judged_only: bool = False, docs: int = 0) -> None:
        assessed = track.masked(track.judgments.grade >= 0)
        self.track = assessed if judged_only else track
        self.level, self.judged_only, self.docs = level, judged_only, docs
        self._labeller, self._assessed = Labeller(self.track), Labeller(assessed)

    def of(self, name: str, k: float | None = None, **given: Any) -> Floats:
        """Scores of one of leadline's measures; 0 where undefined."""
        cls = find(name)
        if "rel" in cls.params:
            given["rel"] = self.level
        m: Measure = cls(k, judged_only=self.judged_only, **given)
        return np.nan_to_num(m.at(m.label(self._labeller).whole(m.depth)))

    def binary(self, k: float = np.inf) -> Rankings:
        """The lists with their relevant documents."""
        return self._labeller(rel=self.level, judged_only=self.judged_only).whole(k)

    def graded(self, pairs: Pairs, *, all_judged: bool = False) -> Rankings:
        """The lists with gains: the grade itself, unless ``pairs`` gives another gain for it."""
        grades = np.unique(self.track.judgments.grade).tolist()
        table = tuple((g, float(pairs.get(str(g), g)) if g >= 0 else 0.0) for g in grades)
        lists = self._labeller(rel=self.level, gain=table, judged_only=self.judged_only, all_judged=all_judged)
        return lists.whole()

    def judged(self, k: float = np.inf) -> Floats:
        """Documents with a grade of 0 or more among the first k."""
        lists = self._assessed(rel=self.level, judged_only=self.judged_only)
        return lists.whole(k).judged

    @cached_property
    def counts(self) -> tuple[Floats, Floats, Floats]:
        """Documents retrieved, relevant documents, relevant documents retrieved."""
        r = self.binary()
        return np.asarray(r.n, np.float64), np.asarray(r.R, np.float64), r.upto(r.hit)

    def grade_at_ranks(self, length: int) -> list[str]:
        """The first grades of each list, a character for each: ``-`` is not judged, ``.`` pooled but not judged."""
        lists = self._labeller(rel=self.level, judged_only=self.judged_only, all_judged=True)
        texts = [["-"] * min(length, int(n)) for n in lists.lengths]
        early = lists.entries.where(lists.entries.rank <= length)
        grades = self.track.judgments.grade[early.row]
        for t, rank, grade in zip(early.list.tolist(), early.rank.tolist(), grades.tolist(), strict=True):
            texts[t][rank - 1] = "." if grade < 0 else ">" if grade > 9 else str(grade)
        return ["".join(text) for text in texts]


def _at(entries: Entries, list_: Any, rank: Any) -> Any:
    """Cells of a running array over ``entries`` at the given rank of the given list."""
    places = np.ascontiguousarray(list_, np.int64), np.ascontiguousarray(rank, np.float64)
    return _core.positions(entries.rank, entries.offsets, *places)


# measures that only trec_eval has -------------------------------------------------------------------------------------
def _discounted(gain: Floats, rank: Any) -> Floats:
    return np.asarray(gain / np.log2(1.0 + rank))


def dcg(lists: Lists, pairs: Pairs) -> tuple[Floats, Floats]:
    """DCG and that of the ideal list."""
    r = lists.graded(pairs)
    return r.upto(_discounted(r.gain, r.rank)), r.ideal_upto(_discounted(r.ideal_gain, r.ideal_rank))


def ndcg_rel(lists: Lists, pairs: Pairs) -> Floats:
    """nDCG at the rank of each retrieved document with a gain, at the end of the list for the others; the mean."""
    r = lists.graded(pairs)
    found, ideal = r.lists.entries, r.lists.labels.ideal
    best = ideal.running_sum(_discounted(r.ideal_gain, r.ideal_rank))[_at(ideal, found.list, found.rank)]
    here = r.running(_discounted(r.gain, r.rank))
    useful = r.gain > 0
    seen = r.upto(np.where(useful, here / np.where(best > 0, best, 1.0), 0.0))
    available = ideal.counts.astype(np.float64)
    missed = available - r.upto(useful.astype(np.float64))
    return np.nan_to_num(ratio(seen + missed * np.nan_to_num(ratio(*dcg(lists, pairs))), available))


def rndcg(lists: Lists, pairs: Pairs) -> Floats:
    """nDCG at each rank where the ideal list passes to a lower gain, and at the end of a list longer than that."""
    r = lists.graded(pairs)
    found, ideal = r.lists.entries, r.lists.labels.ideal
    if not len(ideal):
        return np.zeros(len(lists.track.topics))
    gains, topic = r.ideal_gain, ideal.list
    ends = np.append((gains[1:] != gains[:-1]) | (topic[1:] != topic[:-1]), True)
    reached = found.running_sum(_discounted(r.gain, r.rank))[_at(found, topic[ends], ideal.rank[ends])]
    best = ideal.running_sum(_discounted(gains, r.ideal_rank))[ideal.after[ends]]
    total = np.bincount(topic[ends], reached / best, minlength=ideal.lists)
    number = np.bincount(topic[ends], minlength=ideal.lists).astype(np.float64)
    further = (r.n >= ideal.counts + 2) & (ideal.counts > 0)
    total += np.where(further, np.nan_to_num(ratio(*dcg(lists, pairs))), 0.0)
    _, relevant, _ = lists.counts
    return np.where(relevant > 0, np.nan_to_num(ratio(total, number + further)), 0.0)


def gain_over_cost(lists: Lists, pairs: Pairs) -> Floats:
    """G: each gain over the log of what the ideal list has by then and this one has not; an ideal rank costs ≥ 1."""
    r = lists.graded(pairs)
    found, ideal = r.lists.entries, r.lists.labels.ideal
    above_one = ideal.running_sum(np.maximum(r.ideal_gain, 1.0) - 1.0)
    cost = r.rank + above_one[_at(ideal, found.list, found.rank)]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = r.upto(r.gain / np.log2(2.0 + cost - r.running(r.gain)))
    return np.nan_to_num(ratio(value, r.ideal_upto(r.ideal_gain)))


def bin_g(lists: Lists, _: Any) -> Floats:
    """G with a gain of 1 for each relevant document."""
    r = lists.binary()
    return np.nan_to_num(ratio(r.upto(r.hit / np.log2(2.0 + r.rank - r.running(r.hit))), r.R))


def rbp(lists: Lists, pairs: Pairs) -> Floats:
    """RBP (p = 0.9) of the gains, which are brought into [0, 1] within each topic if they lie outside of it."""
    p = pairs.get("p", 0.9)
    r = lists.graded(pairs, all_judged=True)
    rows = lists.track.judgments
    low, high = np.zeros(rows.topics), np.zeros(rows.topics)
    np.minimum.at(low, rows.topic, r.lists.labels.gain)
    np.maximum.at(high, rows.topic, r.lists.labels.gain)
    outside = (low < 0) | (high > 1)
    least, width = np.where(outside, low, 0.0), np.where(outside, high - low, 1.0)
    gain = (r.gain - r.of_topic(least)) / r.of_topic(width)
    return (1 - p) * r.upto(np.where(r.grade >= 0, gain, 0.0) * p ** (r.rank - 1))


def rbp_residual(lists: Lists, pairs: Pairs) -> Floats:
    """What unjudged documents and the ranks below the list leave open; 0 if all are judged."""
    p = pairs.get("p", 0.9)
    n, _, _ = lists.counts
    r = lists._assessed(all_judged=True, judged_only=lists.judged_only).whole()
    unjudged = (1 - p**n) - (1 - p) * r.upto(p ** (r.rank - 1))
    return np.where(lists.judged() < n, p**n + unjudged, 0.0)


def unjudged(lists: Lists, k: float) -> Floats:
    """Share of unjudged documents among the first k."""
    n, _, _ = lists.counts
    return (np.minimum(n, k) - lists.judged(k)) / k


def relative_p(lists: Lists, k: float) -> Floats:
    """Precision at k over the best possible one."""
    r = lists.binary(k)
    return np.nan_to_num(ratio(r.upto(r.hit), np.minimum(r.R, k)))


def at_multiple_of_r(lists: Lists, times: float) -> Floats:
    """Precision at a multiple of R."""
    r = lists.binary()
    cut = np.floor(times * r.lists.labels.R + 0.9)
    return np.nan_to_num(ratio(r.upto(r.hit * (r.rank <= r.of_topic(cut))), r.topicwise(cut)))


def set_relative_p(lists: Lists, _: Any) -> Floats:
    """Set precision over the best possible one."""
    n, relevant, found = lists.counts
    return np.nan_to_num(ratio(found, np.minimum(n, relevant)))


def set_map(lists: Lists, _: Any) -> Floats:
    """Set precision times set recall."""
    n, relevant, found = lists.counts
    return np.nan_to_num(ratio(found**2, n * relevant))


def utility(lists: Lists, weights: Sequence[float]) -> Floats:
    """Weighted sum of the four cells: retrieved or not, relevant or not."""
    if len(weights) != 4:
        raise UsageError(f"utility needs four coefficients. Got {len(weights)} instead.")
    n, relevant, found = lists.counts
    a, b, c, d = weights
    return np.asarray(a * found + b * (n - found) + c * (relevant - found) + d * (lists.docs + found - n - relevant))


def yaap(lists: Lists, _: Any) -> Floats:
    """Robertson's average precision on a scale without ends."""
    r = lists.binary()
    expected = r.upto(r.hit * r.running(r.hit) / r.rank)
    return np.log((1.0 + expected) / (1.0 + r.R - expected))


def eleven_points(lists: Lists, levels: Sequence[float]) -> Floats:
    """Mean of the interpolated precision at recall levels."""
    return np.asarray(np.mean([lists.of("IPrec", level) for level in levels], axis=0))
