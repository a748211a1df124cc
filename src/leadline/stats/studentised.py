r"""The studentised range: how far the extremes of k normal means lie apart, in units of an estimated deviation.

$$P(Q > q) = \int_0^\infty f_\nu(s)\, H_k(q s)\, ds, \qquad
  H_k(w) = k \int \varphi(z)\,\bigl[\Phi(z)^{k-1} - (\Phi(z) - \Phi(z-w))^{k-1}\bigr]\, dz$$

$f_\nu$ is the density of $\sqrt{\chi^2_\nu/\nu}$, $H_k$ the tail of the range of $k$ standard normals. $H_k$ has one
variable only: its logarithm is tabulated once per $k$ as piecewise Chebyshev series, and then thousands of $q$ cost
one small quadrature each.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import Floats, at_least, blocks, share

__all__ = ["studentised_range_quantile", "studentised_range_sf"]

_FARTHEST = 40.0  # beyond it the range of any number of normals has no probability worth a double
_FAR = 16.0
_PANELS = 32
_DEGREE = 15
_NODES = 96
_INFINITE = 1e7  # degrees of freedom from which the deviation is as good as known


def studentised_range_sf(q: ArrayLike, k: int, df: float) -> Floats:
    """P(Q > q) for the studentised range of ``k`` means with ``df`` degrees of freedom, for any array of q.

    Within 1e-8 of ``scipy.stats.studentized_range.sf`` (in practice 1e-10 for up to 400 means), and some thousand times
    faster for many q.

    References: Lund, Lund. Algorithm AS 190: probabilities and upper quantiles for the studentized range.
    J. R. Statist. Soc. C 1983. doi:10.2307/2347300

    >>> studentised_range_sf([0.0, 3.5, 5.0], k=4, df=20).round(6).tolist()
    [1.0, 0.094958, 0.010288]
    """
    k = at_least(k, 2, "k")
    if not df > 0:
        raise UsageError(f"df must be positive. Got {df} instead.")
    values = np.asarray(q, dtype=np.float64)
    different, where = np.unique(values, return_inverse=True)
    tail = np.where(np.isnan(different), np.nan, (different <= 0).astype(np.float64))
    inside = np.nonzero((different > 0) & (different < np.inf))[0]
    for b in blocks(len(inside), 2048):
        tail[inside[b]] = _tail(different[inside[b]], k, float(df))
    return tail[where].reshape(values.shape)


def studentised_range_quantile(probability: float, k: int, df: float) -> float:
    """The q that the studentised range stays below with this probability.

    >>> round(studentised_range_quantile(0.95, k=3, df=10), 4)
    3.8768
    """
    above = 1 - share(probability, "probability")
    low, high = 0.0, 4.0
    while float(studentised_range_sf(high, k, df)) > above:
        low, high = high, 2 * high
    for _ in range(8):  # each step looks at 31 points at once and keeps one of 32 parts
        points = np.linspace(low, high, 33)
        part = int(np.searchsorted(-studentised_range_sf(points[1:-1], k, df), -above))
        low, high = float(points[part]), float(points[part + 1])
    return (low + high) / 2


def _tail(q: Floats, k: int, df: float) -> Floats:
    from scipy.special import gammainccinv, gammaincinv, gammaln

    if df >= _INFINITE:
        return _range_tail(q, k)
    lowest = math.sqrt(2 * float(gammaincinv(df / 2, 1e-30)) / df)
    highest = math.sqrt(2 * float(gammainccinv(df / 2, 1e-18)) / df)
    # where the deviation may be tiny all the mass is there, and nodes farther out would be wasted
    end = np.minimum(np.minimum(highest, _FARTHEST / q), np.maximum(2 * lowest, _FAR / q))
    node, weight = _legendre()
    half = np.maximum(end - lowest, 0.0)[:, None] / 2
    s = lowest + half * (1 + node)
    h = df / 2
    with np.errstate(divide="ignore"):
        density = np.exp(math.log(2) + h * math.log(h) - float(gammaln(h)) + (df - 1) * np.log(s) - h * s * s)
    tail = (density * _range_tail(q[:, None] * s, k) * half) @ weight
    return np.clip(tail, 0.0, 1.0)


def _range_tail(w: Floats, k: int) -> Floats:
    """H_k(w) from its tabulated logarithm: Clenshaw's recurrence within each panel."""
    table = _table(k)
    panel = np.minimum((w * (_PANELS / _FARTHEST)).astype(np.intp), _PANELS - 1)
    x = 2 * (w * (_PANELS / _FARTHEST) - panel) - 1
    one, two = np.zeros_like(x), np.zeros_like(x)
    for row in table[:0:-1]:
        one, two = row.take(panel) + 2 * x * one - two, one
    logarithm = table[0].take(panel) + x * one - two
    return np.where(w <= _FARTHEST, np.exp(np.minimum(logarithm, 0.0)), 0.0)


@lru_cache(maxsize=32)
def _table(k: int) -> Floats:
    """Chebyshev coefficients of log H_k, (degree + 1) × panels of [0, farthest]."""
    n = _DEGREE + 1
    angle = (np.arange(n) + 0.5) * np.pi / n
    width = _FARTHEST / _PANELS
    w = width * (np.arange(_PANELS)[:, None] + (1 + np.cos(angle)) / 2)
    values = _log_range_tail(w.ravel(), k).reshape(w.shape)
    coefficients = np.cos(np.arange(n)[:, None] * angle) @ values.T * (2 / n)
    coefficients[0] /= 2
    return np.ascontiguousarray(coefficients)


def _log_range_tail(w: Floats, k: int) -> Floats:
    """log H_k(w) with the relative precision that small tails need.

    The integrand has its mass between the origin and w/2, and nothing ten units outside; for a smooth function that
    vanishes at both ends equal steps are the best quadrature.
    """
    from scipy.special import log_ndtr

    z, step = np.linspace(-10.0, _FARTHEST / 2 + 10.0, 401, retstep=True)
    log_cdf = log_ndtr(z)
    ratio = log_ndtr(z - w[:, None]) - log_cdf  # log of Φ(z−w)/Φ(z)
    with np.errstate(divide="ignore"):
        lost = np.log(-np.expm1((k - 1) * np.log1p(-np.exp(ratio))))
    terms = lost + (k - 1) * log_cdf - z * z / 2
    top = terms.max(axis=1, keepdims=True)
    total = np.log(np.exp(terms - top).sum(axis=1)) + top[:, 0]
    return np.asarray(total + math.log(k * float(step) / math.sqrt(2 * math.pi)), dtype=np.float64)


@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    return node, weight
