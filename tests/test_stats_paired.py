"""Paired tests against scipy, statsmodels and the naive definitions; the rules for degenerate differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

import naive_systems as naive
from leadline.errors import UnknownName, UsageError
from leadline.stats import (
    PairTests,
    adjust,
    describe,
    difference_tests,
    paired_t,
    sign_test,
    t_p_values,
    t_quantile,
    wilcoxon,
)

nan = float("nan")


def track(systems: int, topics: int, seed: int = 0, decimals: int | None = None) -> np.ndarray:
    """Scores that look like a track: hard and easy topics, good and bad systems."""
    rng = np.random.default_rng(seed)
    scores = rng.random((systems, topics)) * 0.6 + rng.random(topics) * 0.3 + rng.random((systems, 1)) * 0.1
    return scores if decimals is None else scores.round(decimals)


def pair_rows(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.triu_indices(len(X), 1)
    return X[first], X[second]


@pytest.mark.parametrize("topics", [2, 3, 10, 50, 251])
def test_paired_t_equals_scipy(topics: int) -> None:
    X = track(9, topics)
    a, b = pair_rows(X)
    r, s = paired_t(X, confidence=0.9), scipy_stats.ttest_rel(a, b, axis=1)
    np.testing.assert_allclose(r.p, s.pvalue, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(r.statistic, s.statistic, rtol=1e-10)
    interval = s.confidence_interval(0.9)
    np.testing.assert_allclose(r.low, interval.low, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(r.high, interval.high, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(r.effect, (a - b).mean(axis=1) / (a - b).std(axis=1, ddof=1), rtol=1e-10)
    assert (r.topics == topics).all()
    assert (r.wins == (a > b).sum(axis=1)).all()
    assert (r.losses == (a < b).sum(axis=1)).all()
    assert (r.wins + r.ties + r.losses == topics).all()


@pytest.mark.parametrize("noise", [1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12])
def test_paired_t_of_nearly_identical_systems(noise: float) -> None:
    """Three pairs of twins; between the pairs the differences are large, so centring does not help."""
    rng = np.random.default_rng(1)
    X = np.repeat(rng.random((3, 60)), 2, axis=0) + noise * rng.random((6, 60))
    a, b = pair_rows(X)
    s = scipy_stats.ttest_rel(a, b, axis=1)
    np.testing.assert_allclose(paired_t(X).p, s.pvalue, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(paired_t(X).statistic, s.statistic, rtol=1e-9)


def test_degenerate_differences() -> None:
    base = np.array([0.1, 0.2, 0.3, 0.4, 0.7])
    X = np.stack([base, base, base + 0.1, base - 0.25, np.full(5, 0.3), np.full(5, 0.3), np.full(5, 0.1)])
    r = paired_t(X)
    square = r.matrix("p")
    assert square[0, 1] == 1
    assert square[0, 2] == 0  # constant but for rounding: 0.1 + 0.1 − 0.1 and 0.7 + 0.1 − 0.7 are different doubles
    assert square[0, 3] == 0
    assert square[4, 5] == 1
    assert square[4, 6] == 0
    effect = r.matrix("effect")
    assert effect[0, 1] == 0
    assert effect[0, 2] == -np.inf
    assert effect[2, 0] == np.inf
    at = {(i, j): k for k, (i, j) in enumerate(zip(r.first.tolist(), r.second.tolist(), strict=True))}
    assert r.statistic[at[0, 1]] == 0
    assert r.statistic[at[0, 2]] == -np.inf
    assert r.low[at[0, 2]] == r.high[at[0, 2]] == pytest.approx(-0.1)
    for test in (wilcoxon, sign_test):
        assert test(X).matrix("p")[0, 1] == 1
        assert test(np.stack([np.tile(base, 12)] * 2)).p.tolist() == [1]  # too many topics for exact distributions


def test_paired_t_of_whole_numbers() -> None:
    """Counts as scores: a standard deviation of exactly 1, or of differences that are 0 in the mean."""
    for z in ([1, 2, 3], [-3, -2, -1], [-1, 0, 1], [2, 4, 6]):
        r, s = paired_t([z, [0, 0, 0]]), scipy_stats.ttest_1samp(z, 0)
        assert (r.statistic[0], r.p[0]) == pytest.approx((s.statistic, s.pvalue), rel=1e-12)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign_test])
def test_fewer_than_two_topics(test) -> None:
    for X in (np.zeros((3, 0)), np.array([[0.1], [0.9], [0.9]])):
        r = test(X)
        assert r.p.tolist() == [1, 1, 1]
        assert np.isnan(r.low).all()
        assert np.isnan(r.effect).all()
    assert test(np.zeros((1, 5))).p.shape == (0,)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign_test])
def test_nan_drops_the_topic_of_that_pair_only(test) -> None:
    X = track(4, 20)
    X[1, 3] = X[1, 4] = X[2, 3] = nan
    r = test(X)
    assert r.matrix("topics")[0].tolist() == [0, 18, 19, 20]
    for k, (i, j) in enumerate(zip(r.first, r.second, strict=True)):
        there = ~np.isnan(X[i] + X[j])
        alone = test(X[[i, j]][:, there])
        assert r.p[k] == pytest.approx(alone.p[0], rel=1e-12)
        assert r.difference[k] == pytest.approx(alone.difference[0], rel=1e-12)


@pytest.mark.parametrize("test", [paired_t, wilcoxon, sign_test])
def test_baseline_reports_the_others_against_it(test) -> None:
    X = track(6, 30)
    r, everything = test(X, 2), test(X)
    assert r.first.tolist() == [0, 1, 3, 4, 5]
    assert set(r.second.tolist()) == {2}
    np.testing.assert_allclose(r.p, np.delete(everything.matrix("p")[:, 2], 2), rtol=1e-12)
    np.testing.assert_allclose(r.difference, np.delete(X.mean(axis=1) - X[2].mean(), 2), rtol=1e-12)
    np.testing.assert_allclose(r.low, np.delete(everything.matrix("low")[:, 2], 2), rtol=1e-9)
    square = r.matrix("p")
    assert np.isnan(square[0, 1])
    assert square[0, 0] == 1
    with pytest.raises(UsageError, match=r"from 0 to 5\. Got 6"):
        test(X, 6)


@pytest.mark.parametrize("topics", [4, 14, 50])
def test_wilcoxon_exact_without_ties(topics: int) -> None:
    X = track(6, topics)
    a, b = pair_rows(X)
    s = scipy_stats.wilcoxon(a, b, axis=1, method="exact")
    np.testing.assert_allclose(wilcoxon(X).p, s.pvalue, rtol=1e-9)
    np.testing.assert_allclose(wilcoxon(X).statistic, s.statistic, rtol=1e-12)


@pytest.mark.parametrize(("topics", "decimals"), [(51, None), (200, None), (14, 1), (50, 1), (120, 1)])
def test_wilcoxon_normal_with_ties_or_many_topics(topics: int, decimals: int | None) -> None:
    X = track(6, topics, decimals=decimals)
    a, b = pair_rows(X)
    s = scipy_stats.wilcoxon(a, b, axis=1, method="asymptotic", correction=False)
    np.testing.assert_allclose(wilcoxon(X).p, s.pvalue, rtol=1e-9)
    np.testing.assert_allclose(wilcoxon(X).statistic, s.statistic, rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.tuples(st.just(2), st.integers(2, 8)), elements=st.integers(0, 4).map(float)))
def test_wilcoxon_with_ties_enumerates_all_signs(X: np.ndarray) -> None:
    z = X[0] - X[1]
    z = z[z != 0]
    if len(z) == 0 or (len(z) == X.shape[1] and len(set(np.abs(z))) == len(z)):
        return  # nothing left, or the exact test without ties
    ranks = scipy_stats.rankdata(np.abs(z))
    observed = ranks[z > 0].sum()
    null = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in itertools.product((0, 1), repeat=len(z))
    ]
    below, above = np.mean(np.array(null) <= observed), np.mean(np.array(null) >= observed)
    assert wilcoxon(X).p[0] == pytest.approx(min(1, 2 * min(below, above)), rel=1e-12)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.tuples(st.just(3), st.integers(2, 60)), elements=st.integers(0, 3).map(float)))
def test_sign_test_equals_the_binomial(X: np.ndarray) -> None:
    r = sign_test(X)
    for k, (i, j) in enumerate(zip(r.first, r.second, strict=True)):
        z = X[i] - X[j]
        assert r.p[k] == pytest.approx(naive.sign_test(z.tolist()), rel=1e-9)
        if (z != 0).any():
            assert r.p[k] == pytest.approx(
                scipy_stats.binomtest(int((z > 0).sum()), int((z != 0).sum())).pvalue, rel=1e-9
            )
        assert (r.wins[k], r.ties[k], r.losses[k]) == ((z > 0).sum(), (z == 0).sum(), (z < 0).sum())


def test_paired_t_equals_the_naive_one() -> None:
    X = track(5, 12, decimals=2)
    X[3] = X[1]
    expected = [naive.paired_t(X[i].tolist(), X[j].tolist()) for i, j in naive.pairs_of(5)]
    np.testing.assert_allclose(paired_t(X).p, expected, rtol=1e-9)


def test_tests_of_differences_equal_tests_of_scores() -> None:
    X = track(5, 40, decimals=1)
    first, second = np.triu_indices(5, 1)
    Z = X[first] - X[second]
    for name, test in (("t", paired_t), ("wilcoxon", wilcoxon), ("sign", sign_test)):
        a, b = difference_tests(Z, name), test(X)
        assert (a.test, a.systems) == (b.test, 5)
        for field in ("p", "difference", "low", "high", "effect", "wins", "ties", "losses"):
            np.testing.assert_allclose(getattr(a, field), getattr(b, field), rtol=1e-9, err_msg=field)
    one = difference_tests(Z[:1], "t", first=[3], second=[1], systems=7)
    assert one.matrix("difference")[1, 3] == -one.difference[0]
    with pytest.raises(UnknownName, match="Did you mean 'wilcoxon'"):
        difference_tests(Z, "wilcoxn")
    with pytest.raises(UsageError, match="m\\(m−1\\)/2"):
        difference_tests(Z[:5])
    assert difference_tests(Z[:0], "sign", first=[], second=[]).systems == 0


def test_p_values_of_a_stack() -> None:
    stack = np.stack([track(6, 25, seed=s) for s in range(4)]).reshape(2, 2, 6, 25)
    stack[1, 1, 3] = stack[1, 1, 0]
    stack[1, 0, 3] = stack[1, 0, 0] + 0.25
    p, difference = t_p_values(stack)
    assert p.shape == difference.shape == (2, 2, 15)
    for a, b in itertools.product(range(2), repeat=2):
        r = paired_t(stack[a, b])
        np.testing.assert_allclose(p[a, b], r.p, rtol=1e-10)
        np.testing.assert_allclose(difference[a, b], r.difference, rtol=1e-10, atol=1e-16)
    assert p[1, 1, 2] == 1
    assert p[1, 0, 2] == 0
    assert t_p_values(np.zeros((3, 4, 1)))[0].tolist() == np.ones((3, 6)).tolist()
    holes = stack.copy()
    holes[0, 1, 4, 7] = nan
    np.testing.assert_allclose(t_p_values(holes)[0], t_p_values(np.delete(stack, 7, axis=-1))[0])
    with pytest.raises(UsageError, match="systems, topics"):
        t_p_values([0.1, 0.2])


def test_significance_is_strict_and_corrected() -> None:
    vectors = np.zeros(3)
    r = PairTests(
        "t", 3, *np.triu_indices(3, 1), vectors, vectors, vectors, np.array([0.05, 0.02, 0.01]), vectors, vectors,
        vectors, vectors, vectors, vectors, 0.95,
    )  # fmt: skip
    assert r.significant(0.05).tolist() == [False, True, True]
    assert r.significant(0.05, "bonferroni").tolist() == [False, False, True]
    assert r.significant(0.05, "holm").tolist() == [False, True, True]
    with pytest.raises(UsageError, match="No matrix of 'seed'"):
        r.matrix("seed")


ps = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(max_examples=80, deadline=None)
@given(ps)
def test_corrections_equal_the_naive_ones(p: list[float]) -> None:
    for ours, slow in (("bonferroni", naive.bonferroni), ("holm", naive.holm), ("bh", naive.benjamini_hochberg)):
        np.testing.assert_allclose(adjust(p, ours), slow(p), rtol=1e-9, err_msg=ours)
    assert adjust(p, "none").tolist() == p


@pytest.mark.parametrize("size", [1, 5, 300])
def test_corrections_equal_statsmodels(size: int) -> None:
    p = np.random.default_rng(size).random(size) ** 3
    for ours, theirs in (("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")):
        np.testing.assert_allclose(adjust(p, ours), multipletests(p, method=theirs)[1], rtol=1e-9, err_msg=ours)


def test_corrections_ignore_nan_and_refuse_nonsense() -> None:
    assert adjust([0.01, nan, 0.02], "bonferroni").tolist()[::2] == [0.02, 0.04]
    assert np.isnan(adjust([0.01, nan], "holm")[1])
    assert adjust([], "bh").shape == (0,)
    with pytest.raises(UnknownName, match="Did you mean 'holm'"):
        adjust([0.1], "holms")
    with pytest.raises(UsageError, match="within \\[0, 1\\]"):
        adjust([1.5], "holm")


def test_describe_equals_numpy_and_scipy() -> None:
    data = track(6, 15).reshape(2, 3, 15)
    d = describe(data, confidence=0.9)
    np.testing.assert_allclose(d.mean, data.mean(axis=-1))
    np.testing.assert_allclose(d.sd, data.std(axis=-1, ddof=1))
    np.testing.assert_allclose(d.median, np.median(data, axis=-1))
    low, high = scipy_stats.t.interval(0.9, 14, d.mean, d.sd / np.sqrt(15))
    np.testing.assert_allclose(d.low, low, rtol=1e-9)
    np.testing.assert_allclose(d.high, high, rtol=1e-9)


def test_describe_leaves_nan_out() -> None:
    data = track(4, 9)
    data[0, 2] = data[1, :8] = data[2] = nan
    d = describe(data)
    assert d.topics.tolist() == [8, 1, 0, 9]
    kept = describe(np.delete(data[0], 2))
    for field in ("mean", "sd", "median", "low", "high"):
        assert getattr(d, field)[0] == pytest.approx(float(getattr(kept, field)), rel=1e-12)
    assert (d.mean[1], d.median[1]) == (data[1, 8], data[1, 8])
    assert np.isnan(d.sd[1])
    assert np.isnan([d.mean[2], d.median[2], d.low[2]]).all()
    assert describe(np.zeros((2, 0))).topics.tolist() == [0, 0]
    assert np.isnan(t_quantile(0.95, 0))


def test_bad_scores_are_refused() -> None:
    with pytest.raises(UsageError, match="systems × topics"):
        paired_t([0.1, 0.2])
    with pytest.raises(UsageError, match="finite"):
        paired_t([[0.1, np.inf], [0.2, 0.3]])
    with pytest.raises(UsageError, match="array of numbers"):
        paired_t([["x", "y"]])
    with pytest.raises(UsageError, match="confidence must be within"):
        paired_t([[0.1, 0.2], [0.2, 0.3]], confidence=95)
