"""Agreement of measures, unanimity and coverage: the array code equals the definitions on random tracks."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import leadline
import naive
from leadline import simulate
from leadline.cli import cli
from leadline.meta.agreement import agree, power
from leadline.meta.unanimity import REFERENCE, coverage, topic_pairs, uir_matrix
from leadline.rankings.track import Track
from leadline.stats import rbo
from strategies import few

MEASURES = ["AP", "nDCG@10", "P@10", "R@100", "RR", "RBP(p=0.8)"]


def track(runs: int = 7, topics: int = 9, rng: int = 1, **recipe: Any) -> Track:
    made = simulate.simulate(runs=runs, topics=topics, depth=40, rng=rng, **recipe)
    return leadline.read(made.qrels, made.runs)


@pytest.fixture(scope="module")
def small() -> Track:
    return track()


def naive_references(t: Track, measures: list[str]) -> list[list[list[float]]]:
    scores = leadline.evaluate(t, measures)
    return [[scores.array(m)[s].tolist() for m in measures] for s in range(len(t.runs))]


# ------------------------------------------------------------------------------------------------------------ unanimity


@given(seed=st.integers(0, 2**32), measures=st.integers(1, 4), systems=st.integers(2, 6), topics=st.integers(1, 6))
@few(60)
def test_uir_equals_naive(seed: int, measures: int, systems: int, topics: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (measures, systems, topics)) / 4  # coarse, so that ties are common
    pairs = topic_pairs(topics, "all") if seed % 2 else topic_pairs(topics, 11, rng)
    got = uir_matrix(scores, pairs)
    if seed % 2:
        assert uir_matrix(scores, "all") == pytest.approx(got, abs=1e-12)
    listed = [(int(a), int(b)) for a, b in pairs]
    for a, b in itertools.combinations(range(systems), 2):
        expected = naive.uir(scores[:, a].tolist(), scores[:, b].tolist(), listed)
        assert got[a, b] == pytest.approx(expected, abs=1e-12)
        assert got[b, a] == -got[a, b]
    assert not np.diagonal(got).any()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("pairs", ["all", 50])
def test_coverage_equals_naive(seed: int, pairs: Any) -> None:
    t = track(runs=5, topics=6, rng=seed)
    found = coverage(t, MEASURES, pairs=pairs, rng=seed)
    listed = [(int(a), int(b)) for a, b in topic_pairs(6, pairs, seed)]
    means = leadline.evaluate(t, MEASURES).mean()
    for j in range(len(MEASURES)):
        # as fractions, so that equal differences are equal: ρ is about order
        exact: list[Any] = [Fraction(x).limit_denominator(10**9) for x in means[:, j]]
        expected = naive.cov(exact, naive_references(t, list(REFERENCE)), listed)
        assert found.cov[j] == pytest.approx(expected, abs=1e-12), MEASURES[j]
    assert found.pairs == len(listed)


def test_the_blocks_of_a_large_comparison_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random((2, 9, 8))
    pairs = topic_pairs(8, "all")
    whole = uir_matrix(scores, pairs)
    monkeypatch.setattr("leadline.meta.unanimity._CELLS", 1000)
    assert (uir_matrix(scores, pairs) == whole).all()
    monkeypatch.setattr("leadline.meta.unanimity._CACHED", 200)
    assert uir_matrix(scores) == pytest.approx(whole, abs=1e-12)
    tall = np.zeros((1, 2, 600))  # more lists than a small integer counts
    tall[0, 0] = 1
    assert uir_matrix(tall).tolist() == [[0, 1], [-1, 0]]


def test_a_reference_covers_itself_and_lower_is_turned(small: Track) -> None:
    found = coverage(small, ["RR", "ESL"], reference="RR", pairs="all")
    assert found.cov[0] > 0.9
    assert coverage(small, "RR", reference="RR", pairs=200, rng=3).cov == pytest.approx(found.cov[:1], abs=0.2)
    assert found.cov[1] > 0  # a smaller search length is better


def test_coverage_repeats_with_its_seed(small: Track) -> None:
    a, b, c = (coverage(small, "AP", pairs=30, rng=seed).uir for seed in (1, 1, 2))
    assert (a == b).all()
    assert (a != c).any()


def test_coverage_says_what_is_wrong(small: Track) -> None:
    with pytest.raises(leadline.NothingToEvaluate, match="three runs"):
        coverage(small.select(runs=small.runs[:2]), "AP")
    with pytest.raises(leadline.UsageError, match="'all' or a positive"):
        coverage(small, "AP", pairs=0)
    with pytest.raises(leadline.UsageError, match="no scores by topic"):
        coverage(small, "AP", reference="c@1")
    with pytest.raises(leadline.UsageError, match="defined everywhere"):
        uir_matrix(np.full((1, 2, 2), np.nan), topic_pairs(2, "all"))


# ------------------------------------------------------------------------------------------------------------ agreement


@pytest.mark.parametrize("seed", range(3))
def test_agreement_equals_naive(seed: int) -> None:
    t = track(rng=seed)
    found = agree(t, MEASURES)
    means = leadline.evaluate(t, MEASURES).mean().round(10)
    for a, b in itertools.product(range(len(MEASURES)), repeat=2):
        x, y = means[:, a].tolist(), means[:, b].tolist()
        assert found.tau[a, b] == pytest.approx(naive.tau_b(x, y), abs=1e-12)
        order = [sorted(range(len(x)), key=lambda s, v=v: -v[s]) for v in (x, y)]  # type: ignore[misc]
        assert found.tau_ap[a, b] == pytest.approx(naive.tau_ap(*order), abs=1e-12)
        assert found.rbo[a, b] == pytest.approx(rbo(*order).ext, abs=1e-12)


def test_agreement_by_topic_is_the_mean_over_defined_topics() -> None:
    t = track(nil=0.3)
    found = agree(t, ["AP", "RR", "P@10"], by="topic")
    scores = leadline.evaluate(t, ["AP", "RR", "P@10"])
    for a, b in itertools.combinations(range(3), 2):
        x, y = scores.array(scores.measures[a]).round(10), scores.array(scores.measures[b]).round(10)
        taus = [naive.tau_b(x[:, i].tolist(), y[:, i].tolist()) for i in range(x.shape[1])]
        known = [tau for tau in taus if tau is not None]
        assert found.topics[a, b] == len(known) < len(t.topics)
        assert found.tau[a, b] == pytest.approx(sum(known) / len(known), abs=1e-12)


def test_agreement_takes_scores_and_turns_what_is_better_small(small: Track) -> None:
    scores = leadline.evaluate(small, ["RR", "ESL"])
    assert agree(scores).tau[0, 1] > 0
    assert agree(scores, ["RR", "ESL"]).runs == small.runs
    with pytest.raises(leadline.UsageError, match="at least 2 measures"):
        agree(small, ["AP"])
    with pytest.raises(leadline.NothingToEvaluate):
        agree(small.select(runs=small.runs[:1]), ["AP", "RR"])
    with pytest.raises(leadline.UsageError, match="by must be"):
        agree(small, ["AP", "RR"], by="run")  # type: ignore[arg-type]
    with pytest.raises(leadline.UsageError, match="Name the measures"):
        agree(small)


def test_discriminative_power_of_many_measures_is_that_of_each(small: Track) -> None:
    from leadline.stats import discriminative_power

    found = power(small, MEASURES)
    for i, m in enumerate(MEASURES):
        one = discriminative_power(leadline.evaluate(small, m).array(m))
        assert found.discrimination[i] == pytest.approx(float(one.share))
        assert found.median_p[i] == pytest.approx(float(one.median_p))
    assert found.discrimination.max() > 0


# -------------------------------------------------------------------------------------------------------------- command


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("track")
    made = simulate.simulate(runs=4, topics=6, depth=20, rng=2)
    lines = [f"{t} 0 {d} {g}" for t, docs in made.qrels.items() for d, g in docs.items()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    (folder / "runs").mkdir()
    for name, lists in made.runs.items():
        ranked = [f"{t} Q0 {d} 0 {s} x" for t, docs in lists.items() for d, s in docs.items()]
        Path(folder / "runs" / f"{name}.run").write_text("\n".join(ranked) + "\n")
    return [str(folder / "qrels.txt"), str(folder / "runs")]


def records(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(cli, ["agree", *arguments, "--format", "jsonl"], catch_exceptions=False)
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_records(files: list[str]) -> None:
    found = records(*files, "-m", "AP", "-m", "RR", "-m", "map")
    assert [(r["measure_a"], r["measure_b"]) for r in found] == [("AP", "RR"), ("RR", "AP")]
    assert set(found[0]) == {"measure_a", "measure_b", "tau", "tau_ap", "rbo"}
    found = records(*files, "-m", "AP", "-m", "OIE", "--coverage", "P@10,RBP(p=0.8, gain='exp')", "--coverage", "RR")
    assert [set(r) for r in found] == [{"measure", "cov"}] * 2
    assert all(-1 <= r["cov"] <= 1 for r in found)
    again = records(*files, "-m", "AP", "-m", "OIE", "--coverage", "P@10,R@100,RR", "--topic-pairs", "all")
    track_ = leadline.read(files[0], files[1])
    assert [r["cov"] for r in again] == pytest.approx(coverage(track_, ["AP", "OIE"], pairs="all").cov.tolist())
    assert {*records(*files, "-m", "AP", "--discrimination")[0]} == {"measure", "discrimination", "median_p"}


def test_command_errors(files: list[str]) -> None:
    result = CliRunner().invoke(cli, ["agree", *files, "-m", "AP", "--coverage", "RR", "--topic-pairs", "many"])
    assert result.exit_code == 2
    assert "no number" in result.output
