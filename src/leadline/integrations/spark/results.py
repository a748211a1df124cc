"""Results from Spark: rows for every list, what stands under ``all``, and the findings of all partitions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, cast

import numpy as np

from leadline import errors
from leadline.api import read
from leadline.depths.curves import By, Curves
from leadline.errors import LeadlineError, NothingToEvaluate, UsageError
from leadline.findings import Finding, Findings
from leadline.integrations.spark.tracks import SparkTrack
from leadline.integrations.spark.workers import ANSWERED, VALUES, Task, counted, work
from leadline.measures.base import Measure
from leadline.measures.scoring import Undefined, score_track, wanted_measures
from leadline.rankings.view import ratio

__all__ = ["Result", "clear_errors", "curve", "evaluate", "truncate"]

Measures = Iterable[str | Measure] | str | Measure
Unjudged = Literal["nonrelevant", "condense"]
_ADDITIVE = {
    "duplicate-documents", "nan-scores", "duplicate-judgments", "differing-judgments", "topics-without-ranking",
}  # fmt: skip
_MEMBERS = {"topics-without-judgments", "undefined-scores"}  # topics, which several partitions of files may share


class Result:
    """Rows for every list under every measure, computed when they are asked for.

    ``rows`` is a DataFrame (run, topic, measure, value; after ``truncate`` also length, full, gain, empty).
    """

    def __init__(
        self, track: SparkTrack, measures: tuple[Measure, ...], mapped: Callable[..., Any], names: tuple[str, ...]
    ) -> None:
        self.measures = measures
        self._track, self._mapped, self._names = track, mapped, names
        texts = "run string, topic string, measure string, "
        self._raw = mapped(texts + ", ".join(f"{n} double" for n in names) + ", finding string")
        self._kept = False

    @property
    def rows(self) -> Any:
        """One row for each run, topic and measure, undefined values as NaN (best lengths as null)."""
        from pyspark.sql import functions as sql

        whole = [str(m) for m in self.measures if not m.per_topic]  # these have no value of a single topic
        found = self._all.where(~sql.col("measure").isin(whole)) if whole else self._all
        cells = [_whole(name) if name in ("length", "empty") else sql.col(name) for name in self._names]
        return found.select("run", "topic", "measure", *cells)

    @property
    def _all(self) -> Any:
        from pyspark.sql import functions as sql

        return self._raw.where(sql.col("finding").isNull())

    def totals(self) -> Any:
        """What stands under topic ``all``, as locally: means over topics, sums of counts; a DataFrame.

        Workers add up their own lists, so that only the sums travel, unless the rows are kept (:meth:`persist`) or a
        measure has its own way from topics to the whole.
        """
        from pyspark.sql import functions as sql

        own = [m for m in self.measures if type(m).aggregate is not Measure.aggregate]
        plain = self._lists_added_up(own) if own or self._kept else self._added_up_by_workers()
        sums = [str(m) for m in self.measures if m.total == "sum"]
        cells = []
        for name in self._names:
            total, n = sql.sum(name), sql.sum(counted(name))
            mean = sql.when(n > 0, total / n).otherwise(float("nan"))
            is_sum = sql.col("measure").isin(sums) if sums and name in ("value", "full", "gain") else sql.lit(False)
            cells.append(sql.when(is_sum, total).otherwise(mean).alias(name))
        found = plain.groupBy("run", "measure").agg(*cells)
        if own:
            schema = "run string, measure string, value double"
            special = self._all.where(sql.col("measure").isin([str(m) for m in own])).groupBy("run", "measure")
            by_name = {str(m): m for m in own}
            found = found.unionByName(special.applyInArrow(lambda table: _aggregate(by_name, table), schema))
        return found.select("run", sql.lit("all").alias("topic"), "measure", *self._names)

    def _added_up_by_workers(self) -> Any:
        """The sum of each run's values under each measure, and how many went into it, partition by partition."""
        from pyspark.sql import functions as sql

        cells = ", ".join(f"{n} double, {counted(n)} long" for n in self._names)
        raw = self._mapped(f"run string, measure string, {cells}, finding string", totals=True)
        return raw.where(sql.col("finding").isNull())

    def _lists_added_up(self, left_out: list[Measure]) -> Any:
        """The same columns for every single list."""
        from pyspark.sql import functions as sql

        rows = self._all.where(~sql.col("measure").isin([str(m) for m in left_out])) if left_out else self._all
        cells = [
            cell
            for n in self._names
            for cell in (
                sql.nanvl(n, sql.lit(0.0)).alias(n), (~sql.isnan(n)).cast("long").alias(counted(n)),
            )
        ]  # fmt: skip
        return rows.select("run", "measure", *cells)

    def findings(self) -> Findings:
        """What was dropped, filled in or is doubtful, over all partitions; NothingToEvaluate if no list was judged."""
        from pyspark.sql import functions as sql

        with clear_errors():
            told = [json.loads(row.finding) for row in self._raw.where(sql.col("finding").isNotNull()).collect()]
        return _joined(self._track, told)

    def persist(self) -> Result:
        """Keep what was computed for further questions (rows, totals, findings); returns itself."""
        self._raw.persist()
        self._kept = True
        return self

    def unpersist(self) -> Result:
        """Forget what was kept."""
        self._raw.unpersist()
        self._kept = False
        return self

    def __repr__(self) -> str:
        return f"<Result on Spark: {len(self.measures)} measures ({', '.join(map(str, self.measures))})>"


def _whole(name: str) -> Any:
    from pyspark.sql import functions as sql

    return sql.when(~sql.isnan(name), sql.col(name).cast("long")).alias(name)


def _aggregate(measures: dict[str, Measure], table: Any) -> Any:
    """One run under one measure that has its own way from topics to the whole; runs on a worker."""
    import pyarrow as pa

    name = table["measure"][0].as_py()
    value = measures[name].aggregate(table["value"].to_numpy()[None, :])
    return pa.table({"run": table["run"].slice(0, 1), "measure": [name], "value": value})


# asking ---------------------------------------------------------------------------------------------------------------
def evaluate(
    track: SparkTrack,
    measures: Measures,
    *,
    undefined: Undefined = "zero",
    unjudged: Unjudged = "nonrelevant",
    rel: int | None = None,
) -> Result:
    """Scores of every list, as :func:`leadline.evaluate` gives them: rows run, topic, measure, value."""
    return _asked(track, "evaluate", measures, undefined, unjudged, rel)


def truncate(
    track: SparkTrack,
    measures: Measures,
    *,
    undefined: Undefined = "zero",
    unjudged: Unjudged = "nonrelevant",
    rel: int | None = None,
) -> Result:
    """The best length of every list, as :func:`leadline.truncate` finds it.

    Rows are run, topic, measure, length, value (at the best length), full (whole list), gain, empty.
    """
    return _asked(track, "truncate", measures, undefined, unjudged, rel)


def curve(
    track: SparkTrack,
    measures: Measures,
    *,
    by: By,
    depths: Sequence[int],
    undefined: Undefined = "zero",
    unjudged: Unjudged = "nonrelevant",
    rel: int | None = None,
) -> Curves:
    """Mean curves with their bands, as :func:`leadline.curve` gives them; computed at once.

    ``depths`` must be given: only a look at all rows would tell how long the longest list is.
    """
    if by not in ("depth", "length"):
        raise UsageError(f"by must be 'depth' or 'length'. Got {by!r} instead.")
    points = np.unique(np.asarray(list(depths), np.int64))
    if not len(points) or points[0] < 0:
        raise UsageError(f"depths must be whole numbers ≥ 0. Got {list(depths)!r} instead.")
    wanted = _wanted(measures, undefined, unjudged, rel)
    for m in wanted:
        if not m.per_topic:
            raise UsageError(f"{m} exists for whole runs only and has no curve.")
        if by == "depth" and m.cutoff in ("none", "recall"):
            raise UsageError(f"{m} has no evaluation depth; ask for by='length'.")
    schema = "run string, measure string, point long, n long, total double, squares double, open long, finding string"
    raw = _mapped(track, wanted, schema, what="curve", undefined=undefined, by=by, points=tuple(points.tolist()))
    return _curves(track, raw, wanted, by, points, undefined)


def _wanted(measures: Measures, undefined: str, unjudged: str, rel: int | None) -> tuple[Measure, ...]:
    if undefined not in ("zero", "nan", "raise"):
        raise UsageError(f"undefined must be 'zero', 'nan' or 'raise'. Got {undefined!r} instead.")
    return tuple(wanted_measures(measures, unjudged=unjudged, rel=rel))


def _asked(
    track: SparkTrack, what: Literal["evaluate", "truncate"], measures: Measures, undefined: Undefined, unjudged: str,
    rel: int | None,
) -> Result:  # fmt: skip
    wanted = _wanted(measures, undefined, unjudged, rel)
    names = VALUES[what]
    if what == "truncate":
        for m in wanted:
            if not m.per_topic:
                raise UsageError(f"{m} exists for whole runs only; it cannot say where a list should stop.")
    return Result(track, wanted, partial(_mapped, track, wanted, what=what, undefined=undefined), names)


def _mapped(track: SparkTrack, measures: tuple[Measure, ...], schema: str, **asked: Any) -> Any:
    """The work of all partitions as a DataFrame."""
    table, reading = track.table, dict(track.reading)
    shares: tuple[tuple[str, ...], ...] = ()
    if track.scan is not None:
        many = len(track.scan.shares)
        table = track.session.range(0, many, 1, many)
    elif track.kind != "rows":
        together = _need_the_pool(measures)  # all runs of a topic decide what was pooled: no partition may miss one
        many = 1 if together else track.partitions or 2 * track.session.sparkContext.defaultParallelism
        many = min(many, len(track.paths))
        if track.kind == "paths":
            shares = tuple(track.paths[i::many] for i in range(many))
            table = track.session.range(0, many, 1, many)
        elif together or track.partitions:
            table = table.repartition(many)
        reading["threads"] = None if together else 1
    task = Task(
        kind=track.kind, measures=measures, qrels=track.qrels, gmax=track.gmax, runs=track.runs, paths=shares,
        scan=track.scan, reading=reading, pool_depth=track.pool_depth, **asked,
    )  # fmt: skip
    return table.mapInArrow(partial(work, task), schema)


class _Asked(Exception):
    """A measure looked at the pool."""


class _Pool:
    """Stands where the best ranks of the pool would be, and tells who looks."""

    def __getitem__(self, place: object) -> Any:
        raise _Asked


def _need_the_pool(measures: Sequence[Measure]) -> bool:
    """Whether a measure looks at the ranks that other runs gave to judged documents."""
    track = read({"q": {"a": 1, "b": 1}}, {"x": {"q": {"a": 2.0, "c": 1.0}}})
    cut = [m.but(k=1) for m in measures if m.cutoff == "optional"]  # a curve reads these at depths
    for m in [*measures, *cut]:
        for part, part_track in m.parts(track):
            part_track.__dict__["best_rank"] = cast(Any, _Pool())
            try:
                score_track(part_track, part)
            except _Asked:
                return True
    return False


# curves ---------------------------------------------------------------------------------------------------------------
def _curves(track: SparkTrack, raw: Any, wanted: tuple[Measure, ...], by: By, points: Any, undefined: str) -> Curves:
    from pyspark.sql import functions as sql

    sums = [sql.sum(name).alias(name) for name in ("n", "total", "squares", "open")]
    known = raw.groupBy("run", "measure", "point", "finding").agg(*sums)
    with clear_errors():
        rows = known.collect()
    findings = _joined(track, [json.loads(row.finding) for row in rows if row.finding is not None])
    rows = [row for row in rows if row.finding is None]
    runs = sorted({row.run for row in rows})
    number = {run: i for i, run in enumerate(runs)}, {str(m): i for i, m in enumerate(wanted)}
    place = {p: i for i, p in enumerate(points.tolist())}
    cells = np.zeros((4, len(wanted), len(runs), len(points)))
    for row in rows:
        at = number[1][row.measure], number[0][row.run], place[row.point]
        cells[(slice(None), *at)] = row.n, row.total, row.squares, row.open
    n, total, squares, open_ = cells
    mean = ratio(total, n)
    error = np.sqrt(ratio(np.maximum(squares - n * mean**2, 0.0), np.maximum(n - 1, 0) * n))
    for i, m in enumerate(wanted):
        told = "counted as 0" if undefined == "zero" and m.zero_if_undefined else "left out of the mean"
        findings.add(f"undefined-scores {m}", int(open_[i].sum()), (), told)
    middle, errors, freedom = ({m: a[i] for i, m in enumerate(wanted)} for a in (mean, error, n - 1))
    return Curves(runs, (), by, points, middle, errors, freedom, {}, findings)


# findings and errors --------------------------------------------------------------------------------------------------
def _joined(track: SparkTrack, told: list[list[Any]]) -> Findings:
    """The findings of all partitions as if they were one."""
    findings = Findings(track.findings)
    joined: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for code, count, examples, text in told:
        had, names = joined.get((code, text), (0, []))
        if code in _MEMBERS and track.kind not in ("rows", "parquet"):
            names = list(dict.fromkeys([*names, *examples]))
            joined[code, text] = len(names), names
        elif code in _MEMBERS | _ADDITIVE | {ANSWERED}:
            joined[code, text] = had + count, sorted([*names, *examples])[:3]
        else:  # a doubt about a measure: the partitions have it together
            joined[code, text] = max(had, count), names or examples
    if not joined.pop((ANSWERED, ""), (0,))[0]:
        outside = joined.get(("topics-without-judgments", "ignored"), (0, []))[1]
        raise NothingToEvaluate(
            f"No topic of the runs is in the qrels: the runs have {', '.join(outside[:3]) or 'none'}. "
            "Do they belong together?"
        )
    findings.extend(_grouped(joined))
    return findings


def _grouped(joined: dict[tuple[str, str], tuple[int, list[str]]]) -> list[Finding]:
    """Measures that are undefined on the same topics share a finding, as locally."""
    found: list[Finding] = []
    shared: dict[tuple[str, int, tuple[str, ...]], list[str]] = {}
    for (code, text), (count, names) in joined.items():
        if code == "undefined-scores":
            done, measure = text.split(": ", 1)
            shared.setdefault((done, count, tuple(names)), []).append(measure)
        else:
            found.append(Finding(code, count, names, text))
    for (done, count, topics), measures in shared.items():
        found.append(Finding("undefined-scores", count, topics, f"{done}: {', '.join(measures)}"))
    return found


@contextmanager
def clear_errors() -> Iterator[None]:
    """Within it, what leadline says on a worker is raised as leadline's own error, without Spark's many lines.

    ::

        with clear_errors():
            scores.rows.write.parquet("scores")
    """
    from pyspark.errors import PythonException

    try:
        yield
    except PythonException as error:
        found = re.search(r"^leadline\.errors\.(\w+): (.*)", str(error), re.MULTILINE | re.DOTALL)
        kind = getattr(errors, found[1], None) if found else None
        if found is None or kind is None:
            raise
        raise _rebuilt(kind, found[2].strip()) from None


def _rebuilt(kind: type[LeadlineError], said: str) -> LeadlineError:
    """The error as the worker raised it, from its text."""
    if kind is errors.InputError:
        lines = [line for line in said.split("\n") if line and not line.startswith(("\tat ", "  File "))]
        more = re.fullmatch(r"… and (\d+) more", lines[-1])
        return errors.InputError(lines[:-1] if more else lines, len(lines) - 1 + int(more[1]) if more else None)
    return UsageError(said) if issubclass(kind, UsageError) else kind(said)
