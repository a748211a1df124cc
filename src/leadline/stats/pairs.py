"""The result of comparing pairs of systems, and what every such comparison reports besides its p-value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.errors import UsageError
from leadline.stats._arrays import ROUNDING, Bools, Floats, Ints, blocks
from leadline.stats.multiplicity import adjust

__all__ = [
    "PairTests",
    "Summary",
    "assembled",
    "interval_of_differences",
    "pair_moments",
    "summarise",
    "summarise_differences",
]

_CELLS = 1 << 18  # differences held at once: 2 MB, so that a block stays in cache
_ALIKE = 3e-3  # deviation of differences, as a share of the scores, below which algebra would lose five digits
_SIGNED = frozenset({"difference", "effect", "low", "high"})


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """One test for each compared pair of systems, as vectors over the pairs.

    ``difference`` is the mean over topics of ``first − second``; ``low`` and ``high`` bound it with the given
    confidence; ``effect`` is d_z = mean/sd of the differences (0 if all are 0, ±∞ if they are constant and not 0);
    ``wins``, ``ties`` and ``losses`` count topics from the point of view of ``first``; ``topics`` is the number of
    topics the pair was compared on. ``resamples`` and ``seed`` are set by the tests that draw at random.

    >>> from leadline.stats import paired_t
    >>> r = paired_t([[0.5, 0.7, 0.9], [0.4, 0.5, 0.8], [0.5, 0.7, 0.9]])
    >>> r.p.round(4).tolist(), r.wins.tolist(), r.ties.tolist()
    ([0.0572, 1.0, 0.0572], [3, 0, 0], [0, 3, 0])
    >>> r.matrix("difference").round(3).tolist()
    [[0.0, 0.133, 0.0], [-0.133, 0.0, -0.133], [0.0, 0.133, 0.0]]
    """

    test: str
    systems: int
    first: Ints
    second: Ints
    topics: Ints
    difference: Floats
    statistic: Floats
    p: Floats
    low: Floats
    high: Floats
    effect: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    confidence: float
    resamples: int | None = None
    seed: int | None = None
    resampled: Floats | None = None

    def matrix(self, field: str = "p") -> Floats:
        """A vector over pairs as a (systems × systems) matrix; NaN for pairs that were not compared.

        ``p``, ``topics`` and ``ties`` are symmetric (p is 1 on the diagonal); ``difference`` and ``effect`` change
        sign across the diagonal, and so do ``low`` and ``high``, which change places as well; ``wins`` and
        ``losses`` change places.
        """
        other = {"low": "high", "high": "low", "wins": "losses", "losses": "wins"}.get(field, field)
        if other == field and field not in {"p", "topics", "ties", "difference", "effect"}:
            raise UsageError(f"No matrix of {field!r}: take one of p, difference, low, high, effect, wins, losses.")
        square = np.full((self.systems, self.systems), np.nan)
        square[self.first, self.second] = getattr(self, field)
        mirrored = np.asarray(getattr(self, other), dtype=np.float64)
        square[self.second, self.first] = 0.0 - mirrored if field in _SIGNED else mirrored
        np.fill_diagonal(square, 1.0 if field == "p" else 0.0)
        return square

    def adjusted(self, correction: str = "none") -> Floats:
        """The p-values adjusted for the number of pairs compared."""
        return adjust(self.p, correction)

    def significant(self, alpha: float = 0.05, correction: str = "none") -> Bools:
        """Which pairs differ: (adjusted) p < α, strictly."""
        return np.asarray(self.adjusted(correction) < alpha, dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Differences of each pair in figures: mean, standard deviation and the counts of their signs.

    ``sd`` is exactly 0 where the differences are constant up to rounding, and ``zero`` marks those that are all 0
    up to rounding; both tests are needed because (0.3 − 0.2) and (0.2 − 0.1) are different doubles.
    """

    topics: Ints
    difference: Floats
    sd: Floats
    zero: Bools
    wins: Ints
    ties: Ints
    losses: Ints

    @property
    def effect(self) -> Floats:
        """d_z = mean/sd; 0 where all differences are 0, ±∞ where they are constant, NaN below two topics."""
        flat = self.sd == 0
        with np.errstate(invalid="ignore", divide="ignore"):
            d_z = np.where(flat, np.copysign(np.inf, self.difference), self.difference / self.sd)
        d_z = np.where(self.zero, 0.0, d_z)
        return np.where(self.topics < 2, np.nan, d_z)


def summarise(X: Floats, first: Ints, second: Ints) -> Summary:
    """Summary of ``X[first] − X[second]`` for each pair, on the topics where neither score is NaN.

    Without NaN and with many pairs the moments come from covariance algebra, see :func:`pair_moments`.
    """
    rows = list(blocks(len(first), _CELLS // max(1, X.shape[1])))
    if not rows:
        return _summary_of(X, first, second)
    if X.shape[1] < 2 or len(first) < X.shape[0] or np.isnan(X).any():
        return _joined([_summary_of(X, first[b], second[b]) for b in rows])
    difference, sd, zero = pair_moments(X, first, second)
    n = X.shape[1]
    wins = np.concatenate([np.count_nonzero(X[first[b]] > X[second[b]], axis=1) for b in rows])
    losses = np.concatenate([np.count_nonzero(X[first[b]] < X[second[b]], axis=1) for b in rows])
    return Summary(np.full(len(first), n), difference, sd, zero, wins, n - wins - losses, losses)


def pair_moments(X: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats, Bools]:
    """Mean and standard deviation of ``X[…, first, :] − X[…, second, :]``, and whether all of it is 0.

    Var(a − b) = Var(a) + Var(b) − 2 Cov(a, b): one matrix product for all pairs; leading axes are independent
    matrices. Where two systems are so alike that the subtraction would lose digits, the differences are formed.
    At least two topics, no NaN.
    """
    mean = X.mean(axis=-1)
    centred = X - X.mean(axis=-2, keepdims=True)  # differences stay the same and less has to cancel
    centred -= centred.mean(axis=-1, keepdims=True)
    gram = centred @ np.swapaxes(centred, -1, -2)
    square = np.diagonal(gram, axis1=-2, axis2=-1)
    both = square.take(first, axis=-1) + square.take(second, axis=-1)
    flat = gram.reshape(*gram.shape[:-2], -1)
    spread = both - 2 * flat.take(first * X.shape[-2] + second, axis=-1)
    difference = mean.take(first, axis=-1) - mean.take(second, axis=-1)
    size = np.abs(X).max(axis=(-2, -1), initial=0.0)[..., None]
    alike = spread <= X.shape[-1] * (_ALIKE * size) ** 2
    sd = np.sqrt(np.maximum(spread, 0.0) / (X.shape[-1] - 1))
    zero = np.zeros(sd.shape, dtype=np.bool_)
    cells = np.nonzero(alike)
    for b in blocks(len(cells[0]), _CELLS // X.shape[-1]):
        at = tuple(c[b] for c in cells)
        s = _between(X[(*at[:-1], first[at[-1]])], X[(*at[:-1], second[at[-1]])])
        difference[at], sd[at], zero[at] = s.difference, s.sd, s.zero
    return difference, sd, zero


def summarise_differences(Z: Floats) -> Summary:
    """Summary of differences given as such (pairs × topics), preferences for instance."""
    size = np.abs(Z)
    return _moments(Z, size.max(axis=1, initial=0.0, where=~np.isnan(size)))


def _summary_of(X: Floats, first: Ints, second: Ints) -> Summary:
    return _between(X[first], X[second])


def _between(a: Floats, b: Floats) -> Summary:
    size = np.maximum(np.abs(a), np.abs(b))
    return _moments(a - b, size.max(axis=1, initial=0.0, where=~np.isnan(size)))


def _moments(Z: Floats, size: Floats) -> Summary:
    """Two-pass mean and standard deviation of each row, with rounding told from variation."""
    there = ~np.isnan(Z)
    n = there.sum(axis=1)
    filled = np.where(there, Z, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=1) / n
        sd = np.sqrt((np.where(there, filled - mean[:, None], 0.0) ** 2).sum(axis=1) / (n - 1))
    highest = filled.max(axis=1, initial=-np.inf, where=there)
    lowest = filled.min(axis=1, initial=np.inf, where=there)
    rounding = ROUNDING * size
    sd = np.where(highest - lowest <= rounding, 0.0, sd)
    zero = np.maximum(highest, -lowest) <= rounding
    wins, losses = (filled > 0).sum(axis=1), (filled < 0).sum(axis=1)
    return Summary(n, mean, np.where(n < 2, np.nan, sd), zero & (n > 0), wins, n - wins - losses, losses)


def _joined(parts: list[Summary]) -> Summary:
    return Summary(*(np.concatenate([getattr(p, name) for p in parts]) for name in Summary.__slots__))


def interval_of_differences(s: Summary, confidence: float) -> tuple[Floats, Floats]:
    """Student's interval of each mean difference; NaN below two topics."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore", divide="ignore"):
        half = stdtrit(np.maximum(s.topics - 1, 1), (1 + confidence) / 2) * s.sd / np.sqrt(s.topics)
    return s.difference - half, s.difference + half


def assembled(
    test: str,
    systems: int,
    pairs: tuple[Ints, Ints],
    s: Summary,
    tested: tuple[Floats, Floats],
    ends: tuple[Floats, Floats],
    confidence: float,
    drawn: tuple[int | None, int | None, Floats | None] = (None, None, None),
) -> PairTests:
    """The result of a test: the summary of its pairs, (statistic, p), (low, high), (resamples, seed, resampled)."""
    resamples, seed, resampled = drawn
    counted = (s.wins, s.ties, s.losses)
    return PairTests(
        test, systems, *pairs, s.topics, s.difference, *tested, *ends, s.effect, *counted, confidence,
        resamples=resamples, seed=seed, resampled=resampled,
    )  # fmt: skip
