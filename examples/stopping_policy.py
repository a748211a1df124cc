"""A stopping policy of your own, compared with those that leadline learns, and put to use.

python examples/stopping_policy.py

On the command line the same comparison is::

    leadline stop qrels.txt my.run -m 'U(e=0.1)' --policy score-threshold --policy examples/stopping_policy.py:elbow
"""

from __future__ import annotations

import numpy as np

from leadline import read
from leadline.depths.policies import OwnPolicy, Policy
from leadline.depths.stopping import stop
from leadline.simulate import simulate


def elbow(scores: np.ndarray) -> int:
    """Stop where the curve of scores lies furthest below the straight line from its first to its last point.

    >>> elbow(np.array([1.0, 0.9, 0.3, 0.25, 0.2]))
    3
    """
    if len(scores) < 3:
        return len(scores)
    line = np.linspace(scores[0], scores[-1], len(scores))
    return int(np.argmax((line - scores)[1:-1])) + 2


def elbows(scores: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The same for many lists at once (rows of ``scores``, NaN past the end of each): optional, but faster."""
    rank = np.arange(scores.shape[1])
    last = scores[np.arange(len(lengths)), np.maximum(lengths - 1, 0)]
    line = scores[:, :1] + (last - scores[:, 0])[:, None] * rank / np.maximum(lengths - 1, 1)[:, None]
    inner = (rank > 0) & (rank < lengths[:, None] - 1)
    below = np.where(inner, line - scores, -np.inf)
    return np.where(lengths < 3, lengths, np.argmax(below, axis=1) + 1)


def main() -> None:
    """Learn, compare, recommend, apply."""
    sim = simulate(runs=1, topics=100, depth=50, pool_depth=50, relevant=8, score_relation=0.9, truncated=0, rng=7)
    track = read(sim.qrels, {"mine": sim.runs["uni1-bm25"]}, keep_scores=True)
    found = stop(track, "U(e=0.1)", policies=["score-threshold", OwnPolicy(elbow, vectorised=elbows)])
    columns = found.columns()
    for policy, value, length in zip(columns["policy"], columns["value"], columns["length"], strict=True):
        print(f"{policy:16} {value:7.3f}  {length:5.1f} documents")
    advice = found.recommendation("mine")
    print(advice)

    text = advice.policy.to_json()  # goes into a configuration file …
    policy = Policy.from_json(text)  # … and comes back in the service
    scores = [31.0, 29.5, 24.1, 18.0, 17.9]
    print(f"{text} keeps {policy.cut(scores)} of {len(scores)} results")


if __name__ == "__main__":
    main()
