"""Problems of the native reader in words: ``file:line: what is wrong, got what, do what``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from leadline._core import _Problem

__all__ = ["DIFFERING", "DUPLICATE", "NAN", "Context", "quoted", "sentence"]

COLUMNS, SCORE, NAN, GRADE, RANGE, LABEL, RANK, DUPLICATE, EMPTY, BINARY, OPEN, TOO_LONG, DIFFERING, CHANGED = range(
    1, 15
)


def quoted(text: str) -> str:
    r"""Text as it was read, in quotes; bytes that are no UTF-8 and control characters escaped.

    >>> print(quoted('d\x07 \udcff'))
    "d\x07 \xff"
    """
    shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return '"' + "".join(c if c.isprintable() or c == " " else repr(c)[1:-1] for c in shown) + '"'


class Context(NamedTuple):
    """What a message has to know about its input."""

    where: str
    kind: str  # "run" or "qrels"
    aspects: Sequence[tuple[str, Sequence[str] | None]] | None = None
    lines: Sequence[int] | None = None  # line of each record, if the input was no TREC file
    unit: str = "line"  # or "row" or "record"; "" for dictionaries, whose keys say enough
    head: bytes = b""

    def line(self, place: int) -> int:
        """The line that a place (a line or record number) stands for."""
        return place if self.lines is None else self.lines[place - 1]

    def at(self, place: int, topic: str = "", doc: str = "") -> str:
        """A place in words: ``a.run:7``, or topic and document of a record without a number."""
        if self.unit == "line":
            return f"{self.where}:{self.line(place)}"
        if self.unit:
            return f"{self.where}, {self.unit} {self.line(place)}"
        return f"{self.where}, topic {quoted(topic)}, document {quoted(doc)}"


def _columns(c: Context, found: int, text: str) -> str:
    if c.kind == "run":
        expected, form = 6, "topic Q0 document rank score tag"
        hint = {4: "Is this a qrels file?", 5: "Is the run tag missing?"}.get(found, f"A run has the columns: {form}.")
    else:
        labels = [name for name, _ in c.aspects or [("grade", None)]]
        expected, form = 3 + len(labels), " ".join(["topic iteration document", *labels])
        hint = f"Qrels have the columns: {form}."
        if c.aspects is None and found > 4:
            hint = "Is this a run file?" if found == 6 else ""
            hint = f"{hint} Further label columns are read if you declare them (--aspects).".strip()
    if "\r" in text:
        hint = "Do the lines end as on old Macs? Convert the file."
    return f"expected {expected} columns, got {found} ({quoted(text)}). {hint}"


def _grade(c: Context, wrong: int, column: int, text: str) -> str:
    name, labels = c.aspects[column] if c.aspects else ("", None)
    what = f"label of {name!r}" if c.aspects else "grade"
    if wrong == LABEL:
        return f"the {what} is unknown, got {quoted(text)}. Declared are: {', '.join(labels or ())}."
    if wrong == RANGE:
        return f"the {what} is out of range, got {quoted(text)}. Use integers from -2147483648 to 2147483647."
    return f"the {what} is no integer, got {quoted(text)}. Use whole numbers such as 0, 1 or 2."


def _duplicate(c: Context, doc: str, topic: str, first: int) -> str:
    what, kept = ("is judged", "the highest grade") if c.kind == "qrels" else ("appears", "the best")
    return (
        f"document {quoted(doc)} {what} twice in topic {quoted(topic)}, got it first on {c.unit} {c.line(first)}. "
        f"Remove one, or read leniently (--lenient) to keep {kept}."
    )


def _binary(c: Context) -> str:
    if c.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "the file is UTF-16 text, got a NUL byte. Save it as UTF-8."
    return "the file is binary, got a NUL byte. Give a text file, or one compressed with gzip, zstd, bzip2 or xz."


def _whole(c: Context, wrong: int, value: int, topic: str) -> str:
    """What is wrong with an input as a whole."""
    if wrong == OPEN:
        return f"{c.where}: cannot be read, got {os.strerror(value)!r}. Check the path and its permissions."
    if wrong == CHANGED:
        return f"{c.where}: the file was changed while it was read. Wait until it is written, then read it again."
    if wrong == TOO_LONG:
        return f"{c.where}: topic {quoted(topic)} is too long, got {value} documents. Give at most 2147483647."
    if c.unit != "line":
        return f"{c.where}: nothing in it, got no topic. Give at least one."
    form = "topic Q0 document rank score tag" if c.kind == "run" else "topic iteration document grade"
    return f"{c.where}: the {c.kind} file is empty, got no line with columns. Each line should be: {form}."


def sentence(c: Context, problem: _Problem) -> str:
    """One problem as a message."""
    wrong, place, other, value, text, more = problem
    if wrong in (OPEN, TOO_LONG, EMPTY, CHANGED):
        return _whole(c, wrong, value, more)
    if wrong == COLUMNS:
        said = _columns(c, value, text)
    elif wrong == SCORE:
        said = f"the score is no number, got {quoted(text)}. Use numbers such as 12.5, 1e-3 or -inf."
    elif wrong == NAN:
        got = quoted("nan" if more else text)
        said = f"the score is NaN, got {got}. Give a number, or read leniently (--lenient) to rank it last."
    elif wrong == RANK:
        said = f"the rank is no integer, got {quoted(text)}. Correct it, or choose another tie rule (--ties)."
    elif wrong == DUPLICATE:
        said = _duplicate(c, text, more, other)
    elif wrong == BINARY:
        said = _binary(c)
    else:
        said = _grade(c, wrong, value, text)
    return f"{c.at(place, more, text)}: {said}"
