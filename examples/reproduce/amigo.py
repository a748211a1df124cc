"""The tables of Amigó, Mizzaro, Spina (Ranking Interruptus, SIGIR 2022) for your own runs.

python examples/reproduce/amigo.py robust04 trec8 terabyte06 …

Table 1 (formal properties) needs no runs. Figure 2 (where lists had better stopped, as numbers), Table 2 (full against
truncated rankings) and Table 3 (coverage) are computed for each collection and averaged over all that are given.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from shared import collections, parser, show

import leadline
from leadline import FullVersusTruncated, Track

PS = (0.8, 0.9, 0.98)
FULL = {
    "AP": "AP",
    "NDCG": "nDCG",
    "DCG": "DCG",
    "ERR": "ERR",
    **{f"RBP p={p}": f"RBP(p={p}, gain='linear')" for p in PS},
    **{f"iRBU p={p}": f"iRBU(p={p})" for p in PS},
    "OIE": "OIE",
}
TRUNCATED = {  # with the readings under which the paper's terminal family equals its full-ranking originals
    "NDCGT": "nDCGT(ideal='full')",
    "ERRT": "ERRT",
    **{f"RBPT p={p}": f"RBPT(p={p}, tail='single', gain='linear')" for p in PS},
    **{f"RBU p={p}": f"RBU(p={p})" for p in PS},
    "DCGU": "DCGU",
    "ERRU": "ERRU",
    **{f"RBPU p={p}": f"RBPU(p={p})" for p in PS},
    "OIE": "OIE",
}
LENGTHS = {**TRUNCATED, "Flat Utility": "U", "F-measure": "SetF"}
COVERED = {
    **{name: FULL[name] for name in ("OIE", "NDCG", "DCG", "RBP p=0.98", "AP")},
    "F-measure": "SetF",
    "R@100": "R@100",
    "Flat Utility": "U",
    "P@10": "P@10",
    **{name: FULL[name] for name in FULL if name.startswith(("RBP p=0.8", "RBP p=0.9", "iRBU", "ERR"))},
    "RR": "RR",
}
PROPERTIES = ("PRIORITY", "TOP-WEIGHTEDNESS", "DEEPNESS", "SHALLOWNESS", "CONFIDENCE", "RECALL", "REDUNDANCY")
FAMILIES = {
    "Full ranking": ("Spearman(docs=20000)", "Kendall(docs=20000)", "AUC(docs=20000)"),
    "Binary relevance": ("P@5", "R@5", "Rprec", "RR", "SetF", "AP"),
    "Graded relevance": ("nDCG", "Q", "Bpref"),
    "User model": ("ERR", "RBP(p=0.8)", "iRBU(p=0.9)"),
    "Terminal document": ("nDCGT", "ERRT", "RBPT"),
    "Utility": ("U", "RBU", "DCGU", "ERRU", "RBPU"),
    "Information": ("OIE",),
}


def table_1() -> list[list[str]]:
    """Family, measure and a sign for each property; ✓ strictly, (✓) with ties, = always tied, ✗ violated."""
    rows = []
    for family, measures in FAMILIES.items():
        matrix = leadline.properties(measures, only=PROPERTIES).matrix()
        for i, name in enumerate(measures):
            rows.append([family, name, *(matrix[p][i] for p in PROPERTIES)])
    return rows


def table_2(tracks: Mapping[str, Track]) -> FullVersusTruncated:
    """Kendall's τ of each collection; ``.mean_tau`` is the paper's table."""
    return leadline.full_versus_truncated(tracks, FULL.values(), TRUNCATED.values())


def figure_2(tracks: Mapping[str, Track]) -> tuple[list[str], dict[str, list[float]]]:
    """Bins and, for each measure, the percentage of lists whose best length lies there, averaged over collections."""
    found = leadline.full_versus_truncated(tracks, "AP", LENGTHS.values()).histogram()
    names = dict(zip(LENGTHS, found.percent.values(), strict=True))
    series = {name: [float(x) for x in values] for name, values in names.items()}
    return found.labels, {**series, "relevant documents": [float(x) for x in found.relevant]}


def table_3(tracks: Mapping[str, Track], pairs: int = 1000, rng: int = 0) -> list[tuple[str, float]]:
    """Cov of the lists' first 100 documents with respect to P@10, R@100 and RR, mean over collections, best first."""
    cov = [
        leadline.coverage(track.truncated(np.full(len(track.lengths), 100)), COVERED.values(), pairs=pairs, rng=rng).cov
        for track in tracks.values()
    ]
    mean = dict(zip(COVERED, np.mean(cov, axis=0).tolist(), strict=True))
    return sorted(mean.items(), key=lambda item: -item[1])


def main(argv: Sequence[str] | None = None) -> None:
    """Print all of it."""
    options = parser(__doc__)
    options.add_argument("--pairs", type=int, default=1000, help="topic pairs drawn for Table 3")
    options.add_argument("--seed", type=int, default=0, help="of that draw")
    given = options.parse_args(argv)
    tracks = collections(given.folders)
    where = f"mean of {len(tracks)} collection{'s' * (len(tracks) > 1)}: {', '.join(tracks)}"
    print(show("Table 1. Formal properties satisfied", ["family", "measure", *PROPERTIES], table_1(), left=2))
    bins, series = figure_2(tracks)
    rows = [[name, *values] for name, values in series.items()]
    print(show(f"Figure 2. Optimal lengths, % of lists ({where})", ["length", *bins], rows, 1))
    found = table_2(tracks)
    rows = [[name, *row] for name, row in zip(FULL, found.mean_tau.tolist(), strict=True)]
    print(show(f"Table 2. Kendall's τ, full (rows) against truncated rankings ({where})", ["full", *TRUNCATED], rows))
    total = int((~np.isnan(found.tau)).sum())
    for level in (0.001, 0.01):
        print(f"{found.significant(level)} of {total} τ values are significant at p < {level}")
    covered = table_3(tracks, given.pairs, given.seed)
    print()
    print(show(f"Table 3. Coverage of P@10, R@100 and RR at length 100 ({where})", ["measure", "Cov"], covered, 3))


if __name__ == "__main__":
    main(sys.argv[1:])
