"""Tied scores: blocks of equal scores, and the rules that share a block's gain among its ranks.

`share` gives each document of a tied block the mean weight of the block's ranks; `mean-gain` gives each rank the mean
gain of the block's documents. For a measure that weighs ranks by fixed weights the two are the same sum, $\\sum_d g_d
\\cdot \\bar w = \\sum_i w_i \\cdot \\bar g$, also when the weights end at depth k; so both are computed as mean
gains, and `share` is merely refused by measures whose weights depend on what was read before.
"""

from __future__ import annotations

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.entries import Entries, Floats, Ints
from leadline.rankings.labels import Labels
from leadline.rankings.track import Track

__all__ = ["blocks", "shared"]


def blocks(scores: Floats, offsets: Ints) -> tuple[Ints, Ints]:
    """First position and size of each block of equal scores; lists are ``offsets`` of the flat, ranked ``scores``.

    >>> first, size = blocks(np.array([3.0, 2, 2, 2, 2]), np.array([0, 3, 5])); first.tolist(), size.tolist()
    ([0, 1, 3], [1, 2, 2])
    """
    starts = np.ones(len(scores), bool)
    starts[1:] = scores[1:] != scores[:-1]
    starts[offsets[:-1][offsets[:-1] < len(scores)]] = True
    first = np.flatnonzero(starts)
    return first, np.diff(np.concatenate([first, [len(scores)]]))


def shared(track: Track, labels: Labels, judged_only: bool) -> tuple[Entries, Floats, Floats]:
    """Entries whose gain and hit are the means of their tied block.

    Every rank of a block that holds something to see becomes an entry, judged or not.
    """
    if track.scores is None:
        raise UsageError(f"ties={track.ties!r} needs the scores: read the track with keep_scores=True")
    source, offsets, scores = track.entries, track.score_offsets, track.scores
    place = offsets[source.list] + source.rank - 1  # flat position of each judged document
    if judged_only:
        scores, offsets = scores[place], source.offsets
        place = np.arange(len(source))
    first, size = blocks(scores, offsets)
    of_place = np.repeat(np.arange(len(first)), size)[place]
    gain = np.bincount(of_place, labels.gain[source.row], minlength=len(first))
    hit = np.bincount(of_place, labels.hit[source.row], minlength=len(first))
    kept = np.flatnonzero((gain != 0) | (hit != 0))
    sizes = size[kept]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    at = np.arange(starts[-1]) + np.repeat(first[kept] - starts[:-1], sizes)
    list_ = np.searchsorted(offsets, at, side="right") - 1
    rank = (at - offsets[list_] + 1).astype(np.int32)
    counts = np.bincount(list_, minlength=len(offsets) - 1)
    entries = Entries(rank, np.zeros(len(at), np.int32), np.concatenate([[0], np.cumsum(counts)]))
    return entries, np.repeat(gain[kept] / sizes, sizes), np.repeat(hit[kept] / sizes, sizes)
