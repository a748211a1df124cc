"""Ties: how many, what each rule makes of them, and the bounds that no order can exceed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
import naive
from leadline.depths import tie_orders
from leadline.depths.rereading import reread
from leadline.depths.tie_effects import RULES, share_tied, ties
from leadline.depths.tie_orders import spread
from leadline.errors import UnknownName, UsageError
from leadline.rankings.typed import typed
from small_tracks import small_track

seeds = st.integers(0, 10**6)
quick = settings(max_examples=50, deadline=None)

# (name here, naive name, naive options) of measures whose best and worst orders are claimed to be known
CLAIMED: list[tuple[str, str, dict[str, object]]] = [
    ("P@3", "P", {"k": 3}),
    ("P(gain='raw')@3", "P", {"k": 3, "gain": "raw"}),
    ("R@3", "R", {"k": 3}),
    ("Success@2", "Success", {"k": 2}),
    ("Rprec", "Rprec", {}),
    ("RR", "RR", {}),
    ("RR(rel=2)", "RR", {"rel": 2}),
    ("RRi(i=2)", "RRi", {"i": 2}),
    ("ESL(i=1)", "ESL", {"i": 1}),
    ("IPrec@0.5", "IPrec", {"recall": 0.5}),
    ("AP", "AP", {}),
    ("AP(norm='min')@4", "AP", {"k": 4, "norm": "min"}),
    ("AP(judged_only=True)@3", "AP", {"k": 3, "judged_only": True}),
    ("DCG@4", "DCG", {"k": 4}),
    ("nDCG@4", "nDCG", {"k": 4}),
    ("nDCG(discount='zipf', gain='raw-exp')", "nDCG", {"discount": "zipf", "gain": "raw-exp"}),
    ("Bpref", "Bpref", {}),
    ("ERR@4", "ERR", {"k": 4}),
    ("nERR", "nERR", {}),
    ("iRBU(p=0.9)", "iRBU", {"p": 0.9}),
    ("niRBU(p=0.9)", "niRBU", {"p": 0.9}),
    ("RBP(p=0.7)", "RBP", {"p": 0.7}),
    ("nRBP(p=0.7)", "nRBP", {"p": 0.7}),
    ("INSQ(T=2)", "INSQ", {"T": 2}),
    ("SDCG@3", "SDCG", {"k": 3}),
    ("U@3", "U", {"k": 3}),
    ("DCGU", "DCGU", {}),
    ("RBPU(p=0.9)", "RBPU", {"p": 0.9}),
    ("RBU(p=0.9)", "RBU", {"p": 0.9}),
    ("ERRU", "ERRU", {}),
    ("RRT", "RRT", {}),
    ("APT", "APT", {}),
    ("RBPT(p=0.7)", "RBPT", {"p": 0.7}),
    ("nDCGT", "nDCGT", {}),
    ("ERRT", "ERRT", {}),
    ("SetP", "SetP", {}),
    ("SetR", "SetR", {}),
    ("NumRet", "NumRet", {}),
    ("NumRel", "NumRel", {}),
    ("NumRelRet", "NumRelRet", {}),
    ("SetF", "SetF", {}),
    ("AUC(docs=20)", "AUC", {"docs": 20}),
    ("Spearman(docs=20)", "Spearman", {"docs": 20}),
    ("Kendall(docs=20)", "Kendall", {"docs": 20}),
]


# shares ---------------------------------------------------------------------------------------------------------------
@quick
@given(seeds, st.sampled_from([1, 2, 5, 20]), st.booleans())
def test_shares_of_tied_topics_are_the_naive_ones(seed: int, top: int, tied: bool) -> None:
    small = small_track(seed, tied=tied)
    expected = [naive.share_tied(lists, top) for lists in small.runs.values()]
    np.testing.assert_allclose(share_tied(small.track, top), expected)
    found = ties(small.track, "RR", rules=["trec"], top=top)
    assert found.median_share == pytest.approx(naive.lower_median(expected))
    table = found.columns()
    assert table["run"] == [*small.track.runs, "all"]
    assert table["share_tied"][-1] == found.median_share


def test_equal_scores_are_found_in_any_order_of_lines() -> None:
    runs = {"a": {"q": {"x": 1.0, "y": 3.0, "z": 1.0}}}
    track = leadline.read({"q": {"x": 1}}, runs, ties="file", keep_scores=True)
    assert share_tied(track).tolist() == [1.0]
    with pytest.raises(UsageError, match="keep_scores"):
        share_tied(leadline.read({"q": {"x": 1}}, runs))


# rules ----------------------------------------------------------------------------------------------------------------
@quick
@given(seeds)
def test_scores_under_every_rule_are_those_of_reading_so(seed: int) -> None:
    small = small_track(seed, tied=True)
    found = ties(small.track, ["AP", "nDCG@3"], runs=small.scores)
    assert found.rules == RULES
    for rule in RULES:
        fresh = leadline.read(small.qrels, small.scores, ties=rule)
        names = ["nDCG@3"] if rule in ("share", "mean-gain") else ["AP", "nDCG@3"]
        for name in names:
            if rule in leadline.parse(name).ties or rule not in ("share", "mean-gain"):
                expected = leadline.evaluate(fresh, name).mean(name)
                np.testing.assert_allclose(found.mean(rule, name), expected, rtol=1e-12)
    table = found.orders()
    assert list(table) == ["rule_a", "rule_b", "measure", "tau"]
    for a, b, name, tau in zip(*table.values(), strict=True):
        expected_tau = naive.tau_b(found.mean(a, name).round(10).tolist(), found.mean(b, name).round(10).tolist())
        assert (np.isnan(tau) and expected_tau is None) or tau == pytest.approx(expected_tau)
    with pytest.raises(UnknownName):
        found.mean("share", "AP")


def test_rules_that_a_measure_has_not_are_told() -> None:
    small = small_track(2, tied=True)
    found = ties(small.track, ["AP"], rules=["trec", "share"])
    assert "tie-rule-not-defined share" in found.findings.codes
    assert found.orders()["tau"] == []
    with pytest.raises(UnknownName, match="'trec'"):
        ties(small.track, "AP", rules=["treq"])
    with pytest.raises(UsageError, match="runs="):  # dictionaries are gone once they are read
        ties(small.track, "AP", rules=["run"])


def test_scores_and_places_under_each_rule() -> None:
    runs = {"a": {"q": {"x": 1.0, "y": 1.0}}, "b": {"q": {"y": 2.0, "x": 1.0}}}
    found = ties(leadline.read({"q": {"x": 1}}, runs), "RR", rules=["trec", "run"], runs=runs)
    table = found.scores()
    assert list(zip(table["run"], table["rule"], table["value"], table["rank"], strict=True)) == [
        ("a", "trec", 0.5, 1), ("b", "trec", 0.5, 1), ("a", "run", 1.0, 1), ("b", "run", 0.5, 2),
    ]  # fmt: skip


def test_rereading_keeps_what_was_done_to_the_track(tmp_path: Path) -> None:
    made = leadline.simulate.simulate(runs=4, topics=5, depth=20, pool_depth=5, tied=1, rng=2)
    made.write(tmp_path)
    whole = leadline.read(tmp_path / "qrels.txt", tmp_path / "runs")
    track = whole.select(runs=whole.runs[1:], topics=whole.topics[::-1]).pooled(2)
    track = track.relabel(track.judgments.grade + 1).truncated(np.full(15, 9))
    again = reread(track, ties="trec")
    for name in ("AP", "nDCG@5", "Judged@5", "Bpref"):
        np.testing.assert_array_equal(
            leadline.evaluate(again, name).array(name), leadline.evaluate(track, name).array(name)
        )
    assert again.pool_depth == 2
    other = leadline.read(tmp_path / "qrels.txt", tmp_path / "runs", ties="run").select(runs=track.runs)
    by_line = reread(whole.select(runs=track.runs), ties="run")
    np.testing.assert_array_equal(
        leadline.evaluate(by_line, "AP").array("AP"), leadline.evaluate(other, "AP").array("AP")
    )
    with pytest.raises(UsageError, match="typed by hand"):
        reread(typed("1 0 1"))


# the best and the worst order -----------------------------------------------------------------------------------------
def orders(ranking: naive.Ranking) -> Iterator[naive.Ranking]:
    """The list with its tied documents in every order."""
    numbers = naive.tie_blocks(ranking.scores)
    by_block = [[row for row, b in zip(ranking.rows, numbers, strict=True) if b == own] for own in sorted(set(numbers))]
    for chosen in itertools.product(*(set(itertools.permutations(block)) for block in by_block)):
        yield naive.Ranking(tuple(itertools.chain(*chosen)), ranking.scores)


def test_every_claim_is_tried() -> None:
    claimed = tie_orders._ANY_GAINS | tie_orders._CHANCES | tie_orders._WHOLE_LIST
    assert claimed == {name for _, name, _ in CLAIMED}


@settings(max_examples=40, deadline=None)
@given(seeds, st.booleans())
def test_bounds_are_reached_and_never_exceeded(seed: int, negative: bool) -> None:
    small = small_track(seed, runs=2, topics=2, docs=6, tied=True, negative=negative, top=1 + seed % 3)
    found = spread(small.track, [m for m, _, _ in CLAIMED], undefined="nan")
    assert len(found.measures) == len(CLAIMED), "a measure is claimed and not there"
    for m, name, options in CLAIMED:
        lower = leadline.parse(m).higher_is_better
        for r, run in enumerate(small.track.runs):
            for t, topic in enumerate(small.topics):
                scored = [
                    naive.score(name, topic, x, gmax=small.gmax, **options)  # type: ignore[arg-type]
                    for x in orders(small.runs[run][t])
                ]
                values = [np.nan if v is None else v for v in scored]
                ends = (min(values), max(values)) if lower else (max(values), min(values))
                got = (found.worst(m)[r, t], found.best(m)[r, t])
                np.testing.assert_allclose(got, ends, rtol=1e-9, atol=1e-12, err_msg=f"{m} of {small.runs[run][t]}")


def test_q_is_known_with_one_gain_only() -> None:
    binary = small_track(3, docs=6, tied=True, top=1)
    found = spread(binary.track, "Q")
    for r, run in enumerate(binary.track.runs):
        for t, topic in enumerate(binary.topics):
            values = [naive.score("Q", topic, x, undefined=0.0) for x in orders(binary.runs[run][t])]
            assert (found.worst("Q")[r, t], found.best("Q")[r, t]) == pytest.approx((min(values), max(values)))  # type: ignore[type-var]


def test_measures_whose_order_is_unknown_are_left_out() -> None:
    small = small_track(3, tied=True, top=2)
    names = ["Q", "OIE", "infAP", "Judged@3", "AP(norm='pool')@3", "nDCG(ideal='k')@3", "ERR(gain='raw')"]
    found = spread(small.track, ["RR", *names])
    assert [str(m) for m in found.measures] == ["RR"]
    (told,) = [f for f in found.findings if f.code == "spread-unknown"]
    assert told.count == len(names)
    with pytest.raises(UnknownName):
        found.best("Q")
    with pytest.raises(UsageError, match="no order"):
        spread(leadline.read(small.qrels, small.scores, ties="file"), "RR")


def test_the_spread_holds_every_rule() -> None:
    made = leadline.simulate.simulate(runs=6, topics=12, depth=30, pool_depth=10, tied=0.7, rng=5)
    track = leadline.read(made.qrels, made.runs, keep_scores=True)
    found = ties(track, ["AP", "nDCG@10", "RBP(p=0.8)"], runs=made.runs, rules=["trec", "run", "mean-gain"])
    table = found.spread.columns()
    assert list(table) == ["run", "measure", "worst", "value", "best", "spread"]
    assert max(table["spread"]) > 0
    for rule in found.rules:
        for m in found.measures:
            if rule != "mean-gain" or rule in m.ties:
                means = found.mean(rule, m)
                low, high = m.aggregate(found.spread.worst(m)), m.aggregate(found.spread.best(m))
                assert (low - 1e-12 <= means).all()
                assert (means <= high + 1e-12).all()
