"""The distance order of label tuples: published orders and weights, exactness, dominance, binary options."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_systems as naive
from leadline.errors import InputError, UnknownName, UsageError
from leadline.io.aspects import Aspect, AspectSet, declare
from leadline.rankings import aspects as module
from leadline.rankings.aspect_distances import DISTANCES, EMBEDDINGS, embed, per_tuple
from leadline.rankings.aspects import WEIGHTS, classes, dominance_violations

RULE = "relevance=nr => correctness=nc"
T = "relevance=nr:0,mr:1,fr:2,hr:3 correctness=nc:{},pc:{},c:{}"

# correctness values → distance → classes, best first, as printed
TABLE_1 = {
    ("0", "3/2", "3"): {
        "euclidean": "(3,3)|(2,3)|(3,3/2)|(2,3/2)|(1,3)|(1,3/2)|(3,0)|(2,0)|(1,0)|(0,0)",
        "manhattan": "(3,3)|(2,3)|(3,3/2)|(1,3)|(2,3/2)|(3,0)|(1,3/2)|(2,0)|(1,0)|(0,0)",
        "chebyshev": "(3,3)|(2,3)|(3,3/2)(2,3/2)|(1,3)(1,3/2)|(3,0)(2,0)(1,0)(0,0)",
    },
    ("0", "1", "2"): {
        "euclidean": "(3,2)|(3,1)(2,2)|(2,1)|(3,0)(1,2)|(2,0)(1,1)|(1,0)|(0,0)",
        "manhattan": "(3,2)|(3,1)(2,2)|(3,0)(2,1)(1,2)|(2,0)(1,1)|(1,0)|(0,0)",
        "chebyshev": "(3,2)|(3,1)(2,1)(2,2)|(3,0)(2,0)(1,0)(1,1)(1,2)|(0,0)",
    },
    ("0", "2", "6"): {
        "euclidean": "(3,6)|(2,6)|(1,6)|(3,2)|(2,2)|(1,2)|(3,0)|(2,0)|(1,0)|(0,0)",
        "manhattan": "(3,6)|(2,6)|(1,6)|(3,2)|(2,2)|(1,2)(3,0)|(2,0)|(1,0)|(0,0)",
        "chebyshev": "(3,6)|(2,6)|(1,6)|(3,2)(2,2)(1,2)|(3,0)(2,0)(1,0)(0,0)",
    },
}


@pytest.mark.parametrize("values", TABLE_1)
@pytest.mark.parametrize("distance", DISTANCES)
def test_the_nine_published_orders(values, distance):
    order = classes(declare(T.format(*values), rules=[RULE]), distance)
    found = [
        {order.aspects.spell(row, values=True).replace(" ", "") for row in order.members(c).tolist()}
        for c in range(len(order))
    ]
    wanted = [set(part.replace(")(", ") (").split()) for part in TABLE_1[values][distance].split("|")]
    assert found == wanted
    assert order.class_weights.tolist() == list(range(len(wanted)))[::-1]


# rankings of d1 = (mr, c), d2 = (hr, pc), d3 = (hr, nc): nDCG, then AP with the top half; EUCL, MANH, CHEB
TABLE_3 = {
    "123": ((0.9367, 0.9711, 0.8597), (1, 1, 0.5)),
    "132": ((0.8917, 0.9404, 0.7602), (0.8333, 0.8333, 0.3333)),
    "213": ((1, 1, 1), (1, 1, 1)),
    "231": ((0.9775, 0.9795, 0.9502), (0.8333, 0.8333, 1)),
    "312": ((0.8284, 0.8827, 0.6199), (0.5833, 0.5833, 0.3333)),
    "321": ((0.8509, 0.8929, 0.6697), (0.5833, 0.5833, 0.5)),
    "12": ((0.8080, 0.8147, 0.8597), (1, 1, 0.5)),
    "13": ((0.5914, 0.6667, 0.3801), (0.5, 0.5, 0)),
    "21": ((0.8713, 0.8436, 1), (1, 1, 1)),
    "23": ((0.7630, 0.7449, 0.7602), (0.5, 0.5, 1)),
    "31": ((0.5281, 0.6089, 0.2398), (0.25, 0.25, 0)),
    "32": ((0.6364, 0.6583, 0.4796), (0.25, 0.25, 0.5)),
    "1": ((0.4290, 0.4693, 0.3801), (0.5, 0.5, 0)),
    "2": ((0.6006, 0.5475, 0.7602), (0.5, 0.5, 1)),
    "3": ((0.2574, 0.3129, 0), (0, 0, 0)),
}
DOCS = np.array([[1, 2], [3, 1], [3, 0]])


def dcg(gains):
    return sum(g / log2(i + 1) for i, g in enumerate(gains, 1))


@pytest.mark.parametrize("ranking", TABLE_3)
def test_the_published_scores(ranking):
    for column, distance in enumerate(DISTANCES):
        order = classes(declare(T.format(0, 1.5, 3), rules=[RULE]), distance)
        weights, hits = order.weights(DOCS).tolist(), order.binary(DOCS, "top-half").tolist()
        picked = [int(d) - 1 for d in ranking]
        ndcg = dcg([weights[d] for d in picked]) / dcg(sorted(weights, reverse=True))
        relevant = [hits[d] for d in picked]
        ap = sum(sum(relevant[:i]) / i for i in range(1, len(relevant) + 1) if relevant[i - 1]) / sum(hits)
        assert ndcg == pytest.approx(TABLE_3[ranking][0][column], abs=5e-5)
        assert ap == pytest.approx(TABLE_3[ranking][1][column], abs=5e-5)


def test_weights_of_table_3():
    found = {d: classes(declare(T.format(0, 1.5, 3), rules=[RULE]), d).weights(DOCS).tolist() for d in DISTANCES}
    assert found == {"euclidean": [5, 7, 3], "manhattan": [6, 7, 4], "chebyshev": [1, 2, 0]}


# any aspects ----------------------------------------------------------------------------------------------------------
fractions = st.fractions(0, 4, max_denominator=12)
importance = st.fractions(Fraction(1, 5), 3, max_denominator=7)


@st.composite
def aspect_sets(draw, most=4):
    found = []
    for a in range(draw(st.integers(1, most))):
        n = draw(st.integers(2, 4))
        values = draw(st.none() | st.lists(fractions, min_size=n, max_size=n).map(sorted))
        found.append(Aspect(f"a{a}", tuple(f"l{i}" for i in range(n)), values, draw(importance)))
    return AspectSet(tuple(found))


def embedding(aspects):
    """Numbers of the labels, stretched by importance, as the naive definitions take them."""
    return [[w * v for v in a.numbers] for w, a in zip(aspects.weights, aspects, strict=True)]


def all_tuples(aspects):
    return list(product(*(range(n) for n in aspects.shape)))


@settings(max_examples=80, deadline=None)
@given(aspect_sets(), st.sampled_from(DISTANCES), st.data())
def test_weights_follow_the_definition(aspects, distance, data):
    grid = all_tuples(aspects)
    order = classes(aspects, distance)
    found = dict(zip(grid, order.weights(np.array(grid)).tolist(), strict=True))
    assert found == naive.toma_weights(grid, embedding(aspects), distance)
    seen = data.draw(st.lists(st.sampled_from(grid), min_size=1))
    observed = classes(aspects, distance, tuples="observed", observed=np.array(seen))
    wanted = naive.toma_weights(set(seen), embedding(aspects), distance)
    assert observed.weights(np.array(seen)).tolist() == [wanted[row] for row in seen]


@settings(max_examples=80, deadline=None)
@given(aspect_sets(), st.sampled_from(DISTANCES), st.sampled_from(list(EMBEDDINGS)), st.sampled_from(list(WEIGHTS)))
def test_dominance_is_never_violated(aspects, distance, embedding, weight):
    order = classes(embed(aspects, embedding), distance, weight=weight)
    grid = np.array(all_tuples(aspects))
    weights = order.weights(grid)
    for i in range(len(grid)):
        dominated = (grid <= grid[i]).all(axis=1)
        assert weights[dominated].max() == weights[i]
    assert dominance_violations(order) == []
    assert order.weights(np.array([[n - 1 for n in aspects.shape]]))[0] == weights.max()
    assert weights.min() == 0 == order.weights(np.zeros((1, len(aspects)), int))[0]


@settings(max_examples=60, deadline=None)
@given(aspect_sets(), st.sampled_from(DISTANCES))
def test_a_grid_that_is_not_laid_out_gives_the_same_weights(aspects, distance):
    grid = np.array(all_tuples(aspects))
    listed = classes(aspects, distance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LIMIT", 1)
        unlisted = classes(aspects, distance, observed=grid)
    assert unlisted.table is None
    assert unlisted.weights(grid).tolist() == listed.weights(grid).tolist()
    assert unlisted.distances == listed.distances
    assert [m.tolist() for m in map(unlisted.members, range(len(listed)))] == [
        m.tolist() for m in map(listed.members, range(len(listed)))
    ]
    assert unlisted.binary(grid).tolist() == listed.binary(grid).tolist()
    assert dominance_violations(unlisted) == []


def test_twenty_aspects_need_no_grid():
    order = classes(declare([f"a{i}=0..4" for i in range(20)]), "manhattan")
    assert len(order) == 81
    assert order.weights(np.array([[4] * 20, [0] * 20, [1] + [0] * 19])).tolist() == [80, 0, 1]
    assert not order.findings


def test_too_many_tuples_with_rules_fall_back_on_the_observed_ones():
    aspects = declare([f"a{i}=0..4" for i in range(20)], rules=["a0=0 => a1=0"])
    with pytest.raises(UsageError, match="too many to list"):
        classes(aspects)
    rows = np.array([[4] * 20, [0] * 20, [1] * 20])
    order = classes(aspects, observed=rows)
    assert order.weights(rows).tolist() == [2, 0, 1]
    assert order.findings.codes == {"too-many-tuples"}
    assert str(order.findings[0]).startswith("too-many-tuples: 3, of 95,367,431,640,625 tuples are observed")
    with pytest.raises(InputError, match="rules exclude"):
        order.weights(np.array([[0, 4] + [0] * 18]))
    with pytest.raises(InputError, match="not among the observed"):
        order.weights(np.array([[2] * 20]))
    alike = classes(aspects, observed=np.array([[1, 0] + [0] * 18]))
    with pytest.raises(InputError, match="rules exclude"):
        alike.weights(np.array([[0, 1] + [0] * 18]))  # as far as the one observed, yet not feasible


# exactness ------------------------------------------------------------------------------------------------------------
def test_decimal_numbers_tie_as_decimals():
    order = classes(declare({"a": "x:0,y:0.3", "b": "x:0,y:0.1", "c": "x:0,y:0.2"}), "manhattan")
    assert order.weights(np.array([[0, 1, 1], [1, 0, 0]])).tolist() == [3, 3]  # as binary floats 0.1 + 0.2 > 0.3
    floats = order.aspects.with_values({"a": [0, 0.3], "b": [0, 0.1], "c": [np.float32(0), np.float64(0.2)]})
    assert floats == order.aspects


def test_denominators_beyond_64_bits():
    p, q, r = 1_000_003, 999_983, 1_000_033
    values = [0, Fraction(1, p), Fraction(1, q), Fraction(2, r)]
    aspects = AspectSet((Aspect("a", tuple("wxyz"), values), Aspect("b", tuple("wxyz"), values)))
    grid = all_tuples(aspects)
    for distance in DISTANCES:
        order = classes(aspects, distance)
        found = order.weights(np.array(grid)).tolist()
        assert dict(zip(grid, found, strict=True)) == naive.toma_weights(grid, embedding(aspects), distance)
        far = {naive.distance_to_best(row, embedding(aspects), distance) for row in grid}
        assert order.distances == tuple(sorted(far))
    assert classes(aspects, "euclidean").keys.dtype == object


def test_numbers_that_floats_cannot_tell_apart():
    tiny = Fraction(1, 10**30)
    aspects = AspectSet((Aspect("a", ("x", "y"), (0, 1)), Aspect("b", ("x", "y"), (0, 1 + tiny))))
    order = classes(aspects, "euclidean")
    assert order.weights(np.array([[0, 1], [1, 0]])).tolist() == [2, 1]


# a user's distance and weights ----------------------------------------------------------------------------------------
def cubic(points, best):
    return (np.abs(best - points) ** 3).sum(axis=-1) ** (1 / 3)


def test_a_users_distance_is_compared_to_twelve_digits():
    aspects = declare("a=0..3 b=0..3 c=0..3")
    grid = np.array(all_tuples(aspects))
    order = classes(aspects, cubic)
    cubes = ((3 - grid) ** 3).sum(axis=1)
    wanted = np.unique(-cubes, return_inverse=True)[1]
    assert order.distance == "cubic"
    assert order.weights(grid).tolist() == wanted.tolist()
    single = classes(aspects, per_tuple(lambda point, best: float(np.abs(best - point).sum() * 0.1)))
    assert single.weights(grid).tolist() == classes(aspects, "manhattan").weights(grid).tolist()


def test_rounding_noise_is_no_class():
    def noisy(points, best):
        return 0.1 * np.abs(best - points).sum(axis=-1) + 1e-15 * (points[..., 0] == 1)

    aspects = declare("a=0..2 b=0..2")
    grid = np.array(all_tuples(aspects))
    assert classes(aspects, noisy).weights(grid).tolist() == classes(aspects, "manhattan").weights(grid).tolist()


@pytest.mark.parametrize(
    ("distance", "message"),
    [
        (lambda points, best: np.abs(best - points), r"got shape \(6, 2\); wrap"),
        (lambda points, best: np.abs(best - points).sum(axis=-1) + 1, "0 from the best tuple"),
        (lambda points, best: -np.abs(best - points).sum(axis=-1), "not negative"),
        (lambda points, best: np.where((points == best).all(axis=-1), 0.0, np.nan), "finite"),
        (lambda points, best: points[..., 0] * (1 - points[..., 1]), r"ranks \(n, n\) above \(y, n\)"),
    ],
)
def test_unsound_distances_are_refused(distance, message):
    with pytest.raises(UsageError, match=message):
        classes(declare("a=n,y b=n,y"), distance)


def test_a_users_weights():
    order = classes(declare("a=0..1 b=0..1"))
    rows = np.array([[1, 1], [0, 1], [0, 0]])
    assert order.reweigh([0, 1, 10]).weights(rows).tolist() == [10, 1, 0]
    assert order.reweigh(lambda h: 2**h - 1).gains == {0: 0, 1: 1, 2: 3}
    assert order.reweigh("exp").gains == {0: 0, 1: 1, 2: 3}
    assert order.reweigh("distance").gains == pytest.approx({0: 0, 1: 2**0.5 - 1, 2: 2**0.5})
    assert order.reweigh([0, 0, 1], strict=False).weights(rows).tolist() == [1, 0, 0]
    raised = order.reweigh([1, 2, 3])
    assert str(raised.findings) == "worst-weight-above-zero: 1 (1), unjudged documents still gain 0"
    assert not raised.reweigh("step").findings
    assert order.gains == {0: 0, 1: 1, 2: 2}, "an order is not changed by weighing it anew"


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([0, 0, 1], "rise from the worst class to the best, got 0 for height 0 and 0 for height 1"),
        ([2, 1, 0], "rise from the worst"),
        ([0, 1], "expected 3 numbers"),
        ([0, 1, float("inf")], "finite"),
        ([-1, 0, 1], "got -1"),
        (lambda h: h * np.nan, "finite"),
        ("steps", "Did you mean 'step'"),
    ],
)
def test_weights_that_contradict_the_order(weight, message):
    with pytest.raises(UsageError, match=message):
        classes(declare("a=0..1 b=0..1"), weight=weight)


# binary ---------------------------------------------------------------------------------------------------------------
@settings(max_examples=50, deadline=None)
@given(aspect_sets(most=3), st.sampled_from(DISTANCES), st.data())
def test_binary_follows_the_definition(aspects, distance, data):
    grid = all_tuples(aspects)
    equal = aspects.with_weights(dict.fromkeys(aspects.names, 1))  # the naive definition knows no importance here
    seen = data.draw(st.lists(st.sampled_from(grid), min_size=1))
    for rows, order in (
        (grid, classes(equal, distance)),
        (seen, classes(equal, distance, tuples="observed", observed=np.array(seen))),
    ):
        for how in ("aspects", "top-half", *range(1, len(order), 5)):
            wanted = naive.toma_binary(set(rows), embedding(equal), distance, how)
            assert order.binary(np.array(rows), how).tolist() == [bool(wanted[row]) for row in rows]


def test_importance_counts_in_the_binary_order_too():
    rows = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    order = classes(declare("a*2=0..2 b=0..2"), "chebyshev")
    assert order.binary(rows).tolist() == [True, False, True, False]


def test_binary_options():
    order = classes(declare(T.format(0, 1.5, 3), rules=[RULE]), "chebyshev")
    rows = np.array([[3, 2], [3, 1], [1, 2], [3, 0], [0, 0]])
    assert order.binary(rows).tolist() == [True, True, True, False, False]
    assert order.binary(rows, "top-half").tolist() == [True, True, False, False, False]
    assert order.binary(rows, 1).tolist() == [True, True, True, False, False]
    assert order.binary(rows, "4").tolist() == [True, False, False, False, False]
    for bad in (0, 5, "nan"):
        with pytest.raises(UsageError, match="threshold on W"):
            order.binary(rows, bad)
    with pytest.raises(UnknownName, match="Did you mean 'top-half'"):
        order.binary(rows, "tophalf")


# embeddings, importance, the rest -------------------------------------------------------------------------------------
def test_embeddings():
    aspects = declare("a=w:1,x:2,y:2,z:5 b=n,y")
    assert embed(aspects, "declared").aspects[0].numbers == (1, 2, 2, 5)
    assert embed(aspects, "step").aspects[0].numbers == (0, 1, 2, 3)
    assert embed(aspects, "range").aspects[0].numbers == (0, Fraction(1, 4), Fraction(1, 4), 1)
    assert embed(aspects, "range:8").aspects[1].numbers == (0, 8)
    assert embed(aspects, "convex").aspects[0].numbers == (0, Fraction(1, 7), Fraction(3, 7), 1)
    assert embed(aspects, "concave").aspects[0].numbers == (0, Fraction(4, 7), Fraction(6, 7), 1)
    assert embed(aspects, {"b": [0, "3/2"]}).aspects[1].numbers == (0, Fraction(3, 2))
    assert embed(declare("a=x:1,y:1"), "range").aspects[0].numbers == (1, 1)
    with pytest.raises(UsageError, match="above 0"):
        embed(aspects, "range:0")
    for bad in ("rang", "step:3"):
        with pytest.raises(UnknownName, match="embedding"):
            embed(aspects, bad)
    with pytest.raises(UsageError, match="must not decrease"):
        embed(aspects, {"b": [1, 0]})


@settings(max_examples=40, deadline=None)
@given(aspect_sets(), st.sampled_from(DISTANCES), st.fractions(Fraction(1, 9), 9), fractions)
def test_scale_and_origin_of_the_embedding_do_not_matter(aspects, distance, scale, shift):
    grid = np.array(all_tuples(aspects))
    moved = aspects.with_values({a.name: [v * scale + shift for v in a.numbers] for a in aspects})
    assert classes(moved, distance).weights(grid).tolist() == classes(aspects, distance).weights(grid).tolist()


def test_importance_stretches_the_embedding():
    rows = np.array(all_tuples(declare("a=0..2 b=0..2")))
    for distance in DISTANCES:
        by_weight = classes(declare("a*2=0..2 b=0..2"), distance)
        by_values = classes(declare("a=0:0,1:2,2:4 b=0..2"), distance)
        assert by_weight.weights(rows).tolist() == by_values.weights(rows).tolist()
        ignored = classes(declare("a=0..2 b*0=0..2"), distance)
        assert ignored.weights(rows).tolist() == rows[:, 0].tolist()


def test_aspects_in_another_order_give_the_same_weights():
    aspects = declare("a=0..2 b=n:0,y:5/3 c=0..3")
    rows = np.array(all_tuples(aspects))
    for order in permutations(range(3)):
        turned = AspectSet(tuple(aspects.aspects[a] for a in order))
        for distance in DISTANCES:
            found = classes(turned, distance).weights(rows[:, order])
            assert found.tolist() == classes(aspects, distance).weights(rows).tolist()


def test_one_class_is_a_finding():
    order = classes(declare("a=0,1 b=0,1"), tuples="observed", observed=np.array([[0, 1], [1, 0]]))
    assert order.weights(np.array([[0, 1]])).tolist() == [0]
    assert order.findings.codes == {"one-class"}


def test_errors_of_orders():
    aspects = declare("a=0,1 b=0,1")
    with pytest.raises(UnknownName, match="Did you mean 'euclidean'"):
        classes(aspects, "euklidean")
    with pytest.raises(UnknownName, match="choice of tuples"):
        classes(aspects, tuples="all")
    with pytest.raises(UsageError, match="needs a rule"):
        classes(aspects, tuples="feasible")
    with pytest.raises(UsageError, match="observed="):
        classes(aspects, tuples="observed")
    with pytest.raises(UsageError, match="none observed"):
        classes(aspects, tuples="observed", observed=np.zeros((0, 2), int))
    with pytest.raises(UsageError, match="rules exclude all"):
        classes(declare("a=0,1 b=0,1", rules=["a=0|1 => b=0", "a=0|1 => b=1"]))
    order = classes(declare("a=0,1 b=0,1", rules=["a=0 => b=0"]))
    with pytest.raises(InputError, match=r"row 1: 1 rows carry tuples that the rules exclude, first \(0, 1\)"):
        order.weights(np.array([[0, 0], [0, 1]]))
    with pytest.raises(UsageError, match="row 0: index 2 of aspect 'b' lies outside its 2 labels"):
        order.weights(np.array([[0, 2]]))
    with pytest.raises(UsageError, match="row 0: index -1"):
        order.weights(np.array([[-1, 0]]))
    with pytest.raises(UsageError, match=r"shape \(judgments, 2\)"):
        order.weights(np.array([[0.0, 1.0]]))
    assert order.weights(np.zeros((0, 2), int)).shape == (0,)
