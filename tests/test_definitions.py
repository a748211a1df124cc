"""Every registered measure equals its naive definition: score, curve over depths, curve over lengths, to 1e-12."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

import naive
from leadline.measures import Measure, catalogue, parse
from leadline.measures.usermodel._cwl import UserModel
from leadline.rankings.labeller import Labeller
from leadline.rankings.view import Labelled
from strategies import Case, cases, few, options_of

Options = dict[str, list[Any]]

TABLE = {-1: 0.0, 0: 0.0, 1: 0.3, 2: 0.35, 3: 0.9, 4: 1.0}
ODD = {-1: 0.0, 0: 0.125, 1: 0.5, 2: 0.25, 3: 1.0, 4: 0.75}  # order of gains is not that of grades; grade 0 gains, too
ALL: Options = {"gain": ["binary", "linear", "exp", "raw", "raw-exp", TABLE, ODD], "gmax": [None, None, 4, 7]}
CHANCE: Options = {"gain": ["binary", "linear", "exp", TABLE, ODD], "gmax": [None, None, 4, 7]}
POOLED: Options = {"norm": ["R", "min", "pool"]}
P: Options = {"p": [0.1, 0.5, 0.8, 0.98]}
E: Options = {"e": [0.0, 0.05, 0.3]}
DOCS: Options = {"docs": [60, 75]}
REL: Options = {"rel": [1, 1, 2]}

# Parameters to try for each measure; a test asserts that none is missing.
VARIANTS: dict[str, Options] = {
    "P": ALL | REL,
    "R": REL,
    "Success": REL,
    "Judged": {},
    "Rprec": REL,
    "RR": REL,
    "SetP": REL,
    "SetR": REL,
    "SetF": REL | {"beta": [0.0, 0.5, 1.0, 2.0]},
    "NumRet": REL,
    "NumRel": REL,
    "NumRelRet": REL,
    "IPrec": REL,
    "infAP": REL,
    "Bpref": REL,
    "AP": REL | POOLED,
    "DCG": ALL | REL | {"discount": ["log2", "zipf"]},
    "nDCG": ALL | REL | {"discount": ["log2", "zipf"], "ideal": ["d", "k"]},
    "Q": ALL | REL | POOLED | {"beta": [0.0, 1.0, 2.5], "ideal": ["d", "k"]},
    "ERR": CHANCE | REL,
    "RBP": ALL | REL | P,
    "iRBU": CHANCE | REL | P,
    "nERR": CHANCE | REL,
    "nRBP": ALL | REL | P,
    "niRBU": CHANCE | REL | P,
    "INSQ": ALL | REL | {"T": [0.1, 1.0, 2.5, 10.0], "pad": [None, None, 1, 20, 100]},
    "INST": CHANCE | REL | {"T": [0.5, 0.75, 1.0, 3.0, 10.0], "pad": [None, None, 1, 20, 100]},
    "SDCG": ALL | REL,
    "BPM": CHANCE | REL | {"T": [0.5, 1.0, 2.75, 6.0]},
    "U": ALL | REL | E,
    "DCGU": ALL | REL | E,
    "RBPU": ALL | REL | P | E,
    "RBU": CHANCE | REL | P | E,
    "ERRU": CHANCE | REL | E,
    "RRT": REL,
    "APT": REL,
    "RBPT": ALL | REL | P | {"tail": ["infinite", "single"]},
    "nDCGT": ALL | REL | {"ideal": ["cut", "full"], "discount": ["log2", "zipf"]},
    "ERRT": CHANCE | REL,
    "OIE": {"beta": [0.9, 1.0, 1.05, 1.5], "docs": [100, 20000]},
    "AUC": DOCS | REL,
    "Spearman": DOCS,
    "Kendall": DOCS,
    "ESL": REL | {"i": [1, 2, 5]},
    "RRi": REL | {"i": [1, 2, 5]},
}
# Measures with a test of their own: of whole runs, and of other measures' readers.
ELSEWHERE = {"c@1", "EU", "ETU", "EC", "ETC", "ED"}
FAMILIES = {"classic", "usermodel", "truncation"}
LATER = {"aspects", "preference"}  # tested with the Tracks they need


def family(cls: type[Measure]) -> str:
    return cls.__module__.split(".")[-2]


MINE = {n: cls for n, cls in catalogue().items() if cls.__module__.startswith("leadline.") and family(cls) in FAMILIES}


def test_no_measure_is_missing() -> None:
    assert set(MINE) == set(VARIANTS) | ELSEWHERE
    assert set(naive.MEASURES) == set(VARIANTS)
    ours = [cls for cls in catalogue().values() if cls.__module__.startswith("leadline.")]
    assert {family(cls) for cls in ours} <= FAMILIES | LATER


def variant(name: str, draw: Any) -> Measure:
    """One measure with drawn parameters and a drawn depth."""
    cls = MINE[name]
    given = {n: draw(st.sampled_from(values)) for n, values in VARIANTS[name].items()}
    cut: float | None = draw(st.sampled_from([None, None, 0, 1, 2, 5, 10, 30, 59, 70]))
    if cls.cutoff == "recall":
        cut = draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
    elif cls.cutoff == "required" and cut is None:
        cut = 10
    return cls(cut, judged_only=draw(st.booleans()), **given)


def longest(name: str) -> int:
    """Lists up to 60, but where the naive form looks at every pair of documents in a collection that must hold them."""
    return 25 if "docs" in VARIANTS.get(name, {}) and name != "OIE" else 60


def label(m: Measure, case: Case) -> Labelled:
    return m.label(Labeller(case.track()))


def expected(m: Measure, case: Case, k: int | None, n: int | None = None) -> np.ndarray[Any, Any]:
    """The naive scores of all lists at evaluation depth k, each stopped after n documents; NaN where undefined."""
    options = options_of(m, case)
    values = []
    for topic, ranking in case.lists():
        cut = ranking if n is None else naive.prefix(ranking, n)
        value = naive.score(m.name, topic, cut, k=k, **options)
        values.append(math.nan if value is None else value)
    return np.array(values)


def near(fast: np.ndarray[Any, Any], slow: np.ndarray[Any, Any], what: str) -> None:
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-12, equal_nan=True, err_msg=what)


@pytest.mark.parametrize("name", sorted(VARIANTS))
@given(data=st.data())
@few(20)
def test_fast_equals_naive(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(longest(name)))
    m = variant(name, data.draw)
    note(m.full())
    lists = label(m, case)
    k = None if m.k is None or m.cutoff == "recall" else int(m.k)
    near(m.at(lists.whole(m.depth)), expected(m, case, k), "score")
    depths = sorted({0, 1, 65, *(data.draw(st.integers(2, 62)) for _ in range(3))})
    by_depth = m.at(lists.at_depths(np.arange(66)))
    for d in depths:
        near(by_depth[:, d], expected(m, case, d), f"depth {d}")
    lengths = sorted({0, case.longest, *(data.draw(st.integers(0, case.longest)) for _ in range(3))})
    by_length = m.at(lists.at_lengths(np.arange(case.longest + 1), m.depth))
    for n in lengths:
        near(by_length[:, n], expected(m, case, k, n), f"length {n}")


POOLS = [
    (name, {**({"norm": n} if n else {}), **({"ideal": i} if i else {})})
    for name, norms, ideals in (("AP", POOLED["norm"], [None]), ("nDCG", [None], "dk"), ("Q", POOLED["norm"], "dk"))
    for n in norms
    for i in ideals
]


@pytest.mark.parametrize(("name", "options"), POOLS)
@given(case=cases(20), k=st.integers(1, 9), gain=st.sampled_from(["raw", "exp"]))
@few(25)
def test_every_reading_of_the_pool(name: str, options: Options, case: Case, k: int, gain: str) -> None:
    """Above, at and below the declared depth of the pool, of which chance would try few."""
    case = replace(case, pool_depth=5)
    m = MINE[name](k, **options, **({"gain": gain} if name != "AP" else {}))
    near(m.at(label(m, case).whole(k)), expected(m, case, k), m.full())


@pytest.mark.parametrize("name", sorted(set(VARIANTS) | {"c@1"}))
@given(data=st.data())
@few(8)
def test_a_score_is_a_point_of_its_curves(name: str, data: st.DataObject) -> None:
    """Bit for bit, whichever way the points are asked for."""
    case = data.draw(cases(longest(name)))
    m = MINE["c@1"]() if name == "c@1" else variant(name, data.draw)
    note(m.full())
    lists = label(m, case)
    stops = np.arange(case.longest + 1)
    by_depth, by_length = m.at(lists.at_depths(np.arange(66))), m.at(lists.at_lengths(stops, m.depth))
    if m.cutoff not in ("recall", "none"):
        for d in (0, 1, 7, 40, 65):
            np.testing.assert_array_equal(m.at(lists.whole(d)), by_depth[:, d])
    own = case.track().lengths
    np.testing.assert_array_equal(m.at(lists.whole(m.depth)), by_length[np.arange(len(own)), own])
    which = np.repeat(np.arange(len(own)), len(stops))
    ragged = m.at(lists.at_stops(which, np.minimum(np.tile(stops, len(own)), own[which]), m.depth))
    np.testing.assert_array_equal(ragged.reshape(by_length.shape), by_length)
    for n in () if "pool" in str(m) or "'k'" in str(m) else (0, 3, case.longest):  # shorter runs make another pool
        stopped = m.label(Labeller(case.track().truncated(np.full(len(own), n))))
        np.testing.assert_array_equal(m.at(stopped.whole(m.depth)), by_length[:, min(n, case.longest)])
    half = len(own) // 2
    alone = lists.block(half, len(own))
    np.testing.assert_array_equal(m.at(alone.at_lengths(stops, m.depth)), by_length[half:])


@pytest.mark.parametrize("name", sorted(n for n, cls in MINE.items() if n not in ELSEWHERE))
@given(data=st.data())
@few(12)
def test_what_rises_only_at_hits(name: str, data: st.DataObject) -> None:
    """A longer list scores higher only where a document with a gain was added, if the measure says so."""
    case = data.draw(cases(longest(name), grades=2))
    m = variant(name, data.draw)
    if not m.rises_only_at_hits and not m.rises_only_at_hits_or_end:
        return
    note(m.full())
    m = m.but(judged_only=False)
    lists = label(m, case)
    steps = np.diff(m.at(lists.at_lengths(np.arange(case.longest + 1), m.depth)), axis=1)
    hit = np.zeros(steps.shape, bool)
    hit[lists.entries.list, lists.entries.rank - 1] = True
    if not m.rises_only_at_hits:  # the last document of a list may count as well, if the list did not end by choice
        own = np.flatnonzero(lists.lengths > 0)
        hit[own, lists.lengths[own] - 1] |= ~np.array([ranking.terminal for _, ranking in case.lists()])[own]
    risen = np.where(hit | np.isnan(steps), 0.0, steps)
    assert risen.max(initial=0.0) <= 1e-12


def test_rises_only_at_hits_is_claimed_where_it_matters() -> None:
    claimed = {n for n, cls in MINE.items() if cls.rises_only_at_hits}
    assert {"U", "DCGU", "RBPU", "RBU", "ERRU", "RRT", "RBPT", "ERRT", "AP", "nDCG", "RBP", "ERR", "INST"} <= claimed
    assert not {"APT", "nDCGT", "Spearman", "Kendall", "NumRet", "Judged"} & claimed
    assert {n for n, cls in MINE.items() if cls.rises_only_at_hits_or_end} == {"APT", "nDCGT"}
    assert MINE["OIE"]().rises_only_at_hits
    assert not MINE["OIE"](beta=0.9).rises_only_at_hits


# ---------------------------------------------------------------------------------------------------------- tied scores


def test_tie_rules_are_those_of_the_definitions() -> None:
    assert {n for n, cls in MINE.items() if "share" in cls.ties} == naive.FIXED
    assert {n for n, cls in MINE.items() if "mean-gain" in cls.ties} == naive.MEAN_GAIN


@pytest.mark.parametrize("rule", ["share", "mean-gain"])
@pytest.mark.parametrize("name", sorted(naive.FIXED | naive.MEAN_GAIN))
@given(data=st.data())
@few(10)
def test_shared_ties_equal_naive(rule: str, name: str, data: st.DataObject) -> None:
    if rule not in MINE[name].ties:
        return
    case = data.draw(cases(ties=rule, terminal=False))
    m = variant(name, data.draw)
    m = m.but(pad=None) if "pad" in m.params else m
    note(m.full())
    slow = naive.share_score if rule == "share" else naive.mean_gain_score
    options = options_of(m, case)
    options.pop("depth", None)
    by_depth = m.at(label(m, case).at_depths(np.arange(66)))
    for d in (0, 1, data.draw(st.integers(2, 62)), 65):
        values = [slow(name, topic, ranking, k=d, **options) for topic, ranking in case.lists()]
        near(by_depth[:, d], np.array([math.nan if v is None else v for v in values]), f"depth {d}")


# -------------------------------------------------------------------------------------------------------- runs, readers


@given(data=st.data())
@few(40)
def test_c_at_1_equals_naive(data: st.DataObject) -> None:
    case = data.draw(cases(longest=3, judged=3, grades=2))
    m = MINE["c@1"](rel=data.draw(st.sampled_from([1, 2])))
    track = case.track()
    got = m.aggregate(m.at(m.label(Labeller(track)).whole()).reshape(track.shape))
    for r, run in enumerate(case.rows):
        answers = [(rows[0], grades) for rows, grades in zip(run, case.grades, strict=True) if rows]
        first = [naive.relevant(None if row is None else grades[row], m.rel) for row, grades in answers]
        assert got[r] == pytest.approx(naive.c_at_1(sum(first), len(run) - len(first), len(run)), abs=1e-12)


def reader(m: Any, gains: list[float], k: int | None) -> tuple[list[float], float]:
    """Views over the list and their sum to infinity, of a measure's reader, by the naive definitions."""
    if m.name == "RBP":
        return naive.geometric(gains, m.p)
    if m.name == "INSQ":
        return naive.squares(gains, lambda i: 2 * m.T, None)
    if m.name == "INST":
        return naive.squares(gains, lambda i: 2 * m.T - math.fsum(gains[:i]), None)
    assert k is not None
    return naive.scaled_dcg(gains, k) if m.name == "SDCG" else naive.bejeweled(gains, m.T, k)


READERS = ["RBP", "INST", "INSQ", "SDCG", "BPM"]
FIGURES = ["EU", "ETU", "EC", "ETC", "ED"]


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
@few(12)
def test_expectations_equal_naive(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(terminal=False))
    inner: Any = variant(name, data.draw).but(gain=data.draw(st.sampled_from(CHANCE["gain"])))
    inner = inner.but(pad=None) if "pad" in inner.params else inner
    measures = {f: MINE[f](of=inner) for f in FIGURES}
    note(inner.full())
    curves = {f: m.at(label(m, case).at_depths(np.arange(66))) for f, m in measures.items()}
    options = options_of(inner, case)
    for d in (1, data.draw(st.integers(2, 62)), 65):
        for i, (topic, ranking) in enumerate(case.lists()):
            ranking = naive.condensed(ranking) if inner.judged_only else ranking
            seen = naive.Seen(topic, ranking.rows, d, options["gmax"], True)
            gains = seen.gains(options["gain"], options["rel"])
            views, total = reader(inner, gains, d)
            for figure, value in naive.cwl(gains, views, total).items():
                assert curves[figure][i, d] == pytest.approx(value, rel=1e-12, abs=1e-12), figure


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "nRBP(p=0.9)", "INSQ(T=1)", "INST(T=2)"])
@given(rank=st.integers(1, 30), further=st.integers(-1, 9), total=st.sampled_from([0.0, 0.5, 2.0]))
@few(25)
def test_what_lies_beyond_a_list_is_the_sum_over_its_ranks(name: str, rank: int, further: int, total: float) -> None:
    """Documents seen up to a last rank, and the chance to pass it: the closed form against rank by rank."""
    m: Any = parse(name)
    arguments = [np.array([float(x)]) for x in (rank, total, rank + further)]
    for closed, summed in zip(m.beyond(*arguments), UserModel.beyond(m, *arguments), strict=True):
        assert closed == pytest.approx(summed, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
@few(10)
def test_the_general_sum_over_ranks_equals_the_closed_form(name: str, data: st.DataObject) -> None:
    case = data.draw(cases())
    m = variant(name, data.draw)
    note(m.full())
    eu = MINE["EU"](of=m)
    m = eu.inner
    lists, stops = label(m, case), np.arange(case.longest + 1)
    near(eu.at(lists.whole(m.depth)), m.at(lists.whole(m.depth)), "score")
    near(eu.at(lists.at_depths(np.arange(66))), m.at(lists.at_depths(np.arange(66))), "depth")
    near(eu.at(lists.at_lengths(stops, m.depth)), m.at(lists.at_lengths(stops, m.depth)), "length")
    which = np.tile(np.arange(len(lists.lengths))[::-1], len(stops))  # lists in any order
    n = np.minimum(np.repeat(stops, len(lists.lengths)), lists.returned[which])
    near(eu.at(lists.at_stops(which, n, m.depth)), m.at(lists.at_stops(which, n, m.depth)), "stops")
