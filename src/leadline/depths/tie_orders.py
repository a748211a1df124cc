r"""The best and the worst order of tied documents, for measures of which it is known.

Within a block of equal scores the documents may stand in any order. If no swap of two neighbours that moves the larger
gain up can lower a measure, then falling gains are the best order of every block and rising gains the worst, since any
order can be sorted by such swaps. That holds for:

- sums of gains under weights that do not rise with the rank: P, DCG, RBP, INSQ, SDCG and U, DCGU, RBPU; also over a
  divisor that does not know the order: R, nDCG, nRBP; and RBPT, nDCGT, whose terminal document sees the whole list;
- ERR, iRBU, RBU, ERRU, ERRT, nERR, niRBU with gains in [0, 1]: the swap of a ≥ b at ranks i, i + 1 brings
  $S\,(a-b)(w_i - w_{i+1}) \ge 0$, with S the chance to get there, and leaves the chance to go on as it was;
- measures that look at the first hits or at precision among hits, which a hit moved up can only raise: RR, RRi,
  Success, Rprec, IPrec, AP, APT, RRT, SetP, SetR, SetF, ESL (where less is better), Q if all gains are equal;
- Bpref, which counts the non-relevant documents above each hit; AUC, Spearman and Kendall, which count pairs in order.

With several gains Q can prefer the worse order, and so can BPM, INST or OIE; nothing is known of measures that look at
unjudged documents (infAP, Judged) or of a user's own. They are left out, with a finding, and so are variants that
depend on the pool, which changes with the order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from leadline import _core
from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import Gaps, Labellers, wanted_measures
from leadline.rankings.entries import Entries, Floats, Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.labels import Labels
from leadline.rankings.ties import blocks
from leadline.rankings.track import Track

__all__ = ["Spread", "TiedBlocks", "spread"]

_ANY_GAINS = {
    "P", "R", "Success", "Rprec", "RR", "RRi", "ESL", "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet", "IPrec",
    "AP", "DCG", "nDCG", "Bpref", "RBP", "nRBP", "INSQ", "SDCG", "U", "DCGU", "RBPU", "RRT", "APT", "RBPT", "nDCGT",
}  # fmt: skip
_WHOLE_LIST = {"AUC", "Spearman", "Kendall"}
_CHANCES = {"ERR", "nERR", "iRBU", "niRBU", "RBU", "ERRU", "ERRT"}


class Spread:
    """Mean scores under the worst and the best possible order of tied documents; what :func:`spread` returns."""

    def __init__(
        self, runs: Iterable[str], found: dict[Measure, tuple[Floats, Floats, Floats]], findings: Findings
    ) -> None:
        self.runs = tuple(runs)
        self.findings = findings
        self._found = found

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures whose best and worst orders are known."""
        return tuple(self._found)

    def worst(self, measure: str | Measure) -> Floats:
        """Lowest scores (runs × topics) that an order of tied documents can give; highest where less is better."""
        return self._get(measure)[0]

    def best(self, measure: str | Measure) -> Floats:
        """Highest scores (runs × topics) that an order of tied documents can give; lowest where less is better."""
        return self._get(measure)[2]

    def _get(self, measure: str | Measure) -> tuple[Floats, Floats, Floats]:
        wanted = parse(measure)
        if wanted not in self._found:
            raise UnknownName("measure in this spread", str(wanted), map(str, self._found))
        return self._found[wanted]

    def columns(self) -> dict[str, Any]:
        """Columns run, measure, worst, value (in the Track's own order), best, spread; means over topics."""
        out: dict[str, list[Any]] = {name: [] for name in ("run", "measure", "worst", "value", "best", "spread")}
        for m, found in self._found.items():
            worst, value, best = (m.aggregate(v) for v in found)
            out["run"] += self.runs
            out["measure"] += [str(m)] * len(self.runs)
            out["worst"] += worst.tolist()
            out["value"] += value.tolist()
            out["best"] += best.tolist()
            out["spread"] += np.abs(best - worst).tolist()
        return out


def spread(
    track: Track, measures: Iterable[str | Measure] | str | Measure, *, undefined: str = "zero", rel: int | None = None
) -> Spread:
    """Exact bounds of each measure over all orders of tied documents; the Track must have kept its scores.

    >>> import leadline
    >>> runs = {"a": {"q": {"x": 1.0, "y": 1.0, "z": 0.5}}}
    >>> found = spread(leadline.read({"q": {"x": 1, "z": 1}}, runs, keep_scores=True), "RR")
    >>> found.worst("RR").tolist(), found.best("RR").tolist()
    ([[0.5]], [[1.0]])
    """
    if track.ties in ("file", "rank", "share", "mean-gain"):
        raise UsageError(f"Under ties={track.ties!r} no order of tied documents is open; use ties='trec'.")
    labellers = Labellers()
    of_track: dict[int, TiedBlocks] = {}
    orders: dict[tuple[int, bytes], tuple[Labeller, Labeller]] = {}
    found: dict[Measure, tuple[Floats, Floats, Floats]] = {}
    unknown: list[Measure] = []
    gaps = Gaps()
    for m in wanted_measures(measures, rel=rel):
        (part, part_track), *others = m.parts(track)
        own = labellers(part_track)
        labels = part.label(own).labels
        if others or not _known(part, labels):
            unknown.append(m)
            continue
        key = (id(part_track), np.unique(labels.gain, return_inverse=True)[1].tobytes())  # one order for equal ranks
        if key not in orders:
            tied = of_track.setdefault(id(part_track), TiedBlocks(part_track))
            rising, falling = (tied.ordered(labels.gain, falling=f) for f in (False, True))
            orders[key] = (labellers(rising), labellers(falling))
        readings = (orders[key][0], own, orders[key][1])
        values = [m.combine([part.at(part.label(x).whole(part.depth))]).reshape(track.shape) for x in readings]
        value = gaps.settle(m, values[1], undefined, track.topics)  # the same topics are undefined in every order
        worst, best = (Gaps().settle(m, v, undefined, track.topics) for v in values[::2])
        found[m] = (worst, value, best)
    findings = Findings(gaps.findings())
    findings.add("spread-unknown", len(unknown), unknown, "which order of tied documents is best is not known")
    return Spread(track.runs, found, findings)


def _known(m: Measure, labels: Labels) -> bool:
    """Whether falling gains are the best order of a tied block and rising gains the worst."""
    depends_on_pool = getattr(m, "norm", None) == "pool" or getattr(m, "ideal", None) == "k"
    if depends_on_pool or (labels.gain < 0).any():
        return False
    if m.name == "Q":
        return len(np.unique(labels.gain[labels.seen])) <= 1 and bool((labels.hit == (labels.gain > 0)).all())
    if m.name in _CHANCES:
        return bool((labels.gain <= 1).all())
    return m.name in _ANY_GAINS or (m.name in _WHOLE_LIST and m.k is None)


class TiedBlocks:
    """The blocks of equal scores of a Track, to be put into another order."""

    def __init__(self, track: Track) -> None:
        if track.scores is None:
            raise UsageError("The scores of the runs were not kept; read the track with keep_scores=True.")
        self.track = track
        self._first, self._size = blocks(track.scores, track.score_offsets)

    def ordered(self, gain: Floats, *, falling: bool) -> Track:
        """The Track with the documents of every block in falling (or rising) order of ``gain``, 0 if unjudged.

        Only blocks with a gain in them are touched; elsewhere no order is better than another.
        """
        track, entries = self.track, self.track.entries
        list_, block = self._with_gain(gain)
        start = self._first[block] - track.score_offsets[list_]  # ranks before the block
        ends = [_core.positions(entries.rank, entries.offsets, list_, x.astype(np.float64)) - list_
                for x in (start, start + self._size[block])]  # fmt: skip
        count = ends[1] - ends[0]
        starts = np.concatenate([[0], np.cumsum(count)])
        slot = np.arange(starts[-1]) + np.repeat(ends[0] - starts[:-1], count)  # the blocks' judged documents
        own = np.repeat(np.arange(len(block)), count)
        worth = gain[entries.row[slot]]
        order = np.lexsort((-worth if falling else worth, own))
        # unjudged documents gain nothing: in falling order they come last, in rising order before the first gain
        unjudged = (self._size[block] - count)[own]
        shift = np.zeros(len(own), np.int64) if falling else np.where(worth[order] > 0, unjudged, 0)
        rank, row = entries.rank.copy(), entries.row.copy()
        rank[slot] = start[own] + np.arange(1, len(own) + 1) - starts[:-1][own] + shift
        row[slot] = entries.row[slot][order]
        return track._with(entries=Entries(rank, row, entries.offsets))

    def _with_gain(self, gain: Floats) -> tuple[Ints, Ints]:
        """List and number of each block of two documents or more in which something gains."""
        entries = self.track.entries
        good = np.flatnonzero((gain > 0)[entries.row])
        list_ = np.searchsorted(entries.offsets, good, side="right") - 1
        place = self.track.score_offsets[list_] + entries.rank[good] - 1
        block = np.searchsorted(self._first, place, side="right") - 1
        tied = self._size[block] > 1
        block, at = np.unique(block[tied], return_index=True)
        return list_[tied][at], block
