"""Ideal rankings of judged documents: the one that TOMA defines, and the candidates for the upper bound of CAM and MM.

CAM and MM do not say which ranking is best, so their reachable maximum is estimated from several: documents sorted by
one aspect after the other, for every order of the aspects, and by the sum, the sum of squares and the maximum of their
embedded labels. What counts is the number of a label, not its name: labels of equal value tie, negative ones gain
nothing. Every ranking is a permutation of the judgments' rows: topics in ascending order, within a topic the best
document first, ties by ascending document id.

Reference: Maistro, Chaves Lima, Simonsen, Lioma. Principled multi-aspect evaluation measures of rankings. CIKM 2021,
section 4.2. doi:10.1145/3459637.3482287
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import lcm, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadline.errors import UsageError
from leadline.findings import Findings
from leadline.io.aspects import AspectSet
from leadline.rankings.aspect_distances import Keys, LabelRows
from leadline.rankings.aspects import Order

__all__ = ["ideal_rankings", "ideal_strategies", "toma_ideal"]

Rows: TypeAlias = NDArray[np.int64]
Strategy: TypeAlias = tuple[str, tuple[int, ...]]  # its name, and the order of aspects it follows (empty: all at once)

_SMALL = np.iinfo(np.uint16).max
_ALL_ORDERS = 6  # aspects up to which every order is tried: 720 rankings


def toma_ideal(
    order: Order,
    labels: LabelRows,
    topic: Rows,
    doc_rank: Rows | None = None,
    *,
    hit: NDArray[np.bool_] | None = None,
) -> Rows:
    """Rows in the order of descending weight within each topic: the ranking that scores 1 under TOMA.

    ``topic`` is the topic number of each row, ``doc_rank`` the place of its document among the sorted document ids;
    ``hit`` says which rows a binary measure counts as relevant: they come first.

    >>> from leadline.io.aspects import declare
    >>> from leadline.rankings.aspects import classes
    >>> order = classes(declare("relevance=0..2 correctness=0..1"))
    >>> toma_ideal(order, np.array([[0, 1], [2, 1], [1, 0]]), np.array([0, 0, 1]))
    array([1, 0, 2])
    """
    height = order.heights(labels)
    return _Sorter(topic, doc_rank).best_first(height if hit is None else height + len(order) * hit)


def ideal_strategies(aspects: AspectSet) -> tuple[list[Strategy], Findings]:
    """Names of the candidate rankings; with more than six aspects only their first two places are varied, and said so.

    >>> from leadline.io.aspects import declare
    >>> [name for name, _ in ideal_strategies(declare("a=0,1 b=0,1"))[0]]
    ['a>b', 'b>a', 'sum', 'squares', 'maximum']
    """
    n, findings = len(aspects), Findings()
    if n <= _ALL_ORDERS:
        orders = list(permutations(range(n)))
    else:
        orders = [(*two, *(a for a in range(n) if a not in two)) for two in permutations(range(n), 2)]
        text = "orders of aspects tried; the others differ only below the first two aspects"
        findings.add("orders-of-aspects-left-out", len(orders), (), text)
    named = [(">".join(aspects.names[a] for a in order), order) for order in orders]
    return [*named, ("sum", ()), ("squares", ()), ("maximum", ())], findings


def ideal_rankings(
    aspects: AspectSet, labels: LabelRows, topic: Rows, doc_rank: Rows | None = None
) -> Iterator[tuple[str, Rows]]:
    """The candidate rankings by :func:`ideal_strategies`, one at a time: name and row order."""
    rows = aspects.check(labels)
    sorter = _Sorter(topic, doc_rank)
    levels, gains = _levels(aspects, rows), _gains(aspects, rows)
    combined = {"sum": gains.sum(axis=1), "squares": (gains**2).sum(axis=1), "maximum": gains.max(axis=1)}
    for name, order in ideal_strategies(aspects)[0]:
        yield name, sorter.best_first(_code(levels, order, aspects.shape) if order else combined[name])


def _gains(aspects: AspectSet, rows: LabelRows) -> Keys:
    """Embedded labels as whole numbers on one scale; exact, so ties are ties."""
    gains = [[max(v, Fraction(0)) for v in a.numbers] for a in aspects]
    scale = lcm(*(v.denominator for row in gains for v in row))
    whole = [[int(v * scale) for v in row] for row in gains]
    fits = sum(max(row) ** 2 for row in whole) < 2**62
    parts = [np.array(row, np.int64 if fits else object) for row in whole]
    return np.stack([part[rows[:, a]] for a, part in enumerate(parts)], axis=1)


def _levels(aspects: AspectSet, rows: LabelRows) -> LabelRows:
    """Labels numbered anew by their values, so that labels of equal value share a number."""
    columns = []
    for a, aspect in enumerate(aspects):
        distinct = sorted(set(aspect.numbers))
        columns.append(np.array([distinct.index(v) for v in aspect.numbers])[rows[:, a]])
    return np.stack(columns, axis=1)


def _code(levels: LabelRows, order: tuple[int, ...], shape: tuple[int, ...]) -> Keys:
    """A number that compares like the levels taken in the given order of aspects."""
    code: Keys = np.zeros(len(levels), np.int64 if prod(shape) < 2**62 else object)
    for a in order:
        code = code * shape[a] + levels[:, a]
    return code


class _Sorter:
    """Sorts rows by topic, then by a key, then by document; the last is done once for all keys."""

    def __init__(self, topic: Rows, doc_rank: Rows | None) -> None:
        self.topic = np.asarray(topic, np.int64)
        self.base = np.arange(len(topic)) if doc_rank is None else np.argsort(doc_rank, kind="stable")
        if len(self.base) != len(topic):
            raise UsageError(f"ideal rankings: {len(topic)} topics of rows, but {len(self.base)} document ranks")

    def best_first(self, key: Keys) -> Rows:
        """Rows by topic, then by descending key; keys are whole numbers from 0."""
        if len(key) != len(self.base):
            raise UsageError(f"ideal rankings: {len(key)} label rows, but {len(self.base)} topics of rows")
        if key.max(initial=0) > _SMALL:
            key = np.unique(key, return_inverse=True)[1]
        return _stable(_stable(self.base, key.max(initial=0) - key), self.topic)


def _stable(rows: Rows, key: Keys) -> Rows:
    """Rows in ascending order of their key, otherwise as they stand; small keys are sorted by radix, far faster."""
    small = key.astype(np.uint16 if key.max(initial=0) <= _SMALL else np.int64)
    found: Rows = rows[np.argsort(small[rows], kind="stable")]
    return found
