"""The arguments behind the ranges, one by one: bounds bound, searches search everything, pools are not guessed."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.depths._bounds import bounds, boxes, graded, listing
from leadline.depths._bounds.blended import _Blended, _gains
from leadline.depths._bounds.completed import Lists, score
from leadline.depths._bounds.options import labels_of, options_of
from leadline.depths._bounds.pairs import optimum, sweep, total
from leadline.depths._bounds.pools import pool_of
from leadline.depths._bounds.problem import Block, Problem
from leadline.depths.ranges import ranges
from leadline.measures import parse
from leadline.rankings.track import Track
from leadline.rankings.typed import typed
from test_ranges_long import track_of


def block_of(track: Track, name: str) -> Block:
    m = parse(name)
    every = np.arange(len(track.lengths))
    p = Problem(m, Lists(track, every), options_of(m, track), labels_of(m, track), 0)
    return Block(p, every)


@pytest.mark.parametrize("top", [True, False])
def test_running_sums_are_those_of_each_choice(top: bool) -> None:
    x = block_of(track_of(4, length=40, judged=0.5), "AP")
    a, b = 1 / x.rank**0.5, 1 / (1 + x.rank)
    swept = sweep(x, a, b, top)
    for u in range(x.width + 1):
        one_by_one = total(x, np.full(len(x.index), u), a, b, top)
        np.testing.assert_allclose(swept[:, u], one_by_one, rtol=0, atol=1e-12)
    sums = optimum(x, a, b, top, lambda S, j: S / (5 + j**1.5))
    tried = [total(x, np.full(len(x.index), u), a, b, top) for u in range(x.width + 1)]
    counts = [np.take(x.open if top else x.total_open - x.open, u, axis=1) for u in range(x.width + 1)]
    values = np.stack([S / (5 + j**1.5) for S, j in zip(tried, counts, strict=True)])
    np.testing.assert_allclose(sums, values.max(axis=0) if top else values.min(axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["Q", "Q(beta=3)", "Q(beta=0.5)@20", "Q(gain='binary', beta=2)"])
def test_bounds_of_q_bound_every_number_of_hits(name: str) -> None:
    x = block_of(track_of(8, length=60, judged=0.6), name)
    pool = pool_of(x.p, False)
    q = _Blended(x, _gains(x.p), pool, pool)
    rows = np.arange(len(x.index))
    tight = 0
    for top in (True, False):
        j = x.open if top else x.total_open - x.open
        bound = q._most(j) if top else q._least(j)
        for u in range(x.width + 1):
            exact = q._sum(rows, j[:, u, None], top)
            gap = bound[:, u] - exact if top else exact - bound[:, u]
            assert (gap >= -1e-12).all()
            tight += int((gap < 0.1 * exact + 1e-12).sum())
    assert tight > x.width * len(rows) / 2  # or they would be of no use


@pytest.mark.parametrize(
    "name", ["nDCG(gmax=1)", "nDCG(gmax=1)@3", "nRBP(gain='raw', gmax=1, p=0.7)", "nDCGT(gain='raw', gmax=1)"]
)
def test_known_gains_beyond_those_of_new_documents(name: str) -> None:
    """Labels end at the gmax given, but some judgments are above it."""
    track = typed("3 - 1 - 2", rels="3 3 2 1")
    m = parse(name)
    found = ranges(track, m)
    values = [
        score(m, Lists(track, np.array([0])).completed(np.array(c)))[0] for c in itertools.product((0, 1), repeat=2)
    ]
    assert found.exact(m).all()
    assert found.lower(m)[0, 0] == pytest.approx(min(values), abs=1e-12)
    assert found.upper(m)[0, 0] == pytest.approx(max(values), abs=1e-12)


def every_score(m: Any, track: Track, gmax: int) -> list[Any]:
    """All completions of every list."""
    out = []
    for number in range(len(track.lengths)):
        U = int(Lists(track, np.array([number])).unjudged[0])
        labels = np.array(list(itertools.product(range(gmax + 1), repeat=U)), dtype=np.int64).reshape(-1, U)
        values = score(m, Lists(track, np.full(len(labels), number)).completed(labels.ravel()))
        out.append(values[~np.isnan(values)])
    return out


def held(m: Any, track: Track, gmax: int) -> Any:
    """The range holds all completions, and touches them where it says so; where it does."""
    found = bounds(m, track, np.arange(len(track.lengths)), 0)
    for number, values in enumerate(every_score(m, track, gmax)):
        assert found.lower[number] <= values.min() + 1e-12
        assert found.upper[number] >= values.max() - 1e-12
        if found.exact[number]:
            assert found.lower[number] == pytest.approx(values.min(), abs=1e-12)
            assert found.upper[number] == pytest.approx(values.max(), abs=1e-12)
    return found.exact


def lists_of(seed: int, gmax: int, length: int = 7, count: int = 30) -> Track:
    """Short graded lists, some with relevant documents that they miss."""
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, gmax + 1, (count, 5))
    grades[:, 0] = gmax
    qrels = {f"q{t}": {f"d{i}": int(g) for i, g in enumerate(row)} for t, row in enumerate(grades)}
    run = {}
    for t in range(count):
        docs = [f"d{i}" for i in rng.permutation(5)[: rng.integers(1, 5)]] + [f"u{i}" for i in range(5)]
        docs = rng.permutation(docs)[:length].tolist()
        run[f"q{t}"] = {str(d): float(length - i) for i, d in enumerate(docs)}
    return leadline.read(qrels, {"run": run})


@pytest.fixture
def no_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_EACH", 0)


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("name", ["nERR", "nERR@4", "niRBU(p=0.8)", "nERR(gain='linear')"])
@pytest.mark.parametrize("gmax", [2, 3])
def test_search_through_boxes(name: str, gmax: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By halving boxes of numbers, where usually all numbers are tried."""
    monkeypatch.setattr(boxes, "few_numbers", lambda p: False)
    assert held(parse(name), lists_of(gmax, gmax), gmax).all()


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize(
    "name",
    [
        "nDCGT",
        "nDCGT(ideal='full', gain='raw')",
        "nDCGT(gain='exp')",
        "nERR",
        "niRBU(p=0.9)",
        "nDCG",
        "nRBP(p=0.6, gain='raw')",
    ],
)
@pytest.mark.parametrize("gmax", [2, 3])
def test_graded_lists_are_exact(name: str, gmax: int) -> None:
    assert held(parse(name), lists_of(10 + gmax, gmax), gmax).all()


@pytest.mark.usefixtures("no_listing")
@pytest.mark.parametrize("name", ["Q", "Q(beta=10, gain='raw-exp')", "Q(gain='exp')@5", "Q(norm='min')@4"])
@pytest.mark.parametrize("gmax", [2, 3])
def test_graded_q(name: str, gmax: int, monkeypatch: pytest.MonkeyPatch) -> None:
    track = lists_of(20 + gmax, gmax)
    assert held(parse(name), track, gmax).mean() > 0.3
    monkeypatch.setattr(graded, "_SHORT", 0)  # the interval of long lists
    held(parse(name), track, gmax)


@pytest.mark.usefixtures("no_listing")
def test_graded_q_is_not_sorted() -> None:
    """A small new gain above large known ones can be worse than below them: sorted labels give 0.585, not the least."""
    track = typed("- 3 - 3", rels="3 3")
    m = parse("Q(beta=10, gain='raw-exp')")
    values = every_score(m, track, 3)[0]
    in_order = [
        score(m, Lists(track, np.array([0])).completed(np.array(c)))[0]
        for c in itertools.product(range(4), repeat=2)
        if c[0] <= c[1]
    ]
    assert values.min() < min(in_order) - 0.005
    assert not held(m, track, 3).any()


def test_graded_q_of_long_lists_holds_what_can_be_found() -> None:
    track = track_of(9, length=150, judged=0.4, gmax=2, runs=1)
    m = parse("Q")
    found = ranges(track, m, undefined="nan")
    for t in range(1, 4):
        U = int(Lists(track, np.array([t])).unjudged[0])
        place = np.arange(U)
        tried = [
            np.where(place < j, np.where(place < j * f, 2, 1), 0)
            for j in range(0, U + 1, 4)
            for f in (0.0, 0.3, 0.6, 1.0)
        ]
        labels = np.array([*tried, *(x[::-1] for x in tried)])
        values = score(m, Lists(track, np.full(len(labels), t)).completed(labels.ravel()))
        assert found.lower(m)[0, t] <= values.min()
        assert found.upper(m)[0, t] >= values.max()
        assert found.upper(m)[0, t] < 1


@pytest.mark.parametrize("name", ["Kendall(docs=30)", "Spearman(docs=30)", "nDCGT(gain='exp')", "OIE(docs=30)", "Q"])
@pytest.mark.parametrize("gmax", [2, 3])
def test_short_graded_lists_are_listed(name: str, gmax: int) -> None:
    assert held(parse(name), lists_of(30 + gmax, gmax, length=6), gmax).all()


POOLED = [
    "AP(norm='pool')@2",
    "nDCG(ideal='k')@2",
    "Q(norm='pool')@2",
    "Q(ideal='k')@2",
    "nDCG(ideal='k')@3",
    "AP(norm='pool')@1",
]


@pytest.mark.parametrize("name", POOLED)
@pytest.mark.parametrize("fed", [["a", "b"], ["a"], ["b"]])
def test_pools_that_other_runs_feed(name: str, fed: list[str]) -> None:
    """What another contributor ranks high is in the pool, though a Track cannot know that it is the same document."""
    known = {"q": {"r": 1, "n": 0, "s": 1, "t": 1}}
    runs = {
        "a": {"q": dict(zip("xrnyst", range(6, 0, -1), strict=True))},
        "b": {"q": dict(zip("ytxrn", range(5, 0, -1), strict=True))},
    }
    track = leadline.read(known, runs, contributors=fed)
    found = ranges(track, name, undefined="nan")
    for labels in itertools.product((0, 1), repeat=2):
        whole = leadline.read({"q": {**known["q"], **dict(zip("xy", labels, strict=True))}}, runs, contributors=fed)
        values = leadline.evaluate(whole, name, undefined="nan").array(name)[:, 0]
        for run in range(2):
            if not np.isnan(values[run]):
                assert found.lower(name)[run, 0] <= values[run] + 1e-12
                assert found.upper(name)[run, 0] >= values[run] - 1e-12
    assert not found.exact(name).all()


def test_the_only_contributor_knows_its_pool() -> None:
    track = typed("1 - 0 - 1", rels="1 1 1")
    for name in POOLED:
        m = parse(name)
        assert ranges(track, m).exact(m).all()
        held(m, track, 1)
