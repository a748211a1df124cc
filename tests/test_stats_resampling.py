"""Resampling tests equal slow loops over the same draws, repeat with their seed and ignore threads and blocks."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

import naive_systems as naive
from leadline.errors import UsageError
from leadline.stats import (
    bootstrap_draws,
    bootstrap_means,
    paired_bootstrap,
    paired_t,
    permutation_draws,
    randomisation,
    randomised_tukey,
    resampling,
    sign_draws,
    sign_flip,
)

nan = float("nan")
eighths = st.integers(0, 8).map(lambda i: i / 8)  # sums and means over 4 or 8 topics are exact


def track(systems: int, topics: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((systems, topics)) * 0.6 + rng.random(topics) * 0.3 + rng.random((systems, 1)) * 0.1


def every_pair(X: np.ndarray):
    return [(X[i] - X[j]).tolist() for i, j in naive.pairs_of(len(X))]


@pytest.mark.parametrize("topics", [2, 3, 7, 40])
def test_bootstrap_equals_the_loop(topics: int) -> None:
    X = track(5, topics)
    draws = bootstrap_draws(topics, 150, rng=3)
    r = paired_bootstrap(X, indices=draws, keep=True)
    assert (r.resamples, r.seed, r.test) == (150, None, "bootstrap")
    np.testing.assert_allclose(r.p, [naive.bootstrap(z, draws) for z in every_pair(X)], rtol=1e-12)
    np.testing.assert_allclose(r.statistic, paired_t(X).statistic, rtol=1e-10)
    expected = np.array([loop_t(z, draws) for z in every_pair(X)]).T
    np.testing.assert_allclose(r.resampled, expected, rtol=1e-12, atol=1e-12)


def loop_t(z: list[float], draws: np.ndarray) -> list[float]:
    """t(w*) of each resample, from rationals where it matters: a resample is constant if one value was drawn."""
    centre = math.fsum(z) / len(z)
    result = []
    for row in draws.tolist():
        w = [z[i] - centre for i in row]
        if len({z[i] for i in row}) == 1:
            result.append(math.copysign(math.inf, w[0]) if w[0] else 0.0)
        else:
            result.append(naive.t_statistic(w))
    return result


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, st.tuples(st.just(3), st.sampled_from([4, 8])), elements=eighths), st.integers(0, 9))
def test_bootstrap_of_coarse_scores(X: np.ndarray, seed: int) -> None:
    """Ties of t, zero resamples and constant ones abound; with eighths every float is exact."""
    draws = bootstrap_draws(X.shape[1], 60, rng=seed)
    r = paired_bootstrap(X, indices=draws, keep=True)
    assert r.p.tolist() == [naive.bootstrap(z, draws.tolist()) for z in every_pair(X)]
    for k, z in enumerate(every_pair(X)):
        w = [v - naive.mean(z) for v in z]
        expected = [naive.t_statistic([w[i] for i in row]) for row in draws.tolist()]
        np.testing.assert_allclose(r.resampled[:, k], expected, rtol=1e-12, atol=1e-12)


def test_bootstrap_rules_by_hand() -> None:
    # z = (1, 0, 0, −1, 4): mean 0.8; w = (.2, −.8, −.8, −1.8, 3.2); t(z) = 0.8/(√3.7/√5) = 0.93
    z = np.array([1.0, 0.0, 0.0, -1.0, 4.0])
    X = np.stack([z, np.zeros(5)])
    constant, identity = [1, 1, 2, 2, 1], [0, 1, 2, 3, 4]
    assert paired_bootstrap(X, indices=[constant, identity]).p.tolist() == [0.5]  # ∞ counts, t = 0 does not
    # z̄ = 0.2 is one of the values: the resample of it alone is all zeros, t = 0, though 0.3 − 0.1 rounds
    X = np.array([[0.3, 0.3, 0.6], [0.2, 0.1, 0.3]])
    r = paired_bootstrap(X, indices=[[1, 1, 1], [0, 0, 0]], keep=True)
    assert r.p.tolist() == [0.5]
    assert r.resampled[:, 0].tolist() == [0, -np.inf]
    same = paired_bootstrap(np.array([[0.1, 0.5, 0.3], [0.1, 0.5, 0.3]]), resamples=50, rng=1)
    assert same.p.tolist() == [1]
    shifted = paired_bootstrap(np.array([[0.1, 0.5, 0.3], [0.2, 0.6, 0.4]]), resamples=50, rng=1)
    assert shifted.p.tolist() == [0]
    assert paired_bootstrap(np.array([[0.1], [0.7]]), resamples=9, rng=1).p.tolist() == [1]


def test_bootstrap_percentile_interval() -> None:
    X = track(4, 30)
    draws = bootstrap_draws(30, 999, rng=5)
    r = paired_bootstrap(X, indices=draws, confidence=0.9)
    for k, z in enumerate(every_pair(X)):
        means = np.array(z)[draws].mean(axis=1)
        assert (r.low[k], r.high[k]) == pytest.approx(tuple(np.quantile(means, [0.05, 0.95])), rel=1e-10)
    for few in (1, 2, 3, 40):
        b = bootstrap_means(X, indices=draws[:few], confidence=0.8)
        means = X[:, draws[:few]].mean(axis=2)
        np.testing.assert_allclose([b.low, b.high], np.quantile(means, [0.1, 0.9], axis=1), rtol=1e-12)
    wide = bootstrap_means(X.reshape(2, 2, 30), resamples=999, rng=5)
    assert wide.low.shape == (2, 2)
    assert (wide.seed, wide.resamples) == (5, 999)
    np.testing.assert_allclose(wide.mean, X.reshape(2, 2, 30).mean(axis=-1))
    narrow = bootstrap_means(X, resamples=999, rng=5, confidence=0.001)
    np.testing.assert_allclose(
        [narrow.low, narrow.high], np.quantile(X[:, draws].mean(axis=2), [0.4995, 0.5005], axis=1), rtol=1e-12
    )


def test_percentiles_of_any_number_of_resamples() -> None:
    X = np.random.default_rng(3).random((20, 6))
    for resamples in (130, 333, 1111, 5000):
        draws = bootstrap_draws(6, resamples, rng=resamples)
        means = X[:, draws].mean(axis=2)
        for confidence in (0.5, 0.9, 0.99):
            b = bootstrap_means(X, indices=draws, confidence=confidence)
            ends = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], axis=1)
            np.testing.assert_allclose([b.low, b.high], ends, rtol=1e-12)


def test_bootstrap_agrees_with_the_t_test_in_the_long_run() -> None:
    X = track(6, 80)
    assert np.abs(paired_bootstrap(X, resamples=4000, rng=1).p - paired_t(X).p).max() < 0.03


@pytest.mark.parametrize("topics", [1, 2, 6, 40])
def test_sign_flip_equals_the_loop(topics: int) -> None:
    X = track(5, topics)
    draws = sign_draws(topics, 200, rng=3)
    r = sign_flip(X, signs=draws, keep=True)
    np.testing.assert_allclose(r.p, [naive.sign_flip(z, draws.tolist()) for z in every_pair(X)], rtol=1e-12)
    expected = np.stack([(np.array(z) * draws).mean(axis=1) for z in every_pair(X)], axis=1)
    np.testing.assert_allclose(r.resampled, expected, rtol=1e-12, atol=1e-15)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.tuples(st.just(3), st.integers(2, 9)), elements=st.integers(0, 10).map(lambda i: i / 10)))
def test_sign_flip_counts_ties_of_decimal_scores(X: np.ndarray) -> None:
    """0.3 − 0.1 and 0.6 − 0.4 differ as doubles: without tolerance equal means would be missed."""
    signs = np.array(list(itertools.product((-1, 1), repeat=X.shape[1])))
    r = sign_flip(X, signs=signs)
    for k, (i, j) in enumerate(naive.pairs_of(3)):
        tenths = np.rint(10 * X[i]).astype(int) - np.rint(10 * X[j]).astype(int)
        hits = int((np.abs(signs @ tenths) >= abs(tenths.sum())).sum())
        assert r.p[k] == (1 + hits) / (len(signs) + 1)


def test_sign_flip_over_all_signs_equals_scipy() -> None:
    X = track(2, 10)
    signs = list(itertools.product((-1, 1), repeat=10))
    s = scipy_stats.permutation_test((X[0] - X[1],), lambda z: abs(z.mean()), permutation_type="samples",
                                     alternative="greater", n_resamples=np.inf, vectorized=False)  # fmt: skip
    assert sign_flip(X, signs=signs).p[0] == pytest.approx((1 + s.pvalue * 1024) / 1025, rel=1e-12)


def test_randomised_tukey_equals_the_loop() -> None:
    for X in (track(4, 7), track(4, 7).round(1), np.repeat(track(1, 7), 3, axis=0)):
        m = len(X)
        draws = permutation_draws(m, 7, 120, rng=4)
        r = randomised_tukey(X, permutations=draws, keep=True)
        expected = naive.randomised_tukey(X.tolist(), draws.tolist())
        assert r.p.tolist() == pytest.approx(list(expected.values()), rel=1e-12)
        ranges = [np.ptp([np.mean([X[d[t][s], t] for t in range(7)]) for s in range(m)]) for d in draws]
        np.testing.assert_allclose(r.resampled, ranges, rtol=1e-12, atol=1e-15)
        half = np.quantile(ranges, 0.95)
        np.testing.assert_allclose(r.high - r.difference, half, rtol=1e-9, atol=1e-15)


def test_seeds_repeat_and_draws_are_what_the_tests_draw() -> None:
    X = track(5, 12)
    assert (paired_bootstrap(X, rng=8).p == paired_bootstrap(X, indices=bootstrap_draws(12, rng=8)).p).all()
    assert (sign_flip(X, rng=8).p == sign_flip(X, signs=sign_draws(12, rng=8)).p).all()
    drawn = randomised_tukey(X, resamples=3000, rng=8, keep=True)
    given_ = randomised_tukey(X, permutations=permutation_draws(5, 12, 3000, rng=8), keep=True)
    assert (drawn.resampled == given_.resampled).all()
    assert (drawn.resamples, drawn.seed) == (3000, 8)
    for test in (paired_bootstrap, sign_flip, randomised_tukey):
        fresh = test(X, resamples=500)
        assert fresh.seed is not None
        assert (test(X, resamples=500, rng=fresh.seed).p == fresh.p).all()
        assert test(X, resamples=500, rng=np.random.default_rng(1)).seed is None
        assert (test(X, resamples=500, rng=np.random.default_rng(1)).p == test(X, resamples=500, rng=1).p).all()


def test_neither_threads_nor_blocks_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    X = track(12, 20)
    tukey = [randomised_tukey(X, resamples=2500, rng=2, threads=t, keep=True).resampled for t in (1, 3)]
    assert (tukey[0] == tukey[1]).all()
    whole = paired_bootstrap(X, resamples=700, rng=2, keep=True, threads=1)
    monkeypatch.setattr(resampling, "_PAIRS", 7)
    monkeypatch.setattr(resampling, "_CELLS", 66 * 11)
    monkeypatch.setattr(resampling, "_COLUMNS", 13)
    parts = paired_bootstrap(X, resamples=700, rng=2, keep=True, threads=3)
    assert (whole.p == parts.p).all()
    np.testing.assert_allclose(whole.resampled, parts.resampled, rtol=1e-12)
    np.testing.assert_allclose([whole.low, whole.high], [parts.low, parts.high], rtol=1e-12)


def test_permutations_are_drawn_in_blocks_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomisation, "_KEYS", 200)
    tasks = randomisation._permutation_tasks(4, 5, 95, np.random.default_rng(1))
    assert [size for _, size in tasks] == [10] * 9 + [5]


def test_permutations_are_uniform() -> None:
    draws = permutation_draws(3, 4, 6000, rng=1)
    assert (np.sort(draws, axis=-1) == np.arange(3)).all()
    kinds = np.unique(draws.reshape(-1, 3) @ [9, 3, 1], return_counts=True)[1]
    assert len(kinds) == 6
    assert scipy_stats.chisquare(kinds).pvalue > 0.001
    assert permutation_draws(1, 3, 2, rng=1).tolist() == [[[0]] * 3] * 2


def test_topics_with_nan_are_left_out_for_all() -> None:
    X = track(4, 12)
    holes = X.copy()
    holes[2, 5] = nan
    kept = np.delete(X, 5, axis=1)
    for test in (paired_bootstrap, sign_flip, randomised_tukey):
        a, b = test(holes, resamples=300, rng=1), test(kept, resamples=300, rng=1)
        assert (a.p == b.p).all()
        assert set(a.topics.tolist()) == {11}
    ends = [bootstrap_means(Y, resamples=300, rng=1).low for Y in (holes, kept)]
    np.testing.assert_allclose(*ends, rtol=1e-12)
    everything = np.full((3, 2), nan)
    for test in (paired_bootstrap, sign_flip, randomised_tukey):
        assert test(everything, resamples=5, rng=1).p.tolist() == [1, 1, 1]


def test_baseline_is_a_part_of_all_pairs() -> None:
    X = track(5, 15)
    for test in (paired_bootstrap, sign_flip, randomised_tukey):
        some, everything = test(X, 1, resamples=400, rng=1), test(X, resamples=400, rng=1)
        assert (some.p == np.delete(everything.matrix("p")[:, 1], 1)).all()
        np.testing.assert_allclose(some.low, np.delete(everything.matrix("low")[:, 1], 1), rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: paired_bootstrap(X, indices=[[0, 1, 9]]), "topics from 0 to 2. Got 0 to 9"),
        (lambda X: paired_bootstrap(X, indices=[[0, 1]]), "resamples × 3 topics"),
        (lambda X: paired_bootstrap(X, indices=[[0.5, 1, 2]]), "whole numbers"),
        (lambda X: sign_flip(X, signs=[[1, 0, -1]]), "must be ±1"),
        (lambda X: sign_flip(X, signs=np.ones((2, 3, 2))), "must be ±1"),
        (lambda X: randomised_tukey(X, permutations=[[[0, 1]] * 2]), "3 topics × 2 systems"),
        (lambda X: randomised_tukey(X, permutations=[[[0, 0]] * 3]), "once per topic"),
        (lambda X: paired_bootstrap(X, resamples=0), "resamples must be a whole number ≥ 1. Got 0"),
        (lambda X: sign_flip(X, rng=-1), "rng must be a whole number ≥ 0"),
        (lambda X: randomised_tukey(X, threads=0), "threads must be"),
        (lambda X: bootstrap_means(0.5), "last axis"),
    ],
)
def test_bad_draws_are_refused(call, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call(np.array([[0.1, 0.5, 0.3], [0.2, 0.9, 0.4]]))
