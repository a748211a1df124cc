"""Compact letter display: systems that share a letter do not differ significantly."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_letters

import numpy as np
from numpy.typing import ArrayLike

from leadline.errors import UsageError
from leadline.stats._arrays import Bools

__all__ = ["LetterDisplay", "compact_letters"]


@dataclass(frozen=True, slots=True, eq=False)
class LetterDisplay:
    """``member[i, c]``: system i carries letter c; ``letters`` names the columns, ``text`` is what to print."""

    letters: tuple[str, ...]
    member: Bools

    @property
    def text(self) -> tuple[str, ...]:
        """The letters of each system, joined."""
        return tuple("".join(name for name, has in zip(self.letters, row, strict=True) if has) for row in self.member)


def compact_letters(significant: ArrayLike, order: ArrayLike | None = None) -> LetterDisplay:
    """Letters such that two systems share one if and only if they do not differ significantly.

    ``significant`` is a symmetric matrix of booleans, ``order`` names the systems best first (default: as they come),
    and ``a`` goes to the best. Insert and absorb: start from one letter for all; for each significant pair split every
    letter that both carry, and drop letters contained in another one. After z follow A to Z, then a1, b1, …

    References: Piepho. An algorithm for a letter-based representation of all-pairwise comparisons. J. Comput. Graph.
    Statist. 2004. doi:10.1198/1061860043515

    >>> compact_letters([[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 0, 0]]).text
    ('a', 'ab', 'bc', 'c')
    """
    differs = np.asarray(significant).astype(np.bool_)
    m = len(differs)
    if differs.shape != (m, m) or (differs != differs.T).any() or differs.diagonal().any():
        raise UsageError("significant must be a symmetric matrix of booleans with a false diagonal.")
    ranked = np.arange(m) if order is None else np.asarray(order, dtype=np.intp)
    if ranked.shape != (m,) or (np.sort(ranked) != np.arange(m)).any():
        raise UsageError(f"order must name each system from 0 to {m - 1} once.")
    columns = _insert_and_absorb(differs[np.ix_(ranked, ranked)])
    member = np.zeros((m, len(columns)), dtype=np.bool_)
    for c, column in enumerate(columns):
        member[ranked[_members(column)], c] = True
    return LetterDisplay(tuple(map(_letter, range(len(columns)))), member)


def _insert_and_absorb(differs: Bools) -> list[int]:
    """The columns as bit sets over ranks, best first member first."""
    m = len(differs)
    columns = {(1 << m) - 1} if m else set()
    for i, j in zip(*(a.tolist() for a in np.nonzero(np.triu(differs))), strict=True):
        pair = (1 << i) | (1 << j)
        split = {c for c in columns if c & pair == pair}
        if not split:
            continue
        columns -= split
        for part in sorted({c & ~(1 << k) for c in split for k in (i, j)}, key=int.bit_count, reverse=True):
            if not any(part & c == part for c in columns):
                columns.add(part)
    return sorted(columns, key=_members)


def _members(column: int) -> list[int]:
    return [i for i in range(column.bit_length()) if column >> i & 1]


def _letter(index: int) -> str:
    turn, at = divmod(index, len(ascii_letters))
    return ascii_letters[at] + (str(turn) if turn else "")
