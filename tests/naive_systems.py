"""The slow, obvious definitions, second part: comparing systems (§10), preferences (§11), several aspects (§12).

Everything here works on plain numbers: scores, ranks of relevant items, label tuples. What is random (permutations,
signs, resamples, removed labels) is an argument, so that a fast version can be given the same draws.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from scipy.stats import studentized_range
from scipy.stats import t as student_t

Table = Sequence[Sequence[float]]  # scores[system][topic]
Pairs = set[tuple[int, int]]  # (better, worse)

SLACK = 1e-12  # resampled statistics count as "at least" the observed one within this much


def sign(v: float) -> int:
    return (v > 0) - (v < 0)


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return math.fsum(values) / len(values)


def variance(values: Sequence[float]) -> float:
    """With n − 1; exactly 0 for equal values, whatever the rounding of their mean."""
    if len(set(values)) == 1:
        return 0.0
    m = mean(values)
    return math.fsum((v - m) ** 2 for v in values) / (len(values) - 1)


def median(values: Sequence[float]) -> float:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def differences(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return [x - y for x, y in zip(a, b, strict=True)]


# ------------------------------------------------------------------------------------------------- §10 paired tests


def t_statistic(z: Sequence[float]) -> float:
    """z̄ / (s/√n); infinite for a constant that is not 0, 0 for zeros."""
    if len(set(z)) == 1:
        return math.copysign(math.inf, z[0]) if z[0] else 0.0
    return mean(z) / math.sqrt(variance(z) / len(z))


def paired_t(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p; 1 with fewer than two topics or no difference at all, 0 for a constant one."""
    if len(a) < 2:
        return 1.0
    t = t_statistic(differences(a, b))
    return 0.0 if math.isinf(t) else float(2 * student_t.sf(abs(t), len(a) - 1))


def pairs_of(count: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(count), 2))


def significant_pairs(scores: Table, alpha: float = 0.05) -> Pairs:
    """D: (better, worse) with p < α strictly, by the paired t-test."""
    found = [(a, b) for a, b in pairs_of(len(scores)) if paired_t(scores[a], scores[b]) < alpha]
    return {(a, b) if mean(scores[a]) > mean(scores[b]) else (b, a) for a, b in found}


def discrimination(found: Pairs, systems: int) -> float:
    return len(found) / math.comb(systems, 2)


def coverage(new: Pairs, reference: Pairs) -> float | None:
    return len(new & reference) / len(reference) if reference else None


def inversion(reference: Pairs, new_means: Sequence[float]) -> float | None:
    """Share of the reference's (better, worse) pairs whose means now stand the other way round."""
    inverted = sum(new_means[worse] > new_means[better] for better, worse in reference)
    return inverted / len(reference) if reference else None


def median_p(scores: Table) -> float:
    return median([paired_t(scores[a], scores[b]) for a, b in pairs_of(len(scores))])


def sign_test(z: Sequence[float]) -> float:
    """Ties dropped, exact and two-sided."""
    wins, losses = sum(v > 0 for v in z), sum(v < 0 for v in z)
    n = wins + losses
    tail = Fraction(sum(math.comb(n, i) for i in range(min(wins, losses) + 1)), 2**n)
    return float(min(Fraction(1), 2 * tail))


def sign_flip(z: Sequence[float], signs: Sequence[Sequence[int]]) -> float:
    """p = (1 + #{|mean*| ≥ |mean|})/(B + 1), one row of ±1 per resample."""
    observed = abs(mean(z))
    hits = sum(abs(mean(s * v for s, v in zip(row, z, strict=True))) >= observed - SLACK for row in signs)
    return (1 + hits) / (len(signs) + 1)


def bootstrap(z: Sequence[float], draws: Sequence[Sequence[int]]) -> float:
    """Sakai's paired bootstrap: ASL = #{|t(w*)| ≥ |t(z)|}/B, one row of topic indices per resample."""
    if len(z) < 2:
        return 1.0
    observed, centre = abs(t_statistic(z)), mean(z)
    w = [v - centre for v in z]
    if len(set(z)) == 1:
        w = [0.0] * len(z)  # z̄ may round away from the constant
    return sum(abs(t_statistic([w[i] for i in row])) >= observed * (1 - SLACK) for row in draws) / len(draws)


# ------------------------------------------------------------------------------------------------------- §10 Tukey


def hsd_p(delta: float, mse: float, systems: int, topics: int) -> float:
    if mse == 0:
        return 0.0 if delta else 1.0
    q = abs(delta) / math.sqrt(mse / topics)
    return float(studentized_range.sf(q, systems, (systems - 1) * (topics - 1)))


def two_way_mse(scores: Table) -> float:
    """Residual mean square of the additive model systems × topics."""
    m, n = len(scores), len(scores[0])
    by_system = [mean(row) for row in scores]
    by_topic = [mean(row[t] for row in scores) for t in range(n)]
    grand = mean(by_system)
    residuals = [scores[s][t] - by_system[s] - by_topic[t] + grand for s in range(m) for t in range(n)]
    return math.fsum(r * r for r in residuals) / ((m - 1) * (n - 1))


def tukey_hsd(scores: Table) -> dict[tuple[int, int], float]:
    """p of every pair a < b."""
    m, n = len(scores), len(scores[0])
    if n < 2:
        return dict.fromkeys(pairs_of(m), 1.0)
    mse = two_way_mse(scores)
    return {(a, b): hsd_p(mean(differences(scores[a], scores[b])), mse, m, n) for a, b in pairs_of(m)}


def preference_mse(deltas: Mapping[tuple[int, int], Sequence[float]], systems: int) -> float:
    """Σ_{a<b} Σ_q (Δ − Δ̄)² / (m(m−1)(n−1))."""
    n = len(next(iter(deltas.values())))
    total = math.fsum((v - mean(row)) ** 2 for row in deltas.values() for v in row)
    return total / (systems * (systems - 1) * (n - 1))


def tukey_hsd_preferences(
    deltas: Mapping[tuple[int, int], Sequence[float]], systems: int
) -> dict[tuple[int, int], float]:
    """p of every pair a < b from the preference of a over b on each topic."""
    n = len(next(iter(deltas.values())))
    if n < 2:
        return dict.fromkeys(deltas, 1.0)
    mse = preference_mse(deltas, systems)
    return {pair: hsd_p(mean(row), mse, systems, n) for pair, row in deltas.items()}


def randomised_tukey(scores: Table, draws: Sequence[Sequence[Sequence[int]]]) -> dict[tuple[int, int], float]:
    """``draws[b][topic]`` is a permutation of the systems: slot s takes the score of system draws[b][topic][s]."""
    m, n = len(scores), len(scores[0])
    spread = []
    for draw in draws:
        means = [mean(scores[draw[t][s]][t] for t in range(n)) for s in range(m)]
        spread.append(max(means) - min(means))
    result = {}
    for a, b in pairs_of(m):
        delta = abs(mean(differences(scores[a], scores[b])))
        result[a, b] = (1 + sum(r >= delta - SLACK for r in spread)) / (len(draws) + 1)
    return result


# ------------------------------------------------------------------------------------------------ §10 multiplicity


def bonferroni(ps: Sequence[float]) -> list[float]:
    return [min(1.0, len(ps) * p) for p in ps]


def holm(ps: Sequence[float]) -> list[float]:
    """Step down: the i-th smallest times m − i + 1, never below an earlier one."""
    by_size = sorted(range(len(ps)), key=lambda i: ps[i])
    stepped = [min(1.0, (len(ps) - place) * ps[i]) for place, i in enumerate(by_size)]
    adjusted = {i: max(stepped[: place + 1]) for place, i in enumerate(by_size)}
    return [adjusted[i] for i in range(len(ps))]


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Step up: the i-th smallest times m / i, never above a later one."""
    by_size = sorted(range(len(ps)), key=lambda i: ps[i])
    stepped = [min(1.0, len(ps) / (place + 1) * ps[i]) for place, i in enumerate(by_size)]
    adjusted = {i: min(stepped[place:]) for place, i in enumerate(by_size)}
    return [adjusted[i] for i in range(len(ps))]


# -------------------------------------------------------------------------------------------- §10 agreement of orders


def mid_ranks(values: Sequence[float]) -> list[float]:
    """Rank 1 for the smallest; ties share the mean of their ranks."""
    return [sum(v < own for v in values) + (sum(v == own for v in values) + 1) / 2 for own in values]


def pearson(a: Sequence[float], b: Sequence[float]) -> float | None:
    """None if one side is constant."""
    if len(set(a)) < 2 or len(set(b)) < 2:
        return None
    ma, mb = mean(a), mean(b)
    top = math.fsum((u - ma) * (v - mb) for u, v in zip(a, b, strict=True))
    return top / math.sqrt(math.fsum((u - ma) ** 2 for u in a) * math.fsum((v - mb) ** 2 for v in b))


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson on mid-ranks."""
    return pearson(mid_ranks(a), mid_ranks(b))


def rmse(a: Sequence[float], b: Sequence[float]) -> float:
    return math.sqrt(mean((u - v) ** 2 for u, v in zip(a, b, strict=True)))


def tau_b(a: Sequence[float], b: Sequence[float]) -> float | None:
    """On scores; None if one side is constant."""
    pairs = pairs_of(len(a))
    balance = sum(sign(a[i] - a[j]) * sign(b[i] - b[j]) for i, j in pairs)
    free_a, free_b = sum(a[i] != a[j] for i, j in pairs), sum(b[i] != b[j] for i, j in pairs)
    return balance / math.sqrt(free_a * free_b) if free_a and free_b else None


def tau_a(a: Sequence[object], b: Sequence[object]) -> float:
    """On permutations, best first: (concordant − discordant) / all pairs."""
    pairs = pairs_of(len(a))
    return sum(sign(b.index(a[j]) - b.index(a[i])) for i, j in pairs) / len(pairs)


def tau_ap(estimate: Sequence[object], truth: Sequence[object]) -> float:
    """2/(n−1) Σ_{i≥2} C(i)/(i−1) − 1, C(i) = items above rank i of the estimate that the truth puts above too."""
    n = len(estimate)

    def right(i: int) -> int:
        return sum(truth.index(item) < truth.index(estimate[i - 1]) for item in estimate[: i - 1])

    return 2 / (n - 1) * math.fsum(right(i) / (i - 1) for i in range(2, n + 1)) - 1


def overlap(a: Sequence[object], b: Sequence[object], depth: int) -> int:
    return len(set(a[:depth]) & set(b[:depth]))


def rbo_ext(a: Sequence[object], b: Sequence[object], p: float = 0.9) -> float:
    """Webber et al. 2010, Eq. 32, for lists of lengths s ≤ l; 0 if one list is empty."""
    short, long = sorted((a, b), key=len)
    s, length = len(short), len(long)
    if s == 0:
        return 0.0
    x = [overlap(short, long, d) for d in range(length + 1)]
    seen = math.fsum(x[d] / d * p**d for d in range(1, length + 1))
    extended = math.fsum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
    return (1 - p) / p * (seen + extended) + ((x[length] - x[s]) / length + x[s] / s) * p**length


def tail_weight(p: float, depth: int) -> float:
    """Σ_{d > depth} p^d / d."""
    return -math.log(1 - p) - math.fsum(p**d / d for d in range(1, depth + 1))


def rbo_min(a: Sequence[object], b: Sequence[object], p: float = 0.9) -> float:
    """The least that any continuation allows: nothing further in common."""
    end = max(len(a), len(b))
    seen = math.fsum(overlap(a, b, d) / d * p**d for d in range(1, end + 1))
    return (1 - p) / p * (seen + overlap(a, b, end) * tail_weight(p, end))


def rbo_residual(a: Sequence[object], b: Sequence[object], p: float = 0.9) -> float:
    """The most that any continuation allows, less the least: past its own end each list adds one match per rank."""
    s, length = sorted((len(a), len(b)))
    common = overlap(a, b, length)
    full = length + s - common  # from here on the best continuation agrees completely

    def gained(d: int) -> int:
        return min(max(0, d - s) + max(0, d - length), d - overlap(a, b, d))

    inside = (1 - p) / p * math.fsum(gained(d) / d * p**d for d in range(1, full + 1))
    return inside + p**full - (1 - p) / p * common * tail_weight(p, full)


def volatility(
    by_depth: Sequence[Sequence[float]],
    other: Sequence[Sequence[float]] | None = None,
    corr: Callable[[Sequence[float], Sequence[float]], float | None] = tau_b,
) -> list[list[float | None]]:
    """T[k1][k2] = corr(system means at k1, system means at k2), for one measure or for two."""
    return [[corr(first, second) for second in (by_depth if other is None else other)] for first in by_depth]


# ------------------------------------------------------------------------------------------------- §11 preferences
# A ranking is the sorted ranks of its retrieved relevant items; m of them exist, the unretrieved ones have RR = 0.

Ranks = Sequence[int]


def reciprocal(p: Ranks, i: int) -> Fraction:
    """RR_i, i from 1."""
    return Fraction(1, p[i - 1]) if i <= len(p) else Fraction(0)


def delta_rr(p: Ranks, q: Ranks, i: int) -> Fraction:
    return reciprocal(p, i) - reciprocal(q, i)


def deciding_level(p: Ranks, q: Ranks) -> int | None:
    """i*: the smallest i with δRR_i ≠ 0."""
    levels = range(1, max(len(p), len(q)) + 1)
    return next((i for i in levels if delta_rr(p, q, i) != 0), None)


def rrLP(p: Ranks, q: Ranks) -> float:
    i = deciding_level(p, q)
    return float(delta_rr(p, q, i)) if i else 0.0


def sgnLP(p: Ranks, q: Ranks) -> int:
    i = deciding_level(p, q)
    return sign(float(delta_rr(p, q, i))) if i else 0


def LR(p: Ranks, q: Ranks) -> int:
    """Lexirecall: more items wins; else the worst-placed one that differs decides, the higher place wins."""
    if len(p) != len(q):
        return sign(len(p) - len(q))
    return next((sign(b - a) for a, b in zip(reversed(p), reversed(q), strict=True) if a != b), 0)


def RPP(p: Ranks, q: Ranks, m: int) -> float:
    return sum(sign(float(delta_rr(p, q, i))) for i in range(1, m + 1)) / m


def mu_LP(p: Ranks, n: int) -> int:
    """Σ π_i 2^(n−i), over a ranking of length n."""
    return sum(2 ** (n - rank) for rank in p)


def tie_probability(n: int, m: int, p1: int) -> float:
    """P(tie | p1) = C(n−p1, m−1)/C(n, m)."""
    return math.comb(n - p1, m - 1) / math.comb(n, m)


def value_growth(n: int, m: int, k: int) -> float:
    """Π_{i=m+1}^{m+k} (n+1−i)/i: how many times more values there are with k more relevant items."""
    return float(math.prod(Fraction(n + 1 - i, i) for i in range(m + 1, m + k + 1)))


def suffix_agreement(pairs: Sequence[tuple[Ranks, Ranks]], predict: Callable[[Ranks, Ranks], float]) -> float | None:
    """D Table 1: share of the pairs with δRR_1 ≠ 0 whose sign follows from p_2 … p_m; a tied prediction is wrong."""
    decided = [(p, q) for p, q in pairs if delta_rr(p, q, 1) != 0]
    right = sum(sign(predict(p[1:], q[1:])) == sign(float(delta_rr(p, q, 1))) for p, q in decided)
    return right / len(decided) if decided else None


def delta_rr1(p: Ranks, q: Ranks) -> float:
    return float(delta_rr(p, q, 1))


def without(rank_of: dict[str, int], removed: Iterable[str]) -> list[int]:
    """The sorted ranks of the relevant items whose labels remain."""
    gone = set(removed)
    return sorted(rank for item, rank in rank_of.items() if item not in gone)


def ranking_agreement(
    full: Sequence[tuple[Ranks, Ranks]],
    partial: Sequence[tuple[Ranks, Ranks]],
    prefer: Callable[[Ranks, Ranks], float],
) -> float | None:
    """Share of the pairs with δRR_1 ≠ 0 on all labels whose sign the preference on the remaining labels gives."""
    decided = [(f, r) for f, r in zip(full, partial, strict=True) if delta_rr(*f, 1) != 0]
    right = sum(sign(prefer(*r)) == sign(float(delta_rr(*f, 1))) for f, r in decided)
    return right / len(decided) if decided else None


def system_agreement(
    full: Sequence[Sequence[tuple[Ranks, Ranks]]],
    partial: Sequence[Sequence[tuple[Ranks, Ranks]]],
    prefer: Callable[[Ranks, Ranks], float],
) -> float | None:
    """One entry per system pair, holding its topics; pairs whose full mean δRR_1 is 0 are skipped."""

    def leaning(topics: Sequence[tuple[Ranks, Ranks]], by: Callable[[Ranks, Ranks], float]) -> int:
        exact = [Fraction(by(p, q)).limit_denominator(10**9) for p, q in topics]  # no float decides a tie
        return sign(float(sum(exact, Fraction(0))))

    decided = [(f, r) for f, r in zip(full, partial, strict=True) if leaning(f, delta_rr1)]
    right = sum(leaning(r, prefer) == leaning(f, delta_rr1) for f, r in decided)
    return right / len(decided) if decided else None


def locality(pairs: Sequence[tuple[Ranks, Ranks]], i: int, j: int) -> float | None:
    """Pearson correlation of δRR_i and δRR_j over pairs of rankings."""
    return pearson([float(delta_rr(p, q, i)) for p, q in pairs], [float(delta_rr(p, q, j)) for p, q in pairs])


def locality_regression(
    pairs: Sequence[tuple[Ranks, Ranks]], i: int = 1, *, tied_before: bool = False, signs: bool = False
) -> list[float]:
    """Least squares of δRR_i on δRR_{i+1..i+4} and a constant: [constant, four coefficients]."""
    kept = [(p, q) for p, q in pairs if not tied_before or all(delta_rr(p, q, j) == 0 for j in range(1, i))]

    def value(p: Ranks, q: Ranks, level: int) -> Fraction:
        delta = delta_rr(p, q, level)
        return Fraction(sign(float(delta))) if signs else delta

    rows = [[Fraction(1)] + [value(p, q, i + j) for j in range(1, 5)] for p, q in kept]
    target = [value(p, q, i) for p, q in kept]
    square = [[sum((r[a] * r[b] for r in rows), Fraction(0)) for b in range(5)] for a in range(5)]
    right = [sum((r[a] * y for r, y in zip(rows, target, strict=True)), Fraction(0)) for a in range(5)]
    return [float(v) for v in solve(square, right)]


def solve(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """Gauss and Jordan, exactly."""
    n = len(right)
    rows = [[*row, r] for row, r in zip(matrix, right, strict=True)]
    for column in range(n):
        pivot = next(i for i in range(column, n) if rows[i][column] != 0)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [v / rows[column][column] for v in rows[column]]
        for i in range(n):
            if i != column:
                factor = rows[i][column]
                rows[i] = [v - factor * w for v, w in zip(rows[i], rows[column], strict=True)]
    return [row[n] for row in rows]


# Orders from preferences: ``prefs[topic][a][b]`` is the preference of a over b, antisymmetric.

Preferences = Sequence[Sequence[Sequence[float]]]


def order_by_mean(prefs: Preferences) -> list[float]:
    """Mean preference over topics and opponents."""
    m = len(prefs[0])
    return [mean(topic[a][b] for topic in prefs for b in range(m) if b != a) for a in range(m)]


def borda(prefs: Preferences) -> list[float]:
    """Per topic one point for each system beaten, half a point for each tied; summed over topics."""
    m = len(prefs[0])
    points = {1: 1.0, 0: 0.5, -1: 0.0}
    return [math.fsum(points[sign(t[a][b])] for t in prefs for b in range(m) if b != a) for a in range(m)]


def majority(prefs: Preferences, a: int, b: int) -> int:
    """1 if more topics prefer a than b, −1 if fewer, 0 if as many."""
    return sign(sum(sign(topic[a][b]) for topic in prefs))


def copeland(prefs: Preferences) -> list[int]:
    """Systems beaten by majority less systems lost to."""
    m = len(prefs[0])
    return [sum(majority(prefs, a, b) for b in range(m) if b != a) for a in range(m)]


def mc4(prefs: Preferences, teleport: Fraction = Fraction(1, 20)) -> list[float]:
    """Dwork et al. 2001: from a pick b uniformly, move there if the majority prefers b; stationary distribution."""
    m = len(prefs[0])
    chain = [[Fraction(majority(prefs, b, a) > 0, m) if a != b else Fraction(0) for b in range(m)] for a in range(m)]
    for a in range(m):
        chain[a][a] = 1 - sum(chain[a], Fraction(0))
    moved = [[(1 - teleport) * chain[a][b] + teleport / m for b in range(m)] for a in range(m)]
    balance = [[moved[a][b] - (a == b) for a in range(m)] for b in range(m)]  # Σ_a x_a P(a,b) = x_b
    balance[-1] = [Fraction(1)] * m  # one equation is spare: the shares sum to 1
    return [float(x) for x in solve(balance, [Fraction(0)] * (m - 1) + [Fraction(1)])]


# ---------------------------------------------------------------------------------------------- §12 several aspects
# A label tuple holds label numbers, 0 the lowest; an embedding gives each aspect's labels their numbers.

Number = int | Fraction
Embedding = Sequence[Sequence[Number]]
Labels = tuple[int, ...]
Mu = Callable[[Sequence[int], Sequence[int | None]], float]  # (label of each document, list of rows) → score


def grid(embedding: Embedding, feasible: Callable[[Labels], bool] = lambda labels: True) -> list[Labels]:
    """The full Cartesian grid, or what of it the rule allows."""
    return [labels for labels in itertools.product(*(range(len(e)) for e in embedding)) if feasible(labels)]


def distance_to_best(labels: Labels, embedding: Embedding, distance: str) -> Fraction:
    """To the declared maxima; Euclidean distances are left squared, so that they compare exactly."""
    gaps = [Fraction(max(e)) - Fraction(e[label]) for label, e in zip(labels, embedding, strict=True)]
    if distance == "euclidean":
        return sum((g * g for g in gaps), Fraction(0))
    return {"manhattan": sum(gaps, Fraction(0)), "chebyshev": max(gaps)}[distance]


def distance_classes(tuples: Iterable[Labels], embedding: Embedding, distance: str) -> list[set[Labels]]:
    """Classes of equal distance, best first."""
    tuples = list(tuples)
    distances = sorted({distance_to_best(x, embedding, distance) for x in tuples})
    return [{x for x in tuples if distance_to_best(x, embedding, distance) == d} for d in distances]


def toma_weights(tuples: Iterable[Labels], embedding: Embedding, distance: str) -> dict[Labels, int]:
    """W: worst class 0, +1 per class."""
    classes = distance_classes(tuples, embedding, distance)
    return {x: w for w, members in enumerate(reversed(classes)) for x in members}


def toma_binary(
    tuples: Iterable[Labels], embedding: Embedding, distance: str, binary: str | int = "aspects"
) -> dict[Labels, int]:
    """The three ways to 0 and 1: 'aspects', 'top-half', or a threshold on W."""
    tuples = list(tuples)
    if binary == "aspects":
        halved = {x: tuple(int(label > 0) for label in x) for x in tuples}
        weights = toma_weights(set(halved.values()), [(0, 1)] * len(embedding), distance)
        return {x: int(weights[halved[x]] > 0) for x in tuples}
    classes = distance_classes(tuples, embedding, distance)
    if binary == "top-half":
        top = set().union(*classes[: math.ceil(len(classes) / 2)])
        return {x: int(x in top) for x in tuples}
    assert isinstance(binary, int)
    return {x: int(w >= binary) for x, w in toma_weights(tuples, embedding, distance).items()}


def toma(mu: Mu, documents: Sequence[Labels], rows: Sequence[int | None], weights: dict[Labels, int]) -> float:
    """Any measure on W; an unjudged document (None) has every aspect at its lowest label, and so weight 0."""
    return mu([weights[x] for x in documents], rows)


def aspect_scores(mu: Mu, documents: Sequence[Labels], rows: Sequence[int | None], values: Embedding) -> list[float]:
    """μ_a: the measure on the labels of each aspect alone, mapped to numbers."""
    return [mu([int(e[x[a]]) for x in documents], rows) for a, e in enumerate(values)]


def cam(per_aspect: Sequence[float], importance: Sequence[float] | None = None) -> float:
    """Σ p_a μ_a; equal weights by default."""
    p = [1 / len(per_aspect)] * len(per_aspect) if importance is None else importance
    return math.fsum(w * s for w, s in zip(p, per_aspect, strict=True))


def mm(per_aspect: Sequence[float], importance: Sequence[float] | None = None) -> float:
    """Σp_a / Σ(p_a/μ_a); 0 if any μ_a is 0."""
    p = [1 / len(per_aspect)] * len(per_aspect) if importance is None else importance
    if any(s == 0 for s in per_aspect):
        return 0.0
    return math.fsum(p) / math.fsum(w / s for w, s in zip(p, per_aspect, strict=True))


def ideal_rankings(documents: Sequence[Labels], values: Embedding) -> list[list[int]]:
    """Rows sorted by each permutation of aspects, by sum, by sum of squares, by maximum; ties by ascending row.

    Number the documents in ascending order of their ids.
    """
    numbers = [[Fraction(e[label]) for e, label in zip(values, x, strict=True)] for x in documents]
    orders = list(itertools.permutations(range(len(values))))
    keys = [[[x[a] for a in aspects] for x in numbers] for aspects in orders]
    keys.append([[sum(x, Fraction(0))] for x in numbers])
    keys.append([[sum((v * v for v in x), Fraction(0))] for x in numbers])
    keys.append([[max(x)] for x in numbers])
    return [sorted(range(len(documents)), key=lambda row: key[row], reverse=True) for key in keys]


def upper_bound(
    mu: Mu,
    documents: Sequence[Labels],
    values: Embedding,
    combine: Callable[[Sequence[float]], float] = cam,
) -> float:
    """The best CAM (or MM) over the ideal rankings."""
    lists = ideal_rankings(documents, values)
    return max(combine(aspect_scores(mu, documents, rows, values)) for rows in lists)


def filled(labels: Sequence[int | None], relevance: int = 0) -> Labels:
    """A document not relevant counts as lowest in the aspects that were not assessed for it."""
    if labels[relevance] == 0:
        return tuple(label or 0 for label in labels)
    assert None not in labels
    return tuple(label for label in labels if label is not None)


def label_sum(documents: Sequence[Labels], row: int | None, values: Embedding) -> Number:
    lowest = sum(min(e) for e in values)
    return lowest if row is None else sum(e[label] for e, label in zip(values, documents[row], strict=True))


def zero_aspect_documents(
    documents: Sequence[Labels], rows: Sequence[int | None], values: Embedding, top: int = 5
) -> int:
    """Documents at ranks 1–5 whose labels sum to 0; unjudged ones are among them."""
    return sum(label_sum(documents, row, values) == 0 for row in rows[:top])


def best_run(scores: Sequence[float]) -> int:
    """The first of the best."""
    return max(range(len(scores)), key=lambda run: (scores[run], -run))


def bucket_quality(
    lists: Sequence[tuple[Sequence[Labels], Sequence[int | None]]],
    values: Embedding,
    buckets: Sequence[tuple[int, int]] = ((1, 25), (26, 50), (51, 75), (76, 100)),
) -> list[float | None]:
    """Mean label sum of the documents at the ranks of each bucket, over the (documents, list) of all topics."""
    result: list[float | None] = []
    for first, last in buckets:
        sums = [float(label_sum(docs, row, values)) for docs, rows in lists for row in rows[first - 1 : last]]
        result.append(mean(sums) if sums else None)
    return result


def agreement(a: Table, b: Table) -> tuple[float | None, int]:
    """Mean τ-b over topics of two measures' scores[system][topic], and on how many topics it is defined."""
    taus = []
    for t in range(len(a[0])):
        taus.append(tau_b([round(row[t], 10) for row in a], [round(row[t], 10) for row in b]))
    defined = [tau for tau in taus if tau is not None]
    return (mean(defined) if defined else None), len(defined)
