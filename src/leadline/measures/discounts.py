"""Rank discounts."""

from __future__ import annotations

import numpy as np

from leadline.errors import UnknownName
from leadline.rankings.entries import Floats

__all__ = ["DISCOUNTS", "discount"]

DISCOUNTS = ("log2", "zipf")


def discount(name: str, rank: Floats) -> Floats:
    """Weight of a rank: ``log2`` is $1/\\log_2(1+i)$, ``zipf`` is $1/i$.

    >>> discount("log2", np.array([1.0, 3.0]))
    array([1. , 0.5])
    """
    if name == "log2":
        return 1 / np.log2(1 + rank)
    if name == "zipf":
        return 1 / rank
    raise UnknownName("discount", name, DISCOUNTS)
