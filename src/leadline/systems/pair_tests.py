"""Every test of score differences by the name people type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leadline.errors import UnknownName
from leadline.stats import (
    PairTests,
    paired_bootstrap,
    paired_t,
    randomised_tukey,
    sign_flip,
    sign_test,
    tukey_hsd,
    wilcoxon,
)
from leadline.stats._arrays import Floats, Rng

__all__ = ["SIMULTANEOUS", "TESTS", "named_test", "run_test"]

_PLAIN: dict[str, Callable[..., PairTests]] = {
    "t": paired_t,
    "wilcoxon": wilcoxon,
    "sign": sign_test,
    "tukey": tukey_hsd,
}
_RESAMPLED: dict[str, Callable[..., PairTests]] = {
    "permutation": sign_flip,
    "bootstrap": paired_bootstrap,
    "randomised-tukey": randomised_tukey,
}
_SPELLINGS = {
    "paired-t": "t",
    "student": "t",
    "binomial": "sign",
    "sign-flip": "permutation",
    "fisher": "permutation",
    "hsd": "tukey",
    "randomized-tukey": "randomised-tukey",
}

TESTS = ("t", "wilcoxon", "sign", "permutation", "bootstrap", "tukey", "randomised-tukey")
"""Tests of score differences, by name."""

SIMULTANEOUS = frozenset({"tukey", "randomised-tukey"})
"""Tests that account for the number of pairs by themselves: correcting them again would lose power for nothing."""


def named_test(name: str, known: tuple[str, ...] = TESTS) -> str:
    """The test's own name in any spelling.

    >>> named_test("Randomized_Tukey")
    'randomised-tukey'
    """
    plain = name.strip().lower().replace("_", "-")
    found = _SPELLINGS.get(plain, plain)
    if found not in known:
        raise UnknownName("test", name, known)
    return found


def run_test(
    X: Floats,
    test: str,
    *,
    baseline: int | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    rng: Rng = 0,
    threads: int | None = None,
) -> PairTests:
    """One test of a score matrix (systems × topics), all pairs or all against a baseline.

    >>> import numpy as np
    >>> run_test(np.array([[0.3, 0.5, 0.2], [0.2, 0.5, 0.1]]), "sign").wins.tolist()
    [2]
    """
    name = named_test(test)
    given: dict[str, Any] = {"confidence": confidence}
    if name in _PLAIN:
        return _PLAIN[name](X, baseline, **given)
    given |= {"resamples": resamples, "rng": rng}
    if name != "permutation":
        given["threads"] = threads
    return _RESAMPLED[name](X, baseline, **given)
