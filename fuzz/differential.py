"""The native reader against the slow Python one, on files that look real and were changed by seed.

``python fuzz/differential.py --seconds 60 --seed 0`` or ``--cases 100000``; no more is needed than leadline itself.
Where the readers differ, in result or in error, the exit code is 1 and the two files are left in the folder ``--found``
as ``found-SEED-NUMBER.*``, as short as still shows it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from mutations import case, lines_of  # noqa: E402
from readers import Case, verdict  # noqa: E402


def differs(tried: Case, folder: Path) -> str:
    """What the readers differ in, empty if in nothing."""
    try:
        verdict(tried, folder)
    except Exception as difference:
        return f"{type(difference).__name__}: {difference}"
    return ""


def shortened(found: Case, folder: Path) -> Case:
    """Without the lines that do not matter: halves first, then ever smaller pieces."""
    for name in ("run", "qrels"):
        lines = lines_of(getattr(found, name))
        size = len(lines) // 2
        while size:
            for at in range(0, len(lines), size):
                fewer = lines[:at] + lines[at + size :]
                tried = found._replace(**{name: b"".join(fewer)})
                if differs(tried, folder):
                    found, lines = tried, fewer
                    break
            else:
                size //= 2
    return found


def report(found: Case, seed: int, number: int, folder: Path, target: Path) -> None:
    """Write the two files, print how to read them and what differs."""
    found = shortened(found, folder)
    target.mkdir(parents=True, exist_ok=True)
    for name in ("qrels", "run"):
        (target / f"found-{seed}-{number}.{name}").write_bytes(getattr(found, name))
    options = ", ".join(f"{k}={v!r}" for k, v in found._asdict().items() if k not in ("qrels", "run"))
    print(
        f"case {number} of seed {seed} ({options}):\n{differs(found, folder)}\nwritten: {target}/found-{seed}-{number}.*"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--cases", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=None, help="60 unless --cases is given")
    parser.add_argument("--found", type=Path, default=Path(), help="folder for what is found")
    asked = parser.parse_args()
    seconds = asked.seconds or (60 if asked.cases == sys.maxsize else float("inf"))
    seen: Counter[str] = Counter()
    wrong, began, number = 0, time.monotonic(), asked.first
    memory = Path("/dev/shm")  # writing to disk would take most of the time
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = Path(name)
        while number < asked.first + asked.cases and time.monotonic() - began < seconds and wrong < 10:
            tried = case(asked.seed, number)
            try:
                seen[verdict(tried, folder)] += 1
            except Exception:
                wrong += 1
                report(tried, asked.seed, number, folder, asked.found)
            number += 1
    total, took = number - asked.first, time.monotonic() - began
    shares = ", ".join(f"{how} {n} ({n / total:.1%})" for how, n in seen.most_common())
    print(f"{total} cases in {took:.0f} s from seed {asked.seed}: {shares}; different {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
