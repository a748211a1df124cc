"""Small random tracks, as leadline reads them and as the naive definitions want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import leadline
import naive


@dataclass(frozen=True)
class Small:
    """One random track in both forms."""

    track: leadline.Track
    topics: list[naive.Topic]
    runs: dict[str, list[naive.Ranking]]
    gmax: int
    qrels: dict[str, dict[str, int]]
    scores: dict[str, dict[str, dict[str, float]]]


def small_track(
    seed: int,
    *,
    runs: int = 5,
    topics: int = 4,
    docs: int = 14,
    top: int = 2,
    tied: bool = False,
    negative: bool = False,
    pool_depth: int | None = None,
    contributors: list[str] | None = None,
    **reading: Any,
) -> Small:
    """Random qrels and runs over a few documents; some topics have nothing relevant, some runs miss a topic."""
    rng = np.random.default_rng(seed)
    names = [f"d{i:02d}" for i in range(docs)]
    low = -1 if negative else 0
    qrels: dict[str, dict[str, int]] = {}
    for t in range(topics):
        judged = rng.permutation(docs)[: rng.integers(1, docs)]
        high = top if rng.random() < 0.85 else 0
        qrels[f"q{t}"] = {names[d]: int(rng.integers(low, high + 1)) for d in sorted(judged.tolist())}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for r in range(runs):
        lists = {}
        for t in range(topics):
            if rng.random() < 0.08:
                continue
            chosen = rng.permutation(docs)[: rng.integers(0, docs + 1)].tolist()
            values = rng.integers(0, 4, len(chosen)) / 2 if tied else rng.permutation(len(chosen)) + 1.0
            lists[f"q{t}"] = {names[d]: float(s) for d, s in zip(chosen, values.tolist(), strict=True)}
        if not any(lists.values()):  # a run answers one topic at least
            lists["q0"] = {names[r % docs]: 1.0}
        scores[f"r{r}"] = lists
    track = leadline.read(qrels, scores, keep_scores=True, pool_depth=pool_depth, contributors=contributors, **reading)
    everyone = list(scores)
    plain = [naive.Topic(tuple(qrels[t].values()), (), pool_depth) for t in qrels]
    ranked = {r: [_ranking(lists.get(t, {}), qrels[t], track.ties) for t in qrels] for r, lists in scores.items()}
    pooled = naive.repool(plain, ranked, contributors or everyone)
    gmax = max(1, *(g for docs_ in qrels.values() for g in docs_.values()))
    return Small(track, pooled, ranked, gmax, qrels, scores)


def _ranking(scores: dict[str, float], grades: dict[str, int], ties: str) -> naive.Ranking:
    docs = [(d, s, i, i + 1) for i, (d, s) in enumerate(scores.items())]
    order = naive.order(docs, ties if ties in ("trec32", "run", "file", "rank") else "trec")
    rows = list(grades)
    return naive.Ranking(tuple(rows.index(d) if d in grades else None for d in order), tuple(scores[d] for d in order))
