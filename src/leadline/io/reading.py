"""What was read: judged entries of every list, and all that is known about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from leadline._core import Job
    from leadline.findings import Findings

__all__ = ["Documents", "Reading"]


class Documents:
    """Document ids, kept by the native reader.

    ``list(l)`` are the ids of list ``l`` in ranking order, ``row_ids(rows)`` the ids of judgments.
    """

    __slots__ = ("_job",)

    def __init__(self, job: Job) -> None:
        self._job = job

    def list(self, number: int) -> list[str]:
        """Ids of one list (run × topics + topic), best first."""
        return self._job.list_docs(number)

    def row_ids(self, rows: ArrayLike) -> Sequence[str]:
        """Ids of judgments by their row number."""
        return _row_ids(self._job, rows)


class Reading:
    """Qrels and runs as arrays.

    With R runs, T topics, J judgments and A label columns, list ``l`` is run ``l // T``, topic ``l % T``:

    =============  ================================================================================================
    topics, runs   names; topics in the qrels' order of first appearance
    row_offsets    int64[T+1], the judgments of topic t are rows ``row_offsets[t]`` to ``row_offsets[t+1]``
    labels         int32[J, A], column 0 is the grade
    lengths        int32[R·T], documents retrieved
    answered       bool[R·T], whether the run has the topic at all
    offsets        int64[R·T+1], the judged entries of list l are ``offsets[l]`` to ``offsets[l+1]``
    rank, row      int32[E], rank (from 1, ascending) and judgment row of each judged entry
    nil_rank       int32[R·T], rank of the first document that is the NIL id, 0 if none; None without ``nil=``
    scores         float64[Σ lengths] in ranking order, or None; as 32-bit values under ``trec32``
    docs           :class:`Documents` if kept, or None
    tags, sources  run tag of each run ("" if it has none), and where it was read from
    =============  ================================================================================================
    """

    __slots__ = (
        "_job",
        "answered",
        "docs",
        "findings",
        "labels",
        "lengths",
        "nil_rank",
        "offsets",
        "qrels_source",
        "rank",
        "row",
        "row_offsets",
        "runs",
        "scores",
        "sources",
        "tags",
        "ties",
        "topics",
    )

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    row_offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    lengths: NDArray[np.int32]
    answered: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    rank: NDArray[np.int32]
    row: NDArray[np.int32]
    nil_rank: NDArray[np.int32] | None
    scores: NDArray[np.float64] | None
    docs: Documents | None
    tags: tuple[str, ...]
    sources: tuple[str, ...]
    qrels_source: str
    ties: str
    findings: Findings

    def __init__(
        self, job: Job, *, nil: bool, keep_scores: bool, keep_docs: bool, ties: str, findings: Findings,
        runs: Sequence[str], tags: Sequence[str], sources: Sequence[str], qrels_source: str,
    ) -> None:  # fmt: skip
        self._job = job
        self.topics, self.runs = tuple(job.topics), tuple(runs)
        self.row_offsets, self.labels = job.row_offsets, job.labels
        self.lengths, self.offsets = job.lengths, job.offsets
        self.rank, self.row = job.rank, job.row
        self.answered = job.answered.view(bool)
        self.nil_rank = job.nil_rank if nil else None
        self.scores = job.scores if keep_scores else None
        self.docs = Documents(job) if keep_docs else None
        self.tags, self.sources, self.qrels_source = tuple(tags), tuple(sources), qrels_source
        self.ties, self.findings = ties, findings

    def qrels_docs(self, rows: ArrayLike) -> Sequence[str]:
        """Document ids of judgments by their row number."""
        return _row_ids(self._job, rows)

    def topics_outside(self) -> list[str]:
        """The topics of the runs that the qrels do not have, in order of first appearance."""
        return list(dict.fromkeys(t for run in range(len(self.runs)) for t in self._job.run_outside(run)))

    def __repr__(self) -> str:
        runs, topics = len(self.runs), len(self.topics)
        return f"<Reading: {runs} runs × {topics} topics, {len(self.labels):,} judgments, ties={self.ties!r}>"


def _row_ids(job: Job, rows: ArrayLike) -> Sequence[str]:
    import numpy as np

    return job.row_docs(np.ascontiguousarray(rows, dtype=np.int64).ravel())
