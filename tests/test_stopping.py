"""Stopping policies, their tuning and what may be claimed of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline import read
from leadline.depths.claims import compare_policies
from leadline.depths.policies import (
    POLICIES,
    FixedK,
    NeverStop,
    OwnPolicy,
    Policy,
    RelativeDrop,
    RelativeToTop,
    ScoreMass,
    ScoreThreshold,
    TunedPolicy,
    ZScore,
)
from leadline.depths.steps import round_between
from leadline.depths.stopping import stop
from leadline.depths.tuning import fold_of, learn
from leadline.errors import InputError, UndefinedScore, UnknownName, UsageError
from leadline.rankings.track import Track
from leadline.simulate import simulate
from strategies import few

TUNED: list[type[TunedPolicy]] = [FixedK, ScoreThreshold, RelativeToTop, RelativeDrop, ScoreMass, ZScore]
score_lists = st.lists(st.floats(-50, 50).map(lambda x: round(x, 2)), max_size=25).map(
    lambda s: sorted(s, reverse=True)
)


# ------------------------------------------------------------------------------------------------------------- policies


def naive_cut(policy: Policy, s: list[float]) -> int:
    """The rules as the table of the policies puts them, rank by rank."""
    n = len(s)

    def while_(keep: Any) -> int:
        return next((i for i in range(n) if not keep(i)), n)

    match policy:
        case FixedK(k=k):
            return min(k, n)
        case ScoreThreshold(at=at):
            return while_(lambda i: s[i] >= at)
        case RelativeToTop(share=share):
            if n and s[0] == 0:
                return while_(lambda i: (s[i] == 0) >= share)
            return while_(lambda i: (s[i] / s[0] if s[0] > 0 else s[0] / s[i]) >= share)
        case RelativeDrop(gap=gap):
            drops = [a - b for a, b in itertools.pairwise(s)]
            if not drops or max(drops) <= 0 or max(drops) / (s[0] - s[-1]) < gap:
                return n
            return drops.index(max(drops)) + 1
        case ScoreMass(share=share):
            lowest = min([0.0, *s])
            mass = [x - lowest for x in s]
            total = sum(mass)
            if total == 0:
                return while_(lambda i: i / n < share)
            return while_(lambda i: sum(mass[:i]) / total < share)
        case ZScore(at=at):
            mean = sum(s) / n if n else 0.0
            sd = math.sqrt(sum((x - mean) ** 2 for x in s) / n) if n else 0.0
            return while_(lambda i: (0.0 if sd <= 1e-12 * abs(mean) else (s[i] - mean) / sd) >= at)
    return n


@pytest.mark.parametrize("kind", TUNED)
@given(data=st.data())
@few(80)
def test_cut_follows_the_rule(kind: type[TunedPolicy], data: st.DataObject) -> None:
    scores = data.draw(score_lists)
    low = {FixedK: 0, RelativeDrop: 0, ScoreMass: 0, ScoreThreshold: -50}.get(kind, -3)
    high = {FixedK: 30, ScoreThreshold: 50}.get(kind, 3)
    number = data.draw(st.integers(low, high) if kind is FixedK else st.floats(low, high))
    policy = kind(**{kind.parameter: number})
    assert abs(policy.cut(scores) - naive_cut(policy, scores)) <= borderline(policy, scores)
    assert 0 <= policy.cut(scores) <= len(scores)


def borderline(policy: Policy, scores: list[float]) -> int:
    """Documents whose statistic is the parameter but for rounding: either side is right."""
    assert isinstance(policy, TunedPolicy)
    if policy.name in ("fixed-k", "score-threshold") or not scores:
        return 0
    keys = policy.steps(np.array([scores]), np.array([len(scores)])).keys
    close = np.isclose(keys, policy.threshold, rtol=1e-12, atol=1e-12)
    return len(scores) if policy.name == "relative-drop" and close.any() else int(close.sum())


@pytest.mark.parametrize("kind", TUNED)
@given(scores=st.lists(st.floats(-5, 5), max_size=12))
@few(40)
def test_lengths_are_monotone_in_the_parameter(kind: type[TunedPolicy], scores: list[float]) -> None:
    """Also for lists that are not in the order of their scores."""
    values = range(14) if kind is FixedK else np.linspace(0 if kind in (RelativeDrop, ScoreMass) else -6, 6, 25)
    cuts = [kind(**{kind.parameter: v}).cut(scores) for v in values]
    rising = kind in (FixedK, ScoreMass, RelativeDrop)
    assert cuts == sorted(cuts, reverse=not rising)


def test_many_lists_at_once_are_cut_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    lengths = np.array([0, 1, 5, 9])
    scores = np.full((4, 9), np.nan)
    for row, n in zip(scores, lengths, strict=True):
        row[:n] = np.sort(rng.normal(size=n))[::-1]
    for policy in (
        FixedK(3),
        ScoreThreshold(0.1),
        RelativeToTop(0.5),
        RelativeDrop(0.2),
        ScoreMass(0.7),
        ZScore(0.3),
        NeverStop(),
    ):
        one_by_one = [policy.cut(row[:n]) for row, n in zip(scores, lengths, strict=True)]
        assert policy.cuts(scores, lengths).tolist() == one_by_one


def test_examples() -> None:
    scores = [10.0, 9.0, 4.0, 3.0, 0.5]
    assert ScoreThreshold(4).cut(scores) == 3
    assert RelativeToTop(0.9).cut(scores) == 2
    assert RelativeDrop(0.5).cut(scores) == 2  # from 9 to 4: 5 of 9.5
    assert RelativeDrop(0.6).cut(scores) == 5
    assert ScoreMass(0.5).cut(scores) == 2  # 10 of 26.5 is not half of it, 19 is
    assert ZScore(0).cut(scores) == 2
    assert ScoreThreshold(4).cut([10, float("nan"), 8]) == 1
    assert ScoreThreshold(-math.inf).cut(scores) == 5
    assert RelativeToTop(0.5).cut([-1.0, -1.5, -2.5]) == 2  # log-likelihoods: 1/2.5 is less than half
    assert [p.cut([]) for p in (FixedK(3), ScoreMass(0.5), NeverStop())] == [0, 0, 0]


@pytest.mark.parametrize(
    "policy",
    [FixedK(7), ScoreThreshold(-3.25), ScoreThreshold(-math.inf), RelativeToTop(0.1), RelativeDrop(math.inf),
     ScoreMass(0.5), ZScore(-1.5), NeverStop()],
)  # fmt: skip
def test_json_round_trip(policy: Policy) -> None:
    assert Policy.from_json(policy.to_json()) == policy
    assert "Infinity" not in policy.to_json()  # which is not JSON
    assert policy.sentence()


@pytest.mark.parametrize(
    ("text", "error", "match"),
    [
        ("{", InputError, "JSON"),
        ("[1]", InputError, "JSON"),
        ('{"policy": "score-treshold", "at": 1}', UnknownName, "score-threshold"),
        ('{"policy": "fixed-k"}', UsageError, "parameter k"),
        ('{"policy": "fixed-k", "k": "many"}', UsageError, "number"),
        ('{"policy": "fixed-k", "k": 2.5}', UsageError, "whole number"),
        ('{"policy": "score-mass", "share": -1}', UsageError, "within"),
        ('{"policy": "z-score", "at": "nan"}', UsageError, "number"),
        ('{"policy": "never", "k": 1}', UsageError, "no parameter"),
    ],
)
def test_bad_policies_are_refused(text: str, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        Policy.from_json(text)


def test_own_policies() -> None:
    half = OwnPolicy(lambda s: len(s) // 2, name="half")
    assert half.cut([3, 2, 1]) == 1
    greedy = OwnPolicy(lambda s: 99, name="greedy")
    assert greedy.cut([3, 2, 1]) == 3
    quick = OwnPolicy(len, name="quick", vectorised=lambda scores, lengths: np.minimum(lengths, 2))
    assert quick.cuts(np.zeros((2, 4)), np.array([1, 4])).tolist() == [1, 2]
    for wrong in (lambda s: -1, lambda s: 0.5, lambda s: "two", lambda s: math.nan):
        with pytest.raises(UsageError, match="whole number"):
            OwnPolicy(wrong, name="wrong").cut([1.0])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="JSON"):
        half.to_json()


@given(low=st.floats(-1e6, 1e6), width=st.floats(1e-9, 1e6))
@few(80)
def test_round_numbers_stay_inside(low: float, width: float) -> None:
    high = low + width
    if high > low:
        assert low < round_between(low, high) <= high
        assert len(repr(round_between(low, high))) <= len(repr((low + high) / 2)) + 4


# --------------------------------------------------------------------------------------------------------------- tuning


def lists(seed: int, topics: int = 14, longest: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, lengths and score curves of random lists; tied scores among them."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, topics)
    lengths[0] = longest
    scores = -np.sort(-rng.integers(-8, 30, (topics, longest)) / 4, axis=1)
    curves = np.cumsum(rng.normal(size=(topics, longest + 1)), axis=1)
    past = np.arange(longest + 1) > lengths[:, None]
    curves = np.where(past, curves[np.arange(topics), lengths][:, None], curves)
    return np.where(past[:, 1:], np.nan, scores), lengths, curves


def mean_at(policy: Policy, scores: np.ndarray, lengths: np.ndarray, curves: np.ndarray, use: np.ndarray) -> float:
    return float(curves[np.arange(len(lengths)), policy.cuts(scores, lengths)][use].mean())


@pytest.mark.parametrize("kind", TUNED)
@pytest.mark.parametrize("seed", range(4))
def test_no_parameter_is_better_than_the_learned_one(kind: type[TunedPolicy], seed: int) -> None:
    scores, lengths, curves = lists(seed)
    fold = fold_of(np.arange(len(lengths)), 4, np.random.default_rng(seed))
    found = learn(kind, scores, lengths, curves, fold, np.ones(len(lengths), bool))
    keys = kind.steps(scores, lengths).keys
    known = np.unique(keys[~np.isnan(keys)])
    middles = (known[1:] + known[:-1]) / 2
    tried = [kind.at_threshold(t - 1e-9, t) for t in [*known, *middles, known[-1] + 1]] + [
        kind.at_threshold(-math.inf, known[0])
    ]
    for f in range(4):
        train = fold != f
        best = max(mean_at(p, scores, lengths, curves, train) for p in tried)
        assert mean_at(found.by_fold[f], scores, lengths, curves, train) == pytest.approx(best, abs=1e-9)
        held = found.by_fold[f].cuts(scores, lengths)
        assert held[fold == f].tolist() == found.lengths[fold == f].tolist()
    everywhere = np.ones(len(lengths), bool)
    best = max(mean_at(p, scores, lengths, curves, everywhere) for p in tried)
    assert mean_at(found.policy, scores, lengths, curves, everywhere) == pytest.approx(best, abs=1e-9)
    assert 0 <= found.stability <= 1
    assert max(found.sweep["value"]) <= best + 1e-9


@pytest.mark.parametrize("kind", TUNED)
def test_held_out_topics_teach_nothing(kind: type[TunedPolicy]) -> None:
    scores, lengths, curves = lists(7)
    fold = fold_of(np.arange(len(lengths)), 3, np.random.default_rng(1))
    counted = np.ones(len(lengths), bool)
    first = learn(kind, scores, lengths, curves, fold, counted)
    other = np.random.default_rng(2)
    for f in range(3):
        mine = fold == f
        changed, moved = curves.copy(), scores.copy()
        changed[mine] = -5 * changed[mine][:, ::-1]
        moved[mine] = -np.sort(-other.normal(size=moved[mine].shape), axis=1)
        again = learn(kind, moved, lengths, changed, fold, counted)
        assert again.by_fold[f] == first.by_fold[f]
    uncounted = learn(kind, scores, lengths, np.where((fold == 0)[:, None], 1e6, curves), fold, fold != 0)
    assert uncounted.by_fold[0] == first.by_fold[0]
    assert uncounted.policy == first.by_fold[0]


def test_folds_are_even_and_keep_groups_together() -> None:
    rng = np.random.default_rng(0)
    fold = fold_of(np.arange(23), 5, rng)
    assert sorted(np.bincount(fold).tolist()) == [4, 4, 5, 5, 5]
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4])
    fold = fold_of(groups, 3, rng)
    assert all(len(set(fold[groups == g].tolist())) == 1 for g in range(5))
    assert set(fold.tolist()) == {0, 1, 2}


# --------------------------------------------------------------------------------------------------------------- claims


def test_a_claim_needs_both_comparisons_and_a_margin() -> None:
    rng = np.random.default_rng(3)
    full = rng.random(60)
    names = ["never", "fixed-k", "rule"]

    def verdict(rule: np.ndarray, fixed: np.ndarray, headroom: float = 1.0) -> tuple[bool, bool]:
        values = np.stack([full, fixed, rule])
        found = compare_policies(names, values, full, fixed, full + headroom, 0.05)
        return found.beats_never[0], found.beats_both[0]

    noise = 0.05 * rng.normal(size=60)
    assert verdict(full + 0.2 + noise, full + 0.1) == (True, True)
    assert verdict(full + 0.2 + noise, full + 0.2) == (True, False)
    assert verdict(full + noise - noise.mean(), full - 0.5) == (False, False)
    assert verdict(full + 0.001, full) == (False, False)  # sure, but a trifle
    assert verdict(full - 0.2 + noise, full - 0.4) == (False, False)


def track_of(seed: int, relation: float, topics: int = 100, **settings: Any) -> Track:
    options = {"runs": 4, "topics": topics, "depth": 60, "pool_depth": 60, "score_relation": relation, "rng": seed}
    sim = simulate(**(options | settings))
    return read(sim.qrels, sim.runs, keep_scores=True)


def test_related_scores_are_found_to_help() -> None:
    """Score and relevance related: the learned threshold beats everything and the best fixed length, held out."""
    track = track_of(11, 1.0, truncated=0)
    found = stop(track, "U")
    value, full, fixed = (found.value(n).mean(axis=1) for n in ("score-threshold", "never", "fixed-k"))
    assert (value > full).all()
    assert (value > fixed).all()
    advice = [found.recommendation(run) for run in found.runs]
    assert all(a.claim and isinstance(a.policy, ScoreThreshold) for a in advice)
    assert "against" in advice[0].sentence
    regret = found.value("oracle").mean(axis=1) - value
    assert (regret > 0).all()


def test_unrelated_scores_are_not_claimed_to_help() -> None:
    for seed in (12, 13, 14):
        found = stop(track_of(seed, 0.0), "U")
        for run in found.runs:
            advice = found.recommendation(run)
            assert not advice.claim
            assert isinstance(advice.policy, (FixedK, NeverStop))
            assert "No rule on scores is shown to do better" in advice.sentence


# ----------------------------------------------------------------------------------------------------------- the result


def test_values_are_those_of_the_lists_cut_by_their_folds_rule() -> None:
    from leadline import evaluate

    track = track_of(5, 0.8, topics=20, missing=0.1)
    found = stop(track, "U", folds=4)
    for policy in found.policies:
        stopped = track.truncated(found.length(policy))
        np.testing.assert_allclose(evaluate(stopped, "U").array("U"), found.value(policy), atol=1e-12)
        for r, run in enumerate(found.runs):
            rules = found.by_fold(run, policy)
            for t in range(len(found.topics)):
                at = r * len(found.topics) + t
                own = track.scores[track.score_offsets[at] : track.score_offsets[at + 1]]  # type: ignore[index]
                assert rules[found.fold[t]].cut(own) == found.length(policy)[r, t]
    np.testing.assert_array_equal(found.value("never"), found.full())
    assert (found.value("oracle")[None] >= np.stack([found.value(p) for p in found.policies]) - 1e-12).all()


def test_records_are_those_of_the_contract() -> None:
    track = track_of(5, 0.8, topics=20)
    found = stop(track, "U", folds=4)
    columns = found.columns()
    assert list(columns)[:6] == ["run", "policy", "measure", "value", "oracle", "full"]
    assert columns["policy"][:8] == [*POLICIES_IN_ORDER, "oracle"]
    i = columns["policy"].index("score-threshold")
    assert columns["value"][i] == pytest.approx(found.value("score-threshold")[0].mean())
    assert columns["low"][i] < columns["value"][i] < columns["high"][i]
    assert columns["regret"][i] == pytest.approx(columns["oracle"][i] - columns["value"][i])
    assert columns["parameters"][i] == [p.at for p in found.by_fold(found.runs[0], "score-threshold")]  # type: ignore[attr-defined]
    assert columns["parameter"][i] == found.policy(found.runs[0], "score-threshold").at  # type: ignore[attr-defined]
    assert columns["empty"][i] == pytest.approx((found.length("score-threshold")[0] == 0).mean())
    assert columns["regret"][7] == 0
    topics = found.topics_columns()
    assert len(topics["value"]) == len(track.runs) * 8 * 20
    assert topics["value"][20:40].tolist() == found.value("fixed-k")[0].tolist()
    assert set(topics["fold"].tolist()) == {0, 1, 2, 3}
    sweep = found.sweep()
    assert {len(c) for c in sweep.values()} == {len(sweep["run"])}


POLICIES_IN_ORDER = ["never", "fixed-k", *(n for n in POLICIES if n not in ("never", "fixed-k"))]


def test_the_sweep_is_the_mean_at_each_parameter() -> None:
    track = track_of(5, 0.8, topics=20)
    found = stop(track, "U", policies=["score-threshold", "score-mass"])
    sweep = found.sweep()
    rows = [
        i
        for i in range(len(sweep["run"]))
        if sweep["run"][i] == found.runs[1] and sweep["policy"][i] == "score-threshold"
    ]
    from leadline import evaluate

    single = track.select(runs=[found.runs[1]])
    assert single.scores is not None
    padded = np.full((20, 60), np.nan)
    padded[np.arange(60) < single.lengths[:, None]] = single.scores
    for i in rows[:: max(len(rows) // 8, 1)]:
        cuts = ScoreThreshold(sweep["parameter"][i]).cuts(padded, single.lengths)
        assert sweep["length"][i] == pytest.approx(cuts.mean())
        assert sweep["value"][i] == pytest.approx(evaluate(single.truncated(cuts), "U").mean("U")[0])


def test_own_policies_take_part() -> None:
    track = track_of(5, 0.8, topics=30)

    def top_three(scores: np.ndarray) -> int:
        return min(3, len(scores))

    found = stop(
        track, "U", policies=[top_three, "score-threshold", FixedK(k=3), ScoreThreshold(at=1e9), "z-score=0.5"]
    )
    names = ("top_three", "score-threshold", "fixed-k=3", "score-threshold=1e+09", "z-score=0.5")
    assert found.policies == ("never", "fixed-k", *names)
    np.testing.assert_array_equal(found.value("top_three"), found.value("fixed-k=3"))
    assert found.tests(found.runs[0]).of("top_three")["p_never"] is not None
    assert found.length("score-threshold=1e+09").max() == 0
    named = stop(track, "U", policies={"three": top_three})
    np.testing.assert_array_equal(named.value("three"), found.value("top_three"))
    assert named.recommendation(named.runs[0]).sentence


def test_seeds_decide_the_folds_and_nothing_else_is_random() -> None:
    track = track_of(5, 0.8, topics=30)
    a, b, c = (stop(track, "U", policies="score-threshold", rng=seed) for seed in (1, 1, 2))
    assert a.columns() == b.columns()
    assert a.fold.tolist() != c.fold.tolist()
    assert stop(track, "U", rng=1, threads=1).columns() == stop(track, "U", rng=1, threads=4).columns()
    groups = {t: str(i // 10) for i, t in enumerate(track.topics)}
    together = stop(track, "U", policies="score-threshold", groups=groups, folds=10)
    assert len({(groups[t], int(f)) for t, f in zip(track.topics, together.fold, strict=True)}) == 3


def test_a_run_that_stops_at_the_pools_edge_is_told() -> None:
    found = stop(track_of(4, 0.5, topics=40, runs=1, pool_depth=15, truncated=0), "U")
    assert "stops-at-pool-depth" in found.findings.codes
    assert "stops-at-pool-depth" not in stop(track_of(4, 0.5, topics=40), "U").findings.codes


def test_undefined_topics_are_zero_left_out_or_refused() -> None:
    track = track_of(6, 0.8, topics=30, nil=0.2)
    zero, left_out = stop(track, "SetF"), stop(track, "SetF", undefined="nan")
    nil = np.isnan(left_out.full()).all(axis=0)
    assert 0 < nil.sum() < 30
    assert (zero.value("never")[:, nil] == 0).all()
    assert np.isnan(left_out.value("score-threshold")[:, nil]).all()
    assert left_out.columns()["value"][0] > zero.columns()["value"][0]
    assert "undefined-scores" in left_out.findings.codes
    with pytest.raises(UndefinedScore):
        stop(track, "SetF", undefined="raise")


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"policies": "score-treshold"}, UnknownName, "score-threshold"),
        ({"policies": [3]}, UsageError, "no policy"),
        ({"policies": ["never=3"]}, UsageError, "no parameter"),
        ({"policies": {"oracle": len}}, UsageError, "oracle"),
        ({"folds": 1}, UsageError, "folds"),
        ({"measure": "ESL"}, UsageError, "maximised"),
        ({"measure": "c@1"}, UsageError, "maximised"),
        ({"measure": ["U", "AP"]}, UsageError, "One rule"),
    ],
)
def test_bad_calls(given: dict[str, Any], error: type[Exception], match: str) -> None:
    track = track_of(5, 0.8, topics=6)
    with pytest.raises(error, match=match):
        stop(track, given.pop("measure", "U"), **given)


def test_what_it_needs() -> None:
    sim = simulate(runs=1, topics=4, depth=10)
    with pytest.raises(UsageError, match="keep_scores"):
        stop(read(sim.qrels, sim.runs), "U")
    track = read(sim.qrels, sim.runs, keep_scores=True)
    with pytest.raises(UsageError, match="two topics"):
        stop(track.select(topics=[track.topics[0]]), "U")
    found = stop(track, "U")
    assert "few-topics" in found.findings.codes
    with pytest.raises(UnknownName, match="run"):
        found.recommendation("x")
    with pytest.raises(UnknownName, match="policy"):
        found.value("x")


def test_lists_out_of_score_order_are_told() -> None:
    track = read(
        {"q1": {"a": 1}, "q2": {"b": 1}},
        {"x": {"q1": {"a": 1, "c": 2}, "q2": {"b": 2, "c": 1}}},
        ties="file",
        keep_scores=True,
    )
    found = stop(track, "U", policies="score-threshold=1.5")
    told = [f for f in found.findings if f.code == "scores-not-in-rank-order"]
    assert [f.count for f in told] == [1]
    assert told[0].examples == ("x:q1",)
    assert found.length("score-threshold=1.5").tolist() == [[0, 1]]
