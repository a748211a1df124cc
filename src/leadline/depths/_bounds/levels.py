r"""Measures that divide weighted gains by those of the ideal list: nDCG, nRBP, and recall where ties are shared.

Gains come in levels $0 < v_1 < \dots < v_L$. Let $t_l$ of the unjudged documents get at least level l. For fixed $t_1
\ge t_2 \ge \dots$ the ideal is fixed too, and the list is best with the high gains at the top of the unjudged places
and worst with them at the bottom (rearrangement inequality: the weights fall with the rank). Taken apart level by
level,

$$\frac{N}{I} = \frac{N_0 + \sum_l (v_l - v_{l-1})\, W(t_l)}{\sum_l (v_l - v_{l-1})\, C(T_l + t_l)}$$

with W(t) the weight of the t topmost (lowest) unjudged places, $T_l$ the judgments of at least level l, and C(x) the
weight of the first x ranks. Numerator and denominator are sums of functions of one $t_l$ each, so that for any λ the
maximum of N − λI over all $t_1 \ge t_2 \ge \dots$ is found by running maxima, level after level. Dinkelbach's
iteration, λ := N/I at that maximum, rises strictly through ratios of completions until it stays: then N − λI ≤ 0 for
all, and λ is the highest ratio. The lowest one likewise. Relevant documents out of sight add to I alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from leadline.depths._bounds.pools import Pool, pool_of
from leadline.depths._bounds.problem import Block, Bounds, Flags, Problem, before, by_blocks, nothing_known
from leadline.errors import UsageError
from leadline.measures.discounts import discount
from leadline.rankings.entries import Floats, Ints
from leadline.rankings.view import ratio

__all__ = ["Levels", "Ratio", "levels_of", "normalised"]

_ROUNDS = 100  # Dinkelbach's iteration needs a handful; the limit is for the case of an endless rounding error


@dataclass(frozen=True, eq=False)
class Layer:
    """The gains between two neighbouring levels."""

    height: float  # from one level to the next
    level: float  # the upper one
    known: Ints  # judgments of each topic that reach it


@dataclass(frozen=True, eq=False)
class Step:
    """From one gain that an unjudged document can have to the next, with the layers between them."""

    rise: float
    layers: list[Layer]


@dataclass(frozen=True, eq=False)
class Levels:
    """All layers: those that every new document reaches, those on its steps, those above all new gains."""

    base: list[Layer]
    steps: list[Step]
    beyond: list[Layer]

    @property
    def layers(self) -> list[Layer]:
        """All of them, from the bottom up."""
        return [*self.base, *(layer for s in self.steps for layer in s.layers), *self.beyond]


def normalised(p: Problem) -> Bounds:
    """Exact for gains that are never negative, and for pools about which nothing is left open."""
    shared = p.lists.track.ties in ("share", "mean-gain")
    pool = pool_of(p, getattr(p.m, "ideal", "d") == "k")
    if p.options.gains[0] < 0 or p.labels.gain.min(initial=0.0) < 0 or (shared and pool.applies):
        return nothing_known(p)
    p = replace(p, whole=shared)
    levels = levels_of(p, pool)

    def solve(x: Block) -> tuple[Floats, Floats, Flags]:
        problem = Ratio(x, pool, levels)
        upper = problem.solve(top=True)
        lower = problem.solve(top=False, start=np.nan_to_num(upper))
        # with an ideal of missing documents alone nothing is found
        return lower, np.where(np.isnan(upper), lower, upper), pool.exact(x)

    known = p.labels.judgments.count((p.labels.gain > 0) & pool.members())[p.lists.topic] > 0
    new = (p.inside > 0) & p.lists.contributing if pool.applies else p.lists.unjudged > 0
    undefined = ~known & ~(new & (p.options.gains[0] > 0))
    return by_blocks(p, solve, undefined, spread=2 + len(levels.steps))


def levels_of(p: Problem, pool: Pool, *, apart: int = 0) -> Levels:
    """The levels of known and new gains; the first steps, ``apart`` of them, stay as they are."""
    own, judged = p.options.gains, p.labels.gain
    tops = np.unique(np.concatenate([own[own > 0], judged[judged > 0]]))
    member = pool.members()
    heights = np.diff(np.concatenate([[0.0], tops]))
    layers = [
        Layer(float(h), float(t), p.labels.judgments.count((judged >= t) & member))
        for h, t in zip(heights, tops, strict=True)
    ]
    step_of = np.searchsorted(own, tops)  # the first gain that reaches the layer; len(own) if none does
    grouped = [[layer for layer, s in zip(layers, step_of, strict=True) if s == g] for g in range(len(own) + 1)]
    steps = [Step(float(own[s] - own[s - 1]), grouped[s]) for s in range(1, len(own))]
    return Levels(grouped[0], [*steps[:apart], *_merged(steps[apart:])], grouped[-1])


def _merged(steps: list[Step]) -> list[Step]:
    """Neighbouring steps over the same judgments pose the same question: one answer serves both."""
    out: list[Step] = []
    for step in steps:
        if out and all(np.array_equal(a.known, b.known) for a in out[-1].layers for b in step.layers):
            out[-1] = Step(out[-1].rise + step.rise, [*out[-1].layers, *step.layers])
        else:
            out.append(step)
    return out


class Ratio:
    """N/I of a block of lists as a function of how many unjudged documents reach each step."""

    def __init__(self, x: Block, pool: Pool, levels: Levels) -> None:
        self.x, self.pool, self.levels = x, pool, levels
        self.weight = _weights(x)
        self.reach = self.ideal_depth()  # ranks of each ideal list that count
        most = max((float(layer.known.max(initial=0)) for layer in levels.layers), default=0.0)
        most += float((x.inside + x.outside).max(initial=0)) + x.p.absent
        ranks = np.arange(1.0, min(most, self.reach.max(initial=0)) + 1)
        self.table = np.concatenate([[0.0], np.cumsum(rank_weight(x.p.m, ranks))])

    def ideal_depth(self) -> Floats:
        """To the evaluation depth; recall counts all relevant documents."""
        return np.full(len(self.x.index), np.inf if self.x.p.m.name == "R" else self.x.p.k)

    def fixed(self, top: bool) -> tuple[Floats | float, Floats | float]:
        """What is added to N and I whatever is chosen."""
        return 0.0, 0.0

    def varying(self, count: Floats, top: bool) -> Floats | float:
        """What is added to N by the number of new documents, if all that gain have the same gain."""
        return 0.0

    def depending(self, count: Floats, top: bool) -> Floats | float:
        """What is added to I by the number of documents that reach the first step."""
        return 0.0

    def ideal(self, layer: Layer, new: Floats | float, absent: Floats) -> Floats:
        """What a layer adds to the ideal if ``new`` documents of the list reach it; missing ones do if they can."""
        options = self.x.p.options
        reached = bool(options.hit.any()) and layer.level <= options.gain[options.hit].max()
        known = layer.known[self.x.topic] + (absent if reached else 0.0)
        reach = np.minimum(self.reach, len(self.table) - 1)
        if np.ndim(new) == 2:
            known, reach = known[:, None], reach[:, None]
        weights: Floats = self.table[np.minimum(known + new, reach).astype(np.int64)]
        return layer.height * weights

    def _places(self, top: bool) -> tuple[Floats, Floats]:
        """For growing choices of unjudged documents: how many come into the ideal, and their weight in the list."""
        x = self.x
        weights = before(self.weight * x.unjudged)
        out = np.zeros_like(x.outside)
        if not self.pool.applies:  # deeper than the ideal reaches they cannot be told apart
            out = np.minimum(x.outside, self.reach).astype(np.int64)
        late = np.minimum(np.arange(1, int(out.max(initial=0)) + 1), out[:, None]).astype(np.float64)
        if top:
            count = np.concatenate([x.open, x.total_open + late], axis=1)
            weight = np.concatenate([weights, np.repeat(weights[:, -1:], late.shape[1], axis=1)], axis=1)
        else:
            upwards = out[:, None] + x.total_open - x.open[:, ::-1]
            count = np.concatenate([np.zeros((len(out), 1)), late, upwards], axis=1)
            weight = np.zeros(count.shape)
            weight[:, 1 + late.shape[1] :] = weights[:, -1:] - weights[:, ::-1]
        joins = self.pool.joins(x, best_case=top)
        return np.where(joins[:, None], count, 0.0), weight

    def solve(self, top: bool, start: Floats | None = None) -> Floats:
        """The highest (lowest) ratio; NaN where every completion leaves the ideal empty."""
        x, levels, gains = self.x, self.levels, self.x.p.options.gains
        count, weight = self._places(top)
        absent = np.zeros(len(x.index)) if top else self._absent()
        more = self.fixed(top)
        N0 = np.sum(self.weight * (x.gain + gains[0] * x.unjudged), axis=1) + more[0]
        I0 = np.zeros(len(N0)) + more[1]
        for layer in levels.base:
            I0 += self.ideal(layer, count[:, -1], absent)
        for layer in levels.beyond:
            I0 += self.ideal(layer, 0.0, absent)
        gained = [s.rise * weight for s in levels.steps]
        needed = [np.sum([self.ideal(layer, count, absent) for layer in s.layers], axis=0) for s in levels.steps]
        if needed:
            needed[0] = needed[0] + self.depending(count, top)
        if len(needed) == 1:  # one number alone: all of them are tried
            N = N0[:, None] + gained[0] + self.varying(count, top)
            found = _extreme(ratio(N, I0[:, None] + needed[0]), top)
        else:
            best = np.zeros(len(N0)) if start is None else start.copy()
            found = _iterate(N0, I0, gained, needed, best, 1.0 if top else -1.0)
        if top and self.pool.applies:
            return self._with_empty_pools(found, N0 + (gains[-1] - gains[0]) * weight.max(axis=1))
        return found

    def _absent(self) -> Floats:
        """Relevant documents that may add to the ideal without being among the choices."""
        if self.pool.applies:
            return self.pool.others(self.x)
        return np.full(len(self.x.index), float(self.x.p.absent))

    def _with_empty_pools(self, found: Floats, most: Floats) -> Floats:
        """Where nothing known is in the pool and new documents may or may not be: one small gain in it is the least."""
        x, gains = self.x, self.x.p.options.gains
        known = np.zeros(len(found), np.int64)
        for layer in self.levels.layers:
            known = np.maximum(known, layer.known[x.topic])
        unsure = (known == 0) & ~self.pool.joins(x, best_case=True) & (x.inside > 0)
        least = gains[gains > 0].min(initial=np.inf) * self.table[min(1, len(self.table) - 1)]
        return np.where(unsure, ratio(most, least), found)


def _extreme(values: Floats, top: bool) -> Floats:
    """The highest (lowest) of each row that is defined."""
    worst = -np.inf if top else np.inf
    known = np.where(np.isnan(values), worst, values)
    found = known.max(axis=1) if top else known.min(axis=1)
    return np.where(np.isinf(found), np.nan, found)


def _iterate(N0: Floats, I0: Floats, gained: list[Floats], needed: list[Floats], best: Floats, sign: float) -> Floats:
    """Dinkelbach's iteration from the ratios ``best``, until none of them moves."""
    out = np.full(len(N0), np.nan)
    going = np.arange(len(N0))
    for _ in range(_ROUNDS):
        rows = going if len(going) < len(N0) else slice(None)
        N, ideal = _optimal(N0[rows], I0[rows], [g[rows] for g in gained], [c[rows] for c in needed], best[rows], sign)
        new = ratio(N, ideal)
        better = ~np.isnan(new) & ~(sign * new <= sign * out[rows])
        out[rows] = np.where(better, new, out[rows])
        moved = better & (new != best[rows])
        best[rows] = np.where(better, new, best[rows])
        going = going[moved]
        if not len(going):
            break
    return out


def _optimal(
    N0: Floats, I0: Floats, gained: list[Floats], needed: list[Floats], at: Floats, sign: float
) -> tuple[Floats, Floats]:
    """N and I of the choice with the best N − at·I, each step's choice being part of that of the step below it.

    Among equal ones the largest, so that an ideal is left empty only if it must be.
    """
    chosen = []
    value: Floats | None = None
    for g, c in zip(reversed(gained), reversed(needed), strict=True):
        own = sign * (g - at[:, None] * c)
        if value is not None:
            top = np.maximum.accumulate(value, axis=1)
            chosen.append(np.maximum.accumulate(np.where(value >= top, np.arange(value.shape[1]), 0), axis=1))
            own += top
        value = own
    if value is None:
        return N0, I0
    column = (value.shape[1] - 1 - np.argmax(value[:, ::-1], axis=1))[:, None]
    N, ideal = N0.copy(), I0.copy()
    for number, (g, c) in enumerate(zip(gained, needed, strict=True)):
        if number:
            column = np.take_along_axis(chosen[-number], column, axis=1)
        N += np.take_along_axis(g, column, axis=1)[:, 0]
        ideal += np.take_along_axis(c, column, axis=1)[:, 0]
    return N, ideal


def rank_weight(m: Any, rank: Floats) -> Floats:
    """What a gain at each rank counts."""
    if m.name in ("nDCG", "nDCGT"):
        return discount(m.discount, rank)
    if m.name == "nRBP":
        return np.asarray((1 - m.p) * m.p ** (rank - 1), np.float64)
    if m.name == "Compatibility":
        return np.asarray(m._tail(len(rank))[1:], np.float64)
    return np.ones_like(rank)


def _weights(x: Block) -> Floats:
    """Weight of each rank seen; with shared ties the mean over its block of equal scores."""
    track = x.p.lists.track
    there = np.arange(1, x.width + 1) <= x.cut[:, None]
    seen = there & (x.rank <= x.p.k)
    weight = np.where(seen, rank_weight(x.p.m, x.rank), 0.0)
    if not x.p.whole:
        return weight
    if track.scores is None:
        raise UsageError(f"ties={track.ties!r} needs the scores: read the track with keep_scores=True")
    start = track.score_offsets[x.p.lists.lists[x.index]][:, None]
    scores = np.where(there, track.scores[np.where(there, start + np.arange(x.width), 0)], np.nan)
    first = np.ones(scores.shape, bool)
    first[:, 1:] = scores[:, 1:] != scores[:, :-1]
    block = np.cumsum(first.ravel()) - 1
    mean: Floats = np.bincount(block, weight.ravel()) / np.bincount(block)
    shared: Floats = mean[block].reshape(weight.shape)
    return shared
