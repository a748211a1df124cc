"""Runs and qrels as columns: what tables of any kind are turned into before the native reader takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, UsageError
from leadline.io.messages import quoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from leadline._core import Records

    Strings = Sequence[str] | tuple[NDArray[np.uint8], NDArray[np.int64]]

__all__ = ["Columns", "from_columns", "qrels_records", "records_from_dict", "run_records"]

_MOST = 2**31 - 1


class Columns:
    """One run or one set of qrels as columns of equal length; give it wherever a file may stand.

    ``lines`` names the line (or row) of each record in messages, ``where`` the source.
    """

    __slots__ = ("docs", "lines", "name", "ranks", "topics", "unit", "values", "where")

    def __init__(
        self, topics: Strings, docs: Strings, values: Any, *, ranks: Any = None, name: str | None = None,
        where: str | None = None, lines: Sequence[int] | None = None, unit: str = "row",
    ) -> None:  # fmt: skip
        self.topics, self.docs, self.values, self.ranks = topics, docs, values, ranks
        self.name, self.where, self.lines, self.unit = name, where, lines, unit


def from_columns(
    topics: Strings,
    docs: Strings,
    values: ArrayLike,
    *,
    ranks: ArrayLike | None = None,
    name: str | None = None,
    where: str | None = None,
    lines: Sequence[int] | None = None,
) -> Columns:
    """A run (``values`` are scores) or qrels (``values`` are grades, or one column for each aspect) from columns.

    ``topics`` and ``docs`` are sequences of str, or pairs (uint8 array, int64 offsets) as Arrow keeps large strings.
    Millions of rows are fine. ``ranks`` is needed for the tie rule ``rank`` only.

    >>> from leadline.io import read_files
    >>> run = from_columns(["q1", "q1"], ["d1", "d2"], [1.5, 2.5], name="bm25")
    >>> r = read_files(from_columns(["q1"], ["d1"], [1]), run)
    >>> r.runs, r.rank.tolist()
    (('bm25',), [2])
    """
    return Columns(topics, docs, values, ranks=ranks, name=name, where=where, lines=lines)


def _records(columns: Columns, where: str, scores: Any, labels: Any, ranks: Any) -> Records:
    from leadline._core import Records

    try:
        return Records.from_columns(columns.topics, columns.docs, scores, labels, ranks)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{where}: {error}. Give columns of equal lengths, the ids as strings.") from None


def run_records(columns: Columns, where: str, *, by_rank: bool = False) -> Records:
    """Records of a run."""
    scores = _numbers(columns.values, _real, where, columns, "score is no number, got {}. Use a number.")
    ranks = None
    if by_rank:
        if columns.ranks is None:
            raise InputError(f"{where}: no rank column, which the tie rule 'rank' needs. Choose another rule (--ties).")
        ranks = _numbers(columns.ranks, _integer, where, columns, "rank is no integer, got {}. Use a whole number.")
    return _checked(_records(columns, where, scores, None, ranks), where, columns)


def qrels_records(columns: Columns, where: str, labels: Sequence[Sequence[bytes]]) -> Records:
    """Records of qrels with the given label columns."""
    import numpy as np

    values = np.asarray(columns.values)
    values = values.reshape(len(values), -1) if values.ndim != 2 else values
    if values.shape[1] != len(labels):
        got = f"expected {len(labels)} label columns, got {values.shape[1]}"
        raise InputError(f"{where}: {got}. Declare the aspects to match.")
    out = np.empty(values.shape, np.int32)
    for a, names in enumerate(labels):
        out[:, a] = _labels(values[:, a], names, where, columns)
    return _checked(_records(columns, where, None, out, None), where, columns)


def _labels(column: NDArray[Any], names: Sequence[bytes], where: str, columns: Columns) -> NDArray[np.int64]:
    if names:
        number = {n.decode("utf-8", "surrogateescape"): i for i, n in enumerate(names)}
        what = f"label is unknown, got {{}}. Declared are: {', '.join(number)}."
        return _numbers(column.astype(object), lambda v: number.get(str(v)), where, columns, what)
    return _numbers(column, _grade, where, columns, "grade is no integer of 32 bits, got {}. Use a whole number.")


def _real(value: Any) -> float | None:
    try:
        return None if isinstance(value, str) and "_" in value else float(value)
    except (TypeError, ValueError):
        return None


def _integer(value: Any) -> int | None:
    x = _real(value)
    return int(value if isinstance(value, int) else x) if x is not None and x.is_integer() else None


def _grade(value: Any) -> int | None:
    x = _integer(value)
    return x if x is not None and -_MOST - 1 <= x <= _MOST else None


def _numbers(
    values: Any, convert: Callable[[Any], float | int | None], where: str, columns: Columns, what: str
) -> NDArray[Any]:
    """Values as float64 or int64; whole arrays of numbers at once, anything else one by one."""
    import numpy as np

    given = np.asarray(values)
    wanted = np.float64 if convert is _real else np.int64
    if given.dtype.kind in "biuf" and convert is _real:
        return np.ascontiguousarray(given, np.float64)
    small = convert is _integer or not given.size or given.dtype.kind not in "bi"
    if given.dtype.kind in "bi" and (small or max(int(given.max()), -int(given.min()) - 1) <= _MOST):
        return np.ascontiguousarray(given, np.int64)
    found = [convert(v) for v in given.tolist()]
    if None in found:
        bad = [i for i, v in enumerate(found) if v is None]
        raise InputError(
            [f"{_place(where, columns, i)}: the {what.format(quoted(str(given[i])))}" for i in bad[:20]], total=len(bad)
        )
    return np.array(found, wanted)


def _place(where: str, columns: Columns, i: int) -> str:
    number = i + 1 if columns.lines is None else columns.lines[i]
    return f"{where}:{number}" if columns.unit == "line" else f"{where}, {columns.unit} {number}"


def records_from_dict(mapping: Mapping[Any, Any], where: str, labels: Sequence[Sequence[bytes]]) -> Records:
    """Records of ``{topic: {doc: value}}``; no label columns: a run."""
    from leadline._core import Records

    return _checked(Records.from_dict(mapping, labels), where, None)


_WHAT = {
    "topic": "a topic id must be a non-empty string, got {topic!r}",
    "document": "a document id must be a non-empty string, got {doc!r}",
    "documents": "topic {topic!r} must map documents to values, got {value!r}",
    "score": "topic {topic!r}, document {doc!r}: the score is no number, got {value!r}",
    "grade": "topic {topic!r}, document {doc!r}: the grade is no integer, got {value!r}",
    "range": "topic {topic!r}, document {doc!r}: the grade is out of range, got {value!r}",
    "label": "topic {topic!r}, document {doc!r}: the label is not declared, got {value!r}",
    "labels": "topic {topic!r}, document {doc!r}: one label for each aspect expected, got {value!r}",
}


def _checked(records: Records, where: str, columns: Columns | None) -> Records:
    if records.bad_total:
        said = []
        for record, what, topic, doc, value in records.bad:
            at = where if columns is None else _place(where, columns, record - 1)
            said.append(f"{at}: {_WHAT[what].format(topic=topic, doc=doc, value=value)}. Convert it first.")
        raise InputError(said, total=records.bad_total)
    return records
