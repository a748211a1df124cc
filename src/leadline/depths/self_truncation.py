"""Systems that stop by themselves: a NIL in the list, or a list shorter than it could be.

Every list is turned into what it says: a NIL ends it, a short list ended by choice, and a full list without NIL says
nothing about stopping. Then each system is scored twice: as question answering used to do it (NIL is an ordinary
document, right exactly where there is no answer, and plain measures), and on what is left with measures that see the
end of the list. Whether a system knows *when* to stay silent is a question of its own: precision and recall of the
topics it leaves empty.

References: Liu, Moffat, Baldwin, Zhang. Quit while ahead. SIGIR 2016. doi:10.1145/2911451.2914737
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.depths.histogram import bin_edges, bin_labels
from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.nil import answer_nil, truncate_at_nil
from leadline.rankings.track import Track
from leadline.stats.agreement import tau_test

__all__ = ["PAIRS", "SelfTruncation", "self_truncation"]

PAIRS = (("RR", "RRT"), ("nDCG", "nDCGT"), ("RBP(p=0.5)", "RBPT(p=0.5)"), ("AP", "APT"))
"""Measures of whole lists, each with the one that sees where the list ends."""


class SelfTruncation:
    """What :func:`self_truncation` found about systems that stop by themselves."""

    def __init__(
        self, raw: Track, after: Track, pairs: Sequence[tuple[Measure, Measure]], plain: Scores, terminal: Scores,
        max_len: int, findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.topics = raw.runs, raw.topics
        self.pairs = tuple(pairs)
        self.max_len = max_len
        self.before = raw.lengths.reshape(raw.shape)
        self.after = after.lengths.reshape(raw.shape)
        assert after.terminal is not None
        assert raw.nil_rank is not None
        self.truncated: NDArray[np.bool_] = after.terminal.reshape(raw.shape)
        self.nil_rank = raw.nil_rank.reshape(raw.shape).astype(np.int64)
        self.answered = raw.answered.reshape(raw.shape)
        self.nil_topics: NDArray[np.bool_] = raw.judgments.count(raw.judgments.grade >= 1) == 0
        self.findings = findings
        self._plain, self._terminal = plain, terminal

    def lengths(self) -> dict[str, Any]:
        """Columns length, before, after: how many lists have each length, as handed in and as they say."""
        most = int(max(self.before.max(initial=0), self.after.max(initial=0))) + 1
        return {
            "length": np.arange(most),
            "before": np.bincount(self.before.ravel(), minlength=most),
            "after": np.bincount(self.after.ravel(), minlength=most),
        }

    def length_bins(self) -> list[tuple[str, int, int]]:
        """The same in bins that double, if lists are longer than ten: label, lists before, lists after."""
        found = self.lengths()
        most = int(found["length"][-1])
        high = np.arange(most + 1) if most <= 10 else bin_edges(most)
        bins = np.searchsorted(high, found["length"])
        before, after = (np.bincount(bins, found[name], len(high)).astype(int).tolist() for name in ("before", "after"))
        return list(zip(bin_labels(high), before, after, strict=True))

    def columns(self) -> dict[str, Any]:
        """Columns run, original_measure, terminal_measure, original, terminal, change, truncated (share of lists)."""
        rows: dict[str, list[Any]] = {
            name: []
            for name in ("run", "original_measure", "terminal_measure", "original", "terminal", "change", "truncated")
        }
        share = self.truncated.mean(axis=1).tolist()
        for a, b in self.pairs:
            plain, terminal = self._plain.mean(a), self._terminal.mean(b)
            rows["run"] += self.runs
            rows["original_measure"] += [str(a)] * len(self.runs)
            rows["terminal_measure"] += [str(b)] * len(self.runs)
            rows["original"] += plain.tolist()
            rows["terminal"] += terminal.tolist()
            rows["change"] += (terminal - plain).tolist()
            rows["truncated"] += share
        return rows

    def agreement(self) -> dict[str, Any]:
        """Columns original_measure, terminal_measure, tau, p: does seeing the end change the order of systems?"""
        tests = [tau_test([self._plain.mean(a)], [self._terminal.mean(b)], decimals=12) for a, b in self.pairs]
        return {
            "original_measure": [str(a) for a, _ in self.pairs],
            "terminal_measure": [str(b) for _, b in self.pairs],
            "tau": [float(t.tau[0, 0]) for t in tests],
            "p": [float(t.p[0, 0]) for t in tests],
        }

    def detection(self) -> dict[str, Any]:
        """Columns run, empty, right, precision, recall, nil_topics, says_nil, hedge.

        ``empty`` counts the lists that say "no answer" (a topic the run leaves out is one), ``right`` those on topics
        that have none; ``says_nil`` is the share of lists with a NIL anywhere, ``hedge`` the largest share of lists
        that have it at the same place.
        """
        empty = self.after == 0
        right = empty & self.nil_topics
        said, hits, all_ = empty.sum(axis=1), right.sum(axis=1), int(self.nil_topics.sum())
        return {
            "run": list(self.runs),
            "empty": said,
            "right": hits,
            "precision": _ratio(hits, said),
            "recall": _ratio(hits, np.full(len(hits), all_)),
            "nil_topics": [all_] * len(hits),
            "says_nil": _ratio(((self.nil_rank > 0) & self.answered).sum(axis=1), self.answered.sum(axis=1)),
            "hedge": _hedge(self.nil_rank, self.answered),
        }

    def __repr__(self) -> str:
        share = 100 * float(self.truncated.mean())
        return f"<SelfTruncation: {len(self.runs)} runs × {len(self.topics)} topics, {share:.0f} % of lists truncated>"


def _ratio(a: Ints, b: Ints) -> Floats:
    out: Floats = np.full(len(a), np.nan)
    np.divide(a, b, out=out, where=b > 0)
    return out


def _hedge(nil_rank: Ints, answered: NDArray[np.bool_]) -> Floats:
    """Largest share of a run's answered lists with NIL at one and the same rank."""
    most = int(nil_rank.max(initial=0)) + 1
    runs = np.arange(len(nil_rank))[:, None]
    where = np.bincount((runs * most + np.where(answered, nil_rank, 0)).ravel(), minlength=len(nil_rank) * most)
    return _ratio(where.reshape(-1, most)[:, 1:].max(axis=1, initial=0), answered.sum(axis=1))


def self_truncation(
    track: Track,
    pairs: Sequence[tuple[str | Measure, str | Measure]] = PAIRS,
    *,
    max_len: int | None = None,
    undefined: Undefined = "zero",
    rel: int | None = None,
) -> SelfTruncation:
    """Evaluate systems that stop by themselves, by NIL or by short lists.

    The Track is read with ``nil="answer"`` if NIL is used, or plainly. A list shorter than ``max_len`` (5 with NIL,
    else the longest list) ended by choice. ``pairs`` are measures of the original lists and of what they say.

    >>> from leadline import read
    >>> qrels, run = {"q1": {"a": 1}, "q2": {"b": 0}}, {"x": {"q1": {"a": 2, "NIL": 1}, "q2": {"NIL": 1}}}
    >>> found = self_truncation(read(qrels, run, nil="answer"), [("RR", "RRT")])
    >>> found.before.tolist(), found.after.tolist(), found.detection()["recall"].tolist()
    ([[2, 1]], [[1, 0]], [1.0])
    """
    raw, used = _raw(track)
    limit = max_len if max_len is not None else 5 if used else int(raw.lengths.max(initial=0))
    if limit < 1:
        raise UsageError(f"max_len must be at least 1. Got {limit} instead.")
    wanted = [(wanted_measures(a, rel=rel)[0], wanted_measures(b, rel=rel)[0]) for a, b in pairs]
    if not wanted:
        raise UsageError("No pair of measures was asked for; give at least one, like ('RR', 'RRT').")
    after = truncate_at_nil(raw, limit)
    before = answer_nil(raw) if used else raw
    plain = score_track(before, [a for a, _ in wanted], undefined=undefined)
    terminal = score_track(after, [b for _, b in wanted], undefined=undefined)
    findings = Findings([*plain.findings, *terminal.findings])
    found = SelfTruncation(raw, after, wanted, plain, terminal, limit, findings)
    _doubts(found, raw, findings)
    return found


def _raw(track: Track) -> tuple[Track, bool]:
    """The Track as it was handed in, and whether NIL is used in it."""
    if track.terminal is not None:
        raise UsageError("The Track's lists are cut at their NIL already; read it with nil='answer' to compare.")
    if track.nil_rank is None:
        return track._with(nil_rank=np.zeros(len(track.lengths), np.int32)), False
    added = track.row_id < 0  # the judgments of NIL, if nil="answer" has made them
    return (track.masked(~added) if added.any() else track), bool((track.nil_rank > 0).any())


def _doubts(found: SelfTruncation, raw: Track, findings: Findings) -> None:
    hedge = _hedge(found.nil_rank, found.answered)
    hedging = [r for r, h, n in zip(found.runs, hedge, found.answered.sum(axis=1), strict=True) if h == 1 and n > 1]
    findings.add("nil-hedging", len(hedging), hedging, "NIL at the same place in every list is no decision")
    nil = found.nil_rank.ravel()
    hits = raw.entries.where(raw.judgments.grade[raw.entries.row] >= 1)
    late = (nil[hits.list] > 0) & (hits.rank > nil[hits.list])
    lists = np.unique(hits.list[late])
    topics = len(raw.topics)
    names = [f"{raw.runs[i // topics]}:{raw.topics[i % topics]}" for i in lists[:3]]
    lost = f"{int(late.sum()):,} relevant documents after it do not count"
    findings.add("nil-before-relevant", len(lists), names, lost)
    if not found.nil_topics.any():
        findings.add("no-nil-topics", 1, (), "every topic has a relevant document, so detection has no recall")
