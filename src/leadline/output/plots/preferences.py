"""Why lexicographic precision: ties by recall level, deciding level, chance of ties, locality, removal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.output.plots._theme import Chart
    from leadline.systems.locality import Locality
    from leadline.systems.removal import Removal
    from leadline.systems.tie_chances import DecidingLevels, TieChances

__all__ = ["deciding_levels_plot", "locality_plot", "regression_plot", "removal_plot", "tie_chances_plot"]


def deciding_levels_plot(found: DecidingLevels, *, rules: str = "") -> Chart:
    """How often each recall level is tied, and at which level lexicographic precision has decided.

    References: Diaz 2023, Figs 5 and 6. arXiv:2306.07908
    """
    alt = theme.altair_()
    records = theme.rows(found.columns())
    x = alt.X("level:Q", title="recall level i", axis=alt.Axis(tickMinStep=1, format="d"),
              scale=alt.Scale(domain=[1, max(2, len(records))], nice=False))  # fmt: skip

    def pane(field: str, title: str, colour: str) -> Any:
        y = alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
        base = alt.Chart(theme.data(records)).encode(x=x, y=y, tooltip=["level:Q", f"{field}:Q", "topics:Q"])
        line, dots = base.mark_line(color=colour), base.mark_point(filled=True, size=45, color=colour, opacity=1)
        return (line + dots).properties(width=320, height=240)

    both = alt.hconcat(
        pane("tied", "pairs of lists tied at level i", theme.COLOURS[1]),
        pane("cumulative", "decided at level i or before", theme.COLOURS[0]), spacing=24,
    )  # fmt: skip
    told = f"tied under reciprocal rank: {found.rr_ties:.1%} of pairs of lists, under lexicographic precision: "
    return theme.finished(both, "Which relevant document decides?", f"{told}{found.lp_ties:.1%}", rules=rules)


def tie_chances_plot(found: TieChances, *, rules: str = "") -> Chart:
    """Chance that another run's list has its first relevant document at the same rank: observed and by chance.

    References: Diaz 2023, Figs 2 and 3. arXiv:2306.07908
    """
    alt = theme.altair_()
    series = ["observed", "by chance"]
    records = [
        {"rank": int(rank), "share": value, "series": name, "lists": int(lists)}
        for name, values in zip(series, (found.observed, found.expected), strict=True)
        for rank, value, lists in zip(found.rank, values.tolist(), found.lists, strict=True)
    ]
    last = int(found.rank[-1]) if len(found.rank) else 1
    base = alt.Chart(theme.data(records)).encode(
        x=alt.X("rank:Q", title="rank of the first relevant document", **theme.log_axis(1, max(2, last))),
        y=alt.Y("share:Q", title="other lists that tie under reciprocal rank", axis=alt.Axis(format=".0%")),
        tooltip=["rank:Q", "share:Q", "series:N", "lists:Q"], **theme.category("series", series, dashes=True),
    )  # fmt: skip
    marks = base.mark_point(filled=True, size=25, opacity=0.9)
    chart = (base.mark_line(strokeWidth=1.5) + marks).properties(width=440, height=270)
    told = f"{int(found.lists.sum()):,} lists with a relevant document"
    return theme.finished(chart, "How often does reciprocal rank tie?", told, rules=rules)


def locality_plot(found: Locality, *, rules: str = "") -> Chart:
    """Correlation of the differences at recall levels i and j as a matrix: neighbours tell most about each other.

    References: Diaz 2023, Fig. 7. arXiv:2306.07908
    """
    alt = theme.altair_()
    records = [r for r in theme.rows(found.columns()) if r["correlation"] is not None]
    most = max([r["correlation"] for r in records if r["level_i"] != r["level_j"]], default=0.0)
    base = alt.Chart(theme.data(records)).encode(
        x=alt.X("level_j:O", title="recall level j", axis=alt.Axis(labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("level_i:O", title="recall level i", axis=alt.Axis(ticks=False, domain=False)),
        tooltip=["level_i:O", "level_j:O", "correlation:Q"],
    )  # fmt: skip
    scale = alt.Scale(scheme=theme.QUANTITY, domain=[0, 1])
    rects = base.mark_rect().encode(color=alt.Color("correlation:Q", title="correlation", scale=scale))
    light = alt.condition("datum.correlation < 0.6", alt.value("white"), alt.value("black"))
    text = base.mark_text(fontSize=11).encode(text=alt.Text("correlation:Q", format=".2f"), color=light)
    chart = (rects + text).properties(width=alt.Step(46), height=alt.Step(34))
    what = "signs of δRR" if found.signs else "δRR"
    told = f"Pearson's r of {what} over all pairs of runs and topics; off the diagonal at most {most:.2f}"
    return theme.finished(chart, "Do neighbouring recall levels agree?", told, rules=rules)


def regression_plot(found: Locality, *, rules: str = "") -> Chart:
    """Weight of the next four recall levels in the prediction of a level.

    References: Diaz 2023, section 3.6. arXiv:2306.07908
    """
    alt = theme.altair_()
    records = [r for r in theme.rows(found.regression_columns()) if r["ahead"] > 0 and r["coefficient"] is not None]
    records = [r | {"predicted": f"level {r['level']}"} for r in records]
    names = list(dict.fromkeys(r["predicted"] for r in records))
    base = alt.Chart(theme.data(records)).encode(
        x=alt.X("ahead:Q", title="levels ahead", axis=alt.Axis(values=[1, 2, 3, 4], format="d")),
        y=alt.Y("coefficient:Q", title="coefficient"), tooltip=["predicted:N", "ahead:Q", "coefficient:Q"],
    )  # fmt: skip
    look = theme.category("predicted", names, "predicted", dashes=True)
    lines = base.mark_line().encode(**look)
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(color=look["color"])
    pairs = "pairs tied before the level" if found.tied_before else "all pairs"
    told = f"least squares over {pairs}, {int(found.pairs.max(initial=0)):,} at most"
    chart = (lines + dots).properties(width=380, height=260)
    return theme.finished(chart, "How much do the next levels tell?", told, rules=rules)


def removal_plot(found: Removal, *, rules: str = "") -> Chart:
    """Agreement with reciprocal rank on complete data as labels, or topics, are removed at random.

    Bands are one standard deviation over the samples.

    References: Diaz 2023, Figs 8 and 9. arXiv:2306.07908
    """
    alt = theme.altair_()
    records = theme.rows(found.columns())
    titles = {"ranking": "pairs of lists decided alike", "system": "pairs of runs decided alike", "ties": "ties"}
    names = list(found.predictors)
    panels = []
    for field, title in titles.items():
        own = [
            {"removed": r["removed"], "predictor": r["predictor"], "value": r[field],
             "low": r[field] - (r[f"{field}_sd"] or 0), "high": r[field] + (r[f"{field}_sd"] or 0)}
            for r in records if r[field] is not None
        ]  # fmt: skip
        if not own:
            continue
        x = alt.X("removed:Q", title=f"{'topics' if found.what == 'requests' else 'relevant labels'} removed",
                  axis=alt.Axis(format=".0%", tickCount=5))  # fmt: skip
        base = alt.Chart(theme.data(own)).encode(x=x, tooltip=["predictor:N", "removed:Q", "value:Q"])
        scale, axis = alt.Scale(zero=False), alt.Axis(format=".0%")
        band = base.mark_area(opacity=0.18).encode(
            y=alt.Y("low:Q", title=title, scale=scale, axis=axis), y2="high:Q",
            color=theme.category("predictor", names, "preference", dashes=True)["color"],
        )  # fmt: skip
        line = base.mark_line().encode(
            y=alt.Y("value:Q", title=title, scale=scale, axis=axis),
            **theme.category("predictor", names, "preference", dashes=True),
        )  # fmt: skip
        panels.append((band + line).properties(width=250, height=220))
    told = f"against the sign of reciprocal rank on complete data; {found.samples} samples, seed {found.seed}"
    title = f"What survives the removal of {'topics' if found.what == 'requests' else 'labels'}?"
    return theme.finished(theme.grid(panels, 3), title, told, rules=rules)
