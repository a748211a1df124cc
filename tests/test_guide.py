"""The guide reaches every leaf; what it recommends parses, runs and has the properties it is recommended for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import leadline
from leadline.cli import cli
from leadline.measures import parse
from leadline.meta.calibration import effort, silence_beta
from leadline.meta.guide import Advice, guide
from leadline.meta.guide_data import hints
from leadline.meta.guide_tree import JUDGED, TREE, Leaf, Question, leaves, questions
from leadline.rankings.track import Track

DOCS = Path(__file__).parents[1] / "docs"
LEAVES = list(leaves())
IDS = [" ".join(f"{k}={v}" for k, v in path.items()) for path, _ in LEAVES]
RBP = {"length": "no", "weight": "falls", "fixed": "no", "one": "no", "recall": "no", "redundancy": "no"}
AP = RBP | {"recall": "yes", "pool": "deep", "grades": "binary"}
OIE = {"length": "yes", "weight": "falls", "nil": "no", "recall": "yes", "redundancy": "yes"}


def small(aspects: bool = False) -> Track:
    labels = {"a": (1, 1), "b": (0, 0), "c": (1, 0), "d": (0, 1)}
    qrels = {t: {d: label if aspects else label[0] for d, label in labels.items()} for t in ("1", "2")}
    runs = {"x": {"1": {"a": 3, "b": 2}, "2": {"c": 1}}, "y": {"1": {"e": 3, "a": 2, "c": 1}}}
    return leadline.read(qrels, runs, **({"aspects": "relevance=0,1 truth=0,1"} if aspects else {}))


# ------------------------------------------------------------------------------------------------------------- the tree


def test_every_question_has_one_key_on_a_path_and_two_answers_at_least() -> None:
    def walk(node: Question | Leaf, above: tuple[str, ...]) -> int:
        if isinstance(node, Leaf):
            assert node.measures
            assert node.needs
            return 1
        assert node.key not in above
        assert len({a.value for a in node.answers}) == len(node.answers) >= 2
        assert all(a.decides for a in node.answers)
        return sum(walk(a.next, (*above, node.key)) for a in node.answers)

    assert walk(TREE, ()) == len(LEAVES) == len({id(leaf) for _, leaf in LEAVES}) >= 19


@pytest.mark.parametrize(("path", "leaf"), LEAVES, ids=IDS)
def test_every_leaf_is_reached_and_its_measures_run(path: dict[str, str], leaf: Leaf) -> None:
    track = small()
    advice = guide(track, **path)
    assert [step.decides for step in advice.steps]
    assert len(advice.measures) == len(leaf.measures)
    for name, m in zip(advice.names, advice.measures, strict=True):
        assert parse(name) == m
    scores = leadline.evaluate(track, advice.names)
    assert scores.mean().shape == (2, len(advice.names))
    if advice.preferences:
        assert leadline.prefer(track, list(advice.preferences)) is not None
    assert all(name in advice.commands[0] for name in advice.names)
    assert "{" not in str(advice).replace("gain={", "")


@pytest.mark.parametrize(("path", "leaf"), LEAVES, ids=IDS)
@pytest.mark.parametrize("judged", ["order", "mean", "weakest"])
def test_every_leaf_can_be_wrapped_for_several_aspects(path: dict[str, str], leaf: Leaf, judged: str) -> None:
    advice = guide(judged=judged, **path)
    assert {type(m).name for m in advice.measures} == {JUDGED[judged][1]}
    assert all(parse(name) == m for name, m in zip(advice.names, advice.measures, strict=True))
    assert leadline.evaluate(small(aspects=True), advice.names).mean().shape == (2, len(advice.names))
    assert advice.steps[0].decides == "several aspects"
    assert not advice.preferences


@pytest.mark.parametrize(("path", "leaf"), LEAVES, ids=IDS)
def test_the_first_measure_has_the_properties_it_is_chosen_for(path: dict[str, str], leaf: Leaf) -> None:
    first = guide(**path).measures[0]
    verdicts = {v.property: v.verdict for v in leadline.properties(first, only=leaf.needs)}
    assert set(verdicts) == set(leaf.needs)
    assert all(verdict.startswith("holds") for verdict in verdicts.values()), verdicts


# ------------------------------------------------------------------------------------------------- answers and numbers


def test_numbers_set_the_parameters() -> None:
    assert guide(**RBP, depth=10).names[0] == "RBP(p=0.9)"
    assert guide(length="no", weight="falls", fixed="yes", depth=7).names == ("P@7", "R@7")
    utility = RBP | {"length": "yes", "nil": "no"}
    del utility["fixed"], utility["one"]
    advice = guide(**utility, depth=10, worth=20)
    assert advice.measures[0].e == pytest.approx(effort(20, "RBPU(p=0.9)"), abs=1e-6)  # type: ignore[attr-defined]
    oie: Any = guide(**OIE, silence_rank=20, docs=50_000).measures[0]
    assert oie.beta == pytest.approx(silence_beta(20, docs=50_000), abs=1e-6)
    assert oie.docs == 50_000
    with pytest.raises(leadline.UsageError, match="breaks SHALLOWNESS"):
        guide(**OIE, silence_rank=2, always_read=2)
    assert guide(**OIE, silence_rank=20, always_read=2).names[0].startswith("OIE(beta=1.046415")
    with pytest.raises(leadline.UsageError, match="expected depth"):
        guide(**RBP, depth=1)


def test_missing_and_wrong_answers_are_told() -> None:
    with pytest.raises(leadline.UsageError, match=r"needs weight=: .*equal \(no.*falls"):
        guide(length="no")
    with pytest.raises(leadline.UnknownName, match="'yes'"):
        guide(length="yess")
    with pytest.raises(leadline.UnknownName, match="'length'"):
        guide(lenght="yes")
    with pytest.raises(leadline.UnknownName, match="judged"):
        guide(judged="many", length="no")
    with pytest.raises(leadline.UsageError, match="recall"):  # 'all' is no answer where the system stops by itself
        guide(**OIE | {"recall": "all"})


# ----------------------------------------------------------------------------------------------------------- your data


def codes(advice: Advice) -> set[str]:
    return {w.code for w in advice.warnings}


def judged_well(**more: Any) -> Track:
    """Two runs of equal lengths, everything judged, several relevant documents for each topic."""
    qrels = {f"t{i}": {f"d{j}": int(j < 4) for j in range(10)} for i in range(4)}
    runs = {r: {t: {f"d{(j * s) % 10}": 10.0 - j for j in range(10)} for t in qrels} for r, s in (("x", 1), ("y", 3))}
    return leadline.read(more.pop("qrels", qrels), more.pop("runs", runs), **more)


def test_a_sound_track_raises_no_doubt() -> None:
    assert codes(guide(judged_well(), **AP)) == set()
    assert hints(judged_well()) == {"grades": "binary", "nil": "no", "length": "no", "pool": "deep", "judged": "one"}


def test_shallow_pool_speaks_against_ap() -> None:
    qrels = {f"t{i}": {f"d{j}": int(j < 2) for j in range(4)} for i in range(4)}
    track = judged_well(qrels=qrels)
    advice = guide(track, **AP)
    assert codes(advice) == {"shallow-pool"}
    assert "60 % of the first 100 documents are unjudged: AP" in str(advice)
    assert hints(track)["pool"] == "shallow"
    assert codes(guide(track, **AP | {"pool": "shallow"})) <= {"shallow-pool"}
    assert not codes(guide(track, **RBP))
    declared = judged_well(pool_depth=5)
    assert "deeper than the pool of depth 5" in str(guide(declared, **AP))


def test_nil_topics_ask_for_the_terminal_family() -> None:
    qrels = {f"t{i}": {f"d{j}": int(j < 4 and i > 0) for j in range(10)} for i in range(4)}
    track = judged_well(qrels=qrels)
    advice = guide(track, **AP)
    (found,) = [w for w in advice.warnings if w.code == "nil-answer-topics"]
    assert found.examples == ("t0",)
    assert "RBPT" in found.text
    assert hints(track)["nil"] == "yes"
    terminal = {"length": "yes", "weight": "falls", "nil": "yes", "one": "no"}
    assert "nil-answer-topics" not in codes(guide(track, **terminal))


def test_single_relevant_documents_make_rr_tie() -> None:
    qrels = {f"t{i}": {f"d{j}": int(j == 0) for j in range(10)} for i in range(4)}
    track = judged_well(qrels=qrels)  # both runs have d0 first
    first = RBP | {"one": "yes", "score": "score"}
    del first["recall"], first["redundancy"]
    advice = guide(track, **first)
    assert "one-relevant" in codes(advice)
    assert "RR ties on 100 % of all pairs of runs" in str(advice)
    assert "one-relevant" not in codes(guide(judged_well(), **first))


def test_lengths_that_nobody_or_somebody_chose() -> None:
    assert "nobody-truncated" in codes(guide(judged_well(), **OIE))
    runs = {"x": {f"t{i}": {f"d{j}": 10.0 - j for j in range(3 + i)} for i in range(4)}}
    track = judged_well(runs=runs)
    assert "own-lengths" in codes(guide(track, **RBP))
    assert not codes(guide(track, **OIE)) & {"own-lengths", "nobody-truncated"}
    assert hints(track)["length"] == "yes"


def test_grades_that_go_unused() -> None:
    qrels = {f"t{i}": {f"d{j}": max(0, 4 - j) for j in range(10)} for i in range(4)}
    track = judged_well(qrels=qrels)
    assert "grades-unused" in codes(guide(track, **AP))
    assert "grades-unused" not in codes(guide(track, **AP | {"grades": "graded"}))
    assert hints(track)["grades"] == "graded"


# -------------------------------------------------------------------------------------------------------------- command


@pytest.mark.parametrize(("path", "leaf"), LEAVES, ids=IDS)
def test_asking_in_a_terminal_reaches_every_leaf(path: dict[str, str], leaf: Leaf) -> None:
    typed = "\n".join(["one", *path.values()]) + "\n"
    result = CliRunner().invoke(cli, ["guide", "--ask", "--names"], input=typed, catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == list(guide(**path).names)
    assert all(questions()[key][0] in result.stderr for key in path)


def test_flags_in_a_script(tmp_path: Path) -> None:
    flags = [x for key, value in AP.items() for x in (f"--{key}", value)]
    result = CliRunner().invoke(cli, ["guide", *flags, "--no-ask"])
    assert "Use AP, RBP(p=0.98)" in result.stdout
    assert "[RECALL]" in result.stdout
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 0\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "x.run")]
    result = CliRunner().invoke(cli, ["guide", *files, *flags, "--no-ask"])
    assert "nil-answer-topics: 1 (2)" in result.stdout
    wrapped = CliRunner().invoke(cli, ["guide", "--judged", "order", *flags, "--no-ask", "--names"])
    assert wrapped.stdout.splitlines()[0] == "TOMA(measure='AP')"
    missing = CliRunner().invoke(cli, ["guide", "--length", "no", "--no-ask"])
    assert isinstance(missing.exception, leadline.UsageError)
    assert CliRunner().invoke(cli, ["guide", files[0], *flags]).exit_code == 2


def test_the_data_suggest_defaults(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 2\n2 0 b 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2 x\n2 Q0 b 2 1 x\n")
    asked = ["guide", str(tmp_path / "qrels"), str(tmp_path / "x.run"), "--ask", "--names"]
    typed = "\n\nfalls\nno\nno\nyes\n\n\n"  # judged, length, pool and grades as suggested
    result = CliRunner().invoke(cli, asked, input=typed, catch_exceptions=False)
    assert result.stdout.splitlines()[0] == "nDCG@10"


# ----------------------------------------------------------------------------------------------------------------- docs


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not DOCS.exists(), reason="no documentation beside this installation")
def test_page_and_figure_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "make_guide", ModuleType("make_guide"))  # for its dataclass
    make = script("make_guide")
    assert make.page() == make.PAGE.read_text("utf-8"), "run: python docs/make_guide.py"
    assert make.figure() == make.FIGURE.read_text("utf-8"), "run: python docs/make_guide.py"
    tree = ElementTree.fromstring(make.figure())
    texts = {element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")}
    for path, _ in LEAVES:
        assert set(guide(**path).names) <= texts
