"""Does stopping at the right place change who is best? Systems ordered by whole lists against oracle-truncated ones.

For each collection, Kendall's τ-b between the systems' means under a measure of the whole lists (rows) and their means
under a measure whose oracle has stopped every list (columns); then averaged over collections. A τ of 1 says that
truncation changes nothing, a low one that it changes too much to be about the same quality.

References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022, section 4.3. doi:10.1145/3477495.3532051
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from leadline.depths.histogram import Histogram, average_histograms
from leadline.depths.truncation import Truncation, truncate
from leadline.errors import UsageError
from leadline.findings import Finding, Findings
from leadline.measures.base import Measure
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track
from leadline.rankings.entries import Floats
from leadline.rankings.track import Track
from leadline.stats.agreement import tau_test

__all__ = ["FullVersusTruncated", "full_versus_truncated"]

_DECIMALS = 12  # means that agree to so many are ties
Measures = Iterable[str | Measure] | str | Measure


class FullVersusTruncated:
    """What :func:`full_versus_truncated` found; ``tau`` and ``p`` are collections × full × truncated measures."""

    def __init__(
        self, names: Sequence[str], scores: Sequence[Scores], truncations: Sequence[Truncation], tau: Floats, p: Floats,
        findings: Findings,
    ) -> None:  # fmt: skip
        self.collections = tuple(names)
        self.full_measures = scores[0].measures
        self.truncated_measures = truncations[0].measures
        self.tau, self.p = tau, p
        self.findings = findings
        self._scores, self._truncations = tuple(scores), tuple(truncations)

    @property
    def mean_tau(self) -> Floats:
        """Mean τ over the collections where it is defined, full × truncated measures."""
        known = ~np.isnan(self.tau)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(known, self.tau, 0.0).sum(axis=0) / known.sum(axis=0), np.float64)

    def significant(self, level: float = 0.01) -> int:
        """How many of all τ values have a p-value below ``level``."""
        with np.errstate(invalid="ignore"):
            return int((self.p < level).sum())

    def columns(self) -> dict[str, Any]:
        """Columns full, truncated, tau (mean over collections), low, high (extremes), p, collections, significant.

        ``p`` belongs to a single collection and is the largest of several; ``significant`` counts those below 0.01.
        """
        pairs = [(i, j) for i in range(len(self.full_measures)) for j in range(len(self.truncated_measures))]
        mean = self.mean_tau
        cells = [(self.tau[:, i, j], self.p[:, i, j]) for i, j in pairs]
        known = [~np.isnan(tau) for tau, _ in cells]
        return {
            "full": [str(self.full_measures[i]) for i, _ in pairs],
            "truncated": [str(self.truncated_measures[j]) for _, j in pairs],
            "tau": [float(mean[i, j]) for i, j in pairs],
            "low": [_extreme(tau[k], np.min) for (tau, _), k in zip(cells, known, strict=True)],
            "high": [_extreme(tau[k], np.max) for (tau, _), k in zip(cells, known, strict=True)],
            "p": [_extreme(p[k], np.max) for (_, p), k in zip(cells, known, strict=True)],
            "collections": [int(k.sum()) for k in known],
            "significant": [int((p[k] < 0.01).sum()) for (_, p), k in zip(cells, known, strict=True)],
        }

    def scatter(self) -> dict[str, Any]:
        """Columns collection, run, full_measure, full, truncated_measure, truncated: a point for every system."""
        names = ("collection", "run", "full_measure", "full", "truncated_measure", "truncated")
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for name, scores, truncation in zip(self.collections, self._scores, self._truncations, strict=True):
            runs = len(scores.runs)
            for a in self.full_measures:
                for b in self.truncated_measures:
                    columns["collection"] += [name] * runs
                    columns["run"] += scores.runs
                    columns["full_measure"] += [str(a)] * runs
                    columns["full"] += scores.mean(a).tolist()
                    columns["truncated_measure"] += [str(b)] * runs
                    columns["truncated"] += b.aggregate(truncation.value(b)).tolist()
        return columns

    def histogram(self) -> Histogram:
        """Distribution of the optimal lengths, averaged over the collections."""
        return average_histograms([t.histogram() for t in self._truncations])

    def __repr__(self) -> str:
        shape = f"{len(self.full_measures)} full × {len(self.truncated_measures)} truncated measures"
        return f"<FullVersusTruncated: {shape}, {len(self.collections)} collections>"


def _extreme(values: Floats, pick: Any) -> float:
    return float(pick(values)) if len(values) else float("nan")


def full_versus_truncated(
    tracks: Track | Mapping[str, Track],
    full: Measures,
    truncated: Measures,
    *,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> FullVersusTruncated:
    """Kendall's τ between systems ordered by whole lists and by lists stopped at their best length.

    ``tracks`` is one Track, or several collections by name. A system's place is that of its mean over topics.

    >>> from leadline import read
    >>> qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    >>> runs = {"x": {"q1": {"a": 3, "b": 2, "z": 1}, "q2": {"c": 1}}, "y": {"q1": {"z": 2, "a": 1}, "q2": {"z": 1}}}
    >>> found = full_versus_truncated(read(qrels, runs), ["AP", "RR"], ["SetF"])
    >>> found.mean_tau.tolist()
    [[1.0], [1.0]]
    """
    by_name = {"": tracks} if isinstance(tracks, Track) else dict(tracks)
    if not by_name:
        raise UsageError("No collection was given; give at least one Track.")
    findings = Findings()
    scores, truncations, taus, ps = [], [], [], []
    for name, track in by_name.items():
        whole = score_track(track, full, undefined=undefined, unjudged=unjudged, rel=rel)
        best = truncate(track, truncated, undefined=undefined, unjudged=unjudged, rel=rel, threads=threads)
        rows = np.stack([_good(m) * whole.mean(m) for m in whole.measures])
        columns = np.stack([_good(m) * m.aggregate(best.value(m)) for m in best.measures])
        if len(track.runs) < 2:
            found, chance = (np.full((len(rows), len(columns)), np.nan) for _ in range(2))
            findings.add("too-few-runs", len(track.runs), track.runs, "no order of systems to compare")
        else:
            test = tau_test(rows, columns, decimals=_DECIMALS)
            found, chance = test.tau, test.p
        for finding in [*whole.findings, *best.findings]:
            where = f"{name}: {finding.text}" if name else finding.text
            findings.extend([Finding(finding.code, finding.count, finding.examples, where)])
        scores.append(whole)
        truncations.append(best)
        taus.append(found)
        ps.append(chance)
    return FullVersusTruncated(list(by_name), scores, truncations, np.stack(taus), np.stack(ps), findings)


def _good(m: Measure) -> int:
    return 1 if m.higher_is_better else -1
