"""Several aspects: the grid of label pairs, how much can be reached, how methods agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.output.plots import _theme as theme
from leadline.output.plots.measures import square

if TYPE_CHECKING:
    from leadline.measures.aspects._bounds import Bounds
    from leadline.output.plots._theme import Chart
    from leadline.rankings.aspects import Order
    from leadline.systems.aspect_study import AspectStudy

__all__ = ["aspect_bounds_plot", "aspect_grid_plot", "aspect_study_plot"]

_CONTOURS = 30  # more lines than this would be a grey blot


def aspect_grid_plot(order: Order, *, rules: str = "") -> Chart:
    """The label pairs of two aspects with their weights, and lines of equal distance to the best pair.

    References: Maistro, Chaves Lima, Simonsen, Lioma 2021. doi:10.1145/3459637.3482287
    """
    from leadline.rankings.aspect_explain import label_grid

    alt = theme.altair_()
    cells = label_grid(order)
    first, second = order.aspects.aspects
    left, right = min(c.x for c in cells), max(c.x for c in cells)
    low, high = min(c.y for c in cells), max(c.y for c in cells)
    size = max(right - left, high - low, 1e-9)
    pad = 0.12 * size
    unit = 380 / (size + 2 * pad)
    x_scale = alt.Scale(domain=[left - pad, right + pad], nice=False, zero=False)
    y_scale = alt.Scale(domain=[low - pad, high + pad], nice=False, zero=False)
    x = alt.X("x:Q", title=first.name, scale=x_scale, axis=_label_ticks({c.x: c.labels[0] for c in cells}))
    y = alt.Y("y:Q", title=second.name, scale=y_scale, axis=_label_ticks({c.y: c.labels[1] for c in cells}))
    records = [
        {"x": c.x, "y": c.y, "labels": ", ".join(c.labels), "distance": c.distance, "weight": c.weight,
         "text": "–" if c.weight is None else f"{c.weight:.4g}"}
        for c in cells
    ]  # fmt: skip
    lengths = sorted({float(r) for r in order.lengths if r > 0})[:_CONTOURS]
    lines = [p for n, r in enumerate(lengths) for p in _contour(order.distance, (right, high), r, n)]
    base = alt.Chart(theme.data(records)).encode(x=x, y=y, tooltip=["labels:N", "weight:Q", "distance:Q"])
    weights = [c.weight for c in cells if c.weight is not None]
    top = max(weights, default=1.0)
    color = alt.Color("weight:Q", title="weight", scale=alt.Scale(scheme=theme.QUANTITY, domain=[0, top]))
    dots = base.mark_circle(size=900, opacity=1).encode(color=color)
    ink = alt.condition(f"datum.weight === null || datum.weight < {0.6 * top}", alt.value("white"), alt.value("black"))
    layers = [dots, base.mark_text(fontSize=12).encode(text="text:N", color=ink)]
    if lines:
        paths = alt.Chart(theme.data(lines)).mark_line(color="#9bb7c4", strokeWidth=1.2, clip=True)
        layers.insert(0, paths.encode(x=x, y=y, detail="line:N", order="step:Q"))
    width, height = ((b - a + 2 * pad) * unit for a, b in ((left, right), (low, high)))
    chart = alt.layer(*layers).properties(width=max(width, 90), height=max(height, 90))
    told = f"{order.distance} distance to the best pair, {len(order)} classes; lines: equal distance"
    return theme.finished(chart, "What label pairs are worth", told, rules=rules)


def _label_ticks(labels: Mapping[float, str]) -> Any:
    """An axis with a label at each number."""
    import json

    alt = theme.altair_()
    places = sorted(labels)
    names = json.dumps([labels[p] for p in places])
    spots = json.dumps([float(p) for p in places])
    return alt.Axis(values=places, labelExpr=f"{names}[indexof({spots}, datum.value)]", grid=False)


def _contour(distance: str, centre: tuple[float, float], r: float, number: int) -> list[dict[str, float]]:
    """Points of the line at distance r of the centre; none for a distance whose shape is not known."""
    x, y = centre
    if distance == "euclidean":
        angle = np.linspace(0, 2 * np.pi, 73)
        points = list(zip(x + r * np.cos(angle), y + r * np.sin(angle), strict=True))
    elif distance == "manhattan":
        points = [(x - r, y), (x, y - r), (x + r, y), (x, y + r), (x - r, y)]
    elif distance == "chebyshev":
        points = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r), (x - r, y - r)]
    else:
        points = []
    return [{"x": float(a), "y": float(b), "line": number, "step": i} for i, (a, b) in enumerate(points)]


def aspect_bounds_plot(found: Mapping[str, Bounds], *, rules: str = "") -> Chart:
    """Box plots over topics of what CAM or MM can reach, for each ideal ranking tried and for the best of them.

    ``found`` has a result of the reachable maximum for each measure, by name. Boxes span the quartiles, whiskers all
    topics. Below 1: no order of the documents is ideal in every aspect.

    References: Maistro, Chaves Lima, Simonsen, Lioma 2021, Fig. 2. doi:10.1145/3459637.3482287
    """
    alt = theme.altair_()
    panels, topics = [], 0
    for name, one in found.items():
        series = {s: one.values[i] for i, s in enumerate(one.strategies)} | {"best of all": one.reachable}
        topics = max(topics, len(one.reachable))
        records = [
            {"ranking": s, "value": float(v), "kind": "best" if s == "best of all" else "one"}
            for s, values in series.items() for v in values[~np.isnan(values)]
        ]  # fmt: skip
        if not records:
            continue
        scale = alt.Scale(domain=["one", "best"], range=[theme.COLOURS[5], theme.COLOURS[4]])
        color = alt.Color("kind:N", legend=None, scale=scale)
        median = {"color": theme.INK, "strokeWidth": 2}
        boxes = alt.Chart(theme.data(records)).mark_boxplot(extent="min-max", size=16, median=median).encode(
            x=alt.X("value:Q", title=f"{name} of an ideal ranking", scale=alt.Scale(zero=False)),
            y=alt.Y("ranking:N", sort=list(series), title=None), color=color,
        )  # fmt: skip
        panels.append(boxes.properties(width=420, height=alt.Step(26)))
    told = f"{topics} topics; box: quartiles, whiskers: all topics; an estimate, another order may do better"
    chart = alt.vconcat(*panels, spacing=20) if panels else alt.Chart(theme.data([]))
    return theme.finished(chart, "How much can be reached?", told, rules=rules)


def aspect_study_plot(found: AspectStudy, *, rules: str = "") -> Chart:
    """Agreement of the methods for several aspects, and beside it that of the single aspects.

    References: Maistro, Chaves Lima, Simonsen, Lioma 2021, section 4.3. doi:10.1145/3459637.3482287
    """
    alt = theme.altair_()
    panels = [
        square(part.names, part.tau, "Kendall's τ").properties(title=alt.Title(title, fontSize=12, anchor="middle"))
        for title, part in (("methods", found.methods), ("single aspects", found.aspects))
    ]
    chart = alt.hconcat(*panels, spacing=30).resolve_scale(color="shared")
    power = ", ".join(f"{name} {share:.0%}" for name, share in zip(found.measures, found.power, strict=True))
    told = f"mean τ over topics; pairs of runs told apart at α = {found.alpha:g}: {power}"
    return theme.finished(chart, "Do the methods order systems alike?", told, rules=rules)
