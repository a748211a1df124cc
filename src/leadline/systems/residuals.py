"""What unjudged documents leave open in the scores that are compared."""

from __future__ import annotations

from leadline.depths._bounds.residuals import has_formula, judged_lists, residual_at
from leadline.depths.ranges import ranges
from leadline.measures.base import Measure
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.stats._arrays import Floats

__all__ = ["residuals_of"]

_DOCUMENTS = 300_000  # up to here every measure's range is worked out unasked; beyond, only where a formula gives it


def residuals_of(track: Track, m: Measure) -> Floats | None:
    """Residual of every list (runs × topics) as ``leadline ranges`` defines it, or None where it would take too long.

    >>> from leadline.measures import parse
    >>> from leadline.rankings.typed import typed
    >>> residuals_of(typed("1 - 0"), parse("RBP(p=0.5)")).tolist(), residuals_of(typed("1 - 0"), parse("P@4")).tolist()
    ([[0.375]], [[0.25]])
    """
    if has_formula(m, track):
        return residual_at(m, judged_lists(m, Labeller(track)), None, "unknown").reshape(track.shape)
    if not m.per_topic or track.ties in ("share", "mean-gain") or int(track.lengths.sum()) > _DOCUMENTS:
        return None
    return ranges(track, m).residual(m)
