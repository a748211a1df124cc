"""The slow, obvious definition of everything numeric in leadline.

Written from the definitions alone and from no fast code, so that the two can be compared. Plain Python: lists, sums
and loops that say what the formula says. Section numbers (§) are those of the definitions.

What ``k`` means is decided here wherever the definitions leave it open:

* ``k`` is the evaluation depth: the list that is looked at is cut at k; the nominal k stays in divisors. For measures
  whose name carries no depth (SetP, Bpref, U, OIE, AUC …) the score at k is the score of the list cut at k.
* ``k = 0`` is the empty list's score at full depth (so nDCG@0 is 0, not 0/0, and RRT@0 is 1 on a nil-answer topic).
* ``k = None`` is full depth. P without k divides by the list's own length.
* Terminal family: r_t comes from the whole list; the terminal document, with all the weight it has, is seen only if
  k > n. The ideal of nDCGT is cut at k as well; the divisor R + 1 of APT stays.
* nERR, nRBP, niRBU divide by the ideal list's score at the same k.
* INST, INSQ: the list is cut at k (zero gain beyond), the sums still run to infinity (or to ``depth``).
* SDCG@k and BPM@k: k is the measure's own cut, as their continuation functions say.

A truncation length is no argument: it is the prefix (:func:`length_curve`).
"""

from __future__ import annotations

import inspect
import itertools
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy.special import polygamma

from naive_systems import *  # noqa: F403  (re-exported: §10 to §12)
from naive_systems import mean, sign, spearman

Gain = str | dict[int, float]


@dataclass(frozen=True)
class Topic:
    """One topic of the qrels."""

    grades: tuple[int, ...]  # grade of each judgment, may be negative
    best_rank: tuple[int | None, ...] = ()  # best rank of each judgment over the contributors, None: none retrieved it
    pool_depth: int | None = None  # the declared d; None is infinity


@dataclass(frozen=True)
class Ranking:
    """One run's list on that topic."""

    rows: tuple[int | None, ...]  # at each rank the row of the judgment, None = unjudged
    scores: tuple[float, ...] = ()  # for the tie rules that need blocks of equal scores
    terminal: bool = True  # False: no evidence of truncation, the plain measure applies (§4, NIL)


@dataclass(frozen=True)
class Seen:
    """What a measure sees: a topic, a list (condensed if asked for), the depth, the scale."""

    topic: Topic
    rows: tuple[int | None, ...]
    k: int | None
    gmax: int
    terminal: bool
    blocks: tuple[int, ...] | None = None  # block number of each rank: gains become the block's mean (§0 mean-gain)

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def depth(self) -> int:
        """Ranks looked at: min(k, n)."""
        return self.n if self.k is None else min(self.k, self.n)

    def grades(self) -> list[int | None]:
        """Grades down to the depth, None = unjudged."""
        return [None if row is None else self.topic.grades[row] for row in self.rows[: self.depth]]

    def hits(self, rel: int) -> list[int]:
        """b_1 … b_depth."""
        return [relevant(g, rel) for g in self.grades()]

    def all_gains(self, gain: Gain, rel: int) -> list[float]:
        """G(1) … G(n), whatever the depth."""
        grades = [None if row is None else self.topic.grades[row] for row in self.rows]
        gains = [gain_of(g, gain, self.gmax, rel) for g in grades]
        return gains if self.blocks is None else block_means(gains, self.blocks)

    def gains(self, gain: Gain, rel: int) -> list[float]:
        """G(1) … G(depth)."""
        return self.all_gains(gain, rel)[: self.depth]

    def R(self, rel: int) -> int:
        """Relevant documents in the qrels."""
        return sum(relevant(g, rel) for g in self.topic.grades)

    def ideal(self, gain: Gain, rel: int, topic: Topic | None = None) -> list[float]:
        """All gains of the qrels, best first."""
        grades = (topic or self.topic).grades
        return sorted((gain_of(g, gain, self.gmax, rel) for g in grades), reverse=True)

    def pool(self, which: str) -> Topic:
        """§0, §2: 'd', the qrels as given; 'k', the qrels restricted to depth k if k < d."""
        assert which in ("d", "k")
        if which == "d":
            return self.topic
        d = math.inf if self.topic.pool_depth is None else self.topic.pool_depth
        if self.k is None or self.k >= d:
            return self.topic
        return restrict(self.topic, self.k)


# ---------------------------------------------------------------------------------------------------- §0 ties, cuts


def as_float32(x: float) -> float:
    """The nearest 32-bit float."""
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def order(docs: Sequence[tuple[str, float, int, int]], rule: str = "trec") -> list[str]:
    """§0: document ids, best first, of (id, score, line, rank) under a tie rule that makes a strict order."""
    by_id = sorted(docs, key=lambda d: d[0].encode(), reverse=True)
    by_line = sorted(docs, key=lambda d: d[2])
    if rule == "trec":
        ordered = sorted(by_id, key=lambda d: -d[1])
    elif rule == "trec32":
        ordered = sorted(by_id, key=lambda d: -as_float32(d[1]))
    elif rule == "run":
        ordered = sorted(by_line, key=lambda d: -d[1])
    elif rule == "file":
        ordered = by_line
    elif rule == "rank":
        ordered = sorted(by_line, key=lambda d: d[3])
    else:
        raise ValueError(rule)
    return [d[0] for d in ordered]


def tie_blocks(scores: Sequence[float]) -> tuple[int, ...]:
    """The number of the block of equal neighbouring scores that each rank belongs to."""
    numbers = [0] * len(scores)
    for i in range(1, len(scores)):
        numbers[i] = numbers[i - 1] + (scores[i] != scores[i - 1])
    return tuple(numbers)


def block_means(values: Sequence[float], blocks: Sequence[int]) -> list[float]:
    """Each value replaced by the mean of its block."""
    return [mean([v for v, b in zip(values, blocks, strict=True) if b == own]) for own in blocks]


def condensed(ranking: Ranking) -> Ranking:
    """§6: the list without its unjudged documents."""
    kept = [i for i, row in enumerate(ranking.rows) if row is not None]
    scores = tuple(ranking.scores[i] for i in kept) if ranking.scores else ()
    return replace(ranking, rows=tuple(ranking.rows[i] for i in kept), scores=scores)


def prefix(ranking: Ranking, n: int) -> Ranking:
    """The system stopped after n: a proper prefix is a truncated list, hence terminal."""
    if n >= len(ranking.rows):
        return ranking
    return Ranking(ranking.rows[:n], ranking.scores[:n], terminal=True)


# --------------------------------------------------------------------------------------------------------- §1 gains


def relevant(grade: int | None, rel: int = 1) -> int:
    """§0: b = [g ≥ θ]; never an unjudged or a negative one."""
    return int(grade is not None and grade >= 0 and grade >= rel)


def gain_of(grade: int | None, gain: Gain = "binary", gmax: int = 1, rel: int = 1) -> float:
    """§1. Unjudged and negative grades gain nothing (an explicit table may say otherwise for a negative grade)."""
    if isinstance(gain, dict):
        if grade is None or (grade < 0 and grade not in gain):
            return 0.0
        return float(gain[grade])  # KeyError: a grade missing from the table is an error
    if grade is None or grade < 0:
        return 0.0
    formulas: dict[str, float] = {
        "binary": float(relevant(grade, rel)),
        "linear": grade / gmax,
        "exp": 2.0 ** (grade - gmax) - 2.0**-gmax,
        "raw": float(grade),
        "raw-exp": 2.0**grade - 1,
    }
    return formulas[gain]


# ---------------------------------------------------------------------------------------------- §2 classic measures


def P(x: Seen, rel: int = 1, gain: Gain = "binary") -> float:
    divisor = x.n if x.k is None else x.k
    return math.fsum(x.gains(gain, rel)) / divisor if divisor else 0.0


def R(x: Seen, rel: int = 1) -> float | None:
    return sum(x.hits(rel)) / x.R(rel) if x.R(rel) else None


def Success(x: Seen, rel: int = 1) -> float:
    return float(any(x.hits(rel)))


def Judged(x: Seen, rel: int = 1) -> float:
    return sum(g is not None for g in x.grades()) / x.depth if x.depth else 0.0


def Rprec(x: Seen, rel: int = 1) -> float | None:
    r = x.R(rel)
    return sum(x.hits(rel)[:r]) / r if r else None


def relevant_ranks(x: Seen, rel: int) -> list[int]:
    return [i for i, b in enumerate(x.hits(rel), 1) if b]


def RR(x: Seen, rel: int = 1) -> float:
    ranks = relevant_ranks(x, rel)
    return 1 / ranks[0] if ranks else 0.0


def SetP(x: Seen, rel: int = 1) -> float:
    return sum(x.hits(rel)) / x.depth if x.depth else 0.0


def SetR(x: Seen, rel: int = 1) -> float | None:
    return R(x, rel)


def SetF(x: Seen, rel: int = 1, beta: float = 1) -> float | None:
    precision, recall = SetP(x, rel), SetR(x, rel)
    if recall is None:
        return None
    if recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def NumRet(x: Seen, rel: int = 1) -> float:
    return float(x.depth)


def NumRel(x: Seen, rel: int = 1) -> float:
    return float(x.R(rel))


def NumRelRet(x: Seen, rel: int = 1) -> float:
    return float(sum(x.hits(rel)))


def precision_at(hits: Sequence[int], i: int) -> float:
    return sum(hits[:i]) / i


def IPrec(x: Seen, recall: float, rel: int = 1) -> float | None:
    """Highest precision at any rank where at least ⌊r·R + 0.9⌋ relevant have been seen."""
    if not x.R(rel):
        return None
    hits = x.hits(rel)
    needed = math.floor(recall * x.R(rel) + 0.9)
    return max((precision_at(hits, i) for i in range(1, len(hits) + 1) if sum(hits[:i]) >= needed), default=0.0)


def AP(x: Seen, rel: int = 1, norm: str = "R") -> float | None:
    if not x.R(rel):
        return None
    divisor = recall_base(x, rel, norm)
    hits = x.hits(rel)
    total = math.fsum(precision_at(hits, i) for i, b in enumerate(hits, 1) if b)
    return total / divisor if divisor else 0.0


def recall_base(x: Seen, rel: int, norm: str) -> int:
    """§2, the divisor of AP and Q: a 'R', b 'min', c 'pool'."""
    if norm == "R":
        return x.R(rel)
    if norm == "min":
        return x.R(rel) if x.k is None else min(x.R(rel), x.k)
    if norm == "pool":
        return sum(relevant(g, rel) for g in x.pool("k").grades)
    raise ValueError(norm)


def discount_at(i: int, discount: str) -> float:
    return {"log2": 1 / math.log2(1 + i), "zipf": 1 / i}[discount]


def dcg_of(gains: Sequence[float], discount: str = "log2") -> float:
    return math.fsum(g * discount_at(i, discount) for i, g in enumerate(gains, 1))


def DCG(x: Seen, rel: int = 1, gain: Gain = "raw", discount: str = "log2") -> float:
    return dcg_of(x.gains(gain, rel), discount)


def nDCG(x: Seen, rel: int = 1, gain: Gain = "raw", discount: str = "log2", ideal: str = "d") -> float | None:
    best = x.ideal(gain, rel, x.pool(ideal))
    divisor = dcg_of(best[: x.k], discount)
    return dcg_of(x.gains(gain, rel), discount) / divisor if divisor else None


def Q(x: Seen, rel: int = 1, beta: float = 1, gain: Gain = "raw", norm: str = "R", ideal: str = "d") -> float | None:
    if not x.R(rel):
        return None
    divisor = recall_base(x, rel, norm)
    hits, gains = x.hits(rel), x.gains(gain, rel)
    best = x.ideal(gain, rel, x.pool(ideal))

    def blended(i: int) -> float:
        return (sum(hits[:i]) + beta * math.fsum(gains[:i])) / (i + beta * math.fsum(best[:i]))

    return math.fsum(blended(i) for i in relevant_ranks(x, rel)) / divisor if divisor else 0.0


def Bpref(x: Seen, rel: int = 1) -> float | None:
    """Negative grades are neither relevant nor judged non-relevant here, as in trec_eval."""

    def nonrelevant(g: int | None) -> bool:
        return g is not None and 0 <= g < rel

    r, nonrel = x.R(rel), sum(nonrelevant(g) for g in x.topic.grades)
    if not r:
        return None
    terms = []
    for i in relevant_ranks(x, rel):
        above = sum(nonrelevant(g) for g in x.grades()[: i - 1])
        terms.append(1 - min(above, r) / min(r, nonrel) if above else 1.0)
    return math.fsum(terms) / r


def infAP(x: Seen, rel: int = 1) -> float | None:
    """§2, as trec_eval with ε = 1e−5: a negative grade is a document of the pool that was not judged."""
    if not x.R(rel):
        return None
    eps, grades, terms = 1e-5, x.grades(), []
    for i in relevant_ranks(x, rel):
        above = grades[: i - 1]
        hits = sum(relevant(g, rel) for g in above)
        misses = sum(g is not None and 0 <= g < rel for g in above)
        pooled = sum(g is not None for g in above)
        if i == 1:
            terms.append(1.0)
        else:
            expected = pooled / (i - 1) * (hits + eps) / (hits + misses + 2 * eps)
            terms.append(1 / i + (i - 1) / i * expected)
    return math.fsum(terms) / x.R(rel)


def stopping(gains: Sequence[float]) -> list[float]:
    """G(i) Π_{j<i}(1 − G(j)): the chance of being satisfied at i."""
    return [g * math.prod(1 - h for h in gains[:i]) for i, g in enumerate(gains)]


def err_of(gains: Sequence[float]) -> float:
    return math.fsum(s / i for i, s in enumerate(stopping(gains), 1))


def rbp_of(gains: Sequence[float], p: float) -> float:
    return (1 - p) * math.fsum(g * p ** (i - 1) for i, g in enumerate(gains, 1))


def ERR(x: Seen, rel: int = 1, gain: Gain = "exp") -> float:
    return err_of(x.gains(gain, rel))


def RBP(x: Seen, rel: int = 1, p: float = 0.8, gain: Gain = "binary") -> float:
    return rbp_of(x.gains(gain, rel), p)


def iRBU(x: Seen, rel: int = 1, p: float = 0.98, gain: Gain = "exp") -> float:
    return rbp_of(stopping(x.gains(gain, rel)), p)


def nERR(x: Seen, rel: int = 1, gain: Gain = "exp") -> float | None:
    best = err_of(x.ideal(gain, rel)[: x.k])
    return ERR(x, rel, gain) / best if best else None


def nRBP(x: Seen, rel: int = 1, p: float = 0.8, gain: Gain = "binary") -> float | None:
    best = rbp_of(x.ideal(gain, rel)[: x.k], p)
    return RBP(x, rel, p, gain) / best if best else None


def niRBU(x: Seen, rel: int = 1, p: float = 0.98, gain: Gain = "exp") -> float | None:
    best = rbp_of(stopping(x.ideal(gain, rel)[: x.k]), p)
    return iRBU(x, rel, p, gain) / best if best else None


def ESL(x: Seen, rel: int = 1, i: int = 1) -> float | None:
    ranks = relevant_ranks(x, rel)
    return float(ranks[i - 1]) if len(ranks) >= i else None


def RRi(x: Seen, rel: int = 1, i: int = 1) -> float:
    ranks = relevant_ranks(x, rel)
    return 1 / ranks[i - 1] if len(ranks) >= i else 0.0


def c_at_1(correct: int, unanswered: int, questions: int) -> float:
    """§2 c@1 over the questions of a run."""
    return correct / questions + correct / questions * unanswered / questions


# Full-ranking measures: every document of the collection as (rank key, Rel, how many such documents); the
# unretrieved share one key below all retrieved ones. Rel is the grade, negative ones 0; AUC looks at b instead.


def kinds(x: Seen, docs: int, label: Callable[[int | None], int]) -> list[tuple[int, int, int]]:
    retrieved = [(i, label(g), 1) for i, g in enumerate(x.grades(), 1)]
    seen_rows = set(x.rows[: x.depth])
    missed = [label(g) for row, g in enumerate(x.topic.grades) if row not in seen_rows]
    bottom = [(x.depth + 1, label(None), docs - x.depth - len(missed))] + [(x.depth + 1, m, 1) for m in missed]
    if bottom[0][2] < 0:
        raise ValueError(f"docs={docs} is fewer than the documents retrieved or judged")
    return retrieved + bottom


def AUC(x: Seen, docs: int, rel: int = 1) -> float:
    """P(relevant above irrelevant) + ½ P(tie)."""
    all_kinds = kinds(x, docs, lambda g: relevant(g, rel))
    good = [(rank, count) for rank, b, count in all_kinds if b]
    bad = [(rank, count) for rank, b, count in all_kinds if not b]
    pairs = sum(c for _, c in good) * sum(c for _, c in bad)
    won = math.fsum(c1 * c2 * ((r1 < r2) + 0.5 * (r1 == r2)) for r1, c1 in good for r2, c2 in bad)
    return won / pairs if pairs else 0.5


def grade_label(g: int | None) -> int:
    """Rel = max(g, 0), unjudged 0."""
    return 0 if g is None else max(g, 0)


def Spearman(x: Seen, docs: int, rel: int = 1) -> float:
    all_kinds = kinds(x, docs, grade_label)
    everyone = [(-rank, label) for rank, label, count in all_kinds for _ in range(count)]
    return spearman([-r for r, _ in everyone], [-g for _, g in everyone]) or 0.0


def Kendall(x: Seen, docs: int, rel: int = 1) -> float:
    """τ-b by pairs of kinds; documents of one kind are tied with each other on both sides."""
    all_kinds = kinds(x, docs, grade_label)
    concordance = tied_rank = tied_label = 0
    for (r1, g1, c1), (r2, g2, c2) in itertools.combinations(all_kinds, 2):
        concordance += c1 * c2 * sign(r2 - r1) * sign(g1 - g2)
        tied_rank += c1 * c2 * (r1 == r2)
        tied_label += c1 * c2 * (g1 == g2)
    within = sum(math.comb(c, 2) for _, _, c in all_kinds)
    pairs = math.comb(docs, 2)
    free_rank, free_label = pairs - tied_rank - within, pairs - tied_label - within
    return concordance / math.sqrt(free_rank * free_label) if free_rank and free_label else 0.0


# C/W/L: V(1) = 1, V(i+1) = V(i)·C(i); W(i) = V(i)/ΣV; L(i) = V(i) − V(i+1); score = Σ W(i)·G(i).


def viewing(continuation: Callable[[int], float], ranks: int) -> list[float]:
    """V(1) … V(ranks)."""
    return list(itertools.accumulate((continuation(i) for i in range(1, ranks)), lambda v, c: v * c, initial=1.0))


def geometric(gains: Sequence[float], p: float) -> tuple[list[float], float]:
    """RBP: V over the list, and ΣV = 1/(1 − p)."""
    return viewing(lambda i: p, len(gains)), 1 / (1 - p)


def squares(gains: Sequence[float], offset: Callable[[int], float], depth: int | None) -> tuple[list[float], float]:
    """INSQ, INST: C(i) = ((i + a_i − 1)/(i + a_i))² with a_i = offset(i); V over the list, and ΣV.

    Past the list a_i stays a_n = a, so V(i) = V(n+1)·((n + a)/(i − 1 + a))², a trigamma tail. With ``depth`` the sum
    stops there and the list is cut there, as cwl_eval does.
    """
    n = len(gains)
    a = offset(n)

    def continuation(i: int) -> float:
        return ((i + offset(min(i, n)) - 1) / (i + offset(min(i, n)))) ** 2

    if depth is not None:
        views = viewing(continuation, depth)
        return views[:n], math.fsum(views)
    views = viewing(continuation, n + 1)
    return views[:n], math.fsum(views[:n]) + views[n] * (n + a) ** 2 * float(polygamma(1, n + a))


def scaled_dcg(gains: Sequence[float], k: int) -> tuple[list[float], float]:
    """SDCG@k: C(i) = log2(i+1)/log2(i+2) for i < k, then 0."""
    views = viewing(lambda i: math.log2(i + 1) / math.log2(i + 2), k)
    return views[: len(gains)], math.fsum(views)


def bejeweled(gains: Sequence[float], T: float, K: int | None) -> tuple[list[float], float]:
    """BPM(T)@K: C(i) = 1 while less than T is gained and i < K, then 0; without K a reader may never stop."""
    for i in range(1, len(gains) + 1):
        if math.fsum(gains[:i]) >= T or i == K:
            return [1.0] * i, float(i)
    return [1.0] * len(gains), math.inf if K is None else float(K)


def cwl(gains: Sequence[float], views: Sequence[float], total: float) -> dict[str, float]:
    """cwl_eval's figures. By parts, Σ L(i)·(x_1 + … + x_i) = Σ V(i)·x_i; the cost of each rank is 1."""
    utility = math.fsum(v * g for v, g in zip(views, gains, strict=False))
    return {"EU": utility / total, "ETU": utility, "EC": 1.0, "ETC": total, "ED": total}


def INSQ(x: Seen, rel: int = 1, T: float = 1, gain: Gain = "binary", depth: int | None = None) -> float:
    gains = x.gains(gain, rel)
    return cwl(gains, *squares(gains, lambda i: 2 * T, depth))["EU"]


def INST(x: Seen, rel: int = 1, T: float = 1, gain: Gain = "binary", depth: int | None = None) -> float:
    gains = x.gains(gain, rel)
    return cwl(gains, *squares(gains, lambda i: T + (T - math.fsum(gains[:i])), depth))["EU"]


def SDCG(x: Seen, rel: int = 1, gain: Gain = "binary") -> float:
    if not x.n:
        return 0.0
    assert x.k is not None, "SDCG needs a depth: its weights do not sum without one"
    gains = x.gains(gain, rel)
    return cwl(gains, *scaled_dcg(gains, x.k))["EU"]


def BPM(x: Seen, rel: int = 1, T: float = 1, gain: Gain = "binary") -> float:
    gains = x.gains(gain, rel)
    return cwl(gains, *bejeweled(gains, T, x.k))["EU"] if gains else 0.0


# ------------------------------------------------------------------------------------------------ §3 utility family


def U(x: Seen, rel: int = 1, e: float = 0.05, gain: Gain = "linear") -> float:
    return math.fsum(g - e for g in x.gains(gain, rel))


def RBPU(x: Seen, rel: int = 1, p: float = 0.98, e: float = 0.05, gain: Gain = "linear") -> float:
    return rbp_of([g - e for g in x.gains(gain, rel)], p)


def DCGU(x: Seen, rel: int = 1, e: float = 0.05, gain: Gain = "linear") -> float:
    return dcg_of([g - e for g in x.gains(gain, rel)])


def RBU(x: Seen, rel: int = 1, p: float = 0.98, e: float = 0.05, gain: Gain = "exp") -> float:
    return rbp_of([s - e for s in stopping(x.gains(gain, rel))], p)


def ERRU(x: Seen, rel: int = 1, e: float = 0.05, gain: Gain = "exp") -> float:
    return math.fsum((s - e) / i for i, s in enumerate(stopping(x.gains(gain, rel)), 1))


# ----------------------------------------------------------------------------------------------- §4 terminal family


def terminal_gain(x: Seen, gain: Gain, rel: int) -> float:
    """r_t = 1 if R = 0 else Σ r_i / R, over the whole list."""
    available = math.fsum(x.ideal(gain, rel))
    return math.fsum(x.all_gains(gain, rel)) / available if available else 1.0


def terminal_seen(x: Seen) -> bool:
    return x.terminal and (x.k is None or x.k > x.n)


def with_terminal(x: Seen, gain: Gain, rel: int) -> list[float]:
    """r_1 … r_n, r_t, as far as the evaluator looks."""
    return x.gains(gain, rel) + ([terminal_gain(x, gain, rel)] if terminal_seen(x) else [])


def RRT(x: Seen, rel: int = 1) -> float:
    gains = x.gains("binary", rel)
    for i, g in enumerate(gains, 1):
        if g > 0:
            return 1 / i
    return 1 / (x.n + 1) if x.R(rel) == 0 and terminal_seen(x) else 0.0


def RBPT(x: Seen, rel: int = 1, p: float = 0.8, tail: str = "infinite", gain: Gain = "binary") -> float:
    plain = rbp_of(x.gains(gain, rel), p)
    if not terminal_seen(x):
        return plain
    return plain + terminal_gain(x, gain, rel) * {"infinite": 1, "single": 1 - p}[tail] * p**x.n


def nDCGT(x: Seen, rel: int = 1, ideal: str = "cut", gain: Gain = "linear", discount: str = "log2") -> float:
    if not x.terminal:  # plain nDCG; no relevant document, no gain: 0
        return nDCG(x, rel, gain, discount) or 0.0
    best = [g for g in x.ideal(gain, rel) if g > 0] + [1.0]
    best = {"cut": best[: x.n + 1], "full": best}[ideal]
    return dcg_of(with_terminal(x, gain, rel), discount) / dcg_of(best[: x.k], discount)


def APT(x: Seen, rel: int = 1) -> float:
    if not x.terminal:
        return AP(x, rel) or 0.0
    r = with_terminal(x, "binary", rel)
    return math.fsum(r[i - 1] * math.fsum(r[:i]) / i for i in range(1, len(r) + 1)) / (x.R(rel) + 1)


def ERRT(x: Seen, rel: int = 1, gain: Gain = "exp") -> float:
    return err_of(with_terminal(x, gain, rel))


# ----------------------------------------------------------------------------------------------------------- §5 OIE


def OIE(x: Seen, rel: int = 1, beta: float = 1.05, docs: int = 20000) -> float:
    seen = [grade_label(g) for g in x.grades()]
    pool = [grade_label(g) for g in x.topic.grades]
    if docs < len(seen) or docs < sum(g > 0 for g in pool):
        raise ValueError(f"docs={docs} is fewer than the documents retrieved or relevant")

    def of_gold(label: int) -> float:
        return math.log(docs / sum(g >= label for g in pool))

    missed = [g for row, g in enumerate(pool) if g > 0 and row not in x.rows[: x.depth]]
    system = math.fsum(math.log(docs / i) for i in range(1, len(seen) + 1))
    gold = math.fsum(of_gold(g) for g in pool if g > 0)
    both = math.fsum(math.log(docs / sum(h >= g for h in seen[:i])) for i, g in enumerate(seen, 1))
    both += math.fsum(of_gold(g) for g in missed)
    return (system + gold - beta * both) / docs


# ------------------------------------------------------------------------------------------------- scoring, curves

MEASURES: dict[str, Callable[..., float | None]] = {
    f.__name__: f
    for f in (
        P, R, Success, Judged, Rprec, RR, SetP, SetR, SetF, NumRet, NumRel, NumRelRet, IPrec, infAP, Bpref,
        AP, DCG, nDCG, Q, ERR, RBP, iRBU, INST, INSQ, SDCG, BPM, U, DCGU, RBPU, RBU, ERRU,
        RRT, APT, RBPT, nDCGT, ERRT, OIE, AUC, Spearman, Kendall, nERR, nRBP, niRBU, ESL, RRi,
    )
}  # fmt: skip

MEAN_GAIN = {"P", "DCG", "nDCG", "RBP", "ERR", "U", "DCGU", "RBPU", "RBU", "ERRU"}
MEAN_GAIN |= {"RRT", "APT", "RBPT", "nDCGT", "ERRT"}


def score(
    name: str,
    topic: Topic,
    ranking: Ranking,
    *,
    k: int | None = None,
    gmax: int = 1,
    undefined: float | None = None,
    judged_only: bool = False,
    **params: Any,
) -> float | None:
    """The score of one list; ``undefined`` (None unless told) where the measure is undefined."""
    ranking = condensed(ranking) if judged_only else ranking
    if k == 0:
        ranking, k = Ranking((), (), ranking.terminal), None
    value = MEASURES[name](Seen(topic, ranking.rows, k, gmax, ranking.terminal), **params)
    return undefined if value is None else value


def length_curve(name: str, topic: Topic, ranking: Ranking, **options: Any) -> list[float | None]:
    """Truncation lengths 0 … len: the system stopped there."""
    return [score(name, topic, prefix(ranking, n), **options) for n in range(len(ranking.rows) + 1)]


def depth_curve(name: str, topic: Topic, ranking: Ranking, K: int, **options: Any) -> list[float | None]:
    """Evaluation depths 0 … K: the evaluator stopped there."""
    return [score(name, topic, ranking, k=k, **options) for k in range(K + 1)]


# ------------------------------------------------------------------------------------- §0 tie rules that share credit

FIXED = {"P", "R", "DCG", "nDCG", "RBP", "nRBP", "SDCG", "INSQ", "U", "DCGU", "RBPU"}


def mean_gain_score(
    name: str, topic: Topic, ranking: Ranking, *, k: int | None = None, gmax: int = 1, **params: Any
) -> float | None:
    """§0 ``mean-gain``: every rank of a block of equal scores gets the block's mean gain."""
    if name not in MEAN_GAIN:
        raise ValueError(f"{name} is no function of gains")
    if params.pop("judged_only", False):
        ranking = condensed(ranking)
    if k == 0:
        return score(name, topic, ranking, k=0, gmax=gmax, **params)
    seen = Seen(topic, ranking.rows, k, gmax, ranking.terminal, tie_blocks(ranking.scores))
    return MEASURES[name](seen, **params)


def rank_weight(name: str, i: int, x: Seen, rel: int, p: float, T: float, discount: str) -> float:
    """The weight that a fixed-weight measure gives to rank i, before any division by an ideal."""
    if x.k is not None and i > x.k:
        return 0.0
    if name == "P":
        return 1 / (x.n if x.k is None else x.k)
    if name in ("DCG", "nDCG", "DCGU"):
        return discount_at(i, discount)
    if name in ("RBP", "nRBP", "RBPU"):
        return (1 - p) * p ** (i - 1)
    if name == "SDCG":
        assert x.k is not None
        return discount_at(i, "log2") / math.fsum(discount_at(j, "log2") for j in range(1, x.k + 1))
    if name == "INSQ":
        return 1 / (i - 1 + 2 * T) ** 2 / float(polygamma(1, 2 * T))
    return {"R": 1 / (x.R(rel) or 1), "U": 1.0}[name]


def share_score(
    name: str, topic: Topic, ranking: Ranking, *, k: int | None = None, gmax: int = 1, **params: Any
) -> float | None:
    """§0 ``share``: each document of a block gets the mean of the block's rank weights; fixed-weight measures only."""
    if name not in FIXED:
        raise ValueError(f"{name} has no fixed rank weights")
    if params.pop("judged_only", False):
        ranking = condensed(ranking)
    plain = score(name, topic, ranking, k=k, gmax=gmax, **params)
    if plain is None or k == 0:
        return plain
    x = Seen(topic, ranking.rows, k, gmax, ranking.terminal)
    rel, defaults = params.get("rel", 1), signature_defaults(name)
    gain, e, p = params.get("gain", defaults.get("gain", "binary")), params.get("e", 0.05), params.get("p")
    p = defaults.get("p", 0.5) if p is None else p
    weights = [rank_weight(name, i, x, rel, p, params.get("T", 1), params.get("discount", "log2")) for i in ranks_of(x)]
    effort = e if name in ("U", "DCGU", "RBPU") else 0.0
    values = [g - effort for g in x.all_gains(gain, rel)]
    shared = block_means(weights, tie_blocks(ranking.scores))
    total = math.fsum(w * v for w, v in zip(shared, values, strict=True))
    if name == "nDCG":
        best = x.ideal(gain, rel, x.pool(params.get("ideal", "d")))[:k]
        return total / dcg_of(best, params.get("discount", "log2"))
    return total / rbp_of(x.ideal(gain, rel)[:k], p) if name == "nRBP" else total


def ranks_of(x: Seen) -> range:
    return range(1, x.n + 1)


def signature_defaults(name: str) -> dict[str, Any]:
    """The defaults of §15, read off the measure's own signature."""
    parameters = inspect.signature(MEASURES[name]).parameters.values()
    return {q.name: q.default for q in parameters if q.default is not inspect.Parameter.empty}


# -------------------------------------------------------------------------------------------- §4 NIL, §6 uncertainty


def nil_truncate(docs: Sequence[str], max_len: int = 5, nil: str = "NIL") -> tuple[list[str], bool]:
    """§4: the documents kept, and whether a terminal document follows them."""
    if nil in docs:
        return list(docs[: docs.index(nil)]), True
    return list(docs), len(docs) < max_len


def nil_answer(grades: dict[str, int], docs: Sequence[str], nil: str = "NIL", top: int = 1) -> tuple[Topic, Ranking]:
    """§4 ``nil='answer'``: NIL is a document of gain 1 iff nothing is relevant; plain measures then apply."""
    known = {**grades, nil: 0 if any(relevant(g) for g in grades.values()) else top}
    ids = list(known)
    rows = tuple(ids.index(d) if d in known and d not in docs[:i] else None for i, d in enumerate(docs))
    return Topic(tuple(known.values())), Ranking(rows, terminal=False)


def completions(topic: Topic, ranking: Ranking, gmax: int, missing: int = 0) -> Iterable[tuple[Topic, Ranking]]:
    """§6: every labelling 0..gmax of the unjudged retrieved documents, and of up to ``missing`` unretrieved ones.

    A newly judged document of the list is taken to have its rank here as its best rank; an unretrieved one has none.
    """
    unjudged = [i for i, row in enumerate(ranking.rows) if row is None]
    old = len(topic.grades)
    rows = list(ranking.rows)
    for number, i in enumerate(unjudged):
        rows[i] = old + number
    best = (*topic.best_rank, *(i + 1 for i in unjudged)) if len(topic.best_rank) == old else ()
    for extra in range(missing + 1):
        for labels in itertools.product(range(gmax + 1), repeat=len(unjudged) + extra):
            ranks = (*best, *[None] * extra) if best else ()
            yield Topic((*topic.grades, *labels), ranks, topic.pool_depth), replace(ranking, rows=tuple(rows))


def ranges(
    name: str,
    topic: Topic,
    ranking: Ranking,
    *,
    missing: int = 0,
    gmax: int = 1,
    undefined: float | None = 0.0,
    **options: Any,
) -> tuple[float, float] | None:
    """§6: lowest and highest score over all completions. ``undefined=None`` leaves undefined completions out."""
    scores = [
        score(name, t, r, gmax=gmax, undefined=undefined, **options)
        for t, r in completions(topic, ranking, gmax, missing)
    ]
    defined = [s for s in scores if s is not None]
    return (min(defined), max(defined)) if defined else None


def rbp_residual(ranking: Ranking, p: float = 0.8, k: int | None = None, short_run: str = "unknown") -> float:
    """§6: weight of the unjudged ranks and of all that lies below."""
    n = len(ranking.rows)
    depth = n if k is None else min(k, n)
    end = depth if short_run == "unknown" else (math.inf if k is None else k)
    unknown = [i for i, row in enumerate(ranking.rows[:depth], 1) if row is None]
    return float(p**end) + (1 - p) * math.fsum(p ** (i - 1) for i in unknown)


def err_bounds(
    topic: Topic, ranking: Ranking, gmax: int = 1, k: int | None = None, gain: Gain = "exp", short_run: str = "unknown"
) -> tuple[float, float]:
    """§6: unjudged 0; unjudged 1.0 plus the tail of that optimistic list."""
    n = len(ranking.rows)
    depth = n if k is None else min(k, n)
    rows = ranking.rows[:depth]
    low = [0.0 if row is None else gain_of(topic.grades[row], gain, gmax) for row in rows]
    high = [1.0 if row is None else gain_of(topic.grades[row], gain, gmax) for row in rows]
    end = depth if short_run == "unknown" else (math.inf if k is None else k)
    return err_of(low), err_of(high) + math.prod(1 - g for g in high) / (end + 1)


def precision_residual(ranking: Ranking, k: int) -> float:
    """§6: unjudged among the first k, over k; no tail."""
    return sum(row is None for row in ranking.rows[:k]) / k


# --------------------------------------------------------------------------------------------------------- §7 pools

Runs = dict[str, list[Ranking]]  # run → its list on each topic, topics in one common order


def best_ranks(judgments: int, contributors: Iterable[Ranking]) -> tuple[int | None, ...]:
    """Best rank of each judgment over the contributing runs."""
    lists = [r.rows for r in contributors]
    found = [[rows.index(j) + 1 for rows in lists if j in rows] for j in range(judgments)]
    return tuple(min(ranks, default=None) for ranks in found)


def kept_rows(topic: Topic, depth: int) -> list[int]:
    if len(topic.best_rank) != len(topic.grades):
        raise ValueError("the topic has no pool information")
    return [j for j, best in enumerate(topic.best_rank) if best is not None and best <= depth]


def restrict(topic: Topic, depth: int) -> Topic:
    """Keep a judgment iff its best rank over the contributors is ≤ depth."""
    kept = kept_rows(topic, depth)
    return Topic(tuple(topic.grades[j] for j in kept), tuple(topic.best_rank[j] for j in kept), topic.pool_depth)


def restrict_list(topic: Topic, ranking: Ranking, depth: int) -> Ranking:
    """The same list, seen with the restricted judgments: the dropped ones are unjudged."""
    kept = kept_rows(topic, depth)
    return replace(ranking, rows=tuple(kept.index(row) if row in kept else None for row in ranking.rows))


def repool(topics: Sequence[Topic], runs: Runs, contributors: Iterable[str]) -> list[Topic]:
    """The topics with the best ranks that these contributors give."""
    names = list(contributors)
    return [
        replace(t, best_rank=best_ranks(len(t.grades), [runs[name][i] for name in names])) for i, t in enumerate(topics)
    ]


def pooled_means(
    name: str, topics: Sequence[Topic], runs: Runs, contributors: Iterable[str], depth: int, **options: Any
) -> dict[str, float]:
    """Mean score of every run on the pool to ``depth`` of these contributors; undefined is 0."""
    pooled = repool(topics, runs, contributors)
    return {
        run: mean(
            score(name, restrict(t, depth), restrict_list(t, r, depth), undefined=0.0, **options) or 0.0
            for t, r in zip(pooled, lists, strict=True)
        )
        for run, lists in runs.items()
    }


def competition_rank(means: dict[str, float], run: str) -> int:
    """1 + the number of strictly better ones."""
    return 1 + sum(m > means[run] for m in means.values())


def leave_out(
    name: str,
    topics: Sequence[Topic],
    runs: Runs,
    group: Iterable[str],
    depth: int,
    contributors: Iterable[str] | None = None,
    **options: Any,
) -> dict[str, tuple[float | None, int]]:
    """Per left-out run: Δ% of its mean score (None if the base is 0) and |Δ rank|."""
    everyone = list(runs) if contributors is None else list(contributors)
    left = list(group)
    base = pooled_means(name, topics, runs, everyone, depth, **options)
    new = pooled_means(name, topics, runs, [r for r in everyone if r not in left], depth, **options)
    return {
        run: (
            100 * (new[run] - base[run]) / base[run] if base[run] else None,
            abs(competition_rank(new, run) - competition_rank(base, run)),
        )
        for run in left
    }


def leave_out_averages(changes: Sequence[dict[str, tuple[float | None, int]]], how: str) -> tuple[float, float]:
    """(Δ%, Δ rank) over the left-out groups: 'micro' over the runs, 'macro' over the groups' own means."""

    def average(column: int) -> float:
        groups = [[v[column] for v in group.values() if v[column] is not None] for group in changes]
        values = [[float(v) for v in group if v is not None] for group in groups if group]
        return mean(itertools.chain(*values)) if how == "micro" else mean(mean(group) for group in values)

    return average(0), average(1)


def pool_growth(
    topics: Sequence[Topic], depths: Sequence[int], rel: int = 1
) -> list[tuple[int, int, int, float | None]]:
    """(depth, judged, relevant, new relevant / new judged since the depth before), summed over topics."""
    rows: list[tuple[int, int, int, float | None]] = []
    judged_before = relevant_before = 0
    for depth in depths:
        grades = [g for t in topics for g in restrict(t, depth).grades]
        hits, judged = sum(relevant(g, rel) for g in grades), len(grades)
        new = judged - judged_before
        rows.append((depth, judged, hits, (hits - relevant_before) / new if new else None))
        judged_before, relevant_before = judged, hits
    return rows


def pool_figures(topic: Topic, ranking: Ranking, depth: int, rel: int = 1) -> tuple[int, int, int]:
    """(RelInPool, RankUnj, NumRelPast) of one list, all with the judgments of the pool to ``depth``."""
    pool, rows = restrict(topic, depth), restrict_list(topic, ranking, depth).rows
    in_pool = sum(relevant(pool.grades[row], rel) for row in rows[:depth] if row is not None)
    unjudged = [i for i, row in enumerate(rows, 1) if row is None]
    return in_pool, min(unjudged, default=len(rows) + 1), sum(relevant(g, rel) for g in pool.grades) - in_pool


def share_tied(lists: Sequence[Ranking], top: int = 20) -> float:
    """Share of a run's topics with at least one pair of equal scores in the top 20."""
    return mean(len(set(r.scores[:top])) < len(r.scores[:top]) for r in lists)


def lower_median(values: Sequence[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


# ---------------------------------------------------------------------------------------------------- §8 properties

Measure = Callable[..., float]  # (labels of the list, labels of judged documents outside it, |D| grows by) → score


def on_labels(name: str, *, gmax: int = 1, docs: int | None = None, **options: Any) -> Measure:
    """A measure as a function of a fully judged list; ``docs`` is passed on to the measures that need |D|."""

    def measure(labels: Sequence[int], outside: Sequence[int] = (), grown: int = 0) -> float:
        size: dict[str, Any] = {} if docs is None else {"docs": docs + grown}
        topic = Topic((*labels, *outside))
        value = score(name, topic, Ranking(tuple(range(len(labels)))), gmax=gmax, undefined=0.0, **size, **options)
        assert value is not None
        return value

    return measure


def outcome(better: float, worse: float) -> int:
    """1 holds strictly, 0 tied, −1 violated."""
    return 0 if abs(better - worse) <= 1e-12 else sign(better - worse)


def swapped(labels: Sequence[int], i: int, j: int) -> list[int]:
    """Ranks i and j exchanged (ranks start at 1)."""
    out = list(labels)
    out[i - 1], out[j - 1] = out[j - 1], out[i - 1]
    return out


def priority(m: Measure, labels: Sequence[int], i: int, j: int, outside: Sequence[int] = ()) -> int:
    assert i < j
    assert labels[j - 1] > labels[i - 1]
    return outcome(m(swapped(labels, i, j), outside), m(labels, outside))


def top_weightedness(m: Measure, labels: Sequence[int], i: int, j: int, outside: Sequence[int] = ()) -> int:
    """The same adjacent pair (low, high) stands at i and at j > i."""
    assert labels[i - 1] == labels[j - 1] < labels[i] == labels[j]
    assert i < j
    return outcome(m(swapped(labels, i, i + 1), outside), m(swapped(labels, j, j + 1), outside))


def deepness(m: Measure, n: int, R: int, top: int = 1) -> int:
    """One relevant at the top beats n irrelevant then n relevant, R fixed for both."""
    return outcome(m([top], [top] * (R - 1) + [0] * n), m([0] * n + [top] * n, [top] * (R - n)))


def shallowness(m: Measure, n: int, R: int, top: int = 1) -> int:
    return -deepness(m, n, R, top)


def confidence(m: Measure, labels: Sequence[int], outside: Sequence[int] = ()) -> int:
    """The appended document is one of the collection's irrelevant ones, judged all along."""
    return outcome(m(labels, [*outside, 0]), m([*labels, 0], outside))


def recall_property(m: Measure, labels: Sequence[int], outside: Sequence[int] = (), top: int = 1) -> int:
    assert any(labels)
    return outcome(m(labels, outside, 0), m(labels, [*outside, top], 1))


def redundancy(m: Measure, n: int, missing: int = 0, reading: str = "fixed", top: int = 1) -> int:
    """A §2.3: the relevant document at n+1 is worth more if the one at n is irrelevant.

    'fixed': all four lists come from a collection with ``missing`` + 2 relevant and n + 1 irrelevant documents.
    'relabel': the same n + 1 documents under four labellings, ``missing`` relevant ones outside each time.
    """

    def value(*end: int) -> float:
        labels = [0] * (n + 1 - len(end)) + list(end)
        hits = sum(g > 0 for g in labels)
        if reading == "relabel":
            return m(labels, [top] * missing)
        return m(labels, [top] * (missing + 2 - hits) + [0] * hits)

    return outcome(value(0, top) - value(0, 0), value(top, top) - value(top, 0))


def verdict(outcomes: Iterable[int]) -> str:
    seen = set(outcomes)
    if -1 in seen:
        return "violated"
    return {frozenset({1}): "holds strictly", frozenset({0}): "always tied"}.get(frozenset(seen), "holds with ties")


# ------------------------------------------------------------------------------- §9 optimal truncation and unanimity


def optimal_length(curve: Sequence[float]) -> int:
    """The smallest n within 1e−12 of the best."""
    return next(n for n, value in enumerate(curve) if value >= max(curve) - 1e-12)


def length_bin(n: int) -> tuple[int, int]:
    """{0}, [1,4], [5,8], [9,16], …, [2^i + 1, 2^(i+1)]."""
    if n == 0:
        return 0, 0
    if n <= 4:
        return 1, 4
    i = 2
    while n > 2 ** (i + 1):
        i += 1
    return 2**i + 1, 2 ** (i + 1)


def histogram(lengths: Sequence[int]) -> dict[tuple[int, int], float]:
    """Percentage of the lengths in each bin that occurs."""
    bins = [length_bin(n) for n in lengths]
    return {b: 100 * bins.count(b) / len(bins) for b in sorted(set(bins))}


Reference = Sequence[Sequence[float]]  # one system: for each reference measure its scores over the topics


def uir(s: Reference, other: Reference, pairs: Sequence[tuple[int, int]] | None = None) -> float:
    """§9: over (t1, t2), how often s is at least as good on every measure, less how often the other is."""
    topics = range(len(s[0]))
    pairs = list(itertools.product(topics, topics)) if pairs is None else pairs
    wins = sum(all(a[t1] >= b[t2] for a, b in zip(s, other, strict=True)) for t1, t2 in pairs)
    losses = sum(all(b[t2] >= a[t1] for a, b in zip(s, other, strict=True)) for t1, t2 in pairs)
    return (wins - losses) / len(pairs)


def cov(
    means: Sequence[float], references: Sequence[Reference], pairs: Sequence[tuple[int, int]] | None = None
) -> float | None:
    """§9: Spearman's ρ over ordered system pairs of M(s) − M(s′) with UIR(s, s′)."""
    ordered = list(itertools.permutations(range(len(means)), 2))
    unanimity = {}
    for a, b in itertools.combinations(range(len(means)), 2):
        # one sample serves all pairs; antisymmetric by definition, also for a sample of topic pairs
        unanimity[a, b] = uir(references[a], references[b], pairs)
        unanimity[b, a] = -unanimity[a, b]
    return spearman([means[a] - means[b] for a, b in ordered], [unanimity[pair] for pair in ordered])


# ------------------------------------------------------------------------------------------------- §12 with measures


def on_documents(name: str, **options: Any) -> Callable[[Sequence[int], Sequence[int | None]], float]:
    """A measure for :func:`cam`, :func:`mm` and friends: (label of each document, list of rows) → score."""

    def mu(labels: Sequence[int], rows: Sequence[int | None]) -> float:
        return score(name, Topic(tuple(labels)), Ranking(tuple(rows)), undefined=0.0, **options) or 0.0

    return mu
