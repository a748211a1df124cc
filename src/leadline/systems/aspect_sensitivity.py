"""What hangs on the choices that TOMA leaves open: embedding, distance, weights.

All of them are arbitrary within wide bounds, so a conclusion should survive them all. Every combination is evaluated;
the answers are how often the winner changes, and which pairs of systems stand the same way round under all choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.measures.aspects.toma import TOMA
from leadline.measures.base import Measure
from leadline.measures.scoring import score_track
from leadline.rankings.aspect_choices import CHOICES, alternatives
from leadline.rankings.track import Track
from leadline.stats import tau_matrix

__all__ = ["Sensitivity", "aspect_sensitivity"]

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
_DECIMALS = 10
_UNDEFINED = "undefined-scores"


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Scores under every combination of choices, the first being the reference.

    ``twin[i]`` names an earlier alternative with the very same weights, which is not counted again. ``means`` are
    alternatives × runs, ``tau`` is τ-b with the reference's order of runs. ``robust[i, j]``: run i scores higher than j
    under every alternative. ``topic_winners``: for each topic, how many alternatives share the reference's winner.
    """

    names: tuple[str, ...]
    measures: tuple[TOMA, ...]
    twin: tuple[str | None, ...]
    runs: tuple[str, ...]
    means: Floats
    tau: Floats
    robust: Bools
    same_topic_winner: Floats
    findings: Findings

    @property
    def distinct(self) -> list[int]:
        """Alternatives that are no twins."""
        return [i for i, twin in enumerate(self.twin) if twin is None]

    @property
    def winners(self) -> list[str]:
        """The best run under each alternative (the first of equals)."""
        sign = 1.0 if self.measures[0].higher_is_better else -1.0
        return [self.runs[i] for i in np.argmax(sign * self.means.round(_DECIMALS), axis=1).tolist()]

    @property
    def winner_changes(self) -> float:
        """Share of the distinct alternatives, reference apart, that another run wins."""
        others = self.distinct[1:]
        return float(np.mean([self.winners[i] != self.winners[0] for i in others])) if others else 0.0

    @property
    def robust_share(self) -> float:
        """Share of the pairs of runs that stand the same way round under all alternatives."""
        n = len(self.runs)
        return float(self.robust.sum()) / (n * (n - 1) / 2)

    def columns(self) -> dict[str, list[Any]]:
        """Records: alternative, winner, value (its mean), tau, twin."""
        best = self.means.max(axis=1) if self.measures[0].higher_is_better else self.means.min(axis=1)
        return {
            "alternative": list(self.names),
            "winner": self.winners,
            "value": best.tolist(),
            "tau": self.tau.tolist(),
            "twin": list(self.twin),
        }

    def pairs(self) -> dict[str, list[Any]]:
        """Records of all pairs of runs: a, b (a first under the reference), ahead (share of alternatives), robust."""
        sign = 1.0 if self.measures[0].higher_is_better else -1.0
        x = sign * self.means[self.distinct].round(_DECIMALS)
        order = np.argsort(-x[0], kind="stable")
        found: dict[str, list[Any]] = {"a": [], "b": [], "ahead": [], "robust": []}
        for place, i in enumerate(order.tolist()):
            for j in order[place + 1 :].tolist():
                cells = (self.runs[i], self.runs[j], float((x[:, i] > x[:, j]).mean()), bool(self.robust[i, j]))
                for column, cell in zip(found.values(), cells, strict=True):
                    column.append(cell)
        return found


def aspect_sensitivity(
    track: Track,
    measure: str | Measure = "nDCG",
    *,
    embeddings: Sequence[str] = CHOICES["embedding"],
    distances: Sequence[str] = CHOICES["distance"],
    weights: Sequence[str] = CHOICES["weight"],
    tuples: str = "declared",
    binary: str | float = "aspects",
) -> Sensitivity:
    """Evaluate a measure under every combination of embedding, distance and weight function."""
    if len(track.runs) < 2:
        raise UsageError(f"A sensitivity analysis compares runs: give two at least. Got {len(track.runs)}.")
    given: dict[str, Any] = {"measure": measure, "tuples": tuples, "binary": binary}
    reference = TOMA(**given)
    found = alternatives(
        reference.aspects(track), embeddings=embeddings, distances=distances, weights=weights,
        tuples=None if tuples == "declared" else tuples, observed=track.judgments.labels,
    )  # fmt: skip
    asked = [reference.but(embedding=x.embedding, distance=x.distance, weights=x.weight) for x in found]
    scores = score_track(track, [m for m, x in zip(asked, found, strict=True) if x.twin is None])
    own = {x.name: m for m, x in zip(asked, found, strict=True)}
    table = np.stack([scores.array(own[x.twin or x.name]) for x in found])
    means = np.stack([m.aggregate(x) for m, x in zip(asked, table, strict=True)])
    sign = 1.0 if reference.higher_is_better else -1.0
    distinct = [i for i, x in enumerate(found) if x.twin is None]
    rounded = sign * means[distinct].round(_DECIMALS)
    winners = np.argmax(sign * np.nan_to_num(table[distinct], nan=-sign * np.inf).round(_DECIMALS), axis=1)
    return Sensitivity(
        names=tuple(x.name for x in found),
        measures=tuple(asked),
        twin=tuple(x.twin for x in found),
        runs=track.runs,
        means=means,
        tau=tau_matrix(means[:1], means, decimals=_DECIMALS)[0],
        robust=np.logical_and.reduce(rounded[:, :, None] > rounded[:, None, :], axis=0),
        same_topic_winner=np.asarray((winners == winners[:1]).mean(axis=0), np.float64),
        findings=_told(scores.findings, len(distinct)),
    )


def _told(findings: Findings, count: int) -> Findings:
    """The findings without the names of all alternatives."""
    found = Findings()
    for f in findings:
        text = f"{f.text.partition(':')[0]} under some of the {count} alternatives" if f.code == _UNDEFINED else f.text
        found.add(f.code, f.count, f.examples, text)
    return found
