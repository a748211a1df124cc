"""What unjudged documents leave open: the lowest and the highest score that each list could have.

Every list is scored under all labels 0 … gmax that its unjudged documents could turn out to have, with R and the
ideal list changing along. For measures of gains at ranks this is known as the residual; for recall-based ones (AP,
nDCG, Q, R-precision, Bpref, …) the extremes lie neither at "none relevant" nor at "all relevant", and are found by
the arguments that stand beside the code in :mod:`leadline.depths._bounds`.

Bpref, infAP and condensed runs ignore unjudged documents, which a completion has none of. So their score can lie
outside its own range: with three relevant documents the list ``0 1 - 0`` has a Bpref of 1/6, but 2/9 if the unjudged
document is not relevant, and 1/4 if it is.

>>> from leadline.rankings.typed import typed
>>> bpref = ranges(typed("0 1 - 0", rels="1 1 1"), "Bpref")
>>> [float(x("Bpref").round(4)[0, 0]) for x in (bpref.score, bpref.lower, bpref.upper)]
[0.1667, 0.2222, 0.25]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.depths._bounds import Bounds, bounds, counting_undefined, takes_unjudged_as_zero
from leadline.depths._bounds.compound import Part, combined, parts_of
from leadline.depths._bounds.options import labels_of, options_of
from leadline.depths._bounds.problem import nothing_known_of
from leadline.depths._bounds.residuals import ShortRun, has_formula, judged_lists, residual_at
from leadline.errors import UndefinedScore, UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Labellers, Undefined, check_ties, score_track, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track

__all__ = ["Ranges", "at_depths", "ranges"]

_DOCUMENTS = 1 << 19  # in a chunk of lists that one thread works on


@dataclass(frozen=True, eq=False)
class Range:
    """Of one measure, runs × topics each."""

    score: Floats
    lower: Floats
    upper: Floats
    residual: Floats
    condensed: Floats
    exact: NDArray[np.bool_]


class Ranges:
    """What :func:`ranges` returns: arrays of runs × topics for each measure, and the records of ``leadline ranges``."""

    def __init__(
        self, track: Track, found: dict[Measure, Range], findings: Findings, *, missing: int, short_run: ShortRun
    ) -> None:
        self.runs, self.topics = track.runs, track.topics
        self.contributors = track.contributors
        self.findings = findings
        self.missing = missing
        self.short_run: ShortRun = short_run
        self._found = found

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._found)

    def lower(self, measure: str | Measure) -> Floats:
        """The lowest score that any completion of the judgments gives."""
        return self._of(measure).lower

    def upper(self, measure: str | Measure) -> Floats:
        """The highest score that any completion of the judgments gives."""
        return self._of(measure).upper

    def residual(self, measure: str | Measure) -> Floats:
        """RBP, ERR, P: the residual, tails included; else upper − lower."""
        return self._of(measure).residual

    def condensed(self, measure: str | Measure) -> Floats:
        """The score without the unjudged documents."""
        return self._of(measure).condensed

    def score(self, measure: str | Measure) -> Floats:
        """The score as ``evaluate`` gives it."""
        return self._of(measure).score

    def exact(self, measure: str | Measure) -> NDArray[np.bool_]:
        """Where both ends are scores of completions; elsewhere the interval holds them all and may be too wide."""
        return self._of(measure).exact

    def _of(self, measure: str | Measure) -> Range:
        wanted = parse(measure)
        if wanted not in self._found:
            raise UnknownName("measure in these ranges", str(wanted), map(str, self._found))
        return self._found[wanted]

    def columns(self, *, per_topic: bool = True, over_runs: bool = False) -> dict[str, Any]:
        """Columns run, topic, measure, lower, upper, residual, score, condensed, exact; ``all`` is the mean over
        topics.

        ``over_runs``: one row for each measure, the mean over the runs that fed the pool, as run ``all``.
        """
        out: dict[str, list[Any]] = {n: [] for n in ("run", "topic", "measure", *_NUMBERS, "exact")}
        runs = ["all"] if over_runs else list(self.runs)
        for r, run in enumerate(runs):
            for m, x in self._found.items():
                topics = [*(self.topics if per_topic and m.per_topic and not over_runs else ()), "all"]
                out["run"] += [run] * len(topics)
                out["topic"] += topics
                out["measure"] += [str(m)] * len(topics)
                total = self._over_runs(m, x) if over_runs else {n: _total(m, x, n)[r] for n in _NUMBERS}
                for name in _NUMBERS:
                    if len(topics) > 1:
                        out[name] += getattr(x, name)[r].tolist()
                    out[name].append(float(total[name]))
                if len(topics) > 1:
                    out["exact"] += x.exact[r].tolist()
                out["exact"].append(bool(x.exact.all() if over_runs else x.exact[r].all()))
        return {name: np.array(column) if name in _NUMBERS else column for name, column in out.items()}

    def _over_runs(self, m: Measure, x: Range) -> dict[str, float]:
        fed = self.contributors if self.contributors.any() else np.ones(len(self.runs), bool)
        return {name: _mean(_total(m, x, name)[fed]) for name in _NUMBERS}

    def __repr__(self) -> str:
        names = ", ".join(map(str, self._found))
        return f"<Ranges: {len(self.runs)} runs × {len(self.topics)} topics × {len(self._found)} measures ({names})>"


_NUMBERS = ("lower", "upper", "residual", "score", "condensed")


def _total(m: Measure, x: Range, name: str) -> Floats:
    """What stands under topic ``all``."""
    if name == "residual" and not m.per_topic:
        return m.aggregate(x.upper) - m.aggregate(x.lower)
    return m.aggregate(getattr(x, name))


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def ranges(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure,
    *,
    missing: int = 0,
    short_run: ShortRun = "unknown",
    depths: Sequence[int] | None = None,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> Ranges:
    """The lowest and the highest score of every list over all labels that its unjudged documents could have.

    ``missing`` relevant documents may exist outside each list besides. ``depths`` asks for every measure at several
    evaluation depths. ``short_run`` is for the residuals of RBP and ERR: what lies past the end of a run shorter than
    the depth is unknown, or zero. With ``undefined="nan"`` completions without a score are left out.

    A range is exact where both its ends are scores of completions (``.exact``); else it is proven to hold them all.

    >>> from leadline.rankings.typed import typed
    >>> found = ranges(typed("1 - 0 -", rels="1 1"), ["AP", "P@4"])
    >>> found.lower("AP"), found.upper("AP").round(3), found.residual("P@4")
    (array([[0.5]]), array([[0.688]]), array([[0.5]]))
    """
    if short_run not in ("unknown", "zero"):
        raise UsageError(f"short_run must be 'unknown' or 'zero'. Got {short_run!r} instead.")
    if isinstance(missing, bool) or missing != int(missing) or missing < 0:
        raise UsageError(f"missing must be a whole number ≥ 0. Got {missing!r} instead.")
    wanted = at_depths(wanted_measures(measures, unjudged=unjudged, rel=rel), depths)
    scores = score_track(track, wanted, undefined=undefined)
    condensed = score_track(
        track, [m.but(judged_only=True) for m in wanted], undefined="zero" if undefined == "zero" else "nan"
    )
    findings, labellers = Findings(scores.findings), Labellers()
    found = {}
    with ThreadPoolExecutor(threads) as pool:
        for m in wanted:
            raw = _bounds(m, track, missing, pool)
            settled = _settled(m, raw, undefined)
            lower, upper = (x.reshape(track.shape) for x in (settled.lower, settled.upper))
            lower, upper = _certain(m, track, missing, scores.array(m), lower, upper)
            residual = _residual(m, track, labellers, short_run)
            exact = settled.exact.reshape(track.shape)
            found[m] = Range(
                scores.array(m), lower, upper, _wide(upper, lower) if residual is None else residual,
                condensed.array(m.but(judged_only=True)), exact,
            )  # fmt: skip
            _tell(m, exact, findings)
    return Ranges(track, found, findings, missing=int(missing), short_run=short_run)


def at_depths(measures: Sequence[Measure], depths: Sequence[int] | None) -> list[Measure]:
    """Each measure at each of the depths; as it is if none are given."""
    if depths is None:
        return list(measures)
    if not len(depths) or any(int(d) != d or d < 0 for d in depths):
        raise UsageError(f"depths must be whole numbers ≥ 0. Got {list(depths)!r} instead.")
    for m in measures:
        if m.cutoff in ("none", "recall"):
            raise UsageError(f"{m} has no evaluation depth; leave it out or do without depths.")
    return list(dict.fromkeys(m.but(k=int(d)) for m in measures for d in depths))


def _bounds(m: Measure, track: Track, missing: int, pool: ThreadPoolExecutor) -> Bounds:
    """Bounds of all lists, chunk by chunk."""
    parts = parts_of(m, track, labels_of)
    if parts is None:
        return nothing_known_of(len(track.lengths))
    for part in parts:
        check_ties(part.m, part.track)
    chunks = _chunks(track.lengths)

    def solve(job: tuple[Part, Ints]) -> Bounds:
        part, lists = job
        return bounds(part.m, part.track, lists, missing, part.labels)

    jobs = [(part, lists) for part in parts for lists in chunks]
    solved = list(pool.map(solve, jobs))
    by_part = [_joined(solved[i * len(chunks) : (i + 1) * len(chunks)]) for i in range(len(parts))]
    return combined(m, parts, by_part, missing)


def _chunks(lengths: Ints) -> list[Ints]:
    """Lists in order, cut into chunks of about as many documents."""
    ends = np.cumsum(lengths + 1)
    return np.split(np.arange(len(lengths)), np.flatnonzero(np.diff(ends // _DOCUMENTS)) + 1)


def _joined(parts: Sequence[Bounds]) -> Bounds:
    fields = ("lower", "upper", "exact", "undefined")
    return Bounds(*(np.concatenate([getattr(b, name) for b in parts]) for name in fields))


def _settled(m: Measure, found: Bounds, undefined: Undefined) -> Bounds:
    """Completions without a score: counted as 0, or left out."""
    if undefined == "raise" and m.per_topic and (found.undefined & np.isnan(found.lower)).any():
        raise UndefinedScore(f"{m} is undefined on some lists whatever the unjudged documents are; see undefined=")
    zero = undefined == "zero" and m.zero_if_undefined and m.per_topic
    return counting_undefined(found) if zero else found


def _certain(
    m: Measure, track: Track, missing: int, score: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Floats]:
    """Where nothing is open, the score itself; and where unjudged documents count as label 0, it is within."""
    open_ = (track.lengths - track.entries.counts > 0).reshape(track.shape)
    if missing == 0:
        lower, upper = np.where(open_, lower, score), np.where(open_, upper, score)
    if _counts_unjudged_as_zero(m, track):
        lower, upper = np.fmin(lower, score), np.fmax(upper, score)
    return lower, upper


def _counts_unjudged_as_zero(m: Measure, track: Track) -> bool:
    """Whether leaving a document unjudged comes to labelling it 0: then the score is that of a completion."""
    parts = m.parts(track)
    if m.judged_only or len(parts) != 1 or not takes_unjudged_as_zero(parts[0][0]):
        return False
    own = options_of(*parts[0])
    return bool(own.labels[0] == 0 and own.gain[0] == 0 and not own.hit[0])


def _wide(upper: Floats, lower: Floats) -> Floats:
    """upper − lower, 0 where both are the same infinity."""
    with np.errstate(invalid="ignore"):
        return np.where(upper == lower, 0.0, upper - lower)


def _residual(m: Measure, track: Track, labellers: Labellers, short_run: ShortRun) -> Floats | None:
    """By the measure's own formula, if there is one."""
    if not has_formula(m, track):
        return None
    return residual_at(m, judged_lists(m, labellers(track)), None, short_run).reshape(track.shape)


def _tell(m: Measure, exact: NDArray[np.bool_], findings: Findings) -> None:
    findings.add(
        f"range-not-exact {m}", int((~exact).sum()), (), "an interval that holds all completions, perhaps too wide"
    )
