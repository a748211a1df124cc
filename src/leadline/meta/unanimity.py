r"""Unanimity: how often one system beats another on every one of several measures at once, and who reflects it.

$$\mathrm{UIR}(s, s') = \frac{|\{(t_1, t_2) : s_{t_1} \ge s'_{t_2} \text{ on all}\}| -
|\{(t_1, t_2) : s'_{t_2} \ge s_{t_1} \text{ on all}\}|}{\text{pairs}}, \qquad
\mathrm{Cov}(M) = \rho\,(M(s) - M(s'), \mathrm{UIR}(s, s'))$$

over pairs of topics, all of them or a sample with replacement, and Spearman's ρ over ordered pairs of systems. Topics
are crossed on purpose: what depends on the topic, such as recall, would cancel otherwise.

References: Amigó, Gonzalo, Artiles, Verdejo. Combining evaluation metrics via the unanimous improvement ratio. JAIR
2011. doi:10.1613/jair.3401. Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leadline.errors import NothingToEvaluate, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse_all
from leadline.measures.scoring import score_track
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track
from leadline.stats import spearman_matrix

__all__ = ["REFERENCE", "Coverage", "coverage", "topic_pairs", "uir_matrix"]

REFERENCE = ("P@10", "R@100", "RR")
"""Top of the list, completeness, first hit: the reference set of Amigó et al."""

_CELLS = 1 << 22  # comparisons at once
_CACHED = 200_000  # comparisons whose outcomes stay in the cache; at most 255 lists of a system at once
_DECIMALS = 12  # differences of means that agree so far are tied
Pairs = int | Literal["all"]


@dataclass(frozen=True, eq=False)
class Coverage:
    """Cov of each measure against a reference set; ``uir`` is systems × systems, antisymmetric."""

    measures: tuple[Measure, ...]
    reference: tuple[Measure, ...]
    cov: Floats
    uir: Floats
    runs: tuple[str, ...]
    pairs: int
    seed: object
    findings: Findings

    def columns(self) -> dict[str, Any]:
        """Columns measure, cov: the records of ``leadline agree --coverage``."""
        return {"measure": [str(m) for m in self.measures], "cov": self.cov}


def topic_pairs(topics: int, pairs: Pairs, rng: int | np.random.Generator = 0) -> Ints:
    """Pairs of topics: every one, or so many drawn with replacement (pairs × 2).

    >>> topic_pairs(2, "all").tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if pairs == "all":
        return np.stack(np.divmod(np.arange(topics * topics), topics), axis=1)
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 1:
        raise UsageError(f"pairs must be 'all' or a positive number of topic pairs. Got {pairs!r} instead.")
    return np.random.default_rng(rng).integers(0, topics, (pairs, 2))


def uir_matrix(scores: ArrayLike, pairs: ArrayLike | Literal["all"] = "all") -> Floats:
    """UIR of every pair of systems from scores (measures × systems × topics, more is better) over topic pairs.

    On a sample of topic pairs each pair of systems is compared once, the lower number first, and the other direction is
    its negative; over all topic pairs that is so by itself.

    >>> uir_matrix([[[0.9, 0.8], [0.1, 0.2]], [[0.5, 0.5], [0.5, 0.4]]]).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    given = np.asarray(scores, np.float64)
    if given.ndim != 3 or not given.size:
        raise UsageError(f"scores must be measures × systems × topics. Got shape {given.shape} instead.")
    if np.isnan(given).any():
        raise UsageError("scores must be defined everywhere; use undefined='zero' or leave topics out.")
    ranks = _dense(given)
    if isinstance(pairs, str):
        wins = _crossed(ranks)
        return np.asarray((wins - wins.T) / given.shape[2] ** 2, np.float64)
    return _sampled(ranks, np.asarray(pairs, np.int64))


def _crossed(ranks: NDArray[np.integer[Any]]) -> Floats:
    """How many of all topic pairs the row's system wins on every measure.

    A few lists at a time are compared with all lists of all systems, so that everything stays in the cache, and the
    outcomes are added up as small integers.
    """
    _, systems, topics = ranks.shape
    flat = ranks.reshape(len(ranks), -1)
    step = min(255, max(1, _CACHED // flat.shape[1]))
    wins = np.zeros((systems, systems))
    for s in range(systems):
        count = np.zeros(flat.shape[1], np.int32)
        for start in range(0, topics, step):
            own = ranks[:, s, start : start + step, None]
            better = own[0] >= flat[0]
            for mine, others in zip(own[1:], flat[1:], strict=True):
                better &= mine >= others
            count += better.sum(axis=0, dtype=np.uint8)
        wins[s] = count.reshape(systems, topics).sum(axis=1)
    return wins


def _sampled(ranks: NDArray[np.integer[Any]], pairs: Ints) -> Floats:
    first, second = pairs.T
    left, right = ranks[:, :, first], ranks[:, :, second]
    systems, size = ranks.shape[1], len(first)
    uir = np.zeros((systems, systems))
    step = max(1, _CELLS // max(1, systems * size))
    for start in range(0, systems - 1, step):
        rows = slice(start, min(start + step, systems - 1))
        others = slice(start + 1, systems)
        wins = np.ones((rows.stop - start, systems - start - 1, size), bool)
        losses = wins.copy()
        for a, b in zip(left[:, rows, None], right[:, None, others], strict=True):
            wins &= a >= b
            losses &= b >= a
        uir[rows, others] = (wins.sum(axis=2) - losses.sum(axis=2)) / size
    uir = np.triu(uir, 1)
    return uir - uir.T


def _dense(scores: Floats) -> NDArray[np.integer[Any]]:
    """Ranks in the place of scores, measure by measure: the same comparisons, faster on small integers."""
    flat = [np.unique(s, return_inverse=True)[1].reshape(s.shape) for s in scores]
    return np.stack(flat).astype(np.uint16 if scores[0].size < 1 << 16 else np.int32)


def coverage(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    reference: Iterable[str | Measure] | str | Measure = REFERENCE,
    pairs: Pairs = 1000,
    rng: int | np.random.Generator = 0,
) -> Coverage:
    """How well differences in each measure reflect improvements that all ``reference`` measures agree on.

    ``pairs`` is the number of topic pairs drawn (with replacement, one sample for all pairs of systems) or ``"all"``.
    Undefined scores count as 0.

    >>> from leadline import read
    >>> qrels = {"q": {"a": 1, "b": 1}}
    >>> track = read(qrels, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"c": 2, "a": 1}}, "z": {"q": {"c": 2, "d": 1}}})
    >>> coverage(track, ["AP", "NumRet"], reference=["P@2", "RR"], pairs="all").cov.round(3)
    array([0.878,   nan])
    """
    if len(track.runs) < 3:
        raise NothingToEvaluate(f"Coverage needs at least three runs. Got {len(track.runs)}.")
    wanted, against = parse_all(measures), parse_all(reference)
    for m in against:
        if not m.per_topic:
            raise UsageError(f"{m} has no scores by topic and cannot be a reference.")
    scores = score_track(track, dict.fromkeys([*wanted, *against]))
    stack = np.stack([np.nan_to_num(scores.array(m)) * (1 if m.higher_is_better else -1) for m in against])
    chosen: Ints | Literal["all"] = "all" if pairs == "all" else topic_pairs(len(track.topics), pairs, rng)
    uir = uir_matrix(stack, chosen)
    count = len(track.topics) ** 2 if isinstance(chosen, str) else len(chosen)
    off = ~np.eye(len(track.runs), dtype=bool)
    turned = np.stack([scores.mean(m) * (1 if m.higher_is_better else -1) for m in wanted])
    gaps = (turned[:, :, None] - turned[:, None, :])[:, off].round(_DECIMALS)
    cov = spearman_matrix(gaps, uir[off][None].round(_DECIMALS))[:, 0]
    seed = rng if isinstance(rng, int) else None
    return Coverage(tuple(wanted), tuple(against), cov, uir, track.runs, count, seed, scores.findings)
