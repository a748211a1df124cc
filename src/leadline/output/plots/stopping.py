"""Stopping rules: what each is worth, at every parameter and as tuned on other topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leadline.errors import UnknownName
from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.depths.stopping import Stopping
    from leadline.output.plots._theme import Chart

__all__ = ["stopping_plot"]

_FIXED = {"never": "#777777", "oracle": "#000000"}


def stopping_plot(
    found: Stopping, *, run: str | None = None, policies: Sequence[str] | None = None, rules: str = ""
) -> Chart:
    """Mean score against mean length: a line for each rule as its parameter varies, a point where tuning put it.

    Lines are means over all topics; points, with their 95 % interval, were tuned on other topics, and so are what may
    be expected. ``never`` returns everything, ``oracle`` knows the judgments. Lists of fewer than one document on
    average are left out, since the axis is logarithmic. By default the first run is drawn.
    """
    alt = theme.altair_()
    name = found.runs[0] if run is None else run
    if name not in found.runs:
        raise UnknownName("run", name, found.runs)
    tuned = [p for p in found.policies if p != "never"] if policies is None else list(policies)
    shown = [*tuned, *_FIXED]
    colours = [theme.COLOURS[i % (len(theme.COLOURS) - 1)] for i in range(len(tuned))] + list(_FIXED.values())
    columns = found.columns()
    points = _records({n: columns[n] for n in ("run", "policy", "length", "value", "low", "high")}, name, shown)
    sweep = _records(found.sweep(), name, tuned)
    longest = max([r["length"] for r in [*points, *sweep]], default=2.0)
    x = alt.X("length:Q", title="documents returned, mean over topics", **theme.log_axis(1, max(longest, 2.0)))
    title = f"{found.measure}, mean over topics"
    color = alt.Color("policy:N", title=None, sort=shown, scale=alt.Scale(domain=shown, range=colours))
    shapes = ["circle", "square", "triangle-up", "triangle-right", "cross", "triangle-down"]
    forms = [*(shapes[i % len(shapes)] for i in range(len(tuned))), "square", "diamond"]
    shape = alt.Shape("policy:N", title=None, sort=shown, scale=alt.Scale(domain=shown, range=forms))
    tips = ["policy:N", "length:Q", "value:Q"]
    base = alt.Chart(theme.data(points)).encode(x=x, color=color)
    layers = []
    if sweep:
        lines = alt.Chart(theme.data(sweep)).mark_line(strokeWidth=1.6, opacity=0.8)
        layers.append(lines.encode(x=x, y=alt.Y("value:Q", title=title), color=color,
                                   order="length:Q", tooltip=[*tips, "parameter:Q"]))  # fmt: skip
    layers.append(base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", title=title), y2="high:Q"))
    marks = base.mark_point(filled=True, size=90, opacity=1)
    layers.append(marks.encode(y=alt.Y("value:Q", title=title), shape=shape, tooltip=tips))
    folds = int(found.fold.max()) + 1
    told = (
        f"run {name}, {len(found.topics)} topics; lines: every parameter, all topics; "
        f"points: tuned on other topics ({folds} folds), 95 % interval"
    )
    chart = alt.layer(*layers).properties(width=520, height=320)
    return theme.finished(chart, "What stopping rules are worth", told, rules=rules)


def _records(columns: dict[str, Any], run: str, policies: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of the run and the policies to show, of one document at least."""
    return [
        r
        for r in theme.rows(columns)
        if r["run"] == run and r["policy"] in policies and r["length"] is not None and r["length"] >= 1
    ]
