"""What pooling left out: how the pool grows with its depth, and what each run finds inside and past it.

A judgment is in the pool of depth d if one of the contributing runs ranks its document at d or above. Judged documents
that no contributor retrieved are in no pool. Pools are formed in the tie order of the Track.

References: Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf. Retrieval J. 2016,
Fig. 1 and Table 4. doi:10.1007/s10791-016-9282-6
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import InputError, UsageError
from leadline.findings import Findings
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.labels import NEVER
from leadline.rankings.track import Track

__all__ = [
    "PoolGrowth",
    "RunPools",
    "first_unjudged",
    "group_file",
    "groups_by_name",
    "judged_to",
    "pool",
    "pool_depth",
    "pool_runs",
]

_STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000)


class PoolGrowth:
    """Judged and relevant documents in pools of growing depth; what :func:`pool` returns.

    ``judged`` and ``relevant`` are sums over the ``topics``; ``new_rate`` is the share of relevant documents among
    those that came in since the depth before, NaN if none did.
    """

    def __init__(self, depths: Ints, judged: Ints, relevant: Ints, topics: int, findings: Findings) -> None:
        self.depths, self.judged, self.relevant = depths, judged, relevant
        self.topics = topics
        self.findings = findings

    @property
    def new_rate(self) -> Floats:
        """New relevant over new judged documents between consecutive depths."""
        new = np.diff(self.judged, prepend=0)
        rate: Floats = np.full(len(new), np.nan)
        np.divide(np.diff(self.relevant, prepend=0), new, out=rate, where=new > 0)
        return rate

    def columns(self) -> dict[str, Any]:
        """Columns depth, judged, relevant, new_rate: the records of ``leadline pool``."""
        return {"depth": self.depths, "judged": self.judged, "relevant": self.relevant, "new_rate": self.new_rate}


def pool(track: Track, *, depths: Iterable[int] | None = None, rel: int = 1) -> PoolGrowth:
    """How many documents a pool of each depth would have judged, and how many of them are relevant.

    A rate that is still high where the pool ends says that many relevant documents were never judged.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"z": 3.0, "x": 2.0}}}
    >>> pool(leadline.read({"q": {"x": 1, "y": 0, "z": 1, "never": 1}}, runs)).columns()["relevant"].tolist()
    [2, 2]
    """
    best = track.best_rank
    deepest = int(best[best < NEVER].max(initial=0))
    points = _depths(depths, deepest)
    hit = track.judgments.grade >= rel
    found = [np.searchsorted(np.sort(best[mask]), points, side="right") for mask in (np.ones(len(best), bool), hit)]
    findings = Findings(track.findings)
    findings.add("judgments-outside-pool", int((best == NEVER).sum()), (), "no contributing run retrieved them")
    return PoolGrowth(points, found[0], found[1], len(track.topics), findings)


class RunPools:
    """What each run found inside and past the pool; what :func:`pool_runs` returns.

    Arrays are depths × runs × topics: ``rel_in_pool`` counts the relevant documents in the run's first d,
    ``rank_unjudged`` is its first rank without a judgment (length + 1 if there is none) and ``rel_past`` counts the
    relevant documents of the pool that the run has not among its first d. ``judged_to`` is the depth down to which all
    of a run's lists are judged (with all judgments, whatever the depth): a run that fed a pool of depth d has d there.
    """

    def __init__(
        self, track: Track, depths: Ints, rel_in_pool: Ints, rank_unjudged: Ints, rel_past: Ints, judged: Ints,
        findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.topics = track.runs, track.topics
        self.depths = depths
        self.rel_in_pool, self.rank_unjudged, self.rel_past = rel_in_pool, rank_unjudged, rel_past
        self.judged_to = judged
        self.findings = findings

    def contributed(self, depth: int) -> list[str]:
        """The runs whose first ``depth`` documents are judged on every topic they answer."""
        return [run for run, d in zip(self.runs, self.judged_to.tolist(), strict=True) if d >= depth]

    def columns(self) -> dict[str, Any]:
        """Columns run, depth, and mean and standard deviation over topics of each figure; run ``all`` holds all lists.

        ``judged_to`` is the depth down to which all lists of the run are judged.
        """
        rows = len(self.runs) + 1
        out: dict[str, Any] = {
            "run": [*self.runs, "all"] * len(self.depths),
            "depth": np.repeat(self.depths, rows),
        }
        for name in ("rel_in_pool", "rank_unjudged", "rel_past"):
            mean, sd = _mean_sd(getattr(self, name))
            out |= {name: mean.ravel(), f"{name}_sd": sd.ravel()}
        least = int(self.judged_to.min(initial=NEVER))
        return out | {"judged_to": np.tile([*self.judged_to.tolist(), least], len(self.depths))}


def pool_runs(track: Track, *, depths: Iterable[int] | None = None, rel: int = 1) -> RunPools:
    """RelInPool, RankUnj and NumRelPast of every run and topic, with the judgments of a pool of each depth.

    ``depths`` default to the Track's pool depth: the declared one, or else the one found by :func:`pool_depth`.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"z": 3.0, "u": 2.0}}}
    >>> found = pool_runs(leadline.read({"q": {"x": 1, "y": 0, "z": 1}}, runs), depths=[2])
    >>> found.rel_in_pool.tolist(), found.rank_unjudged.tolist(), found.rel_past.tolist()
    ([[[1], [1]]], [[[4], [2]]], [[[1], [1]]])
    """
    findings = Findings(track.findings)
    best = track.best_rank
    if depths is None:
        known = pool_depth(track, findings)
        depths = [int(best[best < NEVER].max(initial=1)) if known is None else known]
    points = _depths(depths, 1)
    hit = track.judgments.grade >= rel
    entries = track.entries
    shape = (len(points), *track.shape)
    in_pool, unjudged, past = (np.zeros(shape, np.int64) for _ in range(3))
    for i, d in enumerate(points.tolist()):
        kept = best <= d
        inside = (entries.rank <= d) & (kept & hit)[entries.row]
        in_pool[i] = np.bincount(entries.list[inside], minlength=entries.lists).reshape(track.shape)
        unjudged[i] = first_unjudged(track, None if kept.all() else kept).reshape(track.shape)
        past[i] = track.judgments.count(kept & hit) - in_pool[i]
    return RunPools(track, points, in_pool, unjudged, past, judged_to(track), findings)


def first_unjudged(track: Track, kept: np.ndarray[Any, np.dtype[np.bool_]] | None = None) -> Ints:
    """First rank of each list without a judgment (among those ``kept``), length + 1 if there is none."""
    entries = track.entries if kept is None else track.entries.where(kept[track.entries.row])
    low, high = np.zeros(entries.lists, np.int64), entries.counts.copy()
    while (open_ := np.flatnonzero(low < high)).size:  # ranks ascend: the first m are all there iff the m-th is m
        middle = (low[open_] + high[open_] + 1) // 2
        there = entries.rank[entries.offsets[open_] + middle - 1] == middle
        low[open_] = np.where(there, middle, low[open_])
        high[open_] = np.where(there, high[open_], middle - 1)
    return 1 + low


def judged_to(track: Track) -> Ints:
    """Depth down to which all lists of each run are judged; lists judged to their end, or unanswered, do not limit it.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"q": {"z": 3.0, "u": 2.0}}}
    >>> judged_to(leadline.read({"q": {"x": 1, "y": 0, "z": 1}}, runs)).tolist()
    [3, 1]
    """
    first = first_unjudged(track)
    longest = track.lengths.reshape(track.shape).max(axis=1, initial=0)
    depth = np.where(first > track.lengths, NEVER, first - 1).reshape(track.shape).min(axis=1, initial=NEVER)
    return np.asarray(np.minimum(depth, longest))


def pool_depth(track: Track, findings: Findings | None = None) -> int | None:
    """The declared depth of the pool; else the one that shows in the runs; else None.

    A run that fed a pool of depth d is judged to d on all topics, and on some topic no deeper. So d is the depth, 0
    aside, to which most of the contributing runs are judged, and two of them at least. What was assumed is added to
    the ``findings``.
    """
    if track.pool_depth is not None:
        return track.pool_depth
    depths = judged_to(track)[track.contributors]
    values, counts = np.unique(depths[depths > 0], return_counts=True)
    most = int(counts.max(initial=0))
    found = int(values[counts.argmax()]) if most >= min(2, len(depths)) and most else None
    if findings is not None:
        text = "no two contributing runs are judged to one depth: all judgments that they retrieved are used"
        if found is not None:
            text = f"taken as {found}, to which {most} of {len(depths)} contributing runs are judged on every topic"
        findings.add("pool-depth-assumed", 1, (), text)
    return found


def groups_by_name(runs: Iterable[str]) -> dict[str, str]:
    """Groups guessed from run names: what stands before the first separator, or else before the first digit.

    >>> groups_by_name(["uni1-bm25", "uni1-ql", "NICTA2", "NICTA6", "42"])
    {'uni1-bm25': 'uni1', 'uni1-ql': 'uni1', 'NICTA2': 'NICTA', 'NICTA6': 'NICTA', '42': '42'}
    """
    out = {}
    for run in runs:
        head = re.split(r"[-_. ]", run, maxsplit=1)[0]
        if head == run:
            head = re.split(r"\d", run, maxsplit=1)[0]
        out[run] = head or run
    return out


def group_file(path: str | Path) -> dict[str, str]:
    """Groups from a file with a run and its group on each line, separated by blanks, a tab or a comma."""
    out: dict[str, str] = {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: the file of groups is no UTF-8 text. Write a run and its group on each line."
        ) from None
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.replace(",", " ").split()
        if not parts or parts[0].startswith("#"):
            continue
        if len(parts) != 2:
            raise InputError(f"{path}:{number}: expected a run and its group, got {line!r}. Write both on each line.")
        if out.setdefault(parts[0], parts[1]) != parts[1]:
            raise InputError(f"{path}:{number}: run {parts[0]!r} has a group already, {out[parts[0]]!r}. Remove one.")
    return out


def groups_of(runs: Sequence[str], groups: Mapping[str, str] | None, findings: Findings) -> list[str]:
    """The group of each run: as given, or guessed from the names; a run not named is a group of its own."""
    if groups is None:
        guessed = groups_by_name(runs)
        findings.add("groups-guessed", len(set(guessed.values())), sorted(set(guessed.values())), "from run names")
        return [guessed[r] for r in runs]
    alone = [r for r in runs if r not in groups]
    findings.add("runs-without-group", len(alone), alone, "each is a group of its own")
    return [groups.get(r, r) for r in runs]


def _depths(depths: Iterable[int] | None, deepest: int) -> Ints:
    if depths is None:
        return np.unique([d for d in (*_STEPS, deepest) if 1 <= d <= deepest] or [1])
    given = list(depths)
    points = np.unique(np.asarray(given, np.int64))
    if not len(points) or points[0] < 1:
        raise UsageError(f"depths must be whole numbers ≥ 1. Got {given!r} instead.")
    return points


def _mean_sd(values: Ints) -> tuple[Floats, Floats]:
    """Mean and standard deviation (n − 1) over topics for each depth and run, and over all lists in a last column."""
    depths, runs, topics = values.shape
    lists = values.reshape(depths, 1, runs * topics)
    parts = []
    for x in (values, lists):
        count = x.shape[-1]
        mean = x.mean(axis=-1)
        sd = x.std(axis=-1, ddof=1) if count > 1 else np.full_like(mean, np.nan)
        parts.append((mean, sd))
    return np.concatenate([p[0] for p in parts], axis=1), np.concatenate([p[1] for p in parts], axis=1)
