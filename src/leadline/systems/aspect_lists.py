"""Why one list beats another under several aspects: labels, weights and scores, rank by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.depths.curves import curve
from leadline.errors import UsageError
from leadline.measures.aspects._compound import AspectMeasure
from leadline.measures.aspects.toma import TOMA
from leadline.measures.names import parse
from leadline.measures.scoring import score_track
from leadline.rankings.track import Track

__all__ = ["ListDuel", "compare_lists"]

_UNJUDGED = "unjudged"
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class ListDuel:
    """Two lists of one topic side by side; ``values`` are their scores, ``steps`` their scores after each rank."""

    measure: AspectMeasure
    topic: str
    runs: tuple[str, str]
    values: tuple[float, float]
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    weights: tuple[tuple[float | None, ...], tuple[float | None, ...]]
    steps: tuple[tuple[float, ...], tuple[float, ...]]

    @property
    def verdict(self) -> str:
        """One sentence: who is ahead, by how much, and at which ranks it came about."""
        a, b = self.runs
        gap = self.values[0] - self.values[1]
        if abs(gap) <= _EQUAL:
            return f"{a} and {b} score the same, {self.values[0]:.4f}."
        if not self.measure.higher_is_better:
            gap = -gap
        first, second = (a, b) if gap > 0 else (b, a)
        winner = 0 if first == a else 1
        lead = np.array(self.steps[winner]) - np.array(self.steps[1 - winner])
        ahead = np.diff(lead if self.measure.higher_is_better else -lead, prepend=0.0)
        if not (ahead > _EQUAL).any():
            return f"{first} beats {second} by {abs(gap):.4f}, below the ranks shown."
        rank = int(np.argmax(ahead)) + 1
        most = f"rank {rank} does most for it: {a} has {self._at(0, rank)}, {b} {self._at(1, rank)}"
        return f"{first} beats {second} by {abs(gap):.4f}; {most}."

    def _at(self, side: int, rank: int) -> str:
        if rank > len(self.labels[side]):
            return "nothing"
        weight = self.weights[side][rank - 1]
        return self.labels[side][rank - 1] + ("" if weight is None else f" (W {weight:g})")

    def columns(self) -> dict[str, list[Any]]:
        """Records: rank, then labels, weight and score after that rank, of both lists."""
        depth = max(len(side) for side in self.labels)
        found: dict[str, list[Any]] = {"rank": list(range(1, depth + 1))}
        for name, labels, weights, steps in zip(("a", "b"), self.labels, self.weights, self.steps, strict=True):
            missing = [None] * (depth - len(labels))
            found[f"labels_{name}"] = [*labels, *missing]
            if isinstance(self.measure, TOMA):
                found[f"weight_{name}"] = [*map(_shown, weights), *missing]
            found[f"score_{name}"] = list(steps[:depth])
        return found


def _shown(weight: float | None) -> float | int | None:
    return int(weight) if weight is not None and weight.is_integer() else weight


def compare_lists(
    track: Track, measure: str | AspectMeasure, a: str, b: str, topic: str, *, depth: int = 10
) -> ListDuel:
    """Two runs on one topic under a measure of several aspects, down to ``depth``.

    Scores after rank n are those of the list evaluated to depth n (or stopped there, if the measure has no depth).
    """
    m = parse(measure)
    if not isinstance(m, AspectMeasure):
        raise UsageError(f"Lists are explained under TOMA, CAM or MM. Got {m} instead.")
    two = track.select(runs=[a, b], topics=[topic])
    aspects = m.aspects(two)
    rows = [two.indices(run, topic)[:depth] for run in (a, b)]
    rank_by = "length" if m.cutoff in ("none", "recall") else "depth"
    last = max(1, *(len(r) for r in rows))
    points = curve(two, m, by=rank_by, depths=range(1, last + 1), per_topic=True)  # type: ignore[arg-type]
    values = score_track(two, m).array(m)[:, 0]
    labels, weights = [], []
    for found in rows:
        spelled = [_UNJUDGED if row < 0 else aspects.spell(two.judgments.labels[row]) for row in found.tolist()]
        labels.append(tuple(spelled))
        weights.append(_weights(m, two, found))
    steps = [tuple(float(v) for v in row) for row in np.nan_to_num(points.array(m)[:, 0, :])]
    return ListDuel(
        m, topic, (a, b), (float(values[0]), float(values[1])), (labels[0], labels[1]), (weights[0], weights[1]),
        (steps[0], steps[1]),
    )  # fmt: skip


def _weights(m: AspectMeasure, track: Track, rows: np.ndarray[Any, np.dtype[np.int32]]) -> tuple[float | None, ...]:
    """TOMA's weight of each document, 0 for an unjudged one; None for other measures."""
    if not isinstance(m, TOMA):
        return (None,) * len(rows)
    judged = rows >= 0
    found = np.zeros(len(rows))
    found[judged] = m.order(track).weights(track.judgments.labels[rows[judged]])
    return tuple(found.tolist())
