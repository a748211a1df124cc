"""Runs and qrels as JSON, JSON lines, CSV, TSV, parquet and Arrow files, with ir_measures' column names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from leadline.errors import UsageError, require
from leadline.io.compressed import COMPRESSED

__all__ = ["encoded", "table_format"]

_FORMATS = {
    ".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".tsv": "tsv", ".parquet": "parquet", ".arrow": "arrow",
    ".feather": "arrow",
}  # fmt: skip


def table_format(path: str) -> str | None:
    """The format that the ending of a file name asks for; None for TREC's.

    >>> table_format("runs/bm25.jsonl.gz"), table_format("bm25.run")
    ('jsonl', None)
    """
    name = PurePath(path).name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return _FORMATS.get(PurePath(name).suffix.lower())


def encoded(form: str, columns: Mapping[str, Sequence[Any]]) -> Iterable[bytes]:
    """The content of a file in this format; the first two columns are topic and document, the third is the value.

    >>> list(encoded("csv", {"query_id": ["1"], "doc_id": ["a,b"], "relevance": [2]}))
    [b'query_id,doc_id,relevance\\r\\n1,"a,b",2\\r\\n']
    """
    if form == "json":
        return [_json(columns)]
    if form == "jsonl":
        return [_jsonl(columns)]
    if form in ("csv", "tsv"):
        return [_csv(columns, "," if form == "csv" else "\t")]
    return [_arrow(columns, parquet=form == "parquet")]


def _json(columns: Mapping[str, Sequence[Any]]) -> bytes:
    import json

    topics, docs, *values = columns.values()
    nested: dict[str, dict[str, Any]] = {}
    several = len(values) > 1 and "rank" not in columns
    for i, (topic, doc) in enumerate(zip(topics, docs, strict=True)):
        nested.setdefault(topic, {})[doc] = [v[i] for v in values] if several else values[0][i]
    return (json.dumps(nested) + "\n").encode("ascii")


def _jsonl(columns: Mapping[str, Sequence[Any]]) -> bytes:
    import json

    rows = zip(*columns.values(), strict=True)
    return "".join([json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows]).encode("ascii")


def _csv(columns: Mapping[str, Sequence[Any]], delimiter: str) -> bytes:
    import csv
    from io import StringIO

    out = StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue().encode("utf-8", "surrogateescape")


def _arrow(columns: Mapping[str, Sequence[Any]], *, parquet: bool) -> bytes:
    from io import BytesIO

    pa: Any = require("pyarrow", "tables")
    try:
        table = pa.table({name: pa.array(list(column)) for name, column in columns.items()})
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise UsageError(f"These columns have no place in an Arrow table: {str(error)[:120]}") from None
    out = BytesIO()
    if parquet:
        pq: Any = require("pyarrow.parquet", "tables")
        pq.write_table(table, out)
    else:
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    return out.getvalue()
