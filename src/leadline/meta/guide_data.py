"""What the user's own data say about a choice of measures."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from leadline.findings import Finding
from leadline.measures.base import Measure
from leadline.measures.collection import CollectionMeasure
from leadline.measures.scoring import score_track
from leadline.rankings.entries import Ints
from leadline.rankings.track import Track

__all__ = ["hints", "warnings"]

JUDGED_ENOUGH = 0.8  # share of judged documents in the part that is evaluated
SINGLE_RELEVANT = 0.5  # share of topics with one relevant document from which RR and AP are nearly the same
TIED_PAIRS = 0.1  # share of pairs of runs with equal RR on a topic that is worth a word
LOOKED_AT = 100  # how deep a measure without cut-off is taken to look

RECALL_BASED = ("AP", "nDCG", "Q", "R", "Rprec", "infAP", "SetR", "SetF", "Bpref", "IPrec", "nERR", "nRBP", "niRBU")
UNJUDGED_BLIND = ("Bpref", "infAP")
LENGTH_AWARE = ("OIE", "RBPT", "nDCGT", "RRT", "APT", "ERRT", "SetF", "SetP")
FIRST_ONLY = ("RR", "AP", "ESL", "RRi", "Success")


def hints(track: Track) -> dict[str, str]:
    """Answers to the guide's questions that the data suggest."""
    grades = track.judgments.grade
    found = {"grades": "graded" if int(grades.max(initial=0)) > 1 else "binary"}
    found["nil"] = "yes" if (_relevant(track) == 0).any() else "no"
    found["length"] = "yes" if len(_stopping(track)) else "no"
    found["pool"] = "deep" if _judged_share(track, LOOKED_AT) >= JUDGED_ENOUGH else "shallow"
    found["judged"] = "order" if track.judgments.labels.shape[1] > 1 else "one"
    return found


def _relevant(track: Track) -> Ints:
    return track.judgments.count(track.judgments.grade > 0)


def _stopping(track: Track) -> list[str]:
    """Runs whose lists end where the run wants: fewer than half of them have its most frequent length."""
    lengths = track.lengths.reshape(track.shape)
    usual = [int(np.unique(row, return_counts=True)[1].max()) for row in lengths]
    return [run for run, count in zip(track.runs, usual, strict=True) if 2 * count < len(track.topics)]


def _judged_share(track: Track, depth: float) -> float:
    """Mean share of judged documents among those looked at."""
    seen = np.minimum(track.lengths, depth).sum()
    judged = int((track.entries.rank <= depth).sum())
    return float(judged / seen) if seen else 1.0


def warnings(track: Track, measures: Iterable[Measure]) -> list[Finding]:
    """Doubts about using these measures on this Track."""
    wanted = list(measures)
    found = [*_pool(track, wanted), *_nil(track, wanted), *_single(track, wanted), *_lengths(track, wanted)]
    return [*found, *_grades(track, wanted)]


def _named(measures: list[Measure], names: Iterable[str]) -> list[Measure]:
    return [m for m in measures if getattr(m, "inner", m).name in names]


def _pool(track: Track, measures: list[Measure]) -> list[Finding]:
    found = []
    for m in _named(measures, set(RECALL_BASED) - set(UNJUDGED_BLIND)):
        if m.judged_only:
            continue
        depth = min(m.depth, LOOKED_AT)
        share = _judged_share(track, depth)
        beyond = track.pool_depth is not None and m.depth > track.pool_depth
        if share < JUDGED_ENOUGH or beyond:
            why = f"looks deeper than the pool of depth {track.pool_depth}" if beyond else "rests on an unknown R"
            text = (
                f"{100 * (1 - share):.0f} % of the first {depth:.0f} documents are unjudged: {m} {why}; prefer RBP "
                "with its residual (leadline ranges), or condense"
            )
            found.append(Finding("shallow-pool", int((1 - share) * 100), [m], text))
    return found


def _nil(track: Track, measures: list[Measure]) -> list[Finding]:
    nothing = [t for t, n in zip(track.topics, _relevant(track).tolist(), strict=True) if n == 0]
    blind = [m for m in measures if not _answers_nil(m)]
    if not nothing or not blind:
        return []
    text = (
        f"have nothing relevant, where {', '.join(map(str, blind))} cannot tell silence from a useless list; the "
        "terminal-document family (RBPT, nDCGT, RRT), the utility family and OIE can"
    )
    return [Finding("nil-answer-topics", len(nothing), nothing, text)]


def _answers_nil(m: Measure) -> bool:
    """Whether silence scores more than an irrelevant document where nothing is relevant."""
    from leadline.meta.properties import properties

    return properties(m, only="NIL ANSWER")[0].holds or not m.per_topic


def _single(track: Track, measures: list[Measure]) -> list[Finding]:
    relevant = _relevant(track)
    single = int((relevant == 1).sum())
    first = _named(measures, FIRST_ONLY)
    if not first or single < SINGLE_RELEVANT * len(track.topics):
        return []
    text = f"topics have a single relevant document: {', '.join(map(str, first))} say little more than its rank"
    if len(track.runs) > 1:
        tied = _tied_share(track)
        if tied >= TIED_PAIRS:
            text += f", and RR ties on {100 * tied:.0f} % of all pairs of runs; leadline prefer -m rrLP breaks ties"
    return [Finding("one-relevant", single, (), text)]


def _tied_share(track: Track) -> float:
    """Share of (pair of runs, topic) on which reciprocal rank ties."""
    rr = score_track(track, "RR").array("RR")
    runs = len(rr)
    ordered = np.sort(rr, axis=0)
    edges = np.ones(ordered.shape, bool)
    edges[1:] = ordered[1:] != ordered[:-1]
    tied = 0
    for column in edges.T:  # sizes of the blocks of equal scores on each topic
        sizes = np.diff(np.append(np.flatnonzero(column), runs))
        tied += int((sizes * (sizes - 1)).sum())
    return float(tied / (runs * (runs - 1) * rr.shape[1]))


def _lengths(track: Track, measures: list[Measure]) -> list[Finding]:
    own = _stopping(track)
    inner = [getattr(m, "inner", m) for m in measures]
    sensitive = [m for m in inner if "e" in m.params or m.name in LENGTH_AWARE]
    if sensitive and not own:
        text = (
            f"lists are mostly of one length, so no system decided where to stop: {', '.join(map(str, sensitive))} see "
            "tails that nobody chose; truncate first (leadline truncate, leadline stop)"
        )
        return [Finding("nobody-truncated", len(track.lengths), (), text)]
    if own and not sensitive:
        text = "stop at lengths of their own, which these measures do not see; ask again with length=yes"
        return [Finding("own-lengths", len(own), own, text)]
    return []


def _grades(track: Track, measures: list[Measure]) -> list[Finding]:
    top = int(track.judgments.grade.max(initial=0))
    inner = [getattr(m, "inner", m) for m in measures]
    binary = [m for m in inner if getattr(m, "gain", "binary") == "binary" and not isinstance(m, CollectionMeasure)]
    if top > 1 and binary and len(binary) == len(inner):
        text = f"grades go up to {top}, of which {', '.join(map(str, binary))} see only whether they reach rel="
        return [Finding("grades-unused", top, (), text)]
    return []
