"""Line coverage of the Python sources, stage by stage.

python -m coverage run -m pytest
python tests/coverage_by_stage.py                 # the table
python tests/coverage_by_stage.py --missing io    # with the lines of one stage that no test reaches
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

STAGES = ["io", "rankings", "measures", "stats", "depths", "systems", "meta", "output", "cli", "integrations"]
ROOT = "around them"  # the modules that belong to no stage: api, errors, findings, simulate


def measured() -> dict[str, Any]:
    """What the last run wrote, the parts of subprocesses included, file by file."""
    import coverage

    cover = coverage.Coverage()
    if list(Path().glob(".coverage.*")):
        cover.combine()
    else:
        cover.load()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "coverage.json"
        cover.json_report(outfile=str(out))
        files: dict[str, Any] = json.loads(out.read_text("utf-8"))["files"]
    return files


def stage_of(path: str) -> str:
    within = Path(path).parts[Path(path).parts.index("leadline") + 1 :]
    return within[0] if len(within) > 1 else ROOT


def spans(lines: Iterable[int]) -> str:
    """Line numbers as people write them: ``3, 7-9``."""
    runs: list[list[int]] = []
    for line in sorted(lines):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--missing", metavar="STAGE", action="append", default=[], choices=[*STAGES, ROOT, "all"])
    args = parser.parse_args()
    files = measured()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, one in files.items():
        for stage in (stage_of(path), "all"):
            counts[stage][0] += one["summary"]["num_statements"]
            counts[stage][1] += one["summary"]["covered_lines"]
    print("| stage | statements | covered | share |\n|---|---:|---:|---:|")
    for stage in (*STAGES, ROOT, "all"):
        total, covered = counts[stage]
        print(f"| {stage} | {total:,} | {covered:,} | {covered / max(total, 1):.1%} |")
    for path, one in sorted(files.items()):
        if one["missing_lines"] and {stage_of(path), "all"} & set(args.missing):
            print(f"{path}: {spans(one['missing_lines'])}")


if __name__ == "__main__":
    main()
