"""Comparison of runs: the tests are those of scipy and statsmodels, the doubts travel with the numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy import stats as sp
from statsmodels.stats.multitest import multipletests

import leadline
import naive
import naive_systems as slow
from leadline.errors import UnknownName, UsageError
from leadline.output.tables import Table, render
from leadline.stats import bootstrap_draws, permutation_draws, sign_draws
from leadline.systems.flags import FEW_TOPICS, unjudged_share
from leadline.systems.pair_tests import TESTS, named_test
from leadline.systems.residuals import residuals_of
from strategies import Case, cases, few
from test_prefer import simulated

TRACK = simulated(runs=5, topics=30)
SCORES = leadline.evaluate(TRACK, ["AP", "nDCG@10"])
PAIRS = list(itertools.combinations(range(5), 2))
COLUMNS = [
    "a", "b", "measure", "difference", "low", "high", "effect", "wins", "ties", "losses", "p", "p_adjusted",
    "significant", "flags",
]  # fmt: skip


def test_t_and_wilcoxon_are_scipys() -> None:
    for test, reference in (("t", sp.ttest_rel), ("wilcoxon", sp.wilcoxon)):
        found = leadline.compare(TRACK, "AP", test=test)
        X = SCORES.array("AP")
        expected = [reference(X[a], X[b]).pvalue for a, b in PAIRS]
        assert found["AP"].tests.p == pytest.approx(expected, rel=1e-9)
    low, high = zip(*(sp.ttest_rel(X[a], X[b]).confidence_interval(0.95) for a, b in PAIRS), strict=True)
    assert found["AP"].tests.low == pytest.approx(low, rel=1e-9)
    assert found["AP"].tests.high == pytest.approx(high, rel=1e-9)


def test_sign_test_is_scipys() -> None:
    found = leadline.compare(SCORES, "AP", test="sign")["AP"].tests
    for k, (w, n) in enumerate(zip(found.wins.tolist(), (found.wins + found.losses).tolist(), strict=True)):
        assert found.p[k] == pytest.approx(sp.binomtest(w, n).pvalue, rel=1e-9)


def test_tukey_is_naive_and_uncorrected() -> None:
    found = leadline.compare(SCORES, "AP", test="tukey")
    expected = slow.tukey_hsd(SCORES.array("AP").tolist())
    assert found.correction == "none"
    assert found["AP"].tests.p == pytest.approx([expected[p] for p in PAIRS], rel=1e-8, abs=1e-12)
    assert np.array_equal(found["AP"].p_adjusted, found["AP"].tests.p)


def test_resampling_equals_a_loop_over_the_same_draws() -> None:
    X = SCORES.array("nDCG@10")
    n, B = X.shape[1], 200
    given = {"resamples": B, "rng": 11}
    found = {t: leadline.compare(SCORES, "nDCG@10", test=t, **given) for t in TESTS}
    z = [slow.differences(X[a].tolist(), X[b].tolist()) for a, b in PAIRS]
    draws = bootstrap_draws(n, B, rng=11).tolist()
    assert found["bootstrap"]["nDCG@10"].tests.p == pytest.approx([slow.bootstrap(d, draws) for d in z])
    signs = sign_draws(n, B, rng=11).tolist()
    assert found["permutation"]["nDCG@10"].tests.p == pytest.approx([slow.sign_flip(d, signs) for d in z])
    expected = slow.randomised_tukey(X.tolist(), permutation_draws(5, n, B, rng=11).tolist())
    assert found["randomised-tukey"]["nDCG@10"].tests.p == pytest.approx([expected[p] for p in PAIRS])
    for test in TESTS:
        drawn = test in ("bootstrap", "permutation", "randomised-tukey")
        assert (found[test].resamples, found[test].seed) == ((B, 11) if drawn else (None, None))


@pytest.mark.parametrize(("correction", "named"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")])
def test_corrections_are_those_of_statsmodels(correction: str, named: str) -> None:
    found = leadline.compare(SCORES, ["AP", "nDCG@10"], correction=correction)
    for m in ("AP", "nDCG@10"):  # a family for each measure
        expected = multipletests(found[m].tests.p, method=named)
        assert found[m].p_adjusted == pytest.approx(expected[1], rel=1e-12)
        assert found[m].significant.tolist() == (expected[1] < 0.05).tolist()


def test_baseline() -> None:
    base = TRACK.runs[3]
    found = leadline.compare(TRACK, "AP", baseline=base)
    X = SCORES.array("AP")
    others = [i for i in range(5) if i != 3]
    assert found.pairs == tuple((TRACK.runs[i], base) for i in others)
    assert found["AP"].tests.p == pytest.approx([sp.ttest_rel(X[i], X[3]).pvalue for i in others], rel=1e-9)
    better = found.better("AP")
    for i in others:
        sure = found["AP"].significant[others.index(i)]
        mark = "" if not sure else "↑" if X[i].mean() > X[3].mean() else "↓"
        assert found.marks("AP")[i] == mark
        assert better[i, 3] == (mark == "↑")
    with pytest.raises(UsageError, match="all pairs"):
        found.letters("AP")


def test_less_is_better() -> None:
    """x finds the document at rank 1 and y at rank 3: x wins on every topic, though its ESL is lower."""
    qrels = {f"{q}": {"a": 1} for q in range(6)}
    x = {q: {"a": 3.0, "b": 2.0, "c": 1.0} for q in qrels}
    y = {q: {"b": 3.0, "c": 2.0, "a": 1.0} for q in qrels}
    y["0"] = {"b": 3.0, "a": 2.0}
    found = leadline.compare(leadline.read(qrels, {"x": x, "y": y}), ["ESL", "RR"])
    assert found["ESL"].tests.difference[0] < 0 < found["RR"].tests.difference[0]
    for m in ("ESL", "RR"):
        assert [w.tolist() for w in found.wins(m)] == [[6], [0], [0]]
        assert found.better(m).tolist() == [[False, True], [False, False]]
        assert found.letters(m).text == ("a", "b")
    assert found.columns()["wins"].tolist() == [6, 6]
    turned = leadline.compare(leadline.read(qrels, {"a": y, "b": x}), ["ESL", "RR"])
    for m in ("ESL", "RR"):
        assert [w.tolist() for w in turned.wins(m)] == [[0], [0], [6]]
        assert turned.better(m).tolist() == [[False, False], [True, False]]


def test_columns() -> None:
    found = leadline.compare(TRACK, ["AP", "nDCG@10"])
    columns = found.columns()
    assert list(columns) == COLUMNS
    assert {len(c) for c in columns.values()} == {20}
    assert columns["measure"] == ["AP"] * 10 + ["nDCG@10"] * 10
    X = SCORES.array("nDCG@10")
    a, b = PAIRS[3]
    assert columns["difference"][13] == pytest.approx(X[a].mean() - X[b].mean())
    assert columns["effect"][13] == pytest.approx((X[a] - X[b]).mean() / (X[a] - X[b]).std(ddof=1))
    assert columns["wins"][13] == (X[a] > X[b]).sum()
    assert (columns["wins"] + columns["ties"] + columns["losses"] == 30).all()
    assert found.described() == "t test, all pairs, correction holm, α = 0.05"


def test_topic_design() -> None:
    found = leadline.compare(TRACK, "AP")
    design = found.design("AP", beta=0.2)
    tests = found["AP"].tests
    from leadline.stats import t_power

    enough = t_power(tests.effect, design.topics_needed)
    assert (enough >= 0.8).all()
    fewer = design.topics_needed > 2
    assert (t_power(tests.effect, design.topics_needed - 1)[fewer] < 0.8).all()
    X = SCORES.array("AP")
    sd = np.array([(X[a] - X[b]).std(ddof=1) for a, b in PAIRS])
    assert t_power(design.detectable / sd, 30) == pytest.approx(np.full(10, 0.8), rel=1e-6)
    assert ((design.power >= 0.8) == (design.topics_needed <= 30)).all()
    columns = found.columns(power=True)
    assert list(columns) == [*COLUMNS, "power", "topics_needed", "detectable"]
    same = leadline.read({"q": {"a": 1}, "r": {"a": 1}}, {"x": {"q": {"a": 1}}, "y": {"q": {"a": 1}}})
    assert leadline.compare(same, "RR").columns(power=True)["topics_needed"] == [float("inf")]


def test_flag_few_topics() -> None:
    some = TRACK.select(topics=TRACK.topics[: FEW_TOPICS - 1])
    assert all("n=24 topics" in f for f in leadline.compare(some, "AP")["AP"].flags)
    enough = TRACK.select(topics=TRACK.topics[:FEW_TOPICS])
    flags = leadline.compare(enough, "AP")["AP"].flags
    assert not any("topics" in text for pair in flags for text in pair if text.startswith("n="))


def test_flag_unjudged() -> None:
    qrels = {f"{q}": {"a": 1, "b": 0} for q in range(30)}
    runs = {
        "judged": {q: {"a": 2.0, "b": 1.0} for q in qrels},
        "half": {q: {"a": 2.0, "z": 1.0} for q in qrels},
        "other": {q: {"b": 2.0, "a": 1.0} for q in qrels},
    }
    track = leadline.read(qrels, runs)
    found = leadline.compare(track, ["P@2", "P@1", "AP(judged_only=True)"])
    doubt = ("50 % unjudged@2", "residual 0.5 > |difference|")
    assert found["P@2"].flags == [doubt, (), doubt]
    assert found["P@1"].flags == [(), (), ()]
    assert found["AP(judged_only=True)"].flags == [(), (), ()]
    share, depth = unjudged_share(track, leadline.parse("AP"))
    assert (share.tolist(), depth) == ([0.0, 0.5, 0.0], 10)
    assert unjudged_share(track.declare_pool(1), leadline.parse("AP"))[1] == 1


def test_flag_residual() -> None:
    """x beats y by 0.5 in RBP(0.5) whatever the unjudged documents are; z is as good as x, as far as one knows."""
    qrels = {f"{q}": {"a": 1, **{f"n{i}": 0 for i in range(20)}} for q in range(30)}
    full = [f"n{i}" for i in range(20)]
    lists = {"x": ["a", *full], "y": [*full, "a"], "z": ["u", "a", *full]}
    runs = {n: {q: {d: -float(i) for i, d in enumerate(docs)} for q in qrels} for n, docs in lists.items()}
    found = leadline.compare(leadline.read(qrels, runs), ["RBP(p=0.5)", "AP"])
    assert found["RBP(p=0.5)"].flags == [(), ("residual 0.5 > |difference|",), ("residual 0.5 > |difference|",)]
    flagged = [any("residual" in text for text in pair) for pair in found["AP"].flags]
    assert flagged == [False, False, True]  # z could gain 0.5: as much as x leads, more than it leads over y


@pytest.mark.parametrize("k", [None, 1, 3, 50])
@few(40)
@given(cases())
def test_residuals_equal_naive(k: int | None, case: Case) -> None:
    track, cut = case.track(), "" if k is None else f"@{k}"
    rbp, err = leadline.parse(f"RBP(p=0.7){cut}"), leadline.parse(f"ERR{cut}")
    found = {m.name: residuals_of(track, m) for m in (rbp, err, leadline.parse(f"P@{k or 5}"))}
    for i, (topic, ranking) in enumerate(case.lists()):
        own = {name: values.ravel()[i] for name, values in found.items() if values is not None}
        assert own["RBP"] == pytest.approx(naive.rbp_residual(ranking, 0.7, k), abs=1e-12)
        low, high = naive.err_bounds(topic, ranking, case.gmax, k)
        assert own["ERR"] == pytest.approx(high - low, abs=1e-12)
        assert own["P"] == pytest.approx(naive.precision_residual(ranking, k or 5), abs=1e-12)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RBP(p=0.8, gain='raw')", "P(gain='raw')@5", "Bpref"])
def test_residual_without_a_formula_is_the_width_of_the_range(name: str) -> None:
    found = leadline.ranges(TRACK, name)
    np.testing.assert_array_equal(residuals_of(TRACK, leadline.parse(name)), found.upper(name) - found.lower(name))


def test_no_residual_unasked_on_a_large_track(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.systems.residuals._DOCUMENTS", 10)
    assert residuals_of(TRACK, leadline.parse("AP")) is None
    assert residuals_of(TRACK, leadline.parse("RBP(p=0.8)")) is not None


def test_flag_undefined() -> None:
    qrels = {f"{q}": {"a": int(q > 1)} for q in range(30)}
    runs = {n: {q: {"a": 2.0, "b": 1.0} if int(q) % k else {"c": 1.0, "a": 0.5} for q in qrels}
            for n, k in (("x", 2), ("y", 3))}  # fmt: skip
    track = leadline.read(qrels, runs)
    zero = leadline.compare(track, "AP")["AP"]
    assert "undefined on 2 topics, counted as 0" in zero.flags[0]
    assert zero.tests.topics[0] == 30
    left = leadline.compare(track, "AP", undefined="nan")["AP"]
    assert "undefined on 2 topics, left out" in left.flags[0]
    assert left.tests.topics[0] == 28
    assert "undefined on 2 topics, left out" in leadline.compare(track, "ESL")["ESL"].flags[0]
    scores = leadline.evaluate(track, "AP", undefined="nan")
    assert leadline.compare(scores)["AP"].flags[0] == ("undefined on 2 topics, left out",)


def test_letters_say_who_differs() -> None:
    found = leadline.compare(TRACK, "AP", correction="none")
    shown = found.letters("AP").text
    for k, (a, b) in enumerate(PAIRS):
        assert bool(set(shown[a]) & set(shown[b])) != found["AP"].significant[k]
    assert "a" in shown[int(np.argmax(found["AP"].mean))]


def test_superscripts() -> None:
    table = Table({"run": ["x_1", "y"], "AP": [0.5, -0.25]}, marks={"AP": ["a", "b↑"]}, best={"AP": "max"})
    markdown = render(table, "markdown", digits=2)
    assert "| **0.50<sup>a</sup>** |" in markdown
    assert "| -0.25<sup>b↑</sup> |" in markdown
    latex = render(table, "latex", digits=2)
    assert r"\textbf{0.50\textsuperscript{a}}" in latex
    assert r"$-0.25\textsuperscript{b$\uparrow$}$" in latex
    lines = render(table, "table", digits=2, width=40).splitlines()
    assert [line.rstrip() for line in lines[-2:]] == ["x_1   0.50 a", "y    -0.25 b↑"]
    assert render(table, "tsv") == "run\tAP\nx_1\t0.5\ny\t-0.25\n"


def test_names_of_tests() -> None:
    assert named_test("Paired_t") == "t"
    assert named_test("randomized-tukey") == "randomised-tukey"
    with pytest.raises(UnknownName, match="wilcoxon"):
        named_test("wilcoxn")


def test_refusals() -> None:
    with pytest.raises(UsageError, match="two runs"):
        leadline.compare(TRACK.select(runs=TRACK.runs[:1]), "AP")
    with pytest.raises(UnknownName, match="run"):
        leadline.compare(TRACK, "AP", baseline="nobody")
    with pytest.raises(UsageError, match="needs measures"):
        leadline.compare(TRACK)
    with pytest.raises(UsageError, match="whole runs only"):
        leadline.compare(TRACK, "c@1")
    with pytest.raises(UnknownName, match="holm"):
        leadline.compare(TRACK, "AP", correction="holn")
    with pytest.raises(UsageError, match="alpha"):
        leadline.compare(TRACK, "AP", alpha=1.5)
    with pytest.raises(UnknownName, match="measure in this comparison"):
        leadline.compare(TRACK, "AP")["RR"]
    with pytest.raises(UnknownName, match="measure in these scores"):
        leadline.compare(SCORES, "RR")
