"""Declarations of aspects, TOML files, rules, joining one qrels file per aspect, features of documents."""

from __future__ import annotations

import gzip
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_systems as naive
from leadline.errors import InputError, LeadlineError, UnknownName, UsageError
from leadline.io.aspect_features import labels_from_feature, merge_labels, read_aspects, read_feature
from leadline.io.aspect_files import AspectLabels, encode, fill_missing, join_aspects, load_aspects, read_aspect_qrels
from leadline.io.aspects import Aspect, AspectSet, Feature, Rule, declare, exact


# declarations ---------------------------------------------------------------------------------------------------------
def test_short_text():
    aspects = declare("relevance=nr,mr,fr,hr correctness=nc:0,pc:1.5,c:3 popularity=0..2 credibility*1.5=no/0/none,yes")
    assert aspects.names == ("relevance", "correctness", "popularity", "credibility")
    assert aspects.shape == (4, 3, 3, 2)
    assert aspects.columns[1] == ("correctness", ("nc", "pc", "c"))
    assert aspects["relevance"].numbers == (0, 1, 2, 3)
    assert aspects["correctness"].numbers == (0, Fraction(3, 2), 3)
    assert aspects["popularity"].labels == ("0", "1", "2")
    assert aspects["credibility"].spelling == {"no": 0, "0": 0, "none": 0, "yes": 1}
    assert aspects.weights == (1, 1, 1, Fraction(3, 2))
    assert (aspects.tuples, aspects.main) == ("full", "relevance")
    assert declare(["relevance=0..3", "grade=-2..1"])["grade"].labels == ("-2", "-1", "0", "1")
    assert declare({"relevance": [0, 1, 2], "spam": "1,0"}) == declare("relevance=0..2 spam=1,0")
    assert declare(aspects) is aspects


words = st.text("abcxyz0123456789_.", min_size=1, max_size=4)


@st.composite
def aspects_of_any_kind(draw):
    labels = draw(st.lists(words, min_size=2, max_size=6, unique=True))
    n = draw(st.integers(2, len(labels)))
    aliases = tuple((old, draw(st.sampled_from(labels[:n]))) for old in labels[n:])
    values = draw(st.none() | st.lists(st.fractions(), min_size=n, max_size=n).map(sorted))
    return Aspect("a", tuple(labels[:n]), values, draw(st.fractions(0, 5)), aliases=aliases)


@settings(max_examples=100)
@given(aspects_of_any_kind())
def test_text_and_back(aspect):
    back = Aspect.parse(str(aspect))
    assert (back.labels, back.numbers, back.weight) == (aspect.labels, aspect.numbers, aspect.weight)
    assert back.spelling == aspect.spelling
    assert str(back) == str(aspect)
    assert hash(aspect) == hash(
        Aspect(aspect.name, aspect.labels, aspect.values, aspect.weight, aliases=aspect.aliases)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("relevance", "expected NAME=LABEL,LABEL"),
        ("relevance=", "expected NAME=LABEL,LABEL"),
        ("=a,b", "aspect name ''"),
        ("1st=a,b", "aspect name '1st'"),
        ("relevance=hr", "at least two labels, lowest first, got hr"),
        ("relevance=3..1", "at least two labels"),
        ("relevance=a,b,a", "label 'a' is declared twice"),
        ("relevance=a/b,b", "label 'b' is declared twice"),
        ("relevance=a,,b", "'' cannot be a label"),
        ("relevance=a,-", "'-' cannot be a label"),
        ("relevance=a:0,b", "label 'b' has no value"),
        ("relevance=a:0,b:x", "expected a number such as 2, 1.5 or 3/2, got 'x'"),
        ("relevance=a:0,b:1/0", "expected a number"),
        ("relevance=a:0,b:nan", "expected a number"),
        ("relevance=a:0,b:2,c:1", "must not decrease from the lowest label to the highest, got b:2 before c:1"),
        ("relevance*x=a,b", "weight: expected a number"),
        ("relevance*-1=a,b", "weight must be 0 or more, got -1"),
        ("relevance*0=a,b", "all weights are 0"),
        ("a=0,1 a=0,1", "aspect 'a' is declared twice"),
        ("", "expected at least one"),
    ],
)
def test_bad_declarations(text, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(").replace("*", r"\*")):
        declare(text)


def test_more_bad_declarations():
    with pytest.raises(UsageError, match="expected 2 values, one for each label, got 3"):
        Aspect("a", ("x", "y"), (0, 1, 2))
    with pytest.raises(UsageError, match="got True"):
        exact(True)
    with pytest.raises(UsageError, match="missing must be lowest, error or same-as:OTHER, got 'highest'"):
        Aspect("a", ("x", "y"), missing="highest")
    with pytest.raises(UsageError, match="3 labels need 2 thresholds or quantiles, got 1"):
        Aspect("a", ("x", "y", "z"), feature=Feature("f", thresholds=(1,)))
    with pytest.raises(UsageError, match="either thresholds or quantiles"):
        Feature("f")
    two = Aspect("b", ("x", "y"), missing="same-as:a")
    with pytest.raises(UsageError, match="another aspect with as many labels"):
        AspectSet((Aspect("a", ("x", "y", "z")), two))
    with pytest.raises(UnknownName, match="aspect 'a'"):
        AspectSet((two,))
    with pytest.raises(UnknownName, match="Did you mean 'relevance'"):
        AspectSet((Aspect("relevance", ("x", "y")),), main="relevanc")
    with pytest.raises(UsageError, match="needs a rule"):
        declare("a=0,1", tuples="feasible")


# rules ----------------------------------------------------------------------------------------------------------------
def test_rules():
    rules = ["relevance=nr => correctness=nc", "relevance=mr & credibility=no => correctness=nc|pc"]
    aspects = declare("relevance=nr,mr,hr correctness=nc,pc,c credibility=no,yes", rules=rules)
    assert aspects.tuples == "feasible"
    assert [str(r) for r in aspects.rules] == rules
    rows = np.array([[0, 0, 0], [0, 1, 0], [1, 2, 0], [1, 1, 0], [1, 2, 1], [2, 2, 0]])
    assert aspects.feasible(list(rows.T)).tolist() == [True, False, False, True, True, True]
    open_grid = aspects.feasible(np.ix_(np.arange(3), np.arange(3), np.arange(2)))
    assert open_grid.sum() == 2 + 5 + 6
    fixed, changed = aspects.apply_rules(rows)
    assert fixed.tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 1], [2, 2, 0]]
    assert changed.tolist() == [False, True, True, False, False, False]
    assert rows[1].tolist() == [0, 1, 0], "the caller's labels stay"
    assert declare(aspects, tuples="full").rules == aspects.rules
    assert declare("a=0,1 b=0,1", rules=[Rule.parse("a=0=>b=0")], tuples="observed").tuples == "observed"


def test_rules_that_trigger_each_other():
    aspects = declare("a=0,1 b=0,1 c=0,1", rules=["b=0 => c=0", "a=0 => b=0"])
    assert aspects.apply_rules(np.array([[0, 1, 1]]))[0].tolist() == [[0, 0, 0]]
    torn = declare("a=0,1 b=0,1", rules=["a=0 => b=0", "a=0 => b=1"])
    with pytest.raises(UsageError, match="contradict"):
        torn.apply_rules(np.array([[0, 0]]))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("a=0", "got 0 arrows"),
        ("a=0 => b=0 => a=1", "got 2 arrows"),
        ("a=0 => b", "expected ASPECT=LABEL .* got 'b'"),
        ("a=0| => b=0", "got 'a=0|'".replace("|", r"\|")),
        ("a=0 => c=0", "Unknown aspect 'c'"),
        ("a=2 => b=0", "Unknown label of aspect 'a' '2'"),
    ],
)
def test_bad_rules(rule, message):
    with pytest.raises(UsageError, match=message):
        declare("a=0,1 b=0,1", rules=[rule])


# TOML -----------------------------------------------------------------------------------------------------------------
TOML = """
rules = ["relevance=nr => correctness=nc"]
missing = "error"
main = "relevance"

[aspects]
usefulness = "0..2"

[aspects.relevance]
labels = ["nr", "mr", "hr"]
merge = { junk = "nr" }

[aspects.correctness]
labels = ["nc", "pc", "c"]
values = [0, 1.1, "7/2"]
weight = 0.5
missing = "same-as:relevance"
qrels = "c.qrels"

[aspects.popularity]
labels = [0, 1]
file = "rank.txt"
quantiles = [0.9]
columns = "value doc"
higher = false
"""


def test_toml(tmp_path):
    (tmp_path / "a.toml").write_text(TOML)
    aspects = declare(str(tmp_path / "a.toml"))
    assert aspects == load_aspects(tmp_path / "a.toml") == declare(tmp_path / "a.toml")
    assert aspects.names == ("usefulness", "relevance", "correctness", "popularity")
    assert (aspects.tuples, aspects.main) == ("feasible", "relevance")
    assert aspects["relevance"].spelling == {"nr": 0, "mr": 1, "hr": 2, "junk": 0}
    assert aspects["correctness"].numbers == (0, Fraction(11, 10), Fraction(7, 2))
    assert aspects["correctness"].weight == Fraction(1, 2)
    assert [a.missing for a in aspects] == ["error", "error", "same-as:relevance", "error"]
    assert aspects["correctness"].qrels == str(tmp_path / "c.qrels")
    wanted = Feature(str(tmp_path / "rank.txt"), None, (0.9,), False, "value doc")
    assert aspects["popularity"].feature == wanted
    with pytest.raises(UnknownName, match="aspect"):
        declare(aspects, rules=["nothing=0 => relevance=nr"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("aspects = [", "is not TOML"),
        ("", "expected at least one"),
        ("aspect = 1", "Unknown key 'aspect'. Did you mean 'aspects'"),
        ("[aspects.a]\nlabel = [0, 1]", "Did you mean 'labels'"),
        ("[aspects.a]\nlabels = 3", "labels: expected a list or a text, got 3"),
        ("[aspects.a]\nlabels = [0, 1]\nvalues = 3", "values: expected a list, got 3"),
        ("[aspects.a]\nlabels = [0, 1]\nvalues = [1, 0.5]", "must not decrease"),
        ("[aspects.a]\nlabels = [0, 1]\nmerge = 1", "merge: expected a table"),
        ("[aspects.a]\nlabels = [0, 1]\nthresholds = [1]", "thresholds needs file"),
        ("[aspects.a]\nlabels = [0, 1]\nfile = 'f'", "either thresholds or quantiles"),
        ("[aspects.a]\nlabels = [0, 1]\nfile = 'f'\nthresholds = ['x']", "thresholds: expected a number"),
        ("aspects = 1", r"aspects: expected a table \[aspects.NAME\]"),
        ("rules = 'a=0 => b=0'\n[aspects]\na = [0, 1]", "rules: expected a list"),
        ("tuples = 'some'\n[aspects]\na = [0, 1]", "choice of tuples 'some'"),
    ],
)
def test_bad_toml_names_the_file(tmp_path, text, message):
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load_aspects(tmp_path / "bad.toml")
    assert str(caught.value).startswith(str(tmp_path / "bad.toml"))


def test_absent_toml(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml: cannot be read"):
        load_aspects(tmp_path / "none.toml")


# qrels ----------------------------------------------------------------------------------------------------------------
ASPECTS = declare("relevance=nr/junk,mr,hr correctness=nc,c")


def test_further_label_columns(tmp_path):
    path = tmp_path / "two.qrels"
    path.write_text("1 0 d1 hr c\n\n1 0\td2 junk -\n2 0 d1 mr nc\n")
    found = read_aspect_qrels(path, ASPECTS.aspects)
    assert (found.topics, found.docs) == (("1", "1", "2"), ("d1", "d2", "d1"))
    assert found.labels.tolist() == [[2, 1], [0, -1], [1, 0]]
    assert found.align(["2", "1", "9"], ["d1", "d2", "d1"]).tolist() == [[1, 0], [0, -1], [-1, -1]]
    assert found.to_columns("two").values is found.labels
    (tmp_path / "two.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert read_aspect_qrels(tmp_path / "two.gz", ASPECTS.aspects).labels.tolist() == found.labels.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 0 d1 hr c\n1 0 d2 hr\n",
            r"q.qrels:2: expected 5 columns \(topic iteration doc relevance correctness\), got 4",
        ),
        (
            "1 0 d1 hr c\n\n1 0 d2 hx c\n",
            "q.qrels:3: label 'hx' is not one of nr, mr, hr of aspect 'relevance'; declare",
        ),
        ("1 0 d1 hr c\n1 0 d2 hr c\n1 0 d1 mr c\n", "q.qrels:3: topic 1, document d1 has other labels than in line 1"),
    ],
)
def test_bad_qrels_name_the_line(tmp_path, text, message):
    (tmp_path / "q.qrels").write_text(text)
    with pytest.raises(InputError, match=message):
        read_aspect_qrels(tmp_path / "q.qrels", ASPECTS.aspects)


def test_unreadable_qrels(tmp_path):
    with pytest.raises(InputError, match="none: cannot be read"):
        read_aspect_qrels(tmp_path / "none", ASPECTS.aspects)
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"1 0 d1 hr c")[:-9])
    with pytest.raises(InputError, match=r"broken\.gz: the gzip data ends too early"):
        read_aspect_qrels(tmp_path / "broken.gz", ASPECTS.aspects)
    (tmp_path / "empty").write_text("")
    assert read_aspect_qrels(tmp_path / "empty", ASPECTS.aspects).labels.shape == (0, 2)


def test_equal_duplicates_are_kept_once(tmp_path):
    (tmp_path / "q").write_text("1 0 d1 hr c\n1 0 d2 mr c\n1 0 d1 hr c\n")
    found = read_aspect_qrels(tmp_path / "q", ASPECTS.aspects)
    assert found.docs == ("d1", "d2")
    assert found.labels.tolist() == [[2, 1], [1, 1]]
    assert [(f.code, f.count) for f in found.findings] == [("duplicate-judgments", 1)]


def part(labels):
    keys = [key.split() for key in labels]
    found = np.array(list(labels.values()), np.int32)[:, None]
    return AspectLabels(tuple(t for t, _ in keys), tuple(d for _, d in keys), found)


def test_joining_and_filling():
    aspects = declare("relevance=nr,mr,hr usefulness=no,some,yes credibility=no,yes")
    joined = join_aspects(
        {
            "relevance": part({"1 a": 2, "1 b": 0, "1 c": 1, "2 a": 1}),
            "credibility": part({"1 c": 1, "1 z": 1}),
            "usefulness": part({"2 a": 2, "1 a": 1}),
        },
        aspects,
    )
    keys = [f"{t} {d}" for t, d in zip(joined.topics, joined.docs, strict=True)]
    assert keys == ["1 a", "1 b", "1 c", "2 a", "1 z"]
    assert joined.labels.tolist() == [[2, 1, -1], [0, -1, -1], [1, -1, 1], [1, 2, -1], [-1, -1, 1]]

    filled = fill_missing(joined, aspects)
    assert filled.labels.tolist() == [[2, 1, 0], [0, 0, 0], [1, 0, 1], [1, 2, 0], [0, 0, 1]]
    assert [str(f) for f in filled.findings] == [
        "not-assessed: 1 (1 z), relevance counted as lowest (nr)",
        "not-assessed-not-relevant: 2 (1 b, 1 z), relevance=nr, hence lowest in usefulness",
        "not-assessed: 1 (1 c), usefulness counted as lowest (no)",
        "not-assessed-not-relevant: 1 (1 b), relevance=nr, hence lowest in credibility",
        "not-assessed: 2 (1 a, 2 a), credibility counted as lowest (no)",
    ]
    assert joined.labels[1].tolist() == [0, -1, -1], "the joined labels stay"


def test_not_relevant_documents_count_as_lowest():
    aspects = declare("relevance=nr,mr,hr use=no,yes credibility=no,yes")
    labels = [[0, None, 1], [0, None, None], [2, 1, 0], [0, 1, None]]
    given = np.array([[-1 if x is None else x for x in row] for row in labels], np.int32)
    filled = fill_missing(AspectLabels(("1",) * 4, tuple("abcd"), given), aspects)
    assert list(map(tuple, filled.labels.tolist())) == [naive.filled(row) for row in labels]


def test_missing_rules():
    def rule(missing):
        return AspectSet(
            (Aspect("relevance", ("nr", "mr", "hr")), Aspect("use", ("no", "some", "yes"), missing=missing))
        )

    found = AspectLabels(("1",) * 4, tuple("abcd"), np.array([[2, -1], [0, -1], [1, 2], [-1, 1]], np.int32))
    same = fill_missing(found, rule("same-as:relevance"))
    assert same.labels.tolist() == [[2, 2], [0, 0], [1, 2], [0, 1]]
    assert "not-assessed: 1 (1 a), use counted as in relevance" in map(str, same.findings)
    with pytest.raises(InputError, match="topic 1, document a: aspect 'use' is not assessed") as caught:
        fill_missing(found, rule("error"))
    assert caught.value.total == 1, "a document that is not relevant needs no other label"


def test_joining_refuses():
    with pytest.raises(UsageError, match="aspects without judgments: correctness"):
        join_aspects({"relevance": part({"1 a": 0})}, ASPECTS)
    with pytest.raises(UnknownName, match="Did you mean 'correctness'"):
        join_aspects({"correctnes": part({"1 a": 0})}, ASPECTS)


def test_encode():
    assert encode(ASPECTS["relevance"], ["hr", "-", "junk"]).tolist() == [2, -1, 0]
    assert encode(Aspect("grade", ("-2", "0", "1")), [0, 1, -2]).tolist() == [1, 2, 0]
    with pytest.raises(InputError, match="row 1: label '7'"):
        encode(Aspect("grade", ("0", "1")), [0, 7])


# features -------------------------------------------------------------------------------------------------------------
def test_thresholds():
    scores = np.array([0, 79.9, 80, 89, 90, 99, np.nan])
    assert labels_from_feature(scores, thresholds=(80, 90)).tolist() == [0, 0, 1, 1, 2, 2, -1]
    spam = 100 - scores
    assert labels_from_feature(spam, thresholds=(10, 20), higher=False).tolist() == [0, 0, 1, 1, 2, 2, -1]


@settings(max_examples=60)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60), st.booleans())
def test_quantiles(values, higher):
    found = labels_from_feature(values, quantiles=(0.85, 0.95), higher=higher)
    n, sign = len(values), 1 if higher else -1
    assert (found >= 2).sum() * 100 <= 5 * n
    assert (found >= 1).sum() * 100 <= 15 * n
    for q, label in ((85, 1), (95, 2)):
        for v, f in zip(values, found, strict=True):
            not_above = sum(sign * w < sign * v for w in values)
            assert (f >= label) == (not_above * 100 >= q * n), "at least the share q lies below"


def test_features_refuse():
    for bad in ({}, {"thresholds": (1,), "quantiles": (0.5,)}):
        with pytest.raises(UsageError, match="either thresholds or quantiles"):
            labels_from_feature([1], **bad)
    with pytest.raises(UsageError, match="ascending numbers, got 2, 1"):
        labels_from_feature([1], thresholds=(2, 1))
    with pytest.raises(UsageError, match="between 0 and 1"):
        labels_from_feature([1], quantiles=(0.5, 1))
    assert labels_from_feature([np.nan], quantiles=(0.5,)).tolist() == [-1]


def test_reading_features(tmp_path):
    (tmp_path / "f").write_text("d1 0.5\nd2 1e-3\n")
    docs, values = read_feature(tmp_path / "f")
    assert (docs, values.tolist()) == (["d1", "d2"], [0.5, 0.001])
    (tmp_path / "g").write_text("90 d1\n")
    assert read_feature(tmp_path / "g", "value doc")[1].tolist() == [90]
    with pytest.raises(InputError, match='g:1: expected doc value with a number, got "90 d1"'):
        read_feature(tmp_path / "g")
    with pytest.raises(UsageError, match="columns: expected"):
        read_feature(tmp_path / "g", "doc")
    (tmp_path / "h").write_text("d1 1\nd2 1\nd1 2\n")
    with pytest.raises(InputError, match="1 documents occur again, first d1"):
        read_feature(tmp_path / "h")


def test_a_whole_declaration(tmp_path):
    (tmp_path / "rel.qrels").write_text("1 0 a hr\n1 0 b junk\n2 0 a mr\n")
    (tmp_path / "cor.qrels").write_text("1 0 a c\n2 0 c nc\n")
    (tmp_path / "spam.txt").write_text("95 a\n10 b\n85 zzz\n")
    (tmp_path / "a.toml").write_text(
        """
        [aspects]
        relevance = "nr/junk,mr,hr"
        [aspects.correctness]
        labels = "nc,c"
        qrels = "cor.qrels"
        missing = "lowest"
        [aspects.nonspam]
        labels = ["spam", "fair", "clean"]
        file = "spam.txt"
        thresholds = [80, 90]
        columns = "value doc"
        """
    )
    found = read_aspects(tmp_path / "rel.qrels", load_aspects(tmp_path / "a.toml"))
    assert list(zip(found.topics, found.docs, strict=True)) == [("1", "a"), ("1", "b"), ("2", "a"), ("2", "c")]
    assert found.labels.tolist() == [[2, 1, 2], [0, 0, 0], [1, 0, 2], [0, 0, 0]]
    assert f"documents-without-feature: 1 (c), not in {tmp_path / 'spam.txt'}" in map(str, found.findings)
    with pytest.raises(UsageError, match="needs label columns for relevance"):
        read_aspects(None, load_aspects(tmp_path / "a.toml"))


def test_merging():
    aspect = Aspect("relevance", ("junk", "nr", "fr", "hr", "key"), (0, 0, 1, 2, 4), aliases=(("nav", "key"),))
    merged, new = merge_labels(aspect, {"junk": "nr", "nav": "hr"})
    assert str(merged) == "relevance=nr/junk:0,fr:1,hr/nav/key:2"
    assert new.tolist() == [0, 0, 1, 2, 2]
    assert merged.index("nav") == 2
    with pytest.raises(UsageError, match="fr is merged into hr, which is itself merged away"):
        merge_labels(aspect, {"fr": "hr", "hr": "key"})
    with pytest.raises(LeadlineError, match="Unknown label"):
        merge_labels(aspect, {"fr": "xx"})
