"""Preferences between rankings: fast equals naive, ties only where they must be, tests as defined."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

import leadline
import naive_systems as slow
from leadline.errors import NothingToEvaluate, UnknownName, UsageError
from leadline.rankings.entries import Entries
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track
from leadline.stats import tukey_hsd
from leadline.systems import recall_levels
from leadline.systems.preference_names import PREFERENCES, Preference, parse_preference
from leadline.systems.recall_levels import UNRANKED, first_differences
from strategies import few

Ranks = list[list[list[int]]]  # [run][topic]: ranks of the retrieved relevant documents


def track_of(ranks: Ranks, relevant: list[int]) -> Track:
    """A Track whose lists hold the relevant documents at the given ranks; which document stands where is arbitrary."""
    starts = np.concatenate([[0], np.cumsum(relevant)])
    rank, row, offsets, lengths = [], [], [0], []
    for r, run in enumerate(ranks):
        for t, own in enumerate(run):
            rank += own
            row += [int(starts[t]) + (i + r) % max(relevant[t], 1) for i in range(len(own))]
            offsets.append(len(rank))
            lengths.append(max(own, default=0) + r)
    return Track(
        runs=[f"run{r}" for r in range(len(ranks))],
        topics=[f"t{t}" for t in range(len(relevant))],
        judgments=Judgments(starts.astype(np.int64), np.ones((int(starts[-1]), 1), np.int32)),
        entries=Entries(np.array(rank, np.int32), np.array(row, np.int32), np.array(offsets, np.int64)),
        lengths=np.array(lengths, np.int64),
        answered=np.array([n > 0 for n in lengths]),
    )


@st.composite
def rankings(draw: st.DrawFn, least_runs: int = 2) -> tuple[Ranks, list[int]]:
    """Short lists in few ranks, so that ties at any level are common."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    runs, topics = draw(st.integers(least_runs, 6)), draw(st.integers(1, 5))
    relevant = rng.integers(1, 6, topics).tolist()
    longest = draw(st.sampled_from([3, 6, 40]))

    def one(m: int) -> list[int]:
        found = int(rng.integers(0, min(m, longest) + 1))
        return sorted(rng.choice(longest, found, replace=False).tolist())

    return [[[1 + r for r in one(m)] for m in relevant] for _ in range(runs)], relevant


NAIVE = {
    "rrLP": lambda p, q, m: slow.rrLP(p, q),
    "sgnLP": lambda p, q, m: slow.sgnLP(p, q),
    "LR": lambda p, q, m: slow.LR(p, q),
    "RPP": slow.RPP,
    "RR": lambda p, q, m: slow.delta_rr1(p, q),
}


def test_every_preference_has_a_naive_one() -> None:
    assert set(NAIVE) == set(PREFERENCES)


@pytest.mark.parametrize("name", NAIVE)
@few(60)
@given(rankings())
def test_fast_equals_naive(name: str, case: tuple[Ranks, list[int]]) -> None:
    ranks, relevant = case
    found = leadline.prefer(track_of(ranks, relevant), name)
    for k, (a, b) in enumerate(itertools.combinations(range(len(ranks)), 2)):
        expected = [NAIVE[name](ranks[a][t], ranks[b][t], m) for t, m in enumerate(relevant)]
        np.testing.assert_allclose(found.array(name)[k], expected, rtol=1e-12, atol=0)
        assert found[name].tests.wins[k] == sum(v > 0 for v in expected)
        assert found[name].tests.losses[k] == sum(v < 0 for v in expected)


@few(60)
@given(rankings())
def test_deciding_level_and_ties(case: tuple[Ranks, list[int]]) -> None:
    ranks, relevant = case
    found = leadline.prefer(track_of(ranks, relevant), ["rrLP", "sgnLP", "RR"])
    for k, (a, b) in enumerate(itertools.combinations(range(len(ranks)), 2)):
        for t in range(len(relevant)):
            p, q = ranks[a][t], ranks[b][t]
            assert found["rrLP"].level[k, t] == (slow.deciding_level(p, q) or 0)
            assert (found["rrLP"].value[k, t] == 0) == (p == q)  # a tie: the same positions
    assert np.array_equal(np.sign(found.array("rrLP")), found.array("sgnLP"))
    decided = found.array("RR") != 0
    assert np.array_equal(found.array("rrLP")[decided], found.array("RR")[decided])
    for name in ("rrLP", "sgnLP"):
        tensor = found.tensor(name)
        assert np.array_equal(tensor, -tensor.swapaxes(0, 1))


@few(60)
@given(rankings())
def test_level_that_decides_lexirecall(case: tuple[Ranks, list[int]]) -> None:
    """The first level that one of them misses, or else the last one on which they differ."""
    ranks, relevant = case
    level = leadline.prefer(track_of(ranks, relevant), "LR")["LR"].level
    for k, (a, b) in enumerate(itertools.combinations(range(len(ranks)), 2)):
        for t in range(len(relevant)):
            p, q = ranks[a][t], ranks[b][t]
            differing = [i for i, (x, y) in enumerate(zip(p, q, strict=False), 1) if x != y]
            expected = min(len(p), len(q)) + 1 if len(p) != len(q) else max(differing, default=0)
            assert level[k, t] == expected


@few(30)
@given(rankings(), st.integers(0, 5))
def test_swapped_runs_swap_the_sign(case: tuple[Ranks, list[int]], shift: int) -> None:
    """Antisymmetry of the computation itself, not of the tensor built from it."""
    ranks, relevant = case
    track = track_of(ranks, relevant)
    order = np.roll(np.arange(len(ranks)), shift).tolist()
    turned = track.select(runs=[track.runs[i] for i in reversed(order)])
    for name in NAIVE:
        one, other = leadline.prefer(track, name), leadline.prefer(turned, name)
        places = [one.runs.index(r) for r in other.runs]
        assert np.array_equal(one.tensor(name)[np.ix_(places, places)], other.tensor(name))


def test_sgn_lp_orders_all_binary_lists_of_length_12_like_mu() -> None:
    """A shorter list is one of these with zeros at its end, which shifts every μ alike."""
    n = 12
    lists = list(itertools.product([1, 0], repeat=n))
    ranks = np.full((len(lists), 1, n), UNRANKED, np.int32)
    mu = np.empty(len(lists), np.int64)
    for i, bits in enumerate(lists):
        p = [r for r, b in enumerate(bits, 1) if b]
        ranks[i, 0, : len(p)] = p
        mu[i] = slow.mu_LP(p, n)
    assert len(np.unique(mu)) == len(lists)
    first, second = np.triu_indices(len(lists), 1)
    best = ranks[:, 0, 0].astype(np.int64)
    shuffled = np.random.default_rng(3).permutation(len(lists))  # the order of the rows must not matter
    place = np.argsort(shuffled)
    for start in range(0, len(first), 1 << 20):
        a, b = first[start : start + (1 << 20)], second[start : start + (1 << 20)]
        _, sign = first_differences(ranks[shuffled], place[a], place[b])
        assert np.array_equal(sign[:, 0], np.sign(mu[a] - mu[b]))
        by_rr = np.sign(best[b] - best[a])
        assert np.array_equal(sign[by_rr != 0, 0], by_rr[by_rr != 0])


def test_blocks_of_topics_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    relevant = rng.integers(1, 9, 40).tolist()
    ranks = [[sorted(1 + rng.choice(12, rng.integers(0, m + 1), False)) for m in relevant] for _ in range(4)]
    track = track_of([[list(map(int, p)) for p in run] for run in ranks], relevant)
    whole = {name: leadline.prefer(track, name) for name in NAIVE}
    monkeypatch.setattr(recall_levels, "_CELLS", 64)
    for name, found in whole.items():
        assert np.array_equal(leadline.prefer(track, name).array(name), found.array(name))


def test_deep_ranks_do_not_tie() -> None:
    """RBP(0.5) cannot tell a hit at rank 54 from none after a hit at rank 1; integers can."""
    track = track_of([[[1, 54]], [[1]], [[1, 2_000_000_000]], [[1, 2_000_000_001]]], [3])
    found = leadline.prefer(track, ["rrLP", "sgnLP"])
    assert found.array("sgnLP").ravel().tolist() == [1, 1, 1, -1, -1, 1]
    assert (found.array("rrLP") != 0).all()


def test_unretrieved_and_missing_topics() -> None:
    track = leadline.read(
        {"q": {"a": 1, "b": 2}, "r": {"a": 0}},
        {"x": {"q": {"a": 1.0}, "r": {"a": 1.0}}, "y": {"r": {"a": 1.0}}, "z": {"q": {"c": 1.0}}},
    )
    found = leadline.prefer(track, ["rrLP", "LR", "RPP"])
    assert found["rrLP"].topics == ("q",)  # r has nothing relevant
    assert found.array("rrLP").ravel().tolist() == [1.0, 1.0, 0.0]
    assert found.array("RPP").ravel().tolist() == [0.5, 0.5, 0.0]
    assert {"topics-without-relevant", "topics-without-ranking"} <= found.findings.codes
    strict = leadline.prefer(track, "rrLP(rel=2)")
    assert strict.array("rrLP(rel=2)").ravel().tolist() == [0.0, 0.0, 0.0]


def simulated(runs: int = 6, topics: int = 30, seed: int = 4) -> Track:
    made = leadline.simulate.simulate(runs=runs, topics=topics, depth=40, pool_depth=20, rng=seed)
    return leadline.read(made.qrels, made.runs)


def test_tests_are_those_of_scipy() -> None:
    track = simulated()
    found = leadline.prefer(track, ["rrLP", "sgnLP"], correction="holm")
    for k in range(len(found.first)):
        z = found.array("rrLP")[k]
        assert found["rrLP"].tests.p[k] == pytest.approx(sp.ttest_1samp(z, 0).pvalue, rel=1e-9)
        s = found.array("sgnLP")[k]
        expected = sp.binomtest(int((s > 0).sum()), int((s != 0).sum())).pvalue
        assert found["sgnLP"].tests.p[k] == pytest.approx(expected, rel=1e-9)
    assert found["rrLP"].p_adjusted == pytest.approx(slow.holm(found["rrLP"].tests.p.tolist()), rel=1e-12)


def test_hsd_on_preferences() -> None:
    track = simulated()
    found = leadline.prefer(track, ["RR", "rrLP"], test="tukey")
    scores = leadline.evaluate(track, "RR").array("RR")
    kept = [track.topics.index(t) for t in found["RR"].topics]
    assert found["RR"].tests.p == pytest.approx(tukey_hsd(scores[:, kept]).p, rel=1e-9)  # differences of scores
    pairs = list(itertools.combinations(range(len(track.runs)), 2))
    deltas = dict(zip(pairs, found.array("rrLP").tolist(), strict=True))
    expected = slow.tukey_hsd_preferences(deltas, len(track.runs))
    assert found["rrLP"].tests.p == pytest.approx([expected[p] for p in pairs], rel=1e-8, abs=1e-12)


def test_baseline_is_part_of_all_pairs() -> None:
    track = simulated()
    whole, some = leadline.prefer(track), leadline.prefer(track, baseline=track.runs[2])
    for k, i in enumerate(some.first):
        assert np.array_equal(some.array("rrLP")[k], whole.tensor("rrLP")[i, 2])
    assert np.isnan(some.matrix("rrLP")[0, 1])


def test_columns_and_summary() -> None:
    track = simulated(runs=3, topics=5)
    found = leadline.prefer(track, ["rrLP", "RPP"])
    columns = found.columns()
    assert list(columns) == ["a", "b", "preference", "value", "wins", "ties", "losses", "p"]
    assert {len(c) for c in columns.values()} == {6}
    assert list(found.columns(adjusted=True))[-2:] == ["p_adjusted", "significant"]
    per_topic = found.topic_columns()
    assert {len(c) for c in per_topic.values()} == {6 * len(found["rrLP"].topics)}
    assert per_topic["level"][-1] is None
    assert found.summary()["ties"] == [float((found.array(p) == 0).mean()) for p in ("rrLP", "RPP")]


def test_names() -> None:
    assert parse_preference("RRLP") == Preference("rrLP")
    assert parse_preference("sgnLP", rel=2) == Preference("sgnLP", 2)
    assert parse_preference("LR(rel=3)", rel=2) == Preference("LR", 3)
    assert parse_preference(str(Preference("RPP", 2))) == Preference("RPP", 2)
    with pytest.raises(UnknownName, match="rrLP"):
        parse_preference("rrLB")
    with pytest.raises(UsageError, match="write it like"):
        parse_preference("rrLP@10")


def test_refusals() -> None:
    track = simulated(runs=3, topics=5)
    with pytest.raises(UsageError, match="two runs"):
        leadline.prefer(track.select(runs=track.runs[:1]))
    with pytest.raises(UsageError, match="all pairs"):
        leadline.prefer(track, test="tukey", baseline=track.runs[0])
    with pytest.raises(UnknownName, match="bootstrap"):
        leadline.prefer(track, test="bootstrap")
    with pytest.raises(UnknownName, match="run"):
        leadline.prefer(track, baseline="nobody")
    with pytest.raises(UnknownName, match="sgnLP"):
        leadline.prefer(track, "rrLP").array("sgnLP")
    with pytest.raises(NothingToEvaluate, match="relevant"):
        leadline.prefer(track, "rrLP(rel=9)")
    with pytest.raises(UsageError, match="share"):
        leadline.prefer(leadline.read({"q": {"a": 1}}, {"x": {"q": {"a": 1}}, "y": {"q": {"a": 1}}}, ties="share"))
