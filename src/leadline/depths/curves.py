"""Score curves: at every evaluation depth, or at every truncation length.

The two are different questions. *Depth* k: the system returned its list, the evaluator looked at the first k.
*Length* n: the system itself stopped after n, and the evaluator knows it. So the axis is always named, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Labellers, check_ties, wanted_measures
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Labelled, ratio
from leadline.stats.intervals import t_quantile

__all__ = ["By", "Curves", "curve", "run_curves"]

By = Literal["depth", "length"]


class Curves:
    """Curves of runs: the mean over topics with its band, and on request every topic's own."""

    def __init__(
        self, runs: Sequence[str], topics: Sequence[str], by: By, points: NDArray[np.int64],
        mean: dict[Measure, Floats], error: dict[Measure, Floats], freedom: dict[Measure, Floats],
        values: dict[Measure, Floats], findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.topics = tuple(runs), tuple(topics)
        self.by: By = by
        self.points = points
        self.findings = findings
        self._mean, self._values = mean, values
        self._error, self._freedom = error, freedom  # standard error of the mean and its degrees of freedom

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._mean)

    def mean(self, measure: str | Measure) -> Floats:
        """Mean over topics, runs × points."""
        return self._get(self._mean, measure)

    def band(self, measure: str | Measure) -> tuple[Floats, Floats]:
        """The 95 % interval of the mean over topics, two arrays of runs × points."""
        mean, error = self.mean(measure), self._get(self._error, measure)
        half = t_quantile(0.95, self._get(self._freedom, measure)) * error
        return mean - half, mean + half

    def array(self, measure: str | Measure) -> Floats:
        """Runs × topics × points, if ``per_topic=True`` was asked for; NaN past the end of a list (by length)."""
        if not self._values:
            raise UsageError("The curves of single topics were not kept; ask for per_topic=True.")
        return self._get(self._values, measure)

    @staticmethod
    def _get(store: dict[Measure, Floats], measure: str | Measure) -> Floats:
        wanted = parse(measure)
        if wanted not in store:
            raise UnknownName("measure in these curves", str(wanted), map(str, store))
        return store[wanted]

    def columns(self, *, per_topic: bool = False) -> dict[str, Any]:
        """Columns run, topic, measure, depth or length, value (low, high for the mean): the records of ``curve``."""
        P, points = len(self.points), self.points
        run, topic, name = [], [], []
        axis, value, low, high = [], [], [], []
        for m, mean in self._mean.items():
            lower, upper = self.band(m)
            for r, run_name in enumerate(self.runs):
                rows = [(t, self._values[m][r, i]) for i, t in enumerate(self.topics)] if per_topic else []
                for t, values in [*rows, ("all", mean[r])]:
                    keep = ~np.isnan(values) if t != "all" and self.by == "length" else np.ones(P, bool)
                    count = int(keep.sum())
                    run += [run_name] * count
                    topic += [t] * count
                    name += [str(m)] * count
                    axis.append(points[keep])
                    value.append(values[keep])
                    blank = np.full(count, np.nan)
                    low.append(lower[r] if t == "all" else blank)
                    high.append(upper[r] if t == "all" else blank)
        joined = {"value": value, "low": low, "high": high}
        return {"run": run, "topic": topic, "measure": name, self.by: np.concatenate(axis)} | {
            key: np.concatenate(parts) for key, parts in joined.items()
        }


def run_curves(
    m: Measure, track: Track, by: By, points: NDArray[np.int64], labellers: Labellers
) -> Callable[[int], Floats]:
    """A function from a run's number to the curves of its lists (topics × points).

    By length, points past the end of a list repeat its last value. One run at a time is a few megabytes, which stay in
    cache, and runs can be computed in any order or in parallel.
    """
    parts: list[tuple[Measure, Labelled]] = []
    for part, part_track in m.parts(track):
        check_ties(part, part_track)
        parts.append((part, part.label(labellers(part_track))))
    topics = len(track.topics)

    def one(run: int) -> Floats:
        values = []
        for part, lists in parts:
            block = lists.block(run * topics, (run + 1) * topics)
            grid = block.at_depths(points) if by == "depth" else block.at_lengths(points, part.depth)
            values.append(part.at(grid))
        return m.combine(values)

    return one


def curve(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    by: By,
    depths: Sequence[int] | None = None,
    per_topic: bool = False,
    unjudged: str = "nonrelevant",
    rel: int | None = None,
    undefined: str = "zero",
    threads: int | None = None,
) -> Curves:
    """Scores of every run at every evaluation depth (``by="depth"``) or truncation length (``by="length"``).

    ``depths`` picks the points (default: 0 to the longest list); a measure's own cut-off stays in force by length and
    is replaced by depth. By length, the mean at n holds the topics whose list is shorter at their own end.

    >>> from leadline.rankings.typed import typed
    >>> curve(typed("1 0 1"), "AP", by="depth").mean("AP").round(3)
    array([[0.   , 0.5  , 0.5  , 0.833]])
    """
    if by not in ("depth", "length"):
        raise UsageError(f"by must be 'depth' or 'length'. Got {by!r} instead.")
    points = _points(track, depths)
    findings = Findings(track.findings)
    labellers = Labellers()
    mean, error, freedom, values = {}, {}, {}, {}
    for m in wanted_measures(measures, unjudged=unjudged, rel=rel):
        if by == "depth" and m.cutoff in ("none", "recall"):
            raise UsageError(f"{m} has no evaluation depth; ask for by='length'.")
        if not m.per_topic:
            raise UsageError(f"{m} exists for whole runs only and has no curve.")
        one = run_curves(m, track, by, points, labellers)
        zero = undefined == "zero" and m.zero_if_undefined
        with ThreadPoolExecutor(threads) as pool:
            summaries = list(pool.map(lambda run, one=one, zero=zero: _summary(one(run), zero), range(len(track.runs))))
        mean[m], error[m], freedom[m] = (np.stack([s[i] for s in summaries]) for i in range(3))
        told = "counted as 0" if zero else "left out of the mean"
        findings.add(f"undefined-scores {m}", sum(s[3] for s in summaries), (), told)
        if per_topic:
            raw = np.stack([one(run) for run in range(len(track.runs))])
            raw = np.where(np.isnan(raw), 0.0, raw) if zero else raw
            past = (points[None, :] > track.lengths[:, None]).reshape(raw.shape)
            values[m] = np.where(past, np.nan, raw) if by == "length" else raw
    return Curves(track.runs, track.topics, by, points, mean, error, freedom, values, findings)


def _summary(values: Floats, zero: bool) -> tuple[Floats, Floats, Floats, int]:
    """Mean over topics (first axis), its standard error and degrees of freedom; how many lists are undefined somewhere.

    The quantile that makes an interval of them is left to whoever asks for it: it comes from scipy.
    """
    open_ = np.isnan(values)
    undefined = int(open_.any(axis=1).sum())
    if undefined:
        values = np.where(open_, 0.0, values)
    n = np.full(values.shape[1], len(values)) if zero or not undefined else (~open_).sum(axis=0)
    mean = ratio(values.sum(axis=0), n)
    spread = values - mean
    if undefined and not zero:
        spread[open_] = 0.0
    error = np.sqrt(ratio(ratio(np.einsum("tp,tp->p", spread, spread), np.maximum(n - 1, 0)), n))
    return mean, error, n - 1.0, undefined


def _points(track: Track, depths: Sequence[int] | None) -> NDArray[np.int64]:
    if depths is None:
        return np.arange(int(track.lengths.max(initial=0)) + 1)
    points = np.unique(np.asarray(list(depths), np.int64))
    if not len(points) or points[0] < 0:
        raise UsageError(f"depths must be whole numbers ≥ 0. Got {list(depths)!r} instead.")
    return points
