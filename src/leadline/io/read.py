"""Reading qrels and runs: native threads do the work, this sets them up and tells what they found."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from leadline._core import Job
from leadline.errors import InputError, NothingToEvaluate, UsageError
from leadline.findings import Findings
from leadline.io.columns import Columns, qrels_records, records_from_dict, run_records
from leadline.io.compressed import compression, decompress
from leadline.io.formats import file_format
from leadline.io.messages import DIFFERING, DUPLICATE, NAN, Context, sentence
from leadline.io.reading import Reading
from leadline.io.sources import Source, check_names, qrels_source, run_sources, tables_module

if TYPE_CHECKING:
    from leadline._core import Records, _Report

__all__ = ["TIES", "Pending", "read_files", "start_read"]

# The native rule of each tie rule; the last two order as trec does and settle ties later, by the scores.
TIES = {"trec": 0, "trec32": 1, "run": 2, "file": 3, "rank": 4, "share": 0, "mean-gain": 0}
_CHUNK = 8 << 20  # bytes of a file that one thread takes at a time
_HEAD = 4096
_MOST_ASPECTS = 25

Aspects = Sequence[tuple[str, Sequence[str] | None]]


def read_files(
    qrels: Any,
    runs: Any,
    *,
    ties: str = "trec",
    lenient: bool = False,
    keep_scores: bool = False,
    keep_docs: bool = False,
    nil: str | None = None,
    aspects: Aspects | None = None,
    threads: int | None = None,
    name: str = "file",
    max_size: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Reading:
    """Read qrels and runs.

    ``qrels``: a path, ``-`` (standard input), ``{topic: {doc: grade}}`` or :class:`Columns`. ``runs``: one or several
    paths, folders, ``{topic: {doc: score}}``, ``{run: {topic: {doc: score}}}``, ``(name, run)`` or :class:`Columns`.
    Files are TREC files, JSON, JSON lines, CSV or TSV with a header, plain or compressed (gzip, zstd, bzip2, xz).

    ``ties`` orders equal scores (DEFINITIONS §0); ``lenient`` turns duplicates and NaN scores into findings;
    ``aspects`` are ``(name, labels or None)`` for the label columns of the qrels; ``name="tag"`` names runs by their
    run tag; ``max_size`` bounds the bytes a compressed file may decode to; ``progress(done, total)`` is called as runs
    are finished. Bad input raises InputError with everything that is wrong in all files.

    >>> r = read_files({"q1": {"d1": 2, "d2": 0}}, {"bm25": {"q1": {"d2": 1.5, "d3": 1.0, "d1": 0.5}}})
    >>> r.rank.tolist(), r.labels[r.row, 0].tolist(), r.lengths.tolist()
    ([1, 3], [0, 2], [3])
    """
    return start_read(
        qrels, runs, ties=ties, lenient=lenient, keep_scores=keep_scores, keep_docs=keep_docs, nil=nil, aspects=aspects,
        threads=threads, name=name, max_size=max_size,
    ).result(progress)  # fmt: skip


def start_read(
    qrels: Any,
    runs: Any,
    *,
    ties: str = "trec",
    lenient: bool = False,
    keep_scores: bool = False,
    keep_docs: bool = False,
    nil: str | None = None,
    aspects: Aspects | None = None,
    threads: int | None = None,
    name: str = "file",
    max_size: int | None = None,
    chunk: int = _CHUNK,
) -> Pending:
    """Begin to read in the background, as :func:`read_files` does; ``result()`` waits for the end.

    Plain files need neither Python nor numpy from here on, so that imports can go on meanwhile.
    """
    if ties not in TIES:
        raise UsageError(f"ties must be one of {', '.join(TIES)}. Got {ties!r} instead.")
    if name not in ("file", "tag"):
        raise UsageError(f"name must be 'file' or 'tag'. Got {name!r} instead.")
    if threads is not None and threads < 1:
        raise UsageError(f"threads must be at least 1. Got {threads} instead.")
    if aspects is not None and not 1 <= len(aspects) <= _MOST_ASPECTS:
        raise UsageError(f"aspects must name 1 to {_MOST_ASPECTS} label columns. Got {len(aspects)} instead.")
    return Pending(
        qrels, runs, ties=ties, lenient=lenient, keep_scores=keep_scores or ties in ("share", "mean-gain"),
        keep_docs=keep_docs, nil=nil, aspects=aspects, threads=threads or _processors(), name=name, max_size=max_size,
        chunk=chunk,
    )  # fmt: skip


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pending:
    """A reading under way; ``result()`` waits for it."""

    def __init__(
        self, qrels: Any, runs: Any, *, ties: str, lenient: bool, keep_scores: bool, keep_docs: bool, nil: str | None,
        aspects: Aspects | None, threads: int, name: str, max_size: int | None, chunk: int,
    ) -> None:  # fmt: skip
        self._findings = Findings()
        self._aspect_names = None if aspects is None else [a for a, _ in aspects]
        self._qrels, self._runs = qrels_source(qrels, self._aspect_names), run_sources(runs, self._findings)
        if self._qrels.kind == "stdin" and any(s.kind == "stdin" for s in self._runs):
            raise UsageError("Standard input (-) was given twice. It can be read only once.")
        if name == "file":
            check_names([s.name for s in self._runs], self._runs)
        self._name, self._ties, self._aspects, self._max_size = name, ties, aspects, max_size
        self._nil, self._keep_scores, self._keep_docs = nil, keep_scores, keep_docs
        columns = [names or () for _, names in aspects] if aspects is not None else [()]
        self._labels = [[n.encode("utf-8", "surrogateescape") for n in names] for names in columns]
        self._job = Job(
            len(self._runs), TIES[ties], lenient, keep_scores, keep_docs,
            None if nil is None else nil.encode("utf-8", "surrogateescape"), self._labels, threads, chunk,
        )  # fmt: skip
        self._contexts: dict[int, Context] = {}
        self._failed: dict[int, InputError] = {}
        self._broken: Exception | None = None
        self._stopped = False
        self._threads: list[threading.Thread] = []
        self._feed(threads)

    # giving the inputs -----------------------------------------------------------------------------------------------
    def _feed(self, threads: int) -> None:
        """Hand plain files over at once; threads decode the others."""
        waiting = [i for i in range(-1, len(self._runs)) if not self._give_plain(i)]
        for i in [i for i in waiting if self._source(i).kind != "path"]:
            self._give(i)  # objects of this process: no other thread should touch them
        files = iter([i for i in waiting if self._source(i).kind == "path"])
        lock = threading.Lock()

        def work() -> None:
            while not self._stopped:
                with lock:
                    i = next(files, None)
                if i is None:
                    return
                self._give(i)

        for _ in range(min(threads, sum(self._source(i).kind == "path" for i in waiting))):
            self._threads.append(threading.Thread(target=work, name="leadline-decode", daemon=True))
            self._threads[-1].start()

    def _source(self, i: int) -> Source:
        return self._qrels if i < 0 else self._runs[i]

    def _kind(self, i: int) -> str:
        return "qrels" if i < 0 else "run"

    def _give_plain(self, i: int) -> bool:
        """Give the path of a plain TREC file; False if more has to be done about it."""
        source = self._source(i)
        if source.kind != "path":
            return False
        try:
            head = _head(source.where, self._kind(i))
        except InputError as error:
            self._fail(i, error)
            return True
        if head is None or compression(head) is not None or file_format(source.value, head) != "trec":
            return False
        self._contexts[i] = self._context(i, head=head[:2])
        path = os.fsencode(source.value)
        if i < 0:
            self._job.qrels_path(path)
        else:
            self._job.run_path(i, path)
        return True

    def _context(self, i: int, **more: Any) -> Context:
        return Context(self._source(i).where, self._kind(i), self._aspects, **more)

    def _fail(self, i: int, error: InputError) -> None:
        self._failed[i] = error
        if i < 0:
            self._job.qrels_none()
        else:
            self._job.run_none(i)

    def _give(self, i: int) -> None:
        try:
            found = self._load(i)
        except InputError as error:
            return self._fail(i, error)
        except Exception as error:  # perhaps in a decoding thread: to be raised where the caller waits
            self._broken = self._broken or error
            return self._fail(i, InputError(f"{self._source(i).where}: cannot be read, got {error!r}."))
        if isinstance(found, list):
            give = self._job.qrels_data if i < 0 else lambda blocks: self._job.run_data(i, blocks)
            return give(found)
        give_records = self._job.qrels_records if i < 0 else lambda records: self._job.run_records(i, records)
        return give_records(found)

    def _load(self, i: int) -> list[bytes] | Records:
        """Blocks of a TREC file, or records."""
        source, kind = self._source(i), self._kind(i)
        content: Any = source.value
        if source.kind in ("path", "stdin"):
            blocks = self._read(source, kind)
            head = b"".join(blocks[:1])[:_HEAD]
            form = file_format(source.value or "", head)
            if form == "trec":
                self._contexts[i] = self._context(i, head=head[:2])
                return blocks
            content = self._parse(blocks, form, source.where, kind)
        if isinstance(content, Columns):
            self._contexts[i] = self._context(i, lines=content.lines, unit=content.unit)
            if kind == "run":
                return run_records(content, source.where, by_rank=self._ties == "rank")
            return qrels_records(content, source.where, self._labels)
        self._contexts[i] = self._context(i, unit="")
        return records_from_dict(content, source.where, self._labels if kind == "qrels" else [])

    def _parse(self, blocks: list[bytes], form: str, where: str, kind: str) -> Any:
        if form == "parquet":
            return tables_module().parquet_columns(b"".join(blocks), where, kind, self._aspect_names)
        from leadline.io.structured import parse

        return parse(b"".join(blocks), form, where, kind, self._aspect_names)

    def _read(self, source: Source, kind: str) -> list[bytes]:
        if source.kind == "stdin":
            data = sys.stdin.buffer.read()
        else:
            try:
                with open(source.value, "rb") as file:
                    data = file.read()
            except OSError as error:
                raise _unreadable(source.where, kind, error) from None
        how = compression(data[:16])
        if how is None:
            return [data]
        return list(decompress(data, how, source.where, self._max_size, lambda: self._stopped))

    # the end ---------------------------------------------------------------------------------------------------------
    def cancel(self) -> None:
        """Stop reading; there will be no result."""
        self._stopped = True
        self._job.cancel()
        for thread in self._threads:
            thread.join(timeout=1)  # one that waits for a pipe cannot be woken; it ends with the process

    def result(self, progress: Callable[[int, int], object] | None = None, *, common: bool = True) -> Reading:
        """Wait for the end of reading; raises what is wrong with the inputs, and if no topic is ``common`` to them."""
        try:
            self._job.wait(progress)
        except BaseException:
            self.cancel()
            raise
        for thread in self._threads:
            thread.join()
        if self._broken is not None:
            raise self._broken
        self._raise_problems()
        tags = [self._job.run_tag(i) for i in range(len(self._runs))]
        names = [s.name for s in self._runs]
        if self._name == "tag":
            names = [tag or given for tag, given in zip(tags, names, strict=True)]
            check_names(names, self._runs)
        self._add_findings(common)
        return Reading(
            self._job, nil=self._nil is not None, keep_scores=self._keep_scores, keep_docs=self._keep_docs,
            ties=self._ties, findings=self._findings, runs=names, tags=tags, sources=[s.where for s in self._runs],
            qrels_source=self._qrels.where,
        )  # fmt: skip

    def _report(self, i: int) -> _Report:
        return self._job.qrels_report() if i < 0 else self._job.run_report(i)

    def _raise_problems(self) -> None:
        said: list[str] = []
        total = 0
        for i in range(-1, len(self._runs)):
            if i in self._failed:
                said += self._failed[i].problems
                total += self._failed[i].total
                continue
            errors, count, _, _ = self._report(i)
            said += [sentence(self._contexts[i], e) for e in errors]
            total += count
        if total:
            raise InputError(said, total=total)

    def _add_findings(self, common: bool) -> None:
        outside = dict.fromkeys(t for i in range(len(self._runs)) for t in self._job.run_outside(i))
        if common and not self._job.answered.any():
            known = ", ".join(self._job.topics[:3])
            raise NothingToEvaluate(
                f"No topic of the runs is in the qrels: the runs have {', '.join(list(outside)[:3]) or 'none'}, "
                f"the qrels {known or 'none'}. Do they belong together?"
            )
        self._findings.add("topics-without-judgments", len(outside), outside, "ignored")
        for i in range(-1, len(self._runs)):
            _, _, notes, counts = self._report(i)
            for wrong, code, text in _NOTES[self._kind(i)]:
                places = [self._contexts[i].at(n[1], n[5], n[4]) for n in notes if n[0] == wrong]
                self._findings.add(code, counts.get(wrong, 0), places, text)


_NOTES = {
    "run": [
        (DUPLICATE, "duplicate-documents", "the best of each kept"),
        (NAN, "nan-scores", "ranked last"),
    ],
    "qrels": [
        (DUPLICATE, "duplicate-judgments", "the first of each kept"),
        (DIFFERING, "differing-judgments", "the highest grade of each kept"),
    ],
}


def _unreadable(where: str, kind: str, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"{where}: no such file. Check the path of the {kind} file.")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{where}: is a folder, a {kind} file was expected. Give a file.")
    return InputError(f"{where}: cannot be read, got {error.strerror!r}. Check the path and its permissions.")


def _head(path: str, kind: str) -> bytes | None:
    """The first bytes of a regular file; None for pipes and devices, which can be read only once."""
    try:
        about = os.stat(path)
        if stat.S_ISDIR(about.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(about.st_mode):
            return None
        with open(path, "rb", buffering=0) as file:
            return file.read(_HEAD)
    except OSError as error:
        raise _unreadable(path, kind, error) from None
