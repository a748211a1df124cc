"""What every measure is: a frozen value with declared parameters and one formula.

A measure is one class in one file, named after it, in one of the family folders::

    @measure
    class RBP(Measure):
        '''Rank-biased precision. …formula, meaning, when it misleads, References:…'''
        p: float = param(0.8, within="(0, 1)", doc="persistence: chance of reading on")
        gain: str = gain_param("binary")

        def value(self, r: Rankings) -> Floats:
            return (1 - self.p) * r.upto(r.gain * self.p ** (r.rank - 1))

``value`` is read at points (see :mod:`leadline.rankings.view`), so the same line gives the score, the curve over
evaluation depths and the curve over truncation lengths; NaN means undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

import numpy as np

from leadline.errors import UsageError
from leadline.measures.params import ALWAYS_SHOWN, Param, gain_param, param
from leadline.rankings.labeller import Labeller
from leadline.rankings.typed import Typed, typed
from leadline.rankings.view import Floats, Labelled, Rankings, ratio

if TYPE_CHECKING:
    from leadline.findings import Finding
    from leadline.rankings.track import Track

__all__ = ["REGISTRY", "Measure", "gain_param", "measure", "param"]

REGISTRY: dict[str, type[Measure]] = {}
Cutoff = Literal["none", "optional", "required", "recall"]


class Measure:
    """Base of all measures; equal parameters are equal measures."""

    cutoff: ClassVar[Cutoff] = "optional"
    all_judged: ClassVar[bool] = False  # sees documents judged not relevant, too
    ties: ClassVar[frozenset[str]] = frozenset()  # of 'share' and 'mean-gain', the rules it is a function of
    total: ClassVar[Literal["mean", "sum"]] = "mean"  # what stands under topic `all`
    per_topic: ClassVar[bool] = True  # False: exists for a whole run only
    zero_if_undefined: ClassVar[bool] = True  # False: 0 would be a lie (a rank that does not exist)
    higher_is_better: ClassVar[bool] = True
    rises_only_at_hits: ClassVar[bool] = False  # lengthening a list by a gainless document never raises it
    rises_only_at_hits_or_end: ClassVar[bool] = False  # … but perhaps by the last one of a list not ended by choice
    aliases: ClassVar[tuple[str, ...]] = ()
    cites: ClassVar[tuple[str, ...]] = ()  # keys of leadline.measures.references
    params: ClassVar[dict[str, Param]] = {}
    name: ClassVar[str] = ""

    judged_only: bool = param(False, doc="drop unjudged documents before scoring (condensed run)")
    k: float | None

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        ordered = {n: v for base in reversed(cls.__mro__) for n, v in vars(base).items() if isinstance(v, Param)}
        for name, spec in ordered.items():
            spec.name = name
        ordered["judged_only"] = ordered.pop("judged_only")  # common to all, so it comes last
        cls.params = ordered
        cls.name = vars(cls).get("name", cls.__name__)

    def __init__(self, k: float | None = None, **given: Any) -> None:
        given = self.understand(given)
        for name in given:
            if name not in self.params:
                known = ", ".join(self.params) or "none"
                raise UsageError(f"{self.name} has no parameter {name!r}; it has {known}.")
        for name, spec in self.params.items():
            if name not in given and spec.required:
                raise UsageError(f"{self.name} needs {name}= ({spec.doc}); it must be {spec.allowed}.")
            object.__setattr__(self, name, spec.check(given[name], self.name) if name in given else spec.default)
        object.__setattr__(self, "k", self._checked_cut(k))
        self.validate()

    @classmethod
    def understand(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Other spellings of parameters, put into this measure's own."""
        if "gains" in given and "gain" not in given:
            given = {("gain" if n == "gains" else n): v for n, v in given.items()}
        return given

    def validate(self) -> None:
        """Checks across parameters."""

    def _checked_cut(self, k: float | None) -> float | None:
        if k is None:
            if self.cutoff in ("required", "recall"):
                raise UsageError(f"{self.name} needs a cut-off: {self.name}@{0.5 if self.cutoff == 'recall' else 10}")
            return None
        if self.cutoff == "none":
            raise UsageError(f"{self.name} takes no cut-off; got @{k}")
        if self.cutoff == "recall":
            if isinstance(k, bool) or not isinstance(k, int | float) or not 0 <= k <= 1:
                raise UsageError(f"{self.name}@recall needs a recall level in [0, 1]. Got {k} instead.")
            return float(k)
        cut = Param._int(k)
        if cut is None or not 0 <= cut < 2**31:
            raise UsageError(f"{self.name}@k needs a whole number k ≥ 0 (and < 2³¹). Got {k} instead.")
        return cut

    # a value ---------------------------------------------------------------------------------------------------------
    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self} is a value and cannot be changed; use {self.name}({name}=…) or .but({name}=…)")

    def but(self, **changes: Any) -> Self:
        """The same measure with other parameters: ``m.but(judged_only=True, k=5)``."""
        given: dict[str, Any] = {n: getattr(self, n) for n in self.params} | {"k": self.k} | changes
        return type(self)(given.pop("k"), **given)

    def __matmul__(self, k: float) -> Self:
        return self.but(k=k)

    def _key(self) -> tuple[object, ...]:
        return (type(self), self.k, *(getattr(self, n) for n in self.params))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _written(self, everything: bool) -> str:
        shown = [
            f"{n}={spec.show(getattr(self, n))}"
            for n, spec in self.params.items()
            if everything or getattr(self, n) != spec.default or n in ALWAYS_SHOWN
        ]
        cut = "" if self.k is None else f"@{self.k}"
        return f"{self.name}({', '.join(shown)}){cut}" if shown else f"{self.name}{cut}"

    def __str__(self) -> str:
        return self._written(everything=False)

    def full(self) -> str:
        """The name with every parameter."""
        return self._written(everything=True)

    def __repr__(self) -> str:
        return str(self)

    # the formula and its readings ------------------------------------------------------------------------------------
    def value(self, r: Rankings) -> Floats:
        """The measure at each point of ``r``; NaN where it is undefined."""
        raise TypeError(f"{self.name} has no formula of its own")

    @property
    def depth(self) -> float:
        """Evaluation depth as a number; infinite when there is none."""
        return np.inf if self.k is None or self.cutoff == "recall" else float(self.k)

    def label(self, labeller: Labeller) -> Labelled:
        """The lists as this measure sees them."""
        given = {n: getattr(self, n) for n in ("rel", "gain", "gmax", "judged_only") if n in self.params}
        return labeller(all_judged=self.all_judged, **given)

    def at(self, r: Rankings) -> Floats:
        """:meth:`value`, in the shape of the points."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            return np.broadcast_to(np.asarray(self.value(r), np.float64), r.points.shape)

    def score(self, ranking: Typed, rels: Typed | None = None, gmax: int | None = None) -> float:
        """The score of one list typed by hand: ``AP().score("1 0 - 2", rels="2 1 1")``."""
        return float(self._read(typed(ranking, rels, gmax), lambda lists: lists.whole(self.depth))[0])

    def depth_curve(self, ranking: Typed, rels: Typed | None = None, *, depth: int, gmax: int | None = None) -> Floats:
        """Scores of one typed list at the evaluation depths 0, 1, …, ``depth``."""
        curves = self._read(typed(ranking, rels, gmax), lambda lists: lists.at_depths(np.arange(depth + 1)))
        return np.asarray(curves[0], np.float64)

    def length_curve(self, ranking: Typed, rels: Typed | None = None, *, gmax: int | None = None) -> Floats:
        """Scores of one typed list if it had stopped after 0, 1, … documents."""
        track = typed(ranking, rels, gmax)
        stops = np.arange(int(track.lengths[0]) + 1)
        return np.asarray(self._read(track, lambda lists: lists.at_lengths(stops, self.depth))[0], np.float64)

    def _read(self, track: Track, points: Callable[[Labelled], Rankings]) -> Floats:
        return self.combine([m.at(points(m.label(Labeller(t)))) for m, t in self.parts(track)])

    def parts(self, track: Track) -> list[tuple[Measure, Track]]:
        """The (measure, Track) pairs it is made of: itself on the Track, unless it combines relabelled ones."""
        return [(self, track)]

    def combine(self, values: list[Floats]) -> Floats:
        """Its value from those of its :meth:`parts`."""
        return values[0]

    def doubts(self, track: Track) -> list[Finding]:
        """What a reader should know about this measure on this Track."""
        return []

    def aggregate(self, values: Floats) -> Floats:
        """From (runs × topics) to runs: what is reported under topic ``all``; undefined topics are left out."""
        defined = ~np.isnan(values)
        total: Floats = np.where(defined, values, 0).sum(axis=-1)
        return total if self.total == "sum" else ratio(total, defined.sum(axis=-1))


class BinaryMeasure(Measure):
    """A measure that only knows relevant and not relevant."""

    rel: int = param(1, doc="lowest grade that counts as relevant")


class GainMeasure(Measure):
    """A measure of gains; ``rel`` is the threshold of the `binary` gain and of R."""

    rel: int = param(1, doc="lowest grade that counts as relevant")
    gain: str = gain_param("raw")
    gmax: int | None = param(None, kind="int", within="[1, 2147483647]", doc="top grade; default: that of the qrels")


M = TypeVar("M", bound=type[Measure])


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(param, gain_param))
def measure(cls: M) -> M:
    """Register a measure under its class name and aliases, so that names, curves, properties and documents know it."""
    if not cls.__doc__ or cls.__doc__ is Measure.__doc__:
        raise TypeError(f"{cls.__name__} needs a docstring: formula, meaning, when it misleads, references")
    for name in (cls.name, *cls.aliases):
        if not cls.__module__.startswith("leadline."):
            from leadline.measures.names import load

            load(name)  # leadline's own measures are known only once they are asked for
        known = REGISTRY.get(name)
        if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise UsageError(f"A measure {name!r} exists already, in {known.__module__}; choose another name.")
        REGISTRY[name] = cls
    return cls
