"""Residuals, depths, averages over runs, condensed scores, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, note
from hypothesis import strategies as st

import naive
from leadline.cli import cli
from leadline.depths.ranges import ranges
from leadline.depths.residual_depths import residual_depths
from leadline.errors import LeadlineError, UndefinedScore, UsageError
from leadline.measures import parse
from leadline.measures.scoring import score_track
from leadline.rankings.typed import typed
from strategies import Case, cases, few

SHORT = ["unknown", "zero"]


def slow_residual(name: str, m: Any, case: Case, short_run: str) -> list[float]:
    out = []
    k = None if m.k is None else int(m.k)
    for topic, ranking in case.lists():
        if name == "RBP":
            out.append(naive.rbp_residual(ranking, m.p, k, short_run))
        elif name == "ERR":
            low, high = naive.err_bounds(topic, ranking, case.gmax, k, m.gain, short_run)
            out.append(high - low)
        else:
            assert k is not None
            out.append(naive.precision_residual(ranking, k))
    return out


@pytest.mark.parametrize("name", ["RBP", "ERR", "P"])
@given(data=st.data())
@few(40)
def test_residual_formulas(name: str, data: st.DataObject) -> None:
    case: Case = data.draw(cases(longest=20, judged=12))
    k = data.draw(st.sampled_from([1, 2, 5, 12, 30, *([None] if name != "P" else [])]))
    text = {"RBP": "RBP(p=0.7)", "ERR": "ERR", "P": "P@1"}[name]
    m = parse(text).but(k=k)
    if name == "ERR":
        m = m.but(gain=data.draw(st.sampled_from(["exp", "binary", "linear"])))
    short_run: Any = data.draw(st.sampled_from(SHORT))
    note(f"{m.full()} {short_run} {case}")
    found = ranges(case.track(), m, short_run=short_run, threads=1)
    np.testing.assert_allclose(found.residual(m).ravel(), slow_residual(name, m, case, short_run), rtol=0, atol=1e-12)
    if name == "P":
        np.testing.assert_allclose(found.residual(m), found.upper(m) - found.lower(m), rtol=0, atol=1e-12)
    elif k is not None and short_run == "unknown":  # the tail comes on top of what the list itself leaves open
        assert (found.residual(m) >= found.upper(m) - found.lower(m) - 1e-12).all()


def test_tail_of_err_is_at_most_one_over_k_plus_one() -> None:
    for k in (1, 4, 10):
        found = ranges(typed("0 " * 20), f"ERR@{k}")
        assert found.residual(f"ERR@{k}")[0, 0] == pytest.approx(1 / (k + 1))


def test_residuals_without_a_formula_are_widths() -> None:
    track = typed("2 - 1 - 0", rels="2 1 1")
    for name in ("AP", "nDCG@3", "RBP(p=0.8, gain='raw')@4", "ERR(gain='raw-exp')"):
        found = ranges(track, name)
        assert found.residual(name) == found.upper(name) - found.lower(name)


@given(data=st.data())
@few(15)
def test_depths_averages_and_condensed_scores(data: st.DataObject) -> None:
    case: Case = data.draw(cases(longest=12, judged=10))
    track = case.track()
    depths = [1, 4, 9]
    found = ranges(track, ["RBP(p=0.9)", "AP"], depths=depths, threads=1)
    assert [str(m) for m in found.measures] == [f"{n}@{d}" for n in ("RBP(p=0.9)", "AP") for d in depths]
    fed = track.contributors if track.contributors.any() else np.ones(len(track.runs), bool)
    table = found.columns(over_runs=True)
    assert table["run"] == ["all"] * 6
    for i, m in enumerate(found.measures):
        alone = ranges(track, m, threads=1)
        condensed = score_track(track, m, unjudged="condense")
        for name in ("lower", "upper", "residual", "score", "condensed"):
            own = getattr(alone, name)(m)
            np.testing.assert_array_equal(getattr(found, name)(m), own)
            assert table[name][i] == pytest.approx(own[fed].mean(axis=1).mean(), abs=1e-12)
        np.testing.assert_array_equal(found.condensed(m), condensed.array(condensed.measures[0]))
        np.testing.assert_array_equal(found.score(m), score_track(track, m).array(m))


def test_columns_hold_every_topic_and_the_mean() -> None:
    track = typed("1 - 0", rels="1 1")
    found = ranges(track, ["AP", "P@2"])
    columns = found.columns()
    names = ["run", "topic", "measure", "lower", "upper", "residual", "score", "condensed", "exact"]
    assert list(columns) == names
    assert columns["topic"] == ["topic", "all"] * 2
    assert columns["measure"] == ["AP", "AP", "P@2", "P@2"]
    assert columns["lower"].tolist() == [0.5, 0.5, 0.5, 0.5]
    assert columns["exact"] == [True] * 4
    assert len(found.columns(per_topic=False)["run"]) == 2
    assert "2 measures" in repr(found)
    assert (found.missing, found.short_run) == (0, "unknown")


@given(data=st.data())
@few(15)
def test_smallest_depths(data: st.DataObject) -> None:
    case: Case = data.draw(cases(longest=15, judged=12))
    track = case.track()
    below = data.draw(st.sampled_from([0.05, 0.2, 0.5]))
    note(f"{below} {case}")
    names = ["RBP(p=0.7)", "ERR", "P@7", "AP"]
    found = residual_depths(track, names, below)
    longest = max(1, case.longest)
    ladder = sorted({d for d in (1, 2, 3, 5, 10) if d < longest} | {longest})
    for i, name in enumerate(names):
        depths = ladder if name == "AP" else range(1, longest + 1)
        m = parse(name)
        wide = np.stack([ranges(track, m.but(k=d), threads=1).residual(m.but(k=d)).mean(axis=1) for d in depths])
        fed = track.contributors if track.contributors.any() else np.ones(len(track.runs), bool)
        wide = np.concatenate([wide, wide[:, fed].mean(axis=1, keepdims=True)], axis=1)
        for r in range(len(track.runs) + 1):
            good = [d for j, d in enumerate(depths) if (wide[j:, r] < below - 1e-12).all()]
            shaky = np.isclose(wide[:, r], below, atol=1e-12).any()
            if not shaky:
                want = good[0] if good else np.nan
                np.testing.assert_equal(found.depth[i, r], want)
    assert found.columns()["measure"][:1] == ["RBP(p=0.7)"]
    assert found.runs == (*track.runs, "all")


def test_what_cannot_be_meant_is_refused() -> None:
    track = typed("1 - 0")
    wrong: list[dict[str, Any]] = [{"short_run": "no"}, {"missing": -1}, {"missing": 1.5}, {"undefined": "maybe"}]
    wrong += [{"depths": []}, {"depths": [-1]}]
    for options in wrong:
        with pytest.raises(LeadlineError):
            ranges(track, "AP", **options)
    with pytest.raises(UsageError, match="no evaluation depth"):
        ranges(track, "IPrec@0.5", depths=[1, 2])
    with pytest.raises(UsageError, match="above 0"):
        residual_depths(track, "AP", 0)
    with pytest.raises(UsageError, match="measure in these ranges"):
        ranges(track, "AP").lower("P@5")
    with pytest.raises(UndefinedScore):
        ranges(typed("0 0"), "AP", undefined="raise")


def test_ends_that_are_not_reached_are_told() -> None:
    track = typed(" ".join(["2", *["- 0 1"] * 30]))
    found = ranges(track, "Q")
    assert not found.exact("Q").any()
    assert 0 <= found.lower("Q")[0, 0] < found.score("Q")[0, 0] < found.upper("Q")[0, 0] <= 1
    assert any(code.startswith("range-not-exact") for code in found.findings.codes)


# ------------------------------------------------------------------------------------------------------------- command


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels.txt").write_text("".join(f"q1 0 d{i} {g}\n" for i, g in enumerate([1, 0, 1, 1])))
    for run, docs in {"a": "d0 x d1 d2 y", "b": "x y d3"}.items():
        lines = [f"q1 Q0 {d} {i} {10 - i} {run}\n" for i, d in enumerate(docs.split(), 1)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    return [str(tmp_path / "qrels.txt"), str(tmp_path / "a.run"), str(tmp_path / "b.run")]


def run(*args: str) -> Any:
    return CliRunner().invoke(cli, ["ranges", *args])


def test_command_writes_the_records_of_the_contract(files: list[str]) -> None:
    done = run(*files, "-m", "AP", "-m", "P@3", "-q", "--format", "jsonl")
    assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert list(records[0])[:6] == ["run", "topic", "measure", "lower", "upper", "residual"]
    assert len(records) == 8
    first = records[0]
    assert (first["run"], first["topic"], first["measure"], first["exact"]) == ("a", "q1", "AP", True)
    assert first["lower"] <= first["score"] <= first["upper"]


def test_command_averages_over_runs_and_finds_depths(files: list[str]) -> None:
    done = run(*files, "-m", "RBP(p=0.5)", "--depths", "1,3", "--over-runs", "--format", "tsv")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[2] for row in rows[1:]] == ["RBP(p=0.5)@1", "RBP(p=0.5)@3"]
    done = run(*files, "-m", "RBP(p=0.5)", "--residual-below", "0.7", "--format", "jsonl")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["run"], r["depth"]) for r in records] == [("a", 1), ("b", None), ("all", 3)]


def test_command_for_people_has_no_topic_column(files: list[str]) -> None:
    assert "topic" not in run(*files, "--format", "markdown").stdout
    assert "topic" in run(*files, "--format", "markdown", "-q").stdout
    wrong = run(*files, "-q", "--over-runs")
    assert wrong.exit_code == 2
