"""What every module of this stage needs: checked score matrices, pairs, blocks, seeds."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leadline.errors import UsageError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]
Rng: TypeAlias = int | np.random.Generator | None

_In = TypeVar("_In")
_Out = TypeVar("_Out")

ROUNDING = 4 * float(np.finfo(np.float64).eps)
"""Differences below this share of the scores' size are rounding, not differences."""


def score_matrix(X: ArrayLike, name: str = "X") -> Floats:
    """The scores as a float64 matrix (systems × topics); NaN is allowed, infinity is not."""
    scores = float_array(X, name)
    if scores.ndim != 2:
        raise UsageError(f"{name} must be a matrix (systems × topics). Got {scores.ndim} dimensions instead.")
    return scores


def float_array(values: ArrayLike, name: str) -> Floats:
    """Any array of numbers as float64; NaN is allowed, infinity is not."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be an array of numbers. Got {type(values).__name__} ({error}).") from None
    if np.isinf(array).any():
        raise UsageError(f"{name} must be finite. Got an infinite value.")
    return array


def complete_topics(X: Floats) -> Floats:
    """Only the topics (last axis) on which every system has a score: what a balanced design needs."""
    missing = np.isnan(X).any(axis=tuple(range(X.ndim - 1)))
    return X[..., ~missing] if missing.any() else X


def level_topics(X: Floats) -> Floats:
    """Scores less their topic's mean: no difference changes, and sums round less."""
    return X - X.mean(axis=0) if X.size else X


def pair_indices(systems: int, baseline: int | None = None) -> tuple[Ints, Ints]:
    """The compared pairs: all ``i < j`` in row order, or each other system against the baseline.

    >>> [a.tolist() for a in pair_indices(3)]
    [[0, 0, 1], [1, 2, 2]]
    >>> [a.tolist() for a in pair_indices(3, baseline=1)]
    [[0, 2], [1, 1]]
    """
    if baseline is None:
        first, second = np.triu_indices(systems, 1)
        return first, second
    if not 0 <= baseline < systems:
        raise UsageError(f"baseline must be a system from 0 to {systems - 1}. Got {baseline} instead.")
    others = np.delete(np.arange(systems, dtype=np.intp), baseline)
    return others, np.full(others.shape, baseline, dtype=np.intp)


def systems_of_pairs(pairs: int) -> int:
    """m from m(m−1)/2.

    >>> systems_of_pairs(45)
    10
    """
    systems = (1 + math.isqrt(1 + 8 * pairs)) // 2
    if systems * (systems - 1) // 2 != pairs:
        raise UsageError(f"The number of pairs must be m(m−1)/2 for some m. Got {pairs} instead.")
    return systems


def share(value: float, name: str) -> float:
    """A number strictly between 0 and 1 (a level, a confidence, a power)."""
    if not 0.0 < value < 1.0:
        raise UsageError(f"{name} must be within (0, 1). Got {value} instead.")
    return float(value)


def at_least(value: int, least: int, name: str) -> int:
    """A whole number not below ``least``."""
    if value != int(value) or value < least:
        raise UsageError(f"{name} must be a whole number ≥ {least}. Got {value} instead.")
    return int(value)


def seeded(rng: Rng) -> tuple[np.random.Generator, int | None]:
    """A generator and the seed to record; without a seed a fresh one is drawn, so that it can be recorded.

    A Generator handed in has no seed to speak of (it may have been used before): ``None``.
    """
    if isinstance(rng, np.random.Generator):
        return rng, None
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1)[0])
    at_least(rng, 0, "rng")
    return np.random.default_rng(rng), int(rng)


def blocks(total: int, size: int) -> Iterator[slice]:
    """Consecutive slices of at most ``size``.

    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, size)
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def thread_map(function: Callable[[_In], _Out], items: Iterable[_In], threads: int | None) -> list[_Out]:
    """``[function(x) for x in items]`` over threads, in order; the result never depends on their number."""
    work = list(items)
    count = min(len(work), available_threads() if threads is None else at_least(threads, 1, "threads"))
    if count < 2:
        return [function(x) for x in work]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(function, work))


def available_threads() -> int:
    """The processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else (os.cpu_count() or 1)


def mid_ranks(values: NDArray[Any]) -> tuple[Floats, Floats]:
    """Ranks along the last axis with ties sharing their mean rank, and the size of each value's tied group.

    >>> [a.tolist() for a in mid_ranks(np.array([3.0, 1.0, 3.0, 7.0]))]
    [[2.5, 1.0, 2.5, 4.0], [2.0, 1.0, 2.0, 1.0]]
    """
    n = values.shape[-1]
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    rank = np.arange(1, n + 1, dtype=np.float64)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, dtype=np.bool_)
    ends[..., :-1] = starts[..., 1:]
    start = np.maximum.accumulate(np.where(starts, rank, 0.0), axis=-1)
    end = np.minimum.accumulate(np.where(ends, rank, n + 1.0)[..., ::-1], axis=-1)[..., ::-1]
    ranks, sizes = np.empty(values.shape), np.empty(values.shape)
    np.put_along_axis(ranks, order, (start + end) / 2, axis=-1)
    np.put_along_axis(sizes, order, end - start + 1, axis=-1)
    return ranks, sizes
