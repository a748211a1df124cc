"""Score curves: of runs by depth or length with bands, and all measures of one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.depths.curves import Curves
    from leadline.measures.base import Measure
    from leadline.output.plots._theme import Chart

__all__ = ["curves_plot", "utility_plot"]

_BANDS = 3  # more bands over each other are mud
_AXES = {"depth": "evaluation depth k", "length": "list stopped after n documents"}


def curves_plot(
    found: Curves,
    *,
    runs: Sequence[str] | None = None,
    top: int = 6,
    pool_depth: int | None = None,
    log: bool | None = None,
    rules: str = "",
) -> Chart:
    """Mean score of every run at every depth or length, a panel for each measure.

    The ``top`` runs at the last point (or ``runs``) are drawn in colour, with the 95 % band of the mean over topics if
    they are three at most; ``pool_depth`` is marked, since beyond it unjudged documents count. ``log`` is the
    horizontal axis (default: where there are more than 100 points of length).

    References: Lu, Moffat, Culpepper 2016, Figs 2 and 3. doi:10.1007/s10791-016-9282-6
    """
    last = found.mean(found.measures[0])[:, -1]
    order = theme.ranked_names(found.runs, last, found.measures[0].higher_is_better)
    chosen = theme.highlighted(order, runs, top)
    logarithmic = bool(found.points[-1] > 100) if log is None else log
    panels = [_runs_panel(found, m, chosen, pool_depth, logarithmic) for m in found.measures]
    told = [f"{len(found.runs)} runs, mean over {len(found.topics)} topics"]
    if len(found.runs) > len(chosen):
        named = "the best at the end" if runs is None else "those named"
        told.append(f"in colour {named}, in grey {len(found.runs) - len(chosen)} others")
    if len(chosen) <= _BANDS and len(found.topics) > 1:
        told.append("bands: 95 % interval of the mean")
    title = f"Score by {'evaluation depth' if found.by == 'depth' else 'length of the list'}"
    return theme.finished(theme.grid(panels, 2), title, "; ".join(told), rules=rules)


def _runs_panel(found: Curves, m: Measure, chosen: list[str], pool_depth: int | None, log: bool) -> Any:
    alt = theme.altair_()
    at = theme.thinned(found.points, 240 if len(found.runs) <= 40 else 80)
    if log or found.by == "depth":
        at = at[found.points[at] > 0]  # nobody evaluates at depth 0, and a logarithm has no place for it
    mean, (low, high) = found.mean(m)[:, at], found.band(m)
    points = found.points[at].tolist()
    x = alt.X(f"{found.by}:Q", title=_AXES[found.by], **_scale(points, log))
    y = alt.Y("value:Q", title=str(m), scale=alt.Scale(zero=False))

    def records(names: Sequence[str]) -> list[dict[str, Any]]:
        out = []
        for name in names:
            r = found.runs.index(name)
            cells = {found.by: points, "value": mean[r], "low": low[r, at], "high": high[r, at]}
            out += [{"run": name} | row for row in theme.rows(cells)]
        return out

    layers = []
    others = [r for r in found.runs if r not in chosen]
    if others:
        grey = alt.Chart(theme.data(records(others))).mark_line(color=theme.GREY, strokeWidth=1, opacity=0.6)
        layers.append(grey.encode(x=x, y=y, detail="run:N", tooltip=["run:N", f"{found.by}:Q", "value:Q"]))
    base = alt.Chart(theme.data(records(chosen))).encode(x=x, tooltip=["run:N", f"{found.by}:Q", "value:Q"])
    colours = theme.category("run", chosen, "run", dashes=True)
    if len(chosen) <= _BANDS and len(found.topics) > 1:
        band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=str(m)), y2="high:Q", color=colours["color"])
        layers.append(band)
    layers.append(base.mark_line().encode(y=y, **colours))
    if pool_depth is not None and points[0] <= pool_depth <= points[-1]:
        layers += _mark(found.by, pool_depth)
    return alt.layer(*layers).properties(width=380, height=260)


def _scale(points: list[int], log: bool) -> dict[str, Any]:
    if log:
        return theme.log_axis(points[0], points[-1])
    alt = theme.altair_()
    ends = [points[0], max(points[-1], points[0] + 1)]
    return {"scale": alt.Scale(domain=ends, nice=False), "axis": alt.Axis(tickMinStep=1)}


def _mark(axis: str, depth: int) -> list[Any]:
    """A dashed line where the pool ends."""
    alt = theme.altair_()
    base = alt.Chart(theme.data([{axis: depth, "text": f"pool {depth}"}])).encode(x=f"{axis}:Q")
    rule = base.mark_rule(color=theme.INK, strokeDash=[3, 3], strokeWidth=1.2)
    text = base.mark_text(align="left", dx=4, fontSize=11, color=theme.INK).encode(text="text:N", y=alt.value(6))
    return [rule, text]


def utility_plot(
    found: Curves,
    *,
    run: str | None = None,
    topic: str | None = None,
    labels: Sequence[int | None] = (),
    rules: str = "",
) -> Chart:
    """All measures of one list as it grows, a small panel for each, with the best length marked.

    ``found`` is that of ``curve(…, by="length")`` (or depth). With a ``topic`` the curves of that topic are drawn (it
    needs ``per_topic=True``), otherwise means over topics. ``labels``, the grades in rank order (None: unjudged), put a
    tick under the ranks of relevant documents.

    References: Amigó, Mizzaro, Spina 2022, Fig. 1. doi:10.1145/3477495.3532051
    """
    from leadline.errors import UnknownName

    name = found.runs[0] if run is None else run
    if name not in found.runs:
        raise UnknownName("run", name, found.runs)
    if topic is not None and topic not in found.topics:
        raise UnknownName("topic", topic, found.topics)
    r, t = found.runs.index(name), None if topic is None else found.topics.index(topic)
    panels = []
    for m in found.measures:
        values = found.mean(m)[r] if t is None else found.array(m)[r, t]
        panels.append(_utility_panel(found, m, values, labels))
    one = len(found.topics) == 1
    whose = f"topic {topic}" if topic is not None else f"mean of {len(found.topics)} topics"
    said = "" if one and len(found.runs) == 1 else f"run {name}, {whose}"
    ticks = "; ticks below: ranks of relevant documents" if labels else ""
    title = "Score of one list as it grows" if one or topic is not None else "Score as lists grow"
    marked = f"point: the best {found.by}, the smallest of equals{ticks}"
    return theme.finished(theme.grid(panels, 3 if len(panels) <= 9 else 6), title, said, marked, rules=rules)


def _utility_panel(found: Curves, m: Measure, values: np.ndarray[Any, Any], labels: Sequence[int | None]) -> Any:
    alt = theme.altair_()
    keep = np.flatnonzero(~np.isnan(values))
    keep = keep[theme.thinned(keep)]
    cells = {found.by: found.points[keep], "value": values[keep]}
    last = int(found.points[-1])
    x = alt.X(f"{found.by}:Q", title=found.by, scale=alt.Scale(domain=[0, max(last, 1)], nice=False),
              axis=alt.Axis(tickMinStep=1, format="d", tickCount=6))  # fmt: skip
    y = alt.Y("value:Q", title=None, axis=alt.Axis(tickCount=4))
    if not len(keep):
        nothing = alt.Chart(theme.data([{"text": "undefined at every length"}])).mark_text(color=theme.INK)
        return nothing.encode(text="text:N").properties(width=210, height=130, title=_small(str(m)))
    line = alt.Chart(theme.data(cells)).mark_line(color=theme.COLOURS[0]).encode(x=x, y=y)
    sought = values if m.higher_is_better else -values
    best = int(np.flatnonzero(sought >= np.nanmax(sought) - 1e-12)[0])
    point = {found.by: int(found.points[best]), "value": float(values[best])}
    dot = alt.Chart(theme.data([point])).mark_point(filled=True, size=70, color=theme.COLOURS[1], opacity=1)
    layers = [line, dot.encode(x=x, y=y, tooltip=[f"{found.by}:Q", "value:Q"])]
    hits = [i for i, grade in enumerate(labels, 1) if grade is not None and grade > 0]
    if hits:
        ticks = alt.Chart(theme.data({found.by: hits})).mark_tick(color=theme.COLOURS[2], thickness=2, size=9)
        layers.append(ticks.encode(x=x, y=alt.value(127)))
    return alt.layer(*layers).properties(width=210, height=130, title=_small(str(m)))


def _small(text: str) -> Any:
    return theme.altair_().Title(text, fontSize=12, fontWeight="normal", anchor="middle", offset=4)
