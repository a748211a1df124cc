"""Results of every command as a table, and the formats it can be written in.

==========  ==========================================================================================================
format      what it is
==========  ==========================================================================================================
table       for people, on a terminal: fits its width, numbers to the right
trec        trec_eval's own columns, ``%-22s\\t%s\\t%6.4f`` (whole numbers for counts); a ``runid`` line before each run
            if there are several
tsv, csv    one header line, floats with all their digits, undefined values as ``nan``, absent ones empty
jsonl       one JSON object per line, floats with all their digits, undefined and absent values as ``null``
markdown    a table for a README or an issue tracker
latex       a booktabs tabular
parquet     columns for data frames; undefined values are null
==========  ==========================================================================================================

``digits`` counts for table, trec, markdown and latex. Formatting works column by column, so 250,000 rows take a
fraction of a second.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from leadline.errors import UnknownName, UsageError
from leadline.output import formats

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np

    Column = Sequence[Any] | np.ndarray[Any, Any]

__all__ = ["COUNTS", "FORMATS", "Table", "encode", "pivot", "render", "write"]

FORMATS = ("table", "trec", "tsv", "csv", "jsonl", "markdown", "latex", "parquet")
COUNTS = frozenset({"NumRet", "NumRel", "NumRelRet", "NumQ", "num_ret", "num_rel", "num_rel_ret", "num_q"})
"""Measures that count documents or topics; anything else is a real number."""


class Table:
    """Columns of equal length, with a title and notes for people.

    ``counts`` names the measures whose values are whole numbers; ``best`` says for which columns to stress the best
    value and which end is best (``"max"`` or ``"min"``); ``marks`` are superscripts of a column's cells, for people.

    >>> print(render(Table({"run": ["a", "b"], "AP": [0.25, 0.5]}), "tsv"), end="")
    run	AP
    a	0.25
    b	0.5
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        title: str = "",
        notes: Sequence[str] = (),
        counts: Collection[str] = COUNTS,
        best: Mapping[str, str] | None = None,
        marks: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.columns = columns
        self.title = title
        self.notes = notes
        self.counts = counts
        self.best = best or {}
        self.marks = marks or {}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise UsageError(f"The columns of a table must have equal lengths. Got {lengths} instead.")

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], **extra: Any) -> Table:
        """A table from one mapping per row; a key that a row lacks is an absent value.

        >>> Table.from_records([{"a": 1}, {"a": 2, "b": "x"}]).columns
        {'a': [1, 2], 'b': [None, 'x']}
        """
        rows = list(records)
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: [row.get(name) for row in rows] for name in names}, **extra)

    def but(self, **changes: Any) -> Table:
        """The same table with something else in its place: ``table.but(title="Scores")``."""
        return Table(**{**vars(self), **changes})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


def pivot(
    table: Table,
    *,
    by: str = "measure",
    value: str = "value",
    lower: Collection[str] = (),
) -> Table:
    """One column per measure, one row per run (and topic, if there are several); the best value of each is stressed.

    Rows are made of the columns before ``by``; those after it, other than ``value``, are left out. For the measures in
    ``lower`` less is better; counts have no best value. Combinations without a row stay absent.

    >>> long = Table({"run": ["a", "a", "b"], "measure": ["AP", "RR", "AP"], "value": [0.25, 1.0, 0.5]})
    >>> pivot(long).columns
    {'run': ['a', 'b'], 'AP': [0.25, 0.5], 'RR': [1.0, None]}
    """
    for name in (by, value):
        if name not in table.columns:
            raise UnknownName("column", name, table.columns)
    before = list(table.columns)[: list(table.columns).index(by)]
    keys = {name: formats.values(table.columns[name]) for name in before if name != value}
    if len(set(keys.get("topic", ()))) == 1 and len(keys) > 1:
        del keys["topic"]
    labels = list(zip(*keys.values(), strict=True)) or [()] * len(table)
    row_of = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    measures = formats.values(table.columns[by])
    wide: dict[str, list[Any]] = {str(m): [None] * len(row_of) for m in dict.fromkeys(measures)}
    for label, measure, number in zip(labels, measures, formats.values(table.columns[value]), strict=True):
        wide[str(measure)][row_of[label]] = number
    names = list(map(list, zip(*row_of, strict=True))) if row_of else [[] for _ in keys]
    columns: dict[str, Any] = {**dict(zip(keys, names, strict=True)), **wide}
    best = {m: "min" if m in lower else "max" for m in wide if not formats.is_count(m, table.counts)}
    return table.but(columns=columns, best=best if len(row_of) > 1 else {})


def render(
    table: Table,
    format: str,  # noqa: A002
    *,
    digits: int = 4,
    width: int | None = None,
    color: bool = False,
    ascii: bool = False,  # noqa: A002
    safe_csv: bool = False,
) -> str:
    """The table as text in one of the text formats.

    ``width`` (default: that of the terminal), ``color`` (unless ``NO_COLOR`` is set) and ``ascii`` (no other characters
    for lines and marks) are for ``table``; ``safe_csv`` puts a ``'`` before text that a spreadsheet would take for a
    formula.

    >>> scores = Table({"measure": ["map", "num_q"], "topic": ["all", "all"], "value": [0.2591, 50]})
    >>> print(render(scores, "trec"), end="")
    map                   	all	0.2591
    num_q                 	all	50
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    if format == "parquet":
        raise UsageError("parquet is not text. Use encode or write.")
    if format == "table":
        return _terminal(table, digits, width, color, ascii)
    if format == "csv":
        return formats.csv(table, safe=safe_csv)
    if format in ("tsv", "jsonl"):
        return formats.tsv(table) if format == "tsv" else formats.jsonl(table)
    return {"trec": formats.trec, "markdown": formats.markdown, "latex": formats.latex}[format](table, digits)


def encode(table: Table, format: str, **options: Any) -> bytes:  # noqa: A002
    """The table as bytes in any format; ``options`` are those of `render`."""
    if format == "parquet":
        return formats.parquet(table)
    return render(table, format, **options).encode("utf-8", "surrogateescape")


def write(table: Table, format: str, target: str | PathLike[str] | None = None, **options: Any) -> None:  # noqa: A002
    """Write the table to the file ``target``, all of it or nothing, or else to standard output."""
    import sys

    if target is not None:
        from leadline.io.write import atomic

        data = encode(table, format, **options)
        with atomic(target) as out:
            out.write(data)
        return
    if format == "parquet" and sys.stdout.isatty():
        raise UsageError("parquet is not for terminals. Name a file with -o, or use another format.")
    if format == "table" and not _takes_unicode(sys.stdout.encoding):
        options["ascii"] = True
    data = encode(table, format, **options)
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _terminal(table: Table, digits: int, width: int | None, color: bool, ascii: bool) -> str:  # noqa: A002
    from os import environ
    from shutil import get_terminal_size

    from leadline.output.terminal import lay_out

    color = color and not environ.get("NO_COLOR")
    if width is None:
        width = get_terminal_size((80, 24)).columns
    columns = formats.for_people(table, digits, formats.plain_text(ascii))
    body = lay_out(columns, width, color=color, ascii=ascii) if columns else ""
    parts = [table.title, body, "" if len(table) else "(no rows)", *table.notes]
    return "\n".join(part for part in parts if part) + "\n"


def _takes_unicode(encoding: str | None) -> bool:
    try:
        "─…–".encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
