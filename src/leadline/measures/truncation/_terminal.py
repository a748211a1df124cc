"""The terminal document: the end of a list, read as one more answer ("there is no more")."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadline.rankings.view import Floats, Rankings

__all__ = ["terminal_gain", "terminal_seen"]


def terminal_seen(r: Rankings) -> NDArray[np.bool_]:
    """Whether the evaluator looks past the end of a list that ended by choice."""
    return np.asarray(r.terminal & (np.asarray(r.k) > r.n))


def terminal_gain(found: Floats, available: NDArray[np.generic]) -> Floats:
    """The share of what there is that the list has found; 1 if there is nothing to find."""
    found, total = np.broadcast_arrays(np.asarray(found, np.float64), np.asarray(available, np.float64))
    share: Floats = np.ones(found.shape)
    np.divide(found, total, out=share, where=total > 0)
    return share
