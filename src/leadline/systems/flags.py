"""The doubts that travel with a comparison: each pair of runs carries its own, in a few words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.measures.base import Measure
from leadline.rankings.track import Track
from leadline.stats import PairTests
from leadline.stats._arrays import Floats

__all__ = ["FEW_TOPICS", "SEEN_DEPTH", "UNJUDGED_SHARE", "Doubts", "pair_flags", "unjudged_share"]

FEW_TOPICS = 25
"""Fewer topics than this are too few to trust a test's assumptions, or its power."""
UNJUDGED_SHARE = 0.1
"""A larger share of unjudged documents among those that the measure looks at is flagged."""
SEEN_DEPTH = 10
"""Where a measure without a cut-off is asked for its unjudged documents: deeper ones weigh little in most."""


@dataclass(frozen=True, slots=True, eq=False)
class Doubts:
    """What is doubtful about the scores of one measure: by run, or by run and topic."""

    undefined: NDArray[np.bool_]  # runs × topics
    counted_as_zero: bool
    unjudged: Floats | None = None  # share, by run
    depth: int | None = None  # at which it was taken
    residual: Floats | None = None  # mean over topics, by run


def unjudged_share(track: Track, m: Measure) -> tuple[Floats | None, int | None]:
    """Share of unjudged documents among all that the measure looks at, by run, and the depth it was taken at.

    Without a cut-off the declared pool depth counts, or else :data:`SEEN_DEPTH`. A condensed run has no unjudged
    documents left: None.
    """
    if m.judged_only:
        return None, None
    depth = track.pool_depth or SEEN_DEPTH if m.k is None or m.cutoff == "recall" else int(m.k)
    judged = track.entries.count_upto(np.array([float(depth)]))[:, 0].reshape(track.shape).sum(axis=1)
    seen = np.minimum(track.lengths, depth).reshape(track.shape).sum(axis=1)
    return np.where(seen > 0, 1 - judged / np.maximum(seen, 1), 0.0), depth


def pair_flags(tests: PairTests, doubts: Doubts) -> list[tuple[str, ...]]:
    """The doubts of each pair.

    >>> from leadline.stats import paired_t
    >>> tests = paired_t([[0.5, 0.7, 0.9], [0.4, 0.5, 0.8]])
    >>> pair_flags(tests, Doubts(np.zeros((2, 3), bool), True, np.array([0.05, 0.31]), 10, np.array([0.2, 0.1])))
    [('n=3 topics', '31 % unjudged@10', 'residual 0.2 > |difference|')]
    """
    columns = [_few(tests), _unjudged(tests, doubts), _residual(tests, doubts), _undefined(tests, doubts)]
    return [tuple(filter(None, row)) for row in zip(*columns, strict=True)]


def _few(tests: PairTests) -> list[str]:
    return [f"n={n} topics" if n < FEW_TOPICS else "" for n in tests.topics.tolist()]


def _unjudged(tests: PairTests, doubts: Doubts) -> list[str]:
    if doubts.unjudged is None:
        return [""] * len(tests.p)
    worse = np.maximum(doubts.unjudged[tests.first], doubts.unjudged[tests.second])
    return [f"{100 * u:.0f} % unjudged@{doubts.depth}" if u > UNJUDGED_SHARE else "" for u in worse.tolist()]


def _residual(tests: PairTests, doubts: Doubts) -> list[str]:
    if doubts.residual is None:
        return [""] * len(tests.p)
    wider = np.maximum(doubts.residual[tests.first], doubts.residual[tests.second])
    doubtful = wider > np.abs(tests.difference)
    return [f"residual {r:.2g} > |difference|" if d else "" for r, d in zip(wider.tolist(), doubtful, strict=True)]


def _undefined(tests: PairTests, doubts: Doubts) -> list[str]:
    if not doubts.undefined.any():
        return [""] * len(tests.p)
    done = "counted as 0" if doubts.counted_as_zero else "left out"
    gaps = doubts.undefined.astype(np.int64)
    total = gaps.sum(axis=1)
    either = total[tests.first] + total[tests.second] - (gaps @ gaps.T)[tests.first, tests.second]
    return [f"undefined on {n} topic{'s' * (n > 1)}, {done}" if n else "" for n in either.tolist()]
