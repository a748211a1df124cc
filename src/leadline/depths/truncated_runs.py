"""Writing runs as a stopping rule leaves them.

The sources are read once more, line by line: lines are kept or dropped as they are, in their order, so that every
column survives; topics without judgments are cut like all others, since a rule needs no judgments. What was not read
from a TREC file (dictionaries, tables, standard input) is written as one, if document ids were kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from leadline.depths.policies import Policy
from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.io.compressed import COMPRESSED, compression, decompress
from leadline.io.formats import file_format
from leadline.io.write import atomic, write_run
from leadline.rankings.entries import Floats
from leadline.rankings.track import Track

__all__ = ["Written", "write_truncated"]

Cut: TypeAlias = Callable[[str, Floats], int]  # topic, scores in rank order → documents to keep


class Written:
    """The files written, with findings about what TREC's format cannot say."""

    def __init__(self, files: Sequence[Path], findings: Findings) -> None:
        self.files = tuple(files)
        self.findings = findings


def write_truncated(
    track: Track, rules: Policy | Mapping[str, Policy | Mapping[str, int]], folder: str | Path
) -> Written:
    """Write every run into ``folder``, cut by a policy (one for all, or one for each run, by name).

    In place of a policy may stand a length for each topic (the oracle's, say); other topics are then left whole. A file
    keeps its name, less the ending of a compression. Each file is written whole or not at all.
    """
    if track.reading is None:
        raise UsageError("The Track was not read from files or tables; there is nothing to write from.")
    target = Path(folder)
    files = _targets(track, target)
    target.mkdir(parents=True, exist_ok=True)
    findings = Findings()
    emptied: list[str] = []
    for r, run in enumerate(track.runs):
        if not isinstance(rules, Policy) and run not in rules:
            raise UsageError(f"There is no rule for the run {run!r}.")
        cut = _cut(rules if isinstance(rules, Policy) else rules[run])
        data = _source_text(track, r)
        if data is None:
            empty = _write_anew(track, r, cut, files[r])
        else:
            text, empty = _cut_lines(data, track.ties, cut)
            with atomic(files[r]) as out:
                out.write(text)
        emptied += [f"{run}:{topic}" for topic in empty]
    findings.add("empty-answers", len(emptied), emptied, "no line in a TREC file says so; the topic is missing from it")
    return Written(files, findings)


def _cut(rule: Policy | Mapping[str, int]) -> Cut:
    if isinstance(rule, Policy):
        return lambda topic, scores: rule.cut(scores)
    return lambda topic, scores: min(rule.get(topic, len(scores)), len(scores))


def _source(track: Track, run: int) -> tuple[str, int]:
    """Where a run was read from, and its number there."""
    assert track.reading is not None
    number = int(track.list_id[run * len(track.topics)]) // len(track.reading.topics)
    return track.reading.sources[number], number


def _targets(track: Track, folder: Path) -> list[Path]:
    files: dict[Path, str] = {}
    for r, run in enumerate(track.runs):
        where, _ = _source(track, r)
        source = Path(where)
        plain = source.name if source.is_file() else f"{run.replace('/', '_')}.run"
        for ending in COMPRESSED:
            plain = plain.removesuffix(ending)
        path = folder / plain
        if path in files:
            raise UsageError(f"The runs {files[path]!r} and {run!r} would both be written to {path}.")
        if source.is_file() and path.exists() and path.samefile(source):
            raise UsageError(f"{path} is the run itself; choose another folder for the truncated runs.")
        files[path] = run
    return list(files)


def _source_text(track: Track, run: int) -> bytes | None:
    """The file a run was read from, decompressed; None unless it is a TREC file."""
    where, _ = _source(track, run)
    if not Path(where).is_file():
        return None
    data = Path(where).read_bytes()
    how = compression(data[:16])
    if how is not None:
        data = b"".join(decompress(data, how, where))
    return data if file_format(where, data[:4096]) == "trec" else None


def _cut_lines(data: bytes, ties: str, cut: Cut) -> tuple[bytes, list[str]]:
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
    by_topic: dict[bytes, list[tuple[bytes, float, float, int]]] = {}
    for i, line in enumerate(lines):
        cells = line.split()
        if len(cells) >= 5:
            score = float(np.float32(cells[4])) if ties == "trec32" else float(cells[4])
            by_topic.setdefault(cells[0], []).append((cells[2], score, float(cells[3]) if ties == "rank" else 0.0, i))
    kept: list[int] = []
    empty = []
    for topic, rows in by_topic.items():
        order = _ranked(rows, ties)
        name = topic.decode("utf-8", "surrogateescape")
        n = cut(name, np.array([score for _, score, _, _ in order]))
        kept += [i for _, _, _, i in order[:n]]
        if not n:
            empty.append(name)
    chosen = [lines[i] for i in sorted(kept)]
    if chosen and not chosen[-1].endswith((b"\n", b"\r")):
        chosen[-1] += b"\n"
    return b"".join(chosen), empty


def _ranked(rows: list[tuple[bytes, float, float, int]], ties: str) -> list[tuple[bytes, float, float, int]]:
    """The lines of one topic in rank order by the tie rule, each document once."""
    if ties == "rank":
        ordered = sorted(rows, key=lambda row: row[2])
    elif ties == "file":
        ordered = rows
    else:
        by_doc = rows if ties == "run" else sorted(rows, key=lambda row: row[0], reverse=True)
        ordered = sorted(by_doc, key=lambda row: math.inf if math.isnan(row[1]) else -row[1])
    first: dict[bytes, tuple[bytes, float, float, int]] = {}
    for row in ordered:
        first.setdefault(row[0], row)
    return list(first.values())


def _write_anew(track: Track, run: int, cut: Cut, path: Path) -> list[str]:
    """Write a TREC run from the documents that the reading kept; the topics of which nothing is left."""
    where, number = _source(track, run)
    reading, scores = track.reading, track.scores
    assert reading is not None
    if reading.docs is None or scores is None:
        text = "is no TREC file; read the track with keep_docs=True and keep_scores=True to write it."
        raise UsageError(f"{where} {text}")
    lists, empty = [], []
    for t, topic in enumerate(track.topics):
        at = run * len(track.topics) + t
        own = scores[int(track.score_offsets[at]) :][: int(track.lengths[at])]
        if len(own):
            n = cut(topic, own)
            lists.append((topic, reading.docs.list(int(track.list_id[at]))[:n], own[:n].tolist()))
            empty += [] if n else [topic]
    write_run(path, lists, tag=reading.tags[number] or track.runs[run].replace(" ", "_"))
    return empty
