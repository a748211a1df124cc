"""Scores described over topics: mean, standard deviation, median, 95 % interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.scores import Scores
from leadline.stats.intervals import describe

__all__ = ["described"]


def described(scores: Scores) -> dict[str, Any]:
    """Columns run, measure, mean, sd, median, low, high, topics."""
    measures = [m for m in scores.measures if m.per_topic]
    found = [describe(scores.array(m)) for m in measures]
    runs = len(scores.runs)
    columns: dict[str, Any] = {
        "run": [r for r in scores.runs for _ in measures],
        "measure": [str(m) for m in measures] * runs,
    }
    for field, name in (("mean", "value"), ("sd", "sd"), ("median", "median"), ("low", "low"), ("high", "high")):
        columns[name] = np.stack([getattr(d, field) for d in found], axis=1).ravel()
    columns["topics"] = np.stack([d.topics for d in found], axis=1).ravel()
    return columns
