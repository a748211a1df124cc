"""The tables of Diaz (Best-case retrieval evaluation: lexicographic precision, 2023) for your own runs.

python examples/reproduce/diaz.py robust04 web2009 deep2019

One row for each collection: Table 1 (can the first relevant document be told from the others?), Table 2 (ties) and
Table 3 (significant differences, by Tukey's HSD and by paired tests).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from shared import collections, parser, show

import leadline
from leadline import Track
from leadline.systems.suffix import suffix_agreement

PREFERENCES = ("rrLP", "sgnLP", "RR")


def table_1(tracks: Mapping[str, Track], rel: int = 1) -> list[list[object]]:
    """Collection; % of pairs in which the sign of δRR_1 follows from sgnLP, and from δRR_2, of the other documents."""
    rows: list[list[object]] = []
    for name, track in tracks.items():
        found = suffix_agreement(track, rel=rel)
        rows.append([name, 100 * found.lexicographic, 100 * found.second])
    return rows


def table_2(tracks: Mapping[str, Track], rel: int = 1) -> list[list[object]]:
    """Collection; % of pairs of rankings tied by rrLP (and so by sgnLP), and by reciprocal rank."""
    rows: list[list[object]] = []
    for name, track in tracks.items():
        found = leadline.prefer(track, ["rrLP", "RR"], rel=rel)
        rows.append([name, 100 * found["rrLP"].ties, 100 * found["RR"].ties])
    return rows


def table_3(
    tracks: Mapping[str, Track], test: str | None = None, rel: int = 1, alpha: float = 0.05
) -> list[list[object]]:
    """Collection; % of pairs of runs that differ significantly by rrLP, sgnLP, RR.

    ``test="tukey"`` is part (a); without one, part (b): Student's t, and the binomial test for sgnLP.
    """
    rows: list[list[object]] = []
    for name, track in tracks.items():
        found = leadline.prefer(track, PREFERENCES, test=test, alpha=alpha, rel=rel)
        rows.append([name, *(float(100 * found.significant(p).mean()) for p in PREFERENCES)])
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Print all of it."""
    options = parser(__doc__)
    options.add_argument("--rel", type=int, default=1, help="lowest grade that counts as relevant")
    given = options.parse_args(argv)
    tracks = collections(given.folders)
    print(show("Table 1. Agreement with δRR_1, %", ["", "sgnLP", "δRR_2"], table_1(tracks, given.rel)))
    print(show("Table 2. Ties between rankings, %", ["", "rrLP, sgnLP", "δRR_1"], table_2(tracks, given.rel)))
    for part, test in (("(a) Tukey's HSD", "tukey"), ("(b) paired tests", None)):
        rows = table_3(tracks, test, given.rel)
        print(show(f"Table 3{part[:3]}. Differences detected at p < 0.05, %,{part[3:]}", ["", *PREFERENCES], rows))


if __name__ == "__main__":
    main(sys.argv[1:])
