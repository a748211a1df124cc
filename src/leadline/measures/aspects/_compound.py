"""What the measures of several aspects have in common: an inner measure, and the declaration it is run under."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName, UsageError
from leadline.io.aspects import AspectSet, declare
from leadline.measures.base import BinaryMeasure, Measure, param
from leadline.measures.names import parse
from leadline.rankings.aspect_distances import embed
from leadline.rankings.track import Track
from leadline.rankings.view import Floats

__all__ = ["INHERITED", "AspectMeasure", "gain_table", "graded", "relabelled", "words"]

Gains: TypeAlias = tuple[tuple[int, float], ...]

# what a measure of several aspects takes over from the measure inside it
INHERITED = (
    "cutoff", "ties", "total", "per_topic", "zero_if_undefined", "higher_is_better", "rises_only_at_hits",
    "rises_only_at_hits_or_end",
)  # fmt: skip


class AspectMeasure(Measure):
    """A measure made of another one; its cut-off is that of the measure inside."""

    measure: str = param("nDCG", doc="the measure to run, by name")
    embedding: str = param(
        "declared", doc="numbers of the labels: declared, step, range, convex, concave, or 'relevance=0,5,10 …'"
    )
    importance: str = param("", doc="importance of the aspects, like 'relevance=2 credibility=1'; default: as declared")

    def __init__(self, k: float | None = None, **given: Any) -> None:
        asked = given.get("measure", self.params["measure"].default)
        inner = _inner(asked, k, self.name)
        if inner.judged_only:
            given["judged_only"] = True
        given["measure"] = str(inner.but(judged_only=False))
        for name in INHERITED:
            object.__setattr__(self, name, getattr(inner, name))
        super().__init__(inner.k, **given)

    @classmethod
    def understand(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Mappings, sequences and numbers are understood wherever a text stands for them."""
        texts = {n for n, spec in cls.params.items() if spec.kind == "str"} - {"measure"}
        return {n: _text(v) if n in texts else v for n, v in given.items()}

    def validate(self) -> None:
        """The embedding and the importance must be readable; that they fit the aspects is seen with the Track."""
        if "=" in self.embedding:
            words(self.embedding, "embedding")
        else:
            embed(_ANY, self.embedding)
        for name, values in words(self.importance, "importance").items():
            if len(values) != 1:
                raise UsageError(f"{self.name}: importance needs one number for each aspect, got {name}={values}")

    @cached_property
    def inner(self) -> Measure:
        """The measure inside, as it is run."""
        return parse(self.measure).but(judged_only=self.judged_only)

    @property
    def wants_binary(self) -> bool:
        """Whether the measure inside only knows relevant and not relevant."""
        return isinstance(self.inner, BinaryMeasure) or getattr(self.inner, "gain", "") == "binary"

    def but(self, **changes: Any) -> Self:
        """The same measure with other parameters; ``k`` is the cut-off of the measure inside."""
        if "measure" in changes:
            changes = {"k": None} | changes
        return super().but(**changes)

    def _written(self, everything: bool) -> str:
        shown = super()._written(everything)
        return shown if self.k is None else shown.removesuffix(f"@{self.k}")

    def declared(self, track: Track) -> AspectSet:
        """The aspects that the Track's label columns were declared to be."""
        columns = track.judgments.labels.shape[1]
        if track.aspects is None or len(track.aspects) != columns:
            raise UsageError(
                f"{self} needs the aspects of the {columns} label column{'s' * (columns > 1)}: "
                "read the qrels with aspects='relevance=0..3 correctness=nc,pc,c' (--aspects)"
            )
        return track.aspects

    def embedded(self, aspects: AspectSet) -> AspectSet:
        """The aspects with the numbers and the importance that this measure gives them."""
        found = embed(aspects, words(self.embedding) if "=" in self.embedding else self.embedding)
        weights = {name: numbers[0] for name, numbers in words(self.importance).items()}
        return found.with_weights(weights) if weights else found

    def aspects(self, track: Track) -> AspectSet:
        """The aspects of the Track's label columns, as this measure embeds and weighs them."""
        return self.embedded(self.declared(track))

    def aggregate(self, values: Floats) -> Floats:
        """What is reported under topic ``all``: as the measure inside does it."""
        return self.inner.aggregate(values)


def _inner(asked: object, k: float | None, owner: str) -> Measure:
    """The measure asked for, at depth ``k`` if one is given outside."""
    if not isinstance(asked, str | Measure):
        raise UsageError(f"{owner}: measure must be a measure or its name. Got {asked!r} instead.")
    try:
        found = parse(asked)
    except UnknownName:
        raise
    except UsageError:
        if k is None:
            raise
        found = parse(f"{asked}@{k}")  # a measure that needs a cut-off
    if isinstance(found, AspectMeasure):
        raise UsageError(f"{owner}: measure must be of one aspect, like nDCG@10. Got {found} instead.")
    return found if k is None else found.but(k=k)


def _text(value: object) -> object:
    """A mapping as ``a=1,2 b=3``, a sequence as ``1,2``, a number as it prints; text as it is."""
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_text(v)}" for name, v in value.items())
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return ",".join(str(_text(v)) for v in value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else str(number)
    return str(value) if isinstance(value, int | np.integer | Fraction) and not isinstance(value, bool) else value


def words(text: str, what: str = "numbers") -> dict[str, list[str]]:
    """``a=1,2 b=3`` as lists of numbers by aspect, not yet made numbers."""
    found: dict[str, list[str]] = {}
    for word in text.split():
        name, sign, numbers = word.partition("=")
        if not sign or not name or not numbers or name in found:
            raise UsageError(f"{what}: expected each aspect once, like 'relevance=0,5,10 correctness=1'. Got {text!r}.")
        found[name] = numbers.split(",")
    return found


_ANY = declare("any=0,1")


# relabelling ----------------------------------------------------------------------------------------------------------
def relabelled(track: Track, key: object, grade: Callable[[], NDArray[np.int32]], gmax: int) -> Track:
    """The Track under other grades; measures that ask for the same ones share it."""
    found = track.memo.get(key)
    if found is None:
        found = track.memo[key] = track.relabel(grade(), max(gmax, 1))
    assert isinstance(found, Track)
    return found


def gain_table(inner: Measure, value: Floats) -> Gains | None:
    """The gain of each grade 0, 1, … whose worth is ``value``; None if the measure's own map says it already.

    The named gains are those of whole-number grades, taken at any number: linear is value / top, and so on.
    """
    gain = getattr(inner, "gain", None)
    if not isinstance(gain, str) or np.array_equal(value, np.arange(len(value))):
        return None
    top = float(getattr(inner, "gmax", None) or value.max())
    x = np.maximum(value, 0.0)
    named: dict[str, Callable[[], Floats]] = {
        "raw": lambda: x,
        "linear": lambda: x / top,
        "exp": lambda: np.exp2(x - top) - np.exp2(-top),
        "raw-exp": lambda: np.exp2(x) - 1,
    }
    return tuple((grade, float(g)) for grade, g in enumerate(named[gain]()))


def graded(inner: Measure, value: Floats) -> Measure:
    """The measure inside, with a gain for each grade 0, 1, … that is worth ``value``."""
    table = gain_table(inner, value)
    if table is None:
        return inner
    return inner.but(gain=table, **({"gmax": None} if "gmax" in inner.params else {}))
