"""The choices that a distance order rests on, laid out side by side for a sensitivity analysis.

The embedding, the distance and the weight function are arbitrary within wide bounds. Here is a documented list of
alternatives as ready orders; whether the conclusions about systems survive all of them is for later stages to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadline.errors import UsageError
from leadline.io.aspects import AspectSet, Number
from leadline.rankings.aspect_distances import DISTANCES, EMBEDDINGS, Distance, LabelRows, embed, name_of
from leadline.rankings.aspects import Order, Weight, classes

__all__ = ["CHOICES", "Alternative", "alternatives"]

CHOICES: dict[str, tuple[str, ...]] = {
    "embedding": tuple(EMBEDDINGS),
    "distance": DISTANCES,
    "weight": ("step", "square", "root", "distance"),
}


@dataclass(frozen=True, eq=False)
class Alternative:
    """One embedding, distance and weight function; ``twin`` names an earlier alternative with the very same weights."""

    embedding: str
    distance: str
    weight: str
    order: Order
    twin: str | None = None

    @property
    def name(self) -> str:
        """For example ``range/manhattan/step``."""
        return f"{self.embedding}/{self.distance}/{self.weight}"


def alternatives(
    aspects: AspectSet,
    *,
    embeddings: Sequence[str] | Mapping[str, str | Mapping[str, Sequence[Number]]] = CHOICES["embedding"],
    distances: Sequence[str | Distance] = CHOICES["distance"],
    weights: Sequence[str] | Mapping[str, Weight] = CHOICES["weight"],
    tuples: str | None = None,
    observed: LabelRows | None = None,
) -> list[Alternative]:
    """Orders for every combination of embedding, distance and weight function, embeddings varying slowest.

    Embeddings and weights are names, or mappings name → embedding (or weight function) for one's own. Combinations
    often coincide (equal step is the same range when all aspects have equally many labels); such twins are marked, so
    that they need not be evaluated twice.

    >>> from leadline.io.aspects import declare
    >>> found = alternatives(declare("a=0..2 b=0..2"), weights=["step"])
    >>> [x.name for x in found if x.twin is None]
    ['declared/euclidean/step', 'declared/manhattan/step', 'declared/chebyshev/step', 'convex/manhattan/step']
    """
    embeddings = embeddings if isinstance(embeddings, Mapping) else {name: name for name in embeddings}
    weighing: dict[str, Weight] = dict(weights) if isinstance(weights, Mapping) else {name: name for name in weights}
    if not embeddings or not distances or not weighing:
        raise UsageError("alternatives: expected at least one embedding, one distance and one weight function")
    found: list[Alternative] = []
    first: dict[tuple[bytes, bytes], str] = {}
    for embedding, kind in embeddings.items():
        embedded = embed(aspects, kind)
        for distance in distances:
            base = classes(embedded, distance, tuples=tuples, observed=observed)
            for weight, function in weighing.items():
                # distinct distances may round to the same float, which is no reason to stop a whole analysis
                order = base.reweigh(function, strict=not (isinstance(function, str) and function == "distance"))
                one = Alternative(
                    embedding, distance if isinstance(distance, str) else name_of(distance), weight, order
                )
                twin = first.setdefault(_print_of(order), one.name)
                found.append(one if twin == one.name else Alternative(one.embedding, one.distance, weight, order, twin))
    return found


def _print_of(order: Order) -> tuple[bytes, bytes]:
    if order.table is None:  # never laid out: the same only if built the same way
        return f"{order.distance} {order.aspects}".encode(), order.class_weights.tobytes()
    return order.table.tobytes(), order.class_weights.tobytes()
