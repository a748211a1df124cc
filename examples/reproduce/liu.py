"""The tables of Liu, Moffat, Baldwin, Zhang (Quit While Ahead, SIGIR 2016) for your own runs.

python examples/reproduce/liu.py trec2001qa

Table 1 (example rankings) needs no runs. Figure 1 (lengths before and after) and Table 3 (do the measures that see the
end of a list order systems differently?) are for runs in which the document id NIL, or a short list, says "no more".
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from shared import collections, parser, show

import leadline
from leadline import SelfTruncation, Track

EXAMPLES = (  # labels of the list, relevant documents there are
    ("00", 0), ("000", 0),
    ("111", 3), ("11", 3), ("11100", 3), ("101", 3), ("1", 3), ("10100", 3), ("011", 3), ("01001", 3),
)  # fmt: skip
MEASURES = {"RR'": "RRT", "RBP'": "RBPT(p=0.5)", "NDCG'": "nDCGT", "AP'": "APT"}


def table_1() -> list[list[object]]:
    """Ranking, R, the terminal document's gain, and the four modified measures with p = 0.5."""
    rows: list[list[object]] = []
    for labels, R in EXAMPLES:
        ranking, rels = [int(x) for x in labels], [1] * R
        end = sum(ranking) / R if R else 1.0
        scores = [leadline.parse(m).score(ranking, rels) for m in MEASURES.values()]
        rows.append([f"<{labels}>", R, end, *map(float, scores)])
    return rows


def study(track: Track, max_len: int = 5) -> SelfTruncation:
    """Every list as it was handed in, and as what it says; ``.agreement()`` is Table 3."""
    return leadline.self_truncation(track, max_len=max_len)


def table_3(found: SelfTruncation) -> list[tuple[str, float]]:
    """Pairs of measures and Kendall's τ between their orders of systems, highest first."""
    columns = found.agreement()
    names = [f"{a} vs. {b}" for a, b in zip(columns["original_measure"], columns["terminal_measure"], strict=True)]
    return sorted(zip(names, columns["tau"], strict=True), key=lambda row: -row[1])


def main(argv: Sequence[str] | None = None) -> None:
    """Print all of it."""
    options = parser(__doc__)
    options.add_argument("--max-len", type=int, default=5, help="a list this long without NIL was not cut short")
    given = options.parse_args(argv)
    print(show("Table 1. Example truncated rankings (p = 0.5)", ["ranking", "R", "r_t", *MEASURES], table_1(), 3))
    for name, track in collections(given.folders, nil="answer").items():
        found = study(track, given.max_len)
        lengths = found.lengths()
        rows = list(zip(*(map(int, lengths[c]) for c in ("length", "before", "after")), strict=True))
        print(show(f"Figure 1. Lists by length, {name}", ["length", "original", "transformed"], rows))
        print(show(f"Table 3. Agreement of the orders of systems, {name}", ["pair", "Kendall's τ"], table_3(found), 3))


if __name__ == "__main__":
    main(sys.argv[1:])
