"""The published worked numbers that concern measures (definitions §13, §14), through the fast code."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from leadline.measures import parse
from leadline.rankings.nil import truncate_at_nil
from leadline.rankings.track import Track
from leadline.rankings.typed import typed
from naive import sgnLP


def ones(count: int) -> list[int]:
    return [1] * count


def digits(labels: str) -> list[int]:
    return [int(c) for c in labels]


# ------------------------------------------------------------------------------------------- terminal family (Liu 2016)

LIU = [  # ranking, R, r_t, RRT, RBPT, nDCGT, APT
    ("00", 0, 1.000, 0.333, 0.250, 0.500, 0.333),
    ("000", 0, 1.000, 0.250, 0.125, 0.431, 0.250),
    ("111", 3, 1.000, 1.000, 1.000, 1.000, 1.000),
    ("11", 3, 0.667, 1.000, 0.917, 0.922, 0.648),
    ("11100", 3, 1.000, 1.000, 0.906, 0.971, 0.917),
    ("101", 3, 0.667, 1.000, 0.708, 0.698, 0.528),
    ("1", 3, 0.333, 1.000, 0.667, 0.742, 0.306),
    ("10100", 3, 0.667, 1.000, 0.646, 0.678, 0.491),
    ("011", 3, 0.667, 0.500, 0.458, 0.554, 0.403),
    ("01001", 3, 0.667, 0.500, 0.302, 0.490, 0.299),
]


@pytest.mark.parametrize(("labels", "R", "end", "rrt", "rbpt", "ndcgt", "apt"), LIU)
def test_liu_table_1(labels: str, R: int, end: float, rrt: float, rbpt: float, ndcgt: float, apt: float) -> None:
    names = ["RRT", "RBPT(p=0.5)", "nDCGT", "APT", "RBP(p=0.5)"]
    *terminal, plain = (parse(name).score(digits(labels), ones(R)) for name in names)
    assert terminal == pytest.approx([rrt, rbpt, ndcgt, apt], abs=0.0005000001)
    assert (terminal[1] - plain) / 0.5 ** len(labels) == pytest.approx(end, abs=0.0005000001)


def test_the_empty_list_on_a_topic_without_an_answer() -> None:
    for name in ("RRT", "RBPT", "nDCGT", "nDCGT(ideal='full')", "APT", "ERRT"):
        assert parse(name).score("", "") == 1
    assert parse("RBPT(p=0.7, tail='single')").score("", "") == pytest.approx(0.3)
    for name in ("U", "DCGU", "RBPU", "RBU", "ERRU"):
        assert parse(name).score("", "") == 0
        assert parse(name).score("", "1 1") == 0


def test_a_full_list_without_nil_gives_no_evidence_of_truncation() -> None:
    """Five answers and no NIL: the plain measures; fewer, or NIL, and the end counts. First NIL wins."""
    track = typed("0 1 0 0 0", "1 1", gmax=1)
    for nil, length in ((0, 5), (4, 3), (0, 4)):
        own = _with_nil(track if length == 5 else track.truncated(np.array([length])), nil)
        stopped = truncate_at_nil(own, 5)
        for end, plain in (("RRT", "RR"), ("RBPT", "RBP"), ("APT", "AP"), ("ERRT", "ERR"), ("nDCGT", "nDCG")):
            with_end, without = (float(_score(name, stopped)) for name in (end, plain))
            assert (with_end == without) == (length == 5 or end == "RRT"), (end, nil, length)


def _with_nil(track: Track, rank: int) -> Track:
    return track._with(nil_rank=np.array([rank], np.int32))


def _score(name: str, track: Track) -> Any:
    from leadline.measures import score_track

    return score_track(track, name).array(name)[0, 0]


# ----------------------------------------------------------------------------------- utility family (Amigó et al. 2022)

LATE = [0] * 10 + [1] * 60  # ten irrelevant, then only relevant documents


def utility(name: str) -> Any:
    return parse(name).length_curve(LATE, gmax=1)


@pytest.mark.parametrize("name", ["ERRU", "RBU(p=0.8)", "RBU(p=0.9)"])
def test_some_utilities_never_rise_above_zero(name: str) -> None:
    curve = utility(name)
    assert curve[0] == 0
    assert curve[1:].max() < 0


def test_a_patient_utility_is_positive_for_a_while() -> None:
    curve = utility("RBU(p=0.98)")
    assert np.flatnonzero(curve > 0).tolist() == list(range(12, 20))
    assert curve.argmax() == 14


@pytest.mark.parametrize(("gain", "first"), [("exp", 22), ("linear", 13)])
def test_where_rbpu_turns_positive(gain: str, first: int) -> None:
    curve = utility(f"RBPU(p=0.8, gain={gain!r})")
    assert np.flatnonzero(curve > 0)[0] == first
    assert (curve[first:] > 0).all()


def test_break_even_of_oie() -> None:
    """One relevant document at rank i against the empty list: worth it at rank 18, no longer at 19."""

    def advantage(rank: int, beta: float = 1.05) -> float:
        oie = parse(f"OIE(beta={beta}, docs=20000)")
        return oie.score([0] * (rank - 1) + [1], [1]) - oie.score([], [1])

    assert advantage(18) > 0 > advantage(19)
    low, high = advantage(20, 1.0), advantage(20, 2.0)  # linear in beta
    assert 1 + low / (low - high) == pytest.approx(1.04641, abs=5e-6)
    assert parse("OIE").score([], [1, 1, 1]) == pytest.approx(-0.05 * 3 * np.log(20000 / 3) / 20000)


# ---------------------------------------------------------------------------------------- depth (Lu, Moffat, Culpepper)


@pytest.mark.parametrize(("k", "weight"), [(5, 0.34), (10, 0.22), (20, 0.14)])
def test_weight_of_the_first_rank_in_ndcg(k: int, weight: float) -> None:
    assert parse(f"nDCG@{k}").score([1], ones(k)) == pytest.approx(weight, abs=0.005)
    assert parse(f"SDCG@{k}").weights([0] * k, ranks=1)[0] == pytest.approx(weight, abs=0.005)


@pytest.mark.parametrize("k", [1, 5, 20])
def test_what_err_leaves_open(k: int) -> None:
    """Ranks past k add at most 1/(k+1): a document that satisfies for certain, after k that do not."""
    late = [0] * k + [1]
    assert parse("ERR(gain='binary')").score(late) == pytest.approx(1 / (k + 1))
    assert parse(f"ERR(gain='binary')@{k}").score(late) == 0


# --------------------------------------------------------------------------------------------------- preferences (Diaz)


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_impatient_rbp_orders_like_lexicographic_precision(p: float) -> None:
    rbp, R = parse(f"RBP(p={p})"), 6
    lists = list(itertools.product([0, 1], repeat=R))
    scores = [rbp.score(labels, ones(R)) for labels in lists]
    ranks = [[i for i, b in enumerate(labels, 1) if b] for labels in lists]
    for a, b in itertools.combinations(range(len(lists)), 2):
        assert np.sign(scores[a] - scores[b]) == sgnLP(ranks[a], ranks[b]), (lists[a], lists[b])


def test_patient_rbp_does_not() -> None:
    rbp = parse("RBP(p=0.8)")
    assert rbp.score([1, 0, 0, 0, 0], ones(4)) < rbp.score([0, 1, 1, 1, 1], ones(4))


# ---------------------------------------------------------------------------------- what the property table leaves open


def swap_gain(name: str, labels: str, i: int) -> float:
    """What swapping the relevant document at rank i + 1 with the one above it is worth."""
    m, before = parse(name), digits(labels)
    after = before.copy()
    after[i - 1], after[i] = after[i], after[i - 1]
    return m.score(after) - m.score(before)


@pytest.mark.parametrize(("name", "labels"), [("AP", "00000101"), ("Q", "000101")])
def test_ap_and_q_are_not_top_weighted(name: str, labels: str) -> None:
    upper, lower = (i for i, b in enumerate(labels) if b == "1")
    assert 0 < swap_gain(name, labels, upper) < swap_gain(name, labels, lower)


def test_a_missed_document_can_raise_rprec_and_bpref() -> None:
    assert parse("Rprec").score("0 1", "1") < parse("Rprec").score("0 1", "1 1")
    assert parse("Bpref").score("0 1 0", "1") < parse("Bpref").score("0 1 0", "1 1")


def test_oie_and_q_prefer_a_worse_order() -> None:
    for name in ("OIE", "Q(gain='raw')"):
        m = parse(name)
        assert m.score("0 0 0 2 1", "2 1") > m.score("0 0 1 2 0", "2 1")


@pytest.mark.parametrize(("name", "limit"), [("RBP", 0.755), ("iRBU", 0.839)])
def test_patience_needed_for_shallowness(name: str, limit: float) -> None:
    """Some m relevant documents after m irrelevant ones beat one at the top only above a certain patience."""

    def beaten(p: float) -> bool:
        m = parse(f"{name}(p={p})")
        return any(m.score([0] * n + [1] * n, ones(n)) > m.score([1], ones(n)) for n in range(1, 60))

    assert beaten(limit + 0.002)
    assert not beaten(limit - 0.002)


# -------------------------------------------------------------------------------------------- readers (cwl_eval 1.0.12)

CWL = [  # EU, ETU, EC, ETC, ED of the gains 1 0 1 1 0 0 1, as cwl_eval 1.0.12 computes them on lists padded to depth=
    ("INST(T=2, depth=1000)", 0.576116834881, 1.665621819559, 1.0, 2.888428547097, 2.891136922607),
    ("INST(T=0.5, depth=50)", 1.0, 1.0, 1.0, 1.0, 1.0),
    ("INSQ(T=2.5, depth=1000)", 0.382601584876, 2.10734164443, 1.0, 5.483434028924, 5.508185891501),
    ("BPM(T=3)@10", 0.75, 3.0, 1.0, 4.0, 4.0),
    ("SDCG@10", 0.498289935916, 2.264009891407, 1.0, 4.543559338088, 4.543559338088),
    ("RBP(p=0.8)", 0.4828288, 2.414144, 1.0, 5.0, 5.0),
]


@pytest.mark.parametrize(("name", "eu", "etu", "ec", "etc", "ed"), CWL)
def test_cwl_eval_figures(name: str, eu: float, etu: float, ec: float, etc: float, ed: float) -> None:
    gains = "1 0 1 1 0 0 1"
    found = [parse(f"{figure}(of={name!r})").score(gains) for figure in ("EU", "ETU", "EC", "ETC", "ED")]
    assert found == pytest.approx([eu, etu, ec, etc, ed], abs=1e-11)
    assert parse(name).score(gains) == pytest.approx(eu, abs=1e-11)


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "INST(T=2)", "INSQ(T=1)", "SDCG@10", "BPM(T=2)@10"])
def test_weights_and_exits(name: str) -> None:
    """W sums to 1, L sums to 1, and the score is ΣWG."""
    m: Any = parse(name)
    gains = [1, 0, 1, 1, 0, 0, 1]
    weights, leaving = m.weights(gains, ranks=4000), m.leaving(gains, ranks=4000)
    assert weights[:7] @ gains == pytest.approx(m.score(gains), abs=1e-12)
    assert weights.sum() == pytest.approx(1, abs=2e-3)  # INSQ and INST have heavy tails
    assert leaving.sum() == pytest.approx(1, abs=1e-5)
    assert leaving @ np.arange(1, 4001) == pytest.approx(1 / weights[0], rel=3e-3)
