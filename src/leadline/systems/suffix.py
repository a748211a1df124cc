"""Suffix prediction: is what reciprocal rank says to be seen in the relevant documents after the first one?

References: Diaz. 2023, section 5.1 and Table 1. arXiv:2306.07908
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.track import Track
from leadline.stats._arrays import pair_indices
from leadline.systems.recall_levels import RecallLevels, first_differences

__all__ = ["SuffixAgreement", "suffix_agreement"]


@dataclass(frozen=True, slots=True)
class SuffixAgreement:
    """Share of the ``pairs`` of rankings with δRR_1 ≠ 0 whose sign follows from the other relevant documents.

    ``lexicographic`` predicts by the 2nd, 3rd, … relevant documents, ``second`` by the 2nd alone (δRR_2). A
    tied prediction counts as disagreement. NaN without such pairs.
    """

    lexicographic: float
    second: float
    pairs: int

    def columns(self) -> dict[str, Any]:
        """Columns predictor, agreement, pairs."""
        return {"predictor": ["sgnLP", "RR"], "agreement": [self.lexicographic, self.second], "pairs": [self.pairs] * 2}


def suffix_agreement(track: Track, *, rel: int = 1) -> SuffixAgreement:
    """How often ranks p_2 … p_m agree with the sign of δRR_1, over all pairs of runs and topics.

    >>> import leadline
    >>> runs = {"x": {"q": {"a": 9.0, "b": 8.0}}, "y": {"q": {"z": 9.0, "a": 8.0, "b": 7.0}}}
    >>> suffix_agreement(leadline.read({"q": {"a": 1, "b": 1}}, runs))
    SuffixAgreement(lexicographic=1.0, second=1.0, pairs=1)
    """
    known = RecallLevels.of(track, rel)
    if len(known.runs) < 2:
        raise UsageError("Predicting preferences needs two runs at least.")
    first, second = pair_indices(len(known.runs))
    pairs, by_lp, by_rr = 0, 0, 0
    for _, ranks in known.blocks(least=2):
        place, sign = first_differences(ranks, first, second)
        decided = place == 1
        suffix_place, suffix = first_differences(ranks[:, :, 1:], first, second)
        right = decided & (suffix == sign)
        pairs += int(np.count_nonzero(decided))
        by_lp += int(np.count_nonzero(right))
        by_rr += int(np.count_nonzero(right & (suffix_place == 1)))  # the 2nd one decides: δRR_2 has this sign
    if not pairs:
        return SuffixAgreement(float("nan"), float("nan"), 0)
    return SuffixAgreement(by_lp / pairs, by_rr / pairs, pairs)
