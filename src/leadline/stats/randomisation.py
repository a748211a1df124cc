"""Tests by exchanging systems within topics: sign flips for each pair, randomised Tukey HSD for all at once.

Under the hypothesis that systems do not differ, who got which score on a topic is chance. Both functions take explicit
draws as well, so that a slow loop over the same draws can check them. Greater-or-equal is asked with a hair's breadth
of tolerance, since two equal sums of decimals are often unequal doubles.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leadline.errors import UsageError
from leadline.stats._arrays import (
    ROUNDING,
    Floats,
    Ints,
    Rng,
    at_least,
    blocks,
    complete_topics,
    level_topics,
    pair_indices,
    score_matrix,
    seeded,
    share,
    thread_map,
)
from leadline.stats.pairs import PairTests, assembled, interval_of_differences, summarise
from leadline.stats.resampling import RESAMPLES

__all__ = ["permutation_draws", "randomised_tukey", "sign_draws", "sign_flip"]

_PAIRS = 64
_KEYS = 1 << 17  # sort keys held at once while permuting; also the unit of random streams, so a part of the seed
_NEAR = 8 * ROUNDING


def sign_draws(topics: int, resamples: int = RESAMPLES, *, rng: Rng = None) -> NDArray[np.int8]:
    """Random signs ±1 (resamples × topics): what :func:`sign_flip` draws with the same seed.

    >>> set(sign_draws(50, 20, rng=7).ravel().tolist()) == {-1, 1}
    True
    """
    generator, _ = seeded(rng)
    size = (at_least(resamples, 1, "resamples"), at_least(topics, 0, "topics"))
    return (2 * generator.integers(0, 2, size=size, dtype=np.int8) - 1).astype(np.int8)


def permutation_draws(systems: int, topics: int, resamples: int = RESAMPLES, *, rng: Rng = None) -> Ints:
    """Permutations of the systems (resamples × topics × systems): what :func:`randomised_tukey` draws.

    >>> d = permutation_draws(3, 2, 4, rng=7)
    >>> d.shape, np.sort(d, axis=-1)[0, 0].tolist()
    ((4, 2, 3), [0, 1, 2])
    """
    generator, _ = seeded(rng)
    tasks = _permutation_tasks(systems, topics, at_least(resamples, 1, "resamples"), generator)
    return np.concatenate([_permutations(*task, topics, systems) for task in tasks])


def sign_flip(
    X: ArrayLike,
    baseline: int | None = None,
    *,
    resamples: int = RESAMPLES,
    rng: Rng = None,
    signs: ArrayLike | None = None,
    confidence: float = 0.95,
    keep: bool = False,
) -> PairTests:
    r"""Fisher's randomisation test: the sign of each topic's difference is flipped at random.

    $$p = \frac{1 + \#\{\,|\bar z^*| \ge |\bar z|\,\}}{B + 1}$$

    The statistic is the mean difference; the interval is Student's. Topics with a NaN in any system are left out.
    ``keep=True`` stores the resampled means (resamples × pairs). ``signs`` (±1) replaces the random draws.

    References: Smucker, Allan, Carterette. A comparison of statistical significance tests for information retrieval
    evaluation. CIKM 2007. doi:10.1145/1321440.1321528

    >>> flips = [[1, 1, 1, 1], [-1, 1, 1, -1], [-1, 1, -1, 1]]
    >>> r = sign_flip([[0.3, 0.5, 0.2, 0.7], [0.2, 0.5, 0.1, 0.3]], signs=flips)
    >>> r.p.tolist()
    [0.5]
    """
    scores = complete_topics(score_matrix(X))
    first, second = pair_indices(len(scores), baseline)
    s = summarise(scores, first, second)
    n = scores.shape[1]
    draws, seed = _sign_draws(signs, n, resamples, rng)
    means = (level_topics(scores) @ draws.T) / max(n, 1)
    bound = np.abs(s.difference) - _NEAR * np.abs(scores).max(initial=0.0)
    reached = np.empty(len(first), dtype=np.intp)
    for b in blocks(len(first), _PAIRS):
        reached[b] = np.count_nonzero(np.abs(means[first[b]] - means[second[b]]) >= bound[b, None], axis=1)
    p = np.where(s.topics < 2, 1.0, (1 + reached) / (len(draws) + 1))
    kept = (means[first] - means[second]).T if keep else None
    ends = interval_of_differences(s, share(confidence, "confidence"))
    drawn = (len(draws), seed, kept)
    return assembled("sign-flip", len(scores), (first, second), s, (s.difference, p), ends, confidence, drawn)


def randomised_tukey(
    X: ArrayLike,
    baseline: int | None = None,
    *,
    resamples: int = RESAMPLES,
    rng: Rng = None,
    permutations: ArrayLike | None = None,
    confidence: float = 0.95,
    keep: bool = False,
    threads: int | None = None,
) -> PairTests:
    r"""Randomised Tukey HSD: systems change places within each topic; one distribution judges all pairs.

    $$p_{ij} = \frac{1 + \#\{\,\max_s \bar x^*_s - \min_s \bar x^*_s \ge |\bar x_i - \bar x_j|\,\}}{B + 1}$$

    It accounts for the number of pairs by itself. The interval is simultaneous: the difference ± the quantile of the
    resampled range. Topics with a NaN in any system are left out. With a baseline fewer pairs are reported; all systems
    still take part in the permutations. ``keep=True`` stores the ranges (one per resample).

    References: Carterette. Multiple testing in statistical analysis of systems-based information retrieval experiments.
    TOIS 2012. doi:10.1145/2094072.2094076

    >>> r = randomised_tukey([[0.9, 0.8, 0.7, 0.9], [0.5, 0.4, 0.4, 0.5], [0.5, 0.3, 0.4, 0.6]], resamples=999, rng=1)
    >>> bool(r.p[0] < 0.05), bool(r.p[2] > 0.9), r.seed
    (True, True, 1)
    """
    scores = complete_topics(score_matrix(X))
    first, second = pair_indices(len(scores), baseline)
    s = summarise(scores, first, second)
    ranges, seed = _range_draws(level_topics(scores), permutations, resamples, rng, threads)
    ordered = np.sort(ranges)
    near = np.abs(s.difference) - _NEAR * np.abs(scores).max(initial=0.0)
    reached = len(ordered) - np.searchsorted(ordered, near, side="left")
    p = np.where(s.topics < 2, 1.0, (1 + reached) / (len(ordered) + 1))
    half = np.where(s.topics < 2, np.nan, np.quantile(ordered, share(confidence, "confidence")))
    ends = s.difference - half, s.difference + half
    kept = ranges if keep else None
    drawn, tested = (len(ranges), seed, kept), (np.abs(s.difference), p)
    return assembled("randomised-tukey", len(scores), (first, second), s, tested, ends, confidence, drawn)


def _sign_draws(signs: ArrayLike | None, n: int, resamples: int, rng: Rng) -> tuple[Floats, int | None]:
    if signs is None:
        generator, seed = seeded(rng)
        return sign_draws(n, resamples, rng=generator).astype(np.float64), seed
    draws = np.asarray(signs, dtype=np.float64)
    if draws.ndim != 2 or len(draws) < 1 or draws.shape[1] != n or not (np.abs(draws) == 1).all():
        raise UsageError(f"signs must be ±1 (resamples × {n} topics). Got shape {draws.shape}.")
    return draws, None


def _range_draws(
    X: Floats, permutations: ArrayLike | None, resamples: int, rng: Rng, threads: int | None
) -> tuple[Floats, int | None]:
    """Range over systems of the permuted means, one per resample."""
    m, n = X.shape
    if m == 0 or n == 0:
        return np.zeros(at_least(resamples, 1, "resamples")), seeded(rng)[1]
    by_topic = np.ascontiguousarray(X.T)
    offsets = (np.arange(n) * m)[:, None]

    def spread(draws: Ints) -> Floats:
        totals = by_topic.take(draws + offsets).sum(axis=1)
        return np.asarray(np.ptp(totals, axis=1) / n, dtype=np.float64)

    if permutations is not None:
        draws = np.asarray(permutations)
        if draws.ndim != 3 or draws.shape[1:] != (n, m) or len(draws) < 1:
            raise UsageError(f"permutations must be (resamples × {n} topics × {m} systems). Got shape {draws.shape}.")
        if not (np.sort(draws, axis=-1) == np.arange(m)).all():
            raise UsageError(f"permutations must hold each system from 0 to {m - 1} once per topic.")
        parts = [spread(draws[b].astype(np.intp)) for b in blocks(len(draws), _KEYS // (m * n))]
        return np.concatenate(parts), None
    generator, seed = seeded(rng)
    tasks = _permutation_tasks(m, n, at_least(resamples, 1, "resamples"), generator)
    return np.concatenate(thread_map(lambda task: spread(_permutations(*task, n, m)), tasks, threads)), seed


def _permutation_tasks(m: int, n: int, resamples: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """(stream, resamples) of each block: streams belong to blocks, so threads cannot change the outcome."""
    sizes = [b.stop - b.start for b in blocks(resamples, _KEYS // max(1, m * n))]
    return list(zip(rng.integers(0, 1 << 63, size=len(sizes)).tolist(), sizes, strict=True))


def _permutations(stream: int, resamples: int, n: int, m: int) -> Ints:
    """Uniform permutations by sorting random keys; the low bits carry the system, the other 50 and more the key."""
    mask = (1 << max(1, (m - 1).bit_length())) - 1
    keys = np.random.default_rng(stream).integers(0, 1 << 64, size=(resamples, n, m), dtype=np.uint64)
    keys &= np.uint64(~mask & ((1 << 64) - 1))
    keys |= np.arange(m, dtype=np.uint64)
    keys.sort(axis=-1)
    keys &= np.uint64(mask)
    return keys.view(np.int64).astype(np.intp, copy=False)
