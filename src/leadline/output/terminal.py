"""Tables for people: everything fits the width, numbers to the right, nothing is lost.

Too wide a table is first tightened (long names shortened in the middle, prose wrapped), then split into several tables
that repeat the leading names. It takes no package to do so, and a table of 250,000 rows costs a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from unicodedata import combining, east_asian_width

__all__ = ["Layout", "bold", "lay_out"]

_GAP = "  "
_NAME = 20  # names are shortened to this many cells, if need be
_PROSE = 24  # prose is not wrapped to less


@dataclass(frozen=True)
class Layout:
    """One column, formatted: header, one text per row, numbers to the right, the rows to print bold."""

    header: str
    cells: Sequence[str]
    right: bool = False
    bold: frozenset[int] = frozenset()

    @cached_property
    def width(self) -> int:
        """Cells of the terminal that the widest entry takes."""
        return max(_width(self.header), max(map(_width, set(self.cells)), default=0))

    @cached_property
    def prose(self) -> bool:
        """Whether the column holds sentences, which may be wrapped, rather than names."""
        return not self.right and self.width > _PROSE and any(" " in cell for cell in self.cells)


def bold(text: str) -> str:
    """The text in the terminal's bold type."""
    return f"\x1b[1m{text}\x1b[0m"


def lay_out(columns: Sequence[Layout], width: int, *, color: bool = False, ascii: bool = False) -> str:  # noqa: A002
    """The columns as text no wider than ``width``, in as many tables as it takes.

    A single column wider than ``width`` is printed as it is, unless it holds prose.

    >>> columns = [Layout("run", ["a", "b"]), Layout("AP", ["0.25", "0.5"], right=True)]
    >>> print(lay_out(columns, 80, ascii=True))
    run    AP
    ---------
    a    0.25
    b     0.5
    """
    parts = _split(columns, width, "..." if ascii else "…")
    return "\n\n".join(_draw(part, width, "-" if ascii else "─", color) for part in parts)


def _split(columns: Sequence[Layout], width: int, mark: str) -> list[list[Layout]]:
    if sum(c.width for c in columns) + len(_GAP) * (len(columns) - 1) <= width:
        return [list(columns)]
    columns = [c if c.right or c.prose or c.width <= _NAME else _shorten(c, mark) for c in columns]
    keys: list[Layout] = []
    for column in columns:
        if column.right or column.prose or _least([*keys, column]) > width // 2:
            break
        keys.append(column)
    parts, part = [], list(keys)
    for column in columns[len(keys) :]:
        if len(part) > len(keys) and _least([*part, column]) > width:
            parts.append(part)
            part = list(keys)
        part.append(column)
    return [*parts, part]


def _least(columns: Sequence[Layout]) -> int:
    """The least width of the columns side by side: prose at its narrowest."""
    return sum(_PROSE if c.prose else c.width for c in columns) + len(_GAP) * (len(columns) - 1)


def _shorten(column: Layout, mark: str) -> Layout:
    """Cut the middle out of long names, unless different names would then look the same."""
    names = set(column.cells)
    front = (_NAME - len(mark) + 1) // 2
    back = _NAME - len(mark) - front
    short = {n: n if _width(n) <= _NAME else f"{n[:front]}{mark}{n[-back:]}" for n in names}
    if len(set(short.values())) < len(names):
        return column
    return replace(column, cells=[short[n] for n in column.cells])


def _width(text: str) -> int:
    """Terminal cells a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _draw(columns: Sequence[Layout], width: int, rule: str, color: bool) -> str:
    """One table: prose gets the room that the others leave, in equal shares."""
    rigid = sum(c.width for c in columns if not c.prose) + len(_GAP) * (len(columns) - 1)
    room = max((width - rigid) // max(sum(c.prose for c in columns), 1), _PROSE)
    widths = [min(c.width, room) if c.prose else c.width for c in columns]
    header = _GAP.join(_pad(c.header, w, c.right) for c, w in zip(columns, widths, strict=True)).rstrip()
    line = rule * (sum(widths) + len(_GAP) * (len(widths) - 1))
    texts = [_texts(c, w, color) for c, w in zip(columns, widths, strict=True)]
    if any(c.width > w for c, w in zip(columns, widths, strict=True)):
        prose = [c.prose for c in columns]
        rows = [line for row in zip(*texts, strict=True) for line in _wrapped(row, widths, prose)]
    else:
        rows = [_GAP.join(row).rstrip() for row in zip(*texts, strict=True)]
    return "\n".join([bold(header) if color else header, line, *rows])


def _texts(column: Layout, width: int, color: bool) -> list[str]:
    """The cells of one column, padded; each distinct text is looked at once."""
    padded = {cell: _pad(cell, width, column.right) for cell in set(column.cells)}
    texts = [padded[cell] for cell in column.cells]
    if color:
        for i in column.bold:
            texts[i] = texts[i].replace(column.cells[i], bold(column.cells[i]))
    return texts


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _wrapped(row: Sequence[str], widths: Sequence[int], prose: Sequence[bool]) -> list[str]:
    """The lines of one row, its prose wrapped."""
    from textwrap import wrap

    cells = [(wrap(t, w) or [""]) if p else [t] for t, w, p in zip(row, widths, prose, strict=True)]
    lines = zip_longest(*cells, fillvalue="")
    return [_GAP.join(_pad(t, w, False) for t, w in zip(line, widths, strict=True)).rstrip() for line in lines]
