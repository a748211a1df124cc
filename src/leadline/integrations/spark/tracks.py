"""What is to be evaluated on Spark: run files or a table of rankings, and the qrels that go with them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from leadline.errors import InputError, NothingToEvaluate, UnknownName, UsageError, require
from leadline.findings import Findings
from leadline.integrations.spark.parquet import Scan, parquet_rows, plain_files, scanned
from leadline.integrations.spark.workers import MARKER, OUTSIDE, QRELS, RUN, Qrels
from leadline.io.formats import DOC, GRADE, RANK, SCORE, TOPIC, plain_cell, plain_name
from leadline.io.messages import quoted
from leadline.io.read import TIES, start_read
from leadline.io.structured import find_columns
from leadline.io.tables import RUN as RUN_NAMES

__all__ = ["SparkTrack", "read"]

MOST_BROADCAST = 5_000_000  # judgments; a table with more of them travels with the rows it judges
_ROLES = {"topic": TOPIC, "doc": DOC, "score": SCORE, "grade": GRADE, "rank": RANK, "run": RUN_NAMES}
_OWN = "\x1fleadline\x1f"


@dataclass(frozen=True)
class SparkTrack:
    """Runs and qrels as Spark will read them; made by :func:`read`, given to ``evaluate``, ``truncate``, ``curve``."""

    session: Any
    kind: Literal["rows", "parquet", "paths", "contents"]
    table: Any  # DataFrame of rows or of file contents; None if workers open the files themselves
    qrels: Any  # the broadcast judgments, or None if they are among the rows
    gmax: int
    runs: tuple[str, ...]
    paths: tuple[str, ...] = ()
    scan: Scan | None = None
    partitions: int | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    pool_depth: int | None = None
    findings: Findings = field(default_factory=Findings)


def read(
    session: Any,
    qrels: Any,
    runs: Any,
    *,
    columns: Mapping[str, str] | None = None,
    broadcast: bool | None = None,
    partitions: int | None = None,
    via: Literal["auto", "path", "spark"] = "auto",
    ties: str = "trec",
    lenient: bool = False,
    nil: Literal["truncate", "answer"] | None = None,
    nil_max_len: int = 5,
    pool_depth: int | None = None,
) -> SparkTrack:
    """Name the runs and qrels that Spark is to evaluate; qrels are read now, runs when a result is asked for.

    ``runs`` is a run file, a folder, a list of files, or a DataFrame with one row for each document of a ranking; its
    columns (run, topic, doc, score, rank) are found by their usual names, or named in ``columns`` as in
    ``{"topic": "query", "score": "sim"}``. ``qrels`` is anything :func:`leadline.read` takes, a path Spark can read, or
    a DataFrame (topic, doc, grade; named in ``columns`` too, unless usual). They are ``broadcast`` to all workers; of
    more than five million rows, a DataFrame is partitioned along with the rankings instead.

    ``via="path"`` lets workers open run files themselves (a disk they share), ``"spark"`` has Spark fetch them (HDFS,
    S3 …); ``auto`` looks whether the driver sees them. ``ties``, ``lenient``, ``nil`` and ``pool_depth`` are those of
    :func:`leadline.read`; rows of a DataFrame have no order, so the tie rules ``run`` and ``file`` need files.
    """
    require("pyspark", "spark")
    require("pyarrow", "spark")
    if ties not in TIES:
        raise UsageError(f"ties must be one of {', '.join(TIES)}. Got {ties!r} instead.")
    if via not in ("auto", "path", "spark"):
        raise UsageError(f"via must be 'auto', 'path' or 'spark'. Got {via!r} instead.")
    if partitions is not None and partitions < 1:
        raise UsageError(f"partitions must be at least 1. Got {partitions} instead.")
    reading = {"ties": ties, "lenient": lenient, "nil": nil, "nil_max_len": nil_max_len}
    common = {"session": session, "partitions": partitions, "pool_depth": pool_depth}
    if _is_frame(runs):
        if ties in ("run", "file"):
            raise UsageError(f"Rows of a DataFrame have no order, which ties={ties!r} needs. Use ties='trec' or files.")
        return _rows(session, qrels, runs, dict(columns or {}), broadcast, reading | {"threads": 1}, common)
    if broadcast is False:
        raise UsageError("broadcast=False needs the runs as a DataFrame; with run files every worker needs all qrels.")
    held, gmax, findings = _local_qrels(session, qrels, dict(columns or {}), lenient)
    sent = session.sparkContext.broadcast(held)
    return _files(session, runs, via, common | {"qrels": sent, "gmax": gmax, "findings": findings, "reading": reading})


def _is_frame(value: object) -> bool:
    """Whether it is a DataFrame of Spark, classic or Connect."""
    return any(c.__name__ == "DataFrame" and c.__module__.startswith("pyspark.") for c in type(value).__mro__)


# run files ------------------------------------------------------------------------------------------------------------
def _files(session: Any, runs: Any, via: str, common: dict[str, Any]) -> SparkTrack:
    given = [runs] if isinstance(runs, (str, os.PathLike)) else list(runs)
    if not given:
        raise UsageError("No run was given. Give at least one run file, folder or DataFrame.")
    if not all(isinstance(p, (str, os.PathLike)) for p in given):
        raise UsageError("runs must be paths or one DataFrame of Spark; use leadline.read for what is in memory.")
    paths = [os.fspath(p) for p in given]
    if via == "path" or (via == "auto" and all(_local(p) is not None for p in paths)):
        files = [f for p in paths for f in _inside(_local(p) or p)]
        _check_names(files)
        return SparkTrack(kind="paths", table=None, runs=(), paths=tuple(files), **common)
    found = session.read.format("binaryFile").load(paths).select("path", "content")
    names = sorted(row.path for row in found.select("path").collect())
    if not names:
        raise InputError(f"{', '.join(paths[:3])}: no run file there, got none. Check the path.")
    _check_names(names)
    return SparkTrack(kind="contents", table=found, runs=(), paths=tuple(names), **common)


def _local(path: str) -> str | None:
    """A path of this machine, or None if there is no such file."""
    plain = path.removeprefix("file://").removeprefix("file:") if path.startswith("file:") else path
    return plain if Path(plain).exists() else None


def _inside(path: str) -> list[str]:
    """The file itself, or the files of a folder, as locally."""
    if not Path(path).is_dir():
        return [path]
    files = [str(p) for p in sorted(Path(path).iterdir()) if not p.is_dir() and not p.name.startswith(".")]
    if not files:
        raise InputError(f"{path}: the folder holds no run files, got none. Give run files.")
    return files


def _check_names(paths: Sequence[str]) -> None:
    first: dict[str, str] = {}
    for path in paths:
        name = plain_name(path)
        if name in first:
            raise UsageError(f"Two runs are called {name!r}: {first[name]} and {path}. Rename one.")
        first[name] = path


# qrels ----------------------------------------------------------------------------------------------------------------
def _local_qrels(session: Any, qrels: Any, named: dict[str, str], lenient: bool) -> tuple[Qrels, int, Findings]:
    """Qrels read on the driver, where bad rows are told at once; the top grade and what was found."""
    import pyarrow as pa

    if _is_frame(qrels):
        names = _chosen(qrels, "qrels", _for(named, ("topic", "doc", "grade")))
        chosen, files = _selected(qrels, "qrels", names), plain_files(session, qrels)
        if files:
            qrels = parquet_rows(files, names)
        else:
            qrels = chosen.toArrow() if hasattr(chosen, "toArrow") else pa.Table.from_pandas(chosen.toPandas())
    with TemporaryDirectory(prefix="leadline-") as folder:
        if isinstance(qrels, (str, os.PathLike)) and _local(os.fspath(qrels)) is None and "://" in os.fspath(qrels):
            qrels = _fetched(session, os.fspath(qrels), folder)
        elif isinstance(qrels, str):
            qrels = _local(qrels) or qrels
        found = start_read(qrels, {_OWN: {_OWN: {}}}, lenient=lenient).result(common=False)  # a run there must be
    rows = np.arange(len(found.labels))
    findings = Findings(f for f in found.findings if f.code != OUTSIDE)
    return (
        Qrels(_binary(found.topics), np.array(found.row_offsets), _binary(found.qrels_docs(rows)), found.labels[:, 0]),
        max(int(found.labels[:, 0].max(initial=1)), 1),
        findings,
    )


def _binary(names: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.array([n.encode("utf-8", "surrogateescape") for n in names], pa.large_binary())


def _utf8(topic: bytes) -> str:
    try:
        return topic.decode("utf-8")
    except UnicodeDecodeError:
        got = quoted(topic.decode("utf-8", "surrogateescape"))
        raise InputError(f"qrels: a topic id is no UTF-8, which Spark's tables need, got {got}. Convert it.") from None


def _fetched(session: Any, path: str, folder: str) -> str:
    """A file that Spark can read, copied to this machine."""
    found = session.read.format("binaryFile").load(path).select("content").collect()
    file = Path(folder, os.path.basename(path))  # noqa: PTH119 (an address, not a path of this machine)
    file.write_bytes(b"".join(bytes(row.content) for row in found))
    return str(file)


# tables ---------------------------------------------------------------------------------------------------------------
def _rows(
    session: Any, qrels: Any, runs: Any, named: dict[str, str], broadcast: bool | None, reading: dict[str, Any],
    common: dict[str, Any],
) -> SparkTrack:  # fmt: skip
    """Rows of runs, each topic's together in one partition; with them its judgments, or its name if these are sent."""
    from pyspark.sql import functions as sql

    for role in named:
        if role not in _ROLES:
            raise UnknownName("column role", role, _ROLES)
    own = _for(named, ("run", "topic", "doc", "score", "rank"))
    chosen = _chosen(runs, "run", own, rank=reading["ties"] == "rank")
    rows = _selected(runs, "run", chosen)
    names = _run_names(rows)
    if not names:
        raise NothingToEvaluate("The table of runs is empty. Do runs and qrels belong together?")
    if broadcast is None:
        broadcast = not _is_frame(qrels) or qrels.limit(MOST_BROADCAST + 1).count() <= MOST_BROADCAST
    marked = rows.withColumn("kind", sql.lit(RUN).cast("byte"))
    if broadcast:
        held, gmax, findings = _local_qrels(session, qrels, named, bool(reading["lenient"]))
        files = plain_files(session, runs)
        scan = scanned(session, files, chosen, held.topics, common["partitions"]) if files else None
        if scan is not None:
            sent = session.sparkContext.broadcast(held)
            return SparkTrack(
                kind="parquet", table=None, qrels=sent, gmax=gmax, runs=names, findings=findings, reading=reading,
                scan=scan, **common,
            )  # fmt: skip
        topics = [(_utf8(t),) for t in held.topics.to_pylist()]
        others = session.createDataFrame(topics, "topic string").withColumn("kind", sql.lit(MARKER).cast("byte"))
        sent = session.sparkContext.broadcast(held)
    else:
        if not _is_frame(qrels):
            raise UsageError("broadcast=False needs the qrels as a DataFrame of Spark.")
        others = _selected(qrels, "qrels", _chosen(qrels, "qrels", _for(named, ("topic", "doc", "grade"))))
        top = others.select(sql.max(sql.col("grade").cast("int"))).first()[0]
        others = _with_score(others, rows).withColumn("kind", sql.lit(QRELS).cast("byte"))
        sent, gmax, findings = None, max(int(top or 1), 1), Findings()
    table = marked.unionByName(others, allowMissingColumns=True)
    partitions = common["partitions"]
    table = table.repartition("topic") if partitions is None else table.repartition(partitions, "topic")
    return SparkTrack(
        kind="rows", table=table, qrels=sent, gmax=gmax, runs=names, findings=findings, reading=reading, **common
    )


def _with_score(judgments: Any, rows: Any) -> Any:
    """Grades under the name of scores where these can hold them: one column less for every row that travels."""
    from pyspark.sql import functions as sql

    held = judgments.schema["grade"].dataType.typeName(), rows.schema["score"].dataType.typeName()
    if held[0] not in ("byte", "short", "integer", "long") or held[1] != "double":
        return judgments
    return judgments.withColumn("score", sql.col("grade").cast("double")).drop("grade")


def _run_names(rows: Any) -> tuple[str, ...]:
    """All runs of the table: every worker has to know which lists are empty. One run without a name needs no look."""
    if "run" not in rows.columns:
        return ("run",)
    return tuple(sorted(row.run for row in rows.select("run").distinct().collect() if row.run is not None))


def _for(named: dict[str, str], roles: Sequence[str]) -> dict[str, str]:
    return {role: name for role, name in named.items() if role in roles}


def _chosen(frame: Any, kind: str, named: dict[str, str], *, rank: bool = False) -> dict[str, str]:
    """The columns that are needed, by our names for them."""
    names = list(frame.columns)
    if kind == "qrels":  # what was named for the runs need not be there
        named = {role: name for role, name in named.items() if name in names or role == "grade"}
    seen = list(names)
    for role, name in named.items():
        if name not in names:
            raise UnknownName(f"column of {kind}", name, names)
        seen = ["" if plain_cell(n) in _ROLES[role] else n for n in seen]
        seen[names.index(name)] = _ROLES[role][0]
    topic, doc, ranked, value = find_columns(seen, kind, kind, None)
    assert topic is not None
    assert doc is not None
    assert value is not None
    chosen = {"topic": names[topic], "doc": names[doc], "grade" if kind == "qrels" else "score": names[value]}
    if kind == "qrels":
        return chosen
    if rank and ranked is not None:
        chosen["rank"] = names[ranked]
    lower = [plain_cell(n) for n in seen]
    by = next((lower.index(r) for r in RUN_NAMES if r in lower), None)
    return chosen if by is None else chosen | {"run": names[by]}


def _selected(frame: Any, kind: str, chosen: dict[str, str]) -> Any:
    """The chosen columns under our names; ids as texts."""
    cells = []
    for role, name in chosen.items():
        if role in ("topic", "doc", "run"):
            cells.append(_id(frame, name, role, kind))
        else:
            decimal = role == "score" and frame.schema[name].dataType.typeName() == "decimal"
            cells.append((_column(name).cast("double") if decimal else _column(name)).alias(role))
    return frame.select(*cells)


def _column(name: str) -> Any:
    from pyspark.sql import functions as sql

    return sql.col("`" + name.replace("`", "``") + "`")


def _id(frame: Any, name: str, role: str, kind: str) -> Any:
    held = frame.schema[name].dataType
    if held.typeName() not in ("string", "varchar", "char", "byte", "short", "integer", "long"):
        hint = "Read the column as text, so that no leading zero is lost."
        raise InputError(f"{kind}: the {role} ids in {name!r} are {held.simpleString()}, not text. {hint}")
    return _column(name).cast("string").alias(role)
