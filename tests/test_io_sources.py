"""What may be handed over, what it is called, what is found on the way."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from leadline import _core
from leadline.errors import InputError, NothingToEvaluate, UsageError
from leadline.io import read_files, start_read

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
LINE = b"q1 Q0 d1 1 2.5 bm25\n"


def write(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def test_run_names(tmp_path: Path) -> None:
    names = ["a.run", "b.v2.txt", "c.trec.gz", "d", "e.res.xz", "f.gz", "g.model", ".h.run", "i.csv.run", "j.run.run"]
    for name in names:
        (tmp_path / name).write_bytes(LINE)
    read = read_files(QRELS, [tmp_path / n for n in names])
    assert read.runs == ("a", "b.v2", "c", "d", "e", "f", "g.model", ".h", "i.csv", "j.run")
    assert read_files(QRELS, tmp_path / "a.run", name="tag").runs == ("bm25",)
    assert read_files(QRELS, [{"q1": {"d1": 1}}, {"q2": {"d1": 1}}]).runs == ("run1", "run2")
    assert read_files(QRELS, {"q1": {"d1": 1}}, name="tag").runs == ("run",)


def test_equal_names(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    write(write(tmp_path, a__run=LINE) / "x", a__txt__gz=LINE)
    with pytest.raises(UsageError) as caught:
        read_files(QRELS, [tmp_path / "a.run", tmp_path / "x" / "a.txt.gz"])
    assert str(caught.value) == (
        f"Two runs are called 'a': {tmp_path / 'a.run'} and {tmp_path / 'x' / 'a.txt.gz'}. "
        "Rename one, or use the run tags as names (--name tag)."
    )
    assert caught.value.exit_code == 2
    write(tmp_path, b__run=LINE)
    with pytest.raises(UsageError, match="Two runs are called 'bm25'"):
        read_files(QRELS, [tmp_path / "a.run", tmp_path / "b.run"], name="tag")


def test_folder(tmp_path: Path) -> None:
    write(tmp_path, b__run=LINE, a__run=LINE, __hidden=b"?")
    (tmp_path / "sub").mkdir()
    read = read_files(QRELS, [tmp_path, {"third": {"q1": {"d1": 1.0}}}])
    assert read.runs == ("a", "b", "third")
    (finding,) = read.findings
    assert (finding.code, finding.count) == ("ignored-in-folder", 2)
    with pytest.raises(InputError, match="sub: the folder holds no run files, got 0 other entries"):
        read_files(QRELS, tmp_path / "sub")
    with pytest.raises(InputError, match=r"sub: is a folder, a qrels file was expected. Give a file."):
        read_files(tmp_path / "sub", tmp_path / "a.run")


def test_dictionaries() -> None:
    run = {"q1": {"d1": 1.0}}
    assert read_files(QRELS, {"a": run, "b": run}).runs == ("a", "b")
    assert read_files(QRELS, [("a", run), {"b": run, "c": run}]).runs == ("a", "b", "c")
    read = read_files(QRELS, {"q1": {}, "q2": {"d1": np.float32(0.5), "d9": 1}}, keep_scores=True)
    assert read.answered.tolist() == [True, True]
    assert read.lengths.tolist() == [0, 2]
    assert read.scores is not None
    assert read.scores.tolist() == [1, 0.5]
    assert read_files({"q1": {"d1": np.int64(3), "d2": 2.0}, "q2": {}}, run).labels.tolist() == [[3], [2]]


BAD: list[tuple[Any, Any, str]] = [
    (
        QRELS,
        {"q1": {"d1": "1.5"}},
        "run 'run': topic 'q1', document 'd1': the score is no number, got '1.5'. Convert it first.",
    ),
    (
        QRELS,
        {"q1": {"d1": None}},
        "run 'run': topic 'q1', document 'd1': the score is no number, got None. Convert it first.",
    ),
    (QRELS, {"x": {"q1": {7: 1.0}}}, "run 'x': a document id must be a non-empty string, got 7. Convert it first."),
    (QRELS, {1: {"d1": 1.0}}, "run 'run': a topic id must be a non-empty string, got 1. Convert it first."),
    (QRELS, {"q1": 1.0}, "run 'run': topic 'q1' must map documents to values, got 1.0. Convert it first."),
    (
        QRELS,
        {"q1": {"d\ud800": 1.0}},
        "run 'run': a document id must be a non-empty string, got 'd\\ud800'. Convert it first.",
    ),
    (
        QRELS,
        {"q1": {"d1": float("nan")}},
        'run \'run\', topic "q1", document "d1": the score is NaN, got "nan". '
        "Give a number, or read leniently (--lenient) to rank it last.",
    ),
    (QRELS, {}, "run 'run': nothing in it, got no topic. Give at least one."),
    ({}, {"q1": {"d1": 1.0}}, "qrels: nothing in it, got no topic. Give at least one."),
    (
        {"q1": {"d1": 0.5}},
        {"q1": {"d1": 1.0}},
        "qrels: topic 'q1', document 'd1': the grade is no integer, got 0.5. Convert it first.",
    ),
    (
        {"q1": {"d1": float("nan")}},
        {"q1": {"d1": 1.0}},
        "qrels: topic 'q1', document 'd1': the grade is no integer, got nan. Convert it first.",
    ),
    (
        {"q1": {"d1": 2**31}},
        {"q1": {"d1": 1.0}},
        "qrels: topic 'q1', document 'd1': the grade is out of range, got 2147483648. Convert it first.",
    ),
]


@pytest.mark.parametrize(("qrels", "run", "message"), BAD)
def test_bad_dictionaries(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_files(qrels, run)
    assert str(caught.value) == message


def test_bad_arguments(tmp_path: Path) -> None:
    for bad in ({"ties": "tree"}, {"name": "x"}, {"threads": 0}, {"aspects": []}, {"aspects": [("a", None)] * 26}):
        with pytest.raises(UsageError, match=r"must (be|name).* Got .* instead"):
            read_files(QRELS, {"q1": {"d1": 1}}, **bad)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="No run was given"):
        read_files(QRELS, [])
    with pytest.raises(UsageError, match="Cannot read runs from int 3"):
        read_files(QRELS, [3])
    with pytest.raises(UsageError, match="Cannot read qrels from int 3"):
        read_files(3, {"q1": {"d1": 1}})
    with pytest.raises(UsageError, match="twice"):
        read_files("-", "-")


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LINE)))
    assert read_files(QRELS, "-").runs == ("stdin",)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"q1 0\n")))
    with pytest.raises(InputError, match=r"^standard input:1: expected 4 columns"):
        read_files("-", {"q1": {"d1": 1}})


def test_no_topic_in_common() -> None:
    with pytest.raises(NothingToEvaluate) as caught:
        read_files(QRELS, {"1": {"d1": 1.0}, "2": {"d1": 1.0}})
    assert str(caught.value) == (
        "No topic of the runs is in the qrels: the runs have 1, 2, the qrels q1, q2. Do they belong together?"
    )
    assert caught.value.exit_code == 4
    read = read_files(QRELS, {"a": {"z": {"d1": 1.0}}, "b": {"q1": {"d1": 1.0}}})  # one run is enough
    assert read.answered.tolist() == [False, False, True, False]


def test_all_bad_files_at_once(tmp_path: Path) -> None:
    write(tmp_path, a__run=b"q1 Q0 d1 1 x t\n", b__run=LINE, d__run=b"")
    with pytest.raises(InputError) as caught:
        read_files(tmp_path / "none", [tmp_path / f"{n}.run" for n in "abcd"])
    said = [line.replace(f"{tmp_path}{os.sep}", "").split(". ")[0] for line in caught.value.problems]
    assert said == [
        "none: no such file",
        'a.run:1: the score is no number, got "x"',
        "c.run: no such file",
        "d.run: the run file is empty, got no line with columns",
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_unreadable(tmp_path: Path) -> None:
    write(tmp_path, a__run=LINE)
    (tmp_path / "a.run").chmod(0)
    with pytest.raises(InputError, match=r"a\.run: cannot be read, got 'Permission denied'"):
        read_files(QRELS, tmp_path / "a.run")


def test_lenient_findings(tmp_path: Path) -> None:
    run = b"q1 Q0 a 1 nan t\nq1 Q0 b 2 1 t\nq1 Q0 c 3 2 t\nq1 Q0 b 4 3 t\nq1 Q0 b 5 nan t\n"
    run += b"q2 Q0 d1 1 -inf t\nq2 Q0 z 1 nan t\n"
    qrels = b"q1 0 a 1\nq1 0 b 1\nq1 0 a 1\nq1 0 b 0\nq1 0 b 2\nq1 0 c 0\nq2 0 d1 0\n"
    write(tmp_path, a__run=run, qrels=qrels)
    read = read_files(tmp_path / "qrels", tmp_path / "a.run", lenient=True, keep_docs=True)
    assert read.docs is not None
    assert read.docs.list(0) == ["b", "c", "a"]
    assert read.docs.list(1) == ["d1", "z"]
    assert read.labels[:, 0].tolist() == [1, 2, 0, 0]
    assert str(read.findings).replace(f"{tmp_path}{os.sep}", "") == (
        "duplicate-judgments: 1 (qrels:3), the first of each kept\n"
        "differing-judgments: 2 (qrels:4, qrels:5), the highest grade of each kept\n"
        "duplicate-documents: 2 (a.run:4, a.run:5), the best of each kept\n"
        "nan-scores: 3 (a.run:1, a.run:5, a.run:7), ranked last"
    )


def test_nil_and_long_ids(tmp_path: Path) -> None:
    long = "ü" * 5000
    run = f"q1 Q0 {long} 1 3 t\nq1 Q0 NIL 2 2 t\nq1 Q0 NILx 3 1 t\nq2 Q0 d1 1 1 {'t' * 20000}\n".encode()
    read = read_files(
        {"q1": {long: 1, "NIL": 0}, "q2": {"d1": 0}}, write(tmp_path, a=run) / "a", nil="NIL", keep_docs=True
    )
    assert read.nil_rank is not None
    assert read.nil_rank.tolist() == [2, 0]
    assert read.lengths.tolist() == [3, 1]
    assert read.rank.tolist() == [1, 2, 1]
    assert read.docs is not None
    assert read.docs.list(0)[0] == long
    assert read_files(QRELS, tmp_path / "a").nil_rank is None


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    write(tmp_path, a__run=b"q\xff Q0 d\xfe\x80 1 1 t\xfd\n", qrels=b"q\xff 0 d\xfe\x80 1\n")
    read = read_files(tmp_path / "qrels", tmp_path / "a.run", name="tag")
    assert os.fsencode(read.topics[0]) == b"q\xff"
    assert read.qrels_docs([0])[0].encode("utf-8", "surrogateescape") == b"d\xfe\x80"
    assert read.runs[0].encode("utf-8", "surrogateescape") == b"t\xfd"
    assert read.rank.tolist() == [1]


def test_share_and_mean_gain_keep_scores() -> None:
    for ties in ("share", "mean-gain"):
        read = read_files(QRELS, {"q1": {"d1": 1.0, "d2": 1.0}}, ties=ties)
        assert read.scores is not None
        assert read.scores.tolist() == [1, 1]
        assert read.row.tolist() == [1, 0]
        assert read.ties == ties


def test_progress(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    read_files(QRELS, {n: {"q1": {"d1": 1.0}} for n in "abc"}, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)
    assert seen == sorted(set(seen))

    def fail(done: int, total: int) -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        read_files(QRELS, {"q1": {"d1": 1.0}}, progress=fail)


def test_ctrl_c_is_answered() -> None:
    job = _core.Job(1, 0, False, False, False, None, [[]], 1, 1 << 20)  # never given its inputs: would wait forever
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs without one
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            job.wait()
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_cancel(tmp_path: Path) -> None:
    write(tmp_path, a__run=LINE * 1)
    pending = start_read(QRELS, tmp_path / "a.run")
    pending.cancel()  # nothing to assert but that it comes back


def test_reading_starts_without_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # it would import more
    write(tmp_path, a__run=LINE, qrels=b"q1 0 d1 1\n")
    code = (
        "import sys; from leadline.io import start_read; "
        f"p = start_read({str(tmp_path / 'qrels')!r}, {str(tmp_path / 'a.run')!r}); "
        "heavy = [m for m in ('numpy', 'json', 'csv', 'isal', 'zstandard', 'lzma', 'bz2') if m in sys.modules]; "
        "assert not heavy, heavy; print(p.result().rank.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[1]\n", "")


def test_a_mapping_that_changes_while_it_is_read_does_no_harm() -> None:
    """A value may run code of its own when it is asked for its number."""
    documents: dict[str, object] = {}

    class Sly:
        def __float__(self) -> float:
            documents.clear()
            return 1.0

    documents |= {f"d{i}": Sly() for i in range(100)}
    found = read_files({"q": {"d0": 1}}, {"mine": {"q": documents}})
    assert (found.lengths.tolist(), found.rank.tolist()) == ([1], [1])


def test_a_mapping_whose_items_are_no_pairs_is_refused() -> None:
    class Odd(dict[str, float]):
        def items(self) -> list[object]:  # type: ignore[override]
            return [["d0", 1.0], "d1"]

    with pytest.raises(InputError):
        read_files({"q": {"d0": 1}}, {"mine": {"q": Odd(d0=1.0)}})
