"""Depth: ratios and correlations against a reference depth, and volatility matrices, against the naive definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
import naive
from leadline import stats
from leadline.depths import stability
from leadline.depths.stability import Volatility, depth, volatility
from leadline.errors import UnknownName, UsageError
from small_tracks import Small, small_track

seeds = st.integers(0, 10**6)
MEASURES = [
    ("nDCG", "nDCG", {}),
    ("AP(norm='min')", "AP", {"norm": "min"}),
    ("RBP(p=0.8)", "RBP", {}),
    ("P@9", "P", {}),
]


def naive_scores(small: Small, name: str, k: int, condense: bool, options: dict[str, object]) -> list[list[float]]:
    """Systems × topics at one depth; undefined is 0."""
    return [
        [
            naive.score(name, t, r, k=k, gmax=small.gmax, undefined=0.0, judged_only=condense, **options) or 0.0  # type: ignore[arg-type]
            for t, r in zip(small.topics, lists, strict=True)
        ]
        for lists in small.runs.values()
    ]


def by_mean(scores: list[list[float]]) -> list[int]:
    means = [round(naive.mean(row), 10) for row in scores]
    return sorted(range(len(means)), key=lambda i: -means[i])


@settings(max_examples=30, deadline=None)
@given(seeds, st.booleans())
def test_figures_are_the_naive_ones(seed: int, condense: bool) -> None:
    small = small_track(seed, topics=6)
    depths, reference = [1, 2, 5, 12], 5
    found = depth(
        small.track,
        [m for m, _, _ in MEASURES],
        depths=depths,
        reference=reference,
        unjudged="condense" if condense else "nonrelevant",
    )
    assert list(found.columns()) == [
        "measure", "k", "mean", "median_p", "discrimination", "coverage", "inversion", "tau", "tau_ap", "rbo",
        "pearson", "rmse",
    ]  # fmt: skip
    for m, (_, name, options) in zip(found.measures, MEASURES, strict=True):
        base = naive_scores(small, name, reference, condense, options)
        pairs = naive.significant_pairs(base)
        base_means = [round(naive.mean(row), 10) for row in base]
        for i, k in enumerate(depths):
            new = naive_scores(small, name, k, condense, options)
            means = [round(naive.mean(row), 10) for row in new]
            expected = {
                "mean": naive.mean(naive.mean(row) for row in new),
                "median_p": naive.median_p(new),
                "discrimination": naive.discrimination(naive.significant_pairs(new), len(new)),
                "coverage": naive.coverage(naive.significant_pairs(new), pairs),
                "inversion": naive.inversion(pairs, means),
                "tau": naive.tau_b(means, base_means),
                "tau_ap": naive.tau_ap(by_mean(new), by_mean(base)),
                "rbo": naive.rbo_ext(by_mean(new), by_mean(base)),
                "pearson": naive.pearson(means, base_means),
                "rmse": naive.rmse(means, base_means),
            }
            got = found.values(m)
            for field, value in expected.items():
                wanted = np.nan if value is None else value
                np.testing.assert_allclose(got[field][i], wanted, rtol=1e-7, atol=1e-9, err_msg=f"{m} {field}@{k}")


def test_the_worked_example() -> None:
    """Ten systems, 35 of 45 pairs differ at the reference, 28 of them at the new depth, and 6 are turned round."""
    pairs = list(itertools.combinations(range(10), 2))
    in_reference = np.array([not (i >= 5 and j >= 5) for i, j in pairs])  # all but the ten pairs among the last five
    old_means = np.linspace(1, 0.1, 10)
    new_means = old_means[[3, 2, 1, 0, 4, 5, 6, 7, 8, 9]]  # the first four in reverse: six pairs of the reference
    difference = [old_means[i] - old_means[j] for i, j in pairs]
    reference = stats.discrimination_from_tests(np.where(in_reference, 0.01, 0.5), difference, old_means)
    new_difference = np.array([new_means[i] - new_means[j] for i, j in pairs])
    confirmed = np.flatnonzero(in_reference & (new_difference > 0))[:28]
    p = np.full(45, 0.5)
    p[confirmed] = 0.01
    new = stats.discrimination_from_tests(p, new_difference, new_means)
    check = stats.confirmation(reference.better, new.better, new.means)
    assert float(reference.share) == pytest.approx(35 / 45)
    assert float(check.coverage) == pytest.approx(28 / 35)
    assert float(check.inversion) == pytest.approx(6 / 35)
    assert [round(float(x), 2) for x in (reference.share, check.coverage, check.inversion)] == [0.78, 0.80, 0.17]


def test_depth_with_a_shallower_pool_and_default_depths() -> None:
    small = small_track(4, topics=6)
    found = depth(small.track, "RBP(p=0.8)", pooled=2)
    again = depth(small.track.pooled(2), "RBP(p=0.8)")
    assert found.reference == 2
    np.testing.assert_array_equal(found.values("RBP(p=0.8)")["mean"], again.values("RBP(p=0.8)")["mean"])
    whole = depth(small.track, "RBP(p=0.8)")
    assert whole.reference == small.track.lengths.max() == whole.depths[-1]
    assert whole.values("RBP(p=0.8)")["tau"][-1] == pytest.approx(1)
    assert whole.values("RBP(p=0.8)")["rmse"][-1] == 0


def test_depths_are_worked_through_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    small = small_track(4, topics=6)
    whole = depth(small.track, "nDCG").columns()
    monkeypatch.setattr(stability, "_CELLS", 1)
    parts = depth(small.track, "nDCG").columns()
    for name in list(whole)[1:]:
        np.testing.assert_allclose(whole[name], parts[name], rtol=1e-9, atol=1e-12)


def test_less_is_better_where_it_is() -> None:
    runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"y": 3.0, "z": 2.0, "x": 1.0}}}
    two = {r: {"q": v["q"], "p": v["q"]} for r, v in runs.items()}
    track = leadline.read({"q": {"x": 1}, "p": {"x": 1}}, two)
    found = depth(track, "ESL(i=1)", depths=[3], reference=3)
    assert found.values("ESL(i=1)")["mean"][0] == pytest.approx(2)
    assert found.values("ESL(i=1)")["coverage"][0] == 1.0


def test_undefined_topics_are_counted_as_zero_or_left_out() -> None:
    small = small_track(1, topics=6)
    empty = [t for t, docs in small.qrels.items() if max(docs.values()) < 1]
    if not empty:
        pytest.fail("the seed should give a topic without relevant documents")
    zero, without = (depth(small.track, "AP", depths=[3, 9], undefined=u) for u in ("zero", "nan"))  # type: ignore[arg-type]
    kept = small.track.select(topics=[t for t in small.track.topics if t not in empty])
    np.testing.assert_allclose(without.values("AP")["mean"], depth(kept, "AP", depths=[3, 9]).values("AP")["mean"])
    assert (without.values("AP")["mean"] > zero.values("AP")["mean"]).all()
    assert "undefined-scores AP" in without.findings.codes


def test_what_cannot_be_meant() -> None:
    small = small_track(1)
    with pytest.raises(UsageError, match="no evaluation depth"):
        depth(small.track, "IPrec@0.5")
    with pytest.raises(UsageError, match="two runs"):
        depth(small.track.select(runs=["r0"]), "AP")
    with pytest.raises(UsageError, match="two runs"):
        volatility(small.track.select(runs=["r0"]), "AP")
    with pytest.raises(UsageError, match="depths"):
        depth(small.track, "AP", depths=[0, 3])
    with pytest.raises(UsageError, match="reference"):
        depth(small.track, "AP", reference=0)
    with pytest.raises(UnknownName):
        volatility(small.track, "AP", statistic="rho")  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        depth(small.track, "AP").values("RR")


# volatility -----------------------------------------------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(seeds)
def test_volatility_is_the_naive_one(seed: int) -> None:
    small = small_track(seed, topics=5)
    depths = [1, 2, 3, 6, 12]
    means = {
        name: [[round(naive.mean(row), 10) for row in naive_scores(small, name, k, False, {})] for k in depths]
        for name in ("nDCG", "RBP")
    }
    one = volatility(small.track, "nDCG", depths=depths)
    two = volatility(small.track, "nDCG", "RBP(p=0.8)", depths=depths)
    for found, expected in (
        (one, naive.volatility(means["nDCG"])),
        (two, naive.volatility(means["nDCG"], means["RBP"])),
    ):
        table = np.array([[np.nan if v is None else v for v in row] for row in expected])
        np.testing.assert_allclose(found.matrix, table, rtol=1e-9)
    orders = [sorted(range(5), key=lambda i, row=row: -row[i]) for row in means["nDCG"]]  # type: ignore[misc]
    for statistic, corr in (("tau_ap", naive.tau_ap), ("rbo", naive.rbo_ext)):
        got = volatility(small.track, "nDCG", depths=depths, statistic=statistic).matrix  # type: ignore[arg-type]
        np.testing.assert_allclose(got, [[corr(a, b) for b in orders] for a in orders], rtol=1e-9, atol=1e-12)


def test_columns_of_volatility() -> None:
    small = small_track(3)
    found = volatility(small.track, "nDCG", "P@1", depths=[1, 4])
    table = found.columns()
    assert list(table) == ["measure_a", "k_a", "measure_b", "k_b", "tau"]
    assert list(zip(table["k_a"].tolist(), table["k_b"].tolist(), strict=True)) == [(1, 1), (1, 4), (4, 1), (4, 4)]
    assert table["tau"][1] == pytest.approx(found.matrix[0, 1], nan_ok=True)
    assert (table["measure_a"][0], table["measure_b"][0]) == ("nDCG", "P@1")


def test_summaries_of_a_matrix() -> None:
    measure = leadline.parse("AP")
    matrix = np.array([[1, 0.5, 0.8, 0.8], [0.5, 1, 0.95, 0.91], [0.8, 0.95, 1, 0.9], [0.8, 0.91, 0.9, 1]])
    found = Volatility((measure, measure), np.array([1, 5, 10, 20]), matrix, small_track(0).track.findings)
    assert found.stable_from() == 5
    assert found.stable_from(0.93) is None
    assert found.share() == pytest.approx(6 / 12)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shallow_pools_shake_ap_more_than_rbp(seed: int) -> None:
    """As in Lu et al., Fig. 5 and 6: the order of systems by AP_b depends more on the depth than that by RBP(0.95)."""
    made = leadline.simulate.simulate(
        runs=40, topics=50, depth=400, pool_depth=10, relevant=100, spread=0.05, contributing=1, truncated=0,
        missing=0, nil=0, tied=0, rng=seed,
    )  # fmt: skip
    track = leadline.read(made.qrels, made.runs, pool_depth=10)
    depths = [10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400]
    ap, rbp = (volatility(track, m, depths=depths) for m in ("AP(norm='min')", "RBP(p=0.95)"))
    assert ap.share() < rbp.share() - 0.05
    assert ap.matrix.mean() < rbp.matrix.mean()


def test_rounding_turns_no_pair_round_and_correlates_with_nothing() -> None:
    """0.1 + 0.2 and 0.3 are different doubles: neither an inversion nor a spread that could correlate."""
    reference = stats.better_pairs([0.01], [0.2])
    means = [0.3, 0.1 + 0.2]
    assert means[1] > means[0]
    assert float(stats.confirmation(reference, reference, means).inversion) == 0
    assert float(stats.confirmation(reference, reference, [0.3, 0.3 + 1e-12]).inversion) == 1
    assert np.isnan(stats.pearson(means, [1.0, 2.0]))
    assert stats.pearson([0.3, 0.3 + 1e-12], [1.0, 2.0]) == pytest.approx(1)
