"""What Spark's workers do: a partition of rows or of run files in, scores and findings out.

A partition is read at once by the native reader into a Track of its own. A topic and a run of our own are always added,
and left out again: they make partitions without a judged topic, or without a ranking, as good as any other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leadline.api import read
from leadline.depths.curves import run_curves
from leadline.depths.truncation import truncate
from leadline.errors import InputError
from leadline.findings import Finding, Findings
from leadline.integrations.spark.parquet import Scan, parquet_rows
from leadline.io.columns import Columns
from leadline.io.tables import qrels_table, run_table
from leadline.measures.base import Measure
from leadline.measures.scoring import Labellers, Undefined, missing_topics, score_track

if TYPE_CHECKING:
    from leadline.rankings.track import Track

__all__ = ["ANSWERED", "MARKER", "OUTSIDE", "QRELS", "RUN", "VALUES", "Qrels", "Task", "counted", "work"]

RUN, QRELS, MARKER = 0, 1, 2  # what a row is: of a run, a judgment, or the name of a topic that has judgments
OUTSIDE = "topics-without-judgments"
ANSWERED = "lists-answered"  # travels as a finding, so that the driver learns whether there was anything to evaluate
_OWN = "\x1fleadline\x1f"  # our own topic, run and document
_CHUNK = 1 << 16  # rows of one batch of results
_SHOWN = 20


@dataclass(frozen=True)
class Qrels:
    """Judgments by topic, as they are broadcast: ids in Arrow's large binary form."""

    topics: Any
    offsets: NDArray[np.int64]
    docs: Any
    grade: NDArray[np.int32]

    def of(self, names: Any) -> Columns:
        """The judgments of the named topics (all: None), our own topic added."""
        import pyarrow as pa
        import pyarrow.compute as pc

        chosen = np.arange(len(self.topics))
        if names is not None:
            found = pc.index_in(names.cast(pa.large_binary()), value_set=self.topics)
            chosen = np.sort(found.drop_null().to_numpy(zero_copy_only=False)).astype(np.int64)
        counts = np.diff(self.offsets)[chosen]
        ends = np.cumsum(counts)
        rows = np.arange(int(counts.sum())) + np.repeat(self.offsets[chosen] - (ends - counts), counts)
        own = pa.array([_OWN.encode()], pa.large_binary())
        topics = pa.concat_arrays([self.topics.take(np.repeat(chosen, counts)), own])
        docs = pa.concat_arrays([self.docs.take(rows), own])
        return Columns(_bytes(topics), _bytes(docs), np.append(self.grade[rows], 0), where="qrels")


def _bytes(ids: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """What the native reader takes of ids: their bytes and where each begins."""
    _, offsets, data = ids.buffers()
    starts = np.frombuffer(offsets, np.int64)[ids.offset : ids.offset + len(ids) + 1]
    held = np.frombuffer(data, np.uint8)[int(starts[0]) : int(starts[-1])]
    return np.ascontiguousarray(held), np.ascontiguousarray(starts - starts[0])


@dataclass(frozen=True)
class Task:
    """All that a worker has to know; pickled and sent to each."""

    kind: str  # "rows", "parquet", "paths" or "contents"
    what: str  # "evaluate", "truncate" or "curve"
    measures: tuple[Measure, ...]
    qrels: Any  # the broadcast Qrels, or None if the judgments come with the rows
    gmax: int
    runs: tuple[str, ...] = ()  # of a table: all of its runs
    paths: tuple[tuple[str, ...], ...] = ()  # the files of each partition
    scan: Scan | None = None  # of a table whose files the workers open
    reading: dict[str, Any] = field(default_factory=dict)
    pool_depth: int | None = None
    undefined: Undefined = "zero"
    by: Any = "depth"
    points: tuple[int, ...] = ()
    totals: bool = False  # sums over the partition's lists instead of a row for each


def work(task: Task, batches: Iterable[Any]) -> Iterator[Any]:
    """One partition: batches of rows, paths or file contents in, batches of results and findings out."""
    import pyarrow as pa

    held = [batch for batch in batches if batch.num_rows]
    if not held:
        return
    track = _TRACKS[task.kind](task, pa.Table.from_batches(held))
    del held
    # No topic of a table is in two partitions: counts can be added without the names.
    short = task.kind in ("rows", "parquet")
    findings = Findings(f for f in track.findings if f.code != OUTSIDE)
    told = [_outside(track, short)]
    topics = [t for t in track.topics if t != _OWN]
    if topics:
        chosen = _own_left_out(task, track, topics)
        if task.pool_depth is not None:
            chosen = chosen.declare_pool(task.pool_depth)
        told.append(_message(ANSWERED, int(chosen.answered.sum()), (), ""))
        results, more = _RESULTS[task.what](task, chosen, short)
        for block in results:
            yield from block.to_batches(max_chunksize=_CHUNK)
        findings.extend(f for f in more if f.code != OUTSIDE)
    told += [_message(f.code, f.count, f.examples, f.text) for f in findings]
    yield from _told(task, [t for t in told if t]).to_batches()


def _own_left_out(task: Task, track: Track, topics: list[str]) -> Track:
    """The Track without our own topic and run, with the top grade of the whole qrels.

    A run of the table that has no row here has empty lists.
    """
    track = track.relabel(track.judgments.grade, task.gmax)
    runs = task.runs or tuple(r for r in track.runs if r != _OWN)
    known = set(track.runs)
    chosen = track.select(runs=[r if r in known else _OWN for r in runs], topics=topics)
    chosen.runs = runs
    return chosen


# reading --------------------------------------------------------------------------------------------------------------
def _read(task: Task, qrels: Columns, runs: list[Any]) -> Track:
    return read(qrels, [*runs, (_OWN, {_OWN: {_OWN: 1.0}})], **task.reading)


def _from_rows(task: Task, table: Any) -> Track:
    """A Track from rows of a table, and of the qrels if these are not broadcast."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wide = pa.schema([f.with_type(pa.large_string()) if pa.types.is_string(f.type) else f for f in table.schema])
    table = table.cast(wide)
    kind = table["kind"]
    rows = table.filter(pc.equal(kind, RUN)).select([n for n in table.column_names if n not in ("kind", "grade")])
    runs = _runs_of(task, rows.combine_chunks())
    if task.qrels is not None:
        named = pc.unique(table.filter(pc.equal(kind, MARKER))["topic"])
        return _read(task, task.qrels.value.of(named), runs)
    judged = table.filter(pc.equal(kind, QRELS))
    if "grade" not in table.column_names:  # they came under the name of scores
        judged = judged.append_column("grade", judged["score"].cast(pa.int64()))
    judged = judged.select(["topic", "doc", "grade"])
    _refuse_missing(judged, ("topic", "doc"), "qrels")
    grades = judged.schema.field("grade").type
    own = pa.table({"topic": [_OWN], "doc": [_OWN], "grade": pa.array([0]).cast(grades)}, schema=judged.schema)
    judged = pa.concat_tables([judged, own]).combine_chunks()
    qrels = qrels_table(judged, topic="topic", doc="doc", grade="grade")
    qrels.lines = _Rows(judged, ("topic", "doc", "grade"), range(1, len(judged) + 1))  # type: ignore[assignment]
    return _read(task, qrels, runs)


def _runs_of(task: Task, rows: Any) -> list[Columns]:
    """The runs in the rows of a table."""
    named = [name for name in ("run", "rank") if name in rows.column_names]
    _refuse_missing(rows, ("topic", "doc", *(n for n in named if n == "run")), "run")
    known = {name: name for name in ("topic", "doc", "score", *named)}
    runs = run_table(rows, **known) if len(rows) else []
    for columns in runs:
        columns.name = columns.name or task.runs[0]
        lines = columns.lines or range(1, len(rows) + 1)
        columns.lines = _Rows(rows, ("topic", "doc", "score"), lines)  # type: ignore[assignment]
    return runs


class _Rows(Sequence[str]):
    """Rows of a distributed table have no number: in messages they stand as they are."""

    def __init__(self, table: Any, names: Sequence[str], lines: Sequence[int]) -> None:
        self._table, self._names, self._lines = table, names, lines

    def __getitem__(self, i: Any) -> Any:
        row = self._lines[i] - 1
        return f"({', '.join(repr(self._table[name][row].as_py()) for name in self._names)})"

    def __len__(self) -> int:
        return len(self._lines)


def _refuse_missing(table: Any, names: Sequence[str], what: str) -> None:
    """A row without an id is refused, as it stands."""
    missing = {name: np.flatnonzero(table[name].is_null().to_numpy()) for name in names if table[name].null_count}
    if missing:
        rows = _Rows(table, table.column_names, range(1, len(table) + 1))
        said = [
            f"{what}, row {rows[i]}: the {_WORDS.get(name, name)} id is no text, got a missing value. "
            'Was "NA" taken for a missing value? Read ids as text.'
            for name, places in missing.items()
            for i in places[:_SHOWN].tolist()
        ]
        raise InputError(said, total=sum(map(len, missing.values())))


_WORDS = {"doc": "document"}


def _from_parquet(task: Task, table: Any) -> Track:
    """A Track from the parquet files of this partition, which have all rows of their topics."""
    import pyarrow as pa
    import pyarrow.compute as pc

    assert task.scan is not None
    numbers = table["id"].to_pylist()
    rows = parquet_rows([p for i in numbers for p in task.scan.shares[i]], task.scan.columns)
    topics = pc.unique(rows["topic"]).cast(pa.large_binary())
    if 0 in numbers:  # the first partition takes the judged topics that no file has
        topics = pa.concat_arrays([topics, task.scan.unanswered])
    return _read(task, task.qrels.value.of(topics), _runs_of(task, rows))


def _from_paths(task: Task, table: Any) -> Track:
    """A Track from the run files of this partition, which every worker can open."""
    paths = [p for i in table["id"].to_pylist() for p in task.paths[i]]
    return _read(task, task.qrels.value.of(None), paths)


def _from_contents(task: Task, table: Any) -> Track:
    """A Track from run files that Spark has fetched; the native reader wants them as files."""
    with TemporaryDirectory(prefix="leadline-") as folder:
        paths, origin = [], {}
        for i, (path, content) in enumerate(zip(table["path"].to_pylist(), table["content"], strict=True)):
            own = Path(folder, str(i))
            own.mkdir()
            file = own / os.path.basename(path)  # noqa: PTH119 (an address, not a path of this machine)
            file.write_bytes(content.as_buffer())
            origin[str(file)] = path
            paths.append(str(file))
        try:
            track = _read(task, task.qrels.value.of(None), paths)
        except InputError as error:
            raise InputError([_renamed(p, origin) for p in error.problems], total=error.total) from None
        renamed = [Finding(f.code, f.count, [_renamed(e, origin) for e in f.examples], f.text) for f in track.findings]
        track.findings = Findings(renamed)
        return track


def _renamed(text: str, origin: dict[str, str]) -> str:
    for own, path in origin.items():
        text = text.replace(own, path)
    return text


_TRACKS: dict[str, Callable[[Task, Any], Track]] = {
    "rows": _from_rows, "parquet": _from_parquet, "paths": _from_paths, "contents": _from_contents,
}  # fmt: skip


# results --------------------------------------------------------------------------------------------------------------
Results = tuple[Iterator[Any], list[Finding]]


def _evaluated(task: Task, track: Track, short: bool) -> Results:
    settled: Undefined = "raise" if task.undefined == "raise" else "nan"
    scores = score_track(track, task.measures, undefined=settled)
    findings, gaps = _gaps(task, track, {m: scores.array(m) for m in task.measures}, scores.findings, short)

    def blocks() -> Iterator[Any]:
        for m in task.measures:
            values = scores.array(m)
            if m in gaps and task.undefined == "zero" and m.zero_if_undefined:
                values = np.where(np.isnan(values), 0.0, values)
            yield _results(task, track, m, {"value": values})

    return blocks(), findings


def _truncated(task: Task, track: Track, short: bool) -> Results:
    best = truncate(track, task.measures, undefined=task.undefined, threads=1)
    scores = score_track(track, task.measures, undefined="nan")
    findings, _ = _gaps(task, track, {m: scores.array(m) for m in task.measures}, best.findings, short)

    def blocks() -> Iterator[Any]:
        for m in task.measures:
            length = best.length(m)
            empty = np.where(np.isnan(length), np.nan, length == 0)
            own = {"length": length, "value": best.value(m), "full": best.full(m), "gain": best.gain(m), "empty": empty}
            yield _results(task, track, m, own)

    return blocks(), findings


def _gaps(
    task: Task, track: Track, values: dict[Measure, NDArray[np.float64]], findings: Findings, short: bool
) -> tuple[list[Finding], set[Measure]]:
    """Undefined scores as findings, one for each measure: the driver joins them. ``short``: without all the names."""
    kept = [f for f in findings if f.code != _UNDEFINED]
    found = set()
    for m, a in values.items():
        open_ = np.logical_or.reduce(np.isnan(a)) if m.per_topic else np.zeros(a.shape[1], bool)
        if open_.any():
            found.add(m)
            done = "counted as 0" if task.undefined == "zero" and m.zero_if_undefined else "left out of the mean"
            names = [track.topics[i] for i in np.flatnonzero(open_).tolist()]
            finding = Finding(_UNDEFINED, len(names), names, f"{done}: {m}")
            if not short:
                finding.examples = tuple(names)
            kept.append(finding)
    return kept, found


def _curved(task: Task, track: Track, short: bool) -> Results:
    """For each run, measure and point: how many lists are defined, the sum of their values and of their squares."""
    findings = Findings(track.findings)
    missing_topics(track, findings)
    points = np.array(task.points, np.int64)
    labellers = Labellers()

    def blocks() -> Iterator[Any]:
        import pyarrow as pa

        for m in task.measures:
            one = run_curves(m, track, task.by, points, labellers)
            zero = task.undefined == "zero" and m.zero_if_undefined
            for r, run in enumerate(track.runs):
                values = one(r)
                open_ = np.isnan(values)
                known = np.where(open_, 0.0, values)
                n = np.full(len(points), len(values)) if zero else (~open_).sum(axis=0)
                rows = len(points)
                yield _table({
                    "run": pa.repeat(run, rows), "measure": pa.repeat(str(m), rows), "point": points, "n": n,
                    "total": known.sum(axis=0), "squares": np.einsum("tp,tp->p", known, known),
                    "open": np.where(np.arange(rows) == 0, int(open_.any(axis=1).sum()), 0),
                }, rows)  # fmt: skip

    return blocks(), list(findings)


_RESULTS: dict[str, Callable[[Task, Track, bool], Results]] = {
    "evaluate": _evaluated, "truncate": _truncated, "curve": _curved,
}  # fmt: skip
VALUES = {"evaluate": ("value",), "truncate": ("length", "value", "full", "gain", "empty")}


def _results(task: Task, track: Track, m: Measure, values: dict[str, NDArray[np.float64]]) -> Any:
    """Results under one measure: of all lists, or summed up for each run."""
    import pyarrow as pa

    if task.totals:
        cells = {}
        for name, a in values.items():
            known = ~np.isnan(a)
            cells[name], cells[counted(name)] = np.where(known, a, 0.0).sum(axis=1), known.sum(axis=1)
        rows = len(track.runs)
        runs = pa.array([_text(n) for n in track.runs], pa.string())
        return _table({"run": runs, "measure": pa.repeat(str(m), rows)} | cells, rows)
    if "spark-names" not in track.memo:  # the same for every measure
        R, T = track.shape
        runs, topics = (pa.array([_text(n) for n in names], pa.string()) for names in (track.runs, track.topics))
        track.memo["spark-names"] = runs.take(np.repeat(np.arange(R), T)), topics.take(np.tile(np.arange(T), R))
    run, topic = track.memo["spark-names"]
    cells = {name: np.ascontiguousarray(a, np.float64).ravel() for name, a in values.items()}
    return _table({"run": run, "topic": topic, "measure": pa.repeat(str(m), len(run))} | cells, len(run))


def counted(name: str) -> str:
    """The column that says how many values went into a sum."""
    return f"{name}_n"


def _text(name: str) -> str:
    """Spark's strings are UTF-8; other bytes are shown escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _table(columns: dict[str, Any], rows: int) -> Any:
    import pyarrow as pa

    return pa.table(columns | {"finding": pa.nulls(rows, pa.string())})


def _told(task: Task, findings: list[str]) -> Any:
    """Findings as rows that have nothing else."""
    import pyarrow as pa

    rows = len(findings)
    texts = ("run", "measure") if task.what == "curve" or task.totals else ("run", "topic", "measure")
    columns: dict[str, Any] = {name: pa.nulls(rows, pa.string()) for name in texts}
    if task.what == "curve":
        columns |= {"point": pa.nulls(rows, pa.int64()), "n": pa.nulls(rows, pa.int64())}
        columns |= {name: pa.nulls(rows, pa.float64()) for name in ("total", "squares")}
        columns["open"] = pa.nulls(rows, pa.int64())
    for name in VALUES.get(task.what, ()):
        columns[name] = pa.nulls(rows, pa.float64())
        if task.totals:
            columns[counted(name)] = pa.nulls(rows, pa.int64())
    return pa.table(columns | {"finding": pa.array(findings, pa.string())})


# findings -------------------------------------------------------------------------------------------------------------
_UNDEFINED = "undefined-scores"


def _outside(track: Track, short: bool) -> str:
    """The run topics that the qrels do not have."""
    assert track.reading is not None
    names = track.reading.topics_outside()
    return _message(OUTSIDE, len(names), names[:3] if short else names, "ignored")


def _message(code: str, count: int, examples: Sequence[str], text: str) -> str:
    """A finding as text; nothing if there was nothing."""
    return json.dumps([code, count, [_text(e) for e in examples], text]) if count else ""
