"""Tukey's honestly significant difference for systems × topics, on scores or on preferences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import (
    ROUNDING,
    Floats,
    Ints,
    at_least,
    complete_topics,
    float_array,
    pair_indices,
    score_matrix,
    share,
    systems_of_pairs,
)
from leadline.stats.pairs import PairTests, Summary, assembled, summarise, summarise_differences
from leadline.stats.studentised import studentised_range_quantile, studentised_range_sf

__all__ = ["tukey_hsd", "tukey_hsd_preferences", "tukey_p_values"]


def tukey_hsd(X: ArrayLike, baseline: int | None = None, *, confidence: float = 0.95) -> PairTests:
    r"""Tukey's HSD in the two-way additive model: system + topic + error.

    $$q_{ij} = \frac{|\bar x_i - \bar x_j|}{\sqrt{\mathrm{MSE}/n}}, \qquad
      \mathrm{MSE} = \frac{\sum_{i,t} (x_{it} - \bar x_i - \bar x_t + \bar x)^2}{(m-1)(n-1)}$$

    with $p$ from the studentised range of $m$ means and $(m-1)(n-1)$ degrees of freedom. It accounts for the number of
    pairs by itself, and so do the intervals. MSE = 0: p = 0 for a difference, else 1. Fewer than two topics: p = 1.
    Topics with a NaN in any system are left out. With a baseline fewer pairs are reported, the model stays the same.

    References: Tukey. The problem of multiple comparisons. 1953. Carterette. Multiple testing in statistical
    analysis of systems-based information retrieval experiments. TOIS 2012. doi:10.1145/2094072.2094076

    >>> r = tukey_hsd([[0.9, 0.8, 0.7, 0.9], [0.5, 0.4, 0.4, 0.5], [0.5, 0.3, 0.4, 0.6]])
    >>> r.p.round(4).tolist(), r.statistic.round(2).tolist()
    ([0.0002, 0.0002, 1.0], [13.57, 13.57, 0.0])
    """
    scores = complete_topics(score_matrix(X))
    m, n = scores.shape
    pairs = pair_indices(m, baseline)
    s = summarise(scores, *pairs)
    residual = scores - scores.mean(axis=1, keepdims=True) if n else scores
    residual = residual - residual.mean(axis=0) if m else residual
    squares = float((residual**2).sum())
    size = float(np.abs(scores).max(initial=0.0))
    if squares <= residual.size * (ROUNDING * size) ** 2:
        squares = 0.0
    mse = squares / ((m - 1) * (n - 1)) if m > 1 and n > 1 else np.nan
    return _tested("tukey", m, n, pairs, s, mse, confidence)


def tukey_hsd_preferences(preferences: ArrayLike, *, confidence: float = 0.95) -> PairTests:
    r"""Tukey's HSD for preferences, which need not be differences of scores (rrLP, sgnLP, …).

    $$\mathrm{MSE} = \frac{\sum_{a<b} \sum_t (\Delta_{abt} - \bar\Delta_{ab})^2}{m(m-1)(n-1)}$$

    which is the ordinary one when $\Delta_{abt} = x_{at} - x_{bt}$. ``preferences`` is (m × m × topics) and
    antisymmetric, or (pairs × topics) with the pairs ``a < b`` in row order. Topics with a NaN are left out.

    References: Diaz. Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic
    precision. 2023. arXiv:2306.07908

    >>> x = np.array([[0.9, 0.8, 0.7, 0.9], [0.5, 0.4, 0.4, 0.5], [0.5, 0.3, 0.4, 0.6]])
    >>> r = tukey_hsd_preferences(x[:, None] - x[None])
    >>> r.p.round(4).tolist()
    [0.0002, 0.0002, 1.0]
    """
    Z = complete_topics(_condensed(preferences))
    m, n = systems_of_pairs(len(Z)), Z.shape[1]
    s = summarise_differences(Z)
    squares = float((s.sd**2).sum() * (n - 1)) if n > 1 else 0.0
    mse = squares / (m * (m - 1) * (n - 1)) if m > 1 and n > 1 else np.nan
    return _tested("tukey", m, n, pair_indices(m), s, mse, confidence)


def tukey_p_values(difference: ArrayLike, mse: float, systems: int, topics: int) -> tuple[Floats, Floats]:
    """q and p of mean differences, given the mean squared error: for who sums preferences up without keeping them.

    >>> [a.round(4).tolist() for a in tukey_p_values([0.1, -0.3, 0.0], mse=0.02, systems=3, topics=10)]
    [[2.2361, 6.7082, 0.0], [0.279, 0.0005, 1.0]]
    """
    delta = np.abs(float_array(difference, "difference"))
    m, n = at_least(systems, 1, "systems"), at_least(topics, 0, "topics")
    if m < 2 or n < 2:
        return np.full(delta.shape, np.nan), np.ones(delta.shape)
    if mse == 0:
        return np.where(delta > 0, np.inf, 0.0), np.where(delta > 0, 0.0, 1.0)
    if not mse > 0:
        raise UsageError(f"mse must not be negative. Got {mse} instead.")
    q = delta / np.sqrt(mse / n)
    return q, studentised_range_sf(q, m, (m - 1) * (n - 1))


def _tested(
    test: str, m: int, n: int, pairs: tuple[Ints, Ints], s: Summary, mse: float, confidence: float
) -> PairTests:
    share(confidence, "confidence")
    q, p = tukey_p_values(np.where(s.zero, 0.0, s.difference), mse, m, n)
    half = np.nan
    if m > 1 and n > 1:
        half = studentised_range_quantile(confidence, m, (m - 1) * (n - 1)) * np.sqrt(mse / n) if mse > 0 else 0.0
    return assembled(test, m, pairs, s, (q, p), (s.difference - half, s.difference + half), confidence)


def _condensed(preferences: ArrayLike) -> Floats:
    """Preferences as (pairs × topics), after a look at their antisymmetry."""
    tensor = float_array(preferences, "preferences")
    if tensor.ndim == 2:
        return tensor
    if tensor.ndim != 3 or tensor.shape[0] != tensor.shape[1]:
        raise UsageError(f"preferences must be (m × m × topics) or (pairs × topics). Got shape {tensor.shape}.")
    if not np.array_equal(tensor, -tensor.swapaxes(0, 1), equal_nan=True):
        raise UsageError("preferences must be antisymmetric: what a gains over b, b loses to a.")
    return np.asarray(tensor[pair_indices(len(tensor))], dtype=np.float64)
