"""Everything the page shows, as plain data: numbers from the same functions that the commands call."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.depths.curves import curve
from leadline.depths.truncation import truncate
from leadline.measures.base import Measure
from leadline.measures.explain import parts_of
from leadline.measures.scores import Scores
from leadline.measures.scoring import score_track
from leadline.meta.diagnosis import diagnose
from leadline.rankings.track import Track
from leadline.stats.intervals import describe
from leadline.systems.comparison import compare
from leadline.systems.preferences import prefer

__all__ = ["Choices", "collect"]

_STRIP_BYTES = 4_500_000  # of label strips before base64: keeps 150 runs × 250 topics under the page's limit
_POINTS = 60  # depths drawn of a curve
END, UNJUDGED, NOT_RELEVANT = 0, 1, 2  # codes of a strip's cells; 2 + grade for relevant ones


class Choices:
    """What the report is about."""

    def __init__(self, measures: Sequence[str | Measure], truncation: str | Measure, options: dict[str, Any]) -> None:
        self.measures = list(measures)
        self.truncation = truncation
        self.options = options  # undefined=, unjudged=, rel= of the scores


def collect(track: Track, choices: Choices) -> dict[str, Any]:
    """The data of the page, ready for JSON."""
    scores = score_track(track, choices.measures, **choices.options)
    findings = scores.findings
    measures = [m for m in scores.measures if m.per_topic]
    return {
        "runs": list(track.runs),
        "topics": list(track.topics),
        "gmax": int(track.gmax),
        "measures": [_measure(m) for m in measures],
        "scores": [_packed(scores.array(m), np.float64) for m in measures],
        "board": [_board(m, scores) for m in measures],
        "curves": _curves(track, measures, choices.options),
        "cut": _cut(track, choices),
        "strips": _strips(track),
        "lengths": _packed(track.lengths.reshape(track.shape), np.int32),
        "checks": _checks(track, measures),
        "preferences": _preferences(track) if len(track.runs) > 1 else None,
        "findings": [str(f) for f in findings],
        "references": sorted({parts_of(type(m))[2] for m in measures}),
    }


def _packed(values: NDArray[Any], dtype: Any) -> str:
    """An array as base64 of its little-endian bytes; the page knows its shape."""
    return b64encode(np.ascontiguousarray(values, np.dtype(dtype).newbyteorder("<")).tobytes()).decode("ascii")


def _plain(values: NDArray[Any]) -> list[Any]:
    """An array as nested lists, undefined values as None."""
    return [_plain(v) if np.ndim(v) else None if np.isnan(v) else float(v) for v in values]


def _measure(m: Measure) -> dict[str, Any]:
    return {"name": str(m), "full": m.full(), "up": m.higher_is_better, "says": parts_of(type(m))[0]}


def _board(m: Measure, scores: Scores) -> dict[str, Any]:
    """Mean, interval, letters and flags of every run."""
    found = describe(scores.array(m))
    runs = len(scores.runs)
    board = {"mean": _plain(m.aggregate(scores.array(m))), "low": _plain(found.low), "high": _plain(found.high)}
    board["letters"], board["better"] = [""] * runs, [0] * runs
    if runs > 1 and len(scores.topics) > 1:
        compared = compare(scores, [m], residuals=False)
        board["letters"] = list(compared.letters(m).text)
        board["better"] = np.asarray(compared.better(m)).sum(axis=1).astype(int).tolist()
    return board


def _curves(track: Track, measures: Sequence[Measure], options: dict[str, Any]) -> dict[str, Any]:
    longest = int(track.lengths.max(initial=1))
    depths = np.unique(np.round(np.geomspace(1, max(longest, 2), _POINTS)).astype(int))
    wanted = [m for m in measures if m.cutoff in ("optional", "required")]
    if not wanted:
        return {"depths": [], "measures": [], "mean": []}
    found = curve(track, wanted, by="depth", depths=depths.tolist(), **options)
    names = [m.name if m.k is not None else str(m) for m in found.measures]
    return {
        "depths": found.points.tolist(),
        "measures": names,
        "mean": [np.round(found.mean(m), 6).tolist() for m in found.measures],
    }


def _cut(track: Track, choices: Choices) -> dict[str, Any]:
    """Best lengths under the truncation measure."""
    found = truncate(track, choices.truncation)
    m = found.measures[0]
    histogram = found.histogram()
    lengths = np.nan_to_num(found.length(m), nan=-1)
    percent = {str(n): [round(float(v), 3) for v in values] for n, values in histogram.percent.items()}
    return {
        "measure": str(m),
        "length": _packed(lengths, np.int32),
        "mean": _plain(np.nanmean(found.length(m), axis=1)),
        "value": _plain(m.aggregate(found.value(m))),
        "full": _plain(m.aggregate(found.full(m))),
        "bins": histogram.labels,
        "percent": next(iter(percent.values())),
        "relevant": [round(float(v), 3) for v in histogram.relevant],
    }


def _strips(track: Track) -> dict[str, Any]:
    """The labels of every list's first ranks, a byte each."""
    lists = len(track.lengths)
    depth = int(max(1, min(track.lengths.max(initial=1), 100, _STRIP_BYTES // max(lists, 1))))
    cells = np.where(np.arange(depth) < track.lengths[:, None], UNJUDGED, END).astype(np.uint8)
    entries = track.entries
    seen = entries.rank <= depth
    grade = np.clip(track.judgments.grade[entries.row[seen]], 0, 250)
    cells[entries.list[seen], entries.rank[seen] - 1] = NOT_RELEVANT + grade
    return {"depth": depth, "cells": _packed(cells, np.uint8)}


def _checks(track: Track, measures: Sequence[Measure]) -> list[dict[str, Any]]:
    columns = diagnose(track, list(measures)).columns()
    rows = zip(*(columns[name] for name in ("check", "severity", "text")), strict=True)
    return [{"check": str(check), "severity": str(severity), "text": str(text)} for check, severity, text in rows]


def _preferences(track: Track) -> dict[str, Any]:
    found = prefer(track, ["sgnLP", "rrLP"])
    share = found["sgnLP"].ties
    return {"matrix": np.round(found.matrix("sgnLP"), 4).tolist(), "ties": round(float(share), 4)}
