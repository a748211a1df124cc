"""The gate for continuous integration: exit codes, limits, another run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leadline.cli import cli

QRELS = "".join(f"q{t} 0 d{t} 1\n" for t in range(6))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six topics: `good` has all at rank 1, `fair` misses one topic, `bad` has all at rank 2."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "old").mkdir()
    hit = [f"q{t} Q0 d{t} 1 2.0 x\n" for t in range(6)]
    miss = [f"q{t} Q0 none 1 3.0 x\n" for t in range(6)]
    (tmp_path / "good.run").write_text("".join(hit))
    (tmp_path / "old" / "good.run").write_text("".join(hit))
    (tmp_path / "fair.run").write_text("".join([*hit, miss[0]]))
    (tmp_path / "bad.run").write_text("".join(hit + miss))
    return tmp_path


def check(folder: Path, *words: str) -> Result:
    given = [str(folder / w) if (folder / w).is_file() else w for w in words]
    return CliRunner().invoke(cli, ["check", str(folder / "qrels.txt"), *given])


def test_a_limit_met_and_missed(folder: Path) -> None:
    done = check(folder, "bad.run", "--min", "RR=0.5", "--min", "P@1=0.0")
    assert done.exit_code == 0
    assert done.stdout == "ok      bad: RR = 0.5000 ≥ 0.5\nok      bad: P@1 = 0.0000 ≥ 0\n"
    done = check(folder, "good.run", "bad.run", "--min", "RR=0.51")
    assert done.exit_code == 1
    assert done.stdout == "ok      good: RR = 1.0000 ≥ 0.51\nFAILED  bad: RR = 0.5000 < 0.51, off by 0.01\n"
    assert done.stderr == "leadline: 1 of 2 checks failed\n"


def test_a_measure_with_parameters_and_an_upper_limit(folder: Path) -> None:
    assert check(folder, "bad.run", "--min", "RBP(p=0.5)@5=0.25").exit_code == 0
    assert check(folder, "bad.run", "--min", "RBP(p=0.5)@5=0.26").exit_code == 1
    assert check(folder, "bad.run", "--max", "ESL=2").exit_code == 0
    done = check(folder, "bad.run", "--max", "ESL=1.5")
    assert done.exit_code == 1
    assert "> 1.5" in done.stdout


def test_an_undefined_mean_fails(folder: Path) -> None:
    (folder / "none.run").write_text("q1 Q0 nothing 1 1.0 x\n")
    done = check(folder, "none.run", "--max", "ESL=9")
    assert done.exit_code == 1
    assert "FAILED  none: ESL is undefined, wanted at most 9" in done.stdout


def test_no_worse_than_another_run_of_the_same_name(folder: Path) -> None:
    done = check(folder, "good.run", "--no-worse-than", "old/good.run", "-m", "AP")
    assert done.exit_code == 0
    assert f"good: AP = 1.0000, good ({folder / 'old' / 'good.run'}) 1.0000: no worse" in done.stdout
    done = check(folder, "bad.run", "--no-worse-than", "good.run", "-m", "AP", "-m", "R@5")
    assert done.exit_code == 1
    assert [line[:6] for line in done.stdout.splitlines()] == ["FAILED", "ok    "]
    assert "worse by 0.5" in done.stdout


def test_lower_can_be_better(folder: Path) -> None:
    assert check(folder, "good.run", "--no-worse-than", "bad.run", "-m", "ESL").exit_code == 0
    assert check(folder, "bad.run", "--no-worse-than", "good.run", "-m", "ESL").exit_code == 1


def test_tolerance_and_significance(folder: Path) -> None:
    against = ("--no-worse-than", "good.run", "-m", "AP")
    assert check(folder, "fair.run", *against).exit_code == 1
    assert check(folder, "fair.run", *against, "--tolerance", "0.09").exit_code == 0
    done = check(folder, "fair.run", *against, "--alpha", "0.05")  # one topic of six: p = 0.36
    assert done.exit_code == 0
    assert "p = 0.363: worse by 0.08333, accepted" in done.stdout
    assert check(folder, "bad.run", *against, "--alpha", "0.05").exit_code == 1


def test_the_measures_of_the_limits_are_compared_by_default(folder: Path) -> None:
    done = check(folder, "fair.run", "--min", "RR=0.1", "--no-worse-than", "bad.run")
    assert done.exit_code == 0
    assert [line.split(": ")[1].split(" ")[0] for line in done.stdout.splitlines()] == ["RR", "RR"]
    assert "nDCG@10" in check(folder, "fair.run", "--no-worse-than", "bad.run").stdout


def test_common_options_apply(folder: Path) -> None:
    assert check(folder, "fair.run", "--min", "RR=1", "--select", "q1,q2").exit_code == 0
    assert check(folder, "bad.run", "--min", "RR=1", "--unjudged", "condense").exit_code == 0


@pytest.mark.parametrize("words", [("--min", "RR"), ("--min", "RBP(p=0.8)"), ("--max", "RR=x"), ()])
def test_usage_errors(folder: Path, words: tuple[str, ...]) -> None:
    done = check(folder, "good.run", *words)
    assert done.exit_code == 2
    assert "Error" in done.stderr


def test_the_exit_code_of_the_command(folder: Path) -> None:
    code = "from leadline.cli import main; main()"
    for limit, expected in [("RR=1", 0), ("RR=1.01", 1)]:
        words = [sys.executable, "-c", code, "check", "qrels.txt", "good.run", "--min", limit]
        assert subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode == expected
