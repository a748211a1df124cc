"""Reading a Track's runs once more, for what it did not keep: another tie rule, scores, document ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import UsageError
from leadline.io import from_columns, read_files
from leadline.rankings.entries import Entries
from leadline.rankings.track import Track

__all__ = ["reread"]

_NOBODY = "\u2060leadline\u2060"  # stands for a topic without judgments; no run can have retrieved it


def reread(track: Track, *, ties: str | None = None, runs: Any = None, keep_docs: bool = False) -> Track:
    """The same Track, its runs read once more under ``ties``, with scores (and document ids, if asked for).

    Judgments stay as they are, however they were masked or relabelled: the runs are read against qrels whose grades
    are the numbers of these judgments. ``runs`` are what the runs were read from, needed if that was no file.
    """
    reading = track.reading
    if reading is None or (track.row_id < 0).any() or track.nil_rank is not None:
        what = "typed by hand" if reading is None else "read with nil="
        raise UsageError(f"The runs of a Track {what} cannot be read once more; read them under each rule yourself.")
    topics = len(reading.topics)
    sources = {
        name: reading.sources[int(i) // topics]
        for name, i in zip(track.runs, track.list_id[:: len(track.topics)], strict=True)
    }
    if runs is None:
        lost = [name for name, where in sources.items() if not Path(where).is_file()]
        if lost:
            raise UsageError(
                f"The run {lost[0]!r} was not read from a file, so it cannot be read once more. "
                "Give what it was read from as runs=."
            )
        runs = sources
    old = track.judgments
    named = [track.topics[t] for t in old.topic]
    qrels = from_columns(
        [*named, *track.topics],
        [*reading.qrels_docs(track.row_id), *[_NOBODY] * len(track.topics)],
        np.concatenate([np.arange(len(old)), np.full(len(track.topics), -1)]),
    )
    found = Track.of(
        read_files(qrels, runs, ties=ties or track.ties, lenient=True, keep_scores=True, keep_docs=keep_docs)
    ).select(runs=track.runs, topics=track.topics)
    number_of = found.judgments.grade  # the judgment that each row read stands for, −1 for nobody
    row_id = np.empty(len(old), np.int64)
    row_id[number_of[number_of >= 0]] = found.row_id[number_of >= 0]
    again = track._with(
        entries=Entries(found.entries.rank, number_of[found.entries.row], found.entries.offsets),
        lengths=found.lengths, answered=found.answered, scores=found.scores, ties=found.ties,
        reading=found.reading, list_id=found.list_id, row_id=row_id,
    )  # fmt: skip
    return again.truncated(track.lengths) if (again.lengths > track.lengths).any() else again
