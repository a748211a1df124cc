"""Agreement of orders against scipy and the naive definitions, one pair at a time and as matrices."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

import naive_systems as naive
from leadline.errors import UsageError
from leadline.stats import (
    agreement,
    orders,
    pearson,
    pearson_matrix,
    rbo,
    rbo_matrix,
    rmse,
    rmse_matrix,
    spearman,
    spearman_matrix,
    tau_a,
    tau_ap,
    tau_ap_matrix,
    tau_b,
    tau_matrix,
    tau_test,
)

nan = float("nan")
tied_rows = arrays(np.float64, st.tuples(st.integers(1, 4), st.just(7)), elements=st.integers(0, 4).map(float))
permutations = st.permutations(range(6))


def vectors(rows: int, items: int, seed: int, ties: bool) -> np.ndarray:
    values = np.random.default_rng(seed).random((rows, items))
    return values.round(1) if ties else values


def each(function, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.array([[function(a, b) for b in B] for a in A], dtype=np.float64)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("items", [2, 5, 33, 34, 60])
def test_tau_matrix_and_p_equal_scipy(items: int, ties: bool) -> None:
    A, B = vectors(4, items, 1, ties), vectors(5, items, 2, ties)
    B[0] = A[0]
    r = tau_test(A, B)
    expected = [[scipy_stats.kendalltau(a, b) for b in B] for a in A]
    tau = np.array([[e.statistic for e in row] for row in expected])
    p = np.array([[e.pvalue for e in row] for row in expected])
    np.testing.assert_allclose(r.tau, tau, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(r.p, p, rtol=1e-9)
    assert (tau_matrix(A, B) == r.tau).all()


@settings(max_examples=60, deadline=None)
@given(tied_rows)
def test_matrices_equal_the_naive_definitions_with_ties(A: np.ndarray) -> None:
    for fast, slow in ((tau_matrix, naive.tau_b), (spearman_matrix, naive.spearman), (pearson_matrix, naive.pearson)):
        expected = each(lambda a, b, slow=slow: slow(a.tolist(), b.tolist()), A, A)
        np.testing.assert_allclose(fast(A), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(rmse_matrix(A, A[:1]), each(naive.rmse, A, A[:1]), rtol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_pearson_spearman_rmse_equal_scipy(ties: bool) -> None:
    A, B = vectors(4, 30, 1, ties), vectors(3, 30, 2, ties)
    np.testing.assert_allclose(pearson_matrix(A, B), each(lambda a, b: scipy_stats.pearsonr(a, b)[0], A, B), rtol=1e-9)
    np.testing.assert_allclose(
        spearman_matrix(A, B), each(lambda a, b: scipy_stats.spearmanr(a, b)[0], A, B), rtol=1e-9
    )
    np.testing.assert_allclose(rmse_matrix(A, B), each(lambda a, b: np.sqrt(((a - b) ** 2).mean()), A, B), rtol=1e-12)
    for one, matrix in ((pearson, pearson_matrix), (spearman, spearman_matrix), (rmse, rmse_matrix)):
        assert one(A[0], B[0]) == pytest.approx(matrix(A, B)[0, 0], rel=1e-12)
    assert rmse_matrix(A, A + 1e-12).diagonal().tolist() == pytest.approx([1e-12] * 4, rel=1e-3)
    assert pearson_matrix(A * 1e-200, B) == pytest.approx(pearson_matrix(A, B), rel=1e-9)


def test_many_items_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    A, B = vectors(20, 40, 1, True), vectors(7, 40, 2, True)
    first, second = orders(A), orders(B)
    whole = [tau_matrix(A, B), tau_ap_matrix(first, second), rmse_matrix(A, B)]
    monkeypatch.setattr(agreement, "_COLUMNS", 11)
    monkeypatch.setattr(agreement, "_ROWS", 500)
    parts = [tau_matrix(A, B), tau_ap_matrix(first, second), rmse_matrix(A, B)]
    assert (whole[0] == parts[0]).all()
    np.testing.assert_allclose(whole[1:], parts[1:], rtol=1e-12, atol=1e-12)


def test_constant_and_missing_scores_have_no_correlation() -> None:
    A = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [1.0, nan, 3.0]])
    for matrix in (tau_matrix(A), pearson_matrix(A), spearman_matrix(A), tau_test(A).p):
        assert np.isnan(matrix).tolist() == [[True] * 3, [True, False, True], [True] * 3]
    assert np.isnan(tau_b([1.0], [1.0]))


def test_rounding_before_looking_for_ties() -> None:
    a, b = [0.1 + 0.2, 0.3, 0.5], [1, 1, 2]
    assert tau_b(a, b) < 1
    assert tau_b(a, b, decimals=10) == 1
    assert tau_test([a], [b], decimals=10).tau[0, 0] == 1


@settings(max_examples=60, deadline=None)
@given(permutations, permutations)
def test_orders_equal_the_naive_definitions(a: list[int], b: list[int]) -> None:
    assert tau_a(a, b) == pytest.approx(naive.tau_a(a, b), abs=1e-12)
    assert tau_ap(a, b) == pytest.approx(naive.tau_ap(a, b), abs=1e-12)
    assert tau_ap_matrix([a, b], [b])[0, 0] == pytest.approx(naive.tau_ap(a, b), abs=1e-12)
    assert rbo_matrix([a], [b], p=0.8)[0, 0] == pytest.approx(naive.rbo_ext(a, b, 0.8), abs=1e-12)
    letters = np.array(list("uvwxyz"))
    assert tau_ap(letters[a], letters[b]) == pytest.approx(tau_ap(a, b), abs=1e-12)


def test_tau_ap_punishes_errors_at_the_top() -> None:
    truth = list(range(5))
    assert tau_ap([1, 0, 2, 3, 4], truth) < tau_ap([0, 1, 2, 4, 3], truth)
    assert tau_ap([1, 2, 0], [0, 1, 2]) != tau_ap([0, 1, 2], [1, 2, 0])
    assert tau_ap(truth, truth) == 1
    assert tau_ap(truth, truth[::-1]) == -1


@pytest.mark.parametrize(
    ("a", "b"), [([1, 2, 2], [1, 2, 3]), ([1, 2], [1, 3]), ([1], [1]), ([1, 2, 3], [1, 2]), ([[1, 2]], [[2, 1]])]
)
def test_orders_must_be_permutations(a: list[int], b: list[int]) -> None:
    for function in (tau_a, tau_ap):
        with pytest.raises(UsageError, match="same items"):
            function(a, b)


def test_matrices_refuse_other_shapes() -> None:
    with pytest.raises(UsageError, match="equally many columns"):
        tau_matrix([[1, 2, 3]], [[1, 2]])
    with pytest.raises(UsageError, match="from 0 to 2 once"):
        tau_ap_matrix([[0, 0, 1]])
    with pytest.raises(UsageError, match="equally many"):
        tau_ap_matrix([[0, 1, 2]], [[0, 1]])
    with pytest.raises(UsageError, match="once"):
        rbo_matrix([[1, 2, 3]])
    with pytest.raises(UsageError, match="equally many"):
        rbo_matrix([[0, 1, 2]], [[0, 1]])


items = st.lists(st.integers(0, 9), unique=True, max_size=7)


@settings(max_examples=100, deadline=None)
@given(items, items, st.sampled_from([0.3, 0.8, 0.9, 0.98]))
def test_rbo_equals_the_naive_definition(a: list[int], b: list[int], p: float) -> None:
    r = rbo(a, b, p=p)
    assert r.ext == pytest.approx(naive.rbo_ext(a, b, p), abs=1e-12)
    assert r.min == pytest.approx(naive.rbo_min(a, b, p), abs=1e-12)
    assert r.residual == pytest.approx(naive.rbo_residual(a, b, p), abs=1e-12)
    assert r.min - 1e-12 <= r.ext <= r.max + 1e-12
    assert rbo(b, a, p=p) == r


def test_rbo_bounds_are_reached_by_continuations() -> None:
    """Continue two short lists in every way over a few items, then with nothing or everything in common."""
    a, b, p = ["a", "b"], ["b", "c", "d"], 0.9
    r = rbo(a, b, p=p)
    finals = []
    for more in itertools.permutations("abcdef", 4):
        if set(more) & set(a):
            continue
        longer = [*a, *more]
        rest = [*b, *[x for x in longer if x not in b]]
        finals.append(rbo([*longer, *(x for x in rest if x not in longer)], rest, p=p).max)
    assert max(finals) == pytest.approx(r.max, abs=1e-9)
    apart = rbo([*a, *range(200)], [*b, *range(300, 500)], p=p)
    assert apart.min == pytest.approx(r.min, abs=1e-9)


def test_rbo_edges() -> None:
    same = rbo([1, 2, 3], [1, 2, 3])
    assert same.ext == pytest.approx(1)
    assert rbo([], [1, 2]) == rbo([], [])
    assert (rbo([], [1]).ext, rbo([], [1]).min, rbo([], [1]).residual) == (0, 0, 1)
    assert rbo([1, 2], [3, 4]).ext == 0
    with pytest.raises(UsageError, match="each item once"):
        rbo([1, 1], [2])
    with pytest.raises(UsageError, match="p must be within"):
        rbo([1], [2], p=1.0)
    with pytest.raises(UsageError, match="one dimension"):
        rbo([[1]], [2])


def test_orders_break_ties_by_position() -> None:
    assert orders([[0.5, 0.9, 0.5], [0.0, 0.0, 0.0]]).tolist() == [[1, 0, 2], [0, 1, 2]]
