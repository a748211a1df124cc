"""CAM and MM: a measure of each aspect alone, then a mean over aspects."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.errors import UnknownName, UsageError
from leadline.findings import Finding, Findings
from leadline.io.aspects import Aspect
from leadline.measures.aspects._bounds import bounds
from leadline.measures.aspects._compound import INHERITED, AspectMeasure, graded, relabelled, words
from leadline.measures.base import Measure, param
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Labelled, Rankings

__all__ = ["PerAspectMeasure", "Share"]


class Share(Measure):
    """What one aspect brings into a mean: a function of the inner measure's score and of the aspect's weight."""

    def __init__(self, inner: Measure, weight: float, inverse: bool) -> None:
        own: dict[str, Any] = {"inner": inner, "weight": weight, "inverse": inverse, "k": inner.k}
        own |= {name: getattr(inner, name) for name in (*INHERITED, "all_judged", "judged_only")}
        for name, value in own.items():
            object.__setattr__(self, name, value)

    inner: Measure
    weight: float
    inverse: bool

    def __str__(self) -> str:
        return str(self.inner)

    def _key(self) -> tuple[object, ...]:
        return (Share, self.inner, self.weight, self.inverse)

    def label(self, labeller: Labeller) -> Labelled:
        """The lists as the measure inside sees them."""
        return self.inner.label(labeller)

    def value(self, r: Rankings) -> Floats:
        """Weight × score, or weight / score."""
        scores = self.inner.at(r)
        return self.weight / scores if self.inverse else self.weight * scores

    def doubts(self, track: Track) -> list[Finding]:
        """Those of the measure inside."""
        return self.inner.doubts(track)


class PerAspectMeasure(AspectMeasure):
    """A mean over aspects of another measure's scores."""

    inverse = False  # whether the mean is harmonic
    binary: str = param(
        "aspects", doc="for binary measures: aspects (any but the lowest label), top-half, or 'relevance=fr …'"
    )
    undefined: str = param(
        "zero", choices=("zero", "nan"), doc="an aspect without a score (no good document) counts as 0, or as undefined"
    )

    def validate(self) -> None:
        """The binary option must be readable."""
        super().validate()
        if "=" in self.binary:
            words(self.binary, f"{self.name}: binary")
        elif self.binary not in ("aspects", "top-half"):
            raise UnknownName("binary option", self.binary, ("aspects", "top-half", "ASPECT=LABEL"))
        if self.wants_binary and getattr(self.inner, "rel", 1) != 1:
            raise UsageError(
                f"{self.name}: which labels are relevant for {self.inner} is said by binary=, "
                "for example binary='relevance=fr correctness=c'; leave rel= out."
            )

    def parts(self, track: Track) -> list[tuple[Measure, Track]]:
        """The measure inside, once for each aspect that counts, with the aspect's weight."""
        weights = self.aspects(track).weights
        total = sum(weights)
        return [
            (Share(inner, float(weight / total), self.inverse), on)
            for (inner, on), weight in zip(self.singles(track), weights, strict=True)
            if weight
        ]

    def singles(self, track: Track) -> list[tuple[Measure, Track]]:
        """The measure inside on each aspect alone, whatever its weight."""
        return [self._single(track, a, aspect) for a, aspect in enumerate(self.aspects(track))]

    def _single(self, track: Track, a: int, aspect: Aspect) -> tuple[Measure, Track]:
        column = track.judgments.labels[:, a]
        if self.wants_binary:
            least = self._least(aspect)
            key = ("aspect", a, "from", least)
            return self.inner, relabelled(track, key, lambda: (column >= least).astype(np.int32), 1)
        distinct = sorted(set(aspect.numbers))  # labels of equal value are one grade
        level = np.array([distinct.index(v) for v in aspect.numbers], np.int32)
        on = relabelled(track, ("aspect", a, level.tobytes()), lambda: level[column], len(distinct) - 1)
        return graded(self.inner, np.array([float(v) for v in distinct])), on

    def _least(self, aspect: Aspect) -> int:
        """Index of the lowest label that is relevant."""
        if self.binary == "aspects":
            return 1
        if self.binary == "top-half":
            return len(aspect.labels) // 2
        given = words(self.binary, f"{self.name}: binary")
        least = aspect.index(given[aspect.name][0]) if aspect.name in given else 1
        if least == 0:
            raise UsageError(f"{self.name}: binary={self.binary!r} would make every label of {aspect.name} relevant")
        return least

    def combine(self, values: list[Floats]) -> Floats:
        """The sum of the shares; undefined where every aspect is."""
        shares = np.stack(values)
        if self.undefined == "nan" or not self.zero_if_undefined:
            total = shares.sum(axis=0)
        else:
            gaps = np.isnan(shares)
            zero = np.inf if self.inverse else 0.0
            total = np.where(gaps.all(axis=0), np.nan, np.where(gaps, zero, shares).sum(axis=0))
        if self.inverse:
            with np.errstate(divide="ignore"):
                total = 1.0 / total
        return np.asarray(total, np.float64)

    def by_aspect(self, track: Track) -> Floats:
        """Scores of every aspect alone: aspects × lists; NaN where undefined."""
        found = [m.at(m.label(Labeller(on)).whole(m.depth)) for m, on in self.singles(track)]
        return np.stack(found)

    def doubts(self, track: Track) -> list[Finding]:
        """Aspects in which lists score 0 or nothing, and how near to the ideal of all aspects any list can come."""
        aspects, notes = self.aspects(track), Findings()
        scores = self.by_aspect(track)[[a for a, w in enumerate(aspects.weights) if w]]
        counted = [a for a in aspects if a.weight]
        nowhere = np.isnan(scores).all(axis=0)  # told as undefined by the scoring itself
        for aspect, row in zip(counted, scores, strict=True):
            gaps = (np.isnan(row) & ~nowhere).reshape(track.shape).any(axis=0)
            where = [t for t, gap in zip(track.topics, gaps.tolist(), strict=True) if gap]
            done = "counted as 0" if self.undefined == "zero" and self.zero_if_undefined else "undefined there"
            notes.add("aspect-without-score", len(where), where, f"{self}: no score for {aspect.name}, {done}")
        self._tell_zeros(track, scores, notes)
        graded_above = [a for a in counted if a.numbers[0] > 0 and not self.wants_binary]
        above = [f"{a.name} {a.labels[0]}={a.numbers[0]}" for a in graded_above]
        notes.add("lowest-label-above-zero", len(above), above, "unjudged documents still gain 0")
        notes.extend(bounds(self, track).findings)
        for part, on in self.parts(track):
            notes.extend(part.doubts(on))
        return list(notes)

    def _tell_zeros(self, track: Track, scores: Floats, notes: Findings) -> None:
        if not self.inverse:
            return
        zero = (scores == 0).any(axis=0) & track.answered
        lists = [f"{track.runs[i // len(track.topics)]}:{track.topics[i % len(track.topics)]}"
                 for i in np.flatnonzero(zero)[:3].tolist()]  # fmt: skip
        share = f"{zero.mean():.0%} of lists" if len(zero) else ""
        notes.add("zero-in-an-aspect", int(zero.sum()), lists, f"{self} has no value there, counted as 0; {share}")
