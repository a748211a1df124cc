"""Pools: growth, figures by run, leave-one-out and what to judge next, against the naive definitions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
import naive
from leadline.depths import reduced
from leadline.depths.judging import rank_weights, to_judge
from leadline.depths.leave_out import competition_ranks, leave_out
from leadline.depths.pools import group_file, groups_by_name, judged_to, pool, pool_depth, pool_runs
from leadline.depths.reduced import Look, Observed
from leadline.errors import InputError, UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import GainMeasure, Measure
from leadline.measures.explain import usual
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.rankings.view import Floats, Rankings
from small_tracks import Small, small_track

seeds = st.integers(0, 10**6)
quick = settings(max_examples=50, deadline=None)

# Every way in which a measure can depend on judgments: hits, gains, ideals, pools, counts, condensed lists.
MEASURES: list[tuple[str, str, dict[str, Any]]] = [
    ("AP", "AP", {}),
    ("AP(norm='pool')@3", "AP", {"norm": "pool", "k": 3}),
    ("AP(judged_only=True)@5", "AP", {"judged_only": True, "k": 5}),
    ("nDCG@5", "nDCG", {"k": 5}),
    ("nDCG(ideal='k')@3", "nDCG", {"ideal": "k", "k": 3}),
    ("Q(norm='pool', ideal='k')@4", "Q", {"norm": "pool", "ideal": "k", "k": 4}),
    ("RBP(p=0.8)", "RBP", {}),
    ("ERR", "ERR", {}),
    ("Bpref", "Bpref", {}),
    ("infAP", "infAP", {}),
    ("Bpref(judged_only=True)", "Bpref", {"judged_only": True}),
    ("Judged@4", "Judged", {"k": 4}),
    ("Rprec", "Rprec", {}),
    ("Kendall(docs=30)", "Kendall", {"docs": 30}),
]
GROUPS = {"r0": "x", "r1": "y", "r2": "x", "r3": "y", "r4": "z"}


def drawn(seed: int, **more: Any) -> Small:
    """A small track with the settings that a seed picks."""
    contributors = ["r0", "r2", "r3"] if seed % 3 == 0 else None
    return small_track(seed, negative=seed % 2 == 0, tied=seed % 5 == 0, contributors=contributors, **more)


def contributors_of(small: Small) -> list[str]:
    return [r for r, c in zip(small.track.runs, small.track.contributors, strict=True) if c]


# growth and figures by run --------------------------------------------------------------------------------------------
@quick
@given(seeds)
def test_growth_is_the_naive_one(seed: int) -> None:
    small = drawn(seed)
    depths = [1, 2, 4, 9, 20]
    for rel in (1, 2):
        expected = naive.pool_growth(small.topics, depths, rel)
        found = pool(small.track, depths=depths, rel=rel).columns()
        assert list(found) == ["depth", "judged", "relevant", "new_rate"]
        assert found["judged"].tolist() == [row[1] for row in expected]
        assert found["relevant"].tolist() == [row[2] for row in expected]
        rates = [np.nan if row[3] is None else row[3] for row in expected]
        np.testing.assert_allclose(found["new_rate"], rates, rtol=1e-12)


def test_growth_ends_where_the_pool_does_and_tells_what_is_outside() -> None:
    runs = {"a": {"q": {f"d{i}": -float(i) for i in range(6)}}}
    track = leadline.read({"q": {"d0": 1, "d3": 1, "elsewhere": 1}}, runs)
    found = pool(track)
    assert found.depths.tolist() == [1, 2, 3, 4]
    assert found.relevant.tolist() == [1, 1, 1, 2]
    assert [f.count for f in found.findings if f.code == "judgments-outside-pool"] == [1]
    with pytest.raises(UsageError, match="≥ 1"):
        pool(track, depths=[0, 5])


@quick
@given(seeds)
def test_figures_by_run_are_the_naive_ones(seed: int) -> None:
    small = drawn(seed)
    depths = [1, 3, 8]
    found = pool_runs(small.track, depths=depths)
    for i, d in enumerate(depths):
        for r, run in enumerate(small.track.runs):
            for t, (topic, ranking) in enumerate(zip(small.topics, small.runs[run], strict=True)):
                figures = found.rel_in_pool[i, r, t], found.rank_unjudged[i, r, t], found.rel_past[i, r, t]
                assert figures == naive.pool_figures(topic, ranking, d)


def test_columns_by_run_hold_means_and_deviations() -> None:
    small = small_track(5)
    found = pool_runs(small.track, depths=[2, 4])
    table = found.columns()
    assert list(table)[:2] == ["run", "depth"]
    assert table["run"] == [*small.track.runs, "all"] * 2
    for name in ("rel_in_pool", "rank_unjudged", "rel_past"):
        values = getattr(found, name)
        assert table[name][6 + 1] == pytest.approx(values[1, 1].mean())
        assert table[f"{name}_sd"][6 + 1] == pytest.approx(values[1, 1].std(ddof=1))
        assert table[name][-1] == pytest.approx(values[1].mean())
        assert table[f"{name}_sd"][-1] == pytest.approx(values[1].std(ddof=1))


def test_contributors_are_found_by_what_is_judged() -> None:
    shallow = leadline.simulate.simulate(
        runs=8, topics=10, depth=40, pool_depth=7, contributing=0.5, tied=0, truncated=0, missing=0, nil=0, rng=3
    )
    track = leadline.read(shallow.qrels, shallow.runs)
    found = pool_runs(track, depths=[7])
    assert set(found.contributed(7)) >= set(shallow.contributors)
    assert set(found.contributed(12)) < set(track.runs)
    findings = Findings()
    declared = track.declare_pool(None, shallow.contributors)
    assert pool_depth(declared, findings) == 7
    assert findings.codes == {"pool-depth-assumed"}
    assert pool_depth(track.declare_pool(9)) == 9


def test_a_track_without_a_common_depth_has_none() -> None:
    track = leadline.read({"q": {"y": 1}}, {"a": {"q": {"x": 2.0, "y": 1.0}}, "b": {"q": {"z": 2.0, "y": 1.0}}})
    findings = Findings()
    assert judged_to(track).tolist() == [0, 0]
    assert pool_depth(track, findings) is None
    assert "all judgments" in str(findings)


# leave one out --------------------------------------------------------------------------------------------------------
def expected_changes(
    small: Small, name: str, options: dict[str, Any], left: list[str], run: str, depth: int
) -> tuple[float, int]:
    """The naive leave-out experiment; means that agree to ten decimals share a rank."""
    topics = [replace(t, pool_depth=depth) for t in small.topics]
    everyone = contributors_of(small)
    rest = [r for r in everyone if r not in left]
    base, new = (
        naive.pooled_means(name, topics, small.runs, who, depth, gmax=small.gmax, **options) for who in (everyone, rest)
    )
    ranks = [naive.competition_rank({r: round(v, 10) for r, v in means.items()}, run) for means in (new, base)]
    change = 100 * (new[run] - base[run]) / base[run] if base[run] else np.nan
    return change, abs(ranks[0] - ranks[1])


@settings(max_examples=50, deadline=None)
@given(seeds, st.sampled_from([1, 3, 6]), st.sampled_from(["run", "group"]))
def test_leaving_out_is_scoring_everything_again(seed: int, depth: int, by: Any) -> None:
    small = drawn(seed, topics=3, docs=10)
    found = leave_out(small.track, [m for m, _, _ in MEASURES], by=by, groups=GROUPS, depth=depth)
    everyone = contributors_of(small)
    assert list(found.runs) == everyone
    for m, name, options in MEASURES:
        for i, (run, group) in enumerate(zip(found.runs, found.groups, strict=True)):
            left = [run] if by == "run" else [r for r in everyone if GROUPS[r] == group]
            change, moved = expected_changes(small, name, options, left, run, depth)
            np.testing.assert_allclose(found.change(m)[i], change, rtol=1e-9, atol=1e-9, err_msg=f"{m} without {left}")
            assert found.rank_change(m)[i] == moved, f"{m} without {left}"


def test_every_measure_can_be_left_out_exactly() -> None:
    made = leadline.simulate.simulate(runs=5, topics=6, depth=25, pool_depth=6, tied=0.5, rng=2)
    track = leadline.read(made.qrels, made.runs, pool_depth=6)
    found = leave_out(track, usual())
    base = leadline.evaluate(track.pooled(6), found.measures).mean()
    for i, run in enumerate(track.runs):
        rest = track.declare_pool(6, [r for r in track.runs if r != run]).pooled(6)
        new = leadline.evaluate(rest, found.measures).mean()
        for j, m in enumerate(found.measures):
            expected = 100 * (new[i, j] - base[i, j]) / base[i, j] if base[i, j] else np.nan
            np.testing.assert_allclose(found.change(m)[i], expected, rtol=1e-9, atol=1e-11, err_msg=f"{m} of {run}")


def test_leaving_out_works_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    small = small_track(11, runs=6, topics=8, negative=True)
    names = ["AP", "Bpref", "nDCG(judged_only=True)"]
    whole = leave_out(small.track, names, depth=4)
    monkeypatch.setattr(reduced, "_CELLS", 1)
    parts = leave_out(small.track, names, depth=4, threads=2)
    for m in names:
        np.testing.assert_array_equal(whole.change(m), parts.change(m))
        np.testing.assert_array_equal(whole.rank_change(m), parts.rank_change(m))
    assert np.abs(whole.change("Bpref")).max() > 0


class Halved(GainMeasure):
    """The mean of a P@3 and the same on half the grades: a measure of two parts."""

    cutoff = "none"

    def parts(self, track: Track) -> list[tuple[Measure, Track]]:
        one = leadline.parse("P(gain='raw')@3")
        return [(one, track), (one, track.relabel(track.judgments.grade // 2))]

    def combine(self, values: list[Floats]) -> Floats:
        return np.add(values[0], values[1]) / 2


class PoolSize(Measure):
    """How many documents of the topic are judged: looks at nothing but the judgments."""

    cutoff = "none"

    def value(self, r: Rankings) -> Floats:
        return r.topicwise(np.diff(r.lists.labels.judgments.offsets)).astype(np.float64)


@pytest.mark.parametrize("m", [Halved(), PoolSize()])
def test_any_measure_can_be_left_out(m: Measure) -> None:
    small = small_track(9, topics=8, docs=10)
    found = leave_out(small.track, [m], depth=4)
    pooled = small.track.pooled(4)
    base = leadline.evaluate(pooled, [m]).mean(m)
    for i, run in enumerate(found.runs):
        rest = small.track.declare_pool(4, [r for r in small.track.runs if r != run]).pooled(4)
        new = leadline.evaluate(rest, [m]).mean(m)
        np.testing.assert_allclose(found.change(m)[i], 100 * (new[i] - base[i]) / base[i], rtol=1e-12)
    assert np.abs(found.change(m)).max() > 0


def test_shared_ties_are_left_out_too() -> None:
    small = small_track(20, tied=True, ties="mean-gain")
    found = leave_out(small.track, "nDCG@4", depth=3)
    base = leadline.evaluate(small.track.pooled(3), "nDCG@4").mean("nDCG@4")
    for i, run in enumerate(found.runs):
        rest = small.track.declare_pool(3, [r for r in small.track.runs if r != run]).pooled(3)
        new = leadline.evaluate(rest, "nDCG@4").mean("nDCG@4")
        np.testing.assert_allclose(found.change("nDCG@4")[i], 100 * (new[i] - base[i]) / base[i], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "look", "ranks"),
    [
        ("AP", Look.GAINS, False),
        ("nDCG@3", Look.GAINS, False),
        ("OIE", Look.GAINS, False),
        ("AP(norm='pool')@3", Look.GAINS, True),
        ("Bpref", Look.COUNTS, False),
        ("infAP", Look.COUNTS, False),
        ("AP(judged_only=True)", Look.COUNTS, False),
        ("Judged@3", Look.JUDGED, False),
    ],
)
def test_what_a_measure_looks_at_is_observed(name: str, look: Look, ranks: bool) -> None:
    found = Observed(leadline.parse(name), Labeller(small_track(4).track))
    assert (found.look, found.ranks) == (look, ranks)


@quick
@given(seeds)
def test_averages_are_the_naive_ones(seed: int) -> None:
    small = drawn(seed)
    found = leave_out(small.track, "P@3", by="group", groups=GROUPS, depth=4)
    by_group: dict[str, dict[str, tuple[float | None, int]]] = {}
    for run, group, change, moved in zip(
        found.runs, found.groups, found.change("P@3"), found.rank_change("P@3"), strict=True
    ):
        by_group.setdefault(group, {})[run] = (None if np.isnan(change) else change, int(moved))
    if any(c is not None for g in by_group.values() for c, _ in g.values()):
        for how in ("micro", "macro"):
            expected = naive.leave_out_averages(list(by_group.values()), how)
            assert found.average("P@3", how) == pytest.approx(expected)  # type: ignore[arg-type]
    table = found.columns()
    assert list(table) == ["run", "group", "measure", "change", "rank_change"]
    assert table["group"][-2:] == ["micro", "macro"]


def test_leaving_out_tells_what_it_assumes() -> None:
    small = small_track(3, contributors=["r0", "r1"])
    found = leave_out(small.track, "RR", by="group")
    assert {"pool-depth-assumed", "groups-guessed", "runs-outside-pool"} <= found.findings.codes
    nothing = leadline.read({"q": {"x": 0}}, {"a": {"q": {"x": 1.0}}, "b": {"q": {"x": 1.0}}}, pool_depth=1)
    empty = leave_out(nothing, "P@1")
    assert "change-undefined P@1" in empty.findings.codes
    assert np.isnan(empty.change("P@1")).all()
    assert np.isnan(empty.average("P@1")[0])
    with pytest.raises(UsageError, match="'run' or 'group'"):
        leave_out(nothing, "P@1", by="topic")  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        empty.change("AP")


def test_competition_ranks_put_the_undefined_last() -> None:
    assert competition_ranks(np.array([0.3, np.nan, 0.3 + 1e-13, 0.9])).tolist() == [2, 4, 2, 1]


# groups ---------------------------------------------------------------------------------------------------------------
def test_groups_from_names_and_from_a_file(tmp_path: Path) -> None:
    assert groups_by_name(["uni1-a", "uni1.b", "RMIT1", "RMITx2"]) == {
        "uni1-a": "uni1", "uni1.b": "uni1", "RMIT1": "RMIT", "RMITx2": "RMITx",
    }  # fmt: skip
    file = tmp_path / "groups.txt"
    file.write_text("# run group\na x\nb,y\n\nc\tx\n")
    assert group_file(file) == {"a": "x", "b": "y", "c": "x"}
    file.write_text("a x\nb\n")
    with pytest.raises(InputError, match=r"groups\.txt:2: expected a run and its group"):
        group_file(file)
    file.write_text("a x\na y\n")
    with pytest.raises(InputError, match="has a group already"):
        group_file(file)


# what to judge next ---------------------------------------------------------------------------------------------------
@quick
@given(seeds)
def test_weights_to_judge_are_sums_over_runs(seed: int) -> None:
    small = drawn(seed, keep_docs=True)
    expected: dict[tuple[str, str], float] = {}
    for lists in small.scores.values():
        for topic, scores in lists.items():
            docs = [(d, s, i, i + 1) for i, (d, s) in enumerate(scores.items())]
            for rank, doc in enumerate(naive.order(docs), 1):
                if doc not in small.qrels[topic]:
                    weight = 0.5 * 0.5 ** (rank - 1) / len(small.scores)
                    expected[topic, doc] = expected.get((topic, doc), 0.0) + weight
    found = to_judge(small.track, 1000, measure="RBP(p=0.5)")
    assert dict(zip(zip(found.topics, found.docs, strict=True), found.weight, strict=True)) == pytest.approx(expected)
    assert sorted(found.weight, reverse=True) == found.weight.tolist()
    if expected:
        half = to_judge(small.track, max(len(expected) // 2, 1), measure="RBP(p=0.5)")
        assert half.covered == pytest.approx(half.weight.sum() / sum(expected.values()))
        assert half.weight.min() >= max(found.weight[len(half.weight) :], default=0) - 1e-15


@pytest.mark.parametrize("ending", ["tsv", "csv", "txt"])
def test_filled_in_forms_read_back_as_qrels(tmp_path: Path, ending: str) -> None:
    from leadline.output.tables import Table, render

    small = small_track(6, keep_docs=True)
    found = to_judge(small.track, 4)
    assert len(found.docs) == 4
    text = found.form() if ending == "txt" else render(Table(found.columns()), ending)
    empty = tmp_path / f"empty.{ending}"
    empty.write_text(text)
    with pytest.raises(InputError):  # an assessor has not been at it yet
        leadline.read(empty, small.scores)
    filled = (
        text.replace("?", "2")
        if ending == "txt"
        else text.replace(("\t" if ending == "tsv" else ",") + "\n", "\t2\n" if ending == "tsv" else ",2\n")
    )
    file = tmp_path / f"filled.{ending}"
    file.write_text(filled)
    again = leadline.read(file, small.scores)
    assert len(again.judgments) == 4
    assert set(again.judgments.grade.tolist()) == {2}
    assert set(again.topics) == set(found.topics)


def test_documents_are_read_again_from_files(tmp_path: Path) -> None:
    made = leadline.simulate.simulate(runs=3, topics=4, depth=15, pool_depth=3, rng=1)
    made.write(tmp_path)
    kept = leadline.read(tmp_path / "qrels.txt", tmp_path / "runs", keep_docs=True)
    plain = leadline.read(tmp_path / "qrels.txt", tmp_path / "runs")
    assert to_judge(plain, 9).columns()["doc"] == to_judge(kept, 9).columns()["doc"]
    part = plain.select(runs=[plain.runs[2], plain.runs[0]], topics=list(plain.topics[1:]))
    dicts = leadline.read(made.qrels, {r: made.runs[r] for r in part.runs}, keep_docs=True).select(topics=part.topics)
    assert to_judge(part, 9).columns()["doc"] == to_judge(dicts, 9).columns()["doc"]
    dictionary = leadline.read(made.qrels, made.runs)
    with pytest.raises(UsageError, match="runs="):
        to_judge(dictionary, 9)
    assert (
        to_judge(dictionary, 9, runs=made.runs).docs
        == to_judge(leadline.read(made.qrels, made.runs, keep_docs=True), 9).docs
    )
    with pytest.raises(UsageError, match="count"):
        to_judge(dictionary, 0)


def test_weights_of_ranks() -> None:
    np.testing.assert_allclose(rank_weights(leadline.parse("RBP(p=0.9)"), 3), [0.1, 0.09, 0.081])
    np.testing.assert_allclose(rank_weights(leadline.parse("P@2"), 3), [0.5, 0.5, 0])
    np.testing.assert_allclose(rank_weights(leadline.parse("DCG"), 3), [1, 1 / np.log2(3), 0.5])
