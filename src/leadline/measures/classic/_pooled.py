"""Divisors and doubts shared by the measures whose normaliser depends on the pool (AP, Q, nDCG)."""

from __future__ import annotations

import numpy as np

from leadline.findings import Finding
from leadline.measures.base import Measure
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Rankings, ratio

__all__ = ["over_relevant", "pool_doubts"]


def over_relevant(r: Rankings, total: Floats, norm: str) -> Floats:
    """``total`` over R, over min(R, k), or over the relevant documents of the depth-k pool; undefined if R = 0."""
    if norm == "R":
        return ratio(total, r.R)
    if norm == "min":
        return ratio(total, np.minimum(r.R, r.k))
    in_pool = r.pool_upto(r.lists.labels.hit[r.pool.row].astype(np.float64))
    return np.where(r.R > 0, np.nan_to_num(ratio(total, in_pool)), np.nan)


def pool_doubts(m: Measure, track: Track, uses_pool: bool) -> list[Finding]:
    """A finding when a pool-dependent variant has to assume the depth of the pool."""
    if not uses_pool or m.k is None or track.pool_depth is not None:
        return []
    text = "pool depth not declared, taken as unlimited; all runs taken as contributors"
    return [Finding("pool-depth-unknown", 1, [m], text)]
