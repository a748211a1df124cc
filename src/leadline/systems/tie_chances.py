"""How often rankings tie: by chance, at each recall level, and given the rank of the first relevant document.

References: Diaz. Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic
precision. 2023, sections 2, 3.3 and 3.6. arXiv:2306.07908
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.rankings.track import Track
from leadline.stats._arrays import Floats, Ints, at_least, pair_indices
from leadline.systems.preferences import decided
from leadline.systems.recall_levels import UNRANKED, Ranks, RecallLevels

__all__ = ["DecidingLevels", "TieChances", "deciding_levels", "tie_chances", "tie_probability", "value_growth"]


def tie_probability(n: int, m: int, p1: ArrayLike) -> Floats:
    r"""Chance that a ranking drawn at random has its first relevant document at rank $p_1$, too.

    $$P(\text{tie} \mid p_1) = \binom{n - p_1}{m - 1} \Big/ \binom{n}{m}$$

    with n documents ranked, m of them relevant. Reciprocal rank ties so often; lexicographic precision only with
    chance $1/\binom nm$.

    >>> tie_probability(4, 2, [1, 2, 3, 4]).round(4).tolist()
    [0.5, 0.3333, 0.1667, 0.0]
    """
    if not 1 <= m <= n:
        raise UsageError(f"m must be within [1, n={n}]. Got {m} instead.")
    rank = np.asarray(p1, np.int64)
    if rank.size and rank.min() < 1:
        raise UsageError(f"Ranks start at 1. Got {rank.min()} instead.")
    deepest = n - m + 1  # the last rank at which the first relevant document can stand
    ahead = np.arange(min(deepest, int(rank.max(initial=1))) - 1)
    missed = np.concatenate([[0.0], np.cumsum(np.log1p(-m / (n - ahead)))])  # none relevant among the first ones
    at = np.clip(rank, 1, len(missed))
    return np.where(rank > deepest, 0.0, np.exp(missed[at - 1]) * m / (n - at + 1))


def value_growth(n: int, m: int, k: int) -> float:
    r"""How many times more values lexicographic precision has with k more relevant documents.

    $$\binom{n}{m+k} \Big/ \binom nm = \prod_{i=m+1}^{m+k} \frac{n + 1 - i}{i}$$

    >>> value_growth(10, 2, 1), value_growth(1000, 1, 2) > 1e5
    (2.6666666666666665, True)
    """
    i = np.arange(m + 1, m + k + 1, dtype=np.float64)
    return float(np.prod((n + 1 - i) / i))


@dataclass(frozen=True, slots=True, eq=False)
class DecidingLevels:
    """By recall level i = 1, 2, …: what it decides and how often it is tied.

    ``decided`` is the share of all pairs of rankings with i* = i; ``cumulative`` the share decided at i or before
    among those decided at all (Diaz, Figure 6); ``tied`` the share of pairs with equal ranks of the i-th relevant
    document (Diaz, Figure 5), on the ``topics`` that have as many. ``rr_ties`` and ``lp_ties`` are the shares of pairs
    tied under reciprocal rank and under lexicographic precision.
    """

    decided: Floats
    cumulative: Floats
    tied: Floats
    topics: Ints
    rr_ties: float
    lp_ties: float

    def columns(self) -> dict[str, Any]:
        """Columns level, decided, cumulative, tied, topics."""
        return {
            "level": np.arange(1, len(self.decided) + 1),
            "decided": self.decided,
            "cumulative": self.cumulative,
            "tied": self.tied,
            "topics": self.topics,
        }


def deciding_levels(track: Track, *, levels: int = 20, rel: int = 1) -> DecidingLevels:
    """Which recall level decides, and how often each one is tied, over all pairs of runs and all topics.

    >>> import leadline
    >>> runs = {"x": {"q": {"d1": 3.0, "d2": 2.0}}, "y": {"q": {"d1": 3.0, "d0": 2.0, "d2": 1.0}}}
    >>> found = deciding_levels(leadline.read({"q": {"d1": 1, "d2": 1}}, runs), levels=2)
    >>> found.decided.tolist(), found.tied.tolist(), found.rr_ties, found.lp_ties
    ([0.0, 1.0], [1.0, 0.0], 1.0, 0.0)
    """
    at_least(levels, 1, "levels")
    known = RecallLevels.of(track, rel)
    if len(known.runs) < 2:
        raise UsageError("Ties need two runs at least.")
    place, _, _ = decided(known, *pair_indices(len(known.runs)))
    count = np.bincount(place.ravel(), minlength=levels + 1).astype(np.float64)
    decisive = max(count[1:].sum(), 1.0)
    share = count / place.size
    has = known.relevant[:, None] >= np.arange(1, levels + 1)
    topics = has.sum(axis=0)
    with np.errstate(invalid="ignore"):
        tied = np.where(has, _equal_pairs(known, levels), 0.0).sum(axis=0) / topics
    return DecidingLevels(
        share[1 : levels + 1], np.cumsum(count[1 : levels + 1]) / decisive, tied, topics,
        rr_ties=float(1 - share[1]), lp_ties=float(share[0]),
    )  # fmt: skip


def _equal_pairs(known: RecallLevels, levels: int) -> Floats:
    """Share of pairs of runs with the same rank of the i-th relevant document, topics × levels."""
    runs = len(known.runs)
    ranks = known.ranks(np.arange(len(known.topics)), levels)
    group = _group_sizes(ranks)
    return np.asarray((group - 1).sum(axis=0) / (runs * (runs - 1)), np.float64)


def _group_sizes(ranks: Ranks) -> Ints:
    """How many runs share each run's rank, itself included; the first axis is the runs'."""
    order = np.sort(ranks, axis=0)
    starts = np.ones(order.shape, np.bool_)
    starts[1:] = order[1:] != order[:-1]
    place = np.arange(len(order)).reshape(-1, *[1] * (order.ndim - 1))
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=0)
    ends = np.concatenate([starts[1:], np.ones((1, *order.shape[1:]), np.bool_)])
    last = np.minimum.accumulate(np.where(ends, place, len(order))[::-1], axis=0)[::-1]
    return np.asarray(last - first + 1)


@dataclass(frozen=True, slots=True, eq=False)
class TieChances:
    """By rank of the first relevant document: how often another run's list ties, observed and by chance.

    ``lists`` counts the lists with that first rank; ``expected`` averages the formula over them.
    """

    rank: Ints
    lists: Ints
    observed: Floats
    expected: Floats

    def columns(self) -> dict[str, Any]:
        """Columns rank, lists, observed, expected."""
        return {"rank": self.rank, "lists": self.lists, "observed": self.observed, "expected": self.expected}


def tie_chances(track: Track, *, docs: int | None = None, rel: int = 1) -> TieChances:
    """Chance that another run's list ties under reciprocal rank, given the rank of the first relevant document.

    Observed: among the other runs of the track (Diaz, Figure 3). Expected: :func:`tie_probability` with ``docs``
    documents ranked, by default the longest list of the topic (Diaz, Figure 2, takes 50,000). Lists without a relevant
    document have no such rank and are not counted.

    >>> import leadline
    >>> runs = {"x": {"q": {"d1": 3.0, "d0": 2.0}}, "y": {"q": {"d1": 3.0}}, "z": {"q": {"d0": 3.0, "d1": 2.0}}}
    >>> found = tie_chances(leadline.read({"q": {"d1": 1}}, runs))
    >>> found.rank.tolist(), found.observed.tolist(), found.expected.tolist()
    ([1, 2], [0.5, 0.0], [0.5, 0.5])
    """
    known = RecallLevels.of(track, rel)
    runs, _ = known.shape
    if runs < 2:
        raise UsageError("Ties need two runs at least.")
    first = known.first()
    order = np.argsort(first, axis=0, kind="stable")
    shared = np.empty(first.shape)
    np.put_along_axis(shared, order, (_group_sizes(first[:, :, None])[:, :, 0] - 1) / (runs - 1), axis=0)
    place = {t: i for i, t in enumerate(track.topics)}
    longest = track.lengths.reshape(track.shape).max(axis=0)[[place[t] for t in known.topics]]
    expected = np.zeros(first.shape)
    for t, m in enumerate(known.relevant.tolist()):  # a formula for each number of documents; the ranks come as one
        there = first[:, t] != UNRANKED
        ranked = max(int(longest[t]) if docs is None else docs, m)
        expected[there, t] = tie_probability(ranked, m, first[there, t])
    seen = first != UNRANKED
    rank, where, count = np.unique(first[seen], return_inverse=True, return_counts=True)
    means = [np.bincount(where, weights=x[seen], minlength=len(rank)) / count for x in (shared, expected)]
    return TieChances(rank.astype(np.intp), count, means[0], means[1])
