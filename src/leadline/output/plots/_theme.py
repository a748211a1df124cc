"""What all figures share: colours that colour-blind readers can tell apart, sizes for print, titles with the rules.

Categories have the colours of Okabe and Ito (and a dash or a shape beside them), quantities viridis, signed quantities
a scale from orange to blue. Of many runs the best few are drawn in colour, the others in grey behind them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from leadline.errors import UsageError, require

if TYPE_CHECKING:
    import altair

    Chart: TypeAlias = altair.TopLevelMixin

__all__ = [
    "COLOURS", "DASHES", "GREY", "INK", "QUANTITY", "SIGNED", "altair_", "category", "data", "diagonal", "finished",
    "grid", "highlighted", "label_axis", "log_axis", "ranked_names", "rows", "steps", "thinned",
]  # fmt: skip

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [10, 4], [4, 4], [1, 3])
GREY, INK = "#b5b5b5", "#222222"
QUANTITY = "viridis"
SIGNED = ("#b35806", "#f7f7f7", "#2166ac")
_POINTS = 240  # of one curve: more cannot be seen
_CONFIG: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "gridColor": "#e6e6e6",
        "domainColor": "#888888", "tickColor": "#888888", "labelColor": INK, "titleColor": INK, "labelLimit": 220,
    },
    "legend": {
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 260, "symbolSize": 90,
        "symbolStrokeWidth": 2, "labelColor": INK, "titleColor": INK, "titleLimit": 260,
    },
    "title": {
        "anchor": "start", "fontSize": 15, "subtitleFontSize": 12, "subtitleColor": "#555555", "color": INK,
        "fontWeight": "bold", "offset": 10,
    },
    "header": {"labelFontSize": 12, "titleFontSize": 12},
    "line": {"strokeWidth": 2},
}  # fmt: skip


def altair_() -> Any:
    """The drawing library, or an error that says which extra brings it."""
    return require("altair", "plot")


# data -----------------------------------------------------------------------------------------------------------------
def rows(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """One record for each row; undefined numbers are absent, the others keep six digits.

    >>> rows({"run": ["a", "b"], "value": np.array([0.123456789, np.nan])})
    [{'run': 'a', 'value': 0.123457}, {'run': 'b', 'value': None}]
    """
    plain = [[_plain(x) for x in (c.tolist() if isinstance(c, np.ndarray) else c)] for c in columns.values()]
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*plain, strict=True)]


def _plain(x: Any) -> Any:
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, float):
        return float(f"{x:.6g}") if np.isfinite(x) else None
    return x


def data(records: Sequence[Mapping[str, Any]] | Mapping[str, Iterable[Any]]) -> Any:
    """Records, or columns, as the data of a chart; nothing to draw is an error, not an empty picture.

    They go in as JSON text: altair would copy and check each record a dozen times, which takes minutes for 100 runs.
    """
    values = rows(records) if isinstance(records, Mapping) else list(records)
    if not values:
        raise UsageError("There is nothing to draw: the result has no rows.")
    alt = altair_()
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return alt.Data(values=text, format=alt.JsonDataFormat(type="json"))


def thinned(points: Sequence[float] | np.ndarray[Any, Any], most: int = _POINTS) -> np.ndarray[Any, Any]:
    """Places of at most ``most`` of the points, dense at the beginning as rankings are, both ends among them.

    >>> thinned(range(5)).tolist(), len(thinned(range(1001), 50)) <= 50, int(thinned(range(1001), 50)[-1])
    ([0, 1, 2, 3, 4], True, 1000)
    """
    count = len(points)
    if count <= most:
        return np.arange(count)
    half = most // 2
    some = np.concatenate([np.geomspace(1, count, half) - 1, np.linspace(0, count - 1, most - half)])
    return np.unique(some.round().astype(np.int64))


def ranked_names(names: Sequence[str], means: np.ndarray[Any, Any], higher: bool = True) -> list[str]:
    """Names from best to worst, undefined ones last."""
    worth = np.where(np.isnan(means), -np.inf, means if higher else -means)
    return [names[i] for i in np.argsort(-worth, kind="stable").tolist()]


def highlighted(names: Sequence[str], wanted: Sequence[str] | None, top: int) -> list[str]:
    """The runs to draw in colour: those asked for, or the first ``top`` of ``names`` (best first)."""
    if wanted is None:
        return list(names[: min(top, len(COLOURS))])
    from leadline.errors import UnknownName

    for name in wanted:
        if name not in names:
            raise UnknownName("run", name, names)
    if len(wanted) > len(COLOURS):
        raise UsageError(f"At most {len(COLOURS)} runs can be told apart by colour. Got {len(wanted)}.")
    return list(wanted)


# encodings ------------------------------------------------------------------------------------------------------------
def category(field: str, names: Sequence[str], title: str | None = None, *, dashes: bool = False) -> dict[str, Any]:
    """Colour, and on request dash, of a few categories, in the given order; they share one legend."""
    alt = altair_()
    columns = 1 if len(names) <= 12 else 2
    line = {"symbolType": "stroke", "symbolSize": 300, "symbolOpacity": 1} if dashes else {}
    legend = alt.Legend(columns=columns, symbolLimit=0, **line)
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    scale = alt.Scale(domain=list(names), range=colours)
    out = {"color": alt.Color(f"{field}:N", title=title, sort=list(names), legend=legend, scale=scale)}
    if dashes:
        patterns = [DASHES[i % len(DASHES)] for i in range(len(names))]
        out["strokeDash"] = alt.StrokeDash(
            f"{field}:N", title=title, sort=list(names), legend=legend,
            scale=alt.Scale(domain=list(names), range=patterns),
        )  # fmt: skip
    return out


def steps(count: int, *, most: int = 22, least: int = 5, room: int = 700) -> int:
    """Pixels for each of ``count`` rows or columns of a matrix, so that it fits."""
    return max(least, min(most, room // max(count, 1)))


def label_axis(step: int, *, vertical: bool = False, **options: Any) -> Any:
    """An axis of names: all of them, in letters that fit; where cells are too small, only some."""
    alt = altair_()
    if step < 10:
        options |= {"labelOverlap": "greedy", "labelSeparation": 2}
    size = max(9, min(12, step - 1))
    angle = {} if vertical else {"labelAngle": -90 if step < 60 else 0}
    return alt.Axis(labelFontSize=size, ticks=False, domain=False, grid=False, labelPadding=4, **angle, **options)


def log_axis(low: float, high: float) -> dict[str, Any]:
    """Scale and axis of a logarithmic quantity, with ticks at 1, 2, 5, 10, … or, over two decades, 1, 3, 10, 30, …"""
    alt = altair_()
    top = high if high > low else low + 1
    steps_ = (1, 2, 5) if top <= 100 * low else (1, 3)
    ticks = [m * 10**e for e in range(9) for m in steps_ if low <= m * 10**e <= top]
    axis = alt.Axis(values=ticks, format=",d") if len(ticks) > 1 else alt.Axis(format="~s", tickCount=4)
    return {"scale": alt.Scale(type="log", domain=[low, top], nice=False), "axis": axis}


def diagonal(low: float, high: float) -> Any:
    """The line on which both figures are equal."""
    alt = altair_()
    ends = [{"x": low, "y": low}, {"x": high, "y": high}]
    return alt.Chart(data(ends)).mark_line(color=GREY, strokeDash=[4, 4], strokeWidth=1.5).encode(x="x:Q", y="y:Q")


# the whole figure -----------------------------------------------------------------------------------------------------
def grid(panels: Sequence[Any], columns: int) -> Any:
    """Panels beside and below each other, each with its own title below that of the figure."""
    return altair_().concat(*panels, columns=columns, spacing=24)


def finished(chart: Any, title: str, *lines: str, rules: str = "") -> Chart:
    """The chart with its title, and below it what was done and under which rules."""
    alt = altair_()
    told = [line for part in (*lines, rules) if part for line in _wrapped(part)]
    heading = alt.Title(title, subtitle=told) if told else alt.Title(title)
    done: Chart = chart.properties(title=heading).configure(**_CONFIG)
    return done


def _wrapped(text: str, width: int = 92) -> list[str]:
    from textwrap import wrap

    return wrap(text, width, break_long_words=False, break_on_hyphens=False)
