"""Writes the seed corpus of the fuzzers from the malformed inputs of the tests: ``python fuzz/make_seeds.py``."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

NUMBERS = [
    "0",
    "-1",
    "12.5",
    "1e-3",
    "+.5",
    "5.",
    "nan",
    "-inf",
    "Infinity",
    "1e400",
    "1e-400",
    "4.9e-324",
    "0.1",
    "1e22",
]
NUMBERS += [
    "9007199254740993",
    "123456.123456789012",
    "0.30000000000000004",
    "2147483647",
    "-2147483649",
    "1_0",
    "0x1p3",
]
MOST = 400


def main() -> None:
    from malformed.recipes import RECIPES

    qrels, run = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n", b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
    texts = [(r.qrels or qrels, r.run or run) for r in RECIPES if "." not in r.run_file.replace(".run", "")]
    texts += [
        (qrels, run * 2),
        (qrels, b"q2 Q0 NIL 1 1 t\r\n" + run + b"\tq2  Q0 d1 2\t.5 t"),
        (b"q1 0 d1 1 yes\n", run),
    ]
    for i, (judged, ranked) in enumerate(texts):
        if len(judged) + len(ranked) <= MOST and b"\1" not in judged:
            options = bytes([(37 * i) % 256, (11 * i) % 256])
            (HERE / "seeds" / "read" / f"{i:02d}").write_bytes(options + judged + b"\1" + ranked)
    for i, text in enumerate(NUMBERS):
        (HERE / "seeds" / "number" / f"{i:02d}").write_bytes(b"7" + text.encode())


if __name__ == "__main__":
    main()
