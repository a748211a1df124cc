"""TOMA, CAM and MM as measures: published scores, naive definitions, names, every kind of evaluation, findings."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
import naive
import naive_systems as slow
from leadline.depths.stability import depth
from leadline.depths.truncation import truncate
from leadline.errors import InputError, UnknownName, UsageError
from leadline.io.aspects import Aspect, AspectSet, declare
from leadline.measures.aspects._bounds import bounds, ideal_lists
from leadline.measures.aspects.cam import CAM
from leadline.measures.aspects.mm import MM
from leadline.measures.aspects.toma import TOMA
from leadline.rankings.aspect_distances import DISTANCES, OWN, own_distance
from leadline.rankings.aspects import OWN_WEIGHTS, own_weight
from leadline.stats import rbo
from leadline.systems.comparison import compare

RULE = "relevance=nr => correctness=nc"
T = declare("relevance=nr,mr,fr,hr correctness=nc:0,pc:1.5,c:3", rules=[RULE])
DOCS = {"d1": ("mr", "c"), "d2": ("hr", "pc"), "d3": ("hr", "nc")}

# orders of d1, d2, d3 → nDCG then AP, each under CAM, MM, EUCL, MANH, CHEB, as printed
TABLE_3 = {
    "123": ((0.9073, 0.4489, 0.9367, 0.9711, 0.8597), (0.7917, 0.3684, 1, 1, 0.5)),
    "132": ((0.8824, 0.4386, 0.8917, 0.9404, 0.7602), (0.7917, 0.3684, 0.8333, 0.8333, 0.3333)),
    "213": ((0.9056, 0.4516, 1, 1, 1), (0.6667, 0.3125, 1, 1, 1)),
    "231": ((0.8801, 0.4319, 0.9775, 0.9795, 0.9502), (0.6667, 0.25, 0.8333, 0.8333, 1)),
    "312": ((0.8106, 0.3930, 0.8284, 0.8827, 0.6199), (0.6667, 0.3125, 0.5833, 0.5833, 0.3333)),
    "321": ((0.8100, 0.3827, 0.8509, 0.8929, 0.6697), (0.6667, 0.25, 0.5833, 0.5833, 0.5)),
    "12": ((0.7682, 0.3491, 0.8080, 0.8147, 0.8597), (0.6250, 0.25, 1, 1, 0.5)),
    "13": ((0.6483, 0.3145, 0.5914, 0.6667, 0.3801), (0.6250, 0.25, 0.5, 0.5, 0)),
    "21": ((0.7665, 0.3776, 0.8713, 0.8436, 1), (0.5, 0.25, 1, 1, 1)),
    "23": ((0.6437, 0.2679, 0.7630, 0.7449, 0.7602), (0.5, 0, 0.5, 0.5, 1)),
    "31": ((0.5765, 0.2801, 0.5281, 0.6089, 0.2398), (0.5, 0.25, 0.25, 0.25, 0)),
    "32": ((0.5735, 0.1897, 0.6364, 0.6583, 0.4796), (0.5, 0, 0.25, 0.25, 0.5)),
    "1": ((0.4728, 0.1491, 0.4290, 0.4693, 0.3801), (0.5, 0, 0.5, 0.5, 0)),
    "2": ((0.4682, 0.2258, 0.6006, 0.5475, 0.7602), (0.25, 0, 0.5, 0.5, 1)),
    "3": ((0.2781, 0, 0.2574, 0.3129, 0), (0.25, 0, 0, 0, 0)),
}
NUMBERS = "relevance=0,5,10,15 correctness=0,5,10"
HARSH = "relevance=fr correctness=c"


def listed(orders, docs="d"):
    return {o: {"q": {f"{docs}{c}": float(len(o) - i) for i, c in enumerate(o)}} for o in orders}


def paper():
    return leadline.read({"q": DOCS}, listed(TABLE_3), aspects=T)


@pytest.mark.parametrize(("inner", "column"), [("nDCG", 0), ("AP", 1)])
def test_every_cell_of_the_published_table(inner, column):
    scores = leadline.evaluate(
        paper(),
        [CAM(measure=inner, embedding=NUMBERS, binary=HARSH), MM(measure=inner, embedding=NUMBERS, binary=HARSH)]
        + [TOMA(measure=inner, distance=d, binary="top-half") for d in DISTANCES],
    )
    for order, values in zip(scores.runs, scores.mean(), strict=True):
        printed = list(TABLE_3[order][column])
        printed[1] *= 2  # the paper's MM figures are Eq. 6 divided by the number of aspects,
        if inner == "AP" and order in ("12", "13"):  # but for two cells: AP .25 and 1 make MM 2/(4 + 1)
            assert printed[1] == 0.5
            printed[1] = 0.4
        np.testing.assert_array_less(np.abs(values - printed), [5.1e-5, 1.01e-4, 5.1e-5, 5.1e-5, 5.1e-5], err_msg=order)


# random aspects -------------------------------------------------------------------------------------------------------
@st.composite
def tracks(draw, least_labels=2, distinct=False):
    """Aspects with whole-number embeddings, judged documents, and some lists of one topic or two."""
    aspects = []
    for a in range(draw(st.integers(1, 3))):
        n = draw(st.integers(least_labels, 4))
        steps = draw(st.lists(st.integers(1 if distinct else 0, 3), min_size=n - 1, max_size=n - 1))
        values = [0, *np.cumsum(steps).tolist()]
        aspects.append(Aspect(f"a{a}", tuple(f"l{i}" for i in range(n)), values, draw(st.integers(1, 3))))
    declared = AspectSet(tuple(aspects))
    documents, lists = [], []
    for _ in range(draw(st.integers(1, 2))):
        row = st.tuples(*(st.integers(0, n - 1) for n in declared.shape))
        documents.append(draw(st.lists(row, min_size=1, max_size=8)))
        order = draw(st.permutations(range(len(documents[-1]) + 2)))  # the last two are unjudged
        lists.append(order[: draw(st.integers(0, len(order)))])
    return declared, documents, lists


def track_of(declared, documents, lists):
    qrels = {
        f"q{t}": {f"d{i}": [a.labels[x] for a, x in zip(declared, row, strict=True)] for i, row in enumerate(docs)}
        for t, docs in enumerate(documents)
    }
    run = {f"q{t}": {f"d{i}": float(-rank) for rank, i in enumerate(rows)} for t, rows in enumerate(lists)}
    return leadline.read(qrels, {"run": run}, aspects=declared)


def rows_of(documents, lists):
    return [[i if i < len(docs) else None for i in rows] for docs, rows in zip(documents, lists, strict=True)]


def embedding(declared, weighed=True):
    return [[(w if weighed else 1) * v for v in a.numbers] for w, a in zip(declared.weights, declared, strict=True)]


INNER = ["nDCG", "nDCG@3", "AP", "RR", "RBP(p=0.5)", "ERR", "Q", "P@5", "RBPU(p=0.8, e=0.05)", "APT"]


def mu(name):
    m = leadline.parse(name)
    options = {n: getattr(m, n) for n in m.params if n != "judged_only"}
    return m, options


@settings(max_examples=60, deadline=None)
@given(tracks(), st.sampled_from(DISTANCES), st.sampled_from(INNER), st.sampled_from(["aspects", "top-half"]))
def test_toma_follows_the_definition(case, distance, inner, binary):
    declared, documents, lists = case
    track = track_of(*case)
    m = TOMA(measure=inner, distance=distance, binary=binary)
    found = leadline.evaluate(track, m).array(m)[0]
    tuples = slow.grid(embedding(declared))
    weights = slow.toma_weights(tuples, embedding(declared), distance)
    gmax = max(weights.values())
    if m.wants_binary and binary == "aspects":  # importance stretches the collapsed grid, too
        halved = {x: tuple(int(label > 0) for label in x) for x in tuples}
        collapsed = slow.toma_weights(set(halved.values()), [(0, w) for w in declared.weights], distance)
        weights, gmax = {x: int(collapsed[halved[x]] > 0) for x in tuples}, 1
    elif m.wants_binary:
        weights, gmax = slow.toma_binary(tuples, embedding(declared), distance, binary), 1
    plain, options = mu(inner)
    options["gmax"] = max(gmax, 1)
    value = naive.on_documents(plain.name, k=plain.k, **options)
    wanted = [slow.toma(value, d, r, weights) for d, r in zip(documents, rows_of(documents, lists), strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("inner", ["ERR", "RBPU(p=0.8, e=0.05)", "nDCG(gain='exp')", "P(gain='linear')@2"])
def test_the_best_class_is_the_top_of_the_scale(inner):
    """Steps as weights are grades, whose scale ends at the best class that is declared, seen or not."""
    qrels = {"q": {"a": (1, 1), "b": (0, 1), "c": (2, 0), "d": (0, 0)}}
    track = leadline.read(qrels, {"x": {"q": {"b": 3.0, "c": 2.0, "a": 1.0}}}, aspects="a=0..2 b=0,1")
    m = TOMA(measure=inner)
    order = m.order(track)
    assert order.class_weights.tolist() == [4, 3, 2, 1, 0]
    grade = {doc: int(order.weights(np.array([labels]))[0]) for doc, labels in qrels["q"].items()}
    expected = leadline.parse(inner).score([grade[d] for d in "bca"], [*grade.values()], gmax=4)
    assert leadline.evaluate(track, m).array(m)[0, 0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("binary", "relevant"), [("aspects", 3), ("top-half", 2), ("a=3", 1), ("b=1", 3)])
def test_cam_knows_what_is_relevant_on_an_aspect(binary, relevant):
    """Of the four labels of a: all but the lowest, the upper two, or from a label on; b is the same for all."""
    qrels = {"q": {f"d{i}": (i, 1) for i in range(4)}}
    run = {"x": {"q": {f"d{i}": float(i) for i in range(4)}}}
    track = leadline.read(qrels, run, aspects="a=0..3 b=0,1")
    m = CAM(measure="NumRelRet", binary=binary, importance="a=1 b=1")
    assert leadline.evaluate(track, m).array(m).tolist() == [[(relevant + 4) / 2]]


@settings(max_examples=60, deadline=None)
@given(tracks(distinct=True), st.sampled_from(["nDCG", "nDCG@3", "AP", "RR", "P@5", "Q"]))
def test_cam_and_mm_follow_the_definition(case, inner):
    declared, documents, lists = case
    track = track_of(*case)
    scores = leadline.evaluate(track, [CAM(measure=inner), MM(measure=inner)])
    plain, options = mu(inner)
    binary = CAM(measure=inner).wants_binary
    values = [[min(i, 1) for i in range(n)] for n in declared.shape] if binary else embedding(declared, weighed=False)
    value = naive.on_documents(plain.name, k=plain.k, **(options | {"gmax": 100}))
    importance = [float(w / sum(declared.weights)) for w in declared.weights]
    for t, (docs, rows) in enumerate(zip(documents, rows_of(documents, lists), strict=True)):
        single = slow.aspect_scores(value, docs, rows, values)
        assert scores.array(CAM(measure=inner))[0, t] == pytest.approx(slow.cam(single, importance), abs=1e-12)
        assert scores.array(MM(measure=inner))[0, t] == pytest.approx(slow.mm(single, importance), abs=1e-12)


NORMALISED = ["nDCG", "nDCG@2", "AP", "Rprec", "nERR", "nRBP(p=0.8)", "niRBU(p=0.98)", "Q", "Compatibility(p=0.9)",
              "nDCG(gain='exp')"]  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(tracks(), st.sampled_from(DISTANCES), st.sampled_from(NORMALISED), st.sampled_from(["step", "square", "root"]),
       st.sampled_from(["aspects", "top-half"]))  # fmt: skip
def test_the_ideal_order_scores_1(case, distance, inner, weights, binary):
    track = track_of(*case)
    m = TOMA(measure=inner, distance=distance, weights=weights, binary=binary)
    scores = leadline.evaluate(ideal_lists(track, {"ideal": m.ideal(track)}), m, undefined="nan").array(m)[0]
    judged = track.judgments
    hit = m.order(track).binary(judged.labels, binary) if m.wants_binary else m.order(track).weights(judged.labels) > 0
    np.testing.assert_allclose(scores, np.where(judged.count(hit) > 0, 1.0, np.nan), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(tracks(), st.sampled_from(DISTANCES), st.data())
def test_a_dominating_document_never_lowers_the_score(case, distance, data):
    declared, documents, lists = case
    first = documents[0]
    which = data.draw(st.integers(0, len(first) - 1))
    better = tuple(data.draw(st.integers(x, n - 1)) for x, n in zip(first[which], declared.shape, strict=True))
    changed = [[*first[:which], better, *first[which + 1 :]], *documents[1:]]
    m = TOMA(measure="DCG", distance=distance)
    before, after = (leadline.evaluate(track_of(declared, d, lists), m).array(m)[0, 0] for d in (documents, changed))
    assert after >= before - 1e-12


# names ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("TOMA", "TOMA"),
        ("TOMA(measure='nDCG@10', distance='Euclidean')", "TOMA"),
        ("TOMA(measure='ndcg_cut_5')", "TOMA(measure='nDCG@5')"),
        ("TOMA(measure='nDCG')@5", "TOMA(measure='nDCG@5')"),
        ("TOMA(measure='P')@5", "TOMA(measure='P@5')"),
        ("CAM@3", "CAM(measure='nDCG@3')"),
        ("MM(measure='AP(judged_only=True)')", "MM(measure='AP', judged_only=True)"),
        ("TOMA(measure=\"nDCG(gain='exp')@5\")", "TOMA(measure=\"nDCG(gain='exp')@5\")"),
        ("TOMA(measure='IPrec@0.5', binary=2)", "TOMA(measure='IPrec@0.5', binary='2')"),
        ("TOMA(weights='0,1,5')", "TOMA(weights='0,1,5')"),
    ],
)
def test_names(given_name, name):
    m = leadline.parse(given_name)
    assert str(m) == name
    assert leadline.parse(str(m)) == m
    assert leadline.parse(m.full()) == m
    assert hash(leadline.parse(name)) == hash(m)


def test_parameters_in_python():
    assert TOMA(embedding={"a": (0, 1.5, 3), "b": [0, 2]}).embedding == "a=0,1.5,3 b=0,2"
    assert CAM(importance={"a": 2, "b": 1}).importance == "a=2 b=1"
    assert TOMA(weights=np.array([0, 1, 4.5])).weights == "0,1,4.5"
    m = TOMA(measure=leadline.parse("nDCG@10"))
    assert (m.k, m.but(k=3).measure, (m @ 4).k, m.but(measure="AP").measure) == (10, "nDCG@3", 4, "AP")
    assert TOMA(measure="ESL").higher_is_better is False
    assert TOMA(measure="NumRet").total == "sum"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("TOMA(measure='nDGC')", "Did you mean 'nDCG'"),
        ("TOMA(measure=3)", "measure must be a measure"),
        ("TOMA(measure='CAM')", "of one aspect"),
        ("TOMA(distance='euclid')", "Did you mean 'euclidean'"),
        ("TOMA(weights='stepp')", "Did you mean 'step'"),
        ("TOMA(weights='0,x1')", "expected a number"),
        ("TOMA(binary='half')", "binary"),
        ("TOMA(tuples='all')", "tuples must be"),
        ("TOMA(embedding='rage')", "Did you mean 'range'"),
        ("TOMA(embedding='a= b')", "expected each aspect once"),
        ("TOMA(measure='AP(rel=2)')", "is said by binary="),
        ("CAM(measure='AP(rel=2)')", "is said by binary="),
        ("CAM(binary='half')", "Unknown binary option"),
        ("CAM(importance='a=1,2')", "one number for each aspect"),
        ("TOMA(measure='P')", "needs a cut-off"),
    ],
)
def test_bad_names(name, message):
    with pytest.raises(UsageError, match=message):
        leadline.parse(name)


def test_a_track_without_declared_aspects():
    track = leadline.read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}})
    with pytest.raises(UsageError, match="needs the aspects of the 1 label column:"):
        leadline.evaluate(track, "TOMA")


def test_options_that_do_not_fit_the_track():
    for name, error, message in [
        ("TOMA(embedding='relevance=0,1')", UsageError, "expected 4 values"),
        ("TOMA(embedding='relevanc=0,1')", UnknownName, "Did you mean 'relevance'"),
        ("TOMA(weights='0,1,2')", UsageError, "expected 10 numbers"),
        ("TOMA(measure='AP', binary=99)", UsageError, "threshold on W"),
        ("CAM(measure='AP', binary='relevance=nr')", UsageError, "every label of relevance"),
        ("CAM(measure='AP', binary='relevance=xx')", UnknownName, "label of aspect 'relevance'"),
    ]:
        with pytest.raises(error, match=message):
            leadline.evaluate(paper(), name)


def test_an_own_distance_and_own_weights():
    def steep(points, best):
        return ((best - points) ** 4).sum(axis=1)

    def tens(height):
        return 10 * height

    try:
        m = TOMA(measure="nDCG", distance=steep, weights=tens)
        assert str(m) == "TOMA(measure='nDCG', distance='steep', weights='tens')"
        assert leadline.parse(str(m)) == m
        track = paper()
        order = m.order(track)
        assert order.distance == "steep"
        assert order.class_weights[0] == 10 * (len(order) - 1)
        plain = TOMA(measure="nDCG", distance="steep")
        scores = leadline.evaluate(track, [m, plain])
        np.testing.assert_allclose(scores.array(m), scores.array(plain), rtol=1e-12)  # nDCG is blind to the unit
        with pytest.raises(UsageError, match="a name of its own"):
            own_distance(lambda points, best: points[:, 0])
        with pytest.raises(UsageError, match="a name of its own"):
            own_weight(lambda height: height)
    finally:
        OWN.pop("steep", None)
        OWN_WEIGHTS.pop("tens", None)


def test_weights_other_than_steps_are_gains():
    track = paper()
    weights = {"euclidean": [5.0, 7.0, 3.0]}
    for function, transform in (("square", np.square), ("root", np.sqrt)):
        gains = transform(np.array(weights["euclidean"]))
        m = TOMA(measure="nDCG", weights=function)
        dcg = gains[0] + gains[2] / np.log2(3)
        ideal = (np.sort(gains)[::-1] / np.log2([2, 3, 4])).sum()
        assert leadline.evaluate(track, m).array(m)[track.run("13"), 0] == pytest.approx(dcg / ideal)
    m = TOMA(measure="nDCG(gain='linear')", weights="square")
    assert leadline.evaluate(track, m).mean()[0, 0] == pytest.approx(
        leadline.evaluate(track, TOMA(measure="nDCG", weights="square")).mean()[0, 0]
    )


# every kind of evaluation ---------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def simulated():
    from leadline.simulate import simulate

    made = simulate(runs=6, topics=8, depth=40, aspects=2, grades=3, rng=5)
    return leadline.read(made.labels, made.runs, aspects="relevance=0..2 credibility=0..2 usefulness*2=0..2")


@pytest.mark.parametrize("inner", ["nDCG", "RBPU(p=0.8, e=0.05)", "APT", "SetF", "OIE"])
def test_curves_and_truncation_are_those_of_the_weights(simulated, inner):
    m = TOMA(measure=inner, distance="manhattan")
    ((part, weighed),) = m.parts(simulated)
    by_length = leadline.curve(simulated, m, by="length").mean(m)
    np.testing.assert_array_equal(by_length, leadline.curve(weighed, part, by="length").mean(part))
    if part.cutoff == "optional":
        by_depth = leadline.curve(simulated, m, by="depth").mean(m)
        np.testing.assert_array_equal(by_depth, leadline.curve(weighed, part, by="depth").mean(part))
    ours, theirs = truncate(simulated, m), truncate(weighed, part)
    np.testing.assert_array_equal(ours.length(m), theirs.length(part))


@pytest.mark.parametrize("m", [TOMA(measure="nDCG@10"), CAM(measure="nDCG@10"), MM(measure="AP")])
def test_compare_depth_and_truncate(simulated, m):
    found = compare(simulated, m)
    assert found.measures == (m,)
    scores = leadline.evaluate(simulated, m).array(m)
    assert len(depth(simulated, m, depths=[5, 10]).columns()["k"]) >= 2
    best = truncate(simulated, m)
    assert (best.value(m) >= scores - 1e-12).all()


def test_a_mean_of_aspects_at_every_depth(simulated):
    """CAM and MM at depth k are the means of the aspects' curves."""
    weights = np.array([0.25, 0.25, 0.5])[:, None, None]
    curves = []
    for a in range(3):
        alone = simulated.relabel(np.ascontiguousarray(simulated.judgments.labels[:, a]), 2)
        curves.append(leadline.curve(alone, "nDCG", by="depth", undefined="nan", per_topic=True).array("nDCG"))
    single = np.nan_to_num(np.stack(curves)).reshape(3, -1, curves[0].shape[-1])
    found = leadline.curve(simulated, ["CAM", "MM"], by="depth", per_topic=True)
    np.testing.assert_allclose(found.array("CAM").reshape(single.shape[1:]), (weights * single).sum(axis=0), atol=1e-12)
    with np.errstate(divide="ignore"):
        harmonic = 1 / (weights / single).sum(axis=0)
    np.testing.assert_allclose(found.array("MM").reshape(single.shape[1:]), harmonic, atol=1e-12)


def test_weights_do_not_change_with_topics_or_pools(simulated):
    m = TOMA(measure="nDCG", tuples="observed")
    whole = leadline.evaluate(simulated, m).array(m)
    some = simulated.select(topics=simulated.topics[:2])
    np.testing.assert_array_equal(leadline.evaluate(some, m).array(m), whole[:, :2])
    assert len(m.order(simulated.pooled(1))) == len(m.order(simulated))


def test_condensed_runs(simulated):
    m = TOMA(measure="nDCG@10")
    condensed = leadline.evaluate(simulated, m, unjudged="condense").mean()
    ((part, weighed),) = m.parts(simulated)
    np.testing.assert_array_equal(condensed, leadline.evaluate(weighed, part, unjudged="condense").mean())


def test_equal_labels_are_relabelled_once(simulated):
    first, second = TOMA(measure="nDCG"), TOMA(measure="ERR")
    assert first.parts(simulated)[0][1] is second.parts(simulated)[0][1]


# findings -------------------------------------------------------------------------------------------------------------
def test_what_is_reachable_is_an_estimate():
    """The candidates reach .8801; another order does better, so the finding calls it an estimate."""
    docs = {"d1": (0, 1), "d2": (2, 0), "d3": (1, 1)}
    track = leadline.read({"q": docs}, listed(map("".join, permutations("123"))), aspects="a=0..2 b=0..1")
    scores = leadline.evaluate(track, "CAM")
    assert bounds(CAM(), track).reachable[0] == pytest.approx(0.8801, abs=5e-5)
    assert scores.mean().max() == pytest.approx(0.8897, abs=5e-5)
    (finding,) = [f for f in scores.findings if f.code == "maximum-out-of-reach"]
    assert "an estimate" in finding.text
    assert "100% of topics" in finding.text


@settings(max_examples=40, deadline=None)
@given(tracks(distinct=True), st.sampled_from([CAM(), MM(), CAM(measure="AP")]))
def test_bounds_follow_the_definition(case, m):
    declared, documents, _ = case
    track = track_of(*case)
    found = bounds(m, track)
    value = naive.on_documents(m.measure)
    graded = embedding(declared, weighed=False)
    values = [[min(i, 1) for i in range(n)] for n in declared.shape] if m.wants_binary else graded
    importance = [float(w / sum(declared.weights)) for w in declared.weights]
    combine = slow.mm if m.inverse else slow.cam
    for t, docs in enumerate(documents):
        single = [slow.aspect_scores(value, docs, rows, values) for rows in slow.ideal_rankings(docs, graded)]
        wanted = max(combine(s, importance) for s in single)
        assert np.nan_to_num(found.reachable[t]) == pytest.approx(wanted, abs=1e-12)


def test_aspects_that_agree_have_no_finding():
    docs = {"d1": (2, 2), "d2": (1, 1)}
    track = leadline.read({"q": docs}, listed(["12", "21"]), aspects="a=0..2 b=0..2")
    scores = leadline.evaluate(track, ["CAM", "MM"])
    assert not scores.findings
    assert bounds(CAM(), track).reachable.tolist() == [1.0]


def test_zeros_and_gaps_are_told():
    qrels = {"q1": {"d1": (1, 0), "d2": (0, 1)}, "q2": {"d1": (1, 0)}}
    run = {"x": {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}}
    track = leadline.read(qrels, run, aspects="relevance=0,1 credibility=0,1")
    scores = leadline.evaluate(track, ["CAM", "MM", "CAM(undefined='nan')"], undefined="nan")
    told = {(f.code, f.count) for f in scores.findings if "CAM" not in f.text or "undefined" not in f.text}
    assert ("zero-in-an-aspect", 1) in told
    assert ("aspect-without-score", 1) in told
    np.testing.assert_allclose(scores.array("CAM"), [[0.5, 0.5]])
    np.testing.assert_allclose(scores.array("MM"), [[0.0, 0.0]])
    np.testing.assert_allclose(scores.array("CAM(undefined='nan')"), [[0.5, np.nan]])
    nothing = leadline.read({"q": {"d": (0, 0)}}, {"x": {"q": {"d": 1.0}}}, aspects="a=0,1 b=0,1")
    assert np.isnan(leadline.evaluate(nothing, ["CAM", "MM", "TOMA"], undefined="nan").mean()).all()
    assert "undefined-scores" in leadline.evaluate(nothing, "MM").findings.codes


def test_gains_that_vanish_are_told():
    """Exponential gains of exponential weights leave nothing of the lower classes."""
    spec = " ".join(f"a{i}=0..4" for i in range(3))
    track = leadline.read({"q": {"d": (0, 0, 1), "e": (4, 4, 4)}}, {"x": {"q": {"d": 1.0}}}, aspects=spec)
    assert "gains-too-small" in leadline.evaluate(track, "TOMA(measure='ERR', weights='exp')").findings.codes
    assert not leadline.evaluate(track, "TOMA(measure='ERR')").findings


def test_lowest_labels_above_zero_are_told():
    track = leadline.read({"q": {"d": (1, 2)}}, {"x": {"q": {"d": 1.0}}}, aspects="a=1..2 b=2:1,3:2")
    assert "lowest-label-above-zero" in leadline.evaluate(track, "CAM").findings.codes


def test_labels_that_the_rules_exclude():
    track = leadline.read({"q": {"d": ("nr", "c")}}, {"x": {"q": {"d": 1.0}}}, aspects=T)
    with pytest.raises(InputError, match="the rules exclude"):
        leadline.evaluate(track, "TOMA")
    assert leadline.evaluate(track, "TOMA(tuples='full')").mean()[0, 0] == 1


def test_many_ideal_rankings_are_not_tried_unasked(monkeypatch):
    monkeypatch.setattr("leadline.measures.aspects._bounds._COST", 1)
    found = leadline.evaluate(paper(), "CAM").findings
    assert "reachable-maximum-not-estimated" in found.codes
    assert bounds(CAM(), paper(), limited=False).reachable[0] < 1


# compatibility --------------------------------------------------------------------------------------------------------
@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.data(), st.sampled_from([0.5, 0.9]))
def test_compatibility_is_the_best_overlap_with_an_ideal_ranking(grades, data, p):
    rows = data.draw(st.permutations(range(len(grades) + 1)))  # the last one is unjudged
    rows = rows[: data.draw(st.integers(1, len(rows)))]
    qrels = {"q": {f"d{i}": g for i, g in enumerate(grades)}}
    track = leadline.read(qrels, {"x": {"q": {f"d{i}": float(-r) for r, i in enumerate(rows)}}})
    found = leadline.evaluate(track, f"Compatibility(p={p})", undefined="nan").mean()[0, 0]
    good = [i for i, g in enumerate(grades) if g > 0]
    ideals = [o for o in permutations(good) if all(grades[a] >= grades[b] for a, b in pairwise(o))]
    if not good:
        assert np.isnan(found)
        return
    best = max(rbo(rows, ideal, p=p).min for ideal in ideals)
    assert found == pytest.approx(best / rbo(ideals[0], ideals[0], p=p).min, abs=1e-9)
