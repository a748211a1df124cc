"""One track in every format and compression reads the same; what is written reads back."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

from leadline.errors import InputError, UsageError
from leadline.io import Reading, from_columns, read_files
from leadline.io.write import atomic, write_qrels, write_run

QRELS = {"q1": {"d1": 2, "d2": 0, "dé#'\"": 1}, "q2": {"x" * 300: 3, "d1": -1}, "q3": {"d1": 1}}
RUN = {
    "q2": {"d1": 1.25, "d7": 3.0, "x" * 300: -1e-5},
    "q1": {"d9": 0.1, "dé#'\"": float("inf"), "d2": 0.1},
    "q9": {"d1": 1.0},
}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": gzip.compress, ".zst": zstandard.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
}  # fmt: skip


def flat(nested: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(t, d, v) for t, docs in nested.items() for d, v in docs.items()]


def table(rows: list[tuple[str, str, float]], header: list[str], delimiter: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([header, *rows])
    return out.getvalue().encode()


def lines(nested: dict[str, dict[str, float]], value: str) -> bytes:
    return "\n".join(json.dumps({"query_id": t, "doc_id": d, value: v}) for t, d, v in flat(nested)).encode()


def records(nested: dict[str, dict[str, float]], value: str) -> bytes:
    return json.dumps([{"qid": t, "docno": d, value: v} for t, d, v in flat(nested)]).encode()


RUNS = {
    "a.run": "".join(f"{t} Q0 {d} 1 {v!r} tag\n" for t, d, v in flat(RUN)).encode(),
    "a.txt": "\r\n".join(f"{t}\tQ0\t{d}\t1\t{v!r}\ttag" for t, d, v in flat(RUN)).encode(),
    "a.json": json.dumps(RUN).encode(),
    "a.jsonl": lines(RUN, "score"),
    "a.trec": records(RUN, "score"),
    "a.csv": table(flat(RUN), ["q_id", "docid", "score"], ","),
    "a.tsv": b"\xef\xbb\xbf" + table([(d, t, v) for t, d, v in flat(RUN)], ["doc", "Topic", "score"], "\t"),
}
JUDGED = {
    "qrels": "".join(f"{t} 0 {d} {v}\n" for t, d, v in flat(QRELS)).encode(),
    "qrels.json": json.dumps(QRELS).encode(),
    "qrels.jsonl": lines(QRELS, "relevance"),
    "qrels.csv": table(flat(QRELS), ["query_id", "doc_id", "rel"], ","),
    "qrels.tsv": table(flat(QRELS), ["query", "docno", "label"], "\t"),
}


def same(a: Reading, b: Reading) -> None:
    assert a.topics == b.topics
    for name in ("row_offsets", "labels", "lengths", "answered", "offsets", "rank", "row", "scores"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    assert a.docs is not None
    assert b.docs is not None
    assert [a.docs.list(i) for i in range(len(a.lengths))] == [b.docs.list(i) for i in range(len(b.lengths))]
    assert a.qrels_docs(np.arange(len(a.labels))) == b.docs.row_ids(range(len(b.labels)))


@pytest.fixture(scope="module")
def plain() -> Reading:
    read = read_files(QRELS, ("a", RUN), keep_docs=True, keep_scores=True)
    assert read.docs is not None
    assert read.docs.list(0) == ["dé#'\"", "d9", "d2"]
    assert read.docs.list(1) == ["d7", "d1", "x" * 300]
    assert (read.rank.tolist(), read.row.tolist()) == ([1, 3, 2, 3], [2, 1, 4, 3])
    assert str(read.findings) == "topics-without-judgments: 1 (q9), ignored"
    assert read.answered.tolist() == [True, True, False]
    assert read.labels.dtype == np.int32
    assert read.rank.dtype == np.int32
    assert read.offsets.dtype == np.int64
    return read


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("file", RUNS)
def test_runs_in_every_format(file: str, packed: str, tmp_path: Path, plain: Reading) -> None:
    path = tmp_path / (file + packed)
    path.write_bytes(PACK[packed](RUNS[file]))
    read = read_files(QRELS, path, keep_docs=True, keep_scores=True)
    same(read, plain)
    assert read.runs == ("a",)
    assert read.sources == (str(path),)
    assert read.tags == (("tag",) if file in ("a.run", "a.txt") else ("",))


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("file", JUDGED)
def test_qrels_in_every_format(file: str, packed: str, tmp_path: Path, plain: Reading) -> None:
    path = tmp_path / (file + packed)
    path.write_bytes(PACK[packed](JUDGED[file]))
    same(read_files(path, RUN, keep_docs=True, keep_scores=True), plain)


def test_content_decides_whatever_the_ending_says(tmp_path: Path, plain: Reading) -> None:
    for name, content in [
        ("a.gz", RUNS["a.run"]),
        ("b.run", gzip.compress(RUNS["a.json"])),
        ("c.zst", bz2.compress(RUNS["a.run"])),
    ]:
        (tmp_path / name).write_bytes(content)
        same(read_files(QRELS, tmp_path / name, keep_docs=True, keep_scores=True), plain)


def test_streams_end_to_end(tmp_path: Path, plain: Reading) -> None:
    half = RUNS["a.run"].index(b"q1")
    for ending, pack in list(PACK.items())[1:]:
        path = tmp_path / f"a.run{ending}"
        path.write_bytes(
            pack(RUNS["a.run"][:half]) + pack(RUNS["a.run"][half:]) + (b"\0" * 512 if ending == ".gz" else b"")
        )
        same(read_files(QRELS, path, keep_docs=True, keep_scores=True), plain)


@pytest.mark.parametrize("ending", list(PACK)[1:])
def test_damage_is_found(ending: str, tmp_path: Path) -> None:
    data = bytearray(PACK[ending](b"".join(b"q1 Q0 d%d 1 %d t\n" % (i, -i) for i in range(3000))))
    data[len(data) // 2] ^= 0x55
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(InputError, match=r"data (is damaged|ends too early)|expected 6|no number|twice"):
        read_files(QRELS, tmp_path / "a")


def test_columns(plain: Reading) -> None:
    topics, docs, scores = zip(*flat(RUN), strict=True)
    same(read_files(QRELS, from_columns(topics, docs, scores), keep_docs=True, keep_scores=True), plain)
    packed = []
    for column in (topics, docs):
        blobs = [s.encode() for s in column]
        packed.append((np.frombuffer(b"".join(blobs), np.uint8), np.cumsum([0, *map(len, blobs)])))
    qrels = from_columns(*zip(*flat(QRELS), strict=True))
    same(read_files(qrels, from_columns(*packed, np.array(scores)), keep_docs=True, keep_scores=True), plain)


def test_columns_are_checked() -> None:
    with pytest.raises(InputError, match=r'run \'x\', row 2: the score is no number, got "b". Use a number.'):
        read_files(QRELS, from_columns(["q1", "q1"], ["a", "b"], ["1", "b"], name="x"))
    with pytest.raises(InputError, match=r"run 'x', row 2: a topic id must be a non-empty string, got None."):
        read_files(QRELS, from_columns(["q1", None], ["a", "b"], [1, 2], name="x"))  # type: ignore[list-item]
    with pytest.raises(InputError, match=r'qrels, row 1: the grade is no integer of 32 bits, got "2147483648".'):
        read_files(from_columns(["q1"], ["a"], [2**31]), RUN)
    with pytest.raises(InputError, match=r'run \'run\', row 2: document "a" appears twice .* got it first on row 1.'):
        read_files(QRELS, from_columns(["q1", "q1"], ["a", "a"], [1, 2]))
    with pytest.raises(InputError, match=r"no rank column"):
        read_files(QRELS, from_columns(["q1"], ["a"], [1]), ties="rank")
    with pytest.raises(UsageError, match=r"run 'run': columns of different lengths"):
        read_files(QRELS, from_columns(["q1"], ["a", "b"], [1, 2]))


def test_rank_rule_in_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("qid,docno,rank,score\nq1,a,2,9\nq1,b,1,8\n")
    for run in (tmp_path / "a.csv", from_columns(["q1", "q1"], ["a", "b"], [9, 8], ranks=[2, 1])):
        read = read_files(QRELS, run, ties="rank", keep_docs=True)
        assert read.docs is not None
        assert read.docs.list(0) == ["b", "a"]


def test_aspects(tmp_path: Path) -> None:
    aspects = [("grade", None), ("credible", ["no", "yes"])]
    (tmp_path / "q.txt").write_text("q1 0 d1 2 yes\nq2 0 d1 0 no\nq1 0 d2 -1 no\n")
    (tmp_path / "q.csv").write_text("qid,docno,credible,Grade\nq1,d1,yes,2\nq1,d2,no,-1\nq2,d1,no,0\n")
    nested = {"q1": {"d1": (2, "yes"), "d2": [-1, "no"]}, "q2": {"d1": (0, "no")}}
    for qrels in (tmp_path / "q.txt", tmp_path / "q.csv", nested):
        read = read_files(qrels, RUN, aspects=aspects)
        assert read.labels.tolist() == [[2, 1], [-1, 0], [0, 0]]
        assert read.qrels_docs([0, 1, 2]) == ["d1", "d2", "d1"]


@pytest.mark.parametrize("ending", PACK)
def test_written_files_read_back(ending: str, tmp_path: Path, plain: Reading) -> None:
    write_run(tmp_path / f"a.run{ending}", RUN, tag="x")
    write_qrels(tmp_path / f"qrels{ending}", QRELS)
    read = read_files(tmp_path / f"qrels{ending}", tmp_path / f"a.run{ending}", keep_docs=True, keep_scores=True)
    same(read, plain)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([f"a.run{ending}", f"qrels{ending}"])
    write_run(tmp_path / f"b.run{ending}", [("q1", ["b", "a", "c"], None)])
    again = read_files(QRELS, tmp_path / f"b.run{ending}", keep_docs=True, name="tag")
    assert again.docs is not None
    assert again.docs.list(0) == ["b", "a", "c"]
    assert again.runs == ("leadline",)


def test_ids_that_trec_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="document id 'a b' cannot be written"):
        write_run(tmp_path / "a.run", {"q1": {"a b": 1.0}})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="topic id '' cannot be written"):
        write_qrels(tmp_path / "q", [("", "d", 1)])
    write_qrels(tmp_path / "q", [("q1", "d", 1, "high")])
    assert (tmp_path / "q").read_text() == "q1 0 d 1 high\n"


def test_atomic_keeps_the_old_file_on_failure(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    target.chmod(0o640)
    with pytest.raises(ZeroDivisionError), atomic(target) as out:
        out.write(b"half of it" * (1 // (out.write(b"half") - 4)))
    assert target.read_text() == "old"
    with atomic(target) as out:
        out.write(b"new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="devices, pipes and links")
def test_atomic_leaves_what_is_no_file(tmp_path: Path) -> None:
    with atomic("/dev/null") as out:
        out.write(b"x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    with atomic(pipe) as out:
        out.write(b"through")
    reader.join()
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with atomic(tmp_path / "link") as out:
        out.write(b"new")
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()
    for bad in (tmp_path, tmp_path / "none" / "out"):
        with pytest.raises(UsageError), atomic(bad) as out:
            pass


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_pipes_are_read_once(tmp_path: Path, plain: Reading) -> None:
    for file in ("a.run", "a.json", "a.csv"):
        for pack in PACK.values():
            pipe = tmp_path / "pipe"
            os.mkfifo(pipe)
            writer = threading.Thread(target=pipe.write_bytes, args=[pack(RUNS[file])])
            writer.start()
            same(read_files(QRELS, pipe, keep_docs=True, keep_scores=True), plain)
            writer.join()
            pipe.unlink()
