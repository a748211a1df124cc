"""The property checker finds what is known about measures, by itself, and a naive recomputation agrees."""

from __future__ import annotations

import importlib.util
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import leadline
import naive
from leadline.cli import cli
from leadline.measures import BinaryMeasure, Measure, catalogue, parse
from leadline.meta.properties import PROPERTIES, SIGNS, Properties, Verdict, properties, standard_measures
from leadline.meta.properties_lists import ShownList
from leadline.rankings.view import Floats, Rankings
from strategies import few

# S holds strictly, m holds with ties, = always tied, x violated; columns in the order of PROPERTIES:
# PRIORITY and TOP-WEIGHTEDNESS (binary, graded) · DEEPNESS and SHALLOWNESS (R=n, R=2n) · CONFIDENCE, RECALL (binary,
# graded), REDUNDANCY (fixed, relabel) · MONOTONICITY, CONVERGENCE, BOUNDEDNESS, EMPTY LIST, NIL ANSWER
EXPECTED = {
    "AP": "Smxx xxSS ==SSxx mxSS=",
    "APT": "Smxx xxSS mmSSxx mxSSS",
    "AUC": "Sm== xxSS mmSS=S xxSS=",
    "BPM": "mmmm SSxx ====mm mSSS=",
    "Bpref": "mmmm SSxx ==xxxx mxSS=",
    "c@1": "mmmm SSxx ====== ==SS=",
    "CAM": "SSSS xxSS ==SS=S xxSS=",
    "Compatibility": "SmSx SSSS ==SS=S xSSS=",
    "DCG": "SSSS xxSS ====== mxxS=",
    "DCGU": "SSSS xxSS SS==== xxxSS",
    "EC": "==== ==== ====== ==S==",
    "ED": "==== ==== ====== ==x==",
    "ERR": "SSSS SSxx ====SS mSSS=",
    "ERRT": "SSSS SSxx mmSSSS mSSSS",
    "ERRU": "SSSS SSxx SS==SS xxxSS",
    "ESL": "mmmm SSxx ====== ==x==",
    "ETC": "==== ==== ====== ==x==",
    "ETU": "SmSm SSSS ====== mSxS=",
    "EU": "SmSm SSSS ====== mSSS=",
    "infAP": "Smxx xxSS ==SSxx mxSS=",
    "INSQ": "SmSm SSxx ====== mSSS=",
    "INST": "mmmm SSxx ====xx mSSS=",
    "IPrec": "mmxx xxSS ==mmxx mxSm=",
    "iRBU": "SSSS SSSS ====SS mSSS=",
    "Judged": "==== ==== xx==== ==SSx",
    "Kendall": "SS== xxSS mmSS=S xxxS=",
    "MM": "SmSm xxSS ==Sm=S xxSS=",
    "nDCG": "SSSS xxSS ==SS=S xxSS=",
    "nDCGT": "SSSS xSSx mmSx=S xxxSS",
    "nERR": "SSSS SSxx ==SSSS xSSS=",
    "niRBU": "SSSS SSSS ==SSSS xSSS=",
    "nRBP": "SmSm SSSS ==SS=S xSSS=",
    "NumRel": "==== ==== ==xx== ==x==",
    "NumRelRet": "==== xxSS ====== mxxS=",
    "NumRet": "==== xxSS xx==== mxxSx",
    "OIE": "SxSS SSSS SSSSxx xxxSS",
    "P": "mmxx SSSS ====== xxSS=",
    "Q": "Sxxx xxSS ==SSxx mxSS=",
    "R": "mmxx SSSS ==mm=m mxSS=",
    "RBP": "SmSm SSSS ====== mSSS=",
    "RBPT": "SmSm SSSS mmSS=m mSSSS",
    "RBPU": "SSSS SSSS SS==== xSxSS",
    "RBU": "SSSS SSSS SS==SS xSxSS",
    "Rprec": "mmxx SxxS ==xx=x mxSS=",
    "RR": "mmmm SSxx ====SS mSSS=",
    "RRi": "mmmm SSxx ====SS mSSS=",
    "RRT": "mmmm SSxx mm==SS mSSSS",
    "SDCG": "mmxx SSSS ====== xxSS=",
    "SetF": "==== xxSS mmSS=S xxSS=",
    "SetP": "==== SSxx mm==== xxSS=",
    "SetR": "==== xxSS ==SS=S mxSS=",
    "Spearman": "SS== xxSS mmSS=S xxxS=",
    "Success": "mmmm SSxx ====mm mxSS=",
    "TOMA": "mmxx SSSS ==mm=m xxSS=",
    "U": "==== xxSS SS==== xxxSS",
}
DOCS = Path(__file__).parents[1] / "docs"
LETTERS = {"S": "holds strictly", "m": "holds with ties", "=": "always tied", "x": "violated"}
OWN = {n: m for m in standard_measures() if (n := type(m).name) and type(m).__module__.startswith("leadline.")}


@pytest.fixture(scope="module")
def checked() -> dict[str, dict[str, Verdict]]:
    found = properties(OWN.values())
    by_name: dict[str, dict[str, Verdict]] = {}
    for v in found:
        by_name.setdefault(type(v.measure).name, {})[v.property] = v
    return by_name


def test_no_measure_is_missing() -> None:
    registered = {n for n, cls in catalogue().items() if cls.__module__.startswith("leadline.")}
    assert set(OWN) == registered, "standard_measures() leaves out a measure"
    assert set(EXPECTED) == registered, "give the new measure a row: the verdicts that its definition implies"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_verdicts(name: str, checked: dict[str, dict[str, Verdict]]) -> None:
    letters = EXPECTED[name].replace(" ", "")
    assert len(letters) == len(PROPERTIES)
    expected = {p: LETTERS[letter] for p, letter in zip(PROPERTIES, letters, strict=True)}
    assert {p: v.verdict for p, v in checked[name].items()} == expected


# ------------------------------------------------------------------------------------- recomputed by the definitions


def naive_score(m: Measure, one: ShownList, top: int) -> float:
    options: dict[str, Any] = {n: getattr(m, n) for n in m.params if n not in ("of", "judged_only")}
    options["gmax"] = options.get("gmax") or top
    if isinstance(options.get("gain"), tuple):
        options["gain"] = dict(options["gain"])
    if "pad" in options:
        options["depth"] = options.pop("pad")
    if one.docs is not None:
        options["docs"] = one.docs
    if m.cutoff == "recall":
        options["recall"] = m.k
    k = None if m.k is None or m.cutoff == "recall" else int(m.k)
    topic = naive.Topic((*one.labels, *one.outside))  # type: ignore[arg-type]
    value = naive.score(m.name, topic, naive.Ranking(tuple(range(len(one.labels)))), k=k, undefined=0.0, **options)
    assert value is not None
    return value


PAIRED = [p for p in PROPERTIES if p.split(" (")[0] not in ("MONOTONICITY", "CONVERGENCE", "BOUNDEDNESS")]
LONGEST = 60  # the naive definitions take quadratic time and more


@pytest.mark.parametrize("name", sorted(n for n in EXPECTED if n in naive.MEASURES))
def test_counter_examples_hold_by_the_definitions(name: str, checked: dict[str, dict[str, Verdict]]) -> None:
    m = OWN[name]
    turn = 1 if m.higher_is_better else -1
    verdicts = checked[name]
    if name in ("Kendall", "Spearman"):  # whose definitions go through all documents, pair by pair
        m = m.but(docs=50)
        verdicts = {v.property: v for v in properties(m)}
    for prop, v in verdicts.items():
        if v.verdict != "violated" or any(len(one.labels) > LONGEST for one in v.lists):
            continue
        top = 2 if prop.endswith("(graded)") else 1
        if prop == "BOUNDEDNESS":  # a list of levels 0 and 1 may come from either scale
            scores = [naive_score(m, v.lists[0], g) for g in (1, 2)]
            assert any(s == pytest.approx(v.lists[0].score, abs=1e-12) for s in scores)
            assert not 0 <= v.lists[0].score <= 1
            continue
        scores = [naive_score(m, one, top) for one in v.lists]
        assert scores == pytest.approx([one.score for one in v.lists], abs=1e-12), prop
        if prop not in PAIRED:
            continue
        better, worse = (scores[0], scores[1]) if len(scores) == 2 else (scores[0] - scores[1], scores[2] - scores[3])
        if prop.startswith("SHALLOWNESS"):  # the closest that a block comes to the single document, perhaps a tie
            assert turn * (better - worse) >= 0
            continue
        assert turn * (better - worse) < -1e-13, prop


def naive_outcomes(m: Measure, prop: str, longest: int) -> set[int]:
    """Outcomes over all short binary lists, by the naive predicates."""
    options = {n: getattr(m, n) for n in m.params if n not in ("gmax", "docs", "judged_only", "pad")}
    score = naive.on_labels(m.name, docs=getattr(m, "docs", None), **options)
    seen = set()
    for n, missing in itertools.product(range(longest + 1), range(3)):
        for labels in itertools.product((0, 1), repeat=n):
            outside = [1] * missing
            if prop == "PRIORITY":
                pairs = [(i, j) for i, j in itertools.combinations(range(1, n + 1), 2) if labels[i - 1] < labels[j - 1]]
                seen |= {naive.priority(score, labels, i, j, outside) for i, j in pairs}
            elif prop == "CONFIDENCE":
                seen.add(naive.confidence(score, labels, outside))
            elif prop == "RECALL" and any(labels):
                seen.add(naive.recall_property(score, labels, [*outside, 0]))
    return seen


@pytest.mark.parametrize("prop", ["PRIORITY", "CONFIDENCE", "RECALL"])
@pytest.mark.parametrize("name", ["AP", "RBP", "RR", "nDCGT", "OIE", "Bpref", "SetF", "ERRU", "APT", "Rprec", "AUC"])
def test_verdicts_equal_those_of_the_naive_predicates(name: str, prop: str) -> None:
    m = OWN[name]
    assert naive.verdict(naive_outcomes(m, prop, 5)) == properties(m, only=prop)[0].verdict


@pytest.mark.parametrize(("prop", "reading"), [("REDUNDANCY", "fixed"), ("REDUNDANCY (relabel)", "relabel")])
@pytest.mark.parametrize("name", ["AP", "RBP", "RR", "nDCG", "OIE", "Bpref", "SetF", "ERRT", "INST", "RBPT"])
def test_redundancy_equals_the_naive_predicate(name: str, prop: str, reading: str) -> None:
    m = OWN[name]
    options = {n: getattr(m, n) for n in m.params if n not in ("gmax", "docs", "judged_only", "pad")}
    score = naive.on_labels(m.name, docs=getattr(m, "docs", None), **options)
    outcomes = {naive.redundancy(score, n, r, reading) for n in range(1, 9) for r in range(4)}
    assert naive.verdict(outcomes) == properties(m, only=prop)[0].verdict


@given(p=st.floats(0.3, 0.95), R=st.sampled_from([1, 2]))
@few(20)
def test_thresholds_equal_the_naive_predicates(p: float, R: int) -> None:
    m = parse("RBP").but(p=round(p, 3))
    score = naive.on_labels("RBP", p=m.p)  # type: ignore[attr-defined]
    outcomes = [naive.deepness(score, n, R * n) for n in range(1, 41)]
    reading = "" if R == 1 else " (R=2n)"
    found = properties(m, only=[f"DEEPNESS{reading}", f"SHALLOWNESS{reading}"])
    deep, shallow = found.of(m, f"DEEPNESS{reading}"), found.of(m, f"SHALLOWNESS{reading}")
    first = next((n for n, o in enumerate(outcomes, 1) if o < 0), None)
    assert (shallow.verdict == "holds strictly", shallow.size) == (first is not None, first)
    if deep.size is not None and deep.size <= 40:
        assert deep.size == max((n + 1 for n, o in enumerate(outcomes, 1) if o <= 0), default=1)


def test_a_late_threshold_is_found() -> None:
    found = properties("RBP(p=0.999)", only="DEEPNESS")[0]
    score = [sum(0.001 * 0.999**i for i in range(n, 2 * n)) for n in (6903, 6904)]
    assert score[0] > 0.001 > score[1]
    assert found.size == 6904


# ----------------------------------------------------------------- what the published table of properties leaves open


def violated(m: str, prop: str) -> str:
    v = properties(m, only=prop)[0]
    assert v.verdict == "violated"
    assert v.counter_example is not None
    return v.counter_example


def test_ap_and_q_violate_top_weightedness() -> None:
    text = violated("AP", "TOP-WEIGHTEDNESS")
    assert "swapping ranks 5 and 6 gives 00001001 (0.225), swapping 7 and 8 gives 00000110 (0.22619)" in text
    assert "swapping ranks 3 and 4 gives 001001 (0.45), swapping 5 and 6 gives 000110" in violated(
        "Q", "TOP-WEIGHTEDNESS"
    )


def test_rprec_and_bpref_rise_when_a_document_is_missed() -> None:
    assert violated("Rprec", "RECALL") == "01 (0), with one more relevant document missed: 01 (0.5)"
    assert violated("Bpref", "RECALL").startswith("01 (0), with one more relevant document missed: 01 (0.25)")
    assert "judged irrelevant but not retrieved: 1" in violated("Bpref", "RECALL")


def test_rbpt_satisfies_recall() -> None:
    assert properties("RBPT", only="RECALL")[0].verdict == "holds strictly"


def test_err_like_measures_need_gains_below_one_for_strict_priority() -> None:
    for name in ("ERR", "iRBU", "ERRU", "RBU", "ERRT"):
        assert properties(name, only="PRIORITY")[0].verdict == "holds strictly"
        assert properties(f"{name}(gain='binary')", only="PRIORITY")[0].verdict == "holds with ties"


@pytest.mark.parametrize(("name", "below", "above"), [("iRBU", 0.839, 0.84), ("RBP", 0.754, 0.756)])
def test_shallowness_needs_patience(name: str, below: float, above: float) -> None:
    assert properties(f"{name}(p={below})", only="SHALLOWNESS")[0].verdict == "violated"
    assert properties(f"{name}(p={above})", only="SHALLOWNESS")[0].verdict == "holds strictly"


def test_oie_violates_redundancy_and_graded_priority() -> None:
    assert "R = 2 for all four" in violated("OIE", "REDUNDANCY")
    assert "missed by each of the four: 2" in violated("OIE", "REDUNDANCY (relabel)")  # several missing
    assert "ranks 3 and 5 of 00021" in violated("OIE", "PRIORITY (graded)")
    assert properties("OIE", only="PRIORITY")[0].verdict == "holds strictly"


@pytest.mark.parametrize("docs", [2000, 20000])
def test_deepness_of_oie_starts_at_a_share_of_the_collection(docs: int) -> None:
    found = properties(f"OIE(docs={docs})", only=["DEEPNESS", "DEEPNESS (R=2n)"])
    sizes = [v.size for v in found]
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert 0.20 < sizes[0] / docs < 0.23
    assert 0.09 < sizes[1] / docs < 0.115
    assert [v.verdict for v in found] == ["holds strictly"] * 2


def test_further_deviations() -> None:
    assert "00120" in violated("Q", "PRIORITY (graded)")
    assert "2 (1), with one more relevant document missed: 2 (1.07994)" in violated("nDCGT", "RECALL (graded)")
    assert "2 scores 1.07994" in violated("nDCGT", "BOUNDEDNESS")
    assert properties("nDCGT(ideal='full')", only="RECALL (graded)")[0].verdict == "holds strictly"
    assert "0012 (0.375) swapped give 0021 (0.333333)" in violated("BPM(T=1, gain='linear')@5", "PRIORITY (graded)")
    assert violated("INST", "REDUNDANCY")
    assert violated("APT", "TOP-WEIGHTEDNESS")


# ----------------------------------------------------------------------------------------------------- any measure


class Upside(BinaryMeasure):
    """The last relevant document decides, and silence is golden."""

    def value(self, r: Rankings) -> Floats:
        """Rank of the last hit over the length."""
        last = r.upto(r.hit * (r.rank - r.before(r.hit * r.rank)))
        return np.where(r.cut > 0, last / np.maximum(r.cut, 1), 2.0)


def test_a_measure_of_ones_own_is_seen_through() -> None:
    found = {v.property: v for v in properties(Upside())}
    assert found["PRIORITY"].verdict == "violated"
    assert found["PRIORITY"].counter_example == "ranks 1 and 2 of 01 (1) swapped give 10 (0.5)"
    assert found["EMPTY LIST"].verdict == "violated"
    assert found["NIL ANSWER"].verdict == "holds strictly"
    assert found["BOUNDEDNESS"].counter_example == "(empty) scores 2"


@pytest.mark.parametrize("inner", ["AP", "RBP(p=0.8)", "RR", "OIE(beta=1.05)"])
def test_toma_behaves_like_the_measure_inside(inner: str) -> None:
    wrapped = parse("TOMA").but(measure=inner)
    binary = [p for p in PROPERTIES if "graded" not in p]
    assert [v.verdict for v in properties(wrapped, only=binary)] == [v.verdict for v in properties(inner, only=binary)]


def test_grades_follow_the_scale_of_the_measure() -> None:
    assert "missed: 3 (" in violated("NumRel(rel=3)", "RECALL")
    assert properties("ERR(gain={0: 0, 2: 0.4, 5: 0.9})", only="PRIORITY (graded)")[0].verdict == "holds strictly"
    table = properties("ERR(gain={0: 0, 4: 0.5})")
    assert not [v for v in table if v.property.endswith("(graded)")]  # two grades only


def test_less_may_be_better() -> None:
    esl = properties("ESL", only=["PRIORITY", "DEEPNESS"])
    assert [v.holds for v in esl] == [True, True]


def test_result_object() -> None:
    found = leadline.properties(["AP", "RBP(p=0.8)"], only=["RECALL", "PRIORITY"])
    assert isinstance(found, Properties)
    assert [str(m) for m in found.measures] == ["AP", "RBP(p=0.8)"]
    assert found.columns()["verdict"] == ["holds strictly", "holds strictly", "holds strictly", "always tied"]
    assert list(found.columns()) == ["measure", "property", "verdict", "counter_example"]
    assert found.matrix() == {
        "measure": ["AP", "RBP(p=0.8)"],
        "PRIORITY": [SIGNS["holds strictly"]] * 2,
        "RECALL": [SIGNS["holds strictly"], SIGNS["always tied"]],
    }
    assert found.of("map", "RECALL").holds
    with pytest.raises(leadline.UnknownName, match="PRIORITY"):
        properties("AP", only="PRIORTY")
    with pytest.raises(leadline.UnknownName):
        found.of("AP", "DEEPNESS")


def test_command() -> None:
    out = CliRunner().invoke(
        cli, ["properties", "-m", "AP", "OIE", "--property", "priority (graded)", "--format", "jsonl"]
    )
    records = [json.loads(line) for line in out.output.splitlines()]
    assert [r["measure"] for r in records] == ["OIE(beta=1.05)", "AP"]
    assert set(records[0]) == {"measure", "property", "verdict", "counter_example"}
    assert records[0]["verdict"] == "violated"
    assert "00120" in records[0]["counter_example"]
    assert records[1]["counter_example"] is None
    noted = CliRunner().invoke(cli, ["properties", "RBP", "--property", "SHALLOWNESS", "--notes", "--format", "jsonl"])
    assert json.loads(noted.output)["note"] == "m = 2"
    matrix = CliRunner().invoke(cli, ["properties", "RBP", "--matrix", "--format", "tsv"]).output.splitlines()
    assert matrix[0].split("\t")[:2] == ["measure", "PRIORITY"]
    assert matrix[1].split("\t")[:2] == ["RBP(p=0.8)", "✓"]


@pytest.mark.skipif(not DOCS.exists(), reason="no documentation beside this installation")
def test_the_matrix_in_the_documentation_is_up_to_date(checked: dict[str, dict[str, Verdict]]) -> None:
    spec = importlib.util.spec_from_file_location("make_properties", DOCS / "make_properties.py")
    assert spec is not None
    assert spec.loader is not None
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    found = Properties(v for verdicts in checked.values() for v in verdicts.values())
    assert make.page(found) == make.PAGE.read_text("utf-8"), "run: python docs/make_properties.py"
