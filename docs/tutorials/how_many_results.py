"""Makes images/how-many-results.png for the page how-many-results.md.

python docs/tutorials/how_many_results.py
"""

from __future__ import annotations

from pathlib import Path

import altair as alt

from leadline import read
from leadline.depths.stopping import Stopping, stop
from leadline.simulate import simulate

RETRIEVER = {"runs": 3, "topics": 120, "depth": 50, "pool_depth": 50, "relevant": 8, "nil": 0.1, "quality": 0.75}
RETRIEVER |= {"score_relation": 0.9, "truncated": 0, "tied": 0, "missing": 0}
SHOWN = ["score-threshold", "fixed-k", "relative-to-top"]


def learned() -> Stopping:
    """The rules of the page."""
    sim = simulate(**RETRIEVER, rng=7)  # type: ignore[arg-type]
    return stop(read(sim.qrels, {"dense": sim.runs["uni1-dense"]}, keep_scores=True), "U(e=0.1)")


def records(columns: dict[str, list[object]], kept: list[str]) -> list[dict[str, object]]:
    """Rows of the policies to show, lists of fewer than one passage left out (the axis is logarithmic)."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [r for r in rows if r["policy"] in kept and float(str(r["length"])) >= 1]


def figure(found: Stopping) -> alt.LayerChart:
    """Mean utility against mean number of passages: each rule at every parameter, and as tuned on other topics."""
    x = alt.X("length:Q", title="passages returned, mean over questions", scale=alt.Scale(type="log", domain=[1, 50]))
    utility = "utility U(e=0.1), mean over questions"
    y = alt.Y("value:Q", title=utility)
    color = alt.Color("policy:N", title=None, sort=SHOWN, scale=alt.Scale(domain=[*SHOWN, "never", "oracle"],
                      range=["#0072b2", "#d55e00", "#009e73", "#777777", "#000000"]))  # fmt: skip
    columns = found.columns()
    lines = alt.Chart(alt.Data(values=records(found.sweep(), SHOWN))).mark_line().encode(x=x, y=y, color=color)
    tuned = records({n: columns[n] for n in ("policy", "length", "value", "low", "high")}, [*SHOWN, "never", "oracle"])
    base = alt.Chart(alt.Data(values=tuned)).encode(x=x, color=color)
    bars = base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", title=utility), y2="high:Q")
    points = base.mark_point(filled=True, size=90, opacity=1).encode(y=y)
    return (lines + bars + points).properties(width=520, height=300)


if __name__ == "__main__":
    target = Path(__file__).parent / "images" / "how-many-results.png"
    figure(learned()).save(target, scale_factor=2)
    print(f"wrote {target}")
