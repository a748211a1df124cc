"""Runs against runs: system × topic heat map, comparison in the style of critical differences, preference matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.measures.base import Measure
    from leadline.measures.scores import Scores
    from leadline.output.plots._theme import Chart
    from leadline.systems.comparison import Comparison
    from leadline.systems.preference_names import Preference
    from leadline.systems.preferences import Preferences

__all__ = ["comparison_plot", "preference_plot", "scores_plot"]

_LINES = 100  # groups of runs that do not differ, drawn as lines


def scores_plot(found: Scores, *, measure: str | Measure | None = None, rules: str = "") -> Chart:
    """Score of every run on every topic as a heat map: best runs on top, easiest topics on the left.

    A row or column that looks unlike its neighbours is worth a look: a topic that one system alone solves, a run that
    misses topics. Undefined scores are left blank.
    """
    from leadline.measures.names import parse

    alt = theme.altair_()
    m = next((m for m in found.measures if m.per_topic), found.measures[0]) if measure is None else parse(measure)
    values = found.array(m)
    runs = theme.ranked_names(found.runs, found.mean(m), m.higher_is_better)
    with np.errstate(invalid="ignore"):
        known = ~np.isnan(values)
        ease = np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
    topics = theme.ranked_names(found.topics, ease, m.higher_is_better)
    step_x, step_y = theme.steps(len(topics), room=840, least=3), theme.steps(len(runs), room=560, least=6)
    cells = {
        "run": np.repeat(np.array(found.runs, object), len(found.topics)),
        "topic": np.tile(np.array(found.topics, object), len(found.runs)),
        "value": values.ravel(),
    }
    chart = alt.Chart(theme.data(cells)).mark_rect().encode(
        x=alt.X("topic:N", sort=topics, title=f"topic, easiest first ({len(topics)})", axis=theme.label_axis(step_x)),
        y=alt.Y("run:N", sort=runs, title="run, best first", axis=theme.label_axis(step_y, vertical=True)),
        color=alt.Color("value:Q", title=str(m), scale=alt.Scale(scheme=theme.QUANTITY)),
        tooltip=["run:N", "topic:N", "value:Q"],
    )  # fmt: skip
    chart = chart.properties(width=alt.Step(step_x), height=alt.Step(step_y))
    told = f"{len(runs)} runs × {len(topics)} topics"
    return theme.finished(chart, f"{m} of every run on every topic", told, rules=rules)


# comparison -----------------------------------------------------------------------------------------------------------
def comparison_plot(found: Comparison, *, measure: str | Measure | None = None, rules: str = "") -> Chart:
    """Who differs from whom, in the style of critical-difference diagrams.

    All pairs: runs by mean score, best on top; a line beside them joins runs of which no two differ significantly
    (their shared letter stands above it). Against a baseline: the difference of each run with its interval, coloured
    where it is significant.

    References: Demšar. Statistical comparisons of classifiers over multiple data sets. J. Mach. Learn. Res. 2006.
    """
    m = found.measures[0] if measure is None else next(x for x in found.measures if x == _parsed(measure))
    chart = _groups(found, m) if found.baseline is None else _differences(found, m)
    if found.baseline is None and len(found.letters(m).letters) > _LINES:
        rules = f"only the first {_LINES} groups are drawn; {rules}"
    title = f"{m}: which runs differ?" if found.baseline is None else f"{m}: difference to {found.baseline}"
    bars = "" if found.baseline is None or found.correction == "none" else "; intervals are not corrected"
    return theme.finished(chart, title, f"{found.described()}; {len(found.topics)} topics{bars}", rules=rules)


def _parsed(measure: str | Measure) -> Measure:
    from leadline.measures.names import parse

    return parse(measure)


def _groups(found: Comparison, m: Measure) -> Any:
    alt = theme.altair_()
    mean = found[m].mean
    order = theme.ranked_names(found.runs, mean, m.higher_is_better)
    place = {run: i for i, run in enumerate(order)}
    letters = found.letters(m)
    step = theme.steps(len(order), room=900, most=24, least=11)
    y = alt.Y("run:N", sort=order, title=None, axis=theme.label_axis(step, vertical=True))
    rows: dict[str, Any] = {"run": list(found.runs), "value": mean, "letters": list(letters.text)}
    dots = alt.Chart(theme.data(rows)).mark_point(filled=True, size=60, color=theme.COLOURS[0], opacity=1).encode(
        x=alt.X("value:Q", title=f"mean {m}", scale=alt.Scale(zero=False)), y=y,
        tooltip=["run:N", "value:Q", "letters:N"],
    )  # fmt: skip
    left = dots.properties(width=330, height=alt.Step(step))
    shown = range(min(len(letters.letters), _LINES))
    pieces, marks = [], []
    for c in shown:
        members = sorted(place[found.runs[i]] for i in np.flatnonzero(letters.member[:, c]).tolist())
        pieces.append({"letter": letters.letters[c], "first": order[members[0]], "last": order[members[-1]]})
        marks += [{"letter": letters.letters[c], "run": order[i]} for i in members]
    names = [letters.letters[c] for c in shown]
    axis = alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False, labelOverlap="greedy", labelSeparation=3)
    x = alt.X("letter:N", sort=names, title=None, axis=axis)
    hidden = alt.Y("run:N", sort=order, title=None, axis=None, scale=alt.Scale(domain=order))
    lines = alt.Chart(theme.data(pieces)).mark_rule(strokeWidth=3, color=theme.INK, opacity=0.35).encode(
        x=x, y=alt.Y("first:N", sort=order, axis=None, scale=alt.Scale(domain=order)), y2="last:N")  # fmt: skip
    points = alt.Chart(theme.data(marks)).mark_point(filled=True, size=42, color=theme.INK, opacity=1)
    both = lines + points.encode(x=x, y=hidden, tooltip=["run:N", "letter:N"])
    right = both.properties(width=alt.Step(max(9, min(20, 700 // len(names)))), height=alt.Step(step))
    return alt.hconcat(left, right, spacing=6).resolve_scale(y="shared")


def _differences(found: Comparison, m: Measure) -> Any:
    alt = theme.altair_()
    one = found[m]
    sign = 1.0 if m.higher_is_better else -1.0
    base = found.baseline
    names, difference, low, high = [], [], [], []
    for (a, b), d, lo, hi in zip(found.pairs, one.tests.difference, one.tests.low, one.tests.high, strict=True):
        turned = a == base
        names.append(b if turned else a)
        difference.append(-d if turned else d)
        low.append(-hi if turned else lo)
        high.append(-lo if turned else hi)
    better = [
        ("better" if sign * d > 0 else "worse") if s else "not shown to differ"
        for d, s in zip(difference, one.significant, strict=True)
    ]
    order = theme.ranked_names(names, np.array(difference), m.higher_is_better)
    step = theme.steps(len(order), room=900, most=24, least=11)
    kinds = ["better", "not shown to differ", "worse"]
    chart = alt.Chart(theme.data(
        {"run": names, "difference": difference, "low": low, "high": high, "verdict": better}
    )).encode(
        y=alt.Y("run:N", sort=order, title=None, axis=theme.label_axis(step, vertical=True)),
        color=alt.Color("verdict:N", title=None, sort=kinds,
                        scale=alt.Scale(domain=kinds, range=[theme.COLOURS[0], "#777777", theme.COLOURS[1]])),
        tooltip=["run:N", "difference:Q", "low:Q", "high:Q", "verdict:N"],
    )  # fmt: skip
    title = f"difference in mean {m}"
    bars = chart.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    shape = alt.Shape("verdict:N", title=None, sort=kinds,
                      scale=alt.Scale(domain=kinds, range=["triangle-up", "circle", "triangle-down"]))  # fmt: skip
    dots = chart.mark_point(filled=True, size=70, opacity=1).encode(x=alt.X("difference:Q", title=title), shape=shape)
    zero = alt.Chart(theme.data([{"zero": 0}])).mark_rule(color=theme.INK, strokeDash=[3, 3]).encode(x="zero:Q")
    return (zero + bars + dots).properties(width=420, height=alt.Step(step))


# preferences ----------------------------------------------------------------------------------------------------------
def preference_plot(found: Preferences, *, preference: str | Preference | None = None, rules: str = "") -> Chart:
    """Mean preference of every run over every other as a matrix, the most preferred on top.

    Blue: the run of the row is preferred; orange: that of the column. A dot: the two differ significantly.
    """
    from leadline.systems.preference_names import parse_preference

    alt = theme.altair_()
    p = found.preferences[0] if preference is None else parse_preference(preference)
    matrix = found.matrix(p)
    count = len(found.runs)
    known = ~np.isnan(matrix)
    worth = np.where(known, matrix, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    order = theme.ranked_names(found.runs, worth)
    differs = np.zeros((count, count), bool)
    differs[found.first, found.second] = differs[found.second, found.first] = found.significant(p)
    apart = ~np.eye(count, dtype=bool) & known
    i, j = np.nonzero(apart)
    names = np.array(found.runs, object)
    cells = {"a": names[i], "b": names[j], "value": matrix[i, j], "significant": differs[i, j]}
    most = float(np.abs(matrix[apart]).max(initial=1e-9))
    step = theme.steps(count, room=640, least=7)
    base = alt.Chart(theme.data(cells)).encode(
        x=alt.X("b:N", sort=order, title="over", axis=theme.label_axis(step, orient="top")),
        y=alt.Y("a:N", sort=order, title="preference for", axis=theme.label_axis(step, vertical=True)),
        tooltip=["a:N", "b:N", "value:Q", "significant:N"],
    )  # fmt: skip
    color = alt.Color("value:Q", title=f"mean {p}",
                      scale=alt.Scale(range=list(theme.SIGNED), domain=[-most, 0, most]))  # fmt: skip
    rects = base.mark_rect().encode(color=color)
    dots = base.transform_filter("datum.significant").mark_point(
        filled=True, size=max(4, min(30, step * step // 10)), color=theme.INK, opacity=0.8
    )
    chart = (rects + dots).properties(width=alt.Step(step), height=alt.Step(step))
    test = found[p].tests.test
    told = (
        f"{test} test, correction {found.correction}; dot: differs at α = {found.alpha:g}; "
        f"{len(found[p].topics)} topics, {found[p].ties:.1%} of pairs of lists tied"
    )
    return theme.finished(chart, f"Who is preferred to whom, by {p}", told, rules=rules)
