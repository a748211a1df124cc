"""How deep to evaluate so that unjudged and unseen documents can change a score by less than some bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.depths._bounds.residuals import ShortRun, has_formula, judged_lists, residual_at
from leadline.depths.ranges import at_depths, ranges
from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scoring import Labellers, Undefined, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track

__all__ = ["ResidualDepths", "residual_depths"]

_LADDER = (1, 2, 3, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class ResidualDepths:
    """For each measure and run (``all``: the mean over contributing runs) the smallest depth, NaN if none will do."""

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]  # at depth 1, whatever they were asked for at
    below: float
    depth: Floats  # measures × runs
    residual: Floats  # at that depth; at the deepest one tried where none will do
    findings: Findings

    def columns(self) -> dict[str, Any]:
        """Columns measure, run, below, depth, residual."""
        M, R = self.depth.shape
        found = [None if np.isnan(d) else int(d) for d in self.depth.ravel()]
        return {
            "measure": [str(m).removesuffix("@1") for m in self.measures for _ in range(R)],
            "run": [*self.runs] * M,
            "below": [self.below] * (M * R),
            "depth": found,
            "residual": self.residual.ravel(),
        }


def residual_depths(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    below: float,
    *,
    depths: Sequence[int] | None = None,
    missing: int = 0,
    short_run: ShortRun = "unknown",
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
) -> ResidualDepths:
    """The smallest evaluation depth from which on the mean residual over topics stays below a bound.

    Without ``depths`` every depth is tried for RBP, ERR and P, which have residual formulas, and a ladder 1, 2, 3, 5,
    10, … for all others, whose residual is the width of their range. Those need not shrink with depth: deeper
    evaluation also looks at more unjudged documents. A measure's own cut-off plays no part.

    >>> from leadline.rankings.typed import typed
    >>> residual_depths(typed("1 0 1 0 0 1"), "RBP(p=0.5)", 0.1).columns()["depth"]
    [4, 4]
    """
    if not below > 0:
        raise UsageError(f"below must be a number above 0. Got {below!r} instead.")
    wanted = at_depths(wanted_measures(measures, unjudged=unjudged, rel=rel), [1])
    findings, labellers = Findings(track.findings), Labellers()
    depth, residual = [], []
    for m in wanted:
        tried = _depths(m, track, depths)
        if has_formula(m, track):
            wide = _by_formula(m, track, labellers, tried, short_run)
        else:
            found = ranges(track, m, depths=tried.tolist(), missing=missing, undefined=undefined)
            wide = np.stack([m.aggregate(found.residual(own)) for own in found.measures], axis=1)
            findings.extend(found.findings)
        fed = track.contributors if track.contributors.any() else np.ones(len(track.runs), bool)
        wide = np.concatenate([wide, wide[fed].mean(axis=0, keepdims=True)])
        first, at = _first_below(wide, below)
        depth.append(np.where(first < len(tried), tried[at], np.nan))
        residual.append(wide[np.arange(len(wide)), at])
    runs = (*track.runs, "all")
    return ResidualDepths(runs, tuple(wanted), float(below), np.stack(depth), np.stack(residual), findings)


def _depths(m: Measure, track: Track, depths: Sequence[int] | None) -> Ints:
    longest = max(int(track.lengths.max(initial=0)), 1)
    if depths is None:
        depths = list(range(1, longest + 1))
        if not has_formula(m, track):
            depths = sorted({d for d in _LADDER if d < longest} | {longest})
    at_depths([m], depths)  # refuses what are no depths
    return np.unique(np.asarray(depths, np.int64))


def _by_formula(m: Measure, track: Track, labellers: Labellers, depths: Ints, short_run: ShortRun) -> Floats:
    """Mean residual of each run at each depth."""
    lists, topics = judged_lists(m, labellers(track)), len(track.topics)
    means = []
    for run in range(len(track.runs)):
        block = lists.block(run * topics, (run + 1) * topics)
        means.append(residual_at(m, block, depths, short_run).mean(axis=0))
    return np.stack(means)


def _first_below(wide: Floats, below: float) -> tuple[Ints, Ints]:
    """The first column from which on all are below the bound, past the end if none is; and the same, kept inside."""
    above = ~(wide < below)
    last = np.where(above.any(axis=1), wide.shape[1] - 1 - np.argmax(above[:, ::-1], axis=1), -1)
    first = np.asarray(last + 1, np.int64)
    return first, np.minimum(first, wide.shape[1] - 1)
