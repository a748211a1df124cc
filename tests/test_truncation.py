"""Optimal truncation: equal to brute force for every measure; its histogram; whole lists against stopped ones; NIL."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from scipy.stats import kendalltau

import naive
from leadline import evaluate, read
from leadline.depths import optima
from leadline.depths.full_versus_truncated import full_versus_truncated
from leadline.depths.histogram import average_histograms, histogram
from leadline.depths.truncation import truncate
from leadline.errors import UndefinedScore, UnknownName, UsageError
from leadline.measures import Measure, parse
from leadline.measures.scoring import Labellers
from leadline.rankings.track import Track
from leadline.rankings.typed import typed
from leadline.rankings.view import Floats
from leadline.simulate import simulate
from strategies import Case, cases, few, options_of
from test_definitions import VARIANTS, variant

SLACK = 1e-13  # rounding of sums: which side of the tolerance a value falls on is open within it


def naive_curves(m: Measure, case: Case) -> list[list[float]]:
    """Every list's scores at the lengths 0 … len, undefined ones as the default rule has them."""
    options, k = options_of(m, case), None if m.k is None or m.cutoff == "recall" else int(m.k)
    gap = 0.0 if m.zero_if_undefined else math.nan
    curves = [naive.length_curve(m.name, topic, ranking, k=k, **options) for topic, ranking in case.lists()]
    return [[gap if value is None else value for value in curve] for curve in curves]


def check_optimum(curve: list[float], n: float, value: float, full: float, m: Measure) -> None:
    """``n`` is the smallest length within 1e-12 of the best; near the edge of that, rounding may decide."""
    sign = 1 if m.higher_is_better else -1
    known = [-math.inf if math.isnan(v) else sign * v for v in curve]
    best = max(known)
    np.testing.assert_allclose(full, curve[-1], rtol=1e-12, atol=1e-12, equal_nan=True)
    if best == -math.inf:
        assert math.isnan(n)
        assert math.isnan(value)
        return
    slack = SLACK * max(1.0, abs(best))
    assert known[int(n)] >= best - 1e-12 - slack
    assert all(v < best - 1e-12 + slack for v in known[: int(n)])
    np.testing.assert_allclose(value, curve[int(n)], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", sorted(VARIANTS))
@given(data=st.data())
@few(15)
def test_optimum_equals_brute_force(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(longest=16 if name in ("Spearman", "Kendall", "AUC") else 30))
    m = variant(name, data.draw)
    note(m.full())
    found = truncate(case.track(), m)
    curves = naive_curves(m, case)
    parts = zip(curves, found.length(m).ravel(), found.value(m).ravel(), found.full(m).ravel(), strict=True)
    for curve, n, value, full in parts:
        check_optimum(curve, float(n), float(value), float(full), m)


@pytest.mark.parametrize("name", ["U", "SetF", "RBPU", "nDCGT", "OIE", "RBPT", "ERRT"])
@given(case=cases(longest=40, terminal=False))
@few(30)
def test_optimum_is_the_naive_one(name: str, case: Case) -> None:
    """With default parameters no two lengths are so near each other that rounding could decide."""
    m = parse(name)
    found = truncate(case.track(), m)
    assert found.length(m).ravel().tolist() == [naive.optimal_length(c) for c in naive_curves(m, case)]


@pytest.mark.parametrize(
    "name", ["U", "RBU(p=0.9)@20", "nDCGT", "APT", "AP(judged_only=True)", "RBP", "ERR(gain='raw-exp', gmax=2)@7"]
)
@given(case=cases(longest=60))
@few(25)
def test_looking_at_hits_only_is_enough(name: str, case: Case) -> None:
    m = parse(name)
    track = case.track()
    sparse = optima.optima([m], track, "zero", 1)[m]
    everywhere = optima._everywhere(m, track, Labellers(), "zero", 1)
    for a, b in zip(sparse, everywhere, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


# ------------------------------------------------------------------------------------------------------ worked examples


@pytest.mark.parametrize(
    ("ranking", "measure", "length"),
    [
        ("1 0 0", "U", 1),
        ("0 0 0", "U", 0),  # nothing to find in the list: best left empty
        ("", "U", 0),
        ("0 0 0 1", "U(e=0.25)", 0),  # exactly as good as nothing, so nothing
        ("0 0 0 1", "U(e=0.2)", 4),
        ("1 0 1 0", "RR", 1),  # the first hit decides, all longer lists are as good
        ("0 0 0", "RRT", 0),  # a nil-answer topic
        ("1 1 0", "P@10", 2),
        ("1 0 0 1", "NumRet", 4),  # every document counts
        ("0 1 0 1", "ESL", 2),  # less is better; undefined before the first hit
        ("1 0", "R@1", 1),
    ],
)
def test_small_lists(ranking: str, measure: str, length: int) -> None:
    assert truncate(typed(ranking), measure).length(measure).tolist() == [[length]]


def test_redundancy_ends_the_list_early() -> None:
    """Ten irrelevant documents, then relevant ones (Amigó et al., figure 1): only a patient RBU pays, best at 14."""
    track = typed([0] * 10 + [1] * 30)
    found = truncate(track, ["RBU(p=0.98)", "RBU(p=0.9)", "RBU(p=0.8)", "ERRU"])
    assert [float(found.length(m)[0, 0]) for m in found.measures] == [14, 0, 0, 0]
    assert found.value("RBU(p=0.98)")[0, 0] > 0


def test_smallest_length_among_equals_wins_in_spite_of_rounding() -> None:
    """0.1 + 0.2 − 0.3: equal up to rounding means equal."""
    track = typed("1 2 3 1 2", gmax=3)
    m = parse("U(gain={0: 0, 1: 0.1, 2: 0.2, 3: -0.3}, e=0)")
    assert truncate(track, m).length(m).tolist() == [[2]]


# ---------------------------------------------------------------------------------------------------------- the result


def small_track(**settings: Any) -> Track:
    sim = simulate(**({"runs": 5, "topics": 12, "depth": 40, "nil": 0.2, "rng": 3} | settings))
    return read(sim.qrels, sim.runs, keep_scores=True)


def test_whole_lists_score_as_in_evaluate() -> None:
    track, names = small_track(), ["AP", "U", "OIE", "nDCG@10", "Judged@10", "ERRT", "SetF", "NumRelRet"]
    found, scores = truncate(track, names), evaluate(track, names)
    for name in names:
        np.testing.assert_array_equal(found.full(name), scores.array(name))
        assert (found.value(name) >= found.full(name)).all()
    assert [f for f in found.findings if f.code == "undefined-scores"] == [
        f for f in scores.findings if f.code == "undefined-scores"
    ]


@pytest.mark.parametrize(
    "name", ["U", "RBPU(p=0.9)", "nDCGT(ideal='full')", "OIE", "SetF", "ERRU", "AP(judged_only=True)"]
)
def test_the_oracles_runs_score_what_was_promised(name: str) -> None:
    track = small_track()
    found = truncate(track, name)
    stopped = found.apply(track, name)
    np.testing.assert_array_equal(stopped.lengths.reshape(track.shape), found.length(name))
    np.testing.assert_allclose(evaluate(stopped, name).array(name), found.value(name), rtol=1e-12, atol=1e-14)


def test_threads_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    track, names = small_track(runs=9), ["U", "OIE", "nDCGT", "SetF@10", "Judged@5"]
    wanted = truncate(track, names, threads=1).columns(per_topic=True)
    monkeypatch.setattr(optima, "_ENTRIES", 10)
    assert truncate(track, names, threads=3).columns(per_topic=True) == wanted


def test_undefined_scores_follow_the_rule() -> None:
    track = read({"q1": {"a": 1}, "q2": {"b": 0}}, {"x": {"q1": {"c": 2, "a": 1}, "q2": {"b": 1}}})
    zero = truncate(track, "AP")
    assert zero.length("AP").tolist() == [[2, 0]]
    assert zero.value("AP").tolist() == [[0.5, 0]]
    left_out = truncate(track, "AP", undefined="nan")
    assert left_out.columns()["value"] == [0.5]
    assert left_out.columns()["length"] == [2]
    assert left_out.columns(per_topic=True)["length"] == [2, None, 2]
    assert left_out.empty("AP").tolist() == [0]
    assert left_out.apply(track, "AP").lengths.tolist() == [2, 1]  # a list without an answer stays whole
    assert "undefined-scores" in left_out.findings.codes
    with pytest.raises(UndefinedScore):
        truncate(track, "AP", undefined="raise")


def test_a_measure_of_parts() -> None:
    """Two labellings at once: the optimum may lie at a hit of either."""

    class Sum(Measure):
        rises_only_at_hits = True

        def parts(self, track: Track) -> list[tuple[Measure, Track]]:
            grade = track.judgments.grade
            return [(parse("U"), track), (parse("DCGU(rel=2)"), track.relabel((grade == 0).astype(np.int32), 1))]

        def combine(self, values: list[Floats]) -> Floats:
            return values[0] + values[1]

    class Loss(Sum):
        rises_only_at_hits = False

        def combine(self, values: list[Floats]) -> Floats:
            return values[0] - values[1]

    track = small_track()
    for m in (Sum(), Loss()):
        (a, ta), (b, tb) = m.parts(track)
        longest = int(track.lengths.max())
        curves = []
        for part, own in ((a, ta), (b, tb)):
            lists = part.label(Labellers()(own))
            curves.append(part.at(lists.at_lengths(np.arange(longest + 1))))
        both = m.combine(curves)
        found = truncate(track, m)
        assert found.length(m).ravel().tolist() == [naive.optimal_length(row) for row in both.tolist()]


@pytest.mark.parametrize(
    "name", ["CAM(measure='SetF')", "MM(measure='SetF')", "TOMA(measure='U')", "CAM(measure='APT')"]
)
def test_measures_of_several_aspects(name: str) -> None:
    sim = simulate(runs=3, topics=8, depth=30, aspects=1, rng=1)
    track = read(sim.labels, sim.runs, aspects="relevance=0..2 quality=0..2")
    m = parse(name)
    found = truncate(track, m)
    length, value, full = optima._everywhere(m, track, Labellers(), "zero", 1)
    assert found.length(m).ravel().tolist() == length.tolist()
    np.testing.assert_allclose(found.value(m).ravel(), value, atol=1e-12)
    np.testing.assert_allclose(found.full(m).ravel(), np.nan_to_num(full), atol=1e-12)


def test_records_are_those_of_the_contract() -> None:
    track = small_track()
    found = truncate(track, ["U", "SetF"])
    columns = found.columns(per_topic=True)
    assert list(columns)[:6] == ["run", "topic", "measure", "length", "value", "full"]
    rows = len(track.runs) * 2 * (len(track.topics) + 1)
    assert {len(c) for c in columns.values()} == {rows}
    means = found.columns()
    assert set(means["topic"]) == {"all"}
    at = [i for i in range(len(means["run"])) if means["measure"][i] == "U(e=0.05)"]
    np.testing.assert_allclose([means["value"][i] for i in at], found.value("U").mean(axis=1))
    np.testing.assert_allclose([means["length"][i] for i in at], found.length("U").mean(axis=1))
    np.testing.assert_allclose([means["empty"][i] for i in at], (found.length("U") == 0).mean(axis=1))
    own = [i for i, t in enumerate(columns["topic"]) if t == track.topics[1] and columns["measure"][i] == "U(e=0.05)"]
    assert [columns["length"][i] for i in own] == found.length("U")[:, 1].tolist()
    assert all(isinstance(columns["length"][i], int) for i in own)


def test_summary_by_run() -> None:
    track = small_track()
    found = truncate(track, "U")
    summary = found.summary()
    length = found.length("U")
    assert summary["run"] == list(track.runs)
    np.testing.assert_allclose(summary["median"], np.median(length, axis=1))
    np.testing.assert_allclose(summary["shortened"], (length < track.lengths.reshape(track.shape)).mean(axis=1))
    np.testing.assert_allclose(summary["gain"], np.array(summary["value"]) - np.array(summary["full"]))


def test_errors_say_what_is_wrong() -> None:
    track = typed("1 0")
    with pytest.raises(UnknownName, match="U"):
        truncate(track, "U").length("AP")
    with pytest.raises(UsageError, match="whole runs"):
        truncate(track, "c@1")
    with pytest.raises(UsageError, match="undefined"):
        truncate(track, "U", undefined="no")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="run"):
        truncate(track, "U").histogram(run="x")


# ---------------------------------------------------------------------------------------------------------- histograms


@given(
    lengths=st.lists(st.integers(0, 3000), min_size=1, max_size=60), relevant=st.lists(st.integers(0, 500), min_size=1)
)
@few(60)
def test_histogram_equals_naive(lengths: list[int], relevant: list[int]) -> None:
    found = histogram({"M": np.array(lengths, float)}, relevant)
    bins = list(zip(found.low.tolist(), found.high.tolist(), strict=True))
    for values, percent in ((lengths, found.percent["M"]), (relevant, found.relevant)):
        slow = naive.histogram(values)
        assert set(slow) <= set(bins)
        np.testing.assert_allclose(percent, [slow.get(b, 0.0) for b in bins])


def test_histogram_of_a_truncation() -> None:
    track = small_track()
    found = truncate(track, ["U", "nDCG"])
    h = found.histogram()
    assert h.percent["U(e=0.05)"].sum() == pytest.approx(100)
    assert h.percent["U(e=0.05)"][0] == pytest.approx(100 * (found.length("U") == 0).mean())
    relevant = [
        sum(g >= 1 for g in docs.values())
        for docs in simulate(runs=5, topics=12, depth=40, nil=0.2, rng=3).qrels.values()
    ]
    assert h.relevant[0] == pytest.approx(100 * relevant.count(0) / len(relevant))
    one = found.histogram(run=track.runs[2])
    assert one.percent["nDCG"][0] == pytest.approx(100 * (found.length("nDCG")[2] == 0).mean())
    columns = h.columns()
    assert columns["series"][-1] == "relevant documents"
    assert len(columns["percent"]) == 3 * len(h.high)


def test_histograms_average_collections_of_any_size() -> None:
    small, large = histogram({"M": np.array([0.0, 3])}, [1]), histogram({"M": np.array([500.0, 6, 7, 8])}, [0, 9])
    both = average_histograms([small, large])
    assert len(both.high) == len(large.high)
    np.testing.assert_allclose(both.percent["M"][:3], [25, 25, 37.5])
    np.testing.assert_allclose(both.relevant[:2], [25, 50])
    with pytest.raises(UsageError, match="different measures"):
        average_histograms([small, histogram({"N": np.array([1.0])}, [1])])


# ----------------------------------------------------------------------------------------------- full against truncated


def test_full_versus_truncated_equals_scipy() -> None:
    track = small_track(runs=12)
    found = full_versus_truncated(track, ["AP", "nDCG", "RR"], ["OIE", "RBPU", "nDCGT"])
    scores, best = evaluate(track, ["AP", "nDCG", "RR"]), truncate(track, ["OIE", "RBPU", "nDCGT"])
    for i, a in enumerate(scores.measures):
        for j, b in enumerate(best.measures):
            slow = kendalltau(np.round(scores.mean(a), 12), np.round(best.value(b).mean(axis=1), 12))
            assert found.tau[0, i, j] == pytest.approx(slow.statistic)
            assert found.p[0, i, j] == pytest.approx(slow.pvalue)
    columns = found.columns()
    assert columns["full"][:3] == ["AP", "AP", "AP"]
    np.testing.assert_allclose(columns["tau"], found.mean_tau.ravel())
    scatter = found.scatter()
    assert len(scatter["run"]) == 12 * 9
    assert scatter["truncated"][:12] == best.value("OIE").mean(axis=1).tolist()


def test_collections_are_averaged() -> None:
    tracks = {"a": small_track(runs=10), "b": small_track(runs=8, rng=9), "one": small_track(runs=1)}
    found = full_versus_truncated(tracks, "AP", ["OIE", "U"])
    assert found.tau.shape == (3, 1, 2)
    assert np.isnan(found.tau[2]).all()  # one system has no order
    np.testing.assert_allclose(found.mean_tau, found.tau[:2].mean(axis=0))
    assert found.columns()["collections"] == [2, 2]
    assert found.significant(1.1) == 4
    assert "too-few-runs" in found.findings.codes
    parts = [truncate(t, ["OIE", "U"]).histogram() for t in tracks.values()]
    np.testing.assert_allclose(found.histogram().percent["U(e=0.05)"], average_histograms(parts).percent["U(e=0.05)"])
    assert {line.split(":")[0] for f in found.findings if f.code == "undefined-scores" for line in [f.text]} <= set(
        tracks
    )


def test_the_terminal_family_keeps_the_order_of_its_originals() -> None:
    """Amigó et al., Table 2: a perfect correlation, with the terminal document as one document at the end."""
    track = small_track(runs=20, topics=40, depth=100, pool_depth=50, truncated=0, missing=0)
    found = full_versus_truncated(
        track,
        ["nDCG(gain='linear')", "ERR", "RBP(p=0.8)"],
        ["nDCGT(ideal='full')", "ERRT", "RBPT(p=0.8, tail='single')", "RBU"],
    )
    assert np.diag(found.mean_tau[:, :3]).min() > 0.97
    assert found.mean_tau[0, 3] < 0.9
