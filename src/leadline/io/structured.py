"""JSON (``{topic: {document: value}}`` or a list of records), JSON lines, and CSV or TSV with a header."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from leadline.errors import InputError
from leadline.io.columns import Columns
from leadline.io.formats import DOC, GRADE, RANK, SCORE, TOPIC, plain_cell
from leadline.io.messages import quoted

__all__ = ["find_columns", "parse"]

_Rows = list[tuple[int, Sequence[Any]]]  # line and cells


def parse(data: bytes, form: str, where: str, kind: str, aspects: Sequence[str] | None) -> Columns | dict[str, Any]:
    """The content of a ``json``, ``jsonl``, ``csv`` or ``tsv`` file: columns, or a nested dictionary.

    >>> c = parse(b"qid,docno,score\\nq1,d1,0.5\\n", "csv", "x.csv", "run", None)
    >>> c.topics, c.docs, c.values, c.lines
    (['q1'], ['d1'], ['0.5'], [2])
    """
    text = data.decode("utf-8-sig", "surrogateescape")
    if not text.strip():
        raise InputError(f"{where}: the {kind} file is empty, got no record. Give at least one.")
    if "\0" in text:
        raise InputError(f"{where}: the file is binary, got a NUL byte. Give a text file in UTF-8.")
    if form == "json":
        return _json(text, where, kind, aspects)
    if form == "jsonl":
        return _jsonl(text, where, kind, aspects)
    return _table(text, "\t" if form == "tsv" else ",", where, kind, aspects)


def _json(text: str, where: str, kind: str, aspects: Sequence[str] | None) -> Columns | dict[str, Any]:
    import json

    try:
        found = json.loads(text, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        lines = text.split("\n")
        got = quoted(lines[error.lineno - 1][:100])
        raise InputError(f"{where}:{error.lineno}: no JSON ({error.msg}), got {got}. Correct it.") from None
    except _Twice as error:
        raise InputError(f"{where}: a key is given twice, got {quoted(error.args[0])}. Remove one.") from None
    if isinstance(found, dict) and all(isinstance(v, dict) for v in found.values()):
        return found
    if isinstance(found, list) and found and all(isinstance(v, dict) for v in found):
        return _records(list(enumerate(found, 1)), where, kind, aspects, "record")
    raise InputError(
        f"{where}: expected {{topic: {{document: value}}}} or a list of records, got {quoted(text[:60])}. "
        "Write one object for each topic."
    )


class _Twice(ValueError):
    """A key given twice, which JSON readers usually swallow."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _Twice(next(k for k, _ in pairs if k in seen or seen.add(k)))  # type: ignore[func-returns-value]
    return found


def _jsonl(text: str, where: str, kind: str, aspects: Sequence[str] | None) -> Columns:
    import json

    records: list[tuple[int, dict[str, Any]]] = []
    bad: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            bad.append(f"{where}:{number}: no JSON ({error.msg}), got {quoted(line[:100])}. Write one object per line.")
            continue
        if isinstance(record, dict):
            records.append((number, record))
        else:
            bad.append(f"{where}:{number}: expected an object, got {quoted(line[:100])}. Write one object per line.")
    if bad:
        raise InputError(bad)
    return _records(records, where, kind, aspects, "line")


def _records(
    records: Sequence[tuple[int, dict[str, Any]]], where: str, kind: str, aspects: Sequence[str] | None, unit: str
) -> Columns:
    keys = list(dict.fromkeys(k for _, r in islice(records, 1000) for k in r))
    places = find_columns(keys, where, kind, aspects)
    rows: _Rows = []
    bad: list[str] = []
    for number, record in records:
        missing = [keys[i] for i in places if i is not None and keys[i] not in record]
        if missing:
            at = f"{where}:{number}" if unit == "line" else f"{where}, {unit} {number}"
            bad.append(f"{at}: {quoted(missing[0])} is missing, got {quoted(str(record)[:100])}. Add it.")
        else:
            rows.append((number, [None if i is None else record[keys[i]] for i in places]))
    if bad:
        raise InputError(bad)
    return _to_columns(rows, where, unit)


def find_columns(header: Sequence[str], where: str, kind: str, aspects: Sequence[str] | None) -> list[int | None]:
    """Places of topic, document, rank (or None) and the values."""
    names = [plain_cell(h) for h in header]

    def find(wanted: Iterable[str], what: str) -> int:
        for name in wanted:
            if name.lower() in names:
                return names.index(name.lower())
        known = " or ".join(list(wanted)[:3])
        raise InputError(
            f"{where}: no column for the {what}, got {quoted(', '.join(header)[:100])}. Name one of them {known}."
        )

    rank = next((names.index(r) for r in RANK if r in names), None) if kind == "run" else None
    if kind == "run":
        values = [find(SCORE, "score")]
    elif aspects is None:
        values = [find(GRADE, "grade")]
    else:
        values = [find([a], f"aspect {a!r}") for a in aspects]
    return [find(TOPIC, "topic"), find(DOC, "document"), rank, *values]


def _table(text: str, delimiter: str, where: str, kind: str, aspects: Sequence[str] | None) -> Columns:
    import csv
    from io import StringIO

    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: _Rows = []
    bad: list[str] = []
    try:
        header = next(reader)
        places = find_columns(header, where, kind, aspects)
        for cells in reader:
            if not cells or (len(cells) == 1 and not cells[0].strip()):
                continue
            if len(cells) == len(header):
                rows.append((reader.line_num, [None if i is None else cells[i] for i in places]))
                continue
            got = quoted(delimiter.join(cells)[:100])
            bad.append(
                f"{where}:{reader.line_num}: expected {len(header)} columns, got {len(cells)} ({got}). "
                "Give every line as many as the header has."
            )
    except csv.Error as error:
        raise InputError(
            f"{where}:{reader.line_num}: no table, got {quoted(str(error))}. Check the quotes on this line."
        ) from None
    if bad:
        raise InputError(bad)
    if not rows:
        raise InputError(f"{where}: the {kind} file is empty, got no record after the header. Give at least one.")
    return _to_columns(rows, where, "line")


def _to_columns(rows: _Rows, where: str, unit: str) -> Columns:
    single = len(rows[0][1]) == 4
    return Columns(
        [_id(r[0]) for _, r in rows],
        [_id(r[1]) for _, r in rows],
        [r[3] if single else list(r[3:]) for _, r in rows],
        ranks=None if rows[0][1][2] is None else [r[2] for _, r in rows],
        where=where,
        lines=[n for n, _ in rows],
        unit=unit,
    )


def _id(value: Any) -> Any:
    """Ids may be written as numbers in JSON."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
