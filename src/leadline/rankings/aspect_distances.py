"""How far a label tuple lies from the best one: embeddings of labels, and distances compared exactly.

Embeddings are fractions; a distance is brought to whole numbers by their common denominator, and the Euclidean one is
compared squared. Only a distance that the user brings is compared as a rounded number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName, UsageError
from leadline.io.aspects import Aspect, AspectSet, Number, exact

__all__ = [
    "DISTANCES",
    "EMBEDDINGS",
    "LIMIT",
    "OWN",
    "Distance",
    "Metric",
    "embed",
    "metric_of",
    "name_of",
    "own_distance",
    "per_tuple",
]

Floats: TypeAlias = NDArray[np.float64]
LabelRows: TypeAlias = NDArray[np.integer[Any]]
Keys: TypeAlias = NDArray[Any]  # int64, Python integers where those overflow, or float64 for a user's distance
Distance: TypeAlias = Callable[[Floats, Floats], Any]  # (points [M, A], best [A]) → M distances

DISTANCES = ("euclidean", "manhattan", "chebyshev")
EMBEDDINGS = {
    "declared": "the declared values, else 0, 1, 2, …",
    "step": "0, 1, 2, …: one step is worth the same in every aspect",
    "range": "declared values stretched to [0, 1]: every aspect spans the same (range:M for [0, M])",
    "convex": "(2^i − 1) / (2^K − 1): the step to the highest label counts most",
    "concave": "(1 − 2^−i) / (1 − 2^−K): the step off the lowest label counts most",
}
LIMIT = 5_000_000  # tuples that are listed one by one; larger grids are never laid out
OWN: dict[str, Distance] = {}  # the user's distances, by name
_DIGITS = 12  # significant digits of a user's distance that are compared


def embed(aspects: AspectSet, kind: str | Mapping[str, Sequence[Number]] = "declared") -> AspectSet:
    """The aspects under another embedding: one of :data:`EMBEDDINGS`, or explicit numbers for each label by aspect.

    >>> from leadline.io.aspects import declare
    >>> str(embed(declare("relevance=nr,mr,fr,hr correctness=nc,pc,c"), "range:3"))
    'relevance=nr:0,mr:1,fr:2,hr:3 correctness=nc:0,pc:3/2,c:3'
    """
    if isinstance(kind, Mapping):
        return aspects.with_values(kind)
    name, _, top = kind.partition(":")
    if name not in EMBEDDINGS or (top and name != "range"):
        raise UnknownName("embedding", kind, EMBEDDINGS)
    maximum = exact(top or 1, "embedding range")
    if maximum <= 0:
        raise UsageError(f"embedding 'range': the common maximum must be above 0, got {top}")
    return aspects.with_values({a.name: _embedded(a, name, maximum) for a in aspects.aspects})


def _embedded(aspect: Aspect, kind: str, maximum: Fraction) -> list[Number]:
    last = len(aspect.labels) - 1
    if kind == "step":
        return list(range(last + 1))
    if kind == "convex":
        return [Fraction(2**i - 1, 2**last - 1) for i in range(last + 1)]
    if kind == "concave":
        return [(1 - Fraction(1, 2**i)) / (1 - Fraction(1, 2**last)) for i in range(last + 1)]
    numbers = aspect.numbers
    span = numbers[-1] - numbers[0]
    if kind == "declared" or not span:
        return list(numbers)
    return [(v - numbers[0]) / span * maximum for v in numbers]


def per_tuple(distance: Callable[[Floats, Floats], float]) -> Distance:
    """A distance between two points (those of ``scipy.spatial.distance``, say), made to take many points at once.

    >>> nearest = per_tuple(lambda point, best: float(abs(point - best).sum()))
    >>> nearest(np.array([[0.0, 1.0], [2.0, 2.0]]), np.array([2.0, 2.0]))
    array([3., 0.])
    """

    def vectorised(points: Floats, best: Floats) -> Floats:
        return np.array([float(distance(point, best)) for point in points])

    vectorised.__name__ = name_of(distance)
    return vectorised


def own_distance(function: Distance) -> Distance:
    """Make a distance known by its name, so that measures can be asked for it: ``TOMA(distance='name')``.

    A decorator; on the command line the module that holds it is given by ``--import``.

    >>> from leadline.io.aspects import declare
    >>> @own_distance
    ... def steep(points, best):
    ...     return ((best - points) ** 3).sum(axis=1)
    >>> metric_of(declare("a=0..2 b=0..2"), "steep").name
    'steep'
    """
    name = name_of(function)
    if name.lower() in DISTANCES or not name.isidentifier():
        raise UsageError(f"distance {name!r}: give the function a name of its own, other than {', '.join(DISTANCES)}")
    OWN[name] = function
    return function


def name_of(function: object) -> str:
    """What to call a user's function in messages."""
    return str(getattr(function, "__name__", type(function).__name__))


class _Exact:
    """A named distance on whole numbers: what each label adds, how the parts combine, and the unit of the result."""

    def __init__(self, aspects: AspectSet, name: str) -> None:
        self.name = name
        self.power = 2 if name == "euclidean" else 1
        short = [[w * (a.numbers[-1] - v) for v in a.numbers] for w, a in zip(aspects.weights, aspects, strict=True)]
        scale = lcm(*(d.denominator for row in short for d in row))
        whole = [[int(d * scale) ** self.power for d in row] for row in short]
        fits = sum(max(row) for row in whole) < 2**62  # else Python's own integers: slower, never wrong
        self.parts = [np.array(row, np.int64 if fits else object) for row in whole]
        self.combine: np.ufunc = np.maximum if name == "chebyshev" else np.add
        self.unit = Fraction(1, scale**self.power)

    @property
    def source(self) -> str | Distance:
        return self.name

    def keys(self, columns: Sequence[LabelRows]) -> Keys:
        """What to compare for each tuple; ``columns`` holds one array of label indices for each aspect."""
        return np.asarray(reduce(self.combine, (p[c] for p, c in zip(self.parts, columns, strict=True)))).ravel()

    def value(self, key: Any) -> Fraction | float:
        return int(key) * self.unit

    def length(self, key: Any) -> float:
        return sqrt(self.value(key)) if self.power == 2 else float(self.value(key))

    def attainable(self) -> Keys | None:
        """All distances on the full grid, without laying it out; None if they are too many."""
        found = np.zeros(1, self.parts[0].dtype)
        for part in self.parts:
            if len(found) * len(part) > LIMIT:
                return None
            found = np.unique(self.combine.outer(found, part))
        return found


class _Given:
    """A user's distance on embedded points, compared to twelve significant digits."""

    def __init__(self, aspects: AspectSet, function: Distance) -> None:
        self.name = name_of(function)
        self.function = function
        stretched = zip(aspects.weights, aspects, strict=True)
        self.points = [np.array([float(w * v) for v in a.numbers]) for w, a in stretched]

    @property
    def source(self) -> str | Distance:
        return self.function

    def keys(self, columns: Sequence[LabelRows]) -> Keys:
        spread = np.broadcast_arrays(*(p[c] for p, c in zip(self.points, columns, strict=True)))
        best, lowest = np.array([p[-1] for p in self.points]), np.array([p[0] for p in self.points])
        points = np.concatenate([np.stack([s.ravel() for s in spread], axis=1), [lowest, best]])
        found = np.asarray(self.function(points, best), np.float64)
        if found.shape != (len(points),):
            raise UsageError(
                f"distance {self.name}: expected {len(points)} numbers for points of shape {points.shape}, "
                f"got shape {found.shape}; wrap a function of two points in per_tuple(…)"
            )
        if not np.isfinite(found).all() or (found < 0).any() or found[-1] != 0:
            raise UsageError(f"distance {self.name}: must be finite, not negative, and 0 from the best tuple to itself")
        return _significant(found[:-2], found[-2])

    def value(self, key: Any) -> Fraction | float:
        return float(key)

    def length(self, key: Any) -> float:
        return float(key)

    def attainable(self) -> Keys | None:
        return None


Metric: TypeAlias = _Exact | _Given


def _significant(x: Floats, largest: float) -> Floats:
    """Rounded to twelve significant digits; what is below 1e−12 of the largest value is rounding noise, hence 0."""
    big = x > 10.0**-_DIGITS * largest
    safe = np.where(big, x, 1.0)
    shift = _DIGITS - 1 - np.floor(np.log10(safe)).clip(-290, 290)
    return np.where(big, np.rint(safe * 10.0**shift) / 10.0**shift, 0.0)


def metric_of(aspects: AspectSet, distance: str | Distance) -> Metric:
    """The distance to the best tuple, named or the user's, for these aspects."""
    if not isinstance(distance, str):
        return _Given(aspects, distance)
    if distance in OWN:
        return _Given(aspects, OWN[distance])
    if distance.lower() not in DISTANCES:
        raise UnknownName("distance", distance, (*DISTANCES, *OWN))
    return _Exact(aspects, distance.lower())
