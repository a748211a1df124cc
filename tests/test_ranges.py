"""Ranges hold the score of every completion of the judgments, and touch it where they say so: by brute force."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

import leadline
import naive
from leadline.depths import _bounds
from leadline.depths._bounds import SOLVERS, listing
from leadline.depths._bounds.options import options_of as label_options
from leadline.depths.ranges import ranges
from leadline.io.aspects import declare
from leadline.measures import Measure, catalogue
from leadline.measures.scoring import score_track
from leadline.rankings.typed import typed
from strategies import Case, cases, few, options_of
from test_definitions import MINE, VARIANTS, variant

Array = np.ndarray[Any, Any]
MOST = 1500  # completions of one list

# Exact whatever the labels; with one grade above 0 everything is.
ALWAYS = {
    "P", "R", "Success", "Judged", "Rprec", "RR", "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "IPrec",
    "infAP", "Bpref", "AP", "APT", "DCG", "nDCG", "RBP", "nRBP", "ERR", "iRBU", "INSQ", "INST", "SDCG", "U", "DCGU",
    "RBPU", "RBU", "ERRU", "RRT", "RBPT", "ERRT", "AUC", "ESL", "RRi",
}  # fmt: skip
SEARCHED = {"nERR", "niRBU"}  # exact on lists as short as these, by search
ONE_GRADE = {"Q", "BPM", "nDCGT", "OIE", "Spearman", "Kendall"}


def test_no_measure_is_missing() -> None:
    ours = {n for n, cls in catalogue().items() if cls.__module__.startswith("leadline.")}
    compound = {"TOMA", "CAM", "MM"}
    assert ours - compound == set(SOLVERS)
    assert set(VARIANTS) == ALWAYS | SEARCHED | ONE_GRADE


@pytest.fixture
def no_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without listing all completions, so that the arguments alone count."""
    monkeypatch.setattr(listing, "_EACH", 0)


def completed(case: Case, m: Measure, missing: int, own: Any) -> tuple[Case, list[list[int]]]:
    """Every completion of every list of a single-run case as a topic of its own; and the topics of each list."""
    relevant = own.labels[own.hit].tolist()
    outside = [x for c in range(missing + 1) for x in itertools.combinations_with_replacement(relevant, c)]
    grades, rows, flags, topics = [], [], [], []
    for t, (known, listed) in enumerate(zip(case.grades, case.rows[0], strict=True)):
        open_ = [i for i, row in enumerate(listed) if row is None]
        numbers = []
        for labels in itertools.product(own.labels.tolist(), repeat=len(open_)):
            for more in outside:
                numbers.append(len(grades))
                grades.append([*known, *labels, *more])
                new = dict(zip(open_, range(len(known), len(known) + len(open_)), strict=True))
                rows.append([new.get(i, row) for i, row in enumerate(listed)])
                flags.append(True if case.terminal is None else case.terminal[0][t])
        topics.append(numbers)
    scores = [case.scores[0][t] for t, numbers in enumerate(topics) for _ in numbers]
    return Case(grades, [rows], [scores], terminal=[flags], pool_depth=case.pool_depth, ties=case.ties), topics


def small(draw: Any, **given: Any) -> Case:
    """A case of one run."""
    case: Case = draw(cases(longest=5, judged=6, grades=2, **given))
    flags = None if case.terminal is None else case.terminal[:1]
    return Case(case.grades, case.rows[:1], case.scores[:1], flags, [True], case.pool_depth, case.ties)


def fits(m: Measure, name: str) -> Measure:
    """Collections large enough for documents that turn up."""
    return m.but(docs=400) if name == "OIE" else m


def check(m: Measure, case: Case, missing: int) -> Array:
    """All completions are within their list's range, and both ends are reached where it says so; where it does."""
    track = case.track()
    own = label_options(m, track)
    most = max(sum(row is None for row in listed) for listed in case.rows[0])
    assume(len(own.labels) ** most * (missing * int(own.hit.sum()) + 1) <= MOST)
    everything, topics = completed(case, m, missing, own)
    whole = everything.track()
    whole.judgments._gmax = track.gmax
    scores = score_track(whole, m, undefined="nan").array(m)[0]
    for undefined in ("nan", "zero"):
        found = ranges(track, m, missing=missing, undefined=undefined, threads=1)  # type: ignore[arg-type]
        for t, numbers in enumerate(topics):
            values = scores[numbers]
            if undefined == "zero" and m.zero_if_undefined:
                values = np.nan_to_num(values)
            values = values[~np.isnan(values)]
            lower, upper = found.lower(m)[0, t], found.upper(m)[0, t]
            if not len(values):
                assert not found.exact(m)[0, t] or np.isnan([lower, upper]).all()
            elif found.exact(m)[0, t]:
                np.testing.assert_allclose([lower, upper], [values.min(), values.max()], rtol=1e-12, atol=1e-12)
            else:
                assert lower <= values.min() + 1e-12
                assert upper >= values.max() - 1e-12
    return found.exact(m)


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("name", sorted(VARIANTS))
@given(data=st.data())
@few(14)
def test_every_completion_by_the_fast_score(name: str, data: st.DataObject) -> None:
    case = small(data.draw)
    m = fits(variant(name, data.draw), name)
    missing = data.draw(st.sampled_from([0, 0, 1, 2]))
    note(f"{m.full()} missing={missing} {case}")
    exact = check(m, case, missing)
    if name in ALWAYS | SEARCHED:
        assert exact.all()


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("name", sorted(n for n in VARIANTS if "rel" in MINE[n].params))
@given(data=st.data())
@few(5)
def test_no_label_or_every_label_is_relevant(name: str, data: st.DataObject) -> None:
    """And gains may be negative, if a table says so."""
    case = small(data.draw)
    m = fits(variant(name, data.draw), name).but(rel=data.draw(st.sampled_from([0, 3])))
    if "gain" in m.params:
        below = {-1: 0.0, 0: -0.25, 1: 0.5, 2: 0.125}
        gains = ["binary", "linear", *([below] if name != "INST" else [])]
        m = m.but(gmax=None, gain=data.draw(st.sampled_from(gains)))
    note(f"{m.full()} {case}")
    check(m, case, data.draw(st.sampled_from([0, 1])))


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("name", sorted(ONE_GRADE))
@given(data=st.data())
@few(14)
def test_one_grade_is_exact(name: str, data: st.DataObject) -> None:
    case = small(data.draw)
    binary = [[min(g, 1) for g in topic] for topic in case.grades]
    case = Case(binary, case.rows, case.scores, case.terminal, [True], case.pool_depth)
    given_ = {n: data.draw(st.sampled_from(v)) for n, v in VARIANTS[name].items() if n not in ("gain", "gmax", "rel")}
    m = fits(MINE[name](data.draw(st.sampled_from([None, 1, 2, 4])) if name != "BPM" else 4, **given_), name)
    note(f"{m.full()} {case}")
    assert check(m, case, 0).all()


@pytest.mark.parametrize("name", ["Q", "OIE", "Kendall", "Spearman", "nDCGT", "BPM"])
@given(data=st.data())
@few(5)
def test_few_completions_are_listed(name: str, data: st.DataObject) -> None:
    """What no argument covers is exact nonetheless where all completions can be scored."""
    case = small(data.draw)
    m = fits(variant(name, data.draw), name)
    missing = data.draw(st.sampled_from([0, 1]))
    note(f"{m.full()} missing={missing} {case}")
    pooled = getattr(m, "ideal", "") == "k" or getattr(m, "norm", "") == "pool"
    exact = check(m, case, missing)
    if not pooled:
        assert exact.all()


@pytest.mark.parametrize("name", sorted(VARIANTS))
@given(data=st.data())
@few(5)
def test_every_completion_by_the_naive_definitions(name: str, data: st.DataObject) -> None:
    """Several runs, pools that other runs feed, lists that are no contributors."""
    case: Case = data.draw(cases(longest=3, judged=5, grades=2))
    m = fits(variant(name, data.draw), name)
    note(f"{m.full()} {case}")
    assume(len(label_options(m, case.track()).labels) <= 4 and not isinstance(getattr(m, "gain", ""), tuple))
    found = ranges(case.track(), m, threads=1)
    k = None if m.k is None or m.cutoff == "recall" else int(m.k)
    options = options_of(m, case)
    zero = 0.0 if m.zero_if_undefined else None
    for number, (topic, ranking) in enumerate(case.lists()):
        slow = naive.ranges(name, topic, ranking, k=k, undefined=zero, **options)
        r, t = divmod(number, len(case.grades))
        fast = found.lower(m)[r, t], found.upper(m)[r, t]
        if slow is None:
            assert np.isnan(fast).all()
        elif found.exact(m)[r, t]:
            np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-12)
        else:
            assert fast[0] <= slow[0] + 1e-12
            assert fast[1] >= slow[1] - 1e-12


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("rule", ["share", "mean-gain"])
@pytest.mark.parametrize("name", sorted(n for n, cls in MINE.items() if cls.ties and n in VARIANTS))
@given(data=st.data())
@few(5)
def test_shared_ties(rule: str, name: str, data: st.DataObject) -> None:
    if rule not in MINE[name].ties:
        return
    case = small(data.draw, ties=rule)
    m = variant(name, data.draw).but(judged_only=False)
    note(f"{m.full()} {case}")
    exact = check(m, case, data.draw(st.sampled_from([0, 1])))
    pooled = getattr(m, "ideal", "") == "k"
    if name not in ("APT", "nDCGT") and not pooled:
        assert exact.all()


READERS = ["RBP(p=0.6)", "RBP(p=0.6, gain='linear')@3", "INST(T=1.5)", "INSQ(T=1)@4", "SDCG@3", "BPM(T=2)@4"]


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("name", ["EU", "ETU", "ED", "ETC", "EC"])
@given(data=st.data())
@few(15)
def test_expectations_of_readers(name: str, data: st.DataObject) -> None:
    reader = data.draw(st.sampled_from(READERS))
    exact = check(MINE[name](of=reader), small(data.draw), 0)
    if name != "ETU" or reader[:4] in ("RBP(", "INSQ", "SDCG"):
        assert exact.all()


@pytest.mark.usefixtures("no_listing")
@given(data=st.data())
@few(14)
def test_compatibility(data: st.DataObject) -> None:
    case = small(data.draw)
    k = data.draw(st.sampled_from([None, 1, 3]))
    exact = check(catalogue()["Compatibility"](k, p=data.draw(st.sampled_from([0.5, 0.95]))), case, 0)
    assert exact.all() or case.gmax > 1


@given(data=st.data())
@few(15)
def test_whole_run_measure(data: st.DataObject) -> None:
    """c@1: the extremes of the run, since questions are independent of each other."""
    case = small(data.draw)
    m = MINE["c@1"]()
    track = case.track()
    found = ranges(track, m)
    first = [rows[0] if rows else -1 for rows in case.rows[0]]
    low = [math.nan if r == -1 else float(r is not None and case.grades[t][r] >= 1) for t, r in enumerate(first)]
    high = [1.0 if r is None else v for r, v in zip(first, low, strict=True)]
    columns = found.columns()
    assert columns["topic"] == ["all"]
    assert columns["lower"][0] == pytest.approx(m.aggregate(np.array([low]))[0], abs=1e-12)
    assert columns["upper"][0] == pytest.approx(m.aggregate(np.array([high]))[0], abs=1e-12)
    assert columns["residual"][0] == pytest.approx(columns["upper"][0] - columns["lower"][0], abs=1e-12)


def test_scores_that_ignore_unjudged_documents_may_be_outside() -> None:
    found = ranges(typed("0 1 - 0", rels="1 1 1"), "Bpref")
    assert found.score("Bpref")[0, 0] == pytest.approx(1 / 6)
    assert found.lower("Bpref")[0, 0] == pytest.approx(2 / 9)
    assert found.upper("Bpref")[0, 0] == pytest.approx(1 / 4)


def test_recall_measures_peak_between_none_and_all() -> None:
    """The best completion of each list has some but not all of its unjudged documents relevant."""
    cases_ = {"AP": "1 - 0 0 0 0 0 -", "nDCG": "1 - 0 0 0 0 0 -", "Q": "1 - 0 0 0 0 0 -", "Rprec": "1 - 0 0 0 -"}
    for name, text in cases_.items():
        found = ranges(typed(text), name)
        ends = [score_track(typed(text.replace("-", g)), name).array(name)[0, 0] for g in "01"]
        assert found.upper(name)[0, 0] > ends[1] + 1e-9, name
        assert found.exact(name).all()


def test_a_measure_of_ones_own_is_listed_or_left_open() -> None:
    class Own(Measure):
        """Something nobody knows anything about."""

        name = "AP"  # a known name does not make it known

        def value(self, r: Any) -> Any:
            return r.upto(r.hit) % 2

    short, long = typed("1 - -"), typed(" ".join(["-"] * 40))
    found = ranges(short, Own())
    assert (found.lower(Own())[0, 0], found.upper(Own())[0, 0], found.exact(Own())[0, 0]) == (0, 1, True)
    left = ranges(long, Own())
    assert (left.lower(Own())[0, 0], left.upper(Own())[0, 0], left.exact(Own())[0, 0]) == (-np.inf, np.inf, False)
    assert "range-not-exact" in " ".join(left.findings.codes)


def test_nothing_unjudged_leaves_nothing_open() -> None:
    track = typed("1 0 2", rels="2 1 1")
    for name in ("AP", "Q", "OIE", "Kendall(docs=50)", "Bpref", "nERR"):
        found = ranges(track, name)
        assert found.lower(name) == found.upper(name) == found.score(name)
        assert found.exact(name).all()


def test_bounds_are_asked_for_condensed_runs_alike() -> None:
    """A completion leaves nothing to drop."""
    track = typed("1 - 0 - 1", rels="1 1 1")
    plain, condensed = ranges(track, "AP"), ranges(track, "AP", unjudged="condense")
    m = condensed.measures[0]
    assert plain.lower("AP") == condensed.lower(m)
    assert plain.upper("AP") == condensed.upper(m)
    assert condensed.score(m) == plain.condensed("AP")
    assert _bounds.takes_unjudged_as_zero(plain.measures[0])


TUPLES = list(itertools.product(("nr", "mr", "hr"), ("nc", "c")))
COMPOUND = [
    "TOMA(measure='nDCG@3')", "TOMA(measure='AP', distance='manhattan')", "CAM(measure='nDCG')", "MM(measure='AP')",
    "MM(measure='RBP(p=0.5)')", "CAM(measure='R@2', undefined='nan')",
]  # fmt: skip


@pytest.mark.parametrize("name", COMPOUND)
def test_several_aspects(name: str) -> None:
    """Unjudged documents may have any tuple of labels."""
    known = {"q": {"a": ("hr", "nc"), "b": ("mr", "c"), "c": ("nr", "nc"), "d": ("hr", "c")}}
    runs = {"run": {"q": {"x": 6.0, "a": 5.0, "c": 4.0, "y": 3.0, "b": 2.0}}}
    declared = "relevance=nr,mr,hr correctness=nc,c"
    track = leadline.read(known, runs, aspects=declared)
    found = ranges(track, name, undefined="nan")
    scores = []
    for x, y in itertools.product(TUPLES, repeat=2):
        whole = leadline.read({"q": {**known["q"], "x": x, "y": y}}, runs, aspects=declared)
        scores.append(leadline.evaluate(whole, name, undefined="nan").array(name)[0, 0])
    assert found.exact(name).all()
    assert found.lower(name)[0, 0] == pytest.approx(np.nanmin(scores), abs=1e-12)
    assert found.upper(name)[0, 0] == pytest.approx(np.nanmax(scores), abs=1e-12)


def test_rules_between_aspects_are_not_overlooked() -> None:
    """Aspects that a rule ties together are not free: the interval holds, but need not be touched."""
    known = {"q": {"a": ("hr", "c")}}
    declared = declare("relevance=nr,hr correctness=nc,c", rules=["relevance=nr => correctness=nc"])
    track = leadline.read(known, {"run": {"q": {"x": 2.0, "a": 1.0}}}, aspects=declared)
    assert not ranges(track, "CAM(measure='nDCG')").exact("CAM(measure='nDCG')").any()
