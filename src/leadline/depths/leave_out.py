"""What if a run, or a group of runs, had not fed the pool? Leave-one-out experiments.

The judgments that a run alone brought into the pool are taken away, all runs are scored again, and the change of the
run's own score and rank is what a run that comes too late for the pool has to fear.

References: Zobel. How reliable are the results of large-scale information retrieval experiments? SIGIR 1998.
doi:10.1145/290941.291014. Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics. Inf.
Retrieval J. 2016, Table 5. doi:10.1007/s10791-016-9282-6
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from leadline.depths.pools import groups_of, pool_depth
from leadline.depths.reduced import owners, rescored
from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Gaps, Undefined, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.labels import NEVER
from leadline.rankings.track import Track
from leadline.rankings.view import ratio

__all__ = ["LeaveOut", "competition_ranks", "leave_out"]

_DIGITS = 10  # means that agree to this many decimals share a rank: rounding must not part them


class LeaveOut:
    """Changes of score and rank of the runs left out; what :func:`leave_out` returns.

    ``runs`` are the runs left out, ``groups`` what each was left out with (itself, if runs are left out one by one).
    """

    def __init__(
        self, runs: list[str], groups: list[str], depth: int | None, found: dict[Measure, tuple[Floats, Floats]],
        findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.groups = tuple(runs), tuple(groups)
        self.depth = depth
        self.findings = findings
        self._found = found

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._found)

    def change(self, measure: str | Measure) -> Floats:
        """Change of each run's mean score in per cent of what it was; NaN if it was 0."""
        return self._get(measure)[0]

    def rank_change(self, measure: str | Measure) -> Floats:
        """By how many places each run moves among all runs, up or down."""
        return self._get(measure)[1]

    def average(self, measure: str | Measure, how: Literal["micro", "macro"] = "micro") -> tuple[float, float]:
        """Mean change and mean rank change: over the runs (micro), or over the groups' own means (macro)."""
        if how not in ("micro", "macro"):
            raise UsageError(f"how must be 'micro' or 'macro'. Got {how!r} instead.")
        change, moved = self._get(measure)
        return self._average(change, how), self._average(moved, how)

    def _average(self, values: Floats, how: str) -> float:
        there = ~np.isnan(values)
        if how == "micro":
            return float(ratio(values[there].sum(), int(there.sum())))
        _, group = np.unique(self.groups, return_inverse=True)
        count = np.bincount(group[there], minlength=1)
        means = np.bincount(group[there], values[there], minlength=1)[count > 0] / count[count > 0]
        return float(ratio(means.sum(), len(means)))

    def _get(self, measure: str | Measure) -> tuple[Floats, Floats]:
        wanted = parse(measure)
        if wanted not in self._found:
            raise UnknownName("measure in this experiment", str(wanted), map(str, self._found))
        return self._found[wanted]

    def columns(self) -> dict[str, Any]:
        """Columns run, group, measure, change (per cent), rank_change: the records of ``leadline pool --leave-out``.

        Under run ``all`` stand the averages, over runs in group ``micro`` and over groups in group ``macro``.
        """
        out: dict[str, list[Any]] = {name: [] for name in ("run", "group", "measure", "change", "rank_change")}
        for m, (change, moved) in self._found.items():
            averages = [self.average(m, how) for how in ("micro", "macro")]
            out["run"] += [*self.runs, "all", "all"]
            out["group"] += [*self.groups, "micro", "macro"]
            out["measure"] += [str(m)] * (len(self.runs) + 2)
            out["change"] += [*change.tolist(), *(a[0] for a in averages)]
            out["rank_change"] += [*moved.tolist(), *(a[1] for a in averages)]
        return out


def leave_out(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    by: Literal["run", "group"] = "run",
    groups: Mapping[str, str] | None = None,
    depth: int | None = None,
    undefined: Undefined = "zero",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> LeaveOut:
    """Score every contributing run as if it (or its group) had not fed the pool of the given depth.

    ``depth`` is the Track's pool depth unless given; ``groups`` maps runs to groups (guessed from their names if not
    given). The result equals scoring everything again for each reduced pool, but only what changes is computed.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 3.0, "y": 2.0}}, "b": {"q": {"z": 3.0, "x": 2.0}}}
    >>> track = leadline.read({"q": {"x": 1, "y": 1, "z": 1}}, runs, pool_depth=2)
    >>> found = leave_out(track, "P@2")   # without a, y is not judged; without b, z is not
    >>> found.change("P@2").tolist(), found.rank_change("P@2").tolist()
    ([-50.0, -50.0], [1.0, 1.0])
    """
    if by not in ("run", "group"):
        raise UsageError(f"by must be 'run' or 'group'. Got {by!r} instead.")
    findings = Findings(track.findings)
    if depth is None:
        depth = pool_depth(track, findings)
    elif depth < 1:
        raise UsageError(f"depth must be a whole number ≥ 1. Got {depth} instead.")
    deep = NEVER - 1 if depth is None else depth
    pooled = track.masked(track.best_rank <= deep) if depth is None else track.pooled(depth)
    names = list(track.runs) if by == "run" else groups_of(track.runs, groups, findings)
    group = _numbered(names, track)
    owned = owners(pooled, group, deep)
    left = np.flatnonzero(group >= 0)
    outside = [run for run, g in zip(track.runs, group.tolist(), strict=True) if g < 0]
    findings.add("runs-outside-pool", len(outside), outside, "not contributors, so they are not left out")
    gaps = Gaps()
    found = {}
    for m in wanted_measures(measures, unjudged=unjudged, rel=rel):
        base, changed = rescored(m, pooled, owned, threads)
        settled = [m.aggregate(gaps.settle(m, base, undefined, track.topics))]
        for g in range(int(group.max(initial=-1)) + 1):
            without = Gaps().settle(m, changed.without(g, base), undefined, track.topics)  # told once, of the base
            settled.append(m.aggregate(without))
        means = np.stack(settled)
        found[m] = _changes(means[0], means[1:], left, group[left], m.higher_is_better)
        zero = [track.runs[r] for r in left if means[0, r] == 0]
        findings.add(f"change-undefined {m}", len(zero), zero, "their score is 0 with the whole pool")
    findings.extend(gaps.findings())
    return LeaveOut([track.runs[r] for r in left], [names[r] for r in left], depth, found, findings)


def _numbered(names: list[str], track: Track) -> Ints:
    """Number of each run's group, −1 for runs that do not contribute."""
    place: dict[str, int] = {}
    return np.array(
        [place.setdefault(n, len(place)) if c else -1 for n, c in zip(names, track.contributors, strict=True)], np.int64
    )


def _changes(base: Floats, reduced: Floats, runs: Ints, group: Ints, higher: bool) -> tuple[Floats, Floats]:
    """Change in per cent and in rank of ``runs``, given all means before and (groups × runs) after."""
    new = reduced[group, runs]
    change = 100 * ratio(new - base[runs], base[runs])
    before = competition_ranks(base if higher else -base)
    after = competition_ranks(reduced if higher else -reduced)
    return change, np.abs(after[group, runs] - before[runs]).astype(np.float64)


def competition_ranks(scores: Floats) -> Ints:
    """1 + the number of strictly better ones, along the last axis; undefined ones come last.

    >>> competition_ranks(np.array([0.5, 0.7, 0.5, 0.1])).tolist()
    [2, 1, 2, 4]
    """
    rounded = np.where(np.isnan(scores), -np.inf, scores.round(_DIGITS))
    return np.asarray(1 + (rounded[..., None, :] > rounded[..., :, None]).sum(axis=-1))
