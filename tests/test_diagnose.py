"""Diagnosis: each check on a track that has the trouble and on one that has not; the page; the four commands."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import leadline
from leadline.cli import cli
from leadline.errors import UnknownName, UsageError
from leadline.meta.diagnosis import CHECKS, MEASURES, THRESHOLDS, Diagnosis, diagnose
from leadline.meta.situation import SEVERITIES, recall_based
from leadline.rankings.typed import typed
from leadline.simulate import SimulatedTrack, simulate

GOOD: dict[str, Any] = {
    "runs": 8, "topics": 60, "depth": 40, "pool_depth": 40, "contributing": 1, "truncated": 0, "missing": 0, "nil": 0,
    "tied": 0, "relevant": 8, "spread": 0.8, "interaction": 0.05, "difficulty": 0.1,
}  # fmt: skip


def made(**changes: Any) -> SimulatedTrack:
    return simulate(**(GOOD | {"rng": 4} | changes))


def read(simulated: SimulatedTrack, **options: Any) -> leadline.Track:
    return leadline.read(simulated.qrels, simulated.runs, keep_scores=True, **options)


@pytest.fixture(scope="module")
def sound() -> Diagnosis:
    return diagnose(read(made(), pool_depth=40))


def test_a_sound_evaluation_passes_nearly_everything(sound: Diagnosis) -> None:
    doubtful = {c.check for c in sound.checks if c.severity in ("warning", "serious")}
    assert doubtful <= {"unstable-depth", "families-disagree"}
    assert sound["unjudged"].value == 0
    assert sound["residual"].severity == "ok"
    assert sound["outside-pool"].text == "All runs are judged to the depth of the pool, 40."


def test_every_check_has_thresholds_and_a_row(sound: Diagnosis) -> None:
    assert list(CHECKS) == list(THRESHOLDS)
    assert {c.check for c in sound.checks} == set(CHECKS)
    columns = sound.columns()
    assert list(columns) == ["check", "severity", "value", "threshold", "text"]
    assert set(columns["severity"]) <= set(SEVERITIES)
    assert all(columns["text"])
    order = [SEVERITIES.index(s) for s in columns["severity"]]
    assert order == sorted(order, reverse=True)


TROUBLE: dict[str, tuple[dict[str, Any], dict[str, Any], list[str], str]] = {
    # check: (changes of the simulation, options of reading, measures, a word of the advice)
    "unjudged": ({"pool_depth": 2}, {}, ["P@10"], "leadline ranges"),
    "outside-pool": ({"pool_depth": 8, "contributing": 0.5}, {}, ["P@10"], "leadline pool --per-run"),
    "beyond-pool": ({"pool_depth": 5}, {"pool_depth": 5}, ["AP"], "leadline depth"),
    "pool-rate": ({"pool_depth": 5, "relevant": 60}, {"pool_depth": 5}, ["P@5"], "Judge deeper"),
    "leave-one-out": ({"pool_depth": 3, "shared": 0, "kinship": 0, "relevant": 40}, {}, ["P@5"], "new system"),
    "residual": ({"pool_depth": 3, "spread": 0.1}, {}, ["P@20"], "not established"),
    "ties": ({"tied": 1}, {}, ["P@10"], "leadline ties"),
    "tie-order": ({"tied": 1, "spread": 0.02}, {}, ["P@10"], "tie rule"),
    "missing-topics": ({"missing": 0.2}, {}, ["P@10"], "--topics common"),
    "nil-topics": ({"nil": 0.2}, {}, ["P@10"], "--undefined nan"),
    "few-topics": ({"topics": 12}, {}, ["P@10"], "leadline compare"),
    "unstable-depth": ({"spread": 0.01, "topics": 30}, {}, ["nDCG@10"], "Fix it before"),
    "no-utility-measure": ({}, {}, ["AP", "nDCG@10"], "RBP(p=0.8)"),
    "families-disagree": ({"spread": 0.01, "topics": 30}, {}, ["AP", "P@5"], "Give both"),
    "oie-full-lists": ({}, {}, ["OIE"], "price for length"),
}


@pytest.mark.parametrize("name", TROUBLE)
def test_trouble_is_found_and_advice_given(name: str) -> None:
    changes, options, measures, advice = TROUBLE[name]
    check = diagnose(read(made(**changes), **options), measures)[name]
    assert check.severity in ("warning", "serious")
    assert advice in check.text
    assert np.isfinite(check.value)


def test_grades_never_used_are_a_note() -> None:
    simulated = made(grades=2)
    doubled = {t: {d: 3 * g for d, g in docs.items()} for t, docs in simulated.qrels.items()}
    check = diagnose(leadline.read(doubled, simulated.runs), "P@10")["unused-grades"]
    assert (check.severity, check.value) == ("note", 2)
    assert "grade 1, 2" in check.text


def test_values_are_what_they_say() -> None:
    runs = {"a": {"q": {"x": 3.0, "y": 2.0}, "p": {"x": 1.0}}, "b": {"q": {"y": 3.0, "u": 2.0}}}
    track = leadline.read({"q": {"x": 1, "y": 0}, "p": {"x": 0}}, runs, keep_scores=True)
    found = diagnose(track, ["AP", "P@2"], depth=2)
    assert found["unjudged"].value == 0.5
    assert found["missing-topics"].value == 0.5
    assert found["nil-topics"].value == 0.5
    assert found["few-topics"].value == 2
    assert found["ties"].value == 0
    assert found["no-utility-measure"].value == 1


def test_runs_that_tied_documents_could_exchange() -> None:
    runs = {
        "low": {"q": {"x": 2.0, "y": 2.0}, "p": {"y": 2.0, "z": 1.0}},  # RR ½ and ½; 1 and ½ at best
        "high": {"q": {"y": 2.0, "x": 1.0}, "p": {"z": 2.0, "y": 2.0}},  # RR ½ and 1; ½ and ½ at worst
        "far": {"q": {"u": 1.0}, "p": {"u": 1.0}},
    }
    track = leadline.read({"q": {"x": 1, "y": 0}, "p": {"z": 1, "y": 0}}, runs, keep_scores=True)
    assert leadline.evaluate(track, "RR").mean("RR").tolist() == [0.5, 0.75, 0]
    assert diagnose(track, "RR")["tie-order"].value == 0.5


def test_thresholds_can_be_moved() -> None:
    track = read(made(topics=30))
    assert diagnose(track, "P@10")["few-topics"].severity == "warning"
    assert diagnose(track, "P@10", thresholds={"few-topics": 20})["few-topics"].severity == "ok"
    moved = diagnose(track, "P@10", thresholds={"few-topics": (60, 40)})["few-topics"]
    assert (moved.severity, moved.threshold) == ("serious", 60)
    with pytest.raises(UnknownName, match="few-topics"):
        diagnose(track, "P@10", thresholds={"few-topic": 1})
    with pytest.raises(UsageError, match="depth"):
        diagnose(track, "P@10", depth=0)
    with pytest.raises(UsageError, match="every topic"):
        diagnose(track, "c@1")


def test_one_run_one_topic_and_no_scores() -> None:
    found = diagnose(typed("1 0 - 1"), ["AP", "P@3"])
    assert found["ties"].severity == "note"
    assert found["residual"].figure == "only one run"
    assert found["families-disagree"].severity == "ok"
    alone = leadline.read({"q": {"x": 0}}, {"a": {"q": {"x": 1.0}}}, keep_scores=True)
    assert diagnose(alone)["leave-one-out"].figure == "nothing to lose"


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_page_fits(width: int) -> None:
    found = diagnose(read(made(pool_depth=3, missing=0.1, tied=1, topics=20, contributing=0.5, spread=0.05)))
    page = found.page(width)
    assert max(map(len, page.splitlines())) <= width
    assert all(c.check in page for c in found.checks)
    assert page.startswith(f"{sum(c.severity == 'serious' for c in found.checks)} serious")
    with pytest.raises(UnknownName):
        found["nothing"]


def test_families_are_found_by_asking() -> None:
    assert [recall_based(leadline.parse(m)) for m in MEASURES] == [True, True, False, False]
    recall = {"R@10", "Rprec", "SetR", "SetF", "Bpref", "infAP", "Q", "IPrec@0.5", "nERR", "nRBP(p=0.8)", "APT"}
    utility = {"RR", "Success@5", "SetP", "DCG", "ERR", "INST(T=2)", "U", "RBPU(p=0.9)"}
    assert {m for m in recall | utility if recall_based(leadline.parse(m))} == recall
    assert {recall_based(leadline.parse(m)) for m in ("Judged@10", "NumRet", "NumRel", "NumRelRet")} == {None}


# commands -------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulate(runs=6, topics=8, depth=30, pool_depth=5, tied=0.5, rng=3).write(tmp_path_factory.mktemp("demo"))


def called(folder: Path, command: str, *options: str, code: int = 0) -> str:
    arguments = [command, str(folder / "qrels.txt"), str(folder / "runs"), *options]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    return result.stdout


def records(folder: Path, command: str, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in called(folder, command, *options, "--format", "jsonl").splitlines()]


def test_diagnose_command(folder: Path) -> None:
    rows = records(folder, "diagnose")
    assert [list(r) for r in rows] == [["check", "severity", "value", "threshold", "text"]] * len(CHECKS)
    page = called(folder, "diagnose", "--format", "table", "--threshold", "unjudged=0.9,0.95")
    assert max(map(len, page.splitlines())) <= 80
    assert "NOTE     unjudged" in page
    called(folder, "diagnose", "--threshold", "unjudged", code=2)


def test_pool_command(folder: Path, tmp_path: Path) -> None:
    assert list(records(folder, "pool")[0]) == ["depth", "judged", "relevant", "new_rate"]
    row = records(folder, "pool", "--per-run", "--depths", "5")[0]
    assert {"run", "depth", "rel_in_pool", "rank_unjudged", "rel_past"} <= set(row)
    groups = ["--groups", str(folder / "groups.txt"), "--contributors", str(folder / "contributors.txt")]
    left = records(folder, "pool", "--leave-out", "group", *groups, "-m", "AP", "--depths", "5")
    assert list(left[0]) == ["run", "group", "measure", "change", "rank_change"]
    assert [r["group"] for r in left[-2:]] == ["micro", "macro"]
    form = tmp_path / "form.tsv"
    called(folder, "pool", "--to-judge", "4", "-o", str(form))
    assert form.read_text().splitlines()[0] == "topic\tdoc\tweight\tgrade"
    assert called(folder, "pool", "--to-judge", "4", "--format", "trec").count(" ?\n") == 4
    called(folder, "pool", "--to-judge", "4", "--per-run", code=2)
    called(folder, "pool", "--leave-out", "run", "--depths", "1,5", code=2)


def test_ties_command(folder: Path, tmp_path: Path) -> None:
    rows = records(folder, "ties", "-m", "nDCG@5", "--rule", "trec", "--rule", "run")
    assert [list(r) for r in rows] == [["run", "share_tied"]] * 7 + [["rule_a", "rule_b", "measure", "tau"]]
    spread = records(folder, "ties", "-m", "nDCG@5", "--rule", "trec", "--table", "spread")
    assert all(r["worst"] - 1e-12 <= r["value"] <= r["best"] + 1e-12 for r in spread)
    assert max(r["spread"] for r in spread) > 0
    both = tmp_path / "both.tsv"
    called(folder, "ties", "-m", "nDCG@5", "-o", str(both))
    assert "\n\nrule_a\trule_b" in both.read_text()
    called(folder, "ties", "--format", "parquet", "-o", str(tmp_path / "x.parquet"), code=2)
    places = records(folder, "ties", "-m", "AP", "--rule", "trec", "--table", "scores")
    assert sorted(r["rank"] for r in places) == [1, 2, 3, 4, 5, 6]


def test_depth_command(folder: Path) -> None:
    rows = records(folder, "depth", "-m", "nDCG", "--depths", "5,10", "--reference", "10", "--pooled", "4")
    assert [r["k"] for r in rows] == [5, 10]
    assert rows[1]["tau"] == pytest.approx(1)
    table = records(folder, "depth", "--volatility", "--depths", "5,10")
    assert list(table[0]) == ["measure_a", "k_a", "measure_b", "k_b", "tau"]
    assert len(table) == 4
    two = records(folder, "depth", "-m", "AP", "-m", "P@5", "--volatility", "--depths", "5,10")
    assert {(r["measure_a"], r["measure_b"]) for r in two} == {("AP", "P@5")}
    called(folder, "depth", "-m", "AP", "-m", "RR", "-m", "P@5", "--volatility", code=2)


def test_the_tutorial_shows_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[1] / "docs" / "tutorials" / "is-my-pool-deep-enough.md").read_text("utf-8")
    simulate(runs=12, topics=25, depth=100, pool_depth=20, rng=0).write(tmp_path / "demo")  # as `leadline demo` does
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    shown = re.findall(r"```sh\nleadline ([^\n]*)\n```\n\n```\n([^`]*)```", text)
    assert len(shown) == 2
    for command, output in shown:
        result = CliRunner().invoke(cli, [*shlex.split(command), "--format", "table"])
        assert result.stdout == output
    for command in re.findall(r"^leadline (?!demo)(.*)$", text, flags=re.MULTILINE):
        assert CliRunner().invoke(cli, shlex.split(command)).exit_code == 0, command
