"""Methods for several aspects against each other: do they order systems alike, and what do they put on top?

The study of Maistro, Chaves Lima, Simonsen, Lioma (CIKM 2021, section 4.3. doi:10.1145/3459637.3482287), for any Track
with declared aspects: agreement of the methods on each topic, agreement of single aspects, discriminative power, and
the documents that the best runs by each method show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.measures.aspects._compound import AspectMeasure
from leadline.measures.aspects.cam import CAM
from leadline.measures.aspects.mm import MM
from leadline.measures.aspects.toma import TOMA
from leadline.measures.base import Measure
from leadline.measures.names import parse_all
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track
from leadline.rankings.track import Track
from leadline.stats import paired_bootstrap, tau_matrix

__all__ = [
    "BUCKETS",
    "Agreement",
    "AspectStudy",
    "agreement",
    "aspect_methods",
    "aspect_study",
    "aspects",
    "methods_of",
]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

BUCKETS = ((1, 25), (26, 50), (51, 75), (76, 100))
_TOP = 5
_DECIMALS = 10  # scores are rounded to these before ties are looked for


@dataclass(frozen=True, eq=False)
class Agreement:
    """Mean τ-b over the topics where it is defined, and how many those are; names × names."""

    names: tuple[str, ...]
    tau: Floats
    topics: Ints


@dataclass(frozen=True, eq=False)
class AspectStudy:
    """What :func:`aspect_study` found; arrays have one row for each method.

    ``power`` is the share of pairs of runs that differ significantly; ``zero_documents`` counts, at ranks 1 … 5 of each
    topic's best run, documents with nothing good in any aspect, among ``seen_documents``; ``quality`` is the mean sum
    of a document's labels at the ranks of each bucket (NaN if no list is so long).
    """

    measures: dict[str, Measure]
    methods: Agreement
    aspects: Agreement
    power: Floats
    alpha: float
    resamples: int
    zero_documents: Ints
    seen_documents: Ints
    quality: Floats
    buckets: tuple[tuple[int, int], ...]
    findings: Findings

    def columns(self) -> dict[str, list[Any]]:
        """All of it as records: table, row, column, value, topics."""
        rows: list[tuple[str, str, str, float, int | None]] = []
        for table, found in (("agreement", self.methods), ("single-aspect-agreement", self.aspects)):
            n = len(found.names)
            rows += [
                (table, found.names[i], found.names[j], float(found.tau[i, j]), int(found.topics[i, j]))
                for i in range(n) for j in range(i + 1, n)
            ]  # fmt: skip
        for i, name in enumerate(self.measures):
            rows.append(("discriminative-power", name, f"alpha={self.alpha:g}", float(self.power[i]), None))
            for r in range(_TOP):
                seen = int(self.seen_documents[i, r])
                share = self.zero_documents[i, r] / seen if seen else np.nan
                rows.append(("zero-aspect-documents", name, f"rank {r + 1}", float(share), seen))
            for j, (first, last) in enumerate(self.buckets):
                rows.append(("label-sum", name, f"ranks {first}-{last}", float(self.quality[i, j]), None))
        names = ("table", "row", "column", "value", "topics")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def aspect_methods(measure: str | Measure = "nDCG", **options: Any) -> dict[str, AspectMeasure]:
    """The usual methods around one measure: TOMA with three distances, CAM and MM.

    >>> [str(m) for m in aspect_methods("AP").values()][:2]
    ["TOMA(measure='AP')", "TOMA(measure='AP', distance='manhattan')"]
    """
    by_distance = {"EUCL": "euclidean", "MANH": "manhattan", "CHEB": "chebyshev"}
    inner: Any = measure
    toma: dict[str, AspectMeasure] = {
        name: TOMA(measure=inner, distance=d, **options) for name, d in by_distance.items()
    }
    return toma | {"CAM": CAM(measure=inner, **options), "MM": MM(measure=inner, **options)}


def aspects(
    track: Track,
    measures: Iterable[str | Measure] | str | Measure = "nDCG",
    *,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
) -> Scores:
    """Score runs by several aspects at once: a plain measure stands for all of :func:`aspect_methods`.

    >>> import leadline
    >>> track = leadline.read({"q": {"d": (1, 1)}}, {"x": {"q": {"d": 1}}}, aspects="relevance=0,1 credibility=0,1")
    >>> aspects(track, "nDCG@10").measures[:1], len(aspects(track, ["AP", "CAM"]).measures)
    ((TOMA,), 6)
    """
    return score_track(track, methods_of(measures), undefined=undefined, unjudged=unjudged)


def methods_of(measures: Iterable[str | Measure] | str | Measure) -> list[AspectMeasure]:
    """Measures of several aspects as they are, plain ones by all of :func:`aspect_methods`."""
    found: list[AspectMeasure] = []
    for m in parse_all(measures):
        found += [m] if isinstance(m, AspectMeasure) else aspect_methods(m).values()
    return list(dict.fromkeys(found))


def agreement(names: Sequence[str], scores: Floats) -> Agreement:
    """Kendall's τ-b between methods on every topic, averaged; ``scores`` are methods × runs × topics.

    Scores are rounded to 10 decimals before ties are looked for; topics on which one side is constant are left out.

    >>> found = agreement(["a", "b"], np.array([[[1.0, 0.5], [2.0, 0.5]], [[3.0, 1.0], [4.0, 0.0]]]))
    >>> found.tau[0, 1].item(), found.topics[0, 1].item()
    (1.0, 1)
    """
    by_topic = np.stack([tau_matrix(scores[:, :, t], decimals=_DECIMALS) for t in range(scores.shape[2])])
    defined = ~np.isnan(by_topic)
    count = defined.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(defined, by_topic, 0.0).sum(axis=0) / count
    return Agreement(tuple(names), mean, count)


def aspect_study(
    track: Track,
    measure: str | Measure = "nDCG",
    *,
    methods: Mapping[str, AspectMeasure] | None = None,
    alpha: float = 0.01,
    resamples: int = 10_000,
    buckets: Sequence[tuple[int, int]] = BUCKETS,
    rng: int | np.random.Generator = 0,
    threads: int | None = None,
) -> AspectStudy:
    """Compare methods for several aspects on one Track.

    ``methods`` replaces the five usual ones around ``measure``. The best run of a topic is the first of those with the
    highest score at depth 5 (for documents at ranks 1–5) and 100 (for the buckets).
    """
    if len(track.runs) < 2:
        raise UsageError(f"A study compares runs: give two at least. Got {len(track.runs)}.")
    measures = dict(methods) if methods is not None else aspect_methods(measure)
    scores = score_track(track, list(measures.values()))
    table = np.stack([scores.array(m) for m in measures.values()])
    inner: Any = measure
    single = CAM(measure=inner).by_aspect(track).reshape(-1, *track.shape)
    assert track.aspects is not None
    seed = int(rng.integers(2**63)) if isinstance(rng, np.random.Generator) else rng
    # the same resamples for every method, so that they differ by nothing else
    tests = [paired_bootstrap(x, resamples=resamples, rng=seed, threads=threads) for x in table]
    top, deep = _best_runs(track, measures, _TOP), _best_runs(track, measures, max(last for _, last in buckets))
    looked = [_top_documents(track, lists) for lists in top]
    return AspectStudy(
        measures=dict(measures),
        methods=agreement(list(measures), table),
        aspects=agreement(track.aspects.names, single),
        power=np.array([float((t.p < alpha).mean()) for t in tests]),
        alpha=alpha,
        resamples=resamples,
        zero_documents=np.stack([zero for zero, _ in looked]),
        seen_documents=np.stack([seen for _, seen in looked]),
        quality=np.stack([_quality(track, lists, buckets) for lists in deep]),
        buckets=tuple(buckets),
        findings=scores.findings,
    )


def _best_runs(track: Track, measures: Mapping[str, AspectMeasure], depth: int) -> list[Ints]:
    """For each method, the list of the best run on each topic, evaluated at that depth where the measure has one."""
    at = [m if m.cutoff in ("none", "recall") else m.but(k=depth) for m in measures.values()]
    scores = score_track(track, at)
    topics = np.arange(len(track.topics))
    found = []
    for m in at:
        x = np.nan_to_num(scores.array(m), nan=-np.inf if m.higher_is_better else np.inf)
        found.append(np.argmax(x if m.higher_is_better else -x, axis=0) * len(topics) + topics)
    return found


def _label_sums(track: Track) -> tuple[Floats, float]:
    """Sum of the numbers of each judgment's labels, and that of an unjudged document: every label at its lowest."""
    assert track.aspects is not None
    labels = track.judgments.labels
    numbers = [np.array([float(v) for v in a.numbers]) for a in track.aspects]
    sums = np.sum([x[labels[:, a]] for a, x in enumerate(numbers)], axis=0)
    return np.asarray(sums, np.float64), float(sum(x[0] for x in numbers))


def _top_documents(track: Track, lists: Ints) -> tuple[Ints, Ints]:
    """At each of the ranks 1 … 5: documents with nothing good in any aspect, and documents there are."""
    sums, lowest = _label_sums(track)
    seen = np.array([(track.lengths[lists] >= rank).sum() for rank in range(1, _TOP + 1)])
    entries = track.entries.take(lists)
    good = (entries.rank <= _TOP) & (sums[entries.row] > lowest)
    return seen - np.bincount(entries.rank[good] - 1, minlength=_TOP), seen


def _quality(track: Track, lists: Ints, buckets: Sequence[tuple[int, int]]) -> Floats:
    """Mean label sum of the documents at the ranks of each bucket."""
    sums, lowest = _label_sums(track)
    entries, lengths = track.entries.take(lists), track.lengths[lists]
    found = []
    for first, last in buckets:
        inside = (entries.rank >= first) & (entries.rank <= last)
        documents = int((np.minimum(lengths, last) - (first - 1)).clip(0).sum())
        total = float((sums[entries.row[inside]] - lowest).sum()) + lowest * documents
        found.append(total / documents if documents else np.nan)
    return np.array(found)
