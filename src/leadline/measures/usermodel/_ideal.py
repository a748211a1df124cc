"""What the measures normalised by the ideal list share."""

from __future__ import annotations

import numpy as np

from leadline.rankings.view import Floats, Rankings, ratio

__all__ = ["ideal_satisfaction", "over_ideal"]


def over_ideal(score: Floats, best: Floats) -> Floats:
    """``score`` over the ideal list's, undefined where that is 0."""
    return np.where(np.asarray(best) > 0, ratio(score, best), np.nan)


def ideal_satisfaction(r: Rankings) -> Floats:
    """The chance to be satisfied by each document of the topics' ideal lists: its gain, if none before did."""
    ideal = r.lists.labels.ideal
    return r.ideal_gain * ideal.running_product(1 - r.ideal_gain)[ideal.after - 1]
