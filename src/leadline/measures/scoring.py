"""Scoring a whole Track: each measure once over all lists, undefined values settled by the named rule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.errors import UndefinedScore, UsageError
from leadline.findings import Finding, Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse_all
from leadline.measures.scores import Scores
from leadline.rankings.labeller import Labeller
from leadline.rankings.track import Track

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gaps", "Labellers", "check_ties", "missing_topics", "score_track", "wanted_measures"]

Undefined = Literal["zero", "nan", "raise"]


class Labellers:
    """One :class:`Labeller` for each Track that the parts of the measures ask for."""

    def __init__(self) -> None:
        self._by_track: dict[int, Labeller] = {}

    def __call__(self, track: Track) -> Labeller:
        """The labeller of ``track``."""
        return self._by_track.setdefault(id(track), Labeller(track))


def wanted_measures(
    measures: Iterable[str | Measure] | str | Measure, *, unjudged: str = "nonrelevant", rel: int | None = None
) -> list[Measure]:
    """Measures by name, with the options that apply to all of them."""
    wanted = parse_all(measures)
    if not wanted:
        raise UsageError("No measure was asked for; give at least one, like nDCG@10.")
    if unjudged not in ("nonrelevant", "condense"):
        raise UsageError(f"unjudged must be 'nonrelevant' or 'condense'. Got {unjudged!r} instead.")
    if unjudged == "condense":
        wanted = [m.but(judged_only=True) for m in wanted]
    if rel is not None:
        wanted = [m.but(rel=rel) if "rel" in m.params and m.rel == m.params["rel"].default else m for m in wanted]  # type: ignore[attr-defined]
    return list(dict.fromkeys(wanted))


def score_track(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
) -> Scores:
    """Scores of every list of the Track."""
    if undefined not in ("zero", "nan", "raise"):
        raise UsageError(f"undefined must be 'zero', 'nan' or 'raise'. Got {undefined!r} instead.")
    findings = Findings(track.findings)
    missing_topics(track, findings)
    labellers = Labellers()
    values = {}
    gaps = Gaps()
    for m in wanted_measures(measures, unjudged=unjudged, rel=rel):
        raw = m.combine([_score(part, labellers(t)) for part, t in m.parts(track)])
        values[m] = gaps.settle(m, raw.reshape(track.shape), undefined, track.topics)
        findings.extend(m.doubts(track))
    findings.extend(gaps.findings())
    return Scores(track.runs, track.topics, values, findings)


def _score(m: Measure, labeller: Labeller) -> NDArray[np.float64]:
    check_ties(m, labeller.track)
    return m.at(m.label(labeller).whole(m.depth))


def check_ties(m: Measure, track: Track) -> None:
    """Refuse a tie rule under which the measure has no meaning."""
    if track.ties in ("share", "mean-gain") and track.ties not in m.ties:
        raise UsageError(f"{m} cannot be computed with ties={track.ties!r}; use ties='trec' for it.")


class Gaps:
    """Undefined scores, settled by the rule asked for; measures that share their gaps share one finding."""

    def __init__(self) -> None:
        self._told: dict[tuple[tuple[str, ...], str], list[Measure]] = {}

    def settle(
        self, m: Measure, values: NDArray[np.float64], undefined: str, topics: tuple[str, ...]
    ) -> NDArray[np.float64]:
        """The values (runs × topics) with NaN replaced, kept or refused."""
        gaps = np.isnan(values)
        if not m.per_topic or not gaps.any():
            return values
        where = tuple(t for t, gap in zip(topics, np.logical_or.reduce(gaps).tolist(), strict=True) if gap)
        if undefined == "raise":
            raise UndefinedScore(f"{m} is undefined on {len(where)} topics ({', '.join(where[:3])}); see undefined=")
        zero = undefined == "zero" and m.zero_if_undefined
        self._told.setdefault((where, "counted as 0" if zero else "left out of the mean"), []).append(m)
        return np.where(gaps, 0.0, values) if zero else values

    def findings(self) -> list[Finding]:
        """One finding for each set of topics."""
        return [
            Finding("undefined-scores", len(where), where, f"{done}: {', '.join(map(str, measures))}")
            for (where, done), measures in self._told.items()
        ]


def missing_topics(track: Track, findings: Findings) -> None:
    """Say which topics of the qrels runs do not answer."""
    missing = ~track.answered.reshape(track.shape)
    if missing.any():
        lists = [f"{track.runs[r]}:{track.topics[t]}" for r, t in np.argwhere(missing)[:3]]
        findings.add("topics-without-ranking", int(missing.sum()), lists, "scored as empty lists")
