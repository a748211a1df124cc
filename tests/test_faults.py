"""Faults around the program: disks, signals, memory, links, hostile names. A clear message, and no half file."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

import leadline
from leadline.errors import InputError
from leadline.io import read_files
from leadline.io.compressed import decompress
from leadline.io.write import write_run
from leadline.output.tables import Table, render

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals, limits and links of POSIX")

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d1 1 1 t\n"


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """A folder with qrels and two runs."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text(QRELS)
    for name in ("a.run", "b.run"):
        (tmp_path / "runs" / name).write_text(RUN)
    return tmp_path


def command(*words: str | Path, cwd: Path, before: str = "", **more: object) -> subprocess.Popen[str]:
    """The command line in a process of its own; ``before`` is run in it first."""
    code = f"import sys; {before}\nfrom leadline.cli import main\nmain()"
    argv = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(argv, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)  # type: ignore[call-overload,no-any-return]


def outcome(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def files(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


# writing


def test_full_disk(track: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)  # it would write a file of its own
    (track / "out.jsonl").write_text("old")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
    words = ("evaluate", "qrels.txt", "runs", "-q", "--format", "jsonl", "-o", "out.jsonl")
    assert outcome(command(*words, cwd=track, before=limit)) == (3, "", "leadline: out.jsonl: File too large\n")
    assert (track / "out.jsonl").read_text() == "old"
    assert files(track) == ["out.jsonl", "qrels.txt", "runs"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full")
def test_full_device() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_run("/dev/full", {"q1": {"d1": 1.0}})


def test_target_that_cannot_be_written(track: Path) -> None:
    (track / "a").symlink_to("b")
    (track / "b").symlink_to("a")
    for target, got in (("none/x", "No such file"), ("a", "Too many levels"), ("x" * 300, "File name too long")):
        code, out, err = outcome(command("evaluate", "qrels.txt", "runs", "-o", target, cwd=track))
        assert (code, out) == (2, ""), err
        assert f"leadline: {target}: cannot be written, got '{got}" in err
    assert outcome(command("evaluate", "qrels.txt", "runs", "-o", "runs", cwd=track))[0] == 2
    assert files(track) == ["a", "b", "qrels.txt", "runs"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder(track: Path) -> None:
    (track / "runs").chmod(0o500)
    code, _, err = outcome(command("evaluate", "qrels.txt", "runs", "-o", "runs/out.tsv", cwd=track))
    (track / "runs").chmod(0o700)
    assert code == 2
    assert "runs/out.tsv: cannot be written, got 'Permission denied'" in err


WRITE = """
from leadline.io.write import atomic
with atomic("out") as out:
    out.write(b"half of it"); out.flush()
    print("half", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_stopped_while_writing(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    process = command(cwd=tmp_path, before="\n" + WRITE, stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    process.send_signal(how)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert (tmp_path / "out").read_text() == "old"
    left = [name for name in files(tmp_path) if name != "out"]
    if how == signal.SIGINT:
        assert left == []
    assert all(name.startswith("out.") and name.endswith(".part") for name in left)  # never mistaken for a result


# reading


@pytest.mark.parametrize("waiting", ["qrels", "run"])
def test_ctrl_c(waiting: str, track: Path) -> None:
    os.mkfifo(track / "pipe")
    words = ("pipe", "runs") if waiting == "qrels" else ("qrels.txt", "pipe")
    process = command("evaluate", *words, "-o", "out.tsv", cwd=track)
    with (track / "pipe").open("wb"):  # comes back when the other side has begun to read
        process.send_signal(signal.SIGINT)
        code, out, err = outcome(process)
    assert (code, out) == (130, "")
    assert "Traceback" not in err
    assert files(track) == ["pipe", "qrels.txt", "runs"]


def rewriting(file: Path, size: int, stop: threading.Event) -> None:
    while not stop.is_set():
        os.truncate(file, size // 2)
        os.truncate(file, size)


def test_file_changed_while_read(tmp_path: Path) -> None:
    lines = [f"q{i // 1000} Q0 d{i % 1000} 1 {-i} t\n" for i in range(120_000)]
    content = "".join(lines).encode()
    run = tmp_path / "a.run"
    run.write_bytes(content)
    stop = threading.Event()
    writer = threading.Thread(target=rewriting, args=[run, len(content), stop])
    writer.start()
    said = set()
    try:
        for _ in range(500):  # a shortened file ends the process if nobody takes care
            try:
                read_files({"q1": {"d1": 1}}, run)
            except InputError as error:
                said.add(str(error))
            if any("was changed" in text for text in said):
                break
    finally:
        stop.set()
        writer.join()
    run.write_bytes(content)
    assert f"{run}: the file was changed while it was read. Wait until it is written, then read it again." in said
    assert read_files({"q1": {"d1": 1}}, run).lengths.tolist() == [1000]


def test_unreadable_members_of_many(track: Path) -> None:
    (track / "runs" / "loop.run").symlink_to("loop.run")
    (track / "runs" / "gone.run").symlink_to("nowhere")
    (track / "runs" / "self").symlink_to(track / "runs")  # a folder within itself: folders are not entered
    code, out, err = outcome(command("evaluate", "qrels.txt", "runs", "-o", "out.tsv", cwd=track))
    assert (code, out) == (3, "")
    assert err.splitlines() == [
        "leadline: runs/gone.run: no such file. Check the path of the run file.",
        "runs/loop.run: cannot be read, got 'Too many levels of symbolic links'. Check the path and its permissions.",
    ]
    assert files(track) == ["qrels.txt", "runs"]


def test_folder_for_a_file(track: Path) -> None:
    code, _, err = outcome(command("evaluate", "runs", "runs/a.run", cwd=track))
    assert (code, err) == (3, "leadline: runs: is a folder, a qrels file was expected. Give a file.\n")


def test_memory_limit(track: Path) -> None:
    (track / "big.run.gz").write_bytes(gzip.compress(RUN.encode() * 6_000_000, 1))
    limit = (
        "import resource, numpy, leadline.api; "
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize() if "
        "sys.platform == 'linux' else 1 << 32; "
        "resource.setrlimit(resource.RLIMIT_AS, (used + (160 << 20),) * 2)"
    )
    code, out, err = outcome(command("evaluate", "qrels.txt", "big.run.gz", "--threads", "1", cwd=track, before=limit))
    assert (code, out) == (3, "")
    assert err == "leadline: out of memory; evaluate fewer runs at once, or ask for fewer curves\n"


# hostile input


BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_archive_bomb(kind: str, tmp_path: Path) -> None:
    data = BOMBS[kind](bytes(40 << 20))
    assert len(data) < 100_000
    blocks: Iterator[bytes] = decompress(data, kind, "bomb")
    first = len(next(blocks))
    assert first <= (40 << 20 if kind == "zstd" else 1 << 24)  # not all of it at once
    (tmp_path / "bomb.run").write_bytes(data)
    with pytest.raises(InputError, match="decompresses to more than 1,048,576 bytes"):
        read_files({"q1": {"d1": 1}}, tmp_path / "bomb.run", max_size=1 << 20)


def test_max_size_on_the_command_line(track: Path) -> None:
    (track / "bomb.run.gz").write_bytes(gzip.compress(RUN.encode() * 100_000))
    code, _, err = outcome(command("evaluate", "qrels.txt", "bomb.run.gz", "--max-size", "1M", cwd=track))
    assert code == 3
    assert err.startswith("leadline: bomb.run.gz: decompresses to more than 1,048,576 bytes.")


def test_names_are_never_paths(tmp_path: Path) -> None:
    """A run tag, topic or document that looks like a path creates no file anywhere."""
    evil = "../../evil"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "qrels").write_text(f"{evil} 0 {evil} 1\n")
    (tmp_path / "in" / "a.run").write_text(f"{evil} Q0 {evil} 1 1 {evil}\n")
    (tmp_path / "in" / "out").mkdir()
    words = ("truncate", "../qrels", "../a.run", "--name", "tag", "-m", "F1", "-o", "out.tsv")
    code, _, err = outcome(command(*words, cwd=tmp_path / "in" / "out"))
    assert code == 0, err
    assert [str(p.relative_to(tmp_path)) for p in sorted(tmp_path.rglob("*")) if p.is_file()] == [
        "in/a.run", "in/out/out.tsv", "in/qrels",
    ]  # fmt: skip


SCRIPT = "<script>alert(1)</script>"


def test_report_escapes_names(tmp_path: Path) -> None:
    rng = range(12)
    qrels = {f"{SCRIPT}\n{t}": {f"d{i}": i % 3 for i in rng} for t in range(6)}
    runs = {
        name: {t: {f"d{i}": float((i * step + k) % 13) for i in rng} for k, t in enumerate(qrels)}
        for step, name in ((5, SCRIPT), (7, "a</td>\"'&"))
    }
    page = tmp_path / "report.html"
    leadline.report(leadline.read(qrels, runs), ["AP"], output=page)
    text = page.read_text()
    assert SCRIPT not in text
    assert "a</td>" not in text
    assert "&lt;script&gt;alert(1)" in text or "\\u003cscript" in text


def test_formulas_in_csv(track: Path) -> None:
    (track / "runs" / "=1+2.run").write_text(RUN)
    words = ("evaluate", "qrels.txt", "runs", "-m", "AP", "--format", "csv")
    plain, safe = outcome(command(*words, cwd=track)), outcome(command(*words, "--safe-csv", cwd=track))
    assert plain[0] == safe[0] == 0
    assert [line.split(",")[0] for line in plain[1].splitlines()] == ["run", "=1+2", "a", "b"]
    assert [line.split(",")[0] for line in safe[1].splitlines()] == ["run", "'=1+2", "a", "b"]
    assert render(Table({"x": ["@a", "-b", "c"], "y": [-1.0, 2.0, 3.0]}), "csv", safe_csv=True) == (
        "x,y\n'@a,-1.0\n'-b,2.0\nc,3.0\n"
    )


def test_nothing_is_unpickled() -> None:
    source = Path(leadline.__file__).parent
    for file in source.rglob("*.py"):
        text = file.read_text()
        assert not re.search(r"import pickle|allow_pickle=True|(?<![\w.])(eval|exec)\(", text), file
