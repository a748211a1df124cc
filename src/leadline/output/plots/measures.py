"""Measures against measures: agreement of the orders of systems; what unjudged documents and ties leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.depths.ranges import Ranges
    from leadline.depths.tie_effects import Ties
    from leadline.meta.agreement import Agreement
    from leadline.output.plots._theme import Chart

__all__ = ["agreement_plot", "residuals_plot", "ties_plot"]


def agreement_plot(found: Agreement, *, statistic: str = "tau", rules: str = "") -> Chart:
    """Agreement of every pair of measures about the order of systems as a matrix."""
    values = {"tau": found.tau, "tau_ap": found.tau_ap, "rbo": found.rbo}[statistic]
    told = f"{len(found.runs)} runs{' by mean score' if found.by == 'mean' else ', mean over topics'}"
    name = {"tau": "Kendall's τ", "tau_ap": "τ_ap (row estimates column)", "rbo": "rank-biased overlap"}[statistic]
    chart = square([str(m) for m in found.measures], values, name)
    return theme.finished(chart, "Do measures order systems alike?", f"{name}; {told}", rules=rules)


def square(names: Sequence[str], values: np.ndarray[Any, Any], title: str) -> Any:
    """A matrix of agreements with the numbers in it, as far as there is room."""
    alt = theme.altair_()
    i, j = np.indices(values.shape).reshape(2, -1)
    known = np.array(list(names), object)
    cells = {"a": known[i], "b": known[j], "value": values.ravel()}
    step = theme.steps(len(names), room=560, most=46, least=12)
    base = alt.Chart(theme.data(cells)).encode(
        x=alt.X("b:N", sort=list(names), title=None, axis=theme.label_axis(step, orient="top")),
        y=alt.Y("a:N", sort=list(names), title=None, axis=theme.label_axis(step, vertical=True)),
        tooltip=["a:N", "b:N", "value:Q"],
    )  # fmt: skip
    low = float(np.nanmin(values)) if not np.isnan(values).all() else 0.0
    scale = alt.Scale(scheme=theme.QUANTITY, domain=[min(low, 0.9), 1.0])
    chart = base.mark_rect().encode(color=alt.Color("value:Q", title=title, scale=scale))
    if step >= 30:
        middle = (min(low, 0.9) + 1.0) * 0.55 if low > 0 else 0.5
        ink = alt.condition(f"datum.value < {middle}", alt.value("white"), alt.value("black"))
        chart += base.mark_text(fontSize=11).encode(text=alt.Text("value:Q", format=".2f"), color=ink)
    return chart.properties(width=alt.Step(step), height=alt.Step(step))


def residuals_plot(found: Ranges, *, rules: str = "") -> Chart:
    """What unjudged documents leave open: each run's lowest and highest score, a column for each measure.

    The dot is the score that ``evaluate`` gives, the bar spans all labels that the unjudged documents may have. Where
    two bars overlap, judging more documents could turn the two runs round.
    """
    alt = theme.altair_()
    records = [r for r in theme.rows(found.columns(per_topic=False)) if r["lower"] is not None]
    names = [str(m) for m in found.measures]
    lead = found.measures[0]
    order = theme.ranked_names(found.runs, lead.aggregate(found.score(lead)), lead.higher_is_better)
    step = theme.steps(len(order), room=900, most=22, least=11)
    panels = []
    for n, name in enumerate(names):
        own = [r for r in records if r["measure"] == name]
        axis = theme.label_axis(step, vertical=True) if n % 3 == 0 else None
        base = alt.Chart(theme.data(own)).encode(
            y=alt.Y("run:N", sort=order, title=None, axis=axis), tooltip=["run:N", "lower:Q", "score:Q", "upper:Q"]
        )
        x = alt.X("lower:Q", title=name, scale=alt.Scale(zero=False))
        bars = base.mark_bar(color=theme.COLOURS[5], opacity=0.7, height=max(4, step // 2)).encode(x=x, x2="upper:Q")
        dots = base.mark_point(filled=True, size=45, color=theme.COLOURS[0], opacity=1)
        dots = dots.encode(x=alt.X("score:Q", title=name, scale=alt.Scale(zero=False)))
        panels.append((bars + dots).properties(width=230, height=alt.Step(step)))
    told = "dot: score; bar: from the lowest to the highest that labels of the unjudged documents can give"
    told += f"; mean over {len(found.topics)} topics"
    return theme.finished(theme.grid(panels, 3), "What unjudged documents leave open", told, rules=rules)


def ties_plot(found: Ties, *, rules: str = "") -> Chart:
    """What tie-breaking decides: topics with ties, and the scores that any order of tied documents can give."""
    alt = theme.altair_()
    order = [found.runs[i] for i in np.argsort(-found.share_tied, kind="stable").tolist()]
    step = theme.steps(len(order), room=900, most=22, least=11)
    shares = alt.Chart(theme.data({"run": list(found.runs), "share": found.share_tied})).mark_bar(
        color=theme.COLOURS[1]
    ).encode(
        x=alt.X("share:Q", title=f"topics with ties in the first {found.top}", axis=alt.Axis(format=".0%"),
                scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("run:N", sort=order, title=None, axis=theme.label_axis(step, vertical=True)),
        tooltip=["run:N", "share:Q"],
    )  # fmt: skip
    panels = [shares.properties(width=190, height=alt.Step(step))]
    records = theme.rows(found.spread.columns())
    for m in found.spread.measures:
        own = [r for r in records if r["measure"] == str(m)]
        base = alt.Chart(theme.data(own)).encode(
            y=alt.Y("run:N", sort=order, title=None, axis=None), tooltip=["run:N", "worst:Q", "value:Q", "best:Q"]
        )
        scale = alt.Scale(zero=False)
        bars = base.mark_rule(color=theme.GREY, strokeWidth=4).encode(
            x=alt.X("worst:Q", title=str(m), scale=scale), x2="best:Q"
        )
        dots = base.mark_point(filled=True, size=45, color=theme.COLOURS[0], opacity=1)
        panels.append((bars + dots.encode(x=alt.X("value:Q", title=str(m), scale=scale)))
                      .properties(width=190, height=alt.Step(step)))  # fmt: skip
    told = "right: mean score (dot), and from the worst to the best order of tied documents (bar)"
    return theme.finished(alt.hconcat(*panels, spacing=14), "What tie-breaking decides", told, rules=rules)
