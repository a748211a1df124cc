"""Preferences between rankings: which of two lists a person would rather have, topic by topic, for all pairs of runs.

Reciprocal rank sees the first relevant document only, so that it ties on a large share of all pairs. Lexicographic
precision agrees with it wherever it decides, and otherwise looks at the second relevant document, the third, …; it ties
only where every relevant document stands at the same rank.

References: Diaz. Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic
precision. 2023. arXiv:2306.07908. Diaz, Mitra. Recall, robustness, and lexicographic evaluation. 2023.
arXiv:2302.11370. Diaz, Ferraro. Offline retrieval evaluation without evaluation metrics. SIGIR 2022.
doi:10.1145/3477495.3532033
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UnknownName, UsageError
from leadline.findings import Findings
from leadline.measures.scoring import missing_topics
from leadline.rankings.track import Track
from leadline.stats import PairTests, adjust, difference_tests, tukey_hsd_preferences
from leadline.stats._arrays import Bools, Floats, Ints, pair_indices, share
from leadline.systems.pair_tests import named_test
from leadline.systems.preference_names import Preference, parse_preference, parse_preferences
from leadline.systems.recall_levels import UNRANKED, Ranks, RecallLevels, first_differences, reciprocal, smaller_counts

__all__ = ["PREFERENCE_TESTS", "Preferences", "Preferred", "decided", "prefer"]

PREFERENCE_TESTS = ("t", "wilcoxon", "sign", "tukey")
"""Tests of preferences, by name."""
_USUAL = {"rrLP": "t", "RR": "t", "RPP": "t", "sgnLP": "sign", "LR": "sign"}


@dataclass(frozen=True, slots=True, eq=False)
class Preferred:
    """One preference between the runs of every pair: arrays are pairs × topics.

    ``value`` is the preference of a over b. ``level`` is the recall level that decided (i*), 0 for a tie; None for
    RPP, which all levels decide.
    """

    levels: RecallLevels
    value: Floats
    level: NDArray[np.int32] | None
    tests: PairTests
    p_adjusted: Floats

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics with a relevant document: the others have nothing to prefer."""
        return self.levels.topics

    @property
    def ties(self) -> float:
        """Share of all pairs of rankings that are tied."""
        return float(np.mean(self.value == 0)) if self.value.size else float("nan")


class Preferences:
    """What :func:`prefer` returns."""

    def __init__(
        self, runs: Sequence[str], pairs: tuple[Ints, Ints], preferred: dict[Preference, Preferred], *,
        baseline: str | None, correction: str, alpha: float, findings: Findings,
    ) -> None:  # fmt: skip
        self.runs = tuple(runs)
        self.first, self.second = pairs
        self.baseline, self.correction, self.alpha = baseline, correction, alpha
        self.findings = findings
        self._preferred = preferred

    @property
    def preferences(self) -> tuple[Preference, ...]:
        """The preferences, in the order asked for."""
        return tuple(self._preferred)

    def __getitem__(self, preference: str | Preference) -> Preferred:
        wanted = parse_preference(preference)
        if wanted not in self._preferred:
            raise UnknownName("preference in this result", str(wanted), map(str, self._preferred))
        return self._preferred[wanted]

    def array(self, preference: str | Preference) -> Floats:
        """Preference of a over b, pairs × topics."""
        return self[preference].value

    def tensor(self, preference: str | Preference) -> Floats:
        """Preference of run i over run j, runs × runs × topics; antisymmetric, NaN for pairs not compared."""
        value = self[preference].value
        full = np.full((len(self.runs), len(self.runs), value.shape[1]), np.nan)
        full[self.first, self.second] = value
        full[self.second, self.first] = 0.0 - value
        full[np.arange(len(self.runs)), np.arange(len(self.runs))] = 0.0
        return full

    def matrix(self, preference: str | Preference) -> Floats:
        """Mean preference of run i over run j; antisymmetric, NaN for pairs not compared."""
        return self[preference].tests.matrix("difference")

    def significant(self, preference: str | Preference) -> Bools:
        """Which pairs differ: adjusted p < α."""
        return np.asarray(self[preference].p_adjusted < self.alpha)

    def columns(self, *, adjusted: bool = False) -> dict[str, Any]:
        """Columns a, b, preference, value, wins, ties, losses, p; ``adjusted`` adds p_adjusted and significant."""
        n = len(self._preferred)
        tests = [one.tests for one in self._preferred.values()]
        columns: dict[str, Any] = {
            "a": [self.runs[i] for i in self.first] * n,
            "b": [self.runs[i] for i in self.second] * n,
            "preference": [str(p) for p in self._preferred for _ in self.first],
            "value": np.concatenate([t.difference for t in tests]),
            "wins": np.concatenate([t.wins for t in tests]),
            "ties": np.concatenate([t.ties for t in tests]),
            "losses": np.concatenate([t.losses for t in tests]),
            "p": np.concatenate([t.p for t in tests]),
        }
        if adjusted:
            columns["p_adjusted"] = np.concatenate([one.p_adjusted for one in self._preferred.values()])
            columns["significant"] = np.concatenate([self.significant(p) for p in self._preferred])
        return columns

    def topic_columns(self) -> dict[str, Any]:
        """Columns a, b, preference, topic, value, level: every single decision."""
        parts: dict[str, list[Any]] = {n: [] for n in ("a", "b", "preference", "topic", "value", "level")}
        for p, one in self._preferred.items():
            topics = len(one.topics)
            parts["a"] += [self.runs[i] for i in self.first for _ in range(topics)]
            parts["b"] += [self.runs[i] for i in self.second for _ in range(topics)]
            parts["preference"] += [str(p)] * one.value.size
            parts["topic"] += list(one.topics) * len(self.first)
            parts["value"] += one.value.ravel().tolist()
            parts["level"] += [None] * one.value.size if one.level is None else one.level.ravel().tolist()
        return parts

    def summary(self) -> dict[str, Any]:
        """Columns preference, test, correction, ties, significant: Tables 2 and 3 of Diaz for this track.

        ``ties`` is the share of pairs of rankings that are tied, ``significant`` the share of pairs of runs that
        differ.
        """
        return {
            "preference": [str(p) for p in self._preferred],
            "test": [one.tests.test for one in self._preferred.values()],
            "correction": [self.correction] * len(self._preferred),
            "ties": [one.ties for one in self._preferred.values()],
            "significant": [float(self.significant(p).mean()) for p in self._preferred],
        }

    def __repr__(self) -> str:
        names = ", ".join(map(str, self._preferred))
        return f"<Preferences: {len(self.first)} pairs of {len(self.runs)} runs, {names}>"


def prefer(
    track: Track,
    preferences: Iterable[str | Preference] | str | Preference = "rrLP",
    *,
    baseline: str | None = None,
    test: str | None = None,
    correction: str = "none",
    alpha: float = 0.05,
    rel: int | None = None,
) -> Preferences:
    r"""Preferences between the runs of every pair, or between every run and a baseline.

    With $p_i$ the rank of the i-th relevant document of a ranking, $\mathrm{RR}_i = 1/p_i$ (0 if unretrieved) and
    $i^*$ the smallest $i$ with $\delta\mathrm{RR}_i \ne 0$:

    - ``rrLP`` $= \delta\mathrm{RR}_{i^*}$ and ``sgnLP``, its sign; 0 if there is no such $i$.
    - ``LR`` (lexirecall): more relevant documents win; if equal, the worst-placed one that differs decides.
    - ``RPP`` $= \frac1m \sum_i \operatorname{sgn} \delta\mathrm{RR}_i$.
    - ``RR`` $= \delta\mathrm{RR}_1$, to see what the others add.

    Topics without a relevant document are left out, with a finding; a run that misses a topic has all its documents
    unretrieved there. ``test``: t (usual for rrLP, RPP and RR), sign (the binomial test; usual for sgnLP and LR),
    wilcoxon, or tukey (HSD on preferences). ``correction``: none, bonferroni, holm, bh.

    References: Diaz. 2023. arXiv:2306.07908

    >>> import leadline
    >>> runs = {"x": {"q": {"d1": 3.0, "d2": 2.0}}, "y": {"q": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}}
    >>> found = prefer(leadline.read({"q": {"d1": 1, "d2": 1, "d3": 0}}, runs), ["rrLP", "RR"])
    >>> found["rrLP"].value.round(4).tolist(), found["rrLP"].level.tolist(), found["RR"].value.tolist()
    ([[0.1667]], [[2]], [[0.0]])
    """
    wanted = parse_preferences(preferences, rel)
    share(alpha, "alpha")
    if len(track.runs) < 2:
        raise UsageError(f"A preference needs two runs at least. Got {len(track.runs)}.")
    base = None if baseline is None else track.run(baseline)
    pairs = pair_indices(len(track.runs), base)
    findings = Findings(track.findings)
    missing_topics(track, findings)
    levels: dict[int, RecallLevels] = {}
    preferred = {}
    for p in wanted:
        if p.rel not in levels:
            levels[p.rel] = RecallLevels.of(track, p.rel)
            findings.extend(levels[p.rel].finding)
        value, level = _DECIDED[p.name](levels[p.rel], *pairs)
        tests = _tested(value, test or _USUAL[p.name], pairs, track, base)
        preferred[p] = Preferred(levels[p.rel], value, level, tests, adjust(tests.p, correction))
    return Preferences(
        track.runs, pairs, preferred, baseline=baseline, correction=correction, alpha=alpha, findings=findings
    )


def _tested(value: Floats, test: str, pairs: tuple[Ints, Ints], track: Track, base: int | None) -> PairTests:
    name = named_test(test, PREFERENCE_TESTS)
    if name != "tukey":
        return difference_tests(value, name, first=pairs[0], second=pairs[1], systems=len(track.runs))
    if base is not None:
        raise UsageError("Tukey's HSD looks at all pairs; leave baseline out, or take another test.")
    return tukey_hsd_preferences(value)


def decided(levels: RecallLevels, first: Ints, second: Ints) -> tuple[NDArray[np.int32], Ranks, Ranks]:
    """i* (0 for a tie) and the ranks of the two runs there, each pairs × topics."""
    shape = (len(first), len(levels.topics))
    place = np.zeros(shape, np.int32)
    own, other = np.full(shape, UNRANKED, np.int32), np.full(shape, UNRANKED, np.int32)
    for topics, ranks in levels.blocks():
        found, _ = first_differences(ranks, first, second)
        place[:, topics] = found
        at, t = np.maximum(found, 1) - 1, np.arange(len(topics))
        own[:, topics], other[:, topics] = ranks[first[:, None], t, at], ranks[second[:, None], t, at]
    return place, own, other


def _rr_lp(levels: RecallLevels, first: Ints, second: Ints) -> tuple[Floats, NDArray[np.int32]]:
    place, own, other = decided(levels, first, second)
    return reciprocal(own) - reciprocal(other), place


def _sgn_lp(levels: RecallLevels, first: Ints, second: Ints) -> tuple[Floats, NDArray[np.int32]]:
    place, own, other = decided(levels, first, second)
    return np.sign(other.astype(np.float64) - own), place


def _rr(levels: RecallLevels, first: Ints, second: Ints) -> tuple[Floats, NDArray[np.int32]]:
    rank = levels.first()
    value = reciprocal(rank)[first] - reciprocal(rank)[second]
    return value, (rank[first] != rank[second]).astype(np.int32)


def _lexirecall(levels: RecallLevels, first: Ints, second: Ints) -> tuple[Floats, NDArray[np.int32]]:
    value = np.zeros((len(first), len(levels.topics)))
    level = np.zeros(value.shape, np.int32)
    for topics, ranks in levels.blocks():
        count = levels.found[:, topics]
        from_worst = np.maximum(count[..., None] - 1 - np.arange(ranks.shape[2]), 0)
        rows = np.concatenate([(UNRANKED - count)[..., None], np.take_along_axis(ranks, from_worst, 2)], axis=2)
        place, sign = first_differences(rows.astype(np.int32), first, second)
        value[:, topics] = sign
        fewer = np.minimum(count[first], count[second])
        level[:, topics] = np.where(place == 0, 0, np.where(place == 1, fewer + 1, fewer + 2 - place))
    return value, level


def _recall_paired(levels: RecallLevels, first: Ints, second: Ints) -> tuple[Floats, None]:
    value = np.empty((len(first), len(levels.topics)))
    for topics, ranks in levels.blocks():
        ahead = smaller_counts(ranks)
        value[:, topics] = (ahead[first, second] - ahead[second, first]) / levels.relevant[topics]
    return value, None


_DECIDED: dict[str, Any] = {
    "rrLP": _rr_lp,
    "sgnLP": _sgn_lp,
    "LR": _lexirecall,
    "RPP": _recall_paired,
    "RR": _rr,
}
