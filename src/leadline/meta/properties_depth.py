"""How a measure behaves as the evaluation goes deeper, at the ends of its range, and when nothing is returned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from leadline.meta.properties_cases import HOLDS, TIED, VIOLATED, Found, Suite, exhaustive, verdict_of
from leadline.meta.properties_lists import Levels, Lists, Scorer, close
from leadline.rankings.entries import Floats

__all__ = ["Behaviour", "boundedness", "convergence", "empty_list", "monotonicity", "nil_answer"]

_DEEPEST = 10  # depths at which the short lists are read: one more than they are long
_LONG = 4096  # length of the lists on which convergence is looked for
_DIES, _STEPS = 0.8, 3  # the change per doubling must fall by a fifth each time, over the last doublings


@dataclass(frozen=True)
class Behaviour:
    """A verdict with its counter-example and what else there is to say."""

    verdict: str
    found: Found
    note: str | None = None


def monotonicity(scorer: Scorer, levels: Levels) -> Behaviour:
    """Looking one rank deeper never lowers the score."""
    suite = exhaustive(len(levels.rows))
    depths = np.arange(1, _DEEPEST + 1)
    scores = scorer.by_depth(suite.lists, levels, depths.tolist())
    step = np.diff(scores, axis=1)
    size = np.maximum(np.abs(scores[:, 1:]), np.abs(scores[:, :-1]))
    outcome = np.where(np.abs(step) <= close(size), 0, np.sign(step))
    defined = ~np.isnan(step)
    seen = frozenset(int(x) for x in np.unique(outcome[defined]))
    wrong = np.argwhere(defined & (outcome < 0))
    if not len(wrong):
        return Behaviour(verdict_of(seen), Found(seen))
    size_of = suite.lists.lengths[wrong[:, 0]]
    number, at = (int(x) for x in wrong[np.lexsort((wrong[:, 1], size_of))[0]])
    a, b = (scorer.turn * float(scores[number, at + i]) for i in (0, 1))
    written = levels.write(suite.lists[number][0])
    text = f"{written} at depth {at + 1} ({a:.6g}), at depth {at + 2} ({b:.6g}){_missed(suite.lists, levels, number)}"
    return Behaviour(VIOLATED, Found(seen, text, (scorer.show(suite.lists, levels, number),)))


def _missed(lists: Lists, levels: Levels, number: int) -> str:
    missed = [g for g in lists[number][1] if g]
    return f"; missed: {levels.write(missed)}" if missed else ""


@lru_cache(maxsize=4)
def _long_lists(length: int) -> Lists:
    """Endless-looking lists: relevant from a rank on, relevant up to a rank, and blocks that double in length."""
    lists = Lists()
    cuts = [2**j for j in range(length.bit_length())]
    for a in cuts:
        lists.add((0,) * a + (1,) * (length - a))
        lists.add((1,) * a + (0,) * (length - a))
    block = np.floor(np.log2(np.arange(1, length + 1))).astype(int) % 2
    lists.add(tuple(block.tolist()))
    lists.add(tuple((1 - block).tolist()))
    return lists


def convergence(scorer: Scorer, levels: Levels) -> Behaviour:
    """What lies below depth k moves the score less and less as k grows: the change from k to 2k dies out."""
    length = _LONG if scorer.docs is None else min(_LONG, 2 ** (scorer.docs.bit_length() - 1))
    lists = _long_lists(length)
    depths = [2**j for j in range(length.bit_length())]
    scores = scorer.by_depth(lists, levels, depths)
    change = np.nan_to_num(np.abs(np.diff(scores, axis=1)))
    largest: Floats = change.max(axis=0)
    scale = np.nan_to_num(np.abs(scores)).max()
    if (largest <= close(scale)).all():
        return Behaviour(TIED, Found(frozenset({0})))
    last = largest[-1 - _STEPS :]
    falls = bool((last[1:] <= _DIES * last[:-1] + close(scale)).all())
    if falls and largest[-1] <= largest.max() / 4:
        note = f"from depth {depths[-2]:,} to {depths[-1]:,} a score changes by {largest[-1]:.2g} at most"
        return Behaviour(HOLDS, Found(frozenset({1})), note)
    number = int(np.argmax(change[:, -1]))
    a, b = (scorer.turn * float(scores[number, i]) for i in (-2, -1))
    text = f"{_runs(lists[number][0], levels)}: at depth {depths[-2]:,} ({a:.6g}), at depth {depths[-1]:,} ({b:.6g})"
    return Behaviour(VIOLATED, Found(frozenset({-1}), text, (scorer.show(lists, levels, number),)))


def _runs(labels: tuple[int, ...], levels: Levels) -> str:
    """A long list by its blocks."""
    edges = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    parts = [f"{b - a} × {levels.write((labels[a],))}" for a, b in pairwise(edges)]
    return ", ".join(parts if len(parts) <= 4 else [*parts[:3], "…", parts[-1]])


def boundedness(scorer: Scorer, suites: list[tuple[Suite, Levels]]) -> Behaviour:
    """Scores lie in [0, 1]."""
    low, high, wrong = np.inf, -np.inf, []
    for suite, levels in suites:
        scores = scorer.turn * scorer.values(suite.lists, levels)
        low, high = min(low, float(np.nanmin(scores))), max(high, float(np.nanmax(scores)))
        out = np.flatnonzero((scores < -close(np.ones(1))) | (scores > 1 + close(np.ones(1))))
        if len(out):
            order = np.lexsort((out, suite.lists.lengths[out]))
            wrong.append((suite, levels, int(out[order[0]])))
    note = f"scores seen: {low:.6g} to {high:.6g}"
    if not wrong:
        return Behaviour(HOLDS, Found(frozenset({1})), note)
    suite, levels, number = min(wrong, key=lambda w: int(w[0].lists.lengths[w[2]]))
    one = scorer.show(suite.lists, levels, number)
    text = f"{levels.write(suite.lists[number][0])} scores {one.score:.6g}{_missed(suite.lists, levels, number)}"
    return Behaviour(VIOLATED, Found(frozenset({-1}), text, (one,)), note)


@lru_cache(maxsize=1)
def _nothing() -> Lists:
    lists = Lists()
    lists.add((), (), 1)
    lists.add((), (1,), 1)
    for R in range(1, 5):
        lists.add((), (1,) * R, 1)
        lists.add((1,), (1,) * (R - 1), 1)
    for n in range(1, 10):
        lists.add((), (), n)
        lists.add((0,) * n)
    return lists


def _compared(scorer: Scorer, levels: Levels, pairs: list[tuple[int, int]], text: str) -> Behaviour:
    lists = _nothing()
    scores = scorer.values(lists, levels)
    sides = scores[np.array(pairs)]
    gap = sides[:, 0] - sides[:, 1]
    outcome = np.where(np.abs(gap) <= close(np.abs(sides).max(axis=1)), 0, np.sign(gap))
    defined = ~np.isnan(gap)
    seen = frozenset(int(x) for x in np.unique(outcome[defined]))
    found = Found(seen)
    if -1 in seen:
        first, second = pairs[int(np.argmax(defined & (outcome < 0)))]
        shown = tuple(scorer.show(lists, levels, i) for i in (first, second))
        b, w = (f"{levels.write(lists[i][0])} ({s.score:.6g})" for i, s in zip((first, second), shown, strict=True))
        found = Found(seen, text.format(b=b, w=w), shown)
    return Behaviour(verdict_of(seen), found)


def empty_list(scorer: Scorer, levels: Levels) -> Behaviour:
    """Returning one relevant document beats returning nothing."""
    lists = _nothing()
    pairs = [(lists.add((1,), (1,) * (R - 1), 1), lists.add((), (1,) * R, 1)) for R in range(1, 5)]
    behaviour = _compared(scorer, levels, pairs, "{b} against nothing, {w}")
    scores = scorer.turn * scorer.values(lists, levels)
    nil, one = (f"{scores[i]:.6g}" for i in (lists.add((), (), 1), lists.add((), (1,), 1)))
    note = f"the empty list scores {one} where one document is relevant, {nil} where none is"
    return Behaviour(behaviour.verdict, behaviour.found, note)


def nil_answer(scorer: Scorer, levels: Levels) -> Behaviour:
    """Where nothing is relevant, silence beats a list of irrelevant documents."""
    lists = _nothing()
    pairs = [(lists.add((), (), n), lists.add((0,) * n)) for n in range(1, 10)]
    return _compared(scorer, levels, pairs, "nothing relevant to find: silence {b}, a list {w}")
