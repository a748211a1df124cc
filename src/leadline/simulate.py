r"""Seeded tracks that look like real ones: for the demo, the tests and the benchmarks.

The model. Topic $t$ has $C$ candidate documents. Everything below is drawn independently from a standard normal
distribution unless said otherwise; $s$ is a run, $h(s)$ its group, $c$ a document.

*Relevance.* Document $c$ has a latent relevance $x_{tc}$. $R_t$ of them are relevant, log-normal around ``relevant``
(0 on a share ``nil`` of the topics): those with the largest $x$. Grade $j+1$ goes to the best 40 % of grade $j$ and
above. The threshold $\tau_t$ lies half-way between the last relevant and the first non-relevant $x$. Label $a$ of a
relevant document (``aspects`` further columns) cuts $r\,\tilde x + \sqrt{1-r^2}\,\epsilon$ into ``grades`` equally
likely levels, with $\tilde x$ the standardised $x$ of the topic's relevant documents and $r$ = ``aspect_correlation``;
documents that are not relevant have the lowest label everywhere.

*Quality.* $q_{st} = \tanh(\mathrm{artanh}(\mathtt{quality}) + \alpha_s + \beta_t + \gamma_{st})$, kept within
[0.02, 0.98]: the correlation between the evidence of run $s$ and relevance. $\alpha$ takes the normal scores times
``spread`` (0: equally good systems), $\beta$ and $\gamma$ have standard deviations ``difficulty`` and ``interaction``.

*Evidence.* $z_{stc} = q_{st}\,x_{tc} + \sqrt{1-q_{st}^2}\,\bigl(\sqrt{w_1}\,u_{tc} + \sqrt{w_2}\,v_{h(s)tc} +
\sqrt{1-w_1-w_2}\,\epsilon_{stc}\bigr)$ with $w_1$ = ``shared`` and $w_2$ = ``kinship``: all runs are misled by the same
documents, runs of one group even more so. The list is the first ``depth`` documents by descending $z$.

*Scores.* $y = \lambda\,(q z - \tau)/\sqrt{1-q^2} + (1-\lambda)(z + o_{st})$ with $\lambda$ = ``score_relation``. The
first term is the probit of the chance of relevance, so at $\lambda = 1$ one threshold fits all topics; at $\lambda = 0$
a score says nothing beyond its own list. $y$ is mapped to the run's own scale (like BM25, log-likelihood or cosine) and
printed with six decimals without ties; a share ``tied`` of the runs prints one or two decimals instead, and so has
ties. A share ``truncated`` of the runs stops where $y$ falls below a cut of its own; on some topics that is at once (an
empty answer). A share ``missing`` of all (run, topic) pairs is not answered at all. The share ``contributing`` of the
runs forms the pool: their first ``pool_depth`` documents, in trec_eval's tie order, are judged, and so is each topic's
best document (known to whoever wrote the topic); everything else stays unjudged. All shares are exact, to rounding.

>>> track = simulate(runs=4, topics=3, depth=5, truncated=0, rng=0)
>>> track.names
('uni1-bm25', 'uni1-ql', 'uni1-dense', 'uni1-rm3')
>>> sorted(track.qrels) == list(track.topics) == ['301', '302', '303']
True
>>> list(track.runs["uni1-bm25"]["301"])
['d0813403', 'd0686476', 'd0745676', 'd0414960', 'd0268149']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline._simulated import MILLION, NIL, Lists, best, eight_digits, judge, open_run, run_text, scale
from leadline.errors import UnknownName, UsageError

__all__ = ["Recipe", "SimulatedTrack", "question_answering", "simulate"]

_KEPT_GRADE = 0.4  # of the documents with grade j or more, the share with grade j + 1 or more
_RELEVANT_SD = 0.7  # of ln R over topics

# method → (lowest score, highest score, digits before the point, decimals of a run with ties)
_SCALES = {
    "bm25": (11.0, 39.0, 2, 1),
    "ql": (-9.5, -1.5, 1, 1),
    "dense": (0.21, 0.97, 1, 2),
    "rm3": (11.0, 39.0, 2, 1),
    "splade": (11.0, 39.0, 2, 1),
    "rerank": (0.21, 0.99, 1, 2),
    "fuse": (0.21, 0.97, 1, 2),
}


def _setting(default: Any, low: float, high: float, doc: str) -> Any:
    """A parameter of the simulation, declared once: default, bounds and meaning."""
    return field(default=default, metadata={"low": low, "high": high, "doc": doc})


_INF = float("inf")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The parameters of a simulated track; the module's docstring says what each does.

    >>> Recipe(tied=2)
    Traceback (most recent call last):
    leadline.errors.UsageError: simulate: tied (share of runs with tied scores) must be within [0, 1]. Got 2 instead.
    """

    runs: int = _setting(20, 1, 10_000, "number of runs")
    topics: int = _setting(50, 1, 8_999_999, "number of topics")
    depth: int = _setting(100, 1, 100_000, "length of a full list")
    pool_depth: int = _setting(20, 0, _INF, "depth of the pool")
    grades: int = _setting(3, 2, 100, "number of grades, 0 included")
    aspects: int = _setting(0, 0, 100, "further label columns")
    relevant: float = _setting(20, 1, _INF, "mean number of relevant documents per topic")
    candidates: int = _setting(0, 0, 2_000_000, "candidate documents per topic; 0: twice the depth, at least 200")
    quality: float = _setting(0.6, 0, 0.98, "correlation of an average run's evidence with relevance")
    spread: float = _setting(0.25, 0, 2, "how far apart systems are")
    difficulty: float = _setting(0.25, 0, 2, "how far apart topics are")
    interaction: float = _setting(0.2, 0, 2, "system × topic interaction")
    shared: float = _setting(0.35, 0, 1, "share of misleading evidence common to all runs")
    kinship: float = _setting(0.3, 0, 1, "share of misleading evidence common to a group")
    groups: int = _setting(0, 0, 10_000, "groups of runs; 0: one per four runs")
    score_relation: float = _setting(0.6, 0, 1, "how far scores compare across topics")
    tied: float = _setting(0.25, 0, 1, "share of runs with tied scores")
    truncated: float = _setting(0.2, 0, 1, "share of runs that stop where their scores fall")
    missing: float = _setting(0.01, 0, 1, "share of (run, topic) pairs without an answer")
    nil: float = _setting(0.04, 0, 1, "share of topics without a relevant document")
    contributing: float = _setting(0.7, 0, 1, "share of runs that form the pool")
    aspect_correlation: float = _setting(0.6, 0, 1, "correlation of the further labels with relevance")

    def __post_init__(self) -> None:
        for f in fields(self):
            value, low, high = getattr(self, f.name), f.metadata["low"], f.metadata["high"]
            what = f"{f.name} ({f.metadata['doc']}) must be"
            if f.type == "int" and not isinstance(value, (int, np.integer)):
                raise UsageError(f"simulate: {what} a whole number. Got {value!r} instead.")
            if not low <= value <= high:
                raise UsageError(f"simulate: {what} within [{low}, {high}]. Got {value!r} instead.")
        if self.shared + self.kinship > 1:
            raise UsageError(f"simulate: shared + kinship must be at most 1. Got {self.shared + self.kinship} instead.")
        if 0 < self.candidates < self.depth:
            raise UsageError(
                f"simulate: candidates must be at least the depth {self.depth}. Got {self.candidates} instead."
            )

    @property
    def pool_of(self) -> int:
        """Candidate documents of one topic."""
        return self.candidates or max(2 * self.depth, 200)

    @property
    def group_count(self) -> int:
        """Groups of runs."""
        return min(self.groups or -(-self.runs // 4), self.runs)


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedTrack:
    """Runs and qrels drawn from the model, as arrays, dictionaries or files.

    ``grade`` and ``aspects`` (topics × candidates × further labels) hold the truth about every candidate document,
    judged or not, ``judged`` says which of them the pool reached, ``quality`` (runs × topics) is the model's $q$.
    """

    recipe: Recipe
    names: tuple[str, ...]
    topics: tuple[str, ...]
    groups: dict[str, str]
    contributors: tuple[str, ...]
    quality: NDArray[np.float64]
    grade: NDArray[np.int8]
    aspects: NDArray[np.int8]
    judged: NDArray[np.bool_]
    docnos: NDArray[np.bytes_]
    lists: tuple[Lists, ...]

    def __repr__(self) -> str:
        lines = sum(int(x.length.clip(min=0).sum()) for x in self.lists)
        return f"SimulatedTrack({len(self.names)} runs, {len(self.topics)} topics, {lines:,} lines)"

    @property
    def labels(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Every judgment as topic → document → (grade, further labels …)."""
        table = np.concatenate([self.grade[..., None], self.aspects], axis=2)
        return {
            topic: dict(zip(_text(self.docnos[t, m]), map(tuple, table[t, m].tolist()), strict=True))
            for t, (topic, m) in enumerate(zip(self.topics, self.judged, strict=True))
        }

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The judgments as topic → document → grade."""
        return {topic: {doc: label[0] for doc, label in docs.items()} for topic, docs in self.labels.items()}

    @property
    def runs(self) -> dict[str, dict[str, dict[str, float]]]:
        """The runs as run → topic → document → score; an empty answer is ``{}``, a missing one is absent.

        Line order is rank order; within tied scores it differs from trec_eval's.
        """
        return {name: dict(self._answers(x)) for name, x in zip(self.names, self.lists, strict=True)}

    def _answers(self, lists: Lists) -> Iterator[tuple[str, dict[str, float]]]:
        for t in np.flatnonzero(lists.length >= 0):
            n = lists.length[t]
            docs = _text(self.docnos[t, lists.candidate[t, :n]])
            yield self.topics[t], dict(zip(docs, (lists.score[t, :n] / MILLION).tolist(), strict=True))

    def write(self, folder: str | Path, *, compress: bool = False) -> Path:
        """Write ``qrels.txt``, ``runs/NAME.run`` (``.run.gz``), ``groups.txt`` (run, group) and ``contributors.txt``.

        Empty answers and missing topics leave no line in a run file: TREC's format has no way to say "nothing".
        """
        folder = Path(folder)
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        (folder / "qrels.txt").write_bytes("".join(self._qrels_lines()).encode())
        (folder / "groups.txt").write_text("".join(f"{r} {g}\n" for r, g in self.groups.items()), newline="\n")
        (folder / "contributors.txt").write_text("".join(f"{r}\n" for r in self.contributors), newline="\n")
        for name, lists in zip(self.names, self.lists, strict=True):
            with open_run(folder / "runs" / f"{name}.run", compress) as out:
                out.writelines(run_text(self.topics, self.docnos, lists, name))
        return folder

    def _qrels_lines(self) -> Iterable[str]:
        for topic, docs in self.labels.items():
            yield from (f"{topic} 0 {doc} {' '.join(map(str, label))}\n" for doc, label in docs.items())


def simulate(
    runs: int = 20,
    topics: int = 50,
    depth: int = 100,
    pool_depth: int = 20,
    grades: int = 3,
    aspects: int = 0,
    *,
    rng: int | np.random.Generator = 0,
    **settings: float,
) -> SimulatedTrack:
    """Draw a track; ``settings`` are the further fields of `Recipe` (``score_relation``, ``spread``, ``tied``, …).

    >>> simulate(runs=2, topics=2, depth=3, nill=0.5)
    Traceback (most recent call last):
    leadline.errors.UnknownName: Unknown setting of simulate 'nill'. Did you mean 'nil'...
    """
    known = [f.name for f in fields(Recipe)]
    for name in settings:
        if name not in known:
            raise UnknownName("setting of simulate", name, known)
    asked: dict[str, Any] = dict(settings)
    recipe = Recipe(
        runs=runs, topics=topics, depth=depth, pool_depth=pool_depth, grades=grades, aspects=aspects, **asked
    )
    return _Draw(recipe, np.random.default_rng(rng)).track()


def question_answering(
    runs: int = 20,
    topics: int = 100,
    max_len: int = 5,
    *,
    rng: int | np.random.Generator = 0,
    **settings: float,
) -> SimulatedTrack:
    """Draw a question-answering track: lists of at most ``max_len``, in which ``NIL`` may say "no (further) answer".

    Where a run's scores fall below its cut it puts ``NIL`` and stops, or puts ``NIL`` and goes on, or stops without a
    word (shares 0.5, 0.25, 0.25); full lists have no ``NIL``. A fifth of the questions has no answer. ``NIL`` is not
    judged.

    >>> track = question_answering(runs=3, topics=40, rng=2)
    >>> sorted({list(a).index("NIL") + 1 for run in track.runs.values() for a in run.values() if "NIL" in a})
    [1, 2, 3, 4, 5]
    """
    generator = np.random.default_rng(rng)
    defaults: dict[str, Any] = {
        "relevant": 2,
        "nil": 0.2,
        "tied": 0,
        "truncated": 1,
        "score_relation": 0.8,
        "quality": 0.75,
    }
    track = simulate(runs, topics, max_len, max_len, 2, rng=generator, **(defaults | settings))
    nil = track.docnos.shape[1]
    docnos = np.concatenate([track.docnos, np.full((topics, 1), NIL)], axis=1)
    lists = tuple(_put_nil(x, nil, generator) for x in track.lists)
    return replace(
        track,
        docnos=docnos,
        lists=lists,
        grade=_one_more(track.grade),
        judged=_one_more(track.judged),
        aspects=_one_more(track.aspects),
    )


def _put_nil(lists: Lists, nil: int, rng: np.random.Generator) -> Lists:
    """Insert candidate ``nil`` behind the last answer of shortened lists; what stood there moves down."""
    topics, depth = lists.candidate.shape
    says, goes_on = rng.random(topics) < 0.75, rng.random(topics) < 1 / 3
    at = np.where(says & (lists.length >= 0) & (lists.length < depth), lists.length, depth)[:, None]
    rank = np.arange(depth)
    candidate = np.where(rank > at, np.roll(lists.candidate, 1, axis=1), lists.candidate)
    candidate[rank == at] = nil
    says_nil = at[:, 0] < depth
    length = np.where(says_nil & goes_on, depth, lists.length + says_nil)
    return replace(lists, candidate=candidate, length=length)


def _one_more(table: NDArray[Any]) -> NDArray[Any]:
    """The table of candidates with a column for ``NIL``: not judged, no label."""
    return np.concatenate([table, np.zeros_like(table[:, :1])], axis=1)


class _Draw:
    """One draw from the model: first what all runs share, then group by group."""

    def __init__(self, recipe: Recipe, rng: np.random.Generator) -> None:
        self.recipe, self.rng = recipe, rng
        self.shape = recipe.topics, recipe.pool_of
        self.x = rng.standard_normal(self.shape, dtype=np.float32)
        self.grade, self.threshold = self._relevance()
        self.aspects = self._aspects()
        self.docnos = self._docnos()
        self.quality = self._quality()
        self.tied, self.truncated, self.contributing = (
            self._chosen(share, recipe.runs) for share in (recipe.tied, recipe.truncated, recipe.contributing)
        )
        self.missing = self._chosen(recipe.missing, recipe.runs * recipe.topics).reshape(recipe.runs, recipe.topics)

    def track(self) -> SimulatedTrack:
        """All runs, the pool they form, and the names of things."""
        r = self.recipe
        names, groups = _names(r.runs, r.group_count)
        lists = [x for group in self._groups() for x in group]
        judged = self.x == self.x.max(axis=1, keepdims=True)
        for x in (x for x, contributes in zip(lists, self.contributing, strict=True) if contributes):
            judge(judged, x, r.pool_depth)
        first = next(k for k in (301, 1001, 10_001, 100_001, 1_000_001) if k + r.topics <= 10 ** len(str(k)))
        return SimulatedTrack(
            recipe=r,
            names=names,
            topics=tuple(str(first + t) for t in range(r.topics)),
            groups=groups,
            contributors=tuple(np.array(names)[self.contributing].tolist()),
            quality=self.quality.astype(np.float64),
            grade=self.grade,
            aspects=self.aspects,
            judged=judged,
            docnos=self.docnos,
            lists=tuple(lists),
        )

    def _chosen(self, share: float, of: int) -> NDArray[np.bool_]:
        """A mask with exactly ``round(share * of)`` members."""
        return self.rng.permutation(of) < round(share * of)

    def _relevance(self) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        r, (topics, candidates) = self.recipe, self.shape
        wanted = r.relevant * np.exp(_RELEVANT_SD * self.rng.standard_normal(topics) - _RELEVANT_SD**2 / 2)
        count = np.rint(wanted).clip(1, max(candidates // 4, 1)).astype(np.int64)
        count[self._chosen(r.nil, topics)] = 0
        ordered = np.sort(self.x, axis=1)[:, ::-1]
        edges = np.concatenate([ordered[:, :1] + 0.5, ordered, ordered[:, -1:] - 0.5], axis=1)
        at = np.arange(topics)
        threshold = (edges[at, count] + edges[at, count + 1]) / 2
        grade = (self.x >= edges[at, count][:, None]).astype(np.int8)
        for j in range(1, r.grades - 1):
            best = np.ceil(count * _KEPT_GRADE**j).astype(np.int64)
            grade += (self.x >= edges[at, best][:, None]) & (grade == j)
        return grade, threshold.astype(np.float32)

    def _aspects(self) -> NDArray[np.int8]:
        r, relevant = self.recipe, self.grade > 0
        if not r.aspects:
            return np.zeros((*self.shape, 0), np.int8)
        count = np.maximum(relevant.sum(axis=1, keepdims=True), 1)
        mean = np.where(relevant, self.x, 0).sum(axis=1, keepdims=True) / count
        sd = np.sqrt(np.where(relevant, (self.x - mean) ** 2, 0).sum(axis=1, keepdims=True) / count)
        x = (self.x - mean) / np.where(sd > 0, sd, 1)
        own = self.rng.standard_normal((*self.shape, r.aspects), dtype=np.float32)
        latent = r.aspect_correlation * x[..., None] + np.sqrt(1 - r.aspect_correlation**2) * own
        cuts = [NormalDist().inv_cdf(j / r.grades) for j in range(1, r.grades)]
        return np.where(relevant[..., None], np.searchsorted(cuts, latent), 0).astype(np.int8)

    def _docnos(self) -> NDArray[np.bytes_]:
        """Distinct numbers within a topic, ascending with the candidate: one from each of C equal stretches."""
        _, candidates = self.shape
        stretch = max(8, MILLION // candidates)
        number = np.arange(candidates, dtype=np.int32) * stretch
        number = number + self.rng.integers(stretch, size=self.shape, dtype=np.int32)
        out = eight_digits(number)
        if candidates * stretch > 10 * MILLION:
            return np.char.add(b"d", out.view("S8")[..., 0])
        out[..., 0] = ord("d")
        return out.view("S8")[..., 0]

    def _quality(self) -> NDArray[np.float32]:
        r = self.recipe
        scores = np.array([NormalDist().inv_cdf((s + 0.5) / r.runs) for s in range(r.runs)])
        system = self.rng.permutation(scores)[:, None] * r.spread
        topic = self.rng.standard_normal(r.topics) * r.difficulty
        both = self.rng.standard_normal((r.runs, r.topics)) * r.interaction
        quality: NDArray[np.float64] = np.tanh(np.arctanh(r.quality) + system + topic + both)
        return quality.clip(0.02, 0.98).astype(np.float32)

    def _groups(self) -> Iterator[list[Lists]]:
        r = self.recipe
        shared = np.sqrt(np.float32(r.shared)) * self.rng.standard_normal(self.shape, dtype=np.float32)
        members = np.array_split(np.arange(r.runs), r.group_count)
        for group, rng in zip(members, self.rng.spawn(len(members)), strict=True):
            kin = np.sqrt(np.float32(r.kinship)) * rng.standard_normal(self.shape, dtype=np.float32)
            kin += shared
            yield [self._lists(int(s), i, kin, rng) for i, s in enumerate(group)]

    def _lists(self, s: int, i: int, common: NDArray[np.float32], rng: np.random.Generator) -> Lists:
        """The lists of run ``s``, the ``i``-th of its group."""
        r, q = self.recipe, self.quality[s][:, None]
        noise = np.sqrt(1 - q * q)
        z = rng.standard_normal(self.shape, dtype=np.float32)
        z *= np.sqrt(np.float32(max(1 - r.shared - r.kinship, 0)))
        z += common
        z *= noise
        z += q * self.x
        candidate, z = best(z, r.depth)
        offset = rng.standard_normal((r.topics, 1), dtype=np.float32)
        y = r.score_relation * (q * z - self.threshold[:, None]) / noise + (1 - r.score_relation) * (z + offset)
        length = np.full(r.topics, r.depth)
        if self.truncated[s]:
            length = (y >= np.quantile(y, rng.uniform(0.4, 0.8))).sum(axis=1)
        length[self.missing[s]] = -1
        low, high, whole_digits, few = _SCALES[_method(i)]
        decimals = few if self.tied[s] else 6
        return Lists(candidate, scale(y, low, high, decimals), length, whole_digits, decimals)


def _method(i: int) -> str:
    return tuple(_SCALES)[i % len(_SCALES)]


def _names(runs: int, groups: int) -> tuple[tuple[str, ...], dict[str, str]]:
    """Run names such as ``uni2-bm25``, ``uni2-ql``, …, ``uni2-bm25-2`` and the group of each."""
    of: dict[str, str] = {}
    for h, members in enumerate(np.array_split(np.arange(runs), groups), start=1):
        for i in range(len(members)):
            again = i // len(_SCALES) + 1
            of[f"uni{h}-{_method(i)}" + (f"-{again}" if again > 1 else "")] = f"uni{h}"
    return tuple(of), of


def _text(docnos: NDArray[np.bytes_]) -> list[str]:
    out: list[str] = docnos.astype(str).tolist()
    return out
