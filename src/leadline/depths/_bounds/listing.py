"""Where no formula gives the bounds: all completions listed and scored, as long as there are few enough."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np

from leadline.depths._bounds.completed import NOTHING, ragged, score
from leadline.depths._bounds.problem import Bounds, Problem
from leadline.rankings.entries import Floats, Ints

__all__ = ["listed"]

_EACH = 20_000  # completions of one list
_CELLS = 30_000_000  # documents scored in all


def listed(p: Problem, found: Bounds, *, orderly: bool) -> Bounds:
    """``found``, with the lists that are not exact yet scored under every completion, where these are few.

    ``orderly``: for given numbers of each label the best order is that of falling gains, the worst that of rising ones
    (from the end), so that only these two are tried.
    """
    lower, upper = found.lower.copy(), found.upper.copy()
    exact, undefined = found.exact.copy(), found.undefined.copy()
    budget = _CELLS
    unjudged = p.lists.unjudged
    for number in np.unique(unjudged[~exact]):
        count = _completions(p, int(number), orderly)
        if count > _EACH:
            break
        mine = np.flatnonzero(~exact & (unjudged == number))
        size = int((p.lists.lengths[mine] + np.diff(p.labels.judgments.offsets)[p.lists.topic[mine]]).sum()) + 1
        budget -= size * count
        if budget < 0:
            break
        values = _scores(p, mine, int(number), orderly)
        undefined[mine] = np.isnan(values).any(axis=1)
        none = np.isnan(values).all(axis=1)
        lower[mine] = np.where(none, np.nan, np.where(np.isnan(values), np.inf, values).min(axis=1))
        upper[mine] = np.where(none, np.nan, np.where(np.isnan(values), -np.inf, values).max(axis=1))
        exact[mine] = True
    return Bounds(lower, upper, exact, undefined)


def _completions(p: Problem, unjudged: int, orderly: bool) -> int:
    labels, relevant = len(p.options.labels), int(p.options.hit.sum())
    outside = sum(comb(relevant + c - 1, c) for c in range(p.absent + 1)) if relevant else 1
    inside = 2 * comb(unjudged + labels - 1, unjudged) if orderly else labels ** min(unjudged, 64)
    return inside * outside


def _scores(p: Problem, mine: Ints, unjudged: int, orderly: bool) -> Floats:
    """Scores of the lists under every completion, lists × completions."""
    inside, outside = np.array(list(_inside(p, unjudged, orderly))), np.array(list(_outside(p)))
    inside, outside = inside.reshape(len(inside), unjudged), outside.reshape(len(outside), p.absent)
    number, of_list = ragged(np.full(len(mine), len(inside) * len(outside)))
    lists = p.lists.take(mine[of_list])
    labels = inside[number % len(inside)].ravel()
    added = outside[number // len(inside)] if p.absent else None
    return score(p.measure, lists.completed(labels, added)).reshape(len(mine), -1)


def _inside(p: Problem, unjudged: int, orderly: bool) -> Iterator[tuple[int, ...]]:
    own = p.options
    if not orderly:
        yield from product(own.labels.tolist(), repeat=unjudged)
        return
    rising = own.labels[np.lexsort((own.hit, own.gain))].tolist()
    for labels in combinations_with_replacement(rising, unjudged):
        yield labels
        yield labels[::-1]


def _outside(p: Problem) -> Iterator[tuple[int, ...]]:
    relevant = p.options.labels[p.options.hit].tolist()
    for count in range(p.absent + 1):
        for labels in combinations_with_replacement(relevant, count):
            yield (*labels, *[NOTHING] * (p.absent - count))
