"""trec_eval's measures, options and output: against pytrec_eval, and by hand where that has none."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from click.testing import CliRunner, Result

import leadline
from leadline.cli import cli
from leadline.errors import UnknownName, UsageError
from leadline.integrations.trec_eval import FAMILIES, chosen, evaluate
from leadline.io.write import write_qrels, write_run

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
GRADES = [(0, 0, 0, 1, 1, 2, 3), (0, 1), (-1, -2, 0, 1, 2), (0, 0, 5, 9, 12)]


def random_track(seed: int) -> tuple[Qrels, Run]:
    """Tied, graded, ragged; one topic without relevant documents, one with only such."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(60)]
    qrels, run = {}, {}
    for t in map(str, range(12)):
        judged = rng.sample(docs, rng.randint(1, 40))
        qrels[t] = {d: rng.choice(GRADES[seed % len(GRADES)]) for d in judged}
        run[t] = {d: round(rng.gauss(0, 1), rng.choice([0, 1, 6])) for d in rng.sample(docs, rng.randint(1, 50))}
    qrels["0"] = dict.fromkeys(qrels["0"], 0)
    qrels["1"] = dict.fromkeys(list(qrels["1"])[:3], 1)
    return qrels, run


def by_name(results: Any) -> dict[str, Any]:
    return {name: values for _, name, values, _ in results.rows}


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_every_measure_of_pytrec_eval_at_every_level(seed: int, level: int) -> None:
    qrels, run = random_track(seed)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(pytrec_eval.supported_measures), relevance_level=level)
    expected = theirs.evaluate(run)
    track = leadline.read(qrels, {"r": run}, ties="trec32")
    results = evaluate(track, ["all_trec"], level=level)
    ours = by_name(results)
    names = set(expected["0"]) - {"runid", "relstring"}
    assert len(names) > 80
    for name in sorted(names):
        np.testing.assert_allclose(
            ours[name], [expected[t][name] for t in track.topics], atol=1e-9, err_msg=f"{name} at level {level}"
        )
    totals = {name: total for _, name, _, total in results.rows}
    for name in sorted(names):
        each = [expected[t][name] for t in expected]
        assert math.isclose(totals[name], pytrec_eval.compute_aggregated_measure(name, each), abs_tol=1e-9), name


@pytest.mark.parametrize("seed", range(8))
def test_only_judged_documents(seed: int) -> None:
    qrels, run = random_track(seed)
    run = {
        t: docs for t, docs in run.items() if any(qrels[t].get(d, -1) >= 0 for d in docs)
    }  # an empty list is NaN there
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, set(pytrec_eval.supported_measures), judged_docs_only_flag=True
    ).evaluate(run)
    results = evaluate(leadline.read(qrels, {"r": run}, ties="trec32"), ["all_trec"], judged_only=True)
    ours = by_name(results)
    for name in sorted(set(theirs["3"]) - {"runid", "relstring"}):
        np.testing.assert_allclose(ours[name], [theirs[t][name] for t in results.topics], atol=1e-9, err_msg=name)


@pytest.mark.parametrize("seed", range(8))
def test_parameters_of_measures(seed: int) -> None:
    """pytrec_eval takes cut-offs; gains by grade it does not, so they are compared with regraded qrels."""
    qrels, run = random_track(seed)
    names = {"P.1,7", "ndcg_cut.3", "iprec_at_recall.0.25", "Rprec_mult.0.5,3", "success.2", "relative_P.8", "recall.4"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    track = leadline.read(qrels, {"r": run}, ties="trec32")
    ours = by_name(evaluate(track, sorted(names)))
    assert set(ours) == set(theirs["0"])
    for name, values in ours.items():
        np.testing.assert_allclose(values, [theirs[t][name] for t in track.topics], atol=1e-9, err_msg=name)
    gains = {1: 3, 2: 9, 5: 2, 12: 7}
    graded = {"ndcg", "G", "ndcg_rel", "Rndcg"}
    regraded = {t: {d: gains.get(g, g) for d, g in docs.items()} for t, docs in qrels.items()}
    theirs = pytrec_eval.RelevanceEvaluator(regraded, graded).evaluate(run)
    given = ",".join(f"{g}={x}" for g, x in gains.items())
    ours = by_name(evaluate(track, [f"{name}.{given}" for name in graded]))
    for name in graded:
        expected = [theirs[t][name] for t in track.topics]
        np.testing.assert_allclose(ours[f"{name}_{given}"], expected, atol=1e-9, err_msg=name)


def test_measures_that_pytrec_eval_has_not() -> None:
    qrels = {"1": {"a": 2, "b": 0, "c": 1, "p": -1}}
    run = {"1": {"x": 5.0, "a": 4.0, "p": 3.0, "b": 2.0}}
    results = evaluate(leadline.read(qrels, {"r": run}), ["unj.1,2,10", "rbp", "rbp_resid.p=0.5", "yaap", "dcg",
                                                          "ideal_dcg"])  # fmt: skip
    found = {name: float(values[0]) for name, values in by_name(results).items()}
    assert found == pytest.approx({
        "unj_1": 1.0, "unj_2": 0.5, "unj_10": 0.2,  # x and p; past the end nothing is unjudged
        "rbp": 0.1 * 0.9 * 1.0,  # grade 2 of 2 at rank 2
        "rbp_resid_p=0.5": 0.5**4 + 0.5 * (1 + 0.25),
        "yaap": math.log(1.5 / 2.5),
        "dcg": 2 / math.log2(3), "ideal_dcg": 2 + 1 / math.log2(3),
    })  # fmt: skip


def test_all_judged_leaves_no_residual() -> None:
    track = leadline.read({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}})
    assert by_name(evaluate(track, ["rbp_resid"]))["rbp_resid"].tolist() == [0.0]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels = {"1": {"a": 1, "b": 0, "c": 2}, "10": {"a": 1}, "2": {"a": 12, "z": -1}}
    write_qrels(tmp_path / "qrels", qrels)
    write_run(tmp_path / "run", {"2": {"z": 9.0, "a": 8.0, "y": 7.0}, "1": {"b": 3.0, "c": 2.0, "a": 1.0}}, tag="bm25")
    return tmp_path / "qrels", tmp_path / "run"


def trec_eval(files: tuple[Path, Path], *words: str) -> Result:
    return CliRunner().invoke(cli, ["trec_eval", *words, *map(str, files)])


OFFICIAL = """\
runid                 	all	bm25
num_q                 	all	2
num_ret               	all	6
num_rel               	all	3
num_rel_ret           	all	3
map                   	all	0.5417
gm_map                	all	0.5401
Rprec                 	all	0.2500
bpref                 	all	0.5000
recip_rank            	all	0.5000
iprec_at_recall_0.00  	all	0.5833
"""


def test_the_official_output(files: tuple[Path, Path]) -> None:
    done = trec_eval(files)
    assert done.exit_code == 0
    lines = done.stdout.splitlines(keepends=True)
    assert "".join(lines[:11]) == OFFICIAL
    assert [line.split()[0] for line in lines[21:]] == [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert done.stderr == ""


def test_topics_come_in_byte_order_before_the_summary(files: tuple[Path, Path]) -> None:
    done = trec_eval(files, "-q", "-m", "P.1,2", "-m", "num_ret", "-mrelstring.5", "-m", "runid", "-m", "gm_map")
    assert done.stdout == (
        "num_ret               \t1\t3\n"
        "P_1                   \t1\t0.0000\n"
        "P_2                   \t1\t0.5000\n"
        "relstring_5           \t1\t'021'\n"
        "num_ret               \t2\t3\n"
        "P_1                   \t2\t0.0000\n"
        "P_2                   \t2\t0.5000\n"
        "relstring_5           \t2\t'.>-'\n"
        "runid                 \tall\tbm25\n"
        "num_ret               \tall\t6\n"
        "gm_map                \tall\t0.5401\n"
        "P_1                   \tall\t0.0000\n"
        "P_2                   \tall\t0.5000\n"
    )


def test_all_topics_of_the_qrels(files: tuple[Path, Path]) -> None:
    done = trec_eval(files, "-q", "-c", "-m", "map", "-m", "num_q", "-m", "num_rel", "-m", "relstring", "-m", "gm_map")
    assert done.stdout == (
        "num_rel               \t1\t2\nmap                   \t1\t0.5833\nrelstring             \t1\t'021'\n"
        "num_rel               \t10\t1\nmap                   \t10\t0.0000\nrelstring             \t10\t''\n"
        "num_rel               \t2\t1\nmap                   \t2\t0.5000\nrelstring             \t2\t'.>-'\n"
        "num_q                 \tall\t3\nnum_rel               \tall\t4\n"
        "map                   \tall\t0.3611\ngm_map                \tall\t0.0143\n"
    )


def test_options(files: tuple[Path, Path]) -> None:
    def value(*words: str) -> str:
        return trec_eval(files, *words).stdout.split()[-1]

    assert value("-l2", "-mP.2") == value("--level_for_rel", "2", "--measure", "P.2") == "0.5000"
    assert value("-l", "3", "-m", "num_rel") == "1"
    assert value("-M1", "-m", "num_ret") == "2"
    assert value("-J", "-m", "num_ret") == "4"  # without y, and without z, which was pooled but not judged
    assert value("-J", "-m", "recip_rank") == "0.7500"
    assert value("-m", "utility.0,0,0,1", "-N", "100") == "97.0000"
    assert value("-m", "set_F.0.5", "-D0.1") == "0.7500"
    assert trec_eval(files, "-n").stdout == ""
    assert trec_eval(files, "-qn", "-m", "recip_rank").stdout.count("\n") == 2
    assert trec_eval(files, "-v").stderr.startswith("trec_eval version 10.0")


def test_scores_as_32_bits(tmp_path: Path) -> None:
    write_qrels(tmp_path / "q", {"1": {"a": 1}})
    write_run(tmp_path / "r", {"1": {"a": 1.00000001, "b": 1.0}})
    files = tmp_path / "q", tmp_path / "r"
    assert trec_eval(files, "-m", "recip_rank").stdout.endswith("1.0000\n")
    assert trec_eval(files, "-m", "recip_rank", "--ties", "trec32").stdout.endswith("0.5000\n")


def test_zscores(files: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "z").write_text("1 map 0.5 0.25\n2 map 0.5 0\n")
    done = trec_eval(files, "-q", "-Z", str(tmp_path / "z"), "-m", "map")
    assert [line.split("\t")[2] for line in done.stdout.splitlines()] == ["0.3333", "0.0000", "0.1667"]
    done = trec_eval(files, "-qn", "-Z", str(tmp_path / "z"), "-m", "recip_rank")
    assert [line.split("\t")[2] for line in done.stdout.splitlines()] == ["-1000000.0000"] * 2


def test_measure_names() -> None:
    assert [name for c in chosen(["P.5,1", "map", "P.3"]) for name, _ in c.members()] == ["map", "P_1", "P_5"]
    assert {c.family.name for c in chosen(["all_trec", "yaap"])} >= {"G", "Rndcg", "yaap", "utility"}
    assert [c.given for c in chosen(["all_trec", "relstring.20"]) if c.family.name == "relstring"] == ["20"]
    assert len({f.name for f in FAMILIES}) == len(FAMILIES)
    with pytest.raises(UnknownName, match="Did you mean 'ndcg_cut'"):
        chosen(["ndcgcut"])
    with pytest.raises(UsageError, match="needs preferences"):
        chosen(["prefs_simp"])
    for bad in ("P.0", "P.5,5", "P.x", "map.3", "ndcg.1"):
        with pytest.raises(UsageError, match="parameters"):
            chosen([bad])[0].members()


def test_errors_of_the_command(files: tuple[Path, Path]) -> None:
    assert isinstance(trec_eval(files, "-m", "nonsense").exception, UnknownName)
    assert trec_eval(files, "-R", "prefs").exit_code == 2
    assert trec_eval((files[0], files[0]), "-m", "map").exit_code != 0
