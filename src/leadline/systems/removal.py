"""Removal experiments: which preference tells best, from a part of the data, what reciprocal rank says of all of it?

References: Diaz. 2023, section 5.1 and Figures 8 and 9. arXiv:2306.07908
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.track import Track
from leadline.stats._arrays import Floats, Ints, Rng, at_least, pair_indices, seeded
from leadline.systems.preferences import decided
from leadline.systems.recall_levels import RecallLevels, reciprocal

__all__ = ["Removal", "removal"]

SHARES = tuple(i / 10 for i in range(10))
PREDICTORS = ("RR", "rrLP", "sgnLP")
_ZERO = 1e-12  # mean differences of reciprocal ranks below this are rounding


@dataclass(frozen=True, slots=True, eq=False)
class Removal:
    """Agreement with reciprocal rank on complete data after random removal; arrays are predictors × shares × samples.

    ``ranking`` (labels only): share of the pairs of rankings with δRR_1 ≠ 0 on all labels whose sign the predictor
    gives on the remaining ones, a tie being wrong. ``system``: share of the pairs of runs whose mean preference has
    the sign of the mean δRR_1 on complete data. ``ties`` (labels only): share of pairs of rankings tied. NaN where
    there is no such figure.
    """

    what: Literal["labels", "requests"]
    shares: Floats
    predictors: tuple[str, ...]
    ranking: Floats
    system: Floats
    ties: Floats
    samples: int
    seed: int | None

    def columns(self) -> dict[str, Any]:
        """Columns removed, predictor, ranking, ranking_sd, system, system_sd, ties, ties_sd: means over samples."""
        columns: dict[str, Any] = {
            "removed": np.tile(self.shares, len(self.predictors)),
            "predictor": [p for p in self.predictors for _ in self.shares],
        }
        for name in ("ranking", "system", "ties"):
            values = getattr(self, name)
            columns[name] = values.mean(axis=2).ravel()
            columns[f"{name}_sd"] = values.std(axis=2, ddof=1 if self.samples > 1 else 0).ravel()
        return columns


def removal(
    track: Track,
    what: Literal["labels", "requests"] = "labels",
    *,
    shares: Sequence[float] = SHARES,
    samples: int = 10,
    rel: int = 1,
    rng: Rng = 0,
) -> Removal:
    """Remove a share of the relevant labels, or of the topics, at random and see which preference still agrees.

    Within a sample a larger share removes what a smaller one does and more. Labels are drawn from all topics together;
    a topic whose labels are all removed stays, as a tie. Of the requests one at least remains.

    >>> import leadline
    >>> track = leadline.read({"q": {"a": 1, "b": 1}, "r": {"a": 1}}, {
    ...     "x": {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 1.0}}, "y": {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}})
    >>> found = removal(track, "labels", shares=[0.0, 0.5], samples=3, rng=1)
    >>> found.ranking[:, 0, 0].tolist(), found.seed
    ([1.0, 1.0, 1.0], 1)
    """
    known = RecallLevels.of(track, rel)
    if len(known.runs) < 2:
        raise UsageError("Agreement of preferences needs two runs at least.")
    removed = np.asarray(shares, np.float64)
    if removed.ndim != 1 or not ((removed >= 0) & (removed < 1)).all():
        raise UsageError(f"Shares removed must be within [0, 1). Got {list(shares)} instead.")
    if what not in ("labels", "requests"):
        raise UsageError(f"What is removed must be 'labels' or 'requests'. Got {what!r} instead.")
    generator, seed = seeded(rng)
    shape = (len(PREDICTORS), len(removed), at_least(samples, 1, "samples"))
    ranking, system, ties = (np.full(shape, np.nan) for _ in range(3))
    pairs = pair_indices(len(known.runs))
    full = _values(known, *pairs)
    target = np.sign(full[0])
    relevant = _relevant_rows(track, rel)
    for s in range(samples):
        order = generator.permutation(len(relevant) if what == "labels" else len(known.topics))
        for i, gone in enumerate(removed):
            if what == "labels":
                keep = np.ones(len(track.judgments), np.bool_)
                keep[relevant[order[: int(gone * len(order))]]] = False
                partial = _values(known.masked(keep), *pairs)
                ranking[:, i, s] = [_agreement(target, np.sign(v)) for v in partial]
                ties[:, i, s] = [np.mean(v == 0) for v in partial]
            else:
                partial = full[:, :, np.sort(order[: max(1, len(order) - int(gone * len(order)))])]
            system[:, i, s] = [_agreement(_leaning(full[0]), _leaning(v)) for v in partial]
    return Removal(what, removed, PREDICTORS, ranking, system, ties, samples, seed)


def _relevant_rows(track: Track, rel: int) -> Ints:
    return np.flatnonzero(track.judgments.grade >= rel)


def _values(known: RecallLevels, first: Ints, second: Ints) -> Floats:
    """δRR_1, rrLP and sgnLP of all pairs, 3 × pairs × topics."""
    place, own, other = decided(known, first, second)
    lp = reciprocal(own) - reciprocal(other)
    return np.stack([np.where(place == 1, lp, 0.0), lp, np.sign(other.astype(np.float64) - own)])


def _leaning(value: Floats) -> Floats:
    """Sign of the mean over topics."""
    mean = value.mean(axis=1)
    return np.where(np.abs(mean) <= _ZERO, 0.0, np.sign(mean))


def _agreement(target: Floats, found: Floats) -> float:
    """Share of the decided targets that were found; NaN if none is decided."""
    there = target != 0
    return float(np.mean(found[there] == target[there])) if there.any() else float("nan")
