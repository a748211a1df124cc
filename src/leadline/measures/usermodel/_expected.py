"""What a reader expects of a list: measures of another measure's reader."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from leadline.errors import UsageError
from leadline.findings import Finding
from leadline.measures.base import Measure, param
from leadline.measures.names import parse
from leadline.measures.usermodel._cwl import Expectation, UserModel
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Labelled, Rankings

__all__ = ["ExpectedMeasure"]


class ExpectedMeasure(Measure):
    """An expectation of the reader behind another measure.

    Cut-off, threshold and condensing are those of that measure; given here, they are handed on to it, so that one
    measure has one name: ``ED(of='RBP(p=0.8)')@10`` is ``ED(of='RBP(p=0.8)@10')``.
    """

    of: str = param(kind="str", doc="the measure whose reader is meant, like 'INST(T=2)'")
    rel: int | None = param(None, kind="int", doc="handed on to that measure, unless it has a threshold of its own")
    rises_only_at_hits: ClassVar[bool] = True  # a document without gain is what lies past the list anyway

    def __init__(self, k: float | None = None, **given: Any) -> None:
        if isinstance(given.get("of"), str | Measure):
            inner = self._reader(given["of"])
            changes: dict[str, Any] = {} if k is None else {"k": k}
            if given.get("judged_only") is True:
                changes["judged_only"] = True
            if given.get("rel") is not None and inner.rel == inner.params["rel"].default:
                changes["rel"] = given["rel"]
            kept = {n: v for n, v in given.items() if n not in ("of", "rel") and n not in changes}
            given = {"of": str(inner.but(**changes) if changes else inner), **kept}
        super().__init__(None, **given)

    def _reader(self, of: str | Measure) -> UserModel:
        inner = parse(of)
        if not isinstance(inner, UserModel):
            raise UsageError(
                f"{self.name}: of must be a measure with a continuation function, like RBP, INST, INSQ, SDCG@10 or "
                f"BPM@10. Got {str(inner)!r} instead."
            )
        return inner

    @cached_property
    def inner(self) -> UserModel:
        """The measure whose reader is meant."""
        return self._reader(self.of)

    @property
    def depth(self) -> float:
        """Evaluation depth of that measure."""
        return self.inner.depth

    def label(self, labeller: Labeller) -> Labelled:
        """The lists as that measure sees them."""
        return self.inner.label(labeller)

    def doubts(self, track: Track) -> list[Finding]:
        """The doubts about that measure."""
        return self.inner.doubts(track)

    def value(self, r: Rankings) -> Floats:
        """The expectation asked for."""
        return self.expected(self.inner.expect(r), r)

    def expected(self, x: Expectation, r: Rankings) -> Floats:
        """The value from what the reader sees and gains."""
        raise TypeError(f"{self.name} has no formula of its own")
