"""Paired tests over topics: Student's t, Wilcoxon's signed ranks, the sign test; for all pairs at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UnknownName, UsageError
from leadline.stats._arrays import (
    Floats,
    Ints,
    blocks,
    complete_topics,
    float_array,
    mid_ranks,
    pair_indices,
    score_matrix,
    share,
    systems_of_pairs,
)
from leadline.stats.pairs import (
    PairTests,
    Summary,
    assembled,
    interval_of_differences,
    pair_moments,
    summarise,
    summarise_differences,
)

__all__ = ["difference_tests", "paired_t", "sign_test", "t_p_values", "wilcoxon"]

_CELLS = 1 << 18
_EXACT = 50  # topics up to which Wilcoxon's distribution is taken exactly, without ties …
_ENUMERATED = 13  # … and with ties, by all 2^n signs


def paired_t(X: ArrayLike, baseline: int | None = None, *, confidence: float = 0.95) -> PairTests:
    r"""Student's paired t-test, two-sided, for all pairs of systems or all against a baseline.

    $$t = \frac{\bar z}{s_z / \sqrt n}, \qquad z_t = x_{it} - x_{jt}$$

    All differences 0: p = 1. Constant and not 0: p = 0. Fewer than two topics: p = 1. A topic where either score
    is NaN is left out of that pair.

    References: Student. The probable error of a mean. Biometrika 1908. doi:10.1093/biomet/6.1.1

    >>> r = paired_t([[0.3, 0.5, 0.2, 0.7], [0.2, 0.5, 0.1, 0.3]])
    >>> r.statistic.round(4).tolist(), r.p.round(4).tolist(), r.effect.round(4).tolist()
    ([1.7321], [0.1817], [0.866])
    """
    scores, first, second = _prepared(X, baseline)
    return _t_result(len(scores), first, second, summarise(scores, first, second), confidence)


def wilcoxon(X: ArrayLike, baseline: int | None = None, *, confidence: float = 0.95) -> PairTests:
    r"""Wilcoxon's signed-rank test, two-sided; zero differences are dropped, no continuity correction.

    $$W = \min\Bigl(\sum_{z_t > 0} r_t, \sum_{z_t < 0} r_t\Bigr), \qquad r_t = \text{rank of } |z_t|$$

    As scipy's defaults: exact up to 50 topics without ties and zeros; with them, all $2^n$ signs up to 13 topics;
    otherwise the normal approximation with the correction for ties. The interval is Student's, of the mean
    difference. All differences 0, or fewer than two topics: p = 1.

    References: Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1945. doi:10.2307/3001968

    >>> r = wilcoxon([[0.35, 0.5, 0.2, 0.7, 0.6], [0.2, 0.4, 0.25, 0.3, 0.1]])
    >>> r.statistic.tolist(), r.p.round(4).tolist()
    ([1.0], [0.125])
    """
    scores, first, second = _prepared(X, baseline)
    s = summarise(scores, first, second)
    parts = [
        _signed_ranks(scores[first[b]] - scores[second[b]])
        for b in blocks(len(first), _CELLS // max(1, scores.shape[1]))
    ]
    return _result("wilcoxon", len(scores), first, second, s, _stacked(parts), confidence)


def sign_test(X: ArrayLike, baseline: int | None = None, *, confidence: float = 0.95) -> PairTests:
    r"""The sign (binomial) test, exact and two-sided; tied topics are dropped.

    $$p = \min\bigl(1,\; 2\,P[\mathrm{Bin}(w + l, \tfrac12) \le \min(w, l)]\bigr)$$

    The statistic is w, the number of wins. Nothing but ties, or fewer than two topics: p = 1. The interval is
    Student's, of the mean difference.

    References: Dixon, Mood. The statistical sign test. JASA 1946. doi:10.1080/01621459.1946.10501898

    >>> r = sign_test([[0.3, 0.5, 0.2, 0.7, 0.6, 0.4], [0.2, 0.5, 0.1, 0.3, 0.1, 0.3]])
    >>> r.wins.tolist(), r.ties.tolist(), r.p.tolist()
    ([5], [1], [0.0625])
    """
    scores, first, second = _prepared(X, baseline)
    s = summarise(scores, first, second)
    return _result("sign", len(scores), first, second, s, _sign(s), confidence)


def difference_tests(
    Z: ArrayLike,
    test: str = "t",
    *,
    first: ArrayLike | None = None,
    second: ArrayLike | None = None,
    systems: int | None = None,
    confidence: float = 0.95,
) -> PairTests:
    """The same tests for differences given as such (pairs × topics): preferences that are no score differences.

    ``test`` is ``t``, ``wilcoxon`` or ``sign``. Without ``first`` and ``second`` the rows are all pairs ``i < j``.

    >>> r = difference_tests([[1, 1, 0, 1, 1, 1], [1, 0, -1, 0, 1, -1], [0, -1, -1, -1, -1, 0]], "sign")
    >>> r.systems, r.p.tolist()
    (3, [0.0625, 1.0, 0.125])
    """
    differences = score_matrix(Z, "Z")
    if (first is None) != (second is None):
        raise UsageError("first and second must be given together.")
    if first is None or second is None:
        a, b = pair_indices(systems_of_pairs(len(differences)))
    else:
        a, b = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    if a.shape != b.shape or a.shape != (len(differences),):
        raise UsageError(f"first and second must name one pair per row of Z. Got {a.shape}, {b.shape}.")
    m = systems if systems is not None else int(max(a.max(initial=-1), b.max(initial=-1))) + 1
    s = summarise_differences(differences)
    if test == "t":
        return _t_result(m, a, b, s, confidence)
    if test not in _ON_DIFFERENCES:
        raise UnknownName("test", test, ["t", *_ON_DIFFERENCES])
    return _result(test, m, a, b, s, _ON_DIFFERENCES[test](differences, s), confidence)


def t_p_values(X: ArrayLike) -> tuple[Floats, Floats]:
    """Two-sided paired t p-values and mean differences of all pairs, for a stack of score matrices.

    ``X`` is (…, systems, topics); both results are (…, pairs), pairs in row order of ``i < j``. Only that, and so
    fast enough for one matrix per evaluation depth. A topic with a NaN anywhere is left out of all matrices.

    >>> p, difference = t_p_values([[[0.3, 0.5, 0.2], [0.2, 0.5, 0.1]], [[0.3, 0.5, 0.2], [0.3, 0.5, 0.2]]])
    >>> p.round(4).tolist(), difference.round(4).tolist()
    ([[0.1835], [1.0]], [[0.0667], [0.0]])
    """
    stack = float_array(X, "X")
    if stack.ndim < 2:
        raise UsageError(f"X must have axes (…, systems, topics). Got {stack.ndim} dimensions instead.")
    stack = complete_topics(stack)
    first, second = pair_indices(stack.shape[-2])
    n = stack.shape[-1]
    if n < 2:
        shape = (*stack.shape[:-2], len(first))
        mean = stack.mean(axis=-1) if n else np.full(stack.shape[:-1], np.nan)
        return np.ones(shape), mean[..., first] - mean[..., second]
    flat = stack.reshape(-1, *stack.shape[-2:])
    p, difference = np.empty((len(flat), len(first))), np.empty((len(flat), len(first)))
    for b in blocks(len(flat), _CELLS // max(1, flat[:1].size, len(first))):
        difference[b], sd, zero = pair_moments(flat[b], first, second)
        p[b] = _t_and_p(difference[b], sd, zero, np.full(sd.shape, n))[1]
    shape = (*stack.shape[:-2], len(first))
    return p.reshape(shape), difference.reshape(shape)


def _prepared(X: ArrayLike, baseline: int | None) -> tuple[Floats, Ints, Ints]:
    scores = score_matrix(X)
    return scores, *pair_indices(len(scores), baseline)


def _result(
    test: str, systems: int, first: Ints, second: Ints, s: Summary, tested: tuple[Floats, Floats], confidence: float
) -> PairTests:
    share(confidence, "confidence")
    low, high = interval_of_differences(s, confidence)
    tested = (tested[0], np.where(s.topics < 2, 1.0, tested[1]))
    return assembled(test, systems, (first, second), s, tested, (low, high), confidence)


def _t_result(systems: int, first: Ints, second: Ints, s: Summary, confidence: float) -> PairTests:
    tested = _t_and_p(s.difference, s.sd, s.zero, s.topics)
    return _result("t", systems, first, second, s, tested, confidence)


def _t_and_p(difference: Floats, sd: Floats, zero: np.ndarray, n: Ints) -> tuple[Floats, Floats]:
    from scipy.special import stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(sd == 0, np.copysign(np.inf, difference), difference * np.sqrt(n) / sd)
    t = np.where(zero, 0.0, t)
    p = np.where(np.isinf(t), 0.0, 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t)))
    few = n < 2
    return np.where(few, np.nan, t), np.where(few, 1.0, np.minimum(p, 1.0))


def _sign(s: Summary) -> tuple[Floats, Floats]:
    from scipy.special import bdtr

    fewer = np.minimum(s.wins, s.losses)
    p = np.minimum(1.0, 2 * bdtr(fewer.astype(np.float64), s.wins + s.losses, 0.5))
    return s.wins.astype(np.float64), np.asarray(p, dtype=np.float64)


def _signed_ranks(Z: Floats) -> tuple[Floats, Floats]:
    """min(R+, R−) and its two-sided p-value for each row of differences."""
    there = ~np.isnan(Z)
    used = there & (Z != 0)
    n, topics = used.sum(axis=1), there.sum(axis=1)
    ranks, sizes = mid_ranks(np.where(used, np.abs(Z), np.inf))  # what is dropped ranks behind all that is used
    ranks = np.where(used, ranks, 0.0)
    plus = np.where(Z > 0, ranks, 0.0).sum(axis=1)
    statistic = np.minimum(plus, n * (n + 1) / 2 - plus)
    tied = (np.where(used, sizes, 1.0) ** 2 - 1).sum(axis=1)  # = Σ over tied groups of t³ − t
    clean = (tied == 0) & (n == topics)
    p = _normal_p(plus, n, tied)
    exact = clean & (topics <= _EXACT)
    for size in np.unique(n[exact]):
        rows = exact & (n == size)
        p[rows] = np.minimum(1.0, 2 * _wilcoxon_cdf(int(size))[statistic[rows].astype(np.intp)])
    rows = np.nonzero(~clean & (topics <= _ENUMERATED))[0]
    for b in blocks(len(rows), _CELLS >> _ENUMERATED):
        p[rows[b]] = _enumerated_p(ranks[rows[b]], plus[rows[b]])
    return np.where(n == 0, 0.0, statistic), np.where(n == 0, 1.0, p)


def _normal_p(plus: Floats, n: Ints, tied: Floats) -> Floats:
    from scipy.special import ndtr

    variance = (n * (n + 1.0) * (2.0 * n + 1.0) - tied / 2) / 24
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (plus - n * (n + 1) / 4) / np.sqrt(variance)
    return np.asarray(2 * ndtr(-np.abs(z)), dtype=np.float64)


@lru_cache(maxsize=_EXACT + 1)
def _wilcoxon_cdf(n: int) -> Floats:
    """P(R+ ≤ r), r = 0 … n(n+1)/2: each rank is in or out with chance ½. Counts stay below 2^53."""
    counts = np.ones(1)
    for rank in range(1, n + 1):
        counts = np.pad(counts, (0, rank)) + np.pad(counts, (rank, 0))
    cdf = np.cumsum(counts) / 2.0**n
    cdf.setflags(write=False)
    return cdf


def _enumerated_p(ranks: Floats, plus: Floats) -> Floats:
    """Two-sided p over all signs of the at most 13 ranks in each row; a dropped topic has rank 0."""
    few = -np.sort(-ranks, axis=1)[:, :_ENUMERATED]
    signs = (np.arange(1 << few.shape[1])[:, None] >> np.arange(few.shape[1])) & 1
    null = few @ signs.T.astype(np.float64)  # halves of integers: exact
    below = (null <= plus[:, None]).mean(axis=1)
    above = (null >= plus[:, None]).mean(axis=1)
    return np.asarray(np.minimum(1.0, 2 * np.minimum(below, above)), dtype=np.float64)


def _stacked(parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    if not parts:
        return np.empty(0), np.empty(0)
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


_ON_DIFFERENCES: dict[str, Callable[[Floats, Summary], tuple[Floats, Floats]]] = {
    "wilcoxon": lambda Z, s: _signed_ranks(Z),
    "sign": lambda Z, s: _sign(s),
}
