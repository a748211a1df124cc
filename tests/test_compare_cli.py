"""``leadline compare`` and ``leadline prefer``: the records others rely on, tables for people, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import leadline
from leadline.cli import cli
from leadline.errors import UnknownName, UsageError

COMPARE = [
    "a", "b", "measure", "difference", "low", "high", "effect", "wins", "ties", "losses", "p", "p_adjusted",
    "significant", "flags",
]  # fmt: skip


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("demo")
    leadline.simulate.simulate(runs=4, topics=10, depth=30, pool_depth=10, rng=3).write(folder)
    return [str(folder / "qrels.txt"), str(folder / "runs")]


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def records(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments, "--format", "jsonl").stdout.splitlines()]


def test_compare_records(demo: list[str]) -> None:
    rows = records("compare", *demo, "-m", "AP", "-m", "nDCG@10")
    assert len(rows) == 12
    assert {tuple(row) for row in rows} == {tuple(COMPARE)}
    found = leadline.compare(leadline.read(*demo), ["AP", "nDCG@10"])
    assert [row["p_adjusted"] for row in rows] == found.columns()["p_adjusted"].tolist()
    assert [row["flags"] for row in rows] == found.columns()["flags"]
    assert "n=10 topics" in rows[0]["flags"]


def test_compare_repeats_with_its_seed(demo: list[str]) -> None:
    given = ("compare", *demo, "-m", "AP", "--test", "bootstrap", "-B", "500")
    assert records(*given, "--seed", "1") == records(*given, "--seed", "1", "--threads", "1")
    assert records(*given, "--seed", "1") != records(*given, "--seed", "2")


def test_compare_with_baseline_by_name_or_path(demo: list[str]) -> None:
    path = sorted(Path(demo[1]).glob("*.run"))[1]
    by_path = records("compare", *demo, "-m", "AP", "--baseline", str(path))
    assert by_path == records("compare", *demo, "-m", "AP", "--baseline", path.stem)
    assert {row["b"] for row in by_path} == {path.stem}
    with pytest.raises(UnknownName, match="run"):
        run("compare", *demo, "--baseline", "nobody")


def test_compare_for_papers(demo: list[str]) -> None:
    markdown = run("compare", *demo, "-m", "AP", "-m", "ESL", "--format", "markdown").stdout
    assert markdown.startswith("| run | AP | ESL |")
    assert "<sup>a" in markdown
    assert "share a letter" in markdown
    latex = run("compare", *demo, "-m", "AP", "--format", "latex").stdout
    assert r"\textsuperscript{a" in latex
    letters = records("compare", *demo, "-m", "AP", "--letters")
    assert list(letters[0]) == ["run", "measure", "value", "marks"]
    table = run("compare", *demo, "-m", "AP", "--letters", "--format", "table").stdout
    assert "share a letter" in table


def test_compare_power(demo: list[str]) -> None:
    row = records("compare", *demo, "-m", "AP", "--power", "--beta", "0.1")[0]
    assert list(row) == [*COMPARE, "power", "topics_needed", "detectable"]
    assert isinstance(row["topics_needed"], int)


def test_prefer_records(demo: list[str]) -> None:
    rows = records("prefer", *demo, "-m", "rrLP", "-m", "LR")
    assert len(rows) == 12
    assert {tuple(row) for row in rows} == {("a", "b", "preference", "value", "wins", "ties", "losses", "p")}
    found = leadline.prefer(leadline.read(*demo), ["rrLP", "LR"])
    assert [row["value"] for row in rows] == found.columns()["value"].tolist()
    corrected = records("prefer", *demo, "--correction", "holm")[0]
    assert list(corrected)[-2:] == ["p_adjusted", "significant"]


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        (["-q"], "a b preference topic value level"),
        (["--summary", "-m", "RR", "-m", "rrLP"], "preference test correction ties significant"),
        (["--order", "all"], "preference method rank run score"),
        (["--order", "borda", "--order", "mc4"], "preference method rank run score"),
        (["--levels"], "level decided cumulative tied topics"),
        (["--chance"], "rank lists observed expected"),
        (["--locality"], "level_i level_j correlation"),
        (["--regression", "--tied-before", "--signs"], "level ahead coefficient"),
        (["--suffix"], "predictor agreement pairs"),
        (
            ["--removal", "labels", "--samples", "2"],
            "removed predictor ranking ranking_sd system system_sd ties ties_sd",
        ),
        (["--removal", "requests", "--samples", "2", "--rel", "2"], "removed predictor ranking ranking_sd system"),
    ],
)
def test_prefer_studies(demo: list[str], options: list[str], columns: str) -> None:
    rows = records("prefer", *demo, *options)
    assert rows
    assert " ".join(rows[0]).startswith(columns)


def test_prefer_explains(demo: list[str]) -> None:
    track = leadline.read(*demo)
    topic, (a, b, *_) = track.topics[0], track.runs
    text = run("prefer", *demo, "--explain", topic, a, b, "--format", "table").stdout
    assert text.startswith(f"Topic {topic}, ")
    assert "relevant, o judged not relevant" in text
    assert "level" in text
    rows = records("prefer", *demo, "--explain", topic, a, b)
    assert sum(row["decides"] for row in rows) == 1
    with pytest.raises(UnknownName, match="topic"):
        run("prefer", *demo, "--explain", "nothing", a, b)


def test_prefer_refuses(demo: list[str]) -> None:
    with pytest.raises(UnknownName, match="preference"):
        run("prefer", *demo, "-m", "nDCG")
    with pytest.raises(UsageError, match="two runs"):
        run("prefer", demo[0], str(sorted(Path(demo[1]).glob("*.run"))[0]))
    assert run("prefer", *demo, "--test", "bootstrap").exit_code == 2


def test_help_of_options_matches_what_there_is() -> None:
    from leadline.cli import compare, prefer
    from leadline.stats import CORRECTIONS
    from leadline.systems.pair_tests import TESTS
    from leadline.systems.preference_orders import ORDERS
    from leadline.systems.preferences import PREFERENCE_TESTS

    assert compare.TESTS == TESTS
    assert prefer.TESTS == PREFERENCE_TESTS
    assert tuple(ORDERS) == prefer.ORDERS
    assert set(compare.CORRECTIONS) <= set(CORRECTIONS)
    assert compare.CORRECTIONS == prefer.CORRECTIONS
