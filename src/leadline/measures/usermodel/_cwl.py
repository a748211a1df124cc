"""The C/W/L framework: a reader goes on from rank to rank with some chance, and everything else follows from it.

From the chance C(i) to go on after rank i come the chance V(i) to see rank i, the share W(i) of attention it gets and
the chance L(i) that it is the last one seen:

$$V(i) = \\prod_{j<i} C(j), \\qquad W(i) = V(i) / \\sum_j V(j), \\qquad L(i) = V(i)\\,(1 - C(i))$$

A measure is its :meth:`UserModel.continuation` and nothing else. Ranks past the list bring nothing; the sums over them
run on for ever, in closed form where :meth:`UserModel.beyond` knows one.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from leadline.errors import UsageError
from leadline.measures.base import GainMeasure, param
from leadline.rankings.dense import Dense, dense_blocks
from leadline.rankings.entries import Ints
from leadline.rankings.labeller import Labeller
from leadline.rankings.typed import Typed, typed
from leadline.rankings.view import Floats, Rankings

__all__ = ["ContinuationMeasure", "Expectation", "UserModel", "trigamma"]

_ROWS = 64  # points summed numerically at a time, so that a sum without end is found out early
_STEP = 1024  # ranks added at a time
_LIMIT = 1 << 17  # ranks after which the reader is taken never to stop
_DUST = 1e-17  # share of a sum that no longer matters


class Expectation(NamedTuple):
    """What a reader expects, at each point."""

    seen: Floats  # documents seen, ΣV
    gained: Floats  # gain from them, ΣVG
    total: Floats  # gain of the whole list
    passed: Floats  # chance to go on past the last rank that counts


class UserModel(GainMeasure):
    """A measure given by the reader's chance to go on; the score is the expected gain per document seen.

    Where the cut-off is required, the reader stops there at the latest; otherwise it only hides what lies below it.
    """

    rises_only_at_hits: ClassVar[bool] = True  # a document without gain is what lies past the list anyway

    def continuation(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """The chance to go on after each rank, from its gain and the total gain up to and including it."""
        raise TypeError(f"{self.name} needs a continuation(rank, gain, total)")

    def beyond(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        """Documents seen from ``rank`` through ``last`` by a reader at ``rank``, and the chance to pass ``last``.

        The reader gains nothing more. Override it with a closed form; this one adds rank by rank and refuses a reader
        who does not come to an end.
        """
        keys, inverse = np.unique(np.stack([rank, total, last]), axis=1, return_inverse=True)
        seen, passed = np.zeros(keys.shape[1]), np.ones(keys.shape[1])
        for start in range(0, keys.shape[1], _ROWS):
            rows = slice(start, start + _ROWS)
            seen[rows], passed[rows] = self._added(*keys[:, rows])
        return seen[inverse.ravel()], passed[inverse.ravel()]

    def _added(self, rank: Floats, total: Floats, last: Floats) -> tuple[Floats, Floats]:
        seen, reach = np.zeros(len(rank)), np.ones(len(rank))
        going: Ints = np.arange(len(rank))
        for done in range(0, _LIMIT, _STEP):
            ranks = rank[going, None] + (done + np.arange(_STEP))
            inside = ranks <= last[going, None]
            totals = np.broadcast_to(total[going, None], ranks.shape)
            chance = np.where(inside, self.chance(ranks, np.zeros(ranks.shape), totals), 1.0)
            after = reach[going, None] * np.cumprod(chance, axis=1)
            before = np.concatenate([reach[going, None], after[:, :-1]], axis=1)
            seen[going] += np.where(inside, before, 0.0).sum(axis=1)
            reach[going] = after[:, -1]
            rest = np.divide(after[:, -1], 1 - chance[:, -1], out=np.full(len(going), np.inf), where=chance[:, -1] < 1)
            going = going[inside[:, -1] & (reach[going] > 0) & (rest > _DUST * seen[going])]
            if not len(going):
                return seen, np.where(np.isinf(last), 0.0, reach)
        raise UsageError(
            f"{self}: the reader does not stop within {_LIMIT:,} ranks past the list, so that its weights have no sum; "
            "give pad=, or write a closed form as beyond()."
        )

    def chance(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """:meth:`continuation`, checked to be one."""
        chance = np.broadcast_to(np.asarray(self.continuation(rank, gain, total), np.float64), rank.shape)
        fine = (chance >= 0) & (chance <= 1)
        if not fine.all():
            at = np.argmin(fine.ravel())
            raise UsageError(
                f"{self}: the chance to go on must lie in [0, 1]. "
                f"Got {chance.ravel()[at]:.6g} at rank {rank.ravel()[at]:.0f} instead."
            )
        return chance

    def bounded(self, r: Rankings) -> Rankings:
        """The points as far as the sums look."""
        return r

    def stop(self, r: Rankings) -> Floats | float:
        """The rank at which the reader stops at the latest, at each point; depth 0 sees nothing."""
        return np.where(np.isinf(r.k), 0.0, r.k) if self.cutoff == "required" else np.inf

    def horizon(self, r: Rankings) -> Floats | float:
        """The last rank that the sums count at each point; infinite if they run on for ever."""
        return self.stop(r)

    def expect(self, r: Rankings) -> Expectation:
        """What the reader sees and gains, at each point; every rank is visited."""
        r = self.bounded(r)
        cut, last, stop = (np.broadcast_to(x, r.points.shape).ravel() for x in (r.cut, self.horizon(r), self.stop(r)))
        found = [np.zeros(len(cut)) for _ in Expectation._fields]
        for block in dense_blocks(r):
            own = self._expect(block, cut[block.points], last[block.points])
            for all_points, x in zip(found, own, strict=True):
                all_points[block.points] = x
        found[-1][last >= stop] = 0.0
        return Expectation(*(x.reshape(r.points.shape) for x in found))

    def _expect(self, block: Dense, cut: Floats, last: Floats) -> Expectation:
        totals = block.sums(block.gain)
        reach = block.products(self.chance(block.rank, block.gain, block.through(totals)))
        view = block.before(reach)
        seen, passed = block.sums(view)[block.at], reach[block.at]
        more = (cut < last) & (passed > 0)
        if more.any():
            ahead, through = self.beyond(cut[more] + 1, totals[block.at][more], last[more])
            seen[more] += passed[more] * ahead
            passed[more] *= through
        return Expectation(seen, block.sums(view * block.gain)[block.at], totals[block.at], passed)

    def value(self, r: Rankings) -> Floats:
        """Expected gain per document seen."""
        x = self.expect(r)
        return np.divide(x.gained, x.seen, out=np.zeros_like(x.seen), where=x.seen > 0)

    # the vectors, for one list -------------------------------------------------------------------------------------
    def weights(self, ranking: Typed, rels: Typed | None = None, *, ranks: int, gmax: int | None = None) -> Floats:
        """W(1) … W(``ranks``) of one typed list: the share of attention each rank gets."""
        view, _, seen = self._vectors(ranking, rels, ranks, gmax)
        return view / seen

    def leaving(self, ranking: Typed, rels: Typed | None = None, *, ranks: int, gmax: int | None = None) -> Floats:
        """L(1) … L(``ranks``) of one typed list: the chance that a rank is the last one seen."""
        view, chance, _ = self._vectors(ranking, rels, ranks, gmax)
        return view * (1 - chance)

    def _vectors(
        self, ranking: Typed, rels: Typed | None, ranks: int, gmax: int | None
    ) -> tuple[Floats, Floats, float]:
        r = self.bounded(self.label(Labeller(typed(ranking, rels, gmax))).whole(self.depth))
        rank, gain = np.arange(1.0, ranks + 1), np.zeros(ranks)
        seen = r.rank <= min(float(r.cut[0]), ranks)
        gain[r.rank[seen].astype(np.int64) - 1] = r.gain[seen]
        chance = self.chance(rank, gain, np.cumsum(gain))
        last, stop = (float(np.broadcast_to(x, (1,))[0]) for x in (self.horizon(r), self.stop(r)))
        chance = np.where(rank < stop, chance, 0.0)
        view = np.concatenate([[1.0], np.cumprod(chance)])[:-1]
        return np.where(rank <= last, view, 0.0), chance, float(self.expect(r).seen[0])


class ContinuationMeasure(UserModel):
    """Base for a model of reading: subclass it, write ``continuation``, and register it with ``@measure``.

    >>> from leadline.measures import gain_param
    >>> class Pleased(ContinuationMeasure):
    ...     'A reader who goes on with chance 0.9, and half as likely after a relevant document.'
    ...     gain = gain_param("binary")
    ...     def continuation(self, rank, gain, total):
    ...         return 0.9 * (1 - gain / 2)
    >>> round(Pleased().score("1 0 1"), 4), Pleased().leaving("1 0 1", ranks=2).round(3)
    (0.3821, array([0.55 , 0.045]))
    """

    pad: int | None = param(
        None, kind="int", within="[1, inf)", doc="ranks that count, padded with zero gain (also: depth); default: all"
    )

    @classmethod
    def understand(cls, given: dict[str, Any]) -> dict[str, Any]:
        """``depth=`` means ``pad=``: it has nothing to do with the evaluation depth."""
        given = super().understand(given)
        return {("pad" if n == "depth" and "pad" not in given else n): v for n, v in given.items()}

    def bounded(self, r: Rankings) -> Rankings:
        """The points, looked at to ``pad`` at most."""
        return r if self.pad is None else r.within(self.pad)

    def horizon(self, r: Rankings) -> Floats | float:
        """The padded length, or the cut-off of a reader who stops there."""
        return np.minimum(super().horizon(r), np.inf if self.pad is None else self.pad)


def trigamma(x: Floats) -> Floats:
    r"""$\psi_1(x) = \sum_{j \ge 0} (x + j)^{-2}$, 0 at infinity."""
    from scipy.special import zeta  # the only use of scipy here: everything else starts without it

    return np.asarray(zeta(2.0, x), np.float64)
