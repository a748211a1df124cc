"""Where should each list have stopped? The optimal truncation point of every run, topic and measure.

Returning nothing (n = 0) is a choice like any other. Of several best lengths the smallest is taken, values within 1e-12
of the maximum being as good: maxima are often flat, and rounding must not decide between stopping at 3 and at 300. A
measure's own cut-off stays in force: ``RBPU@10`` looks at ten documents of whatever is returned.

References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022, section 4.2. doi:10.1145/3477495.3532051
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from leadline.depths.histogram import Histogram, histogram
from leadline.depths.optima import Found, optima
from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Gaps, Undefined, missing_topics, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track

__all__ = ["Truncation", "truncate"]


class Truncation:
    """The best stopping point of every list; what :func:`truncate` returns.

    ``lengths`` (runs × topics) are those of the lists as they are, ``relevant`` (topics) counts the relevant documents.
    """

    def __init__(
        self, runs: Sequence[str], topics: Sequence[str], found: dict[Measure, Found], lengths: Ints, relevant: Ints,
        findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.topics = tuple(runs), tuple(topics)
        self.lengths = lengths
        self.relevant = relevant
        self.findings = findings
        self._found = found

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._found)

    def length(self, measure: str | Measure) -> Floats:
        """Best length of each list, runs × topics; NaN where the measure is undefined at every length."""
        return self._get(measure)[0]

    def value(self, measure: str | Measure) -> Floats:
        """The measure at the best length, runs × topics."""
        return self._get(measure)[1]

    def full(self, measure: str | Measure) -> Floats:
        """The measure of the whole lists, runs × topics."""
        return self._get(measure)[2]

    def gain(self, measure: str | Measure) -> Floats:
        """What stopping would have gained: value less full (full less value where less is better), runs × topics."""
        _, value, full = self._get(measure)
        return value - full if parse(measure).higher_is_better else full - value

    def empty(self, measure: str | Measure) -> Floats:
        """Share of each run's lists that had better been left empty."""
        return _mean(_flag(self.length(measure), self.length(measure) == 0))

    def apply(self, track: Track, measure: str | Measure) -> Track:
        """The Track with every list stopped at its best length: the oracle's runs."""
        length = self.length(measure)
        return track.truncated(np.where(np.isnan(length), self.lengths, length))

    def _get(self, measure: str | Measure) -> Found:
        wanted = parse(measure)
        if wanted not in self._found:
            raise UnknownName("measure in this truncation", str(wanted), map(str, self._found))
        return self._found[wanted]

    def histogram(self, *, run: str | None = None) -> Histogram:
        """Distribution of the best lengths in bins that double, with that of the relevant documents per topic."""
        if run is not None and run not in self.runs:
            raise UnknownName("run", run, self.runs)
        rows = slice(None) if run is None else slice(self.runs.index(run), self.runs.index(run) + 1)
        longest = int(self.lengths.max(initial=0))
        return histogram({str(m): self.length(m)[rows] for m in self._found}, self.relevant, longest=longest)

    def columns(self, *, per_topic: bool = False) -> dict[str, Any]:
        """Columns run, topic, measure, length, value, full, gain, empty: the records of ``leadline truncate``.

        Under topic ``all`` stand means (sums of counts, as in ``evaluate``); ``empty`` is then a share.
        """
        topics = [*(self.topics if per_topic else ()), "all"]
        cells: dict[str, list[Any]] = {name: [] for name in ("length", "value", "full", "gain", "empty")}
        tables = [self._rows(m, per_topic) for m in self._found]
        for r in range(len(self.runs)):
            for table in tables:
                for name, column in cells.items():
                    column += table[name][r]
        rows = len(self._found) * len(topics)
        names: dict[str, list[Any]] = {
            "run": [run for run in self.runs for _ in range(rows)],
            "topic": topics * (len(self.runs) * len(self._found)),
            "measure": [str(m) for m in self._found for _ in topics] * len(self.runs),
        }
        return names | cells

    def _rows(self, m: Measure, per_topic: bool) -> dict[str, list[list[Any]]]:
        """By column and run: a cell for each topic, if wanted, and the one under ``all``; lengths as whole numbers."""
        length, value, full = self._found[m]
        empty = _flag(length, length == 0)
        own = {"length": length, "value": value, "full": full, "gain": self.gain(m), "empty": empty}
        total = {name: m.aggregate(a) if name in ("value", "full", "gain") else _mean(a) for name, a in own.items()}
        rows: dict[str, list[list[Any]]] = {
            name: a.tolist() if per_topic else [[] for _ in a] for name, a in own.items()
        }
        for name in ("length", "empty"):
            rows[name] = [[int(x) if x == x else None for x in row] for row in rows[name]]  # NaN is not itself
        return {name: [[*row, t] for row, t in zip(rows[name], total[name].tolist(), strict=True)] for name in rows}

    def summary(self) -> dict[str, Any]:
        """Per run and measure: mean and median best length, shares left empty and shortened, value, full, gain."""
        names = ("run", "measure", "length", "median", "empty", "shortened", "value", "full", "gain")
        rows: dict[str, list[Any]] = {name: [] for name in names}
        for m, (length, value, full) in self._found.items():
            rows["run"] += self.runs
            rows["measure"] += [str(m)] * len(self.runs)
            rows["length"] += _mean(length).tolist()
            rows["median"] += [_median(row) for row in length]
            rows["empty"] += self.empty(m).tolist()
            rows["shortened"] += _mean(_flag(length, length < self.lengths)).tolist()
            for name, a in (("value", value), ("full", full), ("gain", self.gain(m))):
                rows[name] += m.aggregate(a).tolist()
        return rows

    def __repr__(self) -> str:
        runs, topics, names = len(self.runs), len(self.topics), ", ".join(map(str, self._found))
        return f"<Truncation: {runs} runs × {topics} topics × {len(self._found)} measures ({names})>"


def _flag(length: Floats, holds: np.ndarray[Any, np.dtype[np.bool_]]) -> Floats:
    """1 or 0, NaN where there is no best length."""
    return np.where(np.isnan(length), np.nan, holds)


def _mean(values: Floats) -> Floats:
    """Mean over topics of what is defined."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / count, np.float64)


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else float("nan")


def truncate(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> Truncation:
    """The best length of every list under every measure, the score there and that of the whole list.

    >>> from leadline.rankings.typed import typed
    >>> best = truncate(typed("0 1 1 0 0"), "SetF")
    >>> best.length("SetF"), best.value("SetF"), best.full("SetF").round(3)
    (array([[3.]]), array([[0.8]]), array([[0.571]]))
    """
    if undefined not in ("zero", "nan", "raise"):
        raise UsageError(f"undefined must be 'zero', 'nan' or 'raise'. Got {undefined!r} instead.")
    findings = Findings(track.findings)
    missing_topics(track, findings)
    wanted = wanted_measures(measures, unjudged=unjudged, rel=rel)
    gaps = Gaps()
    found: dict[Measure, Found] = {}
    for m, parts in optima(wanted, track, undefined, threads).items():
        length, value, full = (a.reshape(track.shape) for a in parts)
        found[m] = length, value, gaps.settle(m, full, undefined, track.topics)
        findings.extend(m.doubts(track))
    findings.extend(gaps.findings())
    relevant = track.judgments.count(track.judgments.grade >= (1 if rel is None else rel))
    return Truncation(track.runs, track.topics, found, track.lengths.reshape(track.shape), relevant, findings)
