"""DEEPNESS and SHALLOWNESS: one relevant document at the top against n irrelevant and then n relevant ones.

Both lists come from one collection, so R is fixed: n, or 2n. The sizes tried are all up to 32 and then a grid that
grows by a quarter (twofold where it is very large), to half of |D| where the measure knows it; where the outcome
changes, the threshold is narrowed down to the exact n.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leadline.meta.properties_cases import HOLDS, MIXED, TIED, VIOLATED
from leadline.meta.properties_lists import Levels, Lists, Scorer, ShownList, close, track_of
from leadline.rankings.entries import Floats, Ints

__all__ = ["Threshold", "thresholds"]

_DENSE, _GROWTH, _LARGEST = 32, 1.25, 4096
_FURTHER = (16_384, 65_536)
_FAST, _WIDE = 2.0, 10_000  # growth beyond that size
_MOST = 500_000  # the largest size tried
_ROWS = 2_000_000  # documents scored at once
_FINER = 33  # sizes tried between two of the grid, if they are small


@dataclass(frozen=True)
class Threshold:
    """A verdict on one threshold property, with the size at which it starts to hold."""

    verdict: str
    size: int | None
    text: str | None
    lists: tuple[ShownList, ...]
    largest: int


def _grid(scorer: Scorer, times: int) -> tuple[int, ...]:
    largest = _LARGEST if scorer.docs is None else max(1, min(scorer.docs // (1 + times), _MOST))
    sizes = list(range(1, min(_DENSE, largest) + 1))
    while sizes[-1] < largest:
        growth = _GROWTH if sizes[-1] < _WIDE else _FAST
        sizes.append(min(largest, max(sizes[-1] + 1, int(sizes[-1] * growth))))
    return tuple(sizes)


@lru_cache(maxsize=8)
def _blocks(sizes: tuple[int, ...], times: int) -> tuple[NDArray[np.int32], Ints, Ints]:
    """For each n: one relevant document alone, then n irrelevant and n relevant ones; R = ``times`` · n for both."""
    n = np.array(sizes, np.int64)
    one, R = np.ones_like(n), times * n
    counts = np.stack([one, R - 1, n, n, n, R - n], axis=1)  # list | missed, irrelevant || list, list | missed
    flat = np.repeat(np.tile(np.array([1, 1, 0, 0, 1, 1], np.int32), len(n)), counts.ravel())
    return flat, np.stack([one, 2 * n], axis=1).ravel(), np.stack([R + n, n + R], axis=1).ravel()


def _scores(scorer: Scorer, levels: Levels, sizes: tuple[int, ...], times: int) -> Floats:
    """Scores of both lists at each size (sizes × 2), as many lists at once as memory allows."""
    done, start = [], 0
    while start < len(sizes):
        rows = np.cumsum(sizes[start:]) * 2 * (1 + times)
        stop = start + max(1, int(np.searchsorted(rows, _ROWS, side="right")))
        flat, own, all_ = _blocks(sizes[start:stop], times)
        done.append(scorer.once(track_of(flat, own, all_, levels)).reshape(-1, 2))
        start = stop
    return np.concatenate(done)


def _outcomes(scores: Floats) -> NDArray[np.int64]:
    """1 where the single document at the top wins, −1 where the block does, 0 where they tie or nothing is defined."""
    gap = np.nan_to_num(scores[:, 0] - scores[:, 1])
    size = np.nan_to_num(np.abs(scores)).max(axis=1)
    return np.where(np.abs(gap) <= close(size), 0, np.sign(gap)).astype(np.int64)


def _narrowed(scorer: Scorer, levels: Levels, times: int, low: int, high: int, deep: bool) -> int:
    """The first size in (low, high] with the outcome that holds at ``high`` and not at ``low``."""
    want = 1 if deep else -1
    while high - low > 1:
        points = int(np.clip(_ROWS // (4 * high), 2, _FINER))
        sizes = tuple(sorted({int(x) for x in np.linspace(low, high, points + 1)[1:]}))
        met = _outcomes(_scores(scorer, levels, sizes, times)) * want > 0
        if deep:  # from here on for all: the last failure decides
            failed = np.flatnonzero(~met)
            first = int(failed[-1]) + 1 if len(failed) else 0
        else:
            first = int(np.argmax(met))
        low, high = (sizes[first - 1] if first else low), sizes[first]
    return high


def thresholds(scorer: Scorer, levels: Levels, times: int) -> tuple[Threshold, Threshold]:
    """DEEPNESS and SHALLOWNESS with R = ``times`` · n."""
    sizes = _grid(scorer, times)
    scores = _scores(scorer, levels, sizes, times)
    outcome = _outcomes(scores)
    if scorer.docs is None and outcome[-1] < 0:  # perhaps readers are very patient: look further before saying never
        sizes += _FURTHER
        scores = np.concatenate([scores, _scores(scorer, levels, _FURTHER, times)])
        outcome = _outcomes(scores)
    deep = _deepness(scorer, levels, times, sizes, outcome)
    return deep, _shallowness(scorer, levels, times, sizes, scores, outcome)


def _deepness(
    scorer: Scorer, levels: Levels, times: int, sizes: tuple[int, ...], outcome: NDArray[np.int64]
) -> Threshold:
    largest = sizes[-1]
    if not outcome.any():
        return Threshold(TIED, None, None, (), largest)
    for verdict, met in ((HOLDS, outcome > 0), (MIXED, outcome >= 0)):
        failed = np.flatnonzero(~met)
        start = int(failed[-1]) + 1 if len(failed) else 0
        if start == len(sizes):
            continue
        n0 = sizes[start]
        if verdict == HOLDS and start and n0 - sizes[start - 1] > 1:
            n0 = _narrowed(scorer, levels, times, sizes[start - 1], n0, deep=True)
        if 2 * n0 <= largest or largest <= 2:  # "for all n from n0 on" is believed if it holds over half of the range
            return Threshold(verdict, n0, None, (), largest)
    failed = np.flatnonzero(outcome < 0)
    text, shown = _spelt(scorer, levels, times, sizes[failed[0]])
    text += f"; the last such n of those tried is {sizes[failed[-1]]:,}"
    return Threshold(VIOLATED, None, text, shown, largest)


def _shallowness(
    scorer: Scorer, levels: Levels, times: int, sizes: tuple[int, ...], scores: Floats, outcome: NDArray[np.int64]
) -> Threshold:
    largest = sizes[-1]
    met = np.flatnonzero(outcome < 0)
    if not len(met):
        if not outcome.any():
            return Threshold(TIED, None, None, (), largest)
        closest = int(np.argmin(np.nan_to_num(scores[:, 0] - scores[:, 1], nan=np.inf)))
        text, shown = _spelt(scorer, levels, times, sizes[closest])
        text += f"; for no m tried up to {largest:,} is the block better"
        return Threshold(VIOLATED, None, text, shown, largest)
    m = sizes[met[0]]
    if met[0] and m - sizes[met[0] - 1] > 1:
        m = _narrowed(scorer, levels, times, sizes[met[0] - 1], m, deep=False)
    return Threshold(HOLDS, m, None, (), largest)


def _spelt(scorer: Scorer, levels: Levels, times: int, n: int) -> tuple[str, tuple[ShownList, ...]]:
    lists, R = Lists(), times * n
    numbers = lists.add((1,), (1,) * (R - 1), n), lists.add((0,) * n + (1,) * n, (1,) * (R - n))
    top, block = (scorer.show(lists, levels, number) for number in numbers)
    one = levels.write((1,))
    written = levels.write((0,) * n + (1,) * n) if n <= 6 else f"{n} × {levels.write((0,))}, {n} × {one}"
    return f"{one} ({top.score:.6g}) against {written} ({block.score:.6g}), R = {R}", (top, block)
