"""The contract other software may rely on: commands, record keys and their order, exit codes, streams."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.simulate import simulate


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contract")
    simulate(runs=6, topics=12, depth=40, pool_depth=10, aspects=2, rng=5).write(folder / "several")
    simulate(runs=6, topics=12, depth=40, pool_depth=10, rng=5).write(folder)
    return folder


def leadline(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leadline", *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd
    )


def records(*words: object) -> list[dict]:
    done = leadline(*words, "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found, f"no record: {done.stderr}"
    return found


RECORDS = {
    "evaluate": (["-m", "AP"], "run topic measure value"),
    "evaluate -q": (["-q", "-m", "AP"], "run topic measure value"),
    "ranges": (["-m", "AP"], "run topic measure lower upper residual"),
    "curve by depth": (["-m", "AP", "--by", "depth", "--depths", "5,10"], "run topic measure depth value"),
    "curve by length": (["-m", "AP", "--by", "length", "--depths", "5,10"], "run topic measure length value"),
    "truncate": (["-m", "U"], "run topic measure length value full"),
    "stop": (["-m", "U", "--folds", "3"], "run policy measure value oracle full"),
    "compare": (
        ["-m", "AP"], "a b measure difference low high effect wins ties losses p p_adjusted significant flags",
    ),
    "prefer": (["-m", "rrLP"], "a b preference value wins ties losses p"),
    "depth": (
        ["-m", "AP", "--depths", "5,10"],
        "measure k mean median_p discrimination coverage inversion tau tau_ap rbo pearson rmse",
    ),
    "depth volatility": (["-m", "AP", "--volatility", "--depths", "5,10"], "measure_a k_a measure_b k_b tau"),
    "ties": (["-m", "AP"], "run share_tied"),
    "pool": ([], "depth judged relevant new_rate"),
    "pool per run": (["--per-run"], "run depth rel_in_pool rank_unjudged rel_past"),
    "pool leave out": (["--leave-out", "run", "-m", "AP"], "run group measure change rank_change"),
    "pool to judge": (["--to-judge", "3"], "topic doc weight"),
    "agree": (["-m", "AP", "-m", "RR"], "measure_a measure_b tau tau_ap rbo"),
    "diagnose": ([], "check severity value threshold text"),
}  # fmt: skip


@pytest.mark.parametrize("case", RECORDS)
def test_records_have_the_keys_of_the_contract_in_order(case: str, demo: Path) -> None:
    options, keys = RECORDS[case]
    command = case.split()[0]
    found = records(command, demo / "qrels.txt", demo / "runs", *options)
    wanted = keys.split()
    assert [key for key in found[0] if key in wanted] == wanted  # further keys may stand beside them


def test_records_without_a_track(demo: Path) -> None:
    scored = records("score", "1 0 - 2", "--rels", "2 1 1", "-m", "AP")
    assert scored == [{"measure": "AP", "value": 0.5}]
    assert list(records("properties", "-m", "P@5")[0])[:4] == ["measure", "property", "verdict", "counter_example"]


def test_aspects_record(demo: Path) -> None:
    files = (demo / "several" / "qrels.txt", demo / "several" / "runs")
    columns = len((demo / "several" / "qrels.txt").read_text().splitlines()[0].split()) - 3
    declared = [word for i in range(columns) for word in ("--aspects", f"a{i}=0..9")]
    found = records("aspects", *files, *declared, "-m", "CAM(measure='nDCG@10')")
    assert list(found[0])[:4] == ["run", "topic", "measure", "value"]


def test_ties_gives_both_kinds_of_records(demo: Path) -> None:
    kinds = {tuple(r)[:4] for r in records("ties", demo / "qrels.txt", demo / "runs", "-m", "AP")}
    assert any(kind[:2] == ("run", "share_tied") for kind in kinds)
    assert ("rule_a", "rule_b", "measure", "tau") in kinds


def test_measure_is_its_canonical_name_and_topic_all_the_mean(demo: Path) -> None:
    found = records("evaluate", demo / "qrels.txt", demo / "runs", "-m", "map", "-m", "ndcg_cut_10", "-m", "RBP")
    assert {r["measure"] for r in found} == {"AP", "nDCG@10", "RBP(p=0.8)"}
    assert {r["topic"] for r in found} == {"all"}


def test_undefined_is_null(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 0\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 t\n")
    files = (tmp_path / "q", tmp_path / "r.run")
    assert records("evaluate", *files, "-m", "AP", "--undefined", "nan", "-q")[0]["value"] is None
    assert records("evaluate", *files, "-m", "AP", "-q")[0]["value"] == 0.0


def test_counts_are_sums_under_all(demo: Path) -> None:
    per_topic = records("evaluate", demo / "qrels.txt", demo / "runs", "-m", "NumRelRet", "-q")
    run = per_topic[0]["run"]
    values = [r["value"] for r in per_topic if r["run"] == run and r["topic"] != "all"]
    total = next(r["value"] for r in per_topic if r["run"] == run and r["topic"] == "all")
    assert total == sum(values)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["evaluate"], 2),
        (["nonsense"], 2),
        (["evaluate", "{q}", "{r}", "-m", "nDGC"], 2),
        (["evaluate", "{q}", "{missing}"], 3),
        (["evaluate", "{q}", "{other}"], 4),
        (["evaluate", "{q}", "{r}", "{r}"], 2),
        (["check", "{q}", "{r}", "--min", "AP=1.1"], 1),
        (["check", "{q}", "{r}", "--min", "AP=0.0"], 0),
    ],
)
def test_exit_codes(words: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 t\n")
    (tmp_path / "other.run").write_text("2 Q0 a 1 1.0 t\n")
    names = {"q": tmp_path / "q", "r": tmp_path / "r.run", "other": tmp_path / "other.run", "missing": tmp_path / "no"}
    done = leadline(*(w.format(**names) for w in words))
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_results_and_findings_go_to_different_streams(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 t\n")
    done = leadline("evaluate", tmp_path / "q", tmp_path / "r.run", "-m", "AP")
    assert "topics-without-ranking" in done.stderr
    assert done.stdout == "run\ttopic\tmeasure\tvalue\nr\tall\tAP\t0.5\n"


def test_run_names_lose_folder_and_endings(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "q").write_text("1 0 a 1\n")
    with gzip.open(tmp_path / "my.best.run.gz", "wt") as out:
        out.write("1 Q0 a 1 1.0 thetag\n")
    found = records("evaluate", tmp_path / "q", tmp_path / "my.best.run.gz", "-m", "AP")
    assert found[0]["run"] == "my.best"
    found = records("evaluate", tmp_path / "q", tmp_path / "my.best.run.gz", "-m", "AP", "--name", "tag")
    assert found[0]["run"] == "thetag"


def test_trec_format_is_trec_evals(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 t\n")
    done = leadline("evaluate", tmp_path / "q", tmp_path / "r.run", "-m", "AP", "-m", "NumRel", "--format", "trec")
    assert done.stdout == "map                   \tall\t0.5000\nnum_rel               \tall\t2\n"
