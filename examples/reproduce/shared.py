"""What the scripts of this folder share: finding collections on disk, and plain text tables.

A collection is a folder with the judgments (``qrels.txt``, ``qrels``, or any one ``*qrels*`` file, compressed or not)
and its runs in a subfolder ``runs``. Its name in the tables is the folder's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import leadline
from leadline import InputError, Track


def parser(doc: str) -> argparse.ArgumentParser:
    """Arguments every script takes: the folders."""
    head, _, rest = doc.partition("\n\n")
    out = argparse.ArgumentParser(description=head, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("folders", nargs="+", type=Path, help="one folder per collection: qrels.txt and runs/")
    return out


def find(folder: Path) -> tuple[Path, Path]:
    """The qrels file and the folder of runs of a collection."""
    runs = folder / "runs"
    if not runs.is_dir():
        raise InputError(f"{folder}: no subfolder 'runs'. Put the run files there.")
    exact = [folder / name for name in ("qrels.txt", "qrels") if (folder / name).is_file()]
    found = exact or sorted(p for p in folder.iterdir() if p.is_file() and "qrels" in p.name.lower())
    if len(found[:2]) != 1 and not exact:
        raise InputError(f"{folder}: expected one file of judgments, found {len(found)}. Name it 'qrels.txt'.")
    return found[0], runs


def collections(folders: Iterable[Path], **options: Any) -> dict[str, Track]:
    """Every folder read into a Track, by name; what the reader found is told on standard error."""
    tracks: dict[str, Track] = {}
    for folder in folders:
        qrels, runs = find(folder)
        name = folder.resolve().name
        tracks[name] = leadline.read(qrels, runs, **options)
        for finding in tracks[name].findings:
            print(f"{name}: {finding}", file=sys.stderr)
    return tracks


def cell(value: object, digits: int) -> str:
    """A number to so many decimals, – if undefined; text as it is."""
    if isinstance(value, float):
        return "–" if value != value else f"{value:.{digits}f}"
    return str(value)


def show(title: str, header: Sequence[str], rows: Iterable[Sequence[object]], digits: int = 2, *, left: int = 1) -> str:
    """A table as aligned text: the first ``left`` columns to the left, the others to the right."""
    cells = [list(map(str, header)), *([cell(x, digits) for x in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    aligned = [
        [x.ljust(w) if i < left else x.rjust(w) for i, (x, w) in enumerate(zip(r, widths, strict=True))] for r in cells
    ]
    lines = ["  ".join(row).rstrip() for row in aligned]
    rule = "─" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([title, rule, lines[0], rule, *lines[1:], rule, ""])
