"""The tables of Lu, Moffat, Culpepper (Inf. Retrieval J. 2016) for your own runs.

python examples/reproduce/lu.py trec8=100 cw09=12 cw10=20

Each folder is followed by the depth to which its pool was judged. It may hold ``contributors.txt`` (the runs that fed
the pool, one a line; all tables but the sixth are about them) and ``groups.txt`` (a run and its group on each line).
Ties are broken by the order of lines in the run file, as in the paper, but for Table 6, which compares this with
trec_eval.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from shared import collections, parser, show

import leadline
from leadline import DepthStudy, Track
from leadline.depths.pools import first_unjudged, group_file
from leadline.depths.ranges import ranges

DEPTHS = (1, 4, 10, 40, 100, 400, 1000)
AP_B, NDCG_A, QM = "AP(norm='min')", "nDCG", "Q"
RBP95, RBP80 = "RBP(p=0.95)", "RBP(p=0.8)"
TABLE_5 = {"APb": AP_B, "NDCGa": NDCG_A, "RBP0.8": RBP80, "RBP0.95": RBP95}
TABLE_7 = {"APb": AP_B, "QMa,i": QM, "RBP(0.95)": RBP95, "RR": "RR", "ERR": "ERR", "RBP(0.8)": RBP80}
TABLE_8 = {"APb": AP_B, "QMa,i(1)": QM, "RBP(0.95)": RBP95, "RBP(0.8)": RBP80}
TABLE_9 = {"RBP(0.95)": RBP95, "RBP(0.8)": RBP80, "ERR": "ERR"}
PANES = {
    "median p": "median_p", "discrimination": "discrimination", "coverage": "coverage", "inversion": "inversion",
    "Kendall τ": "tau", "Pearson r": "pearson",
}  # fmt: skip


def contributing(track: Track, folder: Path) -> Track:
    """The runs that fed the pool, if the folder says which; else all."""
    listed = folder / "contributors.txt"
    return track.select(runs=listed.read_text(encoding="utf-8").split()) if listed.is_file() else track


def table_4(track: Track, depths: Sequence[int]) -> list[list[str]]:
    """Mode, RelInPool, RankUnj, NumRelPast: mean ± standard deviation over runs and topics."""
    found = leadline.pool_runs(track, depths=depths).columns()
    names = ("rel_in_pool", "rank_unjudged", "rel_past")
    rows = []
    for i, (run, d) in enumerate(zip(found["run"], found["depth"], strict=True)):
        if run == "all":
            rows.append([f"d = {d}", *(_spread(found[n][i], found[f"{n}_sd"][i]) for n in names)])
    first = first_unjudged(track)  # with every judgment there is
    return [*rows, ["all", "n/a", _spread(first.mean(), first.std(ddof=1)), "n/a"]]


def _spread(mean: float, sd: float) -> str:
    return f"{mean:.1f}±{sd:.1f}"


def table_5(
    tracks: Mapping[str, Track],
    depth: Mapping[str, int],
    by: Literal["run", "group"] = "run",
    groups: Mapping[str, Mapping[str, str] | None] | None = None,
) -> list[list[object]]:
    """A row for each measure at k = d; per collection the change of score in per cent and of rank."""
    rows: list[list[object]] = [[name] for name in TABLE_5]
    for name, track in tracks.items():
        d = depth[name]
        measures = [leadline.parse(m).but(k=d) for m in TABLE_5.values()]
        known = None if groups is None else groups.get(name)
        found = leadline.leave_out(track, measures, by=by, groups=known, depth=d)
        for row, m in zip(rows, measures, strict=True):
            row += found.average(m)
    return rows


def table_6(track: Track) -> tuple[float, float]:
    """Lower median over runs of the % of topics tied in the top 20; τ between trec_eval's and the file's order."""
    found = leadline.ties(track, RBP80, rules=["trec", "run"])
    return 100 * found.median_share, found.tau("trec", "run", RBP80)


def study(track: Track, d: int, measures: Mapping[str, str], *, condensed: bool = False) -> DepthStudy:
    """Every measure at the paper's depths against k = d, with the judgments of a depth-d pool."""
    rule: Literal["condense", "nonrelevant"] = "condense" if condensed else "nonrelevant"
    return leadline.depth(track, measures.values(), depths=DEPTHS, reference=d, pooled=d, unjudged=rule)


def table_7(found: DepthStudy) -> list[list[object]]:
    """A row for each k: discrimination, coverage and inversion in per cent for each measure; also Table 8."""
    figures = ("discrimination", "coverage", "inversion")
    values = [found.values(m) for m in found.measures]
    return [
        [int(k), *(float(100 * v[f][i]) for v in values for f in figures)] for i, k in enumerate(found.depths)
    ]  # fmt: skip


def table_9(track: Track, d: int) -> list[list[object]]:
    """A row for each k: mean score + mean residual over runs and topics, with the judgments of a depth-d pool."""
    found = ranges(track.pooled(d), TABLE_9.values(), depths=DEPTHS).columns(over_runs=True)
    cells = {
        str(m): f"{s:.3f}+{r:.3f}" for m, s, r in zip(found["measure"], found["score"], found["residual"], strict=True)
    }
    return [[k, *(cells[str(leadline.parse(m).but(k=k))] for m in TABLE_9.values())] for k in DEPTHS]


def figure_4(track: Track, d: int) -> list[list[object]]:
    """A row for each k and a column for each pane, for nDCG."""
    values = (found := study(track, d, {"NDCGa": NDCG_A})).values(NDCG_A)
    return [[int(k), *(float(values[f][i]) for f in PANES.values())] for i, k in enumerate(found.depths)]


def main(argv: Sequence[str] | None = None) -> None:
    """Print all of it."""
    given = parser(__doc__).parse_args(argv)
    split = [str(f).rpartition("=") for f in given.folders]
    if not all(path and d.isdigit() for path, _, d in split):
        sys.exit("Give each folder its pool depth: lu.py trec8=100 cw10=20")
    folders = [Path(path) for path, _, _ in split]
    whole = collections(folders, ties="run", keep_scores=True)
    depth = {f.resolve().name: int(d) for f, (_, _, d) in zip(folders, split, strict=True)}
    tracks = {f.resolve().name: contributing(whole[f.resolve().name], f) for f in folders}
    files = {f.resolve().name: f / "groups.txt" for f in folders}
    groups = {name: group_file(path) if path.is_file() else None for name, path in files.items()}
    for name, track in tracks.items():
        modes = sorted({min(10, depth[name]), depth[name]})
        header = ["mode", "RelInPool", "RankUnj", "NumRelPast"]
        print(show(f"Table 4. Pooling outcomes, {name}", header, table_4(track, modes)))
    header = ["measure", *(f"{name} {x}" for name in tracks for x in ("Δ%", "ΔRank"))]
    kinds: tuple[Literal["run", "group"], ...] = ("run", "group")
    for by in kinds:
        print(show(f"Table 5. Leaving out one {by}, k = d", header, table_5(tracks, depth, by, groups)))
    rows = [[name, *table_6(track)] for name, track in whole.items()]
    print(show("Table 6. Ties in the top 20, and what breaking them decides", ["task", "med. % of ties", "τ"], rows, 3))
    halves = [dict(list(TABLE_7.items())[i : i + 3]) for i in (0, 3)]
    for number, measures in ((7, halves[0]), (7, halves[1]), (8, TABLE_8)):
        header = ["k", *(f"{m} {x}" for m in measures for x in ("Disc.", "Covr.", "Invr."))]
        for name, track in tracks.items():
            rows = table_7(study(track, depth[name], measures, condensed=number == 8))
            title = f"Table {number}. {name}, pool and reference depth {depth[name]}{', condensed' * (number == 8)}"
            print(show(title, header, rows, 1))
    for name, track in tracks.items():
        title = f"Table 9. Scores and residuals, {name}, d = {depth[name]}"
        print(show(title, ["k", *TABLE_9], table_9(track, depth[name])))
        print(
            show(f"Figure 4. nDCG by depth, {name}, d = {depth[name]}", ["k", *PANES], figure_4(track, depth[name]), 3)
        )


if __name__ == "__main__":
    main(sys.argv[1:])
