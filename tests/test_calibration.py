"""Calibrated parameters do what was asked for, checked on the measures themselves."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import leadline
import naive
from leadline import simulate
from leadline.cli import cli
from leadline.measures import parse
from leadline.meta.calibration import (
    break_even,
    collection_size,
    effort,
    known_documents,
    persistence,
    shallowness_bound,
    silence_beta,
)
from strategies import cases, few


@given(depth=st.floats(1.01, 1000))
@few(50)
def test_persistence_gives_the_expected_depth(depth: float) -> None:
    p = persistence(depth)
    ranks = range(1, int(60 * depth) + 60)
    assert math.fsum((1 - p) * p ** (i - 1) * i for i in ranks) == pytest.approx(depth, rel=1e-6)


@given(depth=st.integers(1, 200), share=st.floats(0.05, 0.99))
@few(50)
def test_persistence_puts_a_share_of_the_weight_on_top(depth: int, share: float) -> None:
    p = persistence(depth, share=share)
    assert parse("RBP").but(p=p).score([1] * depth) == pytest.approx(share)


@pytest.mark.parametrize("measure", ["U", "DCGU", "RBPU(p=0.9)", "RBU(p=0.8)", "ERRU", "RBPU(p=0.9)@5"])
@pytest.mark.parametrize("documents", [2, 20, 100])
def test_effort_makes_one_document_pay_for_so_many(measure: str, documents: int) -> None:
    e = effort(documents, measure)
    m = parse(measure).but(e=e, k=None)
    assert m.score([1] + [0] * (documents - 1)) == pytest.approx(0, abs=1e-14)
    assert m.score([1] + [0] * documents) < 0
    options = {n: getattr(m, n) for n in ("p", "e", "gain") if n in m.params}
    labels = [1] + [0] * (documents - 1)
    assert naive.on_labels(m.name, **options)(labels) == pytest.approx(0, abs=1e-12)


def test_effort_of_the_flat_utility() -> None:
    assert effort(20) == 0.05


def test_beta_for_rank_20_is_not_the_published_one() -> None:
    assert round(silence_beta(20), 5) == 1.04641
    assert pytest.approx(silence_beta(20), abs=1e-3) != 1.05
    assert break_even(1.05) == 18  # between ranks 18 and 19


@given(rank=st.integers(2, 300), docs=st.integers(300, 10**7))
@few(60)
def test_at_that_beta_silence_is_exactly_as_good(rank: int, docs: int) -> None:
    beta = silence_beta(rank, docs=docs)
    oie = parse("OIE").but(beta=beta, docs=docs)
    ranking = [0] * (rank - 1) + [1]
    assert docs * oie.score(ranking) == pytest.approx(docs * oie.score([], rels="1"), abs=1e-7)
    assert break_even(beta * (1 + 1e-9), docs=docs) == rank - 1
    assert break_even(beta * (1 - 1e-9), docs=docs) >= rank


@pytest.mark.parametrize("beta", [1.01, 1.05, 1.3])
def test_break_even_is_where_the_naive_score_meets_silence(beta: float) -> None:
    docs = 500
    score = naive.on_labels("OIE", docs=docs, beta=beta)
    better = [score([0] * (r - 1) + [1]) > score([], [1]) for r in range(1, 120)]
    last = break_even(beta, docs=docs)
    assert better[: min(last, 119)] == [True] * min(last, 119)
    assert not any(better[last:])


def test_break_even_at_the_ends() -> None:
    assert break_even(1.0, docs=77) == 77
    assert break_even(1.0000001) > 10_000
    assert break_even(1.05, docs=10**12) == 20  # from 19 to 20 in all collections larger than a few million


@pytest.mark.parametrize(("m", "docs", "times"), [(2, 1000, 1), (3, 20000, 1), (10, 500, 1), (4, 300, 2)])
def test_shallowness_bound_is_exact(m: int, docs: int, times: int) -> None:
    bound = shallowness_bound(m, docs=docs, relevant=times * m)
    assert bound < shallowness_bound(m) == (2 * m - 1) / m
    for beta, wins in ((bound - 1e-6, True), (bound + 1e-6, False)):
        score = naive.on_labels("OIE", docs=docs, beta=beta)
        assert (naive.shallowness(score, m, times * m) > 0) == wins
    found = leadline.properties(parse("OIE").but(beta=bound - 1e-6, docs=docs), only="SHALLOWNESS")[0]
    assert found.size is not None
    if times == 1:
        assert found.size <= m


def test_shallowness_bound_tends_to_the_published_one() -> None:
    far = [shallowness_bound(3, docs=10**i) for i in (3, 6, 12, 100)]
    assert far == sorted(far)
    assert far[-1] == pytest.approx(5 / 3, abs=0.01)


@pytest.mark.parametrize(
    "call",
    [
        lambda: persistence(1),
        lambda: persistence(0, share=0.5),
        lambda: persistence(5, share=1),
        lambda: effort(1),
        lambda: effort(20, "AP"),
        lambda: silence_beta(1),
        lambda: silence_beta(30, docs=20),
        lambda: shallowness_bound(1),
        lambda: shallowness_bound(5, docs=9),
    ],
)
def test_nonsense_is_refused(call: object) -> None:
    with pytest.raises(leadline.UsageError):
        call()  # type: ignore[operator]


def test_collection_size_on_data() -> None:
    made = simulate.simulate(runs=6, topics=12, depth=30, rng=4)
    track = leadline.read(made.qrels, made.runs)
    found = collection_size(track, docs=[1000, 10**6], reference=1000)
    assert found.tau[0] == 1
    means = [leadline.evaluate(track, f"OIE(docs={d})").mean()[:, 0].tolist() for d in (1000, 10**6)]
    expected = naive.tau_b(*([round(x / max(map(abs, m)), 10) for x in m] for m in means))
    assert found.tau[1] == pytest.approx(expected)
    assert found.best[1] == track.runs[int(np.argmax(means[1]))]
    assert found.break_even == (break_even(docs=1000), break_even(docs=10**6))
    with pytest.raises(leadline.NothingToEvaluate):
        collection_size(track.select(runs=track.runs[:1]))


@given(case=cases())
@few(40)
def test_known_documents_is_the_least_size_that_oie_takes(case: object) -> None:
    track = case.track()  # type: ignore[attr-defined]
    least = known_documents(track)
    leadline.evaluate(track, f"OIE(docs={max(least, 1)})")
    if least > 1:
        with pytest.raises(leadline.UsageError, match="less than"):
            leadline.evaluate(track, f"OIE(docs={least - 1})")


def test_command() -> None:
    asked = ["guide", "--calibrate", "--depth", "10", "--worth", "20", "--silence-rank", "20", "--always-read", "3"]
    out = CliRunner().invoke(cli, [*asked, "--format", "jsonl"])
    found = [json.loads(line) for line in out.stdout.splitlines()]
    values = {(r["parameter"], r["because"].split(", ")[-1]): r["value"] for r in found}
    assert values["p", "expected depth"] == 0.9
    assert values["e", "U"] == 0.05
    assert round(values["beta", "20000 documents"], 5) == 1.04641
    assert CliRunner().invoke(cli, ["guide", "--calibrate"]).exit_code == 2
