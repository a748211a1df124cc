"""Random tracks for Hypothesis, in two forms at once: a Track for the fast code, topics and rankings for the naive one.

Sizes are drawn (and shrink); what the lists hold follows from them and a drawn seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import naive
from leadline.measures import Measure
from leadline.rankings.entries import Entries
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track

__all__ = ["Case", "cases", "few", "options_of"]


def few(examples: int) -> settings:
    """The same examples on every run, however slow the machine."""
    return settings(max_examples=examples, deadline=None, derandomize=True, database=None)


@dataclass(frozen=True)
class Case:
    """A small track: ``rows[run][topic]`` names the judgment at each rank, None where there is none."""

    grades: list[list[int]]
    rows: list[list[list[int | None]]]
    scores: list[list[list[float]]]
    terminal: list[list[bool]] | None = None
    contributors: list[bool] = field(default_factory=list)
    pool_depth: int | None = None
    ties: str = "trec"

    @property
    def gmax(self) -> int:
        return max([1, *(g for topic in self.grades for g in topic)])

    @property
    def longest(self) -> int:
        return max(len(rows) for run in self.rows for rows in run)

    def track(self) -> Track:
        starts = np.concatenate([[0], np.cumsum([len(g) for g in self.grades])])
        flat = [g for topic in self.grades for g in topic]
        rank, row, offsets, lengths = [], [], [0], []
        for run in self.rows:
            for t, rows in enumerate(run):
                rank += [i for i, r in enumerate(rows, 1) if r is not None]
                row += [starts[t] + r for r in rows if r is not None]
                offsets.append(len(rank))
                lengths.append(len(rows))
        scores = [s for run in self.scores for own in run for s in own]
        return Track(
            runs=[f"run{r}" for r in range(len(self.rows))],
            topics=[f"t{t}" for t in range(len(self.grades))],
            judgments=Judgments(starts.astype(np.int64), np.array(flat, np.int32).reshape(-1, 1)),
            entries=Entries(np.array(rank, np.int32), np.array(row, np.int32), np.array(offsets, np.int64)),
            lengths=np.array(lengths, np.int64),
            answered=np.ones(len(lengths), bool),
            scores=np.array(scores, np.float64),
            terminal=None if self.terminal is None else np.array(self.terminal, bool).ravel(),
            contributors=np.array(self.contributors or [True] * len(self.rows), bool),
            pool_depth=self.pool_depth,
            ties=self.ties,
        )

    def lists(self) -> Iterator[tuple[naive.Topic, naive.Ranking]]:
        """Topic and ranking of each list, in the Track's order."""
        fed = self.contributors or [True] * len(self.rows)
        topics = []
        for t, grades in enumerate(self.grades):
            feeding = [naive.Ranking(tuple(run[t])) for run, feeds in zip(self.rows, fed, strict=True) if feeds]
            best = naive.best_ranks(len(grades), feeding)
            topics.append(naive.Topic(tuple(grades), best, self.pool_depth))
        for r, run in enumerate(self.rows):
            for t, rows in enumerate(run):
                ended = True if self.terminal is None else self.terminal[r][t]
                yield topics[t], naive.Ranking(tuple(rows), tuple(self.scores[r][t]), ended)


@st.composite
def cases(
    draw: st.DrawFn, longest: int = 60, judged: int = 25, ties: str = "trec", terminal: bool = True, grades: int = 4
) -> Case:
    """Tracks of up to two runs and three topics; lists hold unjudged documents, topics may have nothing relevant."""
    topics, runs = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = [draw(st.integers(0, judged)) for _ in range(topics)]
    top = draw(st.integers(0, grades))
    labels = [rng.integers(-1, top + 1, size).tolist() for size in sizes]
    lengths = [[draw(st.integers(0, longest)) for _ in range(topics)] for _ in range(runs)]
    share = draw(st.sampled_from([0.0, 0.2, 0.6, 1.0]))
    rows = [[_rows(rng, sizes[t], n, share) for t, n in enumerate(run)] for run in lengths]
    blocks = draw(st.sampled_from([1, 3, 100]))
    scores = [[sorted(rng.integers(0, blocks, n).astype(float).tolist(), reverse=True) for n in run] for run in lengths]
    flags = [[bool(rng.integers(2)) for _ in range(topics)] for _ in range(runs)]
    fed = rng.integers(0, 2, runs).astype(bool).tolist() if draw(st.booleans()) else [True] * runs
    return Case(
        labels, rows, scores,
        terminal=flags if terminal and draw(st.booleans()) else None,
        contributors=fed,
        pool_depth=draw(st.sampled_from([None, 1, 3, 10, 40])),
        ties=ties,
    )  # fmt: skip


def _rows(rng: np.random.Generator, judged: int, length: int, share: float) -> list[int | None]:
    """A list with about that share of judged documents, none twice."""
    left = rng.permutation(judged).tolist()
    return [left.pop() if left and rng.random() < share else None for _ in range(length)]


def options_of(m: Measure, case: Case) -> dict[str, Any]:
    """The measure's parameters as the naive definitions call them; the depth comes apart."""
    given = {n: getattr(m, n) for n in m.params}
    given["gmax"] = given.get("gmax") or case.gmax
    if isinstance(given.get("gain"), tuple):
        given["gain"] = dict(given["gain"])
    if "pad" in given:
        given["depth"] = given.pop("pad")
    if m.cutoff == "recall":
        given["recall"] = m.k
    return given
