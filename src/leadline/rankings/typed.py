"""A list typed by hand, as a Track of one run and one topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from leadline.errors import UsageError
from leadline.rankings.entries import Entries
from leadline.rankings.labels import Judgments
from leadline.rankings.track import Track

__all__ = ["Typed", "typed"]

Typed = str | Sequence[int | None]


def typed(ranking: Typed, rels: Typed | None = None, gmax: int | None = None) -> Track:
    """The Track of one typed list: grades in rank order, ``-`` or None for an unjudged document.

    ``rels`` are the grades of all relevant documents of the topic, retrieved or not; without it, those in the list.

    >>> typed("1 0 - 2", rels="2 1 1")
    <Track: 1 runs × 1 topics, 4 documents, ties='file'>
    """
    grades = _grades(ranking)
    found = [g for g in grades if g is not None]
    missed = Counter(g for g in _grades(rels) if g is not None) if rels is not None else Counter()
    if rels is not None:
        missed.subtract(g for g in found if g > 0)
        short = [g for g, count in missed.items() if count < 0]
        if short:
            raise UsageError(
                f"rels= must name every relevant document of the list; grade {short[0]} is missing from it."
            )
    labels = np.array([*found, *sorted(missed.elements(), reverse=True)], np.int32)[:, None]
    rank = np.array([i for i, g in enumerate(grades, 1) if g is not None], np.int32)
    return Track(
        runs=["list"],
        topics=["topic"],
        judgments=Judgments(np.array([0, len(labels)]), labels, gmax),
        entries=Entries(rank, np.arange(len(rank), dtype=np.int32), np.array([0, len(rank)])),
        lengths=np.array([len(grades)]),
        answered=np.array([True]),
        ties="file",
    )


def _grades(text: Typed) -> list[int | None]:
    if not isinstance(text, str):
        return [None if g is None else int(g) for g in text]
    parts = text.replace(",", " ").split()
    try:
        return [None if p in ("-", "–", "?") else int(p) for p in parts]
    except ValueError:
        wrong = next(p for p in parts if p not in ("-", "–", "?") and not p.lstrip("+-").isdigit())
        raise UsageError(f"A list holds grades and '-' for unjudged, like '1 0 - 2'. Got {wrong!r}.") from None
