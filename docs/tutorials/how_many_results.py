"""Makes images/how-many-results.png for the page how-many-results.md.

python docs/tutorials/how_many_results.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leadline import read
from leadline.depths.stopping import Stopping, stop
from leadline.output.plots import stopping_plot
from leadline.output.save import save_figure
from leadline.simulate import simulate

RETRIEVER = {"runs": 3, "topics": 120, "depth": 50, "pool_depth": 50, "relevant": 8, "nil": 0.1, "quality": 0.75}
RETRIEVER |= {"score_relation": 0.9, "truncated": 0, "tied": 0, "missing": 0}
SHOWN = ["score-threshold", "fixed-k", "relative-to-top"]


def learned() -> Stopping:
    """The rules of the page."""
    sim = simulate(**RETRIEVER, rng=7)  # type: ignore[arg-type]
    return stop(read(sim.qrels, {"dense": sim.runs["uni1-dense"]}, keep_scores=True), "U(e=0.1)")


def figure(found: Stopping) -> Any:
    """Mean utility against mean number of passages: each rule at every parameter, and as tuned on other topics."""
    return stopping_plot(found, policies=SHOWN)


if __name__ == "__main__":
    target = Path(__file__).parent / "images" / "how-many-results.png"
    save_figure(figure(learned()), target)
    print(f"wrote {target}")
