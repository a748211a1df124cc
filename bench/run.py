"""Benchmarks against every peer on data made by leadline.simulate: one command, side by side, interleaved.

    python bench/run.py --leadline VENV/bin [--peers VENV/bin] [--quick] [--only W1s,W2]

Each contestant is a cold process doing the whole job from the same files. Repeats are interleaved, so that a busy moment of
the machine hits all of them; what is reported are medians with the spread, and ratios of medians.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
TREC = ["map", "ndcg", "ndcg_cut_10", "P_10", "recall_100", "recip_rank", "Rprec", "bpref", "num_rel_ret", "success_5"]


@dataclass
class Contestant:
    """A command line and what it took."""

    name: str
    command: list[str]
    seconds: list[float] = field(default_factory=list)
    memory: float = 0.0  # MB, largest seen
    failed: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) if self.seconds else float("nan")

    def run(self) -> None:
        if self.failed:
            return
        before = time.perf_counter()
        pid = os.posix_spawn(
            self.command[0], self.command, os.environ,
            file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
        )  # fmt: skip
        _, status, usage = os.wait4(pid, 0)
        taken = time.perf_counter() - before
        if status:
            self.failed = f"exit {os.waitstatus_to_exitcode(status)}"
            return
        self.seconds.append(taken)
        self.memory = max(self.memory, usage.ru_maxrss / 1024)


class Inside(Contestant):
    """A process that does the job once to warm up, then several times, and prints the seconds of each."""

    def run(self) -> None:
        if self.failed:
            return
        done = subprocess.run(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if done.returncode:
            self.failed = f"exit {done.returncode}"
            return
        self.seconds += map(float, done.stdout.split())


@dataclass
class Workload:
    """One job, done by several contestants on the same files."""

    name: str
    what: str
    contestants: list[Contestant]
    size: int
    repeats: int

    def race(self) -> None:
        for i in range(self.repeats):
            for contestant in self.contestants:
                contestant.run()
            print(f"{self.name}: round {i + 1} of {self.repeats}", file=sys.stderr)

    def rows(self) -> list[str]:
        first = self.contestants[0].median
        out = []
        for c in self.contestants:
            if c.failed:
                out.append(f"| {self.name} | {c.name} | failed: {c.failed} | | | | |")
                continue
            spread = f"{min(c.seconds):.3f}–{max(c.seconds):.3f}"
            speed = self.size / 1e6 / c.median
            memory = f"{c.memory:.0f}" if c.memory else ""
            out.append(
                f"| {self.name} | {c.name} | {c.median:.3f} | {spread} | {c.median / first:.2f} × | {memory} | {speed:.0f} |"
            )
        return out


class Bench:
    """Data, contestants and results of one run."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.quick = options.quick

    def data(self, name: str, runs: int, topics: int, depth: int) -> Path:
        """A simulated track, made once."""
        target = self.folder / f"{name}-{runs}x{topics}x{depth}"
        if not target.exists():
            from leadline.simulate import simulate

            simulate(runs=runs, topics=topics, depth=depth, pool_depth=min(100, depth), rng=1).write(target)
        return target

    def leadline(
        self, data: Path, measures: list[str] = TREC, label: str = "leadline", runs: str = "runs"
    ) -> Contestant:
        wanted = [part for m in measures for part in ("-m", m)]
        tool = str(Path(self.options.leadline) / "leadline")
        return Contestant(label, [tool, "evaluate", str(data / "qrels.txt"), str(data / runs), *wanted])

    def peer(self, script: str, data: Path, label: str, *extra: str, runs: int | None = None) -> Contestant:
        files = sorted(str(f) for f in (data / "runs").iterdir())[:runs]
        python = str(Path(self.options.peers) / "python")
        return Contestant(label, [python, str(HERE / "peers" / script), str(data / "qrels.txt"), *files, *extra])

    def trec_eval(self, data: Path) -> list[Contestant]:
        tool = shutil.which("trec_eval")
        if tool is None:
            return []
        wanted = " ".join(
            f"-m {m}"
            for m in (
                "map",
                "ndcg",
                "ndcg_cut.10",
                "P.10",
                "recall.100",
                "recip_rank",
                "Rprec",
                "bpref",
                "num_rel_ret",
                "success.5",
            )
        )
        shell = f'for f in {data}/runs/*; do {tool} -c {wanted} {data}/qrels.txt "$f"; done'
        return [Contestant("trec_eval (C)", ["/bin/sh", "-c", shell])]

    def workloads(self) -> list[Workload]:
        out = []
        for make in (self.w1s, self.w1l, self.w2, self.w2x, self.gz, self.others, self.inside):
            if not self.options.only or make.__name__ in self.options.only.lower().split(","):
                out.append(make())
        return out

    def w1s(self) -> Workload:
        data = self.data("w1s", 1, 250, 1000)
        numpy = Contestant("import numpy alone", [str(Path(self.options.leadline) / "python"), "-c", "import numpy"])
        peers = [
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval"),
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval, lean reading", "--lean"),
            self.peer("ir_measures_peer.py", data, "ir_measures"),
        ]
        return self._race("W1s", "one run, 250 × 1,000, ten measures", data, [*peers, numpy], 3 if self.quick else 11)

    def w1l(self) -> Workload:
        data = self.data("w1l", 1, 700 if self.quick else 7000, 1000)
        peers = [
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval"),
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval, lean reading", "--lean"),
        ]
        if not self.quick:
            peers.append(self.peer("ir_measures_peer.py", data, "ir_measures"))
        lines = Contestant("wc -l", ["/usr/bin/wc", "-l", *map(str, (data / "runs").iterdir())])
        return self._race("W1l", f"one run, {data.name}, ten measures", data, [*peers, lines], 1 if self.quick else 3)

    def w2(self) -> Workload:
        data = self.data("w2", 10 if self.quick else 100, 250, 1000)
        peers = [
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval"),
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval, lean reading", "--lean"),
        ]
        lines = Contestant("wc -l", ["/bin/sh", "-c", f"wc -l {data}/runs/*"])
        return self._race("W2", f"{data.name}, ten measures", data, [*peers, lines], 1 if self.quick else 3)

    def w2x(self) -> Workload:
        data = self.data("w2", 10 if self.quick else 100, 250, 1000)
        files = sorted(str(f) for f in (data / "runs").iterdir())
        python = str(Path(self.options.leadline) / "python")
        everything = Contestant(
            "leadline, 25 measures + truncation + curves",
            [python, str(HERE / "peers" / "leadline_everything.py"), str(data / "qrels.txt"), *files],
        )
        peer = self.peer("pytrec_eval_peer.py", data, "pytrec_eval, ten measures (W2)")
        load = Workload(
            "W2x",
            "25 measures, optimal length for 12, curves for 4",
            [everything, peer],
            self.size(data),
            1 if self.quick else 3,
        )
        load.race()
        return load

    def gz(self) -> Workload:
        data = self.data("w2", 10 if self.quick else 100, 250, 1000)
        zipped = self.folder / f"{data.name}-gz"
        if not zipped.exists():
            (zipped / "runs").mkdir(parents=True)
            shutil.copy(data / "qrels.txt", zipped)
            for f in (data / "runs").iterdir():
                with (zipped / "runs" / f"{f.name}.gz").open("wb") as out:
                    subprocess.run(["gzip", "-6c", str(f)], stdout=out, check=True)
        load = Workload(
            "gz",
            "W2's runs as .gz",
            [self.leadline(zipped, label="leadline, gz"), self.leadline(data, label="leadline, plain")],
            self.size(data),
            1 if self.quick else 3,
        )
        load.race()
        return load

    def others(self) -> Workload:
        """Peers too slow for W2: two runs of 250 × 1,000, side by side with leadline on the same two."""
        data = self.data("others", 2, 50 if self.quick else 250, 1000)
        peers = [
            self.peer("pytrec_eval_peer.py", data, "pytrec_eval"),
            self.peer("ir_measures_peer.py", data, "ir_measures"),
            self.peer("ranx_peer.py", data, "ranx, cold"),
            self.peer("ranx_peer.py", data, "ranx, twice (compiled on disk)", "--warm"),
            self.peer("trectools_peer.py", data, "trectools (7 of 10 measures)"),
            self.peer("cwl_eval_peer.py", data, "cwl_eval (its own measures)"),
        ]
        return self._race("others", f"two runs, {data.name}", data, peers, 1 if self.quick else 3)

    def inside(self) -> Workload:
        """The same two runs in processes that are warm: what a notebook or a training loop sees."""
        data = self.data("others", 2, 50 if self.quick else 250, 1000)
        files = [str(data / "qrels.txt"), *sorted(str(f) for f in (data / "runs").iterdir())]
        contestants: list[Contestant] = []
        for tool in ("leadline", "pytrec_eval", "ir_measures", "ranx", "trectools"):
            where = self.options.leadline if tool == "leadline" else self.options.peers
            script = [str(Path(where) / "python"), str(HERE / "peers" / "in_process.py"), f"{tool}_peer"]
            contestants.append(Inside(tool, [*script, "1" if self.quick else "3", *files]))
        load = Workload(
            "inside", f"two runs, {data.name}, in warm processes", contestants, self.size(data), 1 if self.quick else 3
        )
        load.race()
        return load

    def _race(self, name: str, what: str, data: Path, peers: list[Contestant], repeats: int) -> Workload:
        load = Workload(name, what, [self.leadline(data), *self.trec_eval(data), *peers], self.size(data), repeats)
        load.race()
        return load

    def growth(self) -> list[str]:
        """How cost grows: log-log slopes over runs, topics and depth."""
        rows = []
        axes = {
            "runs": [(25, 50, 1000), (100, 50, 1000), (400, 50, 1000)],
            "topics": [(4, 250, 1000), (4, 1000, 1000), (4, 4000, 1000)],
            "depth": [(4, 500, 500), (4, 500, 2000), (4, 500, 8000)],
        }
        for axis, shapes in axes.items():
            times = []
            for shape in shapes:
                contestant = self.leadline(self.data("growth", *shape))
                for _ in range(3 if self.quick else 7):
                    contestant.run()
                times.append(contestant.median)
            column = list(axes).index(axis)
            low, high = shapes[0][column], shapes[-1][column]
            slope = math.log(times[-1] / times[0]) / math.log(high / low)
            rows.append(
                f"| {axis} | {' → '.join(str(s[column]) for s in shapes)} | {' → '.join(f'{t:.3f}' for t in times)} | {slope:.2f} |"
            )
        return rows

    @staticmethod
    def size(data: Path) -> int:
        return sum(f.stat().st_size for f in (data / "runs").iterdir())


def machine() -> str:
    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    return f"{os.cpu_count()} cores ({cpu}), {platform.system()}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--leadline",
        default=str(Path(sys.executable).parent),
        help="bin folder of an environment with leadline installed (not editable)",
    )
    parser.add_argument(
        "--peers", default=str(Path(sys.executable).parent), help="bin folder of an environment with the peers"
    )
    parser.add_argument("--quick", action="store_true", help="small data, few repeats: to see that it runs")
    parser.add_argument("--only", default="", help="workloads, comma-separated: w1s,w1l,w2,w2x,gz,others,inside,growth")
    parser.add_argument("--data", help="keep the data in this folder")
    parser.add_argument(
        "-o", "--output", type=Path, help="write the table here (default: bench/results/DATE.md unless --quick)"
    )
    options = parser.parse_args()
    described = machine()
    folder = Path(options.data) if options.data else Path(tempfile.mkdtemp(prefix="leadline-bench-"))
    os.environ["PATH"] = f"{options.peers}:{os.environ['PATH']}"
    try:
        bench = Bench(options, folder)
        loads = bench.workloads()
        growth = bench.growth() if not options.only or "growth" in options.only else []
    finally:
        if not options.data:
            shutil.rmtree(folder, ignore_errors=True)
    text = table(described, loads, growth)
    print(text)
    target = options.output or (None if options.quick else HERE / "results" / f"{datetime.date.today():%Y-%m-%d}.md")
    if target is not None:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
        plot(loads, target.with_suffix(".svg"))


def table(described: str, loads: list[Workload], growth: list[str]) -> str:
    lines = [f"# Benchmark of {datetime.date.today():%Y-%m-%d}", "", described + ".", ""]
    lines += [
        f"- **{load.name}**: {load.what}; {load.size / 1e6:.0f} MB of runs, {load.repeats} interleaved repeats."
        for load in loads
    ]
    lines += [
        "",
        "| workload | tool | median s | spread | time / first | peak MB | MB/s |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [row for load in loads for row in load.rows()]
    if growth:
        lines += [
            "",
            "Growth of a cold `leadline evaluate` with ten measures (slope 1 is linear):",
            "",
            "| axis | sizes | median s | slope |",
            "|---|---|---|---|",
            *growth,
        ]
    return "\n".join(lines) + "\n"


def plot(loads: list[Workload], target: Path) -> None:
    """Bars of the medians, on a logarithmic axis, with the ratio to the first contestant."""
    try:
        import altair as alt
        import pandas as pd
    except ImportError:
        print("no plot: altair and pandas are not installed", file=sys.stderr)
        return
    rows = []
    for load in loads:
        timed = [c for c in load.contestants if c.seconds]
        left = 10 ** math.floor(math.log10(min(c.median for c in timed)))  # bars need a beginning on a log scale
        first = load.contestants[0].median
        rows += [
            {
                "workload": load.name,
                "tool": c.name,
                "seconds": c.median,
                "from": left,
                "ratio": f"{c.median / first:.1f} ×",
            }
            for c in timed
        ]
    color = alt.condition("indexof(datum.tool, 'leadline') >= 0", alt.value("#0072B2"), alt.value("#999999"))
    base = alt.Chart().encode(y=alt.Y("tool:N", title=None, sort="x", axis=alt.Axis(labelLimit=260)))
    x = alt.X("seconds:Q", scale=alt.Scale(type="log"), title="seconds (median, log scale)")
    bars = base.mark_bar().encode(x=x, x2="from:Q", color=color)
    texts = base.mark_text(align="left", dx=4).encode(x=x, text="ratio:N")
    chart = (
        alt.layer(bars, texts, data=pd.DataFrame(rows)).properties(width=420)
        .facet(row=alt.Row("workload:N", title=None, sort=[load.name for load in loads], header=alt.Header(labelAngle=0, labelAlign="left", labelPadding=40)))
        .resolve_scale(y="independent", x="independent")
    )  # fmt: skip
    chart.save(str(target))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
