"""The tables of Maistro, Chaves Lima, Simonsen, Lioma (Principled Multi-Aspect …, CIKM 2021) for your own runs.

python examples/reproduce/maistro.py decision19 misinfo20 --aspects 'relevance=0..2 credibility=0,1 correctness=0,1'

Tables 1 and 3 (orders of label tuples, scores of three documents) need no runs. Tables 4 to 6 (agreement and
discriminative power, zero-aspect documents, label sums) compare the methods on each collection. A folder may hold its
own declaration in ``aspects.toml``; ``--aspects`` is for those that have none.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
from shared import collections, parser, show

import leadline
from leadline import AspectStudy, Track
from leadline.io.aspects import declare
from leadline.rankings.aspect_explain import order_line
from leadline.rankings.aspects import classes
from leadline.systems.aspect_study import Agreement

DISTANCES = {"EUCL": "euclidean", "MANH": "manhattan", "CHEB": "chebyshev"}
RULE = "relevance=nr => correctness=nc"
DECLARED = "relevance=nr:0,mr:1,fr:2,hr:3 correctness=nc:{},pc:{},c:{}"
CORRECTNESS = (("0", "3/2", "3"), ("0", "1", "2"), ("0", "2", "6"))
DOCUMENTS = {"d1": ("mr", "c"), "d2": ("hr", "pc"), "d3": ("hr", "nc")}
NUMBERS = "relevance=0,5,10,15 correctness=0,5,10"  # of CAM and MM in Table 3
HARSH = "relevance=fr correctness=c"  # from which label on a document is relevant to them
METHODS = ("CAM", "MM", "EUCL", "MANH", "CHEB")
MEASURES = ("nDCG", "AP")


def table_1() -> list[tuple[str, str, str]]:
    """Values of correctness, distance, all tuples of labels from best to worst."""
    rows = []
    for values in CORRECTNESS:
        aspects = declare(DECLARED.format(*values), rules=[RULE])
        for distance in DISTANCES.values():
            rows.append((f"{{{', '.join(values)}}}", distance, order_line(classes(aspects, distance), values=True)))
    return rows


def table_3(measure: str) -> list[list[object]]:
    """Every ranking of one to three documents, scored by CAM, MM and TOMA with three distances.

    MM follows its definition; the paper prints it divided by the number of aspects.
    """
    lists = [p for n in (3, 2, 1) for p in permutations(DOCUMENTS, n)]
    runs = {f"({', '.join(p)})": {"q": {d: float(-i) for i, d in enumerate(p)}} for p in lists}
    aspects = declare(DECLARED.format(0, 1.5, 3), rules=[RULE])
    track = leadline.read({"q": DOCUMENTS}, runs, aspects=aspects)
    methods = [leadline.parse(m).but(measure=measure, embedding=NUMBERS, binary=HARSH) for m in ("CAM", "MM")]
    toma = leadline.parse("TOMA")
    methods += [toma.but(measure=measure, distance=d, binary="top-half") for d in DISTANCES.values()]
    scores = leadline.evaluate(track, methods)
    found = dict(zip(scores.runs, scores.mean().tolist(), strict=True))
    return [[name, *found[name]] for name in runs]


def studies(tracks: Mapping[str, Track], resamples: int = 10_000, rng: int = 0) -> dict[tuple[str, str], AspectStudy]:
    """The comparison of methods on every collection, with nDCG and with AP."""
    return {
        (name, m): leadline.aspect_study(track, m, resamples=resamples, rng=rng)
        for name, track in tracks.items()
        for m in MEASURES
    }


def table_4(found: Mapping[tuple[str, str], AspectStudy]) -> tuple[list[list[object]], ...]:
    """Three parts: agreement of methods, agreement of single aspects, discriminative power (%); columns as in found."""
    pairs = list(combinations(("EUCL", "MANH", "CHEB", "CAM", "MM"), 2))
    methods: list[list[object]] = [[f"{a} - {b}", *(_tau(s.methods, a, b) for s in found.values())] for a, b in pairs]
    names = dict.fromkeys(pair for s in found.values() for pair in combinations(s.aspects.names, 2))
    single: list[list[object]] = [[f"{a} - {b}", *(_tau(s.aspects, a, b) for s in found.values())] for a, b in names]
    power: list[list[object]] = [
        [m, *(float(100 * s.power[list(s.measures).index(m)]) for s in found.values())] for m in METHODS
    ]
    return methods, single, power


def _tau(found: Agreement, a: str, b: str) -> float:
    names = list(found.names)
    return float(found.tau[names.index(a), names.index(b)]) if a in names and b in names else float("nan")


def table_5(found: Mapping[tuple[str, str], AspectStudy]) -> list[list[object]]:
    """Ranks 1 … 5 and all five: documents with nothing good in any aspect, summed over all, and their percentage."""
    rows: list[list[object]] = []
    at = {m: [list(s.measures).index(m) for s in found.values()] for m in METHODS}
    zero, seen = (
        {m: sum(getattr(s, which)[i] for s, i in zip(found.values(), at[m], strict=True)) for m in METHODS}
        for which in ("zero_documents", "seen_documents")
    )
    for name, ranks in [*((str(r + 1), slice(r, r + 1)) for r in range(5)), ("1-5", slice(0, 5))]:
        counts = [(int(zero[m][ranks].sum()), int(seen[m][ranks].sum())) for m in METHODS]
        rows.append([name, *(f"{z} ({100 * z / max(n, 1):.2f}%)" for z, n in counts)])
    return rows


def table_6(found: Mapping[tuple[str, str], AspectStudy]) -> list[list[object]]:
    """Ranks in four buckets: mean sum of a document's labels, averaged over collections and measures."""
    some = next(iter(found.values()))
    quality = {m: [s.quality[list(s.measures).index(m)] for s in found.values()] for m in METHODS}
    rows: list[list[object]] = []
    for j, (first, last) in enumerate(some.buckets):
        known = {m: [q[j] for q in quality[m] if not np.isnan(q[j])] for m in METHODS}
        rows.append([f"{first}-{last}", *(float(np.mean(known[m])) if known[m] else float("nan") for m in METHODS)])
    return rows


def declared_tracks(folders: Sequence[Path], aspects: str | None) -> dict[str, Track]:
    """Every folder with its own declaration of aspects, or else the common one."""
    tracks: dict[str, Track] = {}
    for folder in folders:
        own = folder / "aspects.toml"
        if not own.is_file() and aspects is None:
            sys.exit(f"{folder}: say what the label columns are, with --aspects or in {own.name}.")
        tracks |= collections([folder], aspects=own if own.is_file() else aspects)
    return tracks


def main(argv: Sequence[str] | None = None) -> None:
    """Print all of it."""
    options = parser(__doc__)
    options.add_argument("--aspects", help="label columns of the qrels, as 'relevance=0..3 correctness=nc,pc,c'")
    options.add_argument("--resamples", type=int, default=10_000, help="of the bootstrap test")
    options.add_argument("--seed", type=int, default=0, help="of the bootstrap test")
    given = options.parse_args(argv)
    print(
        show(
            "Table 1. Order of label tuples, relevance {0, 1, 2, 3}",
            ["correctness", "distance", "order"],
            table_1(),
            left=3,
        )
    )
    for m in MEASURES:
        print(show(f"Table 3. All rankings of three documents, {m}", ["ranking", *METHODS], table_3(m), 4))
    found = studies(declared_tracks(given.folders, given.aspects), given.resamples, given.seed)
    columns = [f"{name} {m}" for name, m in found]
    titles = (
        "Agreement of methods, Kendall's τ",
        "Agreement of single aspects, Kendall's τ",
        "Discriminative power, %",
    )
    for title, rows in zip(titles, table_4(found), strict=True):
        print(show(f"Table 4. {title}", ["", *columns], rows))
    print(show("Table 5. Zero-aspect documents at the top of the best runs", ["rank", *METHODS], table_5(found)))
    print(show("Table 6. Mean sum of labels in the best runs", ["ranks", *METHODS], table_6(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
