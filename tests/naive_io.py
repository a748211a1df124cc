"""A slow, obvious reader of TREC runs and qrels, made from the description of the formats, not from the fast code."""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, field
from functools import cmp_to_key

SPACE = b" \t\n\v\f\r"
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
INTEGER = re.compile(rb"[+-]?\d+")

Problem = tuple[int, str]  # line, what


@dataclass
class Line:
    number: int
    doc: bytes
    score: float = 0.0
    rank: int = 0
    grade: int = 0


@dataclass
class Read:
    """Lines by topic, in order of first appearance, and what is wrong."""

    topics: dict[bytes, list[Line]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def columns(data: bytes) -> list[tuple[int, list[bytes]]]:
    """Number and columns of every line that has some."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        cells = [c for c in re.split(rb"[ \t\v\f\r]+", line) if c]
        if cells:
            found.append((number, cells))
    return found


def to_float32(x: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def read_run(data: bytes, ties: str, lenient: bool) -> Read:
    read = Read()
    for number, cells in columns(data):
        if len(cells) != 6:
            read.problems.append((number, "columns"))
            continue
        topic, _, doc, rank, score, _ = cells
        line = Line(number, doc)
        wrong = []
        if not NUMBER.fullmatch(score):
            wrong.append((number, "score"))
        else:
            line.score = float(score)
            if math.isnan(line.score) and not lenient:
                wrong.append((number, "nan"))
        if ties == "trec32":
            line.score = to_float32(line.score)
        if ties == "rank":
            if not INTEGER.fullmatch(rank):
                wrong.append((number, "rank"))
            else:
                line.rank = int(rank)
        read.problems += wrong
        if not wrong:
            read.topics.setdefault(topic, []).append(line)
    if not read.topics and not read.problems:
        read.problems.append((0, "empty"))
    for topic, lines in read.topics.items():
        read.topics[topic] = _distinct(order(lines, ties), read.problems, lenient)
    return read


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


def _distinct(lines: list[Line], problems: list[Problem], lenient: bool) -> list[Line]:
    kept: dict[bytes, Line] = {}
    for line in lines:
        if line.doc not in kept:
            kept[line.doc] = line
        elif not lenient:
            problems.append((max(line.number, kept[line.doc].number), "duplicate"))
    return list(kept.values())


def read_qrels(data: bytes, lenient: bool) -> Read:
    read = Read()
    for number, cells in columns(data):
        if len(cells) != 4:
            read.problems.append((number, "columns"))
            continue
        topic, _, doc, grade = cells
        lines = read.topics.setdefault(topic, [])
        if not INTEGER.fullmatch(grade):
            read.problems.append((number, "grade"))
        elif not -(2**31) <= int(grade) < 2**31:
            read.problems.append((number, "range"))
        else:
            lines.append(Line(number, doc, grade=int(grade)))
    if not any(read.topics.values()) and not read.problems:
        read.problems.append((0, "empty"))
    for topic, lines in read.topics.items():
        kept: dict[bytes, Line] = {}
        for line in lines:
            if line.doc not in kept:
                kept[line.doc] = line
            elif lenient:
                kept[line.doc].grade = max(kept[line.doc].grade, line.grade)
            else:
                read.problems.append((line.number, "duplicate"))
        read.topics[topic] = list(kept.values())
    return read
