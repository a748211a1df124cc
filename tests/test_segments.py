"""Scans over ragged lists, against loops; arrays that do not fit together are refused, never read beyond."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from leadline import _core

RAGGED = st.lists(st.lists(st.integers(1, 30), unique=True, max_size=8).map(sorted), min_size=1, max_size=6)


def flat(lists: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Ranks of all entries, and where each list's begin."""
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return np.array([r for ranks in lists for r in ranks], np.int32), offsets


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(lists=RAGGED, seed=st.integers(0, 1000))
def test_running(lists: list[list[int]], seed: int) -> None:
    rank, offsets = flat(lists)
    x = np.random.default_rng(seed).random(len(rank))
    total, product, most = [], [], []
    for a, b in pairwise(offsets.tolist()):
        for n in range(b - a + 1):
            total.append(sum(x[a : a + n].tolist()))
            product.append(float(np.prod(x[a : a + n])))
            most.append(max([0.0, *x[a : a + n].tolist()]))
    np.testing.assert_allclose(_core.running_sum(x, offsets), total, rtol=1e-14)
    np.testing.assert_allclose(_core.running_product(x, offsets), product, rtol=1e-14)
    assert _core.running_max(x, offsets).tolist() == most


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(lists=RAGGED, points=st.lists(st.floats(-1, 35) | st.just(np.inf), max_size=6).map(sorted), data=st.data())
def test_positions(lists: list[list[int]], points: list[float], data: st.DataObject) -> None:
    rank, offsets = flat(lists)
    limit = data.draw(st.lists(st.sampled_from([0.0, 3.0, 12.5, np.inf]), min_size=len(lists), max_size=len(lists)))
    grid = _core.positions_grid(rank, offsets, np.array(points, float), np.array(limit, float))
    assert grid.shape == (len(lists), len(points))
    for at, ranks in enumerate(lists):
        start = int(offsets[at]) + at
        assert grid[at].tolist() == [start + sum(r <= min(p, limit[at]) for r in ranks) for p in points]
        here = _core.positions(rank, offsets, np.full(len(points), at, np.int64), np.array(points, float))
        assert here.tolist() == [start + sum(r <= p for r in ranks) for p in points]


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(lists=RAGGED, seed=st.integers(0, 1000))
def test_select(lists: list[list[int]], seed: int) -> None:
    rank, offsets = flat(lists)
    rng = np.random.default_rng(seed)
    keep, valid = rng.random(9) < 0.5, rng.random(9) < 0.7
    row = rng.integers(9, size=len(rank)).astype(np.int32)
    expected: list[tuple[int, int, int, int]] = []
    ends = [0]
    for a, b in pairwise(offsets.tolist()):
        expected += [(rank[e], row[e], e - a, int(valid[row[a:e]].sum())) for e in range(a, b) if keep[row[e]]]
        ends.append(len(expected))
    found = _core.select(rank, row, offsets, keep, valid)
    assert found[2].tolist() == ends
    assert list(zip(*(found[i].tolist() for i in (0, 1, 3, 4)), strict=True)) == expected


RANK, OFFSETS, X = np.array([1, 2, 5], np.int32), np.array([0, 2, 3], np.int64), np.ones(3)
FLAGS = np.ones(4, bool)


@pytest.mark.parametrize("offsets", [[], [0], [0, 2], [0, 4], [1, 3], [0, 2, 1, 3], [0, -1, 3], [0, 9, 3], [0, 2**62]])
def test_offsets_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    wrong = np.array(offsets, np.int64)
    n = max(0, len(wrong) - 1)
    for scan in (_core.running_sum, _core.running_product, _core.running_max):
        with pytest.raises(ValueError):
            scan(X, wrong)
    with pytest.raises(ValueError):
        _core.positions(RANK, wrong, np.zeros(1, np.int64), X[:1])
    with pytest.raises(ValueError):
        _core.positions_grid(RANK, wrong, X, np.ones(n))
    with pytest.raises(ValueError):
        _core.select(RANK, np.zeros(3, np.int32), wrong, FLAGS, FLAGS)


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    zero = np.zeros(1, np.int64)
    for wrong in (-1, 2, 2**62, -(2**63)):
        with pytest.raises(ValueError):
            _core.positions(RANK, OFFSETS, zero + wrong, X[:1])
    with pytest.raises(ValueError):
        _core.positions(RANK, OFFSETS, zero, X)
    with pytest.raises(ValueError):
        _core.positions_grid(RANK, OFFSETS, X, X)
    with pytest.raises(ValueError):
        _core.positions_grid(RANK, OFFSETS, np.array([2.0, 1.0]), X[:2])
    for row in ([0, 1, 4], [0, 1, -1], [0, 1, 2**31 - 1], [0, 1]):
        with pytest.raises(ValueError):
            _core.select(RANK, np.array(row, np.int32), OFFSETS, FLAGS, FLAGS)
    with pytest.raises(ValueError):
        _core.select(RANK, np.zeros(3, np.int32), OFFSETS, FLAGS, FLAGS[:2])


def test_arrays_of_another_shape_are_refused() -> None:
    with pytest.raises(TypeError):
        _core.running_sum(np.ones((3, 2)), OFFSETS)
    with pytest.raises(TypeError):
        _core.positions(RANK[None], OFFSETS, np.zeros(1, np.int64), X[:1])


def test_arrays_with_gaps_are_copied() -> None:
    assert _core.running_sum(np.arange(6.0)[::2], OFFSETS).tolist() == [0, 0, 2, 0, 4]
