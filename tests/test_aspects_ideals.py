"""Ideal rankings of several aspects, explanations, and the alternatives of a sensitivity analysis."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_systems as naive
from leadline.errors import UsageError
from leadline.io.aspects import Aspect, AspectSet, declare
from leadline.rankings import aspects as module
from leadline.rankings.aspect_choices import CHOICES, alternatives
from leadline.rankings.aspect_distances import DISTANCES
from leadline.rankings.aspect_explain import explain, label_grid, order_line
from leadline.rankings.aspect_ideals import ideal_rankings, ideal_strategies, toma_ideal
from leadline.rankings.aspects import classes


@st.composite
def judged(draw):
    found = []
    for a in range(draw(st.integers(1, 3))):
        n = draw(st.integers(2, 4))
        values = draw(st.none() | st.lists(st.fractions(0, 3, max_denominator=3), min_size=n, max_size=n).map(sorted))
        found.append(Aspect(f"a{a}", tuple(map(str, range(n))), values))
    aspects = AspectSet(tuple(found))
    row = st.tuples(st.integers(0, 3), *(st.integers(0, n - 1) for n in aspects.shape))
    rows = draw(st.lists(row, max_size=25))
    ids = draw(st.permutations(range(len(rows))))
    table = np.array(rows, np.int64).reshape(len(rows), 1 + len(aspects))
    return aspects, table[:, 0], table[:, 1:], np.array(ids, np.int64)


@settings(max_examples=80, deadline=None)
@given(judged(), st.sampled_from(DISTANCES))
def test_ideal_rankings_follow_the_definition(case, distance):
    aspects, topic, labels, doc_rank = case

    order = classes(aspects, distance)
    weights = order.weights(labels)
    wanted = sorted(range(len(topic)), key=lambda i: (topic[i], -weights[i], doc_rank[i]))
    assert toma_ideal(order, labels, topic, doc_rank).tolist() == wanted

    values = [a.numbers for a in aspects]
    found = [rows.tolist() for _, rows in ideal_rankings(aspects, labels, topic, doc_rank)]
    wanted = [[] for _ in found]
    for t in range(4):
        rows = sorted(np.flatnonzero(topic == t).tolist(), key=lambda i: doc_rank[i])
        for place, ranking in enumerate(naive.ideal_rankings([tuple(labels[i].tolist()) for i in rows], values)):
            wanted[place] += [rows[i] for i in ranking]
    assert found == wanted


def test_negative_numbers_gain_nothing():
    aspects = declare("a=x:-3,y:0,z:1 b=x:0,y:1")
    found = dict(ideal_rankings(aspects, np.array([[1, 0], [0, 0], [0, 1]]), np.zeros(3, int)))
    assert found["squares"].tolist() == [2, 0, 1]
    assert found["a>b"].tolist() == [0, 2, 1]


def test_rows_keep_their_order_without_document_ids():
    aspects = declare("a=0,1 b=0,1")
    labels = np.array([[1, 0], [0, 1], [1, 1]])
    assert toma_ideal(classes(aspects), labels, np.zeros(3, int)).tolist() == [2, 0, 1]
    with pytest.raises(UsageError, match="3 topics of rows, but 2 document ranks"):
        toma_ideal(classes(aspects), labels, np.zeros(3, int), np.arange(2))
    with pytest.raises(UsageError, match="3 label rows, but 2 topics"):
        toma_ideal(classes(aspects), labels, np.zeros(2, int))


def test_exact_sums_beyond_64_bits():
    big = [0, Fraction(1, 1_000_003), Fraction(3, 999_983), 10**6]
    aspects = AspectSet((Aspect("a", tuple("wxyz"), big), Aspect("b", tuple("wxyz"), big)))
    labels = np.array([[1, 2], [2, 1], [3, 0], [2, 2]])
    found = dict(ideal_rankings(aspects, labels, np.zeros(4, int)))
    assert found["squares"].tolist() == [2, 3, 0, 1]


def test_many_aspects_are_not_tried_in_every_order():
    few, nothing = ideal_strategies(declare([f"a{i}=0,1" for i in range(6)]))
    assert len(few) == 720 + 3
    assert not nothing
    many, findings = ideal_strategies(declare([f"a{i}=0..9" for i in range(25)]))
    assert len(many) == 25 * 24 + 3
    assert findings.codes == {"orders-of-aspects-left-out"}
    aspects = declare([f"a{i}=0..9" for i in range(25)])  # 10^25 tuples: codes do not fit 64 bits
    labels = np.random.default_rng(1).integers(0, 3, (30, 25))
    for name, rows in ideal_rankings(aspects, labels, np.zeros(30, int)):
        if name == "a3>a1" + "".join(f">a{i}" for i in range(25) if i not in (1, 3)):
            way = [3, 1, *(i for i in range(25) if i not in (1, 3))]
            assert rows.tolist() == sorted(range(30), key=lambda i: [-x for x in labels[i][way]])
            break
    else:
        pytest.fail("the order a3, a1, … was not tried")


# explanations ---------------------------------------------------------------------------------------------------------
SECOND = declare("relevance=nr,mr,fr,hr correctness=nc,pc,c", rules=["relevance=nr => correctness=nc"])


def test_a_published_order_in_one_line():
    assert order_line(classes(SECOND, "euclidean"), values=True) == (
        "(3, 2) > (3, 1) = (2, 2) > (2, 1) > (3, 0) = (1, 2) > (2, 0) = (1, 1) > (1, 0) > (0, 0)"
    )


def test_explanation_by_class():
    lines = explain(classes(SECOND, "euclidean")).splitlines()
    assert lines[2] == "euclidean distance to (hr, c), feasible tuples, 7 classes, best first"
    assert [line.split(maxsplit=2) for line in lines[4:]] == [
        ["6", "0", "(hr, c)"],
        ["5", "1", "(hr, pc) = (fr, c)"],
        ["4", "√2", "(fr, pc)"],
        ["3", "2", "(hr, nc) = (mr, c)"],
        ["2", "√5", "(fr, nc) = (mr, pc)"],
        ["1", "√8", "(mr, nc)"],
        ["0", "√13", "(nr, nc)"],
    ]
    half = explain(classes(declare("a*1/2=0..1 b=0..1")))
    assert "a: 0 0 < 1 1  (weight 1/2)" in half
    assert "√(5/4)  (0, 0)" in half
    many = explain(classes(declare([f"a{i}=0..2" for i in range(5)]), "chebyshev"))
    assert "… and 199 more" in many
    assert "1.41421" in explain(classes(SECOND, lambda p, best: np.hypot(*(best - p).T)))


def test_explanation_of_a_grid_not_laid_out(monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 1)
    text = explain(classes(declare("a=0..1 b=0..1"), observed=np.array([[1, 1]])))
    assert text.splitlines()[-3:] == ["2         0  (1, 1)", "1         1  not observed", "0        √2  not observed"]


def test_label_grid():
    cells = {cell.labels: cell for cell in label_grid(classes(SECOND.with_weights({"correctness": 2}), "manhattan"))}
    assert len(cells) == 12
    assert (cells["hr", "pc"].x, cells["hr", "pc"].y, cells["hr", "pc"].distance) == (3, 2, 2)
    excluded = cells["nr", "c"]
    assert (excluded.place, excluded.weight, excluded.distance) == (None, None, 3)
    assert (cells["hr", "c"].place, cells["nr", "nc"].weight) == (0, 0)
    with pytest.raises(UsageError, match="needs two aspects, got 1"):
        label_grid(classes(declare("a=0,1")))


# alternatives ---------------------------------------------------------------------------------------------------------
def test_alternatives_are_all_combinations():
    found = alternatives(SECOND)
    names = [x.name for x in found]
    assert names == ["/".join(choice) for choice in product(*CHOICES.values())]
    rows = np.array([[0, 0], [1, 2], [3, 1], [3, 0]])
    by_name = {x.name: x for x in found}
    for one in found:
        if one.twin is not None:
            assert names.index(one.twin) < names.index(one.name)
            assert one.order.weights(rows).tolist() == by_name[one.twin].order.weights(rows).tolist()
    assert by_name["step/euclidean/step"].twin == "declared/euclidean/step"
    assert by_name["range/euclidean/step"].twin is None
    assert by_name["range/euclidean/step"].order.weights(rows).tolist() == [0, 5, 7, 3]
    assert by_name["range/euclidean/square"].order.weights(rows).tolist() == [0, 25, 49, 9]


def test_own_alternatives():
    found = alternatives(
        SECOND,
        embeddings={"mine": {"correctness": [0, 2, 6]}},
        distances=["chebyshev", lambda p, best: np.abs(best - p).sum(axis=-1)],
        weights={"tenfold": lambda h: 10 * h},
    )
    assert [x.name for x in found] == ["mine/chebyshev/tenfold", "mine/<lambda>/tenfold"]
    assert found[0].order.weights(np.array([[1, 2], [0, 0]])).tolist() == [20, 0]
    with pytest.raises(UsageError, match="at least one"):
        alternatives(SECOND, weights=())


def test_alternatives_of_a_grid_not_laid_out(monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 1)
    found = alternatives(declare("a=0..2 b=0..2"), weights=["step"])
    assert {x.name for x in found if x.twin} == {f"step/{d}/step" for d in DISTANCES}
