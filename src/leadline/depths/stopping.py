"""Learning where to stop, and saying honestly how good that is on topics the rule has not seen.

Every rule of :mod:`leadline.depths.policies` is tuned for each run by cross-validation over topics: the parameter for a
topic comes from the other folds only, so that every topic is held out once. Beside the learned rules stand the whole
list (``never``), the best length for all topics (``fixed-k``, tuned likewise) and the ``oracle``, which knows the
judgments. What may be claimed is in :mod:`leadline.depths.claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.depths.claims import Recommendation, Verdicts, compare_policies, recommend
from leadline.depths.curves import run_curves
from leadline.depths.optima import best_of_rows, over_runs
from leadline.depths.policies import POLICIES, FixedK, NeverStop, OwnPolicy, Policy, TunedPolicy, policy_of
from leadline.depths.tuning import Learned, fold_of, learn
from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.scoring import Gaps, Labellers, Undefined, missing_topics, wanted_measures
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.track import Track
from leadline.stats.intervals import describe

__all__ = ["Stopping", "stop"]

ORACLE = "oracle"
_FEW_TOPICS = 20
_EDGE = 0.3  # fall of the share of judged documents that looks like the end of a pool
Rule: TypeAlias = str | Policy | type[Policy] | Callable[[Floats], int]
Rules: TypeAlias = Iterable[Rule] | Mapping[str, Callable[[Floats], int]] | Rule | None
Ready: TypeAlias = Policy | type[TunedPolicy]  # to be applied, or to be tuned


@dataclass(frozen=True, eq=False)
class _Run:
    """One run under every policy (policies × topics), and what was learned for it."""

    value: Floats
    length: Ints
    policies: list[Policy]  # tuned on all topics
    learned: list[Learned | None]
    oracle: tuple[Floats, Floats]  # length, value
    full: Floats
    raw: Floats  # of the whole lists, before undefined scores are settled
    best_fixed: Floats  # value at the best fixed length in hindsight …
    best_k: FixedK  # … which is this


class Stopping:
    """What :func:`stop` found. Policies are numbered in the order of ``policies``; the oracle is not among them."""

    def __init__(
        self, measure: Measure, track: Track, policies: Sequence[str], runs: Sequence[_Run], fold: Ints, alpha: float,
        findings: Findings,
    ) -> None:  # fmt: skip
        self.measure = measure
        self.runs, self.topics = track.runs, track.topics
        self.policies = tuple(policies)
        self.fold = fold
        self.findings = findings
        self.lengths = track.lengths.reshape(track.shape)
        self._runs = dict(zip(self.runs, runs, strict=True))
        self._tests: dict[str, Verdicts] = {
            name: compare_policies(self.policies, r.value, r.full, r.best_fixed, r.oracle[1], alpha)
            for name, r in self._runs.items()
        }

    def _of(self, run: str) -> _Run:
        if run not in self._runs:
            raise UnknownName("run", run, self.runs)
        return self._runs[run]

    def _number(self, policy: str) -> int:
        if policy not in self.policies:
            raise UnknownName("policy in this comparison", policy, self.policies)
        return self.policies.index(policy)

    def value(self, policy: str) -> Floats:
        """The measure on held-out topics, runs × topics; NaN where it is undefined."""
        if policy == ORACLE:
            return np.stack([r.oracle[1] for r in self._runs.values()])
        return np.stack([r.value[self._number(policy)] for r in self._runs.values()])

    def length(self, policy: str) -> Floats:
        """Documents returned on held-out topics, runs × topics."""
        if policy == ORACLE:
            return np.stack([r.oracle[0] for r in self._runs.values()])
        return np.stack([r.length[self._number(policy)] for r in self._runs.values()]).astype(np.float64)

    def full(self) -> Floats:
        """The measure of the whole lists, runs × topics."""
        return np.stack([r.full for r in self._runs.values()])

    def policy(self, run: str, policy: str) -> Policy:
        """The rule tuned on all topics of a run: the one to use from now on."""
        return self._of(run).policies[self._number(policy)]

    def by_fold(self, run: str, policy: str) -> tuple[Policy, ...]:
        """The rule of each fold, tuned on the other folds; the same one each time if nothing was tuned."""
        learned = self._of(run).learned[self._number(policy)]
        return learned.by_fold if learned is not None else (self.policy(run, policy),) * (int(self.fold.max()) + 1)

    def tests(self, run: str) -> Verdicts:
        """Every policy against the whole list and against the best fixed length."""
        self._of(run)
        return self._tests[run]

    def recommendation(self, run: str) -> Recommendation:
        """The rule to use for a run, in one sentence, with what is shown about it and what is not."""
        r = self._of(run)
        return recommend(
            run,
            self.measure,
            self.policies,
            r.policies,
            r.value,
            r.full,
            r.best_fixed,
            r.best_k.k,
            self._tests[run],
        )

    def columns(self) -> dict[str, Any]:
        """Columns run, policy, measure, value, oracle, full, …: the records of ``leadline stop``.

        ``low`` and ``high`` bound the held-out mean (95 %), ``regret`` is what the oracle has more, ``length`` and
        ``empty`` are means over topics. ``parameter`` was tuned on all topics, ``parameters`` are those of the folds,
        ``stability`` the shortest over the longest mean length that the folds' rules give. ``p_never`` and ``p_fixed``
        are one-sided, against the whole list and the best fixed length in hindsight; ``claim`` says whether the rule is
        shown to beat both, by ``p_adjusted`` and by a margin (see :mod:`leadline.depths.claims`).
        """
        rows = [self._row(run, policy) for run in self.runs for policy in (*self.policies, ORACLE)]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _row(self, run: str, policy: str) -> dict[str, Any]:
        r = self._of(run)
        at = None if policy == ORACLE else self._number(policy)
        values, lengths = (r.oracle[1], r.oracle[0]) if at is None else (r.value[at], r.length[at].astype(np.float64))
        learned = None if at is None else r.learned[at]
        rule = None if at is None else r.policies[at]
        known = ~np.isnan(values)
        oracle, mean = (float(a[known].mean()) if known.any() else float("nan") for a in (r.oracle[1], values))
        about = describe(values)
        return {
            "run": run, "policy": policy, "measure": str(self.measure), "value": mean, "oracle": oracle,
            "full": float(r.full[known].mean()) if known.any() else float("nan"),
            "low": float(about.low), "high": float(about.high), "regret": oracle - mean,
            "length": float(lengths[known].mean()) if known.any() else float("nan"),
            "empty": float((lengths[known] == 0).mean()) if known.any() else float("nan"),
            "parameter": rule.value if isinstance(rule, TunedPolicy) else None,
            "parameters": [p.value for p in learned.by_fold] if learned is not None else None,
            "stability": learned.stability if learned is not None else None,
            **self._tests[run].of(policy),
        }  # fmt: skip

    def sweep(self) -> dict[str, Any]:
        """Columns run, policy, parameter, length, value: each rule's means on all topics as its parameter varies."""
        columns: dict[str, list[Any]] = {name: [] for name in ("run", "policy", "parameter", "length", "value")}
        for run, r in self._runs.items():
            for policy, learned in zip(self.policies, r.learned, strict=True):
                if learned is None:
                    continue
                columns["run"] += [run] * len(learned.sweep["value"])
                columns["policy"] += [policy] * len(learned.sweep["value"])
                for name, values in learned.sweep.items():
                    columns[name] += values.tolist()
        return columns

    def topics_columns(self) -> dict[str, Any]:
        """Columns run, policy, topic, fold, length, value: every held-out topic, for figures and tests of your own."""
        names = (*self.policies, ORACLE)
        shape = len(self.runs), len(names), len(self.topics)
        length, value = (np.stack([get(n) for n in names], axis=1).ravel() for get in (self.length, self.value))
        run, policy, topic = (i.ravel() for i in np.indices(shape))
        return {
            "run": [self.runs[i] for i in run],
            "policy": [names[i] for i in policy],
            "topic": [self.topics[i] for i in topic],
            "fold": self.fold[topic],
            "length": length,
            "value": value,
        }

    def __repr__(self) -> str:
        return f"<Stopping: {len(self.runs)} runs × {len(self.policies)} policies, {self.measure}>"


def stop(
    track: Track,
    measure: str | Measure,
    *,
    policies: Rules = None,
    folds: int = 10,
    groups: Mapping[str, str] | None = None,
    rng: int | np.random.Generator = 0,
    alpha: float = 0.05,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
    threads: int | None = None,
) -> Stopping:
    """Learn stopping rules for every run and evaluate them on held-out topics.

    ``policies`` are names (``score-threshold`` is tuned, ``score-threshold=12.5`` taken as it is), policies, or
    functions of your own from a list's scores to a number of documents; by default all that leadline knows. Topics that
    ``groups`` gives the same group (variants of one question) are held out together. The Track needs scores: read it
    with ``keep_scores=True``.

    >>> from leadline import read
    >>> from leadline.simulate import simulate
    >>> sim = simulate(runs=1, topics=60, pool_depth=100, score_relation=1, rng=1)
    >>> found = stop(read(sim.qrels, sim.runs, keep_scores=True), "U", policies="score-threshold")
    >>> advice = found.recommendation("uni1-bm25")
    >>> advice.policy, advice.claim
    (ScoreThreshold(at=22.6243), True)
    """
    if track.scores is None:
        raise UsageError("A stopping rule is learned from scores: read the track with keep_scores=True.")
    m = _measure(measure, unjudged, rel)
    rules = _rules(policies)
    fold = _folds(track, folds, groups, np.random.default_rng(rng))
    findings = Findings(track.findings)
    missing_topics(track, findings)
    findings.add("few-topics", len(track.topics) if len(track.topics) < _FEW_TOPICS else 0, (), "too few to learn much")
    _unordered(track, findings)
    width = int(track.lengths.max(initial=0))
    curve = run_curves(m, track, "length", np.arange(width + 1), Labellers())
    zero = undefined == "zero" and m.zero_if_undefined
    runs = over_runs(lambda r: _one_run(m, track, r, curve(r), rules, fold, zero), len(track.runs), threads)
    gaps = Gaps()
    gaps.settle(m, np.stack([r.raw for r in runs]), undefined, track.topics)
    findings.extend([*m.doubts(track), *gaps.findings()])
    _pool_edges(track, [r.best_k.k for r in runs], findings)
    return Stopping(m, track, list(rules), runs, fold, alpha, findings)


def _measure(measure: str | Measure, unjudged: str, rel: int | None) -> Measure:
    wanted = wanted_measures(measure, unjudged=unjudged, rel=rel)
    if len(wanted) != 1:
        raise UsageError(f"One rule is learned for one measure. Got {len(wanted)} measures.")
    m = wanted[0]
    if not m.per_topic or not m.higher_is_better:
        raise UsageError(f"{m} cannot be maximised by stopping; use a measure of single lists in which more is better.")
    return m


def _rules(
    given: Iterable[Rule] | Mapping[str, Callable[[Floats], int]] | Rule | None,
) -> dict[str, Ready]:
    """The policies by name, the two that all are compared with first."""
    rules: dict[str, Ready] = {NeverStop.name: NeverStop(), FixedK.name: FixedK}
    if given is None:
        return rules | {name: _rule(name) for name in POLICIES if name not in rules}
    if isinstance(given, Mapping):
        given = [OwnPolicy(function, name=name) for name, function in given.items()]
    items = [given] if isinstance(given, (str, Policy, type)) or callable(given) else list(given)
    for item in items:
        rule = _rule(item)
        name = f"{rule.name}={rule.value:g}" if isinstance(rule, TunedPolicy) else rule.name
        if (name in rules and name not in (NeverStop.name, FixedK.name)) or name == ORACLE:
            raise UsageError(f"There are two policies called {name!r}; give one of them another name.")
        rules.setdefault(name, rule)
    return rules


def _rule(item: Rule) -> Ready:
    """A policy as it is, or the kind of policy to tune."""
    if isinstance(item, str):
        name, given, value = item.partition("=")
        if name not in POLICIES:
            raise UnknownName("policy", name, POLICIES)
        kind = POLICIES[name]
        if not given:
            return kind if issubclass(kind, TunedPolicy) else kind()
        if not issubclass(kind, TunedPolicy):
            raise UsageError(f"The policy {name} has no parameter. Got {item!r}.")
        return policy_of(name, {kind.parameter: value})
    if isinstance(item, Policy):
        return item
    if isinstance(item, type):
        if not issubclass(item, Policy):
            raise UsageError(f"{item.__name__} is no policy; give a name, a policy or a function of a list's scores.")
        return item if issubclass(item, TunedPolicy) else item()
    if not callable(item):
        raise UsageError(f"{item!r} is no policy; give a name, a policy or a function of a list's scores.")
    return OwnPolicy(item)


def _folds(track: Track, folds: int, groups: Mapping[str, str] | None, rng: np.random.Generator) -> Ints:
    if folds < 2:
        raise UsageError(f"folds must be at least 2. Got {folds} instead.")
    group = [groups.get(t, f"topic {t}") for t in track.topics] if groups else list(track.topics)
    number = {g: i for i, g in enumerate(dict.fromkeys(group))}
    if len(number) < 2:
        raise UsageError("Cross-validation needs at least two topics (or groups of topics).")
    return fold_of(np.array([number[g] for g in group]), min(folds, len(number)), rng)


def _unordered(track: Track, findings: Findings) -> None:
    """Tell of lists whose scores do not fall with rank: a rule on scores then ends at the first low one."""
    assert track.scores is not None
    rises = np.flatnonzero(track.scores[1:] > track.scores[:-1]) + 1
    inner = np.isin(rises, track.score_offsets, invert=True)
    lists = np.unique(np.searchsorted(track.score_offsets, rises[inner], side="right") - 1)
    topics = len(track.topics)
    names = [f"{track.runs[i // topics]}:{track.topics[i % topics]}" for i in lists[:3]]
    findings.add("scores-not-in-rank-order", len(lists), names, "rules on scores stop at the first low one")


def _pool_edges(track: Track, best_k: Sequence[int], findings: Findings) -> None:
    """Tell of runs whose best fixed length is where the judgments end: nobody knows if more would be worse."""
    topics = len(track.topics)
    edges = []
    for r, k in enumerate(best_k):
        judged = track.entries.block(r * topics, (r + 1) * topics).rank
        lengths = track.lengths[r * topics : (r + 1) * topics]
        near = [(k - k // 2, k), (k, k + max(k // 2, 1))]
        there = [int((np.minimum(lengths, high) - np.minimum(lengths, low)).sum()) for low, high in near]
        known = [int(((judged > low) & (judged <= high)).sum()) for low, high in near]
        if all(there) and known[0] / there[0] - known[1] / there[1] > _EDGE:
            edges.append(f"{track.runs[r]} at {k}")
    text = "the best fixed length is where judged documents end, so that stopping later may be better than it looks"
    findings.add("stops-at-pool-depth", len(edges), edges, text)


def _one_run(
    m: Measure, track: Track, run: int, curves: Floats, rules: dict[str, Ready], fold: Ints, zero: bool
) -> _Run:
    """Every rule on one run; ``curves`` are the scores of its lists at every length."""
    topics = len(track.topics)
    here = slice(run * topics, (run + 1) * topics)
    lengths = track.lengths[here]
    scores = _padded(track, here)
    raw, gaps = curves[:, -1], np.isnan(curves)
    counted: NDArray[np.bool_] = np.logical_or(zero, ~gaps.any(axis=1))
    curves = np.where(gaps, 0.0, curves)
    at = np.arange(topics)

    def scored(n: Ints) -> Floats:
        return np.where(counted, curves[at, n], np.nan)

    learned: list[Learned | None] = []
    policies: list[Policy] = []
    given: list[Ints] = []
    for rule in rules.values():
        if isinstance(rule, Policy):
            learned.append(None)
            policies.append(rule)
            given.append(rule.cuts(scores, lengths))
        else:
            found = learn(rule, scores, lengths, curves, fold, counted)
            learned.append(found)
            policies.append(found.policy)
            given.append(found.lengths)
    best = policies[list(rules).index(FixedK.name)]
    assert isinstance(best, FixedK)
    oracle_length, oracle_value, full = best_of_rows(curves, m, zero=True)
    return _Run(
        value=np.stack([scored(n) for n in given]), length=np.stack(given), policies=policies, learned=learned,
        oracle=(oracle_length, np.where(counted, oracle_value, np.nan)), full=np.where(counted, full, np.nan),
        best_fixed=scored(best.cuts(scores, lengths)), best_k=best, raw=raw,
    )  # fmt: skip


def _padded(track: Track, lists: slice) -> Floats:
    """Scores of lists side by side, NaN past the end of each."""
    assert track.scores is not None
    lengths = track.lengths[lists]
    start = track.score_offsets[lists.start]
    out = np.full((len(lengths), max(int(lengths.max(initial=0)), 1)), np.nan)
    out[np.arange(out.shape[1]) < lengths[:, None]] = track.scores[start : start + int(lengths.sum())]
    return out
