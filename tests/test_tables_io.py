"""Runs and qrels from tables of every kind: the same numbers as from files, ids untouched."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import leadline
from leadline.errors import InputError, MissingExtra, UnknownName, UsageError
from leadline.io.tables import qrels_table, run_table
from leadline.io.write import write_qrels, write_run

MEASURES = ["AP", "nDCG@10", "P@5", "RR", "Bpref", "RBP(p=0.8)", "ERR", "RBPU", "OIE", "nDCGT", "NumRet", "infAP"]
Rows = dict[str, list[Any]]


def random_track(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Three runs over six topics, with ties, unanswered topics and awkward ids."""
    rng = random.Random(seed)
    docs = ["NA", "007", "1e5", "null", "é"] + [f"d{i:03d}" for i in range(40)]
    topics = ["01", "1", "NaN", "q-4", "5.0", "∞"]
    qrels = {t: {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(docs, 25)} for t in topics}
    runs = {
        name: {
            t: {d: round(rng.gauss(0, 1), rng.choice([0, 1, 9])) for d in rng.sample(docs, rng.randint(1, 40))}
            for t in topics
            if rng.random() < 0.85 or t == "01"
        }
        for name in ("bm25", "NA", "0")
    }
    return qrels, runs


def qrels_rows(qrels: dict[str, dict[str, int]], names: tuple[str, str, str]) -> Rows:
    flat = [(t, d, g) for t, docs in qrels.items() for d, g in docs.items()]
    return dict(zip(names, map(list, zip(*flat, strict=True)), strict=True))


def run_rows(runs: dict[str, dict[str, dict[str, float]]], names: tuple[str, str, str]) -> Rows:
    """All runs one after the other, with a run column."""
    flat = [(t, d, s, r) for r, lists in runs.items() for t, docs in lists.items() for d, s in docs.items()]
    return dict(zip((*names, "run"), map(list, zip(*flat, strict=True)), strict=True))


def scores_of(qrels: Any, runs: Any) -> np.ndarray:
    track = leadline.read(qrels, runs)
    assert sorted(track.runs) == ["0", "NA", "bm25"]
    track = track.select(runs=["bm25", "NA", "0"], topics=sorted(track.topics))
    scores = leadline.evaluate(track, MEASURES)
    return np.stack([scores.array(m) for m in scores.measures])


def duck(rows: Rows) -> Any:
    return duckdb.from_arrow(pa.table(rows))


def categorical(rows: Rows) -> pd.DataFrame:
    frame = pd.DataFrame(rows)
    return frame.astype({frame.columns[0]: "category", "run": "category"} if "run" in rows else {})


TABLES: dict[str, Callable[[Rows], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-objects": lambda rows: pd.DataFrame(rows, dtype=object),
    "pandas-arrow": lambda rows: pd.DataFrame(rows).convert_dtypes(dtype_backend="pyarrow"),
    "pandas-categories": categorical,
    "polars": pl.DataFrame,
    "polars-lazy": pl.LazyFrame,
    "arrow": pa.table,
    "arrow-chunks": lambda rows: pa.concat_tables([pa.table(rows).slice(0, 7), pa.table(rows).slice(7)]),
    "arrow-batch": lambda rows: pa.record_batch(rows),
    "duckdb": duck,
    "narwhals": lambda rows: nw.from_native(pl.DataFrame(rows)),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_the_same_numbers_from_every_kind_of_table(kind: str, seed: int) -> None:
    qrels, runs = random_track(seed)
    expected = scores_of(qrels, runs)
    assert len(np.unique(expected)) > 100
    make = TABLES[kind]
    for topic, doc, grade in [
        ("query_id", "doc_id", "relevance"), ("qid", "docno", "label"), ("q_id", "doc_id", "score"),
    ]:  # fmt: skip
        found = scores_of(make(qrels_rows(qrels, (topic, doc, grade))), make(run_rows(runs, (topic, doc, "score"))))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_numbers_from_files_dictionaries_and_single_frames(seed: int, tmp_path: Path) -> None:
    qrels, runs = random_track(seed)
    expected = scores_of(qrels, runs)
    write_qrels(tmp_path / "qrels.txt", qrels)
    for name, run in runs.items():
        write_run(tmp_path / f"{name}.run.gz", run)
    files = [tmp_path / f"{name}.run.gz" for name in runs]
    np.testing.assert_array_equal(scores_of(tmp_path / "qrels.txt", files), expected)
    names = ("query_id", "doc_id", "score")
    frames = {name: pd.DataFrame(run_rows({name: run}, names)).drop(columns="run") for name, run in runs.items()}
    np.testing.assert_array_equal(scores_of(qrels, frames), expected)
    np.testing.assert_array_equal(scores_of(qrels, list(frames.items())), expected)


def _save_parquet(table: pa.Table, path: Path) -> Path:
    parquet.write_table(table, path)
    return path


def _save_feather(table: pa.Table, path: Path) -> Path:
    feather.write_feather(table, str(path), compression="uncompressed")
    return path


def _save_stream(table: pa.Table, path: Path) -> Path:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize(
    ("save", "ending"), [(_save_parquet, "parquet"), (_save_feather, "feather"), (_save_stream, "arrow")]
)
def test_parquet_and_arrow_files(save: Callable[[pa.Table, Path], Path], ending: str, tmp_path: Path) -> None:
    qrels, runs = random_track(5)
    expected = scores_of(qrels, runs)
    names = ("query_id", "doc_id", "score")
    judged = save(pa.table(qrels_rows(qrels, ("query_id", "doc_id", "relevance"))), tmp_path / f"qrels.{ending}")
    together = save(pa.table(run_rows(runs, names)), tmp_path / f"all.{ending}")
    np.testing.assert_array_equal(scores_of(judged, together), expected)
    apart = [
        save(pa.table(run_rows({name: run}, names)).drop_columns(["run"]), tmp_path / f"{name}.{ending}")
        for name, run in runs.items()
    ]
    np.testing.assert_array_equal(scores_of(judged, apart), expected)
    folder = tmp_path / "runs"
    folder.mkdir()
    for file in apart:
        file.rename(folder / file.name)
    np.testing.assert_array_equal(scores_of(judged, folder), expected)


def test_ids_are_texts_always() -> None:
    qrels = pd.DataFrame({"qid": ["007", "7"], "docno": ["NA", "00"], "label": [1, 1]})
    run = pl.DataFrame({"qid": ["007", "7"], "docno": ["NA", "0"], "score": [1.0, 1.0]})
    assert leadline.evaluate(leadline.read(qrels, run), "P@1").array("P@1").tolist() == [[1.0, 0.0]]
    numbered = leadline.read(pa.table({"qid": [301], "docno": [5], "label": [1]}), {"301": {"5": 1.0}})
    assert numbered.topics == ("301",)
    assert leadline.evaluate(numbered, "RR").mean("RR") == 1.0
    mixed = pd.DataFrame({"qid": ["a", 2], "docno": ["x", 3], "label": [1, 1]}, dtype=object)
    assert leadline.read(mixed, {"2": {"3": 1.0}}).topics == ("a", "2")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (["d1", None], "qrels, row 2: the document id in 'docno' is no text, got a missing value"),
        ([1.0, 2.0], "qrels: the document ids in 'docno' are double, not text. Read the column as text"),
        ([True, False], "are bool, not text"),
    ],
)
def test_ids_that_are_no_texts(column: list[Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        leadline.read(pa.table({"qid": ["1", "2"], "docno": column, "label": [1, 1]}), {"1": {"d1": 1.0}})


def test_objects_that_are_no_texts() -> None:
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": ["d1", ("x",)], "label": [1, 1]}, dtype=object)
    with pytest.raises(InputError, match=r"row 2: the document id in 'docno' is no text, got \('x',\)"):
        leadline.read(frame, {"1": {"d1": 1.0}})


def test_bad_values_name_their_row() -> None:
    run = pd.DataFrame({"run": ["a", "b", "b"], "qid": ["1"] * 3, "docno": ["x", "y", "z"], "score": [1.0, 2.0, None]})
    with pytest.raises(InputError, match="run 'b', row 3: the score is NaN"):
        leadline.read({"1": {"x": 1}}, run)
    with pytest.raises(InputError, match="qrels, row 2: the grade is no integer"):
        leadline.read(pl.DataFrame({"qid": ["1", "1"], "docno": ["x", "y"], "label": [1.0, 0.5]}), {"1": {"x": 1.0}})
    twice = pd.DataFrame({"qid": ["1", "1"], "docno": ["x", "x"], "score": [1.0, 2.0]})
    with pytest.raises(InputError, match='document "x" appears twice in topic "1", got it first on row 1'):
        leadline.read({"1": {"x": 1}}, twice)
    with pytest.raises(InputError, match=r'no column for the document, got "qid, score"'):
        leadline.read({"1": {"x": 1}}, pl.DataFrame({"qid": ["1"], "score": [1.0]}))


def test_columns_given_by_name() -> None:
    run = pl.DataFrame({"user": ["1", "1"], "item": ["x", "y"], "rating": [1, 2], "score": [9, 8], "model": ["m", "m"]})
    found = run_table(run, topic="user", doc="item", score="rating", run="model")
    qrels = qrels_table(pd.DataFrame({"user": ["1"], "item": ["y"], "clicked": [1]}), topic="user", doc="item",
                        grade="clicked")  # fmt: skip
    track = leadline.read(qrels, found)
    assert track.runs == ("m",)
    assert leadline.evaluate(track, "RR").mean("RR") == 1.0  # by rating, not by the column called score
    with pytest.raises(UnknownName, match=r"Unknown column of run 'itm'\. Did you mean 'item'"):
        run_table(run, topic="user", doc="itm")


def test_ranks_of_a_table() -> None:
    run = pa.table({"qid": ["1", "1"], "docno": ["x", "y"], "score": [5.0, 1.0], "rank": [2, 1]})
    qrels = {"1": {"y": 1}}
    assert leadline.evaluate(leadline.read(qrels, run), "RR").mean("RR") == 0.5
    assert leadline.evaluate(leadline.read(qrels, run, ties="rank"), "RR").mean("RR") == 1.0


def test_aspects_of_a_table() -> None:
    rows = {"qid": ["1", "1"], "docno": ["x", "y"], "relevance": [1, 2], "correctness": ["c", "nc"]}
    run = {"1": {"x": 2.0, "y": 1.0}}
    plain = {"1": {"x": (1, "c"), "y": (2, "nc")}}
    declared = "relevance=0..2 correctness=nc,pc,c"
    expected = leadline.read(plain, run, aspects=declared).judgments.labels
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        np.testing.assert_array_equal(leadline.read(make(rows), run, aspects=declared).judgments.labels, expected)


def test_what_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Cannot read qrels from int 5"):
        leadline.read(5, {"1": {"x": 1.0}})
    bad = tmp_path / "x.parquet"
    bad.write_bytes(b"PAR1 this is none")
    with pytest.raises(InputError, match=r"x\.parquet: is no parquet or Arrow file"):
        leadline.read({"1": {"x": 1}}, bad)
    with pytest.raises(InputError, match=r"none\.parquet: no such file"):
        leadline.read({"1": {"x": 1}}, tmp_path / "none.parquet")


@pytest.mark.parametrize("missing", ["narwhals", "pyarrow"])
def test_a_missing_extra_names_its_pip_line(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name.split(".")[0] == missing:
            raise ImportError(f"No module named {missing!r}", name=missing)
        return whole(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(MissingExtra, match=r"pip install 'leadline\[tables\]'"):
        leadline.read(pd.DataFrame({"qid": ["1"], "docno": ["x"], "label": [1]}), {"1": {"x": 1.0}})


def test_a_large_table_is_not_walked_row_by_row() -> None:
    rows = 300_000
    topics = np.repeat([f"t{i:03d}" for i in range(300)], 1000)
    docs = np.tile([f"doc{i:04d}" for i in range(1000)], 300)
    run = pa.table({"query_id": topics.tolist(), "doc_id": docs.tolist(), "score": np.arange(rows, dtype=float)})
    qrels = pa.table({"query_id": topics.tolist(), "doc_id": docs.tolist(), "relevance": np.arange(rows) % 7 == 0})
    columns = run_table(run)[0]
    assert all(isinstance(ids, tuple) for ids in (columns.topics, columns.docs))  # bytes and offsets, no Python texts
    track = leadline.read(qrels.set_column(2, "relevance", qrels["relevance"].cast(pa.int8())), run)
    assert int(track.lengths.sum()) == rows


def test_reading_files_needs_no_table_library(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    (tmp_path / "r.run").write_text("1 Q0 a 1 1.0 x\n")
    code = (
        "import leadline, sys; leadline.evaluate(leadline.read('q.txt', 'r.run'), 'AP');"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'narwhals', 'pyarrow', 'pandas', 'polars'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


FORMATS = ["run", "json", "jsonl", "csv", "tsv", "parquet", "arrow", "feather", "csv.gz", "jsonl.zst", "parquet.xz"]


@pytest.mark.parametrize("ending", FORMATS)
def test_runs_and_qrels_are_written_in_every_format(ending: str, tmp_path: Path) -> None:
    qrels, runs = random_track(7)
    expected = scores_of(qrels, runs)
    judged = tmp_path / f"qrels.{ending}"
    write_qrels(judged, qrels)
    files = [tmp_path / f"{name}.{ending}" for name in runs]
    for file, run in zip(files, runs.values(), strict=True):
        write_run(file, run)
    np.testing.assert_array_equal(scores_of(judged, files), expected)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_an_order_without_scores_is_written(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a.{ending}"
    write_run(file, [("1", ["z", "a", "m"], None)])
    read = leadline.read({"1": {"m": 1}}, file)
    assert leadline.evaluate(read, "RR").mean("RR") == pytest.approx(1 / 3)
    assert leadline.evaluate(leadline.read({"1": {"m": 1}}, file, ties="rank"), "RR").mean("RR") == pytest.approx(1 / 3)


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "tsv", "parquet", "txt"])
def test_several_labels_are_written(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"qrels.{ending}"
    qrels = {"1": {"x": [1, "c"], "y": [2, "nc"]}}
    write_qrels(file, qrels, labels=["relevance", "correctness"])
    declared = "relevance=0..2 correctness=nc,pc,c"
    run = {"1": {"x": 1.0}}
    found = leadline.read(file, run, aspects=declared).judgments.labels
    np.testing.assert_array_equal(found, leadline.read(qrels, run, aspects=declared).judgments.labels)
    if ending != "txt":
        with pytest.raises(UsageError, match="Got 2 labels instead"):
            write_qrels(file, qrels)
