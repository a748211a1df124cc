r"""Parameters from what a user can answer: how deep do people read, what is a document worth, when is silence better.

=====================  ============================================  ===================================================
question               answer                                        parameter
=====================  ============================================  ===================================================
how deep do they read  :func:`persistence`                           p of RBP, RBPU, iRBU …
a document's worth     :func:`effort`                                e of the utility family
when is silence best   :func:`silence_beta`, :func:`break_even`      β of OIE
what is always read    :func:`shallowness_bound`                     the largest β that keeps SHALLOWNESS
how large is |D|       :func:`collection_size`                       what it changes for the runs at hand
=====================  ============================================  ===================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import NothingToEvaluate, UsageError
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scoring import score_track
from leadline.rankings.entries import Floats
from leadline.rankings.track import Track
from leadline.stats import tau_matrix

__all__ = [
    "CollectionSize",
    "break_even",
    "collection_size",
    "effort",
    "persistence",
    "shallowness_bound",
    "silence_beta",
]

DOCS = 20_000


def persistence(depth: float, *, share: float | None = None) -> float:
    r"""The p of rank-biased precision for readers who see ``depth`` documents on average: $p = 1 - 1/d$.

    With ``share``, the p that puts this share of the weight on the first ``depth`` ranks: $p = (1 - s)^{1/d}$.

    References: Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. TOIS 2008.
    doi:10.1145/1416950.1416952

    >>> persistence(5), round(persistence(10, share=0.9), 4)
    (0.8, 0.7943)
    """
    if (not depth > 1 and share is None) or not depth > 0:
        raise UsageError(f"The expected depth must be above {1 if share is None else 0}. Got {depth} instead.")
    if share is None:
        return 1 - 1 / depth
    if not 0 < share < 1:
        raise UsageError(f"The share of the weight must lie in (0, 1). Got {share} instead.")
    return float((1 - share) ** (1 / depth))


def effort(documents: int, measure: str | Measure = "U") -> float:
    r"""The e at which one relevant document at the top just pays for reading ``documents`` documents.

    Under the flat utility U that is 1 / documents. A discounted measure weighs the first rank more than the later ones,
    so there e is larger for the same number: it solves $M(1, 0, \dots, 0) = 0$, which is linear in e.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> effort(20), round(effort(20, "RBPU(p=0.9)"), 4), round(effort(20, "DCGU"), 4)
    (0.05, 0.1138, 0.142)
    """
    m: Any = parse(measure)
    if "e" not in m.params:
        raise UsageError(f"{m} has no effort e; give one of U, DCGU, RBPU, RBU, ERRU.")
    if documents < 2:
        raise UsageError(f"One relevant document must be worth at least 2 documents. Got {documents} instead.")
    ranking = [1] + [0] * (documents - 1)
    gain = m.but(e=0.0, k=None).score(ranking)
    cost = gain - m.but(e=0.5, k=None).score(ranking)
    return float(gain / (2 * cost))


def silence_beta(rank: int, *, docs: int = DOCS) -> float:
    r"""The β of OIE at which the only relevant document, found at ``rank``, is exactly as good as silence.

    $$\beta = 1 + \frac{\ln(N/r)}{\sum_{i<r} \ln(N/i)}$$

    A larger β makes silence better there, a smaller one the list.

    References: Amigó, Mizzaro, Spina. Ranking Interruptus. SIGIR 2022. doi:10.1145/3477495.3532051

    >>> round(silence_beta(20), 5)
    1.04641
    """
    if not 2 <= rank <= docs:
        raise UsageError(f"The rank must lie in [2, docs]: at rank 1 a document always pays. Got {rank} instead.")
    above = np.log(docs / np.arange(1, rank))
    return float(1 + np.log(docs / rank) / above.sum())


def break_even(beta: float = 1.05, *, docs: int = DOCS) -> int:
    """The last rank at which the only relevant document still makes the list better than silence under OIE.

    >>> break_even(1.05), break_even(1.05, docs=10**9)
    (18, 20)
    """
    if beta <= 1:
        return docs  # nothing that a list holds costs anything
    size = 1024
    while True:
        told = np.log(docs / np.arange(1, min(size, docs) + 1))
        pays = told > (beta - 1) * np.concatenate([[0.0], np.cumsum(told)[:-1]])  # and from one rank on no more
        if size >= docs or not pays[-1]:
            return int(pays.sum())
        size *= 4


def shallowness_bound(m: int, *, docs: int | None = None, relevant: int | None = None) -> float:
    r"""The β that OIE must stay below so that m relevant documents after m others beat one at the top.

    $$\beta < \frac{2m - 1}{m}, \qquad \beta < \frac{\sum_{i=2}^{2m} \ln(N/i)}
    {2 \sum_{i \le m} \ln(N/i) - \ln N - (m - 1) \ln(N/R)}$$

    The first is the published bound, the limit for a collection of any size; the second is exact for ``docs`` = N
    documents, of which ``relevant`` = R (m unless told) are relevant, and it is lower.

    References: Amigó, Giner, Mizzaro, Spina. A formal account of effectiveness evaluation and ranking fusion. ICTIR
    2018. doi:10.1145/3234944.3234958

    >>> shallowness_bound(2), round(shallowness_bound(2, docs=20_000), 4)
    (1.5, 1.3881)
    """
    if m < 2:
        raise UsageError(f"SHALLOWNESS needs m ≥ 2 documents that are always read. Got {m} instead.")
    if docs is None:
        return (2 * m - 1) / m
    R = m if relevant is None else relevant
    if not m <= R <= docs - m:
        raise UsageError(f"Of {docs} documents {m} irrelevant and {R} relevant ones are needed, {m} of them at least.")
    told = np.log(docs / np.arange(1, 2 * m + 1))
    joint = 2 * told[:m].sum() - told[0] - (m - 1) * np.log(docs / R)
    return float(told[1:].sum() / joint)


@dataclass(frozen=True, eq=False)
class CollectionSize:
    """What the size of the collection changes: τ of the runs' order with that at ``reference``, and the break-even."""

    docs: tuple[int, ...]
    reference: int
    beta: float
    tau: Floats
    break_even: tuple[int, ...]
    best: tuple[str, ...]

    def columns(self) -> dict[str, Any]:
        """Columns docs, tau, break_even, best."""
        return {"docs": list(self.docs), "tau": self.tau, "break_even": list(self.break_even), "best": list(self.best)}


def collection_size(
    track: Track, *, docs: Sequence[int] | None = None, reference: int | None = None, beta: float = 1.05
) -> CollectionSize:
    """How much |D| matters for OIE on these runs: the order of systems and the break-even rank at several sizes.

    The sizes default to powers of ten above what the lists and judgments already name; ``reference`` to 20,000 or the
    least possible size.

    >>> from leadline import read
    >>> track = read({"q": {"a": 1}}, {"x": {"q": {"a": 1}}, "y": {"q": {"b": 2, "a": 1}}})
    >>> collection_size(track, docs=[100, 10_000], reference=100).columns()["tau"]
    array([1., 1.])
    """
    if len(track.runs) < 2:
        raise NothingToEvaluate("The order of systems needs two runs at least.")
    least = known_documents(track)
    if reference is None:
        reference = max(DOCS, least)
    sizes = tuple(docs) if docs is not None else tuple(d for d in (10**i for i in range(3, 9)) if d >= least)
    wanted = [parse("OIE").but(beta=beta, docs=d) for d in dict.fromkeys((reference, *sizes))]
    scores = score_track(track, wanted)
    means = np.stack([scores.mean(m) for m in wanted])
    scaled = means / np.abs(means).max(axis=1, keepdims=True).clip(1e-300)  # OIE keeps 1/|D|: compare orders, not sizes
    tau = tau_matrix(scaled[:1], scaled, decimals=10)[0]
    place = {m.docs: i for i, m in enumerate(wanted)}  # type: ignore[attr-defined]
    rows = [place[d] for d in sizes]
    best = tuple(track.runs[int(np.argmax(means[i]))] for i in rows)
    return CollectionSize(sizes, reference, beta, tau[rows], tuple(break_even(beta, docs=d) for d in sizes), best)


def known_documents(track: Track) -> int:
    """The least size of the collection: the longest list and the relevant documents it missed, topic by topic."""
    grade = track.judgments.grade
    relevant = track.judgments.count(grade > 0)[track.topic_of_list]
    found = np.add.reduceat(
        np.append(grade[track.entries.row] > 0, False), np.minimum(track.entries.offsets[:-1], len(track.entries))
    ) * (track.entries.counts > 0)
    return int((track.lengths + relevant - found).max(initial=1))
