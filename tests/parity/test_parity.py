"""leadline against pytrec_eval, ir_measures and ranx on random tracks; differences are listed in README.md."""

from __future__ import annotations

import random

import numpy as np
import pytest
import pytrec_eval

import leadline

TREC = {
    "map": "AP", "ndcg": "nDCG", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "Bpref", "infAP": "infAP",
    "set_P": "SetP", "set_recall": "SetR", "set_F": "SetF", "num_ret": "NumRet", "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet", "P_5": "P@5", "P_20": "P@20", "recall_10": "R@10", "ndcg_cut_10": "nDCG@10",
    "map_cut_10": "AP@10", "success_1": "Success@1", "success_5": "Success@5",
    "iprec_at_recall_0.00": "IPrec@0.0", "iprec_at_recall_0.50": "IPrec@0.5", "iprec_at_recall_1.00": "IPrec@1.0",
}  # fmt: skip


def random_track(seed: int, *, grades: tuple[int, ...] = (0, 0, 0, 1, 1, 2, 3)) -> tuple[dict, dict]:
    """Tied, graded, ragged: a qrels and a run dictionary over twelve topics."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(60)]
    qrels, run = {}, {}
    for t in range(12):
        topic = str(t + 1)
        judged = rng.sample(docs, rng.randint(1, 40))
        qrels[topic] = {d: rng.choice(grades) for d in judged}
        if t == 0:
            qrels[topic] = dict.fromkeys(judged, 0)
        retrieved = rng.sample(docs, rng.randint(1, 50))
        run[topic] = {d: round(rng.gauss(0, 1), rng.choice([0, 1, 6])) for d in retrieved}
    return qrels, run


def peer_scores(qrels: dict, run: dict, names: set[str], level: int = 1) -> dict[str, dict[str, float]]:
    return pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level).evaluate(run)


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("level", [1, 2])
def test_pytrec_eval_gives_the_same_scores(seed: int, level: int) -> None:
    qrels, run = random_track(seed)
    theirs = peer_scores(qrels, run, set(pytrec_eval.supported_measures), level)
    track = leadline.read(qrels, {"r": run}, ties="trec32")
    scores = leadline.evaluate(track, list(TREC.values()), rel=level)
    assert len(scores.measures) == len(TREC)
    for name, measure in zip(TREC, scores.measures, strict=True):
        ours = scores.array(measure)[0]
        expected = [theirs[t][name] for t in track.topics]
        np.testing.assert_allclose(ours, expected, atol=1e-9, err_msg=f"{name} / {measure}")


def test_negative_grades_are_judged_but_gain_nothing() -> None:
    qrels, run = random_track(3, grades=(-2, -1, 0, 1, 2))
    names = {"map", "bpref", "infAP", "P_10", "num_rel", "Rprec"}
    theirs = peer_scores(qrels, run, names)
    track = leadline.read(qrels, {"r": run}, ties="trec32")
    for name in sorted(names):
        ours = leadline.evaluate(track, name).mean(TREC.get(name, name))
        total = sum(theirs[t][name] for t in track.topics)
        np.testing.assert_allclose(ours[0], total if name == "num_rel" else total / len(track.topics), atol=1e-9)


def test_scores_closer_than_32_bits_are_ties_there_and_none_here() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    assert peer_scores(qrels, run, {"recip_rank"})["q"]["recip_rank"] == 0.5
    assert leadline.evaluate(leadline.read(qrels, {"r": run}), "RR").mean("RR") == 1.0
    assert leadline.evaluate(leadline.read(qrels, {"r": run}, ties="trec32"), "RR").mean("RR") == 0.5


def test_a_missed_topic_is_an_empty_list_here_and_absent_there() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0}}
    assert set(peer_scores(qrels, run, {"map"})) == {"q1"}
    track = leadline.read(qrels, {"r": run})
    scores = leadline.evaluate(track, "AP")
    assert scores.array("AP").tolist() == [[1.0, 0.0]]
    assert "topics-without-ranking" in scores.findings.codes
    assert leadline.evaluate(leadline.read(qrels, {"r": run}, topics="common"), "AP").mean("AP") == 1.0


@pytest.mark.parametrize("seed", range(8))
def test_ir_measures_gives_the_same_scores(seed: int) -> None:
    import ir_measures

    names = [
        "AP", "AP@10", "AP(rel=2)", "nDCG", "nDCG@10", "P@5", "P(rel=2)@10", "R@20", "RR",
        "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "Success@5",
        "IPrec@0.5",
    ]  # fmt: skip
    qrels, run = random_track(seed)
    theirs = [ir_measures.parse_measure(n) for n in names]
    per_topic = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(theirs, qrels, run)}
    track = leadline.read(qrels, {"r": run}, ties="trec32")
    scores = leadline.evaluate(track, names)
    for name, measure, peer in zip(names, scores.measures, theirs, strict=True):
        expected = [per_topic[(t, str(peer))] for t in track.topics]
        np.testing.assert_allclose(scores.array(measure)[0], expected, atol=1e-9, err_msg=name)


def untied(run: dict, seed: int) -> dict:
    """The same documents under different scores, all distinct."""
    rng = random.Random(seed)
    return {t: dict(zip(docs, map(float, rng.sample(range(999), len(docs))), strict=True)) for t, docs in run.items()}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["RBP(p=0.8, rel=1)", "Judged@10", "RR@3"])
def test_ir_measures_other_providers_give_the_same_without_ties(seed: int, name: str) -> None:
    """ir_measures runs cwl_eval for RBP, own code for Judged and RR@k; all leave the order of tied documents open."""
    import ir_measures

    qrels, run = random_track(seed)
    run = untied(run, seed)
    peer = ir_measures.parse_measure(name)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([peer], qrels, run)}
    track = leadline.read(qrels, {"r": run})
    ours = leadline.evaluate(track, name).array(name)[0]
    np.testing.assert_allclose(ours, [theirs[t] for t in track.topics], atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_gdeval_gives_the_same_scores_to_its_five_decimals(seed: int) -> None:
    """ir_measures runs gdeval (perl) for these; it prints five decimals and takes 4 for the top grade."""
    import ir_measures

    qrels, run = random_track(seed)
    run = untied(run, seed)
    names = {"nDCG(dcg='exp-log2')@10": "nDCG(dcg='exp-log2')@10", "ERR@10": "ERR(gmax=4)@10"}
    theirs = {
        (str(m.measure), m.query_id): m.value
        for m in ir_measures.iter_calc([ir_measures.parse_measure(n) for n in names], qrels, run)
    }
    track = leadline.read(qrels, {"r": run}, ties="trec32")
    for peer, name in names.items():
        ours = leadline.evaluate(track, name).array(name)[0]
        np.testing.assert_allclose(ours, [theirs[(peer, t)] for t in track.topics], atol=5.1e-6, err_msg=name)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore")
def test_ranx_gives_the_same_scores_without_ties(seed: int) -> None:
    ranx = pytest.importorskip("ranx")
    qrels, run = random_track(seed)
    qrels = {t: {d: max(g, 0) for d, g in docs.items()} for t, docs in qrels.items()}
    run = untied(run, seed)
    names = {
        "map": "AP",
        "mrr": "RR",
        "ndcg@10": "nDCG@10",
        "precision@5": "P@5",
        "recall@10": "R@10",
        "r-precision": "Rprec",
    }
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), list(names), make_comparable=True)
    track = leadline.read(qrels, {"r": run})
    for name, measure in names.items():
        np.testing.assert_allclose(
            leadline.evaluate(track, measure).mean(measure)[0], theirs[name], atol=1e-9, err_msg=name
        )
