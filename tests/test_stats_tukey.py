"""Tukey's HSD and the studentised range against scipy and the naive definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import naive_systems as naive
from leadline.errors import UsageError
from leadline.stats import (
    difference_tests,
    paired_t,
    studentised_range_quantile,
    studentised_range_sf,
    tukey_hsd,
    tukey_hsd_preferences,
    tukey_p_values,
)

nan = float("nan")


def track(systems: int, topics: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((systems, topics)) * 0.6 + rng.random(topics) * 0.3 + rng.random((systems, 1)) * 0.2


@pytest.mark.parametrize("k", [2, 3, 10, 60, 150])
@pytest.mark.parametrize("df", [1, 2, 7, 60, 3000])
def test_studentised_range_equals_scipy(k: int, df: int) -> None:
    q = np.array([0.05, 0.7, 2.0, 3.3, 4.4, 5.5, 7.0, 11.0, 60.0])
    expected = scipy_stats.studentized_range.sf(q, k, df)
    np.testing.assert_allclose(studentised_range_sf(q, k, df), expected, rtol=0, atol=1e-8)


def test_studentised_range_with_many_degrees_of_freedom() -> None:
    q = np.array([0.5, 3.0, 5.0, 6.5])
    for df in (24_651, 99_000):
        expected = scipy_stats.studentized_range.sf(q, 100, df)
        np.testing.assert_allclose(studentised_range_sf(q, 100, df), expected, rtol=0, atol=1e-8)
    infinite = scipy_stats.studentized_range.sf(q, 100, np.inf)
    np.testing.assert_allclose(studentised_range_sf(q, 100, 1e9), infinite, rtol=0, atol=1e-8)


def test_studentised_range_of_two_is_student() -> None:
    """Also far out, where an absolute error would show: p = 2 P(T > q/√2)."""
    q = np.array([0.1, 1.0, 5.0, 9.0, 14.0, 20.0])
    for df in (4, 49, 1000):
        expected = 2 * scipy_stats.t.sf(q / np.sqrt(2), df)
        np.testing.assert_allclose(studentised_range_sf(q, 2, df), expected, rtol=1e-6)


def test_studentised_range_edges() -> None:
    p = studentised_range_sf([[-1.0, 0.0], [nan, np.inf]], 4, 10)
    assert p.shape == (2, 2)
    assert p[0].tolist() == [1, 1]
    assert np.isnan(p[1, 0])
    assert p[1, 1] == 0
    falling = studentised_range_sf(np.linspace(0, 30, 2000), 40, 200)
    assert (np.diff(falling) <= 1e-15).all()
    with pytest.raises(UsageError, match="k must be a whole number ≥ 2"):
        studentised_range_sf(1.0, 1, 10)
    with pytest.raises(UsageError, match="df must be positive"):
        studentised_range_sf(1.0, 3, 0)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.01, 0.999), st.integers(2, 60), st.integers(2, 5000))
def test_studentised_quantile_inverts(probability: float, k: int, df: int) -> None:
    q = studentised_range_quantile(probability, k, df)
    assert float(studentised_range_sf(q, k, df)) == pytest.approx(1 - probability, abs=1e-9)


@pytest.mark.parametrize(("systems", "topics"), [(2, 5), (3, 10), (8, 4), (12, 60)])
def test_hsd_equals_the_naive_one(systems: int, topics: int) -> None:
    X = track(systems, topics)
    r = tukey_hsd(X)
    expected = naive.tukey_hsd(X.tolist())
    np.testing.assert_allclose(r.p, list(expected.values()), rtol=0, atol=1e-8)
    q = scipy_stats.studentized_range.ppf(0.95, systems, (systems - 1) * (topics - 1))
    np.testing.assert_allclose(r.high - r.difference, q * np.sqrt(naive.two_way_mse(X.tolist()) / topics), rtol=1e-6)
    assert ((r.low > 0) | (r.high < 0)).tolist() == (r.p < 0.05).tolist()


def test_hsd_of_two_systems_is_the_paired_t_test() -> None:
    X = track(2, 30)
    np.testing.assert_allclose(tukey_hsd(X).p, paired_t(X).p, rtol=1e-9)
    np.testing.assert_allclose(tukey_hsd(X).low, paired_t(X).low, rtol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 7), st.integers(2, 12), st.integers(0, 10_000))
def test_score_differences_as_preferences_give_the_ordinary_hsd(systems: int, topics: int, seed: int) -> None:
    X = track(systems, topics, seed)
    ordinary = tukey_hsd(X)
    tensor = X[:, None] - X[None]
    for preferences in (tensor, tensor[np.triu_indices(systems, 1)]):
        r = tukey_hsd_preferences(preferences)
        for field in ("p", "statistic", "low", "high", "difference", "effect", "wins"):
            np.testing.assert_allclose(getattr(r, field), getattr(ordinary, field), rtol=1e-9, atol=1e-13)


def test_hsd_of_signs_equals_the_naive_one() -> None:
    rng = np.random.default_rng(2)
    Z = rng.choice([-1, 0, 1], size=(10, 25), p=[0.2, 0.3, 0.5])
    r = tukey_hsd_preferences(Z)
    pairs = dict(zip(naive.pairs_of(5), Z.tolist(), strict=True))
    np.testing.assert_allclose(r.p, list(naive.tukey_hsd_preferences(pairs, 5).values()), rtol=0, atol=1e-8)
    q, p = tukey_p_values(Z.mean(axis=1), naive.preference_mse(pairs, 5), 5, 25)
    np.testing.assert_allclose(p, r.p, rtol=1e-10)
    np.testing.assert_allclose(q, r.statistic, rtol=1e-10)
    assert (r.wins == difference_tests(Z, "sign").wins).all()


def test_hsd_without_error() -> None:
    topic = np.array([0.1, 0.7, 0.3])
    X = np.stack([topic, topic + 0.1, topic, topic + 0.1])
    assert tukey_hsd(X).p.tolist() == [0, 1, 0, 0, 1, 0]
    r = tukey_hsd_preferences(np.array([[1, 1, 1], [0, 0, 0], [-1, -1, -1]]))
    assert r.p.tolist() == [0, 1, 0]
    assert r.statistic.tolist() == [np.inf, 0, np.inf]
    assert (r.low == r.difference).all()
    assert tukey_hsd(np.ones((3, 4))).p.tolist() == [1, 1, 1]
    assert tukey_p_values([0.0, 0.1], 0.0, 3, 9)[1].tolist() == [1, 0]


def test_hsd_with_too_little_data() -> None:
    assert tukey_hsd(np.array([[0.1], [0.2], [0.3]])).p.tolist() == [1, 1, 1]
    assert tukey_hsd(np.ones((1, 5))).p.shape == (0,)
    assert tukey_hsd(np.full((2, 3), nan)).p.tolist() == [1]
    assert tukey_hsd_preferences(np.ones((3, 1))).p.tolist() == [1, 1, 1]


def test_hsd_leaves_incomplete_topics_out_and_takes_a_baseline() -> None:
    X = track(5, 14)
    holes = X.copy()
    holes[0, 3] = nan
    np.testing.assert_allclose(tukey_hsd(holes).p, tukey_hsd(np.delete(X, 3, axis=1)).p)
    some = tukey_hsd(X, 2)
    np.testing.assert_allclose(some.p, np.delete(tukey_hsd(X).matrix("p")[:, 2], 2), rtol=1e-12)


def test_preferences_must_be_antisymmetric() -> None:
    with pytest.raises(UsageError, match="antisymmetric"):
        tukey_hsd_preferences(np.ones((3, 3, 4)))
    with pytest.raises(UsageError, match="m × m × topics"):
        tukey_hsd_preferences(np.ones((3, 2, 4)))
    with pytest.raises(UsageError, match="mse must not be negative"):
        tukey_p_values([0.1], -1.0, 3, 4)
