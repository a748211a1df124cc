"""What a cross-validated comparison of stopping rules may claim.

Two things are claimed of a rule, each with a one-sided paired t-test over held-out topics: that it beats returning
everything, and that it beats the best fixed length. The latter is the length that is best *in hindsight*, on the very
topics it is compared on, so that it has an unfair advantage and not the rule. To claim both, the larger of the two
p-values counts; Holm's correction makes up for the number of rules that had the chance (sentences print corrected
p-values). And the gain must matter: at least 1 % of what the oracle gains, since a rule that drops a last document here
and there may be better for sure and still not worth having. Nothing is said to be better for having the largest mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.depths.policies import FixedK, NeverStop, Policy
from leadline.measures.base import Measure
from leadline.rankings.entries import Floats
from leadline.stats.multiplicity import adjust
from leadline.stats.paired import difference_tests

__all__ = ["Recommendation", "Verdicts", "compare_policies", "recommend"]

MATTERS = 0.01  # of the oracle's gain: less is not worth a rule
SIMPLE = (NeverStop.name, FixedK.name)  # what rules on scores have to beat


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One-sided p-values of each policy that is not one of the simple two: higher than the whole list, than fixed k."""

    policies: tuple[str, ...]
    p_never: Floats
    p_fixed: Floats
    adjusted_never: Floats  # corrected for the number of policies
    adjusted_both: Floats  # the larger p of the two, corrected
    beats_never: tuple[bool, ...]
    beats_both: tuple[bool, ...]
    fixed_p_never: float  # of fixed-k itself, held out
    fixed_beats_never: bool

    def of(self, policy: str) -> dict[str, float | bool | None]:
        """p against the whole list, against the best fixed length, against both (corrected), and the claim."""
        names = ("p_never", "p_fixed", "p_adjusted", "claim")
        if policy == FixedK.name:
            return dict(zip(names, (self.fixed_p_never, None, None, None), strict=True))
        if policy not in self.policies:
            return dict.fromkeys(names)
        i = self.policies.index(policy)
        found = (float(self.p_never[i]), float(self.p_fixed[i]), float(self.adjusted_both[i]), self.beats_both[i])
        return dict(zip(names, found, strict=True))


@dataclass(frozen=True)
class Recommendation:
    """The rule to use for one run. ``claim``: it is shown to beat both the whole list and the best fixed length."""

    run: str
    name: str
    policy: Policy
    claim: bool
    sentence: str

    def __str__(self) -> str:
        return f"{self.run}: {self.sentence}"


def compare_policies(
    names: Sequence[str], values: Floats, full: Floats, best_fixed: Floats, oracle: Floats, alpha: float
) -> Verdicts:
    """Test every rule (policies × topics of held-out values) against the whole list and the best fixed length."""
    kept = [i for i, n in enumerate(names) if n not in SIMPLE]
    mine, own = values[kept], values[[list(names).index(FixedK.name)]]
    never, fixed, simple = _one_sided(mine - full), _one_sided(mine - best_fixed), _one_sided(own - full)
    over_never, over_fixed = _matters(mine, full, oracle), _matters(mine, best_fixed, oracle)
    alone, both = adjust(never), adjust(np.maximum(never, fixed))
    return Verdicts(
        policies=tuple(names[i] for i in kept),
        p_never=never,
        p_fixed=fixed,
        adjusted_never=alone,
        adjusted_both=both,
        beats_never=tuple(((alone < alpha) & over_never).tolist()),
        beats_both=tuple(((both < alpha) & over_never & over_fixed).tolist()),
        fixed_p_never=float(simple[0]),
        fixed_beats_never=bool(simple[0] < alpha and _matters(own, full, oracle)[0]),
    )


def _matters(values: Floats, baseline: Floats, oracle: Floats) -> NDArray[np.bool_]:
    """Whether the mean gain over the baseline is more than a trifle of the oracle's."""
    known = ~np.isnan(oracle)
    if not known.any():
        return np.zeros(len(values), bool)
    gain, most = (values - baseline)[:, known].mean(axis=1), (oracle - baseline)[known].mean()
    return np.asarray((gain > 0) & (gain >= MATTERS * most))


def _one_sided(differences: Floats) -> Floats:
    """p-values of "the mean difference is not above 0"; undefined topics are left out."""
    if not len(differences):
        return np.zeros(0)
    found = difference_tests(differences, "t", first=np.arange(len(differences)) + 1, second=np.zeros(len(differences)))
    return np.where(found.difference > 0, found.p / 2, 1 - found.p / 2)


def recommend(
    run: str, measure: Measure, names: Sequence[str], policies: Sequence[Policy], values: Floats, full: Floats,
    best_fixed: Floats, best_k: int, tests: Verdicts,
) -> Recommendation:  # fmt: skip
    """The best rule of those that are shown to help; the simplest one where none is."""
    means = {n: _mean(v) for n, v in zip(names, values, strict=True)}
    everything, fixed = _mean(full), _mean(best_fixed)
    of = dict(zip(names, policies, strict=True))
    alone, both = (dict(zip(tests.policies, p, strict=True)) for p in (tests.adjusted_never, tests.adjusted_both))
    proven = [n for n, ok in zip(tests.policies, tests.beats_both, strict=True) if ok]
    helping = [n for n, ok in zip(tests.policies, tests.beats_never, strict=True) if ok]
    scale = f"{measure} on held-out topics: "
    if proven:
        best = max(proven, key=lambda n: means[n])
        text = f"{means[best]:.4f} against {everything:.4f} for everything and {fixed:.4f} for the best fixed length, "
        return _advice(run, best, of[best], True, f"{scale}{text}{best_k} ({_p(both[best])}).")
    if tests.fixed_beats_never:
        text = f"{means[FixedK.name]:.4f} against {everything:.4f} for everything ({_p(tests.fixed_p_never)}). "
        return _advice(run, FixedK.name, of[FixedK.name], False, scale + text + _nothing_better(means, both))
    if helping:
        best = max(helping, key=lambda n: means[n])
        text = f"{means[best]:.4f} against {everything:.4f} for everything ({_p(alone[best])}). "
        more = f"Not shown to beat the best fixed length, {best_k} ({fixed:.4f})."
        return _advice(run, best, of[best], False, scale + text + more)
    return _advice(
        run, NeverStop.name, of[NeverStop.name], False, f"{scale}{everything:.4f}. {_nothing_better(means, alone)}"
    )


def _advice(run: str, name: str, policy: Policy, claim: bool, text: str) -> Recommendation:
    rule = policy.sentence()
    return Recommendation(run, name, policy, claim, f"{rule[0].upper()}{rule[1:]} ({name}). {text}")


def _nothing_better(means: dict[str, float], p: dict[str, float]) -> str:
    if not p:
        return "No rule on scores was tried."
    best = max(p, key=lambda n: means[n])
    return f"No rule on scores is shown to do better (best: {best}, {means[best]:.4f}, {_p(p[best])})."


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
