"""Many short lists, each with a collection of its own, scored by a measure in one call.

A list is written in *levels*: 0 is irrelevant, 1 and up are ever more relevant. What lies outside the list (relevant
documents it missed, others judged irrelevant) is part of the collection and given beside it, so that R and the ideal
are fixed by hand. Every list becomes a topic of one Track.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadline.io.aspects import AspectSet, declare
from leadline.measures.aspects._compound import AspectMeasure
from leadline.measures.base import Measure
from leadline.rankings.entries import Entries, Floats, Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track

__all__ = ["Bench", "Levels", "Lists", "Scorer", "ShownList", "binary_levels", "close", "graded_levels", "track_of"]

Labels = tuple[int, ...]
_RELATIVE, _ABSOLUTE = 1e-12, 1e-15  # differences below are rounding


@dataclass(frozen=True)
class Levels:
    """What levels 0, 1, … are on the measure's own scale: a row of labels each, one grade or one label an aspect."""

    rows: tuple[tuple[int, ...], ...]

    @property
    def grades(self) -> tuple[int | tuple[int, ...], ...]:
        """The grade of each level; where there are several aspects, its labels."""
        return tuple(row[0] if len(row) == 1 else row for row in self.rows)

    @property
    def top(self) -> int:
        """The highest first label."""
        return max(row[0] for row in self.rows)

    @property
    def lowest(self) -> Levels:
        """The lowest two alone: gains far enough below 1 that Π(1 − G) over a long list is no matter of rounding."""
        return Levels(self.rows[:2])

    @property
    def aspects(self) -> AspectSet | None:
        """The declaration of the labels where a level is more than a grade."""
        columns = len(self.rows[0])
        return None if columns == 1 else declare(" ".join(f"aspect{a}=0,1" for a in range(1, columns + 1)))

    def labels(self, levels: NDArray[np.int32]) -> NDArray[np.int32]:
        """Label rows of documents of the given levels."""
        return np.array(self.rows, np.int32)[levels]

    def write(self, levels: Sequence[int]) -> str:
        """A list as a person would: ``00120``, or ``0 12 0`` where a grade has two digits."""
        names = [",".join(map(str, self.rows[level])) for level in levels]
        return (" " if any(len(n) > 1 for n in names) else "").join(names) or "(empty)"


def binary_levels(m: Measure) -> Levels:
    """Irrelevant and relevant on the measure's scale: its top grade, so that Rel is as high as the gain allows.

    For a measure of several aspects there are two, each fulfilled or not.
    """
    if isinstance(m, AspectMeasure):
        return Levels(((0, 0), (1, 1)))
    return Levels(tuple((g,) for g in _grades(m)[:: len(_grades(m)) - 1]))


def graded_levels(m: Measure) -> Levels | None:
    """Irrelevant, less and more relevant; None if the scale has no three grades."""
    if isinstance(m, AspectMeasure):
        return Levels(((0, 0), (0, 1), (1, 1)))
    grades = _grades(m, three=True)
    return None if len(grades) < 3 else Levels(tuple((g,) for g in (grades[0], grades[1], grades[-1])))


def _grades(m: Measure, three: bool = False) -> tuple[int, ...]:
    m = getattr(m, "inner", m)  # the scale is that of the measure inside
    gain = getattr(m, "gain", None)
    if isinstance(gain, tuple):  # a table: only its grades exist
        return tuple(g for g, _ in gain) if len(gain) > 1 else (0, 1)
    top = getattr(m, "gmax", None)
    first = max(1, int(getattr(m, "rel", None) or 1))
    if isinstance(top, int):
        return (0, first, top) if three and first < top else (0, top)
    return (0, first, first + 1) if three else (0, first)


@dataclass(frozen=True)
class ShownList:
    """A list of a counter-example: grades in rank order, grades outside, size of the collection, score."""

    labels: tuple[int | tuple[int, ...], ...]
    outside: tuple[int | tuple[int, ...], ...]
    docs: int | None
    score: float


class Lists:
    """A growing set of (levels of the list, levels outside it); each pair is kept once and has a number."""

    def __init__(self) -> None:
        self._number: dict[tuple[Labels, Labels], int] = {}
        self._keys: list[tuple[Labels, Labels]] = []

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, labels: Labels, missed: Labels = (), spare: int = 0) -> int:
        """Number of the list with ``missed`` relevant and ``spare`` judged irrelevant documents outside it."""
        key = (labels, tuple(sorted(missed, reverse=True)) + (0,) * spare)
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self._keys)
            self._keys.append(key)
        return number

    def __getitem__(self, number: int) -> tuple[Labels, Labels]:
        return self._keys[number]

    @cached_property
    def lengths(self) -> Ints:
        """Length of each list (asked for once the set is complete)."""
        return np.array([len(labels) for labels, _ in self._keys], np.int64)

    def track(self, levels: Levels) -> Track:
        """All lists as topics of one run, every document of theirs judged."""
        sizes = self.lengths + np.array([len(outside) for _, outside in self._keys], np.int64)
        flat = np.fromiter((g for pair in self._keys for part in pair for g in part), np.int32, int(sizes.sum()))
        return track_of(flat, self.lengths, sizes, levels)


def track_of(flat: NDArray[np.int32], own: Ints, sizes: Ints, levels: Levels) -> Track:
    """A Track of lists given one after the other: of each the levels in rank order, then those outside it."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    offsets = np.concatenate([[0], np.cumsum(own)])
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], own)
    row = place + np.repeat(starts[:-1], own)
    return Track(
        runs=["list"],
        topics=[str(i) for i in range(len(own))],
        judgments=Judgments(starts, levels.labels(flat), max(1, levels.top)),
        entries=Entries((place + 1).astype(np.int32), row.astype(np.int32), offsets),
        lengths=own,
        answered=np.ones(len(own), bool),
        ties="file",
        aspects=levels.aspects,
    )


class Bench:
    """Tracks of sets of lists with their labellings, shared by the measures that are checked together."""

    def __init__(self) -> None:
        self._tracks: dict[tuple[int, Levels], tuple[Lists, Track, Labeller]] = {}

    def __call__(self, lists: Lists, levels: Levels) -> tuple[Track, Labeller]:
        """The Track of a set of lists and its labeller."""
        key = (id(lists), levels)
        if key not in self._tracks:
            track = lists.track(levels)
            self._tracks[key] = (lists, track, Labeller(track))  # the lists stay alive, so that ids stay theirs
        return self._tracks[key][1:]


class Scorer:
    """One measure over sets of lists; scores are turned so that more is better."""

    def __init__(self, measure: Measure, bench: Bench) -> None:
        self.measure = measure
        self.bench = bench
        inner = measure.inner if isinstance(measure, AspectMeasure) else measure
        docs = getattr(inner, "docs", None)
        self.docs: int | None = docs if isinstance(docs, int) and "docs" in inner.params else None
        self.turn = 1.0 if measure.higher_is_better else -1.0
        self._values: dict[tuple[int, Levels, int], Floats] = {}
        self._kept: list[Lists] = []

    def values(self, lists: Lists, levels: Levels, grown: int = 0) -> Floats:
        """Score of each list, the collection having ``grown`` more documents; NaN: not defined, and no zero for it."""
        key = (id(lists), levels, grown)
        if key not in self._values:
            m = self._in_collection(grown)
            self._values[key] = self.turn * self._settled(m, self._raw(m, *self.bench(lists, levels), None)[:, None])
            self._kept.append(lists)  # as long as its id is a key
        return self._values[key]

    def _in_collection(self, grown: int) -> Measure:
        if not grown or self.docs is None:
            return self.measure
        if isinstance(self.measure, AspectMeasure):
            return self.measure.but(measure=str(self.measure.inner.but(docs=self.docs + grown)))
        return self.measure.but(docs=self.docs + grown)

    def by_depth(self, lists: Lists, levels: Levels, depths: Sequence[int]) -> Floats:
        """Score of each list at each evaluation depth (lists × depths), in the place of the measure's own depth."""
        raw = self._raw(self.measure, *self.bench(lists, levels), np.asarray(depths))
        columns = [self._settled(self.measure, raw[:, [j]]) for j in range(raw.shape[1])]
        return self.turn * np.stack(columns, axis=1)

    def once(self, track: Track) -> Floats:
        """Score of each list of a Track that will not be asked for again."""
        return self.turn * self._settled(self.measure, self._raw(self.measure, track, Labeller(track), None)[:, None])

    def _raw(self, m: Measure, track: Track, labeller: Labeller, depths: NDArray[np.int64] | None) -> Floats:
        parts = []
        for part, seen in m.parts(track):
            labelled = part.label(labeller if seen is track else Labeller(seen))
            parts.append(part.at(labelled.whole(part.depth) if depths is None else labelled.at_depths(depths)))
        return m.combine(parts)

    @staticmethod
    def _settled(m: Measure, values: Floats) -> Floats:
        """Each list as a run of one topic: undefined is 0 as in an evaluation, unless the measure forbids it."""
        if m.per_topic and m.zero_if_undefined:
            values = np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf)
        return m.aggregate(values)

    def show(self, lists: Lists, levels: Levels, number: int, grown: int = 0) -> ShownList:
        """One list with its score, in the measure's own grades."""
        labels, outside = lists[number]
        score = self.turn * float(self.values(lists, levels, grown)[number])
        grades = levels.grades
        docs = None if self.docs is None else self.docs + grown
        return ShownList(tuple(grades[g] for g in labels), tuple(grades[g] for g in outside), docs, score)


def close(size: Floats) -> Floats:
    """Differences between scores of this size that rounding explains."""
    return _RELATIVE * np.abs(size) + _ABSOLUTE
