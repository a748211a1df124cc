"""Agreement of orders: Kendall's τ-a and τ-b, τ_ap, Spearman, Pearson, RMSE; one pair or whole matrices of them.

Score vectors have one entry per system (or document). Orders name their items best first. Matrix functions take one
vector per row and compare every row of A with every row of B (of A, when B is left out).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leadline.errors import UsageError
from leadline.stats._arrays import ROUNDING, Floats, Ints, blocks, float_array, mid_ranks, pair_indices

__all__ = [
    "TauTest",
    "orders",
    "pearson",
    "pearson_matrix",
    "rmse",
    "rmse_matrix",
    "spearman",
    "spearman_matrix",
    "tau_a",
    "tau_ap",
    "tau_ap_matrix",
    "tau_b",
    "tau_matrix",
    "tau_test",
]

_COLUMNS = 1 << 13  # item pairs compared at once; their sum of ±1 is exact in 32-bit floats
_ROWS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class TauTest:
    """Kendall's τ-b of each row of A with each row of B, and its two-sided p-value."""

    tau: Floats
    p: Floats


def orders(scores: ArrayLike) -> Ints:
    """Items by descending score along the last axis, equal scores in their given order.

    >>> orders([0.2, 0.9, 0.2, 0.5]).tolist()
    [1, 3, 0, 2]
    """
    return np.argsort(-_rows(scores, "scores", least=1), axis=-1, kind="stable")


def tau_b(a: ArrayLike, b: ArrayLike, *, decimals: int | None = None) -> float:
    r"""Kendall's τ-b between two score vectors; ties are no agreement and no disagreement.

    $$\tau_b = \frac{C - D}{\sqrt{(n_0 - t_a)(n_0 - t_b)}}, \qquad n_0 = n(n-1)/2$$

    with $t_a$, $t_b$ the tied pairs of each. NaN if one side is constant or holds a NaN. ``decimals`` rounds first,
    so that scores equal but for rounding are tied.

    References: Kendall. The treatment of ties in ranking problems. Biometrika 1945. doi:10.1093/biomet/33.3.239

    >>> round(tau_b([1, 2, 3, 3], [1, 3, 2, 4]), 4)
    0.5477
    """
    return float(tau_matrix([np.asarray(a)], [np.asarray(b)], decimals=decimals)[0, 0])


def tau_matrix(A: ArrayLike, B: ArrayLike | None = None, *, decimals: int | None = None) -> Floats:
    """τ-b of every row of A with every row of B: sign vectors over the pairs of items, and one matrix product.

    >>> tau_matrix([[1, 2, 3], [3, 2, 1]], [[1, 2, 3], [1, 3, 2]]).round(3).tolist()
    [[1.0, 0.333], [-1.0, -0.333]]
    """
    a, b = _both(A, B, decimals)
    return _tau(a, b)[0]


def tau_test(A: ArrayLike, B: ArrayLike | None = None, *, decimals: int | None = None) -> TauTest:
    """τ-b with p-values of the hypothesis of no association.

    As scipy's default: exact without ties for up to 33 items (or when at most one pair is out of order), else by the
    normal approximation with the variance corrected for ties.

    >>> r = tau_test([[1, 2, 3, 4, 5]], [[2, 1, 3, 5, 4]])
    >>> r.tau.tolist(), r.p.round(4).tolist()
    ([[0.6]], [[0.2333]])
    """
    a, b = _both(A, B, decimals)
    tau, difference, free_a, free_b = _tau(a, b)
    return TauTest(tau, _tau_p(a, b, difference, free_a, free_b))


def tau_a(a: ArrayLike, b: ArrayLike) -> float:
    r"""Kendall's τ-a between two orders of the same items: $(C - D)/n_0$.

    References: Kendall. A new measure of rank correlation. Biometrika 1938. doi:10.1093/biomet/30.1-2.81

    >>> round(tau_a(["x", "y", "z"], ["x", "z", "y"]), 4)
    0.3333
    """
    first, second = _positions(a, b)
    return float(tau_matrix(first[None], second[None])[0, 0])


def tau_ap(estimate: ArrayLike, truth: ArrayLike) -> float:
    r"""τ_ap: Kendall's τ weighted towards the top of the estimated order; the arguments do not commute.

    $$\tau_{ap} = \frac{2}{n-1} \sum_{i=2}^{n} \frac{C(i)}{i-1} - 1$$

    with $C(i)$ the items above rank $i$ of the estimate that the true order puts above its item, too.

    References: Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information retrieval. SIGIR 2008.
    doi:10.1145/1390334.1390435

    >>> tau_ap(["y", "x", "z"], ["x", "y", "z"]), tau_ap(["x", "z", "y"], ["x", "y", "z"])
    (0.0, 0.5)
    """
    first, second = _positions(estimate, truth)
    return float(tau_ap_matrix(np.argsort(first)[None], np.argsort(second)[None])[0, 0])


def tau_ap_matrix(estimates: ArrayLike, truths: ArrayLike | None = None) -> Floats:
    r"""τ_ap of every estimated order with every true one; rows are permutations of 0 … n−1, best first.

    With $w = 1/(i-1)$, $i$ the lower rank of a pair in the estimate, τ_ap is $\sum w\,s\,s' / (n-1)$ over pairs of
    items, $s$ and $s'$ their signs in the two orders: a matrix product again.

    >>> tau_ap_matrix([[1, 0, 2], [0, 2, 1]], [[0, 1, 2]]).tolist()
    [[0.0], [0.5]]
    """
    a = _ranks_of(estimates)
    b = a if truths is None else _ranks_of(truths)
    if a.shape[1] != b.shape[1]:
        raise UsageError(f"Orders must have equally many items. Got {a.shape[1]} and {b.shape[1]}.")
    n = a.shape[1]
    first, second = pair_indices(n)
    total = np.zeros((len(a), len(b)))
    for c in blocks(len(first), _COLUMNS):
        x, y = a[:, first[c]], a[:, second[c]]
        weighted = np.sign(y - x) / np.maximum(x, y)  # ranks from 0: the lower one is i − 1
        total += weighted @ np.sign(b[:, second[c]] - b[:, first[c]]).astype(np.float64).T
    total /= n - 1
    return np.clip(total, -1.0, 1.0)


def pearson(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson's correlation of two vectors; NaN if one is constant.

    >>> round(pearson([1, 2, 3], [1, 2, 4]), 4)
    0.982
    """
    return float(pearson_matrix([np.asarray(a)], [np.asarray(b)])[0, 0])


def pearson_matrix(A: ArrayLike, B: ArrayLike | None = None) -> Floats:
    """Pearson's correlation of every row of A with every row of B.

    >>> pearson_matrix([[1, 2, 3], [1, 1, 1]], [[3, 2, 1]]).round(9).tolist()
    [[-1.0], [nan]]
    """
    a, b = _both(A, B, None)
    return np.clip(_unit(a) @ _unit(b).T, -1.0, 1.0)


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's ρ: Pearson's correlation of the ranks, ties sharing their mean rank.

    References: Spearman. The proof and measurement of association between two things. Am. J. Psychol. 1904.
    doi:10.2307/1412159

    >>> round(spearman([10, 20, 30, 30], [1, 3, 2, 4]), 4)
    0.6325
    """
    return float(spearman_matrix([np.asarray(a)], [np.asarray(b)])[0, 0])


def spearman_matrix(A: ArrayLike, B: ArrayLike | None = None) -> Floats:
    """Spearman's ρ of every row of A with every row of B.

    >>> spearman_matrix([[1, 2, 3]], [[3, 2, 1], [1, 2, 9]]).round(9).tolist()
    [[-1.0, 1.0]]
    """
    a, b = _both(A, B, None)
    ranked = [np.where(np.isnan(x).any(axis=1, keepdims=True), np.nan, mid_ranks(x)[0]) for x in (a, b)]
    return np.clip(_unit(ranked[0]) @ _unit(ranked[1]).T, -1.0, 1.0)


def rmse(a: ArrayLike, b: ArrayLike) -> float:
    """Root of the mean squared difference of two vectors.

    >>> round(rmse([0.0, 0.0], [3.0, 4.0]), 4)
    3.5355
    """
    return float(rmse_matrix([np.asarray(a)], [np.asarray(b)])[0, 0])


def rmse_matrix(A: ArrayLike, B: ArrayLike | None = None) -> Floats:
    """RMSE of every row of A with every row of B; by differences, since squares that cancel would lose half the digits.

    >>> rmse_matrix([[0.0, 0.0]], [[0.0, 0.0], [1.0, -1.0]]).tolist()
    [[0.0, 1.0]]
    """
    a, b = _both(A, B, None)
    result = np.empty((len(a), len(b)))
    for rows in blocks(len(a), _ROWS // max(1, b.size)):
        gap = a[rows, None, :] - b[None]
        result[rows] = np.sqrt(np.einsum("abn,abn->ab", gap, gap) / b.shape[1])
    return result


def _rows(values: ArrayLike, name: str, least: int) -> Floats:
    data = float_array(values, name)
    if data.ndim < 1 or data.shape[-1] < least:
        raise UsageError(f"{name} must have at least {least} items in each row. Got shape {data.shape}.")
    return data


def _both(A: ArrayLike, B: ArrayLike | None, decimals: int | None) -> tuple[Floats, Floats]:
    a = _rows(A, "A", 1)
    b = a if B is None else _rows(B, "B", 1)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise UsageError(f"A and B must be matrices with equally many columns. Got shapes {a.shape}, {b.shape}.")
    return (a, b) if decimals is None else (a.round(decimals), b.round(decimals))


def _unit(rows: Floats) -> Floats:
    """Rows with mean 0 and length 1; NaN where a row is constant up to rounding."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    flat = np.ptp(rows, axis=1, keepdims=True) <= ROUNDING * np.abs(rows).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = centred / np.abs(centred).max(axis=1, keepdims=True)  # lest squares of tiny numbers underflow
        unit = scaled / np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return np.where(flat, np.nan, unit)


def _tau(a: Floats, b: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """τ-b, C − D, and the untied pairs of each row of either side."""
    first, second = pair_indices(a.shape[1])
    difference = np.zeros((len(a), len(b)))
    free = [np.zeros(len(a)), np.zeros(len(b))]
    for c in blocks(len(first), _COLUMNS):
        signs = [_signs(x, first[c], second[c]) for x in (a, b)]
        difference += signs[0] @ signs[1].T
        for count, sign in zip(free, signs, strict=True):
            count += np.abs(sign).sum(axis=1, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = difference / np.sqrt(np.multiply.outer(*free))
    return np.clip(tau, -1.0, 1.0), difference, free[0], free[1]


def _signs(x: Floats, first: Ints, second: Ints) -> NDArray[np.float32]:
    """±1 and 0 by comparison; a NaN makes the whole row NaN."""
    left, right = x[:, first], x[:, second]
    signs = (left > right).astype(np.float32)
    signs -= left < right
    signs[np.isnan(x).any(axis=1)] = np.nan
    return signs


def _tau_p(a: Floats, b: Floats, difference: Floats, free_a: Floats, free_b: Floats) -> Floats:
    from scipy.special import ndtr

    n = a.shape[1]
    pairs = n * (n - 1) / 2
    tied = [pairs - f for f in (free_a, free_b)]
    sizes = [mid_ranks(x)[1] for x in (a, b)]
    cubic = [((s - 1) * (s - 2)).sum(axis=1) for s in sizes]  # Σ over groups t(t−1)(t−2)
    mixed = [((s - 1) * (2 * s + 5)).sum(axis=1) for s in sizes]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (n * (n - 1) * (2 * n + 5) - mixed[0][:, None] - mixed[1]) / 18
        variance = variance + 2 * np.multiply.outer(*tied) / (n * (n - 1))
        if n > 2:
            variance = variance + np.multiply.outer(*cubic) / (9 * n * (n - 1) * (n - 2))
        p = 2 * ndtr(-np.abs(difference) / np.sqrt(variance))
    apart = np.minimum((pairs - difference) / 2, (pairs + difference) / 2)
    exact = (tied[0][:, None] == 0) & (tied[1] == 0) & ((n <= 33) | (apart <= 1))
    if exact.any():
        p[exact] = _inversions_p(n)[np.minimum(apart[exact], pairs).astype(np.intp)]
    usable = (free_a[:, None] > 0) & (free_b > 0)  # False as well where a row holds a NaN
    return np.where(usable, p, np.nan)


@lru_cache(maxsize=64)
def _inversions_p(n: int) -> Floats:
    """min(1, 2 P(inversions ≤ c)) of a random permutation, c = 0 … (only c ≤ 1 beyond 33 items)."""
    pairs = n * (n - 1) // 2
    kept = pairs + 1 if n <= 33 else 2
    chance = np.zeros(kept)
    chance[0] = 1.0
    for size in range(2, n + 1):  # the item inserted as size-th adds 0 … size−1 inversions
        total = np.cumsum(chance)
        total[size:] -= total[: max(0, kept - size)].copy()
        chance = total / size
    p = np.minimum(1.0, 2 * np.cumsum(chance))
    p.setflags(write=False)
    return p


def _ranks_of(values: ArrayLike) -> Ints:
    """Ranks (from 0) of items 0 … n−1 in each order."""
    order = np.asarray(values)
    if order.ndim != 2 or order.shape[1] < 2 or order.dtype.kind not in "iu":
        raise UsageError(f"Orders must be rows of whole numbers, two items at least. Got shape {order.shape}.")
    if not (np.sort(order, axis=1) == np.arange(order.shape[1])).all():
        raise UsageError(f"Each order must hold every item from 0 to {order.shape[1] - 1} once.")
    return np.argsort(order, axis=1)


def _positions(a: ArrayLike, b: ArrayLike) -> tuple[Ints, Ints]:
    """Ranks of the common items in two orders that name the same items, each once."""
    one, other = np.asarray(a), np.asarray(b)
    if one.ndim != 1 or one.shape != other.shape or len(one) < 2:
        raise UsageError(f"Orders must name the same items, two at least. Got shapes {one.shape}, {other.shape}.")
    items, first = np.unique(one, return_index=True)
    others, second = np.unique(other, return_index=True)
    if len(items) != len(one) or len(others) != len(other) or not (items == others).all():
        raise UsageError("Orders must name the same items, each once: ties and missing items have no place in them.")
    return first, second
