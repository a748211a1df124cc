"""Run and qrels files that look real, changed by seed: for the comparison of the native reader with the slow one.

``case(seed, number)`` is one pair of texts with the options to read it by. Half of the cases only get changes that
leave a file readable (MILD: other order, blanks, notations, ties, repeats), the others any (WILD: columns and bytes
lost, bits flipped, NUL, numbers that are none).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import naive_io
from leadline.simulate import simulate
from malformed.recipes import RECIPES
from readers import RULES, Case, is_trec

Rng = np.random.Generator
Mutator = Callable[[Rng, bytes], bytes]

SCORES = (
    b"0", b"-0.0", b"+3", b".5", b"5.", b"1e5", b"1E-3", b"2.50", b"007", b"inf", b"-Infinity", b"1e400", b"-1e-400",
    b"4.9e-324", b"2.4703282292062327e-324", b"1.7976931348623159e308", b"16777217", b"9007199254740993", b"1e22",
    b"1e23", b"0.1", b"0.10000000149011612", b"123456.123456789012", b"1e+0000000000000000001", b"0e999999999999",
)  # fmt: skip
NO_SCORES = (b"nan", b"-NaN", b"+nan", b"1,5", b"x", b"1e", b"e5", b"0x10", b"--1", b"1_0", b"infi", b"1.2.3", b".",
             b"+", b"-", b"1e+", b"nan(0)", b"\xd9\xa1", b"1\xc2\xa0")  # fmt: skip
INTEGERS = (b"0", b"1", b"2", b"-1", b"+1", b"007", b"-0", b"2147483647", b"-2147483648")
NO_INTEGERS = (b"2147483648", b"-2147483649", b"4503599627370496", b"4503599627370497", b"9" * 18, b"9" * 5000, b"1.0",
               b"1e3", b"x", b"+", b"0x1", b"--1")  # fmt: skip
ASPECTS = ((("quality", ("low", "fair", "high")),), (("topicality", None), ("quality", ("low", "high"))))
BLANKS = (b"\t", b"  ", b" \t ", b"\v", b"\f", b"\r", b"   " * 30)
NO_BLANKS = (b"\xc2\xa0", b"\x1c", b"\x85", b"\xe3\x80\x80")  # white space for others, not here
IDS = (b"d", b"D", b"0", b"-1", b"#", b'"q', b"<script>", b"\xe6\x96\x87\xe6\x9b\xb8", b"d\xc3\xa9", b"d\xff\xfe",
       b"\x80" * 9, b"NIL", b"nan", b"\xef\xbb\xbfd", b"a" * 8, b"a" * 9, b"a" * 16, b"a" * 17)  # fmt: skip


def any_of(rng: Rng, options: Sequence[Any]) -> Any:
    return options[int(rng.integers(len(options)))]


def lines_of(text: bytes) -> list[bytes]:
    """Each with its end."""
    return re.findall(rb"[^\n]*\n|[^\n]+", text)


def at_lines(change: Callable[[Rng, list[bytes]], list[bytes]]) -> Mutator:
    """A change of the list of lines."""

    def mutate(rng: Rng, text: bytes) -> bytes:
        lines = lines_of(text)
        return b"".join(change(rng, lines)) if lines else text

    mutate.__name__ = change.__name__
    return mutate


def at_cells(change: Callable[[Rng, list[bytes], list[bytes]], list[bytes]]) -> Mutator:
    """A change of the columns of one to three lines; ``other`` are the columns of another line."""

    def mutate(rng: Rng, text: bytes) -> bytes:
        lines = lines_of(text)
        for _ in range(int(rng.integers(1, 4)) if lines else 0):
            i, other = int(rng.integers(len(lines))), any_of(rng, lines).split()
            cells = lines[i].split()
            if cells and other:
                lines[i] = b" ".join(change(rng, cells, other)) + b"\n"
        return b"".join(lines)

    mutate.__name__ = change.__name__
    return mutate


# lines ---------------------------------------------------------------------------------------------------------------
@at_lines
def swapped(rng: Rng, lines: list[bytes]) -> list[bytes]:
    i, k = rng.integers(len(lines), size=2).tolist()
    lines[i], lines[k] = lines[k], lines[i]
    return lines


@at_lines
def repeated(rng: Rng, lines: list[bytes]) -> list[bytes]:
    i, n = int(rng.integers(len(lines))), int(rng.integers(1, 5))
    at = int(rng.integers(len(lines) + 1))
    return lines[:at] + lines[i : i + n] + lines[at:]


@at_lines
def dropped(rng: Rng, lines: list[bytes]) -> list[bytes]:
    i, n = int(rng.integers(len(lines))), int(rng.integers(1, 1 + max(1, len(lines) // 2)))
    return lines[:i] + lines[i + n :]


@at_lines
def block_moved(rng: Rng, lines: list[bytes]) -> list[bytes]:
    """A topic comes back."""
    a, b, c = sorted(rng.integers(len(lines) + 1, size=3).tolist())
    return lines[:a] + lines[b:c] + lines[a:b] + lines[c:]


@at_lines
def interleaved(rng: Rng, lines: list[bytes]) -> list[bytes]:
    step = int(rng.integers(2, 6))
    return [line for i in range(step) for line in lines[i::step]]


@at_lines
def shuffled(rng: Rng, lines: list[bytes]) -> list[bytes]:
    return [lines[i] for i in rng.permutation(len(lines)).tolist()]


@at_lines
def blank_line(rng: Rng, lines: list[bytes]) -> list[bytes]:
    lines.insert(
        int(rng.integers(len(lines) + 1)), any_of(rng, [b"\n", b" \t\n", b"\r\n", b"\n" * 70, b" " * 200 + b"\n"])
    )
    return lines


@at_lines
def topic_renamed(rng: Rng, lines: list[bytes]) -> list[bytes]:
    """One that the other file does not have, or a long one with a long common beginning."""
    old = any_of(rng, lines).split()[:1]
    new = any_of(rng, [b"999", b"topic-with-a-long-name-1", b"topic-with-a-long-name-2", b"t" * 70])
    return [new + line[len(old[0]) :] if old and line.split()[:1] == old else line for line in lines]


# columns -------------------------------------------------------------------------------------------------------------
def number_place(cells: list[bytes]) -> int:
    """Where the number of a run's or qrels' line stands."""
    return 4 if len(cells) >= 6 else len(cells) - 1


@at_cells
def cell_of_another(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    """Ties, duplicates, unranked ranks."""
    i = int(rng.integers(min(len(cells), len(other))))
    return [*cells[:i], other[i], *cells[i + 1 :]]


@at_cells
def odd_number(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    cells[number_place(cells)] = a_score(rng) if len(cells) >= 6 else any_of(rng, INTEGERS)
    return cells


@at_cells
def odd_rank(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    if len(cells) >= 6:
        cells[3] = any_of(rng, [*INTEGERS, b"4503599627370496"])
    return cells


@at_cells
def odd_id(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    i = min(2, len(cells) - 1)
    cells[i] = any_of(rng, IDS) + any_of(rng, [b"", cells[i], b"1"])
    return cells


@at_cells
def long_cell(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    i, n = any_of(rng, [0, 2, 2, -1]), any_of(rng, [50, 58, 59, 60, 63, 64, 65, 100, 300, 4096, 17_000, 40_000])
    i = i if i < len(cells) else 0
    if len(cells) != 4 or i != -1:  # a grade is no name
        cells[i] = (cells[i] * n)[:n]
    return cells


@at_cells
def no_number(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    i = number_place(cells) if rng.random() < 0.7 else min(3, len(cells) - 1)
    cells[i] = any_of(rng, NO_SCORES + NO_INTEGERS)
    return cells


@at_cells
def cells_swapped(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    i, k = rng.integers(len(cells), size=2).tolist()
    cells[i], cells[k] = cells[k], cells[i]
    return cells


@at_cells
def cell_dropped(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    del cells[int(rng.integers(len(cells)))]
    return cells


@at_cells
def cell_added(rng: Rng, cells: list[bytes], other: list[bytes]) -> list[bytes]:
    return cells + other * any_of(rng, [1, 1, 6])


def a_score(rng: Rng) -> bytes:
    kind = int(rng.integers(5))
    if kind == 0:
        return any_of(rng, SCORES)
    if kind == 1:
        return f"{rng.normal() * 10.0 ** rng.integers(-3, 7):.{int(rng.integers(18))}f}".encode()
    x = float(rng.integers(0, 2**63 - 1, dtype=np.int64).view(np.float64))  # any positive double, NaN included
    if kind == 2:
        return repr(x).encode()
    if kind == 3:
        return str(int(rng.integers(2**63 - 1))).encode() + any_of(rng, [b"", b".", b"e3", b"e-12", b"E-320"])
    return half_way(float(rng.random()))


def half_way(x: float) -> bytes:
    """The decimal that lies exactly between two doubles: rounding has to look at every digit."""
    with localcontext() as context:
        context.prec = 1200
        return format((Decimal(x) + Decimal(float(np.nextafter(x, 2)))) / 2, "f").encode()


# scores, blanks, bytes -----------------------------------------------------------------------------------------------
@at_lines
def ties_made(rng: Rng, lines: list[bytes]) -> list[bytes]:
    """The scores of a stretch of lines lose their digits."""
    a, b = sorted(rng.integers(len(lines) + 1, size=2).tolist())
    digits = int(rng.integers(1, 4))
    for i in range(a, b):
        cells = lines[i].split()
        if len(cells) == 6:
            cells[4] = cells[4][:digits].rstrip(b"-+.") or b"1"
            lines[i] = b" ".join(cells) + b"\n"
    return lines


@at_lines
def other_blanks(rng: Rng, lines: list[bytes]) -> list[bytes]:
    blank, share = any_of(rng, BLANKS), rng.random()
    here = rng.random(len(lines)) < share
    return [line.replace(b" ", blank, any_of(rng, [1, -1])) if h else line for line, h in zip(lines, here, strict=True)]


@at_lines
def other_ends(rng: Rng, lines: list[bytes]) -> list[bytes]:
    end, share = any_of(rng, [b"\r\n", b" \n", b"\t\r\n", b"\r\r\n", b"\n\n"]), any_of(rng, [0.1, 1])
    here = rng.random(len(lines)) < share
    return [line.rstrip(b"\r\n") + end if h else line for line, h in zip(lines, here, strict=True)]


@at_lines
def indented(rng: Rng, lines: list[bytes]) -> list[bytes]:
    i = int(rng.integers(len(lines)))
    lines[i] = any_of(rng, BLANKS) + lines[i]
    return lines


def marked(rng: Rng, text: bytes) -> bytes:
    return b"\xef\xbb\xbf" + text


def unended(rng: Rng, text: bytes) -> bytes:
    return text.rstrip(b"\r\n")


def page_filled(rng: Rng, text: bytes) -> bytes:
    """Ends at the edge of a page or window, or a byte beside it: by its last tag, or by blank lines."""
    size = any_of(rng, [64, 4096, 16384]) * int(rng.integers(1, 4)) + int(rng.integers(-1, 2))
    short = size - len(text.rstrip())
    if short <= 0:
        return text
    if b"Q0" not in text:
        return text.rstrip() + any_of(rng, [b" ", b"\n"] if short < 500 else [b" "]) * short
    return text.rstrip() + b"t" * short


def old_mac(rng: Rng, text: bytes) -> bytes:
    return text.replace(b"\n", b"\r")


def no_blanks(rng: Rng, text: bytes) -> bytes:
    at = int(rng.integers(len(text) + 1))
    return text[:at] + text[at:].replace(b" ", any_of(rng, NO_BLANKS), 1)


def cut(rng: Rng, text: bytes) -> bytes:
    return text[: int(rng.integers(len(text) + 1))]


def slice_moved(rng: Rng, text: bytes) -> bytes:
    a, b, c = sorted(rng.integers(len(text) + 1, size=3).tolist())
    return any_of(
        rng, [text[:a] + text[b:c] + text[a:b] + text[c:], text[:a] + text[c:], text[:c] + text[a:b] + text[c:]]
    )


def bit_flipped(rng: Rng, text: bytes) -> bytes:
    if not text:
        return text
    changed = bytearray(text)
    for _ in range(int(rng.integers(1, 5))):
        changed[int(rng.integers(len(text)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def bytes_put(rng: Rng, text: bytes) -> bytes:
    what = any_of(rng, [b"\0", b"\0", b"\xff\xfe", b"\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\x1a", b"\n", b" ",
                        rng.bytes(int(rng.integers(1, 9)))])  # fmt: skip
    at, n = int(rng.integers(len(text) + 1)), any_of(rng, [0, len(what)])
    return text[:at] + what + text[at + n :]


@at_lines
def many_errors(rng: Rng, lines: list[bytes]) -> list[bytes]:
    """More than are told in words."""
    here = rng.random(len(lines)) < any_of(rng, [0.2, 0.6, 1])
    bad = any_of(rng, [b" more\n", b"\n"])
    return [(line.rstrip() + bad if bad.strip() else line.rsplit(None, 1)[0] + bad) if h and line.strip() else line
            for line, h in zip(lines, here, strict=True)]  # fmt: skip


MILD: tuple[Mutator, ...] = (
    swapped, repeated, dropped, block_moved, interleaved, shuffled, blank_line, topic_renamed, cell_of_another,
    odd_number, odd_number, odd_rank, odd_id, long_cell, ties_made, other_blanks, other_ends, indented, marked, unended,
    page_filled,
)  # fmt: skip
WILD: tuple[Mutator, ...] = (
    *MILD, no_number, cells_swapped, cell_dropped, cell_added, old_mac, no_blanks, cut, slice_moved, bit_flipped,
    bytes_put, many_errors,
)  # fmt: skip


# texts ---------------------------------------------------------------------------------------------------------------
@cache
def simulated() -> list[tuple[bytes, bytes]]:
    """Pairs of qrels and run of several sizes, up to a few windows of the reader."""
    pairs = []
    for seed, (topics, depth) in enumerate([(1, 5), (2, 8), (3, 10), (4, 25), (6, 12), (12, 6), (8, 60)]):
        track = simulate(runs=3, topics=topics, depth=depth, pool_depth=5, tied=0.4, rng=seed)
        with tempfile.TemporaryDirectory() as folder:
            track.write(folder)
            qrels = (Path(folder) / "qrels.txt").read_bytes()
            pairs += [(qrels, path.read_bytes()) for path in sorted((Path(folder) / "runs").iterdir())]
    return pairs


@cache
def malformed() -> list[tuple[bytes, bytes]]:
    """The malformed inputs of the tests, as far as they are TREC files."""
    pairs = [(r.qrels, r.run) for r in RECIPES if r.qrels and r.run and not r.options]
    return [(q, r) for q, r in pairs if len(q) + len(r) < 5000 and is_trec(q) and is_trec(r)]


def with_aspects(rng: Rng, qrels: bytes, aspects: naive_io.Aspects) -> bytes:
    """A label for each aspect on every line that has a grade, now and then one that is none."""
    lines = [line.split() for line in lines_of(qrels)]
    for cells in lines:
        if len(cells) == 4:
            labels = [any_of(rng, names or ["0", "1", "-3"]).encode() for _, names in aspects]
            cells[3:] = any_of(rng, [[b"1"], labels[::-1]]) if rng.random() < 0.005 else labels
    return b"\n".join(b" ".join(cells) for cells in lines)


def case(seed: int, number: int) -> Case:
    """The case of a number, the same one at any time."""
    rng = np.random.default_rng([seed, number])
    qrels, run = any_of(rng, simulated() if rng.random() < 0.9 else malformed())
    mutators = any_of(rng, [MILD, WILD])
    for _ in range(int(rng.integers(1, 6))):
        run = any_of(rng, mutators)(rng, run)
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 4))):
            qrels = any_of(rng, mutators)(rng, qrels)
    aspects = any_of(rng, ASPECTS) if rng.random() < 0.1 else None
    if aspects and rng.random() < 0.8:
        qrels = with_aspects(rng, qrels, aspects)
    if rng.random() < 0.02:  # two files mixed up
        qrels, run = run, qrels
    return Case(
        qrels, run, ties=any_of(rng, RULES), lenient=bool(rng.random() < 0.6), threads=any_of(rng, [1, 1, 2]),
        chunk=any_of(rng, [1, 64, 1000, 1 << 20]), packed=bool(rng.random() < 0.1), nil=any_of(rng, [None, "NIL", "d"]),
        aspects=aspects,
    )  # fmt: skip
