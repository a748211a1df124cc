"""Does the order of systems survive a change of evaluation depth?

Each depth of a measure is compared with a reference depth: do the significant differences stay (coverage), do they turn
round (inversion), how alike are the orders and the scores. A volatility matrix compares every depth with every other,
of one measure or of two. A utility-based measure approaches its value as the depth grows; a recall-based one is
another measure at every depth, and its order of systems may keep changing.

References: Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016,
Fig. 4–7, Tables 7–8. doi:10.1007/s10791-016-9282-6
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from leadline import stats
from leadline.depths.curves import curve, run_curves
from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Labellers, Undefined, missing_topics, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track
from leadline.stats._arrays import thread_map

__all__ = ["EQUIVALENT", "DepthStudy", "Volatility", "depth", "volatility"]

EQUIVALENT = 0.9  # τ from which two orders of systems are usually taken as equivalent (Voorhees 2001)

_STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 200, 300, 400, 500, 750, 1000)
_DIGITS = 10  # means that agree to this many decimals are tied: rounding must not order them
_CELLS = 1 << 22  # scores held at once
_FIELDS = (
    "mean", "median_p", "discrimination", "coverage", "inversion", "tau", "tau_ap", "rbo", "pearson", "rmse",
)  # fmt: skip


class DepthStudy:
    """Every measure at every depth against the reference depth; what :func:`depth` returns.

    ``values(measure)`` has one array over ``depths`` for each of mean (over runs), median_p, discrimination, coverage,
    inversion, tau, tau_ap, rbo, pearson and rmse; NaN where one is undefined (no significant pair at the reference).
    """

    def __init__(
        self, runs: Sequence[str], depths: Ints, reference: int, alpha: float, found: dict[Measure, dict[str, Floats]],
        findings: Findings,
    ) -> None:  # fmt: skip
        self.runs = tuple(runs)
        self.depths, self.reference, self.alpha = depths, reference, alpha
        self.findings = findings
        self._found = found

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._found)

    def values(self, measure: str | Measure) -> dict[str, Floats]:
        """All figures of one measure, by name, over the depths."""
        wanted = parse(measure)
        if wanted not in self._found:
            raise UnknownName("measure in this study", str(wanted), map(str, self._found))
        return self._found[wanted]

    def columns(self) -> dict[str, Any]:
        """Columns measure, k, mean, median_p, …, rmse: the records of ``leadline depth``."""
        count = len(self.depths)
        out: dict[str, Any] = {
            "measure": [str(m) for m in self._found for _ in range(count)],
            "k": np.tile(self.depths, len(self._found)),
        }
        return out | {name: np.concatenate([v[name] for v in self._found.values()]) for name in _FIELDS}


def depth(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    depths: Iterable[int] | None = None,
    reference: int | None = None,
    pooled: int | None = None,
    alpha: float = 0.05,
    undefined: Undefined = "zero",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> DepthStudy:
    """Compare every depth of each measure with its ``reference`` depth.

    The reference is the declared depth of the pool unless given, or else the length of the longest list. ``pooled``
    restricts the judgments to a shallower pool first; ``unjudged="condense"`` takes unjudged documents out. A
    measure's own cut-off is replaced by each depth.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"y": 3.0, "x": 2.0}}}
    >>> found = depth(leadline.read({"q": {"x": 1}}, runs), "RR", depths=[1, 2])
    >>> found.values("RR")["mean"].tolist(), found.values("RR")["tau"].tolist()
    ([0.5, 0.75], [1.0, 1.0])
    """
    if len(track.runs) < 2:
        raise UsageError("depth compares the order of systems and needs two runs at least.")
    track = track if pooled is None else track.pooled(_positive(pooled, "pooled"))
    longest = max(int(track.lengths.max(initial=0)), 1)
    if reference is None:
        reference = longest if track.pool_depth is None else min(track.pool_depth, longest)
    points = _points(depths, longest, _positive(reference, "reference"))
    findings = Findings(track.findings)
    missing_topics(track, findings)
    labellers = Labellers()
    found = {}
    for m in wanted_measures(measures, unjudged=unjudged, rel=rel):
        grid = _Grid(m, track, labellers, undefined, threads, findings)
        found[m] = _compared(grid, points, reference, alpha)
        findings.extend(m.doubts(track))
    return DepthStudy(track.runs, points, reference, alpha, found, findings)


class _Grid:
    """Scores of one measure at any depths: depths × runs × topics, greater always being better."""

    def __init__(
        self, m: Measure, track: Track, labellers: Labellers, undefined: str, threads: int | None, findings: Findings
    ) -> None:
        if m.cutoff in ("none", "recall") or not m.per_topic:
            raise UsageError(f"{m} has no evaluation depth, so there is nothing to compare.")
        if undefined not in ("zero", "nan"):
            raise UsageError(f"undefined must be 'zero' or 'nan' here. Got {undefined!r} instead.")
        self.m, self.track, self.threads = m, track, threads
        self._labellers, self._findings = labellers, findings
        self._zero = undefined == "zero" and m.zero_if_undefined
        self.sign = 1.0 if m.higher_is_better else -1.0

    def __call__(self, points: Ints) -> Floats:
        one = run_curves(self.m, self.track, "depth", points, self._labellers)
        runs = thread_map(one, range(len(self.track.runs)), self.threads)
        values = self.sign * np.stack(runs).transpose(2, 0, 1)
        gaps = np.isnan(values)
        if not gaps.any():
            return values
        where = np.flatnonzero(gaps.any(axis=(0, 1)))
        names = [self.track.topics[t] for t in where]
        told = "counted as 0" if self._zero else "left out of the comparison"
        self._findings.add(f"undefined-scores {self.m}", len(names), names, told)
        return np.where(gaps, 0.0, values) if self._zero else np.delete(values, where, axis=2)


def _compared(grid: _Grid, points: Ints, reference: int, alpha: float) -> dict[str, Floats]:
    base = grid(np.array([reference]))[0]
    power = stats.discriminative_power(base, alpha=alpha)
    size = max(_CELLS // max(len(grid.track.lengths), 1), 1)
    parts = []
    for start in range(0, len(points), size):
        block = grid(points[start : start + size])
        parts.append(_against(base, power, block, alpha))
    joined = {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}
    return joined | {"mean": grid.sign * joined["mean"]}


def _against(base: Floats, reference: stats.Discrimination, values: Floats, alpha: float) -> dict[str, Floats]:
    """Figures of each depth in ``values`` (depths × runs × topics) against those of the reference."""
    power = stats.discriminative_power(values, alpha=alpha)
    check = stats.confirmation(reference.better, power.better, power.means)
    means, truth = power.means, reference.means[None]
    orders, true_order = stats.orders(means.round(_DIGITS)), stats.orders(truth.round(_DIGITS))
    return {
        "mean": means.mean(axis=1),
        "median_p": power.median_p,
        "discrimination": power.share,
        "coverage": check.coverage,
        "inversion": check.inversion,
        "tau": stats.tau_matrix(means, truth, decimals=_DIGITS)[:, 0],
        "tau_ap": stats.tau_ap_matrix(orders, true_order)[:, 0],
        "rbo": stats.rbo_matrix(orders, true_order)[:, 0],
        "pearson": stats.pearson_matrix(means, truth)[:, 0],
        "rmse": stats.rmse_matrix(means, truth)[:, 0],
    }


class Volatility:
    """Agreement of the order of systems between every depth of one measure and every depth of another (or itself).

    ``matrix[i, j]`` compares ``measures[0]`` at ``depths[i]`` with ``measures[1]`` at ``depths[j]``.
    """

    def __init__(self, measures: tuple[Measure, Measure], depths: Ints, matrix: Floats, findings: Findings) -> None:
        self.measures, self.depths, self.matrix = measures, depths, matrix
        self.findings = findings

    def share(self, threshold: float = EQUIVALENT) -> float:
        """Share of the pairs of depths whose orders are equivalent (τ at or above the threshold)."""
        if self.measures[0] != self.measures[1]:
            return float((self.matrix >= threshold).mean())
        other = ~np.eye(len(self.depths), dtype=bool)  # a depth always agrees with itself
        return float((self.matrix[other] >= threshold).mean()) if len(self.depths) > 1 else 1.0

    def stable_from(self, threshold: float = EQUIVALENT) -> int | None:
        """The least depth from which all deeper ones order the systems alike; None if only the last one does."""
        low = np.minimum(self.matrix, self.matrix.T)
        reversed_ = np.minimum.accumulate(np.minimum.accumulate(low[::-1, ::-1], axis=0), axis=1)
        good = np.flatnonzero(np.diag(reversed_)[::-1] >= threshold)
        return int(self.depths[good[0]]) if len(good) and good[0] < len(self.depths) - 1 else None

    def columns(self) -> dict[str, Any]:
        """Columns measure_a, k_a, measure_b, k_b, tau: the records of ``leadline depth --volatility``."""
        k = len(self.depths)
        return {
            "measure_a": [str(self.measures[0])] * (k * k),
            "k_a": np.repeat(self.depths, k),
            "measure_b": [str(self.measures[1])] * (k * k),
            "k_b": np.tile(self.depths, k),
            "tau": self.matrix.ravel(),
        }


def volatility(
    track: Track,
    measure: str | Measure,
    other: str | Measure | None = None,
    *,
    depths: Iterable[int] | None = None,
    statistic: Literal["tau", "tau_ap", "rbo"] = "tau",
    pooled: int | None = None,
    undefined: Undefined = "zero",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> Volatility:
    r"""Agreement of the orders of systems at all pairs of depths: $T[k_1, k_2] = \mathrm{corr}(M@k_1, M'@k_2)$.

    ``depths`` default to 1 … the longest list. τ-b is taken of the mean scores; τ_ap (row against column) and RBO of
    the orders, equal means in the order of the runs.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"u": 3.0, "y": 2.0, "z": 1.0}}}
    >>> track = leadline.read({"q": {"x": 1, "u": 0, "y": 1, "z": 1}}, runs)
    >>> volatility(track, "P@1").matrix.tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    if len(track.runs) < 2:
        raise UsageError("volatility compares orders of systems and needs two runs at least.")
    track = track if pooled is None else track.pooled(_positive(pooled, "pooled"))
    longest = max(int(track.lengths.max(initial=0)), 1)
    points = np.arange(1, longest + 1) if depths is None else _points(depths, longest, None)
    wanted = wanted_measures([measure] if other is None else [measure, other], unjudged=unjudged, rel=rel)
    curves = curve(track, wanted, by="depth", depths=points.tolist(), undefined=undefined, threads=threads)
    pair = (wanted[0], wanted[-1])
    means = [(curves.mean(m) if m.higher_is_better else -curves.mean(m)).T for m in pair]
    return Volatility(pair, points, _agreement(means[0], means[1], statistic), curves.findings)


def _agreement(a: Floats, b: Floats, statistic: str) -> Floats:
    if statistic == "tau":
        return stats.tau_matrix(a, b, decimals=_DIGITS)
    first, second = stats.orders(a.round(_DIGITS)), stats.orders(b.round(_DIGITS))
    if statistic == "tau_ap":
        return stats.tau_ap_matrix(first, second)
    if statistic == "rbo":
        return stats.rbo_matrix(first, second)
    raise UnknownName("statistic", statistic, ["tau", "tau_ap", "rbo"])


def _positive(value: int, name: str) -> int:
    if value != int(value) or value < 1:
        raise UsageError(f"{name} must be a whole number ≥ 1. Got {value!r} instead.")
    return int(value)


def _points(depths: Iterable[int] | None, longest: int, reference: int | None) -> Ints:
    if depths is None:
        return np.unique([d for d in (*_STEPS, longest, reference or 1) if d <= longest])
    given = list(depths)
    points = np.unique(np.asarray(given, np.int64))
    if not len(points) or points[0] < 1:
        raise UsageError(f"depths must be whole numbers ≥ 1. Got {given!r} instead.")
    return points
