"""Locality: how much the next recall level tells about this one.

References: Diaz. 2023, section 3.6 and Figure 7. arXiv:2306.07908
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.track import Track
from leadline.stats._arrays import Floats, Ints, at_least, blocks, pair_indices
from leadline.systems.recall_levels import RecallLevels, reciprocal

__all__ = ["Locality", "locality"]

AHEAD = 4  # recall levels that predict one
_CELLS = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Locality:
    """Correlation of δRR_i and δRR_j (levels × levels), and the regression of δRR_i on the next four levels.

    ``constant`` (i) and ``coefficient`` (i × 4) are least squares; ``pairs`` counts the pairs of rankings each rests
    on. NaN where the levels do not vary enough for a solution.
    """

    correlation: Floats
    constant: Floats
    coefficient: Floats
    pairs: Ints
    tied_before: bool
    signs: bool

    def columns(self) -> dict[str, Any]:
        """Columns level_i, level_j, correlation."""
        levels = len(self.correlation)
        i, j = np.divmod(np.arange(levels * levels), levels)
        return {"level_i": i + 1, "level_j": j + 1, "correlation": self.correlation.ravel()}

    def regression_columns(self) -> dict[str, Any]:
        """Columns level, ahead, coefficient: how much level + ahead weighs in predicting level; ahead 0 is constant."""
        weights = np.concatenate([self.constant[:, None], self.coefficient], axis=1)
        i, j = np.divmod(np.arange(weights.size), AHEAD + 1)
        return {"level": i + 1, "ahead": j, "coefficient": weights.ravel()}


def locality(
    track: Track, *, levels: int = 8, rel: int = 1, tied_before: bool = False, signs: bool = False
) -> Locality:
    r"""Pearson correlation of $\delta\mathrm{RR}_i$ and $\delta\mathrm{RR}_j$ over all pairs of runs and topics.

    The regression explains $\delta\mathrm{RR}_i$, i = 1 … levels − 4, by $\delta\mathrm{RR}_{i+1}, \dots,
    \delta\mathrm{RR}_{i+4}$; ``tied_before`` takes only pairs of rankings that are tied before level i, ``signs`` the
    signs instead of the differences (in the correlation, too). A level that a topic does not have is unretrieved by
    both.

    >>> import leadline
    >>> track = leadline.read({"q": {"a": 1, "b": 1}}, {"x": {"q": {"a": 2.0, "b": 1.0}},
    ...     "y": {"q": {"z": 3.0, "a": 2.0, "b": 1.0}}, "z": {"q": {"z": 3.0, "y": 2.0, "a": 1.0}}})
    >>> locality(track, levels=5).correlation[:2, :2].round(3).tolist()
    [[1.0, 0.327], [0.327, 1.0]]
    """
    at_least(levels, AHEAD + 1, "levels")
    known = RecallLevels.of(track, rel)
    if len(known.runs) < 2:
        raise UsageError("Locality needs two runs at least.")
    first, second = pair_indices(len(known.runs))
    targets = levels - AHEAD
    total = np.zeros((levels + 1, levels + 1))
    by_target = np.zeros((targets, AHEAD + 2, AHEAD + 2))
    for block in blocks(len(known.topics), _CELLS // max(1, len(first) * levels)):
        rr = reciprocal(known.ranks(np.arange(block.start, block.stop), levels))
        delta = (rr[first] - rr[second]).reshape(-1, levels)
        if signs:
            delta = np.sign(delta)
        rows = np.concatenate([np.ones((len(delta), 1)), delta], axis=1)
        total += rows.T @ rows
        untouched = np.ones(len(rows), np.bool_)
        for i in range(targets):
            kept = rows[untouched] if tied_before else rows
            own = kept[:, [0, *range(i + 2, i + AHEAD + 2), i + 1]]
            by_target[i] += own.T @ own
            untouched &= delta[:, i] == 0
    solved = [_solved(gram) for gram in by_target]
    return Locality(
        _correlation(total), np.array([w[0] for w in solved]), np.array([w[1:] for w in solved]),
        by_target[:, 0, 0].round().astype(np.intp), tied_before, signs,
    )  # fmt: skip


def _correlation(gram: Floats) -> Floats:
    """Correlations from sums of products, the first row and column being those with 1."""
    mean = gram[0, 1:] / gram[0, 0]
    covariance = gram[1:, 1:] / gram[0, 0] - np.outer(mean, mean)
    sd = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = covariance / np.outer(sd, sd)
    result[:, np.diagonal(gram)[1:] == 0] = np.nan
    result[np.diagonal(gram)[1:] == 0] = np.nan
    np.fill_diagonal(result, np.where(np.isnan(np.diagonal(result)), np.nan, 1.0))
    return np.asarray(np.clip(result, -1.0, 1.0), np.float64)


def _solved(gram: Floats) -> Floats:
    """Least squares from sums of products, the target last; NaN where there is no single solution."""
    matrix, right = gram[:-1, :-1], gram[:-1, -1]
    scale = np.sqrt(np.diagonal(matrix))
    if (scale == 0).any():
        return np.full(len(right), np.nan)
    scaled = matrix / np.outer(scale, scale)
    if np.linalg.cond(scaled) > 1e12:
        return np.full(len(right), np.nan)
    return np.asarray(np.linalg.solve(scaled, right / scale) / scale, np.float64)
