"""The small commands and the forms that scores come in: what a user meets first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import leadline
from leadline.cli import cli
from leadline.errors import UnknownName, UsageError

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n"
RUNS = {"x": "q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq2 Q0 c 1 1 x\n", "y": "q1 Q0 b 1 3 y\nq1 Q0 a 2 2 y\nq2 Q0 a 1 1 y\n"}


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    for name, lines in RUNS.items():
        (tmp_path / f"{name}.run").write_text(lines)
    return [tmp_path / "qrels.txt", tmp_path / "x.run", tmp_path / "y.run"]


def test_the_catalogue_lists_explains_and_cites() -> None:
    assert "\n  RBP        " in run("catalogue").output
    explained = run("catalogue", "ndcg", "RBP").output
    assert explained.startswith("nDCG[@k]: ")
    assert "\n\nRBP[@k]: " in explained
    assert run("catalogue", "--bibtex", "RBP").output.startswith("@article{moffat2008,")
    everything = run("catalogue", "--bibtex").output
    assert all(f"{{{key},\n" in everything for key in ("moffat2008", "clarke2020", "penas2011"))
    assert isinstance(run("catalogue", "nDGC").exception, UnknownName)
    assert isinstance(run("catalogue", "--import", "no_such_module_anywhere").exception, UsageError)


def test_the_demonstration_writes_a_track_and_evaluates_it(tmp_path: Path) -> None:
    done = run("demo", tmp_path / "demo", "--runs", 3, "--topics", 4, "--depth", 20, "--pool-depth", 5, "--seed", 1)
    assert done.exit_code == 0
    assert len(list((tmp_path / "demo" / "runs").iterdir())) == 3
    assert "Next: leadline" in done.output
    track = leadline.read(tmp_path / "demo" / "qrels.txt", tmp_path / "demo" / "runs")
    assert (len(track.runs), len(track.topics)) == (3, 4)


def test_scores_described_over_topics(files: list[Path]) -> None:
    done = run("evaluate", *files, "-m", "RR", "--stats", "--format", "tsv").output.splitlines()
    assert done[0].split("\t") == ["run", "measure", "value", "sd", "median", "low", "high", "topics"]
    x = dict(zip(done[0].split("\t"), done[1].split("\t"), strict=True))
    assert (x["run"], x["topics"], float(x["value"])) == ("x", "2", 0.5)
    assert float(x["sd"]) == pytest.approx(np.std([1, 0], ddof=1))


def test_scores_as_trec_eval_prints_them(files: list[Path]) -> None:
    lines = run("evaluate", *files[:2], "-m", "RR", "-m", "P@5", "-q", "--format", "trec").output.splitlines()
    found = [line.split() for line in lines]
    assert ["recip_rank", "q1", "1.0000"] in found
    assert ["P_5", "q1", "0.2000"] in found
    assert ["recip_rank", "all", "0.5000"] in found
    assert [topic for name, topic, _ in found if name == "P_5"] == ["q1", "q2", "all"]


def test_scores_in_every_form(files: list[Path]) -> None:
    scores = leadline.evaluate(leadline.read(files[0], files[1:]), ["RR", "c@1"])
    by_run = scores.to_dict()
    assert by_run["x"] == {"q1": {"RR": 1.0}, "q2": {"RR": 0.0}}
    assert by_run["y"] == {"q1": {"RR": 0.5}, "q2": {"RR": 1.0}}
    pytest.importorskip("pandas")
    rows = [("x", "q1", "RR", 1.0), ("x", "q2", "RR", 0.0), ("y", "q1", "RR", 0.5), ("y", "q2", "RR", 1.0)]
    assert list(scores.to_pandas().itertuples(index=False, name=None)) == rows
    assert scores.to_polars().rows() == rows
    assert [tuple(row.values()) for row in scores.to_arrow().to_pylist()] == rows


def test_a_typed_list_and_what_is_no_grade() -> None:
    lines = run("score", "1 0 1", "-m", "R@5", "--curve", "length", "--format", "tsv").output.splitlines()
    assert [line.split("\t") for line in lines] == [
        ["measure", "length", "value"], ["R@5", "0", "0.0"], ["R@5", "1", "0.5"], ["R@5", "2", "0.5"],
        ["R@5", "3", "1.0"],
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"grades and '-' for unjudged, like '1 0 - 2'. Got 'x'."):
        leadline.parse("AP").score("1 x 0")


@pytest.mark.parametrize(("option", "value"), [("topics", "all"), ("nil", "keep")])
def test_options_of_read_that_do_not_exist(option: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"{option} must be .* Got '{value}' instead"):
        leadline.read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, **{option: value})
