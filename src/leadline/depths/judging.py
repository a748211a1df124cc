"""Which unjudged documents to judge next: those that weigh most in the runs at hand.

The score of a list is uncertain by the weight of the ranks at which its unjudged documents stand. A document that many
runs rank high carries much of that weight, so judging it settles most.

References: Moffat, Webber, Zobel. Strategic system comparisons via targeted relevance judgments. SIGIR 2007.
doi:10.1145/1277741.1277806
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.depths.rereading import reread
from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import score_track
from leadline.rankings.entries import Entries, Floats
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track

__all__ = ["ToJudge", "rank_weights", "to_judge"]

_NEGLIGIBLE = 1e-9  # of the first rank's weight: ranks below it are not looked at


class ToJudge:
    """Documents to judge, heaviest first; what :func:`to_judge` returns.

    ``weight`` is by how much the uncertainty of the mean score over runs falls, on that topic, when the document is
    judged. ``covered`` is the share of all unjudged weight that these documents carry.
    """

    def __init__(
        self, topics: Sequence[str], docs: Sequence[str], weight: Floats, covered: float, findings: Findings
    ) -> None:
        self.topics, self.docs = tuple(topics), tuple(docs)
        self.weight, self.covered = weight, covered
        self.findings = findings

    def columns(self) -> dict[str, Any]:
        """Columns topic, doc, weight and an empty grade: filled in and saved as TSV or CSV, it reads back as qrels."""
        return {"topic": self.topics, "doc": self.docs, "weight": self.weight, "grade": [None] * len(self.docs)}

    def form(self) -> str:
        """The same as lines of TREC qrels with ``?`` for the grade: to be filled in and appended to the old qrels."""
        return "".join(f"{t} 0 {d} ?\n" for t, d in zip(self.topics, self.docs, strict=True))


def to_judge(
    track: Track, count: int, *, measure: str | Measure = "RBP(p=0.95)", depth: int | None = None, runs: Any = None
) -> ToJudge:
    """The ``count`` unjudged documents that carry most weight over all runs, of all topics together.

    A document's weight is the mean over runs of what a relevant document at its rank would add to ``measure`` (0 where
    a run does not retrieve it); ranks below ``depth`` count for nothing. If the Track was read without document ids,
    its files are read once more; ``runs`` are needed in their place if it was not read from files.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"y": 3.0, "z": 2.0}}}
    >>> track = leadline.read({"q": {"x": 1}}, runs, keep_docs=True)
    >>> found = to_judge(track, 2, measure="RBP(p=0.5)"); found.docs, found.weight.tolist()
    (('y', 'z'), [0.375, 0.125])
    """
    if count < 1:
        raise UsageError(f"count must be a whole number ≥ 1. Got {count} instead.")
    if track.reading is None or track.reading.docs is None:
        track = reread(track, runs=runs, keep_docs=True)
    longest = int(track.lengths.max(initial=0))
    weight = rank_weights(parse(measure), longest) / len(track.runs)
    weight[longest if depth is None else depth :] = 0
    found: list[tuple[float, int, str]] = []
    for topic in range(len(track.topics)):
        found += [(w, topic, doc) for doc, w in _unjudged(track, topic, weight).items()]
    found.sort(key=lambda x: (-x[0], x[1], x[2]))
    total = sum(w for w, _, _ in found)
    best = found[:count]
    findings = Findings(track.findings)
    findings.add("fewer-unjudged-documents", max(count - len(best), 0), (), "than asked for: all of them are listed")
    values = np.array([w for w, _, _ in best])
    covered = float(values.sum() / total) if total else 0.0
    return ToJudge([track.topics[t] for _, t, _ in best], [d for _, _, d in best], values, covered, findings)


def _unjudged(track: Track, topic: int, weight: Floats) -> dict[str, float]:
    """Weight of each unjudged document of one topic, over the runs."""
    assert track.reading is not None
    assert track.reading.docs is not None
    total: dict[str, float] = defaultdict(float)
    last = int(np.flatnonzero(weight > _NEGLIGIBLE * weight.max(initial=0)).max(initial=-1)) + 1
    for run in range(len(track.runs)):
        number = run * len(track.topics) + topic
        open_ = weight[: min(last, int(track.lengths[number]))].copy()
        rank = track.entries.block(number, number + 1).rank
        open_[rank[rank <= len(open_)] - 1] = 0
        docs = track.reading.docs.list(int(track.list_id[number]))
        for i in np.flatnonzero(open_).tolist():
            total[docs[i]] += float(open_[i])
    return total


def rank_weights(m: Measure, depth: int) -> Floats:
    """What a relevant document at each of the ranks 1 … ``depth`` adds to a list that holds no other one.

    >>> rank_weights(parse("RBP(p=0.5)@2"), 3).tolist(), rank_weights(parse("RR"), 2).tolist()
    ([0.5, 0.25, 0.0], [1.0, 0.5])
    """
    lists = depth + 1  # the last one holds nothing relevant
    track = Track(
        runs=[str(i) for i in range(lists)],
        topics=["topic"],
        judgments=Judgments(np.array([0, 1]), np.ones((1, 1), np.int32)),
        entries=Entries(
            np.arange(1, lists, dtype=np.int32), np.zeros(depth, np.int32), np.minimum(np.arange(lists + 1), depth)
        ),
        lengths=np.full(lists, depth),
        answered=np.ones(lists, bool),
        ties="file",
    )
    scores = score_track(track, m).array(m)[:, 0]
    gained: Floats = np.maximum(scores[:-1] - scores[-1], 0.0) if m.higher_is_better else np.zeros(depth)
    return gained
