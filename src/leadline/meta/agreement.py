"""Do measures order systems alike? Kendall's τ, τ_ap and rank-biased overlap between any measures on one Track."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from leadline.errors import NothingToEvaluate, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track, wanted_measures
from leadline.rankings.entries import Floats
from leadline.rankings.track import Track
from leadline.stats import discriminative_power, orders, rbo_matrix, tau_ap_matrix, tau_matrix

__all__ = ["Agreement", "Power", "agree", "power"]

_DECIMALS = 10  # scores that agree so far are tied


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of every pair of measures (measures × measures); τ_ap takes the first as the estimate.

    ``topics`` counts the topics that went into τ: 0 when it was taken on the means.
    """

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    by: str
    tau: Floats
    tau_ap: Floats
    rbo: Floats
    topics: NDArray[np.int64]
    findings: Findings

    def columns(self) -> dict[str, Any]:
        """Columns measure_a, measure_b, tau, tau_ap, rbo, every ordered pair: the records of ``leadline agree``."""
        names = [str(m) for m in self.measures]
        a, b = np.nonzero(~np.eye(len(names), dtype=bool))
        return {
            "measure_a": [names[i] for i in a],
            "measure_b": [names[i] for i in b],
            "tau": self.tau[a, b],
            "tau_ap": self.tau_ap[a, b],
            "rbo": self.rbo[a, b],
        }

    def matrix(self, statistic: Literal["tau", "tau_ap", "rbo"] = "tau") -> dict[str, Any]:
        """One statistic as a table with a column for each measure."""
        names = [str(m) for m in self.measures]
        values: Floats = getattr(self, statistic)
        return {"measure": names} | {name: values[:, j] for j, name in enumerate(names)}


@dataclass(frozen=True, eq=False)
class Power:
    """Discriminative power of many measures: the share of system pairs that a paired t-test tells apart."""

    measures: tuple[Measure, ...]
    discrimination: Floats
    median_p: Floats
    alpha: float

    def columns(self) -> dict[str, Any]:
        """Columns measure, discrimination, median_p."""
        names = [str(m) for m in self.measures]
        return {"measure": names, "discrimination": self.discrimination, "median_p": self.median_p}


def _scored(
    data: Track | Scores, measures: Any, undefined: Undefined, unjudged: str, rel: int | None, least: int
) -> tuple[Scores, list[Measure]]:
    if isinstance(data, Scores):
        scores, wanted = data, list(data.measures) if measures is None else wanted_measures(measures)
    else:
        if measures is None:
            raise UsageError("Name the measures to compare, like ['AP', 'nDCG@10'].")
        scores = score_track(data, measures, undefined=undefined, unjudged=unjudged, rel=rel)
        wanted = list(scores.measures)
    if len(scores.runs) < 2:
        raise NothingToEvaluate(f"Measures are compared by how they order runs: give two. Got {len(scores.runs)}.")
    if len(wanted) < least:
        raise UsageError(f"Give at least {least} measures to compare. Got {len(wanted)}.")
    return scores, wanted


def _turned(m: Measure, values: Floats) -> Floats:
    return values if m.higher_is_better else -values


def agree(
    data: Track | Scores,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    by: Literal["mean", "topic"] = "mean",
    p: float = 0.9,
    undefined: Undefined = "zero",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    rel: int | None = None,
) -> Agreement:
    """How alike measures order the runs of a Track (or of Scores).

    ``by="mean"`` compares the orders by mean score; ``by="topic"`` the orders on each topic, averaged over the topics
    where the statistic is defined. Scores equal to ten decimals are tied in τ-b; τ_ap and rank-biased overlap (``p``)
    need strict orders and keep tied runs as given. Measures of which less is better are turned round.

    >>> from leadline import read
    >>> track = read({"q": {"a": 1, "b": 1}}, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"c": 2, "a": 1, "b": 0}}})
    >>> agree(track, ["AP", "RR", "R@3"]).tau.round(2).tolist()
    [[1.0, 1.0, nan], [1.0, 1.0, nan], [nan, nan, nan]]
    """
    if by not in ("mean", "topic"):
        raise UsageError(f"by must be 'mean' or 'topic'. Got {by!r} instead.")
    scores, wanted = _scored(data, measures, undefined, unjudged, rel, 2)
    if by == "mean":
        rows = np.stack([_turned(m, scores.mean(m)) for m in wanted]).round(_DECIMALS)
        statistics = _statistics(rows, p)
        topics = np.zeros(statistics[0].shape, np.int64)
    else:
        for m in wanted:
            if not m.per_topic:
                raise UsageError(f"{m} has no scores by topic; compare it by='mean'.")
        stack = np.stack([_turned(m, scores.array(m)) for m in wanted]).round(_DECIMALS)
        each = np.stack([_statistics(stack[:, :, t], p) for t in range(stack.shape[2])])
        defined = ~np.isnan(each)
        topics = defined[:, 0].sum(axis=0)
        count = defined.sum(axis=0)
        statistics = np.divide(
            np.where(defined, each, 0).sum(axis=0), count, out=np.full(count.shape, np.nan), where=count > 0
        )
    tau, tau_ap, rbo = statistics
    return Agreement(tuple(wanted), scores.runs, by, tau, tau_ap, rbo, topics, scores.findings)


def _statistics(rows: Floats, p: float) -> Floats:
    """τ-b, τ_ap and RBO of every two rows (3 × rows × rows); NaN where a score is undefined."""
    ordered = orders(np.where(np.isnan(rows), -np.inf, rows))
    gone = np.asarray(np.isnan(rows).any(axis=1))
    out = np.stack([tau_matrix(rows), tau_ap_matrix(ordered), rbo_matrix(ordered, p=p)])
    out[:, np.logical_or.outer(gone, gone)] = np.nan
    return out


def power(
    data: Track | Scores, measures: Iterable[str | Measure] | str | Measure | None = None, *, alpha: float = 0.05
) -> Power:
    """Discriminative power of every measure, all in one call of the test; undefined scores count as 0.

    >>> from leadline import read, simulate
    >>> track = simulate.simulate(runs=4, topics=20, depth=30, rng=1)
    >>> found = power(read(track.qrels, track.runs), ["AP", "RR"])
    >>> bool((found.discrimination >= 0).all() and (found.discrimination <= 1).all())
    True
    """
    scores, wanted = _scored(data, measures, "zero", "nonrelevant", None, 1)
    for m in wanted:
        if not m.per_topic:
            raise UsageError(f"{m} has no scores by topic, so no test over topics.")
    found = discriminative_power(np.stack([np.nan_to_num(scores.array(m)) for m in wanted]), alpha=alpha)
    return Power(tuple(wanted), found.share, found.median_p, alpha)
