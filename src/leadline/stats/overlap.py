"""Rank-biased overlap: agreement of lists that need not hold the same items, weighted towards the top."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import Floats, Ints, blocks, share

__all__ = ["RBO", "rbo", "rbo_matrix"]

_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class RBO:
    """Extrapolated overlap, its least possible value, and how much more unseen items could bring (``residual``)."""

    ext: float
    min: float
    residual: float

    @property
    def max(self) -> float:
        """The greatest possible value."""
        return self.min + self.residual


def rbo(a: ArrayLike, b: ArrayLike, *, p: float = 0.9) -> RBO:
    r"""Rank-biased overlap of two lists, best first, of any lengths $s \le l$.

    $$\mathrm{ext} = \frac{1-p}{p}
      \Bigl(\sum_{d=1}^{l} \frac{X_d}{d} p^d + \sum_{d=s+1}^{l} \frac{X_s (d-s)}{s\,d} p^d\Bigr)
      + \Bigl(\frac{X_l - X_s}{l} + \frac{X_s}{s}\Bigr) p^l$$

    with $X_d$ the number of items in both lists down to depth $d$. ``min`` supposes that all unseen items differ,
    ``min + residual`` that they agree as early as they can. A list without items: ext = min = 0, residual 1.

    References: Webber, Moffat, Zobel. A similarity measure for indefinite rankings. TOIS 2010.
    doi:10.1145/1852102.1852106

    >>> r = rbo(["a", "b", "c"], ["a", "c", "d", "b"], p=0.9)
    >>> round(r.ext, 4), round(r.min, 4), round(r.residual, 4)
    (0.8672, 0.4505, 0.4775)
    """
    share(p, "p")
    short, long = sorted((_items(a), _items(b)), key=len)
    s, l = len(short), len(long)  # noqa: E741, the paper's letters
    if s == 0:
        return RBO(0.0, 0.0, 1.0)
    X = _overlaps(short, long)
    depth = np.arange(1, l + 1, dtype=np.float64)
    weight = (1 - p) * p ** (depth - 1)
    at_s, at_l = X[s - 1], X[l - 1]
    later = np.maximum(depth - s, 0.0)
    ext = float((weight * (X + at_s * later / s) / depth).sum() + ((at_l - at_s) / l + at_s / s) * p**l)
    harmonic = -math.log1p(-p) - float((p**depth / depth).sum())  # Σ p^d/d beyond depth l
    least = float((weight * X / depth).sum()) + (1 - p) / p * float(at_l) * harmonic
    return RBO(min(ext, 1.0), least, _residual(s, l, float(at_l), p))


def rbo_matrix(A: ArrayLike, B: ArrayLike | None = None, *, p: float = 0.9) -> Floats:
    r"""Extrapolated RBO of every row of A with every row of B; rows are permutations of 0 … n−1, best first.

    Of an item only the lower of its two ranks matters: it adds to the overlap from there on.

    >>> rbo_matrix([[0, 1, 2]], [[0, 1, 2], [2, 1, 0]], p=0.5).round(4).tolist()
    [[1.0, 0.375]]
    """
    share(p, "p")
    a = _ranks(A)
    b = a if B is None else _ranks(B)
    n = a.shape[1]
    if b.shape[1] != n:
        raise UsageError(f"Orders must have equally many items. Got {n} and {b.shape[1]}.")
    depth = np.arange(1, n + 1, dtype=np.float64)
    gain = np.cumsum(((1 - p) * p ** (depth - 1) / depth)[::-1])[::-1]  # of an item from its depth to the end
    result = np.empty((len(a), len(b)))
    for rows in blocks(len(a), _CELLS // max(1, b.size)):
        result[rows] = gain.take(np.maximum(a[rows, None, :], b[None])).sum(axis=2)
    result += p**n
    return np.minimum(result, 1.0)


def _residual(s: int, l: int, overlap: float, p: float) -> float:  # noqa: E741
    """Σ (1−p) p^{d−1} (most possible − least possible overlap at d)/d.

    Below the short list's end its unseen items may all agree, below the long one's both lists' may, until at depth
    f = l + s − X_l everything agrees.
    """
    f = l + s - round(overlap)
    depth = np.arange(1, f + 1, dtype=np.float64)
    more = np.maximum(depth - s, 0.0) + np.maximum(depth - l, 0.0)
    seen = float(((1 - p) * p ** (depth - 1) * more / depth).sum())
    harmonic = -math.log1p(-p) - float((p**depth / depth).sum())
    return seen + p**f - (1 - p) / p * overlap * harmonic


def _overlaps(short: Ints, long: Ints) -> Floats:
    """X_d for d = 1 … length of the longer list: a common item counts from the lower of its two ranks on."""
    _, at_short, at_long = np.intersect1d(short, long, assume_unique=True, return_indices=True)
    return np.cumsum(np.bincount(np.maximum(at_short, at_long), minlength=len(long))).astype(np.float64)


def _items(values: ArrayLike) -> Ints:
    items = np.asarray(values)
    if items.ndim != 1:
        raise UsageError(f"A list of items must have one dimension. Got {items.ndim} instead.")
    if len(np.unique(items)) != len(items):
        raise UsageError("A list must name each item once.")
    return items


def _ranks(values: ArrayLike) -> Ints:
    order = np.asarray(values)
    if order.ndim != 2 or order.shape[1] < 1 or not (np.sort(order, axis=1) == np.arange(order.shape[1])).all():
        raise UsageError(f"Orders must be rows that hold every item from 0 to n−1 once. Got shape {order.shape}.")
    return np.argsort(order, axis=1)
