"""Names of measures: parse and str are inverse, all spellings are understood, errors say what to do."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline import ContinuationMeasure
from leadline.errors import UnknownName, UsageError
from leadline.measures import Measure, catalogue, gain_param, parse, parse_all, score_track
from leadline.measures.explain import explain, overview
from leadline.measures.params import Param
from leadline.measures.references import REFERENCES, bibtex
from leadline.measures.scoring import wanted_measures
from leadline.rankings.typed import typed
from strategies import few

OURS = {n: cls for n, cls in catalogue().items() if cls.__module__.startswith("leadline.")}
SINGLE = {n: cls for n, cls in OURS.items() if cls.__module__.split(".")[-2] in ("classic", "usermodel", "truncation")}

# ------------------------------------------------------------------------------------------------ parse and str


def values_of(spec: Param) -> st.SearchStrategy[Any]:
    """Values that a parameter accepts."""
    if spec.choices:
        return st.sampled_from(spec.choices)
    if spec.kind == "gain":
        table = st.dictionaries(st.integers(-2, 5), st.floats(-5, 5, allow_nan=False), min_size=1)
        return st.sampled_from(["binary", "linear", "exp", "raw", "raw-exp"]) | table
    if spec.kind == "bool":
        return st.booleans()
    if spec.kind == "int":
        return st.integers(1, 10**6)
    assert spec.kind == "float", spec.kind
    return st.floats(0.5, 0.999) if "inf" not in spec.within else st.floats(0.5, 1e6)


@st.composite
def measures(draw: st.DrawFn, name: str) -> Measure:
    cls = SINGLE[name]
    chosen = [n for n, spec in cls.params.items() if n != "of" and (spec.required or draw(st.booleans()))]
    given = {n: draw(values_of(cls.params[n])) for n in chosen}
    if "of" in cls.params:
        given["of"] = draw(measures(draw(st.sampled_from(["RBP", "INST", "INSQ", "SDCG", "BPM"]))))
    cuts = {"none": st.none(), "recall": st.floats(0, 1), "required": st.integers(0, 10**7)}
    optional = st.none() | st.integers(0, 5000)
    if "of" in cls.params and given["of"].cutoff == "required":
        optional = st.none()
    return cls(draw(cuts.get(cls.cutoff, optional)), **given)


@pytest.mark.parametrize("name", sorted(SINGLE))
@given(data=st.data())
@few(20)
def test_parse_reads_what_str_writes(name: str, data: st.DataObject) -> None:
    m = data.draw(measures(name))
    for text in (str(m), m.full(), repr(m), f" {m} "):
        assert parse(text) == m
        assert hash(parse(text)) == hash(m)
    assert parse(m) is m
    assert str(parse(m.full())) == str(m)
    assert m.but() == m


def test_str_shows_what_matters() -> None:
    assert str(parse("rbp@10")) == "RBP(p=0.8)@10"
    assert str(parse("RBPU")) == "RBPU(p=0.98, e=0.05)"
    assert str(parse("OIE")) == "OIE(beta=1.05)"
    assert str(parse("INST(T=2.50)")) == "INST(T=2.5)"
    assert str(parse("nDCG(gains={0: 0, 1: 1, 2: 3})@10")) == "nDCG(gain={0: 0, 1: 1, 2: 3})@10"
    assert str(parse("c@1(rel=2)")) == "c@1(rel=2)"
    assert str(parse("IPrec@0.1")) == "IPrec@0.1"
    assert str(parse("EU(of='inst(T=2)')")) == "EU(of='INST(T=2)')"
    expected = "RBP(p=0.8, rel=1, gain='binary', gmax=None, judged_only=False)@10"
    assert sorted(parse("RBP@10").full()) == sorted(expected)


DEFAULTS = {
    "AP": {"norm": "R"},
    "nDCG": {"gain": "raw", "discount": "log2", "ideal": "d"},
    "DCG": {"gain": "raw", "discount": "log2"},
    "Q": {"beta": 1, "gain": "raw", "norm": "R", "ideal": "d"},
    "ERR": {"gain": "exp"},
    "RBP": {"p": 0.8, "gain": "binary"},
    "iRBU": {"p": 0.98, "gain": "exp"},
    "U": {"e": 0.05, "gain": "linear"},
    "DCGU": {"e": 0.05, "gain": "linear"},
    "RBPU": {"p": 0.98, "e": 0.05, "gain": "linear"},
    "RBU": {"p": 0.98, "e": 0.05, "gain": "exp"},
    "ERRU": {"e": 0.05, "gain": "exp"},
    "RBPT": {"p": 0.8, "tail": "infinite", "gain": "binary"},
    "nDCGT": {"ideal": "cut", "gain": "linear", "discount": "log2"},
    "ERRT": {"gain": "exp"},
    "OIE": {"beta": 1.05, "docs": 20000},
    "SetF": {"beta": 1},
    "ESL": {"i": 1},
    "RRi": {"i": 1},
    "nERR": {"gain": "exp"},
    "nRBP": {"p": 0.8, "gain": "binary"},
    "niRBU": {"p": 0.98, "gain": "exp"},
}


@pytest.mark.parametrize("name", sorted(DEFAULTS))
def test_defaults_are_those_of_the_definitions(name: str) -> None:
    m = parse(name)
    assert {n: getattr(m, n) for n in DEFAULTS[name]} == DEFAULTS[name]
    assert m.judged_only is False  # type: ignore[comparison-overlap]
    assert getattr(m, "rel", 1) == 1


# --------------------------------------------------------------------------------------------------- spellings


@pytest.mark.parametrize(
    ("given_name", "meant"),
    [
        ("map", "AP"), ("map_cut_10", "AP@10"), ("ndcg", "nDCG"), ("ndcg_cut_10", "nDCG@10"), ("P_5", "P@5"),
        ("recall_100", "R@100"), ("recip_rank", "RR"), ("Rprec", "Rprec"), ("bpref", "Bpref"), ("infAP", "infAP"),
        ("set_P", "SetP"), ("set_recall", "SetR"), ("set_F", "SetF"), ("num_ret", "NumRet"), ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"), ("success_1", "Success@1"), ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("MAP", "AP"), ("MRR@10", "RR@10"), ("NDCG@5", "nDCG@5"), ("Precision@3", "P@3"), ("precision@3", "P@3"),
        ("Recall@3", "R@3"), ("ap", "AP"), ("ndcgt", "nDCGT"), ("IRBU(p=0.9)", "iRBU(p=0.9)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='raw-exp')@10"), ("nDCG(dcg='log2')", "nDCG"),
        ("ERR(gains='exp')", "ERR"), ("INST(T=1, depth=1000)", "INST(T=1, pad=1000)"), ("P@1e1", "P@10"),
        ("ED(of='RBP(p=0.8)')@10", "ED(of='RBP(p=0.8)@10')"), ("RBP( p = 0.8 ) @ 10", "RBP@10"),
        ("EU(of='INST', judged_only=True)", "EU(of='INST(judged_only=True)')"),
        ("EU(of='INST', rel=2)", "EU(of='INST(rel=2)')"), ("EU(of='INST(rel=3)', rel=2)", "EU(of='INST(rel=3)')"),
    ],
)  # fmt: skip
def test_spellings(given_name: str, meant: str) -> None:
    assert parse(given_name) == parse(meant)


def test_options_for_all_measures_reach_the_one_inside() -> None:
    asked = ["EU(of='INST')", "ED(of='RBP(rel=3)@5')"]
    assert wanted_measures(asked, rel=2) == parse_all(["EU(of='INST(rel=2)')", "ED(of='RBP(rel=3)@5')"])
    condensed = parse_all(["EU(of='INST(judged_only=True)')", "ED(of='RBP(rel=3, judged_only=True)@5')"])
    assert wanted_measures(asked, unjudged="condense") == condensed


def test_families_of_trec_eval() -> None:
    assert parse_all(["P.5,10", "success", "map", "AP"]) == parse_all(
        ["P@5", "P@10", "Success@1", "Success@5", "Success@10", "AP"]
    )
    assert len(parse_all("iprec_at_recall")) == 11


# ------------------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nDGC@10", "Unknown measure 'nDGC'. Did you mean 'nDCG'"),
        ("", "Cannot read the measure name ''; write it like nDCG@10 or RBP(p=0.8)@20."),
        ("nDCG@10(gain='exp')", "Cannot read the measure name"),
        ("RBP(0.8)", "Cannot read the parameters of 'RBP(0.8)'; write them like (p=0.8, gain='exp')."),
        ("RBP(p=0.8, p=0.9)", "Cannot read the parameters of"),
        ("RBP(p=x)", "Cannot read the parameters of"),
        ("AP(norm)+(R)", "Cannot read the parameters of"),
        ("AP(**{})", "Cannot read the parameters of"),
        ("nDCG(gain={[]: 1})", "Cannot read the parameters of"),
        ("nDCG(k=3)", "The cut-off in 'nDCG(k=3)' is written after the name, like nDCG@10."),
        ("nDCG@ten", "The cut-off in 'nDCG@ten' is no number: 'ten'"),
        ("nDCG@2.5", "nDCG@k needs a whole number k ≥ 0 (and < 2³¹). Got 2.5 instead."),
        ("nDCG@inf", "nDCG@k needs a whole number k ≥ 0 (and < 2³¹). Got inf instead."),
        ("nDCG@nan", "Got nan instead."),
        ("P@-3", "Got -3.0 instead."),
        ("P@3000000000", "Got 3000000000 instead."),
        ("SDCG@20000000", "SDCG@k adds up k weights, for k up to 10,000,000. Got 20,000,000 instead."),
        ("P", "P needs a cut-off: P@10"),
        ("SDCG", "SDCG needs a cut-off: SDCG@10"),
        ("IPrec", "IPrec needs a cut-off: IPrec@0.5"),
        ("IPrec@1.5", "IPrec@recall needs a recall level in [0, 1]. Got 1.5 instead."),
        ("c@1@5", "c@1 takes no cut-off; got @5"),
        ("RBP(p=1)", "RBP: p must be a number in (0, 1). Got 1 instead."),
        ("RBP(p=True)", "RBP: p must be a number in (0, 1). Got True instead."),
        ("RBP(p='x')", "RBP: p must be a number in (0, 1). Got 'x' instead."),
        ("SetF(beta=True)", "SetF: beta must be a number in [0, inf). Got True instead."),
        ("RBPU(e=1)", "RBPU: e must be a number in [0, 1). Got 1 instead."),
        ("RBP(q=0.5)", "RBP has no parameter 'q'; it has"),
        ("AP(norm='x')", "AP: norm must be 'R' or 'min' or 'pool'. Got 'x' instead."),
        ("RBPT(tail='long')", "RBPT: tail must be 'infinite' or 'single'. Got 'long' instead."),
        ("nDCG(judged_only=1)", "nDCG: judged_only must be True or False. Got 1 instead."),
        ("nDCG(gain='log')", "nDCG: gain must be 'binary', 'linear', 'exp', 'raw', 'raw-exp' or a table"),
        ("nDCG(gain={1.5: 2})", "or a table {grade: gain}. Got {1.5: 2} instead."),
        ("nDCG(gain={1: 1e999})", "or a table {grade: gain}. Got {1: inf} instead."),
        ("nDCG(gain=(1, 2))", "or a table {grade: gain}. Got (1, 2) instead."),
        ("nDCG(gmax=0)", "nDCG: gmax must be an integer in [1, 2147483647]. Got 0 instead."),
        ("nDCG(dcg='ln')", "Unknown dcg 'ln'."),
        ("ESL(i=0)", "ESL: i must be an integer in [1, inf). Got 0 instead."),
        ("ESL(i=1e999)", "ESL: i must be an integer in [1, inf). Got inf instead."),
        ("INST(T=0.4)", "INST: T must be a number in [0.5, inf). Got 0.4 instead."),
        ("INSQ(T=0)", "INSQ: T must be a number in (0, inf). Got 0 instead."),
        ("BPM(T=0)@10", "BPM: T must be a number in (0, inf). Got 0 instead."),
        ("INST(pad=0)", "INST: pad must be an integer in [1, inf). Got 0 instead."),
        ("OIE(gain='exp')", "OIE has no parameter 'gain'; it has beta, docs, judged_only."),
        ("AUC", "AUC needs docs= (number of documents in the collection); it must be an integer in [1, inf)."),
        ("EU", "EU needs of= (the measure whose reader is meant, like 'INST(T=2)'); it must be a text."),
        ("EU(of=3)", "EU: of must be a text. Got 3 instead."),
        ("EU(of='ERR')", "EU: of must be a measure with a continuation function, like RBP, INST, INSQ, SDCG@10 or"),
        ("EU(of='INTS')", "Unknown measure 'INTS'. Did you mean 'INST'"),
        ("EU(of='SDCG')", "SDCG needs a cut-off: SDCG@10"),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(name: str, text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(name)
    assert text in str(error.value)


def test_unknown_names_carry_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'nDCGT'"):
        parse("nDGCT")
    with pytest.raises(UnknownName, match=r"Known: .*AP, .*nDCGT"):
        parse("xyzzy")


def test_a_measure_is_a_value() -> None:
    m = parse("RBP@10")
    with pytest.raises(AttributeError, match=r"RBP\(p=0.8\)@10 is a value and cannot be changed"):
        m.p = 0.9  # type: ignore[attr-defined]
    assert m.but(p=0.9, k=5) == parse("RBP(p=0.9)@5")
    assert m @ 5 == parse("RBP@5")
    assert parse("ED(of='INST')") @ 5 == parse("ED(of='INST@5')")
    assert m != parse("RBP")
    assert len({m, parse("RBP(p=0.8)@10"), parse("RBP")}) == 2


# ------------------------------------------------------------------------------------------- what the data forbids


@pytest.mark.parametrize("gain", ["raw", "raw-exp", {0: -0.5, 1: 0.5, 2: 1}, {0: 0, 1: 1, 2: 1.5}])
def test_inst_refuses_gains_that_are_no_shares(gain: object) -> None:
    m = parse("INST").but(gain=gain)
    with pytest.raises(
        UsageError, match=r"needs gains in \[0, 1\]; these go from .* to .*\. Use gain='binary', 'linear'"
    ):
        score_track(typed("2 1 0"), m)
    assert 0 < parse("INST(gain='raw')").score("1 0 1") <= 1  # grades 0 and 1 are such shares


def test_a_continuation_outside_its_range_is_refused() -> None:
    class Eager(ContinuationMeasure):
        """More certain than certain after the second rank."""

        def continuation(self, rank: Any, gain: Any, total: Any) -> Any:
            return rank / 2

    with pytest.raises(
        UsageError, match=r"Eager: the chance to go on must lie in \[0, 1\]. Got 1.5 at rank 3 instead."
    ):
        Eager().score("0 0 1")


def test_a_reader_without_end_is_refused() -> None:
    class Endless(ContinuationMeasure):
        """Stops only at a relevant document."""

        gain: str = gain_param("binary")

        def continuation(self, rank: Any, gain: Any, total: Any) -> Any:
            return 1 - gain

    with pytest.raises(UsageError, match="the reader does not stop within 131,072 ranks past the list"):
        Endless().score("0 0")
    assert Endless().score("0 1") == 0.5
    assert Endless(pad=10).score("0 0 0 0 1") == 0.2
    assert Endless(pad=4).score("0 0 0 0 1") == 0


@pytest.mark.parametrize("pad", [None, 500, 1500, 5000])
def test_a_patient_reader_is_summed_up_over_thousands_of_ranks(pad: int | None) -> None:
    class Patient(ContinuationMeasure):
        """RBP(p=0.999) without its closed form."""

        def continuation(self, rank: Any, gain: Any, total: Any) -> Any:
            return np.full_like(rank, 0.999)

    seen = 1000 * (1 - (0 if pad is None else 0.999**pad))
    assert Patient(pad=pad).score("0 1 1", gmax=1) == pytest.approx((0.999 + 0.999**2) / seen, rel=1e-12)


@pytest.mark.parametrize("pad", [1, 100, 5_000, 2_000_000])
def test_padding_of_any_length_is_the_sum_over_its_ranks(pad: int) -> None:
    weights = (np.arange(pad) + 3.0) ** -2  # T = 1.5
    assert parse("INSQ(T=1.5)").but(pad=pad).score("1 0", gmax=1) == pytest.approx(
        weights[0] / weights.sum(), rel=1e-12
    )


@pytest.mark.parametrize("name", ["OIE(docs=3)", "AUC(docs=3)", "Spearman(docs=3)", "Kendall(docs=3)"])
def test_collections_smaller_than_what_is_known(name: str) -> None:
    m = parse(name)
    assert np.isfinite(m.score("1 0 0", "1"))
    for ranking, rels in (("1 0 0 0", "1"), ("1", "1 1 1 1"), ("0 0 0", "1")):
        with pytest.raises(UsageError, match=r"docs=3 is less than the 4 documents that are known"):
            m.score(ranking, rels)


def test_oie_says_when_lists_are_full() -> None:
    full = score_track(typed([0] * 100 + [1]), "OIE").findings
    assert [f.code for f in full] == ["oie-full-lists"]
    assert str(full[0]) == "oie-full-lists: 1, lists of 101 documents that nobody truncated: OIE is not meant for them"
    assert not score_track(typed([0] * 100 + [1]), "OIE@10").findings
    assert not score_track(typed("1 0 1"), "OIE").findings


def test_rank_that_does_not_exist_is_left_out() -> None:
    scores = score_track(typed("0 1"), ["ESL(i=2)", "RRi(i=2)", "ESL"])
    assert np.isnan(scores.mean("ESL(i=2)")).all()
    assert scores.mean("RRi(i=2)") == 0
    assert scores.mean("ESL") == 2
    assert "left out of the mean" in str(scores.findings)


# ---------------------------------------------------------------------------------------- documents and references


@pytest.mark.parametrize("name", sorted(SINGLE))
def test_every_measure_is_explained_and_cited(name: str) -> None:
    cls = SINGLE[name]
    text = cls.__doc__ or ""
    assert text.count("$$") >= 2
    assert "References:" in text
    assert ">>>" in text
    assert cls.cites
    assert set(cls.cites) <= set(REFERENCES)
    assert all(spec.doc for spec in cls.params.values())
    for key in cls.cites:
        doi = next((line.split("{")[1].split("}")[0] for line in REFERENCES[key].splitlines() if " doi " in line), "")
        if doi and f"doi:{doi}" not in " ".join(text.split()):
            assert key in ("azzopardi2019", "lu2016", "moffat2008", "jarvelin2002", "chapelle2009"), (name, key)


def test_references_are_entries() -> None:
    cited = {key for cls in OURS.values() for key in cls.cites}
    for key, entry in REFERENCES.items():
        assert entry.startswith("@")
        assert f"{{{key}," in entry
        assert entry.count("{") == entry.count("}")
        assert {"author", "title", "year"} <= {line.split("=")[0].strip() for line in entry.splitlines() if "=" in line}
    assert {"amigo2018", "amigo2022", "sakai2019", "zhang2017"} <= cited
    assert bibtex([parse("iRBU"), parse("RBU")]).count("@inproceedings{amigo2018,") == 1


def test_only_the_measures_with_trigammas_need_scipy() -> None:
    """Everything else is quick to start."""
    program = """
import sys
from leadline.measures import parse
for name in ("RBP", "nERR", "SDCG@5", "BPM@5", "RBPU", "nDCGT", "OIE", "AUC(docs=9)", "ED(of='BPM@5')"):
    parse(name).score("1 0 1")
print("scipy" in sys.modules)
parse("INST").score("1 0 1")
print("scipy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_the_parameter_that_all_measures_have_comes_last() -> None:
    assert str(parse("RBP(judged_only=True, p=0.5)@3")) == "RBP(p=0.5, judged_only=True)@3"


def test_curves_of_a_typed_list_start_at_nothing_and_end_at_the_whole() -> None:
    assert parse("P@9").depth_curve("1 0 1 1", depth=4).tolist() == [0, 1, 0.5, 2 / 3, 0.75]
    assert parse("R@9").length_curve("1 0 1 1").tolist() == [0, 1 / 3, 1 / 3, 2 / 3, 1]


def test_an_explanation_has_defaults_where_there_are_some() -> None:
    text = explain(OURS["AUC"])
    assert "\n  docs=…: number of documents in the collection (an integer in [1, inf))" in text
    assert "\n  rel=1: lowest grade that counts as relevant (an integer)" in text
    assert text.startswith("AUC[@k]: ")
    assert "\nAlso called NDCG" in explain(OURS["nDCG"])


def test_the_overview_goes_by_families() -> None:
    blocks = [block.split("\n") for block in overview().split("\n\n")[:-1]]
    families = {block[0]: {line.split()[0] for line in block[1:]} for block in blocks}
    assert set(families) >= {"classic", "usermodel", "truncation", "aspects"}
    assert {"AP", "nDCG", "c@1"} <= families["classic"]
    assert {"OIE", "RBPT"} <= families["truncation"]


@pytest.mark.parametrize("name", ["AP(norm='pool')@2", "Q(norm='pool')@2", "Q(ideal='k')@2", "nDCG(ideal='k')@2"])
def test_a_pool_of_unknown_depth_is_told(name: str) -> None:
    """Only by the variants that look at the pool, at a depth, where nobody said how deep it is."""
    track = typed("1 0 1")
    told = score_track(track, name).findings
    assert [(f.code, f.examples) for f in told] == [("pool-depth-unknown", (str(parse(name)),))]
    whole = parse(name).but(k=None)
    plain = f"{whole.name}@2"
    assert not score_track(track, [whole, plain]).findings
    assert not score_track(track.declare_pool(10), name).findings
