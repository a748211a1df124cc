"""What is studied about preferences: orders, ties, locality, suffix prediction, removal, one decision explained."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import leadline
import naive_systems as slow
from leadline.errors import UnknownName, UsageError
from leadline.rankings.track import Track
from leadline.systems.explain import explain_preference
from leadline.systems.locality import locality
from leadline.systems.preference_orders import ORDERS, preference_orders
from leadline.systems.recall_levels import smaller_counts
from leadline.systems.removal import removal
from leadline.systems.suffix import suffix_agreement
from leadline.systems.tie_chances import deciding_levels, tie_chances, tie_probability, value_growth
from strategies import few
from test_prefer import Ranks, rankings, simulated, track_of


def pairs_of(ranks: Ranks) -> list[tuple[list[int], list[int]]]:
    """All pairs of lists, topic by topic."""
    return [
        (ranks[a][t], ranks[b][t])
        for a, b in itertools.combinations(range(len(ranks)), 2)
        for t in range(len(ranks[0]))
    ]


@pytest.mark.parametrize("preference", ["rrLP", "sgnLP", "RPP"])
@few(40)
@given(rankings())
def test_orders_equal_naive(preference: str, case: tuple[Ranks, list[int]]) -> None:
    found = leadline.prefer(track_of(*case), preference)
    prefs = found.tensor(preference).transpose(2, 0, 1).tolist()
    naive = {"mean": slow.order_by_mean, "borda": slow.borda, "copeland": slow.copeland, "mc4": slow.mc4}
    assert set(naive) == set(ORDERS)
    orders = preference_orders(found)
    for (_, method), score in orders.scores.items():
        np.testing.assert_allclose(score, naive[method](prefs), rtol=1e-9, atol=1e-12)


def test_order_columns_share_ranks() -> None:
    found = leadline.prefer(track_of([[[2]], [[1]], [[2]]], [1]), "sgnLP")
    columns = preference_orders(found, ["borda"]).columns()
    assert columns["run"] == ["run1", "run0", "run2"]
    assert columns["rank"] == [1, 2, 2]
    assert columns["score"] == [2.0, 0.5, 0.5]
    with pytest.raises(UnknownName, match="copeland"):
        preference_orders(found, ["copland"])
    with pytest.raises(UnknownName, match="sgnLP borda"):
        preference_orders(found, ["borda"]).order("sgnLP", "mean")
    with pytest.raises(UsageError, match="all pairs"):
        preference_orders(leadline.prefer(track_of([[[2]], [[1]]], [1]), baseline="run0"))


@few(60)
@given(st.integers(1, 60), st.data())
def test_tie_probability_equals_the_formula(n: int, data: st.DataObject) -> None:
    m, p1 = data.draw(st.integers(1, n)), data.draw(st.integers(1, n))
    assert float(tie_probability(n, m, p1)) == pytest.approx(slow.tie_probability(n, m, p1), rel=1e-11)
    k = data.draw(st.integers(0, n - m))
    assert value_growth(n, m, k) == pytest.approx(slow.value_growth(n, m, k), rel=1e-11)


def test_tie_probabilities_sum_to_one() -> None:
    assert float(tie_probability(50_000, 7, np.arange(1, 50_001)).sum()) == pytest.approx(1, rel=1e-11)
    assert float(tie_probability(50_000, 100, 1)) == pytest.approx(math.comb(49_999, 99) / math.comb(50_000, 100))
    with pytest.raises(UsageError, match="m must be"):
        tie_probability(3, 4, 1)
    with pytest.raises(UsageError, match="start at 1"):
        tie_probability(3, 1, [0, 1])


@few(50)
@given(rankings())
def test_deciding_levels_equal_counting(case: tuple[Ranks, list[int]]) -> None:
    ranks, relevant = case
    found = deciding_levels(track_of(ranks, relevant), levels=6)
    pairs = pairs_of(ranks)
    level = [slow.deciding_level(p, q) or 0 for p, q in pairs]
    assert found.lp_ties == pytest.approx(level.count(0) / len(pairs))
    assert found.rr_ties == pytest.approx(sum(slow.delta_rr(p, q, 1) == 0 for p, q in pairs) / len(pairs))
    assert found.decided == pytest.approx([level.count(i) / len(pairs) for i in range(1, 7)])
    made = len(pairs) - level.count(0)
    if made:
        expected = [sum(0 < v <= i for v in level) / made for i in range(1, 7)]
        assert found.cumulative == pytest.approx(expected)
    for i in range(1, 7):
        having = [t for t, m in enumerate(relevant) if m >= i]
        own = [slow.delta_rr(a[t], b[t], i) == 0 for a, b in itertools.combinations(ranks, 2) for t in having]
        assert found.topics[i - 1] == len(having)
        assert np.isnan(found.tied[i - 1]) if not own else found.tied[i - 1] == pytest.approx(np.mean(own))


@few(50)
@given(rankings())
def test_tie_chances_equal_counting(case: tuple[Ranks, list[int]]) -> None:
    ranks, relevant = case
    track = track_of(ranks, relevant)
    found = tie_chances(track)
    longest = track.lengths.reshape(track.shape).max(axis=0)
    by_rank: dict[int, list[tuple[float, float]]] = {}
    for a, run in enumerate(ranks):
        for t, p in enumerate(run):
            if p:
                others = [q[t][:1] == p[:1] for b, q in enumerate(ranks) if b != a]
                chance = slow.tie_probability(max(int(longest[t]), relevant[t]), relevant[t], p[0])
                by_rank.setdefault(p[0], []).append((float(np.mean(others)), chance))
    assert found.rank.tolist() == sorted(by_rank)
    assert found.lists.tolist() == [len(by_rank[r]) for r in sorted(by_rank)]
    means = [np.mean(by_rank[r], axis=0) for r in sorted(by_rank)]
    np.testing.assert_allclose(found.observed, [m[0] for m in means], rtol=1e-12)
    np.testing.assert_allclose(found.expected, [m[1] for m in means], rtol=1e-11)


def rich(runs: int = 5, topics: int = 12, seed: int = 2) -> tuple[Ranks, list[int]]:
    """Lists with many relevant documents and many ties at the top."""
    rng = np.random.default_rng(seed)
    ranks = [
        [sorted({1, *rng.integers(1, 14, 8).tolist()} - ({1} if rng.random() < 0.3 else set())) for _ in range(topics)]
        for _ in range(runs)
    ]
    return ranks, [14] * topics


def test_locality_correlations_equal_naive() -> None:
    ranks, relevant = rich()
    found = locality(track_of(ranks, relevant), levels=6)
    pairs = pairs_of(ranks)
    for i, j in itertools.product(range(1, 7), repeat=2):
        assert found.correlation[i - 1, j - 1] == pytest.approx(slow.locality(pairs, i, j), abs=1e-10)
    assert len(found.columns()["correlation"]) == 36


@pytest.mark.parametrize("signs", [False, True])
@pytest.mark.parametrize("tied_before", [False, True])
def test_locality_regression_equals_naive(signs: bool, tied_before: bool) -> None:
    ranks, relevant = rich(runs=7, topics=25)
    found = locality(track_of(ranks, relevant), levels=6, signs=signs, tied_before=tied_before)
    pairs = pairs_of(ranks)
    for i in (1, 2):
        expected = slow.locality_regression(pairs, i, tied_before=tied_before, signs=signs)
        own = [found.constant[i - 1], *found.coefficient[i - 1]]
        np.testing.assert_allclose(own, expected, rtol=1e-8, atol=1e-10)
        kept = sum(not tied_before or (slow.deciding_level(p, q) or 99) >= i for p, q in pairs)
        assert found.pairs[i - 1] == kept
    assert found.regression_columns()["ahead"][:6].tolist() == [0, 1, 2, 3, 4, 0]


def test_locality_without_variation_is_undefined() -> None:
    found = locality(track_of([[[1]], [[2]]], [1]), levels=5)
    assert np.isnan(found.correlation[1:, 1:]).all()
    assert np.isnan(found.coefficient).all()


@few(60)
@given(rankings())
def test_suffix_equals_naive(case: tuple[Ranks, list[int]]) -> None:
    ranks, relevant = case
    found = suffix_agreement(track_of(ranks, relevant))
    pairs = pairs_of(ranks)
    lexicographic = slow.suffix_agreement(pairs, slow.sgnLP)
    assume(lexicographic is not None)
    assert found.lexicographic == pytest.approx(lexicographic)
    assert found.second == pytest.approx(slow.suffix_agreement(pairs, slow.delta_rr1))
    assert found.pairs == sum(slow.delta_rr(p, q, 1) != 0 for p, q in pairs)


def test_suffix_without_decisions_is_undefined() -> None:
    assert np.isnan(suffix_agreement(track_of([[[1]], [[1]]], [1])).lexicographic)


def rank_of(track: Track, run: int, topic: int, gone: set[int]) -> list[int]:
    """Ranks of the relevant judgments of a list that are not removed."""
    one = track.entries.block(run * len(track.topics) + topic, run * len(track.topics) + topic + 1)
    pairs = zip(one.rank.tolist(), one.row.tolist(), strict=True)
    return sorted(r for r, row in pairs if row not in gone and track.judgments.grade[row] >= 1)


PREDICTORS = {"RR": slow.delta_rr1, "rrLP": slow.rrLP, "sgnLP": slow.sgnLP}


@few(25)
@given(rankings(), st.sampled_from([0.0, 0.3, 0.7]), st.integers(0, 99))
def test_label_removal_equals_naive_on_the_same_draws(case: tuple[Ranks, list[int]], share: float, seed: int) -> None:
    ranks, relevant = case
    track = track_of(ranks, relevant)
    found = removal(track, "labels", shares=[share], samples=2, rng=seed)
    generator = np.random.default_rng(seed)
    systems = list(itertools.combinations(range(len(ranks)), 2))
    for s in range(2):
        order = generator.permutation(sum(relevant))
        gone = set(order[: int(share * len(order))].tolist())
        full = [[(ranks[a][t], ranks[b][t]) for t in range(len(relevant))] for a, b in systems]
        part = [[(rank_of(track, a, t, gone), rank_of(track, b, t, gone)) for t in range(len(relevant))]
                for a, b in systems]  # fmt: skip
        flat = [list(itertools.chain.from_iterable(pairs)) for pairs in (full, part)]
        for i, name in enumerate(found.predictors):
            expected = slow.ranking_agreement(*flat, PREDICTORS[name])
            assert found.ranking[i, 0, s] == pytest.approx(np.nan if expected is None else expected, nan_ok=True)
            expected = slow.system_agreement(full, part, PREDICTORS[name])
            assert found.system[i, 0, s] == pytest.approx(np.nan if expected is None else expected, nan_ok=True)
            assert found.ties[i, 0, s] == pytest.approx(np.mean([PREDICTORS[name](p, q) == 0 for p, q in flat[1]]))


@few(25)
@given(rankings(), st.integers(0, 99))
def test_request_removal_equals_naive_on_the_same_draws(case: tuple[Ranks, list[int]], seed: int) -> None:
    ranks, relevant = case
    found = removal(track_of(ranks, relevant), "requests", shares=[0.5], samples=1, rng=seed)
    order = np.random.default_rng(seed).permutation(len(relevant))
    kept = order[: max(1, len(order) - len(order) // 2)]
    systems = list(itertools.combinations(range(len(ranks)), 2))
    full = [[(ranks[a][t], ranks[b][t]) for t in range(len(relevant))] for a, b in systems]
    part = [[pairs[t] for t in kept] for pairs in full]
    for i, name in enumerate(found.predictors):
        expected = slow.system_agreement(full, part, PREDICTORS[name])
        assert found.system[i, 0, 0] == pytest.approx(np.nan if expected is None else expected, nan_ok=True)
    assert np.isnan(found.ranking).all()


def test_removal_reports() -> None:
    track = simulated()
    found = removal(track, samples=3, rng=7)
    assert found.seed == 7
    again = removal(track, samples=3, rng=7)
    assert np.array_equal(found.ranking, again.ranking)
    assert not np.array_equal(found.ranking, removal(track, samples=3, rng=8).ranking)
    assert (found.ranking[:, 0] == 1).all()  # nothing removed: the refinement agrees by construction
    assert np.array_equal(found.ranking[1], found.ranking[2])  # rrLP and sgnLP share their signs
    columns = found.columns()
    assert {len(c) for c in columns.values()} == {30}
    assert columns["ranking_sd"][0] == 0
    assert columns["system_sd"][:10] == pytest.approx(found.system[0].std(axis=1, ddof=1))
    assert (removal(track, samples=1, rng=7).columns()["system_sd"] == 0).all()
    for wrong in ([1.0], [-0.1], [[0.1]]):
        with pytest.raises(UsageError, match="within"):
            removal(track, shares=wrong)
    with pytest.raises(UsageError, match="labels"):
        removal(track, "documents")  # type: ignore[arg-type]


def test_explanation() -> None:
    track = leadline.read(
        {"q": {"d1": 1, "d2": 2, "d3": 1, "d4": 0}},
        {"x": {"q": {"d1": 9, "d4": 8, "d2": 7, "e": 6}}, "y": {"q": {"d2": 9, "d4": 8, "e": 7, "d3": 6, "d1": 5}}},
    )
    told = explain_preference(track, "q", "x", "y")
    assert told.signs == ("#o#.", "#o.##")
    assert told.level == 2
    assert told.value == pytest.approx(1 / 3 - 1 / 4)
    assert "recall level 2 of 3 decides: rank 3 against 4, so x is preferred" in told.verdict
    columns = told.columns()
    assert columns["rank_a"] == [1, 3, None]
    assert columns["doc_a"] == ["d1", "d2", None]
    assert columns["doc_b"] == ["d2", "d3", "d1"]
    assert columns["decides"] == [False, True, False]
    assert columns["delta"][2] == pytest.approx(-1 / 5)
    recall = explain_preference(track, "q", "x", "y", "LR")
    assert recall.level == 3
    assert "unretrieved" in recall.verdict
    assert "so y is preferred" in recall.verdict
    assert "both are ahead on as many levels" in explain_preference(track, "q", "x", "y", "RPP").verdict
    assert "y is ahead on more" in explain_preference(track, "q", "x", "y", "RPP", rel=2).verdict
    assert explain_preference(track, "q", "x", "x").verdict.startswith("rrLP: a tie")
    graded = explain_preference(track, "q", "x", "y", rel=2)
    assert graded.signs == ("oo#.", "#o.oo")
    with pytest.raises(UnknownName, match="topic"):
        explain_preference(track, "p", "x", "y")


@pytest.mark.parametrize("study", [deciding_levels, locality, removal, suffix_agreement, tie_chances])
def test_studies_need_two_runs_and_relevant_documents(study: Any) -> None:
    """Documents judged irrelevant are no recall levels, unless rel= says so."""
    with pytest.raises(UsageError, match="two runs at least"):
        study(track_of([[[1]]], [1]))
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "r": {"a": 0, "b": 1, "c": 2}}
    runs = {"x": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"b": 2.0, "a": 1.0}},
            "y": {"q": {"b": 3.0, "c": 2.0, "a": 1.0}, "r": {"a": 3.0, "c": 2.0, "b": 1.0}}}  # fmt: skip
    track = leadline.read(qrels, runs)
    assert shown(study(track)) == shown(study(track, rel=1)) != shown(study(track, rel=0))


def shown(found: Any) -> str:
    return str([np.asarray(column).tolist() for column in found.columns().values()])


def test_counts_over_no_levels_are_none() -> None:
    assert smaller_counts(np.zeros((2, 3, 0), np.int32)).tolist() == np.zeros((2, 2, 3)).tolist()
