"""From a declaration of aspects to judgments that the reader takes: files, dictionaries, records and tables.

What the native reader understands by itself (one label column per aspect, no gaps) is left to it; merged labels,
aspects with files or features of their own, and labels that nobody gave are settled here first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from leadline.errors import InputError, UsageError
from leadline.findings import Findings
from leadline.io.aspect_features import read_aspects
from leadline.io.aspect_files import AspectLabels, encode, fill_missing, without_duplicates
from leadline.io.aspects import NOT_ASSESSED, Aspect, AspectSet, declare
from leadline.io.columns import Columns
from leadline.io.compressed import compression, decompress
from leadline.io.formats import file_format
from leadline.io.sources import tables_module
from leadline.io.structured import parse

__all__ = ["Declared", "declared_qrels", "labels_from_dict", "labels_from_records"]

Columned: TypeAlias = list[tuple[str, tuple[str, ...] | None]]

_GAP = re.compile(rb"[ \t]-(?=[ \t\r\n]|\Z)")  # a label that nobody gave, as a column of its own
_TOPIC = ("query_id", "topic", "topic_id", "qid", "query")
_DOC = ("doc_id", "doc", "docno", "docid", "document")


@dataclass(frozen=True, eq=False)
class Declared:
    """Qrels as the reader takes them, its label columns, the declaration, and what was filled in."""

    qrels: Any
    columns: Columned
    aspects: AspectSet | None
    findings: Findings = field(default_factory=Findings)


def declared_qrels(qrels: Any, spec: Any) -> Declared:
    """Judgments of declared aspects, made ready for the reader.

    ``spec`` is what :func:`leadline.io.aspects.declare` takes, or the reader's own pairs (name, labels); a pair
    without labels holds whole numbers, and declares no aspect. ``qrels`` may be a file, ``{topic: {doc: labels}}``
    with labels as a sequence or as ``{aspect: label}``, an iterable of records (ir_datasets' qrels, say), or a table.

    >>> found = declared_qrels({"q": {"a": ("hr", "-")}}, "relevance=nr,hr correctness=nc,c")
    >>> found.qrels.values.tolist(), str(found.findings)
    ([[1, 0]], 'not-assessed: 1 (q a), correctness counted as lowest (nc)')
    """
    if _is_pairs(spec):
        pairs = [(str(name), None if labels is None else tuple(map(str, labels))) for name, labels in spec]
        if any(labels is None for _, labels in pairs):
            return Declared(qrels, pairs, None)
        spec = AspectSet(tuple(Aspect(name, labels) for name, labels in pairs if labels is not None))
    aspects = declare(spec)
    found = _settled(qrels, aspects)
    if found is None:
        return Declared(qrels, list(aspects.columns), aspects)
    return Declared(found.to_columns(_where(qrels)), [(name, None) for name in aspects.names], aspects, found.findings)


def _is_pairs(spec: Any) -> bool:
    listed = isinstance(spec, Sequence) and not isinstance(spec, str)
    return listed and bool(spec) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in spec)


def _where(qrels: Any) -> str:
    return fspath(qrels) if isinstance(qrels, str | PathLike) else "qrels"


def _settled(qrels: Any, aspects: AspectSet) -> AspectLabels | None:
    """Labels as indices without gaps; None if the reader can do it by itself."""
    apart = any(a.qrels is not None or a.feature is not None for a in aspects)
    if isinstance(qrels, str | PathLike):
        return _from_file(fspath(qrels), aspects, apart)
    if apart:
        raise UsageError("aspects: files of their own need a qrels file as well, not a dictionary or a table")
    if isinstance(qrels, Mapping):
        found = labels_from_dict(qrels, aspects)
    elif isinstance(qrels, Columns):
        found = _from_columns(qrels, aspects)
    elif hasattr(qrels, "columns") or hasattr(qrels, "__arrow_c_stream__"):
        found = _from_columns(tables_module().qrels_columns(qrels, list(aspects.names)), aspects)
    elif isinstance(qrels, Iterable):
        found = labels_from_records(qrels, aspects)
    else:
        return None
    return fill_missing(found, aspects)


def _from_file(path: str, aspects: AspectSet, apart: bool) -> AspectLabels | None:
    """Labels of a file; None if the native reader can take it: label columns without gaps or other spellings."""
    if path == "-":
        return None
    try:
        data = Path(path).read_bytes()
    except OSError:
        return None  # the reader says what is wrong
    how = compression(data[:16])
    form = file_format(path, data[:4096] if how is None else b"".join(decompress(data, how, path))[:4096])
    if form != "trec" and not apart:
        return fill_missing(_structured(data, how, form, path, aspects), aspects)
    if how is None and not apart and not any(a.aliases for a in aspects) and _GAP.search(data) is None:
        return None
    shared = [a for a in aspects if a.qrels is None and a.feature is None]
    return read_aspects(None if not shared and path in [a.qrels for a in aspects] else path, aspects)


def _structured(data: bytes, how: str | None, form: str, path: str, aspects: AspectSet) -> AspectLabels:
    """Labels of a table or of JSON, by the names of the aspects."""
    whole = data if how is None else b"".join(decompress(data, how, path))
    names = list(aspects.names)
    if form == "parquet":
        found = tables_module().parquet_columns(whole, path, "qrels", names)
    else:
        found = parse(whole, form, path, "qrels", names)
    return labels_from_dict(found, aspects) if isinstance(found, Mapping) else _from_columns(found, aspects, path)


# dictionaries, columns, records ---------------------------------------------------------------------------------------
def labels_from_dict(qrels: Mapping[Any, Any], aspects: AspectSet) -> AspectLabels:
    """Labels from ``{topic: {doc: (label, …)}}`` or ``{topic: {doc: {aspect: label}}}``; None or ``-`` is a gap.

    >>> labels_from_dict({"q": {"a": {"b": 1, "a": None}}}, declare("a=0,1 b=0,1")).labels.tolist()
    [[-1, 1]]
    """
    topics, docs, rows = [], [], []
    for topic, judged in qrels.items():
        if not isinstance(judged, Mapping):
            raise InputError(f"qrels: topic {topic!r} must map documents to labels, got {judged!r}")
        for doc, labels in judged.items():
            topics.append(str(topic))
            docs.append(str(doc))
            rows.append(_row(labels, aspects, f"topic {topic!r}, document {doc!r}"))
    return _encoded(topics, docs, rows, aspects)


def _row(labels: Any, aspects: AspectSet, where: str) -> list[Any]:
    if isinstance(labels, Mapping):
        for name in labels:
            aspects.position(str(name))
        return [labels.get(name) for name in aspects.names]
    row = list(labels) if isinstance(labels, Sequence | np.ndarray) and not isinstance(labels, str) else [labels]
    if len(row) != len(aspects):
        raise InputError(f"qrels, {where}: expected {len(aspects)} labels ({', '.join(aspects.names)}), got {labels!r}")
    return row


def _from_columns(columns: Columns, aspects: AspectSet, path: str | None = None) -> AspectLabels:
    values = np.asarray(columns.values, object)
    values = values.reshape(len(values), -1)
    if values.shape[1] != len(aspects):
        raise InputError(
            f"qrels: expected {len(aspects)} label columns ({', '.join(aspects.names)}), got {values.shape[1]}"
        )
    topics, docs = ([str(x) for x in column] for column in (columns.topics, columns.docs))
    lines = None if path is None or columns.unit != "line" else columns.lines
    return _encoded(topics, docs, values.tolist(), aspects, None if lines is None else (str(path), lines))


def labels_from_records(
    records: Iterable[Any], aspects: AspectSet, *, fields: Mapping[str, str] | None = None
) -> AspectLabels:
    """Labels from records with several label fields, such as the multi-aspect qrels of ir_datasets.

    A record is a named tuple, an object with attributes or a mapping with a topic (``query_id``), a document
    (``doc_id``) and a field for each aspect: the one of its name, or what ``fields`` says (aspect → field). None and
    an empty text are gaps. ::

        qrels = ir_datasets.load("clueweb12/trec-misinfo-2019").qrels_iter()
        aspects = declare("relevance=0..2 effectiveness=-1..1 credibility=-1..1", …)
        labels_from_records(qrels, aspects)
    """
    iterator = iter(records)
    first = next(iterator, None)
    if first is None:
        raise InputError("qrels: no record was given")
    names = _field_names(first)
    topic, doc = _find(_TOPIC, names, "topic"), _find(_DOC, names, "document")
    notes = Findings()
    wanted = [_label_field(dict(fields or {}).get(a.name, a.name), names, notes) for a in aspects]
    topics, docs, rows = [], [], []
    for record in chain([first], iterator):
        get = record.__getitem__ if isinstance(record, Mapping) else record.__getattribute__
        topics.append(str(get(topic)))
        docs.append(str(get(doc)))
        rows.append([get(name) for name in wanted])
    found = _encoded(topics, docs, rows, aspects)
    found.findings.extend(notes)
    return found


def _label_field(wanted: str, names: Sequence[str], notes: Findings) -> str:
    """The field of an aspect; a name that is one letter off counts, with a finding (ir_datasets has ``redibility``)."""
    if wanted not in names:
        near = get_close_matches(wanted, names, n=2, cutoff=0.9)
        if len(near) == 1:
            notes.add("field-of-another-name", 1, near, f"read as {wanted}")
            return near[0]
    return _find((wanted,), names, f"aspect {wanted!r}")


def _field_names(record: Any) -> list[str]:
    if isinstance(record, Mapping):
        return [str(k) for k in record]
    named = getattr(record, "_fields", None) or getattr(record, "__dataclass_fields__", None) or vars(record)
    return [str(n) for n in named]


def _find(wanted: Sequence[str], names: Sequence[str], what: str) -> str:
    for name in wanted:
        if name in names:
            return name
    raise UsageError(
        f"qrels records: no field for the {what}, got {', '.join(names)}; name it by fields={{ASPECT: FIELD}}"
    )


def _encoded(
    topics: list[str], docs: list[str], rows: list[list[Any]], aspects: AspectSet,
    lines: tuple[str, Sequence[int]] | None = None,
) -> AspectLabels:  # fmt: skip
    def where(i: int) -> str:
        return f"{lines[0]}:{lines[1][i]}" if lines else f"qrels, topic {topics[i]}, document {docs[i]}"

    columns = list(zip(*rows, strict=True)) if rows else [()] * len(aspects)
    labels = [encode(a, map(_token, column), where) for a, column in zip(aspects, columns, strict=True)]
    found = AspectLabels(tuple(topics), tuple(docs), np.stack(labels, axis=1))
    return without_duplicates(found, *(lines or ("qrels, record", range(1, len(topics) + 1))))


def _token(value: Any) -> str:
    """A label as it is declared: whole numbers without a point, nothing as a gap."""
    if value is None or value == "" or (isinstance(value, float) and value != value):
        return NOT_ASSESSED
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
