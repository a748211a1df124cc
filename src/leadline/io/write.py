"""Files out: runs and qrels in TREC's format or by the ending of their name, written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from leadline.errors import UsageError
from leadline.io.write_tables import encoded, table_format

__all__ = ["atomic", "write_qrels", "write_run"]

Target = str | os.PathLike[str]
Lists = Iterable[tuple[str, Sequence[str], Sequence[float] | None]]  # topic, documents, scores


@contextmanager
def atomic(path: Target) -> Iterator[IO[bytes]]:
    """A binary file that replaces ``path`` when it is closed without an error, and leaves it alone otherwise.

    It is written beside its target under another name. Devices and pipes (/dev/null, /dev/stdout) cannot be replaced;
    they are written to. A link is followed, the permissions of an old file are kept.

    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "scores.tsv"
    >>> with atomic(target) as out:
    ...     n = out.write(b"run\\tvalue\\n")
    >>> target.read_text(), [p.name for p in target.parent.iterdir()]
    ('run\\tvalue\\n', ['scores.tsv'])
    """
    given = os.fspath(path)
    try:
        old = os.stat(given)  # noqa: PTH116
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UsageError(f"{given}: cannot be written, got {error.strerror!r}. Check the links.") from None
        old = None
    if old is not None and stat.S_ISDIR(old.st_mode):
        raise UsageError(f"{given}: is a folder, a file was expected. Name a file in it.")
    if given.startswith(("/dev/", "/proc/")) or (old is not None and not stat.S_ISREG(old.st_mode)):
        with _naming(given), _open(given, given, os.O_WRONLY) as out:
            yield out
        return
    target = os.path.realpath(given)
    beside = f"{target}.{secrets.token_hex(4)}.part"
    try:
        with _naming(given), _open(beside, given, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as out:
            yield out
        if old is not None:
            os.chmod(beside, stat.S_IMODE(old.st_mode))  # noqa: PTH101
        os.replace(beside, target)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            Path(beside).unlink(missing_ok=True)
        raise


@contextmanager
def _naming(given: str) -> Iterator[None]:
    """A full disk, say, does not tell which file it was that did not fit."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = given
        raise


def _open(path: str, said: str, flags: int) -> IO[bytes]:
    try:
        return os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666), "wb")
    except OSError as error:
        raise UsageError(f"{said}: cannot be written, got {error.strerror!r}. Check folder and permissions.") from None


@contextmanager
def _compressed(path: str, out: IO[bytes]) -> Iterator[Any]:
    """A writer into ``out`` that compresses by the ending of ``path``."""
    if path.endswith(".gz"):
        import gzip

        with gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as file:  # the same bytes every time
            yield file
    elif path.endswith(".zst"):
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(out, closefd=False) as file:
            yield file
    elif path.endswith(".bz2"):
        import bz2

        with bz2.BZ2File(out, "wb") as file:
            yield file
    elif path.endswith(".xz"):
        import lzma

        with lzma.LZMAFile(out, "wb") as file:
            yield file
    else:
        yield out


def _write(path: Target, blocks: Iterable[str] | Iterable[bytes]) -> None:
    with atomic(path) as out, _compressed(os.fspath(path), out) as file:
        for block in blocks:
            file.write(block if isinstance(block, bytes) else block.encode("utf-8", "surrogateescape"))


def _id(text: str, what: str) -> str:
    if not text or any(c in " \t\n\v\f\r\0" for c in text):
        raise UsageError(
            f"The {what} id {text!r} cannot be written: TREC files have no empty ids and no blanks in ids."
        )
    return text


def write_run(path: Target, run: Mapping[str, Mapping[str, float]] | Lists, *, tag: str = "leadline") -> None:
    """Write a run in TREC's format, or as the ending of ``path`` says: .json .jsonl .csv .tsv .parquet .arrow .feather.

    A further ending compresses it: .gz .zst .bz2 .xz.
    ``run`` is ``{topic: {doc: score}}`` (written by falling score, equal scores by falling document id, the order in
    which they would be read), or lists ``(topic, docs, scores)`` already in order; without scores (None) the line of
    rank i gets the score −i, so that the order can be read back. Scores are written so that they are read back exactly.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.run"
    >>> write_run(file, {"q1": {"d1": 0.5, "d2": 1.5}}, tag="bm25")
    >>> print(file.read_text(), end="")
    q1 Q0 d2 1 1.5 bm25
    q1 Q0 d1 2 0.5 bm25
    """
    lists = _ordered(run) if isinstance(run, Mapping) else run
    form = table_format(os.fspath(path))
    if form is not None:
        return _write(path, encoded(form, _run_columns(lists)))
    return _write(path, (_list_text(topic, docs, scores, _id(tag, "tag")) for topic, docs, scores in lists))


def _ordered(run: Mapping[str, Mapping[str, float]]) -> Lists:
    for topic, found in run.items():
        ids = sorted(found, key=lambda d: d.encode("utf-8", "surrogateescape"), reverse=True)
        ids.sort(key=lambda d: -float(found[d]))
        yield topic, ids, [found[d] for d in ids]


def _scores(docs: Sequence[str], scores: Sequence[float] | None) -> Sequence[float]:
    return range(-1, -len(docs) - 1, -1) if scores is None else [float(s) for s in scores]


def _run_columns(lists: Lists) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"query_id": [], "doc_id": [], "score": [], "rank": []}
    for topic, docs, scores in lists:
        columns["query_id"] += [topic] * len(docs)
        columns["doc_id"] += docs
        columns["score"] += _scores(docs, scores)
        columns["rank"] += range(1, len(docs) + 1)
    return columns


def _list_text(topic: str, docs: Sequence[str], scores: Sequence[float] | None, tag: str) -> str:
    _id(topic, "topic")
    ranked = enumerate(zip(docs, _scores(docs, scores), strict=True), 1)
    return "".join([f"{topic} Q0 {_id(d, 'document')} {i} {s!r} {tag}\n" for i, (d, s) in ranked])


def write_qrels(
    path: Target,
    qrels: Mapping[str, Mapping[str, Any]] | Iterable[tuple[Any, ...]],
    *,
    labels: Sequence[str] = ("relevance",),
) -> None:
    """Write qrels in TREC's format, or as the ending of ``path`` says, like :func:`write_run`.

    ``qrels`` is ``{topic: {doc: grade}}`` (or a sequence of labels, one for each aspect), or records
    ``(topic, doc, label, …)``; ``labels`` names the label columns of formats that name their columns.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> write_qrels(file, {"q1": {"d1": 2, "d2": 0}})
    >>> print(file.read_text(), end="")
    q1 0 d1 2
    q1 0 d2 0
    """
    records = _flat(qrels) if isinstance(qrels, Mapping) else qrels
    form = table_format(os.fspath(path))
    if form is not None:
        return _write(path, encoded(form, _qrels_columns(records, labels)))
    return _write(path, (_judgment(*r) for r in records))


def _qrels_columns(records: Iterable[tuple[Any, ...]], labels: Sequence[str]) -> dict[str, list[Any]]:
    rows = list(records)
    names = ["query_id", "doc_id", *labels]
    wrong = next((row for row in rows if len(row) != len(names)), None)
    if wrong is not None:
        raise UsageError(
            f"labels must name each label column: {', '.join(labels)}. Got {len(wrong) - 2} labels instead."
        )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _flat(qrels: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    for topic, judged in qrels.items():
        for doc, labels in judged.items():
            yield topic, doc, *(labels if isinstance(labels, (list, tuple)) else [labels])


def _judgment(topic: str, doc: str, *labels: Any) -> str:
    return f"{_id(topic, 'topic')} 0 {_id(doc, 'document')} {' '.join(_id(str(x), 'label') for x in labels)}\n"
