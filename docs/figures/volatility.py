"""Draw docs/img/volatility.png: how far the order of systems depends on the evaluation depth, after Lu et al. 2016.

python docs/figures/volatility.py           # the figure, from the track of seed 0
python docs/figures/volatility.py --table   # the figures quoted in the tutorial, over ten seeds

The setting: 40 runs that are nearly equally good (spread 0.05), 50 topics, lists of 1,000, about 100 relevant documents
for each topic, of which a pool of depth 10 fed by all runs finds about 43. What it does not show: with runs that are far
apart (spread 0.25, the default of the simulation) both measures keep their order of systems from the pool depth on; and a
deep pool does not help AP here (at pool depth 200, 40 % of the pairs of depths for AP against 76 % for RBP with seed 0),
while it did on the newswire collections of the paper.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import leadline
from leadline.depths.stability import Volatility, volatility

HERE = Path(__file__).parent
POOL = 10
MEASURES = ("AP(norm='min')", "RBP(p=0.95)")
DEPTHS = [
    5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500, 650, 800, 1000,
]  # fmt: skip


def track(seed: int) -> leadline.Track:
    """The simulated track of the setting above."""
    made = leadline.simulate.simulate(
        runs=40, topics=50, depth=1000, pool_depth=POOL, relevant=100, spread=0.05, contributing=1, truncated=0,
        missing=0, nil=0, tied=0, rng=seed,
    )  # fmt: skip
    return leadline.read(made.qrels, made.runs, pool_depth=POOL)


def from_the_pool_on(found: Volatility) -> np.ndarray:
    """The matrix over depths that are at least the depth of the pool, without its diagonal."""
    deep = found.depths >= POOL
    part = found.matrix[np.ix_(deep, deep)]
    return part[~np.eye(len(part), dtype=bool)]


def table() -> None:
    """Share of pairs of depths with τ ≥ 0.9 and lowest τ, from the pool depth on, for ten seeds."""
    print("seed  " + "  ".join(f"{m:>22}" for m in MEASURES))
    rows = []
    for seed in range(10):
        drawn = track(seed)
        parts = [from_the_pool_on(volatility(drawn, m, depths=DEPTHS)) for m in MEASURES]
        rows.append([x for p in parts for x in ((p >= 0.9).mean(), p.min())])
        cells = [f"{100 * (p >= 0.9).mean():.0f} %, lowest {p.min():.2f}" for p in parts]
        print(f"{seed:4d}  " + "  ".join(f"{c:>22}" for c in cells))
    print("mean  ", np.mean(rows, axis=0).round(2))


def figure() -> None:
    """Both matrices side by side."""
    import altair as alt

    drawn = track(0)
    panels = []
    for m in MEASURES:
        found = volatility(drawn, m, depths=DEPTHS)
        k = [str(d) for d in DEPTHS]
        cells = [
            {"k1": a, "k2": b, "tau": round(float(t), 4)}
            for a, row in zip(k, found.matrix, strict=True)
            for b, t in zip(k, row, strict=True)
        ]
        shown = [str(d) for d in (5, 10, 20, 50, 100, 200, 500, 1000)]
        axis = alt.Axis(values=shown, labelAngle=0, grid=False)
        colours = ["#b2182b", "#ef8a62", "#fddbc7", "#92c5de", "#2166ac"]
        scale = alt.Scale(type="threshold", domain=[0.8, 0.85, 0.9, 0.95], range=colours)
        panels.append(
            alt.Chart(alt.Data(values=cells), title=f"{m}: {100 * found.share():.0f} % of pairs with τ ≥ 0.9")
            .mark_rect()
            .encode(
                x=alt.X("k1:O", sort=k, axis=axis, title="evaluation depth"),
                y=alt.Y("k2:O", sort=k[::-1], axis=axis, title="evaluation depth"),
                color=alt.Color("tau:Q", scale=scale, title="Kendall's τ"),
            )
            .properties(width=alt.Step(12), height=alt.Step(12))
        )
    chart = alt.hconcat(*panels).configure_view(stroke=None)
    target = HERE.parent / "img" / "volatility.png"
    target.parent.mkdir(exist_ok=True)
    chart.save(str(target), scale_factor=1)
    print(f"wrote {target.name}")


if __name__ == "__main__":
    table() if "--table" in sys.argv else figure()
