"""Systems that stop by themselves: NIL, short lists, what they detect and what they hedge."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from leadline import read
from leadline.depths.self_truncation import PAIRS, self_truncation
from leadline.errors import UsageError
from leadline.measures import parse
from leadline.simulate import question_answering, simulate

SIM = question_answering(runs=6, topics=40, rng=5)


def test_lists_and_scores_equal_naive() -> None:
    track = read(SIM.qrels, SIM.runs, nil="answer")
    found = self_truncation(track)
    for r, run in enumerate(track.runs):
        for t, topic in enumerate(track.topics):
            docs = list(SIM.runs[run].get(topic, {}))
            kept, stopped = naive.nil_truncate(docs)
            assert found.before[r, t] == len(docs)
            assert found.after[r, t] == len(kept)
            assert found.truncated[r, t] == stopped
    columns = found.columns()
    for i, (plain, terminal) in enumerate(PAIRS):
        here = slice(i * len(track.runs), (i + 1) * len(track.runs))
        np.testing.assert_allclose(columns["original"][here], [original(run, plain) for run in track.runs])
        np.testing.assert_allclose(columns["terminal"][here], [ended(run, terminal) for run in track.runs])
    np.testing.assert_allclose(columns["change"], np.subtract(columns["terminal"], columns["original"]))
    np.testing.assert_allclose(columns["truncated"][: len(track.runs)], found.truncated.mean(axis=1))


def options(name: str) -> tuple[str, dict[str, float]]:
    m = parse(name)
    return m.name, {n: getattr(m, n) for n in m.params if n in ("p", "gain", "rel")}


def original(run: str, name: str) -> float:
    measure, given = options(name)
    values = []
    for topic, grades in SIM.qrels.items():
        qrels, ranking = naive.nil_answer(grades, list(SIM.runs[run].get(topic, {})))
        values.append(naive.score(measure, qrels, ranking, undefined=0.0, **given))
    return naive.mean(values)  # type: ignore[arg-type]


def ended(run: str, name: str) -> float:
    measure, given = options(name)
    values = []
    for topic, grades in SIM.qrels.items():
        kept, stopped = naive.nil_truncate(list(SIM.runs[run].get(topic, {})))
        ids = list(grades)
        ranking = naive.Ranking(tuple(ids.index(d) if d in grades else None for d in kept), terminal=stopped)
        values.append(naive.score(measure, naive.Topic(tuple(grades.values())), ranking, undefined=0.0, **given))
    return naive.mean(values)  # type: ignore[arg-type]


def test_lengths_before_and_after() -> None:
    found = self_truncation(read(SIM.qrels, SIM.runs, nil="answer"))
    lengths = found.lengths()
    assert lengths["before"].sum() == lengths["after"].sum() == 6 * 40
    assert lengths["length"].tolist() == [0, 1, 2, 3, 4, 5]
    assert lengths["before"].tolist() == [(found.before == n).sum() for n in range(6)]
    assert lengths["after"][5] < lengths["before"][5]
    assert [a for _, a, _ in found.length_bins()] == lengths["before"].tolist()


QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 0}, "q3": {"c": 1}, "q4": {"d": 0}}


def scored(*docs: str) -> dict[str, float]:
    return {d: 10.0 - i for i, d in enumerate(docs)}


RUNS = {
    "hedge": {q: scored("x", "y", "NIL", "a") for q in QRELS},
    "honest": {
        "q1": scored("a", "NIL"),
        "q2": scored("NIL"),
        "q3": scored("NIL", "c"),
        "q4": scored("x", "y", "z", "u", "v"),
    },
    "silent": {"q1": scored("a", "b", "x", "y", "z")},
}


def test_detection_of_topics_without_an_answer() -> None:
    found = self_truncation(read(QRELS, RUNS, nil="answer"), [("RR", "RRT")])
    said = found.detection()
    assert said["run"] == ["hedge", "honest", "silent"]
    assert said["empty"].tolist() == [0, 2, 3]
    assert said["right"].tolist() == [0, 1, 2]
    np.testing.assert_allclose(said["precision"], [np.nan, 1 / 2, 2 / 3])
    np.testing.assert_allclose(said["recall"], [0, 1 / 2, 1])
    np.testing.assert_allclose(said["says_nil"], [1, 3 / 4, 0])
    np.testing.assert_allclose(said["hedge"], [1, 1 / 2, 0])


def test_findings_for_hedging_and_for_an_early_nil() -> None:
    found = self_truncation(read(QRELS, RUNS, nil="answer"), [("RR", "RRT")])
    told = {f.code: f for f in found.findings}
    assert told["nil-hedging"].examples == ("hedge",)
    assert told["nil-before-relevant"].count == 2
    assert told["nil-before-relevant"].examples == ("hedge:q1", "honest:q3")
    assert "no-nil-topics" not in told


def test_without_nil_short_lists_are_choices() -> None:
    sim = simulate(runs=4, topics=10, depth=20, truncated=0.5, missing=0, nil=0, rng=2)
    found = self_truncation(read(sim.qrels, sim.runs))
    assert found.max_len == 20
    assert (found.truncated == (found.before < 20)).all()
    assert (found.before == found.after).all()
    assert "no-nil-topics" in found.findings.codes
    assert np.isnan(found.detection()["recall"]).all()
    labels = [label for label, _, _ in found.length_bins()]
    assert labels == ["0", "1–4", "5–8", "9–16", "17–32"]


def test_agreement_of_orders() -> None:
    found = self_truncation(read(SIM.qrels, SIM.runs, nil="answer"))
    columns = found.agreement()
    assert columns["original_measure"] == ["RR", "nDCG", "RBP(p=0.5)", "AP"]
    assert all(-1 <= tau <= 1 for tau in columns["tau"])
    assert all(0 <= p <= 1 for p in columns["p"])


def test_a_track_that_is_cut_already_is_refused() -> None:
    with pytest.raises(UsageError, match="nil='answer'"):
        self_truncation(read(QRELS, RUNS, nil="truncate"))
    with pytest.raises(UsageError, match="max_len"):
        self_truncation(read(QRELS, RUNS), max_len=0)
    with pytest.raises(UsageError, match="pair"):
        self_truncation(read(QRELS, RUNS), [])
