"""Tests and intervals by resampling topics with replacement: the bootstrap.

Resampling is linear algebra: with a matrix of how often each resample drew each topic, all resampled means of all
systems are one matrix product. Every function takes explicit draws as well, so that a slow loop over the same draws
can check it. Greater-or-equal is asked with a hair's breadth of tolerance, since two equal sums of decimals are often
unequal doubles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import (
    ROUNDING,
    Floats,
    Ints,
    Rng,
    at_least,
    blocks,
    complete_topics,
    float_array,
    level_topics,
    pair_indices,
    score_matrix,
    seeded,
    share,
    thread_map,
)
from leadline.stats.pairs import PairTests, Summary, assembled, summarise

__all__ = [
    "BootstrapInterval",
    "bootstrap_draws",
    "bootstrap_means",
    "paired_bootstrap",
]

RESAMPLES = 10_000
_PAIRS = 64  # pairs compared at once: their resamples stay in a core's cache
_CELLS = 5 << 19  # pairs × resamples in one matrix product: large, since threads of BLAS meet at its end
_COLUMNS = 2_048
_NEAR = 8 * ROUNDING  # sums of a few hundred topics round a little more than a single difference
_EQUAL = 1e-12  # relative, for squares of statistics


def bootstrap_draws(topics: int, resamples: int = RESAMPLES, *, rng: Rng = None) -> Ints:
    """Topic indices drawn with replacement (resamples × topics): what the bootstrap draws with the same seed.

    >>> bootstrap_draws(4, 2, rng=7).shape
    (2, 4)
    """
    generator, _ = seeded(rng)
    size = (at_least(resamples, 1, "resamples"), at_least(topics, 0, "topics"))
    return generator.integers(0, max(topics, 1), size=size, dtype=np.intp)


def paired_bootstrap(
    X: ArrayLike,
    baseline: int | None = None,
    *,
    resamples: int = RESAMPLES,
    rng: Rng = None,
    indices: ArrayLike | None = None,
    confidence: float = 0.95,
    keep: bool = False,
    threads: int | None = None,
) -> PairTests:
    r"""The paired, studentised bootstrap test (Sakai), for all pairs of systems on the same resamples of topics.

    With $t(z) = \bar z / (s_z/\sqrt n)$ and $w = z - \bar z$, $w^*$ resampled over topics with replacement:

    $$\mathrm{ASL} = \#\{\,|t(w^*)| \ge |t(z)|\,\} / B$$

    A resample that is constant and not 0 has $|t| = \infty$, one that is all 0 has $t = 0$. The interval is the
    percentile interval of the mean difference on the same resamples. Topics with a NaN in any system are left out.
    ``keep=True`` stores the t(w*) as ``resampled`` (resamples × pairs). ``indices`` replaces the random draws.

    References: Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006. doi:10.1145/1148170.1148261

    >>> r = paired_bootstrap([[0.3, 0.5, 0.2, 0.7], [0.2, 0.5, 0.1, 0.3]], indices=[[0, 1, 2, 3], [1, 1, 1, 2]])
    >>> r.statistic.round(3).tolist(), r.p.tolist(), r.resamples, r.seed
    ([1.732], [0.5], 2, None)
    """
    scores = complete_topics(score_matrix(X))
    first, second = pair_indices(len(scores), baseline)
    s = summarise(scores, first, second)
    draws, seed = _index_draws(indices, scores.shape[1], resamples, rng)
    counts = _counts(draws, scores.shape[1])
    p = _bootstrap_p(scores, first, second, s, counts)
    low, high = _percentiles(_resampled_means(scores, counts), first, second, share(confidence, "confidence"), threads)
    low, high = (np.where(s.topics < 2, np.nan, s.difference + end) for end in (low, high))
    kept = _bootstrap_t(scores, first, second, counts) if keep else None
    with np.errstate(invalid="ignore"):
        t = s.effect * np.sqrt(s.topics)
    drawn = (len(draws), seed, kept)
    return assembled("bootstrap", len(scores), (first, second), s, (t, p), (low, high), confidence, drawn)


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapInterval:
    """Means with their percentile interval; ``resamples`` and ``seed`` say how it was drawn."""

    mean: Floats
    low: Floats
    high: Floats
    confidence: float
    resamples: int
    seed: int | None


def bootstrap_means(
    values: ArrayLike,
    *,
    resamples: int = RESAMPLES,
    rng: Rng = None,
    indices: ArrayLike | None = None,
    confidence: float = 0.95,
    threads: int | None = None,
) -> BootstrapInterval:
    """Percentile interval of the mean along the last axis (topics), any leading axes, all on the same resamples.

    Topics with a NaN anywhere are left out.

    References: Efron, Tibshirani. An introduction to the bootstrap. Chapman & Hall 1993.

    >>> b = bootstrap_means([0.1, 0.5, 0.9], indices=[[0, 0, 0], [0, 1, 2], [2, 2, 2]], confidence=0.5)
    >>> float(b.mean), b.low.round(3).tolist(), b.high.round(3).tolist(), b.resamples
    (0.5, 0.3, 0.7, 3)
    """
    data = float_array(values, "values")
    if data.ndim < 1:
        raise UsageError("values must have topics on their last axis. Got a single number.")
    rows = complete_topics(data.reshape(-1, data.shape[-1]))
    draws, seed = _index_draws(indices, rows.shape[1], resamples, rng)
    n = rows.shape[1]
    mean = rows.mean(axis=1) if n else np.full(len(rows), np.nan)
    means = _resampled_means(rows, _counts(draws, n))
    low, high = _quantiles(means, share(confidence, "confidence"), threads)
    lead = data.shape[:-1]
    ends = ((mean + low).reshape(lead), (mean + high).reshape(lead))
    return BootstrapInterval(mean.reshape(lead), *ends, confidence, len(draws), seed)


def _index_draws(indices: ArrayLike | None, n: int, resamples: int, rng: Rng) -> tuple[Ints, int | None]:
    if indices is None:
        generator, seed = seeded(rng)
        return bootstrap_draws(n, resamples, rng=generator), seed
    draws = np.asarray(indices)
    if draws.ndim != 2 or draws.dtype.kind not in "iu" or len(draws) < 1 or draws.shape[1] != n:
        raise UsageError(f"indices must be whole numbers (resamples × {n} topics). Got shape {draws.shape}.")
    if draws.size and (draws.min() < 0 or draws.max() >= n):
        raise UsageError(f"indices must be topics from 0 to {n - 1}. Got {draws.min()} to {draws.max()}.")
    return draws.astype(np.intp), None


def _counts(draws: Ints, n: int) -> Floats:
    """How often each resample drew each topic, as (topics × resamples)."""
    counts = np.empty((n, len(draws)))
    for b in blocks(len(draws), _COLUMNS):
        rows = draws[b]
        cells = rows + np.arange(len(rows))[:, None] * n
        counts[:, b] = np.bincount(cells.ravel(), minlength=rows.shape[0] * n).reshape(len(rows), n).T
    return counts


def _resampled_means(X: Floats, counts: Floats) -> Floats:
    """Resampled means of each system less its observed mean (systems × resamples)."""
    n = X.shape[1]
    if n == 0:
        return np.full((len(X), counts.shape[1]), np.nan)
    return np.asarray((X - X.mean(axis=1, keepdims=True)) @ counts / n, dtype=np.float64)


def _centred(X: Floats, first: Ints, second: Ints, size: float) -> Floats:
    """w = z − z̄ of each pair, with what is only rounding set to 0."""
    w = X[first] - X[second]
    w -= w.mean(axis=1, keepdims=True)
    w[np.abs(w) <= 2 * ROUNDING * size] = 0.0
    return w


def _bootstrap_p(X: Floats, first: Ints, second: Ints, s: Summary, counts: Floats) -> Floats:
    r"""Share of resamples with |t(w*)| ≥ |t(z)|, without forming a t.

    t² is monotone in (mean)²/(mean of squares), so the question is whether mean(w*)² ≥ ρ·mean(w*²) with
    ρ = z̄²/mean(z²): well-conditioned, and right of itself for constant resamples (ratio 1). An additional column holds
    the rounding of mean(w*)², so that a resample of zeros does not pass.
    """
    n, resamples = counts.shape
    p = np.ones(len(first))
    if n < 2:
        return p
    size = float(np.abs(X).max(initial=0.0))
    flat = (s.sd == 0) & ~s.zero
    p[flat] = 0.0
    asked = np.nonzero((s.sd > 0) & ~s.zero & (np.abs(s.difference) > _NEAR * size))[0]
    means = _resampled_means(level_topics(X), counts)
    weights = np.empty((len(asked), n + 1))
    for rows in blocks(len(asked), _PAIRS):
        k = asked[rows]
        rho = s.difference[k] ** 2 / (s.difference[k] ** 2 + s.sd[k] ** 2 * (n - 1) / n)
        weights[rows, :n] = _centred(X, first[k], second[k], size) ** 2 * (rho * ((1 - _EQUAL) / n))[:, None]
    weights[:, n] = (_NEAR * size) ** 2
    reached = np.zeros(len(asked), dtype=np.intp)
    for columns in blocks(resamples, _CELLS // max(1, len(asked))):
        drawn = np.vstack([counts[:, columns], np.ones(columns.stop - columns.start)])
        bound, here = weights @ drawn, np.ascontiguousarray(means[:, columns])
        for rows in blocks(len(asked), _PAIRS):
            square = here[first[asked[rows]]]
            square -= here[second[asked[rows]]]
            square *= square
            reached[rows] += np.count_nonzero(square >= bound[rows], axis=1)
    p[asked] = reached / resamples
    return p


def _bootstrap_t(X: Floats, first: Ints, second: Ints, counts: Floats) -> Floats:
    """t(w*) itself (resamples × pairs); where the variance is a small remainder, from the deviations."""
    n, resamples = counts.shape
    result = np.full((resamples, len(first)), np.nan)
    if n < 2:
        return result
    size = float(np.abs(X).max(initial=0.0))
    for rows in blocks(len(first), _PAIRS):
        w = _centred(X, first[rows], second[rows], size)
        mean, square = (w @ counts) / n, ((w * w) @ counts) / n
        variance = square - mean**2
        cells = np.nonzero(variance <= 1e-2 * square)
        for part in blocks(len(cells[0]), (1 << 20) // n):
            k, b = cells[0][part], cells[1][part]
            drawn, values = counts[:, b].T, w[k]
            there = drawn > 0
            ends = (values.max(axis=1, where=there, initial=-np.inf), values.min(axis=1, where=there, initial=np.inf))
            exact = (drawn * (values - mean[k, b][:, None]) ** 2).sum(axis=1) / n
            variance[k, b] = np.where(ends[0] - ends[1] <= 4 * ROUNDING * size, 0.0, exact)
            mean[k, b] = np.where((ends[0] == 0) & (ends[1] == 0), 0.0, mean[k, b])
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / np.sqrt(variance / (n - 1))
        result[:, rows] = np.where(mean == 0, 0.0, t).T
    return result


def _percentiles(
    means: Floats, first: Ints, second: Ints, confidence: float, threads: int | None
) -> tuple[Floats, Floats]:
    """Percentile interval of the differences of rows of ``means``."""
    low, high = np.empty(len(first)), np.empty(len(first))

    def one(b: slice) -> None:
        low[b], high[b] = _order_statistics(means[first[b]] - means[second[b]], confidence)

    thread_map(one, blocks(len(first), 16), threads)
    return low, high


def _quantiles(means: Floats, confidence: float, threads: int | None) -> tuple[Floats, Floats]:
    low, high = np.empty(len(means)), np.empty(len(means))

    def one(b: slice) -> None:
        low[b], high[b] = _order_statistics(means[b].copy(), confidence)

    thread_map(one, blocks(len(means), 16), threads)
    return low, high


def _order_statistics(rows: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Both ends of the percentile interval of each row, linear between order statistics; overwrites ``rows``."""
    last = rows.shape[1] - 1
    at = np.array([(1 - confidence) / 2, (1 + confidence) / 2]) * last
    low, high = (int(i) for i in np.floor(at))
    if low + 1 >= high or last < _COLUMNS // 16:
        rows.sort(axis=1)
        ends = [rows[:, [i, min(i + 1, last)]] for i in (low, high)]
    else:  # selecting one rank at a time is what numpy does fastest
        rows.partition(low + 1, axis=1)
        upper = rows[:, low + 2 :]
        upper.partition(high - low - 2, axis=1)
        ends = [
            np.stack([rows[:, : low + 1].max(axis=1), rows[:, low + 1]], axis=1),
            np.stack([upper[:, high - low - 2], upper[:, high - low - 1 :].min(axis=1)], axis=1),
        ]
    below, above = (e[:, 0] + (e[:, 1] - e[:, 0]) * (x - i) for e, x, i in zip(ends, at, (low, high), strict=True))
    return below, above
