"""Where lists should have stopped: best lengths, whole against stopped lists, systems that stop by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.depths.full_versus_truncated import FullVersusTruncated
    from leadline.depths.histogram import Histogram
    from leadline.depths.self_truncation import SelfTruncation
    from leadline.depths.truncation import Truncation
    from leadline.output.plots._theme import Chart

__all__ = [
    "best_lengths_plot",
    "full_versus_truncated_plot",
    "list_lengths_plot",
    "self_truncation_plot",
    "truncation_effects_plot",
]

_RELEVANT = "relevant documents"


def best_lengths_plot(found: Truncation | Histogram, *, rules: str = "") -> Chart:
    """Distribution of the best lengths in bins that double, a panel for each measure.

    The last panel is the distribution of relevant documents over topics, with which the others are to be compared.

    References: Amigó, Mizzaro, Spina 2022, Fig. 2. doi:10.1145/3477495.3532051
    """
    from leadline.depths.histogram import Histogram

    histogram = found if isinstance(found, Histogram) else found.histogram()
    alt = theme.altair_()
    records = theme.rows(histogram.columns())
    most = max([r["percent"] for r in records if r["percent"] is not None], default=100)
    panels = []
    for name in [*histogram.percent, _RELEVANT]:
        own = [r for r in records if r["series"] == name]
        colour = theme.GREY if name == _RELEVANT else theme.COLOURS[0]
        x = alt.X("bin:N", sort=histogram.labels, title="relevant documents" if name == _RELEVANT else "best length",
                  axis=alt.Axis(labelAngle=-60, ticks=False))  # fmt: skip
        y = alt.Y("percent:Q", title="% of topics" if name == _RELEVANT else "% of lists",
                  scale=alt.Scale(domain=[0, most], nice=True))  # fmt: skip
        base = alt.Chart(theme.data(own)).encode(x=x, y=y, tooltip=["bin:N", alt.Tooltip("percent:Q", format=".1f")])
        text = base.mark_text(dy=-7, fontSize=11).encode(text=alt.Text("percent:Q", format=".0f"))
        heading = alt.Title(name, fontSize=12, anchor="middle", offset=4)
        panels.append((base.mark_bar(color=colour) + text).properties(width=250, height=170, title=heading))
    told = "mean of the collections' percentages" if histogram.collections > 1 else ""
    if not isinstance(found, Histogram):
        told = f"{len(found.runs)} runs × {len(found.topics)} topics; 0: no answer would have been best"
    title = "Where should the lists have stopped?"
    return theme.finished(theme.grid(panels, min(3, len(panels))), title, told, rules=rules)


def full_versus_truncated_plot(found: FullVersusTruncated, *, rules: str = "") -> Chart:
    """Every system by the score of its whole lists and by that of its lists stopped at their best length.

    A panel for each pair of measures, with Kendall's τ of the two orders of systems.

    References: Amigó, Mizzaro, Spina 2022, Fig. 3. doi:10.1145/3477495.3532051
    """
    alt = theme.altair_()
    records = theme.rows(found.scatter())
    names = [c or "all" for c in found.collections]
    colours = theme.category("collection", names, "collection") if len(names) > 1 else {}
    panels = []
    for i, a in enumerate(found.full_measures):
        for j, b in enumerate(found.truncated_measures):
            own = [r | {"collection": r["collection"] or "all"} for r in records
                   if r["full_measure"] == str(a) and r["truncated_measure"] == str(b)]  # fmt: skip
            tau = found.mean_tau[i, j]
            points = alt.Chart(theme.data(own)).mark_point(filled=True, size=55, opacity=0.75, color=theme.COLOURS[0])
            chart = points.encode(
                x=alt.X("full:Q", title=f"{a}, whole lists", scale=alt.Scale(zero=False),
                        axis=alt.Axis(tickCount=5)),
                y=alt.Y("truncated:Q", title=f"{b}, best length", scale=alt.Scale(zero=False)),
                tooltip=["run:N", "full:Q", "truncated:Q"], **colours,
            )  # fmt: skip
            told = "τ undefined" if tau != tau else f"τ = {tau:.3f}"
            panels.append(chart.properties(width=230, height=200, title=alt.Title(told, fontSize=12, anchor="middle")))
    columns = min(3, len(found.truncated_measures))
    systems = len(records) // max(len(panels), 1)
    told = f"{systems} systems; each list of the vertical axis is stopped where it scores best"
    return theme.finished(theme.grid(panels, columns), "Whole lists against best lengths", told, rules=rules)


def list_lengths_plot(found: SelfTruncation, *, rules: str = "") -> Chart:
    """How many lists have each length, as handed in and as they say (cut at their NIL).

    References: Liu, Moffat, Baldwin, Zhang 2016, Fig. 1. doi:10.1145/2911451.2914737
    """
    share = 100 * float(found.truncated.mean())
    told = f"{len(found.runs)} runs × {len(found.topics)} topics; {share:.0f} % of lists ended by choice"
    return theme.finished(_lengths(found), "Lengths of lists", told, rules=rules)


def _lengths(found: SelfTruncation) -> Any:
    alt = theme.altair_()
    bins = found.length_bins()
    series = ["as handed in", "as they say"]
    records = [
        {"length": label, "lists": count, "series": name}
        for label, *counts in bins
        for name, count in zip(series, counts, strict=True)
    ]
    base = alt.Chart(theme.data(records)).encode(
        x=alt.X("length:N", sort=[label for label, *_ in bins], title="length of the list",
                axis=alt.Axis(labelAngle=0, ticks=False)),
        xOffset=alt.XOffset("series:N", sort=series),
        y=alt.Y("lists:Q", title="lists"),
        tooltip=["length:N", "series:N", "lists:Q"],
    )  # fmt: skip
    bars = base.mark_bar().encode(**theme.category("series", series))
    text = base.mark_text(dy=-7, fontSize=11).encode(text="lists:Q")
    return (bars + text).properties(width=max(360, 62 * len(bins)), height=260)


def truncation_effects_plot(found: SelfTruncation, *, rules: str = "") -> Chart:
    """What seeing the end of the list changes: each run by a plain measure and by the one that sees where it stops.

    Runs above the dashed line gain; the colour is the share of lists that the run ended by choice.

    References: Liu, Moffat, Baldwin, Zhang 2016, Figs 2 and 3. doi:10.1145/2911451.2914737
    """
    told = f"{len(found.runs)} runs, mean over {len(found.topics)} topics; above the dashed line: the end helps"
    return theme.finished(_effects(found), "What seeing the end of the list changes", told, rules=rules)


def _effects(found: SelfTruncation) -> Any:
    alt = theme.altair_()
    records = theme.rows(found.columns())
    agreement = found.agreement()
    panels = []
    for (a, b), tau in zip(found.pairs, agreement["tau"], strict=True):
        own = [r for r in records if r["original_measure"] == str(a) and r["terminal_measure"] == str(b)]
        values = [v for r in own for v in (r["original"], r["terminal"]) if v is not None]
        low, high = min(values, default=0.0), max(values, default=1.0)
        points = alt.Chart(theme.data(own)).mark_point(
            filled=True, size=70, opacity=0.9, stroke=theme.INK, strokeWidth=0.5
        )
        color = alt.Color("truncated:Q", title="lists ended by choice", legend=alt.Legend(format=".0%"),
                          scale=alt.Scale(scheme=theme.QUANTITY, domain=[0, 1]))  # fmt: skip
        chart = theme.diagonal(low, high) + points.encode(
            x=alt.X("original:Q", title=f"{a}, as handed in", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5)),
            y=alt.Y("terminal:Q", title=f"{b}, as they say", scale=alt.Scale(zero=False)),
            color=color, tooltip=["run:N", "original:Q", "terminal:Q", "truncated:Q"],
        )  # fmt: skip
        told = "τ undefined" if tau != tau else f"τ = {tau:.3f}"
        panels.append(chart.properties(width=260, height=220, title=alt.Title(told, fontSize=12, anchor="middle")))
    return theme.grid(panels, 2)


def self_truncation_plot(found: SelfTruncation, *, rules: str = "") -> Chart:
    """Both figures of systems that stop by themselves: the lengths of their lists, and what seeing the end changes."""
    share = 100 * float(found.truncated.mean())
    told = f"{len(found.runs)} runs × {len(found.topics)} topics; {share:.0f} % of lists ended by choice"
    chart = theme.altair_().vconcat(_lengths(found), _effects(found), spacing=30).resolve_scale(color="independent")
    lines = "below the bars: each run by a plain measure and by one that sees the end; above the dashed line it helps"
    return theme.finished(chart, "Systems that stop by themselves", told, lines, rules=rules)
