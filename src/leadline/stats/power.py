"""Topic-set design: how many topics a difference needs, and what a number of topics can show (paired t, two-sided)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from leadline.stats._arrays import Floats, share

__all__ = ["detectable_effect", "t_power", "topics_needed"]

_MANY = 1e6  # topics beyond which Student's t is the normal distribution for every purpose


def t_power(effect: ArrayLike, topics: ArrayLike, *, alpha: float = 0.05) -> Floats:
    r"""Chance that a two-sided paired t-test finds an effect of this size with so many topics.

    $$1 - \beta = P\bigl(|T_{n-1}(d\sqrt n)| > t_{n-1,\,1-\alpha/2}\bigr)$$

    with $T(\delta)$ the noncentral t and $d$ = mean/sd of the differences. With the observed d this is the post-hoc
    power. An infinite effect has power 1, fewer than two topics have power 0. Arrays broadcast.

    References: Sakai. Topic set size design. Inf. Retrieval J. 2016. doi:10.1007/s10791-015-9273-z

    >>> t_power([0.0, 0.3, 0.5], 50).round(4).tolist()
    [0.05, 0.5477, 0.9339]
    """
    share(alpha, "alpha")
    d, n = np.broadcast_arrays(np.abs(np.asarray(effect, dtype=np.float64)), np.asarray(topics, dtype=np.float64))
    power = _power(np.where(np.isinf(d), 0.0, d), np.maximum(n, 2.0), alpha)
    power = np.where(np.isinf(d), 1.0, power)
    return np.where(np.isnan(d), np.nan, np.where(n < 2, 0.0, power))


def topics_needed(effect: ArrayLike, *, alpha: float = 0.05, beta: float = 0.2) -> Floats:
    r"""The fewest topics with which the effect d = difference/sd is found with probability 1 − β at least.

    Starts at the normal approximation $n_0 = ((z_{1-\alpha/2} + z_{1-\beta})/d)^2$ and searches exactly from there.
    Whole numbers in floats: ∞ for an effect of 0, two at least, NaN for NaN.

    References: Sakai. Topic set size design. Inf. Retrieval J. 2016. doi:10.1007/s10791-015-9273-z

    >>> topics_needed([0.5, 0.2, 0.0]).tolist()
    [34.0, 199.0, inf]
    """
    from scipy.special import ndtri

    share(alpha, "alpha")
    share(beta, "beta")
    d = np.abs(np.asarray(effect, dtype=np.float64))
    z = float(ndtri(1 - alpha / 2))
    with np.errstate(divide="ignore"):
        start = ((z + float(ndtri(1 - beta))) / d) ** 2
    needed = np.where(np.isnan(d), np.nan, np.ceil(start + z * z / 2))
    needed = np.where(d == np.inf, 2.0, needed)
    small = (start < _MANY) & (d > 0) & (d < np.inf)
    needed = np.asarray(needed)
    needed[small] = _fewest(d[small], np.ceil(start[small]), alpha, 1 - beta)
    return needed


def detectable_effect(topics: ArrayLike, *, alpha: float = 0.05, beta: float = 0.2) -> Floats:
    """The smallest effect d found with probability 1 − β; times the sd of the differences, the smallest difference.

    NaN below two topics.

    >>> detectable_effect([10, 50, 250]).round(4).tolist()
    [0.996, 0.4042, 0.1779]
    """
    share(alpha, "alpha")
    share(beta, "beta")
    n = np.asarray(topics, dtype=np.float64)
    sized = np.maximum(n, 2.0)
    low, high = np.zeros(n.shape), np.ones(n.shape)
    while (short := _power(high, sized, alpha) < 1 - beta).any():
        high = np.where(short, 2 * high, high)
    for _ in range(60):
        middle = (low + high) / 2
        enough = _power(middle, sized, alpha) >= 1 - beta
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(n < 2, np.nan, high)


def _fewest(d: Floats, start: Floats, alpha: float, power: float) -> Floats:
    """Smallest n ≥ 2 with enough power, which grows with n: brackets around the start, then halves them."""
    step: Floats = np.full(d.shape, 4.0)
    above: Floats = np.maximum(start, 2.0)
    while (short := _power(d, above, alpha) < power).any():
        above, step = np.where(short, above + step, above), np.where(short, 2 * step, step)
    below: Floats = np.maximum(above - step, 1.0)
    while (long := (below > 1) & (_power(d, np.maximum(below, 2.0), alpha) >= power)).any():
        step = np.where(long, 2 * step, step)
        above, below = np.where(long, below, above), np.where(long, np.maximum(below - step, 1.0), below)
    while bool((above - below > 1).any()):
        middle = np.floor((above + below) / 2)
        enough = _power(d, middle, alpha) >= power
        above, below = np.where(enough, middle, above), np.where(enough, below, middle)
    return above


def _power(d: Floats, n: Floats, alpha: float) -> Floats:
    from scipy.special import nctdtr, stdtrit

    critical = stdtrit(n - 1, 1 - alpha / 2)
    shift = d * np.sqrt(n)
    tails = [nctdtr(n - 1, shift, end) for end in (-critical, critical)]
    lower, below = (np.where(np.isnan(tail), 0.0, tail) for tail in tails)  # NaN is what scipy says below 1e-15
    return np.asarray(np.clip(lower + (1 - below), 0.0, 1.0), dtype=np.float64)
