"""What evaluation depth does: volatility, six panes of depth dependence, growth of the pool, leaving runs out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.output.plots import _theme as theme

if TYPE_CHECKING:
    from leadline.depths.leave_out import LeaveOut
    from leadline.depths.pools import PoolGrowth, RunPools
    from leadline.depths.stability import DepthStudy, Volatility
    from leadline.output.plots._theme import Chart

__all__ = ["depth_plot", "leave_out_plot", "pool_growth_plot", "pool_runs_plot", "volatility_plot"]

_CELLS = 90  # depths on one side of a volatility matrix
_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_BOUNDS = (0.8, 0.85, 0.9, 0.95)
_SHADES = ("#b2182b", "#ef8a62", "#fddbc7", "#92c5de", "#2166ac")
_PANES = {
    "median_p": "median p",
    "discrimination": "discrimination ratio",
    "coverage": "coverage of the reference",
    "inversion": "inversions of the reference",
    "tau": "Kendall's τ with the reference",
    "pearson": "Pearson's r with the reference",
}


def volatility_plot(*found: Volatility, statistic: str = "Kendall's τ", rules: str = "") -> Chart:
    """Agreement of the order of systems between all pairs of depths, a square for each result.

    Blue: at least 0.9, usually taken as the same order of systems; red: below 0.8.

    References: Lu, Moffat, Culpepper 2016, Figs 5 to 7. doi:10.1007/s10791-016-9282-6
    """
    panels = [_volatility(one, statistic) for one in found]
    return theme.finished(theme.grid(panels, 2), "Does the order of systems depend on the depth?",
                          f"{statistic} between the mean scores of the systems at two depths", rules=rules)  # fmt: skip


def _volatility(found: Volatility, statistic: str) -> Any:
    alt = theme.altair_()
    at = np.union1d(theme.thinned(found.depths, _CELLS), np.flatnonzero(np.isin(found.depths, _ROUND)))
    k = [str(d) for d in found.depths[at].tolist()]
    i, j = np.indices((len(k), len(k))).reshape(2, -1)
    names = np.array(k, object)
    cells = {"k_a": names[i], "k_b": names[j], "tau": found.matrix[np.ix_(at, at)].ravel()}
    axis = alt.Axis(values=_ticks(k), labelAngle=0, grid=False, ticks=True)
    a, b = found.measures
    step = max(2, 320 // len(k))  # whole pixels, or thin lines show between the cells
    what = "" if a == b else f" of {b}"
    share = 100 * found.share()
    title = f"{a if a == b else f'{a} against {b}'}: {share:.0f} % of pairs ≥ 0.9"
    color = alt.Color("tau:Q", title=statistic,
                      scale=alt.Scale(type="threshold", domain=list(_BOUNDS), range=list(_SHADES)))  # fmt: skip
    chart = alt.Chart(theme.data(cells)).mark_rect().encode(
        x=alt.X("k_b:O", sort=k, axis=axis, title=f"evaluation depth{what}"),
        y=alt.Y("k_a:O", sort=k[::-1], axis=axis, title="evaluation depth" if a == b else f"evaluation depth of {a}"),
        color=color, tooltip=["k_a:O", "k_b:O", "tau:Q"],
    )  # fmt: skip
    return chart.properties(
        width=alt.Step(step), height=alt.Step(step), title=alt.Title(title, fontSize=12, anchor="middle", offset=6)
    )


def _ticks(depths: list[str]) -> list[str]:
    """Some depths to write on an axis: the last one, and round ones where there is room."""
    room = max(1, len(depths) // 10)
    out: list[int] = []
    last = len(depths) - 1
    for i, d in enumerate(depths):
        if int(d) in _ROUND and last - i >= room and (not out or i - out[-1] >= room):
            out.append(i)
    return [*(depths[i] for i in out), depths[-1]]


def depth_plot(found: DepthStudy, *, pool_depth: int | None = None, rules: str = "") -> Chart:
    """Six ways in which a measure depends on the evaluation depth, a line for each measure.

    Median p, discrimination, coverage, inversions, τ and Pearson's r; the last four against the reference depth, which
    is marked.

    References: Lu, Moffat, Culpepper 2016, Fig. 4. doi:10.1007/s10791-016-9282-6
    """
    alt = theme.altair_()
    records = theme.rows(found.columns())
    names = [str(m) for m in found.measures]
    x = alt.X("k:Q", title="evaluation depth k", **theme.log_axis(int(found.depths[0]), int(found.depths[-1])))
    mark = alt.Chart(theme.data([{"k": found.reference}])).mark_rule(strokeDash=[3, 3], color=theme.INK).encode(x=x)
    panels = []
    for field, title in _PANES.items():
        own = [r for r in records if r[field] is not None]
        if not own:  # no significant pair at the reference, say
            continue
        base = alt.Chart(theme.data(own)).encode(
            x=x, y=alt.Y(f"{field}:Q", title=title, scale=alt.Scale(zero=False)),
            tooltip=["measure:N", "k:Q", f"{field}:Q"],
        )  # fmt: skip
        look = theme.category("measure", names, "measure", dashes=True)
        lines = base.mark_line().encode(**look)
        dots = base.mark_point(filled=True, size=22, opacity=1).encode(color=look["color"])
        panels.append((lines + dots + mark).properties(width=250, height=180))
    pool = "" if pool_depth is None else f", pool depth {pool_depth}"
    told = f"{len(found.runs)} runs; dashed: reference depth {found.reference}{pool}; significance at α = "
    told += f"{found.alpha:g}"
    return theme.finished(theme.grid(panels, 3), "Dependence on the evaluation depth", told, rules=rules)


def pool_growth_plot(found: PoolGrowth, *, pool_depth: int | None = None, rules: str = "") -> Chart:
    """Judged and relevant documents in pools of growing depth, and the share of relevant ones among the new.

    A rate that is still high at the end of the pool says that relevant documents were left out.

    References: Lu, Moffat, Culpepper 2016, Fig. 1. doi:10.1007/s10791-016-9282-6
    """
    alt = theme.altair_()
    depths = found.depths.tolist()
    x = alt.X("depth:Q", title="pool depth", **theme.log_axis(depths[0], depths[-1]))
    series = ["judged", "relevant"]
    counts = [
        {"depth": d, "documents": int(n), "series": name}
        for name, values in zip(series, (found.judged, found.relevant), strict=True)
        for d, n in zip(depths, values, strict=True)
    ]
    base = alt.Chart(theme.data(counts)).encode(
        x=x, y=alt.Y("documents:Q", title=f"documents, sum over {found.topics} topics", axis=alt.Axis(format="~s")),
        tooltip=["series:N", "depth:Q", "documents:Q"], **theme.category("series", series),
    )  # fmt: skip
    left = (base.mark_line() + base.mark_point(filled=True, size=40, opacity=1)).properties(width=340, height=250)
    rates = alt.Chart(theme.data({"depth": found.depths, "rate": found.new_rate})).encode(
        x=x, y=alt.Y("rate:Q", title="relevant among newly judged", axis=alt.Axis(format=".0%")),
        tooltip=["depth:Q", "rate:Q"],
    )  # fmt: skip
    dots = rates.mark_point(filled=True, size=40, color=theme.COLOURS[2], opacity=1)
    right = (rates.mark_line(color=theme.COLOURS[2]) + dots).properties(width=340, height=250)
    if pool_depth is not None and depths[0] <= pool_depth <= depths[-1]:
        rule = alt.Chart(theme.data([{"depth": pool_depth}])).mark_rule(strokeDash=[3, 3], color=theme.INK).encode(x=x)
        left, right = left + rule, right + rule
    marked = f"dashed: pool depth {pool_depth}; " if pool_depth is not None else ""
    last = found.new_rate[~np.isnan(found.new_rate)]
    told = f"{marked}of the last documents judged {last[-1]:.1%} are relevant" if len(last) else marked
    return theme.finished(alt.hconcat(left, right, spacing=24), "How the pool grew", told, rules=rules)


def pool_runs_plot(found: RunPools, *, rules: str = "") -> Chart:
    """What each run has inside the pool and past it, and its first unjudged rank: means over topics with their spread.

    References: Lu, Moffat, Culpepper 2016, Table 4. doi:10.1007/s10791-016-9282-6
    """
    alt = theme.altair_()
    deepest = int(found.depths[-1])
    records = [r for r in theme.rows(found.columns()) if r["depth"] == deepest and r["run"] != "all"]
    names = [r["run"] for r in sorted(records, key=lambda r: -(r["rank_unjudged"] or 0))]
    step = theme.steps(len(names), room=900, most=22, least=11)
    titles = {
        "rank_unjudged": "first unjudged rank",
        "rel_in_pool": f"relevant among its first {deepest}",
        "rel_past": "relevant elsewhere in the pool",
    }
    panels = []
    for n, (field, title) in enumerate(titles.items()):
        own = [
            {"run": r["run"], "mean": r[field], "low": max(0.0, r[field] - (r[f"{field}_sd"] or 0)),
             "high": r[field] + (r[f"{field}_sd"] or 0)}
            for r in records
        ]  # fmt: skip
        axis = theme.label_axis(step, vertical=True) if n == 0 else None
        base = alt.Chart(theme.data(own)).encode(y=alt.Y("run:N", sort=names, title=None, axis=axis))
        bars = base.mark_rule(color=theme.GREY, strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q")
        dots = base.mark_point(filled=True, size=50, color=theme.COLOURS[0], opacity=1)
        layers = bars + dots.encode(x=alt.X("mean:Q", title=title), tooltip=["run:N", "mean:Q"])
        panels.append(layers.properties(width=220, height=alt.Step(step)))
    told = f"pool of depth {deepest}; mean over {len(found.topics)} topics, bars: one standard deviation"
    return theme.finished(alt.hconcat(*panels, spacing=14), "What the pool holds of each run", told, rules=rules)


def leave_out_plot(found: LeaveOut, *, rules: str = "") -> Chart:
    """Change of each run's score, in per cent, when it (or its group) had not fed the pool; a column for each measure.

    References: Zobel 1998. doi:10.1145/290941.291014
    """
    alt = theme.altair_()
    names = [str(m) for m in found.measures]
    worst = np.nan_to_num(np.stack([found.change(m) for m in found.measures])).mean(axis=0)
    order = [found.runs[i] for i in np.argsort(worst, kind="stable").tolist()]
    step = theme.steps(len(order), room=900, most=20, least=11)
    panels = []
    for n, (m, name) in enumerate(zip(found.measures, names, strict=True)):
        cells: dict[str, Any] = {"run": list(found.runs), "group": list(found.groups), "change": found.change(m),
                 "moved": found.rank_change(m)}  # fmt: skip
        axis = theme.label_axis(step, vertical=True) if n % 3 == 0 else None
        chart = alt.Chart(theme.data(cells)).mark_bar(color=theme.COLOURS[0]).encode(
            x=alt.X("change:Q", title="change in %"), y=alt.Y("run:N", sort=order, title=None, axis=axis),
            tooltip=["run:N", "group:N", "change:Q", "moved:Q"],
        )  # fmt: skip
        average, moved = found.average(m)
        said = f"mean {average:.1f} %, {moved:.1f} places".replace("-", "−")
        told = alt.Title(name, subtitle=said, fontSize=12, subtitleFontSize=11)
        panels.append(chart.properties(width=200, height=alt.Step(step), title=told))
    told = "pool depth unknown" if found.depth is None else f"pool of depth {found.depth}"
    how = "its group had" if len(set(found.groups)) < len(found.runs) else "it had"
    return theme.finished(theme.grid(panels, 3), f"Score of each run if {how} not fed the pool", told, rules=rules)
