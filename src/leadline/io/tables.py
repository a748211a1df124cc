"""Runs and qrels from tables: pandas, polars, pyarrow, DuckDB, whatever narwhals knows; parquet and Arrow files.

Columns are found by the names that ir_measures (``query_id, doc_id, score, relevance``), PyTerrier (``qid, docno,
score, label``) and ranx (``q_id, doc_id``) give them, or are named by the caller (:func:`run_table`,
:func:`qrels_table`). Ids are texts: integers are written out, anything else is refused, since a table that holds them
as decimal numbers or as missing values has lost leading zeros or a document called "NA" already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, UnknownName, UsageError, require
from leadline.io.columns import Columns
from leadline.io.formats import DOC, GRADE, RANK, SCORE, TOPIC, plain_cell
from leadline.io.structured import find_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["file_runs", "parquet_columns", "qrels_columns", "qrels_table", "run_table", "runs_columns"]

RUN = ("run", "run_id", "runid", "run_name", "system", "system_id", "tag")
_ROLES = {"topic": TOPIC, "doc": DOC, "score": SCORE, "grade": GRADE, "rank": RANK, "run": RUN}
_SHOWN = 20


def run_table(
    table: Any,
    *,
    topic: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    run: str | None = None,
    where: str | None = None,
) -> list[Columns]:
    """The runs of a table, one for each value of its run column; without one, a single unnamed run.

    Columns with a usual name need not be named. Give the result to :func:`leadline.read` as runs.

    >>> import pyarrow
    >>> table = pyarrow.table({"q": ["01", "01", "01"], "item": ["a", "b", "a"], "sim": [2.0, 1.0, 3.0],
    ...                        "system": ["x", "x", "y"]})
    >>> [(c.name, c.values.tolist()) for c in run_table(table, topic="q", doc="item")]
    [('x', [2.0, 1.0]), ('y', [3.0])]
    """
    given = {"topic": topic, "doc": doc, "score": score, "rank": rank, "run": run}
    return _runs(_Table(table, where or "run"), {role: name for role, name in given.items() if name is not None})


def qrels_table(
    table: Any,
    *,
    topic: str | None = None,
    doc: str | None = None,
    grade: str | None = None,
    where: str | None = None,
) -> Columns:
    """The qrels of a table; columns with a usual name need not be named.

    >>> import pyarrow
    >>> c = qrels_table(pyarrow.table({"q": ["007"], "docno": ["NA"], "label": [2]}), topic="q")
    >>> c.values.tolist()
    [2]
    """
    given = {"topic": topic, "doc": doc, "grade": grade}
    names = {role: name for role, name in given.items() if name is not None}
    return _qrels(_Table(table, where or "qrels"), None, names)


# what the reader calls ------------------------------------------------------------------------------------------------
def runs_columns(table: Any) -> list[Columns]:
    """The runs of a table with the usual column names."""
    return run_table(table)


def qrels_columns(table: Any, aspects: Sequence[str] | None) -> Columns:
    """The qrels of a table with the usual column names; one label column for each aspect, by its name."""
    return _qrels(_Table(table, "qrels"), aspects, {})


def parquet_columns(data: bytes, where: str, kind: str, aspects: Sequence[str] | None) -> Columns:
    """The content of a parquet or Arrow file: qrels or one run."""
    table = _Table(_arrow_file(data, where), where)
    if kind == "qrels":
        return _qrels(table, aspects, {})
    found = _runs(table, {})
    if len(found) > 1:
        names = ", ".join(str(c.name) for c in found[:3])
        raise InputError(f"{where}: holds {len(found)} runs ({names}, …), got one file for one run. Name the file.")
    return found[0]


def file_runs(path: str) -> list[Columns]:
    """The runs of a parquet or Arrow file, which may hold several."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file. Check the path of the run file.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read, got {error.strerror!r}. Check path and permissions.") from None
    return _runs(_Table(_arrow_file(data, path), path), {})


def _arrow_file(data: bytes, where: str) -> Any:
    pa: Any = require("pyarrow", "tables")
    try:
        if data[:4] == b"PAR1":
            pq: Any = require("pyarrow.parquet", "tables")
            return pq.read_table(pa.BufferReader(data))
        if data[:6] == b"ARROW1":
            return pa.ipc.open_file(pa.BufferReader(data)).read_all()
        return pa.ipc.open_stream(pa.BufferReader(data)).read_all()
    except (pa.ArrowException, OSError) as error:
        said = str(error).splitlines()[0][:120]
        raise InputError(f"{where}: is no parquet or Arrow file, got {said!r}. Write it again.") from None


# tables ---------------------------------------------------------------------------------------------------------------
class _Table:
    """Some library's table, read column by column."""

    def __init__(self, table: Any, where: str) -> None:
        self.where = where
        nw: Any = require("narwhals", "tables")
        pa: Any = require("pyarrow", "tables")
        self._pa: Any = pa
        if isinstance(table, pa.RecordBatch):
            table = pa.Table.from_batches([table])
        try:
            self._frame = nw.from_native(table)
        except TypeError:
            got = type(table).__name__
            raise UsageError(f"Cannot read {where} from a {got}; give a table of pandas, polars, arrow …") from None
        self.names: list[str] = [str(n) for n in self._frame.collect_schema().names()]
        self._lazy = isinstance(self._frame, nw.LazyFrame)

    def keep(self, places: Sequence[int | None]) -> None:
        """Read the columns at these places; what a lazy table does not need is never computed."""
        wanted = [self.names[i] for i in places if i is not None]
        if self._lazy:
            self._frame, self._lazy = self._frame.select(*dict.fromkeys(wanted)).collect(), False

    def arrow(self, place: int) -> Any:
        """A column as an Arrow array, or as a list where Arrow has no type for it."""
        series = self._frame[self.names[place]]
        try:
            found = series.to_arrow()
        except (self._pa.ArrowException, UnicodeEncodeError):
            return series.to_list()
        return found.combine_chunks() if isinstance(found, self._pa.ChunkedArray) else found

    def ids(self, place: int, what: str) -> Any:
        """A column of ids as texts, in the form of Arrow's large strings if possible."""
        column = self.arrow(place)
        if isinstance(column, list):
            return self._listed_ids(column, place, what)
        types = self._pa.types
        held = column.type.value_type if types.is_dictionary(column.type) else column.type
        if column.null_count:
            missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
            self._refuse(missing, place, what, "a missing value")
        text = types.is_string(held) or types.is_large_string(held) or types.is_string_view(held)
        if not text and not types.is_integer(held):
            hint = "Read the column as text (dtype=str), so that no leading zero is lost."
            raise InputError(f"{self.where}: the {what} ids in {self.names[place]!r} are {held}, not text. {hint}")
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        return column.cast(self._pa.large_string())

    def _listed_ids(self, column: list[Any], place: int, what: str) -> Any:
        """Ids of mixed types, or texts that are no UTF-8."""
        good = [isinstance(v, (str, int, np.integer)) and not isinstance(v, bool) for v in column]
        bad = np.flatnonzero(~np.array(good, bool))
        if len(bad):
            self._refuse(bad, place, what, repr(column[bad[0]]))
        return [str(v) for v in column]

    def _refuse(self, rows: NDArray[np.int64], place: int, what: str, got: str) -> None:
        said = [
            f"{self.where}, row {i + 1}: the {what} id in {self.names[place]!r} is no text, got {got}. "
            'Was "NA" taken for a missing value? Read ids as text.'
            for i in rows[:_SHOWN]
        ]
        raise InputError(said, total=len(rows))

    def numbers(self, place: int) -> NDArray[Any]:
        """A column of numbers; what is none is told when it is read."""
        column = self.arrow(place)
        if isinstance(column, list):
            return np.array(column, object)
        types = self._pa.types
        if types.is_decimal(column.type) or types.is_float16(column.type):
            column = column.cast(self._pa.float64())
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        found: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return found


def _renamed(table: _Table, given: dict[str, str]) -> list[str]:
    """The column names, those the caller named under their usual name and with no rival."""
    names = list(table.names)
    for role, name in given.items():
        if name not in table.names:
            raise UnknownName(f"column of {table.where}", name, table.names)
        at = table.names.index(name)
        names = ["" if plain_cell(n) in _ROLES[role] else n for n in names]
        names[at] = _ROLES[role][0]
    return names


def _qrels(table: _Table, aspects: Sequence[str] | None, given: dict[str, str]) -> Columns:
    topic, doc, _, *labels = find_columns(_renamed(table, given), table.where, "qrels", aspects)
    table.keep([topic, doc, *labels])
    assert topic is not None
    assert doc is not None
    values = [table.numbers(i) for i in labels if i is not None]
    topics, docs = table.ids(topic, "topic"), table.ids(doc, "document")
    if aspects is None:
        return Columns(_strings(topics), _strings(docs), values[0], where=table.where)
    topics, docs = (ids if isinstance(ids, list) else ids.to_pylist() for ids in (topics, docs))
    return Columns(topics, docs, np.stack([v.astype(object) for v in values], axis=1), where=table.where)


def _runs(table: _Table, given: dict[str, str]) -> list[Columns]:
    names = _renamed(table, given)
    topic, doc, rank, score = find_columns(names, table.where, "run", None)
    lower = [plain_cell(n) for n in names]
    by = next((lower.index(r) for r in RUN if r in lower), None)
    table.keep([topic, doc, rank, score, by])
    assert topic is not None
    assert doc is not None
    assert score is not None
    topics, docs, values = table.ids(topic, "topic"), table.ids(doc, "document"), table.numbers(score)
    ranks = None if rank is None else table.numbers(rank)
    if by is None:
        where = None if table.where == "run" else table.where
        return [Columns(_strings(topics), _strings(docs), values, ranks=ranks, where=where)]
    found = []
    for name, rows in _rows_of(table.ids(by, "run")):
        found.append(Columns(
            _strings(_take(topics, rows)), _strings(_take(docs, rows)), values[rows],
            ranks=None if ranks is None else ranks[rows], name=name,
            where=None if table.where == "run" else table.where, lines=(rows + 1).tolist(),
        ))  # fmt: skip
    return found


def _rows_of(names: Any) -> list[tuple[str, NDArray[np.int64]]]:
    """Each distinct text and its rows, in the order of their first appearance."""
    if isinstance(names, list):
        number: dict[str, int] = {}
        codes = np.array([number.setdefault(n, len(number)) for n in names], np.int64)
        distinct = list(number)
    else:
        encoded = names.dictionary_encode()
        codes = encoded.indices.to_numpy().astype(np.int64)
        distinct = encoded.dictionary.to_pylist()
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(distinct)))
    return list(zip(distinct, np.split(order, ends[:-1]), strict=True)) if distinct else []


def _take(ids: Any, rows: NDArray[np.int64]) -> Any:
    return [ids[i] for i in rows] if isinstance(ids, list) else ids.take(rows)


def _strings(ids: Any) -> Any:
    """What the native reader takes: a list of texts, or their bytes and where each begins."""
    if isinstance(ids, list):
        return ids
    _, offsets, data = ids.buffers()
    if not len(ids):
        return []
    starts = np.frombuffer(offsets, np.int64)[ids.offset : ids.offset + len(ids) + 1]
    first, last = int(starts[0]), int(starts[-1])
    held = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)[first:last]
    return np.ascontiguousarray(held), np.ascontiguousarray(starts - first)
