"""How much CAM and MM can reach: the best of several ideal rankings, topic by topic.

The aspects of a topic seldom agree on one best order, so no list need reach 1. The estimate is the best score over the
candidate rankings of :mod:`leadline.rankings.aspect_ideals`. It is no proven bound: another order may do better. With
labels (0,1), (2,0), (1,1) and nDCG the candidates reach a CAM of 0.8801, another order 0.8897.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.rankings.aspect_ideals import ideal_rankings, ideal_strategies
from leadline.rankings.entries import Entries
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track
from leadline.rankings.view import Floats

if TYPE_CHECKING:
    from leadline.measures.aspects._per_aspect import PerAspectMeasure

__all__ = ["Bounds", "bounds", "document_rank", "ideal_lists", "scored"]

_COST = 10_000_000  # labelled documents that are looked at unasked
_REACHED = 1e-9


@dataclass(frozen=True, eq=False)
class Bounds:
    """Scores of the candidate rankings (strategies × topics), the best of each topic, and what ideal aspects give.

    ``ideal`` is the mean over aspects if each were ranked as it is best for that aspect alone: 1 for a normalised
    measure. Empty arrays if there was too much to look at.
    """

    strategies: tuple[str, ...]
    values: Floats
    reachable: Floats
    ideal: Floats
    findings: Findings = field(default_factory=Findings)


def bounds(m: PerAspectMeasure, track: Track, *, limited: bool = True) -> Bounds:
    """The reachable maximum of ``m`` on each topic; ``limited`` skips it, with a finding, where it would take long."""
    key = ("bounds", m, limited)
    if key not in track.memo:
        track.memo[key] = _bounds(m, track, limited)
    found = track.memo[key]
    assert isinstance(found, Bounds)
    return found


def _bounds(m: PerAspectMeasure, track: Track, limited: bool) -> Bounds:
    aspects = m.aspects(track)
    names, notes = ideal_strategies(aspects)
    cost = len(names) * len(track.judgments) * len(aspects)
    if limited and cost > _COST:
        notes.add("reachable-maximum-not-estimated", len(names), (),
                  f"ideal rankings to try for {m}; ask for it by leadline aspects --bounds")  # fmt: skip
        return Bounds((), np.zeros((0, 0)), np.zeros(0), np.zeros(0), notes)
    lists = ideal_lists(track, dict(ideal_rankings(aspects, track.judgments.labels, track.judgments.topic,
                                                   document_rank(track))))  # fmt: skip
    shares = np.stack([scored(part, on).reshape(lists.shape) for part, on in m.parts(lists)])
    values = m.combine(list(shares))
    # what is best in each aspect alone; a share of the harmonic mean falls as its score rises
    ideal = m.combine(list(-_greatest(-shares) if m.inverse else _greatest(shares)))
    reachable = _greatest(values)
    _tell(m, track, reachable, ideal, notes)
    return Bounds(tuple(names for names, _ in names), values, reachable, ideal, notes)


def _greatest(values: Floats) -> Floats:
    """The greatest over strategies (last axis but one), NaN where none is defined."""
    found = np.where(np.isnan(values), -np.inf, values).max(axis=-2)
    return np.where(np.isnan(values).all(axis=-2), np.nan, found)


def _tell(m: Measure, track: Track, reachable: Floats, ideal: Floats, notes: Findings) -> None:
    defined = ~np.isnan(reachable)
    below = defined & (reachable < ideal - _REACHED)
    if not below.any():
        return
    worst = np.argsort(np.where(below, reachable, np.inf), kind="stable")[: min(3, int(below.sum()))]
    told = [f"{track.topics[t]} {reachable[t]:.4f}" for t in worst.tolist()]
    share = below.sum() / defined.sum()
    text = (
        f"{share:.0%} of topics: no candidate ranking is ideal in every aspect, {m} stays below "
        f"{ideal[below].max():.4g} (mean maximum {reachable[defined].mean():.4f}, an estimate)"
    )
    notes.add("maximum-out-of-reach", int(below.sum()), told, text)


def ideal_lists(track: Track, rankings: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]]) -> Track:
    """A Track whose runs are the given orders of all judgments, best first in each topic."""
    size, topics = len(track.judgments), len(track.topics)
    counts = np.diff(track.judgments.offsets)
    rank = (np.arange(size) - np.repeat(track.judgments.offsets[:-1], counts) + 1).astype(np.int32)
    copies = len(rankings)
    rows = np.concatenate([*rankings.values(), np.zeros(0, np.int64)]).astype(np.int32)
    offsets = np.concatenate([track.judgments.offsets[:-1] + i * size for i in range(copies)] + [[copies * size]])
    return track._with(
        runs=list(rankings), entries=Entries(np.tile(rank, copies), rows, offsets.astype(np.int64)),
        lengths=np.tile(counts, copies), answered=np.ones(copies * topics, bool), scores=None, terminal=None,
        nil_rank=None, contributors=None, pool_depth=None, list_id=None, ties="file", findings=(),
    )  # fmt: skip


def document_rank(track: Track) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
    """Place of each judgment's document among the sorted ids; None where ids are unknown, and rows stand for them."""
    if track.reading is None:
        return None
    ids = np.array([d.encode("utf-8", "surrogateescape") for d in track.reading.qrels_docs(track.row_id)], object)
    place = np.empty(len(ids), np.int64)
    place[np.argsort(ids, kind="stable")] = np.arange(len(ids))
    return place


def scored(m: Measure, track: Track) -> Floats:
    """Scores of all lists."""
    return m.at(m.label(Labeller(track)).whole(m.depth))
