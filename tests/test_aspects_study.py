"""The study of methods, the sensitivity analysis, explanations and the command line for several aspects."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import leadline
import naive_systems as slow
from leadline.cli import cli
from leadline.errors import UsageError
from leadline.io.aspects import declare
from leadline.measures.aspects.cam import CAM
from leadline.measures.aspects.toma import TOMA
from leadline.output.aspect_picture import grid_svg, grid_text
from leadline.rankings.aspect_distances import DISTANCES
from leadline.rankings.aspects import classes
from leadline.simulate import simulate
from leadline.systems.aspect_lists import compare_lists
from leadline.systems.aspect_sensitivity import aspect_sensitivity
from leadline.systems.aspect_study import aspect_methods, aspect_study, aspects

SPEC = "relevance=0..2 credibility=0..2 usefulness=0..2"


@pytest.fixture(scope="module")
def made():
    return simulate(runs=7, topics=9, depth=60, aspects=2, grades=3, relevant=8, rng=11)


@pytest.fixture(scope="module")
def track(made):
    return leadline.read(made.labels, made.runs, aspects=SPEC)


@pytest.fixture(scope="module")
def study(track):
    return aspect_study(track, "nDCG", resamples=300, alpha=0.1)


def rows_of(track, run, topic):
    """Judgment rows of a list, None where unjudged."""
    return [None if row < 0 else int(row) for row in track.indices(run, topic)]


def test_agreement_is_tau_on_scores(track, study):
    scores = leadline.evaluate(track, list(study.measures.values()))
    tables = [scores.array(m).tolist() for m in study.measures.values()]
    for i, a in enumerate(tables):
        for j, b in enumerate(tables):
            tau, topics = slow.agreement(a, b)
            assert study.methods.tau[i, j] == pytest.approx(tau)
            assert study.methods.topics[i, j] == topics
    single = CAM().by_aspect(track).reshape(3, *track.shape)
    tau, topics = slow.agreement(single[0].tolist(), single[2].tolist())
    assert (study.aspects.tau[0, 2], study.aspects.topics[0, 2]) == (pytest.approx(tau), topics)
    assert study.aspects.names == ("relevance", "credibility", "usefulness")


def test_documents_on_top_follow_the_definition(track, study):
    labels = [tuple(row) for row in track.judgments.labels.tolist()]
    values = [[0, 1, 2]] * 3
    for i, m in enumerate(study.measures.values()):
        at5, at100 = (leadline.evaluate(track, m.but(k=k)).array(m.but(k=k)) for k in (5, 100))
        best5 = [slow.best_run(at5[:, t].tolist()) for t in range(len(track.topics))]
        best100 = [slow.best_run(at100[:, t].tolist()) for t in range(len(track.topics))]
        top = [rows_of(track, track.runs[r], topic) for r, topic in zip(best5, track.topics, strict=True)]
        assert study.zero_documents[i].sum() == sum(slow.zero_aspect_documents(labels, rows, values) for rows in top)
        assert study.seen_documents[i].sum() == sum(len(rows[:5]) for rows in top)
        deep = [(labels, rows_of(track, track.runs[r], topic)) for r, topic in zip(best100, track.topics, strict=True)]
        wanted = [np.nan if x is None else x for x in slow.bucket_quality(deep, values)]
        np.testing.assert_allclose(study.quality[i], wanted)


def test_power_is_the_share_of_significant_pairs(track, study):
    from leadline.stats import paired_bootstrap

    m = study.measures["MANH"]
    tests = paired_bootstrap(leadline.evaluate(track, m).array(m), resamples=300, rng=0)
    assert study.power[1] == pytest.approx((tests.p < 0.1).mean())


def test_records_of_the_study(study):
    columns = study.columns()
    assert set(columns) == {"table", "row", "column", "value", "topics"}
    assert columns["table"].count("agreement") == 10
    assert columns["table"].count("single-aspect-agreement") == 3
    assert columns["table"].count("zero-aspect-documents") == 25
    assert columns["table"].count("label-sum") == 20


def test_own_methods_and_too_few_runs(track):
    found = aspect_study(track, "AP", methods={"a": TOMA(measure="AP"), "b": TOMA(measure="AP")}, resamples=10)
    assert found.methods.tau[0, 1] == 1
    with pytest.raises(UsageError, match="two at least"):
        aspect_study(track.select(runs=track.runs[:1]))
    with pytest.raises(UsageError, match="two at least"):
        aspect_sensitivity(track.select(runs=track.runs[:1]))


def test_plain_measures_stand_for_five_methods(track):
    assert aspects(track, "nDCG@10").measures == tuple(aspect_methods("nDCG@10").values())
    assert [str(m) for m in aspects(track, ["CAM", "CAM"]).measures] == ["CAM"]


# sensitivity ----------------------------------------------------------------------------------------------------------
def test_sensitivity_is_the_evaluation_of_every_choice(track):
    found = aspect_sensitivity(track, "nDCG", weights=["step", "square"])
    assert found.names[0] == "declared/euclidean/step"
    assert len(found.names) == 5 * 3 * 2
    for i in found.distinct:
        m = found.measures[i]
        np.testing.assert_allclose(found.means[i], leadline.evaluate(track, m).mean(m))
    twins = [i for i, twin in enumerate(found.twin) if twin is not None]
    assert twins  # equal steps are the same range when all aspects have three labels
    for i in twins:
        m = found.measures[i]
        np.testing.assert_allclose(found.means[i], leadline.evaluate(track, m).mean(m), rtol=1e-12)
    distinct = found.means[found.distinct]
    for i in range(len(track.runs)):
        for j in range(len(track.runs)):
            assert found.robust[i, j] == (distinct[:, i] > distinct[:, j]).all()
    changed = [found.winners[i] != found.winners[0] for i in found.distinct[1:]]
    assert found.winner_changes == np.mean(changed)
    assert found.robust_share == found.robust.sum() / (7 * 6 / 2)
    pairs = found.pairs()
    assert len(pairs["a"]) == 21
    assert sum(pairs["robust"]) == found.robust.sum()


def test_a_winner_that_hangs_on_the_distance():
    """One list shows balanced documents, the other lopsided ones: Chebyshev and Manhattan disagree."""
    docs = {"balanced": (1, 1), "lopsided": (3, 0), "good": (3, 3)}
    runs = {"x": {"q": {"balanced": 1.0}}, "y": {"q": {"lopsided": 1.0}}}
    track = leadline.read({"q": docs}, runs, aspects="a=0..3 b=0..3")
    found = aspect_sensitivity(track, "nDCG", embeddings=["step"], weights=["step"])
    assert dict(zip(found.names, found.winners, strict=True)) == {
        "step/euclidean/step": "x", "step/manhattan/step": "y", "step/chebyshev/step": "x",
    }  # fmt: skip
    assert found.winner_changes == 0.5
    assert found.robust_share == 0


# explanations ---------------------------------------------------------------------------------------------------------
def test_why_a_list_wins():
    docs = {"d1": ("mr", "c"), "d2": ("hr", "pc"), "d3": ("hr", "nc")}
    runs = {"a": {"q": {"d2": 2.0, "d1": 1.0}}, "b": {"q": {"d1": 2.0, "z": 1.5, "d2": 1.0}}}
    track = leadline.read({"q": docs}, runs, aspects="relevance=nr,mr,fr,hr correctness=nc:0,pc:1.5,c:3")
    duel = compare_lists(track, "TOMA(measure='nDCG', distance='manhattan')", "a", "b", "q")
    assert duel.labels == (("(hr, pc)", "(mr, c)"), ("(mr, c)", "unjudged", "(hr, pc)"))
    assert duel.weights == ((8, 7), (7, 0, 8))
    assert duel.verdict.startswith("a beats b by ")
    assert "rank 2 does most for it: a has (mr, c) (W 7), b unjudged (W 0)" in duel.verdict
    columns = duel.columns()
    assert columns["rank"] == [1, 2, 3]
    assert columns["weight_a"] == [8, 7, None]
    scores = leadline.evaluate(track, duel.measure).array(duel.measure)
    assert duel.values == tuple(scores[:, 0])
    assert columns["score_b"][-1] == pytest.approx(scores[1, 0])
    assert "score the same" in compare_lists(track, "TOMA", "a", "a", "q").verdict
    assert "weight_a" not in compare_lists(track, "CAM", "a", "b", "q").columns()
    with pytest.raises(UsageError, match="TOMA, CAM or MM"):
        compare_lists(track, "nDCG", "a", "b", "q")


@pytest.mark.parametrize("distance", DISTANCES)
def test_pictures(distance):
    declared = declare("relevance=nr,mr,fr,hr correctness=nc:0,pc:1.5,c:3", rules=["relevance=nr => correctness=nc"])
    order = classes(declared, distance)
    text = grid_text(order).splitlines()
    assert text[0] == "correctness"
    assert text[-1].split() == ["nr", "mr", "fr", "hr", "relevance"]
    assert text[1].split()[:2] == ["c", "."]
    root = ElementTree.fromstring(grid_svg(order))
    assert len(root.findall(".//{*}circle/..[{*}title]")) == 12
    shape = {"euclidean": "circle", "manhattan": "polygon", "chebyshev": "rect"}[distance]
    contours = root.find("{*}g[@clip-path]")
    assert {child.tag.split("}")[1] for child in contours} == {shape}
    assert len(contours) == len(order) - 1


# command line ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def folder(made, tmp_path_factory):
    return made.write(tmp_path_factory.mktemp("several"))


def run(*words):
    result = CliRunner().invoke(cli, [str(w) for w in words], catch_exceptions=False, standalone_mode=False)
    return result.stdout, result.stderr


def records(out):
    return [json.loads(line) for line in out.splitlines()]


def test_the_contract(folder, track):
    out, _ = run("aspects", folder / "qrels.txt", folder / "runs", "--aspects", *SPEC.split(), "-m",
                 "TOMA(measure='nDCG@10', distance='manhattan')", "-m", "CAM", "-q", "--format", "jsonl")  # fmt: skip
    rows = records(out)
    assert list(rows[0]) == ["run", "topic", "measure", "value"]
    scores = leadline.evaluate(leadline.read(folder / "qrels.txt", folder / "runs", aspects=SPEC), ["CAM"])
    mine = [r["value"] for r in rows if r["measure"] == "CAM" and r["topic"] == "all"]
    np.testing.assert_allclose(mine, scores.mean("CAM"))
    assert len(rows) == 7 * 2 * 10
    assert {r["measure"] for r in rows} == {"TOMA(distance='manhattan')", "CAM"}


def test_aspects_may_stand_anywhere(folder):
    front, _ = run("aspects", "--aspects", *SPEC.split(), folder / "qrels.txt", folder / "runs", "-m", "CAM")
    back, _ = run("aspects", folder / "qrels.txt", folder / "runs", "-m", "CAM", "--aspects", SPEC)
    other, _ = run("evaluate", folder / "qrels.txt", folder / "runs", "-m", "CAM", "--aspects", *SPEC.split())
    assert front == back == other
    assert front.startswith("run\ttopic\tmeasure\tvalue\n")


def test_five_methods_by_default(folder):
    out, err = run("aspects", folder / "qrels.txt", folder / "runs", "--aspects", SPEC, "--format", "jsonl")
    assert len({r["measure"] for r in records(out)}) == 5
    assert "maximum-out-of-reach" in err


def test_explain_needs_no_files(tmp_path):
    words = ("--aspects", "relevance=nr,mr,fr,hr", "correctness=nc,pc,c", "-m", "TOMA(distance='chebyshev')")
    out, _ = run("aspects", "--explain", *words)
    assert "3  (hr, c)" in " ".join(out.split()).replace("3 0 (hr, c)", "3  (hr, c)")
    assert out.rstrip().endswith("relevance")
    rows = records(run("aspects", "--explain", *words, "--format", "jsonl")[0])
    assert list(rows[0]) == ["order", "weight", "distance", "labels"]
    assert len(rows) == 12
    run("aspects", "--explain", *words, "-o", tmp_path / "grid.svg")
    assert (tmp_path / "grid.svg").read_text().startswith("<svg")
    with pytest.raises(UsageError, match="is about TOMA"):
        run("aspects", "--explain", *words[:3], "-m", "CAM")
    with pytest.raises(UsageError, match="needs the aspects"):
        run("aspects", "--explain")


def test_explain_with_rules_and_with_files(folder):
    out, _ = run("aspects", "--explain", "--aspects", "a=0,1", "b=0,1", "--rule", "a=0 => b=0", "-m", "TOMA")
    assert "feasible tuples" in out
    out, _ = run("aspects", folder / "qrels.txt", folder / "runs", "--explain", "--aspects", SPEC, "-m",
                 "TOMA(tuples='observed')")  # fmt: skip
    assert "observed tuples" in out


def test_the_other_reports(folder):
    base = ("aspects", folder / "qrels.txt", folder / "runs", "--aspects", SPEC, "--format", "jsonl")
    assert {r["table"] for r in records(run(*base, "--study", "--resamples", 50)[0])} >= {"agreement", "label-sum"}
    out, err = run(*base, "--sensitivity")
    assert list(records(out)[0]) == ["alternative", "winner", "value", "tau", "twin"]
    assert "pairs of runs stand the same way round" in err
    assert list(records(run(*base, "--sensitivity", "--pairs")[0])[0]) == ["a", "b", "ahead", "robust"]
    rows = records(run(*base, "--bounds", "-m", "nDCG")[0])
    assert list(rows[0]) == ["topic", "measure", "strategy", "reachable", "ideal"]
    assert len(rows) == 2 * 9


def test_two_lists_on_the_command_line(folder, track):
    a, b, topic = track.runs[0], track.runs[1], track.topics[0]
    base = ("aspects", folder / "qrels.txt", folder / "runs", "--aspects", SPEC, "-m", "TOMA")
    out, _ = run(*base, "--lists", f"{a},{b},{topic}", "--format", "table")
    assert "beats" in out or "score the same" in out
    with pytest.raises(UsageError, match="expects RUN,RUN,TOPIC"):
        run(*base, "--lists", "x")
