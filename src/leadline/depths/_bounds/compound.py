"""Measures made of others: TOMA is one measure on other grades, CAM and MM are means over aspects.

A label of one aspect says nothing about the next unless a rule ties them, so that each aspect's measure takes its
lowest and its highest value independently of the others; both means rise with each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.depths._bounds.problem import Bounds
from leadline.measures.base import Measure
from leadline.rankings.entries import Floats
from leadline.rankings.labels import Labels
from leadline.rankings.track import Track

__all__ = ["Part", "combined", "parts_of"]

MEANS = ("CAM", "MM")


@dataclass(frozen=True, eq=False)
class Part:
    """A measure on a Track, and the weight it comes in with."""

    m: Measure
    track: Track
    labels: Labels
    share: Any = None  # the part as its compound knows it, if that is not the measure itself


def parts_of(m: Measure, track: Track, labels_of: Callable[[Measure, Track], Labels]) -> list[Part] | None:
    """What bounds are to be found for; None if nothing is known of how the parts make up the whole."""
    found = m.parts(track)
    if len(found) == 1 and type(found[0][0]).__name__ != "Share":
        part, on = found[0]
        return [Part(part, on, labels_of(part, on))]
    if m.name not in MEANS:
        return None
    return [Part(share.inner, on, labels_of(share.inner, on), share) for share, on in found]  # type: ignore[attr-defined]


def combined(m: Any, parts: list[Part], found: list[Bounds], missing: int) -> Bounds:
    """The bounds of the whole from those of its parts."""
    if parts[0].share is None:
        return found[0]
    zero = m.undefined == "zero" and m.zero_if_undefined
    lower = [
        _shared(p.share, _or_zero(b.lower, b.undefined, np.minimum) if zero else b.lower)
        for p, b in _pairs(parts, found)
    ]
    upper = [
        _shared(p.share, _or_zero(b.upper, b.undefined, np.maximum) if zero else b.upper)
        for p, b in _pairs(parts, found)
    ]
    open_ = np.stack([b.undefined for b in found])
    undefined = np.asarray(open_.all(axis=0) if zero else open_.any(axis=0))
    rules = getattr(parts[0].track.aspects, "rules", ())
    exact = np.all([b.exact for b in found], axis=0) & (not rules) & (missing == 0) & ~(undefined & zero)
    return Bounds(m.combine(lower), m.combine(upper), exact, undefined)


def _pairs(parts: list[Part], found: list[Bounds]) -> list[tuple[Part, Bounds]]:
    return list(zip(parts, found, strict=True))


def _or_zero(values: Floats, undefined: Any, pick: Callable[[Floats, float], Floats]) -> Floats:
    """An aspect without a score counts as 0."""
    return np.where(undefined & ~np.isnan(values), pick(values, 0.0), values)


def _shared(share: Any, values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(share.weight / values if share.inverse else share.weight * values, np.float64)
