"""The properties that compare pairs of lists, as index arrays over sets of lists: built once, used for every measure.

Cases are ordered by size, so the first violation found is the smallest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product

import numpy as np

from leadline.meta.properties_lists import Labels, Levels, Lists, Scorer, ShownList, close
from leadline.rankings.entries import Floats, Ints

__all__ = [
    "HOLDS",
    "MIXED",
    "TIED",
    "VIOLATED",
    "Cases",
    "Found",
    "Suite",
    "exhaustive",
    "padded",
    "seek",
    "verdict_of",
]

HOLDS, MIXED, TIED, VIOLATED = "holds strictly", "holds with ties", "always tied", "violated"
_BINARY, _GRADED = 9, 6  # lengths to which all lists are tried
_PATTERN = 4  # length of the changing part of a long list
_MISSED = 3  # relevant documents outside the list, at most


@dataclass(frozen=True)
class Cases:
    """``better`` should score more than ``worse``, each a list or a difference of two (cases × 1 or 2)."""

    better: Ints
    worse: Ints
    at: Ints  # ranks that the text names
    text: str
    grown: int = 0  # documents that the collection of ``worse`` has more


@dataclass(frozen=True)
class Suite:
    """A set of lists and the cases over it, by property."""

    lists: Lists
    cases: dict[str, Cases]


@dataclass(frozen=True)
class Found:
    """Outcomes seen over all cases of a property, and the smallest violation."""

    outcomes: frozenset[int]
    text: str | None = None
    lists: tuple[ShownList, ...] = ()


Row = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _gather(rows: Iterable[Row], text: str, grown: int = 0) -> Cases:
    table = list(rows)
    if not table:
        none = np.zeros((0, 1), np.int64)
        return Cases(none, none, none, text, grown)
    better, worse, at = (np.array([row[i] for row in table], np.int64) for i in range(3))
    return Cases(better, worse, at, text, grown)


def _swapped(labels: Labels, i: int, j: int) -> Labels:
    out = list(labels)
    out[i], out[j] = out[j], out[i]
    return tuple(out)


class _Suite:
    """Collects the cases of one set of lists."""

    def __init__(self, shapes: list[tuple[Labels, Labels]], top: int, movable: Callable[[Labels], int]) -> None:
        self.lists = Lists()
        self.shapes = shapes  # (levels of the list, levels missed), smallest first
        self.top = top
        self.movable = movable  # how many of the last ranks change

    def _places(self, labels: Labels) -> range:
        return range(len(labels) - self.movable(labels), len(labels))

    def priority(self) -> Iterator[Row]:
        """Swapping a pair towards relevance raises the score."""
        for labels, missed in self.shapes:
            for j in self._places(labels):
                for i in range(self._places(labels).start, j):
                    if labels[i] < labels[j]:
                        pair = [self.lists.add(x, missed, 1) for x in (_swapped(labels, i, j), labels)]
                        yield (pair[0],), (pair[1],), (i + 1, j + 1)

    def top_weightedness(self) -> Iterator[Row]:
        """The same adjacent swap is worth more at i than at j > i."""
        for labels, missed in self.shapes:
            steps = [i for i in self._places(labels)[:-1] if labels[i] < labels[i + 1]]
            for a, i in enumerate(steps):
                for j in steps[a + 1 :]:
                    if labels[i : i + 2] == labels[j : j + 2]:
                        pair = [self.lists.add(_swapped(labels, x, x + 1), missed, 1) for x in (i, j)]
                        yield (pair[0],), (pair[1],), (i + 1, i + 2, j + 1, j + 2)

    def confidence(self, longest: int) -> Iterator[Row]:
        """Appending an irrelevant document, judged all along, lowers the score."""
        for labels, missed in self.shapes:
            if len(labels) < longest:
                yield (self.lists.add(labels, missed, 1),), (self.lists.add((*labels, 0), missed, 0),), ()

    def recall(self) -> Iterator[Row]:
        """One more relevant document that was not retrieved lowers the score of a list with a relevant one."""
        for labels, missed in self.shapes:
            if any(labels):
                for level in range(1, self.top + 1):
                    more = self.lists.add(labels, (*missed, level), 1)
                    yield (self.lists.add(labels, missed, 1),), (more,), (level,)

    def redundancy(self, sizes: Iterable[int], fixed: bool) -> Iterator[Row]:
        """A relevant document at n + 1 is worth more when the one at n is irrelevant."""
        top = self.top
        for n, missing in product(sizes, range(_MISSED + 1)):
            numbers = []
            for end in ((0, top), (0, 0), (top, top), (top, 0)):
                labels = (0,) * (n - 1) + end
                hits = sum(g > 0 for g in end)
                outside = missing + 2 - hits if fixed else missing
                numbers.append(self.lists.add(labels, (top,) * outside, hits if fixed else 0))
            yield (numbers[0], numbers[1]), (numbers[2], numbers[3]), (n, n + 1)

    def suite(self, longest: int, sizes: Iterable[int]) -> Suite:
        """All cases."""
        sizes = list(sizes)
        cases = {
            "PRIORITY": _gather(self.priority(), "ranks {0} and {1} of {w} swapped give {b}"),
            "TOP-WEIGHTEDNESS": _gather(
                self.top_weightedness(), "swapping ranks {0} and {1} gives {b}, swapping {2} and {3} gives {w}"
            ),
            "CONFIDENCE": _gather(self.confidence(longest), "{b} with an irrelevant document appended is {w}"),
            "RECALL": _gather(self.recall(), "{b}, with one more relevant document missed: {w}", grown=1),
        }
        if sizes:
            text = "rank {1} is worth {b} after an irrelevant document, {w} after a relevant one"
            cases["REDUNDANCY"] = _gather(self.redundancy(sizes, fixed=True), text)
            cases["REDUNDANCY (relabel)"] = _gather(self.redundancy(sizes, fixed=False), text)
        return Suite(self.lists, cases)


@lru_cache(maxsize=4)
def exhaustive(levels: int) -> Suite:
    """All lists over that many levels: to length 9 for two, 6 for more; with up to three relevant documents missed."""
    top = levels - 1
    longest = _BINARY if levels == 2 else _GRADED
    most = _MISSED if levels == 2 else 1
    missed = [m for size in range(most + 1) for m in combinations_with_replacement(range(1, levels), size)]
    shapes: list[tuple[Labels, Labels]] = [
        (labels, outside)
        for n in range(longest + 1)
        for outside in missed
        for labels in product(range(levels), repeat=n)
    ]
    sizes = range(1, _BINARY) if levels == 2 else ()
    return _Suite(shapes, top, len).suite(longest, sizes)


@lru_cache(maxsize=16)
def padded(pads: tuple[int, ...]) -> Suite:
    """Long binary lists: all patterns of four after a block of irrelevant or relevant documents of each size."""
    shapes: list[tuple[Labels, Labels]] = [
        ((first,) * pad + tail, missed)
        for pad in pads
        for first in (0, 1)
        for missed in ((), (1,))
        for n in range(_PATTERN + 1)
        for tail in product((0, 1), repeat=n)
    ]
    return _Suite(shapes, 1, lambda labels: _PATTERN).suite(max(pads) + _PATTERN, [pad + 1 for pad in pads])


def seek(scorer: Scorer, suite: Suite, levels: Levels, name: str) -> Found:
    """Outcomes of a property's cases (1 holds, 0 tied, −1 violated), with the first violation spelt out."""
    cases = suite.cases[name]
    if not len(cases.better):
        return Found(frozenset())
    sides = [
        scorer.values(suite.lists, levels, grown)[numbers]
        for numbers, grown in ((cases.better, 0), (cases.worse, cases.grown))
    ]
    size = np.abs(np.concatenate(sides, axis=1)).max(axis=1)
    gap = _value(sides[0]) - _value(sides[1])
    defined = ~np.isnan(gap)
    outcome = np.where(np.abs(gap) <= close(size), 0, np.sign(gap))
    wrong = np.flatnonzero(defined & (outcome < 0))
    seen = frozenset(int(x) for x in np.unique(outcome[defined]))
    if not len(wrong):
        return Found(seen)
    return _spelt(scorer, suite, levels, cases, int(wrong[0]), seen)


def _value(scores: Floats) -> Floats:
    return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores[:, 0] - scores[:, 1], np.float64)


def _spelt(scorer: Scorer, suite: Suite, levels: Levels, cases: Cases, case: int, seen: frozenset[int]) -> Found:
    """The case in words; documents judged irrelevant but not retrieved are named only if the scores change by them."""
    numbers = [(int(n), grown) for side, grown in ((cases.better, 0), (cases.worse, cases.grown)) for n in side[case]]
    shown = [scorer.show(suite.lists, levels, *n) for n in numbers]
    bare = Lists()
    lean = [(bare.add(suite.lists[n][0], tuple(g for g in suite.lists[n][1] if g)), grown) for n, grown in numbers]
    without = [scorer.show(bare, levels, *n) for n in lean]
    spare = any(abs(a.score - b.score) > 1e-12 for a, b in zip(shown, without, strict=True))
    shown = shown if spare else without
    lists = [suite.lists[n] for n, _ in numbers]
    scored = [f"{levels.write(own)} ({s.score:.6g})" for (own, _), s in zip(lists, shown, strict=True)]
    if len(shown) == 2:
        texts, around = dict(zip("bw", scored, strict=True)), _around(levels, lists[0][1], spare)
    else:
        gaps = [a.score - b.score for a, b in (shown[:2], shown[2:])]
        texts = {s: f"{scored[i]} − {scored[i + 1]} = {g:.6g}" for s, i, g in zip("bw", (0, 2), gaps, strict=True)}
        around = _collections(lists)
    return Found(seen, cases.text.format(*cases.at[case].tolist(), **texts) + around, tuple(shown))


def _around(levels: Levels, outside: Labels, spare: bool) -> str:
    """What else the collection holds, as far as the measure cares."""
    missed = [g for g in outside if g]
    parts = [f"missed: {levels.write(missed)}"] if missed else []
    parts += [f"judged irrelevant but not retrieved: {len(outside) - len(missed)}"] if spare else []
    return f"; {', '.join(parts)}" if parts else ""


def _collections(lists: list[tuple[Labels, Labels]]) -> str:
    """How many relevant documents the four lists of REDUNDANCY have around them."""
    relevant = {sum(g > 0 for part in pair for g in part) for pair in lists}
    if len(relevant) == 1:
        return f"; R = {relevant.pop()} for all four"
    missed = sum(g > 0 for g in lists[0][1])
    return f"; missed by each of the four: {missed}" if missed else ""


def verdict_of(outcomes: frozenset[int]) -> str:
    """The verdict on outcomes seen."""
    if -1 in outcomes:
        return VIOLATED
    if outcomes == {1}:
        return HOLDS
    return MIXED if 1 in outcomes else TIED
