"""The scripts of examples/reproduce print what the library computes, and published figures where they need no runs."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import leadline
from leadline.errors import InputError
from leadline.simulate import question_answering, simulate
from test_aspects import TABLE_1
from test_aspects_measures import TABLE_3
from test_worked_numbers import LIU

HERE = Path(__file__).parent.parent / "examples" / "reproduce"
SCRIPTS = ("amigo", "diaz", "liu", "lu", "maistro")
ASPECTS = "relevance=0..2 credibility=0..2"


@pytest.fixture(scope="module", autouse=True)
def importable() -> Iterator[None]:
    """The scripts import their neighbour as when they are run."""
    sys.path.insert(0, str(HERE))
    yield
    sys.path.remove(str(HERE))
    for name in (*SCRIPTS, "shared"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("collections")
    for seed in (0, 1):
        simulate(runs=8, topics=15, depth=50, pool_depth=10, grades=3, tied=0.5, rng=seed).write(folder / f"c{seed}")
    question_answering(runs=6, topics=40, rng=0).write(folder / "qa")
    simulate(runs=5, topics=8, depth=30, aspects=1, grades=3, rng=0).write(folder / "aspects")
    return folder


@pytest.fixture(scope="module")
def tracks(data: Path) -> dict[str, leadline.Track]:
    return {n: leadline.read(data / n / "qrels.txt", data / n / "runs") for n in ("c0", "c1")}


def script(name: str) -> ModuleType:
    return importlib.import_module(name)


def printed(name: str, capsys: pytest.CaptureFixture[str], *arguments: object) -> list[list[str]]:
    """Lines of a script's output, split at two blanks or more."""
    script(name).main([str(a) for a in arguments])
    return [re.split(r" {2,}", line.strip()) for line in capsys.readouterr().out.splitlines()]


def row(lines: list[list[str]], title: str, first: str) -> list[str]:
    """The row that starts with ``first`` in the table whose title starts so."""
    start = next(i for i, line in enumerate(lines) if line[0].startswith(title))
    return next(line for line in lines[start:] if line[0] == first)


def test_every_script_is_tested() -> None:
    assert {p.stem for p in HERE.glob("*.py")} == {*SCRIPTS, "shared"}


# -------------------------------------------------------------------------------- collections
def test_a_folder_must_hold_one_file_of_judgments(tmp_path: Path) -> None:
    find = script("shared").find
    with pytest.raises(InputError, match="no subfolder 'runs'"):
        find(tmp_path)
    (tmp_path / "runs").mkdir()
    with pytest.raises(InputError, match="found 0"):
        find(tmp_path)
    (tmp_path / "adhoc.qrels").touch()
    assert find(tmp_path) == (tmp_path / "adhoc.qrels", tmp_path / "runs")
    (tmp_path / "diversity.qrels").touch()
    with pytest.raises(InputError, match="found 2"):
        find(tmp_path)
    (tmp_path / "qrels.txt").touch()
    assert find(tmp_path)[0].name == "qrels.txt"


def test_tables_align_and_mark_what_is_undefined() -> None:
    text = script("shared").show("T", ["a", "b"], [["x", 1.0], ["long", float("nan")]], 1)
    assert text.splitlines()[2:6:1] == ["a       b", "─────────", "x     1.0", "long    –"]


# -------------------------------------------------------------------------------- Amigó
def test_amigo(data: Path, tracks: dict[str, leadline.Track], capsys: pytest.CaptureFixture[str]) -> None:
    amigo = script("amigo")
    lines = printed("amigo", capsys, data / "c0", data / "c1", "--pairs", 200)
    assert len(amigo.FULL) == 11  # the paper's 11 × 14 measures
    assert len(amigo.TRUNCATED) == 14

    row_of_ap = row(lines, "Table 2", "AP")[1:]
    wanted = leadline.full_versus_truncated(tracks, "AP", amigo.TRUNCATED.values()).mean_tau[0]
    assert [float(x) for x in row_of_ap] == pytest.approx(wanted, abs=0.0051)
    for name, p in (("NDCG", None), ("ERR", None), ("RBP", 0.8), ("RBP", 0.98)):  # perfect, as in the paper
        full = name if p is None else f"{name} p={p}"
        terminal = f"{name}T" if p is None else f"{name}T p={p}"
        column = 1 + list(amigo.TRUNCATED).index(terminal)
        assert row(lines, "Table 2", full)[column] == "1.00"

    best = [leadline.truncate(t, "OIE").length("OIE") for t in tracks.values()]
    empty = np.mean([100 * (x == 0).mean() for x in best])
    assert float(row(lines, "Figure 2", "OIE")[1]) == pytest.approx(empty, abs=0.051)

    cut = [t.truncated(np.full(len(t.lengths), 100)) for t in tracks.values()]
    cov = np.mean([leadline.coverage(t, "AP", pairs=200, rng=0).cov[0] for t in cut])
    assert float(row(lines, "Table 3", "AP")[1]) == pytest.approx(cov, abs=0.00051)
    start = next(i for i, line in enumerate(lines) if line[0].startswith("Table 3")) + 4
    values = [float(line[1]) for line in lines[start : start + len(amigo.COVERED)]]
    assert values == sorted(values, reverse=True)


def test_amigo_properties() -> None:
    amigo = script("amigo")
    rows = {measure: dict(zip(amigo.PROPERTIES, signs, strict=True)) for _, measure, *signs in amigo.table_1()}
    assert len(rows) == 24
    assert rows["RBPU"] == dict(zip(amigo.PROPERTIES, "✓✓✓✓✓==", strict=True))
    assert rows["AP"]["TOP-WEIGHTEDNESS"] == "✗"
    assert rows["SetF"]["CONFIDENCE"] == "(✓)"


# -------------------------------------------------------------------------------- Lu
@pytest.fixture(scope="module")
def pooled(data: Path) -> leadline.Track:
    """The contributing runs of the first collection as the script reads them."""
    lu = script("lu")
    track = leadline.read(data / "c0" / "qrels.txt", data / "c0" / "runs", ties="run", keep_scores=True)
    return lu.contributing(track, data / "c0")


def test_lu(data: Path, pooled: leadline.Track, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed("lu", capsys, f"{data / 'c0'}=10", f"{data / 'c1'}=10")
    assert 2 < len(pooled.runs) < 8

    runs = leadline.pool_runs(pooled, depths=[10])
    assert row(lines, "Table 4. Pooling outcomes, c0", "d = 10")[1] == (
        f"{runs.rel_in_pool.mean():.1f}±{runs.rel_in_pool.std(ddof=1):.1f}"
    )
    relevant = runs.rel_in_pool + runs.rel_past  # the relevant documents of the topic, whatever the run
    assert (relevant == relevant[:, :1]).all()

    for by in ("run", "group"):
        left = leadline.leave_out(pooled, "RBP(p=0.8)@10", by=by, depth=10)
        found = row(lines, f"Table 5. Leaving out one {by}", "RBP0.8")
        assert [float(x) for x in found[1:3]] == pytest.approx(left.average("RBP(p=0.8)@10"), abs=0.0051)

    whole = leadline.read(data / "c0" / "qrels.txt", data / "c0" / "runs", keep_scores=True)
    tied = leadline.ties(whole, "RBP(p=0.8)", rules=["trec", "run"])
    share, tau = 100 * tied.median_share, tied.tau("trec", "run", "RBP(p=0.8)")
    assert [float(x) for x in row(lines, "Table 6", "c0")[1:]] == pytest.approx([share, tau], abs=0.00051)

    for title, rule in (("Table 7. c0", "nonrelevant"), ("Table 8. c0", "condense")):
        study = leadline.depth(pooled.pooled(10), "AP(norm='min')", depths=[4], reference=10, unjudged=rule)
        values = study.values(study.measures[0])
        wanted = [100 * values[f][0] for f in ("discrimination", "coverage", "inversion")]
        assert [float(x) for x in row(lines, title, "4")[1:4]] == pytest.approx(wanted, abs=0.051)
    assert row(lines, "Table 7. c0", "10")[2] == "100.0"  # the reference covers itself

    values = leadline.depth(pooled, "nDCG", depths=[4], reference=10, pooled=10).values("nDCG")
    panes = [values[f][0] for f in ("median_p", "discrimination", "coverage", "inversion", "tau", "pearson")]
    assert [float(x) for x in row(lines, "Figure 4. nDCG by depth, c0", "4")[1:]] == pytest.approx(panes, abs=0.00051)


def test_lu_residuals_follow_their_formula(pooled: leadline.Track) -> None:
    (at_4,) = (r for r in script("lu").table_9(pooled, 10) if r[0] == 4)
    score, residual = map(float, at_4[2].split("+"))
    cut = pooled.pooled(10)
    assert score == pytest.approx(leadline.evaluate(cut, "RBP(p=0.8)@4").mean().mean(), abs=0.00051)
    judged = np.zeros((len(cut.lengths), 4), bool)
    seen = cut.entries.rank <= 4
    judged[cut.entries.list[seen], cut.entries.rank[seen] - 1] = True
    there = np.arange(4) < cut.lengths[:, None]
    weights = 0.2 * 0.8 ** np.arange(4)
    wanted = 0.8 ** np.minimum(cut.lengths, 4) + ((~judged & there) * weights).sum(axis=1)
    assert residual == pytest.approx(wanted.mean(), abs=0.00051)


def test_lu_wants_the_pool_depth(data: Path) -> None:
    with pytest.raises(SystemExit, match="pool depth"):
        script("lu").main([str(data / "c0")])


# -------------------------------------------------------------------------------- Liu
def test_liu(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed("liu", capsys, data / "qa")
    for labels, R, *figures in LIU:
        found = row(lines, "Table 1", f"<{labels}>")
        assert int(found[1]) == R
        assert [float(x) for x in found[2:]] == pytest.approx(figures, abs=1e-9)  # as printed in the paper

    track = leadline.read(data / "qa" / "qrels.txt", data / "qa" / "runs", nil="answer")
    study = leadline.self_truncation(track)
    taus = dict(zip(study.agreement()["original_measure"], study.agreement()["tau"], strict=True))
    assert float(row(lines, "Table 3", "RR vs. RRT")[1]) == pytest.approx(taus["RR"], abs=0.00051)
    assert row(lines, "Figure 1", "5")[1:] == [str((study.before == 5).sum()), str((study.after == 5).sum())]


# -------------------------------------------------------------------------------- Diaz
def test_diaz(data: Path, tracks: dict[str, leadline.Track], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed("diaz", capsys, data / "c0", data / "c1")
    rr = leadline.evaluate(tracks["c1"], "RR").array("RR")
    rr = rr[:, (leadline.evaluate(tracks["c1"], "NumRel").array("NumRel") > 0)[0]]
    pairs = [(a, b) for a in range(len(rr)) for b in range(a)]
    tied = 100 * np.mean([rr[a] == rr[b] for a, b in pairs])
    assert float(row(lines, "Table 2", "c1")[2]) == pytest.approx(tied, abs=0.0051)
    assert float(row(lines, "Table 2", "c1")[1]) < tied

    suffix = [float(x) for x in row(lines, "Table 1", "c1")[1:]]
    assert suffix[0] >= suffix[1] > 50  # more levels never predict worse than the second alone

    for title, test, column in (("Table 3(a)", "tukey", 1), ("Table 3(b)", "t", 1), ("Table 3(b)", "sign", 2)):
        found = leadline.prefer(tracks["c1"], ["rrLP", "sgnLP"][column - 1], test=test)
        p = next(iter(found.preferences))
        share = 100 * np.mean(found[p].tests.p < 0.05)
        assert float(row(lines, title, "c1")[column]) == pytest.approx(share, abs=0.0051)


# -------------------------------------------------------------------------------- Maistro
def test_maistro_worked_tables() -> None:
    maistro = script("maistro")
    found = {(values, distance): order for values, distance, order in maistro.table_1()}
    assert len(found) == 9
    for values, by_distance in TABLE_1.items():
        for distance, classes in by_distance.items():
            order = found["{" + ", ".join(values) + "}", distance].replace(" ", "")
            ours = [set(c.split("=")) for c in order.split(">")]
            assert ours == [set(c.replace(")(", ") (").split()) for c in classes.split("|")]
    for column, measure in enumerate(("nDCG", "AP")):
        rows = {name: values for name, *values in maistro.table_3(measure)}
        for order, published in TABLE_3.items():
            cam, _, *toma = rows["(" + ", ".join(f"d{d}" for d in order) + ")"]
            wanted = published[column]
            assert [cam, *toma] == pytest.approx([wanted[0], *wanted[2:]], abs=5.1e-5)


def test_maistro(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data / "aspects"
    lines = printed("maistro", capsys, folder, "--aspects", ASPECTS, "--resamples", 500)
    track = leadline.read(folder / "qrels.txt", folder / "runs", aspects=ASPECTS)
    by = {m: leadline.aspect_study(track, m, resamples=500) for m in ("nDCG", "AP")}
    at = {name: i for i, name in enumerate(by["nDCG"].measures)}
    found = row(lines, "Table 4. Agreement of methods", "EUCL - CAM")[1:]
    wanted = [s.methods.tau[at["EUCL"], at["CAM"]] for s in by.values()]
    assert [float(x) for x in found] == pytest.approx(wanted, abs=0.0051)
    assert row(lines, "Table 4. Agreement of methods", "EUCL - MANH")[2] == "1.00"  # AP sees the same binary labels
    found = row(lines, "Table 4. Agreement of single", "relevance - credibility")[1:]
    assert [float(x) for x in found] == pytest.approx([s.aspects.tau[0, 1] for s in by.values()], abs=0.0051)
    found = row(lines, "Table 4. Discriminative", "MANH")[1:]
    assert [float(x) for x in found] == pytest.approx([100 * s.power[at["MANH"]] for s in by.values()], abs=0.0051)
    zero = sum(int(s.zero_documents[at["CAM"]].sum()) for s in by.values())
    assert row(lines, "Table 5", "1-5")[1].startswith(f"{zero} (")
    quality = np.mean([s.quality[at["CHEB"], 0] for s in by.values()])
    assert float(row(lines, "Table 6", "1-25")[5]) == pytest.approx(quality, abs=0.0051)
    assert row(lines, "Table 6", "76-100")[1:] == ["–"] * 5  # no list is so long


def test_maistro_wants_a_declaration(data: Path) -> None:
    with pytest.raises(SystemExit, match="--aspects"):
        script("maistro").declared_tracks([data / "aspects"], None)
