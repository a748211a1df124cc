"""Truncated run files, and the commands ``truncate`` and ``stop``."""

from __future__ import annotations

import gzip
import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from leadline import evaluate, read
from leadline.cli import cli
from leadline.depths.policies import FixedK, NeverStop, Policy, RelativeToTop, ScoreMass, ScoreThreshold
from leadline.depths.stopping import stop
from leadline.depths.truncated_runs import write_truncated
from leadline.depths.truncation import truncate
from leadline.errors import LeadlineError, UsageError
from leadline.rankings.track import Track
from leadline.simulate import question_answering, simulate


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    settings = {"runs": 4, "topics": 30, "depth": 40, "pool_depth": 40, "tied": 0.5, "score_relation": 1.0}
    return simulate(**settings, rng=8).write(folder)  # type: ignore[arg-type]


def track_of(folder: Path, **options: Any) -> Track:
    return read(folder / "qrels.txt", folder / "runs", **({"keep_scores": True} | options))


def cuts(track: Track, policy: Policy) -> np.ndarray:
    own = np.split(track.scores, track.score_offsets[1:-1])  # type: ignore[arg-type]
    return np.array([policy.cut(scores) for scores in own])


def same_lists(a: Track, b: Track) -> None:
    for name in ("rank", "row", "offsets"):
        np.testing.assert_array_equal(getattr(a.entries, name), getattr(b.entries, name))
    np.testing.assert_array_equal(a.lengths, b.lengths)
    np.testing.assert_array_equal(a.scores, b.scores)


# ---------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("ties", ["trec", "trec32", "run", "file", "rank"])
@pytest.mark.parametrize("policy", [FixedK(5), RelativeToTop(0.8), ScoreMass(0.3)])
def test_written_runs_are_the_truncated_ones(demo: Path, tmp_path: Path, ties: str, policy: Policy) -> None:
    track = track_of(demo, ties=ties)
    written = write_truncated(track, policy, tmp_path / "out")
    assert [p.name for p in written.files] == [f"{run}.run" for run in track.runs]
    again = read(demo / "qrels.txt", tmp_path / "out", ties=ties, keep_scores=True)
    same_lists(again, track.truncated(cuts(track, policy)))


def test_lines_are_kept_as_they_are(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    lines = [
        "q1\tQ0  b 1 2.50\ttag\r\n",
        "other Q0 z 1 9.0 tag\r\n",  # a topic without judgments is cut as well
        "q1 Q0 a 2 1.5 tag\r\n",
        "other Q0 y 2 1.0 tag\r\n",
        "q2 Q0 c 1 0.1 tag",
    ]
    (tmp_path / "x.run.gz").write_bytes(gzip.compress("".join(lines).encode()))
    track = read(qrels, tmp_path / "x.run.gz", keep_scores=True)
    written = write_truncated(track, ScoreThreshold(2.0), tmp_path / "out")
    assert written.files == (tmp_path / "out" / "x.run",)
    assert written.files[0].read_bytes().decode() == lines[0] + lines[1]
    assert [str(f) for f in written.findings] == [
        "empty-answers: 1 (x:q2), no line in a TREC file says so; the topic is missing from it"
    ]
    write_truncated(track, NeverStop(), tmp_path / "all")
    assert (tmp_path / "all" / "x.run").read_bytes().decode() == "".join(lines) + "\n"


def test_one_rule_for_each_run_and_lengths_by_topic(demo: Path, tmp_path: Path) -> None:
    track = track_of(demo)
    best = truncate(track, "U")
    lengths = best.length("U").astype(int).tolist()
    oracle = {run: dict(zip(track.topics, row, strict=True)) for run, row in zip(track.runs, lengths, strict=True)}
    write_truncated(track, oracle, tmp_path / "oracle")
    again = read(demo / "qrels.txt", tmp_path / "oracle")
    np.testing.assert_allclose(evaluate(again, "U").array("U"), best.value("U"), atol=1e-12)
    part = track.select(runs=[track.runs[2]])
    write_truncated(part, {track.runs[2]: FixedK(1)}, tmp_path / "one")
    assert [p.name for p in (tmp_path / "one").iterdir()] == [f"{track.runs[2]}.run"]
    with pytest.raises(UsageError, match="no rule"):
        write_truncated(track, {track.runs[2]: FixedK(1)}, tmp_path / "none")


def test_what_is_no_file_is_written_as_one(tmp_path: Path) -> None:
    sim = simulate(runs=2, topics=5, depth=10, rng=1)
    track = read(sim.qrels, sim.runs, keep_scores=True, keep_docs=True)
    write_truncated(track, FixedK(4), tmp_path)
    same_lists(read(sim.qrels, tmp_path, keep_scores=True), track.truncated(np.minimum(track.lengths, 4)))
    with pytest.raises(UsageError, match="keep_docs"):
        write_truncated(read(sim.qrels, sim.runs, keep_scores=True), FixedK(4), tmp_path / "x")


def test_a_run_is_never_written_over(demo: Path) -> None:
    before = {p: p.read_bytes() for p in (demo / "runs").iterdir()}
    with pytest.raises(UsageError, match="the run itself"):
        write_truncated(track_of(demo), FixedK(1), demo / "runs")
    assert {p: p.read_bytes() for p in (demo / "runs").iterdir()} == before


# ------------------------------------------------------------------------------------------------------------- commands


def run(*arguments: Any) -> Result:
    result = CliRunner().invoke(cli, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, (LeadlineError, SystemExit)):
        raise result.exception
    return result


def records(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_truncate_command(demo: Path) -> None:
    track = track_of(demo)
    found = truncate(track, "U")
    rows = records(run("truncate", demo / "qrels.txt", demo / "runs", "-m", "U", "-q", "--format", "jsonl"))
    assert list(rows[0])[:6] == ["run", "topic", "measure", "length", "value", "full"]
    assert len(rows) == 4 * 31
    assert [r["length"] for r in rows[:30]] == found.length("U")[0].tolist()
    means = [r for r in rows if r["topic"] == "all"]
    np.testing.assert_allclose([r["value"] for r in means], found.value("U").mean(axis=1))
    tsv = run("truncate", demo / "qrels.txt", demo / "runs", "-m", "U").stdout.splitlines()
    assert tsv[0].split("\t")[:6] == ["run", "topic", "measure", "length", "value", "full"]
    assert len(tsv) == 5


def test_truncate_for_people_fits_a_terminal(demo: Path) -> None:
    names = ["-m", "U", "-m", "RBPU", "-m", "RBPU(p=0.8)", "-m", "OIE", "-m", "nDCGT", "-m", "SetF", "-m", "DCGU"]
    shown = run("truncate", demo / "qrels.txt", demo / "runs", *names, "--format", "table").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("relevant\n") == 2  # the histogram, in two parts
    assert "RBPU.2 = RBPU(p=0.98, e=0.05)" in shown.replace("\n", " ")
    bins = run("truncate", demo / "qrels.txt", demo / "runs", "-m", "U", "--histogram", "--format", "jsonl")
    assert sum(r["percent"] for r in records(bins) if r["series"] == "U(e=0.05)") == pytest.approx(100)


def test_truncate_against_full_measures(demo: Path) -> None:
    rows = records(
        run(
            "truncate",
            demo / "qrels.txt",
            demo / "runs",
            "-m",
            "U",
            "-m",
            "OIE",
            "--against",
            "AP",
            "--format",
            "jsonl",
        )
    )
    assert [(r["full"], r["truncated"]) for r in rows] == [("AP", "U(e=0.05)"), ("AP", "OIE(beta=1.05)")]
    assert all(-1 <= r["tau"] <= 1 for r in rows)


def test_truncate_own_stops(tmp_path: Path) -> None:
    question_answering(runs=3, topics=20, rng=4).write(tmp_path)
    rows = records(run("truncate", tmp_path / "qrels.txt", tmp_path / "runs", "--own", "--format", "jsonl"))
    assert len(rows) == 3 * 4
    assert {"run", "original", "terminal", "truncated"} <= set(rows[0])
    shown = run("truncate", tmp_path / "qrels.txt", tmp_path / "runs", "--own", "--format", "table").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "Topics without an answer: 4 of 20" in shown


def test_stop_command(demo: Path) -> None:
    one = demo / "runs" / "uni1-bm25.run"
    rows = records(run("stop", demo / "qrels.txt", one, "-m", "U", "--folds", 5, "--seed", 3, "--format", "jsonl"))
    assert list(rows[0])[:6] == ["run", "policy", "measure", "value", "oracle", "full"]
    found = stop(track_of(demo).select(runs=["uni1-bm25"]), "U", folds=5, rng=3).columns()
    assert [r["value"] for r in rows] == found["value"]
    assert [r["policy"] for r in rows] == found["policy"]
    shown = run("stop", demo / "qrels.txt", one, "-m", "U", "--format", "table").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "uni1-bm25: " in shown
    both = records(
        run("stop", demo / "qrels.txt", one, "-m", "U", "-m", "SetF", "--policy", "z-score", "--format", "jsonl")
    )
    assert [r["measure"] for r in both] == ["U(e=0.05)"] * 4 + ["SetF(beta=1)"] * 4


def test_stop_applies_a_rule(demo: Path, tmp_path: Path) -> None:
    track = track_of(demo)
    where = (demo / "qrels.txt", demo / "runs")
    assert run("stop", *where, "--apply", "fixed-k=3", "-o", tmp_path / "three").exit_code == 0
    same_lists(read(*[where[0], tmp_path / "three"], keep_scores=True), track.truncated(np.minimum(track.lengths, 3)))
    said = run(
        "stop", *where, "-m", "U", "--apply", "recommended", "--save", tmp_path / "rules.json", "-o", tmp_path / "best"
    )
    assert "wrote 4 runs" in said.stderr
    rules = json.loads((tmp_path / "rules.json").read_text())
    assert sorted(rules) == sorted(track.runs)
    assert run("stop", *where, "--apply", tmp_path / "rules.json", "-o", tmp_path / "again").exit_code == 0
    for file in (tmp_path / "best").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
    learned = stop(track, "U").policy("uni1-ql", "score-threshold")
    run("stop", *where, "-m", "U", "--apply", "score-threshold", "-o", tmp_path / "learned")
    run("stop", *where, "--apply", learned.to_json(), "-o", tmp_path / "given")
    assert (tmp_path / "learned" / "uni1-ql.run").read_bytes() == (tmp_path / "given" / "uni1-ql.run").read_bytes()
    run("stop", *where, "-m", "U", "--apply", "oracle", "-o", tmp_path / "oracle")
    best = read(where[0], tmp_path / "oracle")
    np.testing.assert_allclose(evaluate(best, "U").array("U"), truncate(track, "U").value("U"), atol=1e-12)


def test_stop_with_a_policy_of_ones_own(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_to_stop.py").write_text("def half(scores):\n    return len(scores) // 2\n")
    (tmp_path / "groups.txt").write_text("301 a\n302 a\n\n")
    monkeypatch.chdir(tmp_path)
    arguments = ("--policy", "mine_to_stop:half", "--together", "groups.txt", "--format", "jsonl")
    rows = records(run("stop", demo / "qrels.txt", demo / "runs" / "uni1-ql.run", *arguments))
    assert [r["policy"] for r in rows] == ["never", "fixed-k", "half", "oracle"]
    assert rows[2]["length"] <= rows[0]["length"] / 2


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--apply", "fixed-k=3"], "-o"),
        (["--apply", "fixd-k=3", "-o", "x"], "fixed-k"),
        (["--policy", "nowhere:half"], "nowhere"),
        (["--policy", "json:half"], "no function"),
        (["--policy", "zscore"], "z-score"),
    ],
)
def test_stop_says_what_is_wrong(
    demo: Path, tmp_path: Path, arguments: list[str], match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("stop", demo / "qrels.txt", demo / "runs" / "uni1-ql.run", *arguments)
    assert result.exit_code != 0
    assert match in f"{result.output}{result.exception}"


# ---------------------------------------------------------------------------------------------------------------- pages

HOME = Path(__file__).parent.parent


def loaded(path: Path) -> Any:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    example = loaded(HOME / "examples" / "stopping_policy.py")
    example.main()
    said = capsys.readouterr().out
    assert "elbow" in said
    assert "(score-threshold)" in said
    rng = np.random.default_rng(1)
    lengths = np.array([0, 1, 2, 3, 9, 12])
    scores = np.full((6, 12), np.nan)
    for row, n in zip(scores, lengths, strict=True):
        row[:n] = np.sort(rng.normal(size=n))[::-1]
    one_by_one = [example.elbow(row[:n]) for row, n in zip(scores, lengths, strict=True)]
    assert example.elbows(scores, lengths).tolist() == one_by_one


def test_the_page_shows_what_the_commands_print(tmp_path: Path) -> None:
    page = (HOME / "docs" / "tutorials" / "how-many-results.md").read_text(encoding="utf-8")
    settings = dict(re.findall(r"(\w+)=([\d.]+)", page[page.index("simulate(") : page.index(")\nsim.write")]))
    simulate(**{k: float(v) if "." in v else int(v) for k, v in settings.items()}).write(tmp_path)  # type: ignore[arg-type]
    where = (tmp_path / "qrels.txt", tmp_path / "runs" / "uni1-dense.run", "-m", "U(e=0.1)", "--format", "table")
    for command in ("truncate", "stop"):
        printed = (
            run(command, *where)
            .stdout.rstrip()
            .removesuffix("Percent of lists by best length, of topics by relevant documents.")
        )
        assert printed.rstrip() in page
    assert (HOME / "docs" / "tutorials" / "images" / "how-many-results.png").stat().st_size > 10_000


def test_the_figure_is_made_of_the_results() -> None:
    pytest.importorskip("altair")
    script = loaded(HOME / "docs" / "tutorials" / "how_many_results.py")
    found = script.learned()
    spec = script.figure(found).to_dict()
    points = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "point")
    shown = {row["policy"]: row["value"] for row in json.loads(points["data"]["values"])}
    assert shown["score-threshold"] == pytest.approx(found.value("score-threshold").mean(), abs=1e-5)
    assert shown["never"] < shown["fixed-k"] < shown["score-threshold"] < shown["oracle"]
