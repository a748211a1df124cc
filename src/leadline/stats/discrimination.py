"""How well a measure tells systems apart, and whether another measure or depth confirms it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import (
    ROUNDING,
    Bools,
    Floats,
    complete_topics,
    float_array,
    pair_indices,
    share,
    systems_of_pairs,
)
from leadline.stats.paired import t_p_values

__all__ = [
    "Confirmation",
    "Discrimination",
    "better_pairs",
    "confirmation",
    "discrimination_from_tests",
    "discriminative_power",
]


@dataclass(frozen=True, slots=True, eq=False)
class Discrimination:
    """What a test on all pairs found; leading axes (depths, say) are those of the input.

    ``better[…, i, j]``: system i is significantly better than j. ``means`` are the systems' mean scores, ``share`` is
    the part of all pairs that differ significantly, ``median_p`` the ordinary median of p over the pairs.
    """

    better: Bools
    means: Floats
    p: Floats
    share: Floats
    median_p: Floats
    alpha: float


@dataclass(frozen=True, slots=True, eq=False)
class Confirmation:
    """How a new ordering treats the significant pairs of a reference; NaN where the reference has none."""

    coverage: Floats
    inversion: Floats


def discriminative_power(X: ArrayLike, *, alpha: float = 0.05) -> Discrimination:
    r"""Discrimination by the paired t-test: $|D| / \binom m2$, D the significantly different pairs, p < α strictly.

    ``X`` is (…, systems, topics), so that all depths of a measure are one call. A topic with a NaN anywhere is
    left out. For another test, give its p-values and differences to :func:`discrimination_from_tests`.

    References: Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006. doi:10.1145/1148170.1148261
    Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016.
    doi:10.1007/s10791-016-9282-6

    >>> d = discriminative_power([[0.9, 0.8, 0.7, 0.9], [0.5, 0.4, 0.4, 0.5], [0.5, 0.3, 0.4, 0.6]])
    >>> float(d.share.round(3)), d.better.astype(int).tolist()
    (0.667, [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    """
    scores = complete_topics(float_array(X, "X"))
    p, difference = t_p_values(scores)
    n = scores.shape[-1]
    means = scores.mean(axis=-1) if n else np.full(scores.shape[:-1], np.nan)
    return discrimination_from_tests(p, difference, means, alpha=alpha)


def discrimination_from_tests(
    p: ArrayLike, difference: ArrayLike, means: ArrayLike, *, alpha: float = 0.05
) -> Discrimination:
    """The same from any test's p-values and mean differences of all pairs ``i < j`` (…, pairs).

    >>> d = discrimination_from_tests([0.01, 0.2, 0.04], [0.3, 0.1, -0.2], [0.5, 0.2, 0.4])
    >>> float(d.share.round(3)), float(d.median_p)
    (0.667, 0.04)
    """
    values = np.asarray(p, dtype=np.float64)
    better = better_pairs(values, difference, alpha=alpha)
    if values.shape[-1] == 0:
        empty = np.full(values.shape[:-1], np.nan)
        return Discrimination(better, np.asarray(means, dtype=np.float64), values, empty, empty, alpha)
    found = np.asarray(better.sum(axis=(-2, -1)) / values.shape[-1], dtype=np.float64)
    median = np.asarray(np.median(values, axis=-1), dtype=np.float64)
    return Discrimination(better, np.asarray(means, dtype=np.float64), values, found, median, alpha)


def better_pairs(p: ArrayLike, difference: ArrayLike, *, alpha: float = 0.05) -> Bools:
    """The set D of (better, worse) pairs as a matrix (…, m, m), from p and mean difference of all pairs ``i < j``.

    >>> better_pairs([0.01, 0.2, 0.04], [0.3, 0.1, -0.2]).astype(int).tolist()
    [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    """
    share(alpha, "alpha")
    values, gaps = np.asarray(p, dtype=np.float64), np.asarray(difference, dtype=np.float64)
    if values.shape != gaps.shape or values.ndim < 1:
        raise UsageError(f"p and difference must have one entry per pair. Got shapes {values.shape}, {gaps.shape}.")
    m = systems_of_pairs(values.shape[-1])
    first, second = pair_indices(m)
    better = np.zeros((*values.shape[:-1], m, m), dtype=np.bool_)
    better[..., first, second] = (values < alpha) & (gaps > 0)
    better[..., second, first] = (values < alpha) & (gaps < 0)
    return better


def confirmation(reference: Bools, new: Bools, new_means: ArrayLike) -> Confirmation:
    r"""Coverage and inversion: which share of the reference's significant pairs is confirmed, which is turned round.

    $$\mathrm{coverage} = \frac{|D_{new} \cap D_{ref}|}{|D_{ref}|}, \qquad
      \mathrm{inversion} = \frac{\#\{(i,j) \in D_{ref} : \bar x^{new}_j > \bar x^{new}_i\}}{|D_{ref}|}$$

    A pair (i, j) of the reference is inverted when the new mean of j exceeds that of i by more than rounding,
    significantly or not. Leading axes broadcast: one reference serves all depths. Empty D_ref: NaN.

    References: Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016.
    doi:10.1007/s10791-016-9282-6

    >>> reference = better_pairs([0.01, 0.01, 0.01], [0.3, 0.2, -0.1])
    >>> c = confirmation(reference, better_pairs([0.01, 0.3, 0.3], [0.2, 0.1, 0.1]), [0.5, 0.3, 0.2])
    >>> float(c.coverage.round(3)), float(c.inversion.round(3))
    (0.333, 0.333)
    """
    means = np.asarray(new_means, dtype=np.float64)
    size = np.abs(means).max(axis=-1, initial=0.0)[..., None, None]
    turned = means[..., None, :] - means[..., :, None] > ROUNDING * size
    pairs = reference.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        coverage = (reference & new).sum(axis=(-2, -1)) / pairs
        inversion = (reference & turned).sum(axis=(-2, -1)) / pairs
    return Confirmation(np.asarray(coverage, dtype=np.float64), np.asarray(inversion, dtype=np.float64))
