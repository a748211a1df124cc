"""Several collections at once: the same runs (systems) scored on each Track, and averaged over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track
from leadline.rankings.track import Track

__all__ = ["Collections", "evaluate_collections"]


class Collections:
    """Scores of the runs that all collections share; a collection counts once, however many topics it has."""

    def __init__(self, scores: Mapping[str, Scores], findings: Findings) -> None:
        self.scores = dict(scores)
        self.findings = findings

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs that every collection has."""
        return next(iter(self.scores.values())).runs

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return next(iter(self.scores.values())).measures

    def mean(self, measure: str | Measure) -> NDArray[np.float64]:
        """One value for each run: the mean over collections of its mean over topics."""
        return np.asarray(np.mean([scores.mean(measure) for scores in self.scores.values()], axis=0))

    def over_topics(self, measure: str | Measure) -> NDArray[np.float64]:
        """One value for each run: the mean over the topics of all collections together."""
        from leadline.measures.names import parse

        m = parse(measure)
        return m.aggregate(np.concatenate([scores.array(m) for scores in self.scores.values()], axis=1))

    def columns(self) -> dict[str, Any]:
        """Columns run, collection (``all`` for the mean over them), measure, value."""
        rows: list[tuple[str, str, str, float]] = []
        for m in self.measures:
            named = {name: scores.mean(m) for name, scores in self.scores.items()} | {"all": self.mean(m)}
            rows += [(run, name, str(m), float(v[r])) for name, v in named.items() for r, run in enumerate(self.runs)]
        names = ("run", "collection", "measure", "value")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def evaluate_collections(
    tracks: Mapping[str, Track],
    measures: Iterable[str | Measure] | str | Measure,
    *,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
) -> Collections:
    """Score several Tracks and average over them; runs that are not in every collection are left out, with a finding.

    >>> import leadline
    >>> one = leadline.read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}})
    >>> two = leadline.read({"t": {"b": 1}}, {"x": {"t": {"a": 2.0, "b": 1.0}}})
    >>> found = evaluate_collections({"one": one, "two": two}, "RR")
    >>> found.runs, found.mean("RR")
    (('x',), array([0.75]))
    """
    if not tracks:
        raise UsageError("No collection was given; give at least one Track by name.")
    shared = [run for run in next(iter(tracks.values())).runs if all(run in t.runs for t in tracks.values())]
    if not shared:
        raise UsageError("No run is in every collection; runs are matched by their names.")
    findings = Findings()
    left = sorted({run for t in tracks.values() for run in t.runs} - set(shared))
    findings.add("runs-left-out", len(left), left, "not in every collection")
    wanted = list(measures) if not isinstance(measures, str | Measure) else measures
    scores = {}
    for name, track in tracks.items():
        chosen = track if list(track.runs) == shared else track.select(runs=shared)
        scores[name] = score_track(chosen, wanted, undefined=undefined, unjudged=unjudged, rel=rel)
        findings.extend(scores[name].findings)
    return Collections(scores, findings)
