"""The whole way from files to scores: what must not matter does not, and measures keep what they claim."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from strategies import few

MEASURES = ["AP", "nDCG@10", "P@5", "R@10", "RR", "RBP(p=0.8)", "ERR", "Judged@10", "infAP", "bpref"]

Lists = dict[str, dict[str, float]]


@st.composite
def tracks(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, Lists]]:
    """Qrels and two runs over twelve documents, without ties."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    topics = [f"q{t}" for t in range(draw(st.integers(1, 4)))]
    docs = [f"d{i}" for i in range(12)]
    qrels = {t: {d: int(rng.integers(0, 3)) for d in rng.permutation(docs)[:8].tolist()} for t in topics}
    runs: dict[str, Lists] = {}
    for name in ("a", "b"):
        runs[name] = {}
        for t in topics:
            chosen = rng.permutation(docs)[: rng.integers(1, 13)].tolist()
            runs[name][t] = dict(zip(chosen, (rng.permutation(100)[: len(chosen)] / 8).tolist(), strict=True))
    return qrels, runs


def qrels_lines(qrels: dict[str, dict[str, int]]) -> list[str]:
    return [f"{t} 0 {d} {g}\n" for t, judged in qrels.items() for d, g in judged.items()]


def run_lines(run: Lists) -> list[str]:
    return [f"{t} Q0 {d} 0 {s} tag\n" for t, scores in run.items() for d, s in scores.items()]


def written(folder: Path, qrels: list[str], runs: dict[str, list[str]], pack: bool = False) -> tuple[Path, list[Path]]:
    paths = []
    for name, lines in runs.items():
        data = "".join(lines).encode()
        path = folder / (f"{name}.run.gz" if pack else f"{name}.run")
        path.write_bytes(gzip.compress(data) if pack else data)
        paths.append(path)
    (folder / "qrels.txt").write_text("".join(qrels))
    return folder / "qrels.txt", paths


def by_topic(qrels: Any, runs: Any, **reading: Any) -> dict[tuple[str, str, str], float]:
    """Every score by run, topic and measure: the order of topics does not matter."""
    track = leadline.read(qrels, runs, **reading)
    scores = leadline.evaluate(track, MEASURES, undefined="nan")
    found = {}
    for m in MEASURES:
        values = scores.array(m)
        for r, run in enumerate(track.runs):
            for t, topic in enumerate(track.topics):
                found[run, topic, m] = float(values[r, t])
    return found


def equal(a: dict[tuple[str, str, str], float], b: dict[tuple[str, str, str], float]) -> None:
    """The same numbers to the last bit."""
    assert a.keys() == b.keys()
    different = {k: (a[k], b[k]) for k in a if a[k] != b[k] and not (np.isnan(a[k]) and np.isnan(b[k]))}
    assert not different


@few(25)
@given(made=tracks(), seed=st.integers(0, 1000))
def test_order_of_lines_files_threads_and_packing(
    made: tuple[Any, Any], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    qrels, runs = made
    plain = by_topic(qrels, runs)
    rng = np.random.default_rng(seed)
    where = tmp_path_factory.mktemp("pipeline")
    judged = rng.permutation(qrels_lines(qrels)).tolist()
    mixed = {name: rng.permutation(run_lines(run)).tolist() for name, run in runs.items()}
    for pack in (False, True):
        path, paths = written(where, judged, mixed, pack)
        for threads in (1, 3):
            equal(plain, by_topic(path, paths[::-1], threads=threads))


@few(25)
@given(made=tracks())
def test_renamed_documents(made: tuple[Any, Any]) -> None:
    """Ids are names only, as long as no scores are tied."""
    qrels, runs = made
    other = {f"d{i}": f"{(7 * i) % 12}-ünï" for i in range(12)}
    renamed = {t: {other[d]: g for d, g in judged.items()} for t, judged in qrels.items()}
    moved = {n: {t: {other[d]: s for d, s in scores.items()} for t, scores in run.items()} for n, run in runs.items()}
    equal(by_topic(qrels, runs), by_topic(renamed, moved))


@few(25)
@given(made=tracks(), keep=st.integers(1, 3))
def test_split_topics(made: tuple[Any, Any], keep: int) -> None:
    """A topic's score knows nothing of other topics: evaluated apart, the numbers are the same."""
    qrels, runs = made
    whole = by_topic(qrels, runs)
    parts: dict[tuple[str, str, str], float] = {}
    topics = list(qrels)
    for some in (topics[:keep], topics[keep:]):
        if some:
            cut = {n: {t: run[t] for t in some} for n, run in runs.items()}
            parts |= by_topic({t: qrels[t] for t in some}, cut)
    gmax = {t: max(qrels[t].values()) for t in topics}
    if len(set(gmax.values())) == 1:  # ERR's largest grade is that of the qrels at hand
        equal(whole, parts)
    else:
        rest = {k: v for k, v in whole.items() if k[2] != "ERR"}
        equal(rest, {k: v for k, v in parts.items() if k[2] != "ERR"})


@few(25)
@given(made=tracks())
def test_runs_apart_or_together(made: tuple[Any, Any]) -> None:
    qrels, runs = made
    apart: dict[tuple[str, str, str], float] = {}
    for name, run in runs.items():
        apart |= by_topic(qrels, {name: run})
    equal(by_topic(qrels, runs), apart)


@few(25)
@given(made=tracks(), tail=st.integers(1, 30))
def test_unjudged_tail(made: tuple[Any, Any], tail: int) -> None:
    """Unjudged documents behind a list of ten or more change nothing that looks at ten, nor what sums up hits."""
    qrels, runs = made
    longer = {
        n: {t: scores | {f"x{i}": -1.0 - i for i in range(tail)} for t, scores in run.items()}
        for n, run in runs.items()
    }
    unmoved = ("AP", "nDCG@10", "P@5", "R@10", "RR", "RBP(p=0.8)", "ERR", "bpref")
    before, after = by_topic(qrels, runs), by_topic(qrels, longer)
    equal({k: v for k, v in before.items() if k[2] in unmoved}, {k: v for k, v in after.items() if k[2] in unmoved})


@few(25)
@given(made=tracks())
def test_relevant_document_at_the_top(made: tuple[Any, Any]) -> None:
    """Moving a relevant document to the top lowers none of these measures (all claim PRIORITY)."""
    qrels, runs = made
    moved = {n: {t: dict(scores) for t, scores in run.items()} for n, run in runs.items()}
    for run in moved.values():
        for t, scores in run.items():
            hits = [d for d in scores if qrels[t].get(d, 0) == max(qrels[t].values())]
            if hits and max(qrels[t].values()) > 0:
                scores[min(hits, key=scores.__getitem__)] = 1000.0
    before, after = by_topic(qrels, runs), by_topic(qrels, moved)
    claim = ("AP", "nDCG@10", "P@5", "R@10", "RR", "RBP(p=0.8)", "ERR", "bpref")
    lower = {k: (v, after[k]) for k, v in before.items() if k[2] in claim and after[k] < v - 1e-12}
    assert not lower
