"""Who really wins: tests of every pair of runs, with effect, interval, wins and doubts beside each p-value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.base import Measure
from leadline.measures.names import parse
from leadline.measures.scores import Scores
from leadline.measures.scoring import Undefined, score_track
from leadline.rankings.track import Track
from leadline.stats import LetterDisplay, PairTests, adjust, compact_letters, detectable_effect, t_power, topics_needed
from leadline.stats._arrays import Bools, Floats, Rng, share
from leadline.systems.flags import Doubts, pair_flags, unjudged_share
from leadline.systems.pair_tests import SIMULTANEOUS, named_test, run_test
from leadline.systems.residuals import residuals_of

__all__ = ["Compared", "Comparison", "TopicDesign", "compare"]


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One measure's comparison: vectors over the pairs, and each run's mean."""

    tests: PairTests
    p_adjusted: Floats
    significant: Bools
    flags: list[tuple[str, ...]]
    mean: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TopicDesign:
    """What this many topics can show, for each pair: vectors over the pairs.

    ``power`` is the chance that a paired t-test with as many topics finds an effect as large as the observed one
    (post hoc: it tells nothing that p does not); ``topics_needed`` the topics for power 1 − β; ``detectable`` the
    smallest difference that would be found with power 1 − β on as many topics.
    """

    power: Floats
    topics_needed: Floats
    detectable: Floats
    alpha: float
    beta: float


class Comparison:
    """What :func:`compare` returns: for each measure a test of every pair.

    ``resamples`` and ``seed`` say how a resampling test was drawn (None for the others; a Generator that was handed
    in has no seed).
    """

    def __init__(
        self, runs: Sequence[str], topics: Sequence[str], compared: Mapping[Measure, Compared], *, test: str,
        correction: str, alpha: float, baseline: str | None, findings: Findings,
    ) -> None:  # fmt: skip
        self.runs, self.topics = tuple(runs), tuple(topics)
        self.test, self.correction, self.alpha = test, correction, alpha
        self.baseline = baseline
        self.findings = findings
        self._compared = dict(compared)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order asked for."""
        return tuple(self._compared)

    @property
    def resamples(self) -> int | None:
        """Resamples drawn, B."""
        return next(iter(self._compared.values())).tests.resamples

    @property
    def seed(self) -> int | None:
        """Seed of the draws; the same for every measure, so that all see the same resampled topics."""
        return next(iter(self._compared.values())).tests.seed

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the compared runs, (a, b)."""
        tests = next(iter(self._compared.values())).tests
        return tuple((self.runs[a], self.runs[b]) for a, b in zip(tests.first, tests.second, strict=True))

    def __getitem__(self, measure: str | Measure) -> Compared:
        wanted = parse(measure)
        if wanted not in self._compared:
            raise UnknownName("measure in this comparison", str(wanted), map(str, self._compared))
        return self._compared[wanted]

    def wins(self, measure: str | Measure) -> tuple[Any, Any, Any]:
        """Topics on which a is better, tied and worse than b; better is lower where the measure says so."""
        tests = self[measure].tests
        if parse(measure).higher_is_better:
            return tests.wins, tests.ties, tests.losses
        return tests.losses, tests.ties, tests.wins

    def better(self, measure: str | Measure) -> Bools:
        """``better[i, j]``: run i is significantly better than run j (False for pairs not compared)."""
        one = self[measure]
        found = np.zeros((len(self.runs), len(self.runs)), np.bool_)
        ahead = (one.tests.difference > 0) == parse(measure).higher_is_better
        first, second = one.tests.first[one.significant], one.tests.second[one.significant]
        ahead = ahead[one.significant]
        found[np.where(ahead, first, second), np.where(ahead, second, first)] = True
        return found

    def letters(self, measure: str | Measure) -> LetterDisplay:
        """Compact letter display: runs that share a letter do not differ significantly; ``a`` goes to the best."""
        if self.baseline is not None:
            raise UsageError("Letters need all pairs; without baseline= they are compared.")
        better = self.better(measure)
        mean = self[measure].mean
        order = np.argsort(-mean if parse(measure).higher_is_better else mean, kind="stable")
        return compact_letters(better | better.T, order)

    def marks(self, measure: str | Measure) -> tuple[str, ...]:
        """The superscript of each run: its letters or, against a baseline, ↑ and ↓ where it differs significantly."""
        if self.baseline is None:
            return self.letters(measure).text
        better, base = self.better(measure), self.runs.index(self.baseline)
        return tuple("↑" if up else "↓" if down else "" for up, down in zip(better[:, base], better[base], strict=True))

    def design(self, measure: str | Measure, *, beta: float = 0.2) -> TopicDesign:
        """Topic-set design: power of each pair's test, topics it would need, smallest difference it can find.

        References: Sakai. Topic set size design. Inf. Retrieval J. 2016. doi:10.1007/s10791-015-9273-z
        """
        tests = self[measure].tests
        with np.errstate(invalid="ignore", divide="ignore"):
            sd = np.where(np.isfinite(tests.effect) & (tests.effect != 0), tests.difference / tests.effect, 0.0)
        sizes, where = np.unique(tests.topics, return_inverse=True)
        least = detectable_effect(sizes, alpha=self.alpha, beta=beta)[where]
        return TopicDesign(
            t_power(tests.effect, tests.topics, alpha=self.alpha),
            topics_needed(tests.effect, alpha=self.alpha, beta=beta),
            np.where(np.isnan(tests.effect), np.nan, least * sd),
            self.alpha,
            beta,
        )

    def columns(self, *, power: bool = False, beta: float = 0.2) -> dict[str, Any]:
        """Columns a, b, measure, difference, low, high, effect, wins, ties, losses, p, p_adjusted, significant, flags.

        ``difference`` is mean(a) − mean(b) in the measure's own unit, also where less is better; ``wins`` counts the
        topics on which a is better. ``power=True`` adds power, topics_needed and detectable.
        """
        parts = [self._rows(m, beta if power else None) for m in self._compared]
        merged: dict[str, Any] = {}
        for name in parts[0]:
            values = [part[name] for part in parts]
            arrays = isinstance(values[0], np.ndarray)
            merged[name] = np.concatenate(values) if arrays else list(chain.from_iterable(values))
        return merged

    def _rows(self, m: Measure, beta: float | None) -> dict[str, Any]:
        one = self._compared[m]
        wins, ties, losses = self.wins(m)
        tests = one.tests
        rows: dict[str, Any] = {
            "a": [a for a, _ in self.pairs],
            "b": [b for _, b in self.pairs],
            "measure": [str(m)] * len(self.pairs),
            "difference": tests.difference,
            "low": tests.low,
            "high": tests.high,
            "effect": tests.effect,
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "p": tests.p,
            "p_adjusted": one.p_adjusted,
            "significant": one.significant,
            "flags": [list(flags) for flags in one.flags],
        }
        if beta is not None:
            design = self.design(m, beta=beta)
            needed = [int(n) if np.isfinite(n) else n for n in design.topics_needed.tolist()]
            rows |= {"power": design.power, "topics_needed": needed, "detectable": design.detectable}
        return rows

    def score_columns(self) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
        """Means as run × measure, and the superscripts that belong to them: the table for a paper."""
        means = {str(m): one.mean for m, one in self._compared.items()}
        return {"run": list(self.runs)} | means, {str(m): self.marks(m) for m in self._compared}

    def described(self) -> str:
        """One sentence on how it was tested."""
        drawn = "" if self.resamples is None else f", {self.resamples:,} resamples, seed {self.seed}"
        against = "all pairs" if self.baseline is None else f"against {self.baseline}"
        return f"{self.test} test, {against}, correction {self.correction}, α = {self.alpha:g}{drawn}"

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.pairs)} pairs × {len(self.measures)} measures, {self.described()}>"


def compare(
    data: Track | Scores,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    confidence: float | None = None,
    resamples: int = 10_000,
    rng: Rng = 0,
    undefined: Undefined = "zero",
    unjudged: str = "nonrelevant",
    rel: int | None = None,
    residuals: bool = True,
    threads: int | None = None,
) -> Comparison:
    """Test every pair of runs, or every run against a baseline, on every measure.

    ``test``: t, wilcoxon, sign, permutation, bootstrap, tukey, randomised-tukey. ``correction``: none, bonferroni,
    holm, bh; by default holm, and none for the two Tukey tests, which account for the number of pairs themselves. The
    family is the pairs of one measure. Significant means adjusted p < α. Intervals have confidence 1 − α unless
    told. ``rng`` and ``resamples`` are for permutation, bootstrap and randomised-tukey; all measures see the same
    draws. ``residuals=False`` leaves out the flag on what unjudged documents leave open.

    >>> import leadline
    >>> qrels = {q: {"a": 1} for q in "123456"}
    >>> lists = {"x": {"a": 2.0, "b": 1.0}, "y": {"b": 2.0, "a": 1.0}}
    >>> runs = {run: {q: lists["xy"[(run == "y") ^ (q == "6")]] for q in qrels} for run in "xy"}
    >>> found = compare(leadline.read(qrels, runs), "RR", test="sign")
    >>> found["RR"].tests.difference.round(4).tolist(), found["RR"].tests.p.round(5).tolist(), found["RR"].flags
    ([0.3333], [0.21875], [('n=6 topics', '50 % unjudged@10', 'residual 0.42 > |difference|')])
    """
    name = named_test(test)
    share(alpha, "alpha")
    chosen = ("none" if name in SIMULTANEOUS else "holm") if correction is None else correction
    scores, doubts = _scored(data, measures, undefined=undefined, unjudged=unjudged, rel=rel, residuals=residuals)
    if len(scores.runs) < 2:
        raise UsageError(f"A comparison needs two runs at least. Got {len(scores.runs)}.")
    if baseline is not None and baseline not in scores.runs:
        raise UnknownName("run", baseline, scores.runs)
    base = None if baseline is None else scores.runs.index(baseline)
    compared = {}
    for m in scores.measures:
        if not m.per_topic:
            raise UsageError(f"{m} exists for whole runs only: there are no topics to test it on.")
        tests = run_test(
            scores.array(m), name, baseline=base, confidence=1 - alpha if confidence is None else confidence,
            resamples=resamples, rng=rng, threads=threads,
        )  # fmt: skip
        p = adjust(tests.p, chosen)
        flags = pair_flags(tests, doubts[m])
        compared[m] = Compared(tests, p, np.asarray(p < alpha), flags, scores.mean(m))
    return Comparison(
        scores.runs, scores.topics, compared, test=name, correction=chosen, alpha=alpha, baseline=baseline,
        findings=scores.findings,
    )  # fmt: skip


def _scored(
    data: Track | Scores, measures: Any, *, undefined: Undefined, unjudged: str, rel: int | None, residuals: bool
) -> tuple[Scores, dict[Measure, Doubts]]:
    """The scores to test and what is doubtful about them."""
    if isinstance(data, Scores):
        if measures is not None:
            wanted = [measures] if isinstance(measures, str | Measure) else list(measures)
            values = {parse(m): data.array(m) for m in wanted}
            data = Scores(data.runs, data.topics, values, data.findings)
        return data, {m: Doubts(np.isnan(data.array(m)), False) for m in data.measures}
    if measures is None:
        raise UsageError("compare needs measures, like compare(track, 'nDCG@10').")
    scores = score_track(data, measures, undefined=undefined, unjudged=unjudged, rel=rel)
    gaps = scores
    if "undefined-scores" in scores.findings.codes and undefined == "zero":
        gaps = score_track(data, scores.measures, undefined="nan")
    found = {}
    for m in scores.measures:
        missing = np.isnan(gaps.array(m)) & np.full(data.shape, m.per_topic)
        zero = undefined == "zero" and m.zero_if_undefined
        left = residuals_of(data, m) if residuals else None
        found[m] = Doubts(missing, zero, *unjudged_share(data, m), residual=None if left is None else left.mean(axis=1))
    return scores, found
