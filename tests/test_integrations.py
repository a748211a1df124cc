"""leadline inside ir_measures, PyTerrier and experiment loggers; ranx and ir_datasets in leadline."""

from __future__ import annotations

import importlib
import math
import random
import sys
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest

import leadline
import leadline.integrations.ir_measures as inside
from leadline.errors import MissingExtra, UnknownName, UsageError
from leadline.integrations import ir_datasets as datasets
from leadline.integrations import loggers
from leadline.integrations import pyterrier as terrier
from leadline.integrations import ranx as from_ranx

NAMES = [
    "RBPU(p=0.98)", "RBPU(p=0.8, e=0.1)@10", "OIE", "OIE(beta=1.2)", "RBPT", "RBPT(tail='single')", "nDCGT", "APT",
    "RRT", "ERRT", "U", "DCGU", "RBU", "ERRU", "iRBU", "nERR", "nRBP", "Q", "Q(beta=0)@5", "DCG@3", "RRi(i=2)",
    "AUC(docs=100)", "Kendall(docs=100)", "DCG(gain={0: 0, 1: 2, 2: 5, 3: 5.5})",
]  # fmt: skip


def random_track(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Topics with nothing relevant, with nothing retrieved, with ties."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(50)]
    qrels = {str(t): {d: rng.choice([0, 0, 1, 2, 3]) for d in rng.sample(docs, 30)} for t in range(8)}
    qrels["5"] = dict.fromkeys(qrels["5"], 0)
    run = {t: {d: round(rng.gauss(0, 1), 1) for d in rng.sample(docs, rng.randint(1, 40))} for t in qrels if t != "6"}
    run["not-in-the-qrels"] = {"d1": 1.0}
    return qrels, run


def ir_inputs(qrels: Any, run: Any) -> dict[str, tuple[Any, Any]]:
    """The forms that ir_measures takes."""
    judged = [ir_measures.Qrel(t, d, g) for t, docs in qrels.items() for d, g in docs.items()]
    found = [ir_measures.ScoredDoc(t, d, s) for t, docs in run.items() for d, s in docs.items()]
    return {
        "dictionaries": (qrels, run),
        "tuples": (judged, found),
        "generators": (iter(judged), iter(found)),
        "frames": (pd.DataFrame(judged), pd.DataFrame(found).assign(run="x", rank=0)),
    }


@pytest.mark.parametrize("kind", ["dictionaries", "tuples", "generators", "frames"])
@pytest.mark.parametrize("seed", range(4))
def test_measures_by_name_in_ir_measures(seed: int, kind: str) -> None:
    qrels, run = random_track(seed)
    measures = [ir_measures.parse_measure(name) for name in NAMES]
    track = leadline.read(qrels, {"r": run})
    scores = leadline.evaluate(track, NAMES)
    found = {(m.measure, m.query_id): m.value for m in ir_measures.iter_calc(measures, *ir_inputs(qrels, run)[kind])}
    assert len(found) == len(NAMES) * len(qrels)
    totals = ir_measures.calc_aggregate(measures, *ir_inputs(qrels, run)[kind])
    for name, m in zip(NAMES, measures, strict=True):
        values = [found[m, t] for t in track.topics]
        np.testing.assert_allclose(values, scores.array(name)[0], atol=1e-12, err_msg=name)
        assert math.isclose(totals[m], scores.mean(name)[0], abs_tol=1e-12), name


def test_empty_answers_keep_their_real_score() -> None:
    qrels = {"full": {"a": 1}, "nothing": {"b": 0}}
    m = [inside.OIE, inside.RBPT, inside.RRT]
    for run in ({"full": {"a": 1.0}}, {}, [], {"elsewhere": {"a": 1.0}}):
        found = {(x.measure, x.query_id): x.value for x in ir_measures.iter_calc(m, qrels, run)}
        assert found[inside.RBPT, "nothing"] == found[inside.RRT, "nothing"] == 1.0
        assert found[inside.OIE, "nothing"] == 0.0
        if "full" not in run:
            expected = leadline.parse("OIE").score("", rels="1")
            assert found[inside.OIE, "full"] == expected < 0
            assert found[inside.RBPT, "full"] == 0.0


def test_undefined_topics_are_left_out_of_the_mean() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"x": 2.0, "a": 1.0}, "2": {"x": 1.0}}
    assert ir_measures.calc_aggregate([inside.ESL], qrels, run) == {inside.ESL: 2.0}


def test_names_go_round_and_parameters_are_checked() -> None:
    for name in NAMES:
        m = ir_measures.parse_measure(name)
        assert ir_measures.parse_measure(str(m)) == m
        assert leadline.parse(str(m)) == leadline.parse(name)
    assert str(inside.RBPU @ 10) == "RBPU(p=0.98, e=0.05)@10"
    assert inside.RBPU(p=0.98) == inside.RBPU
    with pytest.raises(UsageError, match="must be a number in"):
        ir_measures.calc_aggregate([inside.RBPU(p=2)], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    with pytest.raises(UsageError, match="needs docs="):
        ir_measures.calc_aggregate([inside.AUC], {"1": {"a": 1}}, {"1": {"a": 1.0}})
    with pytest.raises(AttributeError, match="nDGC"):
        inside.nDGC  # noqa: B018


def test_nothing_ir_measures_had_is_changed() -> None:
    assert not isinstance(ir_measures.measures.registry["nDCG"], inside.LeadlineMeasure)
    assert ir_measures.DefaultPipeline.providers[-1] is inside.provider
    assert [p.NAME for p in ir_measures.DefaultPipeline.providers].count("leadline") == 1
    importlib.reload(inside)
    assert [p.NAME for p in ir_measures.DefaultPipeline.providers].count("leadline") == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_provider_computes_what_it_means_the_same_by(seed: int) -> None:
    qrels, run = random_track(seed)
    qrels = {t: docs for t, docs in qrels.items() if t in run}  # NumRel of a topic not answered is 0 there
    run = {t: {d: s + i / 997 for i, (d, s) in enumerate(docs.items())} for t, docs in run.items()}  # no ties
    names = [
        "AP", "AP(rel=2)@10", "nDCG@10", "P@5", "R(rel=2)@20", "RR", "RR(rel=2)@3", "Rprec", "Bpref", "infAP",
        "IPrec@0.5", "Success@1", "SetP", "SetR", "SetF", "NumRet", "NumRelRet", "NumRel", "Judged@10",
        "RBP(p=0.5, rel=1)", "P(judged_only=True)@5",
    ]  # fmt: skip
    for name in names:
        m = ir_measures.parse_measure(name)
        assert inside.provider.supports(m), name
        expected = m.calc_aggregate(qrels, run)
        assert math.isclose(inside.provider.calc_aggregate([m], qrels, run)[m], expected, abs_tol=1e-9), name
    for name in (
        "SetF(beta=2.0)",
        "RBP",
        "ERR@10",
        "NumQ",
        "SetP(relative=True)",
        "alpha_nDCG@10",
        "nDCG(gains={1: 4})@10",
    ):
        m = ir_measures.parse_measure(name)
        assert not inside.provider.supports(m), name
        with pytest.raises(UsageError, match="no measure that is the same"):
            inside.convert(m)


def test_a_measure_of_ones_own() -> None:
    @leadline.measure
    class FirstIsRelevant(leadline.BinaryMeasure):
        """1 if the first document is relevant."""

        cutoff = "none"

        def value(self, r: Any) -> Any:
            return r.upto(r.hit * (r.rank == 1))

    try:
        assert inside.register(FirstIsRelevant) == ["FirstIsRelevant"]
        assert inside.register(FirstIsRelevant) == []
        m = ir_measures.parse_measure("FirstIsRelevant(rel=2)")
        assert m.calc_aggregate({"1": {"a": 2}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}) == 0.5
    finally:
        from leadline.measures.base import REGISTRY

        REGISTRY.pop("FirstIsRelevant", None)
        ir_measures.measures.registry.pop("FirstIsRelevant", None)


# PyTerrier ------------------------------------------------------------------------------------------------------------
def pt_frames(seed: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    qrels, run = random_track(seed)
    topics = pd.DataFrame({"qid": list(qrels), "query": ["words"] * len(qrels)})
    judged = pd.DataFrame([(t, d, g) for t, docs in qrels.items() for d, g in docs.items()],
                          columns=["qid", "docno", "label"])  # fmt: skip
    found = pd.DataFrame([(t, d, s, 0) for t, docs in run.items() if t in qrels for d, s in docs.items()],
                         columns=["qid", "docno", "score", "rank"])  # fmt: skip
    return topics, judged, found


@pytest.mark.filterwarnings("ignore")  # PyTerrier's own
def test_an_experiment_of_pyterrier() -> None:
    pt = pytest.importorskip("pyterrier")
    topics, qrels, found = pt_frames(1)
    fewer = found[found.groupby("qid").cumcount() < 3]
    measures = terrier.measures("OIE", "RBPU(p=0.98)", "nDCGT", "nDCG@10")
    table = pt.Experiment([found, fewer], topics, qrels, ["map", *measures], names=["long", "short"], verbose=False)
    track = terrier.read(qrels, [found, fewer], names=["long", "short"])
    scores = leadline.evaluate(track, ["AP", "OIE", "RBPU(p=0.98)", "nDCGT", "nDCG@10"])
    for m in scores.measures:
        column = "map" if str(m) == "AP" else str(m)
        np.testing.assert_allclose(table[column], scores.mean(m), atol=1e-9, err_msg=column)
    each = pt.Experiment([fewer], topics, qrels, measures[:1], names=["short"], perquery=True, verbose=False)
    values = dict(zip(each["qid"], each["value"], strict=True))
    np.testing.assert_allclose([values[t] for t in track.topics], scores.array("OIE")[1], atol=1e-12)
    alone = pt.Evaluate(found, qrels, measures[:1])
    assert math.isclose(alone["OIE(beta=1.05)"], scores.mean("OIE")[0], abs_tol=1e-12)


def test_pyterrier_frames_as_a_track() -> None:
    _, qrels, found = pt_frames(2)
    track = terrier.read(qrels, {"bm25": found})
    assert track.runs == ("bm25",)
    with pytest.raises(UsageError, match="Got 1 names for 2 results"):
        terrier.read(qrels, [found, found], names=["a"])
    with pytest.raises(UnknownName, match="Did you mean 'nDCG'"):
        terrier.measures("nDGC@10")


# ir_datasets ----------------------------------------------------------------------------------------------------------
TrecQrel = namedtuple("TrecQrel", ["query_id", "doc_id", "relevance", "iteration"])
TrecQrel.__annotations__ = {"query_id": str, "doc_id": str, "relevance": int, "iteration": str}
Misinfo = namedtuple("Misinfo", ["query_id", "doc_id", "effectiveness", "relevance", "credibility"])
Misinfo.__annotations__ = {"query_id": str, "doc_id": str, "effectiveness": int, "relevance": int, "credibility": int}
Subtopic = namedtuple("Subtopic", ["query_id", "doc_id", "subtopic_id", "grade"])
Subtopic.__annotations__ = {"query_id": str, "doc_id": str, "subtopic_id": str, "grade": int}
Scored = namedtuple("Scored", ["query_id", "doc_id", "score"])


def dataset(kind: Any, rows: list[tuple[Any, ...]], scored: list[tuple[str, str, float]] | None = None) -> Any:
    """What ir_datasets would load; its own datasets need the network."""
    return SimpleNamespace(
        has_qrels=lambda: bool(rows), qrels_iter=lambda: iter([kind(*r) for r in rows]), qrels_cls=lambda: kind,
        has_scoreddocs=lambda: scored is not None, scoreddocs_iter=lambda: iter([Scored(*r) for r in scored or []]),
    )  # fmt: skip


def test_qrels_of_ir_datasets() -> None:
    plain = dataset(TrecQrel, [("1", "a", 1, "0"), ("1", "b", 0, "0")], [("1", "b", 2.0), ("1", "a", 1.0)])
    track = leadline.read(datasets.qrels(plain), datasets.scored_docs(plain, name="official"))
    assert track.runs == ("official",)
    assert leadline.evaluate(track, "RR").mean("RR") == 0.5
    assert datasets.label_fields(plain) == ("relevance",)
    with pytest.raises(UsageError, match="has no qrels"):
        datasets.qrels(dataset(TrecQrel, []))


def test_qrels_with_other_labels() -> None:
    rows = [("1", "a", 1, 2, 0), ("1", "b", 0, 1, 1)]
    several = dataset(Misinfo, rows)
    assert datasets.label_fields(several) == ("relevance", "effectiveness", "credibility")
    assert datasets.qrels(several).values == [2, 1]
    assert datasets.qrels(several, label="credibility").values == [0, 1]
    with pytest.raises(UnknownName, match="Did you mean 'credibility'"):
        datasets.qrels(several, label="credible")
    labels = datasets.aspect_qrels(several, "relevance=0..2 credibility=0,1")
    assert labels.labels.tolist() == [[2, 0], [1, 1]]
    subtopics = dataset(Subtopic, [("1", "a", "s1", 1), ("1", "a", "s2", 3), ("1", "b", "s1", 0)])
    assert datasets.qrels(subtopics, repeated="max").values == [3, 0]
    with pytest.raises(leadline.InputError, match="is judged twice"):
        leadline.read(datasets.qrels(subtopics), {"1": {"a": 1.0}}, lenient=False)


def test_a_dataset_by_id() -> None:
    assert datasets.label_fields("vaswani") == ("relevance",)
    with pytest.raises(UnknownName, match="Did you mean 'vaswani'"):
        datasets.qrels("vaswany")


# loggers and extras ---------------------------------------------------------------------------------------------------
def test_flat_dictionaries() -> None:
    track = leadline.read({"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": {"a": 1.0}}, "y": {"2": {"c": 1.0}}})
    scores = leadline.evaluate(track, ["P@1", "ESL", "RBP(p=0.5)@3"])
    assert loggers.flat(scores) == {
        "x/P@1": 0.5, "x/ESL": 1.0, "x/RBP(p=0.5)@3": 0.25, "y/P@1": 0.0, "y/RBP(p=0.5)@3": 0.0,
    }  # fmt: skip
    safe = loggers.flat(scores, run="x", prefix="test/", per_topic=True, safe=True)
    assert safe["test/P_at_1/1"] == 1.0
    assert safe["test/RBP_p_0.5_at_3"] == 0.25
    assert "test/ESL/2" not in safe
    with pytest.raises(UnknownName, match="Unknown run 'z'"):
        loggers.flat(scores, run="z")


@pytest.mark.parametrize(
    ("package", "extra", "call"),
    [
        ("ir_measures", "ir", lambda: importlib.reload(inside)),
        ("ir_measures", "ir", lambda: terrier.measures("OIE")),
        ("ir_datasets", "ir", lambda: datasets.qrels("vaswani")),
        ("ranx", "ranx", lambda: from_ranx.to_ranx_run({"1": {"a": 1.0}})),
    ],
)
def test_a_missing_extra_names_its_pip_line(
    package: str, extra: str, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'leadline\[{extra}\]'"):
        call()
