"""The Track: every run's lists against the qrels, read once, relabelled at will.

Lists are numbered run by run (``list = run * topics + topic``). Of each list the Track keeps its length and the judged
documents as (rank, judgment row); all other ranks are unjudged, which needs no memory. Every labelling is then a
look-up: grades and gains by row, a shallower pool by the best rank of each row, a truncation by comparing ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import NothingToEvaluate, UnknownName, UsageError
from leadline.findings import Findings
from leadline.rankings.entries import Entries, Ints
from leadline.rankings.labels import NEVER, Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.io import Reading
    from leadline.io.aspects import AspectSet

__all__ = ["Track"]


class Track:
    """Runs × topics of ranked lists, as judgment rows.

    Made by :func:`leadline.read`; a value: its methods return new Tracks that share the arrays.
    """

    def __init__(
        self,
        *,
        runs: Sequence[str],
        topics: Sequence[str],
        judgments: Judgments,
        entries: Entries,
        lengths: Ints,
        answered: NDArray[np.bool_],
        scores: NDArray[np.float64] | None = None,
        terminal: NDArray[np.bool_] | None = None,
        nil_rank: NDArray[np.int32] | None = None,
        contributors: NDArray[np.bool_] | None = None,
        pool_depth: int | None = None,
        list_id: Ints | None = None,
        row_id: Ints | None = None,
        ties: str = "trec",
        findings: Iterable[object] = (),
        reading: Reading | None = None,
        aspects: AspectSet | None = None,
    ) -> None:
        self.runs = tuple(runs)
        self.topics = tuple(topics)
        self.judgments = judgments
        self.entries = entries
        self.lengths = lengths
        self.answered = answered
        self.scores = scores
        self.terminal = terminal
        self.nil_rank = nil_rank
        self.contributors = np.ones(len(self.runs), bool) if contributors is None else contributors
        self.pool_depth = pool_depth
        self.list_id = np.arange(len(lengths)) if list_id is None else list_id  # numbers in the reading,
        self.row_id = np.arange(len(judgments)) if row_id is None else row_id  # which knows the document ids
        self.ties = ties
        self.findings = Findings(findings)  # type: ignore[arg-type]
        self.reading = reading
        self._pooled_from: Track | None = None
        self.aspects = aspects  # what the label columns mean, if they were declared
        self.memo: dict[object, Any] = {}  # orders and relabelled Tracks made from this one, for measures to share

    @classmethod
    def of(cls, reading: Reading, aspects: AspectSet | None = None) -> Track:
        """The Track of what was read from files, dictionaries or tables."""
        return cls(
            runs=reading.runs,
            topics=reading.topics,
            judgments=Judgments(reading.row_offsets, reading.labels),
            entries=Entries(reading.rank, reading.row, reading.offsets),
            lengths=reading.lengths.astype(np.int64),
            answered=reading.answered.astype(bool),
            scores=reading.scores,
            nil_rank=reading.nil_rank,
            ties=reading.ties,
            findings=reading.findings,
            reading=reading,
            aspects=aspects,
        )

    def _with(self, **changes: object) -> Track:
        kept = {name: getattr(self, name) for name in _FIELDS}
        return Track(**(kept | changes))

    # shape -----------------------------------------------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, int]:
        """Runs, topics."""
        return len(self.runs), len(self.topics)

    @cached_property
    def topic_of_list(self) -> Ints:
        """Topic of each list."""
        return np.tile(np.arange(len(self.topics)), len(self.runs))

    @property
    def gmax(self) -> int:
        """Top grade of the whole qrels."""
        return self.judgments.gmax

    def run(self, name: str) -> int:
        """Number of a run by its name."""
        if name not in self.runs:
            raise UnknownName("run", name, self.runs)
        return self.runs.index(name)

    def __repr__(self) -> str:
        runs, topics = self.shape
        return f"<Track: {runs} runs × {topics} topics, {int(self.lengths.sum()):,} documents, ties={self.ties!r}>"

    @cached_property
    def score_offsets(self) -> Ints:
        """Start of each list in :attr:`scores`."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    def indices(self, run: str, topic: str) -> NDArray[np.int32]:
        """Judgment row at each rank of one list, −1 where the document is unjudged."""
        if topic not in self.topics:
            raise UnknownName("topic", topic, self.topics)
        number = self.run(run) * len(self.topics) + self.topics.index(topic)
        one = self.entries.block(number, number + 1)
        out = np.full(int(self.lengths[number]), -1, np.int32)
        out[one.rank - 1] = one.row
        return out

    # selection -------------------------------------------------------------------------------------------------------
    def select(self, *, runs: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> Track:
        """Only the named runs and topics, in the order given."""
        chosen_runs = np.arange(len(self.runs)) if runs is None else np.array([self.run(r) for r in runs], np.int64)
        if topics is None:
            chosen_topics = np.arange(len(self.topics))
        else:
            place = {t: i for i, t in enumerate(self.topics)}
            for t in topics:
                if t not in place:
                    raise UnknownName("topic", t, self.topics)
            chosen_topics = np.array([place[t] for t in topics], np.int64)
        return self._chosen(chosen_runs, chosen_topics)

    def _chosen(self, runs: Ints, topics: Ints) -> Track:
        if not len(runs) or not len(topics):
            raise NothingToEvaluate("No run or no topic is left after selection.")
        lists = (runs[:, None] * len(self.topics) + topics).ravel()
        taken = _rows(self.judgments.offsets, topics)
        new_row = np.full(len(self.judgments), -1, np.int32)
        new_row[taken] = np.arange(len(taken), dtype=np.int32)
        entries = self.entries.take(lists)
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.judgments.offsets)[topics])])
        return self._with(
            runs=[self.runs[r] for r in runs],
            topics=[self.topics[t] for t in topics],
            judgments=Judgments(offsets, self.judgments.labels[taken], self.gmax),
            entries=Entries(entries.rank, new_row[entries.row], entries.offsets),
            lengths=self.lengths[lists],
            answered=self.answered[lists],
            scores=None if self.scores is None else self.scores[_rows(self.score_offsets, lists)],
            terminal=None if self.terminal is None else self.terminal[lists],
            nil_rank=None if self.nil_rank is None else self.nil_rank[lists],
            contributors=self.contributors[runs],
            list_id=self.list_id[lists],
            row_id=self.row_id[taken],
        )

    def common(self) -> Track:
        """Only the topics that every run answers."""
        answered = np.logical_and.reduce(self.answered.reshape(self.shape), axis=0)
        if not answered.any():
            raise NothingToEvaluate("No topic is answered by every run; use topics='qrels'.")
        track = self._chosen(np.arange(len(self.runs)), np.flatnonzero(answered))
        left = [t for t, a in zip(self.topics, answered.tolist(), strict=True) if not a]
        track.findings.add("topics-left-out", len(left), left, "not answered by every run")
        return track

    # what-ifs --------------------------------------------------------------------------------------------------------
    def relabel(self, grade: NDArray[np.int32], gmax: int | None = None) -> Track:
        """The same lists under other grades, one for each judgment row."""
        if len(grade) != len(self.judgments):
            raise UsageError(f"relabel needs {len(self.judgments)} grades, one for each judgment; got {len(grade)}")
        return self._with(judgments=self.judgments.regrade(grade, gmax))

    def masked(self, keep: NDArray[np.bool_]) -> Track:
        """As if only the judgments in ``keep`` had been made; gmax stays that of the whole qrels."""
        new_row = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        kept = self.entries.where(keep[self.entries.row])
        offsets = np.concatenate([[0], np.cumsum(keep)])[self.judgments.offsets]
        return self._with(
            judgments=Judgments(offsets, self.judgments.labels[keep], self.gmax),
            entries=Entries(kept.rank, new_row[kept.row], kept.offsets),
            row_id=self.row_id[keep],
        )

    def truncated(self, lengths: NDArray[np.generic]) -> Track:
        """Every list stopped after ``lengths[list]`` documents (its own length at most)."""
        stop = np.minimum(np.asarray(lengths, np.int64).ravel(), self.lengths)
        kept = self.entries.where(self.entries.rank <= stop[self.entries.list])
        scores = self.scores
        if scores is not None:
            place = np.arange(len(scores)) - np.repeat(self.score_offsets[:-1], self.lengths)
            scores = scores[place < np.repeat(stop, self.lengths)]
        terminal = None if self.terminal is None else self.terminal | (stop < self.lengths)  # it stops by choice now
        out = self._with(entries=kept, lengths=stop, scores=scores, terminal=terminal)
        out._pooled_from = self._pooled_from or self  # what was judged came from the whole lists
        return out

    @cached_property
    def best_rank(self) -> NDArray[np.int32]:
        """Best rank of each judgment over the contributing runs; NEVER where none retrieved it."""
        if self._pooled_from is not None:
            return self._pooled_from.best_rank
        return self.best_rank_of(self.contributors)

    def best_rank_of(self, contributors: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Best rank of each judgment over the given runs."""
        best = np.full(len(self.judgments), NEVER, np.int32)
        if contributors.all():
            np.minimum.at(best, self.entries.row, self.entries.rank)
            return best
        gives = np.repeat(contributors, len(self.topics))[self.entries.list]
        np.minimum.at(best, self.entries.row[gives], self.entries.rank[gives])
        return best

    def pooled(self, depth: int) -> Track:
        """As if the pool had been ``depth`` deep: judgments that no contributor ranked so high are dropped."""
        return self.masked(self.best_rank <= depth)._with(pool_depth=depth)

    def declare_pool(self, depth: int | None = None, contributors: Iterable[str] | None = None) -> Track:
        """State how deep the qrels' pool was and which runs fed it; nothing is dropped."""
        fed = self.contributors
        if contributors is not None:
            fed = np.zeros(len(self.runs), bool)
            fed[[self.run(r) for r in contributors]] = True
        return self._with(pool_depth=depth, contributors=fed)


_FIELDS = (
    "runs", "topics", "judgments", "entries", "lengths", "answered", "scores", "terminal", "nil_rank",
    "contributors", "pool_depth", "list_id", "row_id", "ties", "findings", "reading", "aspects",
)  # fmt: skip


def _rows(offsets: Ints, segments: Ints) -> Ints:
    """Positions of the given segments' members, one segment after the other."""
    counts = np.diff(offsets)[segments]
    starts = np.concatenate([[0], np.cumsum(counts)])
    places: Ints = np.arange(starts[-1]) + np.repeat(offsets[segments] - starts[:-1], counts)
    return places
