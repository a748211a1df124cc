"""Discrimination, topic-set design and letters; and that importing the stage loads numpy only."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, norm, t
from statsmodels.stats.power import TTestPower

import naive_systems as naive
from leadline.errors import UsageError
from leadline.stats import (
    better_pairs,
    compact_letters,
    confirmation,
    detectable_effect,
    discrimination_from_tests,
    discriminative_power,
    paired_t,
    t_power,
    topics_needed,
)

nan = float("nan")


def track(systems: int, topics: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.random((systems, topics)) * 0.6 + rng.random(topics) * 0.3 + rng.random((systems, 1)) * 0.4


def test_worked_example_of_discrimination_coverage_inversion() -> None:
    """Ten systems: 35 of 45 pairs significant; 28 of them confirmed; 6 of them contradicted."""
    first, second = np.triu_indices(10, 1)
    strong = first < 5  # all but the pairs among the last five: 35
    falling = np.linspace(0.9, 0.1, 10)
    gaps = falling[first] - falling[second]
    reference = discrimination_from_tests(np.where(strong, 0.01, 0.5), gaps, falling)
    assert reference.better.sum() == 35
    assert float(reference.share) == 35 / 45
    assert round(float(reference.share), 2) == 0.78
    turned = falling.copy()
    turned[:4] = turned[3::-1]  # the best four the other way round: 6 pairs, all of them in D_ref
    inverted = (first < 4) & (second < 4)
    confirmed = strong & ~inverted & ~((first == 4) & (second == 9))
    new = better_pairs(np.where(confirmed | inverted, 0.01, 0.5), turned[first] - turned[second])
    c = confirmation(reference.better, new, turned)
    assert float(c.coverage) == 28 / 35 == 0.8
    assert float(c.inversion) == 6 / 35
    assert round(float(c.inversion), 2) == 0.17


def test_discrimination_equals_the_naive_one_at_every_depth() -> None:
    stack = np.stack([track(6, 15, seed) for seed in range(3)])
    stack[2, 1] = stack[2, 0]
    d = discriminative_power(stack, alpha=0.1)
    reference = naive.significant_pairs(stack[0].tolist(), 0.1)
    c = confirmation(d.better[0], d.better, d.means)
    assert d.share.shape == (3,)
    for k, X in enumerate(stack):
        found = naive.significant_pairs(X.tolist(), 0.1)
        assert {tuple(ij) for ij in np.argwhere(d.better[k]).tolist()} == found
        assert d.share[k] == naive.discrimination(found, 6)
        assert d.median_p[k] == pytest.approx(naive.median_p(X.tolist()), rel=1e-9)
        assert c.coverage[k] == naive.coverage(found, reference)
        assert c.inversion[k] == naive.inversion(reference, X.mean(axis=1).tolist())
    assert (c.coverage[0], c.inversion[0]) == (1, 0)
    np.testing.assert_allclose(d.p[0], paired_t(stack[0]).p, rtol=1e-10)
    holes = stack.copy()
    holes[1, 3, 2] = nan
    np.testing.assert_allclose(discriminative_power(holes).means, np.delete(stack, 2, axis=-1).mean(axis=-1))


def test_discrimination_without_anything_to_tell_apart() -> None:
    d = discriminative_power(np.ones((4, 9)))
    assert (float(d.share), float(d.median_p)) == (0, 1)
    c = confirmation(d.better, d.better, d.means)
    assert np.isnan(c.coverage)
    assert np.isnan(c.inversion)
    level = confirmation(better_pairs([0.01], [0.3]), better_pairs([0.9], [0.0]), [0.4, 0.4])
    assert (float(level.coverage), float(level.inversion)) == (0, 0)  # equal means contradict nothing
    assert np.isnan(discriminative_power(np.ones((1, 9))).share)
    assert float(discriminative_power(np.zeros((3, 0))).share) == 0


def test_significance_is_strict_in_discrimination() -> None:
    assert better_pairs([0.05], [0.3]).sum() == 0
    assert better_pairs([0.049], [-0.3]).tolist() == [[False, False], [True, False]]
    with pytest.raises(UsageError, match="one entry per pair"):
        better_pairs([0.1, 0.2, 0.3], [0.1])
    with pytest.raises(UsageError, match="alpha must be within"):
        better_pairs([0.1], [0.1], alpha=0)


@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_power_equals_statsmodels(alpha: float) -> None:
    solver = TTestPower()
    for d in (0.0, 0.1, 0.3, 0.8, 2.0):
        for n in (2, 5, 20, 80, 400):
            theirs = float(solver.power(d, n, alpha))
            if np.isnan(theirs):  # their lower tail; the upper one is all the power there is
                theirs = float(nct.sf(t.ppf(1 - alpha / 2, n - 1), n - 1, d * n**0.5))
            assert float(t_power(d, n, alpha=alpha)) == pytest.approx(theirs, abs=1e-9)
    for n in (10, 50, 250):
        smallest = float(detectable_effect(n, alpha=alpha, beta=0.1))
        assert float(solver.power(smallest, n, alpha)) == pytest.approx(0.9, abs=1e-9)
        assert float(solver.power(smallest - 1e-6, n, alpha)) < 0.9


@settings(max_examples=60, deadline=None)
@given(st.floats(0.02, 6), st.sampled_from([0.01, 0.05, 0.1]), st.sampled_from([0.05, 0.2, 0.5]))
def test_topics_needed_are_the_fewest(effect: float, alpha: float, beta: float) -> None:
    n = float(topics_needed(effect, alpha=alpha, beta=beta))
    assert n == int(n) >= 2
    assert float(t_power(effect, n, alpha=alpha)) >= 1 - beta
    if n > 2:
        assert float(t_power(effect, n - 1, alpha=alpha)) < 1 - beta


def test_topics_needed_edges() -> None:
    needed = topics_needed([[0.5, -0.5], [0.0, np.inf], [nan, 1e-6]])
    assert needed.shape == (3, 2)
    assert needed[0, 0] == needed[0, 1] == 34
    assert needed[1].tolist() == [np.inf, 2]
    assert np.isnan(needed[2, 0])
    assert needed[2, 1] == pytest.approx(7.85e12, rel=0.01)
    assert float(topics_needed(0.5)) == 34
    assert t_power([np.inf, nan, 0.5], [10, 10, 1]).tolist()[::2] == [1, 0]
    assert np.isnan(t_power(nan, 10))
    assert np.isnan(detectable_effect(1))
    assert t_power([[0.5], [1.0]], [10, 20, 30]).shape == (2, 3)
    with pytest.raises(UsageError, match="beta must be within"):
        topics_needed(0.5, beta=0)


def test_topics_needed_for_tiny_effects_are_those_of_the_normal_approximation() -> None:
    """Beyond a million topics t is normal but for z²/2 of them."""
    z = [norm.ppf(q) for q in (0.975, 0.8)]
    effects = np.array([1e-4, 3e-5])
    assert topics_needed(effects).tolist() == np.ceil((sum(z) / effects) ** 2 + z[0] ** 2 / 2).tolist()


def test_power_never_falls_far_out() -> None:
    """scipy's noncentral t gives NaN in its far tail; power must not."""
    n = np.arange(2, 400)
    for d in np.linspace(0, 20, 60):
        power = t_power(d, n)
        assert ((power > 0) & (power <= 1)).all()
        assert (np.diff(power) >= -1e-9).all()


@st.composite
def significance(draw) -> np.ndarray:
    m = draw(st.integers(1, 9))
    upper = np.zeros((m, m), dtype=bool)
    upper[np.triu_indices(m, 1)] = draw(st.lists(st.booleans(), min_size=m * (m - 1) // 2, max_size=m * (m - 1) // 2))
    return upper | upper.T


@settings(max_examples=100, deadline=None)
@given(significance(), st.randoms(use_true_random=False))
def test_letters_are_shared_exactly_by_those_who_do_not_differ(differs: np.ndarray, random) -> None:
    m = len(differs)
    order = list(range(m))
    random.shuffle(order)
    display = compact_letters(differs, order)
    shared = display.member.astype(int) @ display.member.T.astype(int) > 0
    assert (shared == ~differs).all()
    columns = [frozenset(np.nonzero(c)[0].tolist()) for c in display.member.T]
    assert not any(a < b for a in columns for b in columns)  # nothing left to absorb
    assert len(set(columns)) == len(columns)
    assert display.member[order[0], 0]  # the best system carries "a"
    assert len(set(display.letters)) == len(columns)
    assert [len(t) for t in display.text] == display.member.sum(axis=1).tolist()


def test_letters_after_the_alphabet() -> None:
    display = compact_letters(~np.eye(60, dtype=bool))
    assert display.text[:2] == ("a", "b")
    assert (display.text[25], display.text[26], display.text[51], display.text[52]) == ("z", "A", "Z", "a1")
    assert compact_letters(np.zeros((0, 0))).text == ()
    assert set(compact_letters(np.zeros((5, 5))).text) == {"a"}


def test_letters_refuse_other_matrices() -> None:
    for bad in (np.eye(3), np.triu(np.ones((3, 3)), 1), np.zeros((2, 3))):
        with pytest.raises(UsageError, match="symmetric"):
            compact_letters(bad)
    with pytest.raises(UsageError, match="order must name each system"):
        compact_letters(np.zeros((3, 3)), [0, 0, 1])


def test_importing_the_stage_loads_numpy_only() -> None:
    code = (
        "import sys, leadline.stats; print([m for m in ('scipy', 'pandas', 'concurrent.futures') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
