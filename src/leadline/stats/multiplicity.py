"""Many tests at once: p-values adjusted for their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UnknownName, UsageError
from leadline.stats._arrays import Floats, float_array

__all__ = ["CORRECTIONS", "adjust"]


def adjust(p: ArrayLike, correction: str = "holm") -> Floats:
    r"""Adjusted p-values: reject at level α exactly those with an adjusted p below α.

    With $m$ p-values, $p_{(1)} \le \dots \le p_{(m)}$:

    - ``bonferroni``: $\min(1, m\,p)$; family-wise error, any dependence.
    - ``holm``: $\max_{j \le i} \min(1, (m-j+1)\,p_{(j)})$; family-wise error, never weaker than Bonferroni.
    - ``bh`` (Benjamini–Hochberg): $\min_{j \ge i} \min(1, \tfrac{m}{j}\,p_{(j)})$; false discovery rate.
    - ``none``: the p-values as they are.

    NaN stays NaN and does not count as a test. Any shape is taken as one family.

    References: Holm. A simple sequentially rejective multiple test procedure. Scand. J. Statist. 1979.
    Benjamini, Hochberg. Controlling the false discovery rate. J. R. Statist. Soc. B 1995.
    doi:10.1111/j.2517-6161.1995.tb02031.x

    >>> adjust([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust([0.01, 0.04, 0.03], "bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    values = float_array(p, "p")
    try:
        method = CORRECTIONS[correction.lower().replace("-", "_")]
    except KeyError:
        raise UnknownName("correction", correction, CORRECTIONS) from None
    known = ~np.isnan(values)
    family = values[known]
    if family.size and not (family.min() >= 0 and family.max() <= 1):
        raise UsageError(f"p-values must be within [0, 1]. Got {family.min()} to {family.max()}.")
    result = np.full(values.shape, np.nan)
    result[known] = method(family)
    return result


def _none(p: Floats) -> Floats:
    return p


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(1.0, p * p.size)


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _unsorted(np.minimum(1.0, steps), order)


def _benjamini_hochberg(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    steps = p[order] * p.size / np.arange(1, p.size + 1)
    return _unsorted(np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1]), order)


def _unsorted(values: Floats, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    result = np.empty_like(values)
    result[order] = values
    return result


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "none": _none,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "bh": _benjamini_hochberg,
    "fdr_bh": _benjamini_hochberg,
    "benjamini_hochberg": _benjamini_hochberg,
}
"""Every correction by name; the last ones are other spellings of ``bh``."""
