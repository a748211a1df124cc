"""A slow, obvious reader of TREC runs and qrels, made from the description of the formats, not from the fast code."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import NamedTuple

SPACE = b" \t\n\v\f\r"
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
INTEGER = re.compile(rb"[+-]?\d+")
LARGEST_RANK = 2**52
SHOWN = 100  # bytes of a line or column that a message quotes

Aspects = Sequence[tuple[str, Sequence[str] | None]]  # name and label names; none: integers


class Problem(NamedTuple):
    """Where, what, and what was got; ordered as a reader of the file meets them."""

    line: int  # 0: the whole file
    column: int  # 0: the whole line
    what: str
    said: str  # the message up to what was got

    @property
    def kind(self) -> tuple[int, str]:
        return self.line, self.what


@dataclass
class Line:
    number: int
    doc: bytes
    score: float = 0.0
    rank: int = 0
    labels: tuple[int, ...] = ()


@dataclass
class Read:
    """Lines by topic, in order of first appearance; what is wrong; what lenient reading let pass; the run's tag."""

    topics: dict[bytes, list[Line]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    tag: bytes = b""


def quoted(text: bytes) -> str:
    """Text in quotes, the long one cut between two characters; what cannot be printed as an escape."""
    if len(text) > SHOWN:
        end = SHOWN
        while end > SHOWN - 4 and text[end] & 0b1100_0000 == 0b1000_0000:
            end -= 1
        text = text[:end] + "…".encode()
    shown = text.decode("utf-8", "backslashreplace")
    return '"' + "".join(c if c.isprintable() or c == " " else repr(c)[1:-1] for c in shown) + '"'


def lines_of(data: bytes) -> list[tuple[int, bytes, list[bytes]]]:
    """Number, text and columns of every line that has some."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        cells = [c for c in re.split(rb"[ \t\v\f\r]+", line) if c]
        if cells:
            found.append((number, line.rstrip(b"\r"), cells))
    return found


def binary(data: bytes) -> Problem:
    return Problem(data[: data.index(0)].count(b"\n") + 1, 0, "binary", "the file is ")


def to_float32(x: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def to_integer(text: bytes, low: int, high: int) -> int | None:
    """Within the bounds, or None."""
    digits = text.lstrip(b"+-").lstrip(b"0")
    if len(digits) > 20:
        return None
    x = int(text)
    return x if low <= x <= high else None


def read_run(data: bytes, ties: str, lenient: bool) -> Read:
    read = Read()
    if b"\0" in data:
        read.problems.append(binary(data))
        return read
    for number, text, cells in lines_of(data):
        if len(cells) != 6:
            said = f"expected 6 columns, got {len(cells)} ({quoted(text)}). "
            read.problems.append(Problem(number, 0, "columns", said))
            continue
        read.tag = read.tag or cells[5]
        line = _line(number, cells, ties, lenient, read)
        if line is not None:
            read.topics.setdefault(cells[0], []).append(line)
    if not read.topics and not read.problems:
        read.problems.append(Problem(0, 0, "empty", "the run file is empty, "))
    for topic, lines in read.topics.items():
        read.topics[topic] = _distinct(topic, order(lines, ties), read.notes if lenient else read.problems)
    return read


def _line(number: int, cells: list[bytes], ties: str, lenient: bool, read: Read) -> Line | None:
    """A line of a run with six columns; None if something is wrong with it."""
    _, _, doc, rank, score, _ = cells
    line = Line(number, doc)
    fine = True
    if not NUMBER.fullmatch(score):
        read.problems.append(Problem(number, 5, "score", f"the score is no number, got {quoted(score)}. "))
        fine = False
    else:
        line.score = float(score)
        if ties == "trec32":
            line.score = to_float32(line.score)
        if math.isnan(line.score):
            problem = Problem(number, 5, "nan", f"the score is NaN, got {quoted(score)}. ")
            (read.notes if lenient else read.problems).append(problem)
            fine = lenient
    if ties == "rank":
        number_read = to_integer(rank, -LARGEST_RANK, LARGEST_RANK) if INTEGER.fullmatch(rank) else None
        if number_read is None:
            read.problems.append(Problem(number, 4, "rank", f"the rank is no integer, got {quoted(rank)}. "))
            fine = False
        else:
            line.rank = number_read
    return line if fine else None


def order(lines: list[Line], ties: str) -> list[Line]:
    """Best first."""

    def compare(a: Line, b: Line) -> int:
        if ties == "file":
            return a.number - b.number
        if ties == "rank":
            return (a.rank > b.rank) - (a.rank < b.rank) or a.number - b.number
        x, y = math.isnan(a.score), math.isnan(b.score)
        if x != y:
            return 1 if x else -1
        if not x and a.score != b.score:
            return -1 if a.score > b.score else 1
        if ties != "run" and a.doc != b.doc:
            return -1 if a.doc > b.doc else 1
        return a.number - b.number

    return sorted(lines, key=cmp_to_key(compare))


def _twice(number: int, column: int, what: str, verb: str, doc: bytes, topic: bytes, first: int) -> Problem:
    said = f"document {quoted(doc)} {verb} twice in topic {quoted(topic)}, got it first on line {first}. "
    return Problem(number, column, what, said)


def _distinct(topic: bytes, lines: list[Line], problems: list[Problem]) -> list[Line]:
    kept: dict[bytes, Line] = {}
    for line in lines:
        if line.doc not in kept:
            kept[line.doc] = line
        else:
            first, again = sorted([line.number, kept[line.doc].number])
            problems.append(_twice(again, 3, "duplicate", "appears", line.doc, topic, first))
    return list(kept.values())


def read_qrels(data: bytes, lenient: bool, aspects: Aspects | None = None) -> Read:
    """With ``aspects``, each line has a label for each of them; without, one grade."""
    read = Read()
    if b"\0" in data:
        read.problems.append(binary(data))
        return read
    expected = 3 + len(aspects or [("grade", None)])
    for number, text, cells in lines_of(data):
        if len(cells) != expected:
            said = f"expected {expected} columns, got {len(cells)} ({quoted(text)}). "
            read.problems.append(Problem(number, 0, "columns", said))
            continue
        lines = read.topics.setdefault(cells[0], [])
        labels = _labels(number, cells[3:], aspects, read)
        if None not in labels:
            lines.append(Line(number, cells[2], labels=tuple(x for x in labels if x is not None)))
    if not any(read.topics.values()) and not read.problems:
        read.problems.append(Problem(0, 0, "empty", "the qrels file is empty, "))
    for topic, lines in read.topics.items():
        read.topics[topic] = _judged(topic, lines, read, lenient)
    return read


def _labels(number: int, cells: list[bytes], aspects: Aspects | None, read: Read) -> list[int | None]:
    """The number of each label; None where something is wrong with it."""
    found: list[int | None] = []
    for cell, (name, names) in zip(cells, aspects or [("", None)], strict=True):
        what = f"the label of {name!r}" if aspects else "the grade"
        if names is not None:
            known = {n.encode(): i for i, n in enumerate(names)}
            x, wrong, said = known.get(cell), "label", f"{what} is unknown"
        elif not INTEGER.fullmatch(cell):
            x, wrong, said = None, "grade", f"{what} is no integer"
        else:
            x, wrong, said = to_integer(cell, -(2**31), 2**31 - 1), "range", f"{what} is out of range"
        if x is None:
            read.problems.append(Problem(number, 0, wrong, f"{said}, got {quoted(cell)}. "))
        found.append(x)
    return found


def _judged(topic: bytes, lines: list[Line], read: Read, lenient: bool) -> list[Line]:
    kept: dict[bytes, Line] = {}
    for line in lines:
        first = kept.setdefault(line.doc, line)
        if first is line:
            continue
        what = "differing" if lenient and line.labels != first.labels else "duplicate"
        problem = _twice(line.number, 0, what, "is judged", line.doc, topic, first.number)
        (read.notes if lenient else read.problems).append(problem)
        first.labels = max(first.labels, line.labels)
    return list(kept.values())
