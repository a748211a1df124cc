"""What unjudged documents leave open in a score, where there is a formula for it: RBP, ERR and precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from leadline.measures.base import Measure
from leadline.rankings.entries import Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.stats._arrays import Floats

__all__ = ["residuals_of"]


def residuals_of(track: Track, m: Measure) -> Floats | None:
    r"""Residual of every list (runs × topics), or None where the measure has no formula for it.

    $$\mathrm{RBP@}k:\; p^{\min(k,n)} + (1-p) \sum_{\text{unjudged } i \le k} p^{i-1} \qquad
      \mathrm{P@}k:\; \#\text{unjudged}/k$$

    ERR: the score of the list with every unjudged document perfect, and what lies below it, less the score. Ranks past
    the end of a short run are unknown. Condensed runs have no unjudged documents.

    References: Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 2008.
    doi:10.1145/1416950.1416952

    >>> from leadline.measures import parse
    >>> from leadline.rankings.typed import typed
    >>> residuals_of(typed("1 - 0"), parse("RBP(p=0.5)")).tolist(), residuals_of(typed("1 - 0"), parse("P@4")).tolist()
    ([[0.375]], [[0.25]])
    >>> residuals_of(typed("1 - 0"), parse("AP")) is None
    True
    """
    formula = _FORMULAS.get(m.name)
    bounded = getattr(m, "gain", None) in ("binary", "linear", "exp")  # the formulas take 1 for the most a gain can be
    if formula is None or not bounded or m.judged_only or track.ties in ("share", "mean-gain"):
        return None
    cut = np.minimum(track.lengths, np.inf if m.k is None else m.k)
    return formula(track, m, cut.astype(np.int64)).reshape(track.shape)


def _rbp(track: Track, m: Any, cut: Ints) -> Floats:
    """All weights sum to 1, so that what is not judged is what the judged ranks leave."""
    judged = track.entries
    seen = judged.rank <= cut[judged.list]
    weight = (1 - m.p) * m.p ** (judged.rank[seen] - 1.0)
    return np.maximum(1 - np.bincount(judged.list[seen], weights=weight, minlength=judged.lists), 0.0)


def _precision(track: Track, m: Any, cut: Ints) -> Floats:
    judged = track.entries
    seen = np.bincount(judged.list[judged.rank <= cut[judged.list]], minlength=judged.lists)
    return np.asarray((cut - seen) / max(m.k, 1), np.float64)


def _err(track: Track, m: Any, cut: Ints) -> Floats:
    """A reader of the optimistic list goes no further than the first unjudged rank, which satisfies him."""
    judged = track.entries
    place = np.arange(1, len(judged) + 1) - judged.offsets[:-1][judged.list]
    leading = np.bincount(judged.list[judged.rank == place], minlength=judged.lists)  # judged ones without a gap
    before = np.minimum(leading, cut)
    lists = m.label(Labeller(track))
    every = np.arange(judged.lists)
    top = lists.at_stops(every, before)
    whole = lists.at_stops(every, cut)
    return np.asarray(m.at(top) + top.product_upto(1 - top.gain) / (before + 1) - m.at(whole), np.float64)


_FORMULAS: dict[str, Callable[[Track, Any, Ints], Floats]] = {"RBP": _rbp, "P": _precision, "ERR": _err}
