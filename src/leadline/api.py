"""The two functions everything starts with: read files into a Track, evaluate a Track.

One function for each further command lives in its own stage; all are found as ``leadline.NAME``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from leadline.errors import UsageError
from leadline.io import read_files
from leadline.measures.base import Measure
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track
from leadline.rankings.nil import answer_nil, truncate_at_nil
from leadline.rankings.track import Track

__all__ = ["evaluate", "read"]


def read(
    qrels: Any,
    runs: Any,
    *,
    ties: str = "trec",
    topics: Literal["qrels", "common"] = "qrels",
    select: Iterable[str] | None = None,
    nil: Literal["truncate", "answer"] | None = None,
    nil_max_len: int = 5,
    pool_depth: int | None = None,
    contributors: Iterable[str] | None = None,
    aspects: Any = None,
    **reading: Any,
) -> Track:
    """Read qrels and runs into a Track.

    ``qrels`` is a file, ``{topic: {doc: grade}}`` or a table; ``runs`` a file, a folder, a list of files, or
    ``{run: {topic: {doc: score}}}``. ``ties`` orders equal scores: trec (by document id, as trec_eval 10), trec32
    (scores as 32-bit floats, as trec_eval 9 and pytrec_eval), run, file, rank, share, mean-gain. ``topics="common"``
    keeps the topics that every run answers; ``nil`` reads the document id NIL as an answer; ``aspects`` declares
    several label columns (``"relevance=0..3 correctness=nc,pc,c"``, a mapping, a TOML file). Further options
    (``lenient, keep_scores, keep_docs, threads, name, max_size``) go to :func:`leadline.io.read_files`.

    >>> read({"q": {"a": 1}}, {"x": {"q": {"a": 1.0, "b": 0.5}}})
    <Track: 1 runs × 1 topics, 2 documents, ties='trec'>
    """
    if topics not in ("qrels", "common"):
        raise UsageError(f"topics must be 'qrels' or 'common'. Got {topics!r} instead.")
    declared = None
    if aspects is not None:
        from leadline.io.aspect_reading import declared_qrels

        declared = declared_qrels(qrels, aspects)
        qrels, reading["aspects"] = declared.qrels, declared.columns
    found = read_files(qrels, runs, ties=ties, nil="NIL" if nil else None, **reading)
    track = Track.of(found, None if declared is None else declared.aspects)
    if declared is not None:
        track.findings.extend(declared.findings)
    return prepare(
        track, topics=topics, select=select, nil=nil, nil_max_len=nil_max_len, pool_depth=pool_depth,
        contributors=contributors,
    )  # fmt: skip


def prepare(
    track: Track,
    *,
    topics: str = "qrels",
    select: Iterable[str] | None = None,
    nil: str | None = None,
    nil_max_len: int = 5,
    pool_depth: int | None = None,
    contributors: Iterable[str] | None = None,
) -> Track:
    """A freshly read Track under the reading options that need no files."""
    if nil == "truncate":
        track = truncate_at_nil(track, nil_max_len)
    elif nil == "answer":
        track = answer_nil(track)
    elif nil is not None:
        raise UsageError(f"nil must be 'truncate' or 'answer'. Got {nil!r} instead.")
    if pool_depth is not None or contributors is not None:
        track = track.declare_pool(pool_depth, contributors)
    if select is not None:
        track = track.select(topics=list(select))
    return track.common() if topics == "common" else track


def evaluate(
    track: Track,
    measures: Sequence[str | Measure] | str | Measure,
    *,
    undefined: Undefined = "zero",
    unjudged: Literal["nonrelevant", "condense"] = "nonrelevant",
    rel: int | None = None,
) -> Scores:
    """Score every list of the Track with every measure.

    >>> track = read({"q": {"a": 1, "b": 1}}, {"x": {"q": {"a": 2.0, "c": 1.0}}})
    >>> evaluate(track, "AP").array("AP")
    array([[0.5]])
    """
    return score_track(track, measures, undefined=undefined, unjudged=unjudged, rel=rel)


def topic_list(given: str) -> list[str]:
    """Topics named on the command line: a file with one id a line, or ids separated by commas."""
    from pathlib import Path

    path = Path(given)
    if path.is_file():
        return path.read_text(encoding="utf-8").split()
    return [t for t in given.split(",") if t]
