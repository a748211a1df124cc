"""Very large inputs, shown once: 10,000 run files; a run of 2 GB (or more) in bounded memory.

python bench/limits.py [FOLDER [GB]]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINES_PER_TOPIC = 100_000


def measured(name: str, *words: str) -> None:
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "leadline", *words], stdout=subprocess.PIPE, text=True)
    out = process.communicate()[0]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"{name}: exit {process.returncode}, {time.perf_counter() - began:.1f} s, peak memory of any child {peak:.0f} MB"
    )
    print("  " + "\n  ".join(out.splitlines()[:3]))


def big_run(folder: Path, size: int) -> None:
    qrels, run = folder / "qrels.txt", folder / "big.run"
    block = "".join([f"Q0 document-{i:09d} {i + 1} {1e6 - i:.4f} generated\n" for i in range(LINES_PER_TOPIC)])
    written, topic = 0, 0
    with run.open("w") as out, qrels.open("w") as judged:
        while written < size:
            written += out.write(f"topic{topic} " + block.replace("\n", f"\ntopic{topic} ")[: -len(f"topic{topic} ")])
            judged.writelines(f"topic{topic} 0 document-{i:09d} {i // 10 % 2}\n" for i in range(0, 2000, 10))
            topic += 1
    print(f"{run.stat().st_size / 1e9:.2f} GB, {topic} topics of {LINES_PER_TOPIC:,} documents")
    measured(f"a {size / 1e9:.0f} GB run", "evaluate", str(qrels), str(run), "-m", "AP", "-m", "nDCG@10")
    run.unlink()


def many_runs(folder: Path, n: int) -> None:
    runs = folder / "runs"
    runs.mkdir()
    for i in range(n):
        (runs / f"r{i:05d}.run").write_text(f"q1 Q0 d{i % 3} 1 2 t\nq1 Q0 e 2 1 t\n")
    (folder / "q.txt").write_text("q1 0 d0 1\nq1 0 d1 0\n")
    measured(f"{n:,} run files", "evaluate", str(folder / "q.txt"), str(runs), "-m", "AP")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as where:
        print(f"{os.cpu_count()} processors")
        many_runs(Path(where), 10_000)
        big_run(Path(where), int(sys.argv[2] if len(sys.argv) > 2 else 2) * 10**9)
