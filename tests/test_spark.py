"""The same numbers on Spark as on one machine: from files and from tables, with bad rows, skew and empty partitions.

What a worker does with a partition is tested without Spark. Tests of the whole start a Spark with two workers that use
this Python; they need Java and ``pip install 'leadline[spark]'`` and are chosen by ``pytest -m spark``. The variable
LEADLINE_TEST_SPARK names another master.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.errors import InputError, MissingExtra, NothingToEvaluate, UnknownName, UsageError
from leadline.io import from_columns
from leadline.measures.names import catalogue

pytest.importorskip("pyarrow")
from leadline.integrations import spark
from leadline.integrations.spark import workers
from leadline.integrations.spark.results import _need_the_pool, clear_errors
from leadline.integrations.spark.tracks import _local_qrels

MEASURES = ["AP", "nDCG@10", "P@5", "RR", "RBPU(p=0.98)", "OIE", "Bpref", "NumRet", "NumRelRet", "c@1", "ERR@5"]
POOLED = "Q(norm='pool', ideal='k')@3"
RUNS, TOPICS = 5, 23


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    found = (
        sql.SparkSession.builder.master(os.environ.get("LEADLINE_TEST_SPARK", "local[2]"))
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.task.maxFailures", "1")
        .getOrCreate()
    )
    found.sparkContext.setLogLevel("OFF")
    yield found
    found.stop()


def made() -> tuple[list[tuple[str, str, int]], list[tuple[str, str, str, float]]]:
    """Qrels and rankings: ties, negative grades, topics with nothing relevant, unanswered and unjudged topics."""
    rng = np.random.default_rng(5)
    qrels = []
    for t in range(TOPICS):
        for d in rng.choice(60, 20, replace=False).tolist():
            grade = int(rng.integers(-1, 4 if t == 4 else 3)) if t % 7 else 0
            qrels.append((f"0{t}", f"d{d}", grade))
    rows = []
    for r in range(RUNS):
        for t in range(TOPICS + 2):
            if (t + r) % 6 == 5 and t != 3:
                continue
            docs = rng.choice(60, int(rng.integers(1, 40)), replace=False).tolist()
            rows += [(f"run{r}", f"0{t}", f"d{d}", float(rng.integers(0, 9)) / 8) for d in docs]
    return qrels, rows


QRELS, ROWS = made()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("track")
    (place / "qrels.txt").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in QRELS))
    (place / "runs").mkdir()
    for r in range(RUNS):
        own = [row for row in ROWS if row[0] == f"run{r}"]
        (place / "runs" / f"run{r}.run").write_text("".join(f"{t} Q0 {d} 1 {s} x\n" for _, t, d, s in own))
    return place


@pytest.fixture(scope="module")
def local(folder: Path) -> leadline.Track:
    return leadline.read(folder / "qrels.txt", folder / "runs")


@pytest.fixture(scope="module")
def frames(session: Any) -> tuple[Any, Any]:
    runs = session.createDataFrame(ROWS, "run string, qid string, docno string, score double")
    qrels = session.createDataFrame(QRELS, "query_id string, doc_id string, relevance int")
    return qrels, runs


def written(session: Any, folder: Path, file_of: Callable[[tuple[Any, ...]], int]) -> tuple[Any, Any]:
    """Qrels and rankings as folders of parquet files; ``file_of`` says which file a row of a ranking is in."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = Path(tempfile.mkdtemp(dir=folder))
    runs = {"run": 0, "qid": 1, "docno": 2, "score": 3}
    for name, rows, columns in (("runs", ROWS, runs), ("qrels", QRELS, {"query_id": 0, "doc_id": 1, "relevance": 2})):
        (place / name).mkdir()
        numbers = [file_of(row) if name == "runs" else 0 for row in rows]
        for number in set(numbers):
            own = [row for row, n in zip(rows, numbers, strict=True) if n == number]
            table = pa.table({column: [row[i] for row in own] for column, i in columns.items()})
            pq.write_table(table, place / name / f"part {number}.parquet")
    return session.read.parquet(str(place / "qrels")), session.read.parquet(str(place / "runs"))


def by_key(frame: Any, *names: str) -> dict[tuple[str, str, str], tuple[float, ...]]:
    found = [((r.run, r.topic, r.measure), tuple(r[n] for n in names or ("value",))) for r in frame.collect()]
    assert len(found) == len(dict(found))
    return dict(found)


def of_columns(columns: dict[str, Any], *names: str) -> dict[tuple[str, str, str], tuple[float, ...]]:
    keys = zip(columns["run"], columns["topic"], columns["measure"], strict=True)
    values = zip(*([None if v is None else float(v) for v in columns[n]] for n in names or ("value",)), strict=True)
    return dict(zip(keys, values, strict=True))


def same(found: dict[Any, tuple[Any, ...]], expected: dict[Any, tuple[Any, ...]]) -> None:
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert found[key] == pytest.approx(values, abs=1e-12, nan_ok=True), key


def told(findings: Any) -> set[tuple[str, int, str]]:
    return {(f.code, f.count, f.text) for f in findings}


# what a worker does, without Spark ------------------------------------------------------------------------------------
class Sent:
    """Stands for a broadcast variable."""

    def __init__(self, value: Any) -> None:
        self.value = value


def partitions(rows: list[tuple[str, str, str, Any]], topics: list[str], many: int) -> Iterator[list[Any]]:
    """Rows and the names of judged topics, each topic in one of the partitions, in small batches and an empty one."""
    import pyarrow as pa

    given = [(workers.RUN, *row) for row in rows] + [(workers.MARKER, None, t, None, None) for t in topics]
    schema = pa.schema([("kind", pa.int8()), ("run", pa.string()), ("topic", pa.string()), ("doc", pa.string()),
                        ("score", pa.float64())])  # fmt: skip
    for part in range(many):
        own = [row for row in given if sum(map(ord, row[2] or "")) % many == part]
        table = pa.table([list(column) for column in zip(*own, strict=True)], schema=schema) if own else None
        yield table.to_batches(max_chunksize=100) if table is not None else []


def worked(rows: list[tuple[str, str, str, Any]], measures: list[Any], *, many: int = 4, **asked: Any) -> Any:
    """All results of the workers, as one table."""
    import pyarrow as pa

    held, gmax, _ = _local_qrels(None, nested(QRELS), {}, False)
    asked = {"what": "evaluate", "reading": {"threads": 1}} | asked
    runs = tuple(sorted({r[0] for r in rows if r[0]}))
    task = workers.Task(kind="rows", measures=tuple(map(leadline.parse, measures)), qrels=Sent(held), gmax=gmax,
                        runs=runs, **asked)  # fmt: skip
    task = pickle.loads(pickle.dumps(task))
    topics = list(dict.fromkeys(t for t, _, _ in QRELS))
    return pa.Table.from_batches([b for part in partitions(rows, topics, many) for b in workers.work(task, part)])


def nested(qrels: list[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for topic, doc, grade in qrels:
        found.setdefault(topic, {})[doc] = grade
    return found


def every_measure() -> list[str]:
    """A measure of every kind that needs no aspects."""
    names = []
    for name, cls in catalogue().items():
        if cls.__module__.startswith("leadline.measures.aspects"):
            continue
        for text in (name, f"{name}@7", f"{name}@0.5"):
            try:
                names.append(str(leadline.parse(text)))
                break
            except UsageError:
                continue
    return names


def test_every_measure_is_the_same_whatever_the_partitions(local: leadline.Track) -> None:
    measures = [*every_measure(), POOLED]
    assert len(measures) > 40
    table = worked(ROWS, measures)
    table = table.filter(table["finding"].is_null())
    expected = of_columns(leadline.evaluate(local, measures).columns(total=False))
    keys = zip(*(table[n].to_pylist() for n in ("run", "topic", "measure")), strict=True)
    found = dict(zip(keys, ((v,) for v in table["value"].to_pylist()), strict=True))
    same({k: v for k, v in found.items() if k in expected}, expected)
    assert {k[2] for k in found if k not in expected} <= {"c@1"}  # which has no value of a single topic


def test_the_top_grade_is_that_of_the_whole_qrels(local: leadline.Track) -> None:
    top = max(g for _, _, g in QRELS)
    assert {t for t, _, g in QRELS if g == top} == {"04"}  # seen by one partition only
    assert local.gmax == top


def test_which_measures_look_at_the_pool() -> None:
    assert _need_the_pool([leadline.parse("AP"), leadline.parse(POOLED)])
    assert _need_the_pool([leadline.parse("AP(norm='pool')")])  # as soon as it is read at a depth, as in curves
    assert not _need_the_pool([leadline.parse(m) for m in MEASURES])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("run0", None, "d1", 1.0), r"run, row \('run0', None, 'd1', 1.0\): the topic id is no text, got a missing"),
        (("run0", "00", None, 1.0), r"run, row \('run0', '00', None, 1.0\): the document id is no text"),
        ((None, "00", "d1", 1.0), r"row \(None, '00', 'd1', 1.0\): the run id is no text"),
        (("run0", "00", "new", None), r"run 'run0', row \('00', 'new', None\): the score is NaN"),
        (("run0", "00", "new", float("nan")), r"run 'run0', row \('00', 'new', nan\): the score is NaN"),
        (("run0", "00", "", 1.0), r"run 'run0', row \('00', '', 1.0\): a document id must be a non-empty string"),
        (ROWS[0], r"run 'run0', row \('00', '(d\d+)', [\d.]+\): document \"\1\" appears twice .* on row \('00', '\1'"),
    ],
)
def test_a_bad_row_is_named_as_it_stands(row: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        worked([*ROWS, row], ["AP"])


def test_lenient_reading_keeps_the_best_of_duplicates_and_tells() -> None:
    run, topic, doc, score = ROWS[0]
    more = [*ROWS, (run, topic, doc, score + 1), ("run1", "00", "new", float("nan"))]
    found = worked(more, ["AP", "NumRet"], reading={"threads": 1, "lenient": True})
    notes = [json.loads(f) for f in found["finding"].to_pylist() if f]
    assert {n[0]: n[1] for n in notes}.items() >= {"duplicate-documents": 1, "nan-scores": 1}.items()
    columns = []
    for name in sorted({row[0] for row in more}):
        topics, docs, scores = zip(*(row[1:] for row in more if row[0] == name), strict=True)
        columns.append(from_columns(list(topics), list(docs), list(scores), name=name))
    expected = leadline.evaluate(leadline.read(nested(QRELS), columns, lenient=True), ["AP", "NumRet"])
    found = found.filter(found["finding"].is_null())
    keys = zip(*(found[n].to_pylist() for n in ("run", "topic", "measure")), strict=True)
    same(dict(zip(keys, ((v,) for v in found["value"].to_pylist()), strict=True)),
         of_columns(expected.columns(total=False)))  # fmt: skip


def test_a_partition_without_rows_gives_nothing() -> None:
    task = workers.Task(kind="rows", what="evaluate", measures=(leadline.parse("AP"),), qrels=None, gmax=1)
    assert list(workers.work(task, [])) == []


def test_without_pyspark_the_pip_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'leadline[spark]'")):
        spark.read(None, {"q": {"a": 1}}, "runs")


# on Spark -------------------------------------------------------------------------------------------------------------
def as_given(session: Any, folder: Path, frames: tuple[Any, Any], how: str) -> Any:
    """The same track in each of the ways it can be given."""
    if how == "paths":
        return spark.read(session, folder / "qrels.txt", folder / "runs", partitions=3)
    if how == "contents":
        return spark.read(session, (folder / "qrels.txt").as_uri(), (folder / "runs").as_uri(), via="spark")
    if how == "broadcast":
        return spark.read(session, folder / "qrels.txt", frames[1], partitions=8)
    if how == "parquet":
        track = spark.read(session, *written(session, folder, lambda row: int(row[1]) % 4), partitions=3)
        assert track.kind == "parquet"
        return track
    return spark.read(session, frames[0], frames[1], broadcast=False)


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("how", ["paths", "contents", "broadcast", "copartitioned", "parquet"])
def test_scores_totals_and_findings_are_the_local_ones(
    session: Any, folder: Path, frames: tuple[Any, Any], local: leadline.Track, how: str
) -> None:
    # what is pooled takes all runs of a topic: of files, one partition then
    measures = [*MEASURES, POOLED] if how in ("contents", "copartitioned", "parquet") else MEASURES
    expected = leadline.evaluate(local, measures)
    track = as_given(session, folder, frames, how)
    found = spark.evaluate(track, measures).persist()
    same(by_key(found.rows), of_columns(expected.columns(total=False)))
    same(by_key(found.totals()), of_columns(expected.columns(per_topic=False)))
    assert told(found.findings()) == told(expected.findings)
    assert {"topics-without-judgments", "topics-without-ranking", "undefined-scores"} <= found.findings().codes
    found.unpersist()
    plain = [m for m in measures if m != "c@1"]  # which workers can add up themselves
    added_up = spark.evaluate(track, plain).totals()
    same(by_key(added_up), of_columns(leadline.evaluate(local, plain).columns(per_topic=False)))


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("how", ["paths", "broadcast", "parquet"])
def test_best_lengths_are_the_local_ones(
    session: Any, folder: Path, frames: tuple[Any, Any], local: leadline.Track, how: str
) -> None:
    names = ("length", "value", "full", "gain", "empty")
    measures = ["SetF", "RBPU(p=0.9)", "OIE", "NumRelRet"]
    expected = leadline.truncate(local, measures)
    found = spark.truncate(as_given(session, folder, frames, how), measures).persist()
    columns = of_columns(expected.columns(per_topic=True), *names)
    same(by_key(found.rows, *names), {k: v for k, v in columns.items() if k[1] != "all"})
    whole = {k: v for k, v in columns.items() if k[1] == "all"}
    same(by_key(found.totals(), *names), whole)
    same(by_key(found.unpersist().totals(), *names), whole)
    assert told(found.findings()) == told(expected.findings)


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("how", "by", "undefined"),
    [("paths", "depth", "zero"), ("broadcast", "length", "nan"), ("parquet", "depth", "nan")],
)
def test_curves_are_the_local_ones(
    session: Any, folder: Path, frames: tuple[Any, Any], local: leadline.Track, how: str, by: Any, undefined: Any
) -> None:
    depths, measures = [0, 1, 5, 10, 60], ["AP", "nDCG", "RBPU(p=0.9)"]
    expected = leadline.curve(local, measures, by=by, depths=depths, undefined=undefined)
    found = spark.curve(as_given(session, folder, frames, how), measures, by=by, depths=depths, undefined=undefined)
    assert (found.runs, found.points.tolist()) == (expected.runs, expected.points.tolist())
    for m in measures:
        np.testing.assert_allclose(found.mean(m), expected.mean(m), rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.band(m), expected.band(m), rtol=0, atol=1e-9)
    codes = {f.code: f.count for f in expected.findings}
    assert codes.items() <= {f.code: f.count for f in found.findings}.items()


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
def test_files_are_opened_by_workers_only_where_that_is_the_same(
    session: Any, folder: Path, local: leadline.Track
) -> None:
    """A topic in two partitions, or a frame that is more than its files: the ordinary way, the same numbers."""
    expected = of_columns(leadline.evaluate(local, MEASURES).columns(total=False))
    split = spark.read(session, *written(session, folder, lambda row: len(row[2])), partitions=2)
    assert split.kind == "rows"
    same(by_key(spark.evaluate(split, MEASURES).rows), expected)
    qrels, runs = written(session, folder, lambda row: int(row[1]) % 4)
    fewer = spark.read(session, qrels, runs.where("run != 'run0'"))
    assert fewer.kind == "rows"
    same(
        by_key(spark.evaluate(fewer, "AP").rows), {k: v for k, v in expected.items() if k[0] != "run0" and k[2] == "AP"}
    )
    nameless = spark.read(session, qrels, runs.drop("run").where("qid = '01'"), lenient=True)
    assert {r.run for r in spark.evaluate(nameless, "AP").rows.collect()} == {"run"}


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
def test_a_skewed_topic_and_many_empty_partitions(session: Any, folder: Path) -> None:
    """One topic has nearly all rows, and there are more partitions than topics."""
    n = 30_000
    docs = session.range(n).selectExpr("'04' AS q_id", "concat('d', id) AS doc_id", "-1.0 * id AS score")
    few = session.createDataFrame([("05", "d1", 1.0)], "q_id string, doc_id string, score double")
    track = spark.read(session, folder / "qrels.txt", docs.unionByName(few), partitions=25)
    found = spark.evaluate(track, ["AP", "NumRet"])
    rows = {"04": {f"d{i}": -1.0 * i for i in range(n)}, "05": {"d1": 1.0}}
    expected = leadline.evaluate(leadline.read(folder / "qrels.txt", {"run": rows}), ["AP", "NumRet"])
    same(by_key(found.rows), of_columns(expected.columns(total=False)))


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
def test_errors_of_workers_are_told_as_locally(
    session: Any, folder: Path, frames: tuple[Any, Any], tmp_path: Path
) -> None:
    twice = frames[1].unionByName(frames[1].limit(1))
    result = spark.evaluate(spark.read(session, folder / "qrels.txt", twice), "AP")
    with pytest.raises(InputError, match=r"run 'run\d', row \('0\d+', .* appears twice"), clear_errors():
        result.rows.collect()
    bad = tmp_path / "bad.run"
    bad.write_text("00 Q0 d1 1 0.5 x\n00 Q0 d2 2 0.5\n")
    for via in ("path", "spark"):
        found = spark.evaluate(spark.read(session, folder / "qrels.txt", str(bad), via=via), "AP")
        with pytest.raises(InputError, match=rf"^(file:)?{re.escape(str(bad))}:2: expected 6 columns, got 5"):
            found.findings()
    other = session.createDataFrame([("zz", "d1", 1.0)], "qid string, docno string, score double")
    with pytest.raises(NothingToEvaluate, match="the runs have zz"):
        spark.evaluate(spark.read(session, folder / "qrels.txt", other), "AP").findings()


@pytest.mark.spark
@pytest.mark.filterwarnings("default")
def test_what_cannot_be_meant_is_refused_at_once(session: Any, folder: Path, frames: tuple[Any, Any]) -> None:
    qrels, runs = folder / "qrels.txt", frames[1]
    with pytest.raises(UsageError, match="have no order, which ties='file' needs"):
        spark.read(session, qrels, runs, ties="file")
    with pytest.raises(UnknownName, match="Did you mean 'docno'"):
        spark.read(session, qrels, runs, columns={"doc": "docn"})
    with pytest.raises(InputError, match="the topic ids in 'qid' are double, not text"):
        spark.read(session, qrels, runs.withColumn("qid", runs.qid.cast("double")))
    with pytest.raises(InputError, match="no such file"):
        spark.read(session, folder / "none.txt", runs)
    with pytest.raises(UsageError, match="exists for whole runs only"):
        spark.truncate(spark.read(session, qrels, folder / "runs"), "c@1")
