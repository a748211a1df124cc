"""From grades to gains (DEFINITIONS §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GAINS", "gain_of"]

GAINS = {
    "binary": "1 if g ≥ rel else 0",
    "linear": "g / gmax",
    "exp": "(2^g − 1) / 2^gmax",
    "raw": "g",
    "raw-exp": "2^g − 1",
}


def gain_of(
    grade: NDArray[np.int32], gain: str | Mapping[int, float], *, gmax: int, rel: int = 1
) -> NDArray[np.float64]:
    r"""Gain of each grade; a grade of 0 or below gains nothing, whatever the map (a table decides for itself).

    ``exp`` is Chapelle's $(2^g-1)/2^{g_{max}}$, computed as $2^{g-g_{max}} - 2^{-g_{max}}$ so that large grades do not
    overflow; its top gain stays below 1.

    >>> gain_of(np.array([-1, 0, 1, 2]), "exp", gmax=2)
    array([0.  , 0.  , 0.25, 0.75])
    >>> gain_of(np.array([0, 2]), {0: 0, 1: 0.5}, gmax=2)
    Traceback (most recent call last):
    leadline.errors.UsageError: gain table has no entry for grade 2; it has 0, 1
    """
    if isinstance(gain, Mapping):
        return _from_table(grade, gain)
    if gain == "binary":
        return (grade >= rel).astype(np.float64)
    g = np.maximum(grade, 0).astype(np.float64)
    if gain == "linear":
        return g / gmax
    if gain == "exp":
        return np.asarray(np.exp2(g - gmax) - np.exp2(-float(gmax)))
    if gain == "raw":
        return g
    if gain == "raw-exp":
        return np.exp2(g) - 1
    raise UnknownName("gain", str(gain), GAINS)


def _from_table(grade: NDArray[np.int32], table: Mapping[int, float]) -> NDArray[np.float64]:
    known = np.array(sorted(table), dtype=np.int64)
    place = np.clip(np.searchsorted(known, grade), 0, max(len(known) - 1, 0))
    missing = np.ones(len(grade), bool) if not len(known) else known[place] != grade
    if missing.any():
        listed = ", ".join(map(str, known.tolist()))
        raise UsageError(f"gain table has no entry for grade {int(grade[missing][0])}; it has {listed}")
    return np.array([float(table[int(g)]) for g in known])[place] if len(grade) else np.zeros(0)
