"""Preferences between two rankings by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from leadline.errors import UnknownName, UsageError

__all__ = ["PREFERENCES", "Preference", "parse_preference", "parse_preferences"]

PREFERENCES = {
    "rrLP": "lexicographic precision, by the difference of reciprocal ranks at the first recall level that differs",
    "sgnLP": "lexicographic precision, by its sign",
    "LR": "lexicographic recall: more relevant documents win; if equal, the worst-placed ones decide",
    "RPP": "recall-paired preference: the mean sign over all recall levels",
    "RR": "difference of reciprocal ranks, for comparison: what lexicographic precision refines",
}
"""Every preference, with what it asks."""

_OTHER = {"lexiprecision": "rrLP", "lp": "rrLP", "lexirecall": "LR", "mrr": "RR"}
_SHAPE = re.compile(r"\s*(\w+)\s*(?:\(\s*(?:rel\s*=\s*(-?\d+))?\s*\))?\s*")


@dataclass(frozen=True, slots=True)
class Preference:
    """A preference and the lowest grade that counts as relevant.

    >>> str(Preference("rrLP")), str(Preference("LR", rel=2))
    ('rrLP', 'LR(rel=2)')
    """

    name: str
    rel: int = 1

    def __str__(self) -> str:
        return self.name if self.rel == 1 else f"{self.name}(rel={self.rel})"


def parse_preference(name: str | Preference, rel: int | None = None) -> Preference:
    """The preference of a name in any spelling; ``rel`` counts unless the name says otherwise.

    >>> parse_preference("sgnlp"), parse_preference("lexirecall(rel=2)")
    (Preference(name='sgnLP', rel=1), Preference(name='LR', rel=2))
    """
    if isinstance(name, Preference):
        return name
    match = _SHAPE.fullmatch(name)
    if match is None:
        raise UsageError(f"Cannot read the preference {name!r}; write it like rrLP or rrLP(rel=2).")
    spelt, own = match.groups()
    by_case = {n.lower(): n for n in PREFERENCES} | _OTHER
    if spelt.lower() not in by_case:
        raise UnknownName("preference", spelt, PREFERENCES)
    return Preference(by_case[spelt.lower()], int(own) if own is not None else 1 if rel is None else rel)


def parse_preferences(names: Iterable[str | Preference] | str | Preference, rel: int | None = None) -> list[Preference]:
    """Several preferences, each once."""
    given = [names] if isinstance(names, str | Preference) else list(names)
    if not given:
        raise UsageError(f"Name a preference: {', '.join(PREFERENCES)}.")
    return list(dict.fromkeys(parse_preference(n, rel) for n in given))
