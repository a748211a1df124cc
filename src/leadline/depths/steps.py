"""All lengths that a stopping rule with one parameter can give to a list, from one number for each rank."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leadline.rankings.entries import Floats, Ints

__all__ = ["Steps", "inside_lists", "kept_while", "round_between"]


class Steps:
    """The lengths that every value of a parameter gives to many lists.

    List l has ``start[l]`` documents as long as the threshold is above all its ``keys[l]``, which fall from left to
    right, and ``to[l, j]`` once it has come down to ``keys[l, j]``. NaN stands for no key.
    """

    def __init__(self, start: Ints, keys: Floats, to: Ints) -> None:
        self.start, self.keys, self.to = start, keys, to

    def lengths(self, threshold: float) -> Ints:
        """Length of each list at a threshold: its last key that is not below it."""
        with np.errstate(invalid="ignore"):
            passed = (self.keys >= threshold).sum(axis=1)
        reached = np.take_along_axis(self.to, np.maximum(passed - 1, 0)[:, None], axis=1)[:, 0]
        return np.where(passed > 0, reached, self.start)


def inside_lists(scores: Floats, lengths: Ints) -> NDArray[np.bool_]:
    """Which cells of a padded matrix hold a document."""
    return np.arange(scores.shape[1]) < lengths[:, None]


def kept_while(statistic: Floats, lengths: Ints) -> Steps:
    """Steps of the rule "keep rank i while the statistic of ranks 1 … i is not below the threshold"."""
    inside = inside_lists(statistic, lengths)
    worst = np.minimum.accumulate(np.where(np.isnan(statistic), -np.inf, statistic), axis=1)
    keys = np.where(inside & (worst > -np.inf), worst, np.nan)  # a document without a score is not worth keeping
    return Steps(np.zeros(len(lengths), np.int64), keys, np.broadcast_to(np.arange(1, keys.shape[1] + 1), keys.shape))


def round_between(low: float, high: float) -> float:
    """The number with the fewest digits in (low, high], near its middle; the finite end if the other is not.

    >>> round_between(0.123456, 0.187), round_between(-float("inf"), 3.25), round_between(2.0, float("inf"))
    (0.16, -inf, inf)
    >>> round_between(12.3412, 12.3418)
    12.3415
    """
    if math.isinf(low) or math.isinf(high):
        return low if math.isinf(low) else high
    middle = low + (high - low) / 2
    for digits in range(1, 18):
        candidate = float(f"{middle:.{digits}g}")
        if low < candidate <= high:
            return candidate
    return high
