"""The native reader beside the slow one of ``naive_io``: the same lists, or the same complaints at the same lines."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import naive_io
from leadline.errors import InputError, NothingToEvaluate
from leadline.io import Reading, start_read
from leadline.io.compressed import compression
from leadline.io.formats import file_format

RULES = ("trec", "trec32", "run", "file", "rank", "share", "mean-gain")
KEPT = 20  # problems of one file that are told in words; the others are counted
NOTES = {
    "duplicate-judgments": ("qrels", "duplicate"),
    "differing-judgments": ("qrels", "differing"),
    "duplicate-documents": ("run", "duplicate"),
    "nan-scores": ("run", "nan"),
}


class Case(NamedTuple):
    """Two texts, and how to read them."""

    qrels: bytes
    run: bytes
    ties: str = "trec"
    lenient: bool = False
    chunk: int = 1 << 20  # bytes of the piece that one thread reads at a time
    threads: int = 1
    packed: bool = False  # both files compressed
    nil: str | None = None
    aspects: naive_io.Aspects | None = None  # label columns of the qrels


def is_trec(text: bytes) -> bool:
    """Whether it is taken for a TREC file, and not for a compressed, JSON or CSV one."""
    return compression(text[:16]) is None and file_format("run", text[:4096]) == "trec"


def verdict(case: Case, folder: Path) -> str:
    """What both readers make of a case: ``read``, ``refused``, ``nothing`` (no topic in common) or ``another format``.

    Raises AssertionError, with both answers, where they differ.
    """
    if not is_trec(case.qrels) or not is_trec(case.run):
        return "another format"
    qrels = naive_io.read_qrels(case.qrels, case.lenient, case.aspects)
    run = naive_io.read_run(case.run, case.ties, case.lenient)
    try:
        read = _native(case, folder)
    except InputError as error:
        check_refusal(error, folder, {"qrels": qrels, "run": run})
        return "refused"
    except NothingToEvaluate:
        equal(
            "no topic in common",
            True,
            not qrels.problems and not run.problems and not qrels.topics.keys() & run.topics.keys(),
        )
        return "nothing"
    equal("problems of the qrels", [], qrels.problems)
    equal("problems of the run", [], run.problems)
    equal("a topic in common", True, bool(qrels.topics.keys() & run.topics.keys()))
    check_qrels(read, qrels)
    check_lists(read, qrels, run, case.nil)
    check_findings(read, qrels, run)
    return "read"


def _native(case: Case, folder: Path) -> Reading:
    paths = []
    for name, text in (("qrels", case.qrels), ("run", case.run)):
        paths.append(folder / (name + ".gz" * case.packed))
        paths[-1].write_bytes(gzip.compress(text, 1) if case.packed else text)
    return start_read(
        *paths, ties=case.ties, lenient=case.lenient, keep_docs=True, keep_scores=True, nil=case.nil, chunk=case.chunk,
        threads=case.threads, aspects=case.aspects,
    ).result()  # fmt: skip


def equal(what: str, native: Any, slow: Any) -> None:
    if native != slow:
        raise AssertionError(f"{what}:\n  native {native!r}\n  slow   {slow!r}")


def check_refusal(error: InputError, folder: Path, slow: dict[str, naive_io.Read]) -> None:
    """All problems are counted, and the first of each file are told with line and words."""
    equal("number of problems", error.total, sum(len(read.problems) for read in slow.values()))
    form = re.compile(re.escape(str(folder)) + r"[/\\](qrels|run)(?:\.gz)?(?::(\d+))?: (.*)", re.DOTALL)
    found = [form.fullmatch(text) for text in error.problems]
    equal("messages of another form", [t for t, m in zip(error.problems, found, strict=True) if m is None], [])
    for name, read in slow.items():
        said = [(int(m[2] or 0), m[3]) for m in found if m and m[1] == name]
        expected = sorted(read.problems)
        places = [(p.line, p.column) for p in expected[:KEPT]]
        equal(f"lines of the problems of the {name}", [line for line, _ in said], [line for line, _ in places])
        # Several problems at one place come in any order, and the last ones told may be any of those at their place.
        left = Counter(p for p in expected if places and (p.line, p.column) <= places[-1])
        for line, text in said:
            match = next((p for p in left if p.line == line and text.startswith(p.said)), None)
            if match is None:
                raise AssertionError(f"{name}:{line}: native says {text!r}, the slow reader one of {list(left)}")
            left -= Counter([match])
        equal(f"untold problems of the {name}", [p for p in left if (p.line, p.column) < places[-1]], [])


def check_qrels(read: Reading, qrels: naive_io.Read) -> None:
    equal("topics", [t.encode("utf-8", "surrogateescape") for t in read.topics], list(qrels.topics))
    lines = [line for lines in qrels.topics.values() for line in lines]
    equal("judgments of the topics", np.diff(read.row_offsets).tolist(), [len(x) for x in qrels.topics.values()])
    equal("labels", list(map(tuple, read.labels.tolist())), [line.labels for line in lines])
    docs = read.qrels_docs(np.arange(len(lines)))
    equal("judged documents", [d.encode("utf-8", "surrogateescape") for d in docs], [line.doc for line in lines])


def check_lists(read: Reading, qrels: naive_io.Read, run: naive_io.Read, nil: str | None = None) -> None:
    """The lists of one run: documents, scores, judgments, tag."""
    assert read.docs is not None
    assert read.scores is not None
    starts = np.concatenate([[0], np.cumsum(read.lengths)]).tolist()
    offsets, ranks, rows = read.offsets.tolist(), read.rank.tolist(), read.row.tolist()
    equal("answered topics", read.answered.tolist(), [t in run.topics for t in qrels.topics])
    equal("tag", read.tags[0].encode("utf-8", "surrogateescape"), run.tag)
    for t, (topic, judged) in enumerate(qrels.topics.items()):
        row = {line.doc: i for i, line in enumerate(judged, int(read.row_offsets[t]))}
        lines = run.topics.get(topic, [])
        docs = [d.encode("utf-8", "surrogateescape") for d in read.docs.list(t)]
        equal(f"documents of {topic!r}", docs, [line.doc for line in lines])
        entries = list(zip(ranks[offsets[t] : offsets[t + 1]], rows[offsets[t] : offsets[t + 1]], strict=True))
        equal(f"judged of {topic!r}", entries, [(i, row[x.doc]) for i, x in enumerate(lines, 1) if x.doc in row])
        scores = np.array([line.score for line in lines])
        if not np.array_equal(read.scores[starts[t] : starts[t + 1]], scores, equal_nan=True):
            equal(f"scores of {topic!r}", read.scores[starts[t] : starts[t + 1]].tolist(), scores.tolist())
        if nil is not None:
            assert read.nil_rank is not None
            expected = next((i for i, line in enumerate(lines, 1) if line.doc == nil.encode()), 0)
            equal(f"rank of {nil} in {topic!r}", int(read.nil_rank[t]), expected)


def check_findings(read: Reading, qrels: naive_io.Read, run: naive_io.Read) -> None:
    """What lenient reading let pass, and the topics nobody judged, are counted and their first places named."""
    found = {f.code: f for f in read.findings if f.code in NOTES}
    for code, (name, what) in NOTES.items():
        notes = (qrels if name == "qrels" else run).notes
        lines = sorted(n.line for n in notes if n.what == what)
        equal(f"number of {code}", found[code].count if code in found else 0, len(lines))
        if lines and len(notes) <= KEPT:
            places = [int(place.rsplit(":", 1)[1]) for place in found[code].examples]
            equal(f"lines of {code}", places, lines[: len(places)])
    outside = [t.encode("utf-8", "surrogateescape") for t in read.topics_outside()]
    equal("topics without judgments", outside, [t for t in run.topics if t not in qrels.topics])
