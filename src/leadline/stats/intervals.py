"""Mean, spread and interval of the mean along topics, for any leading axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import Floats, Ints, float_array, share

__all__ = ["Description", "describe", "t_quantile"]


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """What :func:`describe` found; every field has the leading axes of its input."""

    topics: Ints
    mean: Floats
    sd: Floats
    median: Floats
    low: Floats
    high: Floats
    confidence: float


def describe(values: ArrayLike, *, confidence: float = 0.95) -> Description:
    r"""Mean, standard deviation (n − 1), median and Student's interval of the mean along the last axis.

    $$\bar x \pm t_{n-1,\,(1+c)/2}\; s / \sqrt n$$

    NaN is left out, row by row. ``sd``, ``low`` and ``high`` are NaN below two values, all but ``topics`` below one.

    >>> d = describe([[0.2, 0.4, 0.9], [0.5, float("nan"), float("nan")]])
    >>> d.topics.tolist(), d.mean.round(3).tolist(), d.median.tolist(), d.sd.round(3).tolist()
    ([3, 1], [0.5, 0.5], [0.4, 0.5], [0.361, nan])
    >>> d.low.round(3).tolist(), d.high.round(3).tolist()
    ([-0.396, nan], [1.396, nan])
    """
    share(confidence, "confidence")
    data = float_array(values, "values")
    if data.ndim < 1:
        raise UsageError("values must have topics on their last axis. Got a single number.")
    there = ~np.isnan(data)
    n = there.sum(axis=-1)
    filled = np.where(there, data, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=-1) / n
        deviation = np.where(there, data - mean[..., None], 0.0)
        sd = np.sqrt((deviation**2).sum(axis=-1) / (n - 1))
        sd = np.where(n < 2, np.nan, sd)
        half = t_quantile(confidence, n - 1) * sd / np.sqrt(n)
    return Description(n, mean, sd, _median(data, n), mean - half, mean + half, confidence)


def t_quantile(confidence: float, df: ArrayLike) -> Floats:
    """The t of a two-sided interval; NaN for df < 1. Each number of degrees of freedom is solved once.

    >>> t_quantile(0.95, [9, 49]).round(4).tolist()
    [2.2622, 2.0096]
    """
    from scipy.special import stdtrit

    different, where = np.unique(np.asarray(df, dtype=np.float64), return_inverse=True)
    quantile = np.where(different < 1, np.nan, stdtrit(np.maximum(different, 1.0), (1 + confidence) / 2))
    return np.asarray(quantile[where].reshape(np.shape(df)), dtype=np.float64)


def _median(data: Floats, n: Ints) -> Floats:
    """Median of the values that are there: NaN sorts last, so the first n are they."""
    if data.shape[-1] == 0:
        return np.full(data.shape[:-1], np.nan)
    ordered = np.sort(data, axis=-1)
    lower = np.take_along_axis(ordered, np.maximum(n - 1, 0)[..., None] // 2, axis=-1)[..., 0]
    upper = np.take_along_axis(ordered, np.minimum(n // 2, data.shape[-1] - 1)[..., None], axis=-1)[..., 0]
    return np.where(n > 0, lower + (upper - lower) / 2, np.nan)
