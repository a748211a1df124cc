"""Every figure: its encodings name fields that its data have, its marks are drawn, and it shows the result's numbers.

A chart whose field is misspelt is drawn without an error, and empty. So each one is rendered and its marks
are counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import leadline
from leadline.cli import cli
from leadline.depths.leave_out import leave_out
from leadline.depths.pools import pool, pool_runs
from leadline.depths.ranges import ranges
from leadline.depths.stability import depth, volatility
from leadline.depths.tie_effects import ties
from leadline.errors import UnknownName, UsageError
from leadline.io.aspects import declare
from leadline.measures.aspects._bounds import bounds
from leadline.measures.aspects.cam import CAM
from leadline.output import plots
from leadline.output.plots import _theme
from leadline.output.save import encode_figure, save_figure
from leadline.rankings.aspects import classes
from leadline.simulate import simulate
from leadline.systems.locality import locality
from leadline.systems.removal import removal
from leadline.systems.tie_chances import deciding_levels, tie_chances

RULES = "ties trec · unjudged nonrelevant"


# results --------------------------------------------------------------------------------------------------------------
@cache
def drawn() -> Any:
    return simulate(runs=9, topics=20, depth=60, pool_depth=10, rng=3)


@cache
def track() -> leadline.Track:
    return leadline.read(drawn().qrels, drawn().runs, pool_depth=10, keep_scores=True)


@cache
def stopping_by_itself() -> leadline.SelfTruncation:
    sim = simulate(runs=5, topics=20, depth=5, pool_depth=5, relevant=2, nil=0.3, truncated=0.5, rng=2)
    return leadline.self_truncation(leadline.read(sim.qrels, sim.runs, nil="answer"))


@cache
def several_aspects() -> leadline.Track:
    rng = np.random.default_rng(0)
    qrels = {t: {d: (g, int(rng.integers(0, 3))) for d, g in docs.items()} for t, docs in drawn().qrels.items()}
    top = max(g for docs in drawn().qrels.values() for g in docs.values())
    return leadline.read(qrels, drawn().runs, aspects=f"relevance=0..{top} correctness=0,1,2")


def tied(folder: Path) -> Any:
    drawn().write(folder)
    return ties(leadline.read(folder / "qrels.txt", folder / "runs", keep_scores=True))


Make = Callable[[], Any]
ONE_LIST = "1 0 1 1 0 0 0 1"
FIGURES: dict[str, tuple[Make, int]] = {  # how to make it, and the least number of marks
    "agreement_plot": (lambda: plots.agreement_plot(leadline.agree(track(), ["AP", "RR", "P@5"]), rules=RULES), 18),
    "aspect_bounds_plot": (
        lambda: plots.aspect_bounds_plot(
            {"CAM": bounds(CAM(measure="nDCG"), several_aspects(), limited=False)}, rules=RULES
        ),
        6,
    ),
    "aspect_grid_plot": (
        lambda: plots.aspect_grid_plot(classes(declare("a=0,1,2 b=0,1"), "euclidean"), rules=RULES),
        12,
    ),
    "aspect_study_plot": (
        lambda: plots.aspect_study_plot(leadline.aspect_study(several_aspects(), resamples=100), rules=RULES),
        58,
    ),
    "best_lengths_plot": (
        lambda: plots.best_lengths_plot(leadline.truncate(track(), ["RBPU", "OIE"]), rules=RULES),
        15,
    ),
    "comparison_plot": (lambda: plots.comparison_plot(leadline.compare(track(), "AP"), rules=RULES), 19),
    "comparison_plot baseline": (
        lambda: plots.comparison_plot(leadline.compare(track(), "AP", baseline=track().runs[2]), rules=RULES),
        17,
    ),
    "curves_plot": (
        lambda: plots.curves_plot(leadline.curve(track(), ["AP", "nDCG"], by="depth"), pool_depth=10, rules=RULES),
        20,
    ),
    "curves_plot bands": (
        lambda: plots.curves_plot(
            leadline.curve(track().select(runs=list(track().runs[:2])), "RBPU", by="length"), rules=RULES
        ),
        4,
    ),
    "deciding_levels_plot": (lambda: plots.deciding_levels_plot(deciding_levels(track(), levels=8), rules=RULES), 18),
    "depth_plot": (lambda: plots.depth_plot(depth(track(), ["AP", "RBP(p=0.8)"], depths=[1, 5, 20]), rules=RULES), 40),
    "full_versus_truncated_plot": (
        lambda: plots.full_versus_truncated_plot(leadline.full_versus_truncated(track(), "AP", "OIE"), rules=RULES),
        9,
    ),
    "leave_out_plot": (lambda: plots.leave_out_plot(leave_out(track(), ["AP", "P@5"]), rules=RULES), 10),
    "list_lengths_plot": (lambda: plots.list_lengths_plot(stopping_by_itself(), rules=RULES), 18),
    "locality_plot": (lambda: plots.locality_plot(locality(track()), rules=RULES), 128),
    "pool_growth_plot": (lambda: plots.pool_growth_plot(pool(track()), pool_depth=10, rules=RULES), 20),
    "pool_runs_plot": (lambda: plots.pool_runs_plot(pool_runs(track()), rules=RULES), 54),
    "preference_plot": (lambda: plots.preference_plot(leadline.prefer(track()), rules=RULES), 72),
    "regression_plot": (lambda: plots.regression_plot(locality(track()), rules=RULES), 20),
    "removal_plot": (lambda: plots.removal_plot(removal(track(), samples=2), rules=RULES), 18),
    "residuals_plot": (lambda: plots.residuals_plot(ranges(track(), ["P@10", "RBP(p=0.8)"]), rules=RULES), 36),
    "scores_plot": (lambda: plots.scores_plot(leadline.evaluate(track(), "AP"), rules=RULES), 180),
    "self_truncation_plot": (lambda: plots.self_truncation_plot(stopping_by_itself(), rules=RULES), 36),
    "stopping_plot": (
        lambda: plots.stopping_plot(
            leadline.stop(track().select(runs=list(track().runs[:1])), "U", policies="score-threshold"), rules=RULES
        ),
        6,
    ),
    "tie_chances_plot": (lambda: plots.tie_chances_plot(tie_chances(track()), rules=RULES), 12),
    "truncation_effects_plot": (lambda: plots.truncation_effects_plot(stopping_by_itself(), rules=RULES), 24),
    "utility_plot": (
        lambda: plots.utility_plot(
            leadline.curve(leadline.typed(ONE_LIST), ["RBPU", "SetF"], by="length"),
            labels=[int(x) for x in ONE_LIST.split()], rules=RULES,
        ),
        12,
    ),
    "utility_plot topic": (
        lambda: plots.utility_plot(
            leadline.curve(track(), "RBPU", by="length", per_topic=True), topic=track().topics[3], rules=RULES
        ),
        2,
    ),
    "volatility_plot": (
        lambda: plots.volatility_plot(volatility(track(), "AP", depths=[1, 5, 20]), rules=RULES),
        9,
    ),
}  # fmt: skip


# the checker ----------------------------------------------------------------------------------------------------------
def units(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The single charts of a specification, each with what it inherits from the charts around it."""
    parts = [p for key in ("layer", "concat", "hconcat", "vconcat") for p in spec.get(key, ())]
    if not parts:
        yield spec
    for part in parts:
        around = {key: spec[key] for key in ("data", "encoding") if key in spec}
        part = {**around, **part, "encoding": {**spec.get("encoding", {}), **part.get("encoding", {})}}
        yield from units(part)


def _rows(spec: dict[str, Any], unit: dict[str, Any]) -> list[dict[str, Any]]:
    data = unit["data"]
    found: list[dict[str, Any]] = json.loads(data["values"]) if isinstance(data["values"], str) else data["values"]
    return found


def blind_fields(spec: dict[str, Any]) -> list[str]:
    """Fields that a chart encodes and its data do not have."""
    out = []
    for unit in units(spec):
        rows = _rows(spec, unit)
        for channel, encoding in unit["encoding"].items():
            for one in encoding if isinstance(encoding, list) else [encoding]:
                field = one.get("field")
                if field is not None and not any(row.get(field) is not None for row in rows):
                    out.append(f"{channel}={field}")
    return out


def marks(svg: str) -> int:
    """Marks that are really drawn: shapes and texts of the data, not of axes, legends and titles."""
    count = 0
    for group in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if "role-mark" not in group.get("class", "").split() or "mark-group" in group.get("class", ""):
            continue
        for item in group:
            kind = item.tag.rsplit("}", 1)[-1]
            count += kind == "line" or bool(item.get("d")) or bool(kind == "text" and "".join(item.itertext()).strip())
    return count


def svg_of(chart: Any) -> str:
    return encode_figure(chart, "svg").decode()


@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_drawn(name: str) -> None:
    make, least = FIGURES[name]
    chart = make()
    spec = chart.to_dict()
    assert blind_fields(spec) == []
    svg = svg_of(chart)
    assert marks(svg) >= least
    assert spec["title"]["subtitle"][-1] == RULES
    assert not re.search(r"NaN|undefined|Infinity", re.sub(r"undefined at every length", "", svg))


def test_figure_of_ties(tmp_path: Path) -> None:
    found = tied(tmp_path)
    chart = plots.ties_plot(found, rules=RULES)
    assert blind_fields(chart.to_dict()) == []
    assert marks(svg_of(chart)) >= len(found.runs) * (1 + 2 * len(found.spread.measures))


def test_no_figure_is_missing() -> None:
    assert {name.split()[0] for name in FIGURES} | {"ties_plot"} == set(plots.__all__)
    assert sorted(plots._HOME) == sorted(plots.__all__) == dir(plots)


def test_checker_sees_empty_figures() -> None:
    import altair as alt

    good = alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_point().encode(x="x:Q", y="y:Q")
    blind = alt.Chart(alt.Data(values=[{"x": 1, "y": 2}])).mark_line().encode(x="x:Q", y="z:Q")
    empty = alt.Chart(alt.Data(values=[])).mark_point().encode(x="x:Q", y="y:Q")
    assert blind_fields(good.to_dict()) == []
    assert marks(svg_of(good)) == 1
    assert blind_fields(blind.to_dict()) == ["y=z"]
    assert marks(svg_of(empty)) == 0


# content --------------------------------------------------------------------------------------------------------------
def values(chart: Any, *fields: str) -> list[dict[str, Any]]:
    """All records of the chart's data that have these fields."""
    spec = chart.to_dict()
    rows = [r for unit in units(spec) for r in _rows(spec, unit)]
    return [r for r in rows if all(f in r for f in fields)]


def test_curves_hold_the_means_and_the_pool_depth() -> None:
    found = leadline.curve(track(), "AP", by="depth")
    chart = plots.curves_plot(found, pool_depth=10)
    shown = {(r["run"], r["depth"]): r["value"] for r in values(chart, "run", "depth", "value")}
    assert {run for run, _ in shown} == set(track().runs)
    for run, k in [(track().runs[0], 10), (track().runs[-1], 60)]:
        assert shown[run, k] == pytest.approx(found.mean("AP")[track().runs.index(run), k], abs=1e-6)
    assert {r["text"] for r in values(chart, "text")} == {"pool 10"}


def test_many_runs_are_grey_and_the_best_in_colour() -> None:
    found = leadline.curve(track(), "AP", by="depth")
    spec = plots.curves_plot(found, top=3).to_dict()
    coloured = next(u for u in units(spec) if "color" in u["encoding"])["encoding"]["color"]["scale"]
    best = np.argsort(-found.mean("AP")[:, -1])[:3]
    assert coloured["domain"] == [track().runs[i] for i in best]
    assert "in grey 6 others" in spec["title"]["subtitle"][0]
    named = plots.curves_plot(found, runs=[track().runs[8]]).to_dict()
    assert "those named" in named["title"]["subtitle"][0]
    with pytest.raises(UnknownName, match="Unknown run"):
        plots.curves_plot(found, runs=["nobody"])


def test_heat_map_holds_every_score_best_run_first() -> None:
    scores = leadline.evaluate(track(), "AP")
    chart = plots.scores_plot(scores)
    rows = values(chart, "run", "topic", "value")
    assert [r["value"] for r in rows] == pytest.approx(scores.array("AP").ravel().tolist(), abs=1e-6)
    order = next(units(chart.to_dict()))["encoding"]["y"]["sort"]
    assert order == [track().runs[i] for i in np.argsort(-scores.mean("AP"), kind="stable")]


def test_letters_join_the_runs_that_share_them() -> None:
    found = leadline.compare(track(), "AP")
    shown = {(r["run"], r["letter"]) for r in values(plots.comparison_plot(found), "run", "letter")}
    texts = dict(zip(track().runs, found.letters("AP").text, strict=True))
    assert shown == {(run, letter) for run, text in texts.items() for letter in text}


def test_differences_are_those_of_the_run_not_of_the_baseline() -> None:
    base = track().runs[2]
    found = leadline.compare(track(), "AP", baseline=base)
    mean = dict(zip(found.runs, found["AP"].mean, strict=True))
    rows = values(plots.comparison_plot(found), "run", "difference")
    assert len(rows) == 2 * (len(found.runs) - 1)
    for r in rows:
        assert r["difference"] == pytest.approx(mean[r["run"]] - mean[base], abs=1e-6)
        assert r["low"] <= r["difference"] <= r["high"]


def test_best_length_is_marked() -> None:
    found = leadline.curve(leadline.typed(ONE_LIST), "SetF", by="length")
    best = leadline.truncate(leadline.typed(ONE_LIST), "SetF")
    spec = plots.utility_plot(found).to_dict()
    (point,) = [r for u in units(spec) if u["mark"]["type"] == "point" for r in _rows(spec, u)]
    assert point["length"] == best.length("SetF")[0, 0]


def test_pool_rate_and_histogram_are_the_results_own() -> None:
    growth = pool(track())
    rates = [r["rate"] for r in values(plots.pool_growth_plot(growth), "rate")]
    assert rates[: len(growth.depths)] == pytest.approx(growth.new_rate.tolist(), abs=1e-6, nan_ok=True)
    best = leadline.truncate(track(), "RBPU")
    shown = values(plots.best_lengths_plot(best), "series", "percent")
    wanted = best.histogram().percent[str(best.measures[0])]
    own = [r["percent"] for r in shown if r["series"] == str(best.measures[0])]
    assert own[: len(wanted)] == pytest.approx(wanted.tolist(), abs=1e-4)


def test_thinning_keeps_the_ends() -> None:
    at = _theme.thinned(range(5001))
    assert len(at) <= 240
    assert at[0] == 0
    assert at[-1] == 5000


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(UsageError, match="nothing to draw"):
        _theme.data([])


# files ----------------------------------------------------------------------------------------------------------------
def chart() -> Any:
    name = "</script><script>alert(1)</script>"
    runs = {name: drawn().runs["uni1-bm25"], "b": drawn().runs["uni1-ql"]}
    found = leadline.curve(leadline.read(drawn().qrels, runs), "AP", by="depth", depths=[1, 5, 10])
    return plots.curves_plot(found)


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF"), ("JSON", b"{")])
def test_formats_by_ending(tmp_path: Path, ending: str, start: bytes) -> None:
    target = tmp_path / f"figure.{ending}"
    save_figure(chart(), target)
    assert target.read_bytes().startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [target.name]


def test_page_needs_no_network_and_names_cannot_break_out(tmp_path: Path) -> None:
    target = tmp_path / "figure.html"
    save_figure(chart(), target)
    text = target.read_text(encoding="utf-8")
    own = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"(src|href|url)\s*[=(]", own)  # the scripts are in the page, and the drawing loads nothing
    assert not re.search(r"<script[^>]+>", text)
    assert "alert(1)</script>" not in text
    assert text.count("</script>") == 2
    found = re.search(r'vegaEmbed\("#figure", (\{.*\}), \{"mode"', text)
    assert found is not None
    assert json.loads(found[1])["title"]["text"] == "Score by evaluation depth"


@pytest.mark.parametrize(("name", "said"), [("a.jpg", "Did you mean 'png'"), ("figure", "has no ending")])
def test_endings_nobody_knows(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        save_figure(chart(), tmp_path / name)


# the command line -----------------------------------------------------------------------------------------------------
COMMANDS = {
    "evaluate": "AP of every run",
    "curve -m AP --depths 1-20": "Score by evaluation depth",
    "truncate -m RBPU": "Where should the lists have stopped?",
    "truncate -m RBPU --against AP": "Whole lists against best lengths",
    "truncate --own": "Systems that stop by themselves",
    "stop -m U --policy score-threshold": "What stopping rules are worth",
    "compare -m AP": "AP: which runs differ?",
    "prefer": "Who is preferred to whom",
    "prefer --levels": "Which relevant document decides?",
    "prefer --chance": "How often does reciprocal rank tie?",
    "prefer --locality": "Do neighbouring recall levels agree?",
    "prefer --regression": "How much do the next levels tell?",
    "prefer --removal labels --samples 2": "What survives the removal of labels?",
    "depth -m AP --depths 1,5,10": "Dependence on the evaluation depth",
    "depth -m AP --volatility --depths 1,5,10": "Does the order of systems depend on the depth?",
    "pool": "How the pool grew",
    "pool --per-run": "What the pool holds of each run",
    "pool --leave-out run -m AP": "Score of each run if it had not fed the pool",
    "ties -m AP": "What tie-breaking decides",
    "agree -m AP -m RR": "Do measures order systems alike?",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("track")
    simulate(runs=4, topics=12, depth=30, pool_depth=10, rng=5).write(path)
    return path


def ask(words: list[str]) -> dict[str, Any]:
    done = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(Path(words[-1]).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_plot_option(command: str, folder: Path, tmp_path: Path) -> None:
    name, *rest = command.split()
    target = str(tmp_path / "figure.json")
    spec = ask([name, str(folder / "qrels.txt"), str(folder / "runs"), *rest, "--plot", target])
    assert spec["title"]["text"].startswith(COMMANDS[command])
    assert "ties trec" in spec["title"]["subtitle"][-1]
    assert blind_fields(spec) == []


def test_plot_of_a_typed_list_and_of_an_aspect_grid(tmp_path: Path) -> None:
    target = str(tmp_path / "figure.json")
    spec = ask(["score", "1 0 - 2", "-m", "RBPU", "--plot", target])
    assert {r["length"] for u in units(spec) if u["mark"]["type"] == "tick" for r in _rows(spec, u)} == {1, 4}
    spec = ask(["aspects", "--explain", "--aspects", "a=0,1,2 b=0,1", "-m", "TOMA", "--plot", target])
    assert spec["title"]["text"] == "What label pairs are worth"


def test_rules_in_force_are_told(folder: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "figure.json")
    more = ["--unjudged", "condense", "--rel", "2", "--pool-depth", "10", "--ties", "run"]
    spec = ask(["curve", str(folder / "qrels.txt"), str(folder / "runs"), "-m", "nDCG", *more, "--plot", target])
    wanted = "ties run · unjudged condense · undefined zero · relevant from grade 2 · pool depth 10"
    assert spec["title"]["subtitle"][-1] == wanted


def test_an_unknown_ending_is_told_before_anything_is_read() -> None:
    done = CliRunner().invoke(cli, ["curve", "no-such-file", "no-run", "--plot", "figure.gif"])
    assert isinstance(done.exception, UnknownName)
    assert "ending of a figure 'gif'" in str(done.exception)
