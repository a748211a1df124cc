"""The published worked numbers, as tests of the naive definitions themselves (definitions §13 and §14)."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from scipy import stats

import naive
from naive import Ranking, Topic, length_curve, on_documents, on_labels, score


def value(name: str, topic: Topic, ranking: Ranking, **options: Any) -> float:
    """A score that is defined."""
    found = score(name, topic, ranking, **options)
    assert found is not None
    return found


def listed(labels: str, relevant: int) -> tuple[Topic, Ranking]:
    """A list such as '101' in a collection with so many relevant documents."""
    grades = [int(c) for c in labels]
    return Topic((*grades, *[1] * (relevant - sum(grades)))), Ranking(tuple(range(len(grades))))


# ------------------------------------------------------------------------------------------ Q Table 1: terminal family

LIU = [
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


@pytest.mark.parametrize(("labels", "R", "rt", "rrt", "rbpt", "ndcgt", "apt"), LIU)
def test_liu_table_1(labels: str, R: int, rt: float, rrt: float, rbpt: float, ndcgt: float, apt: float) -> None:
    topic, ranking = listed(labels, R)
    seen = naive.Seen(topic, ranking.rows, None, 1, True)
    found = [naive.terminal_gain(seen, "binary", 1), value("RRT", topic, ranking)]
    found += [value("RBPT", topic, ranking, p=0.5), value("nDCGT", topic, ranking), value("APT", topic, ranking)]
    assert found == pytest.approx([rt, rrt, rbpt, ndcgt, apt], abs=0.0005000001)


def test_empty_list_on_a_nil_answer_topic() -> None:
    topic, empty = Topic((0, 0)), Ranking(())
    for name in ("RRT", "RBPT", "nDCGT", "APT", "ERRT"):
        assert value(name, topic, empty) == 1
    assert value("RBPT", topic, empty, p=0.7, tail="single") == pytest.approx(0.3)
    assert value("OIE", Topic((1, 1, 2)), empty) == pytest.approx(
        -0.05 * (2 * math.log(20000 / 3) + math.log(20000)) / 20000
    )


@pytest.mark.parametrize(
    ("docs", "kept", "terminal"),
    [("a NIL b", "a", True), ("NIL a NIL", "", True), ("a b", "a b", True), ("a b c d e", "a b c d e", False)],
)
def test_nil_rules(docs: str, kept: str, terminal: bool) -> None:
    assert naive.nil_truncate(docs.split()) == (kept.split(), terminal)


def test_five_answers_without_nil_take_the_plain_measures() -> None:
    topic, ranking = listed("01001", 3)
    plain = Ranking(ranking.rows, terminal=False)
    assert value("APT", topic, plain) == value("AP", topic, ranking)
    assert value("nDCGT", topic, plain) == value("nDCG", topic, ranking)
    assert value("RBPT", topic, plain) == value("RBP", topic, ranking)
    assert value("ERRT", topic, plain) == value("ERR", topic, ranking)
    assert length_curve("APT", topic, plain)[:5] == length_curve("APT", topic, ranking)[:5]


# --------------------------------------------------------------------------------------------------- L: ratios, weights


def test_lu_ratios() -> None:
    pairs = list(itertools.combinations(range(10), 2))
    reference = set(pairs[:35])
    assert naive.discrimination(reference, 10) == pytest.approx(0.78, abs=0.005)
    assert naive.coverage(set(pairs[:28]), reference) == pytest.approx(0.80)
    order = list(range(10))
    means = [10.0 - i for i in order]
    wrong = {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)}
    agreeing = {(a, b) for a, b in pairs if (a, b) not in wrong}
    mixed = {(b, a) for a, b in wrong} | set(sorted(agreeing)[:29])
    assert naive.inversion(mixed, means) == pytest.approx(6 / 35)
    assert round(6 / 35, 2) == 0.17


@pytest.mark.parametrize(("k", "weight"), [(5, 0.34), (10, 0.22), (20, 0.14)])
def test_weight_of_the_first_rank_in_ndcg(k: int, weight: float) -> None:
    topic, first = Topic((1,) * k), Ranking((0,) + (None,) * (k - 1))
    assert value("nDCG", topic, first, k=k) == pytest.approx(weight, abs=0.005)


def test_err_tail_is_at_most_one_over_k_plus_one() -> None:
    topic = Topic((1, 0))
    for rows in itertools.product([0, 1, None], repeat=3):
        low, high = naive.err_bounds(topic, Ranking(rows), k=3)
        judged = [row is not None for row in rows]
        assert low <= high <= 1
        if all(judged):
            assert high - low <= 1 / 4


# ---------------------------------------------------------------------------------------------- T Table 1 and Table 3

RELEVANCE = (0, 1, 2, 3)
SCENARIOS: dict[str, tuple[int | Fraction, ...]] = {
    "same range": (0, Fraction(3, 2), 3),
    "same step": (0, 1, 2),
    "uneven": (0, 2, 6),
}
TABLE_1 = {
    ("same range", "euclidean"): "3,3|2,3|3,1.5|2,1.5|1,3|1,1.5|3,0|2,0|1,0|0,0",
    ("same range", "manhattan"): "3,3|2,3|3,1.5|1,3|2,1.5|3,0|1,1.5|2,0|1,0|0,0",
    ("same range", "chebyshev"): "3,3|2,3|3,1.5 2,1.5|1,3 1,1.5|3,0 2,0 1,0 0,0",
    ("same step", "euclidean"): "3,2|3,1 2,2|2,1|3,0 1,2|2,0 1,1|1,0|0,0",
    ("same step", "manhattan"): "3,2|3,1 2,2|3,0 2,1 1,2|2,0 1,1|1,0|0,0",
    ("same step", "chebyshev"): "3,2|3,1 2,1 2,2|3,0 2,0 1,0 1,1 1,2|0,0",
    ("uneven", "euclidean"): "3,6|2,6|1,6|3,2|2,2|1,2|3,0|2,0|1,0|0,0",
    ("uneven", "manhattan"): "3,6|2,6|1,6|3,2|2,2|1,2 3,0|2,0|1,0|0,0",
    ("uneven", "chebyshev"): "3,6|2,6|1,6|3,2 2,2 1,2|3,0 2,0 1,0 0,0",
}


def no_correct_without_relevant(labels: tuple[int, ...]) -> bool:
    return labels[0] > 0 or labels[1] == 0


@pytest.mark.parametrize(("scenario", "distance"), TABLE_1)
def test_t_table_1(scenario: str, distance: str) -> None:
    embedding = (RELEVANCE, SCENARIOS[scenario])
    tuples = naive.grid(embedding, no_correct_without_relevant)
    assert len(tuples) == 10
    classes = naive.distance_classes(tuples, embedding, distance)
    shown = [{(Fraction(embedding[0][r]), Fraction(embedding[1][c])) for r, c in members} for members in classes]
    printed = [
        {(Fraction(r), Fraction(c)) for r, c in (pair.split(",") for pair in group.split())}
        for group in TABLE_1[scenario, distance].split("|")
    ]
    assert shown == printed


DOCS = [(1, 2), (3, 1), (3, 0)]  # d1 (mr, c), d2 (hr, pc), d3 (hr, nc)
DISTANCES = ("euclidean", "manhattan", "chebyshev")
TOMA_NDCG = {
    "123": (0.9367, 0.9711, 0.8597), "132": (0.8917, 0.9404, 0.7602), "213": (1, 1, 1), "231": (0.9775, 0.9795, 0.9502),
    "312": (0.8284, 0.8827, 0.6199), "321": (0.8509, 0.8929, 0.6697), "12": (0.8080, 0.8147, 0.8597),
    "13": (0.5914, 0.6667, 0.3801), "21": (0.8713, 0.8436, 1), "23": (0.7630, 0.7449, 0.7602),
    "31": (0.5281, 0.6089, 0.2398), "32": (0.6364, 0.6583, 0.4796),
    "1": (0.4290, 0.4693, 0.3801), "2": (0.6006, 0.5475, 0.7602), "3": (0.2574, 0.3129, 0),
}  # fmt: skip
TOMA_AP = {
    "123": (1, 1, 0.5), "132": (0.8333, 0.8333, 0.3333), "213": (1, 1, 1), "231": (0.8333, 0.8333, 1),
    "312": (0.5833, 0.5833, 0.3333), "321": (0.5833, 0.5833, 0.5), "12": (1, 1, 0.5), "13": (0.5, 0.5, 0),
    "21": (1, 1, 1), "23": (0.5, 0.5, 1), "31": (0.25, 0.25, 0), "32": (0.25, 0.25, 0.5),
    "1": (0.5, 0.5, 0), "2": (0.5, 0.5, 1), "3": (0, 0, 0),
}  # fmt: skip
# CAM and the paper's MM, which is Eq. 6 divided by the number of aspects. AP's MM of 12 and 13 is printed as .25; from
# the printed CAM (.625 = (.25 + 1)/2) Eq. 6 gives .4, halved .2.
CAM_NDCG = {
    "123": (0.9073, 0.4489), "132": (0.8824, 0.4386), "213": (0.9056, 0.4516), "231": (0.8801, 0.4319),
    "312": (0.8106, 0.3930), "321": (0.8100, 0.3827), "12": (0.7682, 0.3491), "13": (0.6483, 0.3145),
    "21": (0.7665, 0.3776), "23": (0.6437, 0.2679), "31": (0.5765, 0.2801), "32": (0.5735, 0.1897),
    "1": (0.4728, 0.1491), "2": (0.4682, 0.2258), "3": (0.2781, 0),
}  # fmt: skip
CAM_AP = {
    "123": (0.7917, 0.3684), "132": (0.7917, 0.3684), "213": (0.6667, 0.3125), "231": (0.6667, 0.25),
    "312": (0.6667, 0.3125), "321": (0.6667, 0.25), "12": (0.6250, 0.2), "13": (0.6250, 0.2),
    "21": (0.5, 0.25), "23": (0.5, 0), "31": (0.5, 0.25), "32": (0.5, 0),
    "1": (0.5, 0), "2": (0.25, 0), "3": (0.25, 0),
}  # fmt: skip


def rows_of(order: str) -> list[int]:
    return [int(c) - 1 for c in order]


@pytest.mark.parametrize("order", TOMA_NDCG)
def test_t_table_3_toma(order: str) -> None:
    embedding = (RELEVANCE, SCENARIOS["same range"])
    tuples = naive.grid(embedding, no_correct_without_relevant)
    for distance, ndcg, ap in zip(DISTANCES, TOMA_NDCG[order], TOMA_AP[order], strict=True):
        weights = naive.toma_weights(tuples, embedding, distance)
        halves = naive.toma_binary(tuples, embedding, distance, "top-half")
        assert naive.toma(on_documents("nDCG"), DOCS, rows_of(order), weights) == pytest.approx(ndcg, abs=5e-5)
        assert naive.toma(on_documents("AP"), DOCS, rows_of(order), halves) == pytest.approx(ap, abs=5e-5)


@pytest.mark.parametrize("order", CAM_NDCG)
def test_t_table_3_cam_and_mm(order: str) -> None:
    graded, harsh = ((0, 5, 10, 15), (0, 5, 10)), ((0, 0, 1, 1), (0, 0, 1))
    for name, values, (cam, half_mm) in (("nDCG", graded, CAM_NDCG[order]), ("AP", harsh, CAM_AP[order])):
        per_aspect = naive.aspect_scores(on_documents(name), DOCS, rows_of(order), values)
        assert naive.cam(per_aspect) == pytest.approx(cam, abs=5e-5)
        assert naive.mm(per_aspect) / 2 == pytest.approx(half_mm, abs=5e-5)


def test_binary_aspects_are_any_or_all() -> None:
    embedding = (RELEVANCE, (0, 1, 2))
    tuples = naive.grid(embedding)
    for distance, wanted in (("euclidean", any), ("manhattan", any), ("chebyshev", all)):
        found = naive.toma_binary(tuples, embedding, distance)
        assert found == {x: int(wanted(label > 0 for label in x)) for x in tuples}
    assert naive.toma_binary(tuples, embedding, "manhattan", 3) == {x: int(sum(x) >= 3) for x in tuples}


# ------------------------------------------------------------------------------------------------- A: OIE and utility


def single_at(rank: int, **options: float) -> float:
    """OIE of one relevant document at this rank, less OIE of the empty list."""
    topic = Topic((1,))
    found = value("OIE", topic, Ranking((None,) * (rank - 1) + (0,)), **options)
    return found - value("OIE", topic, Ranking(()), **options)


def test_oie_break_even() -> None:
    assert single_at(18) > 0 > single_at(19)
    assert single_at(20, beta=1.046405) > 0 > single_at(20, beta=1.046415)


def late_relevance(name: str, gain: str = "exp", **options: float) -> list[float]:
    """The length curve of ten irrelevant, then relevant documents, to length 100."""
    topic = Topic((0,) * 10 + (1,) * 90)
    curve = length_curve(name, topic, Ranking(tuple(range(100))), gain=gain, **options)
    return [v for v in curve if v is not None]


def test_amigo_utility_signs() -> None:
    assert max(late_relevance("ERRU")) <= 0
    assert max(late_relevance("RBU", p=0.8)) <= 0
    assert max(late_relevance("RBU", p=0.9)) <= 0
    rbu = late_relevance("RBU", p=0.98)
    assert [n for n, v in enumerate(rbu) if v > 0] == list(range(12, 20))
    assert naive.optimal_length(rbu) == 14
    for gain, first in (("exp", 22), ("linear", 13)):
        curve = late_relevance("RBPU", gain, p=0.8)
        assert [n for n, v in enumerate(curve) if v > 0] == list(range(first, 101))


# -------------------------------------------------------------------------------------------------- D: preferences


def test_lexiprecision_orders_like_its_integer_and_like_rbp() -> None:
    n, m = 7, 3
    lists = [ranks for size in range(m + 1) for ranks in itertools.combinations(range(1, n + 1), size)]
    for p, q in itertools.product(lists, repeat=2):
        found = naive.sgnLP(p, q)
        if len(p) == len(q):
            assert found == naive.sign(naive.mu_LP(p, n) - naive.mu_LP(q, n))
        assert found == -naive.sgnLP(q, p)
        assert naive.rrLP(p, q) == -naive.rrLP(q, p)
        assert naive.sign(naive.rrLP(p, q)) == found
        assert (found == 0) == (p == q)
        if naive.delta_rr(p, q, 1):
            assert naive.rrLP(p, q) == naive.delta_rr1(p, q)
        for persistence in (Fraction(1, 2), Fraction(1, 3)):
            rbp = [(1 - persistence) * sum(persistence ** (r - 1) for r in ranks) for ranks in (p, q)]
            assert naive.sign(float(rbp[0] - rbp[1])) == found


def test_tie_probability_and_growth() -> None:
    n, m = 9, 3
    lists = list(itertools.combinations(range(1, n + 1), m))
    for p1 in range(1, n - m + 2):
        share = sum(ranks[0] == p1 for ranks in lists) / len(lists)
        assert naive.tie_probability(n, m, p1) == pytest.approx(share)
    assert naive.value_growth(n, m, 2) == pytest.approx(math.comb(n, m + 2) / math.comb(n, m))


def test_lexirecall_and_rpp() -> None:
    assert naive.LR((1, 9), (5,)) == 1
    assert naive.LR((1, 9), (7, 8)) == -1
    assert naive.LR((1, 9), (2, 9)) == 1
    assert naive.RPP((1, 9), (7, 8), 4) == 0
    assert naive.RPP((1, 9), (7,), 4) == pytest.approx(2 / 4)


# ------------------------------------------------------------------ §14: what the published property table leaves open


def test_ap_and_q_violate_top_weightedness() -> None:
    assert naive.top_weightedness(on_labels("AP"), [0, 0, 0, 0, 0, 1, 0, 1], 5, 7) == -1
    assert naive.top_weightedness(on_labels("Q"), [0, 0, 0, 1, 0, 1], 3, 5) == -1


def test_rprec_and_bpref_can_rise_when_one_is_missed() -> None:
    assert naive.recall_property(on_labels("Rprec"), [0, 1]) == -1
    assert naive.recall_property(on_labels("Bpref"), [0, 1], [0]) == -1


def test_rbpt_satisfies_recall() -> None:
    found = [
        naive.recall_property(on_labels("RBPT"), labels, [1] * missing)
        for length in range(1, 6)
        for labels in itertools.product([0, 1], repeat=length)
        for missing in range(3)
        if any(labels)
    ]
    assert naive.verdict(found) == "holds strictly"


def test_err_needs_gains_below_one_for_strict_priority() -> None:
    def outcomes(gain: str) -> list[int]:
        m = on_labels("ERR", gain=gain)
        return [
            naive.priority(m, labels, i, j)
            for labels in itertools.product([0, 1], repeat=5)
            for i, j in itertools.combinations(range(1, 6), 2)
            if labels[j - 1] > labels[i - 1]
        ]

    assert naive.verdict(outcomes("exp")) == "holds strictly"
    assert naive.verdict(outcomes("linear")) == "holds with ties"


@pytest.mark.parametrize(("name", "below", "above"), [("iRBU", 0.8385, 0.8395), ("RBP", 0.7545, 0.7555)])
def test_persistence_that_shallowness_needs(name: str, below: float, above: float) -> None:
    def best(p: float) -> int:
        return max(naive.shallowness(on_labels(name, p=p), m, m) for m in range(1, 20))

    assert best(below) == -1
    assert best(above) == 1


def test_oie_violations() -> None:
    oie = on_labels("OIE", docs=1000)
    assert any(naive.redundancy(oie, n) == -1 for n in range(1, 10))
    assert any(naive.redundancy(oie, n, missing, "relabel") == -1 for n in range(1, 10) for missing in range(2, 20))
    assert naive.priority(oie, [0, 0, 0, 2, 1], 3, 5) == -1


@pytest.mark.parametrize(("factor", "share"), [(1, 0.21), (2, 0.10)])
def test_oie_deepness_threshold(factor: int, share: float) -> None:
    docs = 300
    oie = on_labels("OIE", docs=docs)
    holds = [naive.deepness(oie, n, factor * n) == 1 for n in range(2, docs // 2 + 1)]
    start = 2 + max(i for i, good in enumerate(holds) if not good) + 1
    assert start / docs == pytest.approx(share, abs=0.01)


# ------------------------------------------------------------------------------------- the naive statistics themselves


def test_statistics_against_scipy() -> None:
    rng = random.Random(4)
    for _ in range(20):
        a = [rng.randint(0, 6) / 6 for _ in range(8)]
        b = [rng.randint(0, 6) / 6 for _ in range(8)]
        if len(set(a)) < 2 or len(set(b)) < 2:
            continue
        assert naive.paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-12)
        assert naive.tau_b(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)
        assert naive.spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)
        assert naive.pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-12)
        assert naive.benjamini_hochberg(a) == pytest.approx(list(stats.false_discovery_control(a)), abs=1e-12)
        z = naive.differences(a, b)
        wins, decided = sum(v > 0 for v in z), sum(v != 0 for v in z)
        exact = stats.binomtest(wins, decided).pvalue if decided else 1.0
        assert naive.sign_test(z) == pytest.approx(exact, abs=1e-12)


def test_holm_by_hand() -> None:
    assert naive.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert naive.bonferroni([0.01, 0.4]) == pytest.approx([0.02, 0.8])


def test_hsd_on_score_differences_as_preferences_is_the_ordinary_one() -> None:
    rng = random.Random(7)
    scores = [[rng.random() for _ in range(6)] for _ in range(4)]
    deltas = {(a, b): naive.differences(scores[a], scores[b]) for a, b in naive.pairs_of(4)}
    assert naive.preference_mse(deltas, 4) == pytest.approx(naive.two_way_mse(scores), rel=1e-12)
    ordinary, preferences = naive.tukey_hsd(scores), naive.tukey_hsd_preferences(deltas, 4)
    assert preferences == pytest.approx(ordinary, abs=1e-9)


def test_rbo() -> None:
    same = list("abcde")
    assert naive.rbo_ext(same, same) == pytest.approx(1)
    assert naive.rbo_min(same, same) + naive.rbo_residual(same, same) == pytest.approx(1)
    assert naive.rbo_ext(same, list("vwxyz")) == 0
    for a, b in (("abcdefg", "cax"), ("abc", "cabxyz"), ("abcd", "dcba"), ("ab", "xyza")):
        low, gap, p = naive.rbo_min(a, b), naive.rbo_residual(a, b), 0.9
        assert low <= naive.rbo_ext(a, b) <= low + gap
        assert gap == pytest.approx(webber_residual(a, b, p), abs=1e-12)


def webber_residual(a: str, b: str, p: float) -> float:
    """Webber et al. 2010, the closed form for uneven lists."""
    s, length = sorted((len(a), len(b)))
    x = naive.overlap(a, b, length)
    f = length + s - x
    part = s * sum(p**d / d for d in range(s + 1, f + 1)) + length * sum(p**d / d for d in range(length + 1, f + 1))
    part += x * (math.log(1 / (1 - p)) - sum(p**d / d for d in range(1, f + 1)))
    return p**s + p**length - p**f - (1 - p) / p * part


def test_tau_ap_of_extremes() -> None:
    assert naive.tau_ap("abcd", "abcd") == pytest.approx(1)
    assert naive.tau_ap("dcba", "abcd") == pytest.approx(-1)
    assert naive.tau_ap("bacd", "abcd") < naive.tau_ap("abdc", "abcd") < 1
    assert naive.tau_a("abdc", "abcd") == pytest.approx(4 / 6)


def test_orders_from_preferences_agree_on_a_clear_case() -> None:
    scores = [[0.9, 0.8, 0.7], [0.5, 0.9, 0.2], [0.1, 0.2, 0.1]]
    prefs = [[[scores[a][t] - scores[b][t] for b in range(3)] for a in range(3)] for t in range(3)]
    for rule in (naive.order_by_mean, naive.borda, naive.copeland, naive.mc4):
        values = rule(prefs)
        assert values[0] > values[1] > values[2]
    assert sum(naive.mc4(prefs)) == pytest.approx(1)


# --------------------------------------------------------------------------------- the naive measures among themselves


def test_ranges_enclose_and_ap_peaks_before_all_relevant() -> None:
    topic, ranking = Topic((1, 0)), Ranking((0, 1, None, None, None))
    low, high = naive.ranges("AP", topic, ranking) or (0, 0)
    everything = [value("AP", t, r) for t, r in naive.completions(topic, ranking, 1)]
    assert (low, high) == (min(everything), max(everything))
    assert high > everything[-1]  # all unjudged relevant is not the best case
    assert naive.ranges("RBP", topic, ranking) == pytest.approx(
        (value("RBP", topic, ranking), value("RBP", topic, ranking) + naive.rbp_residual(ranking) - 0.8**5)
    )


def test_share_is_the_mean_over_the_orders_of_a_block() -> None:
    topic = Topic((2, 0, 1, 1))
    rows, tied = (0, None, 2, 1), (3.0, 2.0, 2.0, 2.0)
    for name in sorted(naive.FIXED):
        k = 3
        orders = [Ranking((0, *rest)) for rest in itertools.permutations(rows[1:])]
        expected = naive.mean(value(name, topic, r, k=k, gmax=2) for r in orders)
        assert naive.share_score(name, topic, Ranking(rows, tied), k=k, gmax=2) == pytest.approx(expected)
        if name in naive.MEAN_GAIN:
            assert naive.mean_gain_score(name, topic, Ranking(rows, tied), k=k, gmax=2) == pytest.approx(expected)


def test_pool_figures_by_hand() -> None:
    topics = [Topic((1, 0, 2, 1))]
    runs = {"a": [Ranking((0, 1, 2))], "b": [Ranking((2, None, 1, 3))]}
    (pooled,) = naive.repool(topics, runs, runs)
    assert pooled.best_rank == (1, 2, 1, 4)
    assert naive.pool_growth([pooled], [1, 2, 3, 4]) == [
        (1, 2, 2, 1.0),
        (2, 3, 2, 0.0),
        (3, 3, 2, None),
        (4, 4, 3, 1.0),
    ]
    assert naive.pool_figures(pooled, runs["b"][0], 2) == (1, 2, 1)
    assert naive.leave_out("P", topics, runs, ["a"], 1, k=1) == {"a": (-100.0, 1)}


def test_length_bins() -> None:
    wanted = {0: (0, 0), 1: (1, 4), 4: (1, 4), 5: (5, 8), 8: (5, 8), 9: (9, 16), 17: (17, 32), 64: (33, 64)}
    assert {n: naive.length_bin(n) for n in wanted} == wanted
    assert naive.optimal_length([0.0, 0.5, 0.5 + 1e-13, 0.2]) == 1


def test_unanimity_is_antisymmetric() -> None:
    s, other = [[0.1, 0.9], [0.3, 0.4]], [[0.2, 0.2], [0.1, 0.4]]
    assert naive.uir(s, other) == -naive.uir(other, s) == (2 - 1) / 4


def test_tie_rules() -> None:
    docs = [("d1", 1.0, 1, 2), ("d9", 1.0, 2, 1), ("d5", 2.0, 3, 3), ("é", 1.0 + 1e-9, 4, 4)]
    assert naive.order(docs, "trec") == ["d5", "é", "d9", "d1"]
    assert naive.order(docs, "trec32") == ["d5", "é", "d9", "d1"]
    assert naive.order([*docs[:2], ("d0", 1.0 + 1e-09, 4, 4)], "trec32") == ["d9", "d1", "d0"]
    assert naive.order(docs, "run") == ["d5", "é", "d1", "d9"]
    assert naive.order(docs, "file") == ["d1", "d9", "d5", "é"]
    assert naive.order(docs, "rank") == ["d9", "d1", "d5", "é"]


def test_full_ranking_measures_on_the_written_out_collection() -> None:
    rng = random.Random(3)
    for _ in range(10):
        topic = Topic(tuple(rng.randint(-1, 2) for _ in range(8)))
        rows = rng.sample([0, 1, 2, 3, 4, None, None], 6)
        docs, ranking = 14, Ranking(tuple(rows))
        labels = [0 if row is None else max(0, topic.grades[row]) for row in rows]
        left = [max(0, g) for j, g in enumerate(topic.grades) if j not in rows]
        labels += left + [0] * (docs - len(rows) - len(left))
        places = [min(i, len(rows)) for i in range(docs)]
        if not any(labels):
            continue
        wanted = float(stats.kendalltau([-v for v in places], labels).statistic)
        assert value("Kendall", topic, ranking, docs=docs) == pytest.approx(wanted)
        wanted = float(stats.spearmanr([-v for v in places], labels).statistic)
        assert value("Spearman", topic, ranking, docs=docs) == pytest.approx(wanted)
        hits, misses = [[v for v, g in zip(places, labels, strict=True) if (g > 0) == side] for side in (True, False)]
        wanted = naive.mean((h < m) + 0.5 * (h == m) for h in hits for m in misses)
        assert value("AUC", topic, ranking, docs=docs) == pytest.approx(wanted)
    for name, neutral in (("AUC", 0.5), ("Spearman", 0), ("Kendall", 0)):
        assert value(name, Topic((0,)), Ranking((0,)), docs=5) == neutral


@pytest.mark.parametrize("T", [1, 2.5])
def test_infinite_sums_are_the_limit_of_long_ones(T: float) -> None:
    topic, ranking = Topic((1, 0, 1, 1)), Ranking((0, 1, None, 2, 3))
    for name in ("INST", "INSQ"):
        exact, long = value(name, topic, ranking, T=T), value(name, topic, ranking, T=T, depth=4000)
        assert long == pytest.approx(exact, rel=2e-3)
        assert long > exact  # a shorter sum leaves more weight to the list
    views, total = naive.geometric([1, 0, 1], 0.6)
    assert naive.cwl([1, 0, 1], views, total)["EU"] == pytest.approx(naive.rbp_of([1, 0, 1], 0.6))


def test_bpm_and_sdcg() -> None:
    topic, ranking = listed("01011", 3)
    assert value("BPM", topic, ranking, k=4, T=1) == pytest.approx(1 / 2)
    assert value("BPM", topic, ranking, k=3, T=2) == pytest.approx(1 / 3)
    assert value("BPM", topic, ranking, k=10, T=4) == pytest.approx(3 / 10)
    ideal = Topic((1,) * 4)
    assert value("SDCG", ideal, Ranking((0, 1, 2, 3)), k=4) == pytest.approx(1)
    assert value("SDCG", ideal, Ranking((None, 1)), k=4) == value("nDCG", ideal, Ranking((None, 1)), k=4)


def test_depth_zero_is_the_empty_list() -> None:
    topic, ranking = Topic((2, 0, 1), (1, 2, None)), Ranking((0, None, 1))
    options: dict[str, dict[str, Any]] = {"IPrec": {"recall": 0.5}}
    options |= {key: {"docs": 9} for key in ("AUC", "Spearman", "Kendall")}
    for name in naive.MEASURES:
        curves = [naive.depth_curve(name, topic, ranking, 6, gmax=2, **options.get(name, {}))]
        if name != "SDCG":
            curves.append(length_curve(name, topic, ranking, gmax=2, **options.get(name, {})))
        for curve in curves:
            assert curve[0] == score(name, topic, Ranking(()), gmax=2, **options.get(name, {})), name


def test_c_at_1() -> None:
    assert naive.c_at_1(correct=5, unanswered=2, questions=10) == pytest.approx(0.5 + 0.5 * 0.2)
