r"""Learning the parameter of a stopping rule: the best of all thresholds at once, cross-validated over topics.

As the threshold falls, one list after the other grows by a step; the mean score of all lists changes by what that step
changes. So one sort and one running sum give the mean score at *every* threshold that makes a difference,

$$V(\theta) = V_0 + \frac{1}{T} \sum_{(l, j) :\, \text{key}_{lj} \ge \theta} \bigl(M_l(n_{lj}) - M_l(n_{l,j-1})\bigr),$$

and the best one is the largest of them, on any subset of topics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.depths.optima import TOLERANCE
from leadline.depths.policies import TunedPolicy
from leadline.rankings.entries import Floats, Ints

__all__ = ["Learned", "fold_of", "learn"]

_DRAWN = 200  # points of a sweep that are kept for figures


@dataclass(frozen=True, eq=False)
class Learned:
    """A rule learned on the lists of one run: by fold, on all topics, and what it does to topics it has not seen."""

    by_fold: tuple[TunedPolicy, ...]
    policy: TunedPolicy
    lengths: Ints  # of each topic, under the rule of its fold
    stability: float
    sweep: dict[str, Floats]  # parameter, mean length, mean value on all topics


def fold_of(groups: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """A fold for each topic, at random, as even as can be; topics of one group stay together.

    >>> fold_of(np.array([0, 1, 2, 2, 3]), 2, np.random.default_rng(0)).tolist()
    [1, 0, 0, 0, 1]
    """
    count = int(groups.max()) + 1
    fold = np.empty(count, np.int64)
    fold[rng.permutation(count)] = np.arange(count) % folds
    return fold[groups]


def learn(
    kind: type[TunedPolicy], scores: Floats, lengths: Ints, curves: Floats, fold: Ints, counted: NDArray[np.bool_]
) -> Learned:
    """Tune ``kind`` on the lists of one run: ``curves`` (topics × lengths) are their scores at every length.

    The rule for the topics of a fold comes from the other folds only. Topics not ``counted`` teach nothing.
    """
    steps = kind.steps(scores, lengths)
    sweep = _Sweep(steps.start, steps.keys, steps.to, curves)
    by_fold = tuple(kind.at_threshold(*sweep.best(counted & (fold != f))) for f in range(int(fold.max()) + 1))
    given = np.stack([steps.lengths(p.threshold) for p in by_fold])
    means = given[:, counted].mean(axis=1) if counted.any() else np.zeros(1)
    return Learned(
        by_fold=by_fold,
        policy=kind.at_threshold(*sweep.best(counted)),
        lengths=given[fold, np.arange(len(fold))],
        stability=float(means.min() / means.max()) if means.max() > 0 else 1.0,
        sweep=sweep.drawn(counted, kind.sign),
    )


class _Sweep:
    """All steps of all lists in the order in which a falling threshold takes them."""

    def __init__(self, start: Ints, keys: Floats, to: Ints, curves: Floats) -> None:
        there = ~np.isnan(keys)
        reached = np.take_along_axis(curves, to, axis=1)
        from_ = np.concatenate([np.take_along_axis(curves, start[:, None], axis=1), reached[:, :-1]], axis=1)
        before = np.concatenate([start[:, None], to[:, :-1]], axis=1)
        order = np.argsort(-keys[there], kind="stable")
        self.key = keys[there][order]
        self.list = np.broadcast_to(np.arange(len(keys))[:, None], keys.shape)[there][order]
        self.change = (reached - from_)[there][order]
        self.longer = (to - before)[there][order]
        self.start, self.start_value = start, from_[:, 0]
        different = np.append(self.key[1:] < self.key[:-1], True)[: len(self.key)]
        self.ends = np.flatnonzero(different)  # equal keys are taken together

    def best(self, use: NDArray[np.bool_]) -> tuple[float, float]:
        """The thresholds (low, high] that are best for the lists in ``use``; of equal ones the first to be reached.

        The other lists take no part: they change no sum, so that none of their keys is the first to reach the best one.
        """
        mine = use[self.list]
        total = np.cumsum(np.where(mine, self.change, 0.0))[self.ends]
        enough = max(float(total.max(initial=0.0)), 0.0) - TOLERANCE * int(use.sum())
        if enough <= 0:  # no step is worth it
            return self._next(mine, 0), math.inf
        at = int(self.ends[np.argmax(total >= enough)])
        return self._next(mine, at + 1), float(self.key[at])

    def _next(self, mine: NDArray[np.bool_], at: int) -> float:
        """The first key of these lists from a place on."""
        rest = mine[at:]
        found = int(np.argmax(rest)) if len(rest) else 0
        return float(self.key[at + found]) if len(rest) and rest[found] else -math.inf

    def drawn(self, use: NDArray[np.bool_], sign: int) -> dict[str, Floats]:
        """Parameter, mean length and mean value at points that are even on a logarithmic scale of lengths."""
        mine, count = use[self.list], max(int(use.sum()), 1)
        length = (self.start[use].sum() + np.cumsum(np.where(mine, self.longer, 0))[self.ends]) / count
        value = (self.start_value[use].sum() + np.cumsum(np.where(mine, self.change, 0.0))[self.ends]) / count
        shown = np.arange(len(self.ends))
        if len(shown) > _DRAWN:
            size = np.abs(length - length[0]) + 1
            shown = np.unique(np.minimum(np.searchsorted(size, np.geomspace(1, size[-1], _DRAWN)), len(shown) - 1))
        return {"parameter": sign * self.key[self.ends[shown]], "length": length[shown], "value": value[shown]}
