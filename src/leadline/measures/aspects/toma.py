"""TOMA: one total order of label tuples, then any measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName, UsageError
from leadline.findings import Finding, Findings
from leadline.io.aspects import TUPLES, AspectSet, exact
from leadline.measures.aspects._bounds import document_rank
from leadline.measures.aspects._compound import AspectMeasure, graded, relabelled
from leadline.measures.base import Measure, measure, param
from leadline.rankings.aspect_distances import DISTANCES, OWN, own_distance
from leadline.rankings.aspect_ideals import toma_ideal
from leadline.rankings.aspects import OWN_WEIGHTS, WEIGHTS, Order, classes, own_weight
from leadline.rankings.gains import gain_of
from leadline.rankings.track import Track
from leadline.rankings.view import Floats


@measure
class TOMA(AspectMeasure):
    r"""Any measure on the weights of label tuples, ordered by their distance to the best tuple.

    $$\mathrm{TOMA}(r) = \mu\bigl(W(l_1), \dots, W(l_n)\bigr), \qquad
    W(l) = \#\{\text{distances larger than } d(l, l^*)\}$$

    where $l_i$ is the tuple of labels at rank i, $l^*$ the tuple of the highest labels, and $d$ the Euclidean,
    Manhattan or Chebyshev distance between embedded labels (or one of your own). Tuples at the same distance form a
    class; the worst class weighs 0, each better one 1 more, unless ``weights`` says otherwise. A document that is at
    least as good as another in every aspect never weighs less, and the ideal order scores 1 under a normalised
    measure. What a binary measure counts as relevant is said by ``binary``: 'aspects' (reduce every aspect to lowest or
    better, order those tuples by the same distance: all but the worst class), 'top-half' (the top half of the classes),
    or W from a number on.

    Misleads where the numbers given to labels mean nothing: embedding, distance and weights are choices
    (``leadline aspects --sensitivity`` tells what hangs on them). With unequal ranges Chebyshev puts everything that
    lacks one aspect into the worst class.

    References: Maistro, Chaves Lima, Simonsen, Lioma. Principled multi-aspect evaluation measures of rankings. CIKM
    2021. doi:10.1145/3459637.3482287

    >>> import leadline
    >>> qrels = {"q": {"d1": ("mr", "c"), "d2": ("hr", "pc"), "d3": ("hr", "nc")}}
    >>> runs = {"123": {"q": {"d1": 3, "d2": 2, "d3": 1}}, "213": {"q": {"d2": 3, "d1": 2, "d3": 1}}}
    >>> track = leadline.read(qrels, runs, aspects="relevance=nr,mr,fr,hr correctness=nc:0,pc:1.5,c:3")
    >>> leadline.evaluate(track, "TOMA(measure='nDCG', distance='manhattan')").mean().round(4)
    array([[0.9753],
           [1.    ]])
    """

    measure: str = param("nDCG@10", doc="the measure to run on the weights, by name")
    distance: str = param("euclidean", doc="euclidean, manhattan, chebyshev, or a distance of your own by its name")
    tuples: str = param(
        "declared", choices=("declared", *TUPLES), doc="label tuples that count: full grid, feasible, observed"
    )
    weights: str = param(
        "step", doc="weights of the classes: step, square, root, exp, distance, numbers from the worst on, or your own"
    )
    binary: str = param("aspects", doc="for binary measures: aspects, top-half, or the least weight that is relevant")
    cites = ("maistro2021",)

    @classmethod
    def understand(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Functions stand for distances and weights as well."""
        given = dict(given)
        for name, own in (("distance", own_distance), ("weights", own_weight)):
            if callable(given.get(name)):
                given[name] = own(given[name]).__name__
        given = super().understand(given)
        asked = given.get("distance")
        if isinstance(asked, str) and asked.lower() in DISTANCES:
            given["distance"] = asked.lower()
        return given

    def validate(self) -> None:
        """Names of distances, weights and binary options must be known."""
        super().validate()
        if self.distance not in (*DISTANCES, *OWN):
            raise UnknownName("distance", self.distance, (*DISTANCES, *OWN))
        if self.weights not in (*WEIGHTS, *OWN_WEIGHTS):
            if not any(c.isdigit() for c in self.weights):
                raise UnknownName("weight function", self.weights, (*WEIGHTS, *OWN_WEIGHTS))
            self._given_weights()
        if self.binary not in ("aspects", "top-half"):
            exact(self.binary, f"{self.name}: binary (aspects, top-half or a weight)")
        if self.wants_binary and getattr(self.inner, "rel", 1) != 1:
            raise UsageError(
                f"{self.name}: which documents are relevant for {self.inner} is said by binary=, "
                f"for example binary={self.inner.rel}; leave rel= out."  # type: ignore[attr-defined]
            )

    def _given_weights(self) -> list[float]:
        return [float(exact(w, f"{self.name}: weights")) for w in self.weights.split(",")]

    @property
    def weighing(self) -> str | list[float]:
        """The weight function by name, or the weights from the worst class on."""
        return self.weights if self.weights in (*WEIGHTS, *OWN_WEIGHTS) else self._given_weights()

    def order_of(self, aspects: AspectSet, observed: NDArray[np.int32] | None = None) -> Order:
        """The classes of the label tuples of declared aspects, best first, with their weights."""
        return classes(
            self.embedded(aspects),
            self.distance,
            tuples=None if self.tuples == "declared" else self.tuples,
            observed=observed,
            weight=self.weighing,
            strict=self.weights != "distance",  # distinct distances may round to one float
        )

    def order(self, track: Track) -> Order:
        """The same for a Track's label columns, its judgments being the observed tuples."""
        key = ("order", self.embedding, self.importance, self.distance, self.tuples, self.weights)
        if key not in track.memo:
            track.memo[key] = self.order_of(self.declared(track), _all_labels(track))
        found = track.memo[key]
        assert isinstance(found, Order)
        return found

    def parts(self, track: Track) -> list[tuple[Measure, Track]]:
        """The measure inside, on the Track of weights."""
        order, labels = self.order(track), track.judgments.labels
        key: tuple[str, ...] = ("TOMA", self.embedding, self.importance, self.distance, self.tuples)
        if self.wants_binary:
            key = (*key, self.binary, "" if self.binary in ("aspects", "top-half") else self.weights)
            on = relabelled(track, key, lambda: order.binary(labels, self.binary).astype(np.int32), 1)
            return self.inner.parts(on)
        on = relabelled(track, key, lambda: order.heights(labels), len(order) - 1)
        return graded(self.inner, order.class_weights[::-1]).parts(on)

    def ideal(self, track: Track) -> NDArray[np.int64]:
        """Judgment rows from best to worst within each topic: the ranking that scores 1 under a normalised measure."""
        order, judged = self.order(track), track.judgments
        hit = order.binary(judged.labels, self.binary) if self.wants_binary else None
        return toma_ideal(order, judged.labels, judged.topic, document_rank(track), hit=hit)

    def combine(self, values: list[Floats]) -> Floats:
        """As the measure inside."""
        return self.inner.combine(values)

    def doubts(self, track: Track) -> list[Finding]:
        """What the order of tuples and the measure inside have to say."""
        order = self.order(track)
        notes = Findings(order.findings)
        for part, on in self.parts(track):
            gain: Any = getattr(part, "gain", "raw")
            if not self.wants_binary:
                grades = np.arange(len(order), dtype=np.int32)
                gains = gain_of(grades, gain if isinstance(gain, str) else dict(gain), gmax=on.gmax)
                lost = int(((gains == 0) & (order.class_weights[::-1] > 0)).sum())
                notes.add("gains-too-small", lost, (), f"classes of {len(order)} whose gain {part} rounds to 0")
            notes.extend(part.doubts(on))
        return list(notes)


def _all_labels(track: Track) -> NDArray[np.int32]:
    """Labels of the whole qrels: the classes must not change with a shallower pool or fewer topics."""
    whole = None if track.reading is None else track.reading.labels
    return track.judgments.labels if whole is None or whole.shape[1] != len(track.aspects or ()) else whole
