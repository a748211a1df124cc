"""Which format a file has, by its ending and its first bytes."""

from __future__ import annotations

import os
import re

from leadline.io.compressed import COMPRESSED

__all__ = ["DOC", "ENDINGS", "GRADE", "RANK", "SCORE", "TABLES", "TOPIC", "file_format", "plain_cell", "plain_name"]

ENDINGS = (".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl", ".parquet", ".arrow", ".feather")
TABLES = (".parquet", ".arrow", ".feather")  # read by pyarrow; one file may hold several runs

# Column names by what they mean; the first column found counts.
TOPIC = ("query_id", "qid", "q_id", "topic", "topic_id", "query", "query-id")
DOC = ("doc_id", "docno", "docid", "doc", "document", "corpus-id", "pid")
SCORE = ("score", "sim", "relevance", "label", "rel", "grade")
GRADE = ("relevance", "label", "rel", "grade", "score")
RANK = ("rank", "position")


def plain_name(path: str) -> str:
    """A run's name: the file name without compression and format endings.

    >>> plain_name("runs/bm25.v2.run.gz"), plain_name("input.tsv")
    ('bm25.v2', 'input')
    """
    name = os.path.basename(path)
    for endings in (COMPRESSED, ENDINGS):
        for ending in endings:
            if name.endswith(ending) and len(name) > len(ending):
                name = name[: -len(ending)]
                break
    return name


def file_format(path: str, head: bytes) -> str:
    """``trec``, ``json``, ``jsonl``, ``csv``, ``tsv`` or ``parquet`` (Arrow files too).

    >>> file_format("x.run", b"q1 Q0 d1 1 0.5 t"), file_format("x.txt", b"query_id,doc_id,score")
    ('trec', 'csv')
    """
    ending = _ending(path)
    if ending in TABLES or head.startswith((b"PAR1", b"ARROW1")):
        return "parquet"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if ending in (".json", ".jsonl"):
        return "jsonl" if ending == ".jsonl" or _is_record(start) else "json"
    if re.match(rb'\{\s*["}]|\[\s*\{', start):
        return "jsonl" if _is_record(start) else "json"
    first = start.split(b"\n", 1)[0].decode("utf-8", "replace")
    for delimiter, name in (("\t", "tsv"), (",", "csv")):
        cells = [plain_cell(c) for c in first.split(delimiter)]
        if len(cells) > 1 and any(c in TOPIC for c in cells) and any(c in DOC for c in cells):
            return name
    return "csv" if ending == ".csv" else "trec"


def _ending(path: str) -> str:
    name = os.path.basename(path)
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return os.path.splitext(name)[1].lower()


def plain_cell(cell: str) -> str:
    """A column name without quotes, blanks and capitals."""
    return cell.strip().strip('"').strip().lower()


def _is_record(start: bytes) -> bool:
    """Whether the text begins with one flat record on a line of its own, as JSON lines do."""
    import json

    try:
        first = json.loads(start.split(b"\n", 1)[0])
    except ValueError:
        return False
    return isinstance(first, dict) and any(k.lower() in TOPIC and not isinstance(v, dict) for k, v in first.items())
